"""What the commands share: consoles, progress bars, and reading what they all read. Data goes to stdout, talk to stderr."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from shutil import get_terminal_size, which
from typing import TYPE_CHECKING, Any

from proband.words import as_typed

if TYPE_CHECKING:
    import polars as pl
    from rich.console import Console
    from rich.progress import Progress as Bars, Task, TaskID
    from rich.text import Text

    from proband.engine import Progress
    from proband.report.tables.table import Table
    from proband.results.base import Answers
    from proband.samples import Samples
    from proband.words import Note

_BETWEEN = "working"  # what is done after a stage, and before the next one says what it is
_IN_A_PIPE = 160  # letters in a line, where no terminal says how many it has
# A word of a command with its quotes, or an option with its value.
_COMMAND_WORD = re.compile(r"""(?:-[\w-]+ (?!-))?(?:"[^"]*"|'[^']*'|\S)+""")


def typed() -> str:
    """The command as it was typed."""
    return as_typed("proband", *sys.argv[1:])


def program() -> str:
    """The program as the user can start it again: by its name if the shell finds it, otherwise as it was started."""
    started = Path(sys.argv[0])
    if started.parts[-2:] == ("proband", "__main__.py"):
        return as_typed(sys.orig_argv[0], "-m", "proband")
    found = which("proband")
    if started.stem != "proband" or (found and started.exists() and started.samefile(found)):
        return "proband"
    return as_typed(sys.argv[0])


def output() -> Console:
    """The console for results: wide when it is not a terminal."""
    return _as_wide_as_it_is(_plain())


def talk() -> Console:
    """The console for everything that is not a result."""
    return _as_wide_as_it_is(_plain(stderr=True))


def _as_wide_as_it_is(console: Console) -> Console:
    """A terminal has its own width, also one that rich takes for dumb; a pipe has what COLUMNS says."""
    if console.is_terminal:
        console.width = get_terminal_size().columns
    elif not columns_said():
        console.width = _IN_A_PIPE
    return console


def columns_said() -> bool:
    """Whether the width of a line is stated for what is not a terminal."""
    return os.environ.get("COLUMNS", "").isdecimal()


def _plain(stderr: bool = False) -> Console:
    """Make a console that prints names as they are: nothing in them is markup, an emoji or a command to the terminal."""
    from rich.console import Console
    from rich.segment import Segment

    from proband.words import printable

    class Plain(Console):
        def render_str(self, text: str, **options: Any) -> Text:
            return super().render_str(printable(text), **options)

        def render(self, *renderable: Any, **options: Any) -> Iterator[Segment]:
            for segment in super().render(*renderable, **options):
                # Controls of our own are marked as such; what is text may hold none.
                yield segment if segment.control else Segment(printable(segment.text), segment.style)

    return Plain(stderr=stderr, highlight=False, markup=False, emoji=False)


def print_json(plain: object, indent: int | None = 1) -> None:
    """Print results as JSON."""
    import typer

    from proband.engine.files.documents import as_json

    typer.echo(as_json(plain, indent), nl=False)


def show_tables(*tables: Table) -> None:
    """Print tables that fit the console; no line of them is wrapped or cut."""
    from proband.report.tables.terminal import as_terminal

    console = output()
    for table in tables:
        console.print(as_terminal(table, console.width), soft_wrap=True, end="")


def say(text: object, dim: bool = False, style: str | None = None) -> None:
    """Print a line of words; a note as a sentence."""
    from proband.words import Note, as_sentence

    line = as_sentence(text) if isinstance(text, Note) else str(text)
    _print_words(output(), line, style or ("dim" if dim else None))


def tell(text: object) -> None:
    """Print a line of words that is not a result."""
    _print_words(talk(), str(text), None)


def say_command(command: str) -> None:
    """Print a command as a result, to be copied: folded between words, with the backslash that a shell needs."""
    _print_command(output(), command)


def tell_command(command: str) -> None:
    """Print a command that is not a result, to be copied."""
    _print_command(talk(), command)


def _print_command(console: Console, command: str) -> None:
    indent = "  "
    folds = _folds(console) and sys.platform != "win32"  # whose shells mark it in other ways
    lines = [indent]
    for word in _COMMAND_WORD.findall(command):
        between = " " if lines[-1].strip() else ""
        # Two columns are left for the backslash.
        if between and folds and len(lines[-1] + between + word) > console.width - 2:
            lines[-1] += " \\"
            lines.append(2 * indent + word)
        else:
            lines[-1] += between + word
    for line in lines:
        console.print(line, markup=False, soft_wrap=True)


