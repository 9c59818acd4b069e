"""One row of the table: what was measured, against what, and whether the answers agree."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

Result = TypeVar("Result")


@dataclass(frozen=True)
class Row:
    """One measured job."""

    job: str
    ours: float
    naive: float | None
    peer: float | None
    peer_name: str
    goal: str
    reached: bool | None
    equal: bool

    def cells(self) -> list[str]:
        def seconds(value: float | None) -> str:
            return "–" if value is None else f"{value:.3g} s"

        def ratio(other: float | None) -> str:
            return "–" if other is None else f"{other / self.ours:.3g}×"

        verdict = "–" if self.reached is None else "yes" if self.reached else "NO"
        return [
            self.job,
            seconds(self.ours),
            seconds(self.naive),
            ratio(self.naive),
            f"{seconds(self.peer)} ({self.peer_name})" if self.peer_name else "–",
            ratio(self.peer),
            f"{self.goal}: {verdict}",
            "yes" if self.equal else "NO",
        ]


HEADER = ["job", "ours", "naive", "naive/ours", "competent peer", "peer/ours", "goal", "equal"]


def best_of(repeats: int, function: Callable[[], Result]) -> tuple[float, Result]:
    """The least wall time of several runs, and what the last one gave."""
    least = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        result = function()
        least = min(least, time.perf_counter() - start)
    return least, result
