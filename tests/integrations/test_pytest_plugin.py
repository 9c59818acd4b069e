"""The pytest plugin, in runs of pytest of its own."""

from __future__ import annotations

import tomllib
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import proband as pb

pytest_plugins = ["pytester"]
ROOT = Path(__file__).parents[2]
# An environment that was set up before the entry point was declared loads the plugin by name.
LOADED = any(one.value == "proband.pytest_plugin" for one in entry_points(group="pytest11"))
HOW = () if LOADED else ("-p", "proband.pytest_plugin")
MADE = """
import numpy as np
import pytest
import proband as pb

IDS = [f"s{k:02d}-{image}" for k in range(60) for image in "ab"]
SAMPLES = pb.Samples({"id": IDS, "subject": [one[:3] for one in IDS], "image": [one[-1] for one in IDS]})
EXPERIMENT = pb.Experiment(SAMPLES, gallery="image == 'a'")
OWN = np.repeat(np.arange(60), 2)
RNG = np.random.default_rng(2)

def scores(name, lift):
    values = RNG.normal(size=(120, 120)) + lift * np.equal.outer(OWN, OWN)
    return pb.Scores.from_array(values, IDS, orientation="similarity", name=name)

GOOD, POOR = scores("good", 6.0), scores("poor", 0.5)
"""


@pytest.fixture(scope="module", autouse=True)
def _loaded() -> None:
    """A run in this process takes back what it imports, so everything is imported before."""
    given: dict[str, Any] = {}
    exec(MADE, given)
    for measure in ("rank-1", "auc"):
        pb.gate(given["GOOD"], given["EXPERIMENT"], baseline=given["POOR"], measure=measure, margin=0.01)


def ran(pytester: pytest.Pytester, body: str, *options: str) -> pytest.RunResult:
    pytester.makepyfile(MADE + body)
    return pytester.runpytest_inprocess("-p", "no:cacheprovider", *HOW, *options)


PASSES = """
def test_passes(assert_not_worse):
    found = assert_not_worse(GOOD, POOR, EXPERIMENT, margin=0.05)
    assert found.decision == "pass"
"""
FAILS = """
def test_fails(assert_not_worse):
    assert_not_worse(POOR, GOOD, EXPERIMENT, margin=0.05)
"""
UNDECIDED = """
def test_undecided(assert_not_worse):
    assert_not_worse(GOOD, GOOD, EXPERIMENT, margin=0.01)
"""


def test_the_entry_point_is_declared() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["entry-points"]["pytest11"] == {"proband": "proband.pytest_plugin"}


def test_a_failure_names_the_verdict_the_interval_and_what_would_decide(pytester: pytest.Pytester) -> None:
    done = ran(pytester, PASSES + FAILS, "--junit-xml=j.xml")
    done.assert_outcomes(passed=1, failed=1)
    done.stdout.fnmatch_lines(
        [
            "*GateError: Fail: poor is worse than good by more than 5 points. *one-sided bounds*",
            "*poor: recognition rate at rank 1 0.*95% [[]*",
            "*good: recognition rate at rank 1 *95% [[]*",
            "*This test has 60 people; about * are needed for an equally good algorithm to pass 80% of the time.",
        ]
    )
    assert "pytest_plugin.py" not in done.stdout.str()
    cases = ElementTree.parse(pytester.path / "j.xml").getroot().iter("testcase")
    said = {
        case.get("name"): {one.get("name"): one.get("value") for one in case.iter("property")}
        for case in cases
    }
    assert said["test_passes"]["proband.decision"] == "pass"
    assert float(said["test_fails"]["proband.gain_high"] or 0) < -0.05


def test_undecided_fails_unless_something_else_is_asked(pytester: pytest.Pytester) -> None:
    ran(pytester, UNDECIDED).assert_outcomes(failed=1)


@pytest.mark.parametrize(
    ("answer", "outcome"), [("xfail", "xfailed"), ("skip", "skipped"), ("pass", "passed"), ("fail", "failed")]
)
def test_undecided_does_what_is_asked(pytester: pytest.Pytester, answer: str, outcome: str) -> None:
    ran(pytester, UNDECIDED, f"--proband-undecided={answer}").assert_outcomes(**{outcome: 1})
    pytester.makeini(f"[pytest]\nproband_undecided = {answer}\n")
    ran(pytester, UNDECIDED).assert_outcomes(**{outcome: 1})
    asked = UNDECIDED.replace("0.01)", f"0.01, undecided={answer!r})")
    ran(pytester, asked, "--proband-undecided=fail").assert_outcomes(**{outcome: 1})


def test_an_answer_that_is_not_known_is_refused(pytester: pytest.Pytester) -> None:
    done = ran(pytester, UNDECIDED.replace("0.01)", "0.01, undecided='skipp')"))
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(
        ["*There is no answer 'skipp' to an undecided gate.*", "*did you mean 'skip'?*"]
    )


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("GOOD, POOR, EXPERIMENT, margin='1%'", "write 0.01 for 1%"),
        ("GOOD, POOR, EXPERIMENT, confidence_level='x'", "confidence_level should be a number"),
        ("GOOD, POOR, EXPERIMENT, mesure='auc'", "did you mean 'measure'"),
        ("np.zeros((3, 3)), POOR, EXPERIMENT", "scores should be Scores"),
        ("GOOD, 'old.npz', EXPERIMENT", "baseline should be Scores"),
        ("GOOD, POOR, EXPERIMENT, seed='x', design='bootstrap'", "seed should be a whole number"),
        ("GOOD, POOR", "pass one: Experiment(samples, gallery=…)"),
    ],
)
def test_arguments_are_refused_as_by_gate(pytester: pytest.Pytester, call: str, said: str) -> None:
    done = ran(pytester, f"def test_wrong(assert_not_worse):\n    assert_not_worse({call})")
    done.stdout.fnmatch_lines([f"*{said}*"])
    assert "UsageError" in done.stdout.str()


def test_other_measures_need_a_table_alone(pytester: pytest.Pytester) -> None:
    body = """
def test_pairs(assert_not_worse):
    assert assert_not_worse(GOOD, POOR, SAMPLES, measure="auc", margin=0.01).measure == "auc"
"""
    ran(pytester, body).assert_outcomes(passed=1)


def test_the_plugin_loads_nothing_heavy(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        "import sys\ndef test_light():\n    assert not {'numpy', 'polars', 'numba', 'matplotlib'} & set(sys.modules)\n"
    )
    done = pytester.runpytest_subprocess("-p", "no:cacheprovider", *HOW)
    done.assert_outcomes(passed=1)
