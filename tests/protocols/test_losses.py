from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy.stats import chi2_contingency, fisher_exact

from proband.errors import InputError
from proband.protocols.audit.audit import audit
from proband.protocols.audit.losses import CHI_SQUARE, DRAWN, FISHER, losses, unevenness
from proband.samples import Samples


def collected(n: int = 40) -> Samples:
    return Samples(
        {
            "id": [f"i{k}" for k in range(n)],
            "subject": [f"p{k // 4}" for k in range(n)],
            "sex": ["f", "m"] * (n // 2),
        }
    )


def test_every_sample_is_accounted_for() -> None:
    table = collected()
    used = [f"i{k}" for k in range(30)] + ["stranger"]
    exclusions = {
        "id": ["i30", "i31", "i32", "i5", "ghost", "i33"],
        "reason": ["closed", "closed", "blurred", "closed", "x", ""],
    }
    found = losses(table, used, exclusions, label="sex")
    assert (found.n_collected, found.n_used, found.n_lost) == (40, 30, 10)
    assert found.reasons == {"closed": 2, "blurred": 1}
    assert found.unexplained == tuple(f"i{k}" for k in range(33, 40))
    assert found.contradicted == ("i5",)
    assert found.foreign == ("stranger",)
    assert found.unknown == ("ghost",)
    assert sum(found.reasons.values()) + len(found.unexplained) == found.n_lost
    assert found.to_frame()["samples"].sum() == found.n_lost


def test_two_reasons_count_once() -> None:
    found = losses(collected(), [f"i{k}" for k in range(1, 40)], {"id": ["i0", "i0"], "reason": ["a", "b"]})
    assert found.reasons == {"a and b": 1}
    assert not found.unexplained


def test_findings_of_losses_have_their_weight() -> None:
    table = collected()
    frame = pl.DataFrame(
        {"id": [f"i{k}" for k in range(36)], "repeat": 1, "fold": 1, "role": ["train"] * 20 + ["test"] * 16}
    )
    explained = {"id": ["i36", "i37", "i38", "i39"], "reason": ["closed"] * 4}
    sound = audit(frame, table, collected=table, exclusions=explained, task="attribute", label="sex")
    assert sound.is_sound
    assert sound.of("explained losses")[0].examples == ("closed: 4",)
    (fault,) = audit(frame, table, collected=table).of("unexplained losses")
    assert (fault.severity, fault.count, fault.examples[0]) == ("fault", 4, "i36")
    used = audit(
        frame, table, exclusions={"id": ["i36", "i37", "i38", "i39", "i0"], "reason": ["closed"] * 5}
    )
    assert used.of("excluded, but used")[0].examples == ("i0",)


def test_uneven_losses_by_class_are_a_warning_with_its_test() -> None:
    n = 80
    table = Samples({"id": range(n), "subject": range(n), "sex": ["f", "m"] * (n // 2)})
    used = [str(k) for k in range(n) if k % 2 or k >= 40]
    frame = pl.DataFrame({"id": used, "repeat": 1, "fold": 1, "role": ["train", "test"] * (len(used) // 2)})
    exclusions = {"id": [str(k) for k in range(0, 40, 2)], "reason": ["glasses"] * 20}
    found = audit(frame, table, exclusions=exclusions, task="attribute", label="sex")
    (one,) = found.of("uneven losses by sex")
    assert one.severity == "warning"
    assert one.p_value == pytest.approx(fisher_exact([[20, 20], [0, 40]]).pvalue)
    assert one.test is not None
    assert one.test["method"] is FISHER
    assert str(one.test).startswith("Fisher's exact test; samples are lost independently")
    assert one.examples == ("f: 20 of 40", "m: 0 of 40")


def test_the_chi_square_is_scipys() -> None:
    rng = np.random.default_rng(0)
    values, lost = rng.integers(0, 4, 400), rng.random(400) < 0.3
    found = unevenness("class", pl.Series(values.astype(str)), lost)
    table = np.array([np.bincount(values[part], minlength=4) for part in (lost, ~lost)])
    assert found.test.method is CHI_SQUARE
    assert found.test.p_value == pytest.approx(chi2_contingency(table, correction=False).pvalue)


def test_drawing_agrees_with_the_exact_test_of_a_small_table() -> None:
    # All tables with these margins, weighted by the multivariate hypergeometric distribution.
    from math import comb

    sizes, lost = (4, 3, 5), (4, 0, 1)
    n, gone = sum(sizes), sum(lost)

    def statistic(drawn: tuple[int, ...]) -> float:
        return sum((x - gone * size / n) ** 2 / size for x, size in zip(drawn, sizes, strict=True))

    tables = [(a, b, gone - a - b) for a in range(5) for b in range(4) if 0 <= gone - a - b <= 5]
    weight = {t: np.prod([comb(s, x) for s, x in zip(sizes, t, strict=True)]) / comb(n, gone) for t in tables}
    exact = sum(w for t, w in weight.items() if statistic(t) >= statistic(lost) - 1e-9)
    values = pl.Series(np.repeat(["a", "b", "c"], sizes))
    mask = np.concatenate([np.arange(size) < x for x, size in zip(lost, sizes, strict=True)])
    found = unevenness("class", values, mask)
    assert found.test.method is DRAWN
    assert found.test.p_value == pytest.approx(float(exact), abs=0.02)


def test_nothing_or_everything_lost_is_not_tested() -> None:
    values = pl.Series(["a", "b", "c"] * 4)
    for mask in (np.zeros(12, bool), np.ones(12, bool)):
        assert unevenness("class", values, mask).test is None
    assert unevenness("class", pl.Series(["a"] * 4), np.arange(4) < 2).test is None


@pytest.mark.long
def test_even_losses_raise_no_alarm() -> None:
    rng = np.random.default_rng(3)
    values = pl.Series(np.repeat([f"p{k}" for k in range(40)], 10))
    tests = [unevenness("subject", values, rng.random(400) < 0.1).test for _ in range(60)]
    assert np.mean([test is not None and test.p_value < 0.05 for test in tests]) < 0.15


def test_a_table_without_reasons_is_refused() -> None:
    with pytest.raises(InputError, match="reason"):
        losses(collected(), [], {"id": ["i1"]})
