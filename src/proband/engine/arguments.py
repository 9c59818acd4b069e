"""What a public function is given, held against what it says it takes: one gate for all of them.

The types of a signature are what is looked at, so that nothing is said twice: a number, one of a few words, an experiment, one
algorithm or several. Whatever is left open there (an array, a table) is for the function itself to judge.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeVar, get_args, get_type_hints

from proband.engine.kinds import cure_of, expected, fits, instead, is_open, item_at_fault, made_by, shown
from proband.errors import UsageError, nearest

Public = TypeVar("Public", bound=Callable[..., Any])


def checked(public: Public) -> Public:
    """Let a function, or what makes a class, refuse arguments it cannot take: unknown names, wrong kinds, swapped places.

    Examples
    --------
    >>> from typing import Literal
    >>> @checked
    ... def rate(hits: int, of: int, ties: Literal["mean", "pessimistic"] = "mean") -> float:
    ...     return hits / of
    >>> rate(3, 4)
    0.75
    >>> rate(3, 4, ties="pesimistic")
    Traceback (most recent call last):
        ...
    proband.errors.UsageError: ties must be 'mean' or 'pessimistic'; got 'pesimistic'.
    hint: did you mean 'pessimistic'?
    >>> rate(3, total=4)
    Traceback (most recent call last):
        ...
    proband.errors.UsageError: rate has no argument 'total'.
    hint: it takes: hits, of, ties.
    """
    if isinstance(public, type):
        public.__init__ = checked(public.__init__)  # type: ignore[misc]
        return public
    gate = Gate(public)

    @functools.wraps(public)
    def call(*args: Any, **named: Any) -> Any:
        gate.check(args, named)
        return public(*args, **named)

    return call  # type: ignore[return-value]


class Gate:
    """The signature of one function; its types are looked up when it is first called.

    Parameters
    ----------
    function
        What is called.
    method
        Its name, where users call it as a method of its first argument, which they do not give themselves.
    """

    def __init__(self, function: Callable[..., Any], method: str | None = None) -> None:
        self.function, self.method = function, method
        self.name = method or function.__qualname__.rpartition("<locals>.")[2].removesuffix(".__init__")

    @functools.cached_property
    def signature(self) -> inspect.Signature:
        found = inspect.signature(self.function)
        if self.method is None:
            return found
        first, *rest = found.parameters.values()
        return found.replace(parameters=[first.replace(name="self", annotation=first.empty), *rest])

    @functools.cached_property
    def hints(self) -> dict[str, Any]:
        names = inspect.unwrap(self.function).__globals__
        return {
            one.name: _resolved(one.annotation, names)
            for one in self.signature.parameters.values()
            if one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)
        }

    def check(self, args: tuple[Any, ...], named: Mapping[str, Any]) -> None:
        """Refuse what does not fit, in words."""
        try:
            given = self.signature.bind(*args, **named).arguments
        except TypeError:
            raise self._not_bound(args, named) from None
        for name, value in given.items():
            hint = self.hints.get(name, Any)
            if not fits(value, hint):
                raise self._swapped(self._called(args), given) or self._misfit(name, value, hint)

    def _called(self, args: tuple[Any, ...]) -> str:
        """What users call it by: a method by the class of what they have, which may have inherited it."""
        _, dot, method = self.name.rpartition(".")
        if not dot or not args or "self" not in self.signature.parameters:
            return self.name
        own = type(args[0]).__name__
        return own if method == "__call__" else f"{own}.{method}"

    def _not_bound(self, args: tuple[Any, ...], named: Mapping[str, Any]) -> UsageError:
        """A name that is not known, one that is missing, or more arguments than there are places for."""
        known = [name for name in self.hints if name != "self"]
        unknown = [name for name in named if name not in known]
        if unknown:
            return UsageError(
                f"{self._called(args)} has no argument {unknown[0]!r}.",
                nearest(unknown[0], known)
                or (
                    f"it takes: {', '.join(known)}." if known else self._without_arguments(named[unknown[0]])
                ),
            )
        parameters = self.signature.parameters.values()
        by_place = [
            one.name for one in parameters if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)
        ]
        given = [*by_place[: len(args)], *named]
        if len(args) > len(by_place):
            rest = [name for name in known if name not in by_place]
            taken = len(by_place) - ("self" in by_place)
            return UsageError(
                f"{self._called(args)} takes {taken} {'argument' if taken == 1 else 'arguments'} by place, got {len(args) - ('self' in by_place)}.",
                f"name the others: {', '.join(f'{name}=…' for name in rest[:4])}."
                if rest
                else self._without_arguments(args[-1]),
            )
        missing = [
            one.name
            for one in parameters
            if one.default is one.empty and one.name not in given and one.name in self.hints
        ]
        if not missing:
            twice = next((name for name in named if name in by_place[: len(args)]), "an argument")
            return UsageError(f"{self.name} was given {twice} twice.", "leave one out.")
        hint = self.hints[missing[0]]
        return UsageError(
            f"{self.name} needs {' and '.join(missing)}.",
            cure_of(hint) or made_by(hint) or (None if is_open(hint) else f"give {expected(hint)}."),
        )

    def _without_arguments(self, given: Any) -> str | None:
        """What to do with what a function has no place for: a path, where it returns a text."""
        if self.signature.return_annotation not in (str, "str") or not isinstance(given, str | Path):
            return None
        return f"it returns a text; write it: Path({str(given)!r}).write_text(result.{self.name.rpartition('.')[2]}())."

    def _swapped(self, called: str, given: Mapping[str, Any]) -> UsageError | None:
        """Whether what fits nowhere else fits in the place of another that does not fit there."""
        wrong = [name for name, value in given.items() if not fits(value, self.hints.get(name, Any))]
        for name in wrong:
            for other in given:
                hint = self.hints.get(other, Any)
                if other == name or is_open(hint) or given[name] is None or not fits(given[name], hint):
                    continue
                if other in wrong or fits(given[other], self.hints.get(name, Any)):
                    places = ", ".join(one for one in self.hints if one in given and one != "self")
                    got = ", ".join(shown(value) for one, value in given.items() if one != "self")
                    return UsageError(
                        f"The arguments look swapped: {called}({places}, …) was given {got}.",
                        f"{name} is {expected(self.hints.get(name, Any))}; {other} is {expected(hint)}.",
                    )
        return None

    def _misfit(self, name: str, value: Any, hint: Any) -> UsageError:
        words = expected(hint)
        between = "must be" if words[0] == "'" or words.startswith("one of") else "should be"
        item = next(
            (at for one in (hint, *get_args(hint)) if (at := item_at_fault(value, one)) is not None), None
        )
        got = (
            shown(value)
            if item is None
            else f"a {type(value).__name__} whose item {item + 1} is {shown(value[item])}"
        )
        return UsageError(
            f"{name} {between} {words}; got {got}.",
            cure_of(hint) or instead(value, hint) or made_by(hint, value),
        )


def _resolved(annotation: Any, names: dict[str, Any]) -> Any:
    """The type an annotation means; anything where it names what is imported for type checkers alone."""
    if not isinstance(annotation, str):
        return Any if annotation is inspect.Parameter.empty else annotation
    try:
        return get_type_hints(
            SimpleNamespace(__annotations__={"one": annotation}), names, include_extras=True
        )["one"]
    except NameError:
        return Any
