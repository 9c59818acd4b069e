"""Charts of accuracies under protocols, with intervals and by number of subjects or images."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from proband.protocols.running.factors import SizeEffect, along, varies_by_subjects
from proband.protocols.running.results import ProtocolResult, ProtocolRun
from proband.report.charts.makers.rows import around, rows_chart
from proband.report.charts.spec import Axis, Chart, Curves, Mark, Rows, Series, listed, some
from proband.words import fixed, interval, level


def accuracies(
    run: ProtocolRun, id: str = "protocol-accuracies", title: str = "Accuracy by protocol and classifier"
) -> Chart:
    """Chart the accuracy of every classifier under every protocol, with the interval to quote at its estimate."""
    names = tuple(run.classifiers)
    drawn = [one for result in run.results for one in _drawn(result)]
    marks = tuple(
        Mark(row, names.index(name), value, *(ends or (value, value)), single=ends is None)
        for row, (name, _, value, ends) in enumerate(drawn)
    )
    told = [
        f"{label}: {fixed(value)}" + ("" if ends is None else f" {interval(*ends)}")
        for _, label, value, ends in drawn
    ]
    return rows_chart(
        id,
        title,
        f"Accuracy: {listed(told)}.",
        Rows(tuple(label for _, label, _, _ in drawn), names, marks),
        [around(marks, "rate", "accuracy")],
        names,
        answers=run.results[0].interval.answers,
        confidence_level=run.setting.confidence_level,
        see="Accuracies under different protocols are not comparable: a difference between them may be due to the protocol.",
    )


def _drawn(one: ProtocolResult) -> Iterator[tuple[str, str, float, tuple[float, float] | None]]:
    """The accuracy, and the pooled estimate where its interval is the one to quote: the classifier, a label, the value and its interval."""
    label, made = f"{one.classifier}, {one.protocol}", one.interval
    ends = (made.low, made.high) if made.has_interval else None
    yield one.classifier, label, one.accuracy, ends if one.recommended == "method" else None
    if one.recommended != "method" and ends is not None:
        yield one.classifier, f"{label}, pooled", made.value, ends


def sizes(effects: Sequence[SizeEffect]) -> list[Chart]:
    """Chart mean accuracy over draws by number of subjects or of images per subject, one chart per protocol."""
    each: dict[str, list[SizeEffect]] = {}
    for one in some(effects, "sizes"):
        each.setdefault(one.protocol, []).append(one)
    return [_by_size(own, f"protocol-sizes-chart-{place}") for place, own in enumerate(each.values())]


def _by_size(effects: Sequence[SizeEffect], id: str) -> Chart:
    first = effects[0]
    by_subjects = varies_by_subjects(effects)
    series = tuple(_series(name, place, own, by_subjects) for place, (name, own) in enumerate(along(effects)))
    xs = np.concatenate([one.xs for one in series])
    ys = np.concatenate([np.concatenate([one.low, one.high]) for one in series])
    part = level(first.accuracy.confidence_level)
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
        first.accuracy.answers,
        f"shaded: {part} intervals over draws",
    )


def _series(name: str, place: int, effects: Sequence[SizeEffect], by_subjects: bool) -> Series:
    ordered = sorted(effects, key=lambda one: one.n_subjects if by_subjects else one.images_each or 0)
    rates = [effect.accuracy for effect in ordered]
    return Series(
        name,
        place,
        np.array([one.n_subjects if by_subjects else one.images_each or 0 for one in ordered], np.float64),
        np.array([rate.value for rate in rates]),
        np.array([rate.low if rate.has_interval else rate.value for rate in rates]),
        np.array([rate.high if rate.has_interval else rate.value for rate in rates]),
    )
