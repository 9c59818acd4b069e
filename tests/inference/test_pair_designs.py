"""AUC, FNMR at an FMR and EER under every design: against comparisons listed one by one and weighed by hand."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from scipy.stats import t

import proband as pb
from proband.designs import BRR, Bootstrap, Clustered, Fay, Jackknife, RaoWu
from proband.errors import DesignError, UsageError
from proband.inference import compare, estimate
from proband.inference.procedures import Question
from proband.inference.verification.intervals.answers import answers_of_verification
from proband.inference.verification.measures.pair_questions import (
    compared_data,
    pairs_within,
    unknown_people,
)
from proband.inference.verification.measures.replicated import people_varied
from proband.kernels.subject_bootstrap import add_weighted
from proband.measures import AUC, EER, FNMR, measure_named
from proband.samples import Experiment, Samples
from proband.scores import Scores
from proband.scores.trials import Trials
from proband.words import Target

MEASURES = [AUC(), FNMR(0.1), FNMR(0.02), EER()]


class Listed:
    """A small score matrix with ties, and its comparisons listed: both images, both people, and the score."""

    def __init__(self, seed: int, apart: bool, images: tuple[int, ...] = (3, 4, 3, 5, 3, 3)) -> None:
        rng = np.random.default_rng(seed)
        self.people = np.repeat(np.arange(len(images)), images)
        self.ids = [f"{k}" for k in range(len(self.people))]
        first = np.searchsorted(self.people, np.arange(len(images)))
        ease = rng.normal(0, 0.7, len(images))
        values = rng.normal(size=(len(self.people),) * 2) + ease[self.people][:, None] + ease[self.people]
        values = (values + values.T) / 2 + 2.0 * (self.people[:, None] == self.people)
        self.values = values.round(1)
        self.samples = Samples({"id": self.ids, "subject": [f"p{k}" for k in self.people]})
        self.targets = first if apart else np.arange(len(self.people))
        self.queries = np.setdiff1d(np.arange(len(self.people)), first) if apart else self.targets
        gallery = [self.ids[k] for k in first]
        self.within = Experiment(self.samples, gallery=gallery) if apart else self.samples
        names = [self.ids[k] for k in self.queries], [self.ids[k] for k in self.targets]
        given = self.values[np.ix_(self.queries, self.targets)]
        self.scores = Scores.from_array(given, *(names if apart else names[:1]), orientation="similarity")
        self.pairs = (
            [(q, t) for q in self.queries for t in self.targets]
            if apart
            else list(combinations(self.queries, 2))
        )

    def rates(self, weight) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Genuine and impostor scores with what each weighs, `weight` being a function of two images."""
        scores = np.array([self.values[a, b] for a, b in self.pairs])
        weights = np.array([weight(a, b) for a, b in self.pairs], dtype=float)
        same = np.array([self.people[a] == self.people[b] for a, b in self.pairs])
        return scores[same], weights[same], scores[~same], weights[~same]


def by_hand(measure, genuine, u, impostor, v) -> float:
    """A measure of weighted scores, by its definition."""
    if isinstance(measure, AUC):
        right = (genuine[:, None] > impostor) + 0.5 * (genuine[:, None] == impostor)
        return float(u @ right @ v / (u.sum() * v.sum()))
    genuine, u = genuine[u > 0], u[u > 0]
    thresholds = [np.inf, *np.repeat(np.unique(genuine)[::-1], 2), -np.inf]
    above = [False, *[True, False] * len(np.unique(genuine)), False]
    points = []
    for at, strict in zip(thresholds, above, strict=True):
        taken, got = (impostor > at, genuine > at) if strict else (impostor >= at, genuine >= at)
        points.append((v[taken].sum() / v.sum(), u[~got].sum() / u.sum()))
    if isinstance(measure, FNMR):
        at = [
            p
            for p, strict in zip(points, above, strict=True)
            if not strict and p[0] <= measure.at_fmr + 1e-12
        ]
        return float(min(fnmr for _, fnmr in at))
    after = next(k for k, (fmr, fnmr) in enumerate(points) if fmr >= fnmr - 1e-12)
    before = after - 1
    if abs(points[before][1] - points[after][1]) < 1e-12:
        return points[after][1]
    return float(
        np.mean(
            min((points[before], points[after]), key=lambda p: (abs(p[0] - p[1]), p is not points[after]))
        )
    )


