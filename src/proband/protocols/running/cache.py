"""Finished splits, saved so that a stopped run can be resumed."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from proband.engine import written_whole
from proband.engine.files.documents import read_json
from proband.engine.files.files import make_directory, writing
from proband.protocols.splits.splits import Split
from proband.words import counted

Codes = npt.NDArray[np.intp]
_LOG = logging.getLogger(__name__)
_DIGITS = 32


class Journals:
    """The journals of a directory; unused journals can be removed."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._used: set[Path] = set()

    def open(self, depends_on: Mapping[str, Any]) -> Journal:
        """Open the journal of predictions that depend on these values."""
        found = Journal(self.directory, depends_on)
        self._used.add(found.path)
        return found

    def forget_others(self) -> None:
        """Remove the journals that were not opened."""
        for path in self.directory.glob(f"{'[0-9a-f]' * _DIGITS}.jsonl"):
            if path not in self._used:
                path.unlink(missing_ok=True)


class Journal:
    """The predictions of one classifier under one protocol, a line for each finished split.

    The name of the file is a digest of everything that the predictions depend on, so a different classifier,
    seed or image uses a different file. A line is added when a split is finished, and begins with a digest of
    itself and of all it depends on. Lines that are truncated, changed or do not match are ignored and
    removed, which is logged.

    Parameters
    ----------
    directory
        The directory of journals; created if it does not exist.
    depends_on
        The plain values that the predictions depend on.
    """

    def __init__(self, directory: Path, depends_on: Mapping[str, Any]) -> None:
        make_directory(directory)
        self._key = json.dumps(depends_on, sort_keys=True, ensure_ascii=False)
        self.path = directory / f"{hashlib.sha256(self._key.encode()).hexdigest()[:_DIGITS]}.jsonl"
        self._done: dict[tuple[int, int, str], Codes] = {}
        self._read()

    def __len__(self) -> int:
        return len(self._done)

    def find(self, split: Split) -> Codes | None:
        """Return the saved predictions of a split, or None."""
        return self._done.get((split.repeat, split.fold, split.mark))

    def keep(self, split: Split, said: Codes) -> None:
        """Save the predictions of a finished split."""
        stated = [split.repeat, split.fold, split.mark, said.tolist()]
        text = json.dumps(stated, separators=(",", ":")).encode()
        with writing(self.path), self.path.open("ab") as file:
            file.write(self._line(text))

    def _read(self) -> None:
        content = self.path.read_bytes() if self.path.is_file() else b""
        lines = content.splitlines(keepends=True)
        sound = [line for line in lines if line == self._line(line[_DIGITS + 1 : -1])]
        for line in sound:
            repeat, fold, mark, said = read_json(line[_DIGITS + 1 :])
            self._done[repeat, fold, mark] = np.array(said, dtype=np.intp)
        if len(sound) < len(lines):
            with written_whole(self.path) as draft:
                draft.write_bytes(b"".join(sound))
            lost = counted(len(lines) - len(sound), "line", "lines")
            _LOG.warning(
                "%s had %s that differ from what was saved; these splits are recomputed.", self.path, lost
            )

    def _line(self, text: bytes) -> bytes:
        """A line of text behind the digest of it and of what it depends on."""
        key = hashlib.sha256(self._key.encode()).digest()
        return hashlib.sha256(key + text).hexdigest()[:_DIGITS].encode() + b" " + text + b"\n"
