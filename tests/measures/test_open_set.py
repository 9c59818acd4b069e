from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from scipy.special import ndtr, ndtri

import proband as pb
from proband.errors import DesignError, UsageError
from proband.inference.verification.open_set import _FnirAnew, searches_with_intervals
from proband.inference.verification.people.drawings import subject_weights
from proband.measures.folds import fold_accuracy
from proband.measures.open_set import Searches, chance_by_gallery_size, search
from proband.scores.trials import Trials


def setting(seed: int, levels: int | None = None, orientation: str = "similarity"):
    """Twelve enrolled people with two gallery images each, six strangers; probes of all; scores full of ties if asked."""
    rng = np.random.default_rng(seed)
    gallery = [f"g{p}.{k}" for p in range(12) for k in range(2)]
    probes = [f"p{p}.{k}" for p in range(18) for k in range(3)]
    lost = rng.random(len(gallery) + len(probes)) < 0.1
    samples = pb.Samples(
        {
            "id": gallery + probes,
            "subject": [name[1:].split(".")[0] for name in gallery + probes],
            "lost": lost,
        },
        failed="lost",
    )
    values = rng.normal(0, 1, (len(probes), len(gallery)))
    for i, probe in enumerate(probes):
        for j, target in enumerate(gallery):
            values[i, j] += 2.0 * (probe[1:].split(".")[0] == target[1:].split(".")[0])
    if levels:
        values = np.rint(values * levels)
    if orientation == "distance":
        values = -values
    scores = pb.Scores.from_array(values, probes, gallery, orientation=orientation, name="net")
    return (
        scores,
        pb.Experiment(samples, gallery=gallery),
        values * (1 if orientation == "similarity" else -1),
    )


def naive(scores, experiment, values, fusion, threshold, rank):
    """Search by search, in plain loops."""
    samples = experiment.samples
    failed = dict(zip(samples.ids, samples.failed, strict=True))
    who = dict(zip(samples.ids, samples.frame["subject"], strict=True))
    targets, queries = list(scores.targets), list(scores.queries)
    people = sorted({who[t] for t in targets})
    false_positives = misses = mated = nonmated = 0
    for i, query in enumerate(queries):
        fused = {}
        for person in people:
            own = [values[i, j] for j, t in enumerate(targets) if who[t] == person and not failed[t]]
            if own and not failed[query]:
                fused[person] = max(own) if fusion == "max" else float(np.mean(own))
        if who[query] in people:
            mated += 1
            mate = fused.get(who[query])
            place = None if mate is None else sum(value >= mate for value in fused.values())
            misses += not (mate is not None and mate >= threshold and place <= rank)
        else:
            nonmated += 1
            false_positives += any(value >= threshold for value in fused.values())
    return false_positives, nonmated, misses, mated


@pytest.mark.parametrize("fusion", ["max", "mean"])
@pytest.mark.parametrize("levels", [None, 2])
@pytest.mark.parametrize("orientation", ["similarity", "distance"])
def test_searches_equal_plain_loops(fusion, levels, orientation):
    scores, experiment, values = setting(1, levels, orientation)
    found = search(scores, experiment, fusion=fusion)
    for threshold in (-1.0, 0.0, 1.0, 2.0):
        for rank in (1, 3):
            point = found.point(threshold, rank)
            got = (point.false_positives, point.n_nonmated, point.misses, point.n_mated)
            assert got == naive(scores, experiment, values, fusion, threshold, rank)
    curve = found.curve(rank=1)
    for row in curve.iter_rows(named=True):
        point = found.at_threshold(row["threshold"])
        assert (point.fpir, point.fnir) == pytest.approx((row["fpir"], row["fnir"]))


def test_at_fpir_is_the_laxest_threshold_that_does_not_pass_what_was_asked():
    scores, experiment, _ = setting(2)
    found = search(scores, experiment)
    every = np.unique(np.concatenate([found.mate, found.best]))
    for asked in (0.3, 0.1, 0.05, 0.001):
        point = found.at_fpir(asked)
        laxest = min(t for t in every if np.isfinite(t) and (found.best >= t).mean() <= asked)
        assert point == found.point(laxest, target_fpir=asked)
        assert point.fpir <= asked


def test_closed_universe_has_no_false_positives_to_count():
    scores, experiment, _ = setting(3)
    closed = experiment.restricted(probes=experiment.probes[experiment.mated])
    with pytest.raises(DesignError, match="every probe has a mate"):
        search(scores, closed)
    with pytest.raises(UsageError, match="fusion must be"):
        search(scores, experiment, fusion="median")


def test_gallery_size_is_the_mean_over_random_parts():
    rng = np.random.default_rng(0)
    closer = rng.integers(0, 9, 40)
    failed = rng.random(40) < 0.1
    exact = [np.where(failed, 0.0, chance_by_gallery_size(closer, 10, size)).mean() for size in (1, 4, 10)]
    assert exact[0] == pytest.approx((~failed).mean())
    assert exact[2] == pytest.approx(((closer == 0) & ~failed).mean())
    drawn = []
    for _ in range(4000):
        part = rng.permuted(np.tile(np.arange(9), (40, 1)), axis=1)[:, :3]  # three of the nine others
        drawn.append(((part >= closer[:, None]).all(axis=1) & ~failed).mean())
    assert exact[1] == pytest.approx(np.mean(drawn), abs=0.005)
    with pytest.raises(UsageError, match="1 to 10"):
        chance_by_gallery_size(closer, 10, 11)


