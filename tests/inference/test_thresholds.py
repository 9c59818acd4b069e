"""Thresholds with a confidence for new people: against the bound at one threshold, by exhaustive search, and by simulation."""

from __future__ import annotations

from math import log

import numpy as np
import polars as pl
import pytest
from scipy.special import expit, logit
from scipy.stats import norm, t

from proband import Experiment, Samples, Scores, Trials, threshold, verify
from proband.errors import DesignError, UsageError
from proband.inference.verification.intervals.dyadic_rates import false_match_rate
from proband.inference.verification.people.meetings import Comparisons, Meetings
from proband.inference.verification.people.partial_meetings import ListedComparisons
from proband.inference.verification.thresholds.bound_path import BoundPath


def _world(
    seed: int, people: int = 60, images: int = 2, lift: float = 2.0, distance: bool = False
) -> tuple[Scores, Samples]:
    rng = np.random.default_rng(seed)
    who = np.repeat(np.arange(people), images)
    ids = [f"p{k:03d}" for k in range(len(who))]
    lambs = 0.4 * rng.exponential(size=people)
    noise = rng.normal(size=(len(who), len(who)))
    values = (noise + noise.T) / np.sqrt(2) + lambs[who][:, None] + lambs[who][None, :]
    values = np.round(values + lift * np.equal.outer(who, who), 2)  # with ties
    samples = Samples({"id": ids, "subject": [f"s{k}" for k in who]})
    kind = "distance" if distance else "similarity"
    return Scores.from_array(-values if distance else values, ids, orientation=kind, name="net"), samples


MET: list[Meetings] = [
    Comparisons([1] * 12, [1] * 12, symmetric=True),
    Comparisons([1, 2, 3, 1, 2, 1, 1, 4], [1, 2, 3, 1, 2, 1, 1, 4], symmetric=True),
    Comparisons([1, 2, 0, 3, 1, 0], [2, 1, 3, 1, 0, 2]),
]


def _listed(met: Meetings) -> tuple[np.ndarray, np.ndarray]:
    """Every impostor comparison: between whom."""
    i, j = np.triu_indices(met.n_subjects, 1)
    return tuple(np.repeat(side, met.n_between(i, j)) for side in (i, j))  # type: ignore[return-value]


def _bound(first: np.ndarray, second: np.ndarray, met: Meetings, confidence: float) -> float:
    """The bound at one threshold, from matrices of people."""
    k = met.n_subjects
    i, j = np.triu_indices(k, 1)
    between = np.zeros((k, k))
    between[i, j] = between[j, i] = met.n_between(i, j)
    errors = np.zeros((k, k))
    np.add.at(errors, (first, second), 1)
    errors += errors.T
    meet, people = (between > 0).astype(float), int((between.sum(1) > 0).sum())
    shares = np.divide(errors, between, out=np.zeros((k, k)), where=between > 0)
    factor = people * (people - 1) / ((people - 2) * (people - 3))
    found = []
    for counted, possible, mutual in ((errors, between, False), (shares, meet, True)):
        n = possible.sum() / 2
        p = counted.sum() / 2 / n
        rest = counted - p * possible
        e, own = rest.sum(1), (rest**2).sum() / 2
        squares = e @ e
        variance = max(factor * (squares - own), own, p * (1 - p) / met.n_impostor * n**2) / n**2
        freedom = np.clip(squares**2 / (e**4).sum() / 2, 2, people - 1)
        value = t.ppf(confidence, freedom)
        if mutual:
            w = 1 / between[first, second]
            alone = np.sqrt(variance / 2) / p * w.sum() * (w**3).sum() / (w**2).sum() ** 2
            among = (e @ counted @ e + 2 * (e**3).sum() / (people - 1)) / squares**1.5
            value += 6 * (norm.ppf(confidence) ** 2 + 1) * max(among - alone, 0)
        if not mutual or len(first) >= 10:
            found.append(expit(logit(p) + value * np.sqrt(variance) / (p * (1 - p))))
    return float(max(found))


