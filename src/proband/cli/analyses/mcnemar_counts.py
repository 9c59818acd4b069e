"""``proband mcnemar 22 8``: McNemar's test of two counts, as papers state them."""

from __future__ import annotations

import re
from inspect import Parameter, signature
from pathlib import Path
from typing import Annotated, Any

import typer

from proband.cli.command import Command, flag, was_given
from proband.cli.console import print_json, say, say_below, show_tables
from proband.errors import UsageError
from proband.words import count, level, signed

_MOST_DIGITS = 12
_NUMBER = re.compile(r"[+-]?[\d.,]*\d(?:[eE][+-]?\d+)?")
_TESTS = {
    "p_greater": "one-sided, first better",
    "p_less": "one-sided, second better",
    "p_value": "two-sided, exact",
    "p_mid": "two-sided, mid-p",
}


_TOTAL = Annotated[
    int | None,
    typer.Option(
        "--total", "-n", help="Total number of probes, for the confidence interval of the difference."
    ),
]


def with_counts(scored: Command) -> Command:
    """McNemar's test of scores, or of two counts."""

    def do(**given: Any) -> int | None:
        total = given.pop("total")
        words = given["scores"] or []
        if words and all(word.isdecimal() for word in words):
            _of_counts(words, total, given, scored)
            return None
        number = next((word for word in words if _NUMBER.fullmatch(word) and not Path(word).exists()), None)
        if number is not None:
            raise UsageError(
                f"Counts of probes must be whole and not negative, got {number}.",
                "pass two counts, or score files.",
            )
        if total is not None:
            raise UsageError("--total applies to two counts only; scores define their own total.")
        return scored(**given)

    def parameters() -> list[Parameter]:
        own = Parameter("total", Parameter.KEYWORD_ONLY, default=None, annotation=_TOTAL)
        return [*signature(scored).parameters.values(), own]

    return Command(scored.__name__, scored.__doc__, do, parameters)


def _of_counts(words: list[str], total: int | None, given: dict[str, Any], scored: Command) -> None:
    """The test of two counts, as papers state them."""
    from proband.inference import mcnemar as test
    from proband.inference.comparisons.testing.mcnemar import tango_counts

    if len(words) != 2 or given["samples"] is not None:
        raise UsageError(
            f"McNemar's test takes two counts without --samples, or score files; got {' '.join(words)}"
            + ("." if given["samples"] is None else f" and {given['samples']}."),
            "pass the number of probes that only the first algorithm recognises, and the number that only the second recognises.",
        )
    _refuse_options(given, total, scored)
    long = [word for word in (*words, str(total or 0)) if len(word) > _MOST_DIGITS]
    if long:
        raise UsageError(f"{long[0]:.20}… cannot be a number of probes: it has {count(len(long[0]))} digits.")
    first, second = int(words[0]), int(words[1])
    if total is not None and total < first + second:
        raise UsageError(f"{first} + {second} discordant probes exceed the total of {total}.")
    plain: dict[str, Any] = test(first, second).to_dict()
    if total is not None:
        confidence = 0.95 if given["confidence_level"] is None else given["confidence_level"]
        ends = tango_counts(first, second, total, confidence)
        plain |= {
            "n": total,
            "value": (first - second) / total,
            "low": ends.low,
            "high": ends.high,
            "confidence_level": confidence,
        }
    _show({**plain, "notes": []}, given["json"], given["explain"])


def _refuse_options(given: dict[str, Any], total: int | None, scored: Command) -> None:
    """Refuse options that say how scores are read and ranked: two counts are of probes that were."""
    used = {"scores", "json", "explain", "threads", "quiet"} | (
        {"confidence_level"} if total is not None else set()
    )
    for one in signature(scored).parameters.values():
        if one.name not in used and was_given(one, given):
            needed = "--total" if one.name == "confidence_level" else "scores"
            raise UsageError(
                f"{flag(one.name)} requires {needed}; it has no effect with two counts.",
                f"leave {flag(one.name)} out.",
            )


def _show(plain: dict[str, Any], json: bool, explain: bool) -> None:
    if json:
        print_json(plain)
        return
    from proband.inference.comparisons.testing.mcnemar import ANSWERS, BESIDE_MID_P
    from proband.report.notes import answered
    from proband.report.tables.cells import columns, p_cell, text_cell
    from proband.report.tables.table import Table

    rows = ((text_cell(name), p_cell(plain[field], None)) for field, name in _TESTS.items())
    show_tables(Table("", columns("test", "p"), tuple(rows)))
    if "value" in plain:
        say(
            f"difference of rates {signed(plain['value'], 4)}, {level(plain['confidence_level'])} "
            f"[{signed(plain['low'], 4)}, {signed(plain['high'], 4)}] (Tango)"
        )
    confidence = plain.get("confidence_level")
    beside = [] if confidence is None else [BESIDE_MID_P(alpha=1 - confidence)]
    say_below([*beside, answered(ANSWERS)], explain, [ANSWERS], confidence_level=confidence)
