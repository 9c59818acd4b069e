"""Short texts that would keep the machine busy for minutes: they are tried in another process and cut off."""

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
for text in sys.stdin:
    try:
        frame.select(compile_expression(text.strip(), frame.schema).alias("met"))
    except UsageError:
        pass
"""


def balanced(n: int) -> str:
    return "a" if n == 1 else f"({balanced(n // 2)}+{balanced(n - n // 2)})"


# Regression: long 'or', 'and' and chains of comparisons are nested as deep as they are long, which polars takes minutes over.
# Regression: the middle of a chained comparison, and the left of 'in', are written out twice (or more) at every level, so the
# work doubles with each level of nesting; a long sum on the left of a long list is written out for every member.
TEXTS = {
    "or": "d" + " or d" * 3_990,
    "and": "a == 1" + " and a == 1" * 1_800,
    "chain": "1" + "<1" * 9_990,
    "chain of columns": "a" + "<a" * 9_990,
    "nested chains": "True == (" * 50 + "True" + ") == True" * 50,
    "nested in": "(" * 50 + "d" + " in [True, False])" * 50,
    "sum in list": balanced(1_500) + " in [" + "1," * 1_500 + "]",
}


def tried(*texts):
    subprocess.run([sys.executable, "-c", PROGRAM], input="\n".join(texts), text=True, timeout=30, check=True)


def test_they_are_answered_or_refused_soon():
    tried(*TEXTS.values())


@pytest.mark.long
@pytest.mark.parametrize("name", TEXTS)
def test_each_is_answered_or_refused_soon(name):
    tried(TEXTS[name])
