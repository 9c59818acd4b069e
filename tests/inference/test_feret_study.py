from __future__ import annotations

from datetime import date, timedelta
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl
import pytest

import proband as pb
from proband.designs import Galleries
from proband.errors import DesignError, UsageError
from proband.inference.estimates.evaluate import evaluate
from proband.inference.estimates.people_fractions import people_interval, size_curve
from proband.inference.galleries.feret_results import FeretStudy
from proband.inference.galleries.feret_study import feret_study
from proband.inference.galleries.rejection import Rejection, held_out_of
from proband.inference.galleries.versions import Improvement, Version, contrasts
from proband.kernels.codes import FAILED, OK
from proband.measures.open_set import chance_by_gallery_size, search
from proband.samples.categories import probe_groups

N = 40


def samples_of(n: int = N) -> pb.Samples:
    """One gallery image a person, and two probes: the first of the same day, the second up to three years later."""
    rows = []
    for k in range(n):
        for image in range(3):
            days = 0 if image < 2 else 30 * k
            rows.append(
                {
                    "id": f"p{k:02d}-{image}",
                    "subject": f"p{k:02d}",
                    "image": image,
                    "date": date(1993, 8, 1) + timedelta(7 * k + days),
                    "sex": "FM"[k % 2],
                }
            )
    return pb.Samples(pl.DataFrame(rows))


def scores_of(name: str, strength: float, seed: int, n: int = N, lost: int = 0) -> pb.Scores:
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(2 * n, n)) + strength * np.repeat(np.eye(n), 2, axis=0)
    queries = [f"p{k:02d}-{image}" for k in range(n) for image in (1, 2)]
    cells = None
    if lost:
        cells = np.full(values.shape, OK, dtype=np.uint8)
        cells[:lost] = FAILED
    return pb.Scores.from_array(
        values, queries, [f"p{k:02d}-0" for k in range(n)], orientation="similarity", name=name, cells=cells
    )


CATEGORIES = (
    pb.Category("same day", "probe.date == mate.date"),
    pb.Category("later", "probe.date - mate.date >= days(300)"),
)


@pytest.fixture(scope="module")
def setting() -> tuple[list[pb.Scores], pb.Experiment]:
    samples = samples_of()
    scores = [scores_of("good", 4.0, 1), scores_of("fair", 2.5, 2), scores_of("poor", 1.0, 3)]
    return scores, pb.Experiment(samples, gallery="image == 0")


@pytest.fixture(scope="module")
def study(setting: tuple[list[pb.Scores], pb.Experiment]) -> FeretStudy:
    scores, experiment = setting
    return feret_study(
        scores,
        experiment,
        categories=CATEGORIES,
        versions=[("poor", "fair")],
        improvements=[("fair", "good", "1996-09", "1997-03")],
        galleries=[Galleries(4, order="date"), Galleries(4)],
        ages="date",
        sizes=(10, 20, N),
        rejection=Rejection(0.25, (0.1,)),
        ranks=(1, 5),
    )


def test_average_is_the_mean_of_the_field_and_its_interval_is_over_people(study: FeretStudy) -> None:
    assert study.field == ("good", "fair")  # the fully automatic version stands apart
    for one in study.results:
        entries = [e for e in study.evaluation.of(one.category) if e.algorithm in study.field]
        for rank in (1, 5):
            assert one.average.at(rank) == pytest.approx(np.mean([e.curve.at(rank) for e in entries]))
        success = np.mean([e.outcomes.success(1) for e in entries], axis=0)
        # Independent: the variance of the mean by the ratio estimator over people, put into Wilson's formula.
        people = entries[0].outcomes.subjects
        sums = {p: (success[people == p].sum(), (people == p).sum()) for p in np.unique(people)}
        n, k, mean = len(success), len(sums), success.mean()
        ratio = k / (k - 1) * sum((y - mean * m) ** 2 for y, m in sums.values()) / n**2
        from scipy import stats

        if (
            len({m for _, m in sums.values()}) > 1
        ):  # people with different numbers of probes: tests of weighting
            continue
        if k < n:
            variance, z = max(ratio, success.var() / n), stats.t.ppf(0.975, k - 1)
        else:
            variance, z = success.var() / n, stats.norm.ppf(0.975)
        trials = mean * (1 - mean) / variance
        centre = (mean + z**2 / (2 * trials)) / (1 + z**2 / trials)
        half = z / (1 + z**2 / trials) * np.sqrt(mean * (1 - mean) / trials + z**2 / (4 * trials**2))
        assert (one.average.low[0], one.average.high[0]) == pytest.approx((centre - half, centre + half))
        assert "averaged" in str(one.average.answers.fixed)


