"""The language of models: ``elapsed(date) + probe.glasses * algorithm``.

A model is a sum of terms. A term is a covariate, covariates that act on each other (``sex:glasses``), or both by themselves and on each
other (``sex*glasses``). A covariate is ``algorithm``, a column of the probe (``probe.age``, or ``age``), of its mate (``mate.age``), or of the
pair: ``same(glasses)``, ``difference(age)``, ``elapsed(date)``. A number enters as it is, as ``squared(age)``, as ``cut(age, 4)`` (groups of equally
many probes) or as ``levels(age)``, a rate for each value;
``levels(sex, m)`` compares with m, where the commonest level is what others are compared with. A column with blanks in its name stands between backticks. Of a table of outcomes every
name is that of a column, and there are no mates.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, NoReturn

from proband.errors import DesignError, UsageError, meant, quoted

Kind = Literal["algorithm", "probe", "mate", "same", "difference", "elapsed", "column"]
Form = Literal["plain", "squared", "cut", "levels"]

_TOKEN = re.compile(r"\s*(?:(`[^`]+`(?:\.`[^`]+`)?)|([^\W\d][\w.]*(?:\.`[^`]+`)?)|(\d+)|([+*:(),]))")
_OF_PAIRS: tuple[Kind, ...] = ("same", "difference", "elapsed")
_FORMS: tuple[Form, ...] = ("squared", "cut", "levels")
_EXAMPLE = "write, for example: 'elapsed(date) + probe.glasses * algorithm'"
_PLAIN_EXAMPLE = "write, for example: 'age + sex * glasses'"
_GROUPS = 3
_MOST_GROUPS = 20
_MOST_TERMS = 500


@dataclass(frozen=True)
class Covariate:
    """Something that may make a probe fail.

    Attributes
    ----------
    kind
        Whose value it is: the algorithm, the probe's, its mate's, or one of the two together; a column of a table of outcomes.
    column
        Of the table; empty for the algorithm.
    form
        How its values enter.
    groups
        For ``cut``: how many.
    reference
        For ``levels``: the level that others are compared with, if it is not the commonest.
    """

    kind: Kind
    column: str = ""
    form: Form = "plain"
    groups: int = 0
    reference: str = ""

    @property
    def of(self) -> str:
        """What it is, however it enters: ``probe.age``."""
        column = self.column if self.column.isidentifier() else f"`{self.column}`"
        if self.kind == "column":
            return column
        if self.kind in _OF_PAIRS:
            return f"{self.kind}({column})"
        return "algorithm" if self.kind == "algorithm" else f"{self.kind}.{column}"

    def __str__(self) -> str:
        if self.form == "plain":
            return self.of
        more = str(self.groups) if self.groups else _plain(self.reference)
        return f"{self.form}({self.of}{f', {more}' if more else ''})"


def _plain(name: str) -> str:
    return name if not name or name.isidentifier() or name.isdecimal() else f"`{name}`"


Term = tuple[Covariate, ...]
"""Covariates that act on each other, or one by itself."""


@dataclass(frozen=True)
class Formula:
    """What a model is made of.

    Attributes
    ----------
    terms
        Every covariate by itself, and then those that act on each other.
    """

    terms: tuple[Term, ...]

    @classmethod
    def parse(cls, text: str, *, of_table: bool = False) -> Formula:
        """Read a model, of the columns of a table of outcomes if `of_table`; refused where it is not one, in words."""
        return cls(tuple(_FormulaReader(text, of_table).model()))

    @property
    def covariates(self) -> tuple[Covariate, ...]:
        """Every covariate once."""
        return tuple(dict.fromkeys(one for term in self.terms for one in term))

    @property
    def crossed(self) -> tuple[tuple[Covariate, Covariate], ...]:
        """The pairs of covariates that act on each other."""
        return tuple((term[0], term[1]) for term in self.terms if len(term) == 2)

    def __str__(self) -> str:
        return " + ".join(map(term_name, self.terms))


def term_name(term: Term) -> str:
    """What a term is called."""
    return ":".join(map(str, term))


class _FormulaReader:
    def __init__(self, text: str, of_table: bool) -> None:
        self.text, self.of_table = text, of_table
        self.tokens = list(self._split())
        self.at = 0

    def _split(self) -> Iterator[str]:
        place = 0
        rest = self.text.rstrip()
        while place < len(rest):
            found = _TOKEN.match(rest, place)
            if found is None:
                self._refuse(f"{quoted(rest[place:].strip(), 20)} cannot be parsed")
            yield next(one for one in found.groups() if one is not None)
            place = found.end()

    def _refuse(self, why: str, cure: str = "") -> NoReturn:
        example = _PLAIN_EXAMPLE if self.of_table else _EXAMPLE
        raise UsageError(f"The covariates {quoted(self.text)} are not a valid model: {why}.", cure or example)

    def _next(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def _take(self, *expected: str) -> str:
        token = self._next()
        if expected and token not in expected:
            self._refuse(
                f"{' or '.join(map(repr, expected))} expected, got {repr(token) if token else 'nothing'}"
            )
        self.at += 1
        return token

    def model(self) -> list[Term]:
        if not self.tokens:
            self._refuse("it is empty")
        found: dict[frozenset[Covariate], Term] = {}
        while True:
            for term in self._crossing():
                found.setdefault(frozenset(term), term)
            if len(found) > _MOST_TERMS:
                self._refuse_size()
            if not self._next():
                break
            self._take("+", "*", ":")
        terms = sorted(found.values(), key=len)
        self._check(terms)
        return terms

    def _crossing(self) -> list[Term]:
        """``a*b`` is ``a + b + a:b``."""
        parts = [self._term()]
        while self._next() == "*":
            self._take()
            parts.append(self._term())
        if 2 ** len(parts) > _MOST_TERMS:
            self._refuse_size()
        chosen = (some for size in range(1, len(parts) + 1) for some in combinations(parts, size))
        return [tuple(dict.fromkeys(one for part in some for one in part)) for some in chosen]

    def _refuse_size(self) -> NoReturn:
        self._refuse(
            f"it has more than {_MOST_TERMS} terms",
            "use + instead of * for some covariates: * adds every combination.",
        )

    def _term(self) -> Term:
        found = [self._covariate()]
        while self._next() == ":":
            self._take()
            found.append(self._covariate())
        return tuple(dict.fromkeys(found))

    def _covariate(self, within: str = "") -> Covariate:
        name = self._take()
        if not name or name in "+*:(),":
            self._refuse(f"expected a covariate, got {repr(name) if name else 'nothing'}")
        if name.isdecimal():
            self._refuse(f"{name} is not a covariate")
        if self._next() != "(":
            return self._column(name)
        if within and name in _FORMS:
            self._refuse(f"{within}(…) needs a number, not {name}(…)")
        self._take("(")
        if name in _OF_PAIRS and not self.of_table:
            made = self._of_pair(name)
        elif name in _FORMS:
            made = self._formed(name)
        else:
            known = [*(() if self.of_table else _OF_PAIRS), *_FORMS]
            self._refuse(f"unknown function {name}(…)", meant(name, known))
        self._take(")")
        return made

    def _of_pair(self, name: str) -> Covariate:
        inner = self._column(self._take())
        if inner.kind == "algorithm" or inner.kind == "mate":
            self._refuse(f"{name}(…) needs a column of probe and mate", f"write, for example, {name}(age).")
        return Covariate(name, inner.column)  # type: ignore[arg-type]  # one of the kinds of pairs

    def _formed(self, name: str) -> Covariate:
        inner = self._covariate(within=name)
        if inner.kind == "algorithm" or (inner.kind == "same" and name != "levels"):
            self._refuse(f"{name}(…) needs a number, not {inner}")
        if name == "levels" and self._next() == ",":
            self._take()
            said = self._take()
            if not said or said in "+*:(),":
                self._refuse(
                    "levels needs a reference level",
                    "write, for example, levels(sex, m).",
                )
            return Covariate(inner.kind, inner.column, "levels", reference=said.strip("`"))
        if name != "cut":
            return Covariate(inner.kind, inner.column, name)  # type: ignore[arg-type]  # one of the forms
        groups = _GROUPS
        if self._next() == ",":
            self._take()
            said = self._take()
            groups = int(said) if said.isdecimal() and len(said) < 10 else 0
        if not 2 <= groups <= _MOST_GROUPS:
            self._refuse(
                f"cut needs a number of groups from 2 to {_MOST_GROUPS}", "write, for example, cut(age, 4)."
            )
        return Covariate(inner.kind, inner.column, "cut", groups)

    def _column(self, name: str) -> Covariate:
        if name == "algorithm" and not self.of_table:
            return Covariate("algorithm")
        if not name or name in "+*:(),":
            self._refuse(f"expected a column, got {repr(name) if name else 'nothing'}")
        if self.of_table:
            return Covariate("column", name.strip("`"))
        role, point, column = ("", "", name) if name.startswith("`") else name.partition(".")
        column = column if point or name.startswith("`") else role
        if point and role in ("rival", "nonmate", "impostor"):
            raise DesignError(
                f"{name} is a covariate of non-mates: an image of a non-mate is compared with many probes, "
                "so probes of different people are no longer independent and standard errors clustered by "
                "person would be too small.",
                "use covariates of the probe, its mate or the pair; for error rates by groups of both, use "
                "verification.",
            )
        if point and role not in ("probe", "mate"):
            self._refuse(
                f"{name!r} has an unknown prefix",
                f"write mate.{column}."
                if role in ("gallery", "target")
                else f"write probe.{column} or mate.{column}.",
            )
        return Covariate("mate" if role == "mate" and point else "probe", column.strip("`"))

    def _check(self, terms: list[Term]) -> None:
        alone = {term[0] for term in terms if len(term) == 1}
        forms: dict[str, Covariate] = {}
        for term in terms:
            for one in term:
                if forms.setdefault(one.of, one) != one:
                    self._refuse(f"{one.of} is used as {forms[one.of]} and as {one}", "choose one of them.")
                if one not in alone:
                    self._refuse(
                        f"{term_name(term)} is used without the main effect {one}",
                        f"write {'*'.join(map(str, term))}, which includes both.",
                    )
