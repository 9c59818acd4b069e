"""Differences of AUC, FNMR at an FMR and EER: against loops, closed forms and what is certain."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import t

import proband as pb
from proband.errors import DesignError
from proband.inference import compare
from proband.inference.comparisons.testing.curves import Student
from proband.inference.verification.intervals.dyadic_auc import (
    PairCloseness,
    PairPeople,
    PlacedPairs,
    auc_difference,
)
from proband.inference.verification.intervals.dyadic_fnmr import (
    AlgorithmScores,
    ErrorsThere,
    fnmr_difference_at_fmr,
)
from proband.inference.verification.intervals.paired_people import Apart, even_people, multiplied
from proband.inference.verification.people.drawings import Genuine, Tail
from proband.inference.verification.people.meetings import Comparisons
from proband.measures import AUC, EER, FNMR
from proband.samples import Samples
from proband.scores import Scores

MEASURES = [AUC(), FNMR(0.05), EER(), AUC("person"), FNMR(0.05, "person"), EER("person")]


class Pairs:
    """All pairs of images of people, as two algorithms see them."""

    def __init__(self, seed: int, images: tuple[int, ...], worse: float = 0.0) -> None:
        rng = np.random.default_rng(seed)
        self.images = np.array(images)
        self.own = np.repeat(np.arange(len(images)), images)
        i, j = np.triu_indices(len(self.own), 1)
        same = self.own[i] == self.own[j]
        self.whose, self.i, self.j = self.own[i[same]], self.own[i[~same]], self.own[j[~same]]
        self.comparisons = Comparisons(self.images, self.images, symmetric=True)
        self.scores = []
        for less in (0.0, worse):
            ease = rng.normal(0, 0.5, len(images))
            genuine = 2.0 - less + ease[self.whose] + rng.normal(size=len(self.whose))
            impostor = (ease[self.i] + ease[self.j]) / 2 + rng.normal(size=len(self.i))
            self.scores.append(PairCloseness(genuine, impostor))

    @property
    def people(self) -> PairPeople:
        return PairPeople(self.whose, self.i, self.j)

    def errors(self, which: int, fmr: float) -> ErrorsThere:
        genuine, impostor = self.scores[which]
        tail = Tail.of(self.i, self.j, impostor, self.comparisons)
        return ErrorsThere.at_fmr(
            tail, Genuine.of(self.whose, genuine, self.comparisons), self.comparisons, fmr
        )


def matrices(values: dict[str, np.ndarray], own: np.ndarray) -> tuple[dict[str, Scores], Samples]:
    ids = [f"{place}" for place in range(len(own))]
    samples = Samples({"id": ids, "subject": [f"{person}" for person in own]})
    return {n: Scores.from_array(v, ids, orientation="similarity") for n, v in values.items()}, samples


@pytest.mark.parametrize("images", [(2,) * 9, (2, 3, 5, 2, 2, 4, 3)])
def test_areas_against_loops(images):
    study = Pairs(1, images)
    n, totals, by_two, values = len(images), np.zeros(len(images)), {}, []
    for sign, (genuine, impostor) in zip((1, -1), study.scores, strict=True):
        right = genuine[:, None] > impostor
        area = right.mean()
        values.append(area)
        for person, share in zip(study.whose, right.mean(axis=1), strict=True):
            totals[person] += sign * (share - area) / len(genuine)
        for a, b, share in zip(study.i, study.j, right.mean(axis=0), strict=True):
            added = sign * (share - area) / len(impostor)
            totals[a] += added
            totals[b] += added
            by_two[a, b] = by_two.get((a, b), 0.0) + added
    pairs = study.images * (study.images - 1) / 2
    shares = pairs / pairs.sum()
    scaled = totals * (1 - 1 / n) / (1 - shares)
    of_pairs = sum(one**2 for one in by_two.values())
    deviations = [(a[:, None] > b).mean(axis=1) for a, b in study.scores]
    alone = deviations[0] - deviations[1] - (values[0] - values[1])
    least = (alone**2).sum() / len(alone) ** 2 + of_pairs
    variance = max((scaled**2).sum() * n / (n - 1) - of_pairs, least)
    skewness = (scaled**3).sum() / (scaled**2).sum() ** 1.5
    found = auc_difference(*study.scores, study.people)
    assert found.value == pytest.approx(values[0] - values[1])
    assert found.standard_error == pytest.approx(np.sqrt(variance))
    assert found.degrees_of_freedom == pytest.approx(1 / (shares**2).sum() - 1)
    # The ratio of what is left to 1: everything of an algorithm is divided by that.
    a, b = 1 - values[0], 1 - values[1]
    placed = [PlacedPairs.of(one, study.people) for one in study.scores]
    scaled = (placed[0].totals / a - placed[1].totals / b) * (1 - 1 / n) / (1 - shares)
    of_pairs = ((placed[0].impostor / a - placed[1].impostor / b) ** 2).sum() / len(study.i) ** 2
    alone = (placed[0].genuine / a - placed[1].genuine / b) / len(study.whose)
    ratio = max((scaled**2).sum() * n / (n - 1) - of_pairs, (alone**2).sum() + of_pairs)
    inner = np.sqrt((variance + ((b - a) / np.log(b / a)) ** 2 * ratio) / 2)
    outer = np.sqrt(variance) * (1 + np.sqrt(variance) / max(a, b))

    def p_of(delta: float) -> float:
        """Student's t, and the same after Hall's transformation if that is nearer to zero, by a quarter at most."""
        apart = found.value - delta
        size = apart / (inner if apart * found.value > 0 else outer)
        hall = ((1 + skewness * size / 3) ** 3 - 1) / skewness + skewness / 6
        return 2 * t.sf(np.clip(abs(hall), 0.75 * abs(size), abs(size)), found.degrees_of_freedom)

    assert found.p_value == pytest.approx(p_of(0.0))
    for end in (found.low, found.high):
        assert abs(end) == 1.0 or p_of(end) == pytest.approx(0.05)


def test_errors_at_a_rate_against_loops():
    study, fmr = Pairs(2, (3,) * 12), 0.05
    genuine, impostor = (np.asarray(one) for one in study.scores[0])
    found = study.errors(0, fmr)
    m = len(impostor)
    down = np.sort(impostor)[::-1]
    threshold = down[int(fmr * m) - 1]  # the last that may match
    wrong, matched = genuine < threshold, impostor >= threshold
    # As in the loop above, but the threshold moves: FNMR between the two rates, over the distance of their logarithms.
    ends = int(fmr / 1.5 * m), int(np.ceil(fmr * 1.5 * m))
    fall = [(genuine <= down[end]).mean() for end in ends]
    slope = (fall[0] - fall[1]) / np.log((ends[1] + 0.5) / (ends[0] + 0.5)) / fmr
    totals = np.zeros(12)
    for person, error in zip(study.whose, wrong, strict=True):
        totals[person] += (error - wrong.mean()) / len(genuine)
    for a, b, error in zip(study.i, study.j, matched, strict=True):
        totals[[a, b]] += slope * (error - matched.mean()) / m
    assert found.value == wrong.mean()
    assert found.slope == pytest.approx(slope)
    np.testing.assert_allclose(found.totals, totals, atol=1e-12)
    crossing = ErrorsThere.at_crossing(
        Tail.of(study.i, study.j, impostor, study.comparisons),
        Genuine.of(study.whose, genuine, study.comparisons),
        study.comparisons,
        fmr,
    )
    np.testing.assert_allclose(crossing.totals, totals / (1 + slope), atol=1e-12)
    assert crossing.least == pytest.approx(fmr * (1 - fmr) / 4 / len(genuine))


def test_slope_moves_the_rate():
    """Where FMR is larger for other people by a little, FNMR at the target is larger by the slope times that."""
    rng = np.random.default_rng(3)
    everybody = Comparisons([1] * 600, [1] * 600, symmetric=True)
    i, j = np.triu_indices(600, 1)
    impostor = rng.normal(size=len(i))
    genuine = 2.3 + np.sort(rng.normal(size=600))
    tail = Tail.of(i, j, impostor, everybody)
    own = Genuine.of(np.arange(600), genuine, everybody)
    slope = ErrorsThere.at_fmr(tail, own, everybody, 0.01).slope
    # φ(t − 2.3)/φ(t) at t = Φ⁻¹(0.99) = 2.3263
    assert slope == pytest.approx(np.exp((2.3263**2 - 0.0263**2) / 2), rel=0.15)


def test_paired_rates():
    study = Pairs(5, (3,) * 60, worse=1.0)
    good, poor = (AlgorithmScores(study.i, study.j, b, a) for a, b in study.scores)
    found = fnmr_difference_at_fmr(good, poor, study.whose, study.comparisons, 0.05)
    assert found.low < found.value < found.high < 0
    assert found.p_value < 0.05
    assert found.supported
    same = fnmr_difference_at_fmr(good, good, study.whose, study.comparisons, 0.05)
    assert (same.value, same.p_value) == (0.0, 1.0)


@pytest.mark.parametrize("measure", MEASURES[:3], ids=lambda one: one.code)
def test_what_is_printed_is_what_is_tested(measure):
    """The rates of a difference are those of the estimates, at every door."""
    study = Pairs(7, (2, 3, 4) * 8)
    values = []
    for genuine, impostor in study.scores:
        matrix = np.zeros((len(study.own),) * 2)
        i, j = np.triu_indices(len(study.own), 1)
        same = study.own[i] == study.own[j]
        matrix[i[same], j[same]], matrix[i[~same], j[~same]] = genuine, impostor
        values.append(matrix + matrix.T)
    scores, samples = matrices(dict(zip("ab", values, strict=True)), study.own)
    found = compare(scores, samples, measure=measure)
    (pair,) = found.pairs
    assert pair.value == pytest.approx(found.estimates[0].value - found.estimates[1].value, abs=1e-12)
    drawn = compare(
        scores, samples, measure=measure, design=pb.designs.Bootstrap("subject", n_resamples=500)
    ).pairs[0]
    assert drawn.value == pytest.approx(pair.value, abs=1e-12)
    width = (pair.high - pair.low) / (drawn.high - drawn.low)
    assert 0.6 < width < 1.4  # the formula and drawings of people tell the same


@pytest.mark.parametrize("measure", MEASURES, ids=lambda one: f"{one.code}-{one.weights}")
def test_certainty(measure):
    """One algorithm makes no error and the other knows nothing: nothing varies, and nothing is surer."""
    own = np.repeat(np.arange(24), 2)
    right = (own[:, None] == own).astype(float)
    scores, samples = matrices({"right": right, "blind": np.full_like(right, 0.5)}, own)
    (pair,) = compare(scores, samples, measure=measure).pairs
    assert pair.verdict == "better"
    assert not pair.low <= 0 <= pair.high
    assert pair.p_value < 0.05
    (pair,) = compare({"right": scores["right"], "same": scores["right"]}, samples, measure=measure).pairs
    assert (pair.value, pair.p_value, pair.verdict) == (0.0, 1.0, "undecided")
    assert -0.5 < pair.low < 0 < pair.high < 0.5


@pytest.mark.parametrize("measure", MEASURES[1:2], ids=lambda one: one.code)
def test_thirty_algorithms(measure):
    rng = np.random.default_rng(0)
    own = np.repeat(np.arange(24), 2)
    places = rng.normal(size=(24, 8))[own]
    values = {}
    for k in range(30):
        seen = places + 0.1 * (1 + 2 * k) * rng.normal(size=places.shape)
        seen /= np.linalg.norm(seen, axis=1, keepdims=True)
        values[f"a{k:02d}"] = seen @ seen.T
    scores, samples = matrices(values, own)
    found = compare(scores, samples, measure=measure)
    last = next(one for one in found.pairs if (one.first, one.second) == ("a00", "a29"))
    assert last.verdict == "better"
    assert last.p_adjusted < 1e-4
    assert last.high - last.low < 0.8


def test_unanimous():
    assert Student(-1.0, 0.0, None, units=8).p_value == 2 * 0.5**8  # the sign test
    for difference in (-1.0, -0.4, 0.0, 0.3, 1.0):
        for units in (1, 3, 40):
            curve = Student(difference, 0.0, None, units=units)
            for alpha in (0.001, 0.05, 0.4):
                low, high = curve.interval(alpha)
                assert -1 <= low <= difference <= high <= 1
                assert (low > 0 or high < 0) == (curve.p_value <= alpha)
    # If a unit's mean is δ, it is d or more with a chance of at most (1 + δ)/(1 + d): ends are where that leaves α/2.
    low, _ = Student(0.5, 0.0, None, units=10).interval(0.05)
    assert ((1 + low) / 1.5) ** 10 == pytest.approx(0.025)


def test_apart():
    assert Apart(0.1, 0.0, 9.0, 10, np.zeros(0)).curve == Student(0.1, 0.0, None, units=10)
    assert Apart(1e-17, 1e-15, 9.0, 10, np.zeros(0)).curve == Student(0.0, 0.0, None, units=10)
    assert Apart(0.1, 0.02, 9.0, 10, np.zeros(0)).curve == Student(0.1, 0.02, 9.0, inner=0.02)
    assert even_people(np.array([1.0, 1.0, 2.0])) == pytest.approx(16 / 6)
    one, two = np.array([1.0, 0.5, -1.5]), np.array([-1.0, 2.0, -1.0])
    # Draws are shared: those of a sum are sums of draws, but for their signs.
    assert (multiplied(one + two, 3) <= multiplied(one, 3) + multiplied(two, 3) + 1e-12).all()
    assert np.array_equal(multiplied(one, 3), multiplied(-one, 3))
    assert np.sqrt(np.mean(multiplied(two, 3) ** 2)) == pytest.approx(np.sqrt(6), rel=0.05)


def test_other_comparisons():
    few, many = Pairs(1, (2,) * 6), Pairs(1, (3,) * 6)
    with pytest.raises(pb.errors.UsageError):
        PlacedPairs.of(few.scores[0], few.people).difference(PlacedPairs.of(many.scores[0], many.people))
    none = Genuine.of([], [], few.comparisons)
    with pytest.raises(DesignError):
        ErrorsThere.at_fmr(Tail.of([], [], [], few.comparisons), none, few.comparisons, 0.1)
