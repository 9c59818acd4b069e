"""Everything a study found, and where it came from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, Literal, TypeVar

from proband.engine.limits import Matching
from proband.errors import UsageError, nearest
from proband.results.base import Confidence, Count, Result
from proband.results.schema import schema_of
from proband.results.serializing import Written
from proband.study.analysis import analyses
from proband.words import Note

SCHEMA: Final = "proband-results/3"
Kind = TypeVar("Kind", bound=Result)


@dataclass(frozen=True)
class InputFile:
    """A file the study read: its name as given, its size and its hash."""

    name: str
    n_bytes: Count
    sha256: Annotated[str, Matching("^[0-9a-f]{64}$")]


@dataclass(frozen=True)
class Provenance:
    """How to do it again.

    Attributes
    ----------
    command
        What was typed.
    study
        The study file's text; empty where a command asked for the report.
    seed
        Of every replicate.
    versions
        Of Proband, Python and the libraries that compute.
    inputs
        Every file that was read.
    """

    command: str
    study: str = ""
    seed: Count = 0
    versions: Mapping[str, str] = field(default_factory=dict)
    inputs: tuple[InputFile, ...] = ()


class Parts(Result):
    """What an analysis found, where that is several things: results.json has those that were asked for."""

    __slots__ = ()
    sparse = True


@dataclass(frozen=True, eq=False)
class Findings(Result):
    """What a study found: each analysis is there if it was asked for.

    Attributes
    ----------
    title, confidence_level
        What it is called, and the level of its intervals.
    provenance
        How to do it again.
    notes
        What was left out or decided, beyond what the results say themselves.
    parts
        What each analysis found, by its key; also ``found["verification"]``.
    """

    written = Written(without=("parts",), beside="parts", versioned=True)

    schema: Literal["proband-results/3"] = field(default=SCHEMA, init=False)
    title: str
    confidence_level: Confidence = field(default=0.95, kw_only=True)
    provenance: Provenance
    notes: tuple[Note, ...] = field(default=(), kw_only=True)
    parts: Mapping[str, Result] = field(default_factory=dict)

    def __getitem__(self, key: str) -> Any:
        """What an analysis found; refused if it was not carried out."""
        if key not in self.parts:
            there = f"there are: {', '.join(self.parts)}." if self.parts else "nothing was found at all."
            raise UsageError(f"Nothing was found of {key!r}.", nearest(key, list(self.parts)) or there)
        return self.parts[key]

    def __contains__(self, key: object) -> bool:
        return key in self.parts

    def get(self, key: str) -> Any:
        """What an analysis found; None if it was not carried out."""
        return self.parts.get(key)

    def of_kind(self, kind: type[Kind]) -> Iterator[Kind]:
        """What was found that is of a kind, in order."""
        yield from (part for part in self.parts.values() if isinstance(part, kind))


def results_schema(plugins: bool = False) -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of results.json; with or without what analyses of other packages find."""
    parts = {one.key: one.result_type for one in analyses() if one.bundled or plugins}
    return schema_of(Findings, "Results of a Proband study", parts)
