"""What makes a probe fail: R's numbers, the language of models, what cannot be told, and the outcomes that are explained."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import proband as pb
from proband.analyses.covariates.charts import fit_check
from proband.errors import ProbandError
from proband.inference.covariates.fit import _check, score_test
from proband.inference.covariates.formula import Formula
from proband.inference.covariates.regression import regress
from proband.inference.covariates.results import CovariateStudy
from proband.inference.covariates.sandwich import Sandwich
from proband.report.charts.spec import Curves
from proband.results.base import describing
from proband.words import Target

R = Path(__file__).parent / "r"
EXPECTED = json.loads((R / "covariates.json").read_text(encoding="utf-8"))
DIGITS = 1e-9


def given() -> tuple[dict[str, pb.Scores], pb.Experiment, pl.DataFrame]:
    """R's data as scores: every probe's mate has the rank that the table says."""
    table = pl.read_csv(R / "covariates.csv")
    probes = table.filter(pl.col("algorithm") == "net").with_columns(
        id=pl.col("person") + "-" + pl.col("probe").cast(pl.String)
    )
    people = probes["person"].unique(maintain_order=True).to_list()
    rivals = [f"rival{k}" for k in range(80)]
    gallery = [f"g-{name}" for name in [*people, *rivals]]
    frame = pl.concat(
        [
            pl.DataFrame({"id": gallery, "subject": [*people, *rivals]}),
            probes.select("id", "sex", "glasses", "age", "light", subject="person"),
        ],
        how="diagonal",
    )
    samples = pb.Samples(frame)
    scores = {}
    for name in ("net", "pca"):
        ranks = table.filter(pl.col("algorithm") == name)["rank"].to_numpy()
        values = np.zeros((len(ranks), len(gallery)))
        for row, (rank, person) in enumerate(zip(ranks, probes["person"], strict=True)):
            values[row, people.index(person)] = 1
            values[row, len(people) : len(people) + rank - 1] = 2
        scores[name] = pb.Scores.from_array(
            values, probes["id"], gallery, orientation="similarity", name=name
        )
    return scores, pb.Experiment(samples, gallery=gallery), table


SCORES, EXPERIMENT, TABLE = given()
MODEL = "sex + glasses + age + light + algorithm"
ORDER = ["(Intercept)", "sex", "glasseson", "age", "lightdark", "lightside", "algorithmpca"]


def explained(on: str = MODEL, **options: Any) -> CovariateStudy:
    return pb.covariates(
        [pb.rank(one, EXPERIMENT, check_orientation=False) for one in SCORES.values()], on=on, **options
    )


@pytest.mark.parametrize("kind", ["CR0", "CR1", "CR2"])
@pytest.mark.parametrize(("outcome", "section"), [("success", "logistic"), ("log-rank", "linear")])
def test_coefficients_errors_and_freedoms_are_clubsandwichs(kind: Any, outcome: Any, section: str) -> None:
    found = explained(outcome=outcome, covariance=kind)
    expected = EXPECTED[section]
    assert [one.value for one in found.coefficients] == pytest.approx(
        [*expected["coefficients"].values()], rel=DIGITS
    )
    for name, field in (("se", "standard_error"), ("df", "degrees_of_freedom"), ("p", "p_value")):
        assert [getattr(one, field) for one in found.coefficients] == pytest.approx(
            expected[kind][name], rel=DIGITS
        )
    for term, wald in expected[kind]["wald"].items():
        one = next(test for test in found.tests if test.who.column == f"probe.{term}")
        assert (one.statistic, one.denominator_degrees_of_freedom, one.p_value) == pytest.approx(
            (wald["F"], wald["den"], wald["p"]), rel=1e-8
        )


def test_crossed_and_squared_terms_are_clubsandwichs() -> None:
    found = explained("glasses * algorithm + squared(age)")
    expected, by_name = EXPECTED["crossed"]["CR2"], dict(EXPECTED["crossed"]["coefficients"])
    ours = [one.value for one in found.coefficients]
    order = ["(Intercept)", "glasseson", "algorithmpca", "age", "I(age^2)", "glasseson:algorithmpca"]
    assert ours == pytest.approx([by_name[name] for name in order], rel=1e-8)
    wald = expected["wald"]
    for term, name in (("probe.glasses:algorithm", "glasses:algorithm"), ("squared(probe.age)", "age")):
        one = next(test for test in found.tests if test.who.column == term)
        assert (one.statistic, one.denominator_degrees_of_freedom, one.p_value) == pytest.approx(
            (wald[name]["F"], wald[name]["den"], wald[name]["p"]), rel=1e-7
        )
    within = {
        one.who.other_group: one
        for one in found.differences
        if one.who.other_column and not one.who.other_reference
    }
    for name, one in within.items():
        reference = EXPECTED["within"][name]
        assert (one.value, one.standard_error, one.degrees_of_freedom) == pytest.approx(
            (reference["difference"], reference["se"], reference["df"]), rel=1e-7
        )
    (acted,) = [one for one in found.differences if one.who.other_reference]
    assert acted.value == pytest.approx(within["pca"].value - within["net"].value)
    glasses = next(test for test in found.tests if test.who.column == "probe.glasses")
    assert [str(note) for note in glasses.notes] == ["with its interactions"]
    assert glasses.degrees_of_freedom == 2


@pytest.mark.parametrize("covariate", ["glasses", "age", "algorithm"])
def test_standardized_differences_are_those_of_r(covariate: str) -> None:
    found = explained()
    expected = EXPECTED["standardized"][covariate]
    name = covariate if covariate == "algorithm" else f"probe.{covariate}"
    (one,) = [each for each in found.differences if each.who.column == name]
    assert (one.value, one.standard_error, one.degrees_of_freedom) == pytest.approx(
        (expected["difference"], expected["se"], expected["df"]), rel=DIGITS
    )
    first, second = found.rate_of(name, one.first), found.rate_of(name, one.second)
    assert (first.value, second.value) == pytest.approx((expected["first"], expected["second"]), rel=DIGITS)
    assert first.low < first.value < first.high
    assert (one.p_value < 0.05) == (one.low > 0 or one.high < 0)


def test_other_programs_have_the_plain_sandwiches() -> None:
    """geepack and vcovCL have CR0, svyglm CR1."""
    for kind, names in (("CR0", ("geepack", "vcovCL")), ("CR1", ("svyglm",))):
        errors = [one.standard_error for one in explained(covariance=kind).coefficients]  # type: ignore[arg-type]
        for name in names:
            assert errors == pytest.approx(EXPECTED[name]["se"], rel=1e-8)


def test_intercepts_rate_is_the_mean_and_one_probe_each_is_a_welch_like_error() -> None:
    """Standardised over what is there, the rates of an algorithm are its own."""
    found = explained("algorithm")
    for one in found.rates:
        own = TABLE.filter(pl.col("algorithm") == one.who.group)["success"]
        assert one.value == pytest.approx(own.mean(), rel=1e-12)
        assert found.observed_at(one.who) == pytest.approx(own.mean(), rel=1e-12)


def test_a_saturated_model_standardizes_directly() -> None:
    """With all cells, the rate is the mean of cell rates weighted by the other covariate's shares: counted by hand."""
    found = explained("glasses * sex")
    shares = TABLE.group_by("sex").agg(pl.len() / TABLE.height)
    cells = TABLE.group_by("sex", "glasses").agg(pl.col("success").mean())
    for worn in ("on", "off"):
        by_hand = cells.filter(pl.col("glasses") == worn).join(shares, on="sex")
        assert found.rate_of("probe.glasses", worn).value == pytest.approx(
            float((by_hand["success"] * by_hand["len"]).sum()), rel=1e-10
        )


