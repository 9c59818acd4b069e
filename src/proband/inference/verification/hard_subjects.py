"""Are errors the errors of a few people? (Doddington's zoo: sheep, goats, lambs and wolves)"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import polars as pl

from proband.inference.verification.meetings import Ints, ListedComparisons, Meetings
from proband.results.base import Rate, Result
from proband.results.serializing import Written
from proband.words import Method, Note, Sentence

Integers = npt.NDArray[np.int64]
_DRAWS = 9_999
SIGNIFICANCE = 0.05
"""What a p-value must not pass for errors to count as concentrated."""
_BLOCK = 1_000_000  # people drawn at once
_DEALT = Method(
    "errors-dealt-anew",
    "errors dealt anew",
    "concentration of errors on people, tested by dealing them anew at random",
    ("doddington1998",),
)

_GOATS = Sentence(
    "hard-subjects.goats",
    "note",
    "False non-matches: some people are rejected more often than chance makes them (p {p:p})",
)
_NO_GOATS = Sentence("hard-subjects.no-goats", "note", "False non-matches: no goats can be seen (p {p:p})")
_LAMBS = Sentence(
    "hard-subjects.lambs",
    "note",
    "False matches: some people take part in more false matches than chance makes them (p {p:p})",
)
_NO_LAMBS = Sentence(
    "hard-subjects.no-lambs", "note", "False matches: no lambs or wolves can be seen (p {p:p})"
)


@dataclass(frozen=True, eq=False)
class HardSubjects(Result):
    """How errors fall on people, and whether there is anything to see.

    Attributes
    ----------
    people
        One row a person: genuine comparisons and false non-matches (*goats* have many), impostor comparisons and false
        matches (*lambs* are taken for by others, *wolves* are taken for others; here both together).
    goats_p, lambs_p
        The chance, if errors fell on comparisons without regard to people, of their being as concentrated.
    goats_test, lambs_test
        How that was found, and with how many draws.
    """

    written = Written(without=("goats_test", "lambs_test"))

    people: pl.DataFrame
    goats_p: Rate
    lambs_p: Rate
    goats_test: Method = _DEALT
    lambs_test: Method = _DEALT

    def sentences(self) -> list[Note]:
        """The answers in words."""
        goats = _GOATS if self.goats_p <= SIGNIFICANCE else _NO_GOATS
        lambs = _LAMBS if self.lambs_p <= SIGNIFICANCE else _NO_LAMBS
        return [goats(p=self.goats_p), lambs(p=self.lambs_p)]


def hard_subjects(
    names: list[str],
    comparisons: Meetings,
    genuine_people: Integers,
    missed: npt.NDArray[np.bool_],
    first: Integers,
    second: Integers,
    *,
    pseudonyms: bool = False,
    seed: int = 0,
) -> HardSubjects:
    """Count errors by person, and test whether they are more concentrated than chance makes them (Doddington et al. 1998).

    False non-matches are dealt anew over all genuine comparisons, false matches over all impostor pairs of people in proportion
    to their comparisons; the statistic is the sum of squared counts, each relative to what is expected. It takes
    comparisons that share an image for independent: where they are not, the p-value is too small.

    Parameters
    ----------
    names
        The people, in the order of their numbers.
    genuine_people, missed
        Every genuine comparison: whose, and whether it was rejected.
    first, second
        The people of every false match.
    pseudonyms
        Call people P1, P2, … in an order of chance.

    Examples
    --------
    Four people with five genuine comparisons each; all five errors are the first one's: the chance of that is 4/C(20, 5).

    >>> from proband.inference.verification.meetings import Comparisons
    >>> whose, nobody = np.repeat(np.arange(4), 5), np.empty(0, dtype=np.int64)
    >>> found = hard_subjects(list("abcd"), Comparisons([5] * 4, [5] * 4, symmetric=True), whose, whose == 0, nobody, nobody)
    >>> found.people.row(0), found.goats_p < 0.002, found.lambs_p
    (('a', 5, 5, 75, 0), True, 1.0)
    """
    generator = np.random.default_rng(seed)
    n = len(names)
    genuine = np.bincount(genuine_people, minlength=n)
    rejected = np.bincount(genuine_people[missed], minlength=n)
    matches = np.bincount(first, minlength=n) + np.bincount(second, minlength=n)
    impostor = comparisons.n_by_subject
    shown = names
    if pseudonyms:
        order = generator.permutation(n)
        shown = [f"P{place + 1}" for place in order]
    frame = pl.DataFrame(
        {
            "subject": shown,
            "genuine": genuine,
            "false_non_matches": rejected,
            "impostor": np.asarray(impostor, dtype=np.int64),
            "false_matches": matches,
        }
    ).sort(["false_non_matches", "false_matches", "subject"], descending=[True, True, False])
    goats = _goats(genuine_people, missed, genuine, generator)
    lambs = _lambs(comparisons, matches, len(first), generator)
    return HardSubjects(
        frame,
        goats,
        lambs,
        replace(_DEALT, draws=_DRAWS),
        replace(_DEALT, draws=_draws_of_lambs(len(first))),
    )


def _goats(
    people: Integers, missed: npt.NDArray[np.bool_], genuine: Integers, rng: np.random.Generator
) -> float:
    total = int(missed.sum())
    if total == 0 or total == len(missed):
        return 1.0
    weight = np.where(genuine > 0, 1.0 / np.maximum(genuine, 1), 0.0)
    observed = float((weight * np.bincount(people[missed], minlength=len(genuine)) ** 2).sum())

    def dealt(times: int) -> Ints:
        return np.stack([people[rng.choice(len(people), total, replace=False)] for _ in range(times)])

    return _share_as_large(dealt, _DRAWS, total, weight, observed)


def _lambs(comparisons: Meetings, matches: Integers, total: int, rng: np.random.Generator) -> float:
    """Draw as many pairs of people, in proportion to their comparisons, and see how often they are as concentrated."""
    if total == 0:
        return 1.0
    expected = np.asarray(comparisons.n_by_subject, dtype=np.float64)
    weight = np.where(expected > 0, 1.0 / np.maximum(expected, 1e-300), 0.0) * expected.sum() / len(expected)
    observed = float((weight * matches.astype(np.float64) ** 2).sum())
    draw = _drawer(comparisons, rng)

    def dealt(times: int) -> Ints:
        return draw(times * total).reshape(2, times, total).swapaxes(0, 1).reshape(times, 2 * total)

    return _share_as_large(dealt, _draws_of_lambs(total), 2 * total, weight, observed)


def _draws_of_lambs(total: int) -> int:
    """Fewer draws of many false matches."""
    return min(_DRAWS, max(199, 20_000_000 // max(total, 1)))


def _share_as_large(
    dealt: Callable[[int], Ints], draws: int, width: int, weight: npt.NDArray[np.float64], observed: float
) -> float:
    """How often the people of random draws, a row each, are as concentrated as observed; drawn in blocks."""
    n = len(weight)
    as_large, block = 1, max(1, _BLOCK // max(width, n))
    for start in range(0, draws, block):
        times = min(block, draws - start)
        rows = dealt(times) + n * np.arange(times)[:, None]
        counts = np.bincount(rows.ravel(), minlength=times * n).reshape(times, n)
        as_large += int((counts.astype(np.float64) ** 2 @ weight >= observed * (1 - 1e-9)).sum())
    return as_large / (draws + 1)


def _drawer(comparisons: Meetings, rng: np.random.Generator) -> Callable[[int], Ints]:
    """Return what draws random impostor comparisons: so many first people, followed by as many second ones."""
    # A draw of an image or a comparison by number, and whose it is, is much quicker than one of a person by weight.
    if isinstance(comparisons, ListedComparisons):
        listed = comparisons
        places = np.repeat(np.arange(len(listed.counts)), listed.counts)

        def of_list(total: int) -> Ints:
            chosen = places[rng.integers(len(places), size=total)]
            return np.concatenate([listed.first[chosen], listed.second[chosen]])

        return of_list
    everybody = np.arange(comparisons.n_subjects)
    queries, targets = (np.repeat(everybody, images) for images in (comparisons.queries, comparisons.targets))

    def crossed(total: int) -> Ints:
        a, b = (
            queries[rng.integers(len(queries), size=total)],
            targets[rng.integers(len(targets), size=total)],
        )
        while (same := np.flatnonzero(a == b)).size:
            a[same] = queries[rng.integers(len(queries), size=same.size)]
            b[same] = targets[rng.integers(len(targets), size=same.size)]
        return np.concatenate([a, b])

    return crossed
