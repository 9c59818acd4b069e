"""Ways to select a gallery or a probe set from a table of samples."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt

from proband.engine.arguments import published
from proband.engine.files.files import require_regular, text_of
from proband.engine.foreign import array_from, is_missing
from proband.engine.kinds import shown
from proband.errors import DesignError, InputError, Said, UsageError, first_few, nearest, unknown_name
from proband.samples.delimited import unfinished
from proband.samples.ids import plain_names
from proband.samples.table import Samples, Selection, choose_mask, frozen
from proband.words import agreeing, count, counted


@published
@dataclass(frozen=True)
class OnePerSubject:
    """Select one sample of each subject: the first in table order, or by a column.

    Parameters
    ----------
    where
        A condition that samples must meet; subjects without such a sample are left out.
    order_by
        The column to sort by (ties are broken by table order; missing values come last).
    last
        Select the last sample instead of the first.


    Examples
    --------
    >>> from proband import Samples
    >>> from proband.samples import Experiment
    >>> samples = Samples({"id": ["a2", "a1", "b1"], "subject": ["a", "a", "b"], "session": [2, 1, 1]})
    >>> experiment = Experiment(samples, gallery=OnePerSubject(order_by="session"))
    >>> list(samples.ids.at(experiment.gallery))
    ['a1', 'b1']
    """

    where: str | None = None
    order_by: str | None = None
    last: bool = False

    def __str__(self) -> str:
        place = "last" if self.last else "first"
        order = f" by {self.order_by}" if self.order_by else ""
        where = f" where {self.where}" if self.where else ""
        return f"the {place} sample of each subject{order}{where}"


Choice = Annotated[
    str | OnePerSubject | Selection | Iterable[Any] | npt.NDArray[np.bool_],
    "a condition, a list of ids, a mask or OnePerSubject()",
]
"""A condition, one per subject, a list of ids, a mask over the table, or a selection already made."""


def choose(samples: Samples, choice: Choice) -> Selection:
    """Convert a choice to the samples it selects.

    A text is a condition, except for ``"all"``, ``"one_per_subject"`` and ``"@file"`` (ids, one per line).
    """
    if isinstance(choice, Selection):
        return choice
    if isinstance(choice, OnePerSubject):
        return _one_per_subject(samples, choice)
    if isinstance(choice, str):
        return _from_text(samples, choice.strip())
    check_choice(choice)
    mask = _as_mask(choice)
    if mask is not None and mask.shape == (len(samples),):
        mask = _as_mask(samples.ids.in_order(choice, "mask"))
    if mask is None:
        names = plain_names(choice)
        if any(map(is_missing, names)):
            raise InputError(
                "The list of ids contains a missing value.", "remove missing values from the list."
            )
        return _from_ids(samples, [*map(str, names)], "")
    return Selection(frozen(choose_mask(mask, len(samples))), f"a mask of {count(int(mask.sum()))} samples")


def check_choice(choice: Choice) -> None:
    """Refuse choices that are invalid for any samples."""
    listed = any(hasattr(choice, name) for name in ("__iter__", "__array__"))  # a tensor may not be iterable
    known = isinstance(choice, str | OnePerSubject | Selection)
    if not known and (isinstance(choice, type | bytes) or not listed):
        raise UsageError(
            f"Samples cannot be selected by {shown(choice)}.",
            "pass a condition, a list of ids, a mask or OnePerSubject().",
        )


def _as_mask(choice: Iterable[object]) -> npt.NDArray[np.bool_] | None:
    """The mask given as an array, column of any library, tensor or list of booleans; None for a list of ids."""
    if isinstance(choice, list | tuple):
        values = np.array(choice, dtype=object) if choice else None
    elif hasattr(choice, "__array__"):
        values = array_from(choice, "mask")
    else:
        values = None
    if values is None or values.dtype.kind not in "bO":
        return None
    if values.dtype.kind == "b":
        return values
    held = [one for one in values.ravel() if isinstance(one, bool | np.bool_)]
    if not held or any(isinstance(one, str) for one in values.ravel()):
        return None
    if len(held) < values.size:
        raise UsageError(
            f"The mask has missing values for {count(values.size - len(held))} of {count(values.size)} samples.",
            "fill in the missing values: mask.fillna(False), mask.fill_null(False).",
        )
    return values.astype(np.bool_)


def _from_text(samples: Samples, text: str) -> Selection:
    if text == "all":
        return Selection(frozen(np.arange(len(samples))), "all")
    if text == "one_per_subject":
        return _one_per_subject(samples, OnePerSubject())
    if text.startswith("@"):
        path = Path(text[1:])
        require_regular(path)
        try:
            lines = text_of(path, "utf-8-sig").split("\n")
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"The list of ids {path} cannot be read: {error}.", file=Said(path)) from None
        if not any(line.strip() for line in lines):
            raise InputError(
                f"The list of ids {path} is empty.", "write one id on each line.", file=Said(path)
            )
        chosen = _from_ids(samples, [line.strip() for line in lines if line.strip()], f" in {path.name}")
        return replace(chosen, notes=tuple(unfinished(path)))
    if (
        text.isidentifier()
        and text not in samples.frame.columns
        and (meant := nearest(text, ["one_per_subject"]))
    ):
        raise UsageError(f"There is no selection {text!r}.", meant)
    return samples.select(text)


def _from_ids(samples: Samples, names: list[str], source: str) -> Selection:
    unknown = samples.ids.missing(names)
    if unknown:
        raise DesignError(
            f"{count(len(unknown))} of the {count(len(names))} ids{source} {agreeing(len(unknown))} not in the samples table: {first_few(unknown)}.",
            samples.ids.difference(names)
            or _like_numbers(names, unknown, len(samples))
            or f"the table contains {first_few(samples.ids)}.",
        )
    positions = samples.ids.positions(names)
    distinct, counts = np.unique(positions, return_counts=True)
    if len(distinct) != len(positions):
        repeated = [samples.ids[place] for place in distinct[counts > 1]]
        raise DesignError(
            f"{counted(len(repeated), f'id{source} is', f'ids{source} are')} listed more than once: {first_few(repeated)}."
        )
    return Selection(frozen(distinct), f"{count(len(names))} ids{source or ' listed'}")


def _like_numbers(names: list[str], unknown: list[str], n: int) -> str | None:
    """A hint on selecting by a mask or by table positions, if ids look like these."""
    if len(names) == n and set(names) <= {"0", "1"}:
        return "a mask is boolean: mask.astype(bool)."
    if all(name.isdecimal() and int(name) < n for name in unknown):
        return "for row numbers, pass the ids samples.ids[row], or a mask."
    return None


def _one_per_subject(samples: Samples, choice: OnePerSubject) -> Selection:
    within = samples.select(choice.where) if choice.where else Selection(np.arange(len(samples)), "all")
    order = within.positions[::-1] if choice.last else within.positions
    if choice.order_by is not None:
        if choice.order_by not in samples.frame.columns:
            raise unknown_name("column", choice.order_by, samples.frame.columns, "to order by")
        ranks = samples.frame[choice.order_by][order].rank("dense", descending=choice.last)
        order = order[np.argsort(ranks.fill_null(len(order) + 1).to_numpy(), kind="stable")]
    _, first = np.unique(samples.codes[order], return_index=True)
    return Selection(frozen(np.sort(order[first])), str(choice), within.unknown, advice=within.advice)