def test_score_test_is_a_t_test_of_people_for_one_column() -> None:
    """With an intercept and one row each, Hotelling's F of one column is T = n r² of the residuals."""
    rng = np.random.default_rng(3)
    y, z = rng.normal(size=30), rng.normal(size=(30, 1))
    fit = regress(np.ones((30, 1)), y, "linear")
    u = (z[:, 0] - z.mean()) * (y - y.mean())
    t = u.sum() ** 2 / (u**2).sum()
    from scipy.stats import f

    test = score_test(fit, np.arange(30), z)
    assert test is not None
    assert test.p_value == pytest.approx(float(f.sf(29 * t / (30 - t), 1, 29)), rel=1e-10)


def test_matches_are_those_of_verification() -> None:
    rng = np.random.default_rng(8)
    n = 40
    ids = [f"{side}{k}" for side in "gp" for k in range(n)]
    samples = pb.Samples({"id": ids, "subject": [name[1:] for name in ids], "sex": list("fm") * n})
    scores = pb.Scores.from_array(
        rng.normal(size=(n, n)) + 1.5 * np.eye(n), ids[n:], ids[:n], orientation="similarity"
    )
    experiment = pb.Experiment(samples, gallery=ids[:n])
    found = pb.covariates(scores, experiment, on="sex", outcome="match", fmr=0.05)
    point = pb.verify(scores, experiment, fmr=0.05, n_resamples=0).points[0].counts
    assert found.rate == pytest.approx(1 - point.fnmr)
    assert found.thresholds == (point.threshold,)


