"""``proband coverage``: coverage, width and power of an interval under a design."""

from __future__ import annotations

from dataclasses import fields
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from proband.cli import options as o
from proband.cli.command import flag
from proband.cli.console import print_json, progress_bars, read_samples, say, say_below, show_tables
from proband.cli.gathering import gathered
from proband.cli.inputs import RunInputs, ScoreInputs, whole_numbers
from proband.errors import UsageError
from proband.marks import Needs

if TYPE_CHECKING:
    from proband.inference.simulation.coverage import Coverage
    from proband.inference.simulation.covered import RejectionRates
    from proband.inference.simulation.halves import Halves
    from proband.measures import Outcomes
    from proband.results.estimate import Estimate
    from proband.samples import Experiment

_PEOPLE, _HOW, _POWER = "People", "Procedure", "Power"


class KindName(StrEnum):
    """How people differ."""

    beta = "beta"
    normal = "normal"
    skewed = "skewed"
    classes = "classes"


@gathered
def coverage(
    inputs: ScoreInputs,
    gallery: Annotated[str | None, o.condition("--gallery", "-g", "Samples to enrol.")] = None,
    probes: Annotated[
        str | None, o.condition("--probes", "-p", "Samples to search for. Default: all others.")
    ] = None,
    subjects: Annotated[
        int | None,
        typer.Option(
            "--subjects", "-n", help="Number of people, without a samples table.", rich_help_panel=_PEOPLE
        ),
    ] = None,
    probes_per_subject: Annotated[
        str | None,
        typer.Option(
            "--probes-per-subject",
            "-m",
            metavar="N[,N...]",
            help="Number of probes per person; several numbers are assigned in turn.",
            rich_help_panel=_PEOPLE,
        ),
    ] = None,
    rate: Annotated[
        float | None,
        typer.Option(
            help="Mean of the individual rates; for FNMR and AUC, the true value. Default: estimated from the scores.",
            rich_help_panel=_PEOPLE,
        ),
    ] = None,
    icc: Annotated[
        float | None,
        typer.Option(
            help="Intraclass correlation of a person's probes. Default: estimated from the scores.",
            rich_help_panel=_PEOPLE,
        ),
    ] = None,
    kind: Annotated[
        KindName | None,
        typer.Option(
            help="Distribution of differences between people. Default: beta; normal for pairs.",
            rich_help_panel=_PEOPLE,
        ),
    ] = None,
    informative: Annotated[
        bool,
        typer.Option("--informative", help="Give difficult people more probes.", rich_help_panel=_PEOPLE),
    ] = False,
    measure: Annotated[
        str,
        typer.Option(
            metavar="NAME[@VALUE]",
            help="Measure to estimate: rank-1, median-rank@10, fnmr@0.001, auc, …",
            rich_help_panel=_HOW,
        ),
    ] = "rank-1",
    design: Annotated[
        str,
        typer.Option(
            help="Type of interval: auto, binomial, clustered, bootstrap, bootstrap-probe, brr, …",
            rich_help_panel=_HOW,
        ),
    ] = "auto",
    margin: Annotated[
        float | None,
        typer.Option(
            help="Compare two algorithms that truly differ by this amount, and two that do not differ.",
            rich_help_panel=_POWER,
        ),
    ] = None,
    test: Annotated[
        str,
        typer.Option(
            help="Test of the difference: auto, sign-flip, obuchowski, mcnemar, …", rich_help_panel=_POWER
        ),
        Needs("margin"),
    ] = "auto",
    discordant: Annotated[
        float | None,
        typer.Option(
            help="Share of probes that only one of the two recognises. Default: failures are independent given the person.",
            rich_help_panel=_POWER,
        ),
        Needs("margin"),
    ] = None,
    n_sets: Annotated[
        int, typer.Option("--n-sets", "--sets", help="Number of simulated data sets.", rich_help_panel=_HOW)
    ] = 1_000,
    confidence_level: o.Level = 0.95,
    seed: o.Seed = 0,
    running: RunInputs = RunInputs(),
) -> None:
    """Simulate a design: coverage, width and power.

    How often does the interval contain the true value, how wide is it, and how often is a difference
    detected? Specify the numbers of people and probes, or pass a samples table. With the scores of one
    algorithm, the rate and the intraclass correlation are estimated as well, and halves of the people are
    compared with each other.

    [bold]Examples[/bold]

      proband coverage --subjects 100 --probes-per-subject 5 --rate 0.95 --icc 0.2 --margin 0.02

      proband coverage -s samples.csv -g "session == 1" --rate 0.95 --icc 0.2 --kind skewed --informative

      proband coverage net.npz -s samples.csv -g "session == 1"
    """
    from proband.designs.base import as_design
    from proband.inference.simulation.coverage import coverage as simulate
    from proband.measures import measure_named

    measured, how, tested = measure_named(measure), as_design(design), as_design(test)
    with progress_bars(running.quiet) as progress:
        data = _data(inputs, gallery, probes, running, progress)
        found = simulate(
            data,
            measure=measured,
            design=how,
            subjects=subjects,
            probes_per_subject=None
            if probes_per_subject is None
            else whole_numbers(probes_per_subject, "--probes-per-subject"),
            rate=rate,
            icc=icc,
            kind=None if kind is None else kind.value,
            informative=informative,
            margin=margin,
            test=tested,
            discordant=discordant,
            n_sets=n_sets,
            confidence_level=confidence_level,
            seed=seed,
            progress=progress,
        )
    halves = _halves(measured, data, how, confidence_level, seed)
    if running.json:
        print_json({**found.to_dict(), **({} if halves is None else {"halves": halves.to_dict()})})
        return
    _show(found, halves, running.explain)


