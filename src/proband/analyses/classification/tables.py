"""Classification in tables and words: accuracies, the hardest classes, the commonest mistakes."""

from __future__ import annotations

from dataclasses import replace

from proband.inference import Classification
from proband.report.cells import (
    count_cell,
    empty_cell,
    fixed_cell,
    interval_cell,
    over,
    rate_cell,
    text_cell,
)
from proband.report.notes import answered
from proband.report.table import Cell, Column, Table
from proband.words import Note, Sentence, Target, part_of

_HARDEST = 5  # classes in a terminal
_COMMONEST = 3  # mistakes of each model in a terminal
_MACRO = "Every class weighs the same: balanced accuracy."
_RECALL = Target("recall", "recall of the class")
_METHOD = Sentence("classification.method", "note", "Method: {method}")


def classification_tables(result: Classification) -> list[Table]:
    """The accuracies, the classes that are hardest and the mistakes that are commonest."""
    tables = [rates_table(result), classes_table(result, _HARDEST)]
    mistakes = confusions_table(result, _COMMONEST)
    return [*tables, mistakes] if mistakes.rows else tables


def rates_table(result: Classification) -> Table:
    """Every model, the best first: accuracies with their intervals."""
    shown = [f"top-{k}" for k in result.k]
    macro = [f"macro-top-{k}" for k in result.k]
    leads = (macro if result.average == "macro" else shown)[0]
    ordered = sorted(result.algorithms, key=lambda name: -result.rate(name, leads).value)
    heads = [
        *(Column("accuracy" if k == 1 else f"top-{k} accuracy", "number") for k in result.k),
        *(Column("macro average" if k == 1 else f"macro top-{k}", "number", _MACRO) for k in result.k),
    ]
    rows = tuple(
        (text_cell(name), *(_estimate(result, name, measure) for measure in (*shown, *macro)))
        for name in ordered
    )
    return Table("", (Column("model", "name"), *heads), rows)


def _estimate(result: Classification, name: str, measure: str) -> Cell:
    one = result.rate(name, measure)
    return over(rate_cell(one.value), interval_cell((one.low, one.high), one.answers))


def classes_table(result: Classification, most: int | None = None) -> Table:
    """Every class, or those whose recall is lowest on average over models: samples, and recall and precision of each model."""
    found = {(one.label, one.algorithm): one for one in result.by_class}

    def hardness(label: str) -> float:
        recalls = [found[label, name].recall for name in result.algorithms]
        return sum(2.0 if one is None else one for one in recalls)

    labels = list(result.classes) if most is None else sorted(result.classes, key=hardness)[:most]
    heads = [Column("class", "name"), Column("n", "number", "Samples of the class.")]
    for name in result.algorithms:
        heads += [
            Column(f"{name}\nrecall", "number", "The share of its samples that are recognised."),
            Column(f"{name}\nprecision", "number", "The share of what is said to be of it that is."),
        ]
    rows = []
    answers = replace(result.answers, of=_RECALL)
    for label in labels:
        cells = [text_cell(label), count_cell(found[label, result.algorithms[0]].n)]
        for name in result.algorithms:
            one = found[label, name]
            ends = None if one.low is None or one.high is None else (one.low, one.high)
            recall = (
                empty_cell()
                if one.recall is None
                else over(rate_cell(one.recall), interval_cell(ends, answers))
            )
            cells += [recall, empty_cell() if one.precision is None else rate_cell(one.precision)]
        rows.append(tuple(cells))
    part = part_of(len(labels), len(result.classes), "classes", "those of the lowest recall")
    return Table(part or "Classes", tuple(heads), tuple(rows))


def confusion_matrix_table(result: Classification, name: str) -> Table:
    """The confusion matrix of a model: true classes down, what was said across."""
    matrix = result.confusion(name)
    decimals = 0 if float(matrix.sum()).is_integer() and (matrix == matrix.round()).all() else 1
    heads = (Column(f"{name}: true \\ said", "name"), *(Column(label, "number") for label in result.classes))
    rows = tuple(
        (
            text_cell(label),
            *(
                replace(fixed_cell(float(n), decimals), tone="good" if place == column else "plain")
                for column, n in enumerate(matrix[place])
            ),
        )
        for place, label in enumerate(result.classes)
    )
    return Table("Confusion matrix", heads, rows)


def confusions_table(result: Classification, most: int = 20) -> Table:
    """The commonest mistakes of every model."""
    heads = (
        Column("model", "name"),
        Column("true class", "name"),
        Column("taken for", "name"),
        Column("n", "number"),
        Column("share", "number", "Of the samples of the true class."),
    )
    rows = tuple(
        (
            text_cell(one.algorithm),
            text_cell(one.true),
            text_cell(one.predicted),
            fixed_cell(one.n, 0 if float(one.n).is_integer() else 1),
            rate_cell(one.share),
        )
        for name in result.algorithms
        for one in result.top_confusions(name, most)
    )
    return Table("Commonest mistakes", heads, rows)


def classification_statements(result: Classification) -> list[Note]:
    """Say what varies behind the numbers, how models were compared, and what to beware of."""
    said = [answered(result.answers)]
    if result.comparison is not None:
        said.append(_METHOD(method=result.comparison.pairs[0].method))
    return [*said, *result.notes]
