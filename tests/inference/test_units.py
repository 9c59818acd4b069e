"""People as units within strata: against R's survey package, the textbook and every replicate there is; and what six units do."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import t

import proband as pb
from proband.designs import BRR, CollapsedStrata, Enumeration, Fay, Jackknife, RaoWu
from proband.designs.strata import Strata
from proband.errors import DesignError, UsageError
from proband.inference import compare, estimate, estimate_cmc, estimate_weighted
from proband.measures import AUC, EER, FNMR, MedianCensoredRank, Outcomes, RecognitionRate
from proband.samples import Experiment, Samples
from proband.scores import Scores

R = json.loads((Path(__file__).parent / "r" / "units.json").read_text(encoding="utf-8"))
SHARES = {"a": 0.4, "b": 0.3, "c": 0.2, "d": 0.1}
SHARED = "strata.units-share-people"


def outcomes_in(site, person, success, name: str = "net", within: Experiment | None = None) -> Outcomes:
    """Probes of people at sites that succeed or do not."""
    people = list(dict.fromkeys(person))
    where = dict(zip(person, site, strict=True))
    if within is None:
        ids = [f"g{k}" for k in range(len(people))] + [f"p{k}" for k in range(len(person))]
        sites = [where[p] for p in people] + list(site)
        within = Experiment(
            Samples({"id": ids, "subject": [*people, *person], "site": sites}), gallery=ids[: len(people)]
        )
    n = len(person)
    return Outcomes(
        algorithm=name, experiment=within, probes=within.probes.copy(), closer=1 - np.asarray(success, dtype=np.int64),
        tied=np.zeros(n, dtype=np.int64), best_mates=np.ones(n, dtype=np.int64), failed=np.zeros(n, dtype=bool),
        ties="pessimistic", counting="images", on_failure="miss", n_ranks=2, n_unmated=0, n_gallery_failed=0,
    )  # fmt: skip


@pytest.fixture(scope="module")
def unequal() -> tuple[Outcomes, Outcomes]:
    frame = R["frame"]
    first = outcomes_in(frame["site"], frame["person"], frame["y"], "first")
    return first, outcomes_in(frame["site"], frame["person"], frame["other"], "second", first.experiment)


def error_of(pair, freedom: float) -> float:
    """The standard error that Student's interval of a difference comes of."""
    return (pair.high - pair.low) / (2 * t.ppf(0.975, freedom))


@pytest.mark.parametrize(("weights", "kind"), [("units", "one"), (SHARES, "w")])
@pytest.mark.parametrize(("key", "design"), [("brr", BRR), ("fay", Fay), ("jkn", Jackknife)])
def test_people_within_sites_against_r(unequal, key, design, weights, kind):
    more = {"rho": 0.3} if key == "fay" else {}
    made = design(strata="site", units="subject", weights=weights, interval="t", **more)
    found = estimate(unequal[0], measure=RecognitionRate(1), design=made)
    assert (found.value, found.standard_error) == pytest.approx((R[kind]["value"], R[kind][key]), rel=1e-10)
    assert found.degrees_of_freedom == R[kind]["df"]
    assert found.answers.varying.key == "people-within-strata"
    reach = t.ppf(0.975, 4) * R[kind][key]
    assert found.high == pytest.approx(R[kind]["value"] + reach)
    assert SHARED not in {note.code for note in found.notes}
    for one in (made, replace(made, degrees_of_freedom="cochran")):
        found = estimate(unequal[0], measure=RecognitionRate(1), design=one)
        band = estimate_cmc(unequal[0], design=one)
        assert band.high[0] == pytest.approx(min(1.0, found.high))
    (pair,) = compare(unequal, measure=RecognitionRate(1), design=made).pairs
    if key != "fay":
        assert error_of(pair, 4) == pytest.approx(R[kind][f"{key}_difference"], rel=1e-10)


def test_images_as_units_are_another_question_and_say_so(unequal):
    found = estimate(unequal[0], measure=RecognitionRate(1), design=Jackknife(strata="site"))
    assert found.standard_error == pytest.approx(R["one"]["jkn_images"], rel=1e-10)
    (note,) = (note for note in found.notes if note.code == SHARED)
    assert note.level == "caution"
    assert "7 of 8 people" in str(note)
    assert SHARED in {note.code for note in estimate_cmc(unequal[0], design=Jackknife(strata="site")).notes}
    compared = compare(unequal, measure=RecognitionRate(1), design=Jackknife(strata="site"))
    assert SHARED in {note.code for note in compared.notes}
    for design in (BRR(), Jackknife(), Jackknife(kind="JK1", units="subject")):
        assert SHARED not in {note.code for note in design_notes(unequal[0], design)}


