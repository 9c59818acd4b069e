"""Surveys against R's package survey: values, covariances, design effects, degrees of freedom, intervals and weights."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from proband.inference.survey import Mean, Quantile, Ratio, SurveyEstimates, Total, Variance
from proband.inference.survey.hadamard import half_samples
from proband.survey import Survey

R = Path(__file__).parent / "r"
EXPECTED = {
    name: one
    for file in ("survey", "edges")
    for name, one in json.loads((R / f"{file}.json").read_text()).items()
}
TWO, PAIRS, LONELY = (pl.read_csv(R / f"{name}.csv") for name in ("two_stage", "pairs", "lonely"))
SEX, AGE = {"f": 160, "m": 175}, {"middle": 120, "old": 95, "young": 120}
CELLS = {("f", "a"): 80, ("m", "a"): 90, ("f", "b"): 50, ("m", "b"): 45, ("f", "c"): 30, ("m", "c"): 40}
ALL = {"weights": "weight", "strata": "site", "units": "person"}
SURVEYS = {
    "weighted": Survey(TWO, weights="weight"),
    "stratified": Survey(TWO, weights="weight", strata="site"),
    "cluster": Survey(TWO, weights="weight", units="person"),
    "units": Survey(TWO, **ALL),
    "fpc": Survey(TWO, **ALL, fpc="people"),
    "stages": Survey(
        TWO, weights="weight", strata="site", units=("person", "probe"), fpc=("people", "probes")
    ),
    "unweighted": Survey(TWO, strata="site", units=("person", "probe"), fpc=("people", "probes")),
}
HALVES = Survey(PAIRS, **ALL)
KNOWN = {
    "post": lambda one: one.poststratified(SEX, "sex"),
    "cells": lambda one: one.poststratified(CELLS, ("sex", "group")),
    "rake": lambda one: one.raked({"sex": SEX, "age": AGE}),
    "rake loose": lambda one: one.raked({"sex": SEX, "age": AGE}, epsilon=1, max_rounds=10),
    "calibrate": lambda one: one.calibrated({"x": 2000, "sex": SEX}),
    "post then rake": lambda one: one.poststratified(SEX, "sex").raked({"age": AGE, "sex": SEX}),
}


def agrees(found: SurveyEstimates, name: str, rtol: float = 1e-9) -> None:
    expected = EXPECTED[name]
    np.testing.assert_allclose(found.values, expected["value"], rtol=rtol, err_msg=name)
    covariance = np.array(expected["covariance"], dtype=float)
    mine = found.covariance if covariance.size == len(found) ** 2 else np.diag(found.covariance)
    if len(found) == 1 or covariance.size == len(found):
        mine = np.diag(found.covariance)
    scale = float(np.nanmax(np.abs(covariance), initial=0.0))
    np.testing.assert_allclose(mine.ravel(), covariance, rtol=rtol, atol=rtol * scale, err_msg=name)
    if "deff" in expected:
        mine = np.array([one.rests_on.design_effect for one in found.estimates], dtype=float)
        np.testing.assert_allclose(mine, np.array(expected["deff"], dtype=float), rtol=rtol, err_msg=name)
    if "df" in expected:
        assert found.degrees_of_freedom == expected["df"][0], name
    if "interval" in expected:
        ends = [end for one in found.estimates for end in (one.low, one.high)]
        np.testing.assert_allclose(ends, np.array(expected["interval"], dtype=float), rtol=rtol, err_msg=name)


@pytest.mark.parametrize("name", SURVEYS)
def test_linearised(name: str) -> None:
    one = SURVEYS[name]
    without: dict[str, Any] = {"design_effect": "without-replacement", "interval": "t"}
    agrees(one.mean("success", "x", "y", **without), f"{name} mean")
    agrees(
        one.mean("success", "x", "y", design_effect="with-replacement", interval="t"), f"{name} mean replace"
    )
    agrees(one.total("success", "x", **without), f"{name} total")
    agrees(one.mean("group", interval="t"), f"{name} shares")
    agrees(one.total("group"), f"{name} numbers")
    agrees(one.ratio("y", "x", **without), f"{name} ratio")
    agrees(one.variance("x"), f"{name} variance")
    agrees(one.mean("success", by="group", **without), f"{name} by")
    agrees(one.total("x", by="sex"), f"{name} by total")
    agrees(one.ratio("y", "x", by="sex"), f"{name} by ratio")
    agrees(one.within("group != 'c' and x > 3").mean("y"), f"{name} domain")
    for rule in ("math", "school", "hf3", "hf4", "hf5", "hf6", "hf7", "hf8", "hf9"):
        agrees(one.quantile("x", (0.25, 0.5, 0.8), rule), f"{name} quantile {rule}")
    agrees(one.quantile("y", quantile_interval="logit"), f"{name} quantile logit")
    for kind, theirs in (("logit", "xlogit"), ("asin", "asin"), ("beta", "beta")):
        agrees(one.mean("success", interval=kind), f"{name} share {theirs}")


def test_contrasts() -> None:
    one = SURVEYS["units"]
    expected = EXPECTED["units contrast"]
    found = one.mean("success", by="group").difference("success [group=a]", "success [group=b]")
    assert [found.value, found.standard_error**2] == pytest.approx(
        [expected["value"][0], expected["covariance"][0]], rel=1e-10
    )
    expected = EXPECTED["units function"]
    found = one.mean("success", "x", "y").function(lambda v: np.log(v[2] / v[1]) + v[0])
    assert [found.value, found.standard_error**2] == pytest.approx(
        [expected["value"][0], expected["covariance"][0]], rel=1e-9
    )


@pytest.mark.parametrize("rule", ["adjust", "average", "certainty"])
def test_lonely(rule: Any) -> None:
    one = Survey(LONELY, **ALL, lonely=rule)
    agrees(one.mean("success", "x"), f"lonely {rule}")
    for centre, theirs in (("estimate", "TRUE"), ("mean", "FALSE")):
        agrees(one.replicated("jkn", centre=centre).mean("success", "x"), f"lonely jkn {rule} {theirs}")


@pytest.mark.parametrize("centre", ["estimate", "mean"])
@pytest.mark.parametrize("name", ["jk1", "jkn", "jkn fpc", "brr", "fay"])
def test_replicated(name: str, centre: Any) -> None:
    base = {"jk1": SURVEYS["cluster"], "jkn": SURVEYS["units"], "jkn fpc": SURVEYS["fpc"]}.get(name, HALVES)
    one = base.replicated(name.split()[0], rho=0.3, centre=centre)
    agrees(one.mean("success", "x", "y", design_effect="with-replacement"), f"{name} {centre} mean")
    agrees(one.total("success", "x"), f"{name} {centre} total")
    agrees(one.ratio("y", "x"), f"{name} {centre} ratio")
    agrees(one.variance("x"), f"{name} {centre} variance")
    agrees(one.mean("x", by="sex"), f"{name} {centre} by")
    agrees(one.quantile("x", (0.25, 0.5)), f"{name} {centre} quantile")
    agrees(one.within("x > 3").mean("y"), f"{name} {centre} domain")


def test_quantile_of_replicates() -> None:
    agrees(HALVES.replicated("brr").quantile("x", quantile_interval="replicates"), "brr quantile")


def test_many_pairs() -> None:
    one = Survey(pl.read_csv(R / "many.csv"), weights="weight", strata="site")
    agrees(one.replicated("brr").ratio("y", "x"), "many brr")
    agrees(one.replicated("fay", centre="mean").mean("y"), "many fay")
    found = one.quantile("x", (0.005, 0.05))
    agrees(found, "many quantile")
    tiny = one.quantile("x", 0.0001)
    assert "survey.extreme-quantile" in [note.code for note in tiny.notes]
    smallest = one.quantile("x", 0.0001, "hf1")
    assert tiny[0].value > smallest[0].value
    assert smallest[0].value == one.frame["x"].min()


def test_half_samples_are_balanced() -> None:
    for n in (1, 3, 5, 11, 14, 23, 25, 33, 40, 52, 70):
        signs = 2.0 * half_samples(n) - 1
        np.testing.assert_array_equal(signs.T @ signs, len(signs) * np.eye(n))


def test_given_weights() -> None:
    columns = [name for name in PAIRS.columns if name.startswith("rep")]
    one = Survey(PAIRS, weights="weight")
    agrees(one.with_replicate_weights(columns, "fay", rho=0.3).mean("x", "success"), "given fay")
    agrees(one.with_replicate_weights(columns, "brr", centre="mean").mean("x", "success"), "given brr")
    rscales = np.linspace(0.5, 1.2, len(columns)).tolist()
    other = one.with_replicate_weights(columns, scale=0.11, rscales=rscales)
    agrees(other.total("x", "success"), "given other")
    factors = PAIRS.select(columns).to_numpy() / 100
    agrees(
        one.with_replicate_weights(factors, "bootstrap", combined=False, centre="mean").mean("x"),
        "given factors",
    )


@pytest.mark.parametrize("known", KNOWN)
@pytest.mark.parametrize("base", ["units", "stages", "jkn"])
def test_known_totals(base: str, known: str) -> None:
    start = SURVEYS["units"].replicated("jkn") if base == "jkn" else SURVEYS[base]
    one = KNOWN[known](start)
    name = f"{base} {known}"
    rtol = 1e-7 if "rake" in known and "loose" not in known else 1e-9  # both end when little changes
    np.testing.assert_allclose(one.final_weights, EXPECTED[f"{name} mean"]["weights"], rtol=rtol)
    agrees(one.mean("success", "y"), f"{name} mean", rtol)
    agrees(one.total("y"), f"{name} total", rtol)
    agrees(one.ratio("y", "x"), f"{name} ratio", rtol)
    agrees(one.mean("success", by="group"), f"{name} by", rtol)


def test_edges() -> None:
    row, per_site = pl.int_range(1, pl.len() + 1), pl.col("person").rank("dense").over("site")
    table = TWO.with_columns(
        sites=pl.lit(9),
        fraction=pl.col("person").n_unique().over("site") / pl.col("people"),
        number=per_site,
        some=pl.when(row % 7 == 0).then(0.0).otherwise("weight"),
        gap=pl.when(row % 9 == 0).then(None).otherwise("y"),
        whole=pl.when(site="s1").then(1).otherwise("people"),
    )
    stages = Survey(
        table, weights="weight", units=("site", "person", "probe"), fpc=("sites", "people", "probes")
    )
    agrees(stages.mean("success", "y"), "three stages")
    agrees(Survey(table, **ALL, fpc="fraction").total("success", "y"), "fractions")
    anew = Survey(table, weights="weight", strata="site", units="number", nest=True)
    agrees(anew.mean("success", "y"), "numbered anew")
    agrees(Survey(table, **(ALL | {"weights": "some"})).mean("success", "y"), "weights of zero")
    agrees(Survey(table, **ALL).mean("gap", missing="drop"), "missing mean")
    agrees(Survey(table, **ALL).ratio("gap", "x", missing="drop"), "missing ratio")
    kept = table.filter((pl.col("site") != "s1") | (pl.col("person") == "p1"))
    whole = Survey(kept, **ALL, fpc="whole")
    agrees(whole.total("success", "y"), "whole stratum")
    agrees(whole.replicated("jkn").total("success", "y"), "whole stratum")
    margins = {"sex": SEX, "age": AGE, "group": {"a": 170, "b": 95, "c": 70}}
    agrees(SURVEYS["units"].raked(margins).mean("success", "y"), "three margins", 1e-7)


def test_all_at_once_is_each_alone() -> None:
    one = SURVEYS["fpc"]
    found = one.estimate(
        Mean("x"), Total("y"), Ratio("y", "x"), Variance("x"), Quantile("x"), by=["sex", "group"]
    )
    assert len(found) == 30
    alone = one.ratio("y", "x", by=["sex", "group"])
    together = [row.estimate.standard_error for row in found.rows if row.label.statistic == "ratio"]
    np.testing.assert_allclose(together, alone.standard_errors, rtol=1e-12)
