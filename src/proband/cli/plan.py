"""``proband plan``: how large a test must be."""

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

_INTERVAL, _DIFFERENCE, _ERRORS = "Interval of a rate", "Difference between two algorithms", "Rare errors"
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
    "pass --half-width for an interval, --margin for a difference between two algorithms, or --error-rate for "
    "rare errors; with --subjects N, the attainable precision is computed (--events --subjects N for rare "
    "errors). Expected values come from a pilot (--from FILE) or from --rate and --discordant."
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
            help="Scores of a pilot study, for one or two algorithms: the source of rates, discordance, "
            "probes per person and their correlation. May be repeated.",
            rich_help_panel="Data",
        ),
    ] = None


@gathered
def plan(
    pilot: PilotInputs,
    gallery: Annotated[str | None, o.condition("--gallery", "-g", "Samples enrolled in the pilot.")] = None,
    probes: Annotated[
        str | None, o.condition("--probes", "-p", "Samples searched for in the pilot. Default: all others.")
    ] = None,
    rank: Annotated[
        int | None,
        typer.Option(
            help="Rank at which a probe of the pilot counts as recognised. Default: 1.",
            rich_help_panel="Data",
        ),
    ] = None,
    rate: Annotated[
        float | None, typer.Option(help="Expected rate, e.g. 0.95.", rich_help_panel=_INTERVAL)
    ] = None,
    half_width: Annotated[
        float | None,
        typer.Option(
            help="Target half-width of the interval: 0.01 is one percentage point on either side.",
            rich_help_panel=_INTERVAL,
        ),
    ] = None,
    assurance: Annotated[
        float | None,
        typer.Option(
            help="Probability that the interval is no wider, e.g. 0.8. Default: plan for the width at the expected rate.",
            rich_help_panel=_INTERVAL,
        ),
    ] = None,
    margin: Annotated[
        float | None,
        typer.Option(
            help="Smallest relevant difference. Specify it in advance; do not use the observed difference.",
            rich_help_panel=_DIFFERENCE,
        ),
    ] = None,
    discordant: Annotated[
        float | None,
        typer.Option(
            help="Share of probes on which only one of the two algorithms is correct. Without it and without "
            "--from, a table of assumed values.",
            rich_help_panel=_DIFFERENCE,
        ),
    ] = None,
    independent: Annotated[
        bool,
        typer.Option(
            "--independent",
            help="Plan for two data sets of different people, each of the computed size; requires --rate, or one algorithm with --from.",
            rich_help_panel=_DIFFERENCE,
        ),
    ] = False,
    equivalence: Annotated[
        bool,
        typer.Option(
            "--equivalence",
            help="Plan to show that two equal algorithms are within the margin (two one-sided tests).",
            rich_help_panel=_DIFFERENCE,
        ),
    ] = False,
    non_inferiority: Annotated[
        bool,
        typer.Option(
            "--non-inferiority",
            help="Plan to show that an equal algorithm is not worse by the margin (one-sided).",
            rich_help_panel=_DIFFERENCE,
        ),
    ] = False,
    power: Annotated[
        float | None,
        typer.Option(
            help="Target power. Default: 0.8. Computed with --margin and --subjects.",
            rich_help_panel=_DIFFERENCE,
        ),
    ] = None,
    error_rate: Annotated[
        float | None,
        typer.Option(help="Error rate to demonstrate: the rules of 3 and of 30.", rich_help_panel=_ERRORS),
    ] = None,
    events: Annotated[
        bool,
        typer.Option(
            "--events",
            help="With --subjects: compute the error rates that can be demonstrated.",
            rich_help_panel=_ERRORS,
        ),
    ] = False,
    subjects: Annotated[
        int | None,
        typer.Option(
            "--subjects",
            "-n",
            help="Number of people available: compute what they achieve.",
            rich_help_panel=_PEOPLE,
        ),
    ] = None,
    probes_per_subject: Annotated[
        str | None,
        typer.Option(
            "--probes-per-subject",
            "-m",
            metavar="N[,N...]",
            help="Number of probes per person; several numbers are assigned in turn. Default: 1. With --probes-cv, the mean.",
            rich_help_panel=_PEOPLE,
        ),
    ] = None,
    probes_cv: Annotated[
        float,
        typer.Option(
            "--probes-cv",
            help="Coefficient of variation of the number of probes per person: standard deviation over mean.",
            rich_help_panel=_PEOPLE,
        ),
    ] = 0.0,
    icc: Annotated[
        float | None,
        typer.Option(
            help="Intraclass correlation of the probes of one person: 0 independent, 1 identical. Required "
            "with several probes per person; for a difference on the same probes, that of the differences.",
            rich_help_panel=_PEOPLE,
        ),
    ] = None,
    level: o.Level = 0.95,
    running: RunInputs = RunInputs(),
) -> None:
    """How many people and probes a test needs.

    For a confidence interval, a difference between two algorithms, or a rare error. Expected values come from
    a pilot (--from) or from options. With --subjects, it computes what that number of people achieves.

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
                f"{flag(idle[0])} applies to a pilot, but none was given.",
                "pass --from FILE, or leave it out.",
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
                "A pilot has no effect on the rules for rare errors.",
                "leave --from out, or pass --half-width or --margin.",
            )
        if "--events" in given and "--error-rate" in given:
            raise UsageError(
                "--events and --error-rate cannot be combined: --events computes the error rate.",
                "leave one of them out.",
            )
        probes = people["probes_per_subject"]
        return plan_error_rate(
            given.get("--error-rate"), **{**people, "probes_per_subject": 1 if probes is None else probes}
        )
    if question == _INTERVAL:
        if len(pilot) > 1:
            named = " and ".join(outcomes.algorithm for outcomes in pilot)
            raise UsageError(
                f"The interval of a rate needs one algorithm, got {named}.",
                "select one with FILE::KEY; use two with --margin.",
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
        raise UsageError("--equivalence and --non-inferiority cannot be combined.")
    independent = "--independent" in given
    if (not pilot and independent != ("--rate" in given)) or (independent and "--discordant" in given):
        raise UsageError(
            "--rate requires --independent (two data sets); for the same probes, use --discordant.",
            "pass --independent with --rate, or --discordant, or neither for a table of assumed values.",
        )
    if pilot and independent != (len(pilot) == 1):
        named = ", ".join(outcomes.algorithm for outcomes in pilot)
        raise UsageError(
            f"A difference on the same probes needs two algorithms from the pilot; a difference between two "
            f"data sets needs one. Got {named}.",
            "select them with FILE::KEY; pass --independent for two data sets.",
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
    heads = columns("discordant probes", "people", "probes", "difference", "power")
    show_tables(Table(f"Plans for assumed values ({first.aim})", heads, tuple(rows)))
    tried = {plan.discordant for plan in plans}
    left_out = [percent(share) for share in _GUESSES if share not in tried]
    if left_out:
        say(f"No plan is possible for {' or '.join(left_out)} discordant probes.")
    say(
        "A probe is discordant if only one of the two algorithms is correct. Take the share from an earlier "
        "comparison (--discordant) or a pilot (--from FILE)."
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
        raise UsageError(f"{named} cannot be combined.", _WAYS)
    if not questions and "--rate" not in given and (subjects is None or not pilot):
        raise UsageError("No goal was specified.", _WAYS)
    if not questions:
        return _DIFFERENCE if len(pilot) > 1 else _INTERVAL
    question = questions[0]
    if "--rate" in given and "--rate" not in _TAKES[question]:
        raise UsageError(f"--rate has no effect with {asked[question][0]}.", _WAYS)
    return question
