"""``proband mcnemar``: two algorithms, by the probes on which they differ."""

from __future__ import annotations

from inspect import Parameter, signature
from typing import TYPE_CHECKING, Annotated, Any

import typer

from proband.cli import options as o
from proband.cli.analyses.command import Command, analysis, flag, was_given
from proband.cli.console import print_json, say, say_below, show_tables, write_csv, write_latex
from proband.errors import UsageError
from proband.words import count, level, plain, signed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from proband.study.findings import Findings
    from proband.study.requests import Request
    from proband.words import Note

_MOST_DIGITS = 12
_OF_ONE = (
    *("ss", "sf", "fs", "ff", "n_sf", "n_fs", "p_greater", "p_less", "p_two_sided", "p_mid"),
    *("confidence_level", "n", "low", "high", "notes", "difference"),
)
"""What is said of one test, as of two counts."""
_TESTS = {
    "p_greater": "one-sided, first better",
    "p_less": "one-sided, second better",
    "p_two_sided": "two-sided, exact",
    "p_mid": "two-sided, mid-p",
}


@analysis("mcnemar", "McNemar's test", categories=True, output=("confidence_level", "formats"))
def _of_scores(
    found: Findings,
    request: Request,
    csv: o.Csv = None,
    latex: o.Latex = None,
    *,
    json: bool,
    explain: bool,
) -> None:
    from proband.analyses.mcnemar.tables import (
        ANSWERS,
        mcnemar_rows,
        mcnemar_statements,
        statements_of_one,
    )

    result = found["mcnemar"]
    assert result is not None  # what was asked for
    write_csv(result.to_frame(), csv)
    write_latex(latex, mcnemar_rows(result))
    if len(result.rows) == 1:
        notes = statements_of_one(result)
        one = {**result.rows[0].to_dict(), "confidence_level": result.confidence_level, "notes": plain(notes)}
        _show({name: one[name] for name in _OF_ONE}, notes, json, explain, found.notes)
        return
    if json:
        print_json(result.to_dict())
        return
    show_tables(mcnemar_rows(result))
    say_below(mcnemar_statements(result), explain, [ANSWERS], found.notes)


def _mcnemar(**given: Any) -> None:
    """McNemar's exact test, from two counts or from scores.

    One- and two-sided, and mid-p. Probes are taken to be independent: with several probes of a person use proband compare, which knows that people are shared.

    [bold]Examples[/bold]

    Only the first recognises 104 probes, only the second 40 (FERET's fb probes, Beveridge et al. 2001):

      proband mcnemar 104 40 --total 1195

    From scores:

      proband mcnemar a.npy b.npy -s samples.csv --orientation similarity

    Over all probes and within FERET's probe sets, each algorithm against a baseline (Table 4 of that paper):

      proband mcnemar scores.npz -s samples.csv --orientation similarity --feret --against pca
    """
    total = given.pop("total")
    words = given["scores"] or []
    if words and all(word.isdecimal() for word in words):
        _of_counts(words, total, given)
    elif total is not None:
        raise UsageError("--total goes with two counts; scores bring their own.")
    else:
        _of_scores(**given)


_TOTAL = Annotated[
    int | None,
    typer.Option("--total", "-n", help="Number of probes in all, for the interval of the difference."),
]


def _options() -> list[Parameter]:
    own = Parameter("total", Parameter.KEYWORD_ONLY, default=None, annotation=_TOTAL)
    return [*signature(_of_scores).parameters.values(), own]


mcnemar = Command(_mcnemar, _mcnemar, _options)
mcnemar.__name__ = "mcnemar"


def _of_counts(words: list[str], total: int | None, given: dict[str, Any]) -> None:
    """The test of two counts, as papers state them."""
    from proband.inference import mcnemar as test
    from proband.inference.comparisons.testing.mcnemar import tango_counts

    if len(words) != 2 or given["samples"] is not None:
        raise UsageError(
            f"McNemar's test takes two counts and no samples, or score files; got {' '.join(words)}"
            + ("." if given["samples"] is None else f" and {given['samples']}."),
            "the counts are of probes that only the first, and only the second recognises.",
        )
    _refuse_options(given, total)
    long = [word for word in (*words, str(total or 0)) if len(word) > _MOST_DIGITS]
    if long:
        raise UsageError(f"{long[0]:.20}… is no number of probes: it has {count(len(long[0]))} digits.")
    first, second = int(words[0]), int(words[1])
    if total is not None and total < first + second:
        raise UsageError(f"{first} + {second} discordant probes cannot be among {total}.")
    plain: dict[str, Any] = test(first, second).to_dict()
    if total is not None:
        confidence = 0.95 if given["confidence_level"] is None else given["confidence_level"]
        ends = tango_counts(first, second, total, confidence)
        difference = (first - second) / total
        plain |= {
            "n": total,
            "difference": difference,
            "low": ends.low,
            "high": ends.high,
            "confidence_level": confidence,
        }
    _show({**plain, "notes": []}, [], given["json"], given["explain"])


def _refuse_options(given: dict[str, Any], total: int | None) -> None:
    """Refuse options that say how scores are read and ranked: two counts are of probes that were."""
    used = {"scores", "json", "explain", "threads", "quiet"} | (
        {"confidence_level"} if total is not None else set()
    )
    for one in signature(_of_scores).parameters.values():
        if one.name not in used and was_given(one, given):
            needed = "--total" if one.name == "confidence_level" else "scores"
            raise UsageError(
                f"{flag(one.name)} goes with {needed}; it has no effect with two counts.",
                f"leave {flag(one.name)} out.",
            )


def _show(
    plain: dict[str, Any], said: Sequence[Note], json: bool, explain: bool, beside: Sequence[Note] = ()
) -> None:
    if json:
        print_json(plain)
        return
    if "ss" in plain:
        say(
            f"both {count(plain['ss'])}, only the first {count(plain['sf'])}, only the second {count(plain['fs'])}, "
            f"neither {count(plain['ff'])}"
        )
    from proband.analyses.mcnemar.tables import ANSWERS
    from proband.report.cells import columns, p_cell, text_cell
    from proband.report.notes import answered
    from proband.report.table import Table

    rows = ((text_cell(name), p_cell(plain[field], None)) for field, name in _TESTS.items())
    show_tables(Table("", columns("test", "p"), tuple(rows)))
    if "difference" in plain:
        say(
            f"difference of rates {signed(plain['difference'], 4)}, {level(plain['confidence_level'])} "
            f"[{signed(plain['low'], 4)}, {signed(plain['high'], 4)}] (Tango)"
        )
    say_below([*said, answered(ANSWERS)], explain, [ANSWERS], beside)
