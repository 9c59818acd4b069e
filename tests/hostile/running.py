"""Jobs carried out in a process of their own, and what is wrong with how they ended."""

from __future__ import annotations

import json
import os
import re
import select
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
SECONDS = 20
COMPUTING = 5  # seconds of it
MEGABYTES = 500
LONGEST = 6_000  # characters; a message that cannot be read is no message
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@dataclass(frozen=True)
class Ended:
    """How a job ended: an exit code, a signal (negative), or None if it did not end or left a traceback."""

    code: int | None
    said: str = ""
    digest: str | None = None
    notes: tuple[str, ...] = ()
    memory: int = 0
    raised: str | None = None
    seconds: float = 0

    @property
    def fault(self) -> str | None:
        """What is wrong, whatever the file was like."""
        if self.raised is not None or "Traceback (most recent call last)" in self.said:
            return f"traceback ({self.raised})"
        if self.code is None:
            return "no end"
        if self.code < 0:
            return f"signal {-self.code}"
        if self.code not in (0, 1, 2, 3):
            return f"exit code {self.code}"
        if self.code in (1, 2) and not self.said.strip():
            return "refused without a word"
        if self.code in (1, 2) and len(self.said) > LONGEST:
            return f"a message of {len(self.said):,} characters"
        if CONTROL.search(self.said):
            return "control characters on the terminal"
        if "panicked" in self.said:
            return "a library's panic on the terminal"
        if self.seconds > COMPUTING:
            return f"{self.seconds:.1f} seconds"
        if self.memory > MEGABYTES:
            return f"{self.memory:,} megabytes"
        return None


class Worker:
    """A process that is started again when a job was its last."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def run(self, kind: str, folder: Path, **job: Any) -> Ended:
        """Carry out one job."""
        process = self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps({"kind": kind, "folder": str(folder), **job}) + "\n")
        process.stdin.flush()
        ready, _, _ = select.select([process.stdout], [], [], SECONDS)
        if not ready:
            self.close()
            return Ended(None, f"not done after {SECONDS} s")
        line = process.stdout.readline()
        if not line:
            code = self._forget()
            return Ended(code or None, "the process died")
        found = json.loads(line)
        return Ended(
            found["code"],
            found["said"],
            found.get("digest"),
            tuple(found.get("notes", ())),
            found["memory"],
            found.get("raised"),
            found["seconds"],
        )

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._forget()

    def _forget(self) -> int:
        assert self._process is not None
        with self._process as process:
            code = process.wait()
        self._process = None
        return code

    def _started(self) -> subprocess.Popen[str]:
        if self._process is None:
            paths = [str(ROOT), str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.hostile.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                cwd=ROOT,
                env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths)), "PROBAND_THREADS": "2"},
            )
        return self._process


@contextmanager
def worker() -> Iterator[Worker]:
    """A worker that ends with the block."""
    made = Worker()
    try:
        yield made
    finally:
        made.close()
