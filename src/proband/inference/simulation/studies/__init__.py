"""The registry of studies: every public interval and test names one, with populations on which it is tried and bars to pass there.

`trials` says what a study is, `untried` what has none and why. By family: `rates`, `curves`, `comparisons`; `strata` (new images, people at
sites), `galleries`, `images` (other choices of them); `pairs`, `verification`, `thresholds`; `search`; `classification`, `validation` (folds), `covariates`,
`surveys`, `datasets`, `planning`. ``make coverage`` carries them out, docs/trust.md shows what they showed.
"""

from __future__ import annotations

from dataclasses import dataclass

from proband.engine import Progress
from proband.errors import UsageError
from proband.inference.simulation.covered import Tally, simulate
from proband.inference.simulation.studies import (
    classification,
    comparisons,
    covariates,
    curves,
    datasets,
    galleries,
    images,
    pairs,
    planning,
    rates,
    search,
    strata,
    surveys,
    thresholds,
    validation,
    verification,
)
from proband.inference.simulation.studies.trials import LEVEL, Bars, Study, Trial
from proband.inference.simulation.studies.untried import UNTRIED
from proband.results.base import Result

__all__ = ["STUDIES", "UNTRIED", "Bars", "Study", "Trial", "Tried", "run_trial"]

_FAMILIES = (
    *(rates, curves, comparisons, strata, galleries, images, pairs, verification, thresholds, search),
    *(classification, validation, covariates, surveys, datasets, planning),
)
STUDIES = {study.key: study for family in _FAMILIES for study in family.STUDIES}
"""Every study, by what procedures know it by."""


@dataclass(frozen=True)
class Tried(Result):
    """What one trial of a study showed.

    Attributes
    ----------
    study, question, people, measure, design
        Which trial it was; the design is "" where no data set gave an answer.
    tally
        What was counted.
    first, seed
        The number of the first data set, and the seed.
    """

    study: str
    question: str
    people: str
    measure: str
    design: str
    tally: Tally
    first: int
    seed: int


def run_trial(
    key: str, place: int, n_sets: int, seed: int = 0, first: int = 0, progress: Progress | None = None
) -> Tried:
    """Carry out one trial of a study, or a part of it: so many data sets from the `first` on.

    Examples
    --------
    >>> found = run_trial("rate-of-probes", 0, 50)
    >>> found.people, found.tally.n
    ('100 × 1, rate 0.8, icc 0, beta', 50)
    """
    if key not in STUDIES:
        raise UsageError(f"There is no study {key!r}.", f"there are: {', '.join(STUDIES)}.")
    study = STUDIES[key]
    one = study.trials[place]
    tally, found = simulate(
        one.world, one.ask, n_sets, first=first, confidence_level=LEVEL, seed=seed, progress=progress
    )
    design = "" if found is None else found.method.key
    return Tried(key, study.question.key, one.people, one.ask.measure, design, tally, first, seed)
