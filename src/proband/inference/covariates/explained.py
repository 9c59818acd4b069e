"""The outcomes of probes that are to be explained, of one algorithm or several, and what they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from proband.errors import DesignError, Hint, UsageError
from proband.inference.covariates.formula import Formula
from proband.inference.covariates.linearized import Linearized
from proband.inference.covariates.mates import matched_at
from proband.inference.covariates.regression import Fit, Floats
from proband.inference.covariates.results import Outcome
from proband.inference.covariates.sandwich import Covariance, Sandwich
from proband.inference.covariates.values import CovariateRows, rows_of
from proband.inference.survey.layout import stage_of
from proband.inference.survey.stages import Stages
from proband.measures import Outcomes
from proband.results.base import Answers, Facts
from proband.results.targets import OTHER_PEOPLE, derived
from proband.scores import Scores
from proband.words import Note, SampledColumn, Sentence, Target, count, counted, given

_MIX = Target("covariate-mix", "the algorithms, the gallery and the other covariates of these probes")
_LOGISTIC = Target(
    "logistic-in-covariates", "people are independent, and log odds of success are linear in the covariates"
)
_LINEAR = Target("linear-in-covariates", "people are independent, and log ranks are linear in the covariates")
_LOG_RANK = Target("log-rank", "mean natural logarithm of the rank")
_AVERAGED = Sentence(
    "covariates.averaged",
    "caution",
    "the algorithm is not in the model, so all results are averages over {n:count algorithm}; write … * "
    "algorithm to estimate each separately",
)
_LEFT_OUT = Sentence(
    "covariates.incomplete",
    "caution",
    "{n:count probe} of {total:count} {n:word lacks/lack} a covariate ({lacking:counts}) and "
    "{n:word was/were} left out; {n:word its/their} mean outcome is {rate:rate}, compared with "
    "{others:rate} for the others",
)
_THRESHOLDS = Sentence(
    "covariates.thresholds",
    "note",
    "thresholds have FMR {fmr:given} in this experiment and are held fixed: intervals do not include the "
    "uncertainty of setting them on these people",
)


@dataclass(frozen=True, eq=False)
class Explained:
    """The outcomes that are to be explained.

    Attributes
    ----------
    ranked
        The outcomes of each algorithm.
    values
        What became of each probe, for each algorithm.
    outcome, rank, fmr, thresholds
        What that is.
    """

    ranked: tuple[Outcomes, ...]
    values: tuple[Floats, ...]
    outcome: Outcome
    rank: int
    fmr: float | None = None
    thresholds: tuple[float | None, ...] = ()

    @classmethod
    def of(
        cls, ranked: Sequence[Outcomes], scores: Sequence[Scores], outcome: Outcome, rank: int, fmr: float
    ) -> Explained:
        """Find what became of every probe; matches need the scores themselves."""
        if outcome != "match":
            return cls(tuple(ranked), tuple(_outcomes(one, outcome, rank) for one in ranked), outcome, rank)
        if len(scores) < len(ranked):
            raise UsageError(
                "Matches at a threshold need scores, not outcomes.",
                "pass scores and an experiment.",
            )
        found = [matched_at(one, own, fmr) for one, own in zip(scores, ranked, strict=True)]
        return cls(
            tuple(ranked),
            tuple(one for one, _ in found),
            outcome,
            rank,
            fmr,
            tuple(limit for _, limit in found),
        )

    def kept(self, which: Sequence[npt.NDArray[np.bool_]]) -> Floats:
        """The values of some probes, an algorithm below the other."""
        return np.concatenate([one[keep] for one, keep in zip(self.values, which, strict=True)])

    def rows(self, model: Formula, incomplete: str) -> CovariateRows:
        """The covariates of the probes."""
        return rows_of(self.ranked, model, incomplete)

    @property
    def weights(self) -> None:
        """All probes count the same."""
        return None

    @property
    def algorithms(self) -> tuple[str, ...]:
        """Whose outcomes."""
        return tuple(one.algorithm for one in self.ranked)

    @property
    def facts(self) -> tuple[Facts, ...]:
        """Of each algorithm."""
        return tuple(one.facts for one in self.ranked)

    def sandwich(self, fit: Fit, rows: CovariateRows, covariance: Covariance) -> Sandwich:
        """How sure a regression is over people."""
        if covariance != "survey":
            return Sandwich(fit, rows.person, covariance)
        one = stage_of(rows.person, np.zeros(len(rows.person), dtype=np.intp), ("all",), None, "")
        inside = np.ones(len(rows.person), dtype=np.bool_)
        return Linearized(fit, rows.person, covariance, stages=Stages((one,), "fail", False), inside=inside)

    @property
    def sampling(self) -> tuple[SampledColumn, ...]:
        """What the probes show of the columns that are declared as sampling levels."""
        return self.ranked[0].sampling

    def answers(self, covariance: Covariance) -> Answers:
        """What standardised rates are of, what varies, what stays and what is assumed."""
        assuming = _LINEAR if self.outcome == "log-rank" else _LOGISTIC
        return Answers(derived("standardized", "standardised {}", self.target), OTHER_PEOPLE, _MIX, assuming)

    def cautions(self, rows: CovariateRows, rate: float, model: Formula) -> list[Note]:
        """What was left out, and what is averaged over."""
        said = []
        if len(rows.incomplete):
            said.append(
                _LEFT_OUT(
                    n=len(rows.incomplete),
                    total=len(np.unique(rows.probe)) + len(rows.incomplete),
                    lacking=rows.lacking,
                    rate=float(self.kept([~keep for keep in rows.kept]).mean()),
                    others=rate,
                )
            )
        if len(self.ranked) > 1 and all(one.kind != "algorithm" for one in model.covariates):
            said.append(_AVERAGED(n=len(self.ranked)))
        return said

    @property
    def notes(self) -> list[Note]:
        """What else a reader should know of the outcomes."""
        return [_THRESHOLDS(fmr=self.fmr)] if self.outcome == "match" else []

    def require_both(self, y: Floats) -> None:
        """Refuse outcomes that are all alike."""
        if np.ptp(y) > 0:
            return
        if self.outcome == "log-rank":
            raise DesignError(
                "All probes have the same rank: there is nothing to explain.", "use harder probes."
            )
        became = "succeed" if y[0] else "fail"
        where, cure = f"at rank {self.rank}", "use another rank: {option:rank}"
        if self.fmr is not None:
            where, cure = f"at FMR {given(self.fmr)}", "use another false match rate: {option:fmr}"
        raise DesignError(
            f"All {count(len(y))} outcomes {became} {where}: there is nothing to explain.", Hint(cure)
        )

    @property
    def target(self) -> Target:
        """What is measured."""
        if self.outcome == "success":
            return Target("rank-rate", f"recognition rate at rank {self.rank}")
        if self.outcome == "log-rank":
            return _LOG_RANK
        assert self.fmr is not None  # of matches
        return Target("match-rate", f"true match rate at FMR {given(self.fmr)}")


def _outcomes(outcomes: Outcomes, outcome: Outcome, rank: int) -> Floats:
    if outcome == "success":
        return outcomes.success(rank)
    if outcomes.failed.any():
        raise DesignError(
            f"{outcomes.algorithm}: {counted(int(outcomes.failed.sum()), 'probe')} failed to be acquired "
            "and so have no rank to take the logarithm of.",
            Hint(
                "use success at a rank, which counts them as misses: {option:outcome=success}; or leave "
                "these probes out: {option:probes}"
            ),
            source=None,
        )
    logs: Floats = np.log(outcomes.ranks)
    return logs
