"""Only `proband.words` formats a number that somebody reads, so that the same kind of number looks the same everywhere."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest
from tests.words import every_sentence

import proband as pb
from proband.analyses.audit.tables import finding_sentence
from proband.protocols.audit.findings import AuditFinding
from proband.report import evaluation_tables, statements
from proband.report.kinds.comparisons import comparison_statements, comparison_table
from proband.report.kinds.evaluation_page import rates_tables
from proband.report.tables.terminal import as_terminal
from proband.words import FORMATS, Note, Sentence, as_sentence, fixed, interval, p_value

SOURCE = Path(pb.__file__).parent
# Modules that write numbers for machines, and what for.
MACHINES = {
    "cli/images/alter.py": "names of files",
    "faces/population.py": "ids of people",
    "protocols/splits/sizes.py": "the notation of protocols",
    "samples/directories.py": "patterns of file names",
    "samples/name_patterns.py": "patterns of file names",
    "scores/formats/csu.py": "a file format",
    "scores/trials.py": "names in LFW's lists",
    "cli/analyses/request_options.py": "defaults of options, which are parsed again",
    "report/charts/svg/axes.py": "ends of axes for the script, and how round a tick is",
    "report/charts/scales.py": "ticks without errors of rounding",
    "report/charts/svg/elements.py": "coordinates, and points for the script",
}
# A sign, separators of thousands or a kind of number; widths, and lengths of text, are no number's.
_SPEC = re.compile(r"(.?[<>=^])?(?P<sign>[+ -])?z?#?0?\d*(?P<comma>[,_])?(\.\d+)?(?P<kind>[deEfFgGn%])?")
_PERCENT = re.compile(r"%[-+ #0]*\d*(\.\d+)?[deEfFgGi]")


def _is_number(spec: str) -> bool:
    found = _SPEC.fullmatch(spec)
    return found is not None and any(found[part] for part in ("sign", "comma", "kind"))


def _is_template(text: str) -> bool:
    try:
        return any(_is_number(spec or "") for _, _, spec, _ in Formatter().parse(text))
    except ValueError:  # braces of something else
        return False


def _formats(tree: ast.AST) -> Iterator[int]:
    """The lines that format a number: in an f-string, by `format`, or by a template of either kind."""
    nodes = list(ast.walk(tree))
    documentation = {
        id(node.body[0].value)
        for node in nodes
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        if node.body and isinstance(node.body[0], ast.Expr) and isinstance(node.body[0].value, ast.Constant)
    }
    for node in nodes:
        if id(node) in documentation:
            continue
        match node:
            case ast.FormattedValue(format_spec=ast.JoinedStr(values=parts)):
                # A part that is computed is a number of places or a width.
                spec = "".join(str(one.value) if isinstance(one, ast.Constant) else "9" for one in parts)
                if _is_number(spec):
                    yield node.lineno
            case ast.Call(func=ast.Name(id="format"), args=[_, ast.Constant(value=str(spec))]) if _is_number(
                spec
            ):
                yield node.lineno
            case ast.Constant(value=str(text)) if "{" in text and _is_template(text):
                yield node.lineno
            case ast.BinOp(op=ast.Mod(), left=ast.Constant(value=str(text))) if _PERCENT.search(text):
                yield node.lineno


def _modules() -> dict[str, Path]:
    return {path.relative_to(SOURCE).as_posix(): path for path in sorted(SOURCE.rglob("*.py"))}


@pytest.mark.parametrize(
    "line",
    [
        'f"{rate:.4f}"', 'f"{n:,}"', 'f"{d:+.2f}"', 'f"{p:.2g}"', 'f"{level:.0%}"', 'f"{x:g}"', 'f"{x:{w}.{d}f}"', 'f"{k:06d}"',
        '"{:.3f}".format(x)', 'format(x, ".3f")', '"%.3f of %s" % (x, y)', '"{rate:.4f}".format_map(x)',
    ],
)  # fmt: skip
def test_formats_of_numbers_are_found(line: str) -> None:
    assert list(_formats(ast.parse(line))) == [1]


@pytest.mark.parametrize(
    "line",
    ['f"{name:30}"', 'f"{text!r:.80}"', 'f"{code:02x}"', '"{n:count probe} of {rate:rate}"', 'n % 2', '"{" "}"', 'f"{x}"'],
)  # fmt: skip
def test_other_formats_are_not(line: str) -> None:
    assert not list(_formats(ast.parse(line)))


def test_only_words_formats_numbers_for_people() -> None:
    allowed = {"words.py", *MACHINES}
    found = [
        f"{name}:{line}"
        for name, path in _modules().items()
        if name not in allowed
        for line in _formats(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert not found, "use the formats of proband.words"


@pytest.mark.parametrize("name", MACHINES)
def test_modules_that_write_for_machines_still_do(name: str) -> None:
    assert list(_formats(ast.parse(_modules()[name].read_text(encoding="utf-8"))))


@pytest.fixture
def outcome(study: Path) -> tuple[pb.results.Evaluation, pb.results.Comparison]:
    samples = pb.Samples.read(study / "samples.csv")
    scores = list(pb.read_scores(study / "scores.npz", samples, orientation="similarity").values())
    evaluation = pb.evaluate(scores, pb.data.experiment_over(scores, samples), confidence_level=0.995)
    outcomes = [entry.outcomes for entry in evaluation.entries]
    return evaluation, pb.compare(outcomes, measure=pb.measures.RecognitionRate(1), confidence_level=0.995)


def test_a_rate_and_its_interval_look_the_same_everywhere(
    outcome: tuple[pb.results.Evaluation, pb.results.Comparison],
) -> None:
    evaluation, _ = outcome
    shown = {
        "terminal": "".join(as_terminal(table, 200).plain for table in evaluation_tables(evaluation)),
        "Markdown": evaluation.to_markdown(),
        "notebook": evaluation._repr_html_(),
        "LaTeX": evaluation.to_latex(),
        "page": " ".join(
            line.text for row in rates_tables(evaluation)[0].rows for cell in row for line in cell.lines
        ),
    }
    for entry in evaluation.entries:
        found = entry.interval(1)
        assert found is not None
        for place, text in shown.items():
            assert fixed(entry.curve.at(1)) in text, place
            assert interval(found.low, found.high) in text, place


def test_a_p_value_has_two_digits_everywhere(
    outcome: tuple[pb.results.Evaluation, pb.results.Comparison],
) -> None:
    _, comparison = outcome
    found = AuditFinding(
        "kind",
        "note",
        "Losses differ.",
        1,
        (),
        "look",
        p_value=0.031249,
        test=Sentence("example.test", "note", "a test")(),
    )
    shown = p_value(found.p_value)
    assert shown == "= 0.031"
    assert finding_sentence(found) == f"Losses differ. p {shown} (a test)."
    assert any(f"p {p_value(comparison.pairs[0].p_adjusted)}" in str(one) for one in comparison.sentences())


def test_no_p_value_is_above_one() -> None:
    assert [FORMATS["least_p"](p) for p in (1.0, 0.9999, 0.2)] == ["= 1", "= 1", "= 0.2 or more"]
    above = re.compile(r"(?<!least_)p\} (or|and) (more|above|larger)")
    assert [one.code for one in every_sentence() if above.search(one.template)] == []


def test_statements_are_notes_that_json_can_hold(
    outcome: tuple[pb.results.Evaluation, pb.results.Comparison],
) -> None:
    evaluation, comparison = outcome
    said = [
        one for one in (*statements(evaluation), *comparison_statements(comparison)) if isinstance(one, Note)
    ]
    held = json.loads(json.dumps([one.to_dict() for one in said]))
    gallery = next(one for one in held if one["code"] == "evaluation.gallery")
    assert gallery["values"]["people"] == 12
    assert {
        "evaluation.intervals",
        "evaluation.closed-universe",
        "comparison.places",
        "report.answers",
    } <= {one["code"] for one in held}
    assert [as_sentence(one) for one in said] == [as_sentence(one) for one in said]


def test_a_level_is_not_rounded_to_certainty(
    outcome: tuple[pb.results.Evaluation, pb.results.Comparison],
) -> None:
    evaluation, comparison = outcome
    said = [
        *map(as_sentence, statements(evaluation)),
        *(one.title for one in comparison_table(comparison).columns),
    ]
    assert any("99.5%" in one for one in said)
    assert not any("100%" in one for one in said)


def test_a_count_before_a_plural_brings_its_word_along() -> None:
    plural = re.compile(r" (?!of\b|in\b|or\b|to\b)(\w+ )?(\w+s|people|strata) (are|were|have)\b")
    found = []
    for path in SOURCE.rglob("*.py"):
        for text in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(text, ast.JoinedStr):
                continue
            for before, number, after in zip(
                [None, *text.values], text.values, text.values[1:], strict=False
            ):
                if not isinstance(number, ast.FormattedValue) or not isinstance(after, ast.Constant):
                    continue
                told = ast.unparse(number.value)
                total = isinstance(before, ast.Constant) and re.search(
                    r"(\b(of|of the|its)|×) $", str(before.value)
                )
                if told.startswith(("count(", "len(")) and not total and plural.match(str(after.value)):
                    found.append(f"{path.name}:{text.lineno}: {{{told}}}{after.value}")
    assert found == []
