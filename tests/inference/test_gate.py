"""A gate is the comparison, read by its bounds: direction, power and agreement with everything else that is known of it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.special import ndtr

from proband import Experiment, Samples, Scores, compare, gate
from proband.errors import GateError, UsageError
from proband.inference.comparisons.compare import comparison_of
from proband.inference.comparisons.gate import EXIT_CODES, Gate, gate_of
from proband.inference.comparisons.paired import Tested as Difference
from proband.inference.comparisons.testing.curves import Student
from proband.inference.procedures import Joint, Question
from proband.measures import AUC, FNMR, MedianCensoredRank, RecognitionRate
from proband.planning import plan_difference
from proband.words import Method


def _scores(lift: float, name: str, people: int = 40, images: int = 3, seed: int = 1) -> Scores:
    rng = np.random.default_rng(seed)
    who = np.repeat(np.arange(people), images)
    ids = [f"s{k}-{n}" for n, k in enumerate(who)]
    values = rng.normal(size=(len(who), len(who)))
    values = (values + values.T) / 2 + lift * np.equal.outer(who, who)
    return Scores.from_array(values, ids, orientation="similarity", name=name)


def _table(scores: Scores) -> Samples:
    return Samples({"id": list(scores.queries), "subject": [one.partition("-")[0] for one in scores.queries]})


def _first_each(samples: Samples) -> Experiment:
    firsts = samples.frame.group_by("subject", maintain_order=True).first()["id"].to_list()
    return Experiment(samples, gallery=firsts)


def _judged(
    difference: float, error: float, margin: float = 0.01, upward: bool = True, level: float = 0.95
) -> Gate:
    measure = RecognitionRate(1) if upward else FNMR(0.01)
    question = Question.of(measure, {"new": None, "old": None}, None, "auto", level, 0)
    tested = Difference(difference, Student(difference, error, None), error, Method("t", "a test"))
    return gate_of(comparison_of(question, Joint((), (("new", "old", 100, tested),), None), margin), "m")  # type: ignore[arg-type]


@pytest.mark.parametrize("upward", [True, False])
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("error", [0.001, 0.004, 0.02])
@pytest.mark.parametrize("gain", [-0.05, -0.02, -0.012, -0.01, -0.008, 0.0, 0.03])
def test_it_decides_by_bounds_whichever_way_a_measure_points(
    gain: float, error: float, sign: int, upward: bool
) -> None:
    found = _judged(gain * sign * (1 if upward else -1), error, upward=upward)
    gain *= sign
    low, high = gain - 1.6448536 * error, gain + 1.6448536 * error
    expected = "pass" if low > -0.01 else "fail" if high < -0.01 else "undecided"
    assert (found.decision, round(found.gain, 9)) == (expected, round(gain, 9))
    assert found.exit_code == EXIT_CODES[found.decision] == {"pass": 0, "fail": 3, "undecided": 4}[expected]
    # Never at odds with the comparison it is read from.
    verdict = found.difference.verdict
    assert not (found.decision == "fail" and verdict in ("better", "equivalent"))
    assert not (found.decision == "pass" and found.difference.not_inferior is False)
    assert (found.decision == "pass") == bool(found.difference.not_inferior)


def test_the_chances_are_those_of_drawing_again() -> None:
    found = _judged(0.0, 0.006)
    rng = np.random.default_rng(3)
    equal, worse = (truth + 0.006 * rng.normal(size=200_000) for truth in (0.0, -0.02))
    reach = 1.6448536 * 0.006
    assert found.pass_if_equal == pytest.approx(np.mean(equal - reach > -0.01), abs=0.005)
    assert found.fail_if_twice_worse == pytest.approx(np.mean(worse + reach < -0.01), abs=0.005)
    # With as many people as it names, the chance is 0.8.
    assert found.subjects_needed is None or found.n_subjects == 0
    scale = ((1.6448536 + 0.8416212) * 0.006 / 0.01) ** 2
    assert ndtr(0.01 / (0.006 / np.sqrt(scale)) - 1.6448536) == pytest.approx(0.8)


def test_the_power_is_that_of_the_plan() -> None:
    """Two algorithms that each miss four others of 200 people."""
    ids = [f"{side}{k}" for side in "gp" for k in range(200)]
    samples = Samples({"id": ids, "subject": [name[1:] for name in ids]})
    row, eye = np.arange(200)[:, None], np.eye(200)
    values = np.where(row < 4, 0.5, eye), np.where((row > 3) & (row < 8), 0.5, eye)
    new, old = (
        Scores.from_array(one, ids[200:], ids[:200], orientation="similarity", name=name)
        for one, name in zip(values, ("new", "old"), strict=True)
    )
    found = gate(new, Experiment(samples, gallery=ids[:200]), baseline=old, margin=0.04)
    plan = plan_difference(margin=0.04, discordant=8 / 200, subjects=200, aim="non-inferiority")
    assert found.n_subjects == 200
    assert found.pass_if_equal == pytest.approx(plan.power, abs=0.05)
    needed = plan_difference(margin=0.04, discordant=8 / 200, power=0.8, aim="non-inferiority").subjects
    assert found.subjects_needed == pytest.approx(needed, rel=0.2)


@pytest.mark.parametrize("measure", [RecognitionRate(1), "fnmr@0.05", AUC(), MedianCensoredRank(5)])
def test_it_says_what_the_comparison_says(measure: object) -> None:
    good, poor = _scores(2.0, "new"), _scores(1.2, "old", seed=2)
    samples = _table(good)
    pairs = isinstance(measure, AUC | str)
    within = samples if pairs else _first_each(samples)
    margin = 0.5 if isinstance(measure, MedianCensoredRank) else 0.02
    found = gate(good, within, baseline=poor, measure=measure, margin=margin)  # type: ignore[arg-type]
    named = FNMR(0.05) if isinstance(measure, str) else measure
    (pair,) = compare([good, poor], within, measure=named, margin=margin).pairs  # type: ignore[arg-type]
    assert found.difference == pair
    assert found.decision == "pass"
    assert found.gain > 0
    back = gate(poor, within, baseline=good, measure=measure, margin=margin)  # type: ignore[arg-type]
    assert back.gain == pytest.approx(-found.gain)
    assert (back.gain_low, back.gain_high) == pytest.approx((-found.gain_high, -found.gain_low))


def test_an_algorithm_against_itself_passes_once_people_are_enough() -> None:
    for people, decision in ((60, "undecided"), (400, "pass")):
        ids = [f"{side}{k}" for side in "gp" for k in range(people)]
        samples = Samples({"id": ids, "subject": [name[1:] for name in ids]})
        same = Scores.from_array(
            np.eye(people), ids[people:], ids[:people], orientation="similarity", name="net"
        )
        found = gate(same, Experiment(samples, gallery=ids[:people]), baseline=same, margin=0.01)
        assert (found.decision, found.candidate, found.baseline) == (decision, "candidate", "baseline")
        assert found.subjects_needed is not None
        assert 200 < found.subjects_needed < 320  # ln 0.05/ln 0.99 = 298


def test_a_test_can_require_it() -> None:
    passed, failed, open_ = _judged(0.0, 0.001), _judged(-0.05, 0.001), _judged(0.0, 0.02)
    assert passed.require() is passed
    assert open_.require(undecided=True) is open_
    for one, word in ((failed, "Fail: new is worse"), (open_, "Undecided")):
        with pytest.raises(AssertionError, match=word) as raised:
            one.require()
        assert isinstance(raised.value, GateError)
    with pytest.raises(GateError):
        failed.require(undecided=True)


def test_what_cannot_be_judged_is_refused_or_undecided() -> None:
    with pytest.raises(UsageError, match=r"above 0\.5"):
        _judged(0.0, 0.001, level=0.4)
    good, poor = _scores(2.0, "new"), _scores(1.2, "old", seed=2)
    with pytest.raises(UsageError, match="needs a margin"):
        gate(good, _first_each(_table(good)), baseline=poor, measure=MedianCensoredRank(5))
    nothing = _judged(0.0, 0.0)
    assert nothing.decision == "undecided"
    assert nothing.pass_if_equal is None


@pytest.mark.long
def test_a_gate_is_asserted_in_pytest(tmp_path: Path) -> None:
    """As docs/how-to/gate.md has it: one test passes, one fails with the sentence, and undecided may pass."""
    (tmp_path / "test_release.py").write_text(
        """
