"""Tables that hold what tables seldom do, in every format, and every way into the program that takes a table."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl

N = 4
IDS = [f"{who}{k}" for k in (1, 2) for who in "ab"]
PEOPLE = {"id": IDS, "subject": ["a", "b"] * 2}
PAIRS = {"query": IDS[2:], "target": IDS[:2], "score": [0.5, 0.1]}
MATRIX = {"id": IDS[2:], "a1": [1.0, 2.0], "b1": [3.0, 4.0]}


def _like(table: dict[str, list[object]], **columns: object) -> pl.DataFrame:
    return pl.DataFrame({**table, **columns})


ODD: dict[str, Callable[[], pl.DataFrame]] = {
    "no columns": pl.DataFrame,
    "no rows": lambda: _like(PEOPLE, x=[1.0] * N).clear(),
    "no pairs": lambda: _like(PAIRS).clear(),
    "no queries": lambda: _like(MATRIX).clear(),
    "one column": lambda: pl.DataFrame({"id": IDS}),
    "nulls": lambda: pl.DataFrame({"id": [None] * N, "subject": [None] * N}),
    "null subjects": lambda: _like(PEOPLE, subject=[None] * N),
    "null column": lambda: _like(PEOPLE, x=[None] * N),
    "null scores": lambda: _like(PAIRS, score=[None] * 2),
    "null queries": lambda: _like(PAIRS, query=[None] * 2),
    "null target": lambda: _like(MATRIX, a1=[None] * 2),
    "lists": lambda: _like(PEOPLE, x=[[1], [2], [], None]),
    "lists for ids": lambda: _like(PEOPLE, id=[["a"], ["b"], ["c"], ["d"]]),
    "lists for scores": lambda: _like(PAIRS, score=[[1.0], [2.0]]),
    "lists in a matrix": lambda: _like(MATRIX, a1=[[1.0], [2.0]]),
    "vectors": lambda: pl.DataFrame(
        {"id": IDS, "v": pl.Series([[1.0, 2.0]] * N, dtype=pl.Array(pl.Float32, 2))}
    ),
    "uneven vectors": lambda: pl.DataFrame({"id": IDS, "v": [[1.0, 2.0], [3.0, 4.0], [5.0], None]}),
    "vectors of text": lambda: pl.DataFrame({"id": IDS, "v": [["a", "b"]] * N}),
    "records": lambda: _like(PEOPLE, x=[{"a": 1}] * N),
    "records for subjects": lambda: _like(PEOPLE, subject=[{"a": 1}] * N),
    "records for queries": lambda: _like(MATRIX, id=[{"a": 1}, {"a": 2}]),
    "categories": lambda: _like(PEOPLE).cast({"id": pl.Categorical, "subject": pl.Categorical}),
    "an enumeration": lambda: _like(PEOPLE).cast({"subject": pl.Enum(["a", "b"])}),
    "categories of pairs": lambda: _like(PAIRS).cast({"query": pl.Categorical}),
    "bytes": lambda: _like(PEOPLE, subject=[b"\xff", b"b", b"c", b"d"]),
    "bytes for scores": lambda: _like(MATRIX, a1=[b"1", b"2"]),
    "decimals": lambda: _like(PEOPLE, x=pl.Series([1, 2, 3, 4]).cast(pl.Decimal(10, 2))),
    "spans of time": lambda: _like(PEOPLE, x=[datetime.timedelta(1)] * N),
    "times of day": lambda: _like(PEOPLE, x=[datetime.time(1)] * N),
    "moments of a zone": lambda: _like(
        PEOPLE, x=pl.Series([datetime.datetime(2020, 1, 1)] * N).dt.replace_time_zone("UTC")
    ),
    "huge whole numbers": lambda: _like(PEOPLE, x=pl.Series([2**100] * N, dtype=pl.Int128)),
    "numbers for ids": lambda: _like(PEOPLE, id=[1.5, 2.5, float("nan"), None]),
    "truths for ids": lambda: _like(PEOPLE, id=[True, False, True, False]),
    "days for ids": lambda: _like(PEOPLE, id=[datetime.date(2020, 1, k + 1) for k in range(N)]),
    "null characters": lambda: _like(PEOPLE, subject=["a\0b", "b"] * 2, file=["a\0b"] * N, x=["a\0b"] * N),
    "null characters in ids": lambda: _like(PEOPLE, id=[f"{name}\0" for name in IDS]),
    "a null character in a name": lambda: pl.DataFrame({**PEOPLE, "x\0y": [1] * N}),
    "a column without a name": lambda: pl.DataFrame({**PEOPLE, "": [1] * N}),
    "names like patterns": lambda: pl.DataFrame({**PEOPLE, "*": [1] * N, "^.*$": [2] * N}),
    "infinities": lambda: _like(PEOPLE, x=[float("inf"), float("nan"), None, 1.0]),
}
"""Tables by what is odd about them."""

TWICE = {
    "twice": _like(PEOPLE, xy=[1] * N, xz=[2] * N),
    "a target twice": pl.DataFrame({"id": IDS[2:], "xy": [1.0, 2.0], "xz": [2.0, 3.0]}),
}
"""Tables in which one name becomes the other when they have been written."""

ENDINGS = ("parquet", "arrow", "feather", "ipc", "csv", "tsv", "jsonl")
COMMANDS = (
    "evaluate T -s samples.csv --orientation similarity --json",
    "evaluate scores.npz -s T --orientation similarity --json",
    "evaluate -e T -s samples.csv -g one_per_subject --json",
    "evaluate T --ids subjects --orientation similarity --json",
    "verify T -s samples.csv --orientation similarity --json",
    "verify T --columns a=query,b=target,score=score --orientation similarity --json",
    "verify scores.npz -s samples.csv --orientation similarity --pairs T --json",
    "verify scores.npz -s T --orientation similarity --by x --json",
    "compare T --outcomes --algorithms a1,b1 --json",
    "compare T --outcomes --item id --algorithm subject --success x --json",
    "covariates T --outcomes --success x --cluster subject --on subject --json",
    "covariates scores.npz -s T --orientation similarity --on x --json",
    "survey T --weights x --strata subject --units id --mean x --json",
    "datasets T --json",
    "datasets T --algorithm subject --success x --cluster id --json",
    "classify T --truth subject --predicted id --json",
    "audit T -s samples.csv --json",
    "audit T --json",
    "audit samples.csv --exclusions T --collected T --json",
    "init T samples.csv scores.npz --out made.toml",
    "init T --out made.toml",
    "inspect T -s samples.csv --json",
    "inspect T --json",
    "convert T made.npz -s samples.csv --orientation similarity",
    "blind make T --target all --query all --out made --key made.key",
    "blind make samples.csv --target all --query all --training t=T --out made --key made.key",
    "recognize -i images.npz -s T -a correlation --as-they-are -o made.npz",
    "recognize -i pictures -s T -a correlation --as-they-are -o made.npz",
    "alter images.npz -s T -c scale:0.8 -o made",
    "protocol splits T --protocol '2f CV' --out made.csv",
    "feret scores.npz -s T --orientation similarity --json",
    "strat scores.npz -s T --orientation similarity --json",
    "permute scores.npz -s T --orientation similarity --json",
)
"""Every way in; T is the table."""


def prepared(folder: Path) -> None:
    """Put what the commands read besides the table."""
    _like(PEOPLE, x=[1, 2, 3, 4]).write_csv(folder / "samples.csv")
    np.savez(folder / "scores.npz", good=np.eye(2), query_ids=IDS[2:], target_ids=IDS[:2])
    np.savez(folder / "images.npz", images=np.zeros((N, 12, 10), np.uint8), ids=IDS)
    (folder / "pictures").mkdir()


def written(name: str, ending: str, folder: Path) -> Path | None:
    """Write an odd table; None if the format has no such."""
    path = folder / f"odd.{ending}"
    frame = TWICE[name] if name in TWICE else ODD[name]()
    try:
        match ending:
            case "parquet":
                frame.write_parquet(path)
            case "csv" | "tsv":
                frame.write_csv(path, separator="\t" if ending == "tsv" else ",")
            case "jsonl":
                frame.write_ndjson(path)
            case _:
                frame.write_ipc(path)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return None
    if name in TWICE:
        path.write_bytes(path.read_bytes().replace(b"xz", b"xy"))
    return path
