from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import proband as pb
from proband.errors import DesignError, InputError, UsageError
from proband.measures import verification as verification_module
from proband.measures.pairs.counts import count_pairs, count_trials
from proband.measures.pairs.pair_set import PairSet
from proband.measures.verification import ErrorRates
from proband.scores.trials import Trials


def made(seed: int, people=12, images=3, levels: int | None = None, orientation="similarity"):
    rng = np.random.default_rng(seed)
    ids = [f"s{p:02d}-{k}" for p in range(people) for k in range(images)]
    samples = pb.Samples({"id": ids, "subject": [name[:3] for name in ids]})
    values = rng.normal(0, 1, (len(ids), len(ids)))
    values = (values + values.T) / 2 + 1.5 * np.kron(np.eye(people), np.ones((images, images)))
    if levels:
        values = np.rint(values * levels)
    if orientation == "distance":
        values = -values
    return samples, pb.Scores.from_array(values, ids, orientation=orientation, name="net")


def split(samples, scores):
    """Genuine and impostor closeness of every unordered pair."""
    sign = 1 if scores.orientation == "similarity" else -1
    upper = np.triu_indices(len(samples), 1)
    values = sign * scores.values[upper]
    same = samples.codes[upper[0]] == samples.codes[upper[1]]
    return values[same], values[~same]


def rates_of(samples, scores) -> ErrorRates:
    return ErrorRates(scores.name, scores.larger_is_closer, count_pairs(scores, PairSet.of(scores, samples)))


CASES = [(0, None, "similarity"), (1, 2, "similarity"), (2, 1, "distance"), (3, 3, "distance")]


@pytest.mark.parametrize(("seed", "levels", "orientation"), CASES)
def test_every_point_equals_sorting_all_scores(seed, levels, orientation):
    samples, scores = made(seed, levels=levels, orientation=orientation)
    genuine, impostor = split(samples, scores)
    rates = rates_of(samples, scores)
    sign = 1 if orientation == "similarity" else -1
    for point in rates.points():
        threshold = np.inf if point.threshold is None else sign * point.threshold
        assert point.false_matches == int((impostor >= threshold).sum())
        assert point.false_non_matches == int((genuine < threshold).sum())
    assert (rates.counts.n_genuine, rates.counts.n_impostor) == (len(genuine), len(impostor))
    closer = (genuine[:, None] > impostor).mean() + 0.5 * (genuine[:, None] == impostor).mean()
    assert rates.auc() == pytest.approx(closer, rel=1e-12)


def laxest(genuine, impostor, fmr):
    """The lowest score of all whose FMR is within the one asked for; infinite where none is."""
    every = np.unique(np.r_[genuine, impostor])
    return min((t for t in every if (impostor >= t).mean() <= fmr), default=np.inf)


@pytest.mark.parametrize(("seed", "levels", "orientation"), CASES)
@pytest.mark.parametrize("fmr", [0.3, 0.1, 0.05, 0.01, 1e-3, 1e-9, 0])
def test_the_operating_point_is_the_laxest_threshold_within_the_rate(seed, levels, orientation, fmr):
    samples, scores = made(seed, levels=levels, orientation=orientation)
    genuine, impostor = split(samples, scores)
    sign = 1 if orientation == "similarity" else -1
    pairs = pl.DataFrame(
        {"score": sign * np.r_[genuine, impostor], "mated": np.r_[genuine * 0 + 1, impostor * 0]}
    )
    at = laxest(genuine, impostor, fmr)
    expected = (
        None if np.isinf(at) else sign * at,
        int((impostor >= at).sum()),
        int((genuine < at).sum()),
    )
    for found in (
        pb.verify(scores, samples, fmr=fmr, n_resamples=0),
        pb.verify(scores, samples, fmr=[0.2, fmr], n_resamples=100),
        pb.verify(pb.Trials(pairs, orientation), fmr=fmr),
    ):
        point = found.points[-1].counts
        assert (point.threshold, point.false_matches, point.false_non_matches) == expected
        assert found.points[-1].fmr.rests_on.events == point.false_matches
        assert found.rates.at_fmr(fmr) == point
    # As the k-th largest impostor score says it.
    k = int(np.floor(fmr * len(impostor)))
    assert point.fnmr == pytest.approx(float((genuine <= np.sort(impostor)[::-1][k]).mean()))
    assert pb.measures.FNMR(fmr)(scores, samples).value == point.fnmr


