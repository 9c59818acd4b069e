"""Options that belong together as one argument: a command takes a dataclass, the user sees its fields as options."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, fields, is_dataclass
from inspect import Parameter, Signature, signature
from typing import Any, get_type_hints


def gathered(command: Callable[..., None]) -> Callable[..., None]:
    """Show every field of the command's dataclass arguments as an option of its own.

    Arguments keep their order; the fields of a dataclass stand where the dataclass does.
    """
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, type] = {}
    shown: list[Parameter] = []
    for parameter in signature(command).parameters.values():
        hint = hints[parameter.name]
        if is_dataclass(hint) and isinstance(hint, type):
            groups[parameter.name] = hint
            inner = get_type_hints(hint, include_extras=True)
            shown += [
                Parameter(
                    field.name, Parameter.KEYWORD_ONLY, default=_default(field), annotation=inner[field.name]
                )
                for field in fields(hint)
            ]
        else:
            shown.append(parameter.replace(kind=Parameter.KEYWORD_ONLY, annotation=hint))

    def run(**given: Any) -> None:
        whole = {
            name: group(**{field.name: given.pop(field.name) for field in fields(group)})
            for name, group in groups.items()
        }
        command(**whole, **given)

    run.__name__, run.__doc__, run.__module__ = command.__name__, command.__doc__, command.__module__
    run.__signature__ = Signature(shown)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in shown}
    return run


def _default(field: Field[Any]) -> Any:
    """The default of an option; a field without one is an option that must be given."""
    return Parameter.empty if field.default is MISSING else field.default
