"""A command whose options are made when it is looked at, and refused where they have no effect."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from inspect import Parameter, Signature
from typing import Annotated, Any

from proband.errors import Predicate, UsageError
from proband.marks import Needs, Unless, why_idle
from proband.study.analysis import Marks

Do = Callable[..., int | None]


class Command:
    """A command whose options are made when it is looked at: the schema of requests takes longer to load than help to show."""

    def __init__(
        self, name: str, help: str | None, do: Do, parameters: Callable[[], Sequence[Parameter]]
    ) -> None:
        self.__name__, self.__doc__, self.__module__ = name, help, do.__module__
        self._do, self._parameters = do, cache(parameters)  # they are looked at several times

    @property
    def __signature__(self) -> Signature:
        return Signature(list(self._parameters()))

    @property
    def __annotations__(self) -> dict[str, Any]:  # type: ignore[override]
        return {one.name: one.annotation for one in self._parameters()}

    def __call__(self, **given: Any) -> int | None:
        self._refuse_idle(given)
        return self._do(**given)

    def _refuse_idle(self, given: Mapping[str, Any]) -> None:
        """Refuse an option that has no effect beside the others, by the marks it was declared with."""
        parameters = self._parameters()
        defaults = {one.name: one.default for one in parameters}
        for one in parameters:
            marks = getattr(one.annotation, "__metadata__", ())
            if was_given(one, given) and (why := why_idle(marks, given.get, defaults)) is not None:
                message, cure = why
                raise UsageError(Predicate(f"{message.template}."), cure, place=flag(one.name))


def marked(parameters: Sequence[Parameter], marks: Mapping[str, Marks]) -> list[Parameter]:
    """Options, some of which have no effect beside others."""
    return [
        one.replace(annotation=Annotated[(one.annotation, *_each(marks[one.name]))])
        if one.name in marks
        else one
        for one in parameters
    ]


def _each(marks: Marks) -> tuple[Needs | Unless, ...]:
    return marks if isinstance(marks, tuple) else (marks,)


def by_switch(switch: str, off: Collection[str], on: Collection[str]) -> dict[str, Needs | Unless]:
    """The marks of a command that is one of two, by the options of each: those of one alone have no effect in the other."""
    without: dict[str, Needs | Unless] = {name: Unless(f"{switch}=on") for name in off if name not in on}
    return without | {name: Needs(f"{switch}=on") for name in on if name not in off}


def was_given(parameter: Parameter, given: Mapping[str, Any]) -> bool:
    """Whether an option has another value than it would have had without being given."""
    value = given.get(parameter.name)
    return value is not None and value != parameter.default and value != []


def flag(name: str) -> str:
    """An option as it is typed."""
    return f"--{name.replace('_', '-')}"
