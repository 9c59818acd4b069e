"""What Phillips et al. (2000) report of the FERET evaluation, and what becomes of it on synthetic people."""

from __future__ import annotations

from itertools import permutations

from proband.designs.galleries import IN_ORDER
from proband.inference.estimates.evaluation import probes_called
from proband.inference.galleries.feret_results import CategoryResult, FeretStudy
from proband.inference.galleries.tables import GalleryVariation
from proband.inference.galleries.versions import Contrast
from proband.papers.common import Finding
from proband.words import Note, Sentence

PUBLISHED = {"fb": 1195, "dup1": 722, "fc": 194, "dup2": 234}
"""Probes in the paper's categories."""

_HARDEST = Sentence(
    "feret2000.easiest-and-hardest",
    "note",
    "fb probes are the easiest and duplicate II probes the hardest, by the average over algorithms",
)
_HARDEST_HERE = Sentence(
    "feret2000.easiest-and-hardest-here", "note", "average rank-1 rates: {averages:rates}"
)
_DUPLICATES = Sentence(
    "feret2000.duplicates-easier", "note", "on average, duplicate I probes are easier than fc probes"
)
_DUPLICATES_HERE = Sentence("feret2000.duplicates-easier-here", "note", "dup1 {dup1}, fc {fc}")
_BEST = Sentence(
    "feret2000.best-on-fc",
    "note",
    "the best algorithm on fc probes is significantly better than the best on duplicate II probes",
)
_BEST_HERE = Sentence("feret2000.best-on-fc-here", "note", "{fc} on fc, {dup2} on dup2")
_AVERAGE = Sentence("feret2000.average", "note", "{rate:rate} [{low:rate}, {high:rate}] ({n:count probe})")
_BOUND = Sentence("feret2000.upper-bound", "note", "{leader} {rate:rate} [{low:rate}, {high:rate}]")
_VARIES = Sentence(
    "feret2000.galleries-vary",
    "note",
    "the scores on {category} probes vary over six galleries of different people, and so does the order of the algorithms",
)
_VARIES_HERE = Sentence(
    "feret2000.galleries-vary-here",
    "note",
    "rates from {least:rate} to {largest:rate}; {moving:count} of {total:count algorithm} change place; {algorithm} varies most, by "
    "{range:span} over galleries of {size:count person/people}",
)
_CONSISTENT = Sentence(
    "feret2000.consistent",
    "note",
    "in spite of that, some algorithms outperform others consistently",
)
_CONSISTENT_HERE = Sentence(
    "feret2000.consistent-here", "note", "one is ahead of the other in every gallery: {settled:row}"
)
_SETTLED = Sentence("feret2000.settled", "note", "{n:count} of {total:count pair} on {category}")
_IMPROVED = Sentence("feret2000.improved", "note", "algorithms that were tested at two dates improved")
_IMPROVED_HERE = Sentence(
    "feret2000.improved-here",
    "note",
    "{gains:parts} (the two dates are made up: the earlier version had fewer people to train on)",
)
_AUTOMATIC = Sentence(
    "feret2000.automatic",
    "note",
    "fully automatic versions beside partially automatic ones tell what locating the face costs",
)
_AUTOMATIC_HERE = Sentence("feret2000.automatic-here", "note", "{gains:parts}")
_GAIN = Sentence(
    "feret2000.gain",
    "note",
    "{second} is {difference:points} [{low:hundredfold}, {high:hundredfold}] from {first} on {category} probes",
)


def findings(study: FeretStudy) -> list[Finding]:
    """Put what the paper reports beside what this study shows; those for which there are no probes are left out."""
    results = {one.category: one for one in study.results}
    chronological = {one.category: one for one in study.variation if one.design.key == IN_ORDER}
    return [
        *_about_difficulty(results),
        *_about_galleries(chronological),
        *_about_pairs(study),
    ]


