"""Carry out a case and take the numbers out of what it answers."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import shlex
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np

from proband.cli import main

LONG = 8  # a longer run of numbers is kept as its length, ends and two sums
_LEFT_OUT = (
    "proband",
    "command",
    "version",
    "versions",
    "experiment",
    "digest",
    "sha256",
    "bytes",
)


def answer(command: str, words: str, folder: Path, as_json: bool) -> dict[str, Any]:
    """Run the program in a folder; return its exit code and every number it gave or wrote."""
    before = {one for one in folder.rglob("*") if one.is_file()}
    said, here = io.StringIO(), Path.cwd()
    argv = [*command.split(), *shlex.split(words), *(["--json"] if as_json else [])]
    os.chdir(folder)
    try:
        with redirect_stdout(said), redirect_stderr(io.StringIO()) as complaint:
            main(argv)
        raise AssertionError("the program did not end")
    except SystemExit as stop:
        code = int(stop.code or 0)
    finally:
        os.chdir(here)
    assert code in (0, 3, 4), f"{command} {words}: {complaint.getvalue()}"
    found: dict[str, Any] = {"exit": code}
    if as_json:
        found["answer"] = _numbers(_results(json.loads(said.getvalue())))
    for path in sorted({one for one in folder.rglob("*") if one.is_file()} - before):
        name = path.relative_to(folder).as_posix()
        # The tables of a run say again what its results.json says, its list of files holds no number, and the record of a run its times.
        if path.name == "files.json" or path.name.endswith(".run.json"):
            continue
        if not name.startswith(".") and "/tables/" not in name and not name.startswith("kept/"):
            found[name] = _numbers(_content(path))
    return {key: value for key, value in found.items() if value not in (None, {})}


def _content(path: Path) -> Any:
    match path.suffix:
        case ".json":
            return _results(json.loads(path.read_text()))
        case ".csv":
            rows = list(csv.DictReader(io.StringIO(path.read_text())))
            return {column: [_value(row[column]) for row in rows] for column in (rows[0] if rows else ())}
        case ".npz":
            with np.load(path) as archive:
                found = {key: archive[key] for key in archive.files if archive[key].dtype.kind in "biuf"}
            return {key: array.astype(np.float64).ravel().tolist() for key, array in found.items()}
    return None


def _results(document: Any) -> Any:
    """Results without how they were made, which no number is of."""
    if isinstance(document, dict) and str(document.get("schema")).startswith("proband-results/"):
        return {key: value for key, value in document.items() if key != "provenance"}
    return document


def _value(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _numbers(part: Any) -> Any:
    """Numbers, and names without a blank; sentences are left out, and long runs of numbers become sums."""
    if isinstance(part, dict):
        if "text" in part and (
            "code" in part or "key" in part
        ):  # a note, a method or a target, which are words
            return _numbers(part["text"])
        kept = {key: _numbers(value) for key, value in part.items() if key not in _LEFT_OUT}
        return {key: value for key, value in kept.items() if value is not None}
    if isinstance(part, list):
        if len(part) > LONG and all(isinstance(one, int | float) for one in part):
            return _summary(part)
        kept = [one for one in map(_numbers, part) if one is not None]
        plain = not any(isinstance(one, dict | list) for one in kept)
        return [len(kept), kept[0], kept[-1]] if plain and len(kept) > LONG else kept
    return None if isinstance(part, str) and " " in part else part


def _summary(values: list[float]) -> dict[str, Any]:
    finite = [float(one) for one in values if math.isfinite(one)]
    weighted = math.fsum(one * (place % 97 + 1) for place, one in enumerate(finite))
    ends = [values[0], values[-1]]
    return {
        "n": len(values),
        "finite": len(finite),
        "ends": ends,
        "sum": math.fsum(finite),
        "weighted": weighted,
    }


def differences(expected: Any, found: Any, path: str = "", *, relative: float = 1e-9) -> list[str]:
    """Where two answers disagree: whole numbers and names exactly, others by more than a billionth or the share given."""
    if isinstance(expected, dict) and isinstance(found, dict):
        told = [f"{path}/{key}: gone" for key in expected if key not in found]
        told += [f"{path}/{key}: new ({found[key]!r:.60})" for key in found if key not in expected]
        for key in expected:
            if key in found:
                told += differences(expected[key], found[key], f"{path}/{key}", relative=relative)
        return told
    if isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        parts = zip(expected, found, strict=True)
        return [
            one
            for place, pair in enumerate(parts)
            for one in differences(*pair, f"{path}[{place}]", relative=relative)
        ]
    return [] if _equal(expected, found, relative) else [f"{path}: {found!r:.90} (was {expected!r:.90})"]


def _equal(a: Any, b: Any, relative: float) -> bool:
    if isinstance(a, float) and isinstance(b, float | int) and not isinstance(b, bool):
        return math.isclose(a, b, rel_tol=relative, abs_tol=relative / 100) or (
            math.isnan(a) and math.isnan(b)
        )
    return type(a) is type(b) and bool(a == b)
