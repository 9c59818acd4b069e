"""Views of classifiers under protocols."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from proband.analyses.classification.tables import MOST_CLASSES
from proband.analyses.protocol.charts import accuracies, sizes
from proband.analyses.protocol.class_tables import (
    class_tables,
    classes_frame,
    confusions_frame,
    epd_table,
    sizes_table,
)
from proband.analyses.protocol.figures import accuracy_figure, sizes_figure
from proband.analyses.protocol.mixing_tables import mixing_tables
from proband.analyses.protocol.tables import (
    enrolment_statements,
    epd_statements,
    intervals_table,
    quoted_statements,
    quoted_verdicts,
    run_statements,
    runs_table,
    write_parts,
)
from proband.engine.frames import frame_of_rows
from proband.protocols.running.factors import SizeEffect, sizes_frame
from proband.protocols.running.mixing import drops_frame
from proband.protocols.running.results import ProtocolFindings, ProtocolRun
from proband.report.methods_text import MethodsText
from proband.report.page.charts import shown
from proband.report.page.model import Badge, Badges, Block, Folded, Section, said
from proband.report.scene import Scene
from proband.report.tables.table import Table
from proband.report.view import Draw, Passage, Placed, Summary, View, shows
from proband.words import Note, Sentence, as_sentence

PARTS = "protocol"
"""The directory of splits, predictions and cards."""
_PROTOCOLS = Sentence(
    "methods.protocols",
    "note",
    "{n:count classifier was/classifiers were} trained and tested on {samples:count sample} of "
    "{people:count person/people} under {names:row}, on the same splits, and the protocols were assessed by EPD",
)
_ACCURACY_INTERVALS = Sentence(
    "methods.accuracy-intervals", "note", "Accuracies are means over runs. Their intervals: {methods:parts}"
)
_DIFFERENCES = Sentence("methods.differences", "note", "Differences: {methods:parts}")
_DROPS = Sentence(
    "methods.mixing-drops",
    "note",
    "Drops from mixed to disjoint protocols are differences of pooled estimates with t intervals over people, paired because the same people are in both",
)
_BY_SIZE = Sentence(
    "methods.protocol-sizes",
    "note",
    "Accuracies by size are means over {draws:count random draw} from these data, with t intervals over draws",
)


@shows(ProtocolRun)
class ProtocolView(View[ProtocolRun]):
    """Accuracies over runs, with what EPD says of the protocols."""

    plot = staticmethod(accuracy_figure)

    def tables(self, found: ProtocolRun) -> Sequence[Table]:
        """Accuracies over runs, their intervals, the EPD verdict, sizes, and the classes under each protocol."""
        classes = [table for one in found.findings for table in class_tables(one)]
        by_size = [sizes_table(found.sizes)] if found.sizes else []
        return [
            runs_table(found),
            intervals_table(found, everything=True),
            epd_table(found),
            *mixing_tables(found),
            *by_size,
            *classes,
        ]

    def notes(self, found: ProtocolRun) -> Sequence[Note]:
        """Notes on the accuracies."""
        return run_statements(found)

    def passages(self, found: ProtocolRun, explain: bool) -> Iterator[Passage]:
        """Runs, the intervals to quote and sizes, with the classes where they are few; or everything."""
        few = found.setting.task == "attribute" and found.classes <= MOST_CLASSES and len(found.findings) == 1
        tables = [runs_table(found), intervals_table(found), *mixing_tables(found)]
        tables += [sizes_table(found.sizes)] if found.sizes else []
        if explain or few:
            tables += [table for one in found.findings for table in class_tables(one)]
        verdicts = [*quoted_verdicts(found), *enrolment_statements(found), *epd_statements(found)]
        data, *rest = quoted_statements(found)
        if explain:
            yield Passage([*tables, epd_table(found)], (), [data, *verdicts, *rest])
            return
        answers = [one.interval.answers for one in found.results if one.interval.low is not None]
        answers += [drop.answers for drop in found.drops]
        yield Passage(tables, verdicts, [data, *rest], answers)

    def latex(self, found: ProtocolRun) -> Sequence[Table]:
        """Accuracies over runs, as papers have them."""
        return [runs_table(found)]

    def frames(self, found: ProtocolRun) -> Mapping[str, pl.DataFrame]:
        """Accuracies under protocols; classes and confusions of each; drops from mixed to disjoint, single runs, and accuracies by size."""
        made = {
            "protocol": found.to_frame(),
            "protocol_classes": classes_frame(found),
            "protocol_confusions": confusions_frame(found),
        }
        if found.drops:
            made["protocol_drops"] = drops_frame(found.drops)
        if found.single_runs:
            made["protocol_single_runs"] = frame_of_rows(found.single_runs)
        return made | ({"protocol_sizes": sizes_frame(found.sizes)} if found.sizes else {})

    def figures(self, found: ProtocolRun, scene: Scene) -> Mapping[str, Draw]:
        """Accuracies, and by size."""
        made: dict[str, Draw] = {"protocol_accuracy": lambda: accuracy_figure(found)}
        return made | ({"protocol_sizes": lambda: sizes_figure(found.sizes)} if found.sizes else {})

    def write(self, found: ProtocolRun, directory: Path) -> None:
        """Splits, predictions and cards."""
        write_parts(found, directory / PARTS)

    def sections(self, found: ProtocolRun, scene: Scene) -> Iterator[Placed]:
        """The EPD verdict, the accuracies over runs and their intervals, then sizes, classes, and what the numbers mean."""
        blocks: list[Block] = [Badges(tuple(_badge(one) for one in found.findings))]
        blocks += said(epd_statements(found)[len(found.findings) :])
        blocks += [
            _named("epd", epd_table(found)),
            _named("runs", runs_table(found)),
            _named("protocol-quoted", intervals_table(found)),
        ]
        blocks += said([*quoted_verdicts(found), *enrolment_statements(found)])
        blocks += mixing_tables(found)
        data = replace(intervals_table(found), id="protocol-accuracies-data")
        blocks.append(shown(accuracies(found), data, scene.looks))
        if found.sizes:
            blocks += [
                shown(chart, _named(f"{chart.id}-data", sizes_table(own)))
                for chart, own in zip(sizes(found.sizes), _by_protocol(found), strict=True)
            ]
        blocks += [_classes(place, one) for place, one in enumerate(found.findings)]
        blocks += [
            Folded("Both intervals", (_named("sure", intervals_table(found, everything=True)),)),
            Folded("Notes on the accuracies", tuple(said(run_statements(found)))),
        ]
        yield Placed(11, Section("protocols", "Accuracy under protocols", tuple(blocks)))

    def algorithms(self, found: ProtocolRun) -> Sequence[str]:
        """The classifiers, in order."""
        return found.classifiers

    def headline(self, found: ProtocolRun, scene: Scene) -> Summary | None:
        """The first protocol's verdict, or the accuracy of the only classifier; and by EPD how it was estimated."""
        first = found.findings[0]
        told = first.verdicts()[0] if first.verdicts() else first.results[0].sentence()
        rest = tuple(epd_statements(found))
        return Summary(told, first.results[0].interval.answers, rest, precedence=110)

    def methods(self, found: ProtocolRun, text: MethodsText, scene: Scene) -> None:
        """How classifiers were trained and tested."""
        data = found.setting.data
        named = tuple(str(one.protocol) for one in found.findings)
        people = len(data.samples.subjects)
        text.say(
            _PROTOCOLS(n=len(found.classifiers), names=named, samples=len(data), people=people), "mery2016"
        )
        text.say_methods(
            _ACCURACY_INTERVALS,
            (one.interval.method for one in found.results if one.interval.low is not None),
        )
        if found.drops:
            text.say(_DROPS(), "student1908")
        made = [one.comparison for one in found.findings if one.comparison is not None]
        text.say_methods(_DIFFERENCES, (pair.method for one in made for pair in one.pairs))
        if found.sizes:
            text.say(_BY_SIZE(draws=found.sizes[0].n_draws), "student1908")

    def told(self, found: ProtocolRun) -> Sequence[Note]:
        """The EPD verdicts."""
        return epd_statements(found)


def _badge(found: ProtocolFindings) -> Badge:
    """The three letters of a protocol; why is explained on demand."""
    explained = " ".join(as_sentence(one) for one in found.epd.sentences())
    return Badge(
        f"{found.protocol}: {found.epd.summary()}", "good" if found.epd.met else "warning", explained
    )


def _classes(place: int, found: ProtocolFindings) -> Folded:
    tables = tuple(_named(f"classes-{place}-{k}", one) for k, one in enumerate(class_tables(found)))
    return Folded(f"Classes and confusions, {found.protocol}", tables)


def _by_protocol(run: ProtocolRun) -> list[list[SizeEffect]]:
    return [[one for one in run.sizes if one.protocol == str(found.protocol)] for found in run.findings]


def _named(id: str, table: Table) -> Table:
    return replace(table, id=id)