@pytest.mark.parametrize("measure", MEASURES, ids=lambda one: one.code)
@pytest.mark.parametrize("apart", [False, True])
@pytest.mark.parametrize("seed", [0, 1])
def test_people_drawn(measure, apart, seed):
    """A comparison of two people weighs the product of theirs, a genuine one what its person does."""
    study = Listed(seed, apart)
    design = Bootstrap(n_resamples=100)
    found = estimate(study.scores, study.within, measure=measure, design=design, seed=seed)
    (drawn,) = design.weights(6, seed)
    expected, people = [], study.people
    for w in drawn:
        listed = study.rates(
            lambda a, b, w=w: w[people[a]] if people[a] == people[b] else w[people[a]] * w[people[b]]
        )
        if listed[1].sum() and listed[3].sum():
            expected.append(by_hand(measure, *listed))
    np.testing.assert_allclose(found.replicates, expected, atol=1e-12)
    assert found.value == pytest.approx(by_hand(measure, *study.rates(lambda a, b: 1.0)))
    assert found.value == measure(study.scores, study.within).value
    np.testing.assert_allclose((found.low, found.high), np.quantile(expected, [0.025, 0.975]), atol=1e-12)


@pytest.mark.parametrize("measure", MEASURES, ids=lambda one: one.code)
@pytest.mark.parametrize("design", [BRR(), Fay(), RaoWu(n_resamples=40), BRR(centre="mean")], ids=str)
def test_query_images_drawn(measure, design):
    """With the gallery apart a comparison weighs what its query image does."""
    study = Listed(2, True)
    found = estimate(study.scores, study.within, measure=measure, design=design)
    weights, scales = factors(design, study)
    place = {int(q): k for k, q in enumerate(study.queries)}
    values = np.array([by_hand(measure, *study.rates(lambda a, b, w=w: w[place[int(a)]])) for w in weights])
    middle = values.mean() if design.centre == "mean" else found.value
    np.testing.assert_allclose(found.replicates, values, atol=1e-12)
    assert found.standard_error == pytest.approx(np.sqrt(scales @ (values - middle) ** 2))
    assert found.answers.varying.key == "queries-of-these-people"
    free = len(study.queries) - 6
    if isinstance(design, RaoWu):
        free = 1 / (1 / free + 1 / 39)  # 40 replicates drawn by chance
    assert found.degrees_of_freedom == pytest.approx(free)


def factors(design, study):
    from proband.designs.strata import Strata

    plan = design.replicates(Strata.of(study.people[study.queries]), 0)
    rows = [row for part in plan.parts for block in part.blocks(len(study.queries)) for row in block]
    return rows, np.concatenate([part.scale for part in plan.parts])


@pytest.mark.parametrize("kind", ["JKn", "JK1"])
def test_jackknife(kind):
    """JK1 leaves out a person, JKn an image whose person's other images take up its weight."""
    study, design = Listed(3, False), Jackknife(kind=kind)
    found = estimate(study.scores, study.within, measure=AUC(), design=design)
    people, variance = study.people, 0.0
    if kind == "JK1":
        for out in range(6):
            value = by_hand(AUC(), *study.rates(lambda a, b, out=out: out not in (people[a], people[b])))
            variance += 5 / 6 * (value - found.value) ** 2
    else:
        sizes = np.bincount(people)
        for out in range(len(people)):
            n = sizes[people[out]]
            w = np.where(people == people[out], n / (n - 1), 1.0)
            w[out] = 0.0
            value = by_hand(AUC(), *study.rates(lambda a, b, w=w: w[a] * w[b]))
            variance += (n - 1) / n * (value - found.value) ** 2
    assert found.standard_error == pytest.approx(np.sqrt(variance))
    keys = {"JKn": "images-compared-of-these-people", "JK1": "people-compared"}
    assert found.answers.varying.key == keys[kind]


def test_textbook_variance():
    """With impostors below all genuine scores but one image's, the area is a mean over query images: BRR has the textbook error."""
    images = (3,) * 7
    study = Listed(4, True, images)
    missed = np.array([0, 2, 5, 6])  # queries whose genuine score is below all impostors
    values = np.where(study.people[study.queries][:, None] == study.people[study.targets], 5.0, 0.0)
    values[missed] -= 6.0 * (values[missed] == 5.0)
    scores = Scores.from_array(
        values,
        [study.ids[k] for k in study.queries],
        [study.ids[k] for k in study.targets],
        orientation="similarity",
    )
    found = estimate(scores, study.within, measure=AUC(), design=BRR())
    right = np.ones(14)
    right[missed] = 0.0
    spread = right.reshape(7, 2).var(axis=1, ddof=1)
    assert found.value == pytest.approx(right.mean())
    assert found.standard_error == pytest.approx(np.sqrt((spread / 2).sum()) / 7)


