"""What is found of accuracies under a protocol: their spread over runs, and intervals."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import polars as pl

from proband.engine.frames import frame_of_rows
from proband.measures.results import Answers


@dataclass(frozen=True)
class FoldSpread:
    """How much accuracy varies over the runs of a protocol: a description, not a standard error.

    Attributes
    ----------
    kind, run
        The protocol, and what one run of it is.
    n_runs, mean, std, minimum, maximum
        Over runs; `std` has n − 1 in the denominator and is None for one run.
    """

    kind: str
    run: str
    n_runs: int
    mean: float
    std: float | None
    minimum: float
    maximum: float
    answers: Answers

    def __repr__(self) -> str:
        spread = "" if self.std is None else f" ± {self.std:.4f}"
        return f"accuracy {self.mean:.4f}{spread} [{self.minimum:.4f} to {self.maximum:.4f}] over {self.n_runs:,} × {self.run}"

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return asdict(self)

    def to_frame(self) -> pl.DataFrame:
        """Return one row."""
        return frame_of_rows([{name: value for name, value in asdict(self).items() if name != "answers"}])


@dataclass(frozen=True)
class AccuracyInterval:
    """An accuracy under a protocol with its interval.

    Attributes
    ----------
    value, low, high
        The accuracy and the ends of its interval; both ends are None where the data do not show how sure it is, and `notes` say
        why.
    standard_error, degrees_of_freedom
        Of the value, and of the quantile used; None where there is none.
    method
        How the interval was made.
    n_values
        Fold accuracies, or samples, that it rests on.
    n_subjects
        The people there are; None if that was not said.
    disjoint
        Whether nobody is both trained on and tested.
    answers, notes
        What it means, and what a reader should know.
    """

    value: float
    low: float | None
    high: float | None
    confidence_level: float
    standard_error: float | None
    degrees_of_freedom: float | None
    method: str
    n_values: int
    n_subjects: int | None
    disjoint: bool
    answers: Answers
    notes: tuple[str, ...] = ()

    def __float__(self) -> float:
        return self.value

    def __repr__(self) -> str:
        ends = "no interval" if self.low is None else f"[{self.low:.4f}, {self.high:.4f}]"
        return (
            f"{self.answers.of} {self.value:.4f}, {self.confidence_level:.0%} {ends}, "
            f"varying {self.answers.varying} ({self.method})"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {**asdict(self), "notes": list(self.notes)}

    def to_frame(self) -> pl.DataFrame:
        """Return one row, without the answers and notes."""
        dropped = ("answers", "notes")
        return frame_of_rows([{name: value for name, value in asdict(self).items() if name not in dropped}])
