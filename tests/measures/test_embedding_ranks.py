"""Ranks from embeddings are those of the dense matrix of the same scores, cell by cell."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.examples import some

from proband.errors import InputError, ProbandError
from proband.measures import Outcomes, rank, ranks as ranks_module
from proband.samples import Experiment, Samples
from proband.scores import Embeddings, Scores

METRICS = ("cosine", "inner", "l2")
N, PEOPLE, DIMENSION = 90, 18, 13
COUNTS = ("probes", "closer", "tied", "best_mates", "failed")


def table_of(n: int = N, people: int = PEOPLE, failed: list[int] | None = None) -> Samples:
    """Several samples of each subject, interleaved, so that several mates are in the gallery."""
    bad = np.zeros(n, dtype=bool)
    bad[failed or []] = True
    return Samples(
        {"id": [f"i{k}" for k in range(n)], "subject": [f"p{k % people}" for k in range(n)], "bad": bad},
        failed="bad",
    )


def experiment_of(samples: Samples, share: float = 0.6, seed: int = 3) -> Experiment:
    mask = np.random.default_rng(seed).random(len(samples)) < share
    mask[0], mask[PEOPLE] = True, False
    return Experiment(samples, gallery=mask)


def dense_twin(embeddings: Embeddings) -> Scores:
    rows, columns = (np.arange(n) for n in embeddings.shape)
    return Scores.from_array(
        embeddings.tile(rows, columns),
        embeddings.queries,
        embeddings.targets,
        orientation=embeddings.orientation,
    )


def assert_same(fast: Outcomes, slow: Outcomes) -> None:
    for name in COUNTS:
        assert getattr(fast, name).tolist() == getattr(slow, name).tolist(), name


def assert_agrees(embeddings: Embeddings, experiment: Experiment, **options: object) -> Outcomes:
    """Rank by the screen and by the matrix; both must count the same."""
    for counting in ("images", "subjects"):
        fast, slow = (
            rank(scores, experiment, counting=counting, check_orientation=False, **{"threads": 1, **options})
            for scores in (embeddings, dense_twin(embeddings))
        )
        assert_same(fast, slow)
    return fast


def plain(rng: np.random.Generator) -> np.ndarray:
    return rng.standard_normal((N, DIMENSION))


def duplicated(rng: np.random.Generator) -> np.ndarray:
    return rng.standard_normal((7, DIMENSION))[rng.integers(0, 7, N)]


def scaled_copies(rng: np.random.Generator) -> np.ndarray:
    return rng.standard_normal((7, DIMENSION))[rng.integers(0, 7, N)] * rng.choice([0.5, 1, 2, 3], (N, 1))


def nearly_equal(rng: np.random.Generator) -> np.ndarray:
    """Differences at the level of float32's rounding: the screen cannot tell them, float64 must."""
    return rng.standard_normal(DIMENSION) * (1 + 2.0**-24 * rng.integers(-3, 4, (N, DIMENSION)))


def few_values(rng: np.random.Generator) -> np.ndarray:
    table = rng.integers(-1, 2, (N, DIMENSION)).astype(float)
    table[:, 0] = 1
    return table


def far_cluster(rng: np.random.Generator) -> np.ndarray:
    return 1000.0 + rng.standard_normal((N, DIMENSION))


def two_far_clusters(rng: np.random.Generator) -> np.ndarray:
    return np.where(rng.random((N, 1)) < 0.5, 800.0, -800.0) + 0.01 * rng.standard_normal((N, DIMENSION))


def mixed_norms(rng: np.random.Generator) -> np.ndarray:
    return rng.standard_normal((N, DIMENSION)) * 10.0 ** rng.integers(-3, 4, (N, 1))


FAMILIES = (
    plain,
    duplicated,
    scaled_copies,
    nearly_equal,
    few_values,
    far_cluster,
    two_far_clusters,
    mixed_norms,
)


@pytest.mark.parametrize("dtype", some([np.float16, np.float32, np.float64], 2))
@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__)
@pytest.mark.parametrize("metric", METRICS)
def test_every_kind_of_vectors(metric, family, dtype):
    vectors = family(np.random.default_rng(1)).astype(dtype)
    samples = table_of()
    assert_agrees(Embeddings(vectors, samples.ids, metric=metric), experiment_of(samples))


