"""A pool of exchangeable images: the possible pairs of gallery and probe image of each person."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, Literal, get_args

import numpy as np
import numpy.typing as npt
import polars as pl

from proband.errors import DesignError, UsageError, unknown_name
from proband.samples.choosing import Choice, choose
from proband.samples.ids import Positions
from proband.samples.table import UNDECIDED, Samples, frozen
from proband.words import Note, Sentence, count, counted

WITHOUT_GROUP = Sentence(
    "samples.without-group", "note", "{n:count sample} without a value of {groups} {n:word was/were} left out"
)
LEFT_UNDECIDED = Sentence(
    "samples.left-undecided",
    "note",
    "{n:count sample} {n:word was/were} left out: {rule!r} cannot be decided for {n:word it/them}, since "
    + UNDECIDED,
)
WITHOUT_PAIR_BETWEEN = Sentence(
    "samples.people-without-two-groups",
    "note",
    "{n:count} of {total:count person/people} cannot take part: they do not have images in two groups that could serve as gallery and probe",
)
WITHOUT_PAIR_WITHIN = Sentence(
    "samples.people-without-two-images",
    "note",
    "{n:count} of {total:count person/people} cannot take part: they do not have two images in one group that "
    "could serve as gallery and probe",
)


DISTRACTORS = Sentence(
    "samples.distractors",
    "note",
    "{n:count person/people} who cannot take part {n:word stays/stay} enrolled in every trial with one image "
    "each, as {n:word a distractor/distractors} without probes",
)
PairRule = Literal["between", "within"]
_PLACE, _GROUP = "__place", "__group"


@dataclass(frozen=True, eq=False)
class Options:
    """The choices of every person, numbered so that a trial is one choice number per person.

    Attributes
    ----------
    images
        Positions in the samples table, person by person and group by group.
    image_starts
        The start of each person's images in `images`, and the total length.
    starts
        The start of each person's choices, and the total number.
    gallery, probe
        The gallery image and the probe image of each choice, as positions in `images`.
    patterns
        A number for each person; people with the same number have the same choices in the same order.
    n_fixed
        The number of distractors, who come last: enrolled with one image and never searched for.
        The probe of their only choice is meaningless.
    """

    images: Positions
    image_starts: npt.NDArray[np.int64]
    starts: npt.NDArray[np.int64]
    gallery: npt.NDArray[np.int64]
    probe: npt.NDArray[np.int64]
    patterns: npt.NDArray[np.int64]
    n_fixed: int = 0

    @property
    def n_subjects(self) -> int:
        """The number of people enrolled, including distractors."""
        return len(self.starts) - 1

    @property
    def n_searched(self) -> int:
        """The number of people searched for."""
        return self.n_subjects - self.n_fixed

    @property
    def n_searched_choices(self) -> int:
        """The total number of choices of the people searched for; those of distractors come last."""
        return int(self.starts[self.n_searched])

    @property
    def sizes(self) -> npt.NDArray[np.int64]:
        """The number of choices of each person."""
        return np.diff(self.starts)


class Pool:
    """People with several images each, in groups from which gallery and probe images are chosen.

    Parameters
    ----------
    samples
        The table.
    groups
        The column or columns whose values define the groups, such as the session. Images of one group are
        assumed to be exchangeable. Without groups, all images of a person are one group.
    image_pairs
        ``between``: gallery and probe image come from different groups (such as days). ``within``: from the same group.
        By default ``between``, if there are groups.
    where
        The samples of the pool, by default all.
    gallery, probes
        The samples that may be gallery images and probe images, by default all. With ``gallery="day == 1",
        probes="day == 2"``, no person is enrolled with an image of the second day.
    scored
        The samples for which there are scores as gallery images and as probe images, by default all (`pool_over`).
    distractors
        Whether people who cannot take part stay enrolled, with their first possible image; by default they are left out.

    People without such a pair cannot take part; they are counted, with the reason, in `notes`.

    Examples
    --------
    >>> rows = [(f"{s}{k}", s, 1 + k // 2) for s in "abc" for k in range(4)]
    >>> samples = Samples(dict(zip(("id", "subject", "day"), zip(*rows), strict=True)))
    >>> Pool(samples, "day")
    Pool(3 people with 12 images, pairs between groups of day, 8 choices each)
    """

    made_by: ClassVar[str] = "Pool(samples)"

    def __init__(
        self,
        samples: Samples,
        groups: str | Sequence[str] | None = None,
        *,
        image_pairs: PairRule | None = None,
        where: Choice | None = None,
        gallery: Choice | None = None,
        probes: Choice | None = None,
        scored: tuple[Choice, Choice] | None = None,
        distractors: bool = False,
    ) -> None:
        self.groups = (groups,) if isinstance(groups, str) else tuple(groups or ())
        rule = image_pairs or ("between" if self.groups else "within")
        if rule not in get_args(PairRule):
            raise UsageError(f"image_pairs must be 'between' or 'within', not {rule!r}.")
        if rule == "between" and not self.groups:
            raise UsageError(
                "image_pairs='between' needs groups.",
                "specify the columns that define them, such as the session.",
            )
        self.samples = samples
        self.image_pairs: PairRule = rule
        self._roles = tuple(
            f"{role} images {choice}"
            for role, choice in (("gallery", gallery), ("probe", probes))
            if isinstance(choice, str)
        )
        unknown = [name for name in self.groups if name not in samples.frame.columns]
        if unknown:
            raise unknown_name("column", unknown[0], samples.frame.columns, "to form groups")
        notes = list(samples.notes)
        frame = self._members(where, notes)
        enrolled = self._mask(gallery, notes)
        searched = self._mask(probes, notes)
        if scored is not None:
            enrolled, searched = (
                enrolled & self._mask(scored[0], notes),
                searched & self._mask(scored[1], notes),
            )
        able = enrolled & ~samples.failed if distractors else None
        self.options: Options = _options(frame, rule, enrolled, searched, able, notes)
        self.notes = tuple(notes)

    def _members(self, where: Choice | None, notes: list[Note]) -> pl.DataFrame:
        samples = self.samples
        places = pl.DataFrame({_PLACE: np.arange(len(samples)), "__subject": samples.codes})
        frame = places.with_columns(samples.frame[name] for name in self.groups)
        if where is not None:
            frame = frame.filter(self._mask(where, notes))
        if not self.groups:
            return frame.sort(["__subject", _PLACE]).with_columns(pl.lit(1).alias(_GROUP))
        missing = frame.select(pl.any_horizontal(pl.col(name).is_null() for name in self.groups)).to_series()
        if missing.any():
            notes.append(WITHOUT_GROUP(n=int(missing.sum()), groups=", ".join(self.groups)))
            frame = frame.filter(~missing)
        return frame.sort(["__subject", *self.groups, _PLACE]).with_columns(
            pl.struct(self.groups).rank("dense").alias(_GROUP)
        )

    def _mask(self, choice: Choice | None, notes: list[Note]) -> npt.NDArray[np.bool_]:
        if choice is None:
            return np.ones(len(self.samples), dtype=np.bool_)
        chosen = choose(self.samples, choice)
        if chosen.unknown:
            notes.append(LEFT_UNDECIDED(n=chosen.unknown, rule=chosen.rule))
        mask = np.zeros(len(self.samples), dtype=np.bool_)
        mask[chosen.positions] = True
        return mask

    @property
    def n_subjects(self) -> int:
        """The number of people who take part."""
        return self.options.n_searched

    @property
    def n_distractors(self) -> int:
        """The number of people who are enrolled but not searched for."""
        return self.options.n_fixed

    @property
    def rule(self) -> str:
        """A description of where gallery and probe images come from."""
        grouped = (
            f"{self.image_pairs} groups of {', '.join(self.groups)}" if self.groups else "of any two images"
        )
        return ", ".join((grouped, *self._roles))

    def __repr__(self) -> str:
        sizes = self.options.sizes[: self.n_subjects]
        more = f", {counted(self.n_distractors, 'distractor')}" if self.n_distractors else ""
        n_images = len(self.options.images) - self.n_distractors
        choices = (
            f"{count(sizes[0])}"
            if (sizes == sizes[0]).all()
            else f"{count(sizes.min())} to {count(sizes.max())}"
        )
        return (
            f"Pool({counted(self.n_subjects, 'person', 'people')} with {counted(n_images, 'image')}, pairs {self.rule}, "
            f"{choices} choices each{more})"
        )


def _options(
    frame: pl.DataFrame,
    pairs: PairRule,
    enrolled: npt.NDArray[np.bool_],
    searched: npt.NDArray[np.bool_],
    distractors: npt.NDArray[np.bool_] | None,
    notes: list[Note],
) -> Options:
    """List every person's pairs by gallery image, in the order of groups; then distractors with an image to enroll."""
    places, groups = frame[_PLACE].to_numpy(), frame[_GROUP].to_numpy()
    codes = frame["__subject"].to_numpy()
    bounds = np.flatnonzero(np.r_[True, codes[1:] != codes[:-1], True]) if len(codes) else np.array([0])
    images: list[int] = []
    image_starts, starts = [0], [0]
    gallery: list[int] = []
    probe: list[int] = []
    kinds: dict[tuple[tuple[int, int, int, int], ...], int] = {}
    patterns = []
    without = 0
    fixed: list[int] = []
    for first, last in pairwise(bounds.tolist()):
        own = places[first:last]
        label = groups[first:last]
        column = np.arange(last - first) - np.searchsorted(label, label)  # the position within its group
        apart = label[:, None] != label[None, :] if pairs == "between" else label[:, None] == label[None, :]
        possible = apart & enrolled[own][:, None] & searched[own][None, :]
        np.fill_diagonal(possible, val=False)
        chosen_g, chosen_p = np.nonzero(possible)
        if not len(chosen_g):
            without += 1
            fixed += [] if distractors is None else own[distractors[own]][:1].tolist()
            continue
        used = np.unique(np.concatenate([chosen_g, chosen_p]))
        place = {int(image): len(images) + at for at, image in enumerate(used)}
        gallery += [place[int(g)] for g in chosen_g]
        probe += [place[int(p)] for p in chosen_p]
        images += own[used].tolist()
        image_starts.append(len(images))
        starts.append(len(gallery))
        pattern = tuple(
            (int(label[g]), int(column[g]), int(label[p]), int(column[p]))
            for g, p in zip(chosen_g, chosen_p, strict=True)
        )
        patterns.append(kinds.setdefault(pattern, len(kinds)))
    if without:
        lacking = WITHOUT_PAIR_BETWEEN if pairs == "between" else WITHOUT_PAIR_WITHIN
        notes.append(lacking(n=without, total=len(bounds) - 1))
    if len(patterns) < 2:
        raise DesignError(
            f"{'None' if not patterns else 'Only 1'} of the {counted(max(len(bounds) - 1, 0), 'person has', 'people has')} "
            "a valid pair of images; a gallery needs at least two people.",
            "check the groups: gallery and probe image must come from different groups (or, with within, from the same group).",
        )
    for image in fixed:
        gallery.append(len(images))
        probe.append(len(images))
        images.append(image)
        image_starts.append(len(images))
        starts.append(len(gallery))
        patterns.append(len(kinds))
    if fixed:
        notes.append(DISTRACTORS(n=len(fixed)))
    return Options(
        images=frozen(np.array(images, dtype=np.intp)),
        image_starts=frozen(np.array(image_starts, dtype=np.int64)),
        starts=frozen(np.array(starts, dtype=np.int64)),
        gallery=frozen(np.array(gallery, dtype=np.int64)),
        probe=frozen(np.array(probe, dtype=np.int64)),
        patterns=frozen(np.array(patterns, dtype=np.int64)),
        n_fixed=len(fixed),
    )
