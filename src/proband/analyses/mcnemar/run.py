"""Run McNemar's test for two algorithms or several pairs, over all probes and by category."""

from __future__ import annotations

from proband.analyses.mcnemar.request import McNemarRequest
from proband.errors import Hint, UsageError
from proband.inference.comparisons.chosen_pairs import chosen_pairs, every_two
from proband.inference.comparisons.mcnemar_table import McNemarTable, mcnemar_of_sets
from proband.study.context import Context
from proband.study.designs import chosen_of


def prepare(request: McNemarRequest, context: Context) -> tuple[tuple[str, str], ...]:
    """Find the requested pairs; raise an error if they are unknown or ambiguous."""
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
    """Test every requested pair."""
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
