"""Every table of the product, in every form: it fits, no number and no name is cut, and values are kept whole."""

from __future__ import annotations

import csv
import functools
import io
import os
import pkgutil
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass, fields, is_dataclass, replace
from importlib import import_module
from inspect import getmembers, isfunction
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.golden.freeze import fresh
from tests.report.legible import WIDTHS, check
from tests.report.page import finding

import proband.analyses
import proband.report.kinds
from proband.cli import main
from proband.engine.rendering import Shown, render
from proband.errors import UsageError
from proband.report import columns as col
from proband.report.page.model import Block, ChartBlock, Folded, Panels
from proband.report.tables import terminal
from proband.report.tables.cells import columns, interval_cell, over, rate_cell, share_cell, text_cell
from proband.report.tables.formats import as_csv, as_html, as_latex, as_markdown
from proband.report.tables.table import Cell, Column, Table
from proband.report.tables.terminal import as_terminal
from proband.results.base import Result
from proband.study.findings import Findings

S = "scores.npz -s samples.csv"
G = """-g "session == 1 and kind == 'fa'" """
NEAREST = "-c sklearn.neighbors:KNeighborsClassifier(n_neighbors=1)"
# Every command that prints a table, so that every maker of tables is asked for one.
COMMANDS = (
    f"evaluate {S} {G} --report evaluated.html",
    f"evaluate {S} {G} --feret",
    f"evaluate {S} {G} --by sex --measure median-rank@5 --measure rank-3",
    f"evaluate a={S.replace(' ', '::strong ', 1)} b=scores.npz::strong c=scores.npz::weak d=scores.npz::weak e=scores.npz::middling {G} --by sex",
    f"evaluate {S} {G} --measure median-rank@5 --design bootstrap --overlap",
    f"compare {S} {G} --report compared.html",
    "compare outcomes.csv --outcomes --item question --algorithm model --success correct --cluster document",
    "survey survey.csv --weights weight --strata site --units person --mean success --total x --by sex --differences",
    "datasets accuracies.csv --dataset name",
    "classify logits.npz --report classified.html",
    "classify labels.csv --predicted A=deep,B=flat --cluster patient",
    f"verify {S} --fmr 0.05,0.01 --threshold 0.6 --replicates 100 --by sex --report verified.html",
    f"verify {S} --fmr 0.05 --replicates 0 --naive --zoo --markdown verified.md",
    f"verify {S} --pairs folds.csv",
    f"search {S} -g \"session == 1 and kind == 'fa' and age < 44\" --fpir 0.2,0.1 --ranks 1,3 --sizes 8",
    f"feret {S} {G} --galleries 3 --order date --ages date --version weak=middling --sizes 8,16 --reject 0.25 --fpir 0.1,0.2 --participants participants.csv --verification auc",
    f"permute {S} --groups session --trials 100 --max-rank 3",
    f"permute {S} --groups session --exact --max-rank 3",
    f"permute {S} --groups session --trainings",
    f"strat {S} --images 4 --explain",
    f"covariates {S} {G} --on sex*algorithm+elapsed(date) --explain",
    f"partition {S} {G}",
    f"strat {S} {G} --sensors camera --strata site --units subject",
    "mcnemar 60 38 --total 722",
    f"mcnemar {S} {G} --by sex --against weak",
    f"gate {S} --baseline weak --candidate strong -g one_per_subject",
    f"threshold {S} --fmr 0.05,0.02",
    f"inspect {S}",
    "audit splits.csv -s samples.csv --label sex --images images.npz",
    "literature feret --all",
    "card diff feret-6.json feret-7.json --all",
    f'protocol run first.npz::first -s samples.csv {NEAREST} --label sex -P "2×5f CV+" --subjects 10 --draws 1 --out run --markdown run.md',
    f'protocol run first.npz::first -s samples.csv {NEAREST} -c sklearn.neighbors:NearestCentroid() --label sex -P "2f CV" -P "2f CV+"',
    f'protocol what-if mixed -i first.npz::first -s samples.csv {NEAREST} --label sex -p "2f CV"',
)  # fmt: skip


@dataclass
class Printed:
    """What the program printed into a pipe, and what was asked for on the way."""

    text: dict[str, str]
    tables: list[Table]
    makers: set[str]


