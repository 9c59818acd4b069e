"""One row of the table: what was measured, against what, and whether the answers are equal."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from typing import TypeVar

Result = TypeVar("Result")

_SLACK = 0.15  # of an exponent, fitted on a machine that does other things as well


def times(ratio: float) -> str:
    """How many times as long: three digits, without an exponent.

    Examples
    --------
    >>> times(0.2563), times(4.0), times(9909.2)
    ('0.256×', '4×', '9,910×')
    """
    rounded = float(f"{ratio:.3g}")
    return f"{rounded:,.0f}×" if rounded >= 1000 else f"{rounded:g}×"


@dataclass(frozen=True)
class Row:
    """One measured job.

    Attributes
    ----------
    equal, checked
        Whether the answers agree, None where there is no other to compare with; and in what, to which tolerance.
    """

    job: str
    ours: float
    naive: float | None
    peer: float | None
    peer_name: str
    goal: str
    reached: bool | None
    equal: bool | None
    checked: str = ""

    def cells(self) -> list[str]:
        def seconds(value: float | None) -> str:
            return "–" if value is None else f"{value:.3g} s"

        def ratio(other: float | None) -> str:
            return "–" if other is None else times(other / self.ours)

        def verdict(value: bool | None) -> str:
            return "–" if value is None else "yes" if value else "NO"

        return [
            self.job,
            seconds(self.ours),
            seconds(self.naive),
            ratio(self.naive),
            f"{seconds(self.peer)} ({self.peer_name})" if self.peer_name else "–",
            ratio(self.peer),
            f"{self.goal}: {verdict(self.reached)}",
            f"{verdict(self.equal)} ({self.checked})" if self.checked else verdict(self.equal),
        ]


@dataclass(frozen=True)
class Growth:
    """How one job grows: with the power `found` of what is doubled, where `expected` is the most it should."""

    job: str
    found: float
    expected: float
    largest: str
    equal: bool = True

    @property
    def reached(self) -> bool:
        """Whether it grows no faster than it should."""
        return self.found <= self.expected + _SLACK

    def cells(self) -> list[str]:
        goal = f"≤ n^{self.expected:g}: {'yes' if self.reached else 'NO'}"
        return [self.job, f"n^{self.found:.2f} ({self.largest})", "–", "–", "–", "–", goal, "–"]


HEADER = ["job", "ours", "naive", "naive/ours", "competent peer", "peer/ours", "goal", "equal"]


def best_of(
    repeats: int, function: Callable[[], Result], clock: Callable[[], float] = time.perf_counter
) -> tuple[float, Result]:
    """The least time of several runs, by default on the wall, and what the last one gave."""
    least = float("inf")
    for _ in range(repeats):
        start = clock()
        result = function()
        least = min(least, clock() - start)
    return least, result


def run_alone(name: str) -> tuple[list[Row], str]:
    """Run a job in a process of its own, as what earlier jobs loaded and left in memory would change its times.

    Returns its rows, and what it adds to the page.
    """
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as alone:
        return alone.submit(_run, name).result()


def _run(name: str) -> tuple[list[Row], str]:
    module = importlib.import_module(f"benchmarks.{name}")
    return module.run(), module.details() if hasattr(module, "details") else ""
