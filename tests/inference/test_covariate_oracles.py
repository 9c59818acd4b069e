"""Covariates again by hand: whole matrices, no shortcuts, on synthetic people and on NIST's MEDS-II."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
import pytest
from scipy.linalg import sqrtm
from scipy.stats import f as f_distribution, t as t_distribution

import proband as pb

MEDS = Path(__file__).parents[2].parent / "shared" / "data" / "meds"
needs_meds = pytest.mark.skipif(not MEDS.is_dir(), reason=f"the MEDS data is not at {MEDS}")
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Dense:
    """A regression and its errors over people as the literature writes them, with matrices of all rows by all rows.

    Coefficients by Newton's steps; then, as in Pustejovsky & Tipton (2018), weighted least squares of the residuals on D = ∂μ/∂β with weights V⁻¹ and the
    hat matrix H = D M Dᵀ V⁻¹.
    """

    x: Floats
    y: Floats
    people: npt.NDArray[np.intp]
    logistic: bool = True
    adjusted: bool = True

    @cached_property
    def coefficients(self) -> Floats:
        beta = np.zeros(self.x.shape[1])
        for _ in range(40):
            mean = self.mean(self.x, beta)
            slope = mean * (1 - mean) if self.logistic else np.ones(len(mean))
            beta = beta + np.linalg.solve(self.x.T @ np.diag(slope) @ self.x, self.x.T @ (self.y - mean))
        return beta

    def mean(self, x: Floats, beta: Floats | None = None) -> Floats:
        linear = x @ (self.coefficients if beta is None else beta)
        return np.asarray(1 / (1 + np.exp(-linear)) if self.logistic else linear)

    @cached_property
    def variance(self) -> Floats:
        mean = self.mean(self.x)
        return np.asarray(mean * (1 - mean)) if self.logistic else np.ones(len(mean))

    @cached_property
    def parts(self) -> tuple[list[Floats], Floats]:
        """Of each person, what makes coefficients of residuals (k × own rows, adjusted); and I − H."""
        slope = self.x * self.variance[:, None]
        inverse = np.diag(1 / self.variance)
        bread = np.linalg.inv(slope.T @ inverse @ slope)
        rest = np.eye(len(self.y)) - slope @ bread @ slope.T @ inverse
        made = []
        for person in range(self.people.max() + 1):
            rows = np.flatnonzero(self.people == person)
            adjustment = np.eye(len(rows))
            if self.adjusted:
                root = np.diag(np.sqrt(self.variance[rows]))
                left = rest[rows] @ np.diag(self.variance) @ rest[rows].T
                adjustment = root.T @ np.linalg.inv(np.real(sqrtm(root @ left @ root.T))) @ root
            made.append(bread @ slope[rows].T @ inverse[np.ix_(rows, rows)] @ adjustment)
        return made, rest

    @cached_property
    def covariance(self) -> Floats:
        residuals, total = self.y - self.mean(self.x), 0.0
        for person, maker in enumerate(self.parts[0]):
            own = maker @ residuals[self.people == person]
            total = total + np.outer(own, own)
        return np.asarray(total)

    def _of_rows(self, weights: Floats) -> Floats:
        """Each person's part of the contrast as a function of all errors, a row for each person."""
        makers, rest = self.parts
        return np.array(
            [weights @ maker @ rest[self.people == person] for person, maker in enumerate(makers)]
        )

    def contrast(self, weights: Floats) -> tuple[float, float]:
        """The standard error and Satterthwaite's degrees of freedom: (tr P)²/tr P², P_jk = p_jᵀ V p_k."""
        of_rows = self._of_rows(weights)
        products = (of_rows * self.variance) @ of_rows.T
        return float(np.sqrt(weights @ self.covariance @ weights)), float(
            np.trace(products) ** 2 / np.sum(products**2)
        )

    def joint(self, weights: Floats) -> tuple[float, float, float]:
        """F, its denominator's degrees of freedom and p: Hotelling's T², the total variance of the estimated covariance matched.

        An entry of the covariance is a quadratic form eᵀ Q e, whose variance for normal e is 2 tr(QVQV).
        """
        q = len(weights)
        root = np.sqrt(self.variance)
        of_rows = np.array([self._of_rows(row) * root for row in weights])  # so that errors have variance 1
        expected = np.einsum("sjn,tjn->st", of_rows, of_rows)
        standard = np.linalg.inv(np.real(sqrtm(expected)))
        of_rows = np.einsum("st,tjn->sjn", standard, of_rows)
        total = 0.0
        for a in of_rows:
            for b in of_rows:  # Q = (aᵀb + bᵀa)/2, whose trace tr(QQ) is taken over people instead of rows
                crossed = b @ a.T
                total += float(np.sum((a @ a.T) * (b @ b.T)) + np.sum(crossed * crossed.T))
        freedom = q * (q + 1) / total
        effects = weights @ self.coefficients
        wald = effects @ np.linalg.inv(weights @ self.covariance @ weights.T) @ effects
        rest = freedom - q + 1
        statistic = float(rest / freedom * wald / q)
        return statistic, rest, float(f_distribution.sf(statistic, q, rest))

    def standardized(self, changed: Floats) -> tuple[float, Floats]:
        """The mean expected outcome of other columns, and what each coefficient does to it by differences."""
        gradient = []
        for place in range(len(self.coefficients)):
            step = np.zeros(len(self.coefficients))
            step[place] = 1e-5 / max(1.0, float(np.abs(changed[:, place]).max()))
            up, down = (self.mean(changed, self.coefficients + sign * step).mean() for sign in (1, -1))
            gradient.append((up - down) / (2 * step[place]))
        return float(self.mean(changed).mean()), np.array(gradient)