def test_interval_of_an_average_covers_other_people() -> None:
    rng = np.random.default_rng(0)
    covered, runs = 0, 400
    for _ in range(runs):
        own = rng.beta(6, 2, 60)
        successes = rng.random((3, 60, 2)) < own[:, None]
        low, high = people_interval(successes.mean(axis=0).ravel(), np.repeat(np.arange(60), 2), 0.95)
        covered += low <= 0.75 <= high
    assert 0.92 <= covered / runs <= 0.98


def test_for_whole_successes_the_interval_is_that_of_a_rate(study: FeretStudy) -> None:
    for entry in study.evaluation.entries:
        found = pb.estimate(entry.outcomes, measure=pb.measures.RecognitionRate(1))
        made = people_interval(entry.outcomes.success(1), entry.outcomes.subjects, 0.95)
        assert tuple(made) == pytest.approx((found.low, found.high))


def test_upper_bound_is_the_curve_of_the_best_at_rank_one(study: FeretStudy) -> None:
    for one in study.results:
        rates = {
            e.algorithm: e.curve.at(1)
            for e in study.evaluation.of(one.category)
            if e.algorithm in study.field
        }
        assert one.leader == max(rates, key=lambda name: rates[name])
        own = next(e for e in study.evaluation.of(one.category) if e.algorithm == one.leader)
        assert one.upper_bound.values == pytest.approx(own.band.values)
        assert "selected as the best of 2" in str(one.upper_bound.notes[-1])


def test_versions_and_improvements_are_paired_and_adjusted(study: FeretStudy) -> None:
    (cost,), (gain,) = study.versions, study.improvements
    assert (cost.first, cost.second, gain.first_date) == ("poor", "fair", "1996-09")
    assert [row.category for row in cost.rows] == [None, "same day", "later"]
    for contrast in (cost, gain):
        for row in contrast.rows:
            entries = {e.algorithm: e for e in study.evaluation.of(row.category)}
            first, second = entries[contrast.first].outcomes, entries[contrast.second].outcomes
            both = second.success(1) - first.success(1)
            assert row.pair.value == pytest.approx(both.mean())
            assert (row.pair.n_sf, row.pair.n_fs) == ((both > 0).sum(), (both < 0).sum())
            assert row.pair.p_value <= row.pair.p_adjusted <= min(1.0, 3 * row.pair.p_value)
            told = row.pair.low > 0 or row.pair.high < 0
            assert told == (row.pair.p_adjusted <= 0.05) == (row.pair.verdict in ("better", "worse"))
            assert row.pair.n_compared == 3
    assert "locating the face costs poor" in str(cost.sentences()[0])
    assert "from 1996-09 to 1997-03" in str(gain.sentences()[0])


def test_contrasts_on_the_same_people_count_once() -> None:
    """Two sets of the same probes are one question: signs of people are shared. Other people's are another."""
    samples = samples_of()
    scores = [scores_of("old", 2.0, 1), scores_of("new", 2.4, 2)]
    experiment = pb.Experiment(samples, gallery="image == 0")

    def rows(*rules: str):
        sets = [pb.Category(f"set {place}", rule) for place, rule in enumerate(rules)]
        found = evaluate(scores, experiment, categories=sets)
        (gain,) = contrasts(found, [Improvement("old", "new")], rank=1, confidence_level=0.95, seed=0)
        return [row.pair for row in gain.rows]

    everybody, again = rows("probe.image > 0")
    assert again.p_value == pytest.approx(everybody.p_value)
    assert again.p_adjusted == pytest.approx(again.p_value, abs=0.01)
    assert everybody.low == pytest.approx(again.low)
    *_, some, others = rows("probe.image == 1", "probe.image > 1")
    assert some.p_adjusted > 1.3 * some.p_value or some.p_adjusted == 1
    assert others.p_adjusted > 1.3 * others.p_value or others.p_adjusted == 1


