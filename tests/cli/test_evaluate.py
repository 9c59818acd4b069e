from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from scipy import stats
from tests.examples import some

import proband as pb

Evaluate = Callable[..., Any]


@pytest.fixture
def evaluate(run: Callable[..., Any], study: Path) -> Evaluate:
    usual = ("evaluate", "scores.npz", "-s", "samples.csv", "--orientation", "similarity")
    return lambda *more: run(*usual, *more, cwd=study)


def test_table_and_statements(evaluate: Evaluate) -> None:
    done = evaluate("--explain")
    assert done.returncode == 0, done.stderr
    assert "good" in done.stdout
    assert "0.9167" in done.stdout  # 11 of 12
    assert "0.5000" in done.stdout
    assert "Closed universe" in done.stdout
    assert "12 images of 12 people" in done.stdout
    assert done.stderr == ""


def test_json_equals_python(evaluate: Evaluate, study: Path) -> None:
    done = evaluate("--json", "--failed", "not found")
    said = json.loads(done.stdout)["identification"]["evaluation"]
    samples = pb.Samples.read(study / "samples.csv", failed="not found")
    scores = list(pb.read_scores(study / "scores.npz", samples, orientation="similarity").values())
    expected = pb.evaluate(scores, pb.data.experiment_over(scores, samples)).to_dict()
    assert said == json.loads(json.dumps(expected))
    good = said["results"][0]
    rates = {rank: estimate["value"] for rank, estimate in good["estimates"].items()}
    assert rates == {"1": 10 / 12, "5": 11 / 12, "10": 11 / 12}
    assert good["facts"]["n_failed"] == 1


def test_failures_as_scored(evaluate: Evaluate) -> None:
    said = json.loads(evaluate("--json", "--failed", "not found", "--on-failure", "as-scored").stdout)[
        "identification"
    ]["evaluation"]
    assert said["results"][0]["estimates"]["1"]["value"] == 11 / 12


def test_directory_holds_everything_and_is_reproducible(evaluate: Evaluate, study: Path) -> None:
    drawn = [word for kind in ("csv", "parquet", "pdf", "png", "svg") for word in ("--formats", kind)]
    first = evaluate("--out", "one", "--threads", 1, *drawn)
    second = evaluate("--out", "two", "--threads", 3, *drawn)
    assert first.returncode == second.returncode == 0, first.stderr + second.stderr
    files = sorted(one.relative_to(study / "one") for one in (study / "one").rglob("*") if one.is_file())
    assert [one.as_posix() for one in files] == [
        *(f"figures/cmc.{ending}" for ending in ("pdf", "png", "svg")),
        "files.json",
        "model-card.md",
        "report.html",
        "results.json",
        *(f"tables/{name}.{ending}" for name in ("cmc", "leaderboard") for ending in ("csv", "parquet")),
    ]
    for name in files:
        if name.suffix not in (".html", ".json"):  # which quote the command
            assert (study / "one" / name).read_bytes() == (study / "two" / name).read_bytes(), name
    assert "one/report.html" in first.stderr
    table = pl.read_csv(study / "one" / "tables" / "leaderboard.csv")
    assert table["rank_1"].to_list() == [11 / 12, 0.5]
    curves = pl.read_csv(study / "one" / "tables" / "cmc.csv")
    assert curves.height == 24
    assert curves.filter(pl.col("rank") == 12)["value"].to_list() == [1.0, 1.0]


def test_results_are_replaced_but_strangers_are_left_alone(evaluate: Evaluate, study: Path) -> None:
    assert evaluate("--out", "out", "--formats", "csv").returncode == 0
    assert evaluate("--out", "out", "--formats", "csv").returncode == 0
    (study / "mine").mkdir()
    (study / "mine" / "thesis.tex").write_text("years of work")
    refused = evaluate("--out", "mine")
    assert refused.returncode == 1
    assert (study / "mine" / "thesis.tex").exists()


@pytest.mark.parametrize("ending", some(["png", "svg", "pdf"], 3))
def test_figure(evaluate: Evaluate, study: Path, ending: str) -> None:
    assert evaluate("--figure", f"cmc.{ending}").returncode == 0
    head = (study / f"cmc.{ending}").read_bytes()[:200]
    assert {"png": b"PNG", "svg": b"<?xml", "pdf": b"%PDF"}[ending] in head


def test_csv_ranks_ties_count(evaluate: Evaluate, study: Path) -> None:
    done = evaluate("--csv", "t.csv", "--ranks", "1,2", "--ties", "mean", "--count", "subjects")
    assert done.returncode == 0, done.stderr
    assert pl.read_csv(study / "t.csv").columns[2:6] == ["rank_1", "rank_1_low", "rank_1_high", "rank_2"]


