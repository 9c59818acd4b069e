"""The same request through the command line, a study file and Python finds the same."""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from tests.golden.data import surveys
from tests.program import whole_program

from proband.analyses import Request
from proband.engine.files.documents import as_json
from proband.study.analysis import analyses, analysis_keys
from proband.study.reading import read_study
from proband.study.refusals import model_of
from proband.study.requests import only
from proband.study.run import run as carry_out

Run = Callable[..., Any]
Values = dict[str, Any]
COMMAND_OF = {name: name for name in analysis_keys()} | {
    "identification": "evaluate",
    "comparison": "compare",
    "verification": "verify",
    "choices": "permute",
    "classification": "classify",
    "outcomes": "compare",
}
OWN_DOORS = ("protocol", "audit", "what_if")
"""Commands that read in their own way: tests/cli/test_protocol_doors.py."""
SWITCH = {"outcomes": ["--outcomes"], "covariates": ["--outcomes"]}
NO = {"balanced": "--unbalanced"}
SAMPLE: dict[str, Any] = {"table": "survey.csv", "weights": "weight", "strata": "site", "units": ["person"]}
E: Values = {"gallery": "image == 0"}
WHOLE: Values = {
    "gallery": "image < 2",
    "one_per_subject": True,
    "probes": "image > 1",
    "ties": "mean",
    "counting": "subjects",
}
DIGEST = "of scores.npz"
UNTYPED = {"verification": {"comparisons"}}
"""Keys that a study has beside an experiment, and a command without one has not: tests/cli/test_metric.py."""
KINDS: list[tuple[str, Values, Values, list[Values]]] = [
    ("identification", {"ranks": [1, 3]}, WHOLE | {"on_failure": "as-scored"}, [{"name": "later", "rule": "probe.image > 2", "gallery": "sex == 'f'"}, {"by": "sex"}]),
    ("comparison", {"measure": "rank-2", "margin": 0.05, "design": "sign-flip", "by_category": True}, E, [{"by": "sex"}]),
    ("comparison", {"measure": "median-rank@5", "design": "bootstrap"}, E, []),
    ("comparison", {"measure": "fnmr@0.1", "pairs": ["b-a"], "one_sided": "upper"}, E, []),
    ("comparison", {"measure": "auc"}, E, []),
    ("comparison", {"measure": "median-relative-rank", "margin": 0.1, "design": "bootstrap", "adjust": "none"}, E | {"on_failure": "as-scored"}, []),
    ("identification", {"measures": ["median-rank@3", "fnmr@0.1"], "weights": "person"}, E, [{"by": "sex"}]),
    ("identification", {"ranks": [1, 2], "design": "binomial", "interval": "jeffreys", "population": 90}, E, []),
    ("identification", {"measures": ["rank-2"], "design": "bootstrap-probe", "n_resamples": 200}, E, []),
    ("identification", {"measures": ["rank-2"], "design": "brr", "one_sided": "lower", "overlap": True}, E, []),
    ("gate", {"baseline": "b", "candidate": "a", "measure": "rank-2", "margin": 0.1, "design": "bootstrap", "digest": DIGEST}, E, []),
    ("gate", {"baseline": "b", "measure": "fnmr@0.1"}, E, []),
    ("threshold", {"fmr": [0.1, 0.05]}, {"gallery": "image < 2", "probes": "image > 1"}, []),
    ("mcnemar", {"rank": 2, "pairs": ["b-a"]}, E, []),
    ("verification", {"fmr": [0.1, 0.05], "thresholds": [0.5], "n_resamples": 100, "by": ["sex"], "zoo": True, "naive": True}, {}, []),
    ("verification", {"gallery": "image == 0", "probes": "image > 1", "fmr": [0.1], "n_resamples": 0}, {}, []),
    ("verification", {"pairs": "pairs.csv"}, {}, []),
    ("search", {"gallery": "image == 0 and sex == 'f'", "probes": "image > 0", "fusion": "mean", "fpir": [0.2], "ranks": [1, 2], "sizes": [4, 6]}, {}, []),
    ("choices", {"groups": ["image"], "image_pairs": "between", "where": "image < 3", "n_resamples": 200, "balanced": False, "max_rank": 5, "rank": 2, "distractors": True, "list_trials": [1, 3]}, {"ties": "optimistic"}, []),
    ("choices", {"gallery": "image == 0", "probes": "image > 0", "measures": ["median-rank@4", "rank-12"], "pairs": ["b-a"], "n_resamples": 200}, {}, []),
    ("choices", {"groups": ["image"], "against": "a", "measures": ["median-relative-rank"], "n_resamples": 200}, {}, []),
    ("choices", {"exact": True, "groups": ["image"], "max_rank": 4}, {}, []),
    ("choices", {"trainings": True, "groups": ["image"]}, {}, []),
    ("strat", {"n_images": 4, "order_by": "image", "design": "jackknife", "rank": 2}, {"ties": "mean", "on_failure": "as-scored"}, []),
    ("feret", {"galleries": 2, "order": ["random"], "sizes": [4, 8], "reject": 0.25, "fpir": [0.2], "ranks": [1, 2], "power": 0.9}, E, [{"by": "sex"}]),
    ("feret", {"galleries": 2, "order": ["image"], "ages": "image", "versions": [{"fully": "a", "partially": "b"}], "improvements": [{"earlier": "a", "later": "b", "earlier_date": "1995", "later_date": "1996"}], "participants": "who.csv", "verification": "fnmr@0.1"}, E, []),
    ("covariates", {"on": "sex * algorithm + image", "outcome": "match", "fmr": 0.1, "covariance": "CR1", "incomplete": "drop"}, E, []),
    ("covariates", {"on": "sex * algorithm + image", "rank": 2, "against": "b"}, E, []),
    ("covariates", {"on": "sex + algorithm", "pairs": ["b-a"]}, E, []),
    ("partition", {"parts": 2, "judges": "images", "rank": 2}, E, []),
    ("classification", {"scores": ["logits.npz"], "models": ["a", "b"], "table": "labels.csv", "truth": "number", "cluster": "site", "classes": ["u", "v", "w"], "k": [1, 2], "ties": "mean", "margin": 0.02}, {}, []),
    ("classification", {"table": "labels.csv", "predicted": ["A=a", "b"], "average": "macro", "adjust": "none"}, {}, []),
    ("classification", {"predictions": ["a.csv", "b.csv"], "margin": 0.02}, {}, []),
    ("covariates", {"on": "sex", "table": "survey.csv", "success": "success", "cluster": "person", "weights": "weight", "strata": "site"}, {}, []),
    ("outcomes", {"table": "outcomes.csv", "item": "item", "algorithm": "system", "success": "success", "cluster": "site", "margin": 0.02, "against": "right_a"}, {}, []),
    ("outcomes", {"table": "labels.csv", "algorithms": ["right_a", "right_b"], "adjust": "none", "pairs": ["right_b-right_a"], "one_sided": "upper"}, {}, []),
    ("comparison", {"measure": "rank-1", "against": "b"}, E, []),
    ("comparison", {"with_scores": ["scores.npz"], "with_samples": "samples.csv", "with_gallery": "image == 0", "with_probes": "sex == 'm' and image > 0"}, {"gallery": "image == 0", "probes": "sex == 'f' and image > 0"}, []),
    ("mcnemar", {"against": "a", "by_category": True}, E, [{"by": "sex"}]),
    ("datasets", {"table": "outcomes.csv", "dataset": "site", "algorithm": "system", "success": "success", "cluster": "item"}, {}, []),
    ("datasets", {"table": "rates.csv", "errors": "errors.csv"}, {}, []),
]  # fmt: skip

