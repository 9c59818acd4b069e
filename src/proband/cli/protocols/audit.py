"""``proband audit``: are splits, or a data set, fit to estimate an accuracy with?"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from proband.cli import options as o
from proband.cli.analyses.command import Asked, analysis
from proband.cli.console import write_csv
from proband.cli.findings import show_findings, write_findings
from proband.cli.protocols.inputs import SampleInputs
from proband.errors import UsageError

if TYPE_CHECKING:
    from proband.protocols.audit.findings import Audit
    from proband.study.findings import Findings
    from proband.study.requests import Request

FINDING = 3
"""The exit code of a finding."""


@dataclass(frozen=True, kw_only=True)
class AuditInputs(SampleInputs):
    """Splits and the samples they are of, or a data set."""

    source: Annotated[
        Path,
        typer.Argument(
            metavar="SPLITS|DATA",
            help="Splits: a table of id, repeat, fold and role (.csv, .tsv, .parquet), or a folder of train.txt and test.txt, in fold_1, … if "
            "several. Or a data set without splits: a directory of pictures, .npz with images, or a table of samples.",
        ),
    ]

    def sources(self) -> dict[str, Any]:
        """The samples as a request names them, unless nobody is known on the pictures of a directory."""
        return {} if self.samples is None else {"samples": self.table(None)}

    @property
    def is_pictures(self) -> bool:
        """Whether a data set is named by its directory of pictures."""
        return self.source.is_dir() and not any(self.source.rglob("train.txt"))

    @property
    def is_samples(self) -> bool:
        """Whether a file is a table without the column that divides it."""
        from proband.samples.reading import read_frame

        return self.source.is_file() and "role" not in read_frame(self.source).columns

    @property
    def says_who(self) -> bool:
        """Whether anything is said of whose the samples are, or of how to read that."""
        return any(getattr(self, one.name) != one.default for one in fields(SampleInputs))


def _found_out(asked: Asked, inputs: AuditInputs) -> AuditInputs:
    """Find out what was named: splits, pictures or a table of samples; and so what holds the samples."""
    from proband.engine.files.files import require_regular

    own, source, table = asked.values["audit"], inputs.source, inputs.samples
    require_regular(source)
    images = Path(own["images"]) if "images" in own else None
    if inputs.is_pictures:
        own["images"] = str(_only(images, source, "--images"))
        named = o.named_samples(table, source, inputs.names) if inputs.says_who else None
        return replace(inputs, samples=named, names=None)
    names_pictures = table is None and images is not None and images.is_dir()
    if inputs.names is not None and (not names_pictures or inputs.is_samples):
        raise UsageError(
            "--names reads the names of a directory's pictures.",
            "leave it out, or leave --samples out and give the directory.",
        )
    if source.suffix.lower() == ".npz":
        own["images"] = str(_only(images, source, "--images"))
        return replace(inputs, samples=table or source)
    if inputs.is_samples:
        return replace(inputs, samples=_only(table, source, "--samples"))
    own["splits"] = str(source)
    return replace(inputs, samples=o.named_samples(table, images, inputs.names), names=None)


def _only(given: Path | None, source: Path, option: str) -> Path:
    if given is not None:
        raise UsageError(
            f"{source} is what {option} names, and {given} is another.", "leave one of them out."
        )
    return source


@analysis("audit", "Audit", experiment=(), output=("formats",), reads=AuditInputs, prepare=_found_out)
def audit(
    found: Findings,
    request: Request,
    csv: o.Csv = None,
    copies: Annotated[
        Path | None,
        typer.Option(
            help="Write every pair of copies as CSV: of a data set, or across splits.",
            rich_help_panel="Output",
        ),
    ] = None,
    latex: o.Latex = None,
    *,
    json: bool,
    explain: bool,
) -> int:
    """Are splits, or a data set, sound? Leaks, copies, losses.

    Exit code 3 if they are not. Every finding names the first few offenders and its cure. A leak (a sample, a subject or a copy in both training and
    testing) and a fault must be mended; warnings and notes leave the exit code at 0. A data set without splits is searched for copies
    under two names, labels or subjects: the same pixels, or compressed, resized, mirrored, cut or brightened.

    [bold]Examples[/bold]

      proband audit splits.csv -s samples.csv --label expression --images images.npz

      proband audit folds -s samples.csv --protocol "10f CV" --collected all.csv --exclusions dropped.csv

      proband audit yale --names "subject{subject}.{condition}" --copies pairs.csv
    """
    made: Audit = found["audit"].audits[0]
    if copies is not None:
        if made.duplicates is None:
            raise UsageError(
                "No copies were searched for.", "give pictures or vectors: --images, --embeddings"
            )
        write_csv(made.duplicates, copies)
    write_findings(found, csv, latex)
    show_findings(found, json, explain)
    return 0 if made.is_sound else FINDING
