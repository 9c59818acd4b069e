"""Do several algorithms differ at all?"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from proband.distributions import chi_square_tail
from proband.results.about import RestsOn
from proband.results.test import Test
from proband.words import Method

_PERMUTATIONS = 9_999
_AT_ONCE = 2**20  # numbers of one block
_CITED = ("cochran1950",)
_NOTHING = Method("cochran-q-nothing", "no probe distinguishes the algorithms", cites=_CITED)
_CHI_SQUARE = Method("cochran-q", "chi-square", "Cochran's Q, chi-squared", _CITED)
_PERMUTED = Method(
    "cochran-q-permuted",
    "labels permuted within people",
    "Cochran's Q with the algorithms' labels permuted within people",
    _CITED,
    draws=_PERMUTATIONS,
)


def cochran_q(success: npt.NDArray[np.float64], subjects: npt.NDArray[np.intp], seed: int = 0) -> Test:
    """Test whether all algorithms have the same success rate; `success` is probes × algorithms.

    With C_j the successes of algorithm j, R_i those of probe i, and k algorithms, Q = (k − 1)[k Σ C_j² − (Σ C_j)²] / Σ R_i(k −
    R_i) (Cochran 1950). With one probe for each person Q is chi-square on k − 1 degrees of freedom if none is better; otherwise
    the algorithms' labels are permuted within people.
    """
    k = success.shape[1]
    people = int(subjects.max(initial=-1)) + 1
    rests_on = RestsOn(n=len(success), of="probe", n_units=people, unit="person")

    def made(statistic: float, p_value: float, method: Method) -> Test:
        return Test(
            statistic=statistic, degrees_of_freedom=k - 1, p_value=p_value, rests_on=rests_on, method=method
        )

    columns, rows = success.sum(axis=0), success.sum(axis=1)
    spread = float((rows * (k - rows)).sum())
    if spread == 0:
        return made(0.0, 1.0, _NOTHING)
    q = float((k - 1) * (k * (columns**2).sum() - columns.sum() ** 2) / spread)
    if people == len(success):
        return made(q, float(chi_square_tail(k - 1, q)), _CHI_SQUARE)
    sums = np.zeros((people, k))
    np.add.at(sums, subjects, success)
    moving = sums[np.ptp(sums, axis=1) > 0]  # people with whom labels make no difference stay as they are
    same = (columns - moving.sum(axis=0))[0]
    rng = np.random.default_rng(seed)
    observed = float((columns**2).sum())
    as_large = 1
    block = max(1, _AT_ONCE // max(1, moving.size))
    for done in range(0, _PERMUTATIONS, block):
        several = np.broadcast_to(moving, (min(block, _PERMUTATIONS - done), *moving.shape))
        permuted = rng.permuted(several, axis=2).sum(axis=1) + same
        as_large += int(((permuted**2).sum(axis=1) >= observed - 1e-9).sum())
    return made(q, as_large / (_PERMUTATIONS + 1), _PERMUTED)
