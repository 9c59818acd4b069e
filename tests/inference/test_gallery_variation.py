"""Rates, places, ages and spread over several galleries: by hand, and against a plain reimplementation."""

from __future__ import annotations

import datetime
import json
from itertools import product

import numpy as np
import polars as pl
import pytest
from scipy import special, stats

from proband.designs import Galleries
from proband.errors import DesignError, InputError, UsageError
from proband.inference import estimate, gallery_variation
from proband.inference.galleries.places import heterogeneity, place_intervals, places
from proband.measures import CMC, FNMR, MedianCensoredRank, RankStatistic, RecognitionRate, rank
from proband.samples import Category, Experiment, Samples
from proband.scores import Embeddings, Scores

RATE = RecognitionRate(1)
DAY = datetime.date


def by_hand() -> tuple[list[Scores], Experiment]:
    """Six people, enrolled in 1990 … 1995, two a gallery; the third gallery has no late probes.

    A probe succeeds if its own column beats the other one of its gallery. Columns of other galleries hold high scores,
    which must not matter.
    """
    people = "abcdef"
    probes = ["a1", "a2", "b1", "c1", "d1", "e1"]
    samples = Samples(
        {
            "id": [f"{p}0" for p in people] + probes,
            "subject": [*people, *(name[0] for name in probes)],
            "date": [DAY(1990 + k, 1, 1) for k in range(6)]
            + [DAY(1990, 1, 11), DAY(1990, 1, 31), DAY(1991, 2, 20), None, DAY(1993, 1, 8), DAY(1994, 1, 1)],
            "late": [None] * 6 + [True] * 5 + [False],
        }
    )
    right = {"X": [1, 1, 1, 1, 0, 1], "Y": [1, 0, 1, 0, 1, 1], "Z": [0, 1, 1, 1, 1, 1]}
    scores = []
    for name, successes in right.items():
        values = np.full((6, 6), 9.0)
        for row, (probe, success) in enumerate(zip(probes, successes, strict=True)):
            own = people.index(probe[0])
            values[row, own], values[row, own ^ 1] = (2, 1) if success else (1, 2)
        scores.append(
            Scores.from_array(values, probes, [f"{p}0" for p in people], orientation="similarity", name=name)
        )
    return scores, Experiment(samples, gallery=[f"{p}0" for p in people], probes=probes)


def test_a_table_worked_out_by_hand():
    scores, experiment = by_hand()
    late = Category("late", "probe.late")
    found = gallery_variation(
        scores,
        experiment,
        measure=RATE,
        design=Galleries(3, order="date"),
        category=late,
        ages="date",
        check_orientation=False,
    )
    assert [cell.rate for cell in found.of("X")] == [1, 1 / 2, None]
    assert [cell.rate for cell in found.of("Y")] == [2 / 3, 1 / 2, None]
    assert [cell.rate for cell in found.of("Z")] == [2 / 3, 1, None]
    assert [cell.place for cell in found.of("X")] == [1, 2, None]
    assert [cell.place for cell in found.of("Y")] == [2, 2, None]  # shared with Z, then with X
    assert [cell.place for cell in found.of("Z")] == [2, 1, None]
    assert [cell.probes for cell in found.of("X")] == [3, 2, 0]
    assert found.of("X")[2].estimate is None
    assert found.of("X")[2].place_interval is None
    x, y, z = found.rows
    assert [row.mean.value for row in found.rows] == pytest.approx([3 / 4, 7 / 12, 5 / 6])
    assert [row.range for row in found.rows] == pytest.approx([1 / 2, 1 / 6, 1 / 3])
    assert [row.standard_deviation for row in found.rows] == pytest.approx(
        [np.sqrt(1 / 8), np.sqrt(1 / 72), np.sqrt(1 / 18)]
    )
    assert [(row.least_place, row.greatest_place) for row in (x, y, z)] == [(1, 2), (2, 2), (1, 2)]
    assert found.averages == (pytest.approx(7 / 9), pytest.approx(2 / 3), None)
    assert found.average.mean.value == pytest.approx(13 / 18)
    assert found.average.range == pytest.approx(1 / 9)
    # Days from mate to probe: 10, 30, 50; then unknown and 7.
    assert [one.mean_age for one in found.galleries] == [30, 7, None]
    assert [(one.people, one.images, one.probes, one.probe_people) for one in found.galleries] == [
        (2, 2, 3, 2),
        (2, 2, 2, 2),
        (2, 2, 0, 0),
    ]
    assert (found.galleries[1].first, found.galleries[1].last) == (DAY(1992, 1, 1), DAY(1993, 1, 1))
    said = " | ".join(map(str, found.notes))
    assert "no probes in category 'late' in gallery 3: empty cells" in said
    assert "no age for 1 probe" in said
    assert "fewer than three galleries have probes" in said
    assert (
        "no test of differences between galleries for X, Y, Z: a gallery has probes of fewer than 10 people"
        in said
    )
    assert "drift" in str(found.answers.assuming)
    assert found.answers.varying.key == "people-in-galleries"


