"""What a survey refuses, and what it says of what it was given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
import polars as pl
import pytest

import proband as pb
from proband.errors import ProbandError
from proband.inference.survey import Mean, Quantile, Survey
from proband.inference.survey.known_totals import long_totals
from proband.report.scene import Scene
from proband.report.view import view_of

TABLE = pl.DataFrame(
    {
        "y": [1.0, 2.0, 4.0, 3.0, 6.0, 5.0, 7.0, 9.0],
        "hit": [1, 1, 0, 1, 0, 1, 1, 1],
        "gap": [1.0, None, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0],
        "unit": list("aabbccdd"),
        "site": list("xxxxyyyy"),
        "sex": list("fmfmfmfm"),
        "n": [5] * 4 + [9] * 4,
        "odd": [5, 5, 5, 6, 9, 9, 9, 9],
        "w": [1.0, 2.0, 1.0, 2.0, 3.0, 1.0, 2.0, 2.0],
        "bad": [1.0, 2.0, -1.0, 2.0, 3.0, 1.0, 2.0, 2.0],
    }
)
ALL = Survey(TABLE, weights="w", strata="site", units="unit")
REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "negative weight": (lambda: Survey(TABLE, weights="bad"), "row 3 of 'bad' is negative"),
    "population varies": (lambda: Survey(TABLE, strata="site", units="unit", fpc="odd"), "is 5 and 6"),
    "too small": (lambda: Survey(TABLE, units="y", fpc="hit"), "neither|goes from|above 0"),
    "lonely": (lambda: Survey(TABLE, strata="unit", units="unit").mean("y"), "have only one unit"),
    "one unit": (lambda: Survey(TABLE.head(2), units="unit").mean("y"), "There is only one unit"),
    "jk1": (lambda: ALL.replicated("jk1").mean("y"), "JK1"),
    "empty cell": (lambda: ALL.poststratified({"f": 5, "m": 5, "x": 3}, "sex"), "no row in the sample"),
    "no total": (lambda: ALL.poststratified({"f": 5}, "sex"), "has no total: 'm'"),
    "margins differ": (
        lambda: ALL.raked({"sex": {"f": 5, "m": 5}, "site": {"x": 9, "y": 9}}),
        "different sums",
    ),
    "contradiction": (lambda: ALL.calibrated({"sex": {"f": 5, "m": 5}}, size=30), "cannot be met"),
    "gap": (lambda: ALL.mean("gap"), "empty in 1 row, first in row 2"),
    "domain": (lambda: ALL.within("y > 100"), "No row satisfies"),
    "not a share": (lambda: ALL.mean("y", interval="logit"), "is not a share"),
    "nothing below": (
        lambda: Survey({"y": [1, 2, 3], "x": [0, 0, 1], "g": list("aab")}).ratio("y", "x", by="g"),
        "'y/x' is undefined for g=a: 'x' adds up to 0",
    ),
    "jackknife quantile": (
        lambda: ALL.replicated("jkn").quantile("y", quantile_interval="replicates"),
        "not valid for quantiles",
    ),
    "twice": (lambda: ALL.mean("y", "y"), "requested twice"),
    "kind": (lambda: ALL.with_replicate_weights(np.ones((8, 3))), "is unknown"),
    "shape": (lambda: ALL.with_replicate_weights(np.ones((7, 3)), "brr"), "matrix of 8 rows"),
    "rscales": (
        lambda: ALL.with_replicate_weights(np.ones((8, 3)), "jkn", rscales=[1.0, 2.0]),
        "each of the 3",
    ),
    "empty replicate": (
        lambda: ALL.within("unit == 'a'").replicated("jkn").mean("y"),
        "no rows left",
    ),
    "names": (lambda: ALL.ratio("sex", "y"), "is not numeric"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    call, said = REFUSED[name]
    with pytest.raises(ProbandError, match=said):
        call()


def test_notes_tell_what_was_done() -> None:
    raked = ALL.raked({"sex": {"f": 8, "m": 6}, "site": {"x": 6, "y": 8}}, max_rounds=1)
    codes = [note.code for note in raked.mean("y").notes]
    assert codes[:2] == ["survey.raking-not-converged", "survey.raked"]
    found = ALL.mean("gap", missing="drop")
    assert [note.code for note in found.notes if note.code == "survey.missing"] == ["survey.missing"]
    assert found[0].rests_on.n == 7
    replicated = Survey(TABLE, weights="w", strata="site", units="unit", fpc="n").replicated("brr").mean("y")
    assert "survey.fpc-unused" in [note.code for note in replicated.notes]


def test_a_missing_value_is_a_row_outside() -> None:
    without = ALL.within(TABLE["gap"].is_not_null().to_numpy()).mean("y")
    kept = Survey(TABLE.with_columns(y=pl.when(pl.col("gap").is_null()).then(None).otherwise(pl.col("y"))), weights="w", strata="site", units="unit")  # fmt: skip
    found = kept.mean("y", missing="drop")
    assert (found[0].value, found[0].standard_error) == (without[0].value, without[0].standard_error)


def test_nothing_is_changed() -> None:
    before = ALL.mean("y")[0].value
    ALL.poststratified({"f": 5, "m": 50}, "sex").replicated("bootstrap", n_resamples=20).mean("y")
    assert ALL.mean("y")[0].value == before


def test_bootstrap_is_near_the_linearised_error() -> None:
    rng = np.random.default_rng(5)
    unit = np.repeat(np.arange(60), 3)
    table = {"y": rng.normal(size=180) + rng.normal(size=60)[unit], "unit": unit, "site": unit % 3}
    one = Survey(table, strata="site", units="unit")
    taylor, drawn = one.mean("y"), one.replicated("bootstrap", n_resamples=1_000, seed=2).mean("y")
    assert drawn[0].standard_error == pytest.approx(taylor[0].standard_error, rel=0.08)
    again = one.replicated("bootstrap", n_resamples=1_000, seed=2).mean("y")
    assert again[0].standard_error == drawn[0].standard_error


def test_a_function_of_weights_is_the_mean_it_computes() -> None:
    y = TABLE["y"].to_numpy()
    one = ALL.replicated("jkn")
    found = one.function(lambda w: [w @ y / w.sum(), w.sum()], ["mean", "size"])
    np.testing.assert_allclose(found.values[0], one.mean("y").values[0])
    np.testing.assert_allclose(found.standard_errors[0], one.mean("y").standard_errors[0], rtol=1e-12)
    weighted = pb.survey.estimate_weighted(
        lambda w: w @ y / w.sum(),
        TABLE["site"].to_numpy(),
        design=pb.designs.Jackknife(),
        weights=TABLE["w"],
        units=TABLE["unit"],
    )
    assert weighted.standard_error == pytest.approx(float(found.standard_errors[0]), rel=1e-12)
    assert weighted.degrees_of_freedom == 2


def test_long_totals_by_example() -> None:
    assert long_totals(pl.DataFrame({"variable": ["sex", "sex"], "level": ["f", "m"], "total": [6, 4]})) == {
        "sex": {"f": 6.0, "m": 4.0}
    }


def test_tables_write_shares_and_their_differences_alike_and_say_the_degrees_of_freedom_of_each_domain() -> (
    None
):
    rng = np.random.default_rng(0)
    site = np.repeat(np.arange(4), 20)
    table = {
        "hit": rng.random(80) < 0.7,
        "time": rng.random(80),
        "site": site,
        "sex": np.where(site < 2, "f", "m"),
    }
    found = Survey(table, strata="site").estimate(Mean("hit"), Mean("time"), by="sex", differences=True)
    view = view_of(found)
    estimates, differences = view.tables(found)
    shares = [row for row in (*estimates.rows, *differences.rows) if "hit" in row[0].text + row[1].text]
    for row in shares:
        ends = next(cell for cell in row if cell.text.startswith("["))
        assert all(len(part.strip("[]").split(".")[1]) == 4 for part in ends.text.split(", ")), ends.text
    assert [estimate.degrees_of_freedom for estimate in found.estimates] == [38.0] * 4
    assert found.degrees_of_freedom == 76
    told = str(view.notes(found)[0])
    assert "degrees of freedom by domain: sex=f 38, sex=m 38" in told
    whole = Survey(table, strata="site").mean("hit")
    assert str(view.notes(whole)[0]).endswith("degrees of freedom: 76")
    summary = view.headline(found, cast("Scene", None))
    assert summary is not None
    value = found.estimates[0].value
    assert str(summary.headline).startswith(f"mean hit: sex=f {value:.4f} [")
    assert str(summary.headline).endswith("2 more estimates below")
    assert summary.answers == found.answers


def test_constants_are_not_compared_as_if_they_were_known() -> None:
    table = {"y": [1, 1, 0, 0, 1, 0], "g": list("aabbcc"), "N": [2] * 6}
    found = Survey(table).estimate(Mean("y"), by="g", differences=True)
    both, *others = found.differences
    assert [estimate.supported for estimate in found.estimates] == [False, False, True]
    assert both.value == 1
    assert both.p_value is None
    assert np.isnan([both.low, both.high]).all()
    assert "y [g=a] and y [g=b] do not vary" in " ".join(str(both).split())
    for pair in others:
        assert not pair.supported
        assert pair.p_value is not None
        assert "ignore its uncertainty" in str(pair.notes[0])
    assert {note for pair in found.differences for note in pair.notes} <= set(found.notes)
    contrast = found.contrast({"y [g=a]": 1, "y [g=b]": -1})
    assert contrast.p_value is None
    assert np.isnan(contrast.low)
    *_, table_of_differences = view_of(found).tables(found)
    assert [cell.text for cell in table_of_differences.rows[0]][-2:] == ["–", "–"]


def test_a_census_has_no_sampling_error() -> None:
    table = {"y": [1, 0, 0, 1, 1, 1], "g": list("aabbcc"), "N": [6] * 6}
    found = Survey(table, fpc="N").estimate(Mean("y"), by="g", differences=True)
    assert [estimate.supported for estimate in found.estimates] == [True] * 3
    first, *_ = found.differences
    assert (first.low, first.high, first.p_value, first.supported) == (0.0, 0.0, None, True)
    said = " ".join(map(str, found.notes))
    assert "exact: all units of the population were sampled" in said
    assert "gives no information" not in said
    assert "so few units" not in said


def test_all_units_with_a_part_of_their_rows_are_no_census() -> None:
    table = {"y": [1, 1, 0, 0], "unit": list("aabb"), "row": range(4), "units": [2] * 4, "rows": [9] * 4}
    found = Survey(table, units=("unit", "row"), fpc=("units", "rows")).mean("y")
    assert found.estimates[0].standard_error == 0
    assert not found.estimates[0].supported


def test_known_totals_are_exact() -> None:
    found = ALL.poststratified({"f": 510, "m": 490}, "sex").total("sex")
    assert all(estimate.supported for estimate in found.estimates)


def test_quantiles_are_compared_by_replicates_only() -> None:
    rng = np.random.default_rng(0)
    table = {"y": rng.normal(size=40), "g": list("ab") * 20, "unit": np.arange(40) // 2}
    survey = Survey(table, units="unit")
    (pair,) = survey.estimate(Quantile("y", 0.5), by="g", differences=True).differences
    assert pair.p_value is None
    assert not pair.has_interval
    assert "quantile_interval='replicates'" in str(pair)
    resampled = survey.replicated("bootstrap", n_resamples=200)
    (pair,) = resampled.estimate(
        Quantile("y", 0.5), by="g", differences=True, quantile_interval="replicates"
    ).differences
    assert pair.p_value is not None
    assert pair.has_interval


def test_intervals_and_p_values_of_differences_agree() -> None:
    rng = np.random.default_rng(1)
    seen = 0
    for _ in range(60):
        n = int(rng.integers(4, 30))
        table = {"y": rng.random(n) < rng.choice([0.05, 0.5, 0.9]), "g": rng.choice(list("abc"), n)}
        survey = Survey({**table, "w": rng.uniform(1, 5, n)}, weights="w")
        for pair in survey.estimate(Mean("y"), by="g", differences=True).differences:
            assert pair.has_interval == (pair.p_value is not None)
            if pair.p_value is not None:
                assert (pair.p_value < 0.05) == (not pair.low <= 0 <= pair.high)
                seen += 1
    assert seen > 50
