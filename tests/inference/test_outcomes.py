"""Tables of outcomes, long and wide: the same comparison, and what is missing is refused with how much."""

from __future__ import annotations

import re
from itertools import product
from math import comb
from typing import Any

import numpy as np
import polars as pl
import pytest

import proband as pb
from proband.errors import InputError, ProbandError, UsageError
from proband.inference.outcomes.pairs import paired_tests
from proband.inference.outcomes.rates import Items

RNG = np.random.default_rng(5)
RIGHT = {
    name: (RNG.random(60) < share).astype(int) for name, share in (("new", 0.9), ("old", 0.6), ("mid", 0.7))
}
WIDE = {"item": [f"q{k}" for k in range(60)], "doc": [f"d{k // 4}" for k in range(60)], **RIGHT}
LONG = [
    {"item": WIDE["item"][k], "doc": WIDE["doc"][k], "system": name, "ok": int(one[k])}
    for k in range(60)
    for name, one in RIGHT.items()
]
NAMED = {"item": "item", "algorithm": "system", "success": "ok"}


@pytest.mark.parametrize("cluster", [None, "doc"])
def test_long_and_wide_are_one(cluster: str | None) -> None:
    wide = pb.compare_outcomes(WIDE, algorithms=list(RIGHT), cluster=cluster)
    shuffled = [LONG[k] for k in RNG.permutation(len(LONG))]
    long = pb.compare_outcomes(shuffled, **NAMED, cluster=cluster)
    by_name = {one.algorithm: one for one in long.estimates}
    for one in wide.estimates:
        other = by_name[one.algorithm]
        assert (one.value, one.low, one.high) == pytest.approx((other.value, other.low, other.high))
    pairs = {frozenset((one.first, one.second)): one for one in long.pairs}
    for one in wide.pairs:
        other = pairs[frozenset((one.first, one.second))]
        assert one.p_value == pytest.approx(other.p_value, rel=1e-9)
        assert sorted(map(abs, (one.low, one.high))) == pytest.approx(
            sorted(map(abs, (other.low, other.high))), abs=5e-3
        )
    assert wide.unit == ("item" if cluster is None else "cluster")


def test_lists_may_mix_whole_numbers_and_fractions() -> None:
    rates = pb.compare_outcomes({"a": [1, 0, 0.5, 1], "b": (0, 1, 0.25, 0)}, algorithms=["a", "b"]).estimates
    assert [one.value for one in rates] == [0.625, 0.3125]


def test_items_are_mcnemar() -> None:
    (pair,) = pb.compare_outcomes(WIDE, algorithms=["new", "old"]).pairs
    new, old = RIGHT["new"].astype(bool), RIGHT["old"].astype(bool)
    only = int((new & ~old).sum()), int((old & ~new).sum())
    assert pair.p_value == pytest.approx(pb.mcnemar(*only).p_mid, rel=1e-10)
    assert pair.method.told()[0].key == "mcnemar"


def test_frames_of_any_library() -> None:
    expected = pb.compare_outcomes(WIDE, algorithms=["new", "old"]).to_dict()
    assert pb.compare_outcomes(pl.DataFrame(WIDE), algorithms=["new", "old"]).to_dict() == expected
    booleans = pl.DataFrame(WIDE).with_columns(pl.col("new", "old").cast(pl.Boolean))
    assert pb.compare_outcomes(booleans, algorithms=["new", "old"]).to_dict() == expected
    pd = pytest.importorskip("pandas")
    assert pb.compare_outcomes(pd.DataFrame(WIDE), algorithms=["new", "old"]).to_dict() == expected


