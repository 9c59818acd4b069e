"""Claims of Phillips et al. (2000) on the FERET evaluation, the rules for agreement, and the verdicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from math import comb, hypot

from proband.designs.galleries import IN_ORDER
from proband.inference.comparisons.testing.adjustment import holm
from proband.inference.galleries.feret_results import CategoryResult, FeretStudy
from proband.inference.galleries.tables import GalleryVariation
from proband.inference.galleries.versions import VersionContrast
from proband.papers.claims import Claim, Judgement, ShownDifference, Statement, by_sign, exactly
from proband.results.band import Band
from proband.words import Note, Sentence

PROBES = {"fb": 1195, "dup1": 722, "fc": 194, "dup2": 234}
"""Probes in the paper's categories."""
GALLERIES = {"fb": 1196, "dup1": 1196, "fc": 1196, "dup2": 864}
"""People enrolled where they are searched for."""

_ALPHA = 0.05
_YEAR = 365  # days
_ALL_GALLERIES = 5  # pairs of algorithms that must be in one order in every gallery


@dataclass(frozen=True, eq=False)
class FeretEvidence:
    """The numbers that the claims are about.

    Attributes
    ----------
    averages, bounds
        Rank-1 rates by category, with their intervals: the mean of the algorithms, and the best of them.
    variation
        Rates over galleries in order of their dates, by category.
    gains, costs
        On fb probes: the later minus the earlier version of an algorithm, and the partially minus the fully
        automatic version.
    leaders
        The best algorithm by identification and by verification, for each category.
    n_algorithms
        The number of algorithms that could lead.
    dup2
        The gallery for duplicates II; None without duplicates II.
    """

    averages: Mapping[str, ShownDifference]
    bounds: Mapping[str, ShownDifference]
    variation: Mapping[str, GalleryVariation]
    gains: Sequence[ShownDifference]
    costs: Sequence[ShownDifference]
    leaders: Mapping[str, tuple[str, str]]
    n_algorithms: int
    dup2: OwnGallery | None = None


@dataclass(frozen=True)
class OwnGallery:
    """The gallery and the probes of duplicates II.

    Attributes
    ----------
    n_enrolled, n_within, n_whole
        The numbers of people enrolled, of those also in the gallery of the other categories, and in that
        gallery.
    least_days
        The shortest time between a probe and its mate.
    """

    n_enrolled: int
    n_within: int
    n_whole: int
    least_days: int


def evidence_of(study: FeretStudy, verification: Mapping[str, Mapping[str, float]]) -> FeretEvidence:
    """Extract the evidence for the claims from a study; `verification` has FNMR by category and algorithm."""
    there: dict[str, CategoryResult] = {one.category: one for one in study.results if one.category in PROBES}
    return FeretEvidence(
        {name: _at_rank_1(one.average) for name, one in there.items()},
        {name: _at_rank_1(one.upper_bound) for name, one in there.items()},
        {
            one.category: one
            for one in study.variation
            if one.design.key == IN_ORDER and one.category in ("fb", "dup1")
        },
        [_on_fb(one) for one in study.improvements],
        [_on_fb(one) for one in study.versions],
        {
            name: (there[name].leader, min(rates, key=rates.__getitem__))
            for name, rates in verification.items()
            if name in there
        },
        len(study.field),
        _own_gallery(study) if "dup2" in there else None,
    )


def _own_gallery(study: FeretStudy) -> OwnGallery:
    own, whole = (study.evaluation.of(name)[0].outcomes.experiment for name in ("dup2", "fb"))
    days = own.samples.frame["date"].to_physical().to_numpy()
    people = own.samples.codes
    enrolled = dict(zip(people[own.gallery].tolist(), days[own.gallery].tolist(), strict=True))
    return OwnGallery(
        len(own.gallery),
        len(set(own.gallery.tolist()) & set(whole.gallery.tolist())),
        len(whole.gallery),
        min(int(days[probe]) - enrolled[int(people[probe])] for probe in own.probes),
    )