@pytest.mark.parametrize(("seed", "levels", "orientation"), CASES)
def test_counts_between_genuine_scores_are_known_or_refused(seed, levels, orientation):
    samples, scores = made(seed, levels=levels, orientation=orientation)
    genuine, impostor = split(samples, scores)
    rates, known = rates_of(samples, scores), 0
    for most in range(len(impostor)):
        try:
            point = rates.at_false_matches(most)
        except UsageError:
            continue
        at, known = laxest(genuine, impostor, most / len(impostor)), known + 1
        assert point.false_matches == int((impostor >= at).sum())
    assert 0 < known < len(impostor)
    with pytest.raises(UsageError, match="not counted at 593 false matches"):
        rates.at_false_matches(len(impostor) - 1)


@pytest.mark.parametrize(("seed", "levels", "orientation"), CASES)
def test_curve_has_the_corners_of_scikit_learn(seed, levels, orientation):
    metrics = pytest.importorskip("sklearn.metrics")
    samples, scores = made(seed, levels=levels, orientation=orientation)
    genuine, impostor = split(samples, scores)
    truth = np.r_[np.ones(len(genuine)), np.zeros(len(impostor))]
    fpr, tpr, _ = metrics.roc_curve(truth, np.r_[genuine, impostor], drop_intermediate=False)
    fmr, fnmr = rates_of(samples, scores).curve
    assert (np.diff(fmr) >= 0).all()
    assert (np.diff(fnmr) <= 0).all()
    # Every point of scikit-learn's lies on our steps.
    for x, y in zip(fpr, tpr, strict=True):
        assert any(abs(a - x) < 1e-12 and abs(1 - b - y) < 1e-12 for a, b in zip(fmr, fnmr, strict=True)) or (
            np.interp(x, fmr, 1 - fnmr) >= y - 1e-12
        )
    assert metrics.auc(fpr, tpr) == pytest.approx(rates_of(samples, scores).auc())


@pytest.mark.parametrize(("seed", "levels", "orientation"), CASES)
def test_equal_error_rates(seed, levels, orientation):
    samples, scores = made(seed, levels=levels, orientation=orientation)
    genuine, impostor = split(samples, scores)
    rates = rates_of(samples, scores)
    found = rates.eer()
    every = [*np.unique(np.r_[genuine, impostor]), np.inf]
    points = [(float((impostor >= t).mean()), float((genuine < t).mean())) for t in every]
    x, y = min(points, key=lambda point: abs(point[0] - point[1]))
    assert found.value == pytest.approx((x + y) / 2, abs=abs(x - y) + 1 / len(impostor))
    assert found.least <= rates.eer("midpoint").value <= found.greatest
    assert rates.eer("hull").value <= found.greatest + 1e-12
    with pytest.raises(UsageError, match="convention"):
        rates.eer("mean")


def test_costs():
    samples, scores = made(4)
    genuine, impostor = split(samples, scores)
    rates = rates_of(samples, scores)
    every = [*np.unique(np.r_[genuine, impostor]), np.inf]
    cost = min(0.01 * (genuine < t).mean() + 0.99 * (impostor >= t).mean() for t in every)
    assert rates.min_dcf() == pytest.approx(cost / 0.01)
    declared = ErrorRates("net", True, count_pairs(scores, PairSet.of(scores, samples), log_ratios=True))
    expected = 0.5 * (np.log2(1 + np.exp(-genuine)).mean() + np.log2(1 + np.exp(impostor)).mean())
    assert declared.cllr() == pytest.approx(expected)
    with pytest.raises(UsageError, match="log-likelihood"):
        rates.cllr()


def test_failures_are_left_out_of_fmr_and_counted_in_frr():
    samples, scores = made(5)
    frame = samples.frame.with_columns(lost=np.arange(36) % 9 == 0)
    marked = pb.Samples(frame, failed="lost")
    rates = pb.verify(scores, marked, fmr=0.1, n_resamples=0).rates
    kept = ~marked.failed
    upper = np.triu_indices(36, 1)
    same = samples.codes[upper[0]] == samples.codes[upper[1]]
    fine = kept[upper[0]] & kept[upper[1]]
    assert rates.counts.n_genuine == int((same & fine).sum())
    assert rates.counts.n_failed_genuine == int((same & ~fine).sum())
    point = rates.at_fmr(0.1)
    assert point.frr == pytest.approx((point.false_non_matches + rates.counts.n_failed_genuine) / same.sum())
    assert point.far == pytest.approx(point.false_matches / (~same).sum())


