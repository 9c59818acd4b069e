"""Probe categories: conditions on a probe *and* its mate, after FERET (Phillips et al. 2000).

FERET scores one set of probes several times, by how each probe relates to the gallery image of the same person:
taken in the same image set with another expression (*fb*), on the same day with another camera and lighting
(*fc*), in another image set (*duplicate I*), or much later (*duplicate II*). Duplicate II probes are searched
for in a separate gallery.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
import polars as pl

from proband.errors import DesignError, Hint, UsageError, quoted, unknown_name
from proband.samples.experiment import Experiment
from proband.samples.expressions import compile_expression
from proband.samples.table import UNDECIDED, evaluate
from proband.words import Sentence, count

CATEGORY_UNDECIDED = Sentence(
    "samples.category-undecided",
    "note",
    "{n:count probe} {n:word was/were} left out of category {category!r}: the rule cannot be decided, since "
    + UNDECIDED,
)
GALLERY_UNDECIDED = Sentence(
    "samples.gallery-of-category-undecided",
    "note",
    "{n:count enrolled image} {n:word was/were} left out of the gallery of category {category!r}: the condition cannot be decided, since "
    + UNDECIDED,
)


ROLES = ("probe", "mate")
_MOST_GROUPS = 20

LONG_AFTER = "probe.{date} - mate.{date} >= days(500)"
"""The general rule of a duplicate II. On FERET's own lists any gap of 448 to 537 days gives its 234 probes."""

_FERETS_DATES = "mate.{date} < date('1995-01-01') and probe.{date} >= date('1996-01-01') and probe.{date} < date('1997-01-01')"
_FERETS_GALLERY = "{date} < date('1995-01-01')"  # of duplicate II: 864 of FERET's 1,196 images


class EmptyCategoryError(DesignError):
    """No probe falls into a category."""


class EmptyGalleryError(EmptyCategoryError):
    """No enrolled image belongs to the gallery of a category."""


@dataclass(frozen=True)
class Category:
    """A named condition on (probe, mate).

    Parameters
    ----------
    name
        The name of the category.
    rule
        A condition in which every column is ``probe.x`` or ``mate.x``.
    mates
        If a probe has several mates in the gallery, whether the rule must be true for ``"all"`` or for ``"any"``.
    gallery
        A condition on enrolled images that defines a separate gallery, in which the probes of the category
        are searched for. None: the whole gallery.

    Examples
    --------
    >>> from proband.samples import Samples
    >>> samples = Samples({"id": ["a1", "a2", "b1", "b2"], "subject": list("aabb"), "year": [1994, 1996, 1995, 1996]})
    >>> late = Category("late", "probe.year == 1996", gallery="year < 1995")
    >>> late.of(Experiment(samples, gallery=["a1", "b1"]))
    Experiment(gallery: 1 sample of 1 subject; probes: 1 sample of 1 subject; closed universe)
    """

    made_by: ClassVar[str] = "Category('late', 'probe.year == 1996')"

    name: str
    rule: str
    mates: Literal["all", "any"] = "all"
    gallery: str | None = None

    def __post_init__(self) -> None:
        if self.mates not in ("all", "any"):
            raise UsageError(f"mates must be 'all' or 'any', not {self.mates!r}.")

    @classmethod
    def parse(cls, text: str) -> Category:
        """Parse ``name: rule``, the form used on the command line.

        Parameters
        ----------
        text
            ``NAME: RULE``.

        Returns
        -------
        Category
            The category.
        """
        name, colon, rule = text.partition(":")
        if not colon or not name.strip() or not rule.strip():
            raise UsageError(
                f"The category {quoted(text)} does not have the form 'name: rule'.",
                "write for example: 'dup2: probe.date - mate.date >= days(500)'",
            )
        return cls(name.strip(), rule.strip())

    def of(self, experiment: Experiment) -> Experiment:
        """Return the experiment restricted to the probes of this category, and to its gallery if it has one.

        Probes without a mate in that gallery belong to no category; probes for which the rule is undecided are left out and
        counted in the notes.

        Parameters
        ----------
        experiment
            The experiment to restrict.

        Returns
        -------
        Experiment
            The experiment with the probes, and the gallery if any, of this category.
        """
        experiment = self._enrolled(experiment)
        pairs = mate_pairs(experiment)
        if pairs.height == 0:
            raise DesignError(
                f"No probe has a mate in the gallery, so no probe is in category {self.name!r}."
            )
        named = {name: dtype for name, dtype in pairs.schema.items() if "." in name}
        rule = compile_expression(self.rule, named, ROLES)
        met = pairs.select("probe", evaluate(pairs, rule, self.rule).alias("met"))
        # Kleene logic: one certain answer decides 'all' (false) and 'any' (true); otherwise a null stays unknown.
        met_column = pl.col("met")
        over_mates = (
            met_column.all(ignore_nulls=False) if self.mates == "all" else met_column.any(ignore_nulls=False)
        )
        by_probe = met.group_by("probe", maintain_order=True).agg(over_mates)
        unknown = by_probe["met"].null_count()
        chosen = by_probe.filter(met_column.fill_null(False))["probe"].to_numpy()
        if chosen.size == 0:
            undecided = f" ({count(unknown)} undecided, since {UNDECIDED})" if unknown else ""
            raise EmptyCategoryError(f"No probe is in category {self.name!r}: {self.rule}{undecided}.")
        note = CATEGORY_UNDECIDED(n=unknown, category=self.name) if unknown else None
        part = experiment.restricted(probes=np.sort(chosen), note=note)
        part.probe_rule = f"{experiment.probe_rule}, in category {self.name!r}: {self.rule}"
        return part

    def _enrolled(self, experiment: Experiment) -> Experiment:
        """The experiment with the category's own gallery."""
        if self.gallery is None:
            return experiment
        met = experiment.samples.evaluate(self.gallery)[experiment.gallery]
        kept = experiment.gallery[met.fill_null(False).to_numpy()]
        if not kept.size:
            raise EmptyGalleryError(
                f"The gallery of category {self.name!r} is empty: no enrolled image meets {self.gallery!r}."
            )
        unknown = met.null_count()
        note = GALLERY_UNDECIDED(n=unknown, category=self.name) if unknown else None
        part = experiment.restricted(gallery=kept, note=note)
        part.gallery_rule = f"{experiment.gallery_rule}, restricted to {self.gallery}"
        return part


