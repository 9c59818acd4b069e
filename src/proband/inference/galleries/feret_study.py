"""The FERET study (Phillips, Moon, Rizvi & Rauss 2000) for any scores: categories, versions, galleries, sizes, rejection."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from proband.designs import Galleries
from proband.engine import Engine, Progress, on_engine
from proband.engine.arguments import published
from proband.engine.limits import Level, Power, Rank, Seed, Threads
from proband.errors import DesignError, UsageError
from proband.inference.comparisons.compare import compare
from proband.inference.estimates.evaluate import evaluate, evaluate_outcomes
from proband.inference.estimates.evaluation import Entry, Evaluation, probes_called
from proband.inference.estimates.people_fractions import SizeCurve, average_band, size_curve
from proband.inference.galleries.consistency import Consistency, consistency, tally_of
from proband.inference.galleries.difficulty import POWER, difficulty
from proband.inference.galleries.feret_results import (
    CategoryResult as CategoryResult,
    FeretStudy as FeretStudy,
)
from proband.inference.galleries.orders import orders
from proband.inference.galleries.participants import Participant, participants_of
from proband.inference.galleries.rejection import Rejection, rejection_test
from proband.inference.galleries.tables import GalleryVariation
from proband.inference.galleries.variation import gallery_variation
from proband.inference.galleries.versions import (
    Improvement,
    Version,
    contrasts,
    require_different,
    require_known,
)
from proband.measures import Outcomes, RecognitionRate, rank as rank_probes, upper_bound_cmc
from proband.measures.base import Measure, as_measure
from proband.measures.identification import of_the_leader
from proband.measures.outcomes import Counting, FailurePolicy, TiePolicy
from proband.results.band import Band
from proband.samples import Category, Experiment
from proband.scores import Scores
from proband.scores.several import by_name
from proband.words import Note, Sentence, count

_PICKED = Sentence(
    "feret.picked-as-best",
    "caution",
    "selected as the best of {n:count} on these probes, so its interval is biased upwards",
)
_NOT_SO_MANY = Sentence(
    "feret.gallery-too-small",
    "caution",
    "{category}: its gallery has {people:count person/people}, so there are no rates for {sizes:names}",
)
_NO_VARIATION = Sentence(
    "feret.no-variation", "caution", "{category}: variation over {design} was not computed: {why}"
)


@published
@on_engine
def feret_study(
    scores: Scores | Sequence[Scores] | Mapping[str, Scores],
    experiment: Experiment,
    *,
    categories: Category | Sequence[Category] = (),
    pooled: Category | None = None,
    versions: Iterable[Version | tuple[str, str]] = (),
    improvements: Iterable[
        Improvement | tuple[str, str] | tuple[str, str, str] | tuple[str, str, str, str]
    ] = (),
    galleries: Galleries | Sequence[Galleries] | None = None,
    ages: str | None = None,
    sizes: Sequence[int] = (),
    rejection: Rejection | None = None,
    participants: Iterable[Participant | Mapping[str, Any]] = (),
    verification: Measure | str | None = None,
    ranks: Sequence[Rank] = (1, 5, 10),
    power: Power = POWER,
    ranked: Outcomes | Sequence[Outcomes] | None = None,
    ties: TiePolicy = "pessimistic",
    counting: Counting = "images",
    on_failure: FailurePolicy = "miss",
    confidence_level: Level = 0.95,
    seed: Seed = 0,
    check_orientation: bool = True,
    threads: Threads | None = None,
    progress: Progress | None = None,
    engine: Engine = None,
) -> FeretStudy:
    """Run the study of FERET: curves by category, averages, places, versions, galleries, sizes, rejection.

    Intervals are for new people searched in this gallery; intervals over galleries are also for new galleries. For estimands
    and formulas see `evaluate`, `compare`, `average_band`, `gallery_variation`, `size_curve` and `rejection_test`.

    Parameters
    ----------
    scores, experiment, categories, pooled
        As in `evaluate`: all algorithms, the whole gallery and all probes, the categories of probes, and the pooled probes.
    versions
        Pairs (fully automatic, partially automatic) of names. Failures of the fully automatic version count as misses, so the
        difference is the cost of locating the face. Fully automatic versions are excluded from averages and ranks of
        algorithms.
    improvements
        Pairs (earlier, later) of names, optionally with dates.
    galleries
        Disjoint galleries over which to repeat the analysis, in one or several orders of people.
    ages
        The column whose difference between probe and mate is the age in tables of variation.
    sizes
        Numbers of enrolled people for which to compute the expected rate.
    rejection
        Searches for people who are not enrolled.
    participants
        The participants: test date, metric, training, version. Algorithms with the same date share a panel.
    verification
        A measure of verification, such as ``fnmr@0.01`` or ``auc``, to compare the order of algorithms with that by
        identification.
    ranks
        The ranks of tables; the first is used for tests, places, galleries and sizes.
    power
        The power with which a set of probes must detect differences between leading algorithms (`difficulty`).
    ranked
        The outcomes of every algorithm, if already computed.
    seed
        The seed of random galleries, held-out people and replicates.
    ties, counting, on_failure, check_orientation
        As in `rank`.
    confidence_level
        The level of all intervals.
    threads, progress, engine
        The number of threads, the progress callback, and where computations run.

    Returns
    -------
    FeretStudy
        The evaluation, versions, improvements, galleries and rejection, if requested.

    References
    ----------
    .. [1] Phillips, P. J., Moon, H., Rizvi, S. A. and Rauss, P. J. (2000). IEEE PAMI 22, 1090-1104.

    Examples
    --------
    >>> import numpy as np
    >>> from proband.samples import Samples
    >>> ids = [f"{side}{k}" for side in "gp" for k in range(12)]
    >>> samples = Samples({"id": ids, "subject": [name[1:] for name in ids]})
    >>> values = {n: np.where(np.arange(12)[:, None] < missed, 0.5, np.eye(12)) for n, missed in (("a", 0), ("b", 9))}
    >>> scores = [Scores.from_array(v, ids[12:], ids[:12], orientation="similarity", name=n) for n, v in values.items()]
    >>> study = feret_study(scores, Experiment(samples, gallery=ids[:12]))
    >>> study.results[0].leader, study.results[0].average.at(1)  # (1 + 0.25)/2
    ('a', 0.625)
    """
    pairs = [one if isinstance(one, Version) else Version(*one) for one in versions]
    steps = [one if isinstance(one, Improvement) else Improvement(*one) for one in improvements]
    scores = tuple(by_name(scores).values())
    categories = (categories,) if isinstance(categories, Category) else categories
    ranked = (ranked,) if isinstance(ranked, Outcomes) else ranked
    names = [one.name for one in scores]
    for pair in pairs:
        require_known((pair.fully, pair.partially), names)
    for step in steps:
        require_known((step.earlier, step.later), names)
    require_different(pairs)
    require_different(steps)
    beside = None if verification is None else as_measure(verification)
    if beside is not None and beside.view != "pairs":
        raise UsageError(
            f"{beside.code} is not a verification measure.", "use fnmr@0.01 or auc, for example."
        )
    automatic = {one.partially: "partially automatic" for one in pairs}
    automatic |= {one.fully: "fully automatic" for one in pairs}
    metrics = {one.name: one.metric for one in scores}
    took_part = participants_of(participants, names, metrics, automatic)
    ranking: dict[str, Any] = {
        "ties": ties,
        "counting": counting,
        "on_failure": on_failure,
        "threads": threads,
    }
    shown: dict[str, Any] = {
        "categories": categories,
        "pooled": pooled,
        "ranks": ranks,
        "confidence_level": confidence_level,
    }
    if ranked is not None:
        evaluation = evaluate_outcomes(
            ranked,
            experiment,
            **shown,
            rank_in=lambda within: [
                rank_probes(one, within, check_orientation=False, **ranking) for one in scores
            ],
        )
    else:
        evaluation = evaluate(
            scores, experiment, **shown, check_orientation=check_orientation, progress=progress, **ranking
        )
    rank = evaluation.ranks[0]
    field = tuple(name for name in names if name not in {pair.fully for pair in pairs})
    if not field:
        raise UsageError(
            "All algorithms are marked fully automatic, so no algorithms are left to average over."
        )
    designs = [galleries] if isinstance(galleries, Galleries) else list(galleries or ())
    shared = [one for one in scores if one.name in field]
    variation, notes = _variation(
        shared, experiment, [pooled, *categories], evaluation, designs, RecognitionRate(rank),
        {"ages": ages, "confidence_level": confidence_level, "seed": seed, "progress": progress, **ranking},
    )  # fmt: skip
    results = tuple(_result(evaluation, name, field, rank, power, seed) for name in evaluation.categories)
    curves, too_small = _sizes(scores, experiment, evaluation, sizes, ranking) if sizes else ((), ())
    return FeretStudy(
        evaluation=evaluation,
        field=field,
        rank=rank,
        results=results,
        versions=contrasts(evaluation, pairs, rank, confidence_level, seed),
        improvements=contrasts(evaluation, steps, rank, confidence_level, seed),
        variation=variation,
        sizes=curves,
        rejection=None
        if rejection is None
        else rejection_test(
            scores,
            experiment,
            rejection,
            on_failure=on_failure,
            confidence_level=confidence_level,
            seed=seed,
            threads=threads,
            progress=progress,
        ),
        notes=(*notes, *too_small),
        participants=took_part,
        consistency=_consistency(evaluation, field, rank, variation, designs, confidence_level, seed),
        orders=()
        if beside is None or len(field) < 2
        else tuple(
            orders(
                one.category,
                one.comparison,
                shared,
                evaluation.of(one.category)[0].outcomes.experiment,
                beside,
                confidence_level=confidence_level,
                seed=seed,
            )
            for one in results
            if one.comparison is not None
        ),
    )


def _result(
    evaluation: Evaluation, category: str | None, field: tuple[str, ...], rank: int, power: float, seed: int
) -> CategoryResult:
    entries = [entry for entry in evaluation.of(category) if entry.algorithm in field]
    outcomes, level = [entry.outcomes for entry in entries], evaluation.confidence_level
    comparison = (
        compare(outcomes, measure=RecognitionRate(rank), confidence_level=level, seed=seed)
        if len(outcomes) > 1
        else None
    )
    curves = [entry.curve for entry in entries]
    bound = upper_bound_cmc(curves)
    leader = next(entry for entry in entries if entry.curve.values is bound.values)
    return CategoryResult(
        category,
        average_band(outcomes, curves, level),
        _selected(leader, bound.algorithm, len(entries)),
        leader.algorithm,
        comparison,
        difficulty(category, outcomes, rank, comparison, power=power, confidence_level=level, seed=seed),
    )


def _selected(entry: Entry, name: str, of: int) -> Band:
    return replace(
        entry.band,
        facts=replace(entry.band.facts, algorithm=name),
        answers=replace(entry.band.answers, of=of_the_leader(entry.band.answers.of)),
        notes=(*entry.band.notes, *([_PICKED(n=of)] if of > 1 else [])),
    )


def _variation(
    scores: Sequence[Scores],
    experiment: Experiment,
    categories: Sequence[Category | None],
    evaluation: Evaluation,
    designs: Sequence[Galleries],
    measure: RecognitionRate,
    settings: dict[str, Any],
) -> tuple[tuple[GalleryVariation, ...], tuple[Note, ...]]:
    """Repeat every set of probes over every division into galleries; note sets without probes in any gallery."""
    made, notes = [], []
    shown = [one for one in categories if one is None or one.name in evaluation.categories]
    for design in designs:
        design.parts(experiment)  # impossible galleries do not depend on the category
        for category in shown:
            try:
                made.append(
                    gallery_variation(
                        scores,
                        experiment,
                        measure=measure,
                        design=design,
                        category=category,
                        check_orientation=False,
                        **settings,
                    )
                )
            except DesignError as none:
                name = probes_called(None if category is None else category.name)
                why = none.message.rstrip(".")
                notes.append(_NO_VARIATION(category=name, design=design.as_method, why=why))
    return tuple(made), tuple(notes)


def _consistency(
    evaluation: Evaluation,
    field: tuple[str, ...],
    rank: int,
    variation: Sequence[GalleryVariation],
    designs: Sequence[Galleries],
    level: float,
    seed: int,
) -> tuple[Consistency, ...]:
    """Consistency over categories in the whole gallery, and over galleries and categories for each order of people.

    If there are categories, all probes together are not used, since they would count twice.
    """
    chosen = evaluation.categories[1:] or evaluation.categories

    def told(several: bool, galleries: bool) -> str:
        if galleries:
            return "galleries by category" if several else "galleries"
        return "probe categories"

    by_category = [
        tally_of(name, None, [one.outcomes for one in evaluation.of(name) if one.algorithm in field], rank)
        for name in chosen
    ]
    found = [
        consistency(
            [one for one in by_category if one is not None],
            field,
            over=told(True, False),
            confidence_level=level,
            seed=seed,
        )
    ]
    for design in designs:
        own = [one for one in variation if one.design == design.as_method and one.category in chosen]
        tallies = [tally for one in own for tally in one.tallies]
        found.append(
            consistency(
                tallies,
                field,
                over=told(len(own) > 1, True),
                galleries=design.as_method,
                confidence_level=level,
                seed=seed,
            )
        )
    return tuple(one for one in found if one is not None)


def _sizes(
    scores: Sequence[Scores],
    experiment: Experiment,
    evaluation: Evaluation,
    sizes: Sequence[int],
    ranking: dict[str, Any],
) -> tuple[tuple[SizeCurve, ...], tuple[Note, ...]]:
    """The expected rates of every entry, and notes on sizes impossible for galleries of categories."""
    rank, level = evaluation.ranks[0], evaluation.confidence_level
    by_name = {one.name: one for one in scores}
    made, notes, whole = [], dict[Note, None](), dict[str, Outcomes]()
    for entry in evaluation.entries:
        own, asked = entry.outcomes, sizes
        elsewhere = not np.array_equal(own.experiment.gallery, experiment.gallery)
        if own.counting != "subjects" and own.n_gallery_images != own.n_gallery_subjects:
            name, within = entry.algorithm, own.experiment if elsewhere else experiment
            if elsewhere or name not in whole:
                options = ranking | {"counting": "subjects"}
                whole[name] = rank_probes(by_name[name], within, check_orientation=False, **options)
            own = whole.pop(name) if elsewhere else whole[name].restricted(own.experiment)
        if elsewhere:
            asked = [size for size in sizes if size <= own.n_ranks]
            if len(asked) < len(sizes):
                beyond = tuple(count(size) for size in sizes if size > own.n_ranks)
                notes[_NOT_SO_MANY(category=entry.category, people=own.n_ranks, sizes=beyond)] = None
        if asked:
            made.append(size_curve(own, entry.category, asked, rank, level))
    return tuple(made), tuple(notes)
