"""The default protocol: the recommendation of Mery, Zhao and Bowyer (2016), and its reason."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from proband.errors import DesignError, UsageError, first_few
from proband.protocols.notation import Protocol
from proband.protocols.splits.material import Material, material
from proband.words import Note, Sentence, agreeing, count

_MIXED = "a classifier can only name subjects it was trained on, so folds are mixed; "
FEWER_FOLDS = Sentence(
    "protocols.fewer-folds",
    "note",
    _MIXED + "{folds:count fold}, because {subject!r} has only {n:count sample}",
)
ENOUGH_SAMPLES = Sentence(
    "protocols.enough-samples",
    "note",
    _MIXED + "every subject has enough samples for {folds:count fold}",
)
EACH_LEFT_OUT = Sentence(
    "protocols.each-left-out",
    "note",
    "the task is to recognise an attribute in new people, and {n:count subject is/subjects are} few enough to leave each out in turn",
)
ENOUGH_SUBJECTS = Sentence(
    "protocols.enough-subjects",
    "note",
    "the task is to recognise an attribute in new people, and {n:count subject is/subjects are} enough for {folds:count "
    "subject-disjoint fold}",
)


Task = Literal["identity", "attribute"]
FEW_SUBJECTS = 50
"""With fewer subjects than this, each subject is left out in turn."""
FOLDS = REPEATS = 10


def auto_protocol(labels: Any, subjects: Any, task: Task) -> tuple[Protocol, Note]:
    """Choose a protocol for a task, and state why.

    Parameters
    ----------
    labels, subjects
        The class and the subject of each sample.
    task
        "identity": labels are subjects, and a classifier can only name subjects it was trained on.
        "attribute": labels are something else (expression, sex), to be recognised in new people.
    """
    of = material(labels, subjects)
    if task == "identity":
        return _of_identities(of)
    if task != "attribute":
        raise UsageError(f"The task must be 'identity' or 'attribute', got {task!r}.")
    return _of_attributes(of)


def _of_identities(of: Material) -> tuple[Protocol, Note]:
    counts = np.bincount(of.known_labels("Recognising subjects"))
    alone = [of.classes[k] for k in np.flatnonzero(counts < 2)]
    if alone:
        raise DesignError(
            f"{count(len(alone))} of {count(len(counts))} subjects {agreeing(len(alone), 'has', 'have')} only one sample, which cannot be in both training and testing: "
            f"{first_few(alone)}.",
            "leave these subjects out.",
        )
    if len(counts) < 2:
        raise DesignError(
            "There is only one subject, so no recognition error is possible.", "use more subjects."
        )
    fewest = int(counts.min())
    folds = min(FOLDS, fewest)
    protocol = Protocol("cross-validation", repeats=REPEATS, folds=folds, disjoint=False)
    if folds < FOLDS:
        least = of.classes[int(counts.argmin())]
        return protocol, FEWER_FOLDS(folds=folds, subject=str(least), n=fewest)
    return protocol, ENOUGH_SAMPLES(folds=FOLDS)


def _of_attributes(of: Material) -> tuple[Protocol, Note]:
    subjects = of.known_subjects("Recognising an attribute in new people")
    labels = of.known_labels("Recognising an attribute")
    if of.is_identity:
        raise DesignError(
            "Every subject is a separate class, so the labels are not an attribute.",
            "use the task 'identity'.",
        )
    people = np.bincount(np.unique(labels * len(of.people) + subjects) // len(of.people))
    lone = [of.classes[k] for k in np.flatnonzero(people < 2)]
    if lone:
        raise DesignError(
            f"{count(len(lone))} of {count(len(people))} classes {agreeing(len(lone), 'has', 'have')} only one subject, who cannot be in both training and testing: "
            f"{first_few(lone)}.",
            "leave these classes out.",
        )
    n = len(of.people)
    if n < FEW_SUBJECTS:
        return Protocol("leave-one-subject-out"), EACH_LEFT_OUT(n=n)
    protocol = Protocol("cross-validation", repeats=REPEATS, folds=FOLDS, disjoint=True)
    return protocol, ENOUGH_SUBJECTS(n=n, folds=FOLDS)