def test_probes_without_a_value_are_refused_or_told() -> None:
    frame = EXPERIMENT.samples.frame.with_columns(
        age=pl.when(pl.col("id") == "p01-1").then(None).otherwise("age")
    )
    experiment = pb.Experiment(pb.Samples(frame), gallery=EXPERIMENT.samples.ids.at(EXPERIMENT.gallery))
    with pytest.raises(ProbandError, match=r"1 of 88 probes lack a covariate: probe.age \(1\); 'p01-1'"):
        pb.covariates(SCORES, experiment, on="age")
    found = pb.covariates(SCORES, experiment, on="age + algorithm", incomplete="drop")
    assert (found.n_incomplete, found.n_probes) == (1, 87)
    assert "covariates.incomplete" in [note.code for note in found.notes]


@pytest.mark.parametrize(
    ("on", "said"),
    [
        ("", "is empty"),
        ("age +", "expected a covariate, got nothing"),
        ("age ~ sex", "'~ sex' cannot be parsed"),
        ("age sex", "':' expected, got 'sex'"),
        ("log(age)", r"unknown function log\(…\)"),
        ("sqared(age)", "did you mean 'squared'"),
        ("age:sex", "write probe.age\\*probe.sex"),
        ("age + squared(age)", "is used as probe.age and as squared"),
        ("cut(age, 1)", "cut needs a number of groups from 2 to 20"),
        ("levels(sex, )", "a reference level"),
        ("levels(sex, x)", "No probe has probe.sex 'x'"),
        ("cut(sex)", "needs numbers, and probe.sex is text"),
        ("same(algorithm)", "needs a column of probe and mate"),
        ("gallery.age", "write mate.age"),
        ("rival.sex", "is a covariate of non-mates"),
        ("sexx", "did you mean 'sex'"),
        ("3", "3 is not a covariate"),
        ("subject", "identifies people: 28 of its 28 values"),
        ("elapsed(sex)", r"write same\(sex\)"),
        ("mate.age", "88 of 88 probes lack a covariate"),
    ],
)
def test_what_is_no_model_is_refused(on: str, said: str) -> None:
    with pytest.raises(ProbandError, match=said):
        explained(on)


def study_of(columns: dict[str, list[Any]], wrong: list[int], **options: Any) -> CovariateStudy:
    """One probe of each person, some of which fail."""
    n = len(next(iter(columns.values())))
    ids = [f"{side}{k}" for side in "gp" for k in range(n)]
    samples = pb.Samples(
        {"id": ids, "subject": [name[1:] for name in ids], **{k: v * 2 for k, v in columns.items()}}
    )
    values = np.eye(n)
    values[wrong] = 0.5
    scores = pb.Scores.from_array(values, ids[n:], ids[:n], orientation="similarity")
    return pb.covariates(scores, pb.Experiment(samples, gallery=ids[:n]), **options)


