"""``proband verify``: accept or reject a claimed identity."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from proband.cli import options as o
from proband.cli.console import choice_of, output, print_json, progress_bars, talk
from proband.cli.gathering import gathered
from proband.cli.inputs import RunInputs, ScoreInputs, numbers
from proband.cli.reporting import ReportFile, write_report

if TYPE_CHECKING:
    from proband.samples import Samples
    from proband.scores import Scores


@gathered
def verify(
    inputs: ScoreInputs,
    gallery: Annotated[
        str | None,
        o.condition(
            "--gallery",
            "-g",
            "Claimed identities. Default: every query is compared with every target, no pair twice.",
        ),
    ] = None,
    probes: Annotated[
        str | None,
        o.condition("--probes", "-p", "Who claims them."),
    ] = None,
    pairs: Annotated[
        Path | None,
        typer.Option(
            help="Only these pairs, by folds: LFW's pairs.txt, a table with query and target, or .npz with pair_a and pair_b.",
            rich_help_panel="Experiment",
        ),
    ] = None,
    by: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            help="Error rates by the values of a column, at one threshold; may be repeated.",
            rich_help_panel="Experiment",
        ),
    ] = None,
    zoo: Annotated[
        bool,
        typer.Option("--zoo", help="Are errors the errors of a few people?", rich_help_panel="Output"),
    ] = False,
    pseudonyms: Annotated[
        bool, typer.Option("--pseudonyms", help="Do not name people.", rich_help_panel="Output")
    ] = False,
    fmr: Annotated[
        str, typer.Option(help="False match rates.", rich_help_panel="Output")
    ] = "0.01,0.001,0.0001",
    threshold: Annotated[
        str | None, typer.Option(help="Thresholds, as well.", rich_help_panel="Output")
    ] = None,
    replicates: Annotated[
        int, typer.Option(min=0, help="Replicates of people; 0 for none.", rich_help_panel="Output")
    ] = 1_000,
    naive: Annotated[
        bool,
        typer.Option(
            "--naive",
            help="Show what intervals would be if comparisons were independent.",
            rich_help_panel="Output",
        ),
    ] = False,
    level: o.Level = 0.95,
    seed: o.Seed = 0,
    out: o.OutDir = None,
    figure: Annotated[
        list[Path] | None,
        typer.Option(
            "--figure", "-f", help="Write the DET plot: .png, .svg or .pdf.", rich_help_panel="Output"
        ),
    ] = None,
    report: ReportFile = None,
    *,
    running: RunInputs,
) -> None:
    """False match and false non-match rates, exactly, with intervals that know that comparisons share people.

    [bold]Examples[/bold]

      proband verify scores.npz -s samples.csv --orientation similarity --fmr 0.001 --out verification

    All pairs of a set of embeddings, each once; men and women apart:

      proband verify -e model.npz -s samples.csv --metric cosine --by sex

    LFW's View 2, thresholds chosen on the other folds:

      proband verify -e lfw.npz::net -s lfw.npz --id-column '#' --metric l2 --pairs pairs.txt
    """
    from proband.errors import UsageError
    from proband.inference.verifying import verify as run
    from proband.scores import experiment_over

    if pairs is not None and report is not None:
        raise UsageError("--report is of error rates; the accuracy over folds of --pairs has no page.")
    asked = numbers(fmr, "--fmr")
    at = numbers(threshold, "--threshold") if threshold else ()
    with progress_bars(running.quiet) as progress:
        found: list[Any] = list(inputs.lists(progress))
        within: Any = None
        if found:
            _refuse_with_lists(gallery=gallery, probes=probes, pairs=pairs, by=by, zoo=zoo)
        else:
            found, within = inputs.read(progress)
        if pairs is not None:
            _by_folds(found, within, pairs, running.json)
            return
        if gallery is not None or probes is not None:
            within = experiment_over(found, within, choice_of(gallery, False), probes, inputs.missing.value)
        results = [
            run(
                one,
                within,
                fmrs=asked,
                thresholds=at,
                confidence_level=level,
                n_resamples=replicates,
                naive=naive,
                rng=seed,
                check_orientation=inputs.orientation_check,
                threads=running.threads,
                progress=progress,
            )
            for one in found
        ]
        groups = [_groups(found, within, results, column, level) for column in dict.fromkeys(by or ())]
        animals = _zoo(found, within, results, pseudonyms, seed) if zoo else None
    write_report(
        report,
        "Verification",
        inputs,
        (gallery, probes),
        seed=seed,
        level=level,
        verification=tuple(results),
        groups=tuple(chain(*groups)),
        hard_subjects={one.algorithm: found for one, found in zip(results, animals or [], strict=False)},
    )
    _show(results, groups, animals, running.json, out, figure or [])


def _refuse_with_lists(**asked: object) -> None:
    """Refuse what chooses among comparisons or goes back to samples: a list of pairs is verified as it is."""
    from proband.errors import UsageError

    for name, given in asked.items():
        if given:
            raise UsageError(
                f"--{name} needs scores of queries with targets; a list of chosen pairs is verified as it is.",
                f"leave --{name} out, or choose the comparisons in the list.",
            )


def _groups(found: list[Scores], within: Any, results: list[Any], by: str, level: float) -> list[Any]:
    from proband.inference.groups import error_rates_by

    return [
        error_rates_by(one, within, by, result.points[0].point, confidence_level=level)
        for one, result in zip(found, results, strict=True)
    ]


def _zoo(found: list[Scores], within: Any, results: list[Any], pseudonyms: bool, seed: int) -> list[Any]:
    from proband.inference.groups import hard_subjects_of

    return [
        hard_subjects_of(one, within, result.points[0].point, pseudonyms=pseudonyms, rng=seed)
        for one, result in zip(found, results, strict=True)
    ]


def _show(
    results: list[Any],
    groups: list[list[Any]],
    animals: list[Any] | None,
    json: bool,
    out: Path | None,
    figures: list[Path],
) -> None:
    from proband.report.figures import save_figure
    from proband.report.notes import told
    from proband.report.verification import (
        verification_figures,
        verification_statements,
        verification_table,
        write_verification,
    )

    if figures:
        drawn = verification_figures(results)["det"]
        for path in figures:
            save_figure(drawn, path)
            talk().print(f"wrote {path}", markup=False, soft_wrap=True)
    if out is not None:
        talk().print(
            f"wrote {write_verification(results, out, list(chain(*groups)))}", markup=False, soft_wrap=True
        )
    if json:
        plain: list[dict[str, Any]] = [one.to_dict() for one in results]
        for place, one in enumerate(plain):
            if groups:
                one["groups"] = [column[place].to_dict() for column in groups]
            if animals is not None:
                one["hard_subjects"] = animals[place].to_dict()
        print_json(plain)
        return
    console = output()
    console.print(verification_table(results))
    for one in chain(*groups):
        for said in one.sentences():
            console.print(said, markup=False, soft_wrap=True)
    for result, one in zip(results, animals or [], strict=False):
        for said in one.sentences():
            console.print(f"{result.algorithm}: {said}", markup=False, soft_wrap=True)
    for note in verification_statements(results):
        console.print(told(note), style="dim", markup=False, soft_wrap=True)


def _by_folds(found: list[Scores], table: Samples, pairs: Path, json: bool) -> None:
    from proband.measures.folds import fold_accuracy
    from proband.samples.delimited import SEPARATORS, unfinished
    from proband.scores.pair_lists import read_pairs
    from proband.scores.trials import Trials

    listed = read_pairs(pairs, table)
    for note in unfinished(pairs) if pairs.suffix.lower() in (".txt", *SEPARATORS) else ():
        talk().print(f"note: {note}", markup=False, soft_wrap=True)
    results = [fold_accuracy(Trials.from_pairs(listed, one)) for one in found]
    if json:
        print_json([one.to_dict() for one in results])
        return
    console = output()
    for one in results:
        console.print(repr(one), markup=False, soft_wrap=True)
    console.print(
        "Each fold's threshold is chosen on the other folds. The standard error is the protocol's own, over folds; it says nothing of "
        "people who are in several pairs.",
        style="dim",
        markup=False,
        soft_wrap=True,
    )
