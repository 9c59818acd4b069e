from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import proband as pb
from proband.errors import DesignError

Run = Callable[..., Any]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Thirty people with three images each; ten more with probes only, who are not enrolled."""
    place = tmp_path_factory.mktemp("verify")
    rng = np.random.default_rng(0)
    ids = [f"s{s:02d}-{k}" for s in range(30) for k in range(3)] + [f"x{s:02d}-1" for s in range(10)]
    rows = ["id,subject,image,sex,lost"]
    rows += [f"{n},{n[:3]},{n[-1]},{'fm'[int(n[2]) % 2]},{int(n in ('s00-0', 's01-2'))}" for n in ids]
    (place / "samples.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    own = np.array([name[:3] for name in ids])
    same = own[:, None] == own[None, :]
    arrays = {}
    for name, strength in (("good", 3.0), ("poor", 1.5)):
        noise = rng.normal(0, 1, (100, 100))
        arrays[name] = (noise + noise.T) / 2 + strength * same
    np.savez(place / "scores.npz", ids=np.array(ids), **arrays)
    pairs = ["query,target,mated,fold"]
    for fold in range(5):
        for k in range(6):
            s = 6 * fold + k
            pairs.append(f"s{s:02d}-0,s{s:02d}-1,true,{fold}")
            pairs.append(f"s{s:02d}-0,s{(s + 1) % 30:02d}-1,false,{fold}")
    (place / "pairs.csv").write_text("\n".join(pairs) + "\n", encoding="utf-8")
    return place


def program(run: Run, folder: Path, command: str) -> Run:
    usual = (command, "scores.npz", "-s", "samples.csv", "--orientation", "similarity", "--query-ids", "ids")
    return lambda *more: run(*usual, "--target-ids", "ids", *more, cwd=folder)


@pytest.fixture
def verify(run: Run, folder: Path) -> Run:
    return program(run, folder, "verify")


@pytest.fixture
def search(run: Run, folder: Path) -> Run:
    return program(run, folder, "search")


def library(folder: Path, failed: str | None = None) -> tuple[list[pb.Scores], pb.Samples]:
    samples = pb.Samples.read(folder / "samples.csv", failed=failed)
    scores = pb.read_scores(
        folder / "scores.npz", samples, orientation="similarity", query_ids="ids", target_ids="ids"
    )
    return list(scores.values()), samples


def test_json_equals_python(verify: Run, folder: Path) -> None:
    done = verify("--fmr", "0.1,0.01", "--replicates", 200, "--failed", "lost == 1", "--json")
    assert done.returncode == 0, done.stderr
    scores, samples = library(folder, "lost == 1")
    expected = [pb.verify(one, samples, fmr=[0.1, 0.01], n_resamples=200).to_dict() for one in scores]
    assert json.loads(done.stdout)["verification"]["algorithms"] == json.loads(json.dumps(expected))
    assert expected[0]["n_failed_genuine"] == 4  # two images, each with two others of the same person


def test_algorithms_of_a_run_borrow_from_each_other(run: Run, folder: Path) -> None:
    (good, _), samples = library(folder)
    same = np.array([[a[:3] == b[:3] for b in good.targets] for a in good.queries], dtype=float)
    np.savez(folder / "tied.npz", ids=np.array(good.queries), tied=same, good=good.values)
    usual = ("verify", "tied.npz", "-s", "samples.csv", "--orientation", "similarity", "--query-ids", "ids")
    done = run(*usual, "--target-ids", "ids", "--threshold", "0.5", "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    scores = pb.read_scores(
        folder / "tied.npz", samples, orientation="similarity", query_ids="ids", target_ids="ids"
    )
    found = {
        one["algorithm"]: one["points"][-1]["fmr"]
        for one in json.loads(done.stdout)["verification"]["algorithms"]
    }
    beside = pb.verify(scores, samples, thresholds=[0.5])["tied"].points[-1].fmr
    alone = pb.verify(scores["tied"], samples, thresholds=[0.5]).points[-1].fmr
    assert found["tied"]["high"] == beside.high < alone.high


@pytest.mark.long
def test_table_groups_and_zoo(verify: Run, folder: Path) -> None:
    done = verify(
        "--fmr",
        "0.1",
        "--by",
        "sex",
        "--zoo",
        "--pseudonyms",
        "--replicates",
        100,
        "--out",
        "made",
        "--explain",
    )
    assert done.returncode == 0, done.stderr
    assert "sex = f, 20 people" in done.stdout
    assert "times the smallest" in done.stdout
    assert "False non-matches:" in done.stdout
    names = {path.name for path in (folder / "made").rglob("*")}
    assert {
        "results.json",
        "operating_points.csv",
        "roc.csv",
        "report.html",
        "det.svg",
        "roc.svg",
        "scores.svg",
        "groups.svg",
    } <= names


@pytest.mark.usefixtures("few_deals")
def test_groups_are_counted_by_hand(verify: Run, folder: Path) -> None:
    said = json.loads(verify("--fmr", "0.1", "--by", "sex", "--replicates", 0, "--json").stdout)[
        "verification"
    ]
    scores, samples = library(folder)
    threshold = said["algorithms"][0]["points"][0]["threshold"]
    values = scores[0].tile(np.arange(100), np.arange(100))
    sex = samples.frame["sex"].to_numpy()
    upper = np.triu_indices(100, 1)
    for group in said["groups"][0]["groups"]:
        own = (sex[upper[0]] == group["group"]) & (sex[upper[1]] == group["group"])
        same = samples.codes[upper[0]] == samples.codes[upper[1]]
        accepted = values[upper] >= threshold
        assert group["fmr"]["rests_on"]["events"] == int((own & ~same & accepted).sum())
        assert group["fmr"]["rests_on"]["n"] == int((own & ~same).sum())
        assert group["fnmr"]["rests_on"]["events"] == int((own & same & ~accepted).sum())


def test_folds(verify: Run) -> None:
    done = verify("--pairs", "pairs.csv")
    assert done.returncode == 0, done.stderr
    assert "standard error" in done.stdout
    assert "note:" not in done.stderr


def test_the_samples_say_which_pairs_are_mated(verify: Run, folder: Path) -> None:
    table = pl.read_csv(folder / "pairs.csv")
    expected = verify("--pairs", "pairs.csv").stdout
    half = pl.when(pl.int_range(pl.len()) % 3 > 0).then(pl.col("mated"))
    for name, made in {"silent": table.drop("mated"), "half": table.with_columns(mated=half)}.items():
        made.write_csv(folder / f"{name}.csv")
        done = verify("--pairs", f"{name}.csv")
        assert done.returncode == 0, done.stderr
        assert done.stdout == expected
    turned = table.with_columns(mated=half != pl.col("mated"))
    turned.write_csv(folder / "turned.csv")
    assert "contradicts the samples table" in verify("--pairs", "turned.csv").stderr


def test_plain_thresholds_are_shown_where_none_can_be_guaranteed(run: Run, folder: Path) -> None:
    threshold = program(run, folder, "threshold")
    done = threshold("--fmr", "0.0005")
    assert done.returncode == 0, done.stderr
    rows = [line.split() for line in done.stdout.splitlines() if line.startswith(("good ", "poor "))]
    assert [row[2] for row in rows] == ["none", "95%", "none", "95%"]
    assert [set(row[3:]) == {"–"} for row in rows] == [False, True, False, True]
    said = " ".join(done.stdout.split())
    assert (
        "good, poor: no threshold guarantees an FMR of at most 0.0005 with 95% confidence: there are only 40 people"
        in said
    )
    assert "Thresholds with 95% confidence" not in said
    assert "are needed if errors are spread evenly" in said
    # The same tables and words without any guarantee make a page.
    assert threshold("--fmr", "0.0005", "--report", "none.html").returncode == 0
    scores, samples = library(folder)
    with pytest.raises(DesignError, match="are too few"):
        pb.threshold(scores, samples, fmr=0.0005)


def test_pairs_that_may_be_cut_off_are_noted(verify: Run, folder: Path) -> None:
    (folder / "cut.csv").write_text((folder / "pairs.csv").read_text().rstrip("\n"))
    done = verify("--pairs", "cut.csv")
    assert "Caution: cut.csv does not end with a line break" in done.stdout
    told = verify("--pairs", "cut.csv", "--explain")
    assert "note: cut.csv does not end with a line break" in told.stderr


def test_every_rate_of_a_search_with_few_errors_has_a_mark(search: Run, folder: Path) -> None:
    done = search(
        "-g", "image == 0", "-p", "image == 1", "--fpir", "0.2", "--csv", "few.csv", "--report", "few.html"
    )
    assert done.returncode == 0, done.stderr
    table = pl.read_csv(folder / "few.csv")
    few_positives, few_misses = table["false_positives"] < 30, table["misses"] < 30
    assert table["fpir_supported"].to_list() == (~few_positives).to_list()
    assert table["fnir_supported"].to_list() == (~few_misses & ~few_positives).to_list()
    row = next(line for line in done.stdout.split("\n") if line.startswith("good"))
    shown = table.filter(pl.col("algorithm") == "good").row(0, named=True)
    assert f"{shown['fpir']:.3g}*" in row
    assert f"{shown['fnir']:.4f}*" in row
    assert "* based on fewer than 30 errors; FNIR also if fewer than 30 false positives set" in done.stdout
    page = re.sub(r"<[^>]*>", " ", (folder / "few.html").read_text())
    assert len(re.findall(rf"{shown['fnir']:.4f}\s*\*", page)) >= 2  # the table, and the numbers of the chart


def test_search(search: Run, folder: Path) -> None:
    arguments = ("-g", "image == 0", "-p", "image == 1", "--fpir", "0.2", "--ranks", "1,5")
    said = json.loads(search(*arguments, "--json").stdout)["search"]["searches"]
    scores, samples = library(folder)
    experiment = pb.data.experiment_over(scores, samples, gallery="image == 0", probes="image == 1")
    found = pb.search(scores[0], experiment).at_fpir(0.2, 1)
    assert said[0]["points"][0]["fnir"]["value"] == found.fnir
    assert found.n_nonmated == 10
    done = search(
        *arguments, "--figure", "s.svg", "--csv", "s.csv", "--csv", "curve=c.csv", "--sizes", "10,30"
    )
    assert done.returncode == 0, done.stderr
    table = pl.read_csv(folder / "s.csv")
    assert table["fnir"].to_list() == [point["fnir"]["value"] for one in said for point in one["points"]]
    assert pl.read_csv(folder / "c.csv").height > table.height
    below = done.stdout[done.stdout.index("Smaller galleries (random subsets)") :].splitlines()
    assert [row.split()[1] for row in below[3:7]] == ["10", "30", "10", "30"]
    assert (folder / "s.svg").exists()


def test_compare_by_fnmr(run: Run, folder: Path) -> None:
    done = program(run, folder, "compare")("--measure", "fnmr@0.05", "--json")
    said = json.loads(done.stdout)["comparison"]["comparisons"]["fnmr@0.05"]
    assert said["pairs"][0]["verdict"] == "better"


@pytest.mark.parametrize(
    ("command", "arguments", "code", "said"),
    [
        ("verify", ("--fmr", "1"), 2, "at least 0 and below 1"),
        ("verify", ("--fmr", "x"), 2, "numbers separated by commas"),
        ("verify", ("--by", "height"), 2, "no column"),
        ("verify", ("--pairs", "absent.csv"), 1, "absent.csv"),
        ("search", ("-g", "image == 0", "-p", "image == 1 and subject < 'x'"), 1, "every probe has a mate"),
        ("search", ("-g", "image == 0", "--fpir", "2"), 2, "above 0 and below 1"),
        (
            "search",
            ("-g", "image == 0 and subject < 's20'", "--sizes", "99"),
            2,
            "--sizes: 20 people are enrolled",
        ),
        ("compare", ("--measure", "fnmr@1"), 2, "at least 0 and below 1"),
        ("threshold", ("--fmr", "0"), 2, "above 0 and below 1"),
    ],
)
def test_bad_requests(
    run: Run, folder: Path, command: str, arguments: tuple[str, ...], code: int, said: str
) -> None:
    done = program(run, folder, command)(*arguments)
    assert (done.returncode, said in done.stderr) == (code, True), done.stderr
    assert "Traceback" not in done.stderr
