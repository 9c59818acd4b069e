"""Claims of Beveridge et al. (2001) about their sets, a table of paired outcomes and the choices of a trial.

Tables 2, 3, 5 and 6 show the layout of the studies. They state counts, so a rule holds or does not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from math import comb, exp, factorial, lgamma, log

import numpy as np

from proband.inference.comparisons.testing.mcnemar import PairedOutcomes, mcnemar
from proband.papers.claims import Claim, Statement, exactly
from proband.words import Sentence

Choice = tuple[int, int]
"""Which of a person's four images, counted from 0, is the gallery image, and which is the probe."""
Listed = tuple[tuple[int, Choice], ...]
"""A trial as Table 6 lists it: people by their numbers, and what was chosen of each."""

TABLE_2 = {"fa": 1196, "fb": 1195, "dup1": 722, "dup2": 234, "fc": 194, "training": 501}
"""Published numbers of images. In the copy used, the last two are separated from their rows."""

TABLE_3 = PairedOutcomes(73, 2, 27, 23)
"""The invented example of paired outcomes: both, only A, only B, neither."""

UNBALANCED = (
    (0, (3, 1)), (1, (1, 3)), (2, (3, 0)), (3, (1, 3)), (4, (2, 0)), (5, (1, 2)), (6, (2, 1)), (7, (1, 3)), (159, (2, 1)),
)  # fmt: skip
BALANCED = (
    (154, (0, 2)), (130, (0, 3)), (69, (1, 2)), (80, (1, 3)), (128, (2, 0)), (72, (2, 1)), (82, (3, 0)), (42, (3, 1)), (108, (3, 1)),
)  # fmt: skip
"""The rows that Table 6 prints: the first eight people of a trial, and the last."""

PAIRS = (*product((0, 1), (2, 3)), *product((2, 3), (0, 1)))
"""Every choice of a gallery image of one day and a probe of the other: two days of two images each."""

_DAYS = (1, 1, 2, 2)
_RATES_3 = (0.60, 0.80)
_TEST_PEOPLE, _TEST_IMAGES = 160, 640
_TRAINING_PEOPLE, _TRAINING_IMAGES = 225, 675
_PRINTED_TESTS = 42
_COPIES, _LIKELY = 4, 0.99


@dataclass(frozen=True, eq=False)
class DesignEvidence:
    """The evidence for Tables 2, 3, 5 and 6.

    Attributes
    ----------
    probe_sets
        The ids of the probes of each set, here.
    layout
        The day and the expression of each image, for every person here.
    unbalanced, balanced
        The choices of one trial of each kind here.
    n_algorithms
        The number of algorithms that section 7 compares here.
    printed
        The counts of Table 3.
    printed_unbalanced, printed_balanced
        The rows of Table 6.
    n_resampled
        The number of people that section 7.2 would draw with replacement.
    """

    probe_sets: Mapping[str, frozenset[str]]
    layout: Sequence[Sequence[tuple[int, str]]]
    unbalanced: Listed
    balanced: Listed
    n_algorithms: int = 8
    printed: PairedOutcomes = field(default=TABLE_3)
    printed_unbalanced: Listed = UNBALANCED
    printed_balanced: Listed = BALANCED
    n_resampled: int = 256


