"""A small, safe language to select samples: ``session == 1 and view == 'Frontal'``.

The text is parsed with Python's own parser, but only a short list of forms is allowed and converted to a polars
expression; nothing is evaluated as Python. Types are checked before data are read, so that a time span is never
silently compared with a plain number, nor text with a number.

Grammar: column names (or ``col('any name')``), numbers, text, ``True``/``False``, ``== != < <= > >=`` (chained as in
Python), ``in``/``not in`` a list, ``is None``/``is not None``, ``and or not``, ``+ - * /`` and unary minus,
``date('1996-01-31')``, ``days(500)``, ``abs(…)``. In pair predicates every column is ``probe.x`` or ``mate.x``. Lines may be
broken between words, and a comment goes from ``#`` to the end of its line. For the meaning of values see `proband.samples.terms`.
"""

from __future__ import annotations

import ast
import datetime
import math
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import polars as pl

from proband.errors import UsageError, meant, nearest, quoted
from proband.samples import terms
from proband.samples.terms import Kind, Term, calculated, compared, made_of
from proband.words import count

MAX_LENGTH = 20_000
MAX_DEPTH = 60
MAX_SIZE = 20_000  # operations; an operand used twice counts twice

# Characters that some programs show as line ends although they are not: a comment would seem to end.
_OTHER_LINE_BREAKS = "\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}
_ARITHMETIC: dict[type[ast.operator], tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Add: ("+", operator.add),
    ast.Sub: ("-", operator.sub),
    ast.Mult: ("*", operator.mul),
    ast.Div: ("/", operator.truediv),
}
# Result types of arithmetic: (left, operator, right) -> result. Anything else is refused.
_RESULT: dict[tuple[Kind, str, Kind], Kind] = {
    **{("number", sign, "number"): "number" for sign in "+-*/"},
    **{(left, "-", right): "span" for left in ("date", "time") for right in ("date", "time")},
    ("instant", "-", "instant"): "span",
    **{("date", sign, "span"): "time" for sign in "+-"},  # a day and a half is not a whole day
    **{(moment, sign, "span"): moment for moment in ("time", "instant") for sign in "+-"},
    **{("span", sign, "span"): "span" for sign in "+-"},
}
_TOO_LARGE: dict[type, float] = {int: 2**63, float: math.inf}
_INSTEAD: dict[type[ast.operator], str] = {
    ast.BitAnd: "join conditions with and, as in: session == 1 and view == 'F'",
    ast.BitOr: "join conditions with or, as in: view == 'F' or view == 'P'",
}
_QUOTED = re.compile(r"('[^']*'|\"[^\"]*\")")
_SIGNS_OF_OTHERS = {
    r"(?<![=!<>])=(?!=)": "==",
    r"<>": "!=",
    r"\s*&&\s*": " and ",
    r"\s*\|\|\s*": " or ",
    r"\bAND\b": "and",
    r"\bOR\b": "or",
    r"\bNOT\b": "not",
    r"\bIN\b": "in",
}
_FUNCTIONS = ("abs", "col", "date", "days")
_SINGLE: dict[Kind, str] = {
    "number": "a number",
    "text": "text",
    "boolean": "a condition",
    "date": "a date",
    "time": "a point in time",
    "instant": "a point in time with a time zone",
    "span": "a span of time",
    "null": "None",
}
_SEVERAL: dict[Kind, str] = {
    "number": "numbers",
    "text": "text",
    "boolean": "true or false",
    "date": "dates",
    "time": "points in time",
    "instant": "points in time with a time zone",
    "span": "spans of time",
    "null": "None",
}
_COMPARE_IT = "compare it with a value, as in: session == 1"
_DATE, _SPAN = "write a date as date('1996-01-31').", "write a span of time as days(500)."


