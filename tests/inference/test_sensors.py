"""Sensors compared on the same people: against McNemar, the textbook and a simulation of people who differ."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest
from scipy.stats import t

import proband as pb
from proband.designs import BRR, Fay, Jackknife, RaoWu
from proband.errors import DesignError, UsageError
from proband.measures import Outcomes
from proband.samples import Experiment, Samples


def probes_of(person, camera, success, site=None, gallery_camera: str = "g") -> Outcomes:
    """Probes of people by camera, that succeed or do not."""
    people = list(dict.fromkeys(person))
    site = ["x"] * len(person) if site is None else site
    where = dict(zip(person, site, strict=True))
    ids = [f"g{k}" for k in range(len(people))] + [f"p{k}" for k in range(len(person))]
    table = Samples(
        {
            "id": ids,
            "subject": [str(p) for p in (*people, *person)],
            "camera": [gallery_camera] * len(people) + list(camera),
            "site": [where[p] for p in people] + list(site),
        }
    )
    experiment = Experiment(table, gallery=ids[: len(people)])
    n = len(person)
    return Outcomes(
        algorithm="net", experiment=experiment, probes=experiment.probes.copy(), closer=1 - np.asarray(success, dtype=np.int64),
        tied=np.zeros(n, dtype=np.int64), best_mates=np.ones(n, dtype=np.int64), failed=np.zeros(n, dtype=bool),
        ties="pessimistic", counting="images", on_failure="miss", n_ranks=2, n_unmated=0, n_gallery_failed=0,
    )  # fmt: skip


def test_one_probe_each_is_mcnemar():
    rng = np.random.default_rng(0)
    a, b = rng.random(60) < 0.9, rng.random(60) < 0.6
    outcomes = probes_of([*range(60)] * 2, ["A"] * 60 + ["B"] * 60, [*a, *b])
    (pair,) = pb.strat.compare_sensors(outcomes, by="camera").pairs
    sf, fs = int((a & ~b).sum()), int((b & ~a).sum())
    n = sf + fs
    tail = sum(comb(n, k) for k in range(min(sf, fs) + 1)) / 2**n
    assert pair.p_value == pytest.approx(min(1, 2 * tail - comb(n, sf) / 2**n))
    assert pair.value == pytest.approx(a.mean() - b.mean())
    low, high = pb.stats.tango_interval(pb.stats.PairedOutcomes.of(a.astype(float), b.astype(float)))
    assert (pair.low, pair.high) == pytest.approx((low, high), abs=1e-6)


@pytest.fixture(scope="module")
def several() -> tuple[Outcomes, np.ndarray, np.ndarray, np.ndarray]:
    """Twelve people at three sites, two to four probes of each camera."""
    rng = np.random.default_rng(3)
    person, camera, success = [], [], []
    for who in range(12):
        own = rng.random()
        for name, less in (("A", 0.0), ("B", 0.25)):
            m = int(rng.integers(2, 5))
            person += [who] * m
            camera += [name] * m
            success += (rng.random(m) < max(own - less, 0.05)).tolist()
    site = [f"s{p // 4}" for p in person]
    return probes_of(person, camera, success, site), np.array(person), np.array(camera), np.array(success)


def means_of(person, camera, success, name):
    return np.array([success[(person == p) & (camera == name)].mean() for p in range(12)])


def test_people_and_strata_by_the_textbook(several):
    outcomes, person, camera, success = several
    a, b = (means_of(person, camera, success, name) for name in "AB")
    over = pb.strat.compare_sensors(outcomes, by="camera")
    (pair,) = over.pairs
    assert pair.value == pytest.approx((a - b).mean())
    assert [one.value for one in over.estimates] == pytest.approx([a.mean(), b.mean()])
    assert over.answers.varying.key == "people"
    for design in (BRR, Fay, Jackknife):
        found = pb.strat.compare_sensors(outcomes, by="camera", design=design("site", units="subject"))
        (pair,) = found.pairs
        apart = (a - b).reshape(3, 4)
        error = np.sqrt((apart.var(axis=1, ddof=1) / 4).sum()) / 3
        assert pair.value == pytest.approx((a - b).mean())
        assert (pair.high - pair.low) / 2 == pytest.approx(t.ppf(0.975, 9) * error)
        assert found.answers.varying.key == "people-within-strata"
        assert found.estimates[0].value - found.estimates[1].value == pytest.approx(pair.value)


def test_images_of_these_people_are_not_paired(several):
    outcomes, person, camera, success = several
    (pair,) = pb.strat.compare_sensors(outcomes, by="camera", design=BRR()).pairs
    variance, free = 0.0, 0
    for p in range(12):
        for name in "AB":
            own = success[(person == p) & (camera == name)]
            variance += own.var(ddof=1) / len(own) / 144
            free += len(own) - 1
    assert (pair.high - pair.low) / 2 == pytest.approx(t.ppf(0.975, free) * np.sqrt(variance))
    (welch,) = pb.strat.compare_sensors(outcomes, by="camera", design=BRR(degrees_of_freedom="cochran")).pairs
    assert welch.high - welch.low > pair.high - pair.low


def test_who_is_left_out_is_said(several):
    _, person, camera, success = several
    kept = ~((person == 0) & (camera == "B"))
    part = probes_of(person[kept].tolist(), camera[kept].tolist(), success[kept], gallery_camera="A")
    found = pb.strat.compare_sensors(part, by="camera")
    codes = {note.code: str(note) for note in found.notes}
    assert codes["sensors.left-out"].startswith("1 of 12 people")
    assert "sensors.one-gallery" in codes
    assert found.estimates[0].facts.n_probe_subjects == 11


def test_refused(several):
    outcomes, *_ = several
    for options, match in (
        ({"by": "lens"}, "no column 'lens'"),
        ({"by": "site"}, "people have probes of every site"),
        ({"by": "camera", "design": RaoWu()}, "does not apply to differences between sensors"),
        ({"by": "camera", "design": BRR(units="site")}, "paired by person"),
        ({"by": "camera", "design": BRR("site")}, "people must be the units"),
    ):
        with pytest.raises((DesignError, UsageError), match=match):
            pb.strat.compare_sensors(outcomes, **options)
    one = probes_of([*range(4)] * 2, ["A"] * 4 + ["B"] * 4, [1, 0, 1, 1, 0, 0, 1, 0])
    with pytest.raises(DesignError, match="one probe of camera A"):
        pb.strat.compare_sensors(one, by="camera", design=BRR())
    with pytest.raises(DesignError, match="nothing to compare"):
        pb.strat.compare_sensors(probes_of([0, 1], ["A", "A"], [1, 1]), by="camera")


@pytest.mark.long
@pytest.mark.parametrize("design", ["auto", Jackknife("site", units="subject")])
def test_coverage_and_level_for_new_people(design):
    """Skewed people with unequal numbers of probes by camera; the true difference is covered, and no difference seldom rejected."""
    rng = np.random.default_rng(8)
    for less in (0.0, 0.1):
        covered = rejected = 0
        times = 300
        for _ in range(times):
            person, camera, success = [], [], []
            for who in range(48):
                own = rng.beta(2.0, 0.5)
                for name, fall in (("A", 0.0), ("B", less)):
                    m = int(rng.integers(1, 6))
                    rate = own * (1 - fall)
                    person += [who] * m
                    camera += [name] * m
                    success += (rng.random(m) < rate).tolist()
            outcomes = probes_of(person, camera, success, [f"s{p // 8}" for p in person])
            (pair,) = pb.strat.compare_sensors(outcomes, by="camera", design=design).pairs
            covered += pair.low <= less * 0.8 <= pair.high
            rejected += pair.p_value <= 0.05
        assert covered / times > 0.92
        if less == 0:
            assert rejected / times < 0.08
