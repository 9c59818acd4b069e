"""Does an algorithm reject people who are not enrolled? Part of the people is taken out of the gallery (FERET, August 1994)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from proband.engine import Engine, Progress, on_engine
from proband.errors import DesignError, UsageError
from proband.inference.verification.open_set import SearchEstimates, searches_with_intervals
from proband.measures.open_set import search
from proband.measures.outcomes import FailurePolicy
from proband.results.base import Count, Record
from proband.results.serializing import Written
from proband.samples import Experiment
from proband.scores import Scores
from proband.scores.sampling import sampled
from proband.words import Sentence, count

_TAKEN_OUT = Sentence(
    "rejection.taken-out",
    "note",
    "{n:count} of {of:count} people with probes {n:word was/were} removed from the gallery at random",
)


@dataclass(frozen=True)
class Rejection:
    """How the test is made.

    Parameters
    ----------
    share
        Which part of the enrolled people who are searched for is taken out of the gallery, at random; 0 takes nobody out, and
        relies on probes that have no mate.
    fpirs
        False positive identification rates to fix thresholds at.
    ranks
        How many candidates a search returns at most.
    """

    share: float = 0.25
    fpirs: tuple[float, ...] = (0.01, 0.1)
    ranks: tuple[int, ...] = (1,)

    def __post_init__(self) -> None:
        if not 0 <= self.share < 1:
            raise UsageError(f"The share of people held out must be between 0 and 1, got {self.share!r}.")
        if not self.fpirs or not self.ranks:
            raise UsageError("A rejection test needs a false positive rate and a number of candidates.")


@dataclass(frozen=True, eq=False)
class RejectionTest(Record):
    """What became of searches for people who are enrolled and for people who are not.

    Attributes
    ----------
    n_held_out
        People taken out of the gallery; their probes are searches for strangers, as are those that had no mate before.
    n_gallery_subjects, n_gallery_images
        What the gallery still holds.
    results
        One for each algorithm: detection and identification rates at fixed false positive rates.
    rejection, seed
        How the test was made.
    """

    written = Written({"share": "rejection.share"}, also=("n_mated", "n_nonmated"), without=("rejection",))

    rejection: Rejection
    seed: int
    n_held_out: Count
    n_gallery_subjects: Count
    n_gallery_images: Count
    results: tuple[SearchEstimates, ...]

    @property
    def n_nonmated(self) -> int:
        """Searches for people who are not enrolled."""
        return len(self.results[0].searches.best)

    @property
    def n_mated(self) -> int:
        """Searches for people who are."""
        return len(self.results[0].searches.mate)


@on_engine
def rejection_test(
    scores: Sequence[Scores],
    experiment: Experiment,
    rejection: Rejection,
    *,
    on_failure: FailurePolicy = "miss",
    confidence_level: float = 0.95,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
    engine: Engine = None,
) -> RejectionTest:
    """Search for everybody in a gallery that lacks some of them (FERET's August 1994 test; Phillips et al. 2000).

    What is estimated: detection and identification rates at the thresholds of given false positive identification rates, with
    Wilson intervals over other people searched for; gallery and threshold stay (see `searches_with_intervals`).
    """
    part, held_out = held_out_of(experiment, rejection.share, seed)
    results = tuple(
        searches_with_intervals(
            search(
                one, part, on_failure=on_failure, check_orientation=False, threads=threads, progress=progress
            ),
            rejection.fpirs,
            rejection.ranks,
            confidence_level,
            seed=seed,
            threads=threads,
            sampling=sampled(one, part),
        )
        for one in scores
    )
    return RejectionTest(rejection, seed, held_out, part.n_gallery_subjects, len(part.gallery), results)


def held_out_of(experiment: Experiment, share: float, seed: int) -> tuple[Experiment, int]:
    """Take a random share of the people who are searched for out of the gallery, and say how many that is."""
    if share == 0:
        return experiment, 0
    codes = experiment.samples.codes
    people = np.unique(codes[experiment.probes[experiment.mated]])
    wanted = max(1, round(share * len(people)))
    if wanted >= len(people):
        raise DesignError(
            f"Holding out {count(wanted)} of {count(len(people))} people leaves no one with a mate in the "
            "gallery.",
            "hold out a smaller share.",
        )
    gone = np.random.default_rng([seed, 0]).permutation(people)[:wanted]
    kept = experiment.gallery[~np.isin(codes[experiment.gallery], gone)]
    note = _TAKEN_OUT(n=wanted, of=len(people))
    return experiment.restricted(gallery=kept, note=note), wanted
