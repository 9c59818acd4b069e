"""One algorithm or several: a single one, a list of them, or a mapping that names them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import replace
from typing import Any, TypeVar

from proband.errors import UsageError
from proband.scores.base import Scores
from proband.scores.trials import Trials

Data = TypeVar("Data", bound=Scores | Trials)


def by_name(data: Data | Iterable[Data] | Mapping[str, Data]) -> dict[str, Data]:
    """Algorithms by their names, each called so; names must differ, and there must be at least one.

    Examples
    --------
    >>> same = Scores.from_array([[1.0]], ["a"], orientation="similarity", name="net")
    >>> [one.name for one in by_name({"new": same, "old": same}).values()], list(by_name(same))
    (['new', 'old'], ['net'])
    """
    if isinstance(data, Mapping):
        made = {str(name): _called(one, str(name)) for name, one in data.items()}
        names = list(map(str, data))
    else:
        listed: list[Any] = [data] if isinstance(data, Scores | Trials) else list(data)
        made, names = {one.name: one for one in listed}, [one.name for one in listed]
    if not names or len(made) != len(names):
        raise UsageError(
            f"Algorithms need names of their own; got {', '.join(names) or 'none'}.",
            'name them: {"a": scores, "b": others}.',
        )
    return made


def _called(one: Any, name: str) -> Any:
    """The same under another name; nothing it holds is copied."""
    if one.name == name:
        return one
    if isinstance(one, Trials):
        return replace(one, name=name)
    other = copy(one)
    other.name = name
    return other
