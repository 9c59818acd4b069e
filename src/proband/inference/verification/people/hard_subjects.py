"""Are errors the errors of a few people? (Doddington's zoo: sheep, goats, lambs and wolves)"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import polars as pl

from proband.distributions import normal_cdf
from proband.inference.verification.people.meetings import Ints, Meetings
from proband.results.base import Rate, Result
from proband.results.serializing import Written
from proband.words import Method, Note, Sentence

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
_DRAWS = 9_999
SIGNIFICANCE = 0.05
"""What a p-value must not pass for errors to count as concentrated."""
_BLOCK = 1_000_000  # people drawn at once
_DEALT = Method(
    "errors-dealt-anew",
    "errors permuted over comparisons that share no image",
    "concentration of false non-matches on people, tested by permuting them over comparisons that share no "
    "image",
    ("doddington1998",),
)
_WEDGES = Method(
    "wedges-of-images",
    "correlation of false matches between different images of a person",
    "concentration of false matches on people, tested by the correlation between false matches of different "
    "images of a person with different other people",
    ("doddington1998",),
)

_GOATS = Sentence(
    "hard-subjects.goats",
    "note",
    "False non-matches: some people are rejected more often than chance explains (p {p:p})",
)
_NO_GOATS = Sentence("hard-subjects.no-goats", "note", "False non-matches: no evidence of goats (p {p:p})")
_LAMBS = Sentence(
    "hard-subjects.lambs",
    "note",
    "False matches: some people take part in more false matches than chance explains (p {p:p})",
)
_NO_LAMBS = Sentence(
    "hard-subjects.no-lambs", "note", "False matches: no evidence of lambs or wolves (p {p:p})"
)
_GOATS_UNSEEN = Sentence(
    "hard-subjects.goats-unseen",
    "caution",
    "False non-matches: too few images per person to test for goats. The test needs people with two "
    "comparisons that share no image: four images, or two queries and two targets",
)
_LAMBS_UNSEEN = Sentence(
    "hard-subjects.lambs-unseen",
    "caution",
    "False matches: cannot test for lambs and wolves. The test needs people with two images, each compared "
    "with other people, and no missing comparisons",
)


@dataclass(frozen=True, eq=False)
class ImageErrors:
    """Which images the comparisons and their errors are of: without them a hard image cannot be told from a hard person.

    Attributes
    ----------
    queries, targets
        The person of every query and of every target image.
    symmetric
        Whether they are the same images, each two of which are compared once.
    matched
        The query and the target image of every false match.
    rejected
        The query and the target image of every false non-match.
    """

    queries: Ints
    targets: Ints
    symmetric: bool
    matched: tuple[Ints, Ints]
    rejected: tuple[Ints, Ints]


@dataclass(frozen=True, eq=False)
class HardSubjects(Result):
    """How errors fall on people, and whether there is anything to see.

    Attributes
    ----------
    people
        One row a person: genuine comparisons and false non-matches (*goats* have many), impostor comparisons and false
        matches (*lambs* are taken for by others, *wolves* are taken for others; here both together).
    goats_p, lambs_p
        The chance, if people were alike, of errors as concentrated on people; None where images do not tell.
    goats_test, lambs_test
        How that was found, and with how many draws.
    """

    written = Written(without=("goats_test", "lambs_test"))

    people: pl.DataFrame
    goats_p: Rate | None
    lambs_p: Rate | None
    goats_test: Method = _DEALT
    lambs_test: Method = _WEDGES

    def sentences(self) -> list[Note]:
        """The answers in words."""
        return [
            unseen() if p is None else (some if p <= SIGNIFICANCE else none)(p=(p, test.floor))
            for p, test, some, none, unseen in (
                (self.goats_p, self.goats_test, _GOATS, _NO_GOATS, _GOATS_UNSEEN),
                (self.lambs_p, self.lambs_test, _LAMBS, _NO_LAMBS, _LAMBS_UNSEEN),
            )
        ]


def hard_subjects(
    names: list[str],
    comparisons: Meetings,
    genuine_people: Integers,
    missed: npt.NDArray[np.bool_],
    first: Integers,
    second: Integers,
    images: ImageErrors | None = None,
    *,
    pseudonyms: bool = False,
    seed: int = 0,
) -> HardSubjects:
    """Count errors by person, and test whether they are more concentrated than chance makes them (Doddington et al. 1998).

    Comparisons that share an image go together for the image's sake, so only those count for people that do not. False
    non-matches are dealt anew over comparisons of which no two share an image, two or more of a person; the statistic is the sum
    of squared counts, each relative to what is expected. False matches: with e the errors less those expected,
    T_i = Σ_{a≠b} Σ_{j≠k} e_{ia,j} e_{ib,k} over different images a, b of person i and different others j, k is 0 on average if
    people are alike; ΣT_i/√ΣT_i² is compared with the normal distribution, one-sided.

    Parameters
    ----------
    names
        The people, in the order of their numbers.
    genuine_people, missed
        Every genuine comparison: whose, and whether it was rejected.
    first, second
        The people of every false match.
    images
        Whose images were compared, and which errors are theirs; nothing is tested without.
    pseudonyms
        Call people P1, P2, … in an order of chance.
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
    goats = None if images is None else _goats(images, n, generator)
    lambs = None if images is None else _lambs(images, n)
    return HardSubjects(frame, goats, lambs, replace(_DEALT, draws=_DRAWS))


