"""What few errors and few people do not show: it is borrowed, or supposed, and the same wherever it is asked for."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import proband as pb
from proband.inference.proportions import t_quantile, wilson_interval
from proband.inference.verification.intervals.dyadic_rates import false_match_rate, false_non_match_rate
from proband.inference.verification.measures.fnmr import compare_at_rates
from proband.inference.verification.people.drawings import Drawings
from proband.inference.verification.people.meetings import Comparisons
from proband.inference.verification.people.supposed import effect_of_sharing, worth_of_people


@pytest.mark.parametrize("sizes", [[1, 1, 1], [3, 3, 3, 3], [1, 2, 7, 0, 4]])
@pytest.mark.parametrize("people_alike", [False, True])
def test_worth_is_that_of_correlated_comparisons(sizes, people_alike):
    own = np.repeat(np.arange(len(sizes)), sizes)
    weights = 1 / np.bincount(own)[own] if people_alike else np.ones(len(own))
    weights = weights / weights.sum()
    correlation = np.where(own[:, None] == own, 0.25, 0.0)
    np.fill_diagonal(correlation, 1.0)
    assert worth_of_people(sizes, people_alike=people_alike) == pytest.approx(
        1 / (weights @ correlation @ weights)
    )


@pytest.mark.parametrize("images", [[1, 1, 1, 1], [2, 2, 2], [1, 3, 2, 4]])
def test_effect_is_that_of_comparisons_that_share_people(images):
    own = np.repeat(np.arange(len(images)), images)
    i, j = np.triu_indices(len(own), 1)
    i, j = (side[own[i] != own[j]] for side in (own[i], own[j]))
    people = [{a, b} for a, b in zip(i.tolist(), j.tolist(), strict=True)]
    shared = np.array([[len(one & other) for other in people] for one in people])
    correlation = np.choose(shared, [0.0, 0.005, 0.25])
    np.fill_diagonal(correlation, 1.0)
    found = effect_of_sharing(Comparisons(images, images, symmetric=True))
    assert found == pytest.approx(correlation.sum() / len(people))


def drawn(rng: np.random.Generator, people: int = 40, images: int = 4, noise: float = 0.8, name: str = "net"):
    """Cosines of images of people, and whose they are."""
    own = np.repeat(np.arange(people), images)
    faces = rng.normal(size=(people, 16))[own]
    faces = faces + noise * rng.exponential(size=people)[own, None] * rng.normal(size=faces.shape)
    faces /= np.linalg.norm(faces, axis=1, keepdims=True)
    ids = [f"i{place}" for place in range(len(own))]
    samples = pb.Samples({"id": ids, "subject": [str(person) for person in own]})
    return pb.Scores.from_array(faces @ faces.T, ids, orientation="similarity", name=name), samples, own


def test_design_effects_are_borrowed_from_thirty_errors():
    scores, samples, own = drawn(np.random.default_rng(0))
    values = np.asarray(scores.values)
    i, j = np.triu_indices(len(own), 1)
    score, same = values[i, j], own[i] == own[j]
    strict, lax = (pb.verify(scores, samples, thresholds=[t], fmr=0.01).points[1] for t in (2.0, -2.0))
    comparisons = Comparisons([4] * 40, [4] * 40, symmetric=True)
    matched = score >= np.sort(score[~same])[-30]
    matched &= ~same
    of_matches = false_match_rate(own[i[matched]], own[j[matched]], comparisons)
    assert of_matches.rests_on.events == 30
    n = of_matches.rests_on.n
    effect = n / of_matches.rests_on.n_effective
    assert strict.fmr.high == pytest.approx(1 - 0.025 ** (effect / n))
    assert strict.fmr.high < 0.1 * strict.no_false_matches.disjoint
    assert "rates.no-errors-borrowed" in {note.code for note in strict.fmr.notes}
    missed = score[same] <= np.sort(score[same])[29]
    of_misses = false_non_match_rate(own[i[same]], missed)
    assert lax.fnmr.high == pytest.approx(1 - 0.025 ** (1 / of_misses.rests_on.n_effective))
    assert strict.fnmr.low == pytest.approx(1 - lax.fnmr.high)


def test_no_false_match_borrows_from_thirty_closest_whatever_is_asked_for():
    """Where algorithms keep everybody apart, no threshold that is asked for holds an impostor: the thirty closest are looked up."""
    scores, samples, own = drawn(np.random.default_rng(0), noise=0.1)
    i, j = np.triu_indices(len(own), 1)
    score = np.asarray(scores.values)[i, j]
    assert score[own[i] == own[j]].min() > score[own[i] != own[j]].max()
    asked = pb.verify(scores, samples, fmr=(), thresholds=[0.99]).points[0].fmr
    drawn_anew = pb.verify(scores, samples, fmr=1e-9).points[0].fmr
    assert asked.rests_on.events == drawn_anew.rests_on.events == 0
    assert asked.high == drawn_anew.high


def decided(scores, samples, at: float, name: str):
    """What an algorithm accepts, which shows nothing of how close anything is."""
    values = (np.asarray(scores.values) >= at).astype(float)
    return pb.Scores.from_array(values, samples.ids, orientation="similarity", name=name)


def test_design_effects_are_borrowed_from_other_algorithms():
    rng = np.random.default_rng(5)
    scores, samples, own = drawn(rng)
    others = [drawn(rng, name=name)[0] for name in ("b", "c")]
    comparisons = Comparisons([4] * 40, [4] * 40, symmetric=True)
    tied = decided(scores, samples, 0.999, "tied")
    asked = {"fmr": (), "thresholds": [0.5]}
    supposed = effect_of_sharing(comparisons)
    shown = []
    i, j = np.triu_indices(len(own), 1)
    for one in others:
        score = np.where(own[i] == own[j], -np.inf, np.asarray(one.values)[i, j])
        matched = score >= np.sort(score)[-30]
        found = false_match_rate(own[i[matched]], own[j[matched]], comparisons)
        effect = found.rests_on.n / found.rests_on.n_effective
        shown.append((found.degrees_of_freedom, (effect - 1) / (supposed - 1)))
    carriers, times = np.array(shown).T
    mean = (carriers.max() * np.average(times, weights=carriers) + 3) / (carriers.max() + 3)
    alone, beside = (pb.verify(one, samples, **asked)["tied"].points[0] for one in ([tied], [tied, *others]))
    n = alone.fmr.rests_on.n
    assert alone.fmr.high == pytest.approx(1 - 0.025 ** (supposed / n))
    assert beside.fmr.high == pytest.approx(1 - 0.025 ** ((1 + mean * (supposed - 1)) / n))
    assert "rates.no-errors-borrowed" in {note.code for note in beside.fmr.notes}
    # Those that show it themselves stay as they are, and whatever order they come in.
    assert pb.verify([*others, tied], samples, **asked)["tied"].points[0].fmr.high == beside.fmr.high
    for one in others:
        mine = [pb.verify(data, samples, **asked)[one.name] for data in ([one], [tied, *others])]
        assert mine[0].points[0].fmr.to_dict() == mine[1].points[0].fmr.to_dict()


def test_misses_are_borrowed_by_verify_and_compare_alike():
    rng = np.random.default_rng(8)
    scores, samples, _ = drawn(rng)
    own = np.array(samples.frame["subject"])
    best = np.where(own[:, None] == own, 3.0, np.asarray(scores.values))
    perfect = pb.Scores.from_array(best, samples.ids, orientation="similarity", name="perfect")
    both = [perfect, drawn(rng, name="other")[0]]
    alone, beside = (pb.verify(one, samples, fmr=0.01)["perfect"].points[0] for one in ([perfect], both))
    assert (alone.fnmr.rests_on.events, alone.fmr.rests_on.events) == (0, beside.fmr.rests_on.events)
    assert beside.fnmr.high > alone.fnmr.high  # misses of the other come together
    for found in (
        pb.compare(both, samples, measure=pb.measures.FNMR(0.01)).estimates[0],
        pb.estimate(both, samples, measure=pb.measures.FNMR(0.01))["perfect"],
    ):
        assert (found.low, found.high) == (beside.fnmr.low, beside.fnmr.high)
    assert pb.estimate(perfect, samples, measure=pb.measures.FNMR(0.01)).high == alone.fnmr.high


def test_one_error_becomes_none_beside_others():
    """Borrowed or not, none is at most three times as wide as one."""
    rng = np.random.default_rng(6)
    scores, samples, own = drawn(rng)
    other = drawn(rng, name="other")[0]
    highest = np.sort(np.triu(np.where(own[:, None] == own, -1.0, np.asarray(scores.values)), 1), axis=None)
    widths = []
    for at in (2.0, highest[-1]):
        both = [decided(scores, samples, at, "tied"), other]
        found = pb.verify(both, samples, fmr=(), thresholds=[0.5])["tied"].points[0].fmr
        widths.append(found.high - found.low)
    assert widths[0] < 3 * widths[1]


def test_groups_borrow_from_their_own_thirty_and_from_each_other():
    rng = np.random.default_rng(7)
    scores, samples, own = drawn(rng)
    # A few people in a group of their own: too few genuine pairs to show thirty misses of.
    frame = samples.frame.with_columns(pl.Series("group", np.where(own < 8, "few", "most")))
    (found,) = pb.verify(scores, pb.Samples(frame), fmr=(), thresholds=[-2.0], by="group").groups
    few, most = found.groups
    assert (few.fnmr.rests_on.events, most.fnmr.rests_on.events) == (0, 0)
    assert "rates.no-errors-borrowed" in {note.code for note in few.fnmr.notes}
    (found,) = pb.verify(scores, pb.Samples(frame), fmr=(), thresholds=[2.0], by="group").groups
    for group in found.groups:
        assert group.fmr.rests_on.events == 0
        assert "rates.no-errors-borrowed" in {note.code for note in group.fmr.notes}


def test_one_interval_of_fnmr_at_a_false_match_rate_at_every_door():
    rng = np.random.default_rng(1)
    scores, samples, _ = drawn(rng, 30, 3)
    other, _, _ = drawn(rng, 30, 3, 0.9, "other")
    both = {"net": scores, "other": other}
    rates = (0.02, 0.001)
    at_once = compare_at_rates(
        [pb.measures.FNMR(rate) for rate in rates], both, samples, [(None, "none")] * 2, 0.95, Drawings(0)
    )
    verified = pb.verify(both, samples, fmr=rates)
    for place, rate in enumerate(rates):
        compared = pb.compare(both, samples, measure=pb.measures.FNMR(rate))
        for name, data in both.items():
            point = verified[name].points[place]
            ends = point.fnmr.low, point.fnmr.high
            found = [pb.estimate(data, samples, measure=pb.measures.FNMR(rate))]
            for comparison in (compared, at_once[place]):
                found += [one for one in comparison.estimates if one.facts.algorithm == name]
            assert [(one.low, one.high) for one in found] == [ends] * 3


def named_pairs(rng: np.random.Generator, mated: list[tuple[int, int]], own: np.ndarray, values: np.ndarray):
    """A list that names images: these mated pairs, and some others."""
    i, j = np.triu_indices(len(own), 1)
    others = np.flatnonzero((own[i] != own[j]) & (rng.random(len(i)) < 0.2))
    first = [*(a for a, _ in mated), *i[others]]
    second = [*(b for _, b in mated), *j[others]]
    frame = pl.DataFrame(
        {
            "query": [f"i{place}" for place in first],
            "target": [f"i{place}" for place in second],
            "mated": [place < len(mated) for place in range(len(first))],
            "score": values[first, second],
        }
    )
    return pb.Trials(frame, "similarity")


def test_pairs_that_may_be_of_one_person_have_wider_intervals():
    rng = np.random.default_rng(2)
    scores, samples, own = drawn(rng, 30, 4)
    values = np.asarray(scores.values)
    apart = [(4 * person + place, 4 * person + place + 1) for person in range(30) for place in (0, 2)]
    trials = named_pairs(rng, apart, own, values)
    found = pb.verify(trials, fmr=0.05)
    assert "verification.people-doubtful" in {note.code for note in found.notes if note.level == "caution"}
    known = pb.verify(trials, samples, fmr=0.05)
    assert "verification.people-doubtful" not in {note.code for note in known.notes}
    # As with a person for each mated pair, but for variances that are three times as large.
    (point,) = found.points
    missed = np.array([values[one] < point.threshold for one in apart])
    plain = false_non_match_rate(np.arange(60), missed)
    t = t_quantile(0.95, plain.degrees_of_freedom)
    ends = wilson_interval(plain.value, plain.rests_on.n_effective / 3, t)
    held = point.fnmr_at_threshold
    assert (held.low, held.high) == pytest.approx(tuple(ends))
    low, high = point.re_estimated
    assert low <= ends.low < ends.high <= high
    for interval, exact in (
        (found.auc, known.auc),
        (found.eer, known.eer),
    ):
        assert interval.high - interval.low > exact.high - exact.low
    estimated = pb.estimate(trials, measure=pb.measures.AUC())
    assert (estimated.low, estimated.high) == (found.auc.low, found.auc.high)


def test_pairs_that_are_joined_tell_who_is_who():
    rng = np.random.default_rng(3)
    scores, samples, own = drawn(rng, 30, 3)
    i, j = np.triu_indices(len(own), 1)
    mated = [(a, b) for a, b in zip(i.tolist(), j.tolist(), strict=True) if own[a] == own[b]]
    trials = named_pairs(rng, mated, own, np.asarray(scores.values))
    found, known = pb.verify(trials, fmr=0.05), pb.verify(trials, samples, fmr=0.05)
    assert found.points[0].fnmr.to_dict() == known.points[0].fnmr.to_dict()
    assert found.auc.low == pytest.approx(known.auc.low)


@pytest.mark.parametrize("measure", ["auc", "fnmr@0.05"])
def test_differences_of_pairs_that_may_be_of_one_person_are_wider(measure):
    rng = np.random.default_rng(4)
    scores, _, own = drawn(rng, 30, 4)
    values = np.asarray(scores.values)
    apart = [(4 * person + place, 4 * person + place + 1) for person in range(30) for place in (0, 2)]
    i, j = np.triu_indices(len(own), 1)
    others = np.flatnonzero((own[i] != own[j]) & (rng.random(len(i)) < 0.2))
    first, second = (np.array([*(pair[k] for pair in apart), *side[others]]) for k, side in enumerate((i, j)))
    mated = np.arange(len(first)) < len(apart)
    two = {"a": values[first, second], "b": values[first, second] + rng.normal(0, 0.5, len(first))}
    named = [f"i{place}" for place in first], [f"i{place}" for place in second]
    # A person for each mated pair, as the names have it, stated instead of inferred.
    made = {place: k for k, pair in enumerate(apart) for place in pair}
    people = [made[place] for place in first], [made[place] for place in second]
    stated, inferred = (
        pb.compare(pb.scored_pairs(mated, two, orientation="similarity", **known), measure=measure).pairs[0]
        for known in ({"people": people}, {"samples": named})
    )
    assert inferred.value == pytest.approx(stated.value)
    assert inferred.high - inferred.value == pytest.approx(
        np.sqrt(3) * (stated.high - stated.value), rel=1e-6
    )
