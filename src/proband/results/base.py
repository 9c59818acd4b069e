"""The base of all results: plain values, a table, a figure, and the four answers of every number."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, NamedTuple

from proband._version import __version__
from proband.engine.arguments import published
from proband.engine.limits import Count as Count, Rank as Rank, Rate as Rate, Within
from proband.engine.rendering import Shown
from proband.results.compared import Compared
from proband.results.sampling import levels_in_words
from proband.results.serializing import Written, entries
from proband.results.targets import DESCRIPTION, EVERYTHING, NOTHING
from proband.words import Note, SampledColumn, Target, digits, fold, plain, visible

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl


# Any other float may be null, since JSON has no infinity.
Finite = Annotated[float, Within()]
Confidence = Annotated[float, Within(gt=0, lt=1)]
ROUNDING = 1e-12
"""What differs by so little, as a share of what it is, differs by rounding alone."""


@published
class Interval(NamedTuple):
    """The ends of an interval."""

    low: float
    high: float

    @property
    def has_width(self) -> bool:
        """Whether the ends differ by more than rounding; an interval without width supports no verdict."""
        return self.high - self.low > ROUNDING * max(1.0, abs(self.low), abs(self.high))


class Record:
    """A part of a result: a frozen dataclass that is exported like results, but not displayed by itself.

    Its JSON has its fields; `written` declares exceptions. A part without exceptions need not derive from it.
    """

    __slots__ = ()
    written: ClassVar[Written] = Written()
    sparse: ClassVar[bool] = False
    """Whether keys that hold nothing are left out."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON; values that are not finite become None.

        Returns
        -------
        dict
            Plain values of JSON types.
        """
        optional = self.written.if_any
        made = {key: plain(value) for key, value in entries(self).items()}
        for key, part in getattr(self, self.written.beside or "", {}).items():
            made[key] = plain(part)
        return {key: value for key, value in made.items() if value or not (self.sparse or key in optional)}


@published
class Result(Record, Shown):
    """A result: a frozen dataclass that can be exported as plain values, a table and a figure."""

    __slots__ = ()

    def __init_subclass__(cls, **options: Any) -> None:
        """Wrap long lines in the representation, and never use that of dataclasses, which shows whole arrays."""
        super().__init_subclass__(**options)
        shown = cls.__repr__
        cls.__repr__ = shown if shown in _FOLDED else _in_lines(shown)  # type: ignore[method-assign]

    def __repr__(self) -> str:
        values = {one.name: getattr(self, one.name) for one in fields(self)}  # type: ignore[arg-type]  # results are dataclasses
        told = [f"{name}={_told(value)}" for name, value in values.items() if isinstance(value, _PLAIN)]
        rest = [] if len(told) == len(values) else ["…"]
        return f"{type(self).__name__}({', '.join([*told, *rest])})"

    @property
    def proband(self) -> str:
        """The version of Proband that computed it."""
        return __version__

    def to_frame(self, *, wide: bool = False) -> pl.DataFrame:
        """Return a table with one row per number, and columns that identify it.

        Parameters
        ----------
        wide
            Whether to include all details of each number: the counts behind it, how it was computed, and related numbers.

        Returns
        -------
        polars.DataFrame
            The columns used for filtering come first: ``algorithm``, ``measure``, ``category``, …, then ``value``, ``low``,
            ``high``.
        """
        return self._frame(wide)

    def _frame(self, wide: bool) -> pl.DataFrame:
        """Make the frame; results that are not a tree of numbers override this."""
        from proband.engine.frames import frame_of_rows  # polars is loaded on first use
        from proband.results.frames import rows_of, tidy_rows

        return frame_of_rows(rows_of(self) if wide else tidy_rows(self))

    def to_pandas(self, *, wide: bool = False) -> pd.DataFrame:
        """Return the table of `to_frame` as a pandas frame.

        Parameters
        ----------
        wide
            Whether to include all details of each number.

        Returns
        -------
        pandas.DataFrame
            The same columns and rows.
        """
        from proband.engine.frames import as_pandas

        return as_pandas(self.to_frame(wide=wide))


_PLAIN = str | int | float
_SHORT = 8
_FOLDED: set[Callable[[Any], str]] = set()


def _told(value: object) -> str:
    whole = repr(value)
    return digits(value, 6) if isinstance(value, float) and len(whole) > _SHORT else whole


def _in_lines(shown: Callable[[Any], str]) -> Callable[[Any], str]:
    """Wrap long lines of a representation."""

    @functools.wraps(shown)
    def folded(self: Any) -> str:
        return fold(visible(shown(self)))

    _FOLDED.add(folded)
    return folded


@published
@dataclass(frozen=True)
class Answers(Record):
    """What a number measures, what varies behind it, what is held fixed and what is assumed. `sampling` describes the columns that are declared as sampling levels; it is not written if there are none."""

    columns: ClassVar[tuple[str, ...]] = ()
    written = Written(if_any=("sampling",))
    of: Target
    varying: Target
    fixed: Target
    assuming: Target
    sampling: tuple[SampledColumn, ...] = ()


@published
@dataclass(frozen=True)
class Facts:
    """How a measurement was computed: sizes, policies, what was left out.

    `n_failed` counts probes without a rank, which are misses; `n_probes_marked` those that are themselves marked as failures to
    acquire. `experiment` is the experiment's fingerprint; `metric` is the metric of embeddings, None for supplied scores; `compared`
    describes the pairs counted by a measure over pairs.
    """

    columns: ClassVar[tuple[str, ...]] = ("algorithm", "n_probes", "n_probe_subjects", "n_gallery_subjects")
    algorithm: str
    n_probes: Count
    n_probe_subjects: Count
    n_gallery_images: Count
    n_gallery_subjects: Count
    n_ranks: Count
    n_failed: Count
    n_gallery_failed: Count
    n_unmated: Count
    n_tied: Count
    ties: str
    counting: str
    on_failure: str
    universe: str
    gallery_rule: str
    probe_rule: str
    experiment: str
    notes: tuple[Note, ...]
    metric: str | None = None
    compared: Compared | None = None
    n_probes_marked: Count = 0
    version: str = __version__

    @property
    def size(self) -> int:
        """The denominator of a rate."""
        return self.n_probes

    @property
    def of_pairs(self) -> bool:
        """Whether pairs were counted, instead of searches."""
        return self.compared is not None


NOT_MEASURED = Facts("", 0, 0, 0, 0, 0, 0, 0, 0, 0, "", "", "", "", "", "", "", ())
"""Of a number that no algorithm was measured for by itself."""


def describing(of: Target) -> Answers:
    """The answers of a plain measurement, which describes only these probes and this gallery."""
    return Answers(of, DESCRIPTION, EVERYTHING, NOTHING)


def among(
    answers: Answers,
    sampling: tuple[SampledColumn, ...],
    *,
    strata: str | None = None,
    units: str | None = None,
) -> Answers:
    """Add to answers which of the declared sampling levels vary, and which are held fixed.

    Parameters
    ----------
    answers
        The meaning of a number; returned unchanged if it already has sampling levels.
    sampling
        Observations on the declared columns in the samples behind the number; without any, nothing is added.
    strata, units
        The columns of strata and of units within them.
    """
    if answers.sampling or not sampling:
        return answers
    more = levels_in_words(sampling, answers.varying.key, strata, units)
    told = zip((answers.varying, answers.fixed, answers.assuming), more, strict=True)
    varying, fixed, assuming = (
        replace(target, words="; ".join((target.words, *words))) for target, words in told
    )
    return replace(answers, varying=varying, fixed=fixed, assuming=assuming, sampling=sampling)