@pytest.mark.parametrize("measure", MEASURES[1:], ids=lambda one: one.code)
def test_differences_in_the_same_drawings(measure):
    first, second = Listed(5, False), Listed(6, False)
    design, scores = Bootstrap(n_resamples=200), {"a": first.scores, "b": second.scores}
    found = compare(scores, first.samples, measure=measure, design=design)
    each = [
        estimate(one, first.samples, measure=measure, design=design).replicates for one in scores.values()
    ]
    apart = each[0] - each[1]
    (pair,) = found.pairs
    sizes = np.array([k * (k - 1) / 2 for k in np.bincount(first.people)])
    people = sizes.sum() ** 2 / (sizes**2).sum()
    error = apart.std() * np.sqrt(people / (people - 1))
    assert pair.p_value == pytest.approx(2 * t.sf(abs(pair.value) / error, people - 1))
    assert pair.value == pytest.approx(found.estimates[0].value - found.estimates[1].value)


def test_differences_under_a_jackknife():
    first, second = Listed(5, False), Listed(6, False)
    for design in (Jackknife(interval="t"), Jackknife(kind="JK1", interval="t")):
        found = compare({"a": first.scores, "b": second.scores}, first.samples, measure=AUC(), design=design)
        each = [
            estimate(one, first.samples, measure=AUC(), design=design)
            for one in (first.scores, second.scores)
        ]
        n = np.bincount(first.people)[first.people] if design.kind == "JKn" else np.full(6, 6)
        apart = each[0].replicates - each[1].replicates - (each[0].value - each[1].value)
        error = np.sqrt(((n - 1) / n) @ apart**2)
        reach = t.ppf(0.975, len(first.people) - 6 if design.kind == "JKn" else 5) * error
        (pair,) = found.pairs
        assert (pair.low, pair.high) == pytest.approx((pair.value - reach, pair.value + reach))


@pytest.mark.parametrize("design", [BRR(), Fay(), RaoWu()], ids=str)
def test_no_genuine_pairs_in_half_samples(design):
    """With the same images on both axes a half-sample has no genuine comparison, so nothing is said."""
    study = Listed(0, False)
    with pytest.raises(DesignError, match="same images are queries and targets"):
        estimate(study.scores, study.samples, measure=AUC(), design=design)


def test_refused():
    study, few = Listed(0, False), Listed(0, False, (2, 3, 3, 3))
    asked = [
        (AUC(), Clustered(), "does not apply to measures of compared pairs"),
        (AUC(), Bootstrap("probe"), "cannot be resampled individually"),
        (FNMR(0.1), Jackknife(kind="JK1"), "depends on a threshold"),
        (EER(), Jackknife(), "depends on a threshold"),
    ]
    for measure, design, match in asked:
        with pytest.raises(DesignError, match=match):
            estimate(study.scores, study.samples, measure=measure, design=design)
    with pytest.raises(DesignError, match="1 of 4 people has fewer than three images"):
        estimate(few.scores, few.samples, measure=AUC(), design=Jackknife())
    with pytest.raises(UsageError, match="weight comparisons equally"):
        estimate(study.scores, study.samples, measure=AUC(), design=Jackknife(weights="equal"))
    for measure in MEASURES:
        with pytest.raises(UsageError, match="finite population"):
            estimate(study.scores, study.samples, measure=measure, population=100)


def test_eer_by_itself():
    study = Listed(1, False)
    found = estimate(study.scores, study.samples, measure=measure_named("eer"))
    whole = pb.verify(study.scores, study.samples, fmr=0.1, n_resamples=0)
    assert (found.value, found.low, found.high) == (
        whole.rates.eer().value, whole.eer.low, whole.eer.high
    )  # fmt: skip
    assert not EER().larger_is_better