OF_DESIGNS: list[tuple[str, Values, Values, list[Values]]] = [
    ("identification", {"measures": ["rank-2", "relative-rank@0.2"], "design": "fay", "strata": "sex", "units": "subject", "stratum_weights": "f=0.3,m=0.7", "degrees_of_freedom": "9", "interval": "wilson", "rho": 0.3, "sample": 6, "relative_ranks": True}, E, []),
    ("identification", {"measures": ["auc"], "design": "rao-wu", "strata": "sex", "units": "subject", "n_resamples": 40, "centre": "mean"}, E, []),
    ("identification", {"measures": ["rank-2"], "design": "jackknife", "jackknife": "JK1"}, E, []),
    ("identification", {"measures": ["rank-2"], "design": "collapsed-strata", "strata": "id", "collapse_by": "image"}, E, []),
    ("comparison", {"design": "fay", "strata": "sex", "units": "subject", "stratum_weights": "equal", "degrees_of_freedom": "cochran", "interval": "logit", "rho": 0.3, "sample": 6}, E, []),
    ("comparison", {"measure": "auc", "design": "rao-wu", "strata": "sex", "units": "subject", "n_resamples": 40, "centre": "mean"}, E, []),
    ("comparison", {"design": "jackknife", "jackknife": "JK1", "units": "subject"}, E, []),
    ("comparison", {"design": "collapsed-strata", "strata": "id", "collapse_by": "image"}, E, []),
    ("strat", {"gallery": "image == 0", "probes": "image > 1", "sensors": "image", "design": "fay", "strata": "sex", "units": "subject", "stratum_weights": "f=0.3,m=0.7", "degrees_of_freedom": "cochran", "interval": "logit", "rho": 0.3, "relative_ranks": True}, {}, []),
    ("strat", {"design": "rao-wu", "n_resamples": 40, "centre": "mean"}, {}, []),
    ("strat", {"gallery": "image == 0", "sample": 6}, {}, []),
    ("strat", {"gallery": "image == 0", "design": "jackknife", "jackknife": "JK1"}, {}, []),
    ("strat", {"gallery": "image == 0", "design": "collapsed-strata", "strata": "id", "collapse_by": "image"}, {}, []),
    ("survey", SAMPLE | {"mean": ["success", "group"], "total": ["x"], "variance": ["y"], "by": ["sex"], "differences": True, "where": "x > 1", "lonely": "average", "method": "jkn", "centre": "mean", "rake": ["margins.csv"], "epsilon": 0.0001, "max_rounds": 20}, {}, []),
    ("survey", SAMPLE | {"fpc": ["people"], "nest": True, "ratio": ["y/x"], "quantile": ["x@0.25", "y"], "missing": "drop", "quantile_rule": "hf7", "quantile_interval": "logit", "post_stratify": "cells.csv", "degrees_of_freedom": 5.0, "design_effect": "none"}, {}, []),
    ("survey", SAMPLE | {"mean": ["success"], "method": "fay", "rho": 0.25, "interval": "logit", "calibrate": "totals.csv"}, {}, []),
    ("survey", SAMPLE | {"mean": ["x"], "method": "bootstrap", "n_resamples": 30}, {}, []),
    ("survey", SAMPLE | {"mean": ["x"], "replicate_weights": ["rep*"], "replicate_kind": "jkn", "scale": 0.5, "rscales": [0.5, 1.0, 0.5, 1.0, 0.5, 1.0, 0.5, 1.0], "combined": False}, {}, []),
]  # fmt: skip


