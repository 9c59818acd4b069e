"""Write what a peer answers; run within its environment, so NumPy and the standard library are all it needs."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from tests.peers.data import digest


def write(packages: tuple[str, ...], tolerance: float, notes: Mapping[str, str], expected: Any) -> None:
    """Write a peer's answers to the file that the command line names.

    Parameters
    ----------
    packages
        Whose versions are kept; the first is the peer.
    tolerance
        How far, relatively, an answer may lie from ours, and from the same computed on another machine.
    notes
        Where the peer's conventions are not ours.
    """
    (place,) = sys.argv[1:]
    said = {
        "versions": {name: version(name) for name in (*packages, "numpy")},
        "data": digest(),
        "tolerance": tolerance,
        "notes": dict(notes),
        "expected": _plain(expected),
    }
    Path(place).write_text(_lines(said) + "\n")


def _plain(part: Any) -> Any:
    if isinstance(part, Mapping):
        return {str(key): _plain(value) for key, value in part.items()}
    if isinstance(part, np.ndarray | np.generic):
        return _plain(part.tolist())
    if isinstance(part, list | tuple):
        return [_plain(one) for one in part]
    return part


def _lines(part: Any, indent: str = "") -> str:
    """JSON with one line for every number or array of them."""
    if not isinstance(part, dict):
        return json.dumps(part, allow_nan=False, ensure_ascii=False)
    deeper = indent + "  "
    inside = [f"{deeper}{json.dumps(key)}: {_lines(value, deeper)}" for key, value in part.items()]
    return "{\n" + ",\n".join(inside) + f"\n{indent}}}"