@dataclass(frozen=True)
class Column:
    """A covariate of every row: its name, its values, and its levels with the one compared with first (none for a number)."""

    name: str
    values: Sequence[Any]
    levels: tuple[str, ...] = ()

    def coded(self, values: Sequence[Any] | None = None) -> Floats:
        own = self.values if values is None else values
        if not self.levels:
            return np.asarray(own, dtype=float)[:, None]
        return np.array([[float(value == level) for level in self.levels[1:]] for value in own])


def by_levels(name: str, values: Sequence[str]) -> Column:
    """The commonest level first, the others by name."""
    tally = Counter(values)
    first = min(tally, key=lambda level: (-tally[level], level))
    return Column(name, values, (first, *sorted(set(values) - {first})))


def matrix(columns: Sequence[Column], setting: dict[str, Any] | None = None, crossed: bool = False) -> Floats:
    """The intercept, every covariate and, if told, the last two multiplied; as they are or with some set for all rows."""
    coded = []
    for column in columns:
        chosen = None if setting is None or column.name not in setting else setting[column.name]
        coded.append(column.coded(None if chosen is None else [chosen] * len(column.values)))
    if crossed:
        coded.append(np.array([np.outer(a, b).ravel() for a, b in zip(coded[-2], coded[-1], strict=True)]))
    return np.column_stack([np.ones(len(coded[0])), *coded])


def interval_of_rate(rate: float, error: float, freedom: float) -> tuple[float, float]:
    """On the scale of log odds."""
    reach = t_distribution.ppf(0.975, freedom) * error / (rate * (1 - rate))
    ends = np.log(rate / (1 - rate)) + np.array([-reach, reach])
    low, high = 1 / (1 + np.exp(-ends))
    return float(low), float(high)