def test_fold_accuracy_against_plain_loops():
    import polars as pl

    rng = np.random.default_rng(1)
    mated = rng.random(300) < 0.5
    score = np.round(rng.normal(0, 1, 300) + 1.5 * mated, 1)
    fold = np.arange(300) % 5
    frame = pl.DataFrame(
        {
            "query": [f"q{k}" for k in range(300)],
            "target": ["t"] * 300,
            "mated": mated,
            "score": score,
            "fold": fold,
        }
    )
    found = fold_accuracy(Trials(frame, "similarity"))
    for k in range(5):
        train = fold != k
        best = max(
            np.append(np.unique(score[train]), np.inf),
            key=lambda t: (((score[train] >= t) == mated[train]).sum(), -t),
        )
        assert found.accuracies[k] == pytest.approx(
            ((score[~train] >= best) == mated[~train]).mean(), abs=1e-12
        )
    assert "s.e. over 5 folds" in repr(found)
    with pytest.raises(DesignError, match="in no fold"):
        fold_accuracy(Trials(frame.drop("fold"), "similarity"))


def test_errors_by_gallery_size_are_means_over_random_parts():
    scores, experiment, _ = setting(5)
    found = search(scores, experiment, counted_at=[1.0])
    whole = found.by_gallery_size([12]).row(0, named=True)
    point = found.at_threshold(1.0)
    assert (whole["fpir"], whole["fnir"]) == pytest.approx((point.fpir, point.fnir))
    rng = np.random.default_rng(0)
    reach, n = found.reaching[:, 0], found.n_enrolled
    drawn = [[(rng.permutation(n)[:4] < c).any() for c in reach] for _ in range(3000)]
    part = found.by_gallery_size([4]).row(0, named=True)
    assert part["fpir"] == pytest.approx(np.mean(drawn), abs=0.01)
    assert part["fnir"] <= whole["fnir"]


@pytest.mark.parametrize("levels", [None, 2])
@pytest.mark.parametrize("rank", [1, 3])
def test_fnir_at_a_rate_in_drawings_of_people(rank, levels):
    """Against searches of people who are listed as often as they are drawn."""
    scores, experiment, _ = setting(3, levels)
    found = search(scores, experiment)
    measure = _FnirAnew.of(found, 0.2, rank)
    weights = subject_weights("vertex", measure.n_people, 60, 0, 0)
    people = np.unique(np.concatenate([found.nonmated_subjects, found.mated_subjects]))
    expected = []
    for row in weights:
        times = dict(zip(people, row, strict=True))
        mated = np.repeat(np.arange(len(found.mate)), [times[one] for one in found.mated_subjects])
        others = np.repeat(np.arange(len(found.best)), [times[one] for one in found.nonmated_subjects])
        if len(mated) and len(others):
            drawn = replace(
                found,
                mate=found.mate[mated],
                place=found.place[mated],
                mated_subjects=found.mated_subjects[mated],
                best=found.best[others],
                nonmated_subjects=found.nonmated_subjects[others],
            )
            expected.append(drawn.at_fpir(0.2, rank).fnir)
    assert measure(weights) == pytest.approx(np.array(expected))


def test_fnir_at_a_rate_is_less_certain_than_at_a_threshold():
    """The rate at a false positive rate moves with the threshold: with 30 strangers the fixed one covers about 80 in 100."""
    rng, held, fixed = np.random.default_rng(0), 0, 0
    truth = ndtr(ndtri(0.9) - 1.5)
    for _ in range(100):
        mate, best = rng.normal(1.5, 1, 400), rng.normal(0, 1, 30)
        people = np.arange(430, dtype=np.int32)
        found = Searches(
            "net", True, "max", 9, mate, np.ones(400, np.int64), best, people[:400], people[400:], ()
        )
        (one,) = searches_with_intervals(found, [0.1], [1], n_resamples=200).points
        held += one.fnir.low <= truth <= one.fnir.high
        fixed += one.fnir_at_threshold.low <= truth <= one.fnir_at_threshold.high
        assert one.fnir.high - one.fnir.low >= one.fnir_at_threshold.high - one.fnir_at_threshold.low - 1e-12
    assert held >= 90
    assert fixed < 80


def test_tables_of_algorithms_with_and_without_replicates_go_together():
    """No stranger is returned by a perfect algorithm, so that it has no interval with the threshold found anew."""
    people = np.arange(60, dtype=np.int32)
    frames = []
    for best in (np.zeros(30), np.linspace(0, 1, 30)):
        found = Searches("net", True, "max", 9, np.full(30, 0.5), np.ones(30, np.int64), best, people[:30], people[30:], ())  # fmt: skip
        frames.append(searches_with_intervals(found, [0.6], [1], n_resamples=100).to_frame())
    assert pl.concat(frames)["fnir_at_fpir_low"].null_count() == 1


def test_a_target_that_so_few_searches_cannot_show_is_cautioned_against():
    scores, experiment, _ = setting(2)
    found = search(scores, experiment)
    least = 1 / len(found.best)
    for asked, cautioned in ((least, False), (0.99 * least, True)):
        notes = searches_with_intervals(found, [0.5, asked], [1]).notes
        assert any(note.code == "search.target-beyond-data" for note in notes) == cautioned