def _goats(images: ImageErrors, n: int, rng: np.random.Generator) -> float | None:
    """Deal errors anew over comparisons that share no image; None if nobody has two of them."""
    people, query, target = _apart(images)
    if not (np.bincount(people, minlength=n) > 1).any():
        return None
    one, other = images.rejected
    if images.symmetric:
        one, other = np.minimum(one, other), np.maximum(one, other)
    width = 1 + int(max(len(images.queries), len(images.targets)))
    missed = np.isin(query * width + target, one * width + other)
    total = int(missed.sum())
    if total in (0, len(missed)):
        return 1.0
    weight = 1.0 / np.maximum(np.bincount(people, minlength=n), 1)
    observed = float((weight * np.bincount(people[missed], minlength=n) ** 2).sum())
    as_large, block = 1, max(1, _BLOCK // max(len(people), n))
    for start in range(0, _DRAWS, block):
        times = min(block, _DRAWS - start)
        dealt = np.argpartition(rng.random((times, len(people))), total - 1, axis=1)[:, :total]
        rows = people[dealt] + n * np.arange(times)[:, None]
        counts = np.bincount(rows.ravel(), minlength=times * n).reshape(times, n)
        as_large += int((counts.astype(np.float64) ** 2 @ weight >= observed * (1 - 1e-9)).sum())
    return as_large / (_DRAWS + 1)


def _apart(images: ImageErrors) -> tuple[Ints, Ints, Ints]:
    """As many genuine comparisons as there are of which no two share an image: whose, the query and the target."""
    if images.symmetric:
        order = np.argsort(images.queries, kind="stable")
        people = images.queries[order]
        place = np.arange(len(people)) - np.searchsorted(people, people)
        lead = np.flatnonzero((place[:-1] % 2 == 0) & (people[1:] == people[:-1]))
        return people[lead], order[lead], order[lead + 1]
    size = max(len(images.queries), len(images.targets))
    ranked, orders = [], []
    for side in (images.queries, images.targets):
        order = np.argsort(side, kind="stable")
        people = side[order]
        # A person's k-th query meets the k-th target.
        ranked.append(people * size + np.arange(len(people)) - np.searchsorted(people, people))
        orders.append(order)
    _, left, right = np.intersect1d(ranked[0], ranked[1], assume_unique=True, return_indices=True)
    query, target = orders[0][left], orders[1][right]
    return images.queries[query], query, target


def _lambs(images: ImageErrors, n: int) -> float | None:
    """Whether false matches of different images of a person go together; None if nobody has two images that meet others."""
    own = images.queries if images.symmetric else np.concatenate([images.queries, images.targets])
    if (np.bincount(own, minlength=n) < 2).all():
        return None
    if not len(images.matched[0]):
        return 1.0
    sums = _wedges(images, n)
    size = float(np.sqrt(sums @ sums))
    return float(normal_cdf(-float(sums.sum()) / size)) if size > 0 else 1.0


def _wedges(images: ImageErrors, n: int) -> Floats:
    """T_i of every person, from counts of errors by image, by two people, and by image and other person."""
    sides = [images.queries] if images.symmetric else [images.queries, images.targets]
    own = np.concatenate(sides)
    queries, targets = (
        np.bincount(side, minlength=n).astype(np.float64) for side in (images.queries, images.targets)
    )
    offset = 0 if images.symmetric else len(images.queries)
    one, other = images.matched[0], images.matched[1] + offset
    image, across = np.concatenate([one, other]), np.concatenate([own[other], own[one]])
    # What an image meets: all images of the other side that are not its person's.
    of_side = [targets] if images.symmetric else [targets, queries]
    side_of = np.repeat(np.arange(len(sides)), [len(side) for side in sides])
    everything = np.array([side.sum() for side in of_side])[side_of]
    squares = np.array([side @ side for side in of_side])[side_of]
    own_met = np.stack(of_side)[side_of, own]
    total = (everything - own_met).sum() / 2
    p = len(one) / total
    by_image = np.bincount(image, minlength=len(own)) - p * (everything - own_met)
    cells, counts = np.unique(image * n + across, return_counts=True)
    a, j = cells // n, cells % n
    between = np.stack(of_side)[side_of[a], j]
    of_cells = np.bincount(a, weights=counts * (counts - 2 * p * between), minlength=len(own))
    of_cells += p**2 * (squares - own_met**2)
    pairs, counts = np.unique(own[image] * n + across, return_counts=True)
    i, j = pairs // n, pairs % n
    if images.symmetric:
        between, squared = queries[i] * queries[j], queries**2 * (queries @ queries - queries**2)
    else:
        between = queries[i] * targets[j] + targets[i] * queries[j]
        squared = queries**2 * (targets @ targets) + targets**2 * (queries @ queries)
        squared += 2 * queries * targets * (queries @ targets) - 4 * (queries * targets) ** 2
    of_pairs = np.bincount(i, weights=counts * (counts - 2 * p * between), minlength=n) + p**2 * squared
    by_person = np.bincount(own, weights=by_image, minlength=n)
    found: Floats = by_person**2 - np.bincount(own, weights=by_image**2 - of_cells, minlength=n) - of_pairs
    return found
