"""Scored pairs and matrices that name subjects, as they are typed."""

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
from proband.cli.app import main
from proband.cli.options import columns_of
from proband.errors import UsageError
from proband.scores.formats import read_file

Run = Callable[..., Any]
NAMED = ("--columns", "a=img1,b=img2,mated=label,score=cosine", "--orientation", "similarity")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    ids = [f"s{k:02}-{image}" for k in range(20) for image in "ab"]
    i, j = np.triu_indices(40, 1)
    same = i // 2 == j // 2
    score = rng.normal(size=len(i)) + 3 * same
    frame = pl.DataFrame(
        {"img1": [ids[k] for k in i], "img2": [ids[k] for k in j], "label": same.astype(int), "cosine": score}
    )
    frame.write_csv(tmp_path / "pairs.csv")
    frame.with_columns(
        label=pl.when(pl.col("label") == 1).then(pl.lit("same")).otherwise(pl.lit("other"))
    ).write_csv(tmp_path / "words.csv")
    names = [f"s{k:02}" for k in range(20)]
    values = rng.normal(size=(20, 20)) + 3 * np.eye(20)
    np.savez(tmp_path / "face.npz", face=values, query_ids=names, target_ids=names, orientation="similarity")
    pl.DataFrame({"id": names, "subject": names}).write_csv(tmp_path / "people.csv")
    return tmp_path


def test_columns_are_typed() -> None:
    assert columns_of(["a=x,b=y", "score=s,1", "score=t"]) == {"a": "x", "b": "y", "score": ("s,1", "t")}
    for wrong in (["a=x,a=y"], ["colour=x"], ["x"]):
        with pytest.raises(UsageError):
            columns_of(wrong)


def test_an_unknown_layout_tells_what_to_copy(run: Run, folder: Path) -> None:
    done = run("verify", "pairs.csv", cwd=folder)
    assert done.returncode == 2
    assert "specify its columns: 'img1', 'img2', 'label', 'cosine'" in done.stderr
    needed = "--columns a=img1,b=img2,mated=label,score=cosine --orientation similarity"
    assert f"proband verify pairs.csv {needed}\n" in done.stderr
    assert run("verify", "pairs.csv", *needed.split(), "--fmr", "0.1", cwd=folder).returncode == 0
    done = run("verify", "pairs.csv", *NAMED[:2], cwd=folder)
    assert done.returncode == 2
    assert "does not guess it" in done.stderr
    done = run("verify", "words.csv", *NAMED, cwd=folder)
    assert done.returncode == 2
    assert "'other', 'same'" in done.stderr.replace("'same', 'other'", "'other', 'same'")
    assert "--mated-is" in done.stderr


