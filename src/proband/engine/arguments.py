"""Validation of the arguments of public callables against their signatures, in one gate for all.

The types of a signature are used, so that nothing is declared twice: a number and its limits, one of a few words, an
experiment, one algorithm or several. Types that are left open (an array, a table) are checked by the function itself. The gate
applies to published names (`published`): functions, and the constructors and public methods of classes, including inherited
ones. Calls from Proband's own code are not checked, except for commands and studies, which pass user input.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import FrameType, FunctionType, GenericAlias, SimpleNamespace
from typing import Any, TypeVar, get_args, get_type_hints

from proband.engine.kinds import (
    MISFIT,
    cure_of,
    expected,
    fits,
    instead,
    is_open,
    item_at_fault,
    listed,
    made_by,
    shown,
    taken,
)
from proband.engine.limits import beyond
from proband.errors import UsageError, nearest, quoted

Found = TypeVar("Found")
Published = TypeVar("Published")
Public = TypeVar("Public", bound=Callable[..., Any])

_HOME = str(Path(__file__).parents[1]) + os.sep
_DOORS = (f"{_HOME}cli{os.sep}", f"{_HOME}study{os.sep}")
_CALLED = ("__init__", "__new__", "__call__", "__getitem__")
_ROUND: dict[Any, Callable[[Any], Any]] = {
    inspect.Parameter.VAR_POSITIONAL: lambda hint: GenericAlias(tuple, (hint, ...)),
    inspect.Parameter.VAR_KEYWORD: lambda hint: GenericAlias(dict, (str, hint)),
}
"""What is made of the type of one argument where there may be several."""
_OWN = {"self", "cls", "_cls"}
_GATED: dict[Any, SignatureGate] = {}
"""What was put before functions, and the gates of these."""
_PUBLISHED: dict[str, type] = {}
"""Classes by name, for signatures that name what is imported for type checkers alone."""


def checked(function: Public, owner: type | None = None) -> Public:
    """Make a function, or a method of its owner, refuse invalid arguments: unknown names, wrong types, numbers out of range, swapped arguments."""
    gate = SignatureGate(function, owner=owner)

    @functools.wraps(function)
    def call(*args: Any, **named: Any) -> Any:
        if not _is_inside(sys._getframe(1)):
            args, named = gate.admitted(args, named)
        return function(*args, **named)

    _GATED[call] = gate
    return call  # type: ignore[return-value]


def asked(public: Callable[..., Found], *args: Any, **named: Any) -> Found:
    """Call a public function or class with user input from Proband's own code, through the gate."""
    made = isinstance(public, type)
    function = inspect.getattr_static(public, "__init__") if made else public
    if isinstance(function, FunctionType) and _is_ours(function):
        own = (object(),) if made else ()
        gate = _GATED.get(function) or SignatureGate(
            function, owner=public if isinstance(public, type) else None
        )
        places, named = gate.admitted((*own, *args), named)
        args = places[len(own) :]
    return public(*args, **named)


def gate_of(function: Callable[..., Any]) -> SignatureGate | None:
    """The gate of a function; None if it has none."""
    return _GATED.get(function)


def _is_inside(frame: FrameType) -> bool:
    """Whether the caller is Proband's own code, other than its interfaces."""
    while frame.f_code.co_filename == dataclasses.__file__ and frame.f_back is not None:  # replace()
        frame = frame.f_back
    caller = frame.f_code.co_filename
    return caller.startswith(_HOME) and not caller.startswith(_DOORS)


def published(thing: Published) -> Published:
    """Apply the gate to a published function, also where it is defined, or class; anything else is unchanged.

    It is a decorator for names that a namespace loads lazily, and called by `publish` for all others.
    """
    if isinstance(thing, FunctionType) and _is_ours(thing):
        home = vars(sys.modules[thing.__module__])
        held = home.get(thing.__name__)
        if thing not in _GATED and not (isinstance(held, FunctionType) and held in _GATED):
            home[thing.__name__] = checked(thing)  # may hold only the types of overloads
        return thing if thing in _GATED else home[thing.__name__]
    if isinstance(thing, type) and not issubclass(thing, Exception):
        _PUBLISHED[thing.__name__] = thing
        for kind in thing.__mro__:
            check_methods(kind)
    return thing


def _is_ours(thing: FunctionType | type) -> bool:
    return thing.__module__.startswith("proband.")