def _at_rank_1(band: Band) -> ShownDifference:
    return ShownDifference(band.at(1), float(band.low[0]), float(band.high[0]))


def _on_fb(contrast: VersionContrast) -> ShownDifference:
    row = next((row for row in contrast.rows if row.category == "fb"), contrast.rows[0])
    return ShownDifference(row.pair.value, row.pair.low, row.pair.high)


_CHOSEN = "the effects of light, time and expression on synthetic faces were chosen, not measured"
_A_YEAR = Statement(
    "feret2000.duplicates-ii-a-year-later",
    "Table 3, glossary",
    paper="duplicate II probes were taken a year or more after their gallery images, and their gallery is a subset of the others: 864 of 1,196",
    rule="every dup2 probe here was taken at least 365 days after its mate, and its gallery is a proper subset of the others",
    otherwise="the dates of the images here do not allow it",
)
_HARDEST = Statement(
    "feret2000.easiest-and-hardest",
    "figure 7",
    paper="fb probes are the easiest and duplicate II probes the hardest, by the average over algorithms",
    rule="the average on fb is above and the average on dup2 below the average of every other category, and so is the whole 95% interval of each difference",
    otherwise=_CHOSEN,
)
_DUPLICATES = Statement(
    "feret2000.duplicates-easier-than-fc",
    "figure 7",
    paper="on average, duplicate I probes are easier than fc probes",
    rule="the average on dup1 is above the average on fc, and so is the whole 95% interval of the difference",
    otherwise=_CHOSEN,
)
_BEST = Statement(
    "feret2000.best-on-fc",
    "figure 8",
    paper="the best algorithm on fc probes is significantly better than the best on duplicate II probes",
    rule="the upper bound on fc is above the upper bound on dup2, and so is the whole 95% interval of the difference",
    otherwise="no algorithm here handles changes of light as well as the best of 1996, and there are fewer fc probes",
)
_VARIES = {
    name: Statement(
        f"feret2000.galleries-vary-{name}",
        table,
        paper=f"scores on {name} probes vary with the people in the gallery",
        rule="for at least one algorithm, the rates with six galleries of different people differ by more than chance (Holm, 5%)",
        otherwise="the people of all six galleries come from one population and differ only by chance",
    )
    for name, table in (("fb", "Table 4"), ("dup1", "Table 5"))
}
_ORDER = {
    name: Statement(
        f"feret2000.order-changes-{name}",
        table,
        paper=f"the order of the algorithms on {name} probes varies with the people in the gallery",
        rule="the 95% intervals of the places of at least one algorithm do not overlap between two galleries; it disagrees if no algorithm changes place",
        otherwise="the algorithms are so far apart that no gallery changes their order",
    )
    for name, table in (("fb", "Table 4"), ("dup1", "Table 5"))
}
_CONSISTENT = Statement(
    "feret2000.some-always-ahead",
    "Tables 4 and 5",
    paper="in spite of that, some algorithms outperform others consistently",
    rule="on fb and on dup1, at least five pairs of algorithms are in the same order in every gallery",
    otherwise="the algorithms are too similar, or the galleries too small",
)
_IMPROVED = Statement(
    "feret2000.improved",
    "figures 3 to 6",
    paper="algorithms that were tested at two dates improved",
    rule="each later version is ahead on fb probes, with the whole 95% interval above zero",
    otherwise="the two dates are invented: the earlier version had fewer training people, which makes little difference here",
)
_AUTOMATIC = Statement(
    "feret2000.locating-costs",
    "figures 9 and 10",
    paper="the difference between fully and partially automatic versions is the cost of locating the face",
    rule="each partially automatic version is ahead of its fully automatic version on fb probes, with the whole 95% interval above zero",
    otherwise="faces in front of a plain background are always found",
)
_TASKS = Statement(
    "feret2000.tasks-differ",
    "section 6",
    paper="the best at identification need not be the best at verification",
    rule="in at least one category the leader at rank 1 is not the one with the lowest FNMR at FMR 1%",
    otherwise="the same algorithm leads in both tasks",
)