def test_everything_can_be_written_down():
    scores, experiment = by_hand()
    found = gallery_variation(
        scores, experiment, measure=RATE, design=Galleries(3, order="date"), category=Category("late", "probe.late"),
        check_orientation=False,
    )  # fmt: skip
    told = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert told["galleries"][0]["first"] == "1990-01-01"
    assert told["cells"][2]["estimate"] is None
    frame = found.to_frame()
    assert frame.height == 9
    assert frame.filter(gallery=3)["value"].null_count() == 3
    assert found.summary_frame()["algorithm"].to_list() == ["X", "Y", "Z", "average over algorithms"]
    assert found.summary_frame().schema["p_value"] == pl.Float64  # though no algorithm has one
    assert max(map(len, repr(found).splitlines())) <= 100
    assert "Z 0.8333 (range 0.3333, places 1–2)" in repr(found)


def population(rng, people: int = 40, algorithms: int = 3, levels: int = 6):
    """People with one or two enrolled images and none to four probes; coarse scores, so that ties abound; failures."""
    rows = []
    for k in range(people):
        rows += [(f"s{k}g{j}", f"s{k}", True) for j in range(rng.integers(1, 3))]
        rows += [(f"s{k}p{j}", f"s{k}", False) for j in range(rng.integers(0, 5))]
    ids, subjects, enrolled = zip(*[rows[k] for k in rng.permutation(len(rows))], strict=True)
    dates = rng.integers(0, 15, len(ids)).astype(float)
    dates[rng.random(len(ids)) < 0.1] = np.nan
    samples = Samples(
        {"id": ids, "subject": subjects, "date": dates, "bad": rng.random(len(ids)) < 0.08}, failed="bad"
    )
    experiment = Experiment(samples, gallery=np.array(enrolled))
    probes = [name for name, one in zip(ids, enrolled, strict=True) if not one]
    gallery = [name for name, one in zip(ids, enrolled, strict=True) if one]
    scores = []
    for a in range(algorithms):
        same = np.array([[p.split("p")[0] == g.split("g")[0] for g in gallery] for p in probes])
        values = rng.integers(0, levels, same.shape) + (3 - a) * same
        cells = np.where(rng.random(same.shape) < 0.03, 2, 0).astype(np.uint8)
        scores.append(
            Scores.from_array(
                values.astype(float), probes, gallery, orientation="similarity", name=f"A{a}", cells=cells
            )
        )
    return scores, experiment


def plain_ranks(scores: Scores, gallery: list[str], probe: str, samples: Samples, ties: str, on_failure: str):
    """The rank of a probe among some gallery images, one image at a time; None for a failure."""
    bad = dict(zip(samples.ids, samples.failed, strict=True))
    miss = on_failure == "miss"
    if miss and bad[probe]:
        return None
    row = scores.queries.positions([probe])
    own, others = [], []
    for name in gallery:
        if miss and bad[name]:
            continue
        column = scores.targets.positions([name])
        if scores.cell_codes[row[0], column[0]] == 2:
            continue
        value = scores.values[row[0], column[0]]
        (own if name.split("g")[0] == probe.split("p")[0] else others).append(value)
    if not own:
        return None
    best = max(own)
    return 1 + sum(v > best or (ties == "pessimistic" and v == best) for v in others)


