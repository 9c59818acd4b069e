"""What commands about protocols read: a table of samples, or pictures whose names say who is on them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from proband.cli import options as o


@dataclass(frozen=True)
class SampleInputs:
    """The samples, and how their table is read."""

    samples: Annotated[
        Path | None,
        typer.Option(
            "--samples",
            "-s",
            help="Table of samples. Default: the names of the pictures, if they say who is on them.",
            rich_help_panel="Data",
        ),
    ] = None
    names: o.Names = None
    id_column: o.IdColumn = "id"
    subject_column: o.SubjectColumn = "subject"
    missing_values: o.MissingValues = None
    failed: o.FailedOption = None

    def table(self, images: Path | None) -> dict[str, Any]:
        """The samples as a request names them: a table, or the directory of pictures with the pattern of its names."""
        said = {
            "file": str(o.named_samples(self.samples, images, self.names)),
            "id": self.id_column,
            "subject": self.subject_column,
            "failed": self.failed,
            "missing_values": o.words_of(self.missing_values),
        }
        return {key: value for key, value in said.items() if value is not None}
