"""faiss: exact inner products, the first 100 of the gallery for each probe, or all of it in order.

The mate of probe k is vector k of the gallery. A rank of 0 says that the mate is not among the first.
"""

from __future__ import annotations

import faiss
import numpy as np

FIRST, PART = 100, 100


def first_100(probes, gallery):
    return _searched(probes, gallery, FIRST)


def whole_gallery(probes, gallery):
    """Of some probes alone: the lists of all would take gigabytes."""
    return _searched(probes[:PART], gallery, len(gallery))


def _searched(probes, gallery, k):
    faiss.omp_set_num_threads(1)
    index = faiss.IndexFlatIP(gallery.shape[1])
    index.add(gallery)
    return lambda: index.search(probes, k)[1], lambda found: {"ranks": _ranks(found)}


def _ranks(found):
    mated = found == np.arange(len(found))[:, None]
    return np.where(mated.any(axis=1), mated.argmax(axis=1) + 1, 0)