@pytest.mark.parametrize("order", [None, "date"])
@pytest.mark.parametrize(
    ("ties", "on_failure"), [("pessimistic", "miss"), ("optimistic", "miss"), ("pessimistic", "as_scored")]
)
def test_against_a_plain_reimplementation(order, ties, on_failure):
    rng = np.random.default_rng([7, len(ties), len(on_failure)])
    scores, experiment = population(rng)
    samples = experiment.samples
    design = Galleries(4, order=order, seed=3)
    measure = RecognitionRate(2)
    found = gallery_variation(
        scores,
        experiment,
        measure=measure,
        design=design,
        ages="date",
        ties=ties,
        on_failure=on_failure,
        check_orientation=False,
    )
    gallery = [samples.ids[k] for k in experiment.gallery]
    probes = [samples.ids[k] for k in experiment.probes]
    date = dict(zip(samples.ids, samples.frame["date"].to_list(), strict=True))
    enrolled: dict[str, list[str]] = {}
    for name in gallery:
        enrolled.setdefault(name.split("g")[0], []).append(name)
    if order is None:
        people = [
            [samples.subjects[code] for code in one.people] for one in design.parts(experiment).galleries
        ]
    else:
        known = {
            person: min((date[name], gallery.index(name)) for name in own if date[name] is not None)
            for person, own in enrolled.items()
            if any(date[name] is not None for name in own)
        }
        line = sorted(known, key=known.get)
        size = len(line) // 4
        people = [line[k * size : (k + 1) * size] for k in range(4)]
        assert any("no value in 'date'" in str(note) for note in found.notes)
    rates = np.full((3, 4), np.nan)
    for g, members in enumerate(people):
        own_gallery = [name for person in members for name in enrolled[person]]
        own_probes = [name for name in probes if name.split("p")[0] in members]
        ages = []
        for name in own_probes:
            mates = [date[mate] for mate in enrolled[name.split("p")[0]] if date[mate] is not None]
            if mates and date[name] is not None:
                ages.append(sum(abs(date[name] - mate) for mate in mates) / len(mates))
        assert found.galleries[g].mean_age == pytest.approx(np.mean(ages))
        for a, one in enumerate(scores):
            ranks = [plain_ranks(one, own_gallery, name, samples, ties, on_failure) for name in own_probes]
            rates[a, g] = np.mean([r is not None and r <= 2 for r in ranks])
            assert found.of(one.name)[g].probes == len(own_probes)
    for a, one in enumerate(scores):
        cells = found.of(one.name)
        assert [cell.rate for cell in cells] == pytest.approx(rates[a])
        assert [cell.place for cell in cells] == [
            1 + sum(other > rates[a, g] + 1e-9 for other in rates[:, g]) for g in range(4)
        ]
        row = found.rows[a]
        assert row.standard_deviation == pytest.approx(np.std(rates[a], ddof=1))
        middle = rates[a].mean()
        reach = stats.t.ppf(0.975, 3) * stats.sem(rates[a]) / (middle * (1 - middle))
        ends = special.expit(special.logit(middle) + np.array([-reach, reach]))
        assert (row.mean.low, row.mean.high) == pytest.approx(tuple(ends))
        for cell in cells:
            assert 0 <= cell.estimate.low <= cell.rate <= cell.estimate.high <= 1
            assert 1 <= cell.place_interval[0] <= cell.place <= cell.place_interval[1] <= 3
    assert found.averages == pytest.approx(rates.mean(axis=0))


def test_a_cell_is_the_estimate_of_its_own_small_experiment():
    scores, experiment = population(np.random.default_rng(5))
    design = Galleries(3, seed=1)
    found = gallery_variation(
        scores, experiment, measure=RATE, design=design, ties="mean", check_orientation=False
    )
    part = design.parts(experiment).galleries[1].experiment
    alone = estimate(rank(scores[0], part, ties="mean", check_orientation=False), measure=RATE)
    cell = found.of("A0")[1]
    assert (cell.rate, cell.estimate.low, cell.estimate.high) == pytest.approx(
        (alone.value, alone.low, alone.high)
    )


