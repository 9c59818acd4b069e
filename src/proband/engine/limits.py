"""Limits of values, declared once for argument checks, requests and the schema of results."""

from __future__ import annotations

import collections.abc as abc
import os
import types
from dataclasses import dataclass
from itertools import repeat
from math import isfinite, isnan
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import numpy as np
import numpy.typing as npt
from annotated_types import Interval, MaxLen

from proband.engine.kinds import SEVERAL, fits, is_open, shown
from proband.errors import UsageError
from proband.words import count, given

Weights = Literal["probe", "person"]
"""What weighs the same in a rate: every probe, or every person, whose probes then share that weight."""
Adjustment = Literal["single-step", "none"]
"""How p-values and intervals of several pairs are adjusted for their number."""
_LONGEST_NAME = 255  # bytes, of a file or a directory
_WORDS = {"ge": "at least", "gt": "above", "le": "at most", "lt": "below"}
_SIDES = ("ge", "gt"), ("le", "lt")
_IN_SCHEMAS = {"ge": "minimum", "gt": "exclusiveMinimum", "le": "maximum", "lt": "exclusiveMaximum"}


@dataclass(frozen=True)
class Within(Interval):
    """The limits of a finite number, in the type of an argument or field.

    Parameters
    ----------
    gt, ge, lt, le
        The limits.
    said
        A clause for messages; by default the name of the argument and the limits.
    hint
        A hint for numbers outside the limits.
    infinite
        Whether it may also be infinite, or of any length.
    """

    said: str | None = None
    hint: str | None = None
    infinite: bool = False

    @property
    def ends(self) -> dict[str, Any]:
        """The limits that are set."""
        return {name: end for name in _WORDS if (end := getattr(self, name)) is not None}

    @property
    def in_schema(self) -> dict[str, Any]:
        """The limits in JSON Schema."""
        return {_IN_SCHEMAS[name]: end for name, end in self.ends.items()}

    def __str__(self) -> str:
        return " and ".join(f"{_WORDS[name]} {end_in_words(end)}" for name, end in self.ends.items())

    def holds(self, number: Any) -> bool:
        """Whether a number is within the limits."""
        return (
            (isinstance(number, int) or isfinite(number) or (self.infinite and not isnan(number)))
            and (self.ge is None or number >= self.ge)
            and (self.gt is None or number > self.gt)
            and (self.le is None or number <= self.le)
            and (self.lt is None or number < self.lt)
        )

    def refusal(self, name: str, number: Any) -> UsageError:
        """The message for a number outside the limits."""
        hint = as_share(number, self.ends) or self.hint
        return UsageError(f"{self.said or f'{name} must be {self}'}, got {shown(number)}.", hint)

    def checked(self, number: Any, name: str = "a number") -> Any:
        """Return a number within the limits, and refuse any other."""
        if not self.holds(number):
            raise self.refusal(name, number)
        return number


def as_share(number: Any, ends: abc.Mapping[str, Any]) -> str | None:
    """How to write a percentage that was given for a share of 1; None for anything else."""
    low, high = (max((ends[name] for name in names if name in ends), default=None) for names in _SIDES)
    if low is None or high is None or low < 0 or high > 1:
        return None
    if isinstance(number, bool) or not isinstance(number, int | float) or not 2 <= number <= 100:
        return None
    return f"write {given(number / 100)} for {given(number)}%."


def end_in_words(end: float) -> str:
    """A limit in words; integers without decimals."""
    return count(end) if isinstance(end, int) else given(end)


@dataclass(frozen=True)
class Matching:
    """The format of a text, as a regular expression."""

    pattern: str

    @property
    def in_schema(self) -> dict[str, Any]:
        """The pattern in JSON Schema."""
        return {"pattern": self.pattern}


_MOST = 10_000_000  # replicates
_LAST_RANK = 10**9
_WHOLE = Within(ge=-(2**63), le=2**63 - 1, said="A whole number must fit in 64 bits")
_FLOAT = Within(said="A number must be below 1.8e308 in absolute value")
LEVEL = Within(
    ge=1e-6,
    le=1 - 1e-9,
    said="A confidence level must be strictly between 0 and 1 (0.000001 to 0.999999999)",
    hint="0.95 is usual.",
)
SEED = Within(ge=0, said="A seed must be a whole number of at least 0", infinite=True)

