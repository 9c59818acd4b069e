"""How far two results may be compared, and what that allows."""

from __future__ import annotations

from enum import IntEnum

from proband.words import Note, Sentence


class Level(IntEnum):
    """How far two results may be compared."""

    NOTHING_SHARED = 0
    OTHER_PROTOCOL = 1
    ON_THEIR_WORD = 2
    SAME_PROTOCOL = 3
    SAME_TRIALS = 4

    @property
    def words(self) -> str:
        """The level in words."""
        return _WORDS[self][0]

    @property
    def allowed(self) -> Note:
        """What may be done with the two numbers."""
        return _WORDS[self][1]()


NO_TEST = Sentence(
    "cards.allowed-side-by-side",
    "note",
    "The two estimates can be shown side by side, because the protocol and the data are the same; no test is possible",
)
"""What is allowed at the third level if intervals are not stated."""

_UNPAIRED = (
    "may be compared by an unpaired test: z, the difference divided by the root of the summed squared "
    "standard errors that their intervals imply. The people are the same, so the estimates are dependent "
    "and the test is approximate; with the predictions, a paired test would be possible"
)
POOLED_TEST = Sentence(
    "cards.allowed-unpaired-pooled",
    "note",
    "The two pooled estimates, both stated with an interval, " + _UNPAIRED,
)
"""What is allowed at the third level if the intervals are those of pooled estimates."""

_WORDS = {
    Level.NOTHING_SHARED: (
        "nothing shared",
        Sentence(
            "cards.allowed-nothing",
            "caution",
            "The numbers cannot be compared: as far as stated, the data or the task differ",
        ),
    ),
    Level.OTHER_PROTOCOL: (
        "same data set and task, other protocol or other images",
        Sentence(
            "cards.allowed-no-comparison",
            "caution",
            "The numbers cannot be compared: a difference may be due to the protocol or the images as well as to the methods",
        ),
    ),
    Level.ON_THEIR_WORD: (
        "same protocol as far as stated",
        Sentence(
            "cards.allowed-on-their-word",
            "note",
            "The numbers are comparable only as far as stated: no stated field differs, but not enough is "
            "stated. No test is possible",
        ),
    ),
    Level.SAME_PROTOCOL: (
        "same protocol on the same data",
        Sentence(
            "cards.allowed-unpaired",
            "note",
            "The two estimates " + _UNPAIRED,
        ),
    ),
    Level.SAME_TRIALS: (
        "same trials",
        Sentence(
            "cards.allowed-paired",
            "note",
            "A paired test on the predictions is allowed: clustered McNemar on the predictions of one "
            "repeat, or the corrected resampled t-test (Nadeau and Bengio) on the values of the folds",
        ),
    ),
}
