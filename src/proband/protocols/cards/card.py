"""Protocol cards: what an accuracy measures, and how and on which data it was estimated, in machine-readable form."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from types import MappingProxyType
from typing import Any

from proband.engine.arguments import published
from proband.engine.files.documents import read_json
from proband.engine.files.files import reading, require_there, text_of, written_whole
from proband.errors import InputError, UsageError
from proband.protocols.cards.contradictions import contradictions
from proband.protocols.cards.schema import faults
from proband.protocols.cards.sections import (
    CardProcedure,
    CardProvenance,
    CardSection,
    CardSelection,
    Dataset,
    Environment,
    Metric,
    Named,
    PredictionsFile,
    Task,
    Value,
    frozen,
    plain,
)
from proband.protocols.epd import EPDVerdict, epd_verdict
from proband.words import as_sentence

FORMAT = "proband protocol card 1"
NOT_STATED = "not stated"
_SHOWN = 5  # faults listed in one message
_EXCLUDED = "selection.excluded"
_WORDS = "selection.reasons"  # shown to people only
# What a run knows about itself, and hence must state.
_OF_A_RUN = (
    "method",
    "dataset.manifest",
    "task.kind",
    "protocol.notation",
    "protocol.disjoint",
    "protocol.seed",
    "protocol.generator_version",
    "metric.statistic",
    "value.estimate",
)
_OF_OUR_SPLITS = ("protocol.seed", "protocol.generator_version")


@published
@dataclass(frozen=True, repr=False)
class ProtocolCard:
    """What an accuracy measures, how it was estimated, and on which data.

    Every field may be None: not stated. Mappings (`conditions`, the classes of the task, the reasons of the selection) are
    tuples of pairs sorted by name, so a card is immutable.

    Examples
    --------
    >>> card = ProtocolCard.from_dict({
    ...     "format": FORMAT, "method": "SRC", "dataset": {"name": "AR", "subjects": 100, "images_per_subject": [26, 26]},
    ...     "protocol": {"notation": "10x13-13 HO*"}, "value": {"estimate": 0.98}})
    >>> card
    ProtocolCard(SRC on AR: 10×13-13 HO*, 0.98; 80c7ba195f65…)
    >>> card.protocol.disjoint
    False
    >>> ProtocolCard.from_dict({"format": FORMAT, "dataset": {"subjects": -1}})
    Traceback (most recent call last):
    proband.errors.InputError: The protocol card is not valid: dataset.subjects: expected at least 0, got -1.

    """

    method: str | None = None
    dataset: Dataset = field(default_factory=Dataset)
    selection: CardSelection = field(default_factory=CardSelection)
    task: Task = field(default_factory=Task)
    conditions: Named | None = None
    protocol: CardProcedure = field(default_factory=CardProcedure)
    metric: Metric = field(default_factory=Metric)
    value: Value = field(default_factory=Value)
    predictions: PredictionsFile = field(default_factory=PredictionsFile)
    environment: Environment = field(default_factory=Environment)
    provenance: CardProvenance = field(default_factory=CardProvenance)

    def __post_init__(self) -> None:
        object.__setattr__(self, "conditions", frozen(self.conditions))
        _refuse([*faults(self.to_dict())])
        _refuse([*contradictions(self)])
        try:
            self.canonical()
        except UnicodeEncodeError:
            _refuse(["a text contains half a character (a lone surrogate)"])

    def __repr__(self) -> str:
        parts = (self.method, self.dataset.name, self.protocol.notation, self.value.estimate)
        method, data, notation, value = (NOT_STATED if part is None else part for part in parts)
        return f"ProtocolCard({method} on {data}: {notation}, {value}; {self.digest[:12]}…)"

    @classmethod
    def from_dict(cls, content: object) -> ProtocolCard:
        """Make a card from the result of `to_dict`, or any part of it; errors name the path.

        Parameters
        ----------
        content
            Fields by name; missing fields are not stated.

        Returns
        -------
        ProtocolCard
            The card.
        """
        if isinstance(content, dict) and content and "format" not in content:
            raise InputError(
                f"This is not a protocol card: it does not state the format {FORMAT!r}.",
                "pass a card, such as those that running a protocol writes.",
            )
        _refuse([*faults(content)])
        assert isinstance(content, dict)
        parts: dict[str, Any] = {}
        for part in fields(cls):
            stated = content.get(part.name)
            section = part.default_factory
            parts[part.name] = section(**(stated or {})) if isinstance(section, type) else stated
        return cls(**parts)

    @classmethod
    def from_run(
        cls,
        method: str,
        dataset: Dataset,
        task: Task,
        protocol: CardProcedure,
        value: Value,
        *,
        metric: Metric | None = None,
        selection: CardSelection | None = None,
        conditions: Named | None = None,
        predictions: PredictionsFile | None = None,
    ) -> ProtocolCard:
        """Make the card of a run of this program, which must state everything known about the run.

        Parameters
        ----------
        method
            The algorithm.
        dataset, task
            The data and the task; `Dataset.of` and `Task.of` make them from ids, subjects and labels.
        protocol
            At least the notation, disjointness, seed and version of the generator; for splits from elsewhere, their digest
            instead of the last two.
        value
            The estimate with its interval and method; the pooled estimate with its own interval.
        metric
            By default the mean accuracy.
        selection, conditions, predictions
            What was left out, the variation in the images, and the location of the predictions.

        Returns
        -------
        ProtocolCard
            The card, with the versions of Proband, Python and NumPy.
        """
        import platform

        import numpy as np

        from proband._version import __version__

        card = cls(
            method=method,
            dataset=dataset,
            selection=selection or CardSelection(),
            task=task,
            conditions=conditions,
            protocol=protocol,
            metric=metric or Metric("accuracy", "mean"),
            value=value,
            predictions=predictions or PredictionsFile(),
            environment=Environment(__version__, platform.python_version(), np.__version__),
        )
        stated = dict(card.stated())
        given = _OF_OUR_SPLITS if protocol.splits is not None else ()  # may come from elsewhere
        missing = [path for path in _OF_A_RUN if stated[path] is None and path not in given]
        if missing:
            raise UsageError(f"The card of a run must state {', '.join(missing)}.")
        return card

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as JSON values, including those not stated.

        Returns
        -------
        dict
            Values by field; sections are dicts of their own.
        """
        content: dict[str, Any] = {"format": FORMAT}
        for part in fields(self):
            value = getattr(self, part.name)
            content[part.name] = (
                value.to_dict() if isinstance(value, CardSection) else plain(value, str(part.type))
            )
        return content

    @classmethod
    def read(cls, path: str | Path) -> ProtocolCard:
        """Read a card from a JSON file; errors name the path in the card.

        Parameters
        ----------
        path
            The JSON file.

        Returns
        -------
        ProtocolCard
            The card.
        """
        path = Path(path)
        require_there(path)
        with reading(path, "a protocol card"):
            return cls.from_dict(read_json(text_of(path, "utf-8-sig"), object_pairs_hook=_once))

    def write(self, path: str | Path) -> Path:
        """Write the card as JSON, readable by people and programs; the file is complete or not written.

        Parameters
        ----------
        path
            The file; an existing file is replaced.

        Returns
        -------
        pathlib.Path
            The file.
        """
        with written_whole(Path(path)) as draft:
            text = json.dumps(self.to_dict(), indent=1, ensure_ascii=False, allow_nan=False)
            draft.write_text(text + "\n", encoding="utf-8", newline="\n")
        return Path(path)

    def canonical(self) -> bytes:
        """Return the canonical form for the digest: sorted keys, no spaces, shortest numbers, UTF-8.

        The words for the keys of exclusions are not included, because they do not change what is stated.

        Returns
        -------
        bytes
            The JSON text.
        """
        content = self.to_dict()
        content["selection"].pop("reasons", None)
        text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
        return text.encode()

    @property
    def digest(self) -> str:
        """SHA-256 of the canonical form, in hexadecimal digits: equal cards have equal digests."""
        return hashlib.sha256(self.canonical()).hexdigest()

    @property
    def epd(self) -> EPDVerdict:
        """Whether, as far as stated, the accuracy was estimated as Mery, Zhao and Bowyer (2016) require.

        Examples
        --------
        >>> ProtocolCard.from_dict({"format": FORMAT, "task": {"kind": "attribute"}, "protocol": {"notation": "LOSO"}}).epd
        EPD: experiments (E) yes, protocol (P) yes, data (D) not stated.

        """
        return epd_verdict(
            self.protocol.parsed,
            task=self.task.kind,
            statistic=self.metric.statistic,
            std=self.value.std,
            collected=self.selection.collected,
            used=self.dataset.samples,
            excluded=None if self.selection.excluded is None else dict(self.selection.excluded),
            subjects=self.dataset.subjects,
            divisions=self.protocol.divisions,
            justification=self.protocol.justification,
            enrolled_each=self.protocol.enrolled_each,
        )

    def stated(self) -> Iterator[tuple[str, Any]]:
        """Yield the path and JSON value of every field; every condition has a path, words for keys do not.

        Returns
        -------
        iterator of tuple
            Path and value; the value is None if nothing is stated.
        """
        for name, value in self.to_dict().items():
            if name == "format":
                continue
            if name == "conditions" and value is None:
                yield name, None
            elif isinstance(value, dict):
                paths = ((f"{name}.{inner}", one) for inner, one in value.items())
                yield from (pair for pair in paths if pair[0] != _WORDS)
            else:
                yield name, value

    def to_text(self) -> str:
        """Return the card as text: a line for each stated field, a line naming the fields not stated, and the EPD verdict.

        Returns
        -------
        str
            Several lines.
        """
        lines = [f"protocol card {self.digest}"]
        missing = [path for path, value in self.stated() if value is None]
        given = [(path, value) for path, value in self.stated() if value is not None]
        width = max((len(path) for path, _ in given), default=0)
        words = dict(self.selection.reasons or ())
        lines += [
            f"{path:<{width}}  {shown(value, words if path == _EXCLUDED else {})}" for path, value in given
        ]
        lines.append(f"{NOT_STATED}: {', '.join(missing) or 'nothing'}")
        # The justification is stated above, among the fields.
        answers = self.epd.sentences()[:3]
        return "\n".join([*lines, *map(as_sentence, answers)])


def shown(value: object, words: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return the value of a field as text, using the words for its keys if there are any."""
    if value is None:
        return NOT_STATED
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return ", ".join(f"{words.get(name, name)} {shown(one)}" for name, one in value.items()) or "none"
    if isinstance(value, list):
        # The only list of numbers is a range; the only list of texts is that of remarks.
        numbers = all(isinstance(one, int) for one in value)
        return "–".join(map(str, sorted(set(value)))) if numbers and value else " ".join(value) or "none"
    return str(value)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse a duplicate name in an object, of which JSON readers silently use the last."""
    content = dict(pairs)
    if len(content) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"{twice!r} is stated twice.")
    return content


def _refuse(found: list[str]) -> None:
    if found:
        more = f"; and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
        raise InputError(f"The protocol card is not valid: {'; '.join(found[:_SHOWN])}{more}.")
