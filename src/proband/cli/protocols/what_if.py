"""``proband protocol what-if``: the same classifier with one thing changed."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from proband.cli import options as o
from proband.cli.analyses.command import analysis
from proband.cli.findings import show_findings, write_findings
from proband.cli.protocols.inputs import SampleInputs

if TYPE_CHECKING:
    from proband.study.findings import Findings
    from proband.study.requests import Request


class QuestionName(StrEnum):
    """What is changed."""

    mixed = "mixed"
    dropped = "dropped"


@dataclass(frozen=True, kw_only=True)
class WhatIfInputs(SampleInputs):
    """The question, what the classifier learns from, and the samples it is of."""

    question: Annotated[
        QuestionName,
        typer.Argument(
            help="mixed: subjects shared or kept apart; dropped: with or without the excluded samples."
        ),
    ]
    images: Annotated[
        str,
        typer.Option(
            "--images",
            "-i",
            help="Pictures (a directory, .npz with images) or features (.npy, .npz, FILE::KEY).",
            rich_help_panel="Data",
        ),
    ]

    def sources(self) -> dict[str, Any]:
        """What is read, as a request says it."""
        from proband.scores.reading import split_key

        path, key = split_key(self.images)
        own = {"question": self.question.value, "file": str(path), "key": key}
        return {"what_if": own, "samples": self.table(path)}


@analysis("what_if", "What if", experiment=(), reads=WhatIfInputs)
def what_if(
    found: Findings,
    request: Request,
    csv: o.Csv = None,
    latex: o.Latex = None,
    *,
    json: bool,
    explain: bool,
) -> None:
    """What if subjects had been kept apart, or nothing had been dropped? The same classifier, side by side.

    [bold]Examples[/bold]

      proband protocol what-if mixed -i images.npz -s samples.csv -c lbp:nbnn --label expression -p "10f CV"

      proband protocol what-if dropped -i images.npz -s collected.csv --exclusions dropped.csv -c lbp:nbnn --label sex
    """
    write_findings(found, csv, latex)
    show_findings(found, json, explain)
