"""A gate as people and their tools read it: a table, a Markdown summary, and JUnit's XML."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

from proband.inference.comparisons.gate import Decision, Gate
from proband.report.cells import columns, interval_cell, rate_cell, text_cell
from proband.report.formats import as_markdown, in_markdown
from proband.report.notes import answered
from proband.report.table import Column, Table
from proband.words import Note, as_sentence, level, printable

_HEADINGS: dict[Decision, str] = {"pass": "✅ Pass", "fail": "❌ Fail", "undecided": "❔ Undecided"}


def gate_table(gate: Gate) -> Table:
    """Both algorithms with their values."""
    heads = (
        *columns("", "algorithm", text=2),
        Column(str(gate.estimates[0].answers.of), "number"),
        Column(f"{level(gate.comparison.confidence_level)} interval", "interval"),
    )
    rows = [
        (
            text_cell(role),
            text_cell(one.facts.algorithm),
            rate_cell(one.value),
            interval_cell((one.low, one.high), one.answers),
        )
        for role, one in zip(("new", "baseline"), gate.estimates, strict=True)
    ]
    return Table("", heads, tuple(rows))


def gate_statements(gate: Gate) -> list[Note]:
    """Everything a reader should know of a gate, the decision first."""
    return [*gate.sentences(), answered(gate.comparison.answers), *gate.comparison.notes]


def gate_summary(gate: Gate) -> str:
    """The gate as Markdown, as a step of continuous integration shows it."""
    decided, *rest = map(as_sentence, gate.sentences())
    shown = as_markdown(replace(gate_table(gate), notes=tuple(rest)))
    return f"### {_HEADINGS[gate.decision]}\n\n{in_markdown(decided)}\n\n{shown}\n"


def gate_junit(gate: Gate) -> str:
    """The gate as one test case: a failure if it fails, an error if it is undecided."""
    failed, undecided = gate.decision == "fail", gate.decision == "undecided"
    suite = ElementTree.Element(
        "testsuite", name="proband gate", tests="1", failures=str(int(failed)), errors=str(int(undecided))
    )
    name = printable(f"{gate.candidate} is not worse than {gate.baseline}: {gate.measure}")
    case = ElementTree.SubElement(suite, "testcase", classname="proband.gate", name=name)
    told = printable("\n".join(map(as_sentence, gate.sentences())))
    if gate.passed:
        ElementTree.SubElement(case, "system-out").text = told
    else:
        kind = "failure" if failed else "error"
        ElementTree.SubElement(
            case, kind, type=gate.decision, message=printable(as_sentence(gate.sentence()))
        ).text = told
    whole = ElementTree.Element("testsuites")
    whole.append(suite)
    ElementTree.indent(whole)
    return ElementTree.tostring(whole, encoding="unicode", xml_declaration=True) + "\n"