@pytest.fixture
def data(tmp_path: Path) -> Path:
    n, images = 16, 4
    ids = [f"p{person:02d}-{image}" for person in range(n) for image in range(images)]
    people = np.array([one[:3] for one in ids])
    rng = np.random.default_rng(4)
    alike = np.equal.outer(people, people)
    made = {name: rng.normal(size=alike.shape) + lift * alike for name, lift in (("a", 3.0), ("b", 1.5))}
    np.savez(tmp_path / "scores.npz", **made, query_ids=ids, target_ids=ids)
    table = {
        "id": ids,
        "subject": people,
        "image": [int(one[-1]) for one in ids],
        "sex": [("f", "m")[int(one[1:3]) % 2] for one in ids],
        "found": [k % 9 != 0 for k in range(len(ids))],
    }
    pl.DataFrame(table).write_csv(tmp_path / "samples.csv")
    who = {"algorithm": ["a", "b"], "date": ["1996-09", "1997-03"], "metric": ["L1", None]}
    pl.DataFrame(who).write_csv(tmp_path / "who.csv")
    pairs = {
        "query": [f"p{person:02d}-0" for person in range(n)] * 2,
        "target": [f"p{person:02d}-1" for person in (*range(n), *range(1, n), 0)],
        "mated": [True] * n + [False] * n,
        "fold": [person % 4 for person in range(n)] * 2,
    }
    pl.DataFrame(pairs).write_csv(tmp_path / "pairs.csv")
    truth = rng.integers(0, 3, 60)
    logits = {name: rng.normal(size=(60, 3)) + 2 * np.eye(3)[truth] for name in ("a", "b")}
    np.savez(tmp_path / "logits.npz", **logits)
    said = {name: one.argmax(axis=1) for name, one in logits.items()}
    right = {f"right_{name}": (one == truth).astype(int) for name, one in said.items()}
    site = [f"s{k % 12}" for k in range(60)]
    labels = pl.DataFrame({"label": truth, "number": truth, "site": site, **said, **right})
    labels.write_csv(tmp_path / "labels.csv")
    for name in said:
        labels.with_row_index("id").select("id", "label", predicted=name, subject="site").write_csv(
            tmp_path / f"{name}.csv"
        )
    rows = [(k, site[k], name, int(one[k])) for name, one in right.items() for k in range(60)]
    outcomes = pl.DataFrame(rows, ["item", "site", "system", "success"], orient="row")
    outcomes.write_csv(tmp_path / "outcomes.csv")
    (tmp_path / "rates.csv").write_text("dataset,a,b\nx,0.9,0.8\ny,0.7,0.75\nz,0.6,0.5\n")
    (tmp_path / "errors.csv").write_text(
        "dataset,first,second,standard_error\n" + "".join(f"{one},a,b,0.02\n" for one in "xyz")
    )
    surveys(tmp_path)
    return tmp_path


