"""Views of a gate: the decision, both algorithms, a Markdown summary and JUnit XML."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from xml.etree import ElementTree

from proband.inference.comparisons.gate import Decision, Gate
from proband.report import columns as col
from proband.report.figures.identification import comparison_figure
from proband.report.kinds.estimates import metric_of
from proband.report.methods_text import MethodsText
from proband.report.model_card import CardMetric, rounded
from proband.report.notes import answered
from proband.report.plotting import drawn_by
from proband.report.scene import Scene
from proband.report.tables.formats import as_markdown, in_markdown
from proband.report.tables.table import Table
from proband.report.view import Draw, Passage, Summary, View, shows
from proband.results.base import Answers
from proband.results.difference import margin_of
from proband.words import Note, Sentence, as_sentence, printable

_HEADINGS: dict[Decision, str] = {"pass": "✅ Pass", "fail": "❌ Fail", "undecided": "❔ Undecided"}
_GATED = Sentence(
    "methods.gate",
    "note",
    "{candidate} was to replace {baseline} if shown not to be worse by {margin} ({measure}; one-sided bounds at the "
    "{level:level} level): {methods:parts}",
)


@shows(Gate)
class GateView(View[Gate]):
    """A new algorithm against the baseline it would replace."""

    section = ("gate", "Gate", 7)
    meaning = "Notes on the gate"
    plot = staticmethod(drawn_by(comparison_figure, lambda gate: gate.comparison))

    def tables(self, found: Gate) -> Sequence[Table]:
        return [_values(found)]

    def verdicts(self, found: Gate) -> Sequence[Note]:
        return found.sentences()

    def notes(self, found: Gate) -> Sequence[Note]:
        return [*found.sentences(), answered(found.comparison.answers), *found.comparison.notes]

    def answers(self, found: Gate) -> Sequence[Answers]:
        return [found.comparison.answers]

    def passages(self, found: Gate, explain: bool) -> Iterator[Passage]:
        *told, baseline = found.sentences()
        rest = [baseline, answered(found.comparison.answers), *found.comparison.notes]
        yield Passage(self.tables(found), told, rest, self.answers(found))

    def figures(self, found: Gate, scene: Scene) -> Mapping[str, Draw]:
        return {"gate": lambda: comparison_figure(found.comparison)}

    def algorithms(self, found: Gate) -> Sequence[str]:
        return [found.candidate, found.baseline]

    def headline(self, found: Gate, scene: Scene) -> Summary | None:
        return Summary(found.sentence(), found.comparison.answers, precedence=20, in_section=True)

    def methods(self, found: Gate, text: MethodsText, scene: Scene) -> None:
        told = found.difference.method.told()
        text.say(
            _GATED(
                candidate=found.candidate,
                baseline=found.baseline,
                margin=margin_of(found.margin, found.difference.in_points),
                measure=found.estimates[0].answers.of,
                level=found.comparison.confidence_level,
                methods=tuple(one.account or str(one) for one in told),
            ),
            "schuirmann1987",
            *dict.fromkeys(key for one in told for key in one.cites),
        )

    def metrics(self, found: Gate) -> Sequence[CardMetric]:
        """The value of the new algorithm, and the difference."""
        new, pair = found.estimates[0], found.difference
        about = {
            "baseline": found.baseline,
            "baseline_value": rounded(found.estimates[1].value),
            "margin": found.margin,
            "decision": found.decision,
        }
        value = metric_of(new, "release gate", found.measure, **about)
        less = replace(
            value,
            type=f"{found.measure}-difference",
            name=f"{new.answers.of}, minus that of {found.baseline}",
            value=pair.value,
            low=pair.low,
            high=pair.high,
            confidence_level=found.comparison.confidence_level,
        )
        return [value, less]


def _values(gate: Gate) -> Table:
    """Both algorithms with their values."""
    return col.table_of(
        "",
        list(zip(("new", "baseline"), gate.estimates, strict=True)),
        col.name("", lambda row: row[0]),
        col.name("algorithm", lambda row: row[1].algorithm),
        col.rate(str(gate.estimates[0].answers.of), lambda row: row[1].value),
        col.interval(
            col.at_level(gate.comparison.confidence_level),
            lambda row: col.ends(row[1]),
            answers=lambda row: row[1].answers,
        ),
        id="gate-values",
        on_page="The new algorithm and the baseline",
    )


def gate_summary(gate: Gate) -> str:
    """Format the gate as Markdown for a step of continuous integration."""
    decided, *rest = map(as_sentence, gate.sentences())
    shown = as_markdown(replace(_values(gate), notes=tuple(rest)))
    return f"### {_HEADINGS[gate.decision]}\n\n{in_markdown(decided)}\n\n{shown}\n"


def gate_junit(gate: Gate) -> str:
    """Format the gate as one JUnit test case: a failure if it fails, an error if it is undecided."""
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
