"""The strata of an experiment's probes and the units within them, and whether units share people."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from proband.designs import StratifiedDesign
from proband.designs.strata import Strata
from proband.designs.stratified import PEOPLE
from proband.errors import DesignError, first_few, unknown_name
from proband.measures import Outcomes
from proband.words import Note, Sentence, counted

_SHARED_UNITS = Sentence(
    "strata.units-share-people",
    "caution",
    "{n:count} of {of:count} people {n:word is/are} in several units ({units}) of strata by {strata}, and data of one "
    "person are correlated: the standard error is for new {units} of these people and too small for new "
    "people; for new people, use subject as the units",
)


def strata_of(outcomes: Outcomes, design: StratifiedDesign) -> tuple[Strata, tuple[Note, ...]]:
    """Make the strata of an experiment's probes: by default its people."""
    subjects = np.array(outcomes.experiment.samples.subjects)[outcomes.subjects]
    labels = subjects if design.strata is None else _column(outcomes, design.strata, "stratum")
    strata = Strata.of(labels, design.weights)
    notes: tuple[Note, ...] = ()
    if design.units is not None:
        strata = strata.in_units(_column(outcomes, design.units, "unit"))
        if design.knows_strata:
            _require_nested(strata, outcomes, design)
    if design.knows_strata:
        notes = _shared(strata, outcomes.subjects, design)
    keys, by = None, design.neighbours
    if by is not None:
        keys = _column(outcomes, by, "neighbour")
        if strata.members is not None:
            keys = keys[np.unique(strata.members, return_index=True)[1]]
    put, more = design.collapsed(strata, keys)
    return put, (*notes, *more)


def _column(outcomes: Outcomes, name: str, what: str) -> Any:
    """The values of a column for each probe; none may be missing."""
    frame = outcomes.experiment.samples.frame
    if name not in frame.columns:
        raise unknown_name("column", name, frame.columns, f"to find the {what} of each probe")
    column = frame[name][outcomes.probes]
    if column.null_count():
        raise DesignError(
            f"{counted(column.null_count(), 'probe has', 'probes have')} no value of {name}, so no {what}."
        )
    return column.to_numpy()


def _require_nested(strata: Strata, outcomes: Outcomes, design: StratifiedDesign) -> None:
    """Refuse people as units where a person is in two strata, which are then not independent."""
    assert strata.members is not None  # there are units
    if not people_are_units(strata, outcomes.subjects):
        return
    pairs = np.unique(np.stack([outcomes.subjects, strata.codes[strata.members]]), axis=1)
    crossing = np.unique(pairs[0], return_counts=True)
    if (crossing[1] > 1).any():
        several = crossing[0][crossing[1] > 1]
        names = [outcomes.experiment.samples.subjects[int(code)] for code in several]
        raise DesignError(
            f"{counted(len(names), 'person is', 'people are')} in several strata of {design.strata}, so the "
            f"strata are not independent: {first_few(names)}.",
            "use people as the strata, or a column with one value per person.",
        )


def people_are_units(strata: Strata, subjects: npt.NDArray[Any]) -> bool:
    """Whether every unit is of one person, who has no other unit in its stratum."""
    if strata.members is None:
        return False
    pairs = np.unique(np.stack([strata.members, subjects]), axis=1)
    own = np.unique(np.stack([strata.codes[pairs[0]], pairs[1]]), axis=1)
    return bool(pairs.shape[1] == len(strata.codes) == own.shape[1])


def _shared(strata: Strata, subjects: npt.NDArray[Any], design: StratifiedDesign) -> tuple[Note, ...]:
    """Warn where units share people and strata are not within people: images of one person are alike."""
    members = np.arange(len(subjects)) if strata.members is None else strata.members
    units = np.unique(np.stack([members, subjects]), axis=1)
    people, times = np.unique(units[1], return_counts=True)
    n = int((times > 1).sum())
    within = np.unique(np.stack([strata.codes[units[0]], units[1]]), axis=1)
    of_one = np.bincount(within[0], minlength=len(strata)).max() == 1
    if n == 0 or of_one:
        return ()
    return (
        _SHARED_UNITS(n=n, of=len(people), strata=design.strata or PEOPLE, units=design.units or "probes"),
    )
