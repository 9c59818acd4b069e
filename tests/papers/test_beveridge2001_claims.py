"""Every claim about Beveridge et al. 2001 holds for the published results, and fails for scrambled ones."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom, norm

from proband.inference.comparisons.testing.mcnemar import PairedOutcomes, mcnemar
from proband.inference.image_choice.distributions import Distribution
from proband.papers.beveridge2001_claims import LDA, NOT_WON, PCA, TABLE_4, ChoiceEvidence, claims

N, TRIALS = 160, 10_000
MEANS = dict(zip((*PCA, *LDA), (0.56, 0.50, 0.505, 0.62, 0.47, 0.475, 0.47, 0.46), strict=True))


def spread(mean: float, sd: float, first: int = 0) -> Distribution:
    """About normal, on whole numbers of people."""
    values = np.arange(first, N + 1) / N
    shares = norm.pdf(values, mean, sd)
    return Distribution(first, np.rint(TRIALS * shares / shares.sum()).astype(np.int64), N)


def differences(means: dict[str, float]) -> dict[tuple[str, str], Distribution]:
    pairs = [*NOT_WON, *((a, b) for a in ("pca:l1", "pca:mahalanobis") for b in LDA)]
    return {(a, b): spread(means[a] - means[b], 0.02, -N) for a, b in pairs}


def evidence(means: dict[str, float] = MEANS) -> ChoiceEvidence:
    return ChoiceEvidence(
        TABLE_4,
        TABLE_4,
        binom.pmf(np.arange(1196), 1195, 928 / 1195),
        1195,
        928,
        TRIALS,
        {name: spread(mean, 0.025) for name, mean in means.items()},
        spread(means["pca:mahalanobis"], 0.025),
        differences(means),
    )


def verdicts(found: ChoiceEvidence) -> dict[str, str]:
    return {one.key.partition(".")[2]: one.verdict for each in claims(found).values() for one in each}


def test_the_published_results_fulfil_every_rule_but_one() -> None:
    found = verdicts(evidence())
    # 60 against 38 does not give the printed p.
    assert {key for key, verdict in found.items() if verdict != "agrees"} == {"printed-p-values"}
    assert found["printed-p-values"] == "disagrees"
    assert len(found) == 14


def test_counts_that_give_the_printed_p_would_agree() -> None:
    n, sf = next(
        (n, sf)
        for n in range(20, 200)
        for sf in range(n)
        if abs(mcnemar(sf, n - sf).p_greater - 0.0164) < 5e-5
    )
    printed = {**TABLE_4, "dup1": PairedOutcomes(0, sf, n - sf, 0)}
    assert verdicts(replace(evidence(), printed=printed))["printed-p-values"] == "agrees"


def test_scrambled_results_fail_every_rule() -> None:
    good = evidence()
    turned = {name: PairedOutcomes(one.ss, one.fs, one.sf, one.ff) for name, one in TABLE_4.items()}
    hard = {**TABLE_4, "fb": PairedOutcomes(20, 30, 10, 1135)}
    other = dict(zip(MEANS, (0.40, 0.55, 0.36, 0.30, 0.50, 0.70, 0.60, 0.40), strict=True))
    failed: dict[str, str] = {}
    for scrambled in (
        replace(good, pairs=turned),
        replace(good, pairs=hard),
        replace(good, printed=turned),
        replace(good, bootstrap=binom.pmf(np.arange(1196), 1195, 900 / 1195)),
        evidence(other),
        replace(good, unbalanced=spread(0.62, 0.04)),
    ):
        failed |= {key: verdict for key, verdict in verdicts(scrambled).items() if verdict == "disagrees"}
    assert set(failed) == set(verdicts(good))


def test_few_probes_are_not_judged() -> None:
    few = {name: PairedOutcomes(3, 2, 1, 3) for name in TABLE_4}
    found = verdicts(replace(evidence(), pairs=few))
    assert all(found[f"pca-ahead-{name}"] == "cannot be judged" for name in TABLE_4)


@pytest.mark.parametrize("rate", [0.1, 0.78])
def test_bootstrapped_counts_are_judged_by_their_distance_from_the_binomial(rate: float) -> None:
    n = 200
    successes = round(rate * n)
    counts = np.random.default_rng(1).binomial(n, successes / n, TRIALS)
    shares = np.bincount(counts, minlength=n + 1) / TRIALS
    found = replace(evidence(), bootstrap=shares, n=n, successes=successes)
    assert verdicts(found)["bootstrap-is-binomial"] == "agrees"
    assert verdicts(replace(found, successes=successes + 8))["bootstrap-is-binomial"] == "disagrees"
