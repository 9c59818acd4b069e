"""Ways to choose a gallery or a probe set from a table of samples."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from proband.engine.files.files import require_regular
from proband.engine.foreign import array_from
from proband.errors import DesignError, InputError, Said, UsageError, first_few, quoted
from proband.samples.ids import plain_names
from proband.samples.table import Samples, Selection, frozen
from proband.words import count


@dataclass(frozen=True)
class OnePerSubject:
    """One sample of each subject: the first in table order, or by a column.

    Parameters
    ----------
    where
        A condition the sample must meet; subjects without such a sample are left out.
    order_by
        The column that decides which comes first (table order breaks ties; missing values come last).
    last
        Take the last instead of the first.

    """

    where: str | None = None
    order_by: str | None = None
    last: bool = False

    def __str__(self) -> str:
        place = "last" if self.last else "first"
        order = f" by {self.order_by}" if self.order_by else ""
        where = f" where {self.where}" if self.where else ""
        return f"the {place} sample of each subject{order}{where}"


Choice = str | OnePerSubject | Selection | Iterable[str] | npt.NDArray[np.bool_]
"""A condition, one per subject, a list of ids, a mask over the table, or a selection already made."""


def choose(samples: Samples, choice: Choice) -> Selection:
    """Turn a choice into the samples it means.

    A text is a condition, except for ``"all"``, ``"one_per_subject"`` and ``"@file"`` (ids, one a line).
    """
    if isinstance(choice, Selection):
        return choice
    if isinstance(choice, OnePerSubject):
        return _one_per_subject(samples, choice)
    if isinstance(choice, str):
        return _from_text(samples, choice.strip())
    mask = _as_mask(choice)
    if mask is not None:
        if mask.shape != (len(samples),):
            raise UsageError(f"The mask has the shape {mask.shape}; there are {len(samples)} samples.")
        return Selection(frozen(np.flatnonzero(mask)), f"a mask of {count(int(mask.sum()))} samples")
    if not isinstance(choice, Iterable):
        raise UsageError(
            f"Samples cannot be chosen by {quoted(choice, 40)}.",
            "give a condition, a list of ids, a mask or OnePerSubject().",
        )
    return _from_ids(samples, [str(name) for name in plain_names(choice)], "")


def _as_mask(choice: object) -> npt.NDArray[np.bool_] | None:
    """A mask of NumPy, pandas, polars or PyTorch, or a list of nothing but truth values; None for anything else."""
    if isinstance(choice, list | tuple):
        return (
            np.array(choice) if choice and all(isinstance(one, bool | np.bool_) for one in choice) else None
        )
    if not hasattr(choice, "__array__"):
        return None
    array = array_from(choice, "mask")
    if array.dtype != np.object_:
        return array if array.dtype == np.bool_ else None
    # Of pandas and polars, where a value is missing.
    others = [one for one in array.tolist() if not isinstance(one, bool)]
    if len(others) == len(array) or any(isinstance(one, str) for one in others):
        return None
    if others:
        raise InputError(
            f"The mask is missing for {count(len(others))} of {count(len(array))} samples.",
            "say whether they are chosen: fill what is missing.",
        )
    return array.astype(np.bool_)


def _from_text(samples: Samples, text: str) -> Selection:
    if text == "all":
        return Selection(frozen(np.arange(len(samples))), "all")
    if text == "one_per_subject":
        return _one_per_subject(samples, OnePerSubject())
    if text.startswith("@"):
        path = Path(text[1:])
        require_regular(path)
        try:
            lines = path.read_text(encoding="utf-8-sig").split("\n")
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"The list of ids {path} cannot be read: {error}.", file=Said(path)) from None
        return _from_ids(samples, [line.strip() for line in lines if line.strip()], f" in {path.name}")
    return samples.select(text)


def _from_ids(samples: Samples, names: list[str], source: str) -> Selection:
    unknown = samples.ids.missing(names)
    if unknown:
        raise DesignError(
            f"{count(len(unknown))} of the {count(len(names))} ids{source} are not in the samples table: {first_few(unknown)}."
        )
    positions = samples.ids.positions(names)
    distinct, counts = np.unique(positions, return_counts=True)
    if len(distinct) != len(positions):
        repeated = [samples.ids[place] for place in distinct[counts > 1]]
        raise DesignError(
            f"{count(len(repeated))} ids{source} are listed more than once: {first_few(repeated)}."
        )
    return Selection(frozen(distinct), f"{count(len(names))} ids{source or ' listed'}")


def _one_per_subject(samples: Samples, choice: OnePerSubject) -> Selection:
    within = samples.select(choice.where) if choice.where else Selection(np.arange(len(samples)), "all")
    order = within.positions[::-1] if choice.last else within.positions
    if choice.order_by is not None:
        if choice.order_by not in samples.frame.columns:
            raise UsageError(f"There is no column {choice.order_by!r} to order by.")
        ranks = samples.frame[choice.order_by][order].rank("dense", descending=choice.last)
        order = order[np.argsort(ranks.fill_null(len(order) + 1).to_numpy(), kind="stable")]
    _, first = np.unique(samples.codes[order], return_index=True)
    return Selection(frozen(np.sort(order[first])), str(choice), within.unknown)
