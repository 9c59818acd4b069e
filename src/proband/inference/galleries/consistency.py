"""Is one algorithm consistently ahead of another, over galleries and categories? Counts with bounds (Phillips et al. 2000)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np
import numpy.typing as npt
import polars as pl

from proband.engine.frames import frame_of_rows
from proband.measures import Outcomes
from proband.results.about import NOBODY, RestsOn, Who
from proband.results.base import Confidence, Count, Result
from proband.results.difference import Difference
from proband.results.serializing import Written
from proband.words import Method, Note, Sentence

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.intp]
Lead = Literal["ahead everywhere", "ahead", "mixed", "undecided"]

FLIPS = 9_999
_BLOCK = 1_111  # sign patterns held at once
_ENUMERATED = 12  # people whose sign patterns are all listed
_SLACK = 1e-9
_FLIPPED = (
    "sign flips of people, the same in all galleries and categories; single-step over all galleries, "
    "categories and pairs"
)
DRAWN = Method("shared-sign-flip", _FLIPPED, draws=FLIPS)
LISTED = Method("shared-sign-flip", f"all {_FLIPPED}")
_SAID: dict[Lead, Sentence] = {
    "ahead everywhere": Sentence(
        "consistency.everywhere",
        "note",
        "{first} is consistently ahead of {second}: significantly in all {cells:count} {of}",
    ),
    "ahead": Sentence(
        "consistency.ahead",
        "note",
        "{first} is ahead of {second} over {cells:count} {of} (mean {mean:points}, adjusted p {p:p}): "
        "observed in {ahead:count}, truly in at least {least:count} and at most {most:count}",
    ),
    "mixed": Sentence(
        "consistency.mixed",
        "note",
        "{first} is significantly ahead of {second} in {least:count} of {cells:count} {of} and "
        "significantly behind in {worse:count}: neither is consistently ahead",
    ),
    "undecided": Sentence(
        "consistency.undecided",
        "note",
        "{first} and {second} over {cells:count} {of}: undecided; {first} is ahead in {ahead:count}, but "
        "from {least:count} to {most:count} are possible (mean {mean:points}, adjusted p {p:p})",
    ),
}


@dataclass(frozen=True, eq=False)
class GalleryTally:
    """What became of each person's probes in one gallery, or on one set of probes.

    Attributes
    ----------
    category, gallery
        The set of probes (None for all), and the number of the gallery; None for the whole one.
    people
        Whose probes they are, as the samples table numbers them.
    successes, probes
        People × algorithms; no probes where an algorithm judged none.
    """

    category: str | None
    gallery: int | None
    people: npt.NDArray[np.intp]
    successes: Floats
    probes: Floats


def tally_of(
    category: str | None, gallery: int | None, outcomes: Sequence[Outcomes | None], rank: int
) -> GalleryTally | None:
    """Count each person's successes under every algorithm; None where no algorithm judged a probe."""
    judged = [one for one in outcomes if one is not None]
    if not judged:
        return None
    people = np.unique(np.concatenate([one.subjects for one in judged]))
    successes, probes = np.zeros((2, len(people), len(outcomes)))
    for column, one in enumerate(outcomes):
        if one is not None:
            at = np.searchsorted(people, one.subjects)
            successes[:, column] = np.bincount(at, one.success(rank), len(people))
            probes[:, column] = np.bincount(at, minlength=len(people))
    return GalleryTally(category, gallery, people.astype(np.intp), successes, probes)


