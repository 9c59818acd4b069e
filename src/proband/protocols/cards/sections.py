"""The sections of a protocol card: fields that may be stated, None if not."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar

from proband.errors import InputError, UsageError
from proband.inference.cross_validation.intervals import POOLED
from proband.protocols.notation import Protocol

Named = tuple[tuple[str, Any], ...]
"""An immutable mapping, sorted by name."""
_OF_IDS, _OF_CONTENTS = "ids:", "content:"


class CardSection:
    """A section of a card. None means "not stated"; the schema describes each field."""

    later: ClassVar[tuple[str, ...]] = ()
    """Fields that are written only if stated, so that cards without them keep their digests."""

    def __post_init__(self) -> None:
        for part in fields(self):  # type: ignore[arg-type]
            value = frozen(getattr(self, part.name))
            if part.type == "float | None" and isinstance(value, int | float) and not isinstance(value, bool):
                value = float(value) + 0.0  # 1 and 1.0 are the same number, and so are 0 and −0: one digest
            object.__setattr__(self, part.name, value)

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as JSON values; fields added in later versions only if stated."""
        found = {part.name: plain(getattr(self, part.name), str(part.type)) for part in fields(self)}  # type: ignore[arg-type]
        return {name: value for name, value in found.items() if value is not None or name not in self.later}


def frozen(value: Any) -> Any:
    """Return an immutable value: sorted pairs for a mapping, a tuple for a list."""
    if isinstance(value, dict):
        return tuple(sorted(value.items()))
    return tuple(value) if isinstance(value, list) else value


def plain(value: Any, kind: str) -> Any:
    """Return the JSON value of a frozen value, given the annotation of its field."""
    if not isinstance(value, tuple):
        return value
    return dict(value) if "Named" in kind else list(value)


@dataclass(frozen=True)
class Dataset(CardSection):
    """The data used."""

    name: str | None = None
    version: str | None = None
    manifest: str | None = None
    samples: int | None = None
    subjects: int | None = None
    images_per_subject: tuple[int, int] | None = None

    @classmethod
    def of(
        cls,
        ids: Sequence[str],
        subjects: Sequence[str],
        *,
        name: str | None = None,
        version: str | None = None,
        content: Sequence[str] | None = None,
    ) -> Dataset:
        """Describe the samples used: their ids, subjects and, if known, a hash of each content."""
        counts = Counter(subjects)
        return cls(
            name=name,
            version=version,
            manifest=manifest_of(ids, subjects, content),
            samples=len(ids),
            subjects=len(counts),
            images_per_subject=(min(counts.values()), max(counts.values())) if counts else None,
        )


def names_contents(manifest: str | None) -> bool:
    """Whether a manifest covers the contents of samples and not only their ids."""
    return manifest is not None and manifest.startswith(_OF_CONTENTS)


def manifest_of(ids: Sequence[str], subjects: Sequence[str], content: Sequence[str] | None = None) -> str:
    """Return the SHA-256 over the sorted rows of samples: id and subject, and a hash of the content if given.

    Manifests with and without content cannot be compared, so each states its kind.
    """
    columns = [ids, subjects] if content is None else [ids, subjects, content]
    digest = hashlib.sha256()
    for row in sorted(zip(*(map(str, column) for column in columns), strict=True)):
        digest.update(json.dumps(row, separators=(",", ":")).encode() + b"\n")
    return f"{_OF_IDS if content is None else _OF_CONTENTS}{digest.hexdigest()}"


@dataclass(frozen=True)
class CardSelection(CardSection):
    """How the used data were selected from the collected data.

    `excluded` counts by keys, or by words of the author's choice. `reasons` maps keys to words for people,
    which are neither compared nor part of the digest.
    """

    later = ("reasons",)

    collected: int | None = None
    excluded: Named | None = None
    reasons: Named | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Task(CardSection):
    """The recognition task."""

    kind: str | None = None
    label: str | None = None
    n_classes: int | None = None
    classes: Named | None = None

    @classmethod
    def of(cls, kind: str, labels: Sequence[str], label: str | None = None) -> Task:
        """Describe a task by the label of every sample; for identities, which are names of people, only their number is kept."""
        counts = Counter(str(one) for one in labels)
        classes = None if kind == "identity" else tuple(sorted(counts.items()))
        return cls(kind, label, len(counts), classes)