@pytest.mark.parametrize(
    ("scale", "dtype"),
    [
        (1e-30, np.float32),
        (1e30, np.float32),
        (1e-100, np.float64),
        (1e100, np.float64),
        (1e-130, np.float64),
    ],
)
@pytest.mark.parametrize("metric", METRICS)
def test_very_long_and_very_short_vectors(metric, scale, dtype):
    vectors = (plain(np.random.default_rng(2)) * scale).astype(dtype)
    samples = table_of()
    assert_agrees(Embeddings(vectors, samples.ids, metric=metric), experiment_of(samples))


@pytest.mark.parametrize(
    ("scale", "dtype"),
    [
        (1e-44, np.float32),
        (1e38, np.float32),
        (1e-160, np.float64),
        (1e-170, np.float64),
        (6e153, np.float64),
    ],
)
@pytest.mark.parametrize("metric", METRICS)
def test_vectors_at_the_edge_of_the_range_agree_or_are_refused(metric, scale, dtype):
    vectors = np.clip(plain(np.random.default_rng(2)), -2, 2)
    vectors[::2] /= 1.5
    vectors = (vectors / 2 * scale).astype(dtype)
    samples = table_of()
    embeddings = Embeddings(vectors, samples.ids, metric=metric)
    try:
        rank(embeddings, experiment_of(samples), check_orientation=False, threads=1)
    except InputError:
        return
    assert_agrees(embeddings, experiment_of(samples))


# Regression: squares this small have few digits left, so the scale and the centred lengths of the l2 screen are off.
@pytest.mark.parametrize("size", [1e-150, 1e-158, 1e-160, 1e-161, 1e-162, 1e-170])
def test_differences_too_small_to_square_well(size):
    """Vectors of ordinary length whose squared distances fall among the smallest numbers there are, or to zero."""
    vectors = np.ones((N, 3))
    vectors[:, 1:] = np.random.default_rng(4).standard_normal((N, 2)) * size
    samples = table_of()
    outcomes = assert_agrees(Embeddings(vectors, samples.ids, metric="l2"), experiment_of(samples))
    assert (outcomes.closer.max() == 0) == (size < 1e-165)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("metric", ["inner", "l2"])
def test_zero_vectors_tie_with_one_another(metric, dtype):
    samples = table_of()
    experiment = experiment_of(samples)
    outcomes = assert_agrees(Embeddings(np.zeros((N, 4), dtype), samples.ids, metric=metric), experiment)
    assert outcomes.closer.max() == 0
    assert outcomes.tied.min() == PEOPLE - 1


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize(("probes_at_once", "gallery_at_once"), some([(1, 1), (2, 3), (5, 7), (64, 16)], 2))
def test_blocks_of_every_size(monkeypatch, metric, probes_at_once, gallery_at_once):
    monkeypatch.setattr(ranks_module, "_PROBES_AT_ONCE", probes_at_once)
    monkeypatch.setattr(ranks_module, "_GALLERY_AT_ONCE", gallery_at_once)
    monkeypatch.setattr(ranks_module, "_TILE_CELLS", probes_at_once * gallery_at_once)
    samples = table_of()
    vectors = duplicated(np.random.default_rng(5)) + 1e-8 * plain(np.random.default_rng(6))
    assert_agrees(Embeddings(vectors, samples.ids, metric=metric), experiment_of(samples))


@pytest.mark.parametrize("metric", METRICS)
def test_one_subject_larger_than_a_block(monkeypatch, metric):
    """A subject's columns are never parted, however many there are."""
    monkeypatch.setattr(ranks_module, "_GALLERY_AT_ONCE", 4)
    subjects = ["a"] * 30 + ["b"] * 3 + ["c"] * 20 + ["d"] * 2
    samples = Samples({"id": range(len(subjects)), "subject": subjects})
    vectors = np.random.default_rng(8).integers(1, 4, (len(subjects), 3)).astype(np.float32)
    mask = np.arange(len(subjects)) % 3 > 0
    assert_agrees(Embeddings(vectors, samples.ids, metric=metric), Experiment(samples, gallery=mask))