def test_bad_input_has_a_defined_end():
    samples, scores = made(6, people=1)
    with pytest.raises(DesignError, match="no impostor"):
        rates_of(samples, scores)
    samples, scores = made(6, people=5, images=1)
    with pytest.raises(DesignError, match="no genuine"):
        rates_of(samples, scores)
    samples, scores = made(6)
    flat = pb.Scores.from_array(np.ones((36, 36)), list(samples.ids), orientation="similarity", name="flat")
    rates = rates_of(samples, flat)
    assert (rates.auc(), rates.at_fmr(0.01).fnmr, rates.at_fmr(0.01).threshold) == (0.5, 1.0, None)
    with pytest.raises(UsageError, match="at least 0 and below 1"):
        rates.at_fmr(1)
    with pytest.raises(UsageError, match="not counted"):
        rates.at_threshold(0.123)


def test_verify_carries_intervals_and_marks():
    samples, scores = made(7, people=40)
    found = pb.verify(scores, samples, fmr=[0.1, 1e-6], thresholds=[0.5], naive=True, n_resamples=200)
    loose, strict, fixed = found.points
    assert loose.fmr.low < loose.fmr.value < loose.fmr.high
    assert loose.fnmr.low <= loose.fnmr.value <= loose.fnmr.high
    assert loose.fnmr_at_threshold.low <= loose.fnmr.value <= loose.fnmr_at_threshold.high
    assert [one.measure for one in (loose.fnmr, loose.fnmr_at_threshold, loose.fmr)] == [
        "fnmr@0.1",
        "fnmr",
        "fmr",
    ]
    assert not strict.fmr.supported
    assert strict.counts.false_matches == 0
    assert strict.no_false_matches is not None
    assert fixed.threshold == 0.5
    assert fixed.re_estimated is None
    assert fixed.fnmr is fixed.fnmr_at_threshold
    assert all(one.naive.method.key == "naive" for one in (loose.fmr, loose.fnmr_at_threshold))
    again = pb.verify(
        scores, samples, fmr=[0.1, 1e-6], thresholds=[0.5], naive=True, n_resamples=200, threads=2
    )
    assert again.to_dict() == found.to_dict()


def test_reversed_scores_are_refused():
    samples, scores = made(8, people=40)
    turned = pb.Scores.from_array(-scores.values, list(samples.ids), orientation="similarity", name="net")
    with pytest.raises(InputError, match="look worse"):
        pb.verify(turned, samples)
    assert pb.verify(turned, samples, check_orientation=False, n_resamples=0).rates.auc() < 0.5


def test_estimate_and_compare_by_fnmr():
    samples, good = made(9, people=40)
    rng = np.random.default_rng(1)
    noise = rng.normal(0, 1.0, good.shape)
    poor = pb.Scores.from_array(
        good.values + noise + noise.T, list(samples.ids), orientation="similarity", name="poor"
    )
    one = pb.estimate(good, samples, measure=pb.measures.FNMR(0.05))
    assert one.value == pb.verify(good, samples, fmr=[0.05], n_resamples=0).points[0].fnmr.value
    assert one.low <= one.value <= one.high
    found = pb.compare([good, poor], samples, measure=pb.measures.FNMR(0.05))
    (pair,) = found.pairs
    assert pair.verdict == "better"
    assert pair.value < 0
    assert [row.facts.algorithm for row in found.ordered] == ["net", "poor"]
    assert "FNMR at an FMR of 0.05" in found.to_markdown()
    with pytest.raises(DesignError, match="samples table"):
        pb.estimate(good, measure=pb.measures.FNMR(0.05))
    with pytest.raises(UsageError, match="needs an experiment"):
        pb.estimate(good, samples, measure=pb.measures.RecognitionRate(1))