def test_failures_of_the_fully_automatic_version_are_its_cost() -> None:
    samples = samples_of()
    partial, full = scores_of("eyes", 8.0, 1), scores_of("own", 8.0, 1, lost=9)
    study = feret_study(
        [partial, full], pb.Experiment(samples, gallery="image == 0"), versions=[("own", "eyes")]
    )
    row = study.versions[0].rows[0]
    assert (row.first_failed, row.second_failed) == (9, 0)
    assert row.pair.value == pytest.approx(9 / 80)


def test_sizes_agree_with_every_gallery_there_is() -> None:
    n = 6
    samples = samples_of(n)
    experiment = pb.Experiment(samples, gallery="image == 0")
    scores = scores_of("net", 1.0, 5, n)
    outcomes = pb.rank(scores, experiment)
    made = size_curve(outcomes, None, (1, 3, n), 1, 0.95)
    for size, rate in zip(made.sizes, made.rates, strict=True):
        found = []
        for k, probe in enumerate(experiment.probes):
            mate = int(samples.codes[probe])
            others = [g for g in range(n) if g != mate]
            for part in combinations(others, size - 1):
                best = max((scores.tile(np.array([k]), np.array([g]))[0, 0] for g in part), default=-np.inf)
                found.append(scores.tile(np.array([k]), np.array([mate]))[0, 0] > best)
        assert rate == pytest.approx(np.mean(found))
    ahead = outcomes.closer + outcomes.tied
    known = [
        np.where(outcomes.failed, 0.0, chance_by_gallery_size(ahead, n, size)).mean() for size in made.sizes
    ]
    assert made.rates == pytest.approx(tuple(known))


def test_sizes_break_ties_at_random_under_mean(outcomes_of: Any) -> None:
    plain = outcomes_of([0, 0, 2, 1, 0, 3], tied=[0, 2, 1, 0, 3, 0], ties="mean")
    made = size_curve(plain, "all", (plain.n_ranks,), 2, 0.95)
    assert made.rates[0] == pytest.approx(plain.success(2).mean())


def test_sizes_count_people_where_they_have_several_images() -> None:
    samples = samples_of()
    rng = np.random.default_rng(0)
    values = rng.normal(size=(N, 2 * N)) + 2.0 * np.repeat(np.eye(N), 2, axis=1)
    targets = [f"p{k:02d}-{image}" for k in range(N) for image in (0, 1)]
    scores = pb.Scores.from_array(
        values, [f"p{k:02d}-2" for k in range(N)], targets, orientation="similarity", name="net"
    )
    study = feret_study([scores], pb.Experiment(samples, gallery="image < 2"), sizes=(N,))
    assert study.sizes[0].n_enrolled == N
    by_people = pb.rank(scores, pb.Experiment(samples, gallery="image < 2"), counting="subjects")
    assert study.sizes[0].rates[0] == pytest.approx(by_people.success(1).mean())
    assert study.results[0].difficulty.verdict == "one algorithm"


def test_largest_size_is_the_gallery_itself(study: FeretStudy) -> None:
    for one in study.sizes:
        entry = next(e for e in study.evaluation.of(one.category) if e.algorithm == one.algorithm)
        assert one.rates[-1] == pytest.approx(entry.curve.at(1))
        assert (one.low[-1], one.high[-1]) == pytest.approx(tuple(entry.interval(1) or ()))
        assert list(one.rates) == sorted(one.rates, reverse=True)


