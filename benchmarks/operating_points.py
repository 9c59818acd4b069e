"""FNMR at three false match rates, thresholds re-estimated over people, from embeddings of LFW's size.

Both methods count the same 38 million pairs and find the same intervals. The naive method treats each rate by itself and
resamples people for it alone; Proband shares the resamples.
"""

from __future__ import annotations

import numpy as np

from benchmarks.job import Row, best_of
from proband.inference import verify
from proband.inference.verification.results import VerificationPoint
from proband.samples import Samples
from proband.scores import Embeddings

IMAGES, PEOPLE, DIMENSION = 8_770, 4_330, 128
FMRS = (1e-2, 1e-3, 1e-4)
NOISE = 1.1
GOAL = 0.7  # seconds, warm


def run() -> list[Row]:
    scores, samples = embeddings()

    def together() -> list[VerificationPoint]:
        return list(verify(scores, samples, fmr=FMRS).points)

    def apart() -> list[VerificationPoint]:
        return [verify(scores, samples, fmr=fmr).points[0] for fmr in FMRS]

    together()
    ours, found = best_of(3, together)
    naive, expected = best_of(1, apart)
    equal = all(
        one.re_estimated is not None and one.re_estimated == other.re_estimated
        for one, other in zip(found, expected, strict=True)
    )
    job = f"FNMR at {len(FMRS)} FMRs, {IMAGES * (IMAGES - 1) // 2 / 1e6:.0f} M pairs, 1,000 resamples"
    return [Row(job, ours, naive, None, "", f"≤ {GOAL:g} s", ours <= GOAL, equal)]


def embeddings() -> tuple[Embeddings, Samples]:
    """As many images and people as LFW has, half of the people with one image."""
    rng = np.random.default_rng(0)
    subjects = np.concatenate([np.arange(PEOPLE), rng.integers(PEOPLE // 2, size=IMAGES - PEOPLE)])
    vectors = rng.standard_normal((PEOPLE, DIMENSION), dtype=np.float32)[subjects]
    vectors += np.float32(NOISE) * rng.standard_normal((IMAGES, DIMENSION), dtype=np.float32)
    samples = Samples({"id": np.arange(IMAGES), "subject": subjects})
    return Embeddings(vectors, samples.ids, metric="cosine"), samples