def design_notes(outcomes, design):
    try:
        return estimate(outcomes, measure=RecognitionRate(1), design=design).notes
    except DesignError:  # one person has one probe
        return ()


@pytest.mark.parametrize("design", [BRR, Fay, Jackknife, Enumeration])
def test_as_many_probes_of_each_person_have_the_textbook_variance(design):
    frame = R["even_frame"]
    outcomes = outcomes_in(frame["site"], frame["person"], frame["y"])
    found = estimate(outcomes, measure=RecognitionRate(1), design=design(strata="site", units="subject"))
    assert found.standard_error == pytest.approx(R["even"]["brr"], rel=1e-10)
    means = np.reshape(frame["y"], (4, 2, 3)).mean(axis=2)
    assert found.standard_error == pytest.approx(np.sqrt((means.var(axis=1, ddof=1) / 2).sum()) / 4)
    band = estimate_cmc(outcomes, design=design(strata="site", units="subject"))
    assert band.low[0] == pytest.approx(max(0.0, found.low))


def test_every_half_sample_one_by_one(unequal):
    """A ratio over all 2⁴ ways to take one person of each site."""
    frame = R["frame"]
    y, person = np.array(frame["y"]), np.array(frame["person"])
    ways = list(product(*[(f"p{2 * h}", f"p{2 * h + 1}") for h in range(4)]))
    values = np.array([y[np.isin(person, way)].mean() for way in ways])
    found = estimate(
        unequal[0], measure=RecognitionRate(1), design=Enumeration(strata="site", units="subject")
    )
    assert sorted(found.replicates) == pytest.approx(sorted(values))
    assert found.standard_error == pytest.approx(np.sqrt(((values - y.mean()) ** 2).mean()))
    median = estimate(unequal[0], measure=MedianCensoredRank(5), design=Enumeration("site", units="subject"))
    ranks = [np.median(2 - y[np.isin(person, way)]) for way in ways]
    assert sorted(median.replicates) == pytest.approx(sorted(ranks))


def test_the_delete_one_jackknife_leaves_out_people(unequal):
    frame = R["frame"]
    y, person = np.array(frame["y"]), np.array(frame["person"])
    values = np.array([y[person != f"p{k}"].mean() for k in range(8)])
    found = estimate(unequal[0], measure=RecognitionRate(1), design=Jackknife(kind="JK1", units="subject"))
    assert found.standard_error == pytest.approx(np.sqrt(7 / 8 * ((values - y.mean()) ** 2).sum()))
    assert (found.degrees_of_freedom, found.answers.varying.key) == (7, "people")


def test_rao_wu_and_collapsed_strata_take_people():
    rng = np.random.default_rng(1)
    person = np.repeat(np.arange(24), 3)
    success = rng.random(72) < rng.beta(2, 2, 24)[person]
    six = outcomes_in([f"s{p // 6}" for p in person], [f"p{p}" for p in person], success)
    means = success.reshape(4, 6, 3).mean(axis=2)
    textbook = np.sqrt((means.var(axis=1, ddof=1) / 6).sum()) / 4
    drawn = estimate(six, measure=RecognitionRate(1), design=RaoWu("site", units="subject", n_resamples=4000))
    assert drawn.standard_error == pytest.approx(textbook, rel=0.06)
    assert drawn.degrees_of_freedom == pytest.approx(1 / (1 / 20 + 1 / 3999))
    single = outcomes_in([f"s{p}" for p in person], [f"p{p}" for p in person], success)
    put = estimate(single, measure=RecognitionRate(1), design=CollapsedStrata("site", units="subject"))
    pairs = success.reshape(12, 2, 3).mean(axis=2)
    assert put.standard_error == pytest.approx(np.sqrt((np.diff(pairs)[:, 0] ** 2).sum()) / 24)