def makers() -> Iterator[tuple[Any, str]]:
    """Every public function of the analyses, and of kinds of results, that makes tables."""
    homes = [(one.__path__, f"{one.__name__}.") for one in (proband.analyses, proband.report.kinds)]
    for found in (one for path, name in homes for one in pkgutil.walk_packages(path, name)):
        module = import_module(found.name)
        for name, function in getmembers(module, isfunction):
            of_tables = function.__annotations__.get("return") in ("Table", "list[Table]")
            if of_tables and function.__module__ == found.name and not name.startswith("_"):
                yield module, name


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> Printed:
    """Run every command once in a pipe, watching the tables that go by."""
    folder = tmp_path_factory.mktemp("data")
    fresh(folder)
    ids = pl.read_csv(folder / "samples.csv")["id"].to_list()
    pairs = {"query": ids[:24], "target": ids[1:25], "fold": [k % 3 for k in range(24)]}
    pl.DataFrame(pairs).write_csv(folder / "folds.csv")
    made = Printed({}, [], set())

    def watched(function: Any, name: str) -> Any:
        @functools.wraps(function)
        def call(*args: Any, **options: Any) -> Any:
            made.makers.add(name)
            return function(*args, **options)

        return call

    def laid_out(table: Table, width: int) -> Any:
        made.tables.append(table)
        return as_terminal(table, width)

    with pytest.MonkeyPatch.context() as patch:
        for home, name in makers():
            function = getattr(home, name)
            held = [one for key, one in sys.modules.items() if key.startswith("proband.")]
            for module in held:
                if vars(module).get(name) is function:
                    patch.setattr(module, name, watched(function, name))
        patch.setattr(terminal, "as_terminal", laid_out)
        for command in COMMANDS:
            said = io.StringIO()
            with (
                pytest.raises(SystemExit) as stop,
                chdir(folder),
                redirect_stdout(said),
                redirect_stderr(io.StringIO()) as complaint,
            ):
                main(shlex.split(command))
            assert stop.value.code in (0, None, 3), (command, complaint.getvalue())
            made.text[command] = said.getvalue()
    return made


def test_every_maker_of_tables_is_asked_by_some_command(printed: Printed) -> None:
    assert {name for _, name in makers()} - printed.makers == set()


def test_there_is_no_other_kind_of_table() -> None:
    sources = Path(proband.__file__).parent.rglob("*.py")
    assert [path.name for path in sources if "rich.table" in path.read_text(encoding="utf-8")] == []


@pytest.mark.parametrize("width", WIDTHS)
def test_every_printed_table_fits_and_cuts_nothing(printed: Printed, width: int) -> None:
    assert len(printed.tables) >= 30
    for table in printed.tables:
        check(table, width)


def test_a_pipe_gets_plain_lines_of_a_stated_width(printed: Printed) -> None:
    for table in printed.tables:
        shown = check(table, 160)
        assert "\x1b" not in shown
    for command, text in printed.text.items():
        assert "\x1b" not in text, command
        assert all(len(line) <= 160 for line in text.splitlines() if set(line) <= {"─"}), command
    whole = "\n".join(printed.text.values())
    assert all(as_terminal(table, 160).plain.rstrip() in whole for table in printed.tables)


def blocks(several: tuple[Block, ...]) -> Iterator[Block]:
    for block in several:
        yield block
        if isinstance(block, Folded | Panels):
            yield from blocks(block.blocks)


@pytest.mark.parametrize("made", [finding.whole, finding.feret, finding.one])
def test_every_table_of_a_page_would_fit_a_terminal(made: Any) -> None:
    page = finding.page(made)
    every = [block for section in page.sections for block in blocks(section.blocks)]
    tables = [
        one.data if isinstance(one, ChartBlock) else one
        for one in every
        if isinstance(one, Table | ChartBlock)
    ]
    assert tables
    for table in tables:
        for width in (60, 120):
            check(replace(table, rows=table.rows[:8]), width)


@pytest.mark.long
def test_a_terminal_of_60_columns_gets_60(tmp_path: Path) -> None:
    pty = pytest.importorskip("pty")
    fresh(tmp_path)
    reader, writer = pty.openpty()
    done = subprocess.run(
        [sys.executable, "-m", "proband", "literature", "feret"], cwd=tmp_path, stdout=writer, stderr=writer, check=False, env={**os.environ, "COLUMNS": "60"},
    )  # fmt: skip
    os.close(writer)
    with os.fdopen(reader, "rb", buffering=0) as screen:
        shown = screen.read(4000).decode(errors="replace")
    assert done.returncode == 0
    table = re.sub(r"\x1b\[[\d;]*m", "", shown).split("Same protocol")[0]
    assert max(map(len, table.splitlines())) == 60 or "\r\n\r\n" in table
    assert all(len(line) <= 60 for line in table.splitlines())