@pytest.mark.parametrize("dtype", some([np.float16, np.float32, ">f4", np.float64, np.int8], 2))
@pytest.mark.parametrize("metric", METRICS)
def test_memory_mapped_vectors(tmp_path, metric, dtype):
    vectors = (10 * plain(np.random.default_rng(9))).astype(dtype)
    vectors[:, 0] = 1
    np.save(tmp_path / "v.npy", vectors)
    mapped = np.load(tmp_path / "v.npy", mmap_mode="r")
    samples = table_of()
    embeddings = Embeddings(mapped, samples.ids, metric=metric)
    assert isinstance(embeddings.query_vectors, np.memmap)
    outcomes = assert_agrees(embeddings, experiment_of(samples))
    in_memory = Embeddings(vectors, samples.ids, metric=metric)
    assert_same(outcomes, assert_agrees(in_memory, experiment_of(samples)))


@pytest.mark.parametrize("metric", METRICS)
def test_subset_galleries_and_axes_in_another_order(metric):
    """Only some samples take part, and the embeddings hold them in an order of their own."""
    rng = np.random.default_rng(10)
    samples = table_of()
    order = rng.permutation(N)
    embeddings = Embeddings(duplicated(rng), [samples.ids[k] for k in order], metric=metric)
    experiment = Experiment(
        samples,
        gallery=[samples.ids[k] for k in range(10, 50, 2)],
        probes=[samples.ids[k] for k in range(51, 90, 3)],
    )
    assert_agrees(embeddings, experiment)


@pytest.mark.parametrize("metric", METRICS)
def test_separate_targets(metric):
    rng = np.random.default_rng(11)
    samples = table_of()
    gallery, probes = samples.ids[:40], samples.ids[40:]
    embeddings = Embeddings(
        rng.standard_normal((50, 5)).astype(np.float32),
        probes,
        metric=metric,
        targets=rng.standard_normal((40, 5)),
        target_ids=gallery,
    )
    assert_agrees(embeddings, Experiment(samples, gallery=gallery, probes=probes))


@pytest.mark.parametrize("on_failure", ["miss", "as_scored"])
@pytest.mark.parametrize("metric", METRICS)
def test_failed_samples(metric, on_failure):
    samples = table_of(failed=[0, 3, 20, 21, 40, 77, 89])
    embeddings = Embeddings(duplicated(np.random.default_rng(12)), samples.ids, metric=metric)
    outcomes = assert_agrees(embeddings, experiment_of(samples), on_failure=on_failure)
    assert outcomes.failed.any() == (on_failure == "miss")


@pytest.mark.parametrize("metric", METRICS)
def test_any_number_of_threads_gives_the_same(monkeypatch, metric):
    monkeypatch.setattr(ranks_module, "_GALLERY_AT_ONCE", 5)
    monkeypatch.setattr(ranks_module, "_PROBES_AT_ONCE", 6)
    samples = table_of()
    embeddings = Embeddings(nearly_equal(np.random.default_rng(13)), samples.ids, metric=metric)
    for counting in ("images", "subjects"):
        one, two, five = (
            rank(
                embeddings,
                experiment_of(samples),
                counting=counting,
                threads=threads,
                check_orientation=False,
            )
            for threads in (1, 2, 5)
        )
        assert_same(one, two)
        assert_same(one, five)


