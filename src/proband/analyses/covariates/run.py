"""Outcomes explained by covariates: of ranked probes, or of a table."""

from __future__ import annotations

from proband.analyses.covariates.request import CovariatesRequest
from proband.inference.covariates.explained import Explained
from proband.inference.covariates.formula import Formula
from proband.inference.covariates.outcomes import explain_outcomes
from proband.inference.covariates.results import CovariateStudy
from proband.inference.covariates.study import explain
from proband.samples.reading import read_frame
from proband.study.context import Context, digest_of
from proband.words import Note


def prepare(request: CovariatesRequest, context: Context) -> Formula:
    """Refuse a model that cannot be read."""
    return Formula.parse(request.on)


def run(request: CovariatesRequest, context: Context) -> CovariateStudy:
    """Explain success, matches or ranks; or the outcomes of a table."""
    if request.table is not None:
        return _of_table(request, context)
    outcomes = context.outcomes

    def make() -> CovariateStudy:
        explained = Explained.of(outcomes, context.scores, request.outcome, request.rank, request.fmr)
        covariance = request.covariance or "CR2"
        return explain(
            explained,
            prepare(request, context),
            covariance,
            request.incomplete,
            context.output.confidence_level,
        )

    return context.step(
        "covariates",
        {
            "request": request.model_dump(),
            "experiment": digest_of(outcomes[0].experiment),
            **context.ranking,
            **context.judging,
        },
        make,
    )


def _of_table(request: CovariatesRequest, context: Context) -> CovariateStudy:
    notes: list[Note] = []
    texts = [name for name in (request.cluster, request.strata) if name is not None]
    table = read_frame(context.origin.find(request.table or ""), texts, notes=notes)
    found = explain_outcomes(
        table,
        success=request.success or "",
        on=request.on,
        cluster=request.cluster,
        weights=request.weights,
        strata=request.strata,
        covariance=request.covariance,
        incomplete=request.incomplete,
        confidence_level=context.output.confidence_level,
    )
    context.note(*notes)
    return found