def test_fractions_of_few_items_by_every_pattern_of_signs() -> None:
    """p by enumeration of ratio residuals, where sizes of clusters and fractions differ."""
    a, b = RNG.integers(0, 5, 14) / 4, RNG.integers(0, 5, 14) / 4
    units = np.array([0, 0, 0, 0, 1, 1, 2, 2, 2, 3, 4, 4, 4, 4])
    ((*_, tested),) = paired_tests({"a": a, "b": b}, Items(units, "cluster"), 0.95, 0)
    m = np.bincount(units)
    d = np.bincount(units, weights=a - b)

    def statistic(x: np.ndarray) -> float:
        total = x.sum()
        return float(total**2 / ((x - m * total / m.sum()) ** 2).sum())

    seen = [statistic(d * np.array(signs)) for signs in product((-1, 1), repeat=5)]
    own = statistic(d)
    more = sum(one > own + 1e-9 for one in seen)
    same = sum(abs(one - own) <= 1e-9 for one in seen)
    assert tested.p_value == pytest.approx((more + same / 2) / 32)


@pytest.mark.parametrize("seed", range(4))
def test_verdict_interval_and_p_never_disagree(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = {name: rng.integers(0, 5, 50) / 4 for name in "abc"}
    if seed % 2:
        rows = {name: np.rint(one) for name, one in rows.items()}
    table = {**rows, "doc": rng.integers(0, 12, 50)}
    for cluster in (None, "doc"):
        for pair in pb.compare_outcomes(table, algorithms=list("abc"), cluster=cluster).pairs:
            apart = pair.low > 0 or pair.high < 0
            assert apart == (pair.p_adjusted <= 0.05) == pair.told_apart
            assert pair.low <= pair.value <= pair.high


def test_turned_around_it_is_the_same_the_other_way() -> None:
    table = {name: RNG.integers(0, 5, 12) / 4 for name in "ab"}
    (one,) = pb.compare_outcomes(table, algorithms=["a", "b"]).pairs
    (other,) = pb.compare_outcomes(table, algorithms=["b", "a"]).pairs
    assert (one.low, one.high, one.p_value) == pytest.approx((-other.high, -other.low, other.p_value))


def test_nothing_speaks_of_people() -> None:
    for cluster in (None, "doc"):
        found = pb.compare_outcomes(WIDE, algorithms=list(RIGHT), cluster=cluster)
        said = [*map(str, found.sentences()), *map(str, found.notes), found.to_markdown(), repr(found)]
        said += [str(one.method) for one in found.pairs] + [str(one.method) for one in found.estimates]
        assert not re.search("people|person|probe|gallery", " ".join(said))
    same = pb.compare_outcomes({"a": [1, 0] * 20, "b": [1, 0] * 20}, algorithms=["a", "b"])
    assert "No item distinguishes the two systems" in str(same.sentences()[0])
    assert same.pairs[0].to_dict()["unit"] == "item"


BROKEN = [*LONG[:7], *LONG[8:]]
TWICE = [*LONG, LONG[0]]
MOVED = [{**one, "doc": "elsewhere" if k == 3 else one["doc"]} for k, one in enumerate(LONG)]
WRONG: dict[str, tuple[type[ProbandError], str, Any]] = {
    "a cell": (InputError, "1 of 180 outcomes is missing: item 'q2' has no outcome for 'old'", lambda: pb.compare_outcomes(BROKEN, **NAMED)),
    "a null": (InputError, "1 of 60 outcomes in 'new' is missing, first in row 1", lambda: pb.compare_outcomes({**WIDE, "new": [None, *RIGHT["new"][1:].tolist()]}, algorithms=["new", "old"])),
    "twice": (InputError, "2 outcomes for 'new'", lambda: pb.compare_outcomes(TWICE, **NAMED)),
    "moved": (InputError, "several clusters", lambda: pb.compare_outcomes(MOVED, **NAMED, cluster="doc")),
    "above one": (InputError, "got 3 in row 1", lambda: pb.compare_outcomes({"a": [3, 1], "b": [1, 0]}, algorithms=["a", "b"])),
    "words": (InputError, "got 'yes'", lambda: pb.compare_outcomes({"a": ["yes", "no"], "b": [1, 0]}, algorithms=["a", "b"])),
    "no column": (UsageError, "no column 'c' in the table(.|\n)*available: 'a', 'b'", lambda: pb.compare_outcomes({"a": [1], "b": [1]}, algorithms=["a", "c"])),
    "nothing said": (UsageError, "not specified", lambda: pb.compare_outcomes(WIDE)),
    "one system": (UsageError, "at least two", lambda: pb.compare_outcomes(WIDE, algorithms=["new"])),
    "one named": (UsageError, "has 1 system", lambda: pb.compare_outcomes([one for one in LONG if one["system"] == "new"], **NAMED)),
    "both": (UsageError, "long.*wide", lambda: pb.compare_outcomes(WIDE, algorithms=["new", "old"], success="ok")),
    "one cluster": (InputError, "only one cluster", lambda: pb.compare_outcomes({**WIDE, "doc": ["d"] * 60}, algorithms=["new", "old"], cluster="doc")),
    "one item": (InputError, "only one item", lambda: pb.compare_outcomes({"a": [1], "b": [0]}, algorithms=["a", "b"])),
    "no rows": (InputError, "no rows", lambda: pb.compare_outcomes(pl.DataFrame({"a": [], "b": []}, schema={"a": pl.Int64, "b": pl.Int64}), algorithms=["a", "b"])),
    "item twice": (InputError, "several rows", lambda: pb.compare_outcomes({**WIDE, "item": ["q"] * 60}, algorithms=["new", "old"], item="item")),
    "no table": (UsageError, "'int'", lambda: pb.compare_outcomes(5, algorithms=["a", "b"])),
    "margin": (UsageError, "margin", lambda: pb.compare_outcomes(WIDE, algorithms=["new", "old"], margin=0)),
    "level": (UsageError, "confidence", lambda: pb.compare_outcomes(WIDE, algorithms=["new", "old"], confidence_level=95)),
    "cluster empty": (InputError, "empty in 1 row, first in row 1", lambda: pb.compare_outcomes({**WIDE, "doc": [None, *WIDE["doc"][1:]]}, algorithms=["new", "old"], cluster="doc")),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_said(name: str) -> None:
    kind, words, call = WRONG[name]
    with pytest.raises(kind) as told:
        call()
    assert re.search(words, str(told.value)), str(told.value)


def test_chosen_pairs_are_adjusted_alone_and_bounds_are_ends_of_wider_intervals() -> None:
    three: Any = {"table": RIGHT, "algorithms": list(RIGHT)}
    (alone,) = pb.compare_outcomes(RIGHT, algorithms=["mid", "new"]).pairs
    (chosen,) = pb.compare_outcomes(**three, pairs=[("mid", "new")]).pairs
    assert (chosen.first, chosen.second, chosen.value) == ("mid", "new", alone.value)
    ends = (chosen.low, chosen.high, chosen.p_value, chosen.p_adjusted)
    assert ends == pytest.approx((alone.low, alone.high, alone.p_value, alone.p_value), abs=1e-12)
    against = pb.compare_outcomes(**three, against="old")
    assert [(one.first, one.second) for one in against.pairs] == [("new", "old"), ("mid", "old")]
    (upper,) = pb.compare_outcomes(**three, pairs=[("mid", "new")], one_sided="upper").pairs
    (wider,) = pb.compare_outcomes(RIGHT, algorithms=["mid", "new"], confidence_level=0.9).pairs
    assert upper.high == pytest.approx(wider.high, abs=1e-12)
    won = int(((RIGHT["mid"] == 1) & (RIGHT["new"] == 0)).sum())
    n = won + int(((RIGHT["mid"] == 0) & (RIGHT["new"] == 1)).sum())
    exact = sum(comb(n, k) for k in range(won)) + comb(n, won) / 2
    assert upper.p_value == pytest.approx(exact / 2**n, rel=1e-9)
