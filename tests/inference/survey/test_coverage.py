"""Do intervals keep their word on skewed two-stage populations? Where units are few they do not, and docs/methods/survey.md says so."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from proband.inference.survey import Mean, Ratio, Total
from proband.survey import Survey

SAMPLES = 400
N_STRATA, N_PEOPLE = 4, 40


def population(rng: np.random.Generator) -> pl.DataFrame:
    """People at sites with unequal numbers of probes; a few people fail nearly always, and have more probes."""
    rows = []
    for site in range(N_STRATA):
        for person in range(N_PEOPLE):
            skill = rng.beta(0.3, 0.7) if rng.random() < 0.12 else rng.beta(18 + 4 * site, 1)
            n = int(rng.integers(6, 14)) + (10 if skill < 0.5 else 0)
            times = rng.lognormal(0.3 * site + (1 - skill), 0.8, n)
            rows += [
                (f"s{site}", f"{site}-{person}", k, int(rng.random() < skill), float(times[k]), N_PEOPLE, n)
                for k in range(n)
            ]
    names = ["site", "person", "probe", "success", "time", "people", "probes"]
    return pl.DataFrame(rows, names, orient="row")


def sampled(people: dict[str, list[tuple[int, int]]], drawn: int, rng: np.random.Generator) -> list[int]:
    """Rows of so many people of each site, and of five probes of each."""
    rows: list[int] = []
    for own in people.values():
        for place in rng.choice(len(own), drawn, replace=False):
            first, n = own[place]
            rows += (first + rng.choice(n, 5, replace=False)).tolist()
    return rows


def coverage(drawn: int, seed: int) -> dict[str, float]:
    """The share of samples whose 95 % interval holds the population's value."""
    rng = np.random.default_rng(seed)
    whole = population(rng)
    people: dict[str, list[tuple[int, int]]] = {}
    start = 0
    for (site, _), rows in whole.group_by("site", "person", maintain_order=True):
        people.setdefault(str(site), []).append((start, rows.height))
        start += rows.height
    truth = {
        "success": whole["success"].mean(),
        "total": whole["time"].sum(),
        "ratio": whole["success"].sum() / whole["time"].sum(),
    }
    held = dict.fromkeys(("auto", "t", "logit", "total", "ratio", "jkn"), 0)
    for _ in range(SAMPLES):
        table = whole[sampled(people, drawn, rng)]
        survey = Survey(table, strata="site", units=("person", "probe"), fpc=("people", "probes"))
        found = survey.estimate(Mean("success"), Total("time"), Ratio("success", "time"))
        share = survey.mean("success", interval="logit")
        again = Survey(table.with_columns(w=survey.base_weights), weights="w", strata="site", units="person")
        rows: dict[str, tuple[Any, Any]] = {
            "auto": (found[0], truth["success"]),
            "t": (survey.mean("success", interval="t")[0], truth["success"]),
            "logit": (share[0], truth["success"]),
            "total": (found[1], truth["total"]),
            "ratio": (found[2], truth["ratio"]),
            "jkn": (again.replicated("jkn").mean("success", interval="t")[0], truth["success"]),
        }
        for name, (one, true) in rows.items():
            held[name] += one.low <= true <= one.high
    return {name: n / SAMPLES for name, n in held.items()}


@pytest.mark.long
@pytest.mark.parametrize(
    ("drawn", "least", "least_logit"), [(2, 0.55, 0.78), (5, 0.75, 0.77), (10, 0.86, 0.9), (20, 0.87, 0.91)]
)
def test_coverage_grows_with_units(drawn: int, least: float, least_logit: float) -> None:
    found = coverage(drawn, 7)
    assert min(found.values()) >= least
    assert found["logit"] >= least_logit
    assert found["auto"] >= (
        0.83 if drawn == 5 else 0.93
    )  # of five people a site, often none of those who fail and weigh most
    if drawn == 2:
        assert found["t"] < 0.8, "what docs/methods/survey.md warns of"