def test_areas_are_estimated_and_compared_over_people():
    samples, good = made(10, people=30)
    rng = np.random.default_rng(2)
    noise = rng.normal(0, 1.0, good.shape)
    poor = pb.Scores.from_array(
        good.values + noise + noise.T, list(samples.ids), orientation="similarity", name="poor"
    )
    one = pb.estimate(good, samples, measure=pb.measures.AUC())
    assert one.value == pytest.approx(rates_of(samples, good).auc())
    assert one.low < one.value < one.high
    found = pb.compare([good, poor], samples, measure=pb.measures.AUC())
    (pair,) = found.pairs
    assert pair.verdict == "better"
    assert pair.value == pytest.approx(one.value - rates_of(samples, poor).auc())
    assert "over people" in str(pair.method)


def test_a_target_that_the_data_cannot_show_is_cautioned_against():
    samples, scores = made(7, people=40)
    genuine, impostor = split(samples, scores)
    pairs = pl.DataFrame({"score": np.r_[genuine, impostor], "mated": np.r_[genuine * 0 + 1, impostor * 0]})
    for data, within in ((scores, samples), (pb.Trials(pairs, "similarity"), None)):
        cautions = {
            fmr: [
                note
                for note in pb.verify(data, within, fmr=fmr, n_resamples=0).notes
                if "allows no" in str(note)
            ]
            for fmr in (2 / len(impostor), 1 / len(impostor), 0.99 / len(impostor), 1e-9)
        }
        assert [len(notes) for notes in cautions.values()] == [0, 0, 1, 1]
        assert cautions[1e-9][0].level == "caution"


@pytest.mark.parametrize("seed", range(6))
def test_the_crossing_is_that_of_the_whole_curve(seed):
    """Found by halving, it is where the first corner of the curve has FMR not below FNMR; thresholds make no corners."""
    rng = np.random.default_rng(seed)
    genuine, impostors = rng.integers(seed, 12 + seed, 40), rng.integers(-3, 9 + seed, 300)
    score, mated = np.concatenate([genuine, impostors]), np.arange(340) < 40
    trials = Trials(pl.DataFrame({"score": score, "mated": mated}), "similarity")
    for thresholds in ((), (0.5, 3.5, 3.25, 7.5, 30)):
        rates = ErrorRates("net", True, count_trials(trials, thresholds))
        fmr, fnmr = rates.curve
        after = int(np.argmax(fmr >= fnmr))
        assert rates._crossing() == tuple((fmr[k], fnmr[k]) for k in (max(after - 1, 0), after))


def test_an_area_of_more_pairs_than_a_float_counts(monkeypatch):
    rng = np.random.default_rng(7)
    score, mated = rng.integers(0, 30, 500), rng.random(500) < 0.2
    trials = Trials(pl.DataFrame({"score": score + 3 * mated, "mated": mated}), "similarity")
    rates = ErrorRates("net", True, count_trials(trials))
    in_whole_numbers = rates.auc()
    monkeypatch.setattr(verification_module, "_EXACT", 0)
    assert rates.auc() == in_whole_numbers


def test_fnmr_at_no_false_match_is_that_of_a_rate_that_allows_none() -> None:
    samples, scores = made(7, people=40)
    found = pb.verify(scores, samples, fmr=[0, 1e-9], n_resamples=200)
    zero, tiny = found.points
    genuine, impostor = split(samples, scores)
    assert zero.target_fmr == 0
    assert zero.counts.false_matches == 0
    assert zero.fnmr.value == (genuine <= impostor.max()).mean() == tiny.fnmr.value
    assert (zero.fnmr.low, zero.fnmr.high) == (tiny.fnmr.low, tiny.fnmr.high)
    assert zero.fnmr.measure == "fnmr@0"
    assert zero.re_estimated is None
    assert zero.fnmr.notes[0].code == "fnmr.at-no-false-match"
    # No false match is what was asked for, so that it is not beyond what the data can show.
    notes = pb.verify(scores, samples, fmr=0, n_resamples=200).notes
    assert "verification.target-beyond-data" not in [note.code for note in notes]
    alone = pb.estimate(scores, samples, measure="fnmr@0")
    assert (alone.value, alone.answers) == (zero.fnmr.value, zero.fnmr.answers)
    assert pb.estimate(scores, samples, measure="tar@0").value == 1 - zero.fnmr.value