@dataclass(frozen=True)
class PairConsistency:
    """How often one algorithm is ahead of another.

    Attributes
    ----------
    first, second
        The one with the higher mean rate, and the other.
    cells
        In how many galleries and categories both judged the same probes.
    ahead, equal, behind
        In how many of them the first's rate is higher, the same, lower: a description.
    surely_ahead, surely_behind
        In how many the difference is significant, among all of them and all pairs: with the confidence level, the first is
        truly ahead in no fewer than the former, and truly behind in no fewer than the latter.
    mean
        The mean of the differences of rates, each gallery and category counting the same, and whether it is chance, among all
        pairs. It has no interval.
    verdict
        ``ahead everywhere``: significantly in every one. ``ahead``: on average, and significantly behind in none. ``mixed``:
        significantly ahead in some and behind in others. Else ``undecided``.
    """

    first: str
    second: str
    cells: Count
    ahead: Count
    equal: Count
    behind: Count
    surely_ahead: Count
    surely_behind: Count
    mean: Difference
    verdict: Lead

    @property
    def most_ahead(self) -> int:
        """In at most how many the first is truly ahead."""
        return self.cells - self.surely_behind

    def sentence(self, of: str, floor: float | None = None) -> Note:
        """The verdict in words; `of` says what is counted, `floor` the smallest p-value there can be."""
        return _SAID[self.verdict](
            first=self.first,
            second=self.second,
            cells=self.cells,
            of=of,
            ahead=self.ahead,
            least=self.surely_ahead,
            most=self.most_ahead,
            worse=self.surely_behind,
            mean=self.mean.value,
            p=(self.mean.p_adjusted, floor),
        )


@dataclass(frozen=True)
class Consistency(Result):
    """Every two algorithms over several galleries and categories.

    Attributes
    ----------
    over
        What was counted: galleries, categories, or both.
    galleries
        How people were dealt to galleries; None for the whole gallery.
    pairs
        Every two algorithms, the leading first.
    cells
        Every two algorithms in every gallery and category, the leading first, with p-values among all and without intervals.
    n_people
        Whose probes they are: nobody is counted twice.
    confidence_level, method, seed
        Of the bounds, and how they were found.
    """

    written = Written(also=("sentences",))

    over: str
    galleries: Method | None
    pairs: tuple[PairConsistency, ...]
    cells: tuple[Difference, ...]
    n_people: Count
    confidence_level: Confidence
    method: Method
    seed: int

    def sentences(self) -> list[Note]:
        """What each pair shows, in words."""
        return [pair.sentence(self.over, self.method.floor) for pair in self.pairs]

    def _frame(self, wide: bool) -> pl.DataFrame:
        """One row for each pair."""
        names = ("ahead", "equal", "behind", "surely_ahead", "surely_behind")
        return frame_of_rows(
            [
                {
                    "over": self.over,
                    "galleries": None if self.galleries is None else str(self.galleries),
                    "first": pair.first,
                    "second": pair.second,
                    "cells": pair.cells,
                    **{name: getattr(pair, name) for name in names},
                    "value": pair.mean.value,
                    "p_adjusted": pair.mean.p_adjusted,
                    "verdict": pair.verdict,
                }
                for pair in self.pairs
            ],
            {"galleries": pl.String},
        )