def check(
    result: dict[str, Any],
    columns: Sequence[Column],
    outcomes: Floats,
    people: Sequence[str],
    *,
    probes: Sequence[str],
    crossed: bool = False,
    logistic: bool = True,
) -> None:
    """Hold a study, as its JSON has it, to numbers of whole matrices."""
    codes = np.unique(people, return_inverse=True)[1]
    dense = Dense(matrix(columns, crossed=crossed), outcomes, codes, logistic)
    errors_and_freedoms = [dense.contrast(row) for row in np.eye(dense.x.shape[1])]
    assert result["n_people"] == len(set(people))
    assert result["n_rows"] == len(outcomes)
    assert result["rate"] == pytest.approx(outcomes.mean(), rel=1e-12)
    own = result["coefficients"]
    assert [row["value"] for row in own] == pytest.approx(dense.coefficients, rel=1e-8, abs=1e-10)
    assert [row["standard_error"] for row in own] == pytest.approx(
        [error for error, _ in errors_and_freedoms], rel=1e-7
    )
    assert [row["degrees_of_freedom"] for row in own] == pytest.approx(
        [freedom for _, freedom in errors_and_freedoms], rel=1e-6
    )
    for row, (error, freedom) in zip(own, errors_and_freedoms, strict=True):
        reach = t_distribution.ppf(0.975, freedom) * error
        assert (row["low"], row["high"]) == pytest.approx(
            (row["value"] - reach, row["value"] + reach), rel=1e-6
        )
        assert row["p_value"] == pytest.approx(
            2 * t_distribution.sf(abs(row["value"]) / error, freedom), rel=1e-5
        )
    eye, place = np.eye(dense.x.shape[1]), 1
    places = []
    for column in columns:
        places.append(list(range(place, place + column.coded().shape[1])))
        place = places[-1][-1] + 1
    if crossed:  # what acts on one another is tested with its interaction
        interaction = list(range(place, len(eye)))
        places = [*places[:-2], places[-2] + interaction, places[-1] + interaction, interaction]
    tests = [dense.joint(eye[own]) for own in places]
    for row, expected in zip(
        [*result["tests"], result["overall"]], [*tests, dense.joint(eye[1:])], strict=True
    ):
        assert (
            row["statistic"],
            row["denominator_degrees_of_freedom"],
            row["p_value"],
        ) == pytest.approx(expected, rel=1e-5)
    assert [row["who"]["column"] for row in result["tests"]][: len(columns)] == [
        column.name for column in columns
    ]
    adjusted = dict.fromkeys(range(len(tests)), 0.0)
    for step, k in enumerate(sorted(adjusted, key=lambda k: tests[k][2])):
        adjusted[k] = max(min(1.0, tests[k][2] * (len(tests) - step)), *adjusted.values())
    assert [row["p_adjusted"] for row in result["tests"]] == pytest.approx([*adjusted.values()], rel=1e-5)
    rates = {
        (row["who"]["column"], row["who"]["group"]): row
        for row in result["rates"]
        if "other_column" not in row["who"]
    }
    differences = {
        (row["who"]["column"], row["first"]): row
        for row in result["differences"]
        if "other_column" not in row["who"]
    }
    first_rows = np.unique(probes, return_index=True)[1]
    for column in columns:
        settings: list[tuple[Any, Any]]
        if column.levels:
            settings = [(level, level) for level in column.levels]
        else:
            quartiles = np.quantile(np.asarray(column.values, dtype=float)[first_rows], [0.25, 0.5, 0.75])
            names = [name for of, name in rates if of == column.name]
            settings = list(zip(names, quartiles, strict=True))
        answers = [
            dense.standardized(matrix(columns, {column.name: value}, crossed)) for _, value in settings
        ]
        for (name, _), (rate, gradient) in zip(settings, answers, strict=True):
            error, freedom = dense.contrast(gradient)
            row = rates[column.name, name]
            assert (row["value"], row["standard_error"], row["degrees_of_freedom"]) == pytest.approx(
                (rate, error, freedom), rel=1e-5
            )
            if logistic:
                assert (row["low"], row["high"]) == pytest.approx(
                    interval_of_rate(rate, error, freedom), rel=1e-5
                )
        base, base_gradient = answers[0]
        compared = range(1, len(settings)) if column.levels else [len(settings) - 1]
        for k in compared:
            rate, gradient = answers[k]
            error, freedom = dense.contrast(gradient - base_gradient)
            row = differences[column.name, settings[k][0]]
            assert row["second"] == settings[0][0]
            assert (row["value"], row["standard_error"], row["degrees_of_freedom"]) == pytest.approx(
                (rate - base, error, freedom), rel=1e-5, abs=1e-9
            )
            assert row["p_value"] == pytest.approx(
                2 * t_distribution.sf(abs(rate - base) / error, freedom), rel=1e-4
            )


