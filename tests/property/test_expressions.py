"""Conditions made up at random over tables made up at random, against their meaning worked out row by row in plain Python.

The meaning knows nothing of polars: whole numbers are Python's, None is what cannot be decided, logic is Kleene's.
"""

from __future__ import annotations

import contextlib
import datetime
import math
import operator
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
from hypothesis import given, strategies as st
from tests.examples import examples

from proband.errors import UsageError
from proband.samples.expressions import compile_expression

Row = dict[str, Any]
DAY = datetime.timedelta(days=1)
BEGIN = datetime.date(1996, 1, 31)
HUGE = 2**63 - 1
EDGE = 2**53
NAN, INF = math.nan, math.inf
TEXTS = ["x", "X", "", "é", "it's", "#", "a#b", "a\nb", "\t", "\\", '"', "and"]
# Each column: its type and what may stand in it, besides nothing.
POOLS: dict[str, tuple[Any, list[Any]]] = {
    "n": (pl.Int64, [0, 1, -2, 3, HUGE, -HUGE - 1, EDGE, EDGE + 1, 3_037_000_500]),
    "u": (pl.UInt8, [0, 1, 2, 200, 255]),
    "w": (pl.UInt64, [0, 1, HUGE, HUGE + 1, 2**64 - 1]),
    "f": (
        pl.Float64,
        [0.0, -0.0, 0.5, 1.0, -2.5, NAN, INF, -INF, 1e308, 2.0**53, 2.0**63, -(2.0**63), 1e39, 5e-324],
    ),
    "g": (pl.Float32, [0.7, 0.1, 2.5, -1.0, 0.0, NAN, INF]),
    "b": (pl.Boolean, [True, False]),
    "t": (pl.String, TEXTS),
    "d": (pl.Date, [BEGIN + k * DAY for k in (-1, 0, 1, 7, 29, 366)]),
    "odd name": (pl.Int64, [1, 2, 4, 5]),
}
N_ROWS = 12


def table(seed: int) -> pl.DataFrame:
    rng = random.Random(seed)
    return pl.DataFrame(
        {
            name: pl.Series(rng.choices([None, *pool], k=N_ROWS), dtype=dtype)
            for name, (dtype, pool) in POOLS.items()
        }
    )


def rows_of(frame: pl.DataFrame) -> list[Row]:
    """The rows as Python has them: a float that is not a number is missing, one of 32 bits is what its digits say."""
    rows = frame.to_dicts()
    for row in rows:
        row["g"] = None if row["g"] is None else float(str(np.float32(row["g"])))
        row.update({name: None for name in "fg" if row[name] is not None and math.isnan(row[name])})
    return rows


Meaning = Callable[[Row], Any]
Written = tuple[str, Meaning]  # how it is written and what it means

COMPARISONS = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
ARITHMETIC = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}


def calculate(function: Callable[..., Any]) -> Callable[..., Any]:
    """Arithmetic on whole numbers of 64 bits and on floats that are exact; None where it cannot be told."""

    def told(*values: float) -> float | None:
        if all(isinstance(value, int) for value in values) and function is not operator.truediv:
            return function(*values) if all(-HUGE - 1 <= value <= HUGE for value in values) else None
        if any(isinstance(value, int) and abs(value) > EDGE for value in values):
            return None
        try:
            result = function(*map(float, values))
        except (ZeroDivisionError, OverflowError):
            return None
        return result if math.isfinite(result) else None

    return told


def strict(function: Callable[..., Any], *operands: Meaning) -> Meaning:
    """Unknown if any operand is."""

    def meaning(row: Row) -> Any:
        values = [operand(row) for operand in operands]
        return None if None in [None if v is None else 0 for v in values] else function(*values)

    return meaning


def kleene_and(values: list[bool | None]) -> bool | None:
    if any(value is False for value in values):
        return False
    return None if any(value is None for value in values) else True


def kleene_not(value: bool | None) -> bool | None:
    return None if value is None else not value


def kleene_or(values: list[bool | None]) -> bool | None:
    return kleene_not(kleene_and([kleene_not(value) for value in values]))


def column(name: str) -> Written:
    # No blank within quotes, so that every blank may become another (see `laid_out`).
    written = name if name.isidentifier() else f"col({name!r})".replace(" ", "\\x20")
    return written, lambda row: row[name]


def constant(written: str, value: Any) -> Written:
    return written, lambda row: value


def combined(template: str, function: Callable[..., Any], *parts: Written) -> Written:
    return template.format(*(text for text, _ in parts)), strict(function, *(mean for _, mean in parts))


