"""Files of a gate for the next release and for continuous integration, and its exit code."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pydantic import Field, field_validator

from proband.errors import Predicate
from proband.study.requests.base import Option, Part, Text, refuse

if TYPE_CHECKING:
    from proband.inference.comparisons.gate import Gate
    from proband.study.requests import Request

_PIN = "proband-baseline/1"
_SUMMARY = "GITHUB_STEP_SUMMARY"


class GateFiles(Part):
    """Additional files of a gate."""

    save: Annotated[
        Text | None,
        Field(
            description="Pin this baseline in a file for the next --baseline, so that small losses cannot accumulate."
        ),
        Option(metavar="FILE.json"),
    ] = None
    junit: Annotated[
        Text | None, Field(description="Write JUnit XML with one test case."), Option(metavar="FILE.xml")
    ] = None
    summary: Annotated[
        Text | None, Field(description="Write a Markdown summary."), Option(metavar="FILE.md")
    ] = None
    github: Annotated[bool, Field(description=f"Append the summary to the file named by ${_SUMMARY}.")] = (
        False
    )

    @field_validator("github")
    @classmethod
    def _of_a_step(cls, github: bool) -> bool:
        if github and not os.environ.get(_SUMMARY):
            raise refuse(
                Predicate(f"appends to the file named by ${_SUMMARY}, which is not set"),
                "outside a workflow, write a file: --summary FILE.md",
            )
        return github

    @property
    def paths(self) -> Iterator[Path]:
        """The files."""
        yield from (Path(name) for name in (self.save, self.junit, self.summary) if name is not None)

    def write(self, gate: Gate) -> Iterator[Path]:
        """Write the files, reporting each when it is written."""
        from proband.analyses.gate.view import gate_junit, gate_summary
        from proband.engine import written_whole

        if self.github:
            with Path(os.environ[_SUMMARY]).open("a", encoding="utf-8", newline="\n") as whole:
                whole.write(gate_summary(gate))
        for name, text in ((self.junit, gate_junit), (self.summary, gate_summary), (self.save, self._pin)):
            if name is not None:
                with written_whole(Path(name)) as draft:
                    draft.write_text(text(gate), encoding="utf-8", newline="\n")
                yield Path(name)

    def _pin(self, gate: Gate) -> str:
        """The baseline as stored in a file, with paths relative to that file."""
        from proband.engine.files.documents import as_json
        from proband.engine.files.names import relative_path

        assert gate.pinned is not None  # commands read files
        assert self.save is not None  # asked before
        file = relative_path(gate.pinned.file, Path(self.save).parent)
        kept = {key: value for key, value in asdict(gate.pinned).items() if key != "by_digest"}
        value = gate.estimates[1].value
        return as_json(
            {"schema": _PIN, "measure": gate.measure, "value": value, "pinned": {**kept, "file": file}}
        )


def exit_code(gate: Gate, request: Request) -> int:
    """0 for a pass, 3 for a fail, 4 if undecided."""
    return gate.exit_code