def check_statsmodels(result: dict[str, Any], x: Floats, outcomes: Floats, people: Sequence[str]) -> None:
    """Coefficients are those of its GLM and GEE; the plain sandwich its robust one."""
    api = pytest.importorskip("statsmodels.api")
    codes = np.unique(people, return_inverse=True)[1]
    glm = api.GLM(outcomes, x, family=api.families.Binomial()).fit(tol=1e-12)
    gee = api.GEE(outcomes, x, groups=codes, family=api.families.Binomial()).fit()
    values = [row["value"] for row in result["coefficients"]]
    assert values == pytest.approx(glm.params, rel=1e-6, abs=1e-8)
    assert values == pytest.approx(gee.params, rel=1e-5, abs=1e-7)
    plain = Dense(x, outcomes, codes, adjusted=False)
    assert np.sqrt(np.diag(plain.covariance)) == pytest.approx(gee.bse, rel=1e-4)
    corrected = api.GEE(outcomes, x, groups=codes, family=api.families.Binomial()).fit(
        cov_type="bias_reduced"
    )
    ours = np.array([row["standard_error"] for row in result["coefficients"]])
    # CR2 has (I − H_jj)^(−½), and lies between nothing and statsmodels' (I − H_jj)⁻¹ (Mancl & DeRouen 2001).
    assert np.all(ours > gee.bse * 0.999)
    assert np.all(ours < corrected.bse * 1.001)


def invented(seed: int = 4) -> tuple[dict[str, pb.Scores], pb.Experiment, list[dict[str, Any]]]:
    """Thirty people with one to five probes each, whose rank depends on what the table says of them."""
    rng = np.random.default_rng(seed)
    people = [f"p{k:02d}" for k in range(30)]
    rows: list[dict[str, Any]] = [
        {"id": f"{name}-g", "subject": name, "age": 20.0 + k, "sex": "f", "site": "x", "light": "day"}
        for k, name in enumerate(people)
    ]
    for k, name in enumerate(people):
        sex, site = "mf"[int(rng.random() < 0.4)], "xyz"[int(rng.integers(3))]
        for number in range(int(rng.integers(1, 6))):
            light = ["day", "dusk"][int(rng.random() < 0.45)]
            age = 20.0 + k + round(float(rng.gamma(2.0, 1.5)), 2)
            rows.append(
                {
                    "id": f"{name}-{number}",
                    "subject": name,
                    "age": age,
                    "sex": sex,
                    "site": site,
                    "light": light,
                }
            )
    gallery, probes = rows[:30], rows[30:]
    scores = {}
    for name, skill in (("net", 1.8), ("pca", 0.9)):
        values = rng.normal(size=(len(probes), 30))
        for row, probe in enumerate(probes):
            mate = people.index(probe["subject"])
            gap = probe["age"] - gallery[mate]["age"]
            dark = 0.6 * (probe["light"] == "dusk")
            values[row, mate] += skill + 1.2 - 0.25 * gap - dark
        scores[name] = pb.Scores.from_array(
            values, [p["id"] for p in probes], [g["id"] for g in gallery], orientation="similarity", name=name
        )
    samples = pb.Samples(pl.DataFrame(rows))
    return scores, pb.Experiment(samples, gallery=[row["id"] for row in gallery]), rows


SCORES, EXPERIMENT, ROWS = invented()


def rows_by_hand(values: Floats, subjects: Sequence[str], people: Sequence[str]) -> list[int]:
    """The rank of every probe: one more than the rivals that are at least as close as the mate."""
    ranks = []
    for row, subject in zip(values, subjects, strict=True):
        mate = list(people).index(subject)
        ranks.append(1 + sum(float(score) >= float(row[mate]) for k, score in enumerate(row) if k != mate))
    return ranks