def words(values: Values) -> list[str]:
    said: list[str] = []
    for name, value in values.items():
        option = f"--{name.replace('_', '-')}"
        if isinstance(value, bool):
            said.append(option if value else NO.get(name, f"--no-{name}"))
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            for one in value:
                said += (
                    ["--version", f"{one['fully']}={one['partially']}"]
                    if "fully" in one
                    else [
                        "--improvement",
                        f"{one['earlier']}@{one['earlier_date']}={one['later']}@{one['later_date']}",
                    ]
                )
        elif isinstance(value, list) and isinstance(value[0], str):
            said += [word for one in value for word in (option, one)]
        else:
            said += [option, ",".join(map(str, value)) if isinstance(value, list) else str(value)]
    return said


def of_categories(entries: list[Values]) -> list[str]:
    asked = []
    for one in entries:
        asked += ["--by", one["by"]] if "by" in one else ["--category", f"{one['name']}: {one['rule']}"]
        asked += ["--category-gallery", f"{one['name']}: {one['gallery']}"] if "gallery" in one else []
    return asked


def toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{name} = {toml(one)}" for name, one in value.items()) + " }"
    if isinstance(value, list):
        return f"[{', '.join(map(toml, value))}]"
    return json.dumps(value)


def stated(section: str, values: Values) -> Values:
    """What of the output has an effect."""
    if values.get("exact") or (section == "verification" and "pairs" in values):
        return {}
    drawn = {
        "identification": "measures" in values or "design" in values,
        "survey": values.get("method") == "bootstrap",
        "verification": values.get("n_resamples") != 0,
    }
    seeded = drawn.get(
        section, "seed" in {one.name for one in whole_program().commands[COMMAND_OF[section]].params}
    )
    named = values.get("zoo") or values.get("list_trials")
    return (
        {"confidence_level": 0.9} | ({"seed": 3} if seeded else {}) | ({"pseudonyms": True} if named else {})
    )


