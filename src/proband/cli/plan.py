"""``proband plan``: how large a test must be, before anything is measured."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Annotated, Any

import typer

from proband.cli import options as o
from proband.cli.command import flag
from proband.cli.console import print_json, progress_bars, say, say_below, show_tables
from proband.cli.gathering import gathered
from proband.cli.inputs import RunInputs, ScoreInputs, numbers, whole_numbers

if TYPE_CHECKING:
    from proband.inference.planning.plans import Aim, DifferencePlan, Plan
    from proband.measures import Outcomes

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
    "give --half-width for an interval, --margin for a difference of two algorithms, or --error-rate for rare errors; with --subjects N the "
    "wanted one is worked out (--events --subjects N for rare errors). What is expected comes from a pilot (--from FILE), or is given: --rate, --discordant."
)
_GUESSES = (0.02, 0.05, 0.1, 0.2)


@dataclass(frozen=True)
class PilotInputs(ScoreInputs):
    """The files of a pilot, read as every command reads scores."""

    scores: Annotated[
        list[str] | None,
        typer.Option(
            "--from",
            metavar="[NAME=]FILE[::KEY]",
            help="Scores of a pilot, of one algorithm or of two: rates, how often two disagree, probes per person and how alike these are come from "
            "it. May be repeated.",
            rich_help_panel="Data",
        ),
    ] = None


@gathered
def plan(
    pilot: PilotInputs,
    gallery: Annotated[str | None, o.condition("--gallery", "-g", "Who is enrolled in the pilot.")] = None,
    probes: Annotated[
        str | None, o.condition("--probes", "-p", "Who is searched for in the pilot; by default all others.")
    ] = None,
    rank: Annotated[
        int | None,
        typer.Option(
            help="Rank at which a probe of the pilot counts as recognised; 1 unless said.",
            rich_help_panel="Data",
        ),
    ] = None,
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
            help="Share of probes on which the two disagree, since only one of them is right. Without it, and without --from, a table over "
            "guesses.",
            rich_help_panel=_DIFFERENCE,
        ),
    ] = None,
    independent: Annotated[
        bool,
        typer.Option(
            "--independent",
            help="Two data sets of different people, each of the size found; give --rate, or one algorithm with --from.",
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
        str | None,
        typer.Option(
            "--probes-per-subject",
            "-m",
            metavar="N[,N...]",
            help="Probes of each person, 1 unless said; several numbers are dealt out in turn. With --probes-cv their mean.",
            rich_help_panel=_PEOPLE,
        ),
    ] = None,
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
            help="How alike the probes of one person are (intraclass correlation): 0 independent, 1 copies of each other. Needed with several; "
            "for a difference on the same probes, of the differences.",
            rich_help_panel=_PEOPLE,
        ),
    ] = None,
    level: o.Level = 0.95,
    running: RunInputs = RunInputs(),
) -> None:
    """How many people and probes a test needs.

    For an interval, for a difference of two algorithms, or for a rare error. What is expected comes from a pilot (--from), or is given. With
    --subjects it says what so many people attain instead.

    [bold]Examples[/bold]

      proband plan --from pilot.npz -s samples.csv -g "session == 1" --margin 0.01

      proband plan --margin 0.01

      proband plan --rate 0.95 --half-width 0.01 --probes-per-subject 5 --icc 0.2

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
        "probes_per_subject": None if probes_per_subject is None else _probes(probes_per_subject),
        "probes_cv": probes_cv,
        "icc": icc,
        "confidence_level": level,
    }
    conditions = {"gallery": gallery, "probes": probes}
    said = {name: value for name, value in given.items() if value is not None}
    made = _make(said, people, _outcomes(pilot, conditions, rank, running), 1 if rank is None else rank)
    if running.json:
        print_json(
            {"plans": [guess.to_dict() for guess in made]} if isinstance(made, list) else made.to_dict()
        )
        return
    from proband.report.notes import answered

    shown = made[0] if isinstance(made, list) else made
    if isinstance(made, list):
        _show_guesses(made)
    else:
        say(made.sentence())
        for told in () if made.pilot is None else made.pilot.sentences(made.found):
            say(told)
    say("")
    say_below([answered(shown.answers), *shown.notes], running.explain, [shown.answers])


def _probes(text: str) -> float | tuple[int, ...]:
    """The number of probes of each person, or the numbers that are dealt out."""
    option = "--probes-per-subject"
    return whole_numbers(text, option) if "," in text else numbers(text, option)[0]


def _outcomes(
    pilot: PilotInputs, conditions: dict[str, str | None], rank: int | None, running: RunInputs
) -> list[Outcomes]:
    """What became of the probes of a pilot; nothing where there is none."""
    from proband.errors import UsageError

    experiment = {name: rule for name, rule in conditions.items() if rule is not None}
    if not (pilot.scores or pilot.embeddings):
        idle = [
            field.name for field in fields(pilot) if getattr(pilot, field.name) not in (None, field.default)
        ]
        idle += [*experiment, *([] if rank is None else ["rank"])]
        if idle:
            raise UsageError(
                f"{flag(idle[0])} is about a pilot, and there is none.", "give --from FILE, or leave it out."
            )
        return []
    from proband.cli.analyses.request_options import spelled
    from proband.cli.console import typed
    from proband.study.definition import Origin
    from proband.study.requests import only
    from proband.study.run import ranked

    pilot.refuse_sampling("a plan")
    with spelled(), progress_bars(running.quiet) as progress:
        request = only(None, **pilot.sources(), experiment=experiment)
        return ranked(request, origin=Origin(command=typed()), threads=running.threads, progress=progress)