def publish(namespace: str) -> None:
    """Apply the gate to all names in the ``__all__`` of a package, and list nothing else."""
    module = sys.modules[namespace]
    for name in module.__all__:
        setattr(module, name, published(getattr(module, name)))
    vars(module)["__dir__"] = lambda: sorted(module.__all__)


def check_methods(kind: type) -> None:
    """Apply the gate to the constructor of a class of Proband, if its own, and to its public methods."""
    for name, method in list(vars(kind).items()) if _is_ours(kind) else ():
        function = getattr(method, "__func__", method)
        if (
            (name in _CALLED or not name.startswith("_"))
            and isinstance(function, FunctionType)
            and function not in _GATED
            and not getattr(function, "__isabstractmethod__", False)
        ):
            made = checked(function, kind)
            setattr(kind, name, type(method)(made) if function is not method else made)


class SignatureGate:
    """The signature of one function; its types are looked up on the first call.

    Parameters
    ----------
    function
        The function.
    method
        The name of a method, whose first argument is implicit.
    owner
        The class of the method, if any.
    """

    def __init__(
        self, function: Callable[..., Any], method: str | None = None, owner: type | None = None
    ) -> None:
        self.function, self.method, self.owner = function, method, owner

    @functools.cached_property
    def name(self) -> str:
        """The name in messages."""
        if self.method is not None:
            return self.method
        name = self.function.__qualname__.rpartition("<locals>.")[2]
        return name.removesuffix(".__init__").removesuffix(".__new__")

    @functools.cached_property
    def signature(self) -> inspect.Signature:
        found = inspect.signature(self.function)
        if self.method is None:
            return found
        first, *rest = found.parameters.values()
        return found.replace(parameters=[first.replace(name="self", annotation=first.empty), *rest])

    @functools.cached_property
    def hints(self) -> dict[str, Any]:
        """The type of each argument, `Any` if not annotated."""
        names = {
            **_PUBLISHED,
            "Sequence": Sequence,
            "Mapping": Mapping,
            **inspect.unwrap(self.function).__globals__,
        }
        found = {}
        for one in self.signature.parameters.values():
            hint = self._of_field(one.name) or _resolved(one.annotation, names)
            found[one.name] = _ROUND.get(one.kind, lambda hint: hint)(hint)
        return found

    def _of_field(self, name: str) -> Any:
        """The type of a field of a record, as annotated in its class; None if it is not a field."""
        if self.owner is None or not self._makes or not dataclasses.is_dataclass(self.owner):
            return None
        homes = (one for one in self.owner.__mro__ if name in vars(one).get("__annotations__", {}))
        home = next(homes, None)
        return home and _resolved(home.__annotations__[name], vars(sys.modules[home.__module__]))

    @property
    def _makes(self) -> bool:
        """Whether it is the constructor of its owner."""
        return self.function.__name__ in ("__init__", "__new__")

    def admitted(
        self, args: tuple[Any, ...], named: Mapping[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return the arguments converted for the function; refuse invalid ones with an explanation."""
        try:
            bound = self.signature.bind(*args, **named)
        except TypeError:
            raise self._not_bound(args, named) from None
        given = bound.arguments
        asked = {name: self.hints[name] for name in given}
        given.update({name: listed(given[name], hint) for name, hint in asked.items()})
        made = {name: taken(given[name], hint) for name, hint in asked.items()}
        for name, hint in asked.items():
            if made[name] is MISFIT:
                raise self._swapped(self._called(args), given) or self._misfit(name, given[name], hint)
        # In results, NaN means that there is no such number.
        missing = self._makes and getattr(self.owner, "of_findings", False)
        for name, hint in asked.items():
            refused = beyond(name, made[name], hint, missing=missing)
            if refused is not None:
                raise refused
            usual = self.signature.parameters[name].default
            if (
                isinstance(made[name], str)
                and not made[name]
                and usual != ""
                and not (missing or is_open(hint))
            ):
                raise UsageError(
                    f"{name} is empty.", "leave it out." if usual is None else f"give {expected(hint)}."
                )
        given.update(made)
        rest = bound.kwargs | made
        return bound.args[: len(args)], {name: rest[name] for name in named}

    def _called(self, args: tuple[Any, ...]) -> str:
        """The name used by users: for a method, with the class of the object, which may have inherited it."""
        if self.owner is None or not args:
            return self.name
        own = args[0].__name__ if isinstance(args[0], type) else type(args[0]).__name__
        method = self.function.__name__
        return own if method in _CALLED else f"{own}.{method}"

    def _not_bound(self, args: tuple[Any, ...], named: Mapping[str, Any]) -> UsageError:
        """The error for an unknown name, a missing argument, or too many arguments."""
        known = [
            one.name
            for one in self.signature.parameters.values()
            if one.name not in _OWN and one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)
        ]
        unknown = [name for name in named if name not in known]
        if unknown:
            return UsageError(
                f"{self._called(args)} has no argument {unknown[0]!r}.",
                nearest(unknown[0], known)
                or self._of_result(self._called(args), unknown[0])
                or (
                    f"the arguments are: {', '.join(known)}."
                    if known
                    else self._without_arguments(named[unknown[0]])
                ),
            )
        parameters = self.signature.parameters.values()
        by_place = [
            one.name for one in parameters if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)
        ]
        given = [*by_place[: len(args)], *named]
        if len(args) > len(by_place):
            rest = [name for name in known if name not in by_place]
            own = len(_OWN.intersection(by_place))
            places = len(by_place) - own
            return UsageError(
                f"{self._called(args)} takes {places} {'argument' if places == 1 else 'arguments'} by position, got {len(args) - own}.",
                f"pass the others by name: {', '.join(f'{name}=…' for name in rest[:4])}."
                if rest
                else self._without_arguments(args[-1]),
            )
        missing = [
            one.name
            for one in parameters
            if one.default is one.empty and one.name not in given and one.name in known
        ]
        if not missing:
            twice = next((name for name in named if name in by_place[: len(args)]), "an argument")
            return UsageError(f"{self.name} was given {twice} twice.", "leave one of them out.")
        hint = self.hints[missing[0]]
        absent = " and ".join(map(quoted, missing))
        return UsageError(
            f"{self.name} needs the {'argument' if len(missing) == 1 else 'arguments'} {absent}.",
            cure_of(hint) or made_by(hint) or (None if is_open(hint) else f"give {expected(hint)}."),
        )

    def _of_result(self, called: str, name: str) -> str | None:
        """Which method of what is returned takes an argument that the function does not have."""
        names = {**_PUBLISHED, **inspect.unwrap(self.function).__globals__}
        found = _resolved(self.signature.return_annotation, names)
        for kind in get_args(found) or (found,):
            methods = vars(kind).items() if isinstance(kind, type) and _is_ours(kind) else ()
            for method, function in methods:
                if method.startswith("_") or not isinstance(function, FunctionType):
                    continue
                if name in list(inspect.signature(function).parameters)[1:2]:
                    return f"pass it to the result: {called}(…).{method}({name}=…)."
        return None

    def _without_arguments(self, given: Any) -> str | None:
        """A hint for an unexpected argument: a path, if the function returns text."""
        if self.signature.return_annotation not in (str, "str") or not isinstance(given, str | Path):
            return None
        return f"it returns a string; write it with Path({str(given)!r}).write_text(result.{self.name.rpartition('.')[2]}())."

    def _swapped(self, called: str, given: Mapping[str, Any]) -> UsageError | None:
        """Whether a misfit argument fits in the place of another misfit."""
        wrong = [name for name, value in given.items() if not fits(value, self.hints[name])]
        for name in wrong:
            for other in given:
                hint = self.hints[other]
                if other == name or is_open(hint) or given[name] is None or not fits(given[name], hint):
                    continue
                if other in wrong or fits(given[other], self.hints[name]):
                    places = ", ".join(one for one in self.hints if one in given and one not in _OWN)
                    got = ", ".join(shown(value) for one, value in given.items() if one not in _OWN)
                    return UsageError(
                        f"The arguments look swapped: {called}({places}, …) was given {got}.",
                        f"{name} is {expected(self.hints[name])}; {other} is {expected(hint)}.",
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
    """The type of an annotation; `Any` if it uses names imported only for type checkers."""
    annotation = getattr(annotation, "__forward_arg__", annotation)
    if not isinstance(annotation, str):
        return Any if annotation is inspect.Parameter.empty else annotation
    try:
        return get_type_hints(
            SimpleNamespace(__annotations__={"one": annotation}), names, include_extras=True
        )["one"]
    except NameError:
        return Any
