"""Check the orientation of scores."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from proband.distributions import binomial_cdf
from proband.engine.arguments import published
from proband.engine.limits import Count, Rate, Seed
from proband.errors import Hint, InputError
from proband.kernels.codes import OK
from proband.samples import Experiment
from proband.samples.ids import Positions
from proband.scores.alignment import axis_positions
from proband.scores.base import Scores
from proband.words import count, counted, fixed, p_value

REVERSED_HINT = "{give:orientation={other}}; or, if this algorithm is truly worse than chance, {give:check_orientation=off}."
_SUBJECTS, _RIVALS, _MATES = 200, 200, 16  # the largest number of each that is examined
_SIGNIFICANCE = 1e-3
Codes = npt.NDArray[np.int32]


@published
@dataclass(frozen=True)
class OrientationCheck:
    """How often genuine scores are better than impostor scores, under the declared orientation.

    Attributes
    ----------
    auc
        The mean over subjects of the probability that a mate scores better than a non-mate.
    n_subjects
        The number of subjects examined: one probe of each, against a sample of the gallery.
    n_below, n_above
        The numbers of subjects with a probability below and above one half.
    p_value
        One-sided sign test over subjects against "genuine scores are no worse than impostor scores".

    """

    auc: Rate
    n_subjects: Count
    n_below: Count
    n_above: Count
    p_value: Rate

    @property
    def is_reversed(self) -> bool:
        """Whether genuine scores look worse than impostor scores beyond chance."""
        return self.auc < 0.5 and self.p_value < _SIGNIFICANCE


def check_orientation(
    scores: Scores,
    experiment: Experiment,
    *,
    seed: Seed = 0,
    axes: tuple[Positions, Positions] | None = None,
) -> OrientationCheck:
    """Check the declared orientation on a seeded sample of pairs.

    One probe of each of up to 200 subjects is compared with its mates and with up to 200 gallery samples of others.
    Subjects are the unit of the test, since the scores of one person are not independent.

    Parameters
    ----------
    scores, experiment
        The scores of one algorithm, and the experiment.
    seed
        The seed of the sample of pairs.
    axes
        The positions of probes and gallery on the axes of the scores, if already known.

    Returns
    -------
    OrientationCheck
        How often genuine scores are better, and whether that contradicts the declared orientation.

    Examples
    --------
    >>> import numpy as np
    >>> from proband import Samples
    >>> ids = [f"{side}{k}" for side in "gp" for k in range(12)]
    >>> experiment = Experiment(Samples({"id": ids, "subject": [name[1:] for name in ids]}), gallery=ids[:12])
    >>> check_orientation(Scores.from_array(np.eye(12), ids[12:], ids[:12], orientation="similarity"), experiment).auc
    1.0
    """
    rng = np.random.default_rng(seed)
    rows, columns = axis_positions(experiment, scores) if axes is None else axes
    samples = experiment.samples
    row_codes, column_codes = samples.codes[experiment.probes], samples.codes[experiment.gallery]
    usable_columns = ~samples.failed[experiment.gallery]
    candidates = np.flatnonzero(experiment.mated & ~samples.failed[experiment.probes])
    candidates = rng.permutation(candidates)
    _, first = np.unique(row_codes[candidates], return_index=True)
    chosen = rng.permutation(candidates[first])[:_SUBJECTS]

    wins = _shares_beaten(scores, rows[chosen], columns, row_codes[chosen], column_codes, usable_columns, rng)
    below, above = int((wins < 0.5).sum()), int((wins > 0.5).sum())
    return OrientationCheck(
        auc=float(wins.mean()) if wins.size else 0.5,
        n_subjects=len(wins),
        n_below=below,
        n_above=above,
        p_value=float(binomial_cdf(above, below + above, 0.5)) if below + above else 1.0,
    )


def require_orientation(
    scores: Scores, experiment: Experiment, axes: tuple[Positions, Positions] | None = None
) -> OrientationCheck:
    """Raise if the declared orientation makes genuine scores look worse than impostor scores beyond chance.

    Examples
    --------
    >>> import numpy as np
    >>> from proband import Samples
    >>> ids = [f"{side}{k}" for side in "gp" for k in range(12)]
    >>> experiment = Experiment(Samples({"id": ids, "subject": [name[1:] for name in ids]}), gallery=ids[:12])
    >>> reversed_scores = Scores.from_array(np.eye(12), ids[12:], ids[:12], orientation="distance", name="net")
    >>> require_orientation(reversed_scores, experiment)
    Traceback (most recent call last):
        ...
    proband.errors.InputError: net: read as a distance, genuine pairs look worse than impostor pairs (mean AUC of 12 subjects 0.000, below one half for 12, p = 0.00024).
    ...
    """
    check = check_orientation(scores, experiment, axes=axes)
    if check.is_reversed and not scores.may_look_reversed:
        other = "distance" if scores.larger_is_closer else "similarity"
        raise InputError(
            f"read as a {scores.orientation}, genuine pairs look worse than impostor pairs "
            f"(mean AUC of {counted(check.n_subjects, 'subject')} {fixed(check.auc, 3)}, below one half for {count(check.n_below)}, "
            f"p {p_value(check.p_value)}).",
            Hint(REVERSED_HINT, other=other),
            source=scores.name,
        )
    return check


def _shares_beaten(
    scores: Scores,
    rows: Positions,
    columns: Positions,
    row_codes: Codes,
    column_codes: Codes,
    usable: npt.NDArray[np.bool_],
    rng: np.random.Generator,
) -> npt.NDArray[np.float64]:
    """For each row with mates and non-mates, the probability that a random mate is closer than a random non-mate; ties count half."""
    owner, mates = _mates(row_codes, column_codes, usable)
    enrolled = np.flatnonzero(usable)
    if len(enrolled) <= _RIVALS:
        rivals = np.broadcast_to(enrolled, (len(rows), len(enrolled)))
    else:  # some may be drawn twice
        rivals = enrolled[rng.integers(0, len(enrolled), (len(rows), _RIVALS))]
    genuine, mate_counts = _closeness(scores, rows[owner], columns[mates])
    impostors, rival_counts = (
        each.reshape(rivals.shape)
        for each in _closeness(scores, np.repeat(rows, rivals.shape[1]), columns[rivals.ravel()])
    )
    rival_counts &= column_codes[rivals] != row_codes[:, None]
    beaten = (genuine[:, None] > impostors[owner]) + 0.5 * (genuine[:, None] == impostors[owner])
    beaten *= mate_counts[:, None] & rival_counts[owner]
    won = np.bincount(owner, beaten.sum(axis=1), len(rows))
    met = np.bincount(owner, mate_counts, len(rows)) * rival_counts.sum(axis=1)
    return np.asarray(won[met > 0] / met[met > 0])


def _mates(
    row_codes: Codes, column_codes: Codes, usable: npt.NDArray[np.bool_]
) -> tuple[Positions, Positions]:
    """The first usable columns of each row's own subject, as row and column positions."""
    places = np.flatnonzero(usable)
    places = places[np.argsort(column_codes[places], kind="stable")]
    starts, stops = (np.searchsorted(column_codes[places], row_codes, side) for side in ("left", "right"))
    sizes = np.minimum(stops - starts, _MATES)
    owner = np.repeat(np.arange(len(row_codes)), sizes)
    within = np.arange(len(owner)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return owner, places[starts[owner] + within]


def _closeness(
    scores: Scores, rows: Positions, columns: Positions
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    """The closeness of single pairs, and which of them were compared."""
    values = scores.each(rows, columns).astype(np.float64)
    cells = scores.each_cell(rows, columns)
    compared = np.ones(len(values), dtype=np.bool_) if cells is None else cells == OK
    return values if scores.larger_is_closer else -values, compared
