from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import proband as pb
from proband.engine.rendering import render
from proband.inference.comparisons.comparison import in_short
from proband.report.kinds.comparisons import (
    comparison_statements,
    comparison_table,
    letter_of,
    rows_of,
    told_and_left,
)
from proband.report.kinds.differences import difference_tables, pairs_shown
from proband.report.tables.cells import columns, text_cell
from proband.report.tables.table import Table
from proband.report.tables.terminal import as_terminal
from proband.results.difference import turned
from proband.words import as_sentence


@pytest.fixture
def comparison() -> pb.results.Comparison:
    ids = [f"{side}{k}" for side in "gp" for k in range(60)]
    samples = pb.Samples({"id": ids, "subject": [name[1:] for name in ids]})
    experiment = pb.Experiment(samples, gallery=ids[:60])
    scores = {}
    for name, wrong in (("net_50%", 2), ("close", 3), ("poor|old", 40)):
        values = np.eye(60)
        values[:wrong] = 0.5
        scores[name] = pb.Scores.from_array(values, ids[60:], ids[:60], orientation="similarity", name=name)
    return pb.compare(scores, experiment, measure=pb.measures.RecognitionRate(1))


def test_letters_go_on_beyond_the_alphabet():
    assert [letter_of(place) for place in (0, 15, 16, 24, 25, 26, 50)] == [
        "a",
        "p",
        "r",
        "z",
        "aa",
        "ab",
        "ba",
    ]
    assert len({letter_of(place) for place in range(1000)}) == 1000


def test_rows_are_in_order_with_letters_of_the_beaten(comparison):
    rows = rows_of(comparison)
    assert [(row.letter, row.name, row.beats, row.places) for row in rows] == [
        ("a", "net_50%", "c", (1, 2)),
        ("b", "close", "c", (1, 2)),
        ("c", "poor|old", "", (3, 3)),
    ]
    assert [cell.text for cell in comparison_table(comparison).rows[0][-2:]] == ["58 of 60", "1–2"]


def test_markdown_and_csv(comparison):
    text = comparison.to_markdown()
    assert "| a | net_50% | 0.9667 <sup>c</sup> |" in text
    assert r"poor\|old" in text
    assert "Not significantly different: net_50%, close." in text
    lines = comparison.to_csv().splitlines()
    assert lines[0].startswith("first,second,measure,value,low,high,confidence_level")
    assert len(lines) == 4


def test_latex_is_escaped(comparison):
    text = comparison.to_latex()
    assert r"net\_50\%" in text
    assert r"0.9667$^{\mathrm{c}}$" in text
    assert r"\toprule" in text


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no LaTeX here")
def test_latex_compiles(comparison, tmp_path: Path):
    page = rf"\documentclass{{article}}\usepackage{{booktabs}}\begin{{document}}{comparison.to_latex()}\end{{document}}"
    (tmp_path / "t.tex").write_text(page, encoding="utf-8")
    done = subprocess.run(["pdflatex", "-interaction=nonstopmode", "t.tex"], cwd=tmp_path, check=False)
    assert done.returncode == 0


def test_table_for_the_terminal_survives_odd_names(comparison):
    shown = as_terminal(comparison_table(comparison), 80).plain
    assert "0.9667ᶜ" in shown
    assert "poor|old" in shown


def test_many_letters_are_written_as_runs():
    from proband.report.kinds.comparisons import _letters

    assert _letters([2, 3, 4]) == "c,d,e"
    assert _letters([1, *range(3, 12), 30]) == "b,d–l,af"


@pytest.mark.parametrize(
    "name", ["a\n\\input{x}", "\\write18{x}", "a\r\n\n\\end{tabular}", "[0pt] & $x", "*b%", "\x1b[2Jc"]
)
def test_no_name_is_a_command_of_latex(name: str) -> None:
    from proband.report.tables.formats import as_latex, as_tex, tex_comment

    assert len(tex_comment(f"of {name}.").splitlines()) == 1
    written = as_latex(Table(name, columns("algorithm", "rate"), ((text_cell(name), text_cell("1")),)))
    assert len(written.splitlines()) == 8
    row = written.splitlines()[5]
    assert as_tex(name) in row
    assert row.count("\\") == as_tex(name).count("\\") + 2
    assert not row.startswith(("[", "*"))
    assert not re.search(r"\\(input|write|end)", row)
    assert row.isprintable()


def many(n: int) -> pb.results.Comparison:
    ids = [f"{side}{k}" for side in "gp" for k in range(40)]
    samples = pb.Samples({"id": ids, "subject": [name[1:] for name in ids]})
    scores = []
    for wrong in range(n):
        values = np.eye(40)
        values[: 2 * wrong] = 0.5
        scores.append(
            pb.Scores.from_array(values, ids[40:], ids[:40], orientation="similarity", name=f"net {wrong}")
        )
    return pb.compare(
        scores, pb.Experiment(samples, gallery=ids[:40]), measure=pb.measures.RecognitionRate(1)
    )


def test_three_algorithms_show_who_leads_and_every_difference(comparison):
    _, differences = render(comparison, "table")
    assert [column.title for column in differences.columns] == [
        "first",
        "second",
        "difference, points",
        "95% interval",
        "adjusted p",
        "verdict",
    ]
    assert len(differences.rows) == 3
    assert "\n\n" not in as_terminal(differences, 80).plain.split("Differences")[1].split("\nnet")[0]
    html, text = comparison._repr_html_(), " ".join(repr(comparison).split())
    assert "net_50% and close lead" in html
    for pair in comparison.pairs:
        assert as_sentence(in_short(pair.sentence())) in text
    assert "adjusted p" in html


