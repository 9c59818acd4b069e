"""Are the scores the right way round?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from proband.errors import Hint, InputError
from proband.kernels.codes import OK
from proband.samples import Experiment
from proband.scores.alignment import axis_positions
from proband.scores.base import Scores
from proband.words import count, fixed, p_value

REVERSED_HINT = "{give:orientation={other}}; or, if this algorithm really is worse than chance, {give:check_orientation=off}."
_SUBJECTS, _RIVALS, _MATES = 200, 200, 16  # how many of each are looked at, at most
_SIGNIFICANCE = 1e-3


@dataclass(frozen=True)
class OrientationCheck:
    """How often genuine scores beat impostor scores, under the declared orientation.

    Attributes
    ----------
    auc
        The mean over subjects of the probability that a probe's mate scores closer than a non-mate does.
    n_subjects
        How many subjects were looked at: one probe of each, against a sample of the gallery.
    n_below, n_above
        Subjects for whom that probability is below and above one half.
    p_value
        One-sided sign test over subjects against "genuine scores are no worse than impostor scores".

    """

    auc: float
    n_subjects: int
    n_below: int
    n_above: int
    p_value: float

    @property
    def is_reversed(self) -> bool:
        """Whether genuine scores look worse than impostor scores beyond chance."""
        return self.auc < 0.5 and self.p_value < _SIGNIFICANCE


def check_orientation(scores: Scores, experiment: Experiment, seed: int = 0) -> OrientationCheck:
    """Look at a seeded sample of pairs and tell whether the declared orientation can be right.

    One probe of each of up to 200 subjects is compared with its mates and with up to 200 gallery samples of others.
    Subjects are the unit of the test, since the scores of one person are not independent.
    """
    from scipy.special import bdtr

    rng = np.random.default_rng(seed)
    rows, columns = axis_positions(experiment, scores)
    samples = experiment.samples
    row_codes, column_codes = samples.codes[experiment.probes], samples.codes[experiment.gallery]
    usable_columns = ~samples.failed[experiment.gallery]
    candidates = np.flatnonzero(experiment.mated & ~samples.failed[experiment.probes])
    candidates = rng.permutation(candidates)
    _, first = np.unique(row_codes[candidates], return_index=True)
    chosen = rng.permutation(candidates[first])[:_SUBJECTS]

    shares = []
    for place in chosen:
        own = np.flatnonzero((column_codes == row_codes[place]) & usable_columns)[:_MATES]
        rivals = rng.choice(len(columns), size=min(_RIVALS, len(columns)), replace=False)
        rivals = rivals[(column_codes[rivals] != row_codes[place]) & usable_columns[rivals]]
        share = _share_beaten(scores, int(rows[place]), columns[own], columns[rivals])
        if share is not None:
            shares.append(share)
    wins = np.array(shares)
    below, above = int((wins < 0.5).sum()), int((wins > 0.5).sum())
    return OrientationCheck(
        auc=float(wins.mean()) if wins.size else 0.5,
        n_subjects=len(wins),
        n_below=below,
        n_above=above,
        p_value=float(bdtr(above, below + above, 0.5)) if below + above else 1.0,
    )


def require_orientation(scores: Scores, experiment: Experiment) -> OrientationCheck:
    """Raise if the declared orientation makes genuine scores look worse than impostor scores beyond chance."""
    check = check_orientation(scores, experiment)
    if check.is_reversed:
        other = "distance" if scores.larger_is_closer else "similarity"
        raise InputError(
            f"read as a {scores.orientation}, genuine pairs look worse than impostor pairs "
            f"(AUC {fixed(check.auc, 3)}; for {count(check.n_below)} of {count(check.n_subjects)} subjects, p {p_value(check.p_value)}).",
            Hint(REVERSED_HINT, other=other),
            source=scores.name,
        )
    return check


def _share_beaten(scores: Scores, row: int, own: np.ndarray, rivals: np.ndarray) -> float | None:
    """The probability that a random mate of this probe is closer than a random rival, ties counting half."""
    if not len(own) or not len(rivals):
        return None
    at = np.array([row])
    columns = np.concatenate([own, rivals])
    values = scores.tile(at, columns)[0].astype(np.float64)
    cells = scores.cells(at, columns)
    usable = np.ones(len(columns), dtype=np.bool_) if cells is None else cells[0] == OK
    closeness = values if scores.larger_is_closer else -values
    genuine = closeness[: len(own)][usable[: len(own)]]
    impostor = closeness[len(own) :][usable[len(own) :]]
    if not len(genuine) or not len(impostor):
        return None
    closer, equal = genuine[:, None] > impostor[None, :], genuine[:, None] == impostor[None, :]
    return float(np.mean(closer + 0.5 * equal))