def test_refused(unequal):
    with pytest.raises(UsageError, match="both the strata and the units"):
        BRR(units="subject")
    with pytest.raises(UsageError, match="no column 'place'"):
        estimate(unequal[0], measure=RecognitionRate(1), design=BRR("site", units="place"))
    frame = R["frame"]
    crossing = outcomes_in(["a", "b"] * 10 + ["a"], frame["person"], frame["y"])
    with pytest.raises(DesignError, match="people are in several strata of site"):
        estimate(crossing, measure=RecognitionRate(1), design=Jackknife("site", units="subject"))


@pytest.mark.parametrize("size", [6, 10, 12, 15, 22])
def test_units_that_no_array_takes(size):
    """Six units: exactly the textbook's variance for whatever is linear, weights that are never negative, and every replicate evaluated."""
    rng = np.random.default_rng(size)
    strata = Strata.of(np.repeat(np.arange(5), size))
    y = rng.exponential(size=5 * size)
    for design in (BRR(), Fay(rho=0.3)):
        plan = design.replicates(strata)
        factors = np.concatenate([block for part in plan.parts for block in part.blocks(5 * size)])
        assert factors.min() > -1e-12
        assert factors.mean(axis=0) == pytest.approx(np.ones(5 * size))
        values = factors @ (strata.unit_weights * y)
        for centre in ("estimate", "mean"):
            found = plan.variance(values, float(strata.mean(y)), centre)
            assert found == pytest.approx(float(strata.textbook_variance(y)[0]), rel=1e-10)
        assert "strata.halved" in {note.code for note in plan.notes}
    groups = np.repeat(np.arange(5), size)
    found = estimate_weighted(lambda w: (w @ y) / w.sum(), groups, design=BRR())
    expected = np.sqrt(np.mean(y.reshape(5, size).var(axis=1, ddof=1)) / (5 * size))
    assert found.standard_error == pytest.approx(expected)


def test_six_units_beside_others_and_some_of_their_replicates(unequal):
    rng = np.random.default_rng(0)
    sizes = [6, 6, 2, 3, 6]
    labels = np.repeat(np.arange(5), sizes)
    y = rng.random(23)
    strata = Strata.of(labels)
    plan = BRR().replicates(strata)
    values = np.concatenate(
        [block @ (strata.unit_weights * y) for part in plan.parts for block in part.blocks(23)]
    )
    assert plan.variance(values, float(y.mean()), "estimate") == pytest.approx(
        float(strata.textbook_variance(y)[0])
    )
    # Every way to draw two of all replicates of six units: on average the variance of all.
    six = Strata.of([1] * 6)
    whole = BRR().replicates(six).parts[0]
    squares = (whole.factors(0, whole.n_replicates) @ (y[:6] / 6) - y[:6].mean()) ** 2 * whole.scale[0]
    drawn = [squares[list(two)].sum() * len(squares) / 2 for two in combinations(range(len(squares)), 2)]
    assert np.mean(drawn) == pytest.approx(float(six.textbook_variance(y[:6])[0]))


def test_some_replicates_cost_degrees_of_freedom(unequal):
    person = np.repeat(np.arange(40), 2)
    outcomes = outcomes_in(["x"] * 80, [f"p{p}" for p in person], np.random.default_rng(0).random(80) < 0.6)
    found = [
        estimate(outcomes, measure=RecognitionRate(1), design=BRR(sample=8), seed=seed) for seed in (1, 2)
    ]
    for one in found:
        assert one.degrees_of_freedom == pytest.approx(1 / (1 / 40 + 1 / 7))
        assert any("degrees of freedom" in str(note) for note in one.notes)
    assert not np.array_equal(found[0].replicates, found[1].replicates)
    whole = estimate(outcomes, measure=RecognitionRate(1), design=BRR())
    assert whole.degrees_of_freedom == 40
    (pair,) = compare(
        [outcomes, replace(outcomes, algorithm="b", closer=1 - outcomes.closer)],
        measure=RecognitionRate(1),
        design=BRR(sample=8),
    ).pairs
    assert "5.9" in str(pair.method)
    unbalanced = np.array([[0] * 40, [1] * 40, [0] * 40, [0] * 40])
    for measure in (RecognitionRate(1), MedianCensoredRank(5)):
        with pytest.raises(DesignError, match="not balanced"):
            estimate(outcomes, measure=measure, design=BRR(array=unbalanced))
    study = Compared(0)
    for measure in (AUC(), EER(), FNMR(0.1)):
        with pytest.raises(DesignError, match="not balanced"):
            estimate(
                study.scores,
                study.samples,
                measure=measure,
                design=BRR("site", units="subject", array=unbalanced[:, :4]),
            )
    median = estimate(outcomes, measure=MedianCensoredRank(5), design=BRR(sample=8))
    assert median.degrees_of_freedom == pytest.approx(1 / (1 / 40 + 1 / 7))