def _make(
    given: dict[str, Any], people: dict[str, Any], pilot: list[Outcomes], rank: int
) -> Plan | list[DifferencePlan]:
    from proband.errors import UsageError
    from proband.inference.planning.planning import plan_error_rate, plan_half_width

    question = _question(given, people["subjects"], pilot)
    if question == _ERRORS:
        if pilot:
            raise UsageError(
                "A pilot has no part in the rules for rare errors.",
                "leave --from out, or ask for --half-width or --margin.",
            )
        if "--events" in given and "--error-rate" in given:
            raise UsageError("--events asks what --error-rate says.", "leave one of them out.")
        probes = people["probes_per_subject"]
        return plan_error_rate(
            given.get("--error-rate"), **{**people, "probes_per_subject": 1 if probes is None else probes}
        )
    if question == _INTERVAL:
        if len(pilot) > 1:
            named = " and ".join(outcomes.algorithm for outcomes in pilot)
            raise UsageError(
                f"The interval of a rate is that of one algorithm, got {named}.",
                "choose one with FILE::KEY; two are for --margin.",
            )
        taken: dict[str, Any] = {"pilot": pilot[0], "rank": rank} if pilot else {}
        return plan_half_width(
            given.get("--rate"),
            given.get("--half-width"),
            assurance=given.get("--assurance"),
            **taken,
            **people,
        )
    return _difference(given, people, pilot, rank)


def _difference(
    given: dict[str, Any], people: dict[str, Any], pilot: list[Outcomes], rank: int
) -> DifferencePlan | list[DifferencePlan]:
    """The plan of a difference; one for each guess where nothing is known of how often the two disagree."""
    from proband.errors import ProbandError, UsageError
    from proband.inference.planning.planning import plan_difference

    if "--equivalence" in given and "--non-inferiority" in given:
        raise UsageError("--equivalence and --non-inferiority exclude each other.")
    independent = "--independent" in given
    if (not pilot and independent != ("--rate" in given)) or (independent and "--discordant" in given):
        raise UsageError(
            "The rate is for two data sets, and for the same probes the share on which the two disagree.",
            "give --independent with --rate, or --discordant, or neither for a table over guesses.",
        )
    if pilot and independent != (len(pilot) == 1):
        named = ", ".join(outcomes.algorithm for outcomes in pilot)
        raise UsageError(
            f"A difference on the same probes needs two algorithms of the pilot, and one on two data sets one; got {named}.",
            "choose them with FILE::KEY; --independent is for two data sets.",
        )
    aim: Aim = "difference"
    if "--equivalence" in given:
        aim = "equivalence"
    elif "--non-inferiority" in given:
        aim = "non-inferiority"
    margin = given.get("--margin")
    settings: dict[str, Any] = {"power": given.get("--power"), "aim": aim, **people}
    if pilot:
        return plan_difference(
            margin,
            pilot=pilot if len(pilot) > 1 else pilot[0],
            rank=rank,
            discordant=given.get("--discordant"),
            rate=given.get("--rate"),
            **settings,
        )
    if independent or "--discordant" in given:
        return plan_difference(
            margin, discordant=given.get("--discordant"), rate=given.get("--rate"), **settings
        )
    made, impossible = [], None
    for share in _GUESSES:
        try:
            made.append(plan_difference(margin, discordant=share, **settings))
        except ProbandError as error:  # of all of them if the options are at fault
            impossible = error
    if impossible is not None and not made:
        raise impossible
    return made


def _show_guesses(plans: list[DifferencePlan]) -> None:
    from proband.report.tables.cells import columns, count_cell, text_cell
    from proband.report.tables.table import Table
    from proband.words import percent, size_of

    first = plans[0]
    rows = [
        (
            text_cell(percent(plan.discordant or 0)),
            count_cell(plan.subjects),
            count_cell(plan.probes),
            text_cell(size_of(plan.margin)),
            text_cell(percent(plan.power)),
        )
        for plan in plans
    ]
    heads = columns("the two disagree on", "people", "probes", "difference", "power")
    show_tables(Table(f"A plan for each guess ({first.aim})", heads, tuple(rows)))
    tried = {plan.discordant for plan in plans}
    left_out = [percent(share) for share in _GUESSES if share not in tried]
    if left_out:
        say(f"No plan is possible where they disagree on {' or '.join(left_out)} of probes.")
    say(
        "They disagree on a probe if only one of them is right. An earlier comparison or a pilot tells how often: --discordant, or --from FILE."
    )


def _question(given: dict[str, Any], subjects: int | None, pilot: list[Outcomes]) -> str:
    """Which question the options ask; exactly one. Of a pilot with --subjects alone, the number of algorithms tells."""
    from proband.errors import UsageError

    asked = {
        question: [name for name in takes if name in given and name != "--rate"]
        for question, takes in _TAKES.items()
    }
    questions = [question for question, names in asked.items() if names]
    if len(questions) > 1:
        named = " and ".join(asked[question][0] for question in questions)
        raise UsageError(f"{named} belong to different questions.", _WAYS)
    if not questions and "--rate" not in given and (subjects is None or not pilot):
        raise UsageError("There is nothing to plan for.", _WAYS)
    if not questions:
        return _DIFFERENCE if len(pilot) > 1 else _INTERVAL
    question = questions[0]
    if "--rate" in given and "--rate" not in _TAKES[question]:
        raise UsageError(f"--rate has no part in {asked[question][0]}.", _WAYS)
    return question