def _data(
    inputs: ScoreInputs, gallery: str | None, probes: str | None, running: RunInputs, progress: Any
) -> Outcomes | Experiment | None:
    """What is known of the design: outcomes of scores, an experiment over a table, or nothing."""
    experiment = {name: rule for name, rule in (("gallery", gallery), ("probes", probes)) if rule is not None}
    if inputs.scores or inputs.embeddings:
        from proband.cli.analyses.request_options import spelled
        from proband.cli.console import typed
        from proband.study.definition import Origin
        from proband.study.requests import only
        from proband.study.run import ranked

        inputs.refuse_sampling("a simulation")
        with spelled():
            request = only(None, **inputs.sources(), experiment=experiment)
            found = ranked(
                request, origin=Origin(command=typed()), threads=running.threads, progress=progress
            )
        if len(found) > 1:
            raise UsageError("Only one algorithm can be simulated at a time.", "name one score file.")
        return found[0]
    _refuse_of_scores(inputs)
    table = read_samples(inputs.samples, inputs.id_column, inputs.subject_column, None, inputs.missing_values)
    if table is None:
        if experiment:
            raise UsageError("--gallery and --probes are conditions on the samples table.", "give --samples.")
        return None
    if gallery is None:
        raise UsageError("The gallery is not specified.", "give --gallery.")
    from proband.samples import Experiment

    return Experiment(table, gallery, probes)


def _refuse_of_scores(inputs: ScoreInputs) -> None:
    """Refuse what is said of scores, where there are none."""
    of_table = ("scores", "samples", "id_column", "subject_column", "missing_values")
    for one in fields(inputs):
        if one.name not in of_table and getattr(inputs, one.name) not in (None, one.default):
            raise UsageError(f"{flag(one.name)} requires scores, but none are given.", "leave it out.")


def _halves(measure: Any, data: Any, design: Any, level: float, seed: int) -> Halves | None:
    from proband.inference.simulation.halves import compare_halves
    from proband.measures import Outcomes

    if not isinstance(data, Outcomes):
        return None
    return compare_halves(data, measure=measure, design=design, confidence_level=level, seed=seed)


def _show(found: Coverage, halves: Halves | None, explain: bool) -> None:
    from proband.report.notes import answered
    from proband.report.tables.cells import columns, digits_cell, text_cell
    from proband.report.tables.table import Table
    from proband.words import percent

    def shown(share: Estimate) -> str:
        error = "" if share.standard_error is None else f" ± {percent(share.standard_error, 1)}"
        return f"{percent(share.value, 1)}{error}"

    inside = found.interval
    rows: list[tuple[str, Any]] = [
        ("contains the true value", text_cell(shown(inside.covered))),
        (
            "is below it, above it",
            text_cell(f"{percent(inside.too_low, 1)}, {percent(inside.too_high, 1)}"),
        ),
        ("truth", digits_cell(inside.truth, 4)),
        ("mean width", digits_cell(inside.mean_width, 4)),
        ("mean width, if the variance were known", digits_cell(inside.known_width, 4)),
    ]
    if inside.carriers is not None:
        rows.append(("people who carry the variance", digits_cell(inside.carriers, 3)))
    rows.append(("with a caution", text_cell(percent(inside.cautioned, 1))))
    tests: list[tuple[str, RejectionRates | None]] = [("power", found.power), ("type I error", found.level)]
    rows += [(name, text_cell(shown(one.rejected))) for name, one in tests if one is not None]
    title = f"{found.measure}, {found.design}"
    show_tables(Table(title, columns("simulated", ""), tuple((text_cell(name), cell) for name, cell in rows)))
    say(found.sentence())
    if halves is not None:
        say(halves.sentence())
    notes = [*found.notes, *(() if halves is None else halves.notes), answered(found.answers)]
    say("")
    say_below(notes, explain, [found.answers])