def plain(found: Any) -> Any:
    made = json.loads(found if isinstance(found, str) else as_json(found.to_dict()))
    return {name: part for name, part in made.items() if name not in ("provenance", "title")}


@pytest.mark.usefixtures("few_deals")
@pytest.mark.parametrize(
    ("section", "values", "experiment", "categories"),
    [
        pytest.param(
            *one,
            id=f"{one[0]} {' '.join(one[1])}",
            marks=[pytest.mark.long] if k % 3 or one in OF_DESIGNS[1:] else [],
        )
        for k, one in enumerate([*KINDS, *OF_DESIGNS])
    ],
)
def test_three_doors(
    run: Run,
    data: Path,
    monkeypatch: pytest.MonkeyPatch,
    section: str,
    values: Values,
    experiment: Values,
    categories: list[Values],
) -> None:
    monkeypatch.chdir(data)
    digest = sha256((data / "scores.npz").read_bytes()).hexdigest()
    values = {name: digest if value == DIGEST else value for name, value in values.items()}
    output = stated(section, values)
    folds = section == "verification" and "pairs" in values
    sources: Values = {
        "samples": {"file": "samples.csv"} | ({} if folds else {"failed": "not found"}),
        "scores": {"file": "scores.npz", "orientation": "similarity"},
    }
    usual = ["scores.npz", "-s", "samples.csv", "--orientation", "similarity"]
    usual += [] if folds else ["--failed", "not found"]
    kind = next(one.request_type for one in analyses() if one.key == section)
    if not kind(**values).reads.scores:
        sources, usual = {}, SWITCH.get(section, [])
    asked = [*words(values), *words(experiment), *of_categories(categories), *words(output)]
    done = run(COMMAND_OF[section], *usual, *asked, "--out", "made", "--formats", "csv", cwd=data)
    assert done.returncode == 0, done.stderr
    by_command = plain((data / "made" / "results.json").read_text())

    off = [f"{name} = false" for name in analysis_keys() if name != section]
    tables = {**sources, section: values, "experiment": experiment, "output": output}
    lines = [
        f"[{name}]\n" + "\n".join(f"{k} = {toml(v)}" for k, v in table.items())
        for name, table in tables.items()
    ]
    lines += ["[[category]]\n" + "\n".join(f"{k} = {toml(v)}" for k, v in one.items()) for one in categories]
    (data / "study.toml").write_text("\n".join([*off, *lines]) + "\n", encoding="utf-8")
    assert plain(carry_out(read_study(data / "study.toml"))) == by_command

    more = {"category": categories} if categories else {}
    request = only(section, values, **sources, experiment=experiment, output=output, **more)
    assert plain(carry_out(request)) == by_command


def test_every_field_of_every_analysis_stands_in_some_case_and_is_an_option_of_its_command() -> None:
    commands = whole_program().commands
    for section in analysis_keys():
        if section in OWN_DOORS:
            continue
        kind = model_of(Request.model_fields[section].annotation)
        assert kind is not None
        used = {name for one, values, *_ in (*KINDS, *OF_DESIGNS) if one == section for name in values}
        fields = set(kind.model_fields) - UNTYPED.get(section, set())
        assert fields - used == set(), section
        options = {one.name for one in commands[COMMAND_OF[section]].params}
        assert fields - options == set(), section