def test_pairs_are_verified(run: Run, folder: Path) -> None:
    done = run("verify", "pairs.csv", *NAMED, "--fmr", "0.05", "--replicates", "0", "--explain", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "'1' was read as mated (20 pairs), '0' as not mated (760)" in done.stdout
    assert "20 people with 40 samples" in done.stdout
    done = run(
        "verify",
        "words.csv",
        *NAMED,
        "--mated-is",
        "same",
        "--fmr",
        "0.05",
        "--replicates",
        "0",
        "--json",
        cwd=folder,
    )
    assert json.loads(done.stdout)["verification"]["algorithms"][0]["n_subjects"] == 20
    done = run("evaluate", "pairs.csv", *NAMED, cwd=folder)
    assert done.returncode == 1
    assert "allow only verification" in done.stderr


def test_rows_and_columns_may_name_subjects(run: Run, folder: Path) -> None:
    done = run("verify", "face.npz", cwd=folder)
    assert done.returncode == 2
    assert "--ids subjects" in done.stderr
    for command in (("verify", "face.npz", "-s", "people.csv"), ("evaluate", "face.npz", "-s", "people.csv")):
        done = run(*command, cwd=folder)
        assert done.returncode == 1
        assert "--ids subjects" in done.stderr
    done = run(
        "verify", "face.npz", "--ids", "subjects", "--fmr", "0.05", "--replicates", "0", "--json", cwd=folder
    )
    (found,) = json.loads(done.stdout)["verification"]["algorithms"]
    assert (found["n_genuine"], found["n_impostor"], found["n_subjects"]) == (20, 380, 20)
    done = run("verify", "face.npz", "-s", "people.csv", "--ids", "subjects", cwd=folder)
    assert done.returncode == 2
    assert "looked up in a samples table" in done.stderr
    done = run("verify", "pairs.csv", *NAMED, "--ids", "subjects", cwd=folder)
    assert done.returncode == 2
    done = run("verify", "-e", "face.npz", "-s", "people.csv", "--ids", "subjects", cwd=folder)
    assert done.returncode == 2
    assert "--ids applies to score files" in done.stderr


LAYOUTS = {
    "left,right,y,vit": "a=left,b=right,mated=y,score=vit",
    "left,right,y,vit,net,sex,age,place": "a=left,b=right,mated=y,score=vit,score=net",
    "y,vit": "mated=y,score=vit",
    "id1,id2,y,s": "a=id1,b=id2,mated=y,score=s",
    "from,to,kind,vit": "a=from,b=to,mated=kind,score=vit",
    "name1,name2,vit": "score=vit,subject_a=name1,subject_b=name2",
    "left,right,y,vit,dist,net": "a=left,b=right,mated=y,score=dist",
    "left,right,y,vit,net_score": "a=left,b=right,mated=y,score=net_score",
}


@pytest.mark.parametrize("header", LAYOUTS)
def test_every_layout_of_pairs_is_answered_with_the_call_to_copy(
    header: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rng, n = np.random.default_rng(1), 40
    texts = [[f"im{k}" for k in rng.integers(0, 90, n)] for _ in range(2)]
    held = dict(zip(("left", "right"), texts, strict=True)) | dict(zip(("from", "to"), texts, strict=True))
    held |= dict(zip(("name1", "name2"), texts, strict=True)) | {"id1": np.arange(n), "id2": np.arange(n) + n}
    held |= {
        "y": np.arange(n) % 2,
        "kind": ["same", "other"] * (n // 2),
        "sex": ["f"] * n,
        "place": ["x"] * n,
    }
    held |= {"age": np.arange(n)} | {
        name: rng.normal(size=n) for name in ("vit", "net", "s", "dist", "net_score")
    }
    frame = pl.DataFrame({name: held[name] for name in header.split(",")})
    frame.write_csv(tmp_path / "pairs.csv")
    frame.write_parquet(tmp_path / "pairs.parquet")
    monkeypatch.chdir(tmp_path)
    for words in (
        "verify pairs.csv",
        "compare pairs.csv --measure auc",
        "inspect pairs.csv",
        "verify pairs.parquet",
    ):
        with pytest.raises(SystemExit) as ended:
            main(words.split())
        assert ended.value.code == 2
        said = capsys.readouterr().err.replace("\n", " ")
        assert f"--columns {LAYOUTS[header]}" in said
        assert all(repr(name) in said for name in header.split(","))
        others = {"vit", "net", "s"} & set(header.split(",")) - set(
            re.findall(r"score=(\w+)", LAYOUTS[header])
        )
        named = ", ".join(repr(name) for name in header.split(",") if name in others)
        assert (f"({named} may be scores too)" in said) == bool(others)


def test_a_hint_keeps_the_columns_that_were_named(run: Run, tmp_path: Path) -> None:
    (tmp_path / "bare.csv").write_text("same,vit,net,dist\n1,.9,.8,.1\n0,.2,.1,.8\n", encoding="utf-8")
    named = ("--columns", "score=vit,score=net", "--orientation", "similarity")
    done = run("verify", "bare.csv", *named, cwd=tmp_path)
    assert "--columns mated=same,score=vit,score=net\n" in done.stderr
    named = ("--columns", "subject_a=dist,subject_b=same,score=vit", "--mated-is", "yes")
    done = run("verify", "bare.csv", *named, cwd=tmp_path)
    assert "--columns mated=same,score=vit,subject_a=dist,subject_b=same\n" in done.stderr


def test_a_word_for_a_missing_score_is_answered_with_its_option(run: Run, tmp_path: Path) -> None:
    rows = "".join(f"{k % 2},0.{k}\n" for k in range(1, 9))
    (tmp_path / "pairs.csv").write_text(f"same,vit\n{rows}1,n/a\n", encoding="utf-8")
    named = ("pairs.csv", "--columns", "mated=same,score=vit")
    for command in ("inspect", "verify"):
        oriented = () if command == "inspect" else ("--orientation", "similarity", "--fmr", "0.5")
        done = run(command, *named, *oriented, cwd=tmp_path)
        assert "means that the comparison failed, pass --missing-values n/a." in done.stderr
        assert run(command, *named, *oriented, "--missing-values", "n/a", cwd=tmp_path).returncode == 0
    done = run("verify", "pairs.csv", "--missing-values", "n/a", cwd=tmp_path)
    assert "no effect without --samples or --columns" in done.stderr


def test_a_header_alone_is_named(run: Run, tmp_path: Path) -> None:
    (tmp_path / "header.csv").write_text("same,vit\n", encoding="utf-8")
    named = ("--columns", "mated=same,score=vit", "--orientation", "similarity")
    for said in ((), ("--mated-is", "same")):
        assert run("verify", "header.csv", *named, *said, cwd=tmp_path).stderr == (
            "InputError: header.csv has no rows.\nhint: add a row for each pair.\n"
        )


@pytest.mark.parametrize(("yes", "no"), [("1", "0"), ("true", "false"), ("TRUE", "False")])
def test_a_list_says_what_is_mated_in_either_way(yes: str, no: str, tmp_path: Path) -> None:
    rows = "".join(f"a{k},b{k},{yes if k % 2 else no},0.{k}\n" for k in range(1, 9))
    (tmp_path / "list.csv").write_text("query,target,mated,score\n" + rows, encoding="utf-8")
    (found,) = read_file(tmp_path / "list.csv").trials
    assert found.frame["mated"].to_list() == [True, False] * 4
    pl.read_csv(tmp_path / "list.csv", infer_schema=False).with_columns(
        pl.col("score").cast(float)
    ).write_parquet(tmp_path / "list.parquet")
    (other,) = read_file(tmp_path / "list.parquet").trials
    assert other.frame["mated"].to_list() == [True, False] * 4


def test_pairs_of_nobody_are_compared_with_a_caution() -> None:
    rng, mated = np.random.default_rng(2), np.arange(60) % 2
    scores = {name: rng.normal(size=60) + mated for name in ("new", "old")}
    found = pb.compare(pb.scored_pairs(mated, scores, orientation="similarity"), measure="auc")
    assert [note.code for note in found.notes if note.level == "caution"] == [
        "verification.pairs-assumed-independent"
    ]