def compile_expression(text: str, schema: Mapping[str, pl.DataType], roles: Sequence[str] = ()) -> pl.Expr:
    """Compile the text of a condition to a polars expression that yields true, false or null.

    Parameters
    ----------
    text
        The condition.
    schema
        The available columns and their types.
    roles
        Empty for a condition on one sample. For a condition on pairs, the roles that qualify every column
        (``probe``, ``mate``); `schema` then holds names such as ``"probe.date"``.

    Raises
    ------
    UsageError
        If the text does not follow the grammar, names an unknown column or mixes types.
    """
    if len(text) > MAX_LENGTH:
        raise UsageError(
            f"The expression is {count(len(text))} characters long; the limit is {count(MAX_LENGTH)}.",
            "put long lists of ids into a file and pass the file.",
        )
    tree = _parsed(text)
    if _depth(tree) > MAX_DEPTH:
        raise UsageError(f"The expression {quoted(text)} is nested more than {MAX_DEPTH} levels deep.")
    term = _Compiler(text, schema, tuple(roles)).visit(tree)
    if term.kind != "boolean":
        raise UsageError(
            f"The expression {quoted(text)} is {_SINGLE[term.kind]}, not a condition.",
            _COMPARE_IT,
        )
    return term.value


def values_asked_for(text: str) -> list[tuple[str, str | int | float]]:
    """List the columns that a condition on samples compares with values, by ``==`` or ``in``, and the values."""
    found: list[tuple[str, str | int | float]] = []
    for node in ast.walk(_parsed(text)):
        if not isinstance(node, ast.Compare) or len(node.ops) > 1:
            continue
        if isinstance(node.ops[0], ast.Eq | ast.In):
            right = node.comparators[0]
            sides = (
                node.left,
                *(right.elts if isinstance(right, ast.List | ast.Tuple | ast.Set) else [right]),
            )
            columns = [name for side in sides if (name := _column_named(side)) is not None]
            values = [side.value for side in sides if isinstance(side, ast.Constant)]
            found += [
                (name, value)
                for name in columns
                for value in values
                if isinstance(value, str | int | float) and not isinstance(value, bool)
            ]
    return found


def _column_named(node: ast.expr) -> str | None:
    """The column that a part of a condition is."""
    if isinstance(node, ast.Call) and len(node.args) == 1 and _dotted(node.func) == "col":
        argument = node.args[0]
        return (
            argument.value if isinstance(argument, ast.Constant) and isinstance(argument.value, str) else None
        )
    return _dotted(node)


def _parsed(text: str) -> ast.expr:
    """Parse the text within parentheses, where line breaks are ignored and comments end with the line."""
    text = text.replace("\r\n", "\n")
    if any(mark in text for mark in _OTHER_LINE_BREAKS):
        raise UsageError(
            f"The expression {quoted(text)} contains a form feed or a similar character that may end a line.",
            "use plain line breaks; in quoted text write such a character with a backslash, as in '\\x0c'.",
        )
    where = ""
    try:
        tree = ast.parse(f"(\n{text} \n)", mode="eval").body
        if tree.lineno > 1:
            return tree  # otherwise the text itself closes our parenthesis, as in: a) or (b
    except SyntaxError as error:
        if error.offset and error.lineno:
            number, offset = _lone_equals(text) or (error.lineno - 1, error.offset)
            line = f"line {number}, " if "\n" in text.strip() else ""
            where = f" near {line}character {offset}"
    except (ValueError, RecursionError, MemoryError):
        pass
    raise UsageError(f"The expression {quoted(text)} cannot be read{where}.", _rewritten(text))


def _lone_equals(text: str) -> tuple[int, int] | None:
    """The line and the place of an = that compares, of which the parser names the start of the line."""
    blanked = _QUOTED.sub(lambda quotation: " " * len(quotation[0]), text)
    found = re.search(r"(?<![=<>!])=(?!=)", blanked)
    if found is None:
        return None
    before = text[: found.start()]
    return before.count("\n") + 1, found.start() - before.rfind("\n")


