"""Orthogonal arrays: balanced choices of one symbol a column, and totals over all their rows without making them.

It is pure mathematics: it knows nothing of samples or scores, and imports nothing else of the package but its errors and the
compiled transform.
"""

from proband.arrays.balance import Balance, balance
from proband.arrays.choosing import OrthogonalArray, n_replicates, orthogonal_array
from proband.arrays.fields import GaloisField
from proband.arrays.hadamard import hadamard, smallest_hadamard
from proband.arrays.hamming import column_limit, projective_points, rao_hamming
from proband.arrays.sequences import UnbalancedArrayWarning, cyclic_shift_array, m_sequence
from proband.arrays.transforms import replicate_totals

__all__ = [
    "Balance",
    "GaloisField",
    "OrthogonalArray",
    "UnbalancedArrayWarning",
    "balance",
    "column_limit",
    "cyclic_shift_array",
    "hadamard",
    "m_sequence",
    "n_replicates",
    "orthogonal_array",
    "projective_points",
    "rao_hamming",
    "replicate_totals",
    "smallest_hadamard",
]
