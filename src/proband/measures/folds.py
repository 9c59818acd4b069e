"""Accuracy of same-or-different decisions, with the threshold of each fold chosen on the others (LFW's protocol)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from proband.errors import DesignError
from proband.results.base import Count, Result
from proband.results.serializing import Written
from proband.scores.base import ORIENTATION_HINT
from proband.scores.trials import Trials
from proband.words import Note, Sentence, counted, percent

Floats = npt.NDArray[np.float64]

_FAILED = Sentence(
    "folds.failed-comparisons",
    "note",
    "{n:count failed comparison was/failed comparisons were} counted as non-matches",
)


@dataclass(frozen=True, eq=False)
class FoldAccuracy(Result):
    """The accuracy over folds.

    Attributes
    ----------
    name
        The name of the list.
    accuracies, thresholds
        The accuracy and the threshold of each fold; the threshold is chosen on all other folds.
    mean, standard_error
        The mean over folds, and the protocol's own standard error, the standard deviation divided by √folds. It ignores that
        folds share training pairs, and people if the folds do not separate them.
    n_pairs, notes
        The number of decided pairs, and notes.
    """

    written = Written(also=("mean", "standard_error"))

    name: str
    accuracies: Floats
    thresholds: Floats
    n_pairs: Count
    notes: tuple[Note, ...]

    @property
    def mean(self) -> float:
        """The mean over folds."""
        return float(self.accuracies.mean())

    @property
    def standard_error(self) -> float:
        """The standard deviation over folds, divided by the square root of their number."""
        return float(self.accuracies.std(ddof=1) / np.sqrt(len(self.accuracies)))

    def __repr__(self) -> str:
        folds = len(self.accuracies)
        return f"{self.name}: accuracy {percent(self.mean, 2)} ± {percent(self.standard_error, 2)} (s.e. over {folds} folds)"


def fold_accuracy(trials: Trials) -> FoldAccuracy:
    """Measure the accuracy of each fold at the best threshold of the other folds (LFW's protocol, Huang et al. 2007).

    The accuracy of a fold is the share of its pairs that are decided correctly; a pair is accepted as the same person if its
    score reaches the threshold. Among equally good thresholds the least strict is used, halfway between adjacent scores. A failed
    comparison counts as different. The accuracy describes these pairs, not its variation over other people.
    """
    frame = trials.frame
    if frame["fold"].null_count():
        raise DesignError(
            f"{counted(frame['fold'].null_count(), 'pair is', 'pairs are')} in no fold.", source=trials.name
        )
    if frame["mated"].null_count():
        raise DesignError(
            f"it is not known of {counted(frame['mated'].null_count(), 'pair')} whether they are mated.",
            source=trials.name,
        )
    if trials.orientation is None:
        raise DesignError(
            "the orientation of the scores is not declared.",
            ORIENTATION_HINT,
            source=trials.name,
        )
    sign = 1.0 if trials.orientation == "similarity" else -1.0
    closeness = np.where(frame["failed"].to_numpy(), -np.inf, sign * frame["score"].fill_null(0.0).to_numpy())
    mated, folds = frame["mated"].to_numpy(), frame["fold"].to_numpy()
    kinds = np.unique(folds)
    if len(kinds) < 2:
        raise DesignError(
            "a threshold chosen on the other folds needs at least two folds.", source=trials.name
        )
    accuracies, thresholds = np.empty(len(kinds)), np.empty(len(kinds))
    for k, fold in enumerate(kinds):
        own = folds == fold
        thresholds[k] = _best_threshold(closeness[~own], mated[~own])
        accuracies[k] = float(((closeness[own] >= thresholds[k]) == mated[own]).mean())
    lost = int(frame["failed"].sum())
    notes = (*trials.notes, *((_FAILED(n=lost),) if lost else ()))
    return FoldAccuracy(trials.name, accuracies, sign * thresholds, len(frame), notes)


def _best_threshold(closeness: Floats, mated: npt.NDArray[np.bool_]) -> float:
    """A threshold with the most correct decisions, halfway between adjacent scores."""
    values = np.unique(closeness)
    genuine = np.sort(closeness[mated])
    impostor = np.sort(closeness[~mated])
    edges = np.append(values, np.inf)  # accept from this value on
    right = (len(genuine) - np.searchsorted(genuine, edges)) + np.searchsorted(impostor, edges)
    place = int(np.argmax(right))
    if place == 0:
        return float(values[0])
    below = float(values[place - 1])
    above = float(values[place]) if place < len(values) else below + 1.0
    return (below + above) / 2 if np.isfinite(below) else above
