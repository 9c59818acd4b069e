"""All results of a study, and their provenance."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeVar

from proband.engine.arguments import published
from proband.engine.files.documents import read_json
from proband.engine.files.files import content_of, reading
from proband.engine.limits import Matching
from proband.errors import InputError, Said, UsageError, meant
from proband.results.base import Confidence, Count, Result
from proband.results.schema import schema_of
from proband.results.serializing import Written
from proband.study.analysis import analyses
from proband.words import Note

SCHEMA: Final = "proband-results/3"
_BEFORE = "proband-results/2"
_NAME = "results.json"
Kind = TypeVar("Kind", bound=Result)


@dataclass(frozen=True)
class InputFile:
    """A file that the study read: its name as given, its size and its hash."""

    name: str
    n_bytes: Count
    sha256: Annotated[str, Matching("^[0-9a-f]{64}$")]


@dataclass(frozen=True)
class Provenance:
    """The information needed to repeat the study.

    Attributes
    ----------
    command
        The command line.
    study
        The text of the study file; empty if a command made the report.
    seed
        The random seed.
    versions
        Versions of Proband, Python and the numerical libraries.
    inputs
        All input files.
    """

    command: str
    study: str = ""
    seed: Count = 0
    versions: Mapping[str, str] = field(default_factory=dict)
    inputs: tuple[InputFile, ...] = ()


class Parts(Result):
    """The results of an analysis with several parts; results.json contains the requested ones."""

    __slots__ = ()
    sparse = True


@published
@dataclass(frozen=True, eq=False)
class Findings(Result):
    """The results of a study: one entry per analysis that was run.

    Attributes
    ----------
    title, confidence_level
        The title, and the confidence level of the intervals.
    provenance
        The information needed to repeat the study.
    notes
        Notes on omissions and decisions, in addition to those of the results.
    parts
        The result of each analysis, by its key; also ``found["verification"]``.
    """

    written = Written(without=("parts",), beside="parts", versioned=True)

    schema: Literal["proband-results/3"] = field(default=SCHEMA, init=False)
    title: str
    confidence_level: Confidence = field(default=0.95, kw_only=True)
    provenance: Provenance
    notes: tuple[Note, ...] = field(default=(), kw_only=True)
    parts: Mapping[str, Result] = field(default_factory=dict)

    def __getitem__(self, key: str) -> Any:
        """Return the result of an analysis; an error if it was not run."""
        if key not in self.parts:
            raise UsageError(
                f"There are no results for {key!r}.",
                meant(key, self.parts) if self.parts else "there are no results.",
            )
        return self.parts[key]

    def __contains__(self, key: object) -> bool:
        return key in self.parts

    def get(self, key: str) -> Any:
        """The result of an analysis; None if it was not run.

        Parameters
        ----------
        key
            The key of the analysis in `parts`.

        Returns
        -------
        Result or None
            The result of the analysis.
        """
        return self.parts.get(key)

    def of_kind(self, kind: type[Kind]) -> Iterator[Kind]:
        """All results of a given class, in order.

        Parameters
        ----------
        kind
            The class of results.

        Returns
        -------
        iterator
            Results of that class.
        """
        yield from (part for part in self.parts.values() if isinstance(part, kind))


def results_schema(plugins: bool = False) -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of results.json, with or without analyses from plug-in packages."""
    parts = {one.key: one.result_type for one in analyses() if one.bundled or plugins}
    return schema_of(Findings, "Results of a Proband study", parts)


@published
def read_results(path: Path | str) -> dict[str, Any]:
    """Read the results of an earlier run, in the form of ``proband-results/3``.

    Parameters
    ----------
    path
        A directory written by ``--out``, its results.json, or the output of ``--json``. Files of ``proband-results/2`` are also read.

    Returns
    -------
    dict
        Plain values, as returned by `Findings.to_dict`: the result of each analysis under its key.

    Examples
    --------
    >>> import json, tempfile
    >>> from pathlib import Path
    >>> import proband as pb
    >>> path = Path(tempfile.mkdtemp()) / "results.json"
    >>> _ = path.write_text(json.dumps({"schema": "proband-results/2", "thresholds": [0.4], "gate": {"decision": "pass"}}))
    >>> pb.read_results(path)
    {'schema': 'proband-results/3', 'threshold': {'thresholds': [0.4]}, 'gate': {'decision': 'pass'}}
    """
    path = Path(path)
    file = path / _NAME if path.is_dir() else path
    with reading(file, "results"):
        document = read_json(content_of(file))
    schema = document.get("schema") if isinstance(document, dict) else None
    if schema == SCHEMA:
        results: dict[str, Any] = document
        return results
    if schema != _BEFORE:
        raise _unreadable(schema, file)
    return _moved(document)


def _unreadable(schema: object, file: Path) -> InputError:
    """The error for results that this version cannot read, with a hint."""
    version = re.fullmatch(r"proband-results/(\d{1,9})", str(schema))
    if version is None:
        return InputError(
            f"{file.name} does not contain results: its schema is {schema!r:.60}.",
            f"use a file with the schema {SCHEMA!r} or {_BEFORE!r}.",
            file=Said(file.name),
        )
    if int(version[1]) > int(SCHEMA.rpartition("/")[2]):
        return InputError(
            f"{file.name} was written by a later version of Proband ({version[0]}).",
            f"install that version: this one reads up to {SCHEMA!r}.",
            file=Said(file.name),
        )
    return InputError(
        f"{file.name} was written by an earlier version of Proband ({version[0]}), which this version does not read.",
        "run the study again: proband run study.toml",
        file=Said(file.name),
    )


def _moved(document: dict[str, Any]) -> dict[str, Any]:
    """Move former top-level entries to their analyses, as declared by these."""
    moves = {before: (one.key, now) for one in analyses() for before, now in one.moved.items()}
    made: dict[str, Any] = {}
    for key, value in document.items():
        if key in moves:
            analysis, part = moves[key]
            made.setdefault(analysis, {})[part] = value
        else:
            made[key] = SCHEMA if key == "schema" else value
    return made
