"""McNemar's test carried out: two algorithms by the probes on which they differ, or several pairs, and categories of probes."""

from __future__ import annotations

from proband.analyses.mcnemar.request import McNemarRequest
from proband.errors import Hint, UsageError
from proband.inference.comparisons.chosen_pairs import chosen_pairs, every_two
from proband.inference.comparisons.mcnemar_table import McNemarTable, mcnemar_of_sets
from proband.study.context import Context
from proband.study.designs import chosen_of


def prepare(request: McNemarRequest, context: Context) -> tuple[tuple[str, str], ...]:
    """Find the pairs that are asked for; refused where they are not there, or are not the only ones there could be."""
    names = context.names
    pairs = chosen_pairs(names, **chosen_of(request, names))
    if pairs is None and len(names) != 2:
        raise UsageError(
            f"McNemar's test compares two algorithms, got {len(names)}: {', '.join(names)}.",
            Hint(
                "name them with {option:pairs=A-B} or {option:against}, select two with FILE::NAME FILE::OTHER, or pass two counts."
            ),
        )
    return every_two(names, pairs)


def run(request: McNemarRequest, context: Context) -> McNemarTable:
    """Test every pair that is asked for."""
    named = {one.algorithm: one for one in context.outcomes}
    pairs, level = prepare(request, context), context.output.confidence_level
    return mcnemar_of_sets(
        named,
        context.categories if request.by_category else (),
        pairs,
        request.rank,
        level,
        lambda part: {one.algorithm: one for one in context.ranks(part)},
    )