class Compared:
    """People with two images each, in strata of two: a matrix of all images, and its comparisons one by one."""

    def __init__(self, seed: int, n: int = 8, images: int = 2) -> None:
        rng = np.random.default_rng(seed)
        self.people = np.repeat(np.arange(n), images)
        ids = [f"{k}" for k in range(len(self.people))]
        ease = rng.normal(0, 0.7, n)[self.people]
        values = rng.normal(size=(len(ids),) * 2) + ease[:, None] + ease
        self.values = ((values + values.T) / 2 + 2.0 * (self.people[:, None] == self.people)).round(1)
        self.samples = Samples(
            {
                "id": ids,
                "subject": [f"p{k}" for k in self.people],
                "site": [f"s{k // 2}" for k in self.people],
            }
        )
        self.scores = Scores.from_array(self.values, ids, orientation="similarity", name=f"net{seed}")

    def auc(self, weights) -> float:
        pairs = list(combinations(range(len(self.people)), 2))
        own, same = self.people, self.people[:, None] == self.people
        u = np.array([weights[own[a]] for a, b in pairs if same[a, b]])
        v = np.array([weights[own[a]] * weights[own[b]] for a, b in pairs if not same[a, b]])
        genuine = np.array([self.values[a, b] for a, b in pairs if same[a, b]])
        impostor = np.array([self.values[a, b] for a, b in pairs if not same[a, b]])
        right = (genuine[:, None] > impostor) + 0.5 * (genuine[:, None] == impostor)
        return float(u @ right @ v / (u.sum() * v.sum()))