def consistency(
    tallies: Sequence[GalleryTally],
    names: Sequence[str],
    *,
    over: str,
    galleries: Method | None = None,
    confidence_level: float = 0.95,
    seed: int = 0,
) -> Consistency | None:
    """Count how often each algorithm is ahead of each other one, and bound how often it truly is.

    After Phillips et al. (2000), who count. Under the null hypothesis two algorithms are exchangeable within a person, so each
    person's differences are turned around at random, with the same sign in every gallery and category the person is in. With
    d_i a person's difference of successes, T = Σ d_i/√Σ d_i²; the largest |T| over all pairs, galleries and categories under the
    same signs says what a single one counts for (Westfall & Young 1993). The tests hold together, so the number of
    significant ones is a lower bound for the number of true leads. Other people vary. None with fewer than two algorithms or
    cells.
    """
    if len(names) < 2 or len(tallies) < 2:
        return None
    everybody = np.unique(np.concatenate([one.people for one in tallies]))
    pairs = list(combinations(range(len(names)), 2))
    first, second = np.array(pairs).T
    sums, scales, judged, rates = _cells(tallies, everybody, first, second)
    means = _means(tallies, everybody, first, second, judged)
    flipped, turned = _flipped(_successes(tallies, everybody), (first, second), means, scales, seed)
    observed = np.abs(sums.sum(axis=1)) * scales
    whole = np.abs(means.sum(axis=0)) * _inverse(np.sqrt((means**2).sum(axis=0)))
    p_cells = _adjusted(observed, flipped, len(everybody))
    p_means = _adjusted(whole, turned, len(everybody))
    alpha = 1 - confidence_level
    method = LISTED if len(everybody) <= _ENUMERATED else DRAWN
    made: list[PairConsistency] = []
    cells: list[Difference] = []
    order = np.argsort([-float(np.mean(rate)) for rate in rates], kind="stable").tolist()
    standing = {place: at for at, place in enumerate(order)}
    for place, (a, b) in enumerate(pairs):
        own = judged[:, place]
        if not own.any():
            continue
        turn = 1.0 if standing[a] < standing[b] else -1.0
        two = (a, b) if turn > 0 else (b, a)
        probes = np.array([tally.probes[:, a].sum() for tally in tallies])
        differences = turn * sums.sum(axis=1)[own, place] / probes[own]
        significant = p_cells[own, place] <= alpha
        up, down = differences > _SLACK, differences < -_SLACK
        surely = int((up & significant).sum()), int((down & significant).sum())
        p = float(p_means[place])
        mean = float(differences.mean())
        counts = int(own.sum()), int(up.sum()), int((~up & ~down).sum()), int(down.sum())
        verdict = _verdict(counts[0], *surely, p <= alpha and mean > 0)

        def apart(
            value: float, p: float, who: Who, rests_on: RestsOn, two: tuple[int, int] = two
        ) -> Difference:
            return Difference(
                who=who,
                first=names[two[0]],
                second=names[two[1]],
                value=value,
                low=np.nan,
                high=np.nan,
                confidence_level=confidence_level,
                p_adjusted=p,
                method=method,
                rests_on=rests_on,
                n_compared=int(judged.sum()),
            )

        counted = RestsOn(n=counts[0], of="cell", n_units=len(everybody), unit="person")
        pair = apart(mean, p, NOBODY, counted)
        made.append(PairConsistency(pair.first, pair.second, *counts, *surely, pair, verdict))
        kept = [tally for tally, used in zip(tallies, own, strict=True) if used]
        cells += [
            apart(float(delta), float(level), *_about(tally, a))
            for tally, delta, level in zip(kept, differences, p_cells[own, place], strict=True)
        ]
    ranked = {name: standing[place] for place, name in enumerate(names)}
    made.sort(key=lambda pair: (ranked[pair.first], ranked[pair.second]))
    return Consistency(
        over, galleries, tuple(made), tuple(cells), len(everybody), confidence_level, method, seed
    )


def _about(tally: GalleryTally, column: int) -> tuple[Who, RestsOn]:
    """What a difference in one gallery, or on one set of probes, is about, and what it rests on."""
    gallery = "" if tally.gallery is None else str(tally.gallery)
    rests_on = RestsOn(
        n=int(tally.probes[:, column].sum()), of="probe", n_units=len(tally.people), unit="person"
    )
    return Who(category=tally.category or "", gallery=gallery), rests_on


def _cells(
    tallies: Sequence[GalleryTally], everybody: Integers, first: Integers, second: Integers
) -> tuple[Floats, Floats, npt.NDArray[np.bool_], list[Floats]]:
    """Differences of successes (cells × people × pairs), what scales their sums, which cells count, and rates of algorithms."""
    shape = len(tallies), len(everybody), len(first)
    differences = np.zeros(shape)
    judged = np.zeros((shape[0], shape[2]), dtype=np.bool_)
    rates: list[list[float]] = [[] for _ in range(tallies[0].successes.shape[1])]
    for cell, one in enumerate(tallies):
        # Two algorithms that judged other probes are not compared: a person's swap would change the numbers.
        same = (one.probes[:, first] == one.probes[:, second]).all(axis=0)
        judged[cell] = same & (one.probes[:, first].sum(axis=0) > 0)
        at = np.searchsorted(everybody, one.people)
        differences[cell, at] = (one.successes[:, first] - one.successes[:, second]) * judged[cell]
        for place, own in enumerate(rates):
            if one.probes[:, place].any():
                own.append(float(one.successes[:, place].sum() / one.probes[:, place].sum()))
    scales = _inverse(np.sqrt((differences**2).sum(axis=1)))
    return differences, scales, judged, [np.array(one or [0.0]) for one in rates]


