from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest
import typer

from proband.cli.plan import plan
from proband.errors import ProbandError
from proband.inference.planning.planning import plan_difference, plan_error_rate, plan_half_width
from proband.words import as_sentence

program = typer.Typer(pretty_exceptions_enable=False)
program.command()(plan)


@dataclass(frozen=True)
class Done:
    returncode: int
    stdout: str
    error: str


@pytest.fixture
def planned(capsys: pytest.CaptureFixture[str]):
    def run(words: str) -> Done:
        try:
            program(words.split(), standalone_mode=False)
        except ProbandError as error:
            return Done(error.exit_code, "", str(error))
        return Done(0, capsys.readouterr().out, "")

    return run


FINE = [
    (
        "--rate 0.95 --half-width 0.01 --probes-per-subject 5 --icc 0.2",
        lambda: plan_half_width(0.95, 0.01, probes_per_subject=5, icc=0.2),
    ),
    ("--rate 1 --subjects 300 --level 0.9", lambda: plan_half_width(1.0, subjects=300, confidence_level=0.9)),
    (
        "--rate 0.9 --half-width 0.05 -m 5 --icc -0.25",
        lambda: plan_half_width(0.9, 0.05, probes_per_subject=5, icc=-0.25),
    ),
    (
        "--rate 0.95 --half-width 0.02 -m 4.5 --probes-cv 0.8 --icc 0.2 --assurance 0.8",
        lambda: plan_half_width(0.95, 0.02, probes_per_subject=4.5, probes_cv=0.8, icc=0.2, assurance=0.8),
    ),
    (
        "--rate 0.95 --half-width 0.02 -m 1,2,12 --icc 0.2",
        lambda: plan_half_width(0.95, 0.02, probes_per_subject=[1, 2, 12], icc=0.2),
    ),
    ("--margin 0.01 --discordant 0.06", lambda: plan_difference(0.01, discordant=0.06)),
    (
        "--margin 0.01 --discordant 0.06 --power 0.9 -m 3 --icc 0.1",
        lambda: plan_difference(0.01, discordant=0.06, power=0.9, probes_per_subject=3, icc=0.1),
    ),
    ("--margin 0.01 --discordant 0.06 -n 900", lambda: plan_difference(0.01, discordant=0.06, subjects=900)),
    (
        "--discordant 0.06 --subjects 900 --power 0.9",
        lambda: plan_difference(discordant=0.06, subjects=900, power=0.9),
    ),
    (
        "--margin 0.02 --discordant 0.06 --equivalence",
        lambda: plan_difference(0.02, discordant=0.06, aim="equivalence"),
    ),
    (
        "--margin 0.02 --rate 0.9 --independent --non-inferiority",
        lambda: plan_difference(0.02, rate=0.9, aim="non-inferiority"),
    ),
    ("--margin 0.02 --rate 0.9 --independent", lambda: plan_difference(0.02, rate=0.9)),
    ("--error-rate 0.001", lambda: plan_error_rate(0.001)),
    (
        "--events --subjects 500 -m 2 --icc 1",
        lambda: plan_error_rate(subjects=500, probes_per_subject=2, icc=1.0),
    ),
]


@pytest.mark.parametrize(("words", "make"), FINE)
def test_is_the_library_s_plan(planned, words, make):
    made = make()
    assert json.loads(planned(f"{words} --json").stdout) == json.loads(json.dumps(made.to_dict()))
    shown = planned(f"{words} --explain").stdout
    flat = " ".join(shown.split())
    assert flat.startswith(as_sentence(made.sentence()))
    assert f"What varies: {made.answers.varying}. Held fixed: {made.answers.fixed}. Assumed: " in flat
    assert all(as_sentence(note) in flat for note in made.notes)
    brief = planned(words).stdout.splitlines()
    assert brief[:3] == [as_sentence(made.sentence()), "", f"What varies: {made.answers.varying}."]
    assert len(brief) <= 4


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("", "--half-width"),
        ("--subjects 100", "--events --subjects"),
        ("--rate 0.9", "either the half-width"),
        ("--half-width 0.01", "the rate expected"),
        ("--rate 0.9 --half-width 0.01 --subjects 10", "either the half-width"),
        ("--rate 0.9 --half-width 0.01 --power 0.8", "--half-width and --power"),
        ("--half-width 0.01 --margin 0.1", "cannot be combined"),
        ("--error-rate 0.1 --margin 0.1", "cannot be combined"),
        ("--error-rate 0.1 --rate 0.1", "--rate has no effect"),
        ("--events --error-rate 0.001", "leave one of them out"),
        ("--events", "either the error rate"),
        ("--error-rate 0.1 --subjects 10", "either the error rate"),
        ("--margin 0.01 --power 2", "power must be"),
        ("--margin 0.3", "impossible"),
        ("--rank 2 --margin 0.01", "--rank applies to a pilot"),
        ("--margin 0.01 --samples x.csv", "--samples applies to a pilot"),
        ("--margin 0.01 -g all", "--gallery applies to a pilot"),
        ("--margin 0.01 --rate 0.9", "--independent"),
        ("--margin 0.01 --independent", "with --rate"),
        ("--margin 0.01 --discordant 0.1 --independent", "--independent"),
        ("--margin 0.01 --discordant 0.1 --rate 0.9 --independent", "--independent"),
        ("--margin 0.01 --discordant 0.1 --equivalence --non-inferiority", "cannot be combined"),
        ("--discordant 0.1", "needs two"),
        ("--margin 0.1 --discordant 0.1", "impossible"),
        ("--margin 0.01 --discordant 0.1 --subjects 10 --power 0.8", "needs two"),
        ("--rate nan --half-width 0.01", "between 0 and 1"),
        ("--rate 0.9 --half-width inf", "between 0 and 0.5"),
        ("--rate 0.9 --half-width 0.01 -m 5", "needs their intraclass correlation"),
        ("--rate 0.9 --half-width 0.01 --level 95", "confidence level"),
        ("--rate 0.9 --subjects 0", "whole number"),
    ],
)
def test_wrong_combinations_exit_2_and_say_what_to_give(planned, words, told):
    done = planned(words)
    assert done.returncode == 2
    assert told in done.error


