"""Finished splits, kept so that a run that was stopped goes on where it was."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from proband.engine.files import make_directory, writing
from proband.protocols.splits import Split

Codes = npt.NDArray[np.intp]


class Journal:
    """The predictions of one classifier under one protocol, a line for each finished split.

    The file is named after everything that the predictions depend on, so that another classifier, seed or image finds nothing of
    this one's. A line is added when a split is done; one that is cut off, or not of this split, counts for nothing.

    Parameters
    ----------
    directory
        Where journals are; made if it is not there.
    depends_on
        What the predictions depend on: plain values.
    """

    def __init__(self, directory: Path, depends_on: Mapping[str, Any]) -> None:
        make_directory(directory)
        text = json.dumps(depends_on, sort_keys=True, ensure_ascii=False)
        self.path = directory / f"{hashlib.sha256(text.encode()).hexdigest()[:32]}.jsonl"
        self._done = self._read()
        self._whole_lines = not self.path.is_file() or self.path.read_bytes().endswith(b"\n")

    def __len__(self) -> int:
        return len(self._done)

    def find(self, split: Split) -> Codes | None:
        """Return what was predicted for a split, if it is here."""
        kept = self._done.get((split.repeat, split.fold))
        if kept is None or kept[0] != _mark(split) or len(kept[1]) != len(split.test):
            return None
        return np.array(kept[1], dtype=np.intp)

    def keep(self, split: Split, said: Codes) -> None:
        """Add the predictions of a finished split."""
        line = json.dumps([split.repeat, split.fold, _mark(split), said.tolist()], separators=(",", ":"))
        with writing(self.path), self.path.open("a", encoding="utf-8") as file:
            # What a broken line left behind must not swallow this one.
            file.write(("" if self._whole_lines else "\n") + line + "\n")
        self._whole_lines = True

    def _read(self) -> dict[tuple[int, int], tuple[int, list[int]]]:
        found: dict[tuple[int, int], tuple[int, list[int]]] = {}
        if not self.path.is_file():
            return found
        for line in self.path.read_text(encoding="utf-8", errors="replace").splitlines():
            try:
                repeat, fold, mark, said = json.loads(line)
                found[int(repeat), int(fold)] = (int(mark), [int(code) for code in said])
            except (ValueError, TypeError):  # a line that was cut off
                continue
        return found


def _mark(split: Split) -> int:
    """A short number of who trains and who is tested, in case the same place holds another split."""
    return zlib.crc32(
        split.test.astype(np.int64).tobytes(), zlib.crc32(split.train.astype(np.int64).tobytes())
    )