def test_two_algorithms_say_it_in_a_sentence():
    found = many(2)
    assert len(render(found, "table")) == 1
    assert as_sentence(found.pairs[0].sentence()) in " ".join(repr(found).split())


def test_of_many_algorithms_the_leading_pairs_are_shown_and_the_others_counted():
    found = many(8)
    _, differences = render(found, "table")
    assert len(differences.rows) == 15
    assert differences.rows[0][0].text == "net 0"
    assert "first 15 of 28 pairs" in differences.caption
    assert "The other 13 are in the frame and the CSV file." in differences.notes
    assert "… and 18 more pairs: to_frame() has all." in repr(found)


def test_the_better_algorithm_of_a_pair_stands_first():
    ids = [f"{side}{k}" for side in "gp" for k in range(40)]
    samples = pb.Samples({"id": ids, "subject": [name[1:] for name in ids]})
    scores = []
    for name, wrong in (("worst", 30), ("middle", 10), ("best", 0)):
        values = np.eye(40)
        values[:wrong] = 0.5
        scores.append(pb.Scores.from_array(values, ids[40:], ids[:40], orientation="similarity", name=name))
    found = pb.compare(
        scores, pb.Experiment(samples, gallery=ids[:40]), measure=pb.measures.RecognitionRate(1)
    )
    _, differences = render(found, "table")
    assert [(row[0].text, row[1].text, row[2].text) for row in differences.rows] == [
        ("best", "middle", "+25.00"),
        ("best", "worst", "+75.00"),
        ("middle", "worst", "+50.00"),
    ]


def test_comparisons_by_category_have_their_tables():
    ids = [f"{side}{k}" for side in "gp" for k in range(40)]
    samples = pb.Samples(
        {"id": ids, "subject": [name[1:] for name in ids], "half": ["ab"[int(name[1:]) % 2] for name in ids]}
    )
    scores = []
    for wrong in (0, 4):
        values = np.eye(40)
        values[:wrong] = 0.5
        scores.append(
            pb.Scores.from_array(values, ids[40:], ids[:40], orientation="similarity", name=f"n{wrong}")
        )
    found = pb.compare(
        scores, pb.Experiment(samples, gallery=ids[:40]), measure=pb.measures.RecognitionRate(1), by="half"
    )
    html = found._repr_html_()
    assert html.count("<table") == len(found.comparisons) == 3
    assert "adjusted p" in html


def test_pairs_have_one_order_everywhere(comparison):
    """The best algorithms first and in each pair the better one: in tables, verdicts and the representation."""
    worst_first = replace(
        comparison,
        estimates=tuple(reversed(comparison.estimates)),
        pairs=tuple(turned(pair) for pair in reversed(comparison.pairs)),
    )
    assert worst_first.pairs[0].first == "poor|old"
    expected = [("net_50%", "close"), ("net_50%", "poor|old"), ("close", "poor|old")]
    (table,) = difference_tables(worst_first)
    assert [(row[0].text, row[1].text) for row in table.rows] == expected
    assert [(pair.first, pair.second) for pair in pairs_shown(worst_first)] == expected
    said = worst_first.sentences()
    assert [(one["first"], one["second"]) for one in said] == expected
    told, left = told_and_left(worst_first, explain=True)
    assert (told, left) == (said, [])
    assert str(said[0]).startswith("net_50% against close is undecided: +1.67 points")
    assert str(in_short(said[0])) in repr(worst_first).replace("\n", " ")


def test_a_pair_says_who_is_not_worse_from_either_side():
    """By the same bounds the second is not worse: what a verdict says does not depend on who is named first."""
    ids = [f"{side}{k}" for side in "gp" for k in range(300)]
    samples = pb.Samples({"id": ids, "subject": [name[1:] for name in ids]})
    made = {}
    for name, wrong in (("new", 12), ("old", 10)):
        values = np.eye(300)
        values[:wrong] = 0.5
        made[name] = pb.Scores.from_array(values, ids[300:], ids[:300], orientation="similarity", name=name)
    experiment = pb.Experiment(samples, gallery=ids[:300])
    (pair,) = pb.compare(made, experiment, measure="rank-1", margin=0.02).pairs
    (loose,) = pb.compare(made, experiment, measure="rank-1", margin=0.015).pairs
    for one in (pair, loose):
        back = turned(one)
        assert back.not_inferior is (one.bound_high < one.margin)
        assert turned(back).not_inferior is one.not_inferior
    assert "old is not worse by 1.5 points or more" in str(loose.sentence())
    assert "old is not worse by 1.5 points or more" in str(turned(loose).sentence())


def test_raised_letters_are_explained_where_there_are_any(comparison):
    assert "comparison.raised-letters" in {note.code for note in comparison_statements(comparison)}
    alike = replace(
        comparison,
        estimates=comparison.estimates[:2],
        pairs=tuple(pair for pair in comparison.pairs if {pair.first, pair.second} == {"net_50%", "close"}),
    )
    assert "comparison.raised-letters" not in {note.code for note in comparison_statements(alike)}
    assert "Raised" not in alike.to_markdown()
