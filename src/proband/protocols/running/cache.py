"""Finished splits, kept so that a run that was stopped goes on where it was."""

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
    """The journals of a directory; those that a run had no use for can be forgotten."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._used: set[Path] = set()

    def open(self, depends_on: Mapping[str, Any]) -> Journal:
        """Open the journal of what depends on these values."""
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

    The file is named after everything that the predictions depend on, so that another classifier, seed or image finds nothing of
    this one's. A line is added when a split is done, and begins with a digest of itself and of all it depends on. One that is cut
    off, changed or of something else counts for nothing: it is removed, and that is logged.

    Parameters
    ----------
    directory
        Where journals are; made if it is not there.
    depends_on
        What the predictions depend on: plain values.
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
        """Return what was predicted for a split, if it is here."""
        return self._done.get((split.repeat, split.fold, split.mark))

    def keep(self, split: Split, said: Codes) -> None:
        """Add the predictions of a finished split."""
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