def _folds(console: Console) -> bool:
    """Whether lines are folded: at a terminal, or where a width is stated."""
    return console.is_terminal or columns_said()


def _print_words(console: Console, text: str, style: str | None) -> None:
    """Print words, folded at the width of a terminal; in a pipe a sentence is a line, which can be searched."""
    from proband.report.tables.terminal import folded
    from proband.words import printable

    words = printable(
        text.lstrip(" ")
    )  # what is shown by its number is longer, so it is made visible before lines are broken
    indent = text[: len(text) - len(text.lstrip(" "))]
    for line in folded(words, console.width - len(indent)) if _folds(console) else [words]:
        console.print(indent + line, style=style, markup=False, soft_wrap=True)


def say_all(texts: Iterable[object], dim: bool = True) -> None:
    """Print what stands below a table."""
    for text in texts:
        say(text, dim)


def say_below(
    notes: Iterable[Note | str],
    explain: bool,
    answers: Sequence[Answers] = (),
    beside: Iterable[Note | str] = (),
    confidence_level: float | None = None,
) -> None:
    """Print what stands below a table: three lines, or with `explain` everything.

    Parameters
    ----------
    notes
        Everything there is to say.
    explain
        Whether to say it.
    answers
        Of the numbers in the table.
    beside
        What is told elsewhere when everything is.
    confidence_level
        The level of the intervals in the table.
    """
    if explain:
        say_all(notes)
        return
    from proband.report.notes import in_brief

    for one in in_brief([*notes, *beside], answers, confidence_level):
        say(one, dim=one.level != "caution", style="yellow" if one.level == "caution" else None)


def wrote(path: Path) -> None:
    """Say what was written."""
    talk().print(f"wrote {path}", markup=False, soft_wrap=True)


def write_csv(frame: pl.DataFrame, path: Path | None) -> None:
    """Write a table as CSV, if that was asked for."""
    from proband.engine import written_whole
    from proband.engine.files.spreadsheets import write_spreadsheet

    if path is not None:
        with written_whole(path) as draft:
            write_spreadsheet(frame, draft)
        wrote(path)


@contextmanager
def progress_bars(quiet: bool = False) -> Iterator[Progress]:
    """Show a bar of the stage under way on stderr, if that is a terminal."""
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress as Bars,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text

    from proband.engine import Silent

    class Steps(MofNCompleteColumn):
        def render(self, task: Task) -> Text:
            return Text("") if task.total is None else super().render(task)

    class Time(TimeRemainingColumn):
        def render(self, task: Task) -> Text:
            return elapsed.render(task) if task.total is None else super().render(task)

    elapsed = TimeElapsedColumn()

    console = talk()
    if quiet or not console.is_terminal:
        yield Silent()
        return
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        Steps(),
        Time(),
    )
    with Bars(*columns, console=console, transient=True) as bars:
        yield _Bars(bars)


class _Bars:
    """The bar of the stage that is under way: a stage that is done makes room for the next, and none ever stands full."""

    def __init__(self, bars: Bars) -> None:
        self._bars = bars
        self._task: TaskID | None = None

    def begin(self, what: str, total: int) -> None:
        if self._task is not None:
            self._bars.remove_task(self._task)
        self._task = self._bars.add_task(what, total=total or None)

    def advance(self, steps: int) -> None:
        if self._task is None:
            return
        self._bars.advance(self._task, steps)
        if self._bars.tasks[0].finished:
            self.begin(_BETWEEN, 0)


def read_samples(
    path: Path | None,
    id_column: str,
    subject_column: str,
    failed: str | None,
    missing_values: str | None,
    label_columns: Collection[str] = (),
) -> Samples | None:
    """Read the samples table, if one was named: a table, or a CSU image list."""
    from proband.cli.options import words_of
    from proband.errors import UsageError
    from proband.study.sources import read_table

    if path is None:
        if failed is not None:
            raise UsageError("--failed is a condition on the samples table, so it needs --samples.")
        return None
    return read_table(path, id_column, subject_column, failed, words_of(missing_values), label_columns)
