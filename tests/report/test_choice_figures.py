"""Figures over image choices: what is drawn is what was counted, whatever there is to draw."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import StepPatch
from tests.examples import some

from proband.analyses.choices.figures import (
    differences_figure,
    rank_intervals_figure,
    rate_distributions_figure,
)
from proband.errors import UsageError
from proband.inference.image_choice.distributions import Distribution
from proband.report import save_figure

N = 160


def rates(mean: float, seed: int = 0, n: int = N, trials: int = 1000) -> Distribution:
    drawn = np.random.default_rng(seed).binomial(n, mean, trials)
    return Distribution(0, np.bincount(drawn, minlength=n + 1), n)


def differences(mean: float, seed: int = 0) -> Distribution:
    drawn = np.rint(np.random.default_rng(seed).normal(mean, 4, 1000)).astype(int)
    return Distribution(-N, np.bincount(drawn + N, minlength=2 * N + 1), N)


def outlines(axis: Axes) -> list[StepPatch]:
    return [patch for patch in axis.patches if isinstance(patch, StepPatch) and patch.get_label()]


def legend_of(axis: Axes) -> list[str]:
    return [text.get_text() for text in axis.get_legend().get_texts()]


def everything_fits(figure: Figure) -> bool:
    """No text reaches beyond the figure."""
    figure.draw_without_rendering()
    needed = figure.get_tightbbox()
    width, height = figure.get_size_inches()
    return bool(
        needed.x0 >= -0.01 and needed.y0 >= -0.01 and needed.x1 <= width + 0.01 and needed.y1 <= height + 0.01
    )


PAPER = ("pca:l1", "pca:l2", "pca:angle", "pca:mahalanobis", "lda:l1", "lda:l2", "lda:angle", "lda:soft")


@pytest.fixture
def eight() -> dict[str, Distribution]:
    return {name: rates(0.4 + 0.03 * seed, seed) for seed, name in enumerate(PAPER)}


def test_families_have_a_panel_each(eight: dict[str, Distribution]) -> None:
    figure = rate_distributions_figure(eight, rank=1)
    assert [axis.get_title(loc="left").strip() for axis in figure.axes] == ["pca", "lda"]
    assert [len(outlines(axis)) for axis in figure.axes] == [4, 4]
    assert figure.axes[1].get_xlabel() == "recognition rate at rank 1"
    assert legend_of(figure.axes[0])[0].startswith(f"pca:l1  {100 * eight['pca:l1'].mean:.1f}% ± ")
    assert "1,000 image choices of 160 people; bins of 4/160" in [
        text.get_text() for text in figure.axes[0].texts
    ]
    assert everything_fits(figure)


def test_bins_hold_all_trials_and_are_whole_values_wide(eight: dict[str, Distribution]) -> None:
    for axis in rate_distributions_figure(eight).axes:
        for outline in outlines(axis):
            shares, edges, _ = outline.get_data()
            assert shares.sum() == pytest.approx(1)
            assert np.allclose(np.diff(edges), 4 / N)
            assert np.allclose(edges * N % 4, 3.5)


def test_the_last_bin_is_no_wider_than_what_it_can_hold() -> None:
    counts = np.zeros(N + 1, dtype=np.int64)
    counts[-3:] = 2, 3, 5
    figure = rate_distributions_figure({"a": Distribution(0, counts, N)})
    shares, edges, _ = outlines(figure.axes[0])[0].get_data()
    assert edges[-1] == pytest.approx(1 + 0.5 / N)
    assert shares.tolist() == [0.5, 0.5]


@pytest.mark.parametrize("names", [("a", "b", "c"), ("pca:l1", "lda:l1"), ("a:1", "b:1", "a:2", "b:2")])
def test_others_share_a_panel(names: tuple[str, ...]) -> None:
    figure = rate_distributions_figure({name: rates(0.5, seed) for seed, name in enumerate(names)})
    assert len(figure.axes) == 1
    assert len(legend_of(figure.axes[0])) == len(names)


def test_more_than_eight_have_a_row_each() -> None:
    figure = rate_distributions_figure({f"algorithm {k}": rates(0.3 + 0.02 * k, k) for k in range(17)})
    labels = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert len(labels) == 17
    assert labels[3].startswith("algorithm 3  ")
    assert everything_fits(figure)


def test_intervals_are_those_of_the_distributions() -> None:
    bands = {name: [rates(0.5 + 0.04 * k, k) for k in range(10)] for name in ("a", "b")}
    figure = rank_intervals_figure(bands, confidence_level=0.9)
    axis = figure.axes[0]
    drawn = np.array([segment[:, 1] for segment in axis.collections[0].get_segments()])
    assert np.allclose(drawn, [one.interval(0.9) for one in bands["a"]])
    assert "pointwise 90%\nintervals over image choices of these people" in axis.get_ylabel()
    starts = [line.get_xdata()[0] for line in axis.lines if line.get_label() in bands]
    assert starts[0] < 1 < starts[1]  # side by side
    assert everything_fits(figure)


def test_a_mean_outside_its_interval_is_drawn() -> None:
    counts = np.array([0, 0, 99, 1, 0])
    figure = rank_intervals_figure({"a": [Distribution(0, counts, 4)]})
    assert figure.axes[0].collections[0].get_segments()[0][:, 1].tolist() == [0.5, 0.5]


@pytest.mark.parametrize("width", some([1, 2, 3, 4, 7], 2))
def test_losses_are_counted_and_have_bins_of_their_own(width: int) -> None:
    given = {("a", "b"): differences(6), ("b", "c"): differences(0, 1), ("c", "d"): differences(-30, 2)}
    figure = differences_figure(given, width, rank=1)
    said = [text.get_text() for text in figure.legends[0].get_texts()]
    for ((a, b), one), text, outline in zip(given.items(), said, outlines(figure.axes[0]), strict=True):
        assert text == f"{a} − {b}: A does not win in {one.at_most(0):,} of 1,000"
        shares, edges, _ = outline.get_data()
        assert np.allclose(np.diff(edges), width / N)
        assert shares[edges[1:] < 0.51 / N].sum() == pytest.approx(one.at_most(0) / 1000)
        assert shares.sum() == pytest.approx(1)
    left, right = figure.axes[0].get_xlim()
    assert left < 0 < right
    assert everything_fits(figure)


def test_pairs_whose_labels_are_the_same_words_are_all_drawn() -> None:
    given = {("a − b", "c"): differences(6), ("a", "b − c"): differences(6)}
    assert len(outlines(differences_figure(given).axes[0])) == 2


def test_zero_is_in_view_where_nobody_loses() -> None:
    left, right = differences_figure({("a", "b"): differences(60)}).axes[0].get_xlim()
    assert left < 0 < right
    left, right = differences_figure({("a", "b"): differences(-60)}).axes[0].get_xlim()
    assert left < 0 < right


def test_many_differences_have_a_row_each() -> None:
    given = {(f"a{k}", "b"): differences(k - 5, k) for k in range(12)}
    figure = differences_figure(given, width=2)
    labels = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert labels[4] == f"a4 − b\nA does not win in {given['a4', 'b'].at_most(0):,} of 1,000"
    assert everything_fits(figure)


@pytest.mark.long
def test_long_names_and_unlike_distributions_are_drawn() -> None:
    long = {f"{'a long name ' * 5}{k}": rates(0.5, k, n=10 + k, trials=50 + k) for k in range(3)}
    for figure in (
        rate_distributions_figure(long, title="A title"),
        rank_intervals_figure({name: [one] for name, one in long.items()}),
        differences_figure({(name, "b"): one for name, one in long.items()}),
    ):
        assert everything_fits(figure)


@pytest.mark.long
@pytest.mark.usefixtures("usual_style")
def test_the_same_bytes_every_time(eight: dict[str, Distribution], tmp_path: Path) -> None:
    for ending in ("svg", "png", "pdf"):
        for attempt in ("a", "b"):
            save_figure(rate_distributions_figure(eight, title="Rates"), tmp_path / f"{attempt}.{ending}")
        assert (tmp_path / f"a.{ending}").read_bytes() == (tmp_path / f"b.{ending}").read_bytes()
    assert b"/FontFile2" in (tmp_path / "a.pdf").read_bytes()  # journals want TrueType


def test_nothing_to_draw_is_refused(eight: dict[str, Distribution]) -> None:
    with pytest.raises(UsageError):
        rate_distributions_figure({})
    with pytest.raises(UsageError):
        differences_figure({})
    with pytest.raises(UsageError):
        rank_intervals_figure({"a": []})
    with pytest.raises(UsageError):
        rate_distributions_figure(eight, width=0)
