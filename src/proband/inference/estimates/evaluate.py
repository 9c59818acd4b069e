"""Evaluation of several algorithms: rates and curves with their intervals, by probe category."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from proband.engine import Engine, Progress, on_engine
from proband.engine.arguments import published
from proband.engine.limits import Level, Positive, Threads
from proband.errors import UsageError
from proband.inference.estimates.case import supposed_by
from proband.inference.estimates.cmc_bands import closed_band
from proband.inference.estimates.evaluation import Entry, Evaluation, probes_called
from proband.measures import CMC, Outcomes, rank
from proband.measures.base import Weights
from proband.measures.outcomes import Counting, FailurePolicy, TiePolicy
from proband.results.band import Band
from proband.results.base import Rank
from proband.results.sides import ONE_SIDED, Side, two_sided_level
from proband.samples import Category, EmptyCategoryError, Experiment
from proband.samples.categories import probe_groups
from proband.scores import Scores
from proband.scores.several import by_name
from proband.words import Note, Sentence

ALTERED_FROM = "altered_from"  # the column with the original sample of an altered copy
_EMPTY = Sentence("evaluation.empty-category", "caution", "left out: {why}")
_OWN_GALLERY = Sentence(
    "evaluation.own-gallery",
    "note",
    "{category}: searched in a separate gallery with {people:count person/people}: {rule}",
)
_ALTERED = Sentence(
    "evaluation.altered-copies",
    "caution",
    "{name}: {n:count} of {of:count} {n:word is/are} digitally altered copies (column '{column}'), so the pooled rate "
    "depends on the number of copies; it is not a rate for photographs",
)


@published
@on_engine
def evaluate(
    scores: Scores | Sequence[Scores] | Mapping[str, Scores],
    experiment: Experiment,
    *,
    categories: Category | Sequence[Category] = (),
    by: str | Sequence[str] = (),
    pooled: Category | None = None,
    ranks: Sequence[Rank] = (1, 5, 10),
    ties: TiePolicy = "pessimistic",
    counting: Counting = "images",
    on_failure: FailurePolicy = "miss",
    confidence_level: Level = 0.95,
    weights: Weights = "probe",
    one_sided: Side | None = None,
    population: Positive | None = None,
    check_orientation: bool = True,
    threads: Threads | None = None,
    progress: Progress | None = None,
    engine: Engine = None,
) -> Evaluation:
    """Measure several algorithms in one experiment: the rate at every rank with its interval, by category of probes.

    Intervals are for new people searched in this gallery; see `estimate_cmc` for the formulas.

    Parameters
    ----------
    scores
        Scores of one or several algorithms with different names; a mapping gives their names.
    experiment
        The gallery and probes, the same for all.
    categories
        Probe categories to report in addition to all probes together. The rank of a probe does not depend on other probes, so
        each algorithm is ranked once, and once more for each category with a separate gallery. Categories without probes are
        left out, with a note.
    by
        Columns whose values define additional categories, such as the sex of the person.
    pooled
        The probes of the first set; by default all probes.
    ranks
        The ranks shown in tables; whole curves are always computed.
    confidence_level
        The level of the intervals, which are for new people (``auto`` of `estimate_cmc`).
    weights
        What is weighted equally: every ``probe`` (the plain share; if people have different numbers of probes, the
        person-weighted rate is also reported) or every ``person``.
    one_sided
        ``lower`` or ``upper``: lower or upper bounds instead of intervals.
    population
        The size of the population from which the tested people were drawn, if it is finite, as in `estimate`.
    ties, counting, on_failure, check_orientation, threads, progress
        As in `rank`.
    engine
        Where computations run; by default on this machine.

    Returns
    -------
    Evaluation
        Rates, curves and intervals of every algorithm, over all probes and in each category.

    Examples
    --------
    >>> from proband.samples import Samples
    >>> samples = Samples({"id": ["a1", "a2", "b1", "b2"], "subject": list("aabb"), "session": [1, 2, 1, 2]})
    >>> scores = Scores.from_array([[0.9, 0.1], [0.7, 0.3]], ["a2", "b2"], ["a1", "b1"], orientation="similarity", name="net")
    >>> found = evaluate([scores], Experiment(samples, gallery="session == 1"), ranks=[1, 2])
    >>> found.to_frame().select("algorithm", "measure", "value").rows()
    [('net', 'rank-1', 0.5), ('net', 'rank-2', 1.0)]
    """
    algorithms = by_name(scores)
    experiment.samples.require_people()
    two_sided_level(confidence_level, one_sided)
    categories = categories_by(experiment, categories, by)
    _check_ranks(ranks)
    _sets(experiment, categories, pooled)  # errors in these are raised before anything is ranked

    def ranked(within: Experiment) -> list[Outcomes]:
        checked = check_orientation and within is experiment
        return [
            rank(
                one,
                within,
                ties=ties,
                counting=counting,
                on_failure=on_failure,
                check_orientation=checked,
                threads=threads,
                progress=progress,
            )
            for one in algorithms.values()
        ]

    return evaluate_outcomes(
        ranked(experiment),
        experiment,
        categories=categories,
        pooled=pooled,
        ranks=ranks,
        confidence_level=confidence_level,
        weights=weights,
        rank_in=ranked,
        one_sided=one_sided,
        population=population,
    )


def categories_by(
    experiment: Experiment, categories: Category | Sequence[Category], by: str | Sequence[str]
) -> tuple[Category, ...]:
    """Return all categories: those given, and one for each value of some columns."""
    given = (categories,) if isinstance(categories, Category) else tuple(categories)
    columns = (by,) if isinstance(by, str) else tuple(by)
    return (*given, *(one for column in columns for one in probe_groups(experiment, column)))


def probe_sets(
    experiment: Experiment, by: str | Category | Sequence[Category]
) -> tuple[dict[str | None, Experiment], tuple[Note, ...]]:
    """Return the experiment of all probes (None) and of each category, and notes on empty categories."""
    named = isinstance(by, str)
    return _sets(experiment, categories_by(experiment, () if named else by, by if named else ()), None)  # type: ignore[arg-type]


def evaluate_outcomes(
    ranked: Sequence[Outcomes],
    experiment: Experiment,
    *,
    categories: Sequence[Category] = (),
    pooled: Category | None = None,
    ranks: Sequence[int] = (1, 5, 10),
    confidence_level: float = 0.95,
    weights: Weights = "probe",
    rank_in: Callable[[Experiment], Sequence[Outcomes]] | None = None,
    one_sided: Side | None = None,
    population: int | None = None,
) -> Evaluation:
    """Measure algorithms whose probes are already ranked in one experiment; otherwise like `evaluate`.

    `rank_in` ranks the same algorithms in another experiment, for categories with separate galleries.
    """
    _check_ranks(ranks)
    sets, notes = ranked_sets(ranked, experiment, categories, rank_in, pooled)
    return evaluate_sets(
        ranked, sets, notes, ranks,
        confidence_level=confidence_level, weights=weights, one_sided=one_sided, population=population,
    )  # fmt: skip


def ranked_sets(
    ranked: Sequence[Outcomes],
    experiment: Experiment,
    categories: Sequence[Category] = (),
    rank_in: Callable[[Experiment], Sequence[Outcomes]] | None = None,
    pooled: Category | None = None,
) -> tuple[dict[str | None, list[Outcomes]], tuple[Note, ...]]:
    """Return the outcomes of the pooled probes (key None) and of each category, and notes on the categories.

    Outcomes are restricted to the probes of a category; `rank_in` ranks again for categories with separate galleries.
    """
    sets, notes = _sets(experiment, categories, pooled)
    made: dict[str | None, list[Outcomes]] = {}
    for name, part in sets.items():
        if part is experiment:
            made[name] = list(ranked)
        elif rank_in is not None and not np.array_equal(part.gallery, experiment.gallery):
            made[name] = list(rank_in(part))
        else:
            made[name] = [outcomes.restricted(part) for outcomes in ranked]
    return made, notes


def evaluate_sets(
    ranked: Sequence[Outcomes],
    sets: Mapping[str | None, Sequence[Outcomes]],
    notes: tuple[Note, ...],
    ranks: Sequence[int],
    *,
    confidence_level: float = 0.95,
    weights: Weights = "probe",
    one_sided: Side | None = None,
    population: int | None = None,
) -> Evaluation:
    """Measure algorithms on the sets of probes from `ranked_sets`; otherwise like `evaluate`."""
    _check_ranks(ranks)
    supposed = supposed_by(ranked)
    entries = []
    for name, part in sets.items():
        for own in part:
            curve = CMC(weights=weights)(own)
            level = two_sided_level(confidence_level, one_sided)
            band = closed_band(curve, own, level, weights, supposed, population)
            band = _bounded(band, one_sided, confidence_level)
            asked = tuple(ranks), weights, supposed, population
            entries.append(Entry(own.algorithm, name, own, curve, band, *asked))
    return Evaluation(tuple(entries), tuple(ranks), weights, notes)


def _bounded(band: Band, side: Side | None, confidence_level: float) -> Band:
    """A band with a one-sided bound at each rank."""
    if side is None:
        return band
    low, high = (
        (band.low, np.ones_like(band.high)) if side == "lower" else (np.zeros_like(band.low), band.high)
    )
    said = ONE_SIDED(side=side, level=confidence_level, both=band.confidence_level)
    return replace(
        band, low=low, high=high, confidence_level=confidence_level, side=side, notes=(*band.notes, said)
    )


def _check_ranks(ranks: Sequence[int]) -> None:
    if not ranks:
        raise UsageError("Ranks must be whole numbers of at least 1; got none.")


def _sets(
    experiment: Experiment, categories: Sequence[Category], pooled: Category | None
) -> tuple[dict[str | None, Experiment], tuple[Note, ...]]:
    """The experiments of the pooled probes and of each category, with notes on altered copies and empty categories."""
    name, whole = (None, experiment) if pooled is None else (pooled.name, pooled.of(experiment))
    sets = {name: whole}
    notes = _altered(probes_called(name), whole)
    for category in categories:
        if category.name in sets:
            raise UsageError(f"The category {category.name!r} is defined twice.")
        if pooled is None and category.name == probes_called(None):
            raise UsageError(
                f"The category {category.name!r} has the name used for all probes together.",
                "rename the category.",
            )
        try:
            part = sets[category.name] = category.of(experiment)
        except EmptyCategoryError as none:
            notes.append(_EMPTY(why=f"{none.message[0].lower()}{none.message[1:].rstrip('.')}"))
            continue
        notes += _altered(category.name, part)
        if len(part.gallery) < len(experiment.gallery):
            own = {"people": part.n_gallery_subjects, "rule": category.gallery}
            notes.append(_OWN_GALLERY(category=category.name, **own))
    return sets, tuple(notes)


def _altered(name: str, experiment: Experiment) -> list[Note]:
    """Note that digitally altered copies are counted together with photographs."""
    frame = experiment.samples.frame
    if ALTERED_FROM not in frame.columns:
        return []
    n = int(frame[ALTERED_FROM][experiment.probes].is_not_null().sum())
    if n in (0, len(experiment.probes)):
        return []
    return [_ALTERED(name=name, n=n, of=len(experiment.probes), column=ALTERED_FROM)]
