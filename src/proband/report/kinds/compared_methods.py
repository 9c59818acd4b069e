"""Sentences on comparisons in the methods paragraph."""

from __future__ import annotations

from collections.abc import Sequence

from proband.inference import Comparison
from proband.inference.comparisons.comparison import Standings
from proband.report.methods_text import MethodsText
from proband.results.difference import margin_of
from proband.words import Sentence

_COMPARED = Sentence(
    "methods.compared", "note", "Algorithms were compared pairwise on the same data by {measures:row}"
)
_ESTIMATES = Sentence("methods.estimates", "note", "Estimates: {methods:parts}")
_DIFFERENCES = Sentence("methods.differences", "note", "Differences: {methods:parts}")
_TOGETHER = Sentence(
    "methods.single-step",
    "note",
    "p-values and intervals are adjusted for the {n:count} pairs of a comparison (single-step)",
)
_APART = Sentence(
    "methods.unadjusted",
    "caution",
    "p-values and intervals of some comparisons are not adjusted for the number of pairs",
)
_OVERALL = Sentence("methods.overall", "note", "Overall test of differences: Cochran's Q ({method})")
_EQUIVALENCE = Sentence(
    "methods.equivalence", "note", "Equivalence within {margin} is tested by two one-sided tests"
)


def say_comparisons(text: MethodsText, comparisons: Sequence[Standings]) -> None:
    """Describe how algorithms were compared."""
    if not comparisons:
        return
    measures = dict.fromkeys(one.estimates[0].answers.of for one in comparisons)
    text.say(_COMPARED(measures=tuple(measures)))
    text.say_methods(_ESTIMATES, (one.method for compared in comparisons for one in compared.estimates))
    text.say_methods(_DIFFERENCES, (pair.method for compared in comparisons for pair in compared.pairs))
    several = [one for one in comparisons if len(one.pairs) > 1]
    together = [len(one.pairs) for one in several if one.pairs[0].adjustment == "single-step"]
    if together:
        text.say(_TOGETHER(n=max(together)), "westfall1993")
    if len(together) < len(several):
        text.say(_APART())
    overall = next((one.overall for one in comparisons if isinstance(one, Comparison) and one.overall), None)
    if overall is not None:
        text.say(_OVERALL(method=overall.method), *overall.method.cites)
    margins = [one for one in comparisons if one.margin is not None]
    if margins:
        worth = margin_of(margins[0].margin, margins[0].pairs[0].in_points)
        text.say(_EQUIVALENCE(margin=worth), "schuirmann1987")