def _rewritten(text: str) -> str:
    """A hint for invalid text: the text with operators of other languages replaced, or an example."""
    pieces = _QUOTED.split(text)
    for sign, ours in _SIGNS_OF_OTHERS.items():
        pieces[::2] = [re.sub(sign, ours, piece) for piece in pieces[::2]]
    written = "".join(pieces)
    try:
        ast.parse(f"(\n{written} \n)", mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        written = text
    if written == text:
        return "write for example: session == 1 and view == 'Frontal'"
    return f"use == to compare, and combine conditions with and, or, not; write: {quoted(written, 400)[1:-1]}"


class _Compiler:
    def __init__(self, text: str, schema: Mapping[str, pl.DataType], roles: tuple[str, ...]) -> None:
        self.text = text
        self.schema = schema
        self.roles = roles

    def refuse(self, what: str, hint: str | None = None) -> UsageError:
        return UsageError(f"In the expression {quoted(self.text)}: {what}.", hint)

    def visit(self, node: ast.expr) -> Term:
        match node:
            case ast.BoolOp():
                return self.boolean_operation(node)
            case ast.UnaryOp(op=ast.Not()):
                term = self.of_kind(node.operand, "boolean")
                return self.limited(made_of(~term.value, "boolean", term))
            case ast.UnaryOp(op=ast.USub()):
                term = self.of_kind(node.operand, "number", "span")
                # polars cannot negate 128-bit integers, but it can subtract them
                return self.limited(calculated(operator.sub, term.kind, terms.whole(0), term))
            case ast.BinOp():
                return self.arithmetic(node)
            case ast.Compare():
                return self.comparison(node)
            case ast.Name() | ast.Attribute():
                return self.column(_dotted(node), node)
            case ast.Constant():
                return self.constant(node)
            case ast.Call():
                return self.call(node)
        raise self.refuse(
            f"{_source(node)} is not allowed",
            "use columns, numbers, 'text', == != < <= > >= in, and/or/not, + - * /, date('…'), days(…), abs(…).",
        )

    def boolean_operation(self, node: ast.BoolOp) -> Term:
        parts = [self.of_kind(operand, "boolean") for operand in node.values]
        # Horizontal forms follow Kleene's logic like & and |, and stay flat for any number of operands.
        join = pl.all_horizontal if isinstance(node.op, ast.And) else pl.any_horizontal
        return self.limited(made_of(join([part.value for part in parts]), "boolean", *parts))

    def limited(self, term: Term) -> Term:
        if term.size > MAX_SIZE:
            raise self.refuse("it needs too many operations")
        return term

    def of_kind(self, node: ast.expr, *kinds: Kind) -> Term:
        term = self.visit(node)
        if term.kind not in kinds:
            wanted = " or ".join(_SINGLE[kind] for kind in kinds)
            hint = (
                _COMPARE_IT
                if kinds == ("boolean",)
                else _why_text(node) + "."
                if term.kind == "text"
                else None
            )
            raise self.refuse(f"{_described(node, term.kind)} where {wanted} is expected", hint)
        return term

    def arithmetic(self, node: ast.BinOp) -> Term:
        if type(node.op) not in _ARITHMETIC:
            raise self.refuse(
                f"{_source(node)} uses an operator that is not allowed",
                _INSTEAD.get(type(node.op), "use + - * /"),
            )
        sign, function = _ARITHMETIC[type(node.op)]
        left, right = self.visit(node.left), self.visit(node.right)
        kind = _RESULT.get((left.kind, sign, right.kind))
        if kind is None:
            raise self.refuse(
                f"{_source(node)} mixes {_held(node.left, left.kind)} and {_held(node.right, right.kind)}",
                _calculated({left.kind: node.left, right.kind: node.right}),
            )
        return self.limited(calculated(function, kind, left, right))

    def comparison(self, node: ast.Compare) -> Term:
        """Compare, chained as in Python: ``1 < x <= 3`` is ``1 < x and x <= 3``."""
        parts: list[Term] = []
        left_node, left = node.left, self.visit(node.left)
        for op, right_node in zip(node.ops, node.comparators, strict=True):
            if isinstance(op, ast.In | ast.NotIn):
                if op is not node.ops[-1]:
                    raise self.refuse("nothing can follow the list after 'in'", "join comparisons with and.")
                parts.append(self.membership(left, left_node, right_node, negated=isinstance(op, ast.NotIn)))
                break
            right = self.visit(right_node)
            parts.append(self.compare_once(left, left_node, op, right, right_node))
            left_node, left = right_node, right
        if len(parts) == 1:
            return parts[0]
        return self.limited(made_of(pl.all_horizontal([part.value for part in parts]), "boolean", *parts))

    def compare_once(
        self, left: Term, left_node: ast.expr, op: ast.cmpop, right: Term, right_node: ast.expr
    ) -> Term:
        if isinstance(op, ast.Is | ast.IsNot):
            if right.kind != "null":
                raise self.refuse("'is' can only be followed by None", "use == for other values.")
            value = left.value.is_null() if isinstance(op, ast.Is) else left.value.is_not_null()
            return self.limited(made_of(value, "boolean", left))
        ordered = not isinstance(op, ast.Eq | ast.NotEq)
        self.require_comparable(left, right, left_node, right_node, ordered=ordered)
        return self.limited(compared(left, _COMPARISONS[type(op)], right))

    def membership(self, left: Term, left_node: ast.expr, right_node: ast.expr, negated: bool) -> Term:
        if not isinstance(right_node, ast.List | ast.Tuple | ast.Set) or not right_node.elts:
            raise self.refuse("'in' must be followed by a list", "write for example: session in [1, 3]")
        members = [self.visit(element) for element in right_node.elts]
        for member, element in zip(members, right_node.elts, strict=True):
            self.require_comparable(left, member, left_node, element)
        parts = [compared(left, "==", member) for member in members]
        found = pl.any_horizontal([part.value for part in parts])
        return self.limited(made_of(~found if negated else found, "boolean", *parts))

    def require_comparable(
        self, left: Term, right: Term, left_node: ast.expr, right_node: ast.expr, ordered: bool = False
    ) -> None:
        if "null" in (left.kind, right.kind):
            raise self.refuse("None cannot be compared", "write: x is None, or: x is not None")
        if left.kind == right.kind or {left.kind, right.kind} == {"date", "time"}:
            return
        raise self.refuse(
            f"{_described(left_node, left.kind)}, but {_described(right_node, right.kind)}",
            _instead({left.kind: left_node, right.kind: right_node}, ordered),
        )

    def constant(self, node: ast.Constant) -> Term:
        value = node.value
        if value is None:
            return Term(pl.lit(None), "null")
        if isinstance(value, bool):
            return Term(pl.lit(value), "boolean")
        if isinstance(value, int | float) and not abs(value) < _TOO_LARGE[type(value)]:
            raise self.refuse("a number is too large")
        if isinstance(value, int):
            return terms.whole(value)
        if isinstance(value, float):
            return Term(pl.lit(value, dtype=pl.Float64), "number")
        if isinstance(value, str):
            return Term(pl.lit(value), "text")
        raise self.refuse(f"{quoted(value, 40)} is not a number, text, True, False or None")

    def column(self, name: str | None, node: ast.expr) -> Term:
        if name is None:
            raise self.refuse(f"{_source(node)} is not a column name")
        if self.roles and name.partition(".")[0] not in self.roles:
            choices = " or ".join(f"{role}.{name}" for role in self.roles)
            raise self.refuse(f"{quoted(name)} needs a prefix", f"write {choices}.")
        if name not in self.schema:
            hint = nearest(name, self.schema) or f"{meant(name, self.schema)} Write text in quotes."
            raise self.refuse(f"there is no column {quoted(name)}", hint)
        term = terms.column(name, self.schema[name])
        if term is None:
            raise self.refuse(
                f"column {quoted(name)} has the type {self.schema[name]}, which cannot be compared"
            )
        return term

    def call(self, node: ast.Call) -> Term:
        name = _dotted(node.func) or ""
        role, _, bare = name.rpartition(".")
        if bare not in _FUNCTIONS or (role and not (bare == "col" and role in self.roles)):
            raise self.refuse(f"there is no function {quoted(name)}", meant(name, _FUNCTIONS))
        if len(node.args) != 1 or node.keywords or isinstance(node.args[0], ast.Starred):
            raise self.refuse(f"{bare}(…) takes one value")
        argument = node.args[0]
        if bare == "abs":
            term = self.of_kind(argument, "number", "span")
            return self.limited(calculated(operator.methodcaller("abs"), term.kind, term))
        literal = argument.value if isinstance(argument, ast.Constant) else None
        if bare == "days":
            if isinstance(literal, bool) or not isinstance(literal, int | float) or abs(literal) > 10_000_000:
                raise self.refuse("days(…) takes a number", "write for example: days(500)")
            return terms.span_of_days(literal)
        if not isinstance(literal, str):
            raise self.refuse(f"{bare}(…) takes text in quotes")
        if bare == "col":
            return self.column(f"{role}.{literal}" if role else literal, node)
        try:
            return terms.day(datetime.date.fromisoformat(literal))
        except ValueError:
            raise self.refuse(f"{quoted(literal, 40)} is not a date", "write date('1996-01-31').") from None


def _instead(sides: Mapping[Kind, ast.expr], ordered: bool) -> str | None:
    """A hint on how to compare two types, if there is one."""
    text, number, truth = (sides.get(kind) for kind in ("text", "number", "boolean"))
    if "span" in sides:
        other = isinstance(next(one for kind, one in sides.items() if kind != "span"), ast.Constant)
        return _SPAN if other else "compare a span of time with days(500), and a number with a number."
    if "instant" in sides and sides.keys() & {"date", "time"}:
        return "give both values a time zone, or neither."
    if sides.keys() & {"date", "time", "instant"} and (text or number):
        if isinstance(text or number, ast.Constant):
            return _DATE
        return None if text is None else f"{_why_text(text, 'a date, such as 1996-01-31')}."
    if truth is not None:
        written = ast.unparse(truth)
        return None if isinstance(truth, ast.Constant) else f"write {written}, or not {written}."
    if text is None or number is None:
        return None
    if isinstance(text, ast.Constant):
        bare = str(text.value).strip()
        return (
            f"write the number without quotes: {bare}."
            if bare.isdecimal()
            else "compare numbers with numbers."
        )
    why = _why_text(text)
    if ordered:
        why += "; text is sorted by character, '10' before '9'"
    if ordered or not isinstance(number, ast.Constant):
        return f"{why}: compare a column of numbers instead."
    return f"{why}: write {quoted(str(number.value), 40)}."


def _calculated(sides: Mapping[Kind, ast.expr]) -> str | None:
    """A hint on how to add two types, if there is one."""
    text = sides.get("text")
    if text is not None:
        return (
            "use numbers in arithmetic."
            if isinstance(text, ast.Constant)
            else f"{_why_text(text)}; arithmetic needs numbers."
        )
    return _SPAN if "number" in sides and sides.keys() & {"span", "date", "time", "instant"} else None


def _why_text(column: ast.expr, otherwise: str = "a number") -> str:
    """The reason why a column is text."""
    if isinstance(column, ast.Call):
        column = column.args[0]
    name = column.value if isinstance(column, ast.Constant) else _dotted(column)
    if str(name).rpartition(".")[2] in ("id", "subject"):
        return "ids and subjects are always text"
    return f"a column is text if it contains ids or subjects, or any value that is not {otherwise}"


def _depth(tree: ast.AST) -> int:
    """The depth of the tree, computed without recursion."""
    depth, level = 0, [tree]
    while level:
        depth += 1
        level = [child for node in level for child in ast.iter_child_nodes(node)]
    return depth


def _source(node: ast.expr) -> str:
    """The source text of a part of the expression."""
    return quoted(ast.unparse(node), 60)


def _dotted(node: ast.expr) -> str | None:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return f"{node.value.id}.{node.attr}"
    return None


def _is_column(node: ast.expr) -> bool:
    """Whether a part of the expression names a column, also as ``col('…')``."""
    name = node.func if isinstance(node, ast.Call) else node
    return isinstance(name, ast.Name | ast.Attribute) and (name is node or str(_dotted(name)).endswith("col"))


def _held(node: ast.expr, kind: Kind) -> str:
    """What a part of the expression is, or what its column holds."""
    return _SEVERAL[kind] if _is_column(node) else _SINGLE[kind]


def _described(node: ast.expr, kind: Kind) -> str:
    """Say what a part of the expression is, or what its column holds."""
    source = _source(node)
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        source = quoted(node.value, 60)
    return f"{source} {'holds' if _is_column(node) else 'is'} {_held(node, kind)}"
