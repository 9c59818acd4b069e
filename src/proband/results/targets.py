"""What numbers of several measures vary, hold fixed and assume: each said once, known by a key."""

from __future__ import annotations

from proband.words import Target

NOTHING = Target("nothing", "nothing")

DESCRIPTION = Target("description", "nothing: a description of these probes")
OTHER_PROBES = Target("probes", "new probes, each independent of the others")
ONE_PROBE_EACH = Target("one-probe-each", "new people against these rivals, one probe each")
OTHER_PEOPLE = Target("people", "new people against these rivals, as many probes each")
OTHER_PEOPLE_COMPARED = Target("people-compared", "new people, compared with each other, as many images each")
OTHER_PEOPLE_AND_THRESHOLD = Target(
    "people-and-threshold",
    "new people, compared with each other, as many images each, and the threshold set on them",
)
OTHER_PAIRS = Target("pairs", "new pairs, each independent of the others")
OTHER_IMAGES = Target(
    "images-of-these-people",
    "another choice among these images of these people, for the gallery and for probes",
)

EVERYTHING = Target("everything", "the algorithm, the gallery and the probes")
GALLERY = Target("gallery", "the algorithm and the gallery")
ALGORITHMS_AND_GALLERY = Target("algorithms-and-gallery", "the algorithms and the gallery")
ALGORITHMS = Target("algorithms", "the algorithms")
PEOPLE_AND_ALGORITHMS = Target("people-and-algorithms", "the people and the algorithms")

PROBES_ALIKE = Target("probes-alike", "probes are independent and identically distributed")
PEOPLE_ALIKE = Target("people-alike", "people are independent and identically distributed")
PAIRS_INDEPENDENT = Target(
    "pairs-independent",
    "pairs are independent: no person and no sample is in two of them, which was not stated",
)
IMAGES_EXCHANGEABLE = Target("images-exchangeable", "images of one group are exchangeable")


def derived(kind: str, words: str, of: Target) -> Target:
    """What is made of another target."""
    return Target(f"{kind}-of-{of.key}", words.format(of))


def difference_of(of: Target) -> Target:
    """Name what a difference is of."""
    return derived("difference", "difference of {}", of)