def test_nothing_depends_on_threads_and_everything_else_on_the_seed():
    scores, experiment = population(np.random.default_rng(6), people=60)
    design = Galleries(3, seed=2)
    options = {"check_orientation": False, "counting": "subjects"}
    one, two = (
        gallery_variation(scores, experiment, measure=RATE, design=design, threads=n, **options).to_dict()
        for n in (1, 2)
    )
    assert one == two
    other = gallery_variation(
        scores, experiment, measure=RATE, design=Galleries(3, seed=3), **options
    ).to_dict()
    assert [c["estimate"]["value"] for c in other["cells"]] != [c["estimate"]["value"] for c in one["cells"]]


def test_embeddings_give_what_their_matrix_gives():
    rng = np.random.default_rng(8)
    centres = rng.normal(size=(30, 6))
    vectors = np.concatenate([centres, centres]) + 0.8 * rng.normal(size=(60, 6))
    ids = [f"{side}{k}" for side in "gp" for k in range(30)]
    samples = Samples({"id": ids, "subject": [name[1:] for name in ids]})
    experiment = Experiment(samples, gallery=ids[:30])
    lazy = Embeddings(vectors, ids, metric="cosine", name="net")
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    dense = Scores.from_array(unit @ unit.T, ids, orientation="similarity", name="net")
    first, second = (
        gallery_variation([one], experiment, measure=RATE, design=Galleries(3)).to_dict()
        for one in (lazy, dense)
    )
    assert first == second


def test_no_score_is_read_outside_a_probes_own_gallery():
    scores, experiment = population(np.random.default_rng(9), algorithms=1)
    parts = Galleries(4).parts(experiment)
    read = []

    class Watched(type(scores[0])):
        def tile(self, rows, columns):
            read.append(len(rows) * len(columns))
            return super().tile(rows, columns)

    scores[0].__class__ = Watched
    gallery_variation(scores, experiment, measure=RATE, design=Galleries(4), check_orientation=False)
    assert sum(read) <= sum(len(one.images) * len(one.probes) for one in parts.galleries)


def small_outcomes(successes: dict[str, list[list[int]]]):
    """Outcomes of algorithms on people's probes, in one gallery that holds everybody and a stranger."""
    people = len(next(iter(successes.values())))
    probes = [(k, j) for k, own in enumerate(next(iter(successes.values()))) for j in range(len(own))]
    ids = [f"g{k}" for k in range(people + 1)] + [f"p{k}-{j}" for k, j in probes]
    samples = Samples({"id": ids, "subject": [name[1:].split("-")[0] for name in ids]})
    experiment = Experiment(samples, gallery=ids[: people + 1])
    found = []
    for name, rows in successes.items():
        values = np.zeros((len(probes), people + 1))
        for place, (k, j) in enumerate(probes):
            values[place, k] = 1 if rows[k][j] else -1
        scores = Scores.from_array(
            values, ids[people + 1 :], ids[: people + 1], orientation="similarity", name=name
        )
        found.append(rank(scores, experiment, check_orientation=False))
    return found


def test_place_intervals_are_those_of_every_possible_draw():
    successes = {
        "A": [[1, 1], [1], [1, 0, 1], [0]],
        "B": [[1, 0], [1], [0, 0, 1], [1]],
        "C": [[0, 0], [0], [1, 1, 1], [0]],
    }
    outcomes = small_outcomes(successes)
    counts = np.array([[sum(own) for own in rows] for rows in successes.values()])
    sizes = np.array([2, 1, 3, 1])
    every = np.array(list(product(range(4), repeat=4)))
    drawn = counts[:, every].sum(axis=2) / sizes[every].sum(axis=1)
    placed = np.sort(1 + (drawn[None] > drawn[:, None] + 1e-12).sum(axis=1), axis=1)
    for level in (0.5, 0.7, 0.95):
        tail = (1 - level) / 2
        exact = placed[:, [int(np.ceil(tail * 256)) - 1, int(np.ceil((1 - tail) * 256)) - 1]]
        assert place_intervals(outcomes, 1, level, seed=4).T.tolist() == exact.tolist()
    assert place_intervals(small_outcomes({"A": [[1, 0]]}), 1, 0.95, 0) is None