_WITHIN = Statement(
    "beveridge2001.dup2-within-dup1",
    "section 3.1, Table 2",
    paper="all 234 dup2 probes are also dup1 probes; the other probe sets have no image in common",
    rule="every dup2 probe here is a dup1 probe, and no probe is in two of fb, dup1 and fc",
    otherwise="the rules of the categories allow a probe to be in two sets",
)
_EXAMPLE = Statement(
    "beveridge2001.table-3-adds-up",
    "section 5.2, Table 3",
    paper="of 125 probes A recognises 75 (0.60) and B 100 (0.80)",
    rule="the sums of the four printed counts are these numbers",
    otherwise="the printed counts do not add up to the printed rates",
)
_LAID_OUT = Statement(
    "beveridge2001.two-days-two-expressions",
    "section 7.1, Table 5",
    paper="160 people have two images on each of two days, with two expressions: 640 images; 225 others with three images each give 675 training images",
    rule="the products are these numbers, and every person tested here has four such images",
    otherwise="the image sets here differ from those of the paper",
)
_DUPLICATED = Statement(
    "beveridge2001.somebody-drawn-four-times",
    "section 7.2, footnote 3",
    paper="when people are drawn with replacement, the chance that one of them is drawn four times is over 99%",
    rule="the exact probability, with as many draws as people (256), is over 99%",
    otherwise="with so few people, it is not certain that a person is drawn four times",
)
_EQUAL = Statement(
    "beveridge2001.balanced-uses-columns-equally",
    "section 7.3, Table 6",
    paper="balanced sampling uses all four columns equally often, and unbalanced sampling does not",
    rule="in the balanced trial listed here each column is gallery and probe equally often (to within two "
    "if the number of people is not a multiple of eight), but not in the unbalanced trial; gallery and "
    "probe are from different days in both",
    otherwise="the trials were not assigned in cycles of the eight pairs",
)
_PRINTED_ROWS = Statement(
    "beveridge2001.table-6-pattern",
    "section 7.3, Table 6",
    paper="every row takes gallery and probe from different days, and (b) repeats a fixed pattern of columns",
    rule="all printed rows do so, the first eight rows of (b) contain each of the eight pairs once, and row 160 completes the pattern",
    otherwise="the printed rows do not follow the text",
)
_TESTS = Statement(
    "beveridge2001.pairs-of-algorithms",
    "section 7.5",
    paper="42 pairwise tests are possible",
    rule="the eight algorithms form 42 pairs",
    otherwise="eight algorithms make 28 pairs; 42 is the number of ordered pairs of seven",
)

_SHARED = Sentence(
    "beveridge2001.shared-here",
    "note",
    "{sets:counts}; {n:count} of the dup2 probes {n:word is/are} in dup1, {shared:count probe} in two of the other sets",
)
_SUMS = Sentence(
    "beveridge2001.sums-here",
    "note",
    "A {a:count} of {n:count}, {rate_a:two}; B {b:count} of {n:count}, {rate_b:two}; one-sided p for B {p:p}",
)
_IMAGES = Sentence(
    "beveridge2001.images-here",
    "note",
    "{people:count person/people} with {images:count image}; {complete:count} have this layout",
)
_FOUR_TIMES = Sentence(
    "beveridge2001.four-times-here",
    "note",
    "probability {p:four} for {n:count person/people}, {own:four} for {people:count}",
)
_COLUMNS = Sentence(
    "beveridge2001.columns-here",
    "note",
    "balanced: gallery {gallery:names}, probe {probe:names}; unbalanced: gallery {gallery_b:names}, probe {probe_b:names} (columns 0 to 3)",
)
_ROWS = Sentence(
    "beveridge2001.rows-here",
    "note",
    "{days:count} of {n:count row} from one day to the other; {pairs:count} of {of:count pair} in the first eight of (b)",
)
_MADE = Sentence("beveridge2001.pairs-here", "note", "{n:count algorithm} form {pairs:count pair}")


def design_claims(evidence: DesignEvidence) -> dict[str, tuple[Claim, ...]]:
    """The claims about Tables 2, 3, 5 and 6, by the item of the page that they belong to."""
    return {
        "table2": (_about_sets(evidence),),
        "table3": (_about_example(evidence),),
        "table5": (_about_layout(evidence), _about_copies(evidence)),
        "table6": (_about_columns(evidence), _about_rows(evidence)),
        "table7": (_about_tests(evidence),),
    }


def _about_sets(evidence: DesignEvidence) -> Claim:
    sets = evidence.probe_sets
    within = len(sets["dup2"] & sets["dup1"])
    shared = sum(len(sets[a] & sets[b]) for a, b in combinations(("fb", "dup1", "fc"), 2))
    here = _SHARED(sets=tuple((name, len(ids)) for name, ids in sets.items()), n=within, shared=shared)
    return _WITHIN.judged(here, exactly(within == len(sets["dup2"]) and not shared, None))


def _about_example(evidence: DesignEvidence) -> Claim:
    pairs = evidence.printed
    a, b = pairs.ss + pairs.sf, pairs.ss + pairs.fs
    rates = a / pairs.n, b / pairs.n
    here = _SUMS(a=a, b=b, n=pairs.n, rate_a=rates[0], rate_b=rates[1], p=mcnemar(pairs.sf, pairs.fs).p_less)
    holds = (a, b, pairs.n, rates) == (75, 100, 125, _RATES_3)
    return _EXAMPLE.judged(here, exactly(holds, None))