def test_l2_ranks_of_ordinary_vectors():
    samples = table_of()
    vectors = plain(np.random.default_rng(14))
    experiment = experiment_of(samples)
    outcomes = rank(
        Embeddings(vectors, samples.ids, metric="l2"), experiment, check_orientation=False, threads=1
    )
    for probe, found in zip(outcomes.probes, outcomes.ranks, strict=True):
        distance = np.linalg.norm(vectors[experiment.gallery] - vectors[probe], axis=1)
        mate = samples.codes[experiment.gallery] == samples.codes[probe]
        assert found == 1 + np.count_nonzero(distance[~mate] <= distance[mate].min())


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.uint8])
@pytest.mark.parametrize("metric", ["l1", "chi2"])
def test_other_distances(monkeypatch, metric, dtype):
    """They are not screened, but ranked from tiles of exact scores; the oracle is a plain sort in numpy."""
    monkeypatch.setattr(ranks_module, "_TILE_CELLS", 100)
    samples, rng = table_of(), np.random.default_rng(20)
    vectors = rng.integers(0, 9, (N, 6)).astype(dtype)
    experiment = experiment_of(samples)
    embeddings = Embeddings(vectors, samples.ids, metric=metric)
    assert embeddings.orientation == "distance"
    outcomes = rank(embeddings, experiment, ties="optimistic", check_orientation=False, threads=1)
    assert_agrees(embeddings, experiment)
    if metric == "l1":  # sums of whole numbers are exact, whatever the order
        wide = vectors.astype(np.int64)
        for probe, found in zip(outcomes.probes, outcomes.ranks, strict=True):
            distance = np.abs(wide[experiment.gallery] - wide[probe]).sum(axis=1)
            mate = samples.codes[experiment.gallery] == samples.codes[probe]
            assert found == 1 + np.count_nonzero(distance[~mate] < distance[mate].min())


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int16])
def test_tile_is_float64_arithmetic_on_the_stored_vectors(dtype):
    rng = np.random.default_rng(15)
    stored = (rng.standard_normal((12, 29)) * 20).astype(dtype)
    everyone = np.arange(12)
    wide = stored.astype(np.float64)
    length = [math.sqrt(math.fsum(v * v for v in row)) for row in wide]
    for metric in METRICS:
        tile = Embeddings(stored, everyone, metric=metric).tile(everyone, everyone)
        assert tile.dtype == np.float64
        for i in everyone:
            for j in everyone:
                product = math.fsum(wide[i] * wide[j])
                expected = {
                    "inner": product,
                    "cosine": product / (length[i] * length[j]),
                    "l2": math.sqrt(math.fsum((wide[i] - wide[j]) ** 2)),
                }[metric]
                assert tile[i, j] == pytest.approx(expected, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("metric", METRICS)
def test_equal_vectors_have_equal_scores_wherever_they_stand(metric):
    rng = np.random.default_rng(16)
    vectors = rng.standard_normal((40, 11))
    vectors[1::2] = vectors[0]
    embeddings = Embeddings(vectors, range(40), metric=metric)
    everyone = np.arange(40)
    whole = embeddings.tile(everyone, everyone)
    assert (whole[:, 1::2] == whole[:, [0]]).all()
    assert np.array_equal(whole, whole.T)
    for row in (0, 7, 39):
        for columns in (np.array([row]), np.array([39, 2, 3]), everyone[::-1]):
            assert np.array_equal(embeddings.tile(np.array([row]), columns)[0], whole[row, columns])


@pytest.mark.parametrize("where", [0, PEOPLE], ids=["gallery", "probe"])
def test_a_zero_vector_has_no_cosine_unless_it_failed(where):
    vectors = plain(np.random.default_rng(17))
    vectors[where] = 0
    samples, marked = table_of(), table_of(failed=[where])
    with pytest.raises(InputError, match=f"all zeros.*'i{where}'"):
        rank(
            Embeddings(vectors, samples.ids, metric="cosine"),
            experiment_of(samples),
            check_orientation=False,
            threads=1,
        )
    embeddings = Embeddings(vectors, samples.ids, metric="cosine")
    outcomes = rank(
        embeddings, experiment_of(marked), threads=1
    )  # with the orientation check, which must not trip
    assert outcomes.n_gallery_failed == (where == 0)
    with pytest.raises(InputError, match="all zeros"):
        rank(embeddings, experiment_of(marked), on_failure="as_scored", check_orientation=False, threads=1)


def test_vectors_that_are_too_long_are_refused():
    samples = table_of()
    vectors = plain(np.random.default_rng(18)) * 1e200
    with pytest.raises(InputError, match="too long"):
        rank(Embeddings(vectors, samples.ids, metric="l2"), experiment_of(samples), check_orientation=False)


@pytest.mark.parametrize(
    "vectors",
    [
        np.array([[1.0, np.nan], [1, 1]]),
        np.array([[1.0, np.inf], [1, 1]]),
        np.zeros((2, 0)),
        np.zeros(2),
        np.zeros((2, 2, 2)),
        np.zeros((3, 2)),
        np.array([["a", "b"], ["c", "d"]]),
        np.zeros((2, 2), dtype=complex),
    ],
)
def test_what_is_no_table_of_finite_vectors_is_refused(vectors):
    with pytest.raises(ProbandError):
        Embeddings(vectors, ["a", "b"], metric="l2")


def test_progress_is_told_for_every_gallery_sample():
    class Listener:
        def __init__(self) -> None:
            self.total, self.done = 0, 0

        def begin(self, what: str, total: int) -> None:
            self.what, self.total = what, total

        def advance(self, steps: int) -> None:
            self.done += steps

    samples = table_of()
    experiment = experiment_of(samples)
    embeddings = Embeddings(plain(np.random.default_rng(19)), samples.ids, metric="inner", name="net")
    for scores in (embeddings, dense_twin(embeddings)):
        listener = Listener()
        rank(scores, experiment, check_orientation=False, threads=1, progress=listener)
        assert listener.done == listener.total > 0
        assert listener.what.startswith("ranking")


@pytest.mark.parametrize("scale", [1.0, 1e-36, 1e-25, 1e25, 3e36])
def test_lengths_at_the_ends_of_float32_rank_as_any(scale):
    rng = np.random.default_rng(7)
    vectors = (rng.standard_normal((60, 16)) * scale).astype(np.float32)
    vectors[30:] = vectors[:30]  # many ties
    vectors[45:, 0] *= np.float32(1.0000001)
    ids = [f"{side}{k}" for side in "gp" for k in range(30)]
    experiment = Experiment(Samples({"id": ids, "subject": [name[1:] for name in ids]}), gallery=ids[:30])
    embeddings = Embeddings(vectors, ids, metric="cosine")
    exact = embeddings.tile(np.arange(30, 60), np.arange(30))
    mates = np.diagonal(exact)[:, None]
    found = rank(embeddings, experiment)
    assert np.array_equal(found.closer, (exact > mates).sum(axis=1))
    assert np.array_equal(found.tied, (exact == mates).sum(axis=1) - 1)


@pytest.mark.parametrize("counting", ["images", "subjects"])
def test_ranks_do_not_depend_on_how_the_work_is_cut(monkeypatch, counting):
    rng = np.random.default_rng(8)
    people = np.repeat(np.arange(20), 4)
    vectors = (rng.integers(-2, 3, (20, 6))[people] + rng.integers(-1, 2, (80, 6))).astype(np.float32)
    vectors[:, 0] += 5  # none is zero
    ids = [f"i{k}" for k in range(80)]
    experiment = Experiment(
        Samples({"id": ids, "subject": [f"s{who}" for who in people]}), gallery=np.arange(80) % 4 < 3
    )
    embeddings = Embeddings(vectors, ids, metric="cosine")
    whole = rank(embeddings, experiment, counting=counting)
    for probes, gallery, block in ((1, 1, 1), (7, 2, 5), (64, 9, 60)):
        monkeypatch.setattr(ranks_module, "_PROBES_AT_ONCE", probes)
        monkeypatch.setattr(ranks_module, "_GALLERY_AT_ONCE", gallery)
        monkeypatch.setattr(ranks_module, "_GALLERY_A_BLOCK", block)
        found = rank(embeddings, experiment, counting=counting, threads=2)
        for name in ("closer", "tied", "best_mates"):
            assert np.array_equal(getattr(found, name), getattr(whole, name))


def test_vectors_in_memory_are_not_copied_and_never_written_to():
    vectors = np.ones((5, 3), np.float32)
    embeddings = Embeddings(vectors, list("abcde"), metric="cosine")
    run, scattered = embeddings.target_rows(np.arange(1, 4)), embeddings.target_rows(np.array([0, 2, 4]))
    assert np.shares_memory(run, vectors)
    assert not np.shares_memory(scattered, vectors)
    assert not run.flags.writeable
    assert not scattered.flags.writeable
    assert vectors.flags.writeable