def stacked() -> tuple[list[dict[str, Any]], list[int], list[str]]:
    """The probes below each other, an algorithm at a time: their rows of the table, ranks, and algorithms."""
    gallery, probes = ROWS[:30], ROWS[30:]
    rows, ranks, algorithms = [], [], []
    for name, scores in SCORES.items():
        ranks += rows_by_hand(
            np.asarray(scores.values), [p["subject"] for p in probes], [g["subject"] for g in gallery]
        )
        rows += [
            {**p, "gap": abs(p["age"] - next(g["age"] for g in gallery if g["subject"] == p["subject"]))}
            for p in probes
        ]
        algorithms += [name] * len(probes)
    return rows, ranks, algorithms


def columns_by_hand(rows: list[dict[str, Any]], algorithms: list[str]) -> list[Column]:
    return [
        Column("elapsed(age)", [row["gap"] for row in rows]),
        by_levels("probe.sex", [row["sex"] for row in rows]),
        by_levels("probe.site", [row["site"] for row in rows]),
        by_levels("probe.light", [row["light"] for row in rows]),
        Column("algorithm", algorithms, ("net", "pca")),
    ]


@pytest.mark.parametrize("crossed", [False, True])
def test_success_of_synthetic_people(crossed: bool) -> None:
    rows, ranks, algorithms = stacked()
    columns = columns_by_hand(rows, algorithms)
    outcomes = np.array([float(rank == 1) for rank in ranks])
    people = [row["subject"] for row in rows]
    joined = "light * algorithm" if crossed else "light + algorithm"
    study = pb.covariates(SCORES, EXPERIMENT, on=f"elapsed(age) + sex + site + {joined}")
    result = json.loads(json.dumps(study.to_dict()))
    check(result, columns, outcomes, people, probes=[row["id"] for row in rows], crossed=crossed)
    check_statsmodels(result, matrix(columns, crossed=crossed), outcomes, people)


def test_checks_of_fit_are_the_score_tests_of_statsmodels() -> None:
    """Its statistic T of groups of expected outcomes, and of elapsed time; here as F = (J − q)/q · T/(J − T) over J people."""
    api = pytest.importorskip("statsmodels.api")
    rows, ranks, algorithms = stacked()
    columns = columns_by_hand(rows, algorithms)
    outcomes = np.array([float(rank == 1) for rank in ranks])
    codes = np.unique([row["subject"] for row in rows], return_inverse=True)[1]
    x = matrix(columns)
    study = pb.covariates(SCORES, EXPERIMENT, on="elapsed(age) + sex + site + light + algorithm")
    fitted = np.round(Dense(x, outcomes, codes).mean(x), 9)
    family = api.families.Binomial()
    within = api.GEE(outcomes, x, groups=codes, family=family).fit()
    for fit_check, along, n_groups in zip(study.checks, (fitted, x[:, 1]), (10, 5), strict=True):
        edges = np.unique(np.quantile(along, np.arange(1, n_groups) / n_groups))
        group = np.searchsorted(edges, along)
        added = np.column_stack([x, *((group == place).astype(float) for place in np.unique(group)[1:])])
        expected = api.GEE(outcomes, added, groups=codes, family=family).compare_score_test(within)
        t, q, people = expected["statistic"], expected["df"], len(set(codes))
        f = (people - q) / q * t / (people - t)
        assert fit_check.test is not None
        assert (fit_check.test.statistic, fit_check.test.p_value) == pytest.approx(
            (f, f_distribution.sf(f, q, people - q)), rel=1e-6
        )
        for place, own in enumerate(np.unique(group)):
            assert fit_check.observed.values[place] == pytest.approx(outcomes[group == own].mean())
            assert fit_check.expected[place] == pytest.approx(fitted[group == own].mean(), abs=1e-8)


