from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tests.examples import examples

from proband.inference.comparisons.testing.mcnemar import mcnemar
from proband.inference.comparisons.testing.sign_flip import sign_flip


@examples(60)
@given(st.lists(st.integers(-4, 4), min_size=1, max_size=10))
def test_equals_enumeration(differences):
    moving = [d for d in differences if d]
    sums = [
        sum(s * abs(d) for s, d in zip(signs, moving, strict=True))
        for signs in product((1, -1), repeat=len(moving))
    ]
    observed = sum(moving)
    found = sign_flip(np.array(differences, dtype=float))
    assert found.p_greater == pytest.approx(np.mean([s >= observed for s in sums]))
    assert found.p_less == pytest.approx(np.mean([s <= observed for s in sums]))
    assert found.method.draws is None


@pytest.mark.parametrize(("sf", "fs"), [(104, 40), (22, 8), (0, 0), (3, 3), (1, 0)])
def test_is_mcnemar_with_one_probe_each(sf, fs):
    found, expected = sign_flip(np.repeat([1.0, -1.0, 0.0], [sf, fs, 9])), mcnemar(sf, fs)
    assert found.p_greater == pytest.approx(expected.p_greater, rel=1e-9)
    assert found.p_value == pytest.approx(expected.p_value, rel=1e-9)
    assert found.p_mid == pytest.approx(expected.p_mid, rel=1e-8)


def test_fractions_are_sampled_reproducibly():
    differences = np.random.default_rng(0).normal(0.3, 1.0, 40)
    one, two = sign_flip(differences, 1), sign_flip(differences, 1)
    assert one == two
    assert one.method.draws == 100_000
    scaled = sign_flip(np.rint(differences * 1000))
    assert one.p_value == pytest.approx(scaled.p_value, abs=0.01)
