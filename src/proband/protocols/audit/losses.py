"""From collected to used data: which samples were dropped, why, and whether the losses are even."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from proband.distributions import chi_square_tail
from proband.engine.arguments import published
from proband.engine.frames import frame_of_rows
from proband.errors import InputError, first_few
from proband.results.about import RestsOn, Who
from proband.results.base import Result
from proband.results.serializing import Written
from proband.results.test import Test
from proband.samples import Samples
from proband.samples.reading import frame_from, read_frame
from proband.words import Method, Target, count, p_value

Counts = npt.NDArray[np.int64]
_DRAWS = 1999
_AT_ONCE = 1 << 22  # numbers in a block of draws
_EXPECTED = 5.0  # the least expected count for which the chi-square distribution is trusted


FISHER = Method("fisher-exact", "Fisher's exact test")
CHI_SQUARE = Method("chi-square", "chi-square test")
DRAWN = Method(
    "chi-square-drawn",
    f"chi-square statistic, {count(_DRAWS)} random assignments of the losses",
    draws=_DRAWS,
)
WHO_IS_LOST = Target("who-is-lost", "which samples are lost")
HOW_MANY = Target("how-many-are-lost", "the samples that were collected, and the number lost")
LOST_ALONE = Target(
    "lost-alone",
    "samples are lost independently of each other; if whole subjects are dropped together, p-values are too small",
)


@dataclass(frozen=True, eq=False, repr=False)
class Unevenness:
    """A test of whether losses are even over classes or subjects.

    Attributes
    ----------
    by
        The column.
    counts
        For each value, the numbers collected and lost, and the share lost, the largest share first.
    test
        The test that losses this uneven are due to chance; None if no sample or every sample was lost, or
        there is only one value.
    assuming
        The assumption of the test.
    """

    by: str
    counts: pl.DataFrame
    test: Test | None
    assuming: Target

    def __repr__(self) -> str:
        if self.test is None or self.test.p_value is None:
            return f"Unevenness(by {self.by}: not tested)"
        method = self.test.method
        return f"Unevenness(by {self.by}: p {p_value(self.test.p_value, method.floor)} ({method}))"


@dataclass(frozen=True, eq=False, repr=False)
class Losses(Result):
    """The use and loss of the collected samples.

    Attributes
    ----------
    n_collected, n_used
        The numbers of collected samples, and of those used.
    reasons
        The number excluded for each reason, the most frequent first.
    unexplained
        Collected but not used, without a stated reason.
    contradicted
        Excluded for a reason, but used.
    foreign
        Used, but never collected.
    unknown
        Excluded, but never collected.
    uneven
        Tests by subject, and by class if there is one.
    """

    written = Written(also=("n_lost",))

    n_collected: int
    n_used: int
    reasons: dict[str, int]
    unexplained: tuple[str, ...]
    contradicted: tuple[str, ...]
    foreign: tuple[str, ...]
    unknown: tuple[str, ...]
    uneven: tuple[Unevenness, ...]

    @property
    def n_lost(self) -> int:
        """The number of collected samples that are not used."""
        return self.n_collected - self.n_used

    def __repr__(self) -> str:
        return f"Losses({count(self.n_lost)} of {count(self.n_collected)} samples, {count(len(self.unexplained))} of them unexplained)"

    def _frame(self, wide: bool) -> pl.DataFrame:
        """Return one row for each reason, and one for losses without a reason."""
        rows = [*self.reasons.items(), *([(None, len(self.unexplained))] if self.unexplained else [])]
        return frame_of_rows(rows, {"reason": pl.String, "samples": pl.Int64})


def read_exclusions(path: Path, id_column: str = "id") -> pl.DataFrame:
    """Read a table of id and reason; the id column may have the same name as in the table of samples."""
    frame = read_frame(path, text_columns=("id", id_column, "reason"))
    named = id_column in frame.columns and "id" not in frame.columns
    return frame.rename({id_column: "id"}) if named else frame


@published
def losses(
    collected: Samples, used: Collection[str], exclusions: Any = None, *, label: str | None = None
) -> Losses:
    """Account for every sample between the collected data D and the used data X.

    Parameters
    ----------
    collected
        All samples that were collected.
    used
        The ids that are used.
    exclusions
        A table with the columns id and reason; an empty reason counts as no reason.
    label
        The column of the class; if `collected` has it, losses are compared between classes as well.

    Returns
    -------
    Losses
        The numbers of samples lost, by reason.

    Examples
    --------
    >>> everything = Samples({"id": list("abcd"), "subject": ["p", "p", "q", "q"]})
    >>> found = losses(everything, ["a", "b"], {"id": ["c"], "reason": ["eyes closed"]})
    >>> found, found.reasons, found.unexplained
    (Losses(2 of 4 samples, 1 of them unexplained), {'eyes closed': 1}, ('d',))
    """
    kept = set(used)
    why = _reasons(exclusions)
    lost = np.array([name not in kept for name in collected.ids])
    gone = [name for name in collected.ids if name not in kept]
    explained = [why[name] for name in gone if name in why]
    counts = pl.Series(explained, dtype=pl.String).value_counts(sort=True) if explained else None
    people = pl.Series(collected.subjects[:], dtype=pl.String)[collected.codes]
    columns = {"subject": people}
    if label is not None and label in collected.frame.columns:
        columns[label] = collected.frame[label].cast(pl.String)
    return Losses(
        n_collected=len(collected),
        n_used=len(collected) - len(gone),
        reasons={} if counts is None else dict(counts.iter_rows()),
        unexplained=tuple(name for name in gone if name not in why),
        contradicted=tuple(name for name in collected.ids if name in kept and name in why),
        foreign=tuple(name for name in dict.fromkeys(used) if name not in collected.ids),
        unknown=tuple(name for name in why if name not in collected.ids),
        uneven=tuple(unevenness(name, values, lost) for name, values in columns.items()),
    )


def _reasons(exclusions: Any) -> dict[str, str]:
    if exclusions is None:
        return {}
    frame = frame_from(exclusions)
    absent = [name for name in ("id", "reason") if name not in frame.columns]
    if absent:
        raise InputError(
            f"The table of exclusions has no column {absent[0]!r}; it has {first_few(frame.columns, 8)}.",
            "use the columns id and reason.",
        )
    stated = frame.select(
        pl.col("id").cast(pl.String), pl.col("reason").cast(pl.String).str.strip_chars()
    ).filter(pl.col("id").is_not_null() & (pl.col("reason") != ""))
    # A sample may be excluded for several reasons, and is counted once.
    joined = stated.unique(maintain_order=True).group_by("id", maintain_order=True)
    return dict(joined.agg(pl.col("reason").str.join(" and ")).iter_rows())


def unevenness(by: str, values: pl.Series, lost: npt.NDArray[np.bool_]) -> Unevenness:
    """Compare losses between the values of a column; missing values count as a separate value."""
    table = (
        pl.DataFrame({by: values, "lost": lost})
        .group_by(by, maintain_order=True)
        .agg(pl.len().cast(pl.Int64).alias("collected"), pl.col("lost").sum().cast(pl.Int64))
        .with_columns((pl.col("lost") / pl.col("collected")).alias("share"))
    )
    test = _test(by, table["collected"].to_numpy(), table["lost"].to_numpy())
    ordered = table.sort("share", "collected", descending=True, maintain_order=True)
    return Unevenness(by, ordered, test, LOST_ALONE)


def _test(by: str, collected: Counts, lost: Counts) -> Test | None:
    """Test whether losses are even; None if nothing or everything was lost, or if there is only one value."""
    n, gone = int(collected.sum()), int(lost.sum())
    if len(collected) < 2 or gone in (0, n):
        return None
    p, method = _p_value(collected, lost)
    return Test(who=Who(column=by), p_value=p, rests_on=RestsOn(n=n, of="sample", events=gone), method=method)


def _p_value(collected: Counts, lost: Counts) -> tuple[float, Method]:
    n, gone = int(collected.sum()), int(lost.sum())
    if len(collected) == 2:
        from scipy.stats import fisher_exact

        found = fisher_exact(np.column_stack([lost, collected - lost]))
        return float(found.pvalue), FISHER
    if collected.min() * min(gone, n - gone) / n >= _EXPECTED:
        statistic = float(_chi_square(collected, lost[None, :])[0])
        return float(chi_square_tail(len(collected) - 1, statistic)), CHI_SQUARE
    return _by_drawing(collected, lost), DRAWN


def _chi_square(collected: Counts, lost: Counts) -> npt.NDArray[np.float64]:
    """Pearson's statistic of each row of losses, all with the same margins."""
    rate = float(lost[0].sum()) / float(collected.sum())
    apart = lost - rate * collected
    return np.asarray((apart**2 / collected).sum(axis=1) / (rate * (1 - rate)))


def _by_drawing(collected: Counts, lost: Counts) -> float:
    """A permutation test: how often is the statistic as large when as many samples are lost at random?"""
    rng = np.random.default_rng(0)
    seen = float(_chi_square(collected, lost[None, :])[0])
    larger, left = 0, _DRAWS
    while left:
        size = min(left, max(1, _AT_ONCE // len(collected)))
        drawn = rng.multivariate_hypergeometric(collected, int(lost.sum()), size=size)
        larger += int((_chi_square(collected, drawn) >= seen * (1 - 1e-12)).sum())
        left -= size
    return (larger + 1) / (_DRAWS + 1)