def test_categories(evaluate: Evaluate) -> None:
    done = evaluate("--json", "--category", "bare: not probe.glasses", "--category", "x: probe.glasses")
    said = json.loads(done.stdout)["identification"]["evaluation"]
    sizes = {one["category"]: one["facts"]["n_probes"] for one in said["results"]}
    assert sizes == {"all probes": 12, "bare": 6, "x": 6}


def test_names_keys_and_embeddings(run: Evaluate, evaluate: Evaluate, study: Path) -> None:
    import numpy as np

    rng = np.random.default_rng(0)
    np.save(study / "model.npy", rng.standard_normal((24, 8)).astype(np.float32))
    arguments = [
        "mine=scores.npz::good",
        "-e",
        "net=model.npy",
        "--metric",
        "cosine",
        "-s",
        "samples.csv",
        "--orientation",
        "similarity",
    ]
    done = run("evaluate", *arguments, "-g", "session == 1", "-p", "session == 2", "--json", cwd=study)
    assert done.returncode == 0, done.stderr
    assert [
        one["algorithm"] for one in json.loads(done.stdout)["identification"]["evaluation"]["results"]
    ] == ["mine", "net"]


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["--orientation", "distance"], 1, "pass --orientation similarity"),
        (["--orientation", "upward"], 2, "similarity"),
        (["--orientation", "similarity", "-g", "sesion == 1"], 2, "did you mean 'session'"),
        (["--orientation", "similarity", "-g", "session == 1 +"], 2, "cannot be read"),
        (["--orientation", "similarity", "-g", "session == 9"], 1, "gallery is empty"),
        (
            ["--orientation", "similarity", "-g", "all"],
            1,
            "probe set is empty",
        ),
        (
            ["--orientation", "similarity", "-g", "session == 2", "-p", "session == 1"],
            1,
            "12 of 12 gallery samples are not",
        ),
        (["--orientation", "similarity", "--ranks", "one"], 2, "whole numbers"),
        (["--orientation", "similarity", "--ranks", "0"], 2, "from 1 to"),
        (["--orientation", "similarity", "--id-column", "name"], 2, "no column 'name'"),
        (["--orientation", "similarity", "--category", "nonsense"], 2, "name: rule"),
        (["--orientation", "similarity", "--figure", "cmc.bmp"], 2, ".png"),
        (["--orientation", "similarity", "--out", "samples.csv"], 1, "is a file"),
        (["--orientation", "similarity", "--failed", "session"], 2, "not a condition"),
        (["--orientation", "similarity", "--no-such-option"], 2, "no-such-option"),
        ([], 2, "does not guess it"),
    ],
)
def test_bad_requests(
    run: Evaluate, evaluate: Evaluate, study: Path, arguments: list[str], code: int, words: str
) -> None:
    done = run("evaluate", "scores.npz", "-s", "samples.csv", *arguments, cwd=study)
    assert done.returncode == code, (done.stdout, done.stderr)
    assert words in " ".join(done.stderr.split()), done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_nothing_is_left_behind_by_a_refusal(evaluate: Evaluate, study: Path) -> None:
    before = sorted(path.name for path in study.iterdir())
    assert evaluate("-g", "session == 9", "--out", "out", "--figure", "f.png").returncode == 1
    assert sorted(path.name for path in study.iterdir()) == before


def test_missing_files_and_subjects(run: Evaluate, evaluate: Evaluate, study: Path) -> None:
    gone = run("evaluate", "nothing.npz", "-s", "samples.csv", "--orientation", "similarity", cwd=study)
    assert (gone.returncode, "There is no file" in gone.stderr) == (1, True)
    unknown = run("evaluate", "scores.npz", "--orientation", "similarity", cwd=study)
    assert (unknown.returncode, "--samples" in unknown.stderr) == (2, True)
    empty = run("evaluate", "-s", "samples.csv", cwd=study)
    assert (empty.returncode, "No scores" in empty.stderr) == (2, True)


def test_missing_drop_is_counted(evaluate: Evaluate, study: Path) -> None:
    table = pl.read_csv(study / "samples.csv").filter(pl.col("id") != "p03-2")
    table.write_csv(study / "samples.csv")
    refused = evaluate()
    assert refused.returncode == 1
    assert "'p03-2'" in refused.stderr
    done = evaluate("--missing", "drop")
    assert done.returncode == 0, done.stderr
    assert "1 of 12 query ids is not in the samples table" in done.stdout
    assert "11 images of 11 people" in evaluate("--missing", "drop", "--explain").stdout


