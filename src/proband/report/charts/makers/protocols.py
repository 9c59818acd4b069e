"""Charts of accuracies under protocols: each with its interval, and by the number of subjects or images."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from proband.protocols.notation import Protocol
from proband.protocols.running.factors import SizeEffect, along, varies_by_subjects
from proband.protocols.running.results import ProtocolRun
from proband.report.charts.makers.rows import around, rows_chart
from proband.report.charts.spec import Axis, Chart, Curves, Mark, Rows, Series, listed, some
from proband.words import fixed, interval, level


def accuracies(
    run: ProtocolRun, id: str = "protocol-accuracies", title: str = "Accuracy by protocol and classifier"
) -> Chart:
    """Chart the accuracy to quote of every classifier under every protocol, with its interval."""
    names = tuple(run.classifiers)
    quoted = [(row, one, one.interval) for row, one in enumerate(run.results)]
    marks = tuple(
        Mark(
            row,
            names.index(one.classifier),
            made.value,
            made.value if made.low is None else made.low,
            made.value if made.high is None else made.high,
            single=made.low is None,
        )
        for row, one, made in quoted
    )
    told = [
        f"{one.classifier}, {one.protocol}: {fixed(made.value)}"
        + ("" if made.low is None or made.high is None else f" {interval(made.low, made.high)}")
        for _, one, made in quoted
    ]
    rows = Rows(tuple(f"{one.classifier}, {one.protocol}" for _, one, _ in quoted), names, marks)
    return rows_chart(
        id,
        title,
        f"Accuracy: {listed(told)}.",
        rows,
        [around(marks, "rate", "accuracy")],
        names,
        answers=quoted[0][2].answers,
        confidence_level=run.setting.confidence_level,
        see="Accuracies under different protocols are not comparable: a difference between them may be due to the protocol.",
    )


def sizes(effects: Sequence[SizeEffect]) -> list[Chart]:
    """Chart mean accuracy over draws by the number of subjects, or of images of each, a chart for each protocol."""
    each: dict[Protocol, list[SizeEffect]] = {}
    for one in some(effects, "sizes"):
        each.setdefault(one.protocol, []).append(one)
    return [_by_size(own, f"protocol-sizes-chart-{place}") for place, own in enumerate(each.values())]


def _by_size(effects: Sequence[SizeEffect], id: str) -> Chart:
    first = effects[0]
    by_subjects = varies_by_subjects(effects)
    series = tuple(_series(name, place, own, by_subjects) for place, (name, own) in enumerate(along(effects)))
    xs = np.concatenate([one.xs for one in series])
    ys = np.concatenate([np.concatenate([one.low, one.high]) for one in series])
    part = level(first.confidence_level)
    label = "subjects" if by_subjects else "images of each subject"
    told = [f"{one.name} {fixed(float(one.ys[0]))} to {fixed(float(one.ys[-1]))}" for one in series]
    return Chart(
        id,
        f"{first.protocol}: accuracy by number of {label}",
        f"Mean accuracy over draws by number of {label}: {listed(told)}.",
        (
            (
                Axis(label, "linear", float(xs.min()), float(max(xs.max(), xs.min() + 1)), "count"),
                Axis("accuracy", "linear", float(ys.min()), float(max(ys.max(), ys.min() + 0.01)), "rate"),
            ),
        ),
        Curves(series, True, step=False),
        tuple(one.name for one in series),
        (f"Bands: {part} intervals of the mean over {first.n_draws} random draws from these data.",),
        first.answers,
        f"shaded: {part} intervals over draws",
    )


def _series(name: str, place: int, effects: Sequence[SizeEffect], by_subjects: bool) -> Series:
    ordered = sorted(effects, key=lambda one: one.n_subjects if by_subjects else one.images_each or 0)
    means = np.array([one.mean for one in ordered])
    return Series(
        name,
        place,
        np.array([one.n_subjects if by_subjects else one.images_each or 0 for one in ordered], np.float64),
        means,
        np.array([one.mean if one.low is None else one.low for one in ordered]),
        np.array([one.mean if one.high is None else one.high for one in ordered]),
    )
