"""McNemar's test carried out: two algorithms by the probes on which they differ, or several pairs, and categories of probes."""

from __future__ import annotations

from proband.analyses.mcnemar.request import McNemarRequest
from proband.errors import Hint, UsageError
from proband.inference.comparisons.chosen_pairs import chosen_pairs, every_two
from proband.inference.comparisons.mcnemar_table import McNemarTable, mcnemar_of_sets
from proband.study.context import Context
from proband.study.designs import chosen_of


def run(request: McNemarRequest, context: Context) -> McNemarTable:
    """Test every pair that is asked for."""
    named = {one.algorithm: one for one in context.outcomes}
    pairs = chosen_pairs(tuple(named), **chosen_of(request, tuple(named)))
    if pairs is None:
        if len(named) != 2:
            raise UsageError(
                f"McNemar's test compares two algorithms, got {len(named)}: {', '.join(named)}.",
                Hint(
                    "say which: {option:pairs=A-B}, or {option:against}; or pick two: FILE::NAME FILE::OTHER, or give two counts."
                ),
            )
        pairs = every_two(tuple(named), None)
    return mcnemar_of_sets(
        named,
        context.categories if request.by_category else (),
        pairs,
        request.rank,
        context.output.confidence_level,
        lambda part: {one.algorithm: one for one in context.ranks(part)},
    )
