from __future__ import annotations

import json
from dataclasses import dataclass

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
    assert flat.startswith(str(made.sentence()))
    assert f"Varying: {made.answers.varying}. Fixed: {made.answers.fixed}. Assuming: " in flat
    assert all(as_sentence(note) in flat for note in made.notes)
    brief = planned(words).stdout.splitlines()
    assert brief[:3] == [as_sentence(made.sentence()), "", f"Varying: {made.answers.varying}."]
    assert len(brief) <= 4


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("", "--half-width"),
        ("--subjects 100", "--events --subjects"),
        ("--rate 0.9", "either its half-width"),
        ("--half-width 0.01", "give --rate"),
        ("--rate 0.9 --half-width 0.01 --subjects 10", "either its half-width"),
        ("--rate 0.9 --half-width 0.01 --power 0.8", "--half-width and --power"),
        ("--half-width 0.01 --margin 0.1", "different questions"),
        ("--error-rate 0.1 --margin 0.1", "different questions"),
        ("--error-rate 0.1 --rate 0.1", "--rate has no part"),
        ("--events --error-rate 0.001", "leave one of them out"),
        ("--events", "either the error rate"),
        ("--error-rate 0.1 --subjects 10", "either the error rate"),
        ("--margin 0.01", "give --discordant"),
        ("--margin 0.01 --rate 0.9", "--independent"),
        ("--margin 0.01 --independent", "with --rate"),
        ("--margin 0.01 --discordant 0.1 --independent", "--independent"),
        ("--margin 0.01 --discordant 0.1 --rate 0.9 --independent", "--independent"),
        ("--margin 0.01 --discordant 0.1 --equivalence --non-inferiority", "exclude each other"),
        ("--discordant 0.1", "takes two"),
        ("--margin 0.1 --discordant 0.1", "impossible"),
        ("--margin 0.01 --discordant 0.1 --subjects 10 --power 0.8", "takes two"),
        ("--rate nan --half-width 0.01", "between 0 and 1"),
        ("--rate 0.9 --half-width inf", "between 0 and 0.5"),
        ("--rate 0.9 --half-width 0.01 -m 5", "intraclass correlation is needed"),
        ("--rate 0.9 --half-width 0.01 --level 95", "confidence level"),
        ("--rate 0.9 --subjects 0", "whole number"),
    ],
)
def test_wrong_combinations_exit_2_and_say_what_to_give(planned, words, told):
    done = planned(words)
    assert done.returncode == 2
    assert told in done.error


def test_what_cannot_be_had_exits_1(planned):
    done = planned("--rate 0.9 --half-width 1e-9")
    assert (done.returncode, "1,000,000,000 people" in done.error) == (1, True)
