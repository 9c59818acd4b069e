"""What a FERET evaluation is asked for on the command line, and how it is shown."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from proband.cli import options as o
from proband.cli.console import output, talk
from proband.cli.inputs import numbers, whole_numbers

if TYPE_CHECKING:
    from proband.inference.feret_pairs import Improvement, Version
    from proband.samples import Category, Experiment

_PANEL = "Study"


@dataclass(frozen=True)
class StudyInputs:
    """What the study is to hold."""

    category: Annotated[
        list[str] | None,
        typer.Option(
            metavar="'NAME: RULE'",
            help="A probe category: a condition on probe.x and mate.x; may be repeated.",
            rich_help_panel=_PANEL,
        ),
    ] = None
    feret: Annotated[
        bool,
        typer.Option(
            "--feret",
            help="Add FERET's categories fb, fc, dup1, dup2 (columns image_set, date, camera).",
            rich_help_panel=_PANEL,
        ),
    ] = False
    long_after: o.LongAfter = None
    by: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            help="A category for each value of a column; may be repeated.",
            rich_help_panel=_PANEL,
        ),
    ] = None
    version: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FULL=PARTIAL",
            help="A fully automatic algorithm and the same one told where the eyes are; may be repeated.",
            rich_help_panel=_PANEL,
        ),
    ] = None
    improvement: Annotated[
        list[str] | None,
        typer.Option(
            metavar="EARLIER[@DATE]=LATER[@DATE]",
            help="One algorithm at two dates; may be repeated.",
            rich_help_panel=_PANEL,
        ),
    ] = None
    galleries: Annotated[
        int | None,
        typer.Option(
            min=2, help="Over how many disjoint galleries performance varies.", rich_help_panel=_PANEL
        ),
    ] = None
    order: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN|random",
            help="What fills the galleries, one after another: a column of dates or numbers, or chance; may be repeated. Default: random.",
            rich_help_panel=_PANEL,
        ),
    ] = None
    ages: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Column of dates or numbers whose difference between probe and mate is the age. Default: the --order column.",
            rich_help_panel=_PANEL,
        ),
    ] = None
    sizes: Annotated[
        str | None,
        typer.Option(
            metavar="N,N,...", help="Numbers of people enrolled to expect rates for.", rich_help_panel=_PANEL
        ),
    ] = None
    reject: Annotated[
        float | None,
        typer.Option(
            help="Rejection test: the share of people searched for who are taken out of the gallery (0: probes without mates only).",
            rich_help_panel=_PANEL,
        ),
    ] = None
    fpir: Annotated[
        str, typer.Option(help="False positive rates of the rejection test.", rich_help_panel=_PANEL)
    ] = "0.01,0.1"
    ranks: Annotated[
        str, typer.Option(help="Ranks of tables; the first is that of tests.", rich_help_panel="Output")
    ] = "1,5,10"

    def asked(self, seed: int) -> dict[str, Any]:
        """What can be told before any score is read, as `feret_study` takes it."""
        from proband.errors import UsageError
        from proband.study.designs import feret_arguments
        from proband.study.sections import FeretRequest

        if self.galleries is None and (self.order or self.ages):
            raise UsageError("--order and --ages are about galleries.", "say how many: --galleries 6.")
        request = FeretRequest(
            galleries=self.galleries,
            order=tuple(self.order or ()),
            ages=self.ages,
            sizes=whole_numbers(self.sizes, "--sizes") if self.sizes is not None else (),
            reject=self.reject,
            fpir=numbers(self.fpir, "--fpir"),
            ranks=whole_numbers(self.ranks, "--ranks"),
        )
        return feret_arguments(request, seed)

    def over(self, experiment: Experiment, names: list[str]) -> dict[str, Any]:
        """What depends on the experiment and on the algorithms' names, as `feret_study` takes it."""
        return {
            "categories": self._categories(experiment),
            "versions": [_version(text, names) for text in self.version or []],
            "improvements": [_improvement(text, names) for text in self.improvement or []],
        }

    def _categories(self, experiment: Experiment) -> list[Category]:
        """The categories asked for, those by column last."""
        from proband.inference.feret_study import probe_groups
        from proband.samples import Category

        asked = o.feret_asked(self.feret, self.long_after)
        grouped = [group for column in self.by or [] for group in probe_groups(experiment, column)]
        return [*asked, *(Category.parse(text) for text in self.category or []), *grouped]


def show_study(study: Any, json: bool, out: Path | None) -> None:
    """Write the study where it is asked for, and print it."""
    from proband.report.feret import study_grids, study_json, study_statements, write_study
    from proband.report.grids import as_rich
    from proband.report.notes import told

    if out is not None:
        talk().print(f"wrote {write_study(study, out)}", markup=False, soft_wrap=True)
    if json:
        typer.echo(study_json(study), nl=False)
        return
    console = output()
    for grid in study_grids(study):
        console.print(as_rich(grid))
    for said in study_statements(study):
        console.print(told(said), style="dim", markup=False, soft_wrap=True)


def _version(text: str, known: list[str]) -> Version:
    from proband.inference.feret_pairs import Version

    return Version(*_parted(text, known, "--version", "FULL=PARTIAL"))


def _improvement(text: str, known: list[str]) -> Improvement:
    from proband.inference.feret_pairs import Improvement

    sides = _parted(text, known, "--improvement", "EARLIER=LATER")
    (earlier, before), (later, after) = (_dated(side, known) for side in sides)
    return Improvement(earlier, later, before, after)


def _parted(text: str, known: list[str], option: str, form: str) -> tuple[str, str]:
    """Part two names at the equals sign that leaves two known ones; names may hold others."""
    from proband.errors import UsageError

    marks = [place for place, letter in enumerate(text) if letter == "="]
    if not marks:
        raise UsageError(f"{option} takes {form}, got {text!r:.80}.")
    sides = [(text[:place], text[place + 1 :]) for place in marks]
    return next((two for two in sides if all(_dated(one, known)[0] in known for one in two)), sides[0])


def _dated(text: str, known: list[str]) -> tuple[str, str | None]:
    """Part a name and its date, unless the whole is a name."""
    name, mark, date = text.rpartition("@")
    return (name, date) if mark and text not in known else (text, None)
