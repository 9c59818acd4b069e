"""How the results of two runs differ, and the possible reasons."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isclose
from pathlib import Path
from typing import Any, TypeGuard

from proband.engine.files.documents import read_toml
from proband.results.base import Count, Result
from proband.study.findings import read_results
from proband.study.refusals import shown
from proband.words import Note, Sentence

_INPUT_CHANGED = Sentence("diff.input-changed", "note", "{name} has different content")
_INPUT_ONLY = Sentence("diff.input-only", "note", "only the {which} run read {name}")
_VERSION = Sentence("diff.version", "note", "{name} {before} → {after}")
_SEED = Sentence("diff.seed", "note", "seed {before} → {after}")
_SETTING = Sentence("diff.setting", "note", "{where}: {before} → {after}")
_COMMAND = Sentence("diff.command", "note", "command: {before} → {after}")

# Words about numbers, and what is told under reasons.
_PASSED_OVER = frozenset(
    {
        *("answers", "cites", "experiment", "notes", "proband", "provenance", "said", "schema"),
        *("seed", "sentence", "text", "title", "version"),
    }
)
_NAMING = (
    *("algorithm", "name", "first", "second", "measure", "category", "column", "group", "class", "dataset"),
    *("asked", "target_fmr", "fpir", "rank", "n_enrolled", "subject"),
)
_NONE = "–"
_ZERO = 1e-12
_ALIKE = 1e-9  # numbers that agree to nine digits are the same: processors round the last ones differently

Leaf = float | str | bool | None
Value = Leaf | tuple[Any, ...]


@dataclass(frozen=True)
class NumberMove:
    """A value that differs between the two runs.

    Attributes
    ----------
    where
        What leads to it: the analysis, and what tells records apart. Of a curve it is the point that moved most.
    before, after
        Its value in the first run and in the second.
    change
        The second minus the first; None where they are no numbers.
    """

    where: tuple[str, ...]
    before: Leaf
    after: Leaf
    change: float | None

    @property
    def order(self) -> tuple[int, float]:
        """Where it stands among others: verdicts and what is missing, then rates, then counts; large moves first.

        The size of a move is the difference of rates, and of larger numbers its share of them.
        """
        if self.change is None:
            return 0, 0.0
        size = max(1.0, *(abs(float(end)) for end in (self.before, self.after) if end))
        is_count = isinstance(self.before, int) and isinstance(self.after, int)
        return 2 if is_count else 1, -abs(self.change) / size


@dataclass(frozen=True)
class RunDifference(Result):
    """How the results of two runs differ.

    Attributes
    ----------
    n_compared
        The values that both runs have.
    moves
        Those that differ, the largest moves first.
    only_first, only_second
        Analyses that one run has and the other has not.
    reasons
        What differs in inputs, versions, seed and settings.
    """

    n_compared: Count
    moves: tuple[NumberMove, ...]
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]
    reasons: tuple[Note, ...]

    @property
    def is_equal(self) -> bool:
        """Whether both runs have the same results."""
        return not (self.moves or self.only_first or self.only_second)


def compare_runs(first: Path, second: Path) -> RunDifference:
    """Compare the results of two runs value by value, and what they record of how they came about.

    Parameters
    ----------
    first, second
        Directories of results, their results.json, or what ``--json`` printed.
    """
    before, after = read_results(first), read_results(second)
    parts = [[key for key in each if key not in _PASSED_OVER] for each in (before, after)]
    shared = [key for key in parts[0] if key in parts[1]]
    values = [dict(_leaves({key: each[key] for key in shared}, ())) for each in (before, after)]
    both = dict.fromkeys([*values[0], *values[1]])
    moves = [
        _move(where, values[0].get(where), values[1].get(where))
        for where in both
        if not _same(values[0].get(where), values[1].get(where))
    ]
    return RunDifference(
        n_compared=len(both),
        moves=tuple(sorted(moves, key=lambda move: move.order)),
        only_first=tuple(key for key in parts[0] if key not in shared),
        only_second=tuple(key for key in parts[1] if key not in shared),
        reasons=tuple(_reasons(_provenance(before), _provenance(after))),
    )


def _leaves(part: Any, where: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Value]]:
    """Every value of results, by what leads to it; records of a list are found by what they are of, not by their place."""
    if isinstance(part, Mapping):
        for key, value in part.items():
            if key not in _PASSED_OVER:
                yield from _leaves(value, (*where, key))
    elif isinstance(part, list) and _holds_records(part):
        for label, value in zip(_labels(part), part, strict=True):
            yield from _leaves(value, (*where[:-1], f"{where[-1]} {label}"))
    else:
        yield where, _array(part)


def _holds_records(part: Any) -> bool:
    return isinstance(part, Mapping) or (isinstance(part, list) and any(map(_holds_records, part)))


def _array(part: Any) -> Any:
    """A curve or a histogram as one value."""
    return tuple(map(_array, part)) if isinstance(part, list) else part


def _labels(records: Sequence[Any]) -> list[str]:
    """What tells the records of a list apart; their places where nothing does."""
    named = [_label(record) for record in records]
    if all(named) and len(set(named)) == len(named):
        return named
    return [str(place) for place in range(1, len(records) + 1)]


def _label(record: Any) -> str:
    if not isinstance(record, Mapping):
        return ""
    facts = {**record, **(record["who"] if isinstance(record.get("who"), Mapping) else {})}
    return ", ".join(str(facts[key]) for key in _NAMING if isinstance(facts.get(key), str | int | float))


def _same(before: Value, after: Value) -> bool:
    if isinstance(before, tuple) and isinstance(after, tuple):
        return len(before) == len(after) and all(map(_same, before, after))
    if _is_number(before) and _is_number(after):
        return isclose(before, after, rel_tol=_ALIKE, abs_tol=_ZERO)
    return before == after


def _is_number(value: Value) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _move(where: tuple[str, ...], before: Value, after: Value) -> NumberMove:
    if isinstance(before, tuple) and isinstance(after, tuple) and len(before) == len(after):
        points = [
            _move((*where[:-1], f"{where[-1]} {place}"), old, new)
            for place, (old, new) in enumerate(zip(before, after, strict=True), 1)
            if not _same(old, new)
        ]
        return min(points, key=lambda move: move.order)
    if isinstance(before, tuple) or isinstance(after, tuple):
        return _move((*where, "length"), _length(before), _length(after))
    change = after - before if _is_number(before) and _is_number(after) else None
    return NumberMove(where, before, after, change)


def _length(value: Value) -> Leaf:
    return len(value) if isinstance(value, tuple) else value


def _provenance(results: Mapping[str, Any]) -> dict[str, Any]:
    """How results came about, as far as they say it."""
    recorded = results.get("provenance")
    return recorded if isinstance(recorded, dict) else {}


def _reasons(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Note]:
    """What differs in how two runs came about."""
    inputs = [{file["name"]: file["sha256"] for file in each.get("inputs", ())} for each in (before, after)]
    for name in dict.fromkeys([*inputs[0], *inputs[1]]):
        if name not in inputs[0] or name not in inputs[1]:
            yield _INPUT_ONLY(name=name, which="first" if name in inputs[0] else "second")
        elif inputs[0][name] != inputs[1][name]:
            yield _INPUT_CHANGED(name=name)
    versions = [each.get("versions", {}) for each in (before, after)]
    for name in dict.fromkeys([*versions[0], *versions[1]]):
        old, new = (each.get(name, _NONE) for each in versions)
        if old != new:
            yield _VERSION(name=name, before=old, after=new)
    if before.get("seed") != after.get("seed"):
        yield _SEED(before=before.get("seed", _NONE), after=after.get("seed", _NONE))
    studies = [each.get("study", "") for each in (before, after)]
    if all(studies):
        yield from _settings(*(dict(_settings_of(read_toml(text), ())) for text in studies))
    elif before.get("command") != after.get("command"):
        yield _COMMAND(before=before.get("command", _NONE), after=after.get("command", _NONE))


def _settings(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Note]:
    for where in dict.fromkeys([*before, *after]):
        old, new = (shown(each[where]) if where in each else _NONE for each in (before, after))
        if old != new and where != "output.seed":  # which is a reason of its own
            yield _SETTING(where=where, before=old, after=new)


def _settings_of(part: Any, where: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    """Every key of a study and its value."""
    if isinstance(part, dict):
        for key, value in part.items():
            yield from _settings_of(value, (*where, key))
    elif isinstance(part, list) and part and isinstance(part[0], dict):
        for number, value in enumerate(part, 1):
            yield from _settings_of(value, (*where[:-1], f"{where[-1]} {number}"))
    else:
        yield ".".join(where), part
