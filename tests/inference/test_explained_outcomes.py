"""Outcomes of a table explained by covariates: R's svyglm and clubSandwich with weights, the same numbers as from scores, what is refused."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import proband as pb
from proband.errors import ProbandError
from proband.inference.covariates.results import CovariateStudy

R = Path(__file__).parent / "r"
EXPECTED = json.loads((R / "svyglm.json").read_text(encoding="utf-8"))
TABLE = pl.read_csv(R / "svyglm.csv")
DRAWN = {"cluster": "person", "weights": "w"}


def explained(success: str, **given: Any) -> CovariateStudy:
    return pb.stats.explain_outcomes(
        TABLE, success=success, on="age + glasses", incomplete="drop", **{**DRAWN, **given}
    )


def column(found: CovariateStudy, name: str) -> list[float]:
    return [getattr(one, name) for one in found.coefficients]


@pytest.mark.parametrize(
    ("case", "success", "strata"),
    [("stratified", "ok", "site"), ("unstratified", "ok", None), ("linear", "seconds", "site")],
)
def test_with_weights_it_is_svyglm(case: str, success: str, strata: str | None) -> None:
    found, r = explained(success, strata=strata), EXPECTED[case]
    assert found.covariance == "survey"
    for name, expected in (("value", r["value"]), ("standard_error", r["se"]), ("p_value", r["p"])):
        assert column(found, name) == pytest.approx(expected, rel=1e-9)
    assert column(found, "degrees_of_freedom") == [r["df"]] * 3
    whole = found.overall
    assert [whole.statistic, whole.degrees_of_freedom, whole.denominator_degrees_of_freedom, whole.p_value] == pytest.approx(r["all"], rel=1e-9)  # fmt: skip


def test_levels_are_compared_with_the_one_that_is_named() -> None:
    levels = TABLE["glasses"].unique().sort().to_list()
    whole = {
        level: pb.stats.explain_outcomes(
            TABLE, success="ok", on=f"levels(glasses, {level})", incomplete="drop", **DRAWN
        ).coefficients
        for level in levels
    }
    (first, second), (one, other) = levels, whole.values()
    assert [one[1].who.group, other[1].who.group] == [
        f"levels(glasses, {first})={second}",
        f"levels(glasses, {second})={first}",
    ]
    assert one[1].value == pytest.approx(-other[1].value)
    assert one[0].value == pytest.approx(other[0].value + other[1].value)


def test_standardised_differences_use_the_weights() -> None:
    found = explained("ok", strata="site")
    one = next(one for one in found.differences if one.who.column == "glasses")
    assert [one.value, one.standard_error] == pytest.approx(EXPECTED["difference"], rel=1e-9)


@pytest.mark.parametrize(("case", "success"), [("cr2", "ok"), ("cr2_linear", "seconds")])
def test_cr2_with_weights_is_clubsandwich(case: str, success: str) -> None:
    found, r = explained(success, covariance="CR2"), EXPECTED[case]
    assert column(found, "standard_error") == pytest.approx(r["se"], rel=1e-8)
    assert column(found, "degrees_of_freedom") == pytest.approx(r["df"], rel=1e-8)


def test_rows_of_weight_0_are_those_left_out() -> None:
    none = TABLE.with_columns(w=pl.when(pl.col("age").is_null()).then(0.0).otherwise(pl.col("w")))
    found = pb.stats.explain_outcomes(none, success="ok", on="age + glasses", strata="site", **DRAWN)
    assert column(found, "standard_error") == pytest.approx(EXPECTED["stratified"]["se"], rel=1e-9)


def test_equal_weights_change_nothing_and_a_table_is_what_scores_are() -> None:
    n = 12
    ids = [f"g{k}" for k in range(n)] + [f"p{k}" for k in range(n)]
    worn = ["on", "off"] * n
    samples = pb.Samples({"id": ids, "subject": [name[1:] for name in ids], "glasses": worn})
    values = np.eye(n)
    values[[0, 1, 2, 4]] = 0.5
    scores = pb.Scores.from_array(values, ids[n:], ids[:n], orientation="similarity")
    by_scores = pb.covariates(scores, pb.Experiment(samples, gallery=ids[:n]), on="glasses")
    table = {"who": range(n), "glasses": worn[n:], "ok": [0, 0, 0, 1, 0] + [1] * 7, "w": [2.5] * n}
    for more in ({}, {"weights": "w", "covariance": "CR2"}):
        found = pb.stats.explain_outcomes(table, success="ok", on="glasses", cluster="who", **more)
        for name in ("value", "low", "high", "p_value"):
            assert column(found, name) == pytest.approx(column(by_scores, name), rel=1e-9)
        assert found.differences[0].low == pytest.approx(by_scores.differences[0].low, rel=1e-9)


@pytest.mark.parametrize(
    ("changed", "given", "told"),
    [
        ({"w": pl.lit(-1.0)}, {}, "is negative"),
        ({"w": pl.lit(None, pl.Float64)}, {}, "'w' is empty"),
        ({"site": pl.Series(["a", "b"] * 39 + ["a"])}, {"strata": "site"}, "in several strata of 'site'"),
        ({"site": pl.when(pl.col("person") == "s1p1").then(pl.lit("z")).otherwise("site")}, {"strata": "site"}, "1 stratum has one cluster"),
        ({"ok": pl.lit(1)}, {}, "outcomes in 'ok' are 1: there is nothing to explain"),
        ({"ok": pl.lit(None, pl.Int64)}, {}, "outcomes in 'ok' are missing"),
        ({"ok": pl.col("site")}, {}, "or numbers; got 's1'"),
        ({"ok": (pl.col("glasses") == "yes").cast(pl.Int8)}, {}, "predicts the outcome perfectly"),
        ({}, {"incomplete": "error"}, "2 of 79 rows lack a covariate: age (2); 'row 3', 'row 11'"),
        ({}, {"strata": "site", "covariance": "CR2"}, "CR2 does not use strata"),
        ({"person": pl.col("site")}, {"strata": "glasses"}, "in several strata"),
        ({"person": pl.col("site")}, {"on": "age + glasses + seconds"}, "4 clusters are too few to estimate 4 coefficients"),
        ({}, {"on": "ok + age"}, "'ok' is the outcome"),
        ({}, {"on": "agee"}, "did you mean 'age'"),
        ({}, {"on": "same(glasses)"}, "unknown function same(…)"),
    ],
)  # fmt: skip
def test_what_cannot_be_told_is_refused(
    changed: dict[str, pl.Expr], given: dict[str, Any], told: str
) -> None:
    asked = {"success": "ok", "on": "age + glasses", "incomplete": "drop", **DRAWN, **given}
    with pytest.raises(ProbandError, match=re.escape(told)):
        pb.stats.explain_outcomes(TABLE.with_columns(**changed), **asked)


def test_rows_without_clusters_and_numbers_are_said() -> None:
    found = pb.stats.explain_outcomes(TABLE, success="seconds", on="glasses")
    said = " ".join(map(str, found.notes))
    assert "all rows are treated as independent" in said
    assert "not all 0 or 1" in said
    assert found.ratios == ()
