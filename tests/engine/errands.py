"""Tasks that workers can import."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from proband.engine import run_blocks
from proband.errors import Hint, InputError


@dataclass(frozen=True)
class Process:
    """In which process a block is done."""

    def __call__(self, block: int) -> tuple[int, int]:
        return block, os.getpid()


@dataclass(frozen=True)
class Nested:
    """A task that shares out work itself."""

    def __call__(self, block: int) -> set[int]:
        return {found[1] for found in run_blocks(Process(), range(4))}


@dataclass(frozen=True)
class Refusing:
    """Refuses a block."""

    block: int

    def __call__(self, block: int) -> int:
        if block == self.block:
            raise InputError(
                f"block {block} is bad.",
                Hint("{give:missing=drop}, or {n}", n=3),
                source="scores",
                file="a.npy",
            )
        return block


@dataclass(frozen=True)
class Dying:
    """Kills its process at a block, once, or always."""

    marker: Path
    always: bool = False

    def __call__(self, block: int) -> int:
        if block == 7 and (self.always or not self.marker.exists()):
            self.marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return block * block


@dataclass(frozen=True)
class Sleeping:
    """Says that it has begun, and takes its time."""

    folder: Path

    def __call__(self, block: int) -> int:
        (self.folder / str(os.getpid())).touch()
        time.sleep(60)
        return block


@dataclass(frozen=True, eq=False)
class Summing:
    """Adds up columns of an array, which may lie in a file."""

    values: np.ndarray

    def __call__(self, block: int) -> tuple[float, str, bool]:
        return float(self.values[:, block].sum()), type(self.values).__name__, self.values.flags.writeable