@pytest.mark.parametrize(
    "command", ["inspect", "convert", "protocol", "audit", "recognize", "alter", "verify", "compare"]
)
def test_every_command_with_a_table_takes_words_for_missing_values(
    run: Callable[..., Any], tmp_path: Path, command: str
) -> None:
    assert (
        "--missing-values"
        in run(command, *(["run"] if command == "protocol" else []), "--help", cwd=tmp_path).stdout
    )


def test_a_person_called_na_and_words_that_mean_none(run: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "samples.csv").write_text("id,subject,age\na1,NA,30\na2,NA,null\nb1,x,40\nb2,x,-\n")
    said = json.loads(run("inspect", "samples.csv", "--json", cwd=tmp_path).stdout)
    assert said["facts"]["subjects"] == 2
    assert [note["text"] for note in said["notes"]] == [
        "the column 'age' is read as text: 2 of 4 values cannot be read as numbers: 'null', '-'"
    ]
    said = json.loads(
        run("inspect", "samples.csv", "--missing-values", "null, -", "--json", cwd=tmp_path).stdout
    )
    assert said["facts"]["missing values"] == 2
    assert said["notes"] == []
    done = run("inspect", "samples.csv", "-s", "samples.csv", "--missing-values", "NA", cwd=tmp_path)
    assert done.returncode == 1
    assert "2 of 4 samples have no subject" in done.stderr


def test_tables_are_written_as_latex(evaluate: Evaluate, study: Path) -> None:
    done = evaluate("--latex", "table.tex")
    assert done.returncode == 0, done.stderr
    text = (study / "table.tex").read_text(encoding="utf-8")
    assert text.startswith("\\begin{tabular}")
    assert "recognition" in text or "rank 1" in text


@pytest.mark.parametrize(
    ("interval", "method"), [("wilson", "wilson"), ("clopper-pearson", "exact"), ("jeffreys", None)]
)
def test_binomial_intervals_by_name_agree_with_scipy(
    evaluate: Evaluate, interval: str, method: str | None
) -> None:
    """11 of 12: R's binom.test(11, 12) has 0.6152038 to 0.9978924."""
    asked = ("--design", "binomial", "--interval", interval, "--ranks", "1", "--json")
    found = json.loads(evaluate(*asked).stdout)["identification"]["measures"]
    (good,) = (row for row in found if row["who"]["algorithm"] == "good")
    ends = (
        stats.beta.ppf([0.025, 0.975], 11.5, 1.5)
        if method is None
        else stats.binomtest(11, 12).proportion_ci(method=method)
    )
    assert (good["low"], good["high"]) == pytest.approx(tuple(ends))
    if method == "exact":
        assert (good["low"], good["high"]) == pytest.approx((0.6152038, 0.9978924), abs=1e-7)


def test_a_design_without_measures_is_of_the_rates_shown(evaluate: Evaluate) -> None:
    done = evaluate("--design", "bootstrap-probe", "--ranks", "1,3", "--explain")
    assert done.returncode == 0, done.stderr
    assert "recognition rate at rank 3: bootstrap over probes (percentile, 10,000 replicates)" in done.stdout
    assert "exactly Binomial(n, c/n)" in done.stdout
    found = json.loads(
        evaluate("--design", "bootstrap-probe", "--seed", "3", "--ranks", "1,3", "--json").stdout
    )
    assert [row["measure"] for row in found["identification"]["measures"]] == [
        "rank-1",
        "rank-1",
        "rank-3",
        "rank-3",
    ]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (("--interval", "clopper-pearson"), "specify it: --design binomial"),
        (("--interval", "bca"), "specify it: --design bootstrap"),
        (("--design", "binomial", "--interval", "bca"), "one of wilson, clopper-pearson, jeffreys"),
        (("--population", "11"), "A population of 11 is smaller than the 12 people tested"),
        (("--population", "0"), "population"),
        (
            ("--population", "40", "--design", "bootstrap-probe"),
            "A finite population is supported for rates",
        ),
        (
            ("--population", "40", "--measure", "median-rank@10"),
            "A finite population is supported for rates",
        ),
        (("--measure", "auc", "--design", "bootstrap-probe"), "cannot be resampled individually"),
    ],
)
def test_intervals_and_populations_that_do_not_fit_are_refused(
    evaluate: Evaluate, asked: tuple[str, ...], said: str
) -> None:
    done = evaluate(*asked)
    assert done.returncode in (1, 2)
    assert said in " ".join(done.stderr.split())


def test_a_finite_population_with_one_probe_each_changes_nothing_and_says_so(evaluate: Evaluate) -> None:
    done = evaluate("--population", "24", "--explain")
    assert "he population has 24 people, but with one probe per person" in " ".join(done.stdout.split())
