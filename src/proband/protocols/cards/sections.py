"""The parts of a protocol card: what may be stated, and None for what is not."""

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
    """A part of a card. None is "not stated", and what is not stated proves nothing; the schema says what each field is."""

    later: ClassVar[tuple[str, ...]] = ()
    """Fields that are written only if stated, so that cards without them keep their digests."""

    def __post_init__(self) -> None:
        for part in fields(self):  # type: ignore[arg-type]
            value = frozen(getattr(self, part.name))
            if part.type == "float | None" and isinstance(value, int | float) and not isinstance(value, bool):
                value = float(value) + 0.0  # 1 and 1.0 are the same number, and so are 0 and −0: one digest
            object.__setattr__(self, part.name, value)

    def to_dict(self) -> dict[str, Any]:
        """All fields as JSON has them; those that came later only where they are stated."""
        found = {part.name: plain(getattr(self, part.name), str(part.type)) for part in fields(self)}  # type: ignore[arg-type]
        return {name: value for name, value in found.items() if value is not None or name not in self.later}


def frozen(value: Any) -> Any:
    """Make a value that cannot change: sorted pairs of a mapping, a tuple of a list."""
    if isinstance(value, dict):
        return tuple(sorted(value.items()))
    return tuple(value) if isinstance(value, list) else value


def plain(value: Any, kind: str) -> Any:
    """Make JSON's value of a frozen one, given the annotation of its field."""
    if not isinstance(value, tuple):
        return value
    return dict(value) if "Named" in kind else list(value)


@dataclass(frozen=True)
class Dataset(CardSection):
    """The data that were used."""

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
        """Describe the samples that are used: their ids, whose they are and, if known, a hash of what each holds."""
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
    """Whether a manifest is of the contents of samples, and not of their ids alone."""
    return manifest is not None and manifest.startswith(_OF_CONTENTS)


def manifest_of(ids: Sequence[str], subjects: Sequence[str], content: Sequence[str] | None = None) -> str:
    """Take the SHA-256 over the rows of samples, sorted: id and subject, and a hash of the content if it is given.

    Manifests with and without content cannot be compared, so each says which it is.
    """
    columns = [ids, subjects] if content is None else [ids, subjects, content]
    digest = hashlib.sha256()
    for row in sorted(zip(*(map(str, column) for column in columns), strict=True)):
        digest.update(json.dumps(row, separators=(",", ":")).encode() + b"\n")
    return f"{_OF_IDS if content is None else _OF_CONTENTS}{digest.hexdigest()}"


@dataclass(frozen=True)
class CardSelection(CardSection):
    """How the used data came from the collected data.

    `excluded` counts by keys, or by whatever words the author chose. `reasons` has words for keys: they are for people, and neither
    compared nor part of the digest.
    """

    later = ("reasons",)

    collected: int | None = None
    excluded: Named | None = None
    reasons: Named | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Task(CardSection):
    """What was to be recognised."""

    kind: str | None = None
    label: str | None = None
    n_classes: int | None = None
    classes: Named | None = None

    @classmethod
    def of(cls, kind: str, labels: Sequence[str], label: str | None = None) -> Task:
        """Describe a task by the label of every sample; of identities only the number is kept, which are people's names."""
        counts = Counter(str(one) for one in labels)
        classes = None if kind == "identity" else tuple(sorted(counts.items()))
        return cls(kind, label, len(counts), classes)


@dataclass(frozen=True)
class CardProcedure(CardSection):
    """How training and testing data were parted.

    The notation is made canonical, and disjointness is said in it and beside it; a share of training data that follows from
    the notation is filled in. `justification` says why the protocol is, say, a single hold-out; it is shown beside the EPD verdict
    and changes nothing in it. `divisions` says how many of the repeats, or of the splits that leave one out, are different.
    `enrolled_each` says how many samples of each held-out person were enrolled, where identity is recognised with subjects apart.
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
    """What was measured."""

    name: str | None = None
    statistic: str | None = None
    ties: str | None = None


@dataclass(frozen=True)
class Value(CardSection):
    """The number, as a share of 1, and how sure it is.

    `std`, `maximum` and `minimum` are over runs, and `low` and `high` the interval of `estimate`. The pooled estimate, in which every
    sample weighs the same, is another number with an interval of its own. A card of before there was a field for it gave the pooled
    interval beside the mean over runs: it is read as what it is.
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
    """What it was computed with."""

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