def _about_layout(evidence: DesignEvidence) -> Claim:
    complete = sum(
        tuple(day for day, _ in images) == _DAYS
        and all(images[first][1] != images[first + 1][1] for first in (0, 2))
        for images in evidence.layout
    )
    n_images = sum(map(len, evidence.layout))
    here = _IMAGES(people=len(evidence.layout), images=n_images, complete=complete)
    published = (
        len(_DAYS) * _TEST_PEOPLE == _TEST_IMAGES,
        3 * _TRAINING_PEOPLE == _TRAINING_IMAGES,
        len(_DAYS) * len(evidence.layout) == n_images,
    )
    return _LAID_OUT.judged(here, exactly(all(published) and complete == len(evidence.layout), None))


def _about_copies(evidence: DesignEvidence) -> Claim:
    p, own = (chance_of_copies(n, _COPIES) for n in (evidence.n_resampled, len(evidence.layout)))
    here = _FOUR_TIMES(p=p, n=evidence.n_resampled, own=own, people=len(evidence.layout))
    return _DUPLICATED.judged(here, exactly(p > _LIKELY, None))


def chance_of_copies(n: int, copies: int) -> float:
    """Return the probability that at least one person is drawn `copies` times or more when n of n people are drawn with replacement.

    The numbers of draws are independent Poisson variables with mean 1, given that they add up to n. So the
    probability that no number reaches `copies` is the probability that n truncated variables add up to n,
    divided by the same for n untruncated variables.
    """
    truncated = np.array([exp(-1) / factorial(k) for k in range(copies)])
    sums, power, left = np.ones(1), truncated, n
    while left:
        if left % 2:
            sums = np.convolve(sums, power)[: n + 1]
        power = np.convolve(power, power)[: n + 1]
        left //= 2
    whole = exp(n * log(n) - n - lgamma(n + 1))
    return 1.0 - float(sums[n]) / whole if len(sums) > n else 1.0


def _about_columns(evidence: DesignEvidence) -> Claim:
    balanced, unbalanced = (_columns_used(listed) for listed in (evidence.balanced, evidence.unbalanced))
    across = all(choice in PAIRS for _, choice in (*evidence.balanced, *evidence.unbalanced))
    tolerance = 0 if len(evidence.balanced) % len(PAIRS) == 0 else 2
    uneven = max(map(np.ptp, unbalanced)) > tolerance
    holds = across and uneven and max(map(np.ptp, balanced)) <= tolerance
    here = _COLUMNS(
        **{
            f"{role}{suffix}": tuple(map(str, counts))
            for suffix, used in (("", balanced), ("_b", unbalanced))
            for role, counts in zip(("gallery", "probe"), used, strict=True)
        }
    )
    return _EQUAL.judged(here, exactly(holds, None))


def _columns_used(listed: Listed) -> tuple[list[int], list[int]]:
    """How often each of the four columns is the gallery, and how often the probe."""
    counts = [Counter(choice[role] for _, choice in listed) for role in (0, 1)]
    gallery, probe = ([each[column] for column in range(len(_DAYS))] for each in counts)
    return gallery, probe


def _about_rows(evidence: DesignEvidence) -> Claim:
    printed = (*evidence.printed_unbalanced, *evidence.printed_balanced)
    across = sum(choice in PAIRS for _, choice in printed)
    *first, (_, last) = evidence.printed_balanced
    pattern = [choice for _, choice in first]
    here = _ROWS(days=across, n=len(printed), pairs=len(set(pattern) & set(PAIRS)), of=len(PAIRS))
    holds = across == len(printed) and set(pattern) == set(PAIRS) and last == pattern[-1]
    return _PRINTED_ROWS.judged(here, exactly(holds, None))


def _about_tests(evidence: DesignEvidence) -> Claim:
    pairs = comb(evidence.n_algorithms, 2)
    here = _MADE(n=evidence.n_algorithms, pairs=pairs)
    return _TESTS.judged(here, exactly(pairs == _PRINTED_TESTS, None))
