"""Charts that people compare stand side by side on the axes that they share."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from tests.report.page import finding

import proband as pb
from proband.engine.rendering import render
from proband.report.charts.makers.curves import cmc
from proband.report.charts.makers.histograms import score_counts, scores
from proband.report.charts.spec import comparable_charts
from proband.report.kinds.evaluation_page import evaluation_blocks
from proband.report.kinds.pairs import comparison_blocks
from proband.report.page.blocks import Panels
from proband.report.page.charts import side_by_side
from proband.report.page.model import ChartBlock, Folded
from proband.report.view import view_of
from proband.report.views import load_views


def thresholds(n: int) -> pb.inference.DeployedThresholds:
    rng = np.random.default_rng(3)
    ids = [f"s{s:02d}-{k}" for s in range(40) for k in range(3)]
    samples = pb.Samples({"id": ids, "subject": [name[:3] for name in ids]})
    mates = np.kron(np.eye(40), np.ones((3, 3)))
    made = []
    for scale in (1.0, -50.0, 3.0)[:n]:
        noise = rng.normal(size=(120, 120))
        values = abs(scale) * ((noise + noise.T) / 2 + 3 * mates) + min(scale, 0)
        made.append(pb.Scores.from_array(values, ids, orientation="similarity", name=f"net of {scale}"))
    return pb.threshold(made, samples, fmr=[0.05, 0.02])


def test_thresholds_of_several_algorithms_have_a_panel_each() -> None:
    load_views()
    found = thresholds(3)
    (charts,) = view_of(found).charts(found).values()
    assert [chart.axes[0][0].label for chart in charts] == [
        "threshold of net of 1.0",
        "threshold of net of -50.0",
        "threshold of net of 3.0",
    ]
    # The false match rate is one axis for all, and each has its own scores along x.
    assert len({(chart.axes[0][1].low, chart.axes[0][1].high) for chart in charts}) == 1
    assert len({(chart.axes[0][0].low, chart.axes[0][0].high) for chart in charts}) == 3
    assert len(render(found, "figure").axes) == 3
    (panels,) = side_by_side(charts)
    assert isinstance(panels, Panels)
    (alone,) = view_of(thresholds(1)).charts(thresholds(1)).values()
    assert [chart.axes[0][0].label for chart in alone] == ["threshold"]


def test_curves_share_axes_on_every_scale_and_scores_share_none() -> None:
    found = finding.whole()
    bands = found["identification"].evaluation.bands()
    first, second = cmc(bands, "a"), cmc([replace(band) for band in bands[:1]], "b")
    lower = replace(second, axes=tuple((x, replace(y, low=y.low / 2)) for x, y in second.axes))
    for own in zip(*(chart.axes for chart in comparable_charts([first, lower])), strict=True):
        assert len({(axis.low, axis.high) for _, axis in own}) == 1
        assert len({(axis.low, axis.high) for axis, _ in own}) == 1
    counts = [score_counts(one) for one in found["verification"].verification]
    apart = [scores(one) for one in counts]
    assert comparable_charts(apart) == apart


def test_categories_share_axes_on_the_page() -> None:
    found = finding.whole()
    evaluation = found["identification"].evaluation
    blocks = evaluation_blocks(evaluation, {}, relative=False)
    charts = [block for block in blocks if isinstance(block, ChartBlock)]
    folded = [block for block in blocks if isinstance(block, Folded)]
    for block in (inner for one in folded for inner in one.blocks):
        charts += (
            block.blocks if isinstance(block, Panels) else [block] if isinstance(block, ChartBlock) else []
        )
    assert len(charts) == len(evaluation.categories)
    assert len({_ends(chart, "y") for chart in charts}) == 1


def _ends(chart: ChartBlock, axis: str) -> tuple[str, str]:
    first = next(iter(chart.drawings.values()))
    low, high = (first.split(f'data-{axis}{end}="')[1].split('"')[0] for end in (0, 1))
    return low, high


def test_differences_in_one_measure_are_on_one_axis() -> None:
    first, *_ = finding.whole()["comparison"].comparisons.values()
    half = tuple(replace(pair, value=pair.value / 2, low=pair.low / 2, high=pair.high / 2) for pair in first.pairs)  # fmt: skip
    blocks = comparison_blocks({"all": first, "some": replace(first, pairs=half)})
    charts = [block for block in blocks if isinstance(block, ChartBlock)]
    charts += [
        one
        for block in blocks
        if isinstance(block, Folded)
        for one in block.blocks
        if isinstance(one, ChartBlock)
    ]
    assert len(charts) == 2
    assert _ends(charts[0], "x") == _ends(charts[1], "x")
