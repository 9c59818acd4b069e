"""McNemar's test by probe set: Table 4 of Beveridge et al. 2001, from scores."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest

from proband import Category, Experiment, Samples, Scores
from proband.errors import UsageError
from proband.report.showing import tables_of
from proband.stats import mcnemar_table

# Both, only the first, only the second, neither: Table 4, and what R's binom.test has for it (one-sided, two-sided, mid-p).
TABLE_4 = {
    "fb": (824, 104, 40, 227), "dup1": (217, 60, 38, 407), "dup2": (30, 22, 8, 174), "fc": (9, 44, 1, 140),
}  # fmt: skip
CORRECT = {"fb": (928, 864), "dup1": (277, 255), "dup2": (52, 38), "fc": (53, 10)}
P_VALUES = {
    "fb": (4.72745380885331e-08, 9.45490761770662e-08, 6.49310735531551e-08),
    "dup1": (0.016680014448471, 0.0333600288969419, 0.0265251068483944),
    "dup2": (0.008062400855124, 0.016124801710248, 0.0106738405302167),
    "fc": (1.30739863379858e-12, 2.61479726759717e-12, 1.33582034322899e-12),
}


def study(sets: dict[str, tuple[int, int, int, int]]) -> tuple[dict[str, Scores], Experiment]:
    """Scores of two algorithms that recognise so many probes of each set."""
    kinds = [(name, cell) for name, counts in sets.items() for cell, n in enumerate(counts) for _ in range(n)]
    n = len(kinds)
    ids = [f"{side}{k}" for side in "gp" for k in range(n)]
    probe_set = [name for name, _ in kinds]
    samples = Samples({"id": ids, "subject": [one[1:] for one in ids], "set": probe_set * 2})
    right = {"first": (0, 1), "second": (0, 2)}
    made = {}
    for name, cells in right.items():
        values = np.eye(n)
        values[[k for k, (_, cell) in enumerate(kinds) if cell not in cells]] = 0.5  # ties are misses
        made[name] = Scores.from_array(values, ids[n:], ids[:n], orientation="similarity", name=name)
    return made, Experiment(samples, gallery=ids[:n])


def test_table_4() -> None:
    scores, experiment = study(TABLE_4)
    found = mcnemar_table(scores, experiment, by="set")
    rows = {one.category: one for one in found.rows}
    assert set(rows) == {None, *(f"set {name}" for name in TABLE_4)}
    for name, counts in TABLE_4.items():
        row = rows[f"set {name}"]
        assert (row.counts.ss, row.counts.sf, row.counts.fs, row.counts.ff) == counts
        assert row.test is not None
        found_p = (row.test.p_greater, row.test.p_value, row.test.p_mid)
        assert found_p == pytest.approx(P_VALUES[name], rel=1e-9)
        assert (row.n_correct_first, row.n_correct_second) == CORRECT[name]
        assert row.rate_first == pytest.approx((counts[0] + counts[1]) / sum(counts))
    whole = rows[None].counts
    assert (whole.ss, whole.sf, whole.fs, whole.ff) == tuple(map(sum, zip(*TABLE_4.values(), strict=True)))


def test_it_reads_like_table_4() -> None:
    scores, experiment = study({name: TABLE_4[name] for name in ("dup2", "fc")})
    found = mcnemar_table(scores, experiment, by="set")
    (table,) = tables_of(found)
    heads = [column.heading.replace("\n", " ") for column in table.columns]
    assert heads == [
        "probes of", "first", "second", "first Corr/Total", "first rate", "second Corr/Total", "second rate", "SS", "SF", "FS", "FF",
        "difference, points", "95% interval", "one-sided p", "two-sided p", "two-sided mid-p", "adjusted p",
    ]  # fmt: skip
    texts = [[cell.text for cell in row] for row in table.rows]
    assert texts[1][:11] == [
        "set dup2",
        "first",
        "second",
        "52/234",
        "0.2222",
        "38/234",
        "0.1624",
        "30",
        "22",
        "8",
        "174",
    ]
    assert texts[2][3:11] == ["53/194", "0.2732", "10/194", "0.0515", "9", "44", "1", "140"]
    assert texts[1][13:16] == ["0.0081", "0.016", "0.011"]
    written = found.to_dict()["rows"][1]
    assert (written["n_correct_first"], written["n_correct_second"], written["n"]) == (52, 38, 234)
    assert written["test"]["p_mid"] == pytest.approx(P_VALUES["dup2"][2])
    header = found.to_csv().splitlines()[0].split(",")
    assert {"correct_first", "correct_second", "p_mid"} <= set(header)
    assert "mid-p" in str(found.notes[0])


def test_p_values_are_adjusted_for_all_tests_that_there_are() -> None:
    scores, experiment = study({"a": (10, 6, 1, 3), "b": (10, 9, 2, 3), "c": (2, 0, 0, 3)})
    none = Category("none", "probe.col('set') == 'd'")
    found = mcnemar_table(scores, experiment, by="set", categories=none)
    tested = [one for one in found.rows if one.test is not None]
    plain = [binomtest(one.counts.sf, max(one.counts.sf + one.counts.fs, 1)).pvalue for one in tested]
    plain[-1] = 1.0  # nothing tells them apart
    order, stepped = np.argsort(plain, kind="stable"), 0.0
    for place, k in enumerate(order):
        stepped = max(stepped, min(1.0, (len(plain) - place) * plain[k]))
        assert tested[k].test.p_adjusted == pytest.approx(stepped)
    (empty,) = [one for one in found.rows if one.test is None]
    assert (empty.category, empty.counts.n, empty.difference) == ("none", 0, None)
    # The exact test and Tango's interval are two computations: the difference claims no p-value, and no verdict.
    apart = [row.difference for row in found.rows if row.difference is not None]
    assert apart
    assert all((one.p_value, one.p_adjusted, one.verdict) == (None, None, None) for one in apart)
    assert empty.why is not None
    assert empty.why.code == "mcnemar.no-probes"
    few = {
        one.category for one in found.rows if one.why is not None and one.why.code == "mcnemar.few-discordant"
    }
    assert few == {"set c"}
    assert found.to_frame()["why"].null_count() == 3


def test_chosen_pairs_and_a_baseline() -> None:
    scores, experiment = study({"a": (10, 6, 1, 3)})
    three = {**scores, "again": scores["first"]}
    assert [(one.first, one.second) for one in mcnemar_table(three, experiment).rows] == [
        ("first", "second"),
        ("first", "again"),
        ("second", "again"),
    ]
    one, two = mcnemar_table(three, experiment, against="second").rows
    assert [(row.first, row.second, row.counts.sf) for row in (one, two)] == [
        ("first", "second", 6),
        ("again", "second", 6),
    ]
    (turned,) = mcnemar_table(three, experiment, pairs=[("second", "first")]).rows
    assert (turned.counts.sf, turned.counts.fs) == (1, 6)
    with pytest.raises(UsageError, match="no algorithm 'third'"):
        mcnemar_table(three, experiment, against="third")
