"""One algorithm in two states: fully against partially automatic, or earlier against later (FERET 2000)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date
from typing import Any, Literal

from proband.errors import UsageError, first_few
from proband.inference.comparing import compare
from proband.inference.comparison import Comparison, PairComparison
from proband.inference.evaluation import Entry, Evaluation
from proband.inference.multiplicity import holm
from proband.measures import RecognitionRate
from proband.words import counted

Kind = Literal["version", "improvement"]
_DATE = re.compile(r"\d{4}(-\d\d){0,2}", re.ASCII)


@dataclass(frozen=True)
class Version:
    """One algorithm that finds the face itself, and the same one told where the eyes are."""

    fully: str
    partially: str


@dataclass(frozen=True)
class Improvement:
    """One algorithm at two dates, each a year, a month or a day: ``1996``, ``1996-09`` or ``1996-09-30``."""

    earlier: str
    later: str
    earlier_date: str | None = None
    later_date: str | None = None

    def __post_init__(self) -> None:
        before, after = (_dated(date) for date in (self.earlier_date, self.later_date))
        known = min(len(before), len(after))
        # A year and a month of the same year can be in order.
        if before[:known] > after[:known]:
            raise UsageError(
                f"{self.earlier} of {self.earlier_date} is not earlier than {self.later} of {self.later_date}.",
                "name the earlier algorithm first.",
            )


@dataclass(frozen=True)
class ContrastRow:
    """Two states of an algorithm on one set of probes.

    Attributes
    ----------
    first, second
        Rates of the fully automatic (or earlier) and of the partially automatic (or later) state, with their intervals.
    first_failed, second_failed
        Probes without a rank, which count as misses.
    pair
        The second less the first, paired; p-values are adjusted over the whole table.
    """

    category: str
    n_probes: int
    n_probe_subjects: int
    n_gallery_subjects: int
    n_gallery_images: int
    first: tuple[float, float, float]
    second: tuple[float, float, float]
    first_failed: int
    second_failed: int
    pair: PairComparison

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {**asdict(self), "first": list(self.first), "second": list(self.second)}


@dataclass(frozen=True)
class Contrast:
    """One algorithm in two states, over every set of probes.

    The difference of a ``version`` is the cost of locating the face, at the level of the system; that of an ``improvement`` the gain.
    """

    kind: Kind
    first: str
    second: str
    rank: int
    rows: tuple[ContrastRow, ...]
    first_date: str | None = None
    second_date: str | None = None

    @property
    def roles(self) -> tuple[str, str]:
        """What the first and the second state are."""
        if self.kind == "version":
            return "fully automatic", "partially automatic"
        return self.first_date or "earlier", self.second_date or "later"

    @property
    def labels(self) -> tuple[str, str]:
        """The names of the two states, each with what it is."""
        return with_role(self.first, self.roles[0]), with_role(self.second, self.roles[1])

    def sentences(self) -> list[str]:
        """What each set of probes shows, in words."""
        return [self._sentence(row) for row in self.rows]

    def _sentence(self, row: ContrastRow) -> str:
        pair = row.pair
        effect = f"{100 * pair.difference:+.2f} points [{100 * pair.low:+.2f}, {100 * pair.high:+.2f}]"
        tested = f"adjusted p = {pair.p_adjusted:.2g}"
        if self.kind == "version":
            failed = (
                f" (without a rank: {row.first_failed:,} of {counted(row.n_probes, 'probe')})"
                if row.first_failed
                else ""
            )
            return f"{row.category}: locating the face costs {self.first} {effect} against {self.second}, {tested}{failed}."
        dates = (
            f" from {self.first_date} to {self.second_date}" if self.first_date and self.second_date else ""
        )
        return f"{row.category}: {self.second} against {self.first}{dates}: {effect}, {tested}."

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {
            **{
                name: getattr(self, name)
                for name in ("kind", "first", "second", "rank", "first_date", "second_date")
            },
            "rows": [row.to_dict() for row in self.rows],
            "sentences": self.sentences(),
        }


def contrasts(
    evaluation: Evaluation,
    asked: Sequence[Version] | Sequence[Improvement],
    rank: int,
    confidence_level: float,
    seed: int,
) -> tuple[Contrast, ...]:
    """Compare the two states of each algorithm on every set of probes; p-values are adjusted over all of these (Holm)."""
    made = []
    for one in asked:
        kind, names, dates = _named(one)
        require_known(names, evaluation.algorithms)
        rows = tuple(
            _row(evaluation, category, names, rank, confidence_level, seed)
            for category in evaluation.categories
        )
        made.append(Contrast(kind, *names, rank, rows, *dates))
    adjusted = iter(holm([row.pair.p_value for one in made for row in one.rows]))
    return tuple(
        replace(
            one,
            rows=tuple(replace(row, pair=replace(row.pair, p_adjusted=next(adjusted))) for row in one.rows),
        )
        for one in made
    )


def with_role(name: str, role: str) -> str:
    """A name with what it is, unless it says so itself."""
    return name if name.endswith(f"({role})") else f"{name} ({role})"


def require_different(asked: Sequence[Version] | Sequence[Improvement]) -> None:
    """Refuse a pair that is asked for twice: it would count twice when p-values are adjusted."""
    pairs = [_named(one)[1] for one in asked]
    for place, pair in enumerate(pairs):
        if pair in pairs[:place]:
            raise UsageError(f"{pair[0]} and {pair[1]} are a pair twice.", "name every pair once.")


def require_known(names: Iterable[str], known: Sequence[str]) -> None:
    """Refuse algorithms that there are no scores of, and a pair of one with itself."""
    names = list(names)
    for name in names:
        if name not in known:
            raise UsageError(
                f"There is no algorithm {name!r} among the scores.", f"there are: {first_few(known, 12)}."
            )
    if len(set(names)) < len(names):
        raise UsageError(f"{names[0]} cannot be compared with itself.")


def _dated(text: str | None) -> tuple[int, ...]:
    """The year, month and day of a date, as far as it says them."""
    if text is None:
        return ()
    try:
        if not _DATE.fullmatch(text):
            raise ValueError
        date.fromisoformat(text + "-01-01"[len(text) - 4 :])
    except ValueError:
        raise UsageError(
            f"{text!r:.40} is no date.", "write a year, a month or a day: 1996, 1996-09 or 1996-09-30."
        ) from None
    return tuple(map(int, text.split("-")))


def _named(one: Version | Improvement) -> tuple[Kind, tuple[str, str], tuple[str | None, str | None]]:
    if isinstance(one, Version):
        return "version", (one.fully, one.partially), (None, None)
    return "improvement", (one.earlier, one.later), (one.earlier_date, one.later_date)


def _row(
    evaluation: Evaluation, category: str, names: tuple[str, str], rank: int, level: float, seed: int
) -> ContrastRow:
    entries = {entry.algorithm: entry for entry in evaluation.of(category)}
    first, second = (entries[name] for name in names)
    found: Comparison = compare(
        RecognitionRate(rank), [second.outcomes, first.outcomes], confidence_level=level, rng=seed
    )
    facts = first.curve.facts
    return ContrastRow(
        category=category,
        n_probes=facts.n_probes,
        n_probe_subjects=facts.n_probe_subjects,
        n_gallery_subjects=facts.n_gallery_subjects,
        n_gallery_images=facts.n_gallery_images,
        first=_rate(first, found),
        second=_rate(second, found),
        first_failed=facts.n_failed,
        second_failed=second.curve.facts.n_failed,
        pair=found.pairs[0],
    )


def _rate(entry: Entry, found: Comparison) -> tuple[float, float, float]:
    one = next(each for each in found.estimates if each.facts.algorithm == entry.algorithm)
    return one.value, one.low, one.high
