"""Explain outcomes by covariates, for ranked probes or a table."""

from __future__ import annotations

from contextlib import suppress

from proband.analyses.covariates.request import CovariatesRequest
from proband.errors import DesignError
from proband.inference.covariates.explained import Explained
from proband.inference.covariates.formula import Formula
from proband.inference.covariates.outcomes import explain_outcomes
from proband.inference.covariates.results import CovariateStudy
from proband.inference.covariates.study import chosen_algorithms, explain
from proband.inference.covariates.values import rows_of
from proband.samples.reading import read_frame
from proband.study.context import Context, digest_of
from proband.study.designs import chosen_of
from proband.words import Note


def prepare(request: CovariatesRequest, context: Context) -> Formula:
    """Read the model; raise an error for missing columns or columns of the wrong type."""
    model = Formula.parse(request.on)
    if request.table is None:
        chosen_algorithms(model, context.names, **chosen_of(request, context.names))
    if request.table is None and context.unranked:
        with suppress(DesignError):  # which probes can be judged, only scores tell
            rows_of(context.unranked, model, "drop")
    return model


def run(request: CovariatesRequest, context: Context) -> CovariateStudy:
    """Explain success, matches or ranks, or the outcomes of a table."""
    if request.table is not None:
        return _of_table(request, context)
    outcomes, model = context.outcomes, Formula.parse(request.on)

    def make() -> CovariateStudy:
        explained = Explained.of(outcomes, context.scores, request.outcome, request.rank, request.fmr)
        covariance = request.covariance or "CR2"
        return explain(
            explained,
            model,
            covariance,
            request.incomplete,
            context.output.confidence_level,
            chosen_algorithms(model, context.names, **chosen_of(request, context.names)),
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
