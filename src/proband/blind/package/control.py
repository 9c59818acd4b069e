"""The control pairs: the same two images, scored again among other images."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from proband.blind.checking.equality import Equality, middles
from proband.blind.checking.matrices import Laid, shown
from proband.blind.checking.normalizing import normalised_how
from proband.blind.checking.surveying import Pairs
from proband.errors import InputError, Said

_ALONE = "a score may depend only on its two images: score again, without"
_LISTS = "rows follow control_queries.csv and columns control_targets.csv."

Floats = npt.NDArray[np.floating[Any]]


class Again:
    """The control pairs, and the same pairs in the main sets.

    Attributes
    ----------
    now, then
        Their scores in the control sets and in the main sets.
    apart, gap
        Their differences relative to the tolerance, and the largest of these.
    """

    def __init__(self, scores: Laid, control: Laid, rows: Pairs, columns: Pairs, equality: Equality) -> None:
        self.control, self._equality = control, equality
        self.now = np.asarray(control.floats(slice(None)), dtype=np.float64)
        whole = scores.floats(rows)
        self.then = np.asarray(whole[:, columns], dtype=np.float64)
        self._middles = middles(np.sort(whole, axis=1))
        self.apart = equality.apart(self.now, self.then, self._middles)
        self.gap = float(self.apart.max())

    def refuse_disorder(self) -> None:
        """Refuse correct scores at the wrong positions."""
        if self.gap <= 1:
            return
        if self.now.shape == self.now.T.shape and self._is_then(self.now.T):
            raise InputError(
                f"{self.control.name} is transposed: its rows are targets and its columns are queries.",
                _LISTS,
                file=Said(self.control.name),
            )
        rows = self._matching(np.sort(self.now, axis=1), np.sort(self.then, axis=1))
        columns = self._matching(np.sort(self.now.T, axis=1), np.sort(self.then.T, axis=1))
        if rows is None or columns is None or not self._is_then(self.now[np.ix_(rows, columns)]):
            return
        moved = [
            what
            for what, places in (("rows", rows), ("columns", columns))
            if (places != np.arange(len(places))).any()
        ]
        raise InputError(
            f"its {' and '.join(moved)} are not in the package's order (permuted).",
            _LISTS,
            file=self.control.name,
        )

    def refuse_normalised(self) -> None:
        """Refuse scores that were rescaled or ranked over the test."""
        how = normalised_how(self.then, self.now) if self.gap > 1 else None
        if how is not None:
            raise InputError(
                f"{self._example()}: {how}.",
                f"{_ALONE} normalising over the images of the test (a cohort of other people is fine).",
            )

    def refuse_any(self) -> None:
        """Refuse scores that differ for any reason."""
        if self.gap > 1:
            raise InputError(
                f"{self._example()}, so scores depend on the rest of the test set, or on chance.",
                f"{_ALONE} looking at the other images, and without random numbers.",
            )

    def _is_then(self, now: Floats) -> bool:
        return bool((self._equality.apart(now, self.then, self._middles) <= 1).all())

    def _matching(self, now: Floats, then: Floats) -> Pairs | None:
        """Which row of `now` each row of `then` is; None if that cannot be told."""
        found = [
            np.flatnonzero((self._equality.apart(now, row[None, :], middles(row[None, :])) <= 1).all(axis=1))
            for row in then
        ]
        if any(len(places) != 1 for places in found) or len({int(one[0]) for one in found}) < len(now):
            return None
        return np.concatenate(found)

    def _example(self) -> str:
        """Name the pair that differs most."""
        row, column = np.unravel_index(int(self.apart.argmax()), self.apart.shape)
        return (
            f"{self.control.name}: query {self.control.queries[int(row)]!r} and target "
            f"{self.control.targets[int(column)]!r} score {shown(self.now[row, column])}, but the same two images "
            f"{shown(self.then[row, column])} in the main sets"
        )