@pytest.mark.parametrize(
    ("columns", "on", "said"),
    [
        ({"x": ["a"] * 10 + ["b"] * 10}, "x", r"All 10 rows with probe.x 'b' succeed"),
        ({"x": [float(k) for k in range(20)]}, "x", "predicts? the outcome of some probes perfectly"),
        ({"x": ["a"] * 20}, "x", "is 'a' for all probes"),
        ({"x": [1] * 20}, "x", "is the same for all probes"),
        ({"x": ["a", "b"] * 10, "y": ["c", "d"] * 10}, "x + y", "follows from the other covariates"),
        ({"x": ["a", "b"] * 10, "y": ["c", "d"] * 10}, "x * y", "No probe has probe.x 'a' and probe.y 'd'"),
        ({"x": ["a"] * 19 + ["b"]}, "x", "is 'b' for only one person"),
        ({"x": [0, 1] * 10}, "cut(x, 4) + levels(x)", "is used as"),
        ({"x": [1] * 20}, "cut(x, 4)", "too many probes have the same value"),
        ({f"x{k}": [float(k == one or one == k + 1) for one in range(20)] for k in range(19)}, " + ".join(f"x{k}" for k in range(19)), "20 people are too few to estimate 20 coefficients"),
    ],
)  # fmt: skip
def test_what_cannot_be_told_is_refused(columns: dict[str, list[Any]], on: str, said: str) -> None:
    with pytest.raises(ProbandError, match=said):
        study_of(columns, [0, 1, 2, 3], on=on)


def test_nothing_to_explain_and_no_rank() -> None:
    with pytest.raises(ProbandError, match="All 6 outcomes succeed at rank 1"):
        study_of({"x": ["a", "b"] * 3}, [], on="x")
    with pytest.raises(ProbandError, match="Matches at a threshold need scores"):
        explained("age", outcome="match")


def test_few_people_are_marked() -> None:
    found = study_of({"x": ["a"] * 17 + ["b"] * 3}, [0, 1, 2, 17], on="x")
    assert not found.differences[0].supported
    assert {"covariates.few", "covariates.few-mark"} <= {note.code for note in found.notes}


def test_a_bent_number_is_seen() -> None:
    rng = np.random.default_rng(5)
    x = np.linspace(-2, 2, 300)
    wrong = np.flatnonzero(rng.random(300) > 1 / (1 + np.exp(-(2.5 - 1.5 * x**2)))).tolist()
    straight = study_of({"x": x.tolist()}, wrong, on="x")
    assert "covariates.bent" in [note.code for note in straight.notes]
    assert "covariates.fits-not" in [note.code for note in straight.notes]
    bent = study_of({"x": x.tolist()}, wrong, on="squared(x)")
    assert "covariates.bent" not in [note.code for note in bent.notes]


def test_several_mates_must_agree() -> None:
    samples = pb.Samples(
        {
            "id": ["a1", "a2", "a3", "b1", "b3"],
            "subject": list("aaabb"),
            "age": [1.0, 2, 3, 1, 2],
            "sex": list("ffffm"),
        }
    )
    scores = pb.Scores.from_array(
        [[1, 1, 0], [0, 0, 1]], ["a3", "b3"], ["a1", "a2", "b1"], orientation="similarity"
    )
    experiment = pb.Experiment(samples, gallery=["a1", "a2", "b1"])
    with pytest.raises(ProbandError, match=r"mate.age has several values for 1 of 2 probes"):
        pb.covariates(scores, experiment, on="mate.age")


def test_dates_count_days_and_columns_may_have_blanks() -> None:
    frame = pl.DataFrame(
        {
            "id": ["a1", "b1", "a2", "b2"],
            "subject": list("abab"),
            "the day": ["2020-01-01"] * 2 + ["2020-01-31", "2019-12-31"],
        }
    ).with_columns(pl.col("the day").str.to_date())
    from proband.inference.covariates.values import rows_of

    scores = pb.Scores.from_array([[1, 0], [0, 1]], ["a2", "b2"], ["a1", "b1"], orientation="similarity")
    ranked = pb.rank(scores, pb.Experiment(pb.Samples(frame), gallery=["a1", "b1"]), check_orientation=False)
    rows = rows_of([ranked], Formula.parse("elapsed(`the day`) + difference(`the day`)"))
    assert [one.numbers.tolist() for one in rows.values] == [[30.0, 1.0], [30.0, -1.0]]
    assert str(rows.values[0].covariate) == "elapsed(`the day`)"


def test_order_of_people_and_rows_does_not_matter() -> None:
    rng = np.random.default_rng(1)
    x = np.column_stack([np.ones(60), rng.normal(size=60)])
    y, people = (rng.random(60) < 0.6).astype(float), rng.integers(0, 15, 60)
    people = np.unique(people, return_inverse=True)[1]
    order = rng.permutation(60)
    one = Sandwich(regress(x, y), people).contrast(np.array([0.0, 1.0]))
    two = Sandwich(regress(x[order], y[order]), people[order]).contrast(np.array([0.0, 1.0]))
    assert one == pytest.approx(two, rel=1e-9)