literals = st.one_of(st.integers(-3, 4), st.sampled_from([EDGE, EDGE + 1, HUGE])).map(
    lambda k: constant(str(k), k)
)
fractions = st.one_of(
    st.integers(-6, 6).map(lambda k: k / 2), st.sampled_from([0.7, 0.1, 1e308, 2.0**53, 2.0**63, 1e39])
).map(lambda value: constant(str(value), value))
number_atoms = st.one_of(
    st.sampled_from([column(c) for c in ("n", "u", "w", "f", "g", "odd name")]), literals, fractions
)
numbers = st.recursive(
    number_atoms,
    lambda inner: st.one_of(
        st.tuples(st.sampled_from(sorted(ARITHMETIC)), inner, inner).map(
            lambda p: combined(f"({{}} {p[0]} {{}})", calculate(ARITHMETIC[p[0]]), p[1], p[2])
        ),
        inner.map(lambda p: combined("(- {})", calculate(operator.neg), p)),
        inner.map(lambda p: combined("abs({})", calculate(abs), p)),
    ),
    max_leaves=4,
)
day_counts = st.integers(0, 400)
spans_of_days = day_counts.map(lambda k: constant(f"days({k})", k * DAY))
date_atoms = st.one_of(
    st.just(column("d")),
    st.integers(-3, 30).map(lambda k: BEGIN + k * DAY).map(lambda d: constant(f"date('{d.isoformat()}')", d)),
)
dates = st.one_of(
    date_atoms,
    st.tuples(date_atoms, st.sampled_from("+-"), spans_of_days).map(
        lambda p: combined(f"({{}} {p[1]} {{}})", ARITHMETIC[p[1]], p[0], p[2])
    ),
)
spans = st.one_of(
    spans_of_days,
    st.tuples(dates, dates).map(lambda p: combined("({} - {})", operator.sub, *p)),
    st.tuples(dates, dates).map(lambda p: combined("abs({} - {})", lambda x, y: abs(x - y), *p)),
    st.tuples(spans_of_days, spans_of_days).map(lambda p: combined("({} + {})", operator.add, *p)),
    spans_of_days.map(lambda p: combined("(-{})", operator.neg, p)),
)
texts = st.one_of(
    st.just(column("t")),
    st.sampled_from(TEXTS).map(lambda s: constant(repr(s), s)),
)
KINDS = (numbers, dates, spans, texts)


@st.composite
def comparisons(draw: st.DrawFn) -> Written:
    kind = draw(st.sampled_from(KINDS))
    operands = draw(st.lists(kind, min_size=2, max_size=4))
    signs = draw(st.lists(st.sampled_from(sorted(COMPARISONS)), min_size=3, max_size=3))[: len(operands) - 1]
    text = operands[0][0] + "".join(
        f" {sign} {text}" for sign, (text, _) in zip(signs, operands[1:], strict=True)
    )
    links = [strict(COMPARISONS[sign], operands[k][1], operands[k + 1][1]) for k, sign in enumerate(signs)]
    return text, lambda row: kleene_and([link(row) for link in links])


@st.composite
def memberships(draw: st.DrawFn) -> Written:
    kind = draw(st.sampled_from(KINDS))
    left, members = draw(kind), draw(st.lists(kind, min_size=1, max_size=4))
    negated = draw(st.booleans())
    word = "not in" if negated else "in"
    text = f"{left[0]} {word} [{', '.join(text for text, _ in members)}]"
    equal = [strict(operator.eq, left[1], member) for _, member in members]

    def meaning(row: Row) -> bool | None:
        found = kleene_or([one(row) for one in equal])
        return kleene_not(found) if negated else found

    return text, meaning


@st.composite
def questions_of_absence(draw: st.DrawFn) -> Written:
    text, meaning = draw(st.one_of(*KINDS, st.just(column("b"))))
    negated = draw(st.booleans())
    return (
        f"{text} is {'not ' if negated else ''}None",
        lambda row: (meaning(row) is None) != negated,
    )


def joined(word: str, rule: Callable[[list[bool | None]], bool | None], parts: list[Written]) -> Written:
    text = "(" + f" {word} ".join(text for text, _ in parts) + ")"
    return text, lambda row: rule([meaning(row) for _, meaning in parts])


conditions = st.recursive(
    st.one_of(
        comparisons(),
        memberships(),
        questions_of_absence(),
        st.just(column("b")),
        st.sampled_from([constant("True", True), constant("False", False)]),
    ),
    lambda inner: st.one_of(
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: joined("and", kleene_and, parts)),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: joined("or", kleene_or, parts)),
        inner.map(lambda p: (f"(not {p[0]})", lambda row: kleene_not(p[1](row)))),
    ),
    max_leaves=5,
)


BLANKS = [" ", "\n", "\t", "\r\n", "  ", " \\\n", "\n\n", " # and n == 2 or ( ' [\n", "#\r\n", ' # """ \\\n']


@st.composite
def laid_out(draw: st.DrawFn) -> Written:
    """A condition over several lines, with comments: every blank becomes some other blank."""
    text, meaning = draw(conditions)
    if draw(st.booleans()):
        words = f" {text} ".split(" ")
        blanks = draw(st.lists(st.sampled_from(BLANKS), min_size=len(words), max_size=len(words)))
        text = "".join(map("".join, zip(words, blanks, strict=True)))
    return text, meaning


@examples(150)
@given(condition=laid_out(), frame=st.integers(0, 10**6).map(table))
def test_conditions_mean_what_they_say(condition, frame):
    text, meaning = condition
    found = frame.select(compile_expression(text, frame.schema).alias("met"))["met"]
    answers = found.to_list() * (1 if found.len() == N_ROWS else N_ROWS)
    assert answers == [meaning(row) for row in rows_of(frame)], text


FRAME = pl.DataFrame(
    {name: pl.Series([None, *pool[:3]][:3], dtype=dtype) for name, (dtype, pool) in POOLS.items()}
)


@examples(120)
@given(text=st.text(max_size=40))
def test_any_text_is_compiled_or_refused(text):
    with contextlib.suppress(UsageError):
        compile_expression(text, FRAME.schema)


TOKENS = (
    "n u f b t d 1 2.5 'x' True None ( ) [ ] { } , : = == != < <= > >= + - * / // % ** @ & | ^ ~ . := ; # \\ "
)
TOKENS += "and or not in is if else for lambda await yield col( abs( date( days( 0x1 1j ... * ** f' \" \n \t \x00 é ａ"


@examples(200)
@given(tokens=st.lists(st.sampled_from(TOKENS.split(" ")), max_size=12))
def test_any_jumble_of_tokens_is_evaluated_or_refused(tokens):
    text = " ".join(tokens)
    try:
        expression = compile_expression(text, FRAME.schema)
    except UsageError:
        return
    assert FRAME.select(expression.alias("met"))["met"].dtype == pl.Boolean
