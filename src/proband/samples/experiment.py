"""A gallery of known samples and a set of probes to recognise."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import cached_property
from itertools import zip_longest
from typing import ClassVar, Literal

import numpy as np
import numpy.typing as npt

from proband.engine.limits import Count
from proband.errors import DesignError, Hint, first_few
from proband.samples.choosing import Choice, choose
from proband.samples.ids import Positions
from proband.samples.table import UNDECIDED, Samples, Selection, frozen
from proband.words import Note, Sentence, count, counted

SET_UNDECIDED = Sentence(
    "samples.set-undecided",
    "note",
    "{n:count sample} {n:word was/were} left out of the {role} set: {rule!r} cannot be decided for {n:word it/them}, since "
    + UNDECIDED,
)


Universe = Literal["closed", "open"]


def others(positions: Positions, gallery: Selection, rule: str) -> Selection:
    """Select the samples at `positions` that are not in the gallery; refuse a gallery that leaves none."""
    rest = np.setdiff1d(positions, gallery.positions, assume_unique=True)
    if positions.size and not rest.size:
        raise DesignError(
            "The probe set is empty: every sample to search for is in the gallery.",
            Hint("for example {give:gallery=one_per_subject}; all other samples become probes."),
        )
    return Selection(frozen(rest), rule)


class Experiment:
    """An experiment: the enrolled samples and the samples searched for.

    Parameters
    ----------
    samples
        The table from which both sets are selected.
    gallery
        The enrolled samples: a condition, `OnePerSubject`, a list of ids or a mask.
    probes
        The samples searched for, in the same forms; by default all samples that are not in the gallery.

    Raises
    ------
    DesignError
        If a set is empty, or the sets share a sample (it would match itself).

    Examples
    --------
    >>> samples = Samples({"id": ["a1", "a2", "b1", "c1"], "subject": ["a", "a", "b", "c"], "session": [1, 2, 1, 2]})
    >>> Experiment(samples, gallery="session == 1", probes="session == 2")
    Experiment(gallery: 2 samples of 2 subjects; probes: 2 samples of 2 subjects; open universe: 1 probe has no mate)

    """

    made_by: ClassVar[str] = "Experiment(samples, gallery=…)"

    def __init__(self, samples: Samples, gallery: Choice, probes: Choice | None = None) -> None:
        enrolled = choose(samples, gallery)
        if probes is None:
            searched = others(np.arange(len(samples)), enrolled, "all samples that are not in the gallery")
        else:
            searched = choose(samples, probes)
        self.samples = samples
        self.gallery: Positions = enrolled.positions
        self.probes: Positions = searched.positions
        self.gallery_rule, self.probe_rule = enrolled.rule, searched.rule
        notes = list(samples.notes)
        for name, chosen in (("gallery", enrolled), ("probe", searched)):
            notes += chosen.notes
            if chosen.unknown:
                notes.append(SET_UNDECIDED(n=chosen.unknown, role=name, rule=chosen.rule))
        self.notes: tuple[Note, ...] = tuple(notes)
        self._check(enrolled.advice, searched.advice)

    def _check(self, *advice: str | None) -> None:
        """Refuse sets that are empty, with what was advised for either, and sets that share samples."""
        sets = (
            ("gallery", self.gallery_rule, self.gallery),
            ("probe set", self.probe_rule, self.probes),
        )
        for (name, rule, positions), advised in zip_longest(sets, advice):
            if positions.size == 0:
                hint = advised or "; ".join(map(str, self.notes)) or None
                raise DesignError(f"The {name} is empty: {rule!r} selects no sample.", hint)
        shared = np.intersect1d(self.gallery, self.probes, assume_unique=True)
        if shared.size:
            names = [self.samples.ids[place] for place in shared]
            raise DesignError(
                f"{counted(len(names), 'sample is', 'samples are')} in the gallery and in the probe set: {first_few(names)}.",
                "choose disjoint sets, since a sample matches itself trivially; without probes, all other samples are probes.",
            )

    @cached_property
    def mated(self) -> npt.NDArray[np.bool_]:
        """Whether the subject of each probe is in the gallery."""
        enrolled = np.zeros(len(self.samples.subjects), dtype=np.bool_)
        enrolled[self.samples.codes[self.gallery]] = True
        return frozen(enrolled[self.samples.codes[self.probes]])

    @cached_property
    def fingerprint(self) -> str:
        """A short hash of the gallery and the probe set: equal only for the same experiment."""
        digest = hashlib.sha256()
        for positions in (self.gallery, self.probes):
            names = sorted(map(self.samples.ids[:].__getitem__, positions.tolist()))
            digest.update(("\n".join(names) + "\n\n").encode())
        return digest.hexdigest()[:16]

    @property
    def universe(self) -> Universe:
        """``closed`` if every probe's subject is in the gallery, otherwise ``open``."""
        return "closed" if self.mated.all() else "open"

    @property
    def n_gallery_subjects(self) -> int:
        """The number of people in the gallery: its size, as counted in FERET."""
        return len(np.unique(self.samples.codes[self.gallery]))

    def restricted(
        self,
        *,
        gallery: Iterable[Count] | None = None,
        probes: Iterable[Count] | None = None,
        note: Note | None = None,
    ) -> Experiment:
        """Return the experiment restricted to a part of its gallery or probes (positions in the table).

        Parameters
        ----------
        gallery, probes
            Positions in the table of the samples to keep; by default all.
        note
            A note on the restriction.

        Returns
        -------
        Experiment
            The restricted experiment.
        """
        part = object.__new__(Experiment)
        part.samples = self.samples
        part.gallery = self.gallery if gallery is None else frozen(self.samples.positions(gallery))
        part.probes = self.probes if probes is None else frozen(self.samples.positions(probes))
        part.gallery_rule, part.probe_rule = self.gallery_rule, self.probe_rule
        part.notes = (*self.notes, *([note] if note else []))
        part._check()
        return part

    def __repr__(self) -> str:
        unmated = int((~self.mated).sum())
        have = "probe has" if unmated == 1 else "probes have"
        universe = "closed universe" if not unmated else f"open universe: {count(unmated)} {have} no mate"
        subjects = len(np.unique(self.samples.codes[self.probes]))
        return (
            f"Experiment(gallery: {counted(len(self.gallery), 'sample')} of {counted(self.n_gallery_subjects, 'subject')}; "
            f"probes: {counted(len(self.probes), 'sample')} of {counted(subjects, 'subject')}; {universe})"
        )
