"""What docs/reference/stability.md promises, one line for each item: public names, commands, study keys, results, exit codes, file formats."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterator
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum, EnumMeta
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, get_args, get_origin

from pydantic_core import PydanticUndefined
from tests.hostile.public import methods_of, published
from tests.modes import commands

import proband as pb
from proband import errors
from proband.algorithms.registry import RECOGNIZERS
from proband.designs.base import DESIGNS
from proband.measures.base import MEASURES
from proband.protocols.running.classifiers import CLASSIFIERS
from proband.protocols.splits.splits import GENERATOR_VERSION
from proband.results.base import Record, Result
from proband.scores.formats import FORMATS
from proband.study.analysis import analyses
from proband.study.findings import results_schema
from proband.study.refusals import model_of, plain_type
from proband.study.requests import request_type

# Where a code or the name of a file format is stated in the program.
CODES = {
    "array --check, not balanced": "proband.cli.data.array:_UNBALANCED",
    "audit, a fault": "proband.analyses.audit.run:FINDING",
    "card diff, not comparable": "proband.cli.protocols.card:_NOT_COMPARABLE",
    "diff, results differ": "proband.cli.data.diff:_DIFFERENT",
    "migrate --check, keys to rename": "proband.cli.data.migrate:_OLD_KEYS",
    "card validate, not a valid card": "proband.cli.protocols.card:_NOT_VALID",
}
FILES = {
    "results.json": "proband.study.findings:SCHEMA",
    "baseline of gate --save": "proband.analyses.gate.files:_PIN",
    "protocol card": "proband.protocols.cards.card:FORMAT",
    "blind test": "proband.blind.package.package:FORMAT",
    "key of a blind test": "proband.blind.package.key:FORMAT",
    "receipts of a blind test": "proband.blind.receipts:FORMAT",
    "run record of scores": "proband.scores.run_record:FORMAT",
}
NAMED = {
    "measure": MEASURES,
    "design": DESIGNS,
    "score format": FORMATS,
    "recogniser": RECOGNIZERS,
    "classifier": CLASSIFIERS,
}
_PLACES = {
    inspect.Parameter.POSITIONAL_ONLY: "by position",
    inspect.Parameter.KEYWORD_ONLY: "by name",
    inspect.Parameter.VAR_POSITIONAL: "any number",
    inspect.Parameter.VAR_KEYWORD: "any names",
}


def surface() -> list[str]:
    """Every item of the public surface, in a fixed order."""
    parts = (python(), command_line(), study_files(), results(), exit_codes(), file_formats(), names())
    return [line for part in parts for line in sorted(set(part))]


def python() -> Iterator[str]:
    """Every public name with its parameters; of a class its methods and attributes too, where no public base has them."""
    for name in dir(pb):
        thing = getattr(pb, name)
        if isinstance(thing, ModuleType):
            yield from (f"python {name}.{one}" for one in dir(thing))
        else:
            yield f"python {name}"
    public = published()
    for name, thing in public.items():
        if inspect.isfunction(thing):
            yield from _parameters(name, thing)
            continue
        if not inspect.isabstract(thing) and not issubclass(thing, Record):  # results are made by functions
            yield from _parameters(name, thing)
        inherited = [base for base in thing.__mro__[1:] if base in public.values() or base is Result]
        taken = {one for base in inherited for one in dir(base)}
        for method in methods_of(thing):
            if method not in taken or method in vars(thing):
                yield from _parameters(f"{name}.{method}", getattr(thing, method))
        for attribute in _attributes(thing) - taken:
            yield f"python {name}.{attribute}"


def _attributes(kind: type) -> set[str]:
    """Fields, properties and cached properties with public names."""
    own = {one.name for one in fields(kind)} if is_dataclass(kind) else set(getattr(kind, "_fields", ()))
    for base in kind.__mro__:
        if base.__module__.startswith("proband."):
            own |= {
                name
                for name, one in vars(base).items()
                if isinstance(one, property) or hasattr(one, "attrname")
            }
    return {name for name in own if not name.startswith("_")}


def _parameters(name: str, function: Any) -> Iterator[str]:
    yield f"python {name}()"
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:
        return
    for place, one in enumerate(parameters):
        if one.name in ("self", "cls") or one.name.startswith("_"):
            continue
        default = "" if one.default is one.empty else f" = {_shown(one.default)}"
        how = _PLACES.get(one.kind, f"place {place + 1}")
        yield f"python {name}({one.name}{default}), {how}"


def command_line() -> Iterator[str]:
    """Every command with its arguments and options: all their names, the type, the default."""
    for command, made in commands().items():
        yield f"command {command}"
        for one in made.params:
            if one.name == "help":
                continue
            if one.param_type_name == "argument":
                many = "several" if one.nargs < 0 else "one"
                what = f"<{one.name}>, {many}{', required' if one.required else ''}"
            else:
                opts = " ".join([*one.opts, *one.secondary_opts])
                what = f"{opts}{', repeated' if one.multiple else ''}{', required' if one.required else ''}"
            yield f"command {command} {what}: {_option_type(one)} = {_shown(one.default)}"


def _option_type(option: Any) -> str:
    """The type of an option; the words it takes, where these are few."""
    described = getattr(option, "type_descriptor", None)
    kind = described.annotation if described is not None else option.type
    if isinstance(kind, EnumMeta):
        return " | ".join(str(one.value) for one in kind)
    if getattr(option, "is_flag", None):
        return "switch"
    if isinstance(kind, type) and not get_args(kind):
        return kind.__name__
    return str(kind).replace("pathlib._local.", "pathlib.")  # Python 3.13 alone says where it is written


def study_files() -> Iterator[str]:
    """Every section and key of study files."""
    for section, field in request_type().model_fields.items():
        model = model_of(field.annotation)
        if model is None:
            yield _key(section, field)
            continue
        several = get_origin(plain_type(field.annotation)[0]) is tuple
        heading = f"[[{section}]]" if several else f"[{section}]"
        yield f"study {heading}"
        for name, inner in model.model_fields.items():
            yield _key(f"{heading} {name}", inner)
            nested = model_of(inner.annotation)
            if nested is not None:
                yield from (_key(f"{heading} {name}.{key}", one) for key, one in nested.model_fields.items())


def _key(name: str, field: Any) -> str:
    default = (
        "required"
        if field.default is PydanticUndefined and field.default_factory is None
        else _shown(field.get_default(call_default_factory=True))
    )
    return f"study {name}: {_key_type(field.annotation)} = {default}"


def _key_type(hint: Any) -> str:
    plain, _ = plain_type(hint)
    if get_origin(plain) is tuple:
        return f"list of {_key_type(get_args(plain)[0])}"
    if get_origin(plain) is Literal:
        return " | ".join(map(str, get_args(plain)))
    if hasattr(plain, "model_fields"):
        return "table"
    return plain.__name__ if isinstance(plain, type) else str(plain)


def results() -> Iterator[str]:
    """Every key of results.json, by the record it is in, as `proband schema` states it."""
    schema = results_schema()
    yield from _record("results.json", schema)
    for name, record in schema["$defs"].items():
        yield from _record(name, record)


def _record(name: str, record: dict[str, Any]) -> Iterator[str]:
    required = record.get("required", ())
    for key, stated in record.get("properties", {}).items():
        kind = json.dumps(_without_words(stated), sort_keys=True, ensure_ascii=False)
        yield f"results {name}.{key}{'' if key in required else '?'}: {kind}"


def _without_words(schema: Any) -> Any:
    """A schema without what is said of it for people."""
    if isinstance(schema, dict):
        return {
            key: _without_words(one) for key, one in schema.items() if key not in ("description", "title")
        }
    return [_without_words(one) for one in schema] if isinstance(schema, list) else schema


def exit_codes() -> Iterator[str]:
    """Every exit code, and what it stands for."""
    yield "exit 0: done"
    yield "exit 130: interrupted"
    for name in dir(errors):
        kind = getattr(errors, name)
        if (
            isinstance(kind, type)
            and issubclass(kind, errors.ProbandError)
            and kind.__module__ == errors.__name__
        ):
            yield f"exit {kind.exit_code}: {name}"
    gate = _stated("proband.inference.comparisons.gate:EXIT_CODES")
    yield from (f"exit {code}: gate, {decision}" for decision, code in gate.items())
    yield from (f"exit {_stated(where)}: {what}" for what, where in CODES.items())


def file_formats() -> Iterator[str]:
    """The files that Proband writes and reads again, each with the name of its version."""
    yield from (f"file {what}: {_stated(where)}" for what, where in FILES.items())
    yield f"file splits of a protocol: generator {GENERATOR_VERSION}"


def names() -> Iterator[str]:
    """The names by which measures, designs, formats and algorithms are asked for, and the analyses with their commands."""
    for kind, registry in NAMED.items():
        yield from (f"name {kind} {name}" for name in registry.names())
    for one in analyses():
        if one.bundled:
            yield f"name analysis {one.key}"


def _stated(where: str) -> Any:
    module, _, name = where.partition(":")
    return getattr(import_module(module), name)


def _shown(value: Any) -> str:
    """A default as it is written; one that is made anew for each call is "…"."""
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, Path):
        return repr(str(value))
    text = repr(value)
    return "…" if value is MISSING or re.search(r"<.*>| at 0x", text) else text