def test_variation_over_galleries_by_category_and_order(study: FeretStudy) -> None:
    assert [(one.category, one.design.key == "galleries-in-order") for one in study.variation] == [
        (name, dated) for dated in (True, False) for name in (None, "same day", "later")
    ]
    assert all(set(one.algorithms) == set(study.field) for one in study.variation)
    later = study.variation[2]
    assert later.galleries[0].probes == 0  # the first ten people have no probe so late
    assert later.cells[0].rate is None
    ages = [one.mean_age for one in study.variation[1].galleries]
    assert ages == [0.0] * 4


def test_rejection_takes_people_out_of_the_gallery(study: FeretStudy, setting: Any) -> None:
    scores, experiment = setting
    test = study.rejection
    assert test is not None
    assert (test.n_held_out, test.n_gallery_subjects, test.n_nonmated, test.n_mated) == (10, 30, 20, 60)
    part, _ = held_out_of(experiment, 0.25, 0)
    gone = set(experiment.samples.codes[experiment.gallery]) - set(part.samples.codes[part.gallery])
    assert len(gone) == 10
    found = search(scores[0], part)
    point = test.results[0].points[0]
    # Independent: the thresholds of mates, from the strictest, as long as two of twenty strangers reach them.
    reached = [t for t in np.sort(found.mate)[::-1] if (found.best >= t).sum() <= 2]
    rate = ((found.mate >= reached[-1]) & (found.place == 1)).mean()
    assert point.dir.value == pytest.approx(rate)
    plain = test.to_dict()["results"][0]["points"][0]
    assert plain["dir"]["low"] <= plain["dir"]["value"] <= plain["dir"]["high"]


