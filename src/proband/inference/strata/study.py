"""The experiment of Efficient 2001 (Micheals & Boult) on any score matrices: galleries, mixing, errors, units, algorithms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from proband.designs import BRR, Bootstrap, Jackknife, StratifiedDesign
from proband.designs.strata import ROUNDING
from proband.engine import Engine, Progress, Silent, on_engine
from proband.errors import UsageError
from proband.inference.comparisons.compare import compare
from proband.inference.comparisons.comparison import Comparison
from proband.inference.estimates.bootstrap import units_of
from proband.inference.galleries.effect import GalleryEffect, ImageColumns, gallery_effect
from proband.inference.strata.bands import rates_and_errors
from proband.inference.strata.estimates import IMAGES_OF_PEOPLE, strata_of
from proband.measures import CMC, Outcomes, RecognitionRate, rank as rank_probes
from proband.measures.outcomes import FailurePolicy, TiePolicy
from proband.results.band import Band
from proband.results.base import Count, Rank, Result
from proband.results.serializing import Written
from proband.results.targets import OTHER_PEOPLE, OTHER_PROBES
from proband.samples import Samples
from proband.scores import Scores
from proband.words import Method, Target, count

Floats = npt.NDArray[np.float64]
_BOOTSTRAP = 1_000  # replicates, as in the paper

_BRR = Method("brr", "BRR")
_DELETE_ONE = Method("jackknife", "delete-one jackknife")
_OF_PROBES = Method("bootstrap-of-probes", "bootstrap over probes")
_OF_PEOPLE = Method("bootstrap-of-people", "bootstrap over people")
_VARYING = {
    _BRR.key: IMAGES_OF_PEOPLE,
    _DELETE_ONE.key: OTHER_PROBES,
    _OF_PROBES.key: OTHER_PROBES,
    _OF_PEOPLE.key: OTHER_PEOPLE,
}


@dataclass(frozen=True, eq=False)
class Errors(Result):
    """The standard error of a curve at every rank, how it was made, and what varies behind it.

    Attributes
    ----------
    method, by_rank
        How they were found, and the standard error at ranks 1, 2, …
    """

    written = Written(also=("varying",))

    method: Method
    by_rank: Floats

    @property
    def varying(self) -> Target:
        """What varies behind it."""
        return _VARYING[self.method.key]


@dataclass(frozen=True, eq=False)
class StratStudy(Result):
    """Everything the experiment found.

    Attributes
    ----------
    n_left_out, n_unused
        People with fewer images, and images in no column.
    most_people
        The fewest images that would do (three), and how many people have them, where that is more people than these.
    effects, mixed
        For each algorithm, each column as the gallery: as the columns are, and after mixing.
    errors
        Standard error of the CMC by the key of its method, of the first algorithm with the first mixed gallery.
    variances
        Variance of the CMC by rank for 2, 3, … units a person, of the same; fewer units are averaged over which are left out.
    bands
        Each algorithm's CMC with its band, first mixed gallery.
    comparison
        The algorithms there, under the same replicates; None for one.
    rank, n_subjects, n_images
        Of tables and tests; people, and images of each.
    """

    written = Written(
        {
            "galleries": "effects",
            "mixed_galleries": "mixed",
            "standard_errors": "errors",
            "variances_by_units": "variances",
        },
        without=("most_people", "bands"),
        versioned=True,
    )

    rank: Rank
    n_subjects: Count
    n_images: Count
    n_left_out: Count
    n_unused: Count
    most_people: tuple[int, int] | None
    effects: tuple[GalleryEffect, ...]
    mixed: tuple[GalleryEffect, ...]
    errors: dict[str, Errors]
    variances: dict[int, Floats]
    bands: tuple[Band, ...]
    comparison: Comparison | None


@on_engine
def strat_study(
    scores: Sequence[Scores],
    samples: Samples,
    n_images: int | None = None,
    *,
    rank: int = 1,
    design: StratifiedDesign | None = None,
    order_by: str | None = None,
    confidence_level: float = 0.95,
    ties: TiePolicy = "pessimistic",
    on_failure: FailurePolicy = "miss",
    seed: int = 0,
    progress: Progress | None = None,
    engine: Engine = None,
) -> StratStudy:
    """Run the experiment of Micheals & Boult (2001): galleries, mixing, standard errors, units and algorithms.

    Each column of images is the gallery in turn, as the columns are and after mixing (`gallery_effect`); the standard error of
    the CMC by several methods (`errors_by_method`); its variance by the number of units; the algorithms under the same
    replicates. Under BRR probe images of these people vary, and the people stay.

    Parameters
    ----------
    scores
        One for each algorithm, over the same images both as queries and as targets.
    n_images
        Images of each person; people with fewer are left out and counted. By default as many as leave the most probes
        while at least half of the people with three are kept.
    rank
        The rank of tables and tests; curves have all ranks.
    design
        `BRR` by default.

    Examples
    --------
    >>> ids = [f"{person}{image}" for person in "abcd" for image in range(3)]
    >>> samples = Samples({"id": ids, "subject": [name[0] for name in ids]})
    >>> same = np.array([[x[0] == y[0] for y in ids] for x in ids], dtype=float)
    >>> same[ids.index("d2")] = same[:, ids.index("d2")] = 0.5
    >>> found = strat_study([Scores.from_array(same, ids, orientation="similarity", name="net")], samples, 3)
    >>> found.n_subjects, found.n_images, [one.value for one in found.effects[0].estimates], sorted(found.errors)
    (4, 3, [0.875, 0.875, 1.0], ['bootstrap-of-people', 'bootstrap-of-probes', 'brr', 'jackknife'])
    """
    if not scores:
        raise UsageError("There are no scores.")
    chosen = design if design is not None else BRR()
    plain, mixed = (
        ImageColumns.of(samples, list(scores), n_images, mixed=turn, order_by=order_by, design=chosen)
        for turn in (False, True)
    )
    if not 1 <= rank <= len(plain.places):
        raise UsageError(f"There are ranks 1 to {count(len(plain.places))}, got {rank!r}.")
    settings: dict[str, Any] = {
        "rank": rank,
        "design": chosen,
        "confidence_level": confidence_level,
        "ties": ties,
        "on_failure": on_failure,
        "seed": seed,
    }
    shown = progress or Silent()
    shown.begin("galleries", 2 * len(scores))
    effects: list[list[GalleryEffect]] = [[], []]
    for one in scores:
        for found, columns in zip(effects, (plain, mixed), strict=True):
            found.append(gallery_effect(one, columns, **settings))
            shown.advance(1)
    first = mixed.experiment(0)
    outcomes = [rank_probes(one, first, ties=ties, on_failure=on_failure) for one in scores]
    comparison = (
        compare(RecognitionRate(rank), outcomes, design=chosen, confidence_level=confidence_level, seed=seed)
        if len(scores) > 1
        else None
    )
    return StratStudy(
        rank=rank,
        n_subjects=len(plain.places),
        n_images=plain.n_columns,
        n_left_out=plain.n_left_out,
        n_unused=plain.n_unused,
        most_people=plain.most_people,
        effects=tuple(effects[0]),
        mixed=tuple(effects[1]),
        errors=errors_by_method(outcomes[0], seed),
        variances=_by_units(scores[0], mixed, ties, on_failure),
        bands=tuple(one.bands[0] for one in effects[1]),
        comparison=comparison,
    )


def errors_by_method(outcomes: Outcomes, seed: int = 0) -> dict[str, Errors]:
    """Find the standard error of the CMC at every rank: BRR, the delete-one jackknife, and bootstraps over probes and people.

    They differ in what varies: images of these people (BRR), other probes (jackknife, bootstrap of probes), other people
    (bootstrap of people).

    Examples
    --------
    >>> from proband import Experiment
    >>> ids = [f"{side}{k}" for side in "gpq" for k in range(4)]
    >>> samples = Samples({"id": ids, "subject": [name[1:] for name in ids]})
    >>> values = np.vstack([np.eye(4), np.where(np.arange(4)[:, None] < 2, 0.5, np.eye(4))])
    >>> scores = Scores.from_array(values, ids[4:], ids[:4], orientation="similarity")
    >>> found = errors_by_method(rank_probes(scores, Experiment(samples, gallery=ids[:4])))
    >>> found["brr"].by_rank[:1].round(4), found["jackknife"].by_rank[:1].round(4)  # √(1/32), √(0.75 · 0.25/7)
    (array([0.1768]), array([0.1637]))
    """
    last = outcomes.n_ranks
    found: list[Errors] = []
    for method, design in ((_BRR, BRR()), (_DELETE_ONE, Jackknife(kind="JK1"))):
        strata, _ = strata_of(outcomes, design)
        found.append(Errors(method, rates_and_errors(outcomes, design, strata, last)[1]))
    for method, over in ((_OF_PROBES, "probe"), (_OF_PEOPLE, "subject")):
        drawn = Bootstrap(over, n_resamples=_BOOTSTRAP)  # type: ignore[arg-type]
        counted = CMC(last).tally(outcomes, units_of(outcomes, drawn))
        replicates = np.concatenate([counted.values(w) for w in drawn.weights(len(counted.rows), seed)])
        errors = replicates.std(axis=0, ddof=1)
        found.append(Errors(method, np.where(np.ptp(replicates, axis=0) > ROUNDING, errors, 0.0)))
    return {one.method.key: one for one in found}


def _by_units(
    scores: Scores, columns: ImageColumns, ties: TiePolicy, on_failure: FailurePolicy
) -> dict[int, Floats]:
    """The textbook variance by rank for each number of units, averaged over which columns are used (at most five of them)."""
    probes = tuple(range(1, min(columns.n_columns, 6)))
    found: dict[int, Floats] = {}
    for units in range(2, len(probes) + 1):
        each = []
        for chosen in combinations(probes, units):
            outcomes = rank_probes(scores, columns.experiment(0, chosen), ties=ties, on_failure=on_failure)
            strata, _ = strata_of(outcomes, Jackknife())
            each.append(rates_and_errors(outcomes, Jackknife(), strata, outcomes.n_ranks)[1] ** 2)
        found[units] = np.mean(each, axis=0)
    return found