def _means(
    tallies: Sequence[GalleryTally],
    everybody: Integers,
    first: Integers,
    second: Integers,
    judged: npt.NDArray[np.bool_],
) -> Floats:
    """Each person's part in the mean over cells of the differences of rates (people × pairs)."""
    parts = np.zeros((len(everybody), len(first)))
    for cell, one in enumerate(tallies):
        at = np.searchsorted(everybody, one.people)
        probes = np.maximum(one.probes[:, first].sum(axis=0), 1.0)
        parts[at] += (one.successes[:, first] - one.successes[:, second]) * judged[cell] / probes
    mean: Floats = parts / np.maximum(judged.sum(axis=0), 1)
    return mean


def _inverse(values: Floats) -> Floats:
    """One over each, and 0 where nothing varies."""
    found: Floats = np.where(values > 0, 1 / np.where(values > 0, values, 1.0), 0.0)
    return found


def _successes(tallies: Sequence[GalleryTally], everybody: Integers) -> Floats:
    """People × cells × algorithms."""
    found = np.zeros((len(everybody), len(tallies), tallies[0].successes.shape[1]))
    for cell, one in enumerate(tallies):
        found[np.searchsorted(everybody, one.people), cell] = one.successes
    return found


def _flipped(
    successes: Floats, pairs: tuple[Integers, Integers], means: Floats, scales: Floats, seed: int
) -> tuple[Floats, Floats]:
    """The largest |T| under each pattern of signs, over all cells and pairs, and over the pairs' means."""
    people, n_cells, n_algorithms = successes.shape
    wide = successes.reshape(people, n_cells * n_algorithms)
    scaled = means * _inverse(np.sqrt((means**2).sum(axis=0)))
    largest, of_means = [], []
    for signs in _signs(people, seed):
        turned = (signs @ wide).reshape(len(signs), n_cells, n_algorithms)
        apart = (turned[:, :, pairs[0]] - turned[:, :, pairs[1]]) * scales
        largest.append(np.abs(apart).max(axis=(1, 2)))
        of_means.append(np.abs(signs @ scaled).max(axis=1))
    return np.concatenate(largest), np.concatenate(of_means)


def _signs(people: int, seed: int) -> list[Floats]:
    """Patterns of signs in blocks: all there are for few people, drawn ones for more."""
    if people <= _ENUMERATED:
        bits = np.arange(2**people)[:, None] >> np.arange(people) & 1
        return [(1 - 2 * bits).astype(np.float64)]
    blocks = []
    for block, done in enumerate(range(0, FLIPS, _BLOCK)):
        shape = min(_BLOCK, FLIPS - done), people
        drawn = np.random.default_rng([seed, block, 3]).integers(0, 2, shape, dtype=np.int8)
        blocks.append((1 - 2 * drawn).astype(np.float64))
    return blocks


def _adjusted(observed: Floats, flipped: Floats, people: int) -> Floats:
    """The share of patterns whose largest statistic is as large; drawn ones count the observed one too."""
    ordered = np.sort(flipped)
    at_least = len(ordered) - np.searchsorted(ordered, observed - _SLACK)
    if people <= _ENUMERATED:
        return np.asarray(at_least / len(ordered), dtype=np.float64)
    return np.asarray((1 + at_least) / (1 + len(ordered)), dtype=np.float64)


def _verdict(cells: int, ahead: int, behind: int, on_average: bool) -> Lead:
    if ahead == cells:
        return "ahead everywhere"
    if ahead and behind:
        return "mixed"
    return "ahead" if on_average and not behind else "undecided"