_PART = Sentence(
    "feret2000.part-here",
    "note",
    "at least {days:count day}; {own:count} of {whole:count person/people} enrolled",
)
_RATES = Sentence("feret2000.averages-here", "note", "{rates:rates}")
_BOUNDS = Sentence("feret2000.bounds-here", "note", "best on fc {fc:rate}, best on dup2 {dup2:rate}")
_VARIES_HERE = Sentence(
    "feret2000.varies-here",
    "note",
    "ranges up to {widest:span}; {n:count} of {total:count algorithm} differ between galleries",
)
_PLACES = Sentence(
    "feret2000.places-here",
    "note",
    "{moving:count} of {total:count algorithm} change place, {surely:count} beyond chance",
)
_SETTLED = Sentence(
    "feret2000.settled-here", "note", "{pairs:counts} of {total:count pair} in the same order everywhere"
)
_DIFFERENCES = Sentence("feret2000.differences-here", "note", "{differences:parts}")
_DIFFERENCE = Sentence(
    "feret2000.difference-here", "note", "{value:points} [{low:hundredfold}, {high:hundredfold}]"
)
_LEADERS = Sentence("feret2000.leaders-here", "note", "{leaders:parts}")
_LEADER = Sentence("feret2000.leader-here", "note", "{category}: {first} by rank 1, {second} by FNMR")
_CHANCE_ONLY = Sentence(
    "feret2000.chance-only",
    "caution",
    "differences between galleries are no larger than expected by chance (smallest adjusted p {p:p})",
)
_MOVES = Sentence("feret2000.moves", "caution", "places change, but no more than expected by chance")
_SIZE = Sentence(
    "feret2000.gallery-size", "note", "galleries of {size:count person/people}; the paper had about 200"
)


def claims(evidence: FeretEvidence) -> dict[str, tuple[Claim, ...]]:
    """All claims, by the item of the page that they belong to; those about categories without probes are left out."""
    averages = set(evidence.averages)
    difficulty = [
        *([_about_hardest(evidence)] if averages == set(PROBES) else []),
        *([_DUPLICATES.judged(_told_averages(evidence), by_sign([_less(evidence.averages["dup1"], evidence.averages["fc"])]))] if {"dup1", "fc"} <= averages else []),
        *([_about_best(evidence)] if {"fc", "dup2"} <= averages else []),
    ]  # fmt: skip
    return {
        "sets": () if evidence.dup2 is None else (_about_own_gallery(evidence.dup2),),
        "difficulty": tuple(difficulty),
        "improvements": (_IMPROVED.judged(_told(evidence.gains), by_sign(evidence.gains)),)
        if evidence.gains
        else (),
        "versions": (_AUTOMATIC.judged(_told(evidence.costs), by_sign(evidence.costs)),)
        if evidence.costs
        else (),
        "galleries": tuple(_about_galleries(evidence)),
        "verification": (_about_tasks(evidence),),
    }


def _about_own_gallery(dup2: OwnGallery) -> Claim:
    part = dup2.n_within == dup2.n_enrolled < dup2.n_whole
    here = _PART(days=dup2.least_days, own=dup2.n_enrolled, whole=dup2.n_whole)
    return _A_YEAR.judged(here, exactly(part and dup2.least_days >= _YEAR, None))


def _less(one: ShownDifference, other: ShownDifference) -> ShownDifference:
    """The difference of two rates of different probes; people in both make the interval wider than need be."""
    value = one.value - other.value
    return ShownDifference(
        value,
        value - hypot(one.value - one.low, other.high - other.value),
        value + hypot(one.high - one.value, other.value - other.low),
    )


def _told_averages(evidence: FeretEvidence) -> Note:
    return _RATES(rates=tuple((name, one.value) for name, one in evidence.averages.items()))


def _about_hardest(evidence: FeretEvidence) -> Claim:
    own = evidence.averages
    shown = [_less(own["fb"], own[name]) for name in ("dup1", "fc", "dup2")]
    shown += [_less(own[name], own["dup2"]) for name in ("dup1", "fc")]
    return _HARDEST.judged(_told_averages(evidence), by_sign(shown))