@pytest.mark.parametrize("design", [BRR, Fay, Jackknife, RaoWu])
def test_pairs_of_people_within_sites(design):
    study, other = Compared(0), Compared(1)
    options = {"n_resamples": 50} if design is RaoWu else {}
    made = design(strata="site", units="subject", **options)
    found = estimate(study.scores, study.samples, measure=AUC(), design=made)
    plan = made.replicates(Strata.of(np.arange(8) // 2))
    rows = [row for part in plan.parts for block in part.blocks(8) for row in block]
    scales = np.concatenate([part.scale for part in plan.parts])
    values = np.array([study.auc(row) for row in rows])
    assert found.value == pytest.approx(study.auc(np.ones(8)))
    assert found.replicates == pytest.approx(values)
    assert found.standard_error == pytest.approx(np.sqrt(scales @ (values - found.value) ** 2))
    assert found.answers.varying.key == "within-strata-of-people-compared"
    assert found.degrees_of_freedom == pytest.approx(4 if design is not RaoWu else 1 / (1 / 4 + 1 / 49))
    (pair,) = compare([study.scores, other.scores], study.samples, measure=AUC(), design=made).pairs
    apart = values - np.array([other.auc(row) for row in rows])
    difference = found.value - other.auc(np.ones(8))
    error = error_of(pair, found.degrees_of_freedom)
    assert error == pytest.approx(np.sqrt(scales @ (apart - difference) ** 2))
    if design is Jackknife:
        return
    for measure in (FNMR(0.1), EER()):
        (both,) = compare([study.scores, other.scores], study.samples, measure=measure, design=made).pairs
        assert both.high > both.low


def test_pairs_refuse_what_would_mislead():
    study = Compared(0)
    for design, match in (
        (BRR("site"), "people must be the units"),
        (BRR("site", units="id"), "units within strata must be people"),
        (Fay("id", units="subject"), "in several strata of id"),
        (Fay("place", units="subject"), "no column 'place'"),
    ):
        with pytest.raises((DesignError, UsageError), match=match):
            estimate(study.scores, study.samples, measure=AUC(), design=design)


def test_replicates_of_few_large_strata_are_refused_for_pairs():
    rng = np.random.default_rng(0)
    ids = [f"{person}-{image}" for person in range(46) for image in range(2)]
    people = np.repeat(np.arange(46), 2)
    values = rng.normal(size=(92, 92)) + 2.0 * (people[:, None] == people)
    scores = Scores.from_array((values + values.T) / 2, ids, orientation="similarity")
    samples = Samples({"id": ids, "subject": people, "sex": np.where(people < 23, "f", "m")})
    for design in (BRR("sex", units="subject"), Fay("sex", units="subject")):
        with pytest.raises(DesignError, match=r"one person of 23 has the weight of (23|12)"):
            estimate(scores, samples, measure=AUC(), design=design)
    designs = (Jackknife("sex", units="subject"), Fay("sex", units="subject", rho=0.9))
    leaving, moving = (estimate(scores, samples, measure=AUC(), design=one).standard_error for one in designs)
    assert moving == pytest.approx(leaving, rel=0.05)


@pytest.mark.long
@pytest.mark.parametrize("design", [Jackknife, Fay, RaoWu])
def test_coverage_for_new_people_within_sites(design):
    """Skewed people with unequal numbers of probes at sites of their own: images as units cover far too seldom, people as units nearly so."""
    rng = np.random.default_rng(5)
    ease = [(2.0, 0.4), (1.0, 1.0), (0.6, 1.4), (3.0, 1.0)] * 3
    truth = float(np.mean([a / (a + b) for a, b in ease]))
    hits = {"people": 0, "images": 0}
    times = 400
    for _ in range(times):
        sites, people, success = [], [], []
        for h, (a, b) in enumerate(ease):
            for k in range(8):
                m = int(rng.integers(1, 7))
                own = rng.beta(a, b)
                sites += [f"s{h}"] * m
                people += [f"{h}-{k}"] * m
                success += (rng.random(m) < own).tolist()
        outcomes = outcomes_in(sites, people, success)
        options = {"n_resamples": 300} if design is RaoWu else {}
        for name, units in (("people", "subject"), ("images", None)):
            made = design("site", units=units, weights="equal", **options)
            found = estimate(outcomes, measure=RecognitionRate(1), design=made)
            hits[name] += found.low <= truth <= found.high
    assert hits["people"] / times > 0.925
    assert hits["images"] / times < 0.88


@pytest.mark.long
@pytest.mark.parametrize("design", [BRR, Fay, RaoWu])
def test_spread_of_the_area_over_new_people_within_sites(design):
    """The mean of the estimated variances comes close to the variance of the area over new people."""
    values, variances = [], []
    for seed in range(200):
        study = Compared(seed, n=40)
        found = estimate(
            study.scores,
            study.samples,
            measure=AUC(),
            design=design("site", units="subject", **({"n_resamples": 200} if design is RaoWu else {})),
        )
        values.append(found.value)
        variances.append(found.standard_error**2)
    assert np.mean(variances) / np.var(values) == pytest.approx(1.0, abs=0.3)


@pytest.mark.long
def test_coverage_of_a_median_with_six_units():
    """Skewed units in strata that differ: contrasts cover a median about as often as drawing units does."""
    rng = np.random.default_rng(1)
    middle = rng.normal(0, 1, 25)
    truth = float(np.median(middle[:, None] + rng.exponential(1, (25, 8_000))))
    groups, times, covered = np.repeat(np.arange(25), 6), 200, 0
    for _ in range(times):
        y = (middle[:, None] + rng.exponential(1, (25, 6))).ravel()
        order = np.argsort(y)

        def median(w: np.ndarray, y: np.ndarray = y, order: np.ndarray = order) -> float:
            return float(y[order][(np.cumsum(w[order]) < w.sum() / 2).sum()])

        found = estimate_weighted(median, groups, design=BRR())
        covered += found.low <= truth <= found.high
    assert covered / times > 0.88


def test_public_names():
    assert pb.designs.BRR("site", units="subject") == BRR(strata="site", units="subject")


def test_a_category_with_its_own_gallery_is_ranked_in_it_when_compared():
    ids = [f"{person}{image}" for person in "abcd" for image in "12"]
    samples = Samples(
        {"id": ids, "subject": [one[0] for one in ids], "early": [one[0] in "ab" for one in ids]}
    )
    values = np.eye(4) + 2.0 * np.eye(4, k=2)
    scores = [
        Scores.from_array(values, ids[1::2], ids[::2], orientation="similarity", name=name) for name in "xy"
    ]
    category = pb.Category("early", "probe.early", gallery="early")
    found = compare(scores, Experiment(samples, gallery=ids[::2]), measure=RecognitionRate(1), by=[category])
    assert [one.estimates[0].value for one in found.comparisons] == [0.5, 1.0]
