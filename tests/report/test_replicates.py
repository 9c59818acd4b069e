"""The bootstrap's distribution, drawn: bins hold whole numbers of the values there can be, and all replicates are in them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

import proband as pb
from proband.errors import DesignError
from proband.report.charts.makers.replicates import bins_of, replicates_chart, step_of
from proband.report.charts.spec import Histograms


def measured(n: int, missed: int) -> tuple[pb.Scores, pb.Experiment]:
    ids = [f"{side}{k}" for side in "gp" for k in range(n)]
    samples = pb.Samples({"id": ids, "subject": [one[1:] for one in ids]})
    values = np.where(np.arange(n)[:, None] < missed, 0.5, np.eye(n))
    return pb.Scores.from_array(
        values, ids[n:], ids[:n], orientation="similarity", name="net"
    ), pb.Experiment(samples, gallery=ids[:n])


@pytest.mark.parametrize("n", [7, 40, 161, 1195, 9973])
def test_bins_hold_as_many_values_each(n: int) -> None:
    rng = np.random.default_rng(n)
    counts = rng.binomial(n, 0.7, 2000)
    made = bins_of([counts / n], n)
    assert made.step == pytest.approx(1 / n)
    atoms = np.arange(n + 1) / n
    held = np.histogram(atoms[(atoms > made.edges[0]) & (atoms < made.edges[-1])], made.edges)[0]
    full = (made.edges[1:] < 1 + 0.5 / n + 1e-12) & (made.edges[:-1] > -0.5 / n - 1e-12)
    assert (held[full] == made.values).all()
    assert len(made.edges) - 1 <= 60
    shares = made.shares(counts / n)
    assert shares.sum() == pytest.approx(1)
    for place, share in enumerate(shares):  # no value lies on an edge
        low, high = np.round(made.edges[place : place + 2] * n, 6)
        assert share == pytest.approx(np.mean((counts > low) & (counts < high)))


def test_the_bootstrap_of_a_rate_is_binomial_bin_by_bin() -> None:
    scores, experiment = measured(40, 10)
    found = pb.estimate(
        scores,
        experiment,
        measure=pb.measures.RecognitionRate(1),
        design=pb.designs.Bootstrap("probe", n_resamples=20_000),
    )
    chart = replicates_chart([found])
    assert isinstance(chart.marks, Histograms)
    (outline,) = chart.marks.outlines
    middles = np.rint((outline.edges[:-1] + outline.edges[1:]) / 2 * 40)
    np.testing.assert_allclose(outline.heights, binom.pmf(middles, 40, 0.75), atol=0.012)
    assert outline.value == pytest.approx((found.value, found.low, found.high))


def test_medians_have_halves_and_areas_any_value() -> None:
    assert step_of(np.array([1.0, 1.5, 4.0]), 37) == 0.5
    made = bins_of([np.array([1.0, 1.0]), np.array([2.0, 2.5, 3.0])], 37)
    np.testing.assert_allclose(made.edges, [0.75, 1.25, 1.75, 2.25, 2.75, 3.25])
    assert bins_of([np.random.default_rng(0).random(300)], 37).step is None


def test_it_is_drawn_from_an_estimate_that_has_replicates() -> None:
    scores, experiment = measured(20, 4)
    drawn = pb.estimate(
        scores, experiment, measure="median-rank@10", design=pb.designs.Bootstrap("subject", n_resamples=200)
    )
    assert drawn.plot(which="distribution").axes
    assert drawn.plot().axes
    with pytest.raises(DesignError, match="no replicates"):
        pb.estimate(scores, experiment, measure=pb.measures.RecognitionRate(1)).plot(which="distribution")