def _about_best(evidence: FeretEvidence) -> Claim:
    fc, dup2 = evidence.bounds["fc"], evidence.bounds["dup2"]
    return _BEST.judged(_BOUNDS(fc=fc.value, dup2=dup2.value), by_sign([_less(fc, dup2)]))


def _told(shown: Sequence[ShownDifference]) -> Note:
    each = (_DIFFERENCE(value=one.value, low=one.low, high=one.high) for one in shown)
    return _DIFFERENCES(differences=tuple(each))


def _about_galleries(evidence: FeretEvidence) -> list[Claim]:
    made = []
    for name, variation in evidence.variation.items():
        tested = [
            row.test.p_value
            for row in variation.rows
            if row.test is not None and row.test.p_value is not None
        ]
        adjusted = holm(tested) if tested else [1.0]
        size = _SIZE(size=variation.size)
        here = _VARIES_HERE(
            widest=max(row.range for row in variation.rows),
            n=sum(p <= _ALPHA for p in adjusted),
            total=len(variation.rows),
        )
        least = float(min(adjusted))
        judged = (
            Judgement("agrees", None, size)
            if least <= _ALPHA
            else Judgement("cannot be judged", _CHANCE_ONLY(p=least), size)
        )
        if max(row.range for row in variation.rows) == 0:
            judged = Judgement("disagrees", None, size)
        made += [_VARIES[name].judged(here, judged), _about_order(name, variation, size)]
    settled = {name: _settled(variation) for name, variation in evidence.variation.items()}
    pairs = comb(evidence.n_algorithms, 2)
    # If each gallery were the toss of a coin, a pair would be in one order in all six with the chance 2/64.
    share = 2 / 2 ** len(next(iter(evidence.variation.values())).galleries)
    chance = sum(
        comb(pairs, k) * share**k * (1 - share) ** (pairs - k) for k in range(_ALL_GALLERIES, pairs + 1)
    )
    enough = all(n >= _ALL_GALLERIES for n in settled.values())
    here = _SETTLED(pairs=tuple(settled.items()), total=pairs)
    return [*made, _CONSISTENT.judged(here, exactly(enough, chance ** len(settled)))]


def _about_order(name: str, variation: GalleryVariation, size: Note) -> Claim:
    moving = [row for row in variation.rows if row.least_place != row.greatest_place]
    surely = sum(_moves_surely(variation, row.algorithm) for row in variation.rows)
    here = _PLACES(moving=len(moving), total=len(variation.rows), surely=surely)
    if surely:
        judged = Judgement("agrees", None, size)
    elif moving:
        judged = Judgement("cannot be judged", _MOVES(), size)
    else:
        judged = Judgement("disagrees", None, size)
    return _ORDER[name].judged(here, judged)


def _moves_surely(variation: GalleryVariation, algorithm: str) -> bool:
    """Whether the intervals of an algorithm's places in two galleries do not meet."""
    ends = [one.place_interval for one in variation.of(algorithm) if one.place_interval is not None]
    return bool(ends) and max(best for best, _ in ends) > min(worst for _, worst in ends)


def _settled(one: GalleryVariation) -> int:
    """How many pairs of algorithms stand in one order, without a tie, in every gallery that has probes."""
    rates = [[cell.rate for cell in one.of(name) if cell.rate is not None] for name in one.algorithms]
    return sum(
        all(x > y for x, y in zip(first, second, strict=True)) for first, second in permutations(rates, 2)
    )


def _about_tasks(evidence: FeretEvidence) -> Claim:
    each = tuple(_LEADER(category=name, first=a, second=b) for name, (a, b) in evidence.leaders.items())
    differ = any(a != b for a, b in evidence.leaders.values())
    # Two orders that had nothing to do with each other would differ in this nearly always: agreement says little.
    chance = 1 - (1 / evidence.n_algorithms) ** len(evidence.leaders)
    return _TASKS.judged(_LEADERS(leaders=each), exactly(differ, chance))