def test_without_a_share_there_is_a_row_for_each_guess(planned):
    done = planned("--margin 0.03 --json")
    plans = json.loads(done.stdout)["plans"]
    assert [(one["discordant"], one["subjects"]) for one in plans] == [
        (share, plan_difference(0.03, discordant=share).subjects) for share in (0.05, 0.1, 0.2)
    ]
    shown = planned("--margin 0.03").stdout
    assert "10%                   870     870    3 points    80%" in shown
    assert "No plan is possible for 2% discordant probes." in shown
    assert "only one of the two algorithms is correct" in shown
    assert "0.02" not in planned("--margin 0.03").error
    powers = json.loads(planned("--margin 0.01 -n 900 --json").stdout)["plans"]
    assert [one["found"] for one in powers] == ["power"] * 4
    margins = json.loads(planned("--power 0.9 -n 5000 --json").stdout)["plans"]
    assert [one["found"] for one in margins] == ["margin"] * 4


@pytest.fixture
def pilot(study: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(study)
    return "-s samples.csv --orientation similarity"


def test_a_pilot_says_how_often_two_disagree(planned, pilot, study):
    done = planned(f"--from scores.npz {pilot} --margin 0.1")
    assert done.returncode == 0, done.error
    flat = " ".join(done.stdout.split())
    assert (
        "From the pilot (12 probes of 12 people): good and poor disagree on 41.7% of probes at rank 1" in flat
    )
    assert "At the limits of that interval, the result is" in flat
    assert "Caution: the pilot has 12 people" in flat
    told = json.loads(planned(f"--from scores.npz {pilot} --margin 0.1 --json").stdout)
    assert told["discordant"] == pytest.approx(5 / 12)
    assert told["subjects"] == plan_difference(0.1, discordant=5 / 12).subjects
    assert told["pilot"]["value"] == pytest.approx(5 / 12)
    low, high = told["pilot"]["low"], told["pilot"]["high"]
    assert low < 5 / 12 < high
    assert told["pilot"]["at_high"] == plan_difference(0.1, discordant=high).subjects
    two = json.loads(
        planned(f"--from scores.npz::good --from scores.npz::poor {pilot} --margin 0.1 --json").stdout
    )
    assert two == told


def test_a_pilot_of_one_algorithm_has_a_rate(planned, pilot):
    one = f"--from scores.npz::good {pilot}"
    told = json.loads(planned(f"{one} --half-width 0.05 --json").stdout)
    assert (told["rate"], told["subjects"]) == (11 / 12, plan_half_width(11 / 12, 0.05).subjects)
    alone = planned(f"{one} -n 300").stdout
    assert "good recognises 91.7% of probes at rank 1" in " ".join(alone.split())
    apart = json.loads(planned(f"{one} --independent --margin 0.05 --json").stdout)
    assert apart["subjects"] == plan_difference(0.05, rate=11 / 12).subjects
    twice = json.loads(planned(f"{one} --half-width 0.05 -m 3 --icc 0.2 --json").stdout)
    assert (twice["probes_per_subject"], twice["icc"]) == (3, 0.2)
    ranked = json.loads(planned(f"{one} --rank 2 -n 300 --json").stdout)
    assert (ranked["rate"], ranked["pilot"]["rank"]) == (1.0, 2)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("--from scores.npz", "No goal was specified"),
        ("--from scores.npz --half-width 0.05", "one algorithm, got good and poor"),
        ("--from scores.npz::good --margin 0.05", "needs two algorithms"),
        ("--from scores.npz --margin 0.05 --independent", "needs two algorithms"),
        ("--from scores.npz --margin 0.05 --discordant 0.1", "given both directly and by a pilot"),
        ("--from scores.npz::good --half-width 0.05 --rate 0.9", "given both directly and by a pilot"),
        ("--from scores.npz --error-rate 0.01", "no effect on the rules"),
    ],
)
def test_what_a_pilot_cannot_say(planned, pilot, words, told):
    done = planned(f"{words} {pilot}")
    assert (done.returncode, told in done.error) == (2, True), done.error


def test_what_cannot_be_had_exits_1(planned):
    done = planned("--rate 0.9 --half-width 1e-9")
    assert (done.returncode, "1,000,000,000 people" in done.error) == (1, True)
