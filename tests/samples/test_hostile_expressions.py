"""Short texts that would keep the machine busy for minutes: each is tried in a process of its own and cut off."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import sys
import polars as pl
from proband.errors import UsageError
from proband.samples.expressions import compile_expression

frame = pl.DataFrame({"a": [1, 2, 3, None], "d": [True, False, None, True]})
text = sys.stdin.read()
try:
    frame.select(compile_expression(text, frame.schema).alias("met"))
except UsageError:
    pass
"""


def balanced(n: int) -> str:
    return "a" if n == 1 else f"({balanced(n // 2)}+{balanced(n - n // 2)})"


# Regression: long 'or', 'and' and chains of comparisons are nested as deep as they are long, which polars takes minutes over.
# Regression: the middle of a chained comparison, and the left of 'in', are written out twice (or more) at every level, so the
# work doubles with each level of nesting; a long sum on the left of a long list is written out for every member.
@pytest.mark.parametrize(
    "text",
    [
        "d" + " or d" * 3_990,
        pytest.param("a == 1" + " and a == 1" * 1_800, marks=pytest.mark.long),
        pytest.param("1" + "<1" * 9_990, marks=pytest.mark.long),
        "a" + "<a" * 9_990,
        "True == (" * 50 + "True" + ") == True" * 50,
        pytest.param("(" * 50 + "d" + " in [True, False])" * 50, marks=pytest.mark.long),
        balanced(1_500) + " in [" + "1," * 1_500 + "]",
    ],
    ids=["or", "and", "chain", "chain of columns", "nested chains", "nested in", "sum in list"],
)
def test_it_is_answered_or_refused_soon(text):
    subprocess.run([sys.executable, "-c", PROGRAM], input=text, text=True, timeout=30, check=True)