Level = Annotated[float, LEVEL]
Seed = Annotated[int, SEED]
Threads = Annotated[int, Within(ge=1, le=10_000, said="The number of threads must be from 1 to 10,000")]
Rank = Annotated[
    int, Within(ge=1, le=_LAST_RANK, said=f"A rank must be a whole number from 1 to {count(_LAST_RANK)}")
]
Count = Annotated[int, Within(ge=0)]
Positive = Annotated[int, Within(ge=1)]
Replicates = Annotated[int, Within(ge=0, le=_MOST)]
Drawn = Annotated[
    int, Within(ge=2, le=_MOST, said=f"There must be at least two replicates, and at most {count(_MOST)}")
]
Freedom = Annotated[float, Within(gt=0, said="Degrees of freedom must be above 0", infinite=True)]
Rho = Annotated[float, Within(ge=0, lt=1, said="Fay's rho must be at least 0 and below 1")]
Power = Annotated[float, Within(ge=0.5, lt=1, said="A power must be between 0.5 and 1", hint="0.8 is usual.")]
FalseMatchRate = Annotated[float, Within(gt=0, lt=1, said="A false match rate must be above 0 and below 1")]
TargetFalseMatchRate = Annotated[
    float, Within(ge=0, lt=1, said="A target false match rate must be at least 0 and below 1")
]
Share = Annotated[float, Within(gt=0, lt=1)]
Rate = Annotated[float, Within(ge=0, le=1)]
Title = Annotated[str, MaxLen(1000)]
Inches = Annotated[float, Within(ge=1, le=100)]
Margin = Annotated[
    float,
    Within(
        gt=0,
        said="A margin must be above 0: the smallest relevant difference",
        hint="0.01 is one percentage point.",
    ),
]


def beyond(name: str, value: Any, hint: Any, *, missing: bool = False) -> UsageError | None:
    """Return the message for a value of the right type outside its limits; None if it is within.

    Parameters
    ----------
    missing
        Whether NaN means a missing value, as in results.
    """
    origin, inner = get_origin(hint), get_args(hint)
    if isinstance(value, int) and value.bit_length() > 1024:
        return _FLOAT.refusal(name, value)
    if value is None or is_open(hint):
        return None
    if origin in (Union, types.UnionType):
        if Path in inner and isinstance(value, str):
            return beyond(name, value, Path)
        found = [beyond(name, value, one, missing=missing) for one in inner if fits(value, one)]
        return found[0] if all(found) else None
    if origin is Annotated:
        limits = next((one for one in inner[1:] if isinstance(one, Within)), None)
        longest = next((one.max_length for one in inner[1:] if isinstance(one, MaxLen)), None)
        if longest is not None and len(value) > longest:
            return UsageError(
                f"{name} must have at most {count(longest)} characters, got {count(len(value))}."
            )
        if limits is None:
            return beyond(name, value, inner[0], missing=missing)
        ends = _ends(value) if isinstance(value, np.ndarray) else (value,)
        outside = next((one for one in ends if not limits.holds(one)), None)
        if outside is not None:
            return limits.refusal(name, outside)
        known = limits.infinite or limits.le is not None
        return None if known else beyond(name, value, inner[0], missing=missing)
    if origin in (abc.Mapping, dict):
        return _first_beyond(name, value.values(), repeat(inner[1]), missing)
    if origin in SEVERAL and isinstance(value, list | tuple):
        hints = inner if origin is tuple and inner[-1] is not Ellipsis else repeat(inner[0])
        return _first_beyond(name, value, hints, missing)
    if hint is int:
        return None if _WHOLE.holds(value) else _WHOLE.refusal(name, value)
    if hint is float:
        return _no_number(name, value, missing)
    if isinstance(value, str | Path) and not can_be_written(value, hint):
        what = "valid file path" if hint is Path else "text that can be stored in a file"
        return UsageError(f"{name} must be a {what}, got {shown(value)}.")
    return None


def _ends(values: npt.NDArray[Any]) -> tuple[Any, ...]:
    """The smallest and the largest number; NaN if any is NaN."""
    return (values.min().item(), values.max().item()) if values.size else ()


def _first_beyond(
    name: str, values: abc.Iterable[Any], hints: abc.Iterable[Any], missing: bool
) -> UsageError | None:
    found = (beyond(name, value, hint, missing=missing) for value, hint in zip(values, hints, strict=False))
    return next((one for one in found if one is not None), None)


def _no_number(name: str, value: Any, missing: bool) -> UsageError | None:
    """The message for a float that is not a number."""
    return UsageError(f"{name} must be a number, got {value!r}.") if isnan(value) and not missing else None


def can_be_written(text: str | Path, hint: Any = str) -> bool:
    """Whether text can be written to a file, or used as a path: neither may contain NUL, and only paths undecodable bytes."""
    try:
        written = str(text).encode(errors="surrogateescape" if hint is Path else "strict")
    except UnicodeEncodeError:
        return False
    return b"\0" not in written and (
        hint is not Path or all(len(os.fsencode(part)) <= _LONGEST_NAME for part in Path(text).parts)
    )