@pytest.mark.parametrize("met", [*MET, ListedComparisons.of(*_listed(MET[1]), 8)])
@pytest.mark.parametrize("confidence", [0.9, 0.95])
def test_the_bound_at_every_threshold_is_that_of_matrices(met: Meetings, confidence: float) -> None:
    rng = np.random.default_rng(3)
    first, second = _listed(met)
    chance = rng.random(len(first)) * np.where(np.maximum(first, second) < met.n_subjects // 2, 0.5, 1.0)
    kept = np.argsort(chance)[: len(first) // 2]  # the first people are taken for each other
    first, second = first[kept], second[kept]
    closeness = np.round(rng.normal(size=len(kept)), 1)
    path = BoundPath.of(second, first, closeness, met, confidence)
    expected = []
    for at, errors, rate in zip(path.closeness, path.errors, path.rate, strict=True):
        accepted = closeness >= at
        found = false_match_rate(first[accepted], second[accepted], met)
        assert (found.rests_on.events, round(found.value, 12)) == (errors, round(rate, 12))
        expected.append(_bound(first[accepted], second[accepted], met, confidence))
    np.testing.assert_allclose(path.bound, np.maximum.accumulate(expected), rtol=1e-9)


def test_people_who_are_taken_for_each_other_have_a_larger_bound() -> None:
    """Fifteen false matches of six people among themselves, and as many of people in a ring, each with two."""
    met = Comparisons([1] * 60, [1] * 60, symmetric=True)
    ring, clique = np.arange(15), np.triu_indices(6, 1)
    falling = -np.arange(15.0)
    spread = BoundPath.of(ring, (ring + 1) % 15, falling, met, 0.95)
    mutual = BoundPath.of(*clique, falling, met, 0.95)
    assert spread.bound[-1] < 0.5 * mutual.bound[-1]
    for path, (first, second) in ((spread, (ring, (ring + 1) % 15)), (mutual, clique)):
        each = [_bound(first[:n], second[:n], met, 0.95) for n in range(1, 16)]
        np.testing.assert_allclose(path.bound, np.maximum.accumulate(each), rtol=1e-9)


def test_every_two_people_weigh_the_same_in_the_other_rate() -> None:
    met = MET[1]
    first, second = _listed(met)
    path = BoundPath.of(first, second, -np.arange(len(first)) / 1.0, met, 0.95)
    between = met.n_between(first, second)
    assert path.by_pair[-1] == pytest.approx(1.0)
    np.testing.assert_allclose(path.by_pair, np.cumsum(1 / between) / met.n_pairs)


@pytest.mark.parametrize("distance", [False, True])
@pytest.mark.parametrize("fmr", [0.05, 0.02])
def test_it_is_the_laxest_threshold_that_the_bound_allows(fmr: float, distance: bool) -> None:
    scores, samples = _world(5, distance=distance)
    found = threshold(scores, samples, fmr=fmr, confidence_level=0.9)
    # All of it again, one threshold after another.
    people = np.unique(samples.frame["subject"].to_numpy(), return_inverse=True)[1]
    i, j = np.triu_indices(len(people), 1)
    close = (-1 if distance else 1) * scores.values[i, j]
    mated = people[i] == people[j]
    met = Comparisons([2] * 60, [2] * 60, symmetric=True)

    def bound(at: float) -> float:
        hit = ~mated & (close >= at)
        return _bound(people[i[hit]], people[j[hit]], met, 0.9) if hit.any() else 0.0

    best = np.inf
    for at in np.unique(close)[::-1]:
        if bound(at) > fmr:
            break
        best = at
    assert found.sure is not None
    assert found.sure.threshold == (-best if distance else best)
    assert found.bound is not None
    assert found.plain.fmr.value <= fmr
    assert found.sure.fnmr.value >= found.plain.fnmr.value
    assert found.sure.fnmr.value == np.mean(close[mated] < best)


def test_the_distribution_free_grade_is_the_bound_of_hoeffding() -> None:
    scores, _ = _world(2, people=300, images=1, lift=0.0)
    twice = Scores.from_array(
        np.block(
            [
                [scores.values, scores.values + 3 * np.eye(300)],
                [scores.values + 3 * np.eye(300), scores.values],
            ]
        ),
        [f"{k}-{image}" for image in "ab" for k in range(300)],
        orientation="similarity",
        name="net",
    )
    table = Samples({"id": list(twice.queries), "subject": [name[:-2] for name in twice.queries]})
    found = threshold(twice, table, fmr=0.05, confidence_level=0.9)
    free = found.distribution_free
    assert free is not None
    p, f = free.fmr.value, 0.05
    apart = p * log(p / f) + (1 - p) * log((1 - p) / (1 - f))
    assert 150 * apart >= log(10)
    assert found.sure is not None
    assert found.sure.counts.false_matches >= free.counts.false_matches


def test_a_list_that_says_whose_it_is_gives_the_same() -> None:
    scores, samples = _world(7, people=30)
    values, ids, who = scores.values, list(scores.queries), samples.frame["subject"].to_list()
    i, j = np.triu_indices(len(ids), 1)
    columns = {
        "query": [ids[k] for k in i],
        "target": [ids[k] for k in j],
        "query_subject": [who[k] for k in i],
        "target_subject": [who[k] for k in j],
        "score": values[i, j],
    }
    trials = Trials(pl.DataFrame(columns), "similarity", "net")
    matrix, listed = (threshold(one, table, fmr=0.05) for one, table in ((scores, samples), (trials, None)))
    assert matrix.to_frame().equals(listed.to_frame())
    nameless = Trials(pl.DataFrame({"score": [0.9, 0.1, 0.2], "mated": [True, False, False]}), "similarity")
    with pytest.raises(DesignError, match="no subject IDs"):
        threshold(nameless, fmr=0.05)
    with pytest.raises(UsageError, match="cannot be used within an experiment"):
        threshold(trials, Experiment(samples, gallery=ids[:10]))


def test_what_so_few_cannot_say_is_refused_with_how_many_could() -> None:
    scores, samples = _world(1)
    with pytest.raises(DesignError, match="are too few") as refused:
        threshold(scores, samples, fmr=1e-4)
    assert "59,912 for any" in str(refused.value.hint)
    # The number that it names is enough, where nobody stands out.
    both = threshold(scores, samples, fmr=(1e-4, 0.05))
    plain = both[0.05]
    (refusal, needed, _), people = both[1e-4].sentences(), plain.n_subjects
    assert refusal.level == "caution"
    assert needed["people"] > people
    one = Comparisons([2] * needed["people"], [2] * needed["people"], symmetric=True)
    path = BoundPath.of(np.array([0]), np.array([1]), np.array([1.0]), one, 0.95)
    assert path.bound[0] <= 1e-4 * 1.02


def test_several_algorithms_and_rates_make_one_table() -> None:
    scores, samples = _world(4)
    found = threshold({"a": scores, "b": scores}, samples, fmr=(0.05, 0.02))
    assert [(one.algorithm, one.target_fmr) for one in found.members()] == [
        ("a", 0.05),
        ("a", 0.02),
        ("b", 0.05),
        ("b", 0.02),
    ]
    frame = found.to_frame()
    assert frame.height == 12
    assert frame["target_fmr"].to_list() == [0.05] * 3 + [0.02] * 3 + [0.05] * 3 + [0.02] * 3
    assert frame["grade"].to_list()[:3] == ["plain", "sure", "distribution-free"]
    with pytest.raises(UsageError, match="have different names"):
        threshold([scores, scores], samples)
    with pytest.raises(UsageError, match="above 0 and below 1"):
        threshold(scores, samples, fmr=1.5)


def test_two_people_can_say_nothing() -> None:
    scores, samples = _world(4, people=3)
    with pytest.raises(DesignError, match="are too few"):
        threshold(scores, samples, fmr=0.3)


def test_new_people_are_within_the_rate_where_the_plain_threshold_is_not() -> None:
    """A quick look; the long one is in tests/statistical."""
    from tests.statistical.deployed_thresholds import POPULATIONS, kept, zipf

    for name, images in (("normal", [1] * 80), ("two classes", [1] * 80), ("lambs", zipf(40))):
        plain, sure, refused = kept(POPULATIONS[name], images, fmr=0.02, sets=100, seed=1)
        assert 0.3 < plain < 0.75, name
        assert sure > 0.9, name
        assert refused == 0, name


def test_impostors_below_every_genuine_score_tell_how_sure_it_is() -> None:
    """Nobody is taken for another at any genuine score, and 200 people are far fewer than no error at all would need."""
    scores, samples = _world(9, people=200, images=2, lift=20.0)
    found = threshold(scores, samples, fmr=0.01)
    assert found.sure is not None
    assert 0 < found.sure.counts.false_matches < found.plain.counts.false_matches
    assert found.plain.fmr.value <= 0.01 < found.plain.fmr.value + 0.001
    assert found.bound is not None
    assert found.bound <= 0.01
    assert found.distribution_free is None


def _refusal(people: int, pairs: int, hits: int, seed: int = 0) -> str:
    """Why a list of random impostor pairs, the closest all of one person, gives no threshold for an FMR of 0.001."""
    rng = np.random.default_rng(seed)
    first, second = rng.integers(0, people, (2, pairs))
    second = np.where(first == second, (first + 1) % people, second)
    first[:hits], second[:hits] = 0, 1 + np.arange(hits)
    score = np.r_[
        np.full(people, 9.0),
        np.repeat([5.1, 5.0], [hits // 3, hits - hits // 3]),
        rng.normal(size=pairs - hits),
    ]
    own = np.arange(people)
    names = [np.r_[own, side].astype(str) for side in (first, second)]
    frame = pl.DataFrame({"query_subject": names[0], "target_subject": names[1], "score": score})
    with pytest.raises(DesignError) as refused:
        threshold(Trials(frame, "similarity"), fmr=0.001)
    return str(refused.value)


def test_what_is_too_few_is_named() -> None:
    few_pairs, few_people = _refusal(2000, 3000, 0), _refusal(20, 190, 0)
    assert "there are enough people" in few_pairs
    assert "only 3,000" in few_pairs
    assert "people are needed" not in few_pairs
    assert int(few_people.split("at least about ")[1].split(" people")[0].replace(",", "")) > 20
    assert "a few people account for most false matches" in _refusal(400, 60_000, 90)


def test_tied_scores_are_named_as_the_cause():
    ids = [f"{person}-{image}" for person in range(30) for image in range(2)]
    samples = Samples({"id": ids, "subject": [name.split("-")[0] for name in ids]})
    equal = Scores.from_array(np.ones((60, 60)), ids, orientation="similarity", name="flat")
    with pytest.raises(DesignError, match="closest impostor scores are tied"):
        threshold(equal, samples, fmr=0.1, check_orientation=False)
    found = verify(equal, samples, fmr=0.1, check_orientation=False)
    assert "verification.closest-tied" in [note.code for note in found.notes]


def test_bound_path_allowed_freely_by_example() -> None:
    path = BoundPath(np.zeros(1), np.array([1]), np.array([1e-5]), np.ones(1), np.array([1e-5]))
    assert (path.allowed_freely(0.01, 200, 0.95), path.allowed_freely(0.01, 400, 0.95)) == (None, 1)