def test_equal_rates_share_a_place_whatever_rounding_does():
    assert places(np.array([0.1 + 0.2, 0.3, 0.9, 0.2])).tolist() == [2, 2, 1, 4]


def test_the_test_is_pearsons_with_one_probe_each():
    rng = np.random.default_rng(2)
    drawn = [rng.random(n) < p for n, p in ((40, 0.7), (60, 0.5), (50, 0.8))]
    found, between = heterogeneity([small_outcomes({"A": [[int(s)] for s in one]})[0] for one in drawn], 1)
    table = np.array([[one.sum(), (~one).sum()] for one in drawn])
    oracle = stats.chi2_contingency(table, correction=False)
    assert found.statistic == pytest.approx(oracle.statistic)
    assert (found.degrees_of_freedom, found.p_value) == (2, pytest.approx(oracle.pvalue))
    # The moment estimate for weights w and Q: (Q − df)/(Σw − Σw²/Σw).
    common = table[:, 0].sum() / table.sum()
    weights = table.sum(axis=1) / (common * (1 - common))
    tau = (found.statistic - 2) / (weights.sum() - (weights**2).sum() / weights.sum())
    assert between == pytest.approx(np.sqrt(tau))
    assert tau > 0
    # With equal galleries it is the variance of the rates less what chance adds.
    alike = [small_outcomes({"A": [[1]] * wins + [[0]] * (40 - wins)})[0] for wins in (16, 24, 32)]
    _, between = heterogeneity(alike, 1)
    assert between**2 == pytest.approx(np.var([0.4, 0.6, 0.8], ddof=1) - 0.6 * 0.4 / 40)


def test_copies_of_a_probe_add_nothing():
    rng = np.random.default_rng(3)
    once = [[[int(s)] for s in rng.random(50) < p] for p in (0.6, 0.8)]
    thrice = [[own * 3 for own in one] for one in once]
    plain, copied = (
        heterogeneity([small_outcomes({"A": one})[0] for one in both], 1)[0] for both in (once, thrice)
    )
    # The variance of people's rates has n − 1 below it, the binomial one n.
    assert copied.statistic == pytest.approx(plain.statistic * 49 / 50)


@pytest.mark.parametrize(
    ("rates", "said"),
    [
        ((50, 50), "fewer than 5 independent"),
        ((49, 48), "fewer than 5 independent"),
        ((50,), "two galleries"),
    ],
)
def test_small_cells_are_not_tested(rates, said):
    outcomes = [small_outcomes({"A": [[1]] * wins + [[0]] * (50 - wins)})[0] for wins in rates]
    test, between = heterogeneity(outcomes, 1)
    assert said in str(test.notes[0])
    assert test.p_value is None
    assert between is None


def test_estimate_gives_the_mean_over_galleries():
    scores, experiment = population(np.random.default_rng(11), people=80)
    design = Galleries(5, seed=4)
    found = estimate(scores[0], experiment, measure=RATE, design=design)
    table = gallery_variation(scores[:1], experiment, measure=RATE, design=design)
    rates = [cell.rate for cell in table.cells]
    assert found.replicates.tolist() == rates
    assert found.value == pytest.approx(np.mean(rates))
    assert (found.low, found.high) == pytest.approx((table.rows[0].mean.low, table.rows[0].mean.high))
    assert found.standard_error == pytest.approx(stats.sem(rates))
    assert found.degrees_of_freedom == 4
    assert found.facts.n_probes == sum(cell.probes for cell in table.cells)
    assert found.seed == 4
    assert found.answers == table.answers
    assert estimate(scores[0], experiment, measure=RATE, design=Galleries(5, order="date")).seed is None
    json.dumps(found.to_dict(), allow_nan=False)


def test_estimate_takes_other_measures_over_galleries():
    scores, experiment = population(np.random.default_rng(11), people=80)
    parts = Galleries(4).parts(experiment)
    medians = [MedianCensoredRank(5)(scores[0], one.experiment).value for one in parts.galleries]
    assert estimate(
        scores[0], experiment, measure=MedianCensoredRank(5), design=Galleries(4)
    ).value == np.mean(medians)
    capped = RankStatistic(lambda ranks: float(np.minimum(ranks, 5).mean()), "mean rank up to 5")
    means = [np.minimum(rank(scores[0], one.experiment).ranks, 5).mean() for one in parts.galleries]
    assert estimate(scores[0], experiment, measure=capped, design=Galleries(4)).value == pytest.approx(
        np.mean(means)
    )
    endless = RankStatistic(np.mean, "mean rank")
    with pytest.raises(DesignError, match="finite"):
        estimate(scores[0], experiment, measure=endless, design=Galleries(4))