NAMES = ("a name of many words that has to be folded somewhere", "hyphen-ated-name-of-many-parts", "x" * 50)


@pytest.mark.parametrize("width", [30, 40, 54, 60, 80, 200])
def test_names_fold_and_numbers_do_not(width: int) -> None:
    rows = tuple(
        (text_cell(name), *(over(rate_cell(0.123456), interval_cell((1e-9, 1234.5))) for _ in range(6)))
        for name in NAMES[: 3 if width >= 54 else 2]
    )
    table = Table("a caption", columns("algorithm", *(f"a long heading {k}" for k in range(6))), rows)
    shown = check(table, width)
    assert shown.count("[0.0000, 1,234.5000]") == 6 * len(rows)


def test_a_name_wider_than_the_terminal_stays_whole() -> None:
    table = Table("", columns("algorithm", "rate"), ((text_cell("y" * 90), rate_cell(0.5)),))
    assert as_terminal(table, 60).plain.split("\n")[:2] == ["y" * 90, "  rate: 0.5000"]


def test_a_number_in_an_exponent_is_not_folded_at_its_hyphen() -> None:
    table = Table("", (Column("", "name"), Column("found")), ((text_cell("a"), text_cell("p = 1e-05 " * 9)),))
    assert as_terminal(table, 21).plain.count("1e-05") == 9


def test_what_tells_rows_apart_stands_in_every_block() -> None:
    (first, *_) = finding.whole()["verification"].verification
    from proband.analyses.verification.tables import operating_points_table

    shown = as_terminal(replace(operating_points_table([first]), notes=()), 60).plain
    parts = [part for part in shown.split("\n\n") if part.strip()]
    assert len(parts) > 1
    for part in parts:
        for point in first.points:
            assert re.search(rf"sharp +{point.target_fmr} ", part)


def test_options_are_never_broken_and_words_only_where_they_must_be() -> None:
    text = "pass --allow-training-overlap, or --outcome log-rank"
    assert terminal.folded(text, 20) == ["pass", "--allow-training-overlap,", "or --outcome", "log-rank"]


def test_blocks_leave_out_empty_rows_and_one_row_tells_its_last_counts_below() -> None:
    wide = columns("algorithm", "a_rate_with_a_long_heading", "b", "probes")
    row = (text_cell("net"), rate_cell(0.5), rate_cell(0.25), Cell("1,234", 1234))
    about = (text_cell("people"), text_cell("12"), text_cell(""), text_cell(""))
    first, second = as_terminal(Table("", wide, (row, about)), 40).plain.strip().split("\n\n")
    assert ("people" in first, "people" in second) == (True, False)
    (only, below) = as_terminal(Table("", wide, (row,)), 46).plain.strip().split("\n\n")
    assert ("0.2500" in only, below) == (True, "probes 1,234.")


TABLE = Table(
    "what & why",
    (
        Column("algorithm", "name"),
        Column("rate", "number"),
        Column("errors", "number", key="n"),
        Column("rate", "number"),
    ),
    (
        (text_cell("=a|b"), over(rate_cell(1 / 3, "*"), interval_cell((0.1, 0.9))), share_cell(1, 3), rate_cell(0.5)),
        (text_cell("c"), Cell("–"), share_cell(0, 3), rate_cell(1.0)),
    ),
    ("a note",),
    rules=(1,),
)  # fmt: skip


def test_forms_of_a_table() -> None:
    assert as_markdown(TABLE).splitlines() == [
        "**what &amp; why**",
        "",
        "| algorithm | rate | errors | rate |",
        "|---|--:|--:|--:|",
        r"| =a\|b | 0.3333 <sup>*</sup><br>[0.1000, 0.9000] | 1 of 3 | 0.5000 |",
        "| c | – | 0 of 3 | 1.0000 |",
        "",
        "- a note",
    ]
    assert as_latex(TABLE).splitlines() == [
        "% what & why",
        r"\begin{tabular}{lrrr}",
        r"\toprule",
        r"algorithm & rate & errors & rate \\",
        r"\midrule",
        r"=a$|$b & 0.3333$^{\mathrm{*}}$ [0.1000, 0.9000] & 1 of 3 & 0.5000 \\",
        r"\midrule",
        r"c & -- & 0 of 3 & 1.0000 \\",
        r"\bottomrule",
        r"\end{tabular}",
        "% a note",
    ]
    assert "<sup>*</sup></div><div" in as_html(TABLE)


