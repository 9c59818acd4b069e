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
    "The two estimates can be shown side by side, as of the same protocol on the same data; no test is possible",
)
"""What is allowed at the third level where intervals are not stated."""

_UNPAIRED = (
    "may be compared by an unpaired test: z, the difference over the root of the summed squared standard errors that their intervals "
    "imply. The people are the same, so the estimates are dependent and the test is a rough one; the predictions would allow a paired "
    "test"
)
POOLED_TEST = Sentence(
    "cards.allowed-unpaired-pooled",
    "note",
    "The two pooled estimates, of which both state an interval, " + _UNPAIRED,
)
"""What is allowed at the third level where intervals are those of pooled estimates."""

_WORDS = {
    Level.NOTHING_SHARED: (
        "nothing shared",
        Sentence(
            "cards.allowed-nothing",
            "caution",
            "The numbers are of different data or of a different task, as far as is stated: they cannot be compared",
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
            "The numbers are comparable only as stated: nothing that is stated differs, but not enough is stated. No test is "
            "possible",
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
            "A paired test on the predictions is allowed: clustered McNemar on those of one repeat, or the corrected resampled t-test "
            "(Nadeau and Bengio) on the values of folds",
        ),
    ),
}
