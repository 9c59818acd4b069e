"""Scores that are the wrong way round are noticed, and no others."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest

from proband.errors import InputError
from proband.measures import rank
from proband.samples import Experiment, Samples
from proband.scores import Embeddings, Scores, check_orientation, require_orientation


def study(values, orientation, mates=1, failed=None, cells=None):
    """Probes p0, p1, … of as many subjects, and a gallery of `mates` images of each."""
    n = len(values)
    probes = [f"p{k}" for k in range(n)]
    gallery = [f"g{k}" for k in range(n * mates)]
    samples = Samples(
        {
            "id": probes + gallery,
            "subject": [f"s{k}" for k in range(n)] + [f"s{k // mates}" for k in range(n * mates)],
            "bad": [name in (failed or ()) for name in probes + gallery],
        },
        failed="bad",
    )
    scores = Scores.from_array(values, probes, gallery, orientation=orientation, name="harbour", cells=cells)
    return scores, Experiment(samples, gallery, probes)


def similarities(n, seed=0, strength=2.0):
    return np.random.default_rng(seed).normal(size=(n, n)) + strength * np.eye(n)


@pytest.mark.parametrize(("declared", "right"), [("distance", "similarity"), ("similarity", "distance")])
def test_reversed_scores_are_refused(declared, right):
    values = similarities(40) * (1 if right == "similarity" else -1)
    scores, experiment = study(values, declared)
    message = f"harbour: read as a {declared}, genuine pairs look worse(.|\\n)*pass orientation='{right}'"
    with pytest.raises(InputError, match=message):
        require_orientation(scores, experiment)
    with pytest.raises(InputError, match=message):
        rank(scores, experiment)


@pytest.mark.parametrize("orientation", ["similarity", "distance"])
def test_scores_that_are_right_are_not(orientation):
    scores, experiment = study(similarities(40) * (1 if orientation == "similarity" else -1), orientation)
    check = require_orientation(scores, experiment)
    assert check.auc > 0.8
    assert check.p_value > 0.5


def test_the_user_may_insist():
    scores, experiment = study(similarities(40), "distance")
    assert (rank(scores, experiment, check_orientation=False).ranks > 1).any()


def test_random_scores_are_not_refused():
    refused = 0
    for seed in range(100):
        n = 3 + seed % 20
        scores, experiment = study(np.random.default_rng(seed).normal(size=(n, n)), "similarity")
        refused += check_orientation(scores, experiment).is_reversed
    assert refused <= 1  # one in a thousand is expected at most


@pytest.mark.parametrize(("n", "refused"), [(3, False), (9, False), (10, True)])
def test_a_few_subjects_cannot_be_significant(n, refused):
    scores, experiment = study(-np.eye(n), "similarity")
    check = check_orientation(scores, experiment)
    assert (check.auc, check.n_subjects, check.n_below, check.n_above) == (0, n, n, 0)
    assert check.p_value == pytest.approx(0.5**n)
    assert check.is_reversed == refused
    assert len(rank(scores, experiment, check_orientation=not refused)) == n


def test_the_figures_agree_with_a_plain_count():
    n, mates = 30, 2
    values = np.random.default_rng(1).integers(0, 5, size=(n, n * mates)).astype(float)
    scores, experiment = study(values, "distance", mates)
    shares = []
    for row in range(n):
        own = values[row, mates * row : mates * row + mates]
        others = np.delete(values[row], range(mates * row, mates * row + mates))
        shares.append(np.mean([(m < o) + 0.5 * (m == o) for m in own for o in others]))
    below, above = sum(s < 0.5 for s in shares), sum(s > 0.5 for s in shares)
    check = check_orientation(scores, experiment)
    assert check.auc == pytest.approx(np.mean(shares))
    assert (check.n_below, check.n_above) == (below, above)
    total = below + above
    assert check.p_value == pytest.approx(sum(comb(total, k) for k in range(above + 1)) / 2**total)


def test_ties_say_nothing():
    scores, experiment = study(np.zeros((30, 30)), "similarity")
    check = require_orientation(scores, experiment)
    assert (check.auc, check.p_value) == (0.5, 1.0)


def test_failures_to_acquire_are_not_looked_at():
    values = similarities(40)
    values[:20] = -10 * np.eye(40)[:20]  # what a failed probe's scores are means nothing
    failed = {f"p{k}" for k in range(20)}
    check = require_orientation(*study(values, "similarity", failed=failed))
    assert check.n_subjects == 20
    assert check.auc > 0.8


def test_a_failed_gallery_image_is_not_looked_at():
    values = similarities(40)
    values[:, :5] = 100.0
    with_failures = check_orientation(*study(values, "similarity", failed={f"g{k}" for k in range(5)}))
    assert with_failures.n_subjects == 35
    assert with_failures.auc > 0.8


def test_cells_that_are_not_plain_scores_are_not_looked_at():
    values = similarities(40)
    cells = np.zeros(values.shape, dtype=np.uint8)
    values[:, 0] = 1e6
    cells[:, 0] = 1
    cells[5, 5] = 2
    check = check_orientation(*study(values, "similarity", cells=cells))
    assert check.n_subjects == 38
    assert check.auc > 0.8


def test_a_large_experiment_is_sampled():
    n = 700
    values = np.random.default_rng(0).normal(size=(n, n)).astype(np.float32) - 2 * np.eye(n, dtype=np.float32)
    check = check_orientation(*study(values, "similarity"))
    assert 100 <= check.n_subjects < n
    assert check.is_reversed


def test_the_sample_is_the_same_every_time():
    scores, experiment = study(similarities(60), "similarity", 1)
    assert check_orientation(scores, experiment) == check_orientation(scores, experiment)


def test_a_subject_counts_once_however_many_probes_it_has():
    people = [f"s{k}" for k in range(5)]
    probes = [f"{person}p{k}" for person in people for k in range(20)]
    samples = Samples({"id": people + probes, "subject": people + [name[:2] for name in probes]})
    values = np.array([[-float(name[:2] == person) for person in people] for name in probes])
    scores = Scores.from_array(values, probes, people, orientation="similarity")
    check = require_orientation(scores, Experiment(samples, people, probes))
    assert (check.n_subjects, check.auc) == (5, 0)


def test_no_one_to_compare_with():
    scores, experiment = study(np.array([[1.0]]), "similarity")
    assert require_orientation(scores, experiment).n_subjects == 0


def test_embeddings_that_are_worse_than_chance():
    n = 20
    vectors = np.eye(n)
    samples = Samples(
        {"id": [f"p{k}" for k in range(n)] + [f"g{k}" for k in range(n)], "subject": list(range(n)) * 2}
    )
    scores = Embeddings(np.concatenate([vectors, -vectors]), samples.ids, metric="cosine", name="harbour")
    experiment = Experiment(samples, samples.ids[n:], samples.ids[:n])
    with pytest.raises(InputError, match=r"harbour.*similarity"):
        rank(scores, experiment)


def test_scores_of_any_size():
    values = np.where(np.eye(20) > 0, 1.5e308, -1.5e308)
    assert require_orientation(*study(values, "similarity")).auc == 1