import numpy as np
import proband as pb

ids = [f"{side}{k}" for side in "gp" for k in range(300)]
samples = pb.Samples({"id": ids, "subject": [name[1:] for name in ids]})
row = np.arange(300)[:, None]

def model(name, missed):
    values = np.where(row < missed, 0.5, np.eye(300))
    return pb.Scores.from_array(values, ids[300:], ids[:300], orientation="similarity", name=name)

def gate(missed):
    return pb.gate(model("new", missed), pb.Experiment(samples, gallery=ids[:300]), baseline=model("old", 3), margin=0.02)

def test_as_good():
    gate(3).require()

def test_worse():
    gate(60).require()

def test_not_known():
    gate(8).require(undecided=True)

def test_not_shown():
    gate(8).require()
"""
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-rA", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "2 failed, 2 passed" in done.stdout
    assert "GateError: Fail: new is worse than old by more than 2 points" in done.stdout
    assert (
        "GateError: Undecided: the data do not show whether new is worse than old by 2 points" in done.stdout
    )


def test_power_counts_what_varies() -> None:
    new, old = _scores(1.0, "new", seed=1), _scores(1.0, "old", seed=2)
    experiment = _first_each(_table(new))
    people, probes = (
        gate(new, experiment, baseline=old, margin=0.05, design=one) for one in ("auto", "binomial")
    )
    assert "This test has 40 people" in " ".join(map(str, people.sentences()))
    assert "This test has 80 probes" in " ".join(map(str, probes.sentences()))
    assert probes.subjects_needed == plan_of(probes)


def plan_of(found: Gate) -> int:
    """The probes at which the lower bound of an equal algorithm lies 0.84 standard errors above the margin."""
    (pair,) = found.comparison.pairs
    reach = found.gain - found.gain_low
    error = (found.gain_high - found.gain_low) / (2 * 1.6448536269514722)
    return int(np.ceil(80 * ((reach + 0.8416212335729143 * error) / pair.margin) ** 2))