def test_a_category_is_ranked_in_its_own_gallery(setting: Any) -> None:
    scores, experiment = setting
    early = pb.Category("early", "probe.image == 2", gallery="date < date('1994-01-01')")
    made = feret_study(scores, experiment, categories=[early], sizes=(10, N), galleries=Galleries(2))
    frame = experiment.samples.frame
    early_gallery = (pl.col("image") == 0) & (pl.col("date") < date(1994, 1, 1))
    people = frame.filter(early_gallery)["subject"].to_list()
    for one, entry in zip(scores, made.evaluation.of("early"), strict=True):
        # Independent: the largest score of the row, over the columns of those who are enrolled.
        values = np.asarray(one.values)
        columns = [int(name[1:]) for name in people]
        right = [np.argmax(values[2 * k + 1, columns]) == place for place, k in enumerate(columns)]
        assert entry.curve.at(1) == np.mean(right)
        facts = entry.curve.facts
        assert (facts.n_gallery_subjects, facts.n_probes) == (len(people), len(people))
    assert made.evaluation.to_dict() == evaluate(scores, experiment, categories=[early]).to_dict()
    own = [one for one in made.sizes if one.category == "early"]
    assert {one.sizes for one in own} == {(10,)}  # the gallery of 22 has no part of 40
    assert [one["category"] for one in made.notes if one.code == "feret.gallery-too-small"] == ["early"]
    assert [one.size for one in made.variation] == [N // 2, len(people) // 2]
    ranked = [pb.rank(one, experiment) for one in scores]
    again = feret_study(scores, experiment, categories=[early], ranked=ranked)
    assert (
        again.to_dict()["categories"]
        == feret_study(scores, experiment, categories=[early]).to_dict()["categories"]
    )
    with pytest.raises(DesignError, match="a different gallery"):
        ranked[0].restricted(early.of(experiment))


def test_probes_without_mates_serve_when_nobody_is_taken_out(setting: Any) -> None:
    scores, experiment = setting
    fewer = experiment.restricted(gallery=experiment.gallery[:30])
    test = feret_study(scores, fewer, rejection=Rejection(0.0)).rejection
    assert test is not None
    assert (test.n_held_out, test.n_nonmated) == (0, 20)
    with pytest.raises(DesignError, match="every probe has a mate"):
        feret_study(scores, experiment, rejection=Rejection(0.0))


def test_leaderboard_has_places_and_an_average(study: FeretStudy) -> None:
    frame = study.to_frame()
    assert frame["algorithm"].to_list() == ["good", "fair", "poor", "average of 2"] * 3
    first = frame.filter(pl.col("category") == "all probes")
    assert first["place"].to_list() == [1, 2, None, None]
    assert first["gallery_subjects"].to_list() == [N] * 4
    assert first["probes"].to_list() == [80] * 4
    assert "best at rank 1 on all probes: good" in repr(study)


def test_groups_of_probes(setting: Any) -> None:
    _, experiment = setting
    sexes = probe_groups(experiment, "sex")
    assert [one.name for one in sexes] == ["sex F", "sex M"]
    assert sum(len(one.of(experiment).probes) for one in sexes) == len(experiment.probes)
    assert len(probe_groups(experiment, "image")[0].of(experiment).probes) == N
    with pytest.raises(UsageError, match="values among the probes"):
        probe_groups(experiment, "date")
    with pytest.raises(UsageError, match="no column"):
        probe_groups(experiment, "colour")


@pytest.mark.parametrize(
    ("asked", "error", "said"),
    [
        ({"versions": [Version("auto", "good")]}, UsageError, "no algorithm 'auto'"),
        ({"improvements": [Improvement("good", "good")]}, UsageError, "with itself"),
        (
            {"versions": [("good", "fair"), ("fair", "poor"), ("poor", "good")]},
            UsageError,
            "no algorithms are left",
        ),
        ({"improvements": [("fair", "good"), ("fair", "good", "1996", "1997")]}, UsageError, "listed twice"),
        ({"versions": [("poor", "good"), ("poor", "good")]}, UsageError, "listed twice"),
        ({"galleries": Galleries(30)}, DesignError, "are too few"),
        ({"sizes": (41,)}, UsageError, "gallery of 40 people"),
        ({"rejection": Rejection(0.999)}, DesignError, "leaves no one"),
        ({"seed": -1}, UsageError, "seed"),
    ],
)
def test_bad_requests(setting: Any, asked: dict[str, Any], error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        feret_study(*setting, **asked)


def test_a_category_that_no_gallery_holds_is_noted(setting: Any) -> None:
    scores, experiment = setting
    last = pb.Category("last", "probe.subject == 'p39'")
    study = feret_study(scores, experiment, categories=[last], galleries=Galleries(3, order="date", size=13))
    assert [one.category for one in study.variation] == [None]
    assert "last: variation over 3 galleries" in str(study.notes[0])


@pytest.mark.parametrize("share", [-0.1, 1.0])
def test_share_held_out(share: float) -> None:
    with pytest.raises(UsageError, match="share"):
        Rejection(share)


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("1996", "1997"),
        ("1996-09", "1997-03-01"),
        ("1996", "1996-09"),
        ("1996-09", "1996"),
        (None, "1997"),
        ("1996", "1996"),
    ],
)
def test_dates_in_order(earlier: str | None, later: str | None) -> None:
    assert Improvement("a", "b", earlier, later).later_date == later


@pytest.mark.parametrize(
    ("earlier", "later", "said"),
    [
        ("1997", "1996", "a of 1997 is not earlier than b of 1996"),
        ("1996-09-02", "1996-09-01", "is not earlier"),
        ("1997-01", "1996", "is not earlier"),
        ("spring", "1996", "'spring' is not a date"),
        ("1996-9", "1997", "not a date"),
        ("1996-13", "1997", "not a date"),
        ("1996-02-30", "1997", "not a date"),
        ("", "1997", "not a date"),
        ("１９９６", "1997", "not a date"),
    ],
)
def test_dates_that_are_none_or_out_of_order(earlier: str, later: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        Improvement("a", "b", earlier, later)


def test_variation_names_its_probes_in_plain_values(study: FeretStudy) -> None:
    told = study.to_dict()["variation"]
    assert [one["category"] for one in told[:3]] == ["all probes", "same day", "later"]