@dataclass(frozen=True)
class CardProcedure(CardSection):
    """How the data were divided into training and testing.

    The notation is made canonical, and disjointness is stated both in it and in a separate field; the share
    of training data is filled in if it follows from the notation. `justification` states why the protocol is,
    for example, a single hold-out; it is shown with the EPD verdict without changing it. `divisions` is the
    number of different repeats, or of different splits that leave one out.
    `enrolled_each` is the number of samples enrolled for each held-out person in subject-disjoint recognition
    of identity.
    """

    later = ("divisions", "justification", "enrolled_each")

    notation: str | None = None
    disjoint: bool | None = None
    train_share: float | None = None
    stratified: bool | None = None
    seed: int | None = None
    generator_version: int | None = None
    splits: str | None = None
    divisions: int | None = None
    justification: str | None = None
    enrolled_each: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.notation, str) or not self.notation:
            return
        try:
            stated = Protocol.parse(self.notation)
            if isinstance(self.disjoint, bool):
                stated = _with_disjointness(stated, self.disjoint)
        except UsageError as error:
            raise InputError(f"protocol.notation: {error.message}", error.cure) from None
        said = {
            "notation": None if stated == Protocol("unstated") else str(stated),
            "disjoint": stated.disjoint,
            "train_share": stated.train_share if self.train_share is None else self.train_share,
        }
        for name, value in said.items():
            object.__setattr__(self, name, value)

    @property
    def parsed(self) -> Protocol | None:
        """The protocol, if it is stated."""
        return None if self.notation is None else Protocol.parse(self.notation)


@dataclass(frozen=True)
class Metric(CardSection):
    """The measured quantity."""

    name: str | None = None
    statistic: str | None = None
    ties: str | None = None


@dataclass(frozen=True)
class Value(CardSection):
    """The value, as a share of 1, and its uncertainty.

    `std`, `maximum` and `minimum` are over runs, and `low` and `high` are the interval of `estimate`. The
    pooled estimate, in which every sample is weighted equally, is a different number with its own interval.
    Cards written before this field existed stated the pooled interval with the mean over runs; it is read as
    the pooled interval.
    """

    later = ("maximum", "minimum", "pooled_estimate", "pooled_low", "pooled_high", "pooled_uncertainty")

    estimate: float | None = None
    std: float | None = None
    low: float | None = None
    high: float | None = None
    confidence_level: float | None = None
    uncertainty: str | None = None
    maximum: float | None = None
    minimum: float | None = None
    pooled_estimate: float | None = None
    pooled_low: float | None = None
    pooled_high: float | None = None
    pooled_uncertainty: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.uncertainty == POOLED.key:
            for name in ("low", "high", "uncertainty"):
                object.__setattr__(self, f"pooled_{name}", getattr(self, name))
                object.__setattr__(self, name, None)

    @property
    def interval(self) -> tuple[float, float] | None:
        """The interval of the estimate, if one is stated."""
        return None if self.low is None or self.high is None else (self.low, self.high)

    @property
    def pooled(self) -> tuple[float, float, float] | None:
        """The pooled estimate and its interval, if they are stated."""
        stated = (self.pooled_estimate, self.pooled_low, self.pooled_high)
        return None if None in stated else stated  # type: ignore[return-value]


@dataclass(frozen=True)
class PredictionsFile(CardSection):
    """The prediction for every test sample."""

    file: str | None = None
    sha256: str | None = None


@dataclass(frozen=True)
class Environment(CardSection):
    """The software used."""

    proband: str | None = None
    python: str | None = None
    numpy: str | None = None


@dataclass(frozen=True)
class CardProvenance(CardSection):
    """Where the value was published."""

    publication: str | None = None
    year: int | None = None
    source: str | None = None
    table: int | None = None
    row: int | None = None
    remarks: tuple[str, ...] | None = None


def _with_disjointness(stated: Protocol, disjoint: bool) -> Protocol:
    if stated.disjoint is None:
        return replace(stated, disjoint=disjoint)
    if stated.disjoint is not disjoint:
        raise InputError(f"protocol.disjoint: is {str(disjoint).lower()}, but the notation is {stated}.")
    return stated