def test_a_column_may_be_called_as_the_check_of_the_whole_model_was() -> None:
    rng = np.random.default_rng(8)
    fitted = rng.normal(size=200)
    right = (rng.random(200) < 1 / (1 + np.exp(-fitted))).astype(int)
    table = pl.DataFrame(
        {"who": np.arange(200) // 2, "ok": right, "fitted": fitted, "level": rng.normal(size=200)}
    )
    study = pb.stats.explain_outcomes(table, on="fitted + level", success="ok", cluster="who")
    assert [one.by for one in study.checks] == [None, "fitted", "level"]
    assert json.loads(json.dumps(study.to_dict()))["checks"][0]["by"] is None
    charts = [fit_check(study, one) for one in study.checks]
    assert [chart.title for chart in charts] == [
        "Check of fit",
        "Residuals along fitted",
        "Residuals along level",
    ]
    # The chart of the column has the column's own numbers: its groups have the means of five equal parts.
    own = np.sort(fitted).reshape(5, 40).mean(axis=1)
    drawn = charts[1].marks
    assert isinstance(drawn, Curves)
    np.testing.assert_allclose(drawn.series[0].xs, own)
    assert sum(note.code.startswith("covariates.fits") for note in study.notes) == 1
    assert {
        note["by"] for note in study.notes if note.code in ("covariates.straight", "covariates.bent")
    } == {"fitted", "level"}


def test_groups_of_a_check_do_not_hang_on_the_last_digit() -> None:
    """Expected outcomes of one cell are equal but for rounding, which other processors do otherwise."""
    rng = np.random.default_rng(3)
    levels = rng.integers(0, 4, 240)
    x = (levels[:, None] == np.arange(4)).astype(float)
    fit = regress(x, (rng.random(240) < 0.3 + 0.15 * levels).astype(float))
    people = np.repeat(np.arange(80), 3)
    plain = _check(None, fit.fitted, 10, fit, people, 0.95, describing(Target("rate", "rate")))
    jittered = _check(
        None,
        fit.fitted * (1 + 4e-16 * rng.integers(-2, 3, 240)),
        10,
        fit,
        people,
        0.95,
        describing(Target("rate", "rate")),
    )
    assert plain.n == jittered.n
    assert plain.observed.values == pytest.approx(jittered.observed.values)


def test_chosen_pairs_of_algorithms() -> None:
    """A third algorithm that recognises what both others do: b − a and c − b are contrasts of the same model."""
    both = {name: pb.rank(one, EXPERIMENT, check_orientation=False) for name, one in SCORES.items()}
    third = replace(both["pca"], algorithm="third", closer=np.maximum(both["net"].closer, both["pca"].closer))
    three = [*both.values(), third]

    def apart(**options: Any) -> dict[tuple[str, str], pb.results.Difference]:
        found = pb.covariates(three, on="glasses + algorithm", **options)
        return {(one.first, one.second): one for one in found.differences if one.who.column == "algorithm"}

    usual = apart()
    first = next(iter(usual))[1]
    others = [pair[0] for pair in usual]
    chosen = apart(pairs=[tuple(others), (first, others[0])])
    assert list(chosen) == [tuple(others), (first, others[0])]
    turned, plain = chosen[first, others[0]], usual[others[0], first]
    assert (turned.value, turned.low, turned.high) == pytest.approx((-plain.value, -plain.high, -plain.low))
    assert turned.p_value == pytest.approx(plain.p_value)
    expected = usual[others[0], first].value - usual[others[1], first].value
    assert chosen[tuple(others)].value == pytest.approx(expected)
    assert [*apart(against=others[0])] == [
        (name, others[0]) for name in ("net", "pca", "third") if name != others[0]
    ]


def test_pairs_of_algorithms_need_algorithms_in_the_model() -> None:
    with pytest.raises(ProbandError, match="does not include algorithm"):
        explained("glasses", against="net")
    with pytest.raises(ProbandError, match="no algorithm 'nte'"):
        explained("algorithm", pairs=[("nte", "pca")])