def mate_pairs(experiment: Experiment) -> pl.DataFrame:
    """Return one row for each probe and mate, with columns named ``probe.x`` and ``mate.x``."""
    samples = experiment.samples
    code = pl.Series("subject code", samples.codes)

    def side(role: str, positions: np.ndarray) -> pl.DataFrame:
        frame = samples.frame.rename(lambda name: f"{role}.{name}")
        return frame.with_columns(code, pl.int_range(pl.len()).alias(role))[positions]

    return side("probe", experiment.probes).join(
        side("mate", experiment.gallery), on="subject code", how="inner", maintain_order="left_right"
    )


def feret_categories(
    image_set: str = "image_set",
    date: str = "date",
    camera: str = "camera",
    long_after: str = LONG_AFTER,
    gallery: str | None = None,
) -> tuple[Category, ...]:
    """FERET's four probe categories over columns of the given names.

    Parameters
    ----------
    image_set
        The column that identifies a session: a different session means a different image set, possibly on the same day.
    date, camera
        The columns of the date and of the camera.
    long_after
        The condition that defines duplicate II; ``{date}`` stands for the date column. By default at least
        500 days later. ``"feret"``: the dates of the FERET study, only for FERET images: the mate before 1995
        and the probe in 1996, searched for among the images enrolled before 1995.
    gallery
        A condition on enrolled images that defines the gallery of duplicate II; ``{date}`` stands for the date column.

    Returns
    -------
    tuple
        The categories fb, fc, dup1 and dup2.

    Examples
    --------
    >>> feret_categories(long_after="feret")[-1].gallery
    "date < date('1995-01-01')"
    """
    same_set = f"probe.{image_set} == mate.{image_set}"
    rule = _FERETS_DATES if long_after == "feret" else long_after
    later = rule.replace("{date}", date)
    if gallery is None and long_after == "feret":
        gallery = _FERETS_GALLERY
    own = None if gallery is None else gallery.replace("{date}", date)
    return (
        Category("fb", f"{same_set} and probe.{camera} == mate.{camera}"),
        Category("fc", f"probe.{date} == mate.{date} and probe.{camera} != mate.{camera}"),
        Category("dup1", f"not {same_set} and probe.{camera} == mate.{camera}"),
        Category("dup2", f"not {same_set} and probe.{camera} == mate.{camera} and ({later})", gallery=own),
    )


def probe_groups(experiment: Experiment, column: str) -> tuple[Category, ...]:
    """Make a category for each value of a column, such as the sex of the person."""
    frame = experiment.samples.frame
    if column not in frame.columns:
        raise unknown_name("column", column, frame.columns, "to group probes by")
    kind = frame.schema[column]
    if kind.is_nested() or kind == pl.Object:
        raise UsageError(f"The column {column!r} has the type {kind}, which cannot define groups.")
    found = frame[column][experiment.probes[experiment.mated]].drop_nulls().unique().sort()
    if not 1 <= len(found) <= _MOST_GROUPS:
        raise UsageError(
            f"The column {column!r} has {count(len(found))} values among the probes; expected 1 to {_MOST_GROUPS} groups.",
            Hint("use categories for ranges: {option:category}.", name="young", rule="probe.age < 30"),
        )
    if found.dtype == pl.Date:
        values = [(str(value), f"date('{value}')") for value in found]
    else:
        plain = found if found.dtype.is_numeric() or found.dtype == pl.Boolean else found.cast(pl.String)
        values = [(str(value), repr(value)) for value in plain]
    return tuple(Category(f"{column} {name}", f"probe.col({column!r}) == {value}") for name, value in values)
