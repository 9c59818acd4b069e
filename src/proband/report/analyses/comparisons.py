"""Comparisons as they are published: estimates with intervals, places, and letters for the algorithms each one beats."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from proband.engine.rendering import renders
from proband.inference import Comparison, Estimate
from proband.report.grids import Grid, as_rich, as_tex, in_markdown, tex_comment, tex_row
from proband.report.notes import answered, bullets
from proband.results.compared import metrics_statement
from proband.words import Note, Sentence, as_sentence, count, fixed, interval, level, out_of, run_of

if TYPE_CHECKING:
    from rich.table import Table

_LETTERS_APART = 8  # more letters are written as runs
_SUPERSCRIPTS = dict(zip("abcdefghijklmnoprstuvwxyz", "ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ", strict=True))
_RAISED_SIGNS = str.maketrans(_SUPERSCRIPTS | {"–": "⁻", ",": "˒"})

_RAISED = Sentence(
    "comparison.raised-letters",
    "note",
    "Raised letters: significantly better than these ({significance:given} after Holm's adjustment). Place: from one more than "
    "are significantly better, to all but those it beats",
)
_TIED = Sentence("comparison.not-told-apart", "note", "Not told apart: {groups:parts}")
_OVERALL = Sentence(
    "comparison.overall",
    "note",
    "Do they differ at all? Cochran's Q = {statistic:two}, {freedom:count degree} of freedom, p {p:p} ({method})",
)
_METHOD = Sentence("comparison.method", "note", "Method: {method}")


@dataclass(frozen=True)
class Row:
    """One algorithm in a publication table."""

    letter: str
    estimate: Estimate
    beats: str
    places: tuple[int, int]

    @property
    def name(self) -> str:
        """The algorithm."""
        return self.estimate.facts.algorithm

    @property
    def place(self) -> str:
        """The places it can hold."""
        return run_of(*self.places)

    @property
    def events(self) -> str:
        """What the value rests on."""
        n = self.estimate.facts.n_probes
        return count(n) if self.estimate.events is None else out_of(self.estimate.events, n)


def rows_of(comparison: Comparison) -> list[Row]:
    """The algorithms, the best first; each has a letter, and carries the letters of those it significantly beats."""
    ordered = comparison.ordered
    standing = {one.facts.algorithm: place for place, one in enumerate(ordered)}
    places = comparison.places()
    made = []
    for one in ordered:
        name = one.facts.algorithm
        beaten = sorted(standing[other] for other in comparison.beaten_by(name))
        made.append(Row(letter_of(standing[name]), one, _letters(beaten), places[name]))
    return made


def _letters(places: Sequence[int]) -> str:
    """The letters of some places; many of them as runs from one letter to another."""
    if len(places) <= _LETTERS_APART:
        return ",".join(map(letter_of, places))
    starts = [place for place in places if place - 1 not in places]
    ends = [place for place in places if place + 1 not in places]
    return ",".join(
        letter_of(start) if start == end else f"{letter_of(start)}–{letter_of(end)}"
        for start, end in zip(starts, ends, strict=True)
    )


def letter_of(place: int) -> str:
    """The letters a, b, … z without q (which has no superscript), then aa, ab, …"""
    alphabet = "".join(_SUPERSCRIPTS)
    more, last = divmod(place, len(alphabet))
    return (letter_of(more - 1) if more else "") + alphabet[last]


def _raised(letters: str) -> str:
    return letters.translate(_RAISED_SIGNS)


def _value(row: Row, mark: Callable[[str], str]) -> str:
    return f"{fixed(row.estimate.value)}{mark(row.beats)}"


def _interval(row: Row) -> str:
    return interval(row.estimate.low, row.estimate.high)


def comparison_table(comparison: Comparison) -> Table:
    """Make a table for the terminal."""
    return as_rich(comparison_grid(comparison))


def comparison_grid(comparison: Comparison) -> Grid:
    """Make the same table as text."""
    rows = (
        (row.letter, row.name, _value(row, _raised), _interval(row), row.events, row.place)
        for row in rows_of(comparison)
    )
    return Grid("", tuple(_header(comparison)), tuple(rows), names=2)


def _header(comparison: Comparison) -> list[str]:
    measured = str(comparison.estimates[0].answers.of)
    return ["", "algorithm", measured, f"{level(comparison.confidence_level)} interval", "events", "place"]


@renders(Comparison, "markdown")
def comparison_markdown(comparison: Comparison) -> str:
    """Write the publication table as Markdown, with what belongs beneath it."""
    lines = ["| " + " | ".join(_header(comparison)) + " |", "|---|---|--:|--:|--:|--:|"]
    for row in rows_of(comparison):
        cells = (row.letter, in_markdown(row.name), _value(row, lambda x: f" <sup>{x}</sup>" if x else ""), _interval(row), row.events, row.place)  # fmt: skip
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join([*lines, "", bullets(comparison_statements(comparison))]) + "\n"


@renders(Comparison, "latex")
def comparison_latex(comparison: Comparison) -> str:
    """Write the publication table as LaTeX; it needs the booktabs package."""
    header = tex_row(map(as_tex, _header(comparison)))
    lines = [r"\begin{tabular}{llrrrr}", r"\toprule", header, r"\midrule"]
    for row in rows_of(comparison):
        cells = (
            row.letter,
            as_tex(row.name),
            _value(row, lambda x: rf"$^{{\mathrm{{{x}}}}}$" if x else ""),
            _interval(row),
            as_tex(row.events),
            as_tex(row.place),
        )
        lines.append(tex_row(cells))
    lines += [r"\bottomrule", r"\end{tabular}"]
    return (
        "\n".join([*lines, *(tex_comment(as_sentence(one)) for one in comparison_statements(comparison))])
        + "\n"
    )


def comparison_statements(comparison: Comparison) -> list[Note]:
    """Say what the table means, a note each."""
    facts = [one.facts for one in comparison.estimates]
    said: list[Note] = [
        _RAISED(significance=comparison.significance),
        *dict.fromkeys(one.compared.statement() for one in facts if one.compared is not None),
        metrics_statement((one.algorithm, one.metric) for one in facts),
    ]
    groups = comparison.tie_groups()
    if groups:
        said.append(_TIED(groups=tuple(", ".join(group) for group in groups)))
    if comparison.overall is not None:
        found = comparison.overall
        said.append(
            _OVERALL(
                statistic=found.statistic,
                freedom=found.degrees_of_freedom,
                p=(found.p_value, found.method.floor),
                method=found.method,
            )
        )
    return [
        *said,
        _METHOD(method=comparison.pairs[0].method),
        answered(comparison.answers),
        *comparison.notes,
    ]
