"""The values of conditions, and arithmetic in which undecidable results are null.

Undecidable results are null. Integers are exact; those of more than 64 bits can be compared, but results calculated from
them are null. Fractions are 64-bit floats: results that are not finite are null, as are those from a fraction and an
integer beyond 2⁵³. An integer and a fraction are compared exactly. Dates, times and spans are integers, in
nanoseconds.
"""

from __future__ import annotations

import datetime
import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import polars as pl

Kind = Literal["number", "text", "boolean", "date", "time", "instant", "span", "null"]

COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_MIRRORED = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_NANOSECONDS = {"ns": 1, "us": 1_000, "ms": 1_000_000}
_DAY = 86_400_000_000_000
_EPOCH = datetime.date(1970, 1, 1).toordinal()
_EXACT = 2**53  # every integer up to here is exact as a 64-bit float
_WIDEST = math.nextafter(2.0**127, 0)  # the largest float that fits into a 128-bit integer


@dataclass(frozen=True)
class Term:
    """A polars expression, its type of value, and its number of operations.

    A number is a 128-bit integer, or a fraction as a 64-bit float that is never NaN. Dates, times and spans are integers,
    in nanoseconds.
    """

    value: pl.Expr
    kind: Kind
    size: int = 1
    is_whole: bool = False

    @property
    def narrow(self) -> pl.Expr:
        """An integer, null beyond 64 bits, so that sums and products of two cannot overflow 128 bits."""
        return self.value.cast(pl.Int64, strict=False).cast(pl.Int128)

    @property
    def fraction(self) -> pl.Expr:
        """A number as a 64-bit float, null if that is not exact."""
        if not self.is_whole:
            return self.value
        return pl.when(self.value.is_between(-_EXACT, _EXACT)).then(self.value).cast(pl.Float64)


def made_of(value: pl.Expr, kind: Kind, *parts: Term, is_whole: bool = False) -> Term:
    """A term made of others; one used twice is listed twice."""
    return Term(value, kind, 1 + sum(part.size for part in parts), is_whole)


def whole(number: int, kind: Kind = "number") -> Term:
    """A whole number."""
    return Term(pl.lit(number, dtype=pl.Int128), kind, is_whole=True)


def day(date: datetime.date) -> Term:
    """A date."""
    return whole((date.toordinal() - _EPOCH) * _DAY, "date")


def span_of_days(number: float) -> Term:
    """A span of time, to the microsecond."""
    return whole(datetime.timedelta(days=number) // datetime.timedelta(microseconds=1) * 1_000, "span")


def column(name: str, dtype: pl.DataType) -> Term | None:
    """The values of a column; None if its type is not supported."""
    value = pl.col(name)
    if dtype.is_integer():
        return Term(value.cast(pl.Int128, strict=False), "number", is_whole=True)
    if dtype == pl.Float64:
        return Term(value.fill_nan(None), "number")
    if dtype.is_numeric():
        # By its digits: 0.7 in fewer bits, or in a decimal type, is 0.7, as if read from text.
        return Term(value.cast(pl.String).cast(pl.Float64).fill_nan(None), "number")
    if dtype == pl.Date:
        return _time(value, "date", _DAY)
    if isinstance(dtype, pl.Datetime):
        return _time(value, "instant" if dtype.time_zone else "time", _NANOSECONDS[dtype.time_unit])
    if isinstance(dtype, pl.Duration):
        return _time(value, "span", _NANOSECONDS[dtype.time_unit])
    if dtype == pl.Boolean:
        return Term(value, "boolean")
    return Term(value.cast(pl.String), "text") if dtype in (pl.String, pl.Categorical, pl.Enum) else None


def _time(value: pl.Expr, kind: Kind, nanoseconds: int) -> Term:
    counted = value.to_physical().cast(pl.Int128) * pl.lit(nanoseconds, dtype=pl.Int128)
    return Term(counted, kind, is_whole=True)


def calculated(function: Callable[..., Any], kind: Kind, *parts: Term) -> Term:
    """The result of arithmetic on numbers, or on times and spans."""
    if kind != "number":
        # Spans are only added, and too rarely to overflow 128 bits.
        return made_of(function(*(part.value for part in parts)), kind, *parts, is_whole=True)
    if all(part.is_whole for part in parts) and function is not operator.truediv:
        return made_of(function(*(part.narrow for part in parts)), kind, *parts, is_whole=True)
    value = function(*(part.fraction for part in parts)).fill_nan(None)
    # Not by testing is_finite, which would double the expression at every operation.
    value = value.replace([math.inf, -math.inf], [None, None])
    return made_of(value, kind, *parts, *(part for part in parts if part.is_whole))


def compared(left: Term, sign: str, right: Term) -> Term:
    """Compare two terms of one type; an integer and a fraction exactly, where polars would round the integer."""
    if right.is_whole and not left.is_whole:
        return compared(right, _MIRRORED[sign], left)
    if left.is_whole == right.is_whole:
        return made_of(COMPARISONS[sign](left.value, right.value), "boolean", left, right)
    limit = right.value.clip(-_WIDEST, _WIDEST)
    below, above = limit.floor().cast(pl.Int128), limit.ceil().cast(pl.Int128)
    value = {
        "<": left.value < above,
        "<=": left.value <= below,
        ">": left.value > below,
        ">=": left.value >= above,
        "==": (left.value <= below) & (left.value >= above),
        "!=": (left.value > below) | (left.value < above),
    }[sign]
    return made_of(value, "boolean", left, right, left, right)
