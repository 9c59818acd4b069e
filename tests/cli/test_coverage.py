"""``proband coverage``: the same numbers as Python, from options, from a table and from scores."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

import proband as pb
from proband.cli.app import main


@pytest.fixture
def told(capsys: pytest.CaptureFixture[str]):
    def run(*words: object) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as stop:
            main(["coverage", *map(str, words)])
        out, err = capsys.readouterr()
        return int(stop.value.code or 0), out, err

    return run


def test_options_give_what_python_gives(told):
    code, out, _ = told(
        *("--subjects", 8, "-m", "1,4", "--rate", 0.8, "--icc", 0.2, "--kind", "skewed", "--informative"),
        *("--margin", 0.1, "--test", "obuchowski", "--sets", 20, "--json"),
    )
    made = pb.planning.coverage(
        subjects=8,
        probes_per_subject=(1, 4),
        rate=0.8,
        icc=0.2,
        kind="skewed",
        informative=True,
        margin=0.1,
        test=pb.designs.ClusteredMcNemar("obuchowski"),
        n_sets=20,
    )
    assert code == 0
    assert json.loads(out) == json.loads(json.dumps(made.to_dict()))


@pytest.fixture
def written(tmp_path):
    rng = np.random.default_rng(0)
    rows = [(f"{k}.{j}", str(k), j) for k in range(12) for j in range(1 + k % 3 + 1)]
    ids, subjects, places = zip(*rows, strict=True)
    table = pl.DataFrame({"id": ids, "subject": subjects, "place": places})
    table.write_csv(tmp_path / "samples.csv")
    centres = rng.standard_normal((12, 6))
    vectors = centres[[int(s) for s in subjects]] + 0.8 * rng.standard_normal((len(ids), 6))
    np.savez(tmp_path / "net.npz", ids=np.array(ids), embeddings=vectors)
    return tmp_path


def test_a_table_gives_people_and_probes(told, written):
    code, out, _ = told(
        *(
            "-s",
            written / "samples.csv",
            "-g",
            "place == 0",
            "--rate",
            0.9,
            "--icc",
            0.2,
            "--sets",
            20,
            "--json",
        )
    )
    assert code == 0
    found = json.loads(out)
    assert (found["subjects"], found["probes"]) == (12, 24)


def test_scores_give_the_rate_and_halves(told, written, monkeypatch):
    monkeypatch.setitem(pb.planning.compare_halves.__wrapped__.__kwdefaults__, "n_splits", 20)
    words = (
        "-e",
        f"{written / 'net.npz'}::embeddings",
        "--metric",
        "cosine",
        "-s",
        written / "samples.csv",
        "-g",
        "place == 0",
        "--sets",
        20,
    )
    code, out, err = told(*words, "--json")
    assert code == 0, err
    found = json.loads(out)
    assert found["halves"]["n_subjects"] == 12
    assert 0 < found["rate"] < 1
    code, out, _ = told(*words)
    assert code == 0
    assert "83.4%" in out


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("--rate 0.9", 2),
        ("--subjects 20 --rate 2", 2),
        ("--subjects 20 --rate 0.9 --design nosuch", 2),
        ("--subjects 20 --rate 0.9 -m 1,x", 2),
        ("--subjects 20 --rate 0.9 -g all", 2),
        ("--subjects 20 --rate 0.9 --sets 1", 2),
    ],
)
def test_what_is_wrong_is_said(told, words, code):
    ended, out, err = told(*words.split())
    assert (ended, out) == (code, "")
    assert err.startswith("UsageError")
