"""What varies behind numbers, what is held fixed and what is assumed, each defined once with a key."""

from __future__ import annotations

from proband.words import Target

NOTHING = Target("nothing", "nothing")

DESCRIPTION = Target("description", "nothing (this describes these probes only)")
OTHER_PROBES = Target("probes", "new probes, independent of each other")
ONE_PROBE_EACH = Target("one-probe-each", "new people searched in this gallery, with one probe each")
OTHER_PEOPLE = Target("people", "new people searched in this gallery, with the same number of probes each")
ANY_PEOPLE_ONE_PROBE = Target("any-people-one-probe", "new people, with one probe each")
ANY_PEOPLE = Target("any-people", "new people, with their probes")
OTHER_PEOPLE_COMPARED = Target(
    "people-compared", "new people compared with each other, with the same number of images each"
)
OTHER_PEOPLE_AND_THRESHOLD = Target(
    "people-and-threshold",
    "new people compared with each other, with the same number of images each and the threshold "
    "re-estimated on them",
)
OTHER_PAIRS = Target("pairs", "new pairs, independent of each other")
OTHER_IMAGES = Target(
    "images-of-these-people",
    "other choices of gallery and probe images from the images of these people",
)

EVERYTHING = Target("everything", "the algorithm, the gallery and the probes")
GALLERY = Target("gallery", "the algorithm and the gallery")
ALGORITHMS_AND_GALLERY = Target("algorithms-and-gallery", "the algorithms and the gallery")
ALGORITHM = Target("algorithm", "the algorithm")
ALGORITHMS = Target("algorithms", "the algorithms")
PEOPLE_AND_ALGORITHMS = Target("people-and-algorithms", "the people and the algorithms")

PROBES_ALIKE = Target("probes-alike", "probes are independent and identically distributed")
PEOPLE_ALIKE = Target("people-alike", "people are independent and identically distributed")
PAIRS_INDEPENDENT = Target(
    "pairs-independent",
    "pairs are independent: no person or sample is in more than one pair (which was not stated)",
)
IMAGES_EXCHANGEABLE = Target("images-exchangeable", "images of one group are exchangeable")


def derived(kind: str, words: str, of: Target) -> Target:
    """Derive a target from another."""
    return Target(f"{kind}-of-{of.key}", words.format(of))


def difference_of(of: Target) -> Target:
    """Derive the target of a difference."""
    return derived("difference", "difference of {}", of)
