"""The table of samples with the parts of probes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from proband.study.requests.base import Option, Part, Text

if TYPE_CHECKING:
    from proband.inference.covariates.difficulty import Partition


class PartitionFiles(Part):
    """Additional files of a partition."""

    table: Annotated[
        Text | None,
        Field(
            description="Write the table of samples with the probes' parts as extra columns (CSV), for evaluate --by."
        ),
        Option(metavar="FILE.csv"),
    ] = None

    @property
    def paths(self) -> Iterator[Path]:
        """The file."""
        yield from (Path(name) for name in (self.table,) if name is not None)

    def write(self, divided: Partition) -> Iterator[Path]:
        """Write the table."""
        from proband.engine import written_whole
        from proband.engine.files.spreadsheets import write_spreadsheet

        for path in self.paths:
            with written_whole(path) as draft:
                write_spreadsheet(divided.table, draft)
            yield path