def test_csv_has_values_and_no_formulas() -> None:
    rows = list(csv.reader(io.StringIO(as_csv(TABLE))))
    assert rows[0] == [
        "algorithm",
        "rate",
        "rate, low",
        "rate, high",
        "rate, marks",
        "n, n",
        "n, of",
        "rate (2)",
    ]
    assert rows[1] == ["'=a|b", repr(1 / 3), "0.1", "0.9", "*", "1", "3", "0.5"]
    assert rows[2] == ["c", "", "", "", "", "0", "3", "1.0"]


def test_csv_cuts_no_number_after_whole_ones() -> None:
    rows = tuple((text_cell("a"), Cell("x", value)) for value in [1] * 150 + [1.5])
    assert as_csv(Table("", columns("a", "b"), rows)).splitlines()[-1] == "a,1.5"


class Plain(Shown):
    """A result of nobody's kind."""

    def to_frame(self, *, wide: bool = False) -> pl.DataFrame:
        return pl.DataFrame({"who": ["a", "b<"], "n": [1, 2000], "share": [0.5, None], "sure": [True, False]})


def test_a_result_without_tables_of_its_own_shows_its_frame() -> None:
    result = Plain()
    assert "<td" in result._repr_html_()
    assert "b&lt;" in result._repr_html_()
    assert r"b$<$ & 2,000 & -- & no \\" in result.to_latex()
    assert "| a | 1 | 0.5 | yes |" in result.to_markdown()
    assert render(result, "csv").startswith("who,n,share,sure\na,1,0.5,yes\n")
    assert "2,000" in render(result, "terminal", width=60)
    with pytest.raises(UsageError, match="A Plain cannot be plotted"):
        result.plot()


def test_a_result_without_a_frame_says_so() -> None:
    class Bare(Shown):
        pass

    with pytest.raises(UsageError, match="A Bare has no table"):
        Bare().to_latex()


def test_a_derived_kind_is_shown_as_what_it_derives_from() -> None:
    compared = next(iter(finding.whole()["comparison"].comparisons.values()))
    kind = type("Derived", (type(compared),), {})
    derived = object.__new__(kind)
    derived.__dict__.update(vars(compared))
    assert derived.to_latex() == compared.to_latex()


def results(part: Any) -> Iterator[Result]:
    """Every result within another, however deep."""
    if isinstance(part, Result):
        yield part
    inner: list[Any] = []
    if isinstance(part, Findings):
        inner = list(part.parts.values())
    elif is_dataclass(part):
        inner = [getattr(part, one.name) for one in fields(part)]
    elif isinstance(part, dict):
        inner = list(part.values())[:2]
    elif isinstance(part, list | tuple):
        inner = list(part)[:2]
    for one in inner:
        yield from results(one)


@pytest.mark.parametrize("made", [finding.whole, finding.feret])
def test_every_form_of_every_result_follows_from_its_tables(made: Any) -> None:
    kinds = {type(one): one for one in results(made())}
    assert len(kinds) > 10
    for one in kinds.values():
        tables = render(one, "table")
        rows = sum(len(table.rows) for table in tables)
        wide = rows * len(tables[0].columns) > 5_000
        for form in (
            () if wide else ("html",) if rows > 60 else ("html", "latex", "markdown", "csv", "terminal")
        ):
            assert render(one, form), (type(one), form)
        check(replace(tables[0], rows=tables[0].rows[:9], notes=()), 80)


def test_a_notebook_is_not_flooded() -> None:
    table = Table("", columns("n"), tuple((text_cell(str(k)),) for k in range(1000)))
    assert as_html(table).count("<tr>") == 201
    assert "800 more rows not shown." in as_html(table)


def test_counts_that_are_alike_in_every_row_stand_below_a_table_that_is_too_wide() -> None:
    def table(gallery: int) -> Table:
        return col.table_of(
            "",
            [("net", 0.9, 40), ("old", 0.8, gallery)],
            col.name("algorithm", lambda row: row[0]),
            col.rate("rank 1", lambda row: row[1]),
            col.count("gallery", lambda row: row[2]),
        )

    wide, narrow = as_terminal(table(40), 80).plain, as_terminal(table(40), 20).plain
    assert "gallery" in wide.splitlines()[0]
    assert narrow.count("algorithm") == 1
    assert "gallery 40" in " ".join(narrow.split())
    assert as_terminal(table(41), 20).plain.count("algorithm") == 2


def test_a_note_on_an_asterisk_is_no_list_in_markdown() -> None:
    noted = Table("", (Column("algorithm", "name"),), (), notes=("* based on fewer than 30 errors",))
    assert "- \\* based on" in as_markdown(noted)
