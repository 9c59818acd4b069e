"""``proband blind score``: open the key, and evaluate all submissions."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from proband.cli import options as o
from proband.cli.analyses.findings import OutputFiles, show_findings, write_findings
from proband.cli.analyses.request_options import Asked, requesting, spelled
from proband.cli.blind.check import Tolerance
from proband.cli.console import progress_bars, typed
from proband.cli.outputs import require_apart

if TYPE_CHECKING:
    from proband.blind.scoring import AnsweredTest, OpenedTests
    from proband.engine import Progress
    from proband.study.requests import Request

_AND = "+"


class LateName(StrEnum):
    """How late submissions are handled."""

    refuse = "refuse"
    label = "label"


@requesting(lambda analysis: analysis.blind)
def score(
    tests: Annotated[
        list[str],
        typer.Argument(
            metavar="KEY PACKAGE SUBMISSION... [+ KEY PACKAGE SUBMISSION...]",
            help="A key, its package and the submissions; after a +, the same for another version of the test.",
            show_default=False,
        ),
    ],
    asked: Asked,
    files: OutputFiles,
    tolerance: Tolerance = 1e-5,
    receipts: Annotated[
        Path | None,
        typer.Option(
            "--receipts",
            "-r",
            metavar="FILE",
            help="The log of proband blind receive: submissions not in it, or changed since, are rejected.",
            rich_help_panel="Time",
        ),
    ] = None,
    late: Annotated[
        LateName | None,
        typer.Option(
            "--late",
            help="Submissions after the deadline are rejected (default), or scored with a label.",
            show_default=False,
            rich_help_panel="Time",
        ),
    ] = None,
    json: o.Json = False,
    explain: o.Explain = False,
    threads: o.Threads = None,
    quiet: o.Quiet = False,
) -> None:
    """Check all submissions with the key and evaluate them in one study; if one is rejected, none is scored.

    Without --gallery, every target is enrolled and every query that is not a target is searched for. An
    algorithm submitted under one name for both the fully and the partially automatic package is compared with
    itself.

    [bold]Examples[/bold]

      proband blind score secret/test.key test answers/pca answers/lda --feret --out results

      proband blind score test-fully.key test-fully fully/pca + test-partially.key test-partially partially/pca --out results
    """
    from proband.blind import Receipts
    from proband.blind.scoring import administered, open_tests
    from proband.study.definition import Origin
    from proband.study.inputs import in_memory
    from proband.study.run import run

    require_apart(files.paths, [*(word for word in tests if word != _AND), receipts], files.out)
    with spelled(), progress_bars(quiet) as progress:
        answered = _answered(tests, progress)
        _require_deadline(late, answered)
        opened = open_tests(
            answered,
            receipts=None if receipts is None else Receipts.read(receipts),
            late="refuse" if late is None else late.value,
            tolerance=tolerance,
            threads=threads,
            progress=progress,
        )
        request = _with_versions(
            asked.request([scores.name for scores in opened.scores], title="Blind test"), opened
        )
        experiment = None if request.experiment.chooses else opened.experiment()
        data = in_memory(opened.samples, opened.scores, experiment=experiment)
        findings = run(
            request,
            data,
            origin=Origin(command=typed()),
            threads=threads,
            progress=progress,
            allow_plugins=True,  # whoever types a command may name code to run
        )
        (key,) = findings.parts
        findings = replace(findings, parts={key: administered(findings[key], opened)})
    write_findings(findings, request, files)
    show_findings(findings, json, explain)


def _require_deadline(late: LateName | None, answered: list[AnsweredTest]) -> None:
    from proband.errors import UsageError

    if late is not None and all(test.package.deadline is None for test in answered):
        raise UsageError("--late has no effect: the test has no deadline.", "leave it out.")


def _with_versions(request: Request, opened: OpenedTests) -> Request:
    """The request, with the algorithms that answered two versions of a test before those that are asked for."""
    ((analysis, asked),) = request.sections()
    own = [{"fully": pair.fully, "partially": pair.partially} for pair in opened.versions]
    said = {name: getattr(asked, name) for name in asked.model_fields_set}
    section = analysis.request_type(**{**said, "versions": (*own, *asked.versions)})
    return request.model_copy(update={analysis.key: section})


def _answered(words: list[str], progress: Progress) -> list[AnsweredTest]:
    """Read the tests: keys and packages first, so that a wrong one is told before any matrix is read."""
    from proband.blind import Key, Package
    from proband.blind.checking.submission import Submission
    from proband.blind.scoring import AnsweredTest
    from proband.errors import UsageError

    parts: list[list[str]] = [[]]
    for word in words:
        if word == _AND:
            parts.append([])
        else:
            parts[-1].append(word)
    opened = []
    for part in parts:
        if not part:
            raise UsageError(
                f"Use {_AND} only between two tests.", "KEY PACKAGE SUBMISSION... + KEY PACKAGE SUBMISSION..."
            )
        if len(part) < 3:
            raise UsageError(
                f"A test consists of a key, a package and at least one submission, got {' '.join(part)!r}.",
                "proband blind score KEY PACKAGE SUBMISSION...",
            )
        key, package = Key.read(part[0]), Package.read(part[1])
        key.require(package)
        opened.append((key, package, part[2:]))
    return [
        AnsweredTest(key, package, tuple(Submission.read(path, progress) for path in paths))
        for key, package, paths in opened
    ]
