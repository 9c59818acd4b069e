"""Charts of how things are spread, with their tables: scores, differences over choices of images, errors over people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from proband.inference.image_choice.virtual_experiments import VirtualExperiments
from proband.inference.verification.people.hard_subjects import HardSubjects
from proband.inference.verification.results import Verification
from proband.report.cells import (
    columns,
    count_cell,
    effect_cell,
    effect_interval_cell,
    interval_cell,
    rate_cell,
    share_cell,
    table,
    text_cell,
    threshold_cell,
)
from proband.report.charts.makers.concentration import concentration
from proband.report.charts.makers.histograms import differences, score_counts, scores
from proband.report.charts.makers.replicates import IN_A_PANEL, replicates_chart
from proband.report.charts.spec import Concentrations
from proband.report.page.charts import shown
from proband.report.page.model import Chart
from proband.results.estimate import Estimate


def scores_chart(result: Verification, id: str = "scores") -> Chart:
    """Draw the densities of genuine and of impostor scores, and the threshold of the first operating point."""
    counts = score_counts(result)
    chart, few = scores(counts, id), counts.fewer()
    rows = [
        (
            threshold_cell(float(low)),
            threshold_cell(float(high)),
            count_cell(int(own)),
            count_cell(int(other)),
        )
        for low, high, own, other in zip(
            few.edges[:-1], few.edges[1:], few.genuine, few.impostor, strict=True
        )
    ]
    heads = columns("from", "to below", "genuine", "impostor", text=0)
    return shown(chart, table(f"{id}-data", f"{chart.title}: counts in bins", heads, rows))


def differences_chart(
    choices: VirtualExperiments,
    pairs: Sequence[tuple[str, str]],
    rank: int = 1,
    level: float = 0.95,
    id: str = "choice-differences-chart",
    places: Mapping[str, int] | None = None,
) -> Chart:
    """Draw how differences of algorithms from the leader vary over choices of images; where the leader does not win is shaded.

    A difference has the look of the algorithm that is compared with the leader.
    """
    chart = differences(choices, pairs, rank, level, id)
    named = zip(chart.names, pairs, strict=True)
    own = {name: places[other] for name, (_, other) in named} if places else None
    found = [(*pair, choices.difference(*pair, rank), choices.not_won(*pair, rank)) for pair in pairs]
    rows = [
        (
            text_cell(first),
            text_cell(second),
            effect_cell(one.mean),
            effect_interval_cell(*one.interval(level), True, choices.answers),
            share_cell(lost, one.n_trials),
        )
        for first, second, one, lost in found
    ]
    heads = columns("first", "second", "mean difference, points", "interval", "not won", text=2)
    return shown(chart, table(f"{id}-data", chart.title, heads, rows), own)


def spread_charts(measured: Sequence[Sequence[Estimate]], places: Mapping[str, int]) -> list[Chart]:
    """Draw how measures are spread over their replicates, every few algorithms in a chart; all are drawn."""
    made: list[Chart] = []
    for estimates in measured:
        for start in range(0, len(estimates), IN_A_PANEL):
            few = estimates[start : start + IN_A_PANEL]
            name = f"replicates-{len(made) + 1}"
            rows = [
                (
                    text_cell(one.facts.algorithm),
                    rate_cell(one.value),
                    rate_cell(one.standard_error),
                    interval_cell((one.low, one.high), one.answers),
                    count_cell(one.n_replicates),
                )
                for one in few
            ]
            heads = columns("algorithm", str(few[0].answers.of), "standard error", "interval", "replicates")
            chart = replicates_chart(few, name)
            made.append(shown(chart, table(f"{name}-data", chart.title, heads, rows), places))
    return made


def hard_subjects_chart(hard: HardSubjects, id: str = "hard-subjects", algorithm: str = "") -> Chart:
    """Draw which share of the errors falls on which share of the people, those with most errors first."""
    chart = concentration(hard, id, algorithm)
    assert isinstance(chart.marks, Concentrations)
    rows = [
        (text_cell(one.name), count_cell(one.total), *map(rate_cell, one.halves()))
        for one in chart.marks.lines
    ]
    heads = columns("errors", "number", "share of people with half of them", "by chance")
    return shown(chart, table(f"{id}-data", chart.title, heads, rows))