def _about_difficulty(results: dict[str | None, CategoryResult]) -> list[Finding]:
    there = {name: results[name] for name in PUBLISHED if name in results}
    rates = {name: one.average.at(1) for name, one in there.items()}
    order = sorted(rates, key=lambda name: -rates[name])
    found = []
    if len(there) > 2 and {"fb", "dup2"} <= set(there):
        found.append(
            Finding(
                _HARDEST(),
                _HARDEST_HERE(averages=tuple((name, rates[name]) for name in order)),
                (order[0], order[-1]) == ("fb", "dup2"),
            )
        )
    if {"dup1", "fc"} <= set(there):
        found.append(
            Finding(
                _DUPLICATES(),
                _DUPLICATES_HERE(dup1=_average(there["dup1"]), fc=_average(there["fc"])),
                rates["dup1"] > rates["fc"],
            )
        )
    if {"fc", "dup2"} <= set(there):
        fc, dup2 = there["fc"], there["dup2"]
        found.append(
            Finding(
                _BEST(),
                _BEST_HERE(fc=bound_of(fc), dup2=bound_of(dup2)),
                bool(fc.upper_bound.low[0] > dup2.upper_bound.high[0]),
            )
        )
    return found


def _average(one: CategoryResult) -> Note:
    band = one.average
    return _AVERAGE(rate=band.at(1), low=float(band.low[0]), high=float(band.high[0]), n=band.facts.n_probes)


def bound_of(one: CategoryResult) -> Note:
    """The best algorithm of a category, with its rate."""
    band = one.upper_bound
    return _BOUND(leader=one.leader, rate=band.at(1), low=float(band.low[0]), high=float(band.high[0]))


def _about_galleries(variation: dict[str | None, GalleryVariation]) -> list[Finding]:
    found = []
    for name in ("fb", "dup1"):
        if name not in variation:
            continue
        one = variation[name]
        rates = [cell.rate for cell in one.cells if cell.rate is not None]
        moving = [row for row in one.rows if row.least_place != row.greatest_place]
        widest = max(one.rows, key=lambda row: row.spread.range)
        found.append(
            Finding(
                _VARIES(category=name),
                _VARIES_HERE(
                    least=min(rates),
                    largest=max(rates),
                    moving=len(moving),
                    total=len(one.rows),
                    algorithm=widest.algorithm,
                    range=widest.spread.range,
                    size=one.size,
                ),
                bool(moving),
            )
        )
    settled = {name: _settled(variation[name]) for name in ("fb", "dup1") if name in variation}
    if settled:
        said = tuple(_SETTLED(n=pairs, total=of, category=name) for name, (pairs, of) in settled.items())
        found.append(
            Finding(
                _CONSISTENT(),
                _CONSISTENT_HERE(settled=said),
                all(pairs > 0 for pairs, _ in settled.values()),
            )
        )
    return found


def _settled(one: GalleryVariation) -> tuple[int, int]:
    """How many pairs of algorithms stand in one order, without a tie, in every gallery that has probes; and how many there are."""
    rates = [[cell.rate for cell in one.of(name) if cell.rate is not None] for name in one.algorithms]
    ahead = sum(
        all(x > y for x, y in zip(first, second, strict=True)) for first, second in permutations(rates, 2)
    )
    return ahead, len(rates) * (len(rates) - 1) // 2


def _about_pairs(study: FeretStudy) -> list[Finding]:
    found = []
    if study.improvements:
        found.append(
            Finding(
                _IMPROVED(),
                _IMPROVED_HERE(gains=tuple(_gain(one, "fb") for one in study.improvements)),
                all(
                    row.pair.difference > 0
                    for one in study.improvements
                    for row in one.rows
                    if row.category == "fb"
                ),
            )
        )
    if study.versions:
        found.append(
            Finding(
                _AUTOMATIC(),
                _AUTOMATIC_HERE(gains=tuple(_gain(one, "fb") for one in study.versions)),
                None,
            )
        )
    return found


def _gain(contrast: Contrast, category: str) -> Note:
    row = next((row for row in contrast.rows if row.category == category), contrast.rows[0])
    pair = row.pair
    return _GAIN(
        second=contrast.second,
        difference=pair.difference,
        low=pair.low,
        high=pair.high,
        first=contrast.first,
        category=probes_called(row.category),
    )