def test_galleries_that_do_not_vary_claim_nothing():
    ids = [f"{side}{k}" for side in "gp" for k in range(12)]
    samples = Samples({"id": ids, "subject": [name[1:] for name in ids]})
    experiment = Experiment(samples, gallery=ids[:12])
    perfect = Scores.from_array(np.eye(12), ids[12:], ids[:12], orientation="similarity", name="perfect")
    found = gallery_variation([perfect], experiment, measure=RATE, design=Galleries(3))
    assert not found.rows[0].mean.has_interval
    assert found.rows[0].standard_deviation == 0
    assert any("the mean has no interval" in str(note) for note in found.notes)
    alone = estimate(perfect, experiment, measure=RATE, design=Galleries(3))
    assert (alone.value, alone.low, alone.high) == (1, 0, 1)


def test_an_algorithm_that_compared_no_mates_has_an_empty_cell():
    scores, experiment = by_hand()
    cells = np.zeros((6, 6), dtype=np.uint8)
    cells[[0, 1, 2], [0, 0, 1]] = 1  # don't-care cells for every genuine pair of the first gallery
    blind = Scores.from_array(
        scores[0].values,
        scores[0].queries,
        scores[0].targets,
        orientation="similarity",
        name="blind",
        cells=cells,
    )
    found = gallery_variation(
        [blind, *scores], experiment, measure=RATE, design=Galleries(3, order="date"), check_orientation=False
    )
    assert [cell.rate for cell in found.of("blind")] == [None, 1 / 2, 1]
    assert [cell.place for cell in found.of("X")] == [1, 2, 1]
    assert any("blind compared no probe of gallery 1" in str(note) for note in found.notes)


def test_what_makes_no_sense_is_refused():
    scores, experiment = by_hand()
    design = Galleries(3, order="date")
    with pytest.raises(UsageError, match="recognition rate"):
        gallery_variation(scores, experiment, measure=CMC(), design=design)
    with pytest.raises(UsageError, match="have different names"):
        gallery_variation([scores[0], scores[0]], experiment, measure=RATE, design=design)
    with pytest.raises(UsageError, match="No algorithm was given"):
        gallery_variation([], experiment, measure=RATE, design=design)
    with pytest.raises(UsageError, match="Galleries"):
        gallery_variation(scores, experiment, measure=RATE, design="auto")
    with pytest.raises(UsageError, match="did you mean 'date'"):
        gallery_variation(
            scores, experiment, measure=RATE, design=design, ages="dat", check_orientation=False
        )
    with pytest.raises(UsageError, match="scores and an experiment"):
        estimate(
            rank(scores[0], experiment, check_orientation=False), experiment, measure=RATE, design=design
        )
    with pytest.raises(UsageError, match="finite population"):
        estimate(scores[0], experiment, measure=RATE, design=design, population=100)
    with pytest.raises(DesignError, match="measures of compared pairs"):
        estimate(scores[0], experiment, measure=FNMR(0.1), design=design)
    few = experiment.restricted(probes=experiment.probes[:3])
    with pytest.raises(DesignError, match="1 of 3 galleries has probes"):
        estimate(scores[0], few, measure=RATE, design=design)


def test_scores_the_wrong_way_round_are_noticed():
    ids = [f"{side}{k}" for side in "gp" for k in range(40)]
    samples = Samples({"id": ids, "subject": [name[1:] for name in ids]})
    values = np.random.default_rng(1).random((40, 40)) - 2 * np.eye(40)
    wrong = Scores.from_array(values, ids[40:], ids[:40], orientation="similarity")
    with pytest.raises(InputError, match="orientation"):
        gallery_variation([wrong], Experiment(samples, gallery=ids[:40]), measure=RATE, design=Galleries(2))
