"""``proband plan``: how large a test must be, before anything is measured."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from proband.cli import options as o
from proband.cli.console import print_json, say, say_below
from proband.cli.inputs import numbers, whole_numbers

if TYPE_CHECKING:
    from proband.inference.planning.plans import Aim, Plan

_INTERVAL, _DIFFERENCE, _ERRORS = "Interval of a rate", "Difference of two algorithms", "Rare errors"
_PEOPLE = "People"
# What each question takes; --rate alone belongs to two of them.
_TAKES = {
    _INTERVAL: ("--half-width", "--assurance", "--rate"),
    _DIFFERENCE: (
        "--margin",
        "--discordant",
        "--independent",
        "--equivalence",
        "--non-inferiority",
        "--power",
        "--rate",
    ),
    _ERRORS: ("--error-rate", "--events"),
}
_WAYS = (
    "give --rate with --half-width for an interval; --margin with --discordant (or with --independent --rate) for a difference; "
    "--error-rate for rare errors. With --subjects the wanted one is worked out: --rate --subjects, --discordant --subjects, "
    "--events --subjects."
)


def plan(
    rate: Annotated[
        float | None, typer.Option(help="Rate expected, e.g. 0.95.", rich_help_panel=_INTERVAL)
    ] = None,
    half_width: Annotated[
        float | None,
        typer.Option(help="Half-width wanted: 0.01 is one point either side.", rich_help_panel=_INTERVAL),
    ] = None,
    assurance: Annotated[
        float | None,
        typer.Option(
            help="Chance that the interval is no wider, e.g. 0.8; without it, the width at the expected rate.",
            rich_help_panel=_INTERVAL,
        ),
    ] = None,
    margin: Annotated[
        float | None,
        typer.Option(
            help="Smallest difference worth having. Declare it; never take the one observed.",
            rich_help_panel=_DIFFERENCE,
        ),
    ] = None,
    discordant: Annotated[
        float | None,
        typer.Option(
            help="Share of probes expected to be recognised by only one of two algorithms on the same probes.",
            rich_help_panel=_DIFFERENCE,
        ),
    ] = None,
    independent: Annotated[
        bool,
        typer.Option(
            "--independent",
            help="Two data sets of different people, each of the size found; give --rate instead of --discordant.",
            rich_help_panel=_DIFFERENCE,
        ),
    ] = False,
    equivalence: Annotated[
        bool,
        typer.Option(
            "--equivalence",
            help="Show that algorithms that do not differ are within the margin (two one-sided tests).",
            rich_help_panel=_DIFFERENCE,
        ),
    ] = False,
    non_inferiority: Annotated[
        bool,
        typer.Option(
            "--non-inferiority",
            help="Show that one that does not differ is not worse by the margin (one-sided).",
            rich_help_panel=_DIFFERENCE,
        ),
    ] = False,
    power: Annotated[
        float | None,
        typer.Option(
            help="Chance of success wanted; 0.8 unless said. Worked out with --margin and --subjects.",
            rich_help_panel=_DIFFERENCE,
        ),
    ] = None,
    error_rate: Annotated[
        float | None,
        typer.Option(help="Error rate to be told: the rules of 3 and of 30.", rich_help_panel=_ERRORS),
    ] = None,
    events: Annotated[
        bool,
        typer.Option(
            "--events", help="With --subjects: the error rates that they can tell.", rich_help_panel=_ERRORS
        ),
    ] = False,
    subjects: Annotated[
        int | None,
        typer.Option(
            "--subjects",
            "-n",
            help="People there are: what they attain is worked out.",
            rich_help_panel=_PEOPLE,
        ),
    ] = None,
    probes_per_subject: Annotated[
        str,
        typer.Option(
            "--probes-per-subject",
            "-m",
            metavar="N[,N...]",
            help="Probes of each person; several numbers are dealt out in turn. With --probes-cv their mean.",
            rich_help_panel=_PEOPLE,
        ),
    ] = "1",
    probes_cv: Annotated[
        float,
        typer.Option(
            "--probes-cv",
            help="Coefficient of variation of the number of probes, where people differ in it: standard deviation over mean.",
            rich_help_panel=_PEOPLE,
        ),
    ] = 0.0,
    icc: Annotated[
        float | None,
        typer.Option(
            help="Intraclass correlation of a person's probes, needed with several; for a difference on the same probes, "
            "that of the differences.",
            rich_help_panel=_PEOPLE,
        ),
    ] = None,
    level: o.Level = 0.95,
    json: o.Json = False,
    explain: o.Explain = False,
) -> None:
    """How many people and probes a test needs.

    For an interval, for a difference of two algorithms, or for a rare error. With --subjects it says what so many people attain instead.

    [bold]Examples[/bold]

      proband plan --rate 0.95 --half-width 0.01 --probes-per-subject 5 --icc 0.2

      proband plan --margin 0.01 --discordant 0.06

      proband plan --error-rate 0.001
    """
    given: dict[str, Any] = {
        "--rate": rate,
        "--half-width": half_width,
        "--assurance": assurance,
        "--margin": margin,
        "--discordant": discordant,
        "--independent": independent or None,
        "--equivalence": equivalence or None,
        "--non-inferiority": non_inferiority or None,
        "--power": power,
        "--error-rate": error_rate,
        "--events": events or None,
    }
    people = {
        "subjects": subjects,
        "probes_per_subject": _probes(probes_per_subject),
        "probes_cv": probes_cv,
        "icc": icc,
        "confidence_level": level,
    }
    made = _make({name: value for name, value in given.items() if value is not None}, people)
    if json:
        print_json(made.to_dict())
        return
    from proband.report.notes import answered

    say(made.sentence())
    say("")
    say_below([answered(made.answers), *made.notes], explain, [made.answers])


def _probes(text: str) -> float | tuple[int, ...]:
    """The number of probes of each person, or the numbers that are dealt out."""
    option = "--probes-per-subject"
    return whole_numbers(text, option) if "," in text else numbers(text, option)[0]


def _make(given: dict[str, Any], people: dict[str, Any]) -> Plan:
    from proband.errors import UsageError
    from proband.inference.planning.planning import plan_difference, plan_error_rate, plan_half_width

    question = _question(given)
    if question == _ERRORS:
        if "--events" in given and "--error-rate" in given:
            raise UsageError("--events asks what --error-rate says.", "leave one of them out.")
        return plan_error_rate(given.get("--error-rate"), **people)
    if question == _INTERVAL:
        if "--rate" not in given:
            raise UsageError("The interval of a rate depends on the rate expected.", "give --rate.")
        return plan_half_width(
            given["--rate"], given.get("--half-width"), assurance=given.get("--assurance"), **people
        )
    if "--equivalence" in given and "--non-inferiority" in given:
        raise UsageError("--equivalence and --non-inferiority exclude each other.")
    if ("--independent" in given) != ("--rate" in given) or ("--independent" in given) == (
        "--discordant" in given
    ):
        raise UsageError(
            "The plan of a difference needs to know what is expected.",
            "give --discordant for algorithms on the same probes, or --independent with --rate for two data sets.",
        )
    aim: Aim = "difference"
    if "--equivalence" in given:
        aim = "equivalence"
    elif "--non-inferiority" in given:
        aim = "non-inferiority"
    return plan_difference(
        given.get("--margin"),
        discordant=given.get("--discordant"),
        rate=given.get("--rate"),
        power=given.get("--power"),
        aim=aim,
        **people,
    )


def _question(given: dict[str, Any]) -> str:
    """Which question the options ask; exactly one."""
    from proband.errors import UsageError

    asked = {
        question: [name for name in takes if name in given and name != "--rate"]
        for question, takes in _TAKES.items()
    }
    questions = [question for question, names in asked.items() if names]
    if len(questions) > 1:
        named = " and ".join(asked[question][0] for question in questions)
        raise UsageError(f"{named} belong to different questions.", _WAYS)
    if not questions and "--rate" not in given:
        raise UsageError("There is nothing to plan for.", _WAYS)
    question = questions[0] if questions else _INTERVAL
    if "--rate" in given and "--rate" not in _TAKES[question]:
        raise UsageError(f"--rate has no part in {asked[question][0]}.", _WAYS)
    return question