def test_the_kernel_adds_what_numpy_does():
    rng = np.random.default_rng(0)
    weights, bins = rng.random((6, 200)), np.sort(rng.integers(0, 4, 50))
    first, second, shares = rng.integers(0, 6, 50), rng.integers(0, 6, 50), rng.random(50)
    order = np.lexsort((first, bins))
    first, bins = first[order], bins[order]
    totals, expected = np.zeros((4, 200)), np.zeros((4, 200))
    add_weighted(weights, first, second, shares, bins, totals)
    np.add.at(expected, bins, shares[:, None] * weights[first] * weights[second])
    np.testing.assert_allclose(totals, expected)


@pytest.mark.parametrize("measure", MEASURES, ids=lambda one: one.code)
@pytest.mark.parametrize("apart", [False, True])
def test_people_weigh_the_same(measure, apart):
    """A person's genuine comparisons share one weight, and so do those of two people, whoever they are drawn with."""
    study = Listed(8, apart)
    people = study.people
    times = Counter(tuple(sorted((people[a], people[b]))) for a, b in study.pairs)

    def share(a, b):
        return 1 / times[tuple(sorted((people[a], people[b])))]

    person, design = replace(measure, weights="person"), Bootstrap(n_resamples=100)
    expected = by_hand(measure, *study.rates(share))
    assert person(study.scores, study.within).value == pytest.approx(expected)
    for found in (
        estimate(study.scores, study.within, measure=person),
        estimate(study.scores, study.within, measure=person, design=design),
    ):
        assert found.value == pytest.approx(expected)
        assert found.low < found.value < found.high
        assert found.answers.of.key == f"by-person-of-{measure.estimand.key}"
    (drawn,) = design.weights(6, 0)
    w = drawn[0]
    listed = study.rates(
        lambda a, b: share(a, b) * (w[people[a]] if people[a] == people[b] else w[people[a]] * w[people[b]])
    )
    assert found.replicates[0] == pytest.approx(by_hand(measure, *listed))
    plain = estimate(study.scores, study.within, measure=measure)
    assert plain.by_person.value == pytest.approx(expected)
    assert person.code == f"{measure.code}-by-person"


def test_as_many_images_need_no_second_value():
    study = Listed(8, False, (3,) * 6)
    assert estimate(study.scores, study.samples, measure=AUC()).by_person is None
    alike = estimate(study.scores, study.samples, measure=AUC("person"))
    assert alike.value == pytest.approx(AUC()(study.scores, study.samples).value)
    with pytest.raises(UsageError, match="comparisons are weighted equally"):
        estimate(study.scores, study.samples, measure=AUC("person"), design=Jackknife())


def test_differences_of_people_weighing_the_same():
    first, second = Listed(5, False), Listed(6, False)
    scores = {"a": first.scores, "b": second.scores}
    for measure in (AUC("person"), FNMR(0.1, "person"), EER("person")):
        (pair,) = compare(scores, first.samples, measure=measure).pairs
        each = [measure(one, first.samples).value for one in scores.values()]
        assert pair.value == pytest.approx(each[0] - each[1])
        assert (pair.p_value <= 0.05) == (not pair.low <= 0 <= pair.high)


def test_pairs_within_by_example() -> None:
    samples = Samples({"id": ["a1", "a2", "b1"], "subject": ["a", "a", "b"]})
    scores = Scores.from_array(np.eye(3), samples.ids, orientation="similarity")
    assert pairs_within(Question.of(FNMR(0.1), [scores], samples, "auto", 0.95, 0)) is samples


def test_compared_data_by_example() -> None:
    trials = Trials(pl.DataFrame({"score": [0.9, 0.1], "mated": [1, 0]}), "similarity")
    assert (
        repr(compared_data(Question.of(AUC(), [trials], None, "auto", 0.95, 0)))
        == "((Trials('trials': 2 comparisons, 1 mated, 0 failed),), None)"
    )


def test_unknown_people_by_example() -> None:
    assert (
        str(unknown_people(Trials(pl.DataFrame({"score": [0.9], "mated": [1]}), "similarity", "net")).message)
        == "net: the list has no subject IDs, so nothing can be concluded about new people."
    )


def test_answers_of_verification_by_example() -> None:
    assert answers_of_verification(Target("auc", "an area")).varying.key == "people-and-threshold"


def test_people_varied_by_example() -> None:
    assert (people_varied(AUC()).key, people_varied(EER()).key) == ("people-compared", "people-and-threshold")