def test_the_curve_of_a_number_is_standardized_at_every_value() -> None:
    rows, ranks, algorithms = stacked()
    columns = columns_by_hand(rows, algorithms)
    outcomes = np.array([float(rank == 1) for rank in ranks])
    codes = np.unique([row["subject"] for row in rows], return_inverse=True)[1]
    (curve,) = pb.covariates(SCORES, EXPERIMENT, on="elapsed(age) + sex + site + light + algorithm").curves
    dense = Dense(matrix(columns), outcomes, codes)
    gaps = np.array([row["gap"] for row in rows[: len(rows) // 2]])  # of every probe once
    assert curve.x == pytest.approx(np.linspace(*np.quantile(gaps, [0.05, 0.95]), 19))
    for value, rate, low, high in zip(curve.x, curve.values, curve.low, curve.high, strict=True):
        expected, gradient = dense.standardized(matrix(columns, {"elapsed(age)": value}))
        ends = interval_of_rate(expected, *dense.contrast(gradient))
        assert (rate, low, high) == pytest.approx((expected, *ends), rel=1e-5)


def test_log_ranks_of_synthetic_people() -> None:
    rows, ranks, algorithms = stacked()
    columns = columns_by_hand(rows, algorithms)
    study = pb.covariates(
        SCORES, EXPERIMENT, on="elapsed(age) + sex + site + light + algorithm", outcome="log-rank"
    )
    check(
        json.loads(json.dumps(study.to_dict())),
        columns,
        np.log(ranks),
        [row["subject"] for row in rows],
        probes=[row["id"] for row in rows],
        logistic=False,
    )


@pytest.mark.realdata
@needs_meds
@pytest.mark.long
def test_success_on_meds_from_the_command_line(run: Callable[..., Any], tmp_path: Path) -> None:
    """Two classical algorithms on mugshots, by age, sex, race, elapsed years, yaw and algorithm; failures to acquire are misses."""
    with (MEDS / "samples.csv").open(newline="") as file:
        table = {row["filename"]: row for row in csv.DictReader(file)}
    with np.load(MEDS / "similarity_query_x_target.npz", allow_pickle=False) as arrays:
        queries, targets = (arrays[name].tolist() for name in ("query_file", "target_file"))
        scores = {name: arrays[name] for name in ("lbp", "ncc")}
    common = ("W", "B")
    mates: dict[str, list[str]] = {}
    for name in targets:
        mates.setdefault(table[name]["subject"], []).append(name)
    enrolled = [k for k, name in enumerate(targets) if table[name]["detected"] == "True"]
    rows, outcomes, algorithms = [], [], []
    for algorithm, values in scores.items():
        for place, query in enumerate(queries):
            probe = table[query]
            if probe["race"] not in common or probe["subject"] not in mates:
                continue
            (mate,) = mates[probe["subject"]]
            ahead = int(np.sum(values[place, enrolled] >= values[place, targets.index(mate)]))
            failed = "False" in (probe["detected"], table[mate]["detected"])
            outcomes.append(float(not failed and ahead == 1))  # the mate itself
            gap = abs(float(probe["age"]) - float(table[mate]["age"]))
            rows.append({**probe, "gap": gap})
            algorithms.append(algorithm)
    columns = [
        Column("probe.age", [float(row["age"]) for row in rows]),
        by_levels("probe.sex", [row["sex"] for row in rows]),
        by_levels("probe.race", [row["race"] for row in rows]),
        Column("elapsed(age)", [row["gap"] for row in rows]),
        Column("probe.yaw_deg", [float(row["yaw_deg"]) for row in rows]),
        Column("algorithm", algorithms, ("lbp", "ncc")),
    ]
    archive = MEDS / "similarity_query_x_target.npz"
    done = run(
        "covariates", f"{archive}::lbp", f"{archive}::ncc", "-s", MEDS / "samples.csv", "--id-column", "filename",
        "--orientation", "similarity", "--failed", "not detected", "-p", "openbr_frontal_set == 'query' and race in ('W', 'B')",
        "--on", "age + sex + race + elapsed(age) + yaw_deg + algorithm", "--json", cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)["covariates"]
    people = [row["subject"] for row in rows]
    check(result, columns, np.array(outcomes), people, probes=[row["filename"] for row in rows])
    check_statsmodels(result, matrix(columns), np.array(outcomes), people)
