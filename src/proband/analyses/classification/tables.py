"""Tables and notes of classification: accuracies, hardest classes, most common errors."""

from __future__ import annotations

from dataclasses import replace

from proband.inference import Classification
from proband.report import columns as col
from proband.report.notes import answered
from proband.report.tables.cells import fixed_cell
from proband.report.tables.table import Table
from proband.words import Note, Sentence, Target, counted, part_of

MOST_CLASSES = 12
"""Largest number of classes for a confusion matrix in a table."""
_HARDEST = 5  # classes in a terminal
_COMMONEST = 3  # mistakes of each model in a terminal
_MACRO = "Balanced accuracy: every class weighted equally."
_RECALL = Target("recall", "recall of the class")
_METHOD = Sentence("classification.method", "note", "Method: {method}")


def classification_tables(result: Classification) -> list[Table]:
    """The accuracies, the classes that are hardest, and what is predicted as what."""
    return [rates_table(result), classes_table(result, _HARDEST), *confusion_tables(result, _COMMONEST)]


def confusion_tables(result: Classification, most: int) -> list[Table]:
    """The confusion matrix of every model, or its most common errors if there are too many classes."""
    if len(result.classes) <= MOST_CLASSES:
        return [confusion_matrix_table(result, name) for name in result.algorithms]
    mistakes = confusions_table(result, most)
    many = f"{mistakes.caption} ({counted(len(result.classes), 'class', 'classes')} are too many to show as a matrix)"
    return [replace(mistakes, caption=many)] if mistakes.rows else []


def rates_table(result: Classification) -> Table:
    """Every model, best first: accuracies with their intervals."""
    leads = f"{'macro-' if result.average == 'macro' else ''}top-{result.k[0]}"

    def accuracy(measure: str, heading: str, explained: str = "") -> col.ColumnOf[str]:
        return col.estimate(
            heading,
            lambda name: (result.rate(name, measure).value, col.ends(result.rate(name, measure))),
            explained,
            answers=lambda name: result.rate(name, measure).answers,
        )

    return col.table_of(
        "",
        sorted(result.algorithms, key=lambda name: -result.rate(name, leads).value),
        col.name("model", str),
        *col.each(result.k, lambda k: accuracy(f"top-{k}", "accuracy" if k == 1 else f"top-{k} accuracy")),
        *col.each(
            result.k,
            lambda k: accuracy(f"macro-top-{k}", "macro average" if k == 1 else f"macro top-{k}", _MACRO),
        ),
        id="accuracies",
        on_page="Accuracy",
    )


def classes_table(result: Classification, most: int | None = None) -> Table:
    """Every class, or the classes with the lowest recall averaged over models: samples, and recall and precision of each model."""
    found = {(one.label, one.algorithm): one for one in result.by_class}

    def hardness(label: str) -> float:
        recalls = [found[label, name].recall for name in result.algorithms]
        return sum(2.0 if recall is None else recall.value for recall in recalls)

    def recall(name: str) -> col.ColumnOf[str]:
        return col.estimate(
            f"{name}\nrecall",
            lambda label: None if (own := found[label, name].recall) is None else (own.value, col.ends(own)),
            "Share of the class's samples that are predicted correctly.",
            answers=replace(result.answers, of=_RECALL),
        )

    def precision(name: str) -> col.ColumnOf[str]:
        return col.rate(
            f"{name}\nprecision",
            lambda label: found[label, name].precision,
            "Share of the samples predicted as this class that belong to it.",
        )

    labels = result.classes if most is None else sorted(result.classes, key=hardness)[:most]
    part = part_of(len(labels), len(result.classes), "classes", "lowest recall")
    return col.table_of(
        part or "Classes",
        labels,
        col.name("class", str),
        col.count("n", lambda label: found[label, result.algorithms[0]].n, "Number of samples of the class."),
        *(make(name) for name in result.algorithms for make in (recall, precision)),
        id="classes",
        on_page="Every class",
    )


def confusion_matrix_table(result: Classification, name: str) -> Table:
    """The confusion matrix of a model: true classes in rows, predicted classes in columns."""
    matrix = dict(zip(result.classes, result.confusion(name).tolist(), strict=True))
    whole = all(float(n).is_integer() for row in matrix.values() for n in row)

    def said(column: int) -> col.ColumnOf[str]:
        label = result.classes[column]
        return col.cell(
            label,
            lambda true: replace(
                fixed_cell(matrix[true][column], 0 if whole else 1), tone="good" if true == label else "plain"
            ),
        )

    return col.table_of(
        "Confusion matrix",
        result.classes,
        col.name(f"{name}: true \\ predicted", str),
        *map(said, range(len(result.classes))),
    )


def confusions_table(result: Classification, most: int = 20) -> Table:
    """The most common errors of every model."""
    return col.table_of(
        "Most common errors",
        [one for name in result.algorithms for one in result.top_confusions(name, most)],
        col.name("model", lambda one: one.algorithm),
        col.name("true class", lambda one: one.true),
        col.name("predicted as", lambda one: one.predicted),
        col.cell("n", lambda one: fixed_cell(one.n, 0 if float(one.n).is_integer() else 1)),
        col.rate("share", lambda one: one.share, "Share of the samples of the true class."),
        id="mistakes",
    )


def classification_statements(result: Classification) -> list[Note]:
    """State what varies, how models were compared, and cautions."""
    said = [answered(result.answers)]
    if result.comparison is not None:
        said.append(_METHOD(method=result.comparison.pairs[0].method))
    return [*said, *result.notes]
