"""The EPD verdict of Mery, Zhao and Bowyer (2016): are subjects kept apart, is the protocol adequate, are the data declared?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

from proband.engine.arguments import published
from proband.engine.limits import Count, Within
from proband.protocols.notation import Protocol
from proband.results.base import Result
from proband.results.serializing import Written
from proband.words import Note, Sentence, as_sentence

Answer = Literal["yes", "no", "stated", "not stated"]
Unit = Literal["subject", "sample"]
FOLDS = 10
"""The number of folds that the authors require."""

APART = Sentence("epd.subjects-apart", "note", "no subject is in both training and testing")
ENROLLED = Sentence(
    "epd.held-out-enrolled",
    "note",
    "{each:count sample} of each held-out person {each:word is/are} enrolled, and the other samples are probes",
)
MUST_MEET = Sentence(
    "epd.subjects-must-meet",
    "note",
    "people are identified among those in training, so they are in both training and testing",
)
MIXED = Sentence(
    "epd.subjects-mixed",
    "caution",
    "the same people are in training and testing, although an attribute allows a subject-disjoint split",
)
DISJOINTNESS_UNKNOWN = Sentence(
    "epd.disjointness-unknown", "caution", "whether people are in both training and testing is not stated"
)
TASK_UNKNOWN = Sentence(
    "epd.task-unknown",
    "caution",
    "the same people are in training and testing, which only the recognition of identity requires, and the task is not stated",
)
REPEATED = Sentence(
    "epd.repeated-folds",
    "note",
    "{repeats:count random cross-validation} of {folds:count fold}, with mean and standard deviation",
)
FEWER_FOLDS = Sentence("epd.other-folds", "note", "the authors require {asked:count fold}")
EACH_SUBJECT = Sentence(
    "epd.each-subject",
    "note",
    "every subject is tested once; nothing is random, so there is nothing to repeat",
)
SAMPLED_APART = Sentence(
    "epd.sampled-apart",
    "note",
    "single samples are tested after training on other subjects, which the authors allow for large data sets",
)
ONE_CROSS_VALIDATION = Sentence(
    "epd.one-cross-validation",
    "caution",
    "one cross-validation has no standard deviation over random repeats",
)
SAME_REPEATS = Sentence(
    "epd.same-repeats",
    "caution",
    "all {repeats:count repeat} divide the samples in the same way, so there is no standard deviation over random repeats",
)
SOME_SAME_REPEATS = Sentence(
    "epd.some-same-repeats",
    "caution",
    "the {repeats:count repeat} include only {n:count different division}",
)
AS_LOSO = Sentence(
    "epd.as-loso",
    "note",
    "with one fold per subject this is LOSO: every subject is tested once, and the standard deviation is over subjects",
)
ONE_SPLIT = Sentence(
    "epd.one-split", "caution", "there is only one division, which is a single split of the samples"
)
FOLDS_UNKNOWN = Sentence("epd.folds-unknown", "caution", "the number of folds is not stated")
ONE_HOLD_OUT = Sentence(
    "epd.one-hold-out", "caution", "a single hold-out is one random split, which needs a justification"
)
HOLD_OUTS = Sentence(
    "epd.hold-outs",
    "caution",
    "repeated hold-outs are not a cross-validation: samples are not tested equally often",
)
LEAVE_ONE_OUT = Sentence(
    "epd.leave-one-out",
    "caution",
    "leave-one-out with mixed subjects is not a repeated cross-validation, and has no standard deviation over repeats",
)
EXTERNAL = Sentence(
    "epd.external",
    "caution",
    "training on one data set and testing on another is a single split without repeats",
)
PROTOCOL_UNKNOWN = Sentence("epd.protocol-unknown", "caution", "the protocol is not stated")
NO_SPREAD = Sentence("epd.no-spread", "caution", "the standard deviation over repeats is not stated")
NOT_A_MEAN = Sentence(
    "epd.not-a-mean", "caution", "the value is the {statistic} over repeats, not their mean"
)
ALL_USED = Sentence("epd.all-used", "note", "all {n:count collected sample is/collected samples are} used")
DECLARED = Sentence(
    "epd.losses-declared",
    "note",
    "{n:count} of {total:count collected sample} {n:word is/are} not used, each for a stated reason",
)
WITH_AND_WITHOUT = Sentence(
    "epd.with-and-without", "note", "results with these samples should also be reported if possible"
)
COLLECTED_UNKNOWN = Sentence(
    "epd.collected-unknown", "caution", "how many samples were collected is not stated"
)
USED_UNKNOWN = Sentence("epd.used-unknown", "caution", "how many samples were used is not stated")
UNDECLARED = Sentence(
    "epd.losses-undeclared",
    "caution",
    "{n:count} of {total:count collected sample} {n:word is/are} not used, and the reason is not stated",
)
VERDICT = Sentence(
    "epd.verdict", "note", "EPD: experiments (E) {experiments}, protocol (P) {protocol}, data (D) {data}"
)
EXPERIMENTS = Sentence("epd.experiments", "note", "Experiments (E) {answer}: {reasons:parts}")
PROTOCOL = Sentence("epd.protocol", "note", "Protocol (P) {answer}: {reasons:parts}")
DATA = Sentence("epd.data", "note", "Data (D) {answer}: {reasons:parts}")
JUSTIFIED = Sentence("epd.justification", "note", "Justification, as stated: {text}")

_LETTERS = {"experiments": EXPERIMENTS, "protocol": PROTOCOL, "data": DATA}


@dataclass(frozen=True)
class EPDAnswer:
    """One of the three answers, with its reasons."""

    answer: Answer
    reasons: tuple[Note, ...]


@dataclass(frozen=True, repr=False)
class EPDVerdict(Result):
    """Whether an accuracy was estimated as Mery, Zhao and Bowyer (2016) require.

    Attributes
    ----------
    experiments
        E: subjects are kept apart wherever possible (``yes``, ``no``, ``not stated``).
    protocol
        P: mean and standard deviation of repeated random cross-validations, or each subject left out once.
    data
        D: whether the reasons for collected samples not being used are stated (``stated``, ``not stated``).
    justification
        The authors' justification for deviating from this. It changes no answer.
    """

    written = Written(also=("met",))

    experiments: EPDAnswer
    protocol: EPDAnswer
    data: EPDAnswer
    justification: str | None = None

    @property
    def met(self) -> bool:
        """Whether all three requirements are met."""
        return self.answers == ("yes", "yes", "stated")

    @property
    def answers(self) -> tuple[Answer, Answer, Answer]:
        """The answers to E, P and D."""
        return self.experiments.answer, self.protocol.answer, self.data.answer

    def summary(self) -> Note:
        """The three answers in one line."""
        return VERDICT(**dict(zip(_LETTERS, self.answers, strict=True)))

    def sentences(self) -> list[Note]:
        """Each answer with its reasons, and the justification if there is one."""
        parts = (self.experiments, self.protocol, self.data)
        said = [
            sentence(answer=one.answer, reasons=one.reasons)
            for sentence, one in zip(_LETTERS.values(), parts, strict=True)
        ]
        return said if self.justification is None else [*said, JUSTIFIED(text=self.justification)]

    def __repr__(self) -> str:
        return as_sentence(self.summary())


@published
def epd_verdict(
    protocol: Protocol | str | None,
    *,
    task: str | None,
    statistic: str | None = "mean",
    std: Annotated[float, Within(ge=0)] | None = None,
    collected: Count | None = None,
    used: Count | None = None,
    excluded: Mapping[str, Count | None] | None = None,
    subjects: Count | None = None,
    divisions: Count | None = None,
    justification: str | None = None,
    enrolled_each: Count | None = None,
) -> EPDVerdict:
    """Judge how an accuracy was estimated, from what is stated.

    Parameters
    ----------
    protocol
        How the data were divided into training and testing; None if not stated.
    task
        ``identity``, ``attribute``, or None if it is not stated.
    statistic, std
        The statistic reported over repeats, and its standard deviation.
    collected, used, excluded
        The numbers of samples collected and used, and the number left out for each reason.
    subjects
        The number of subjects used.
    divisions
        The number of repeats that divide the samples differently; for leave-one-out, the number of different
        splits. Without it, repeats with one fold per subject (per sample, if subjects are mixed) are known to
        be one division.
    justification
        The reason for, for example, a single hold-out. It is shown with the answers and changes none.
    enrolled_each
        The number of samples enrolled for each held-out person in subject-disjoint recognition of identity; a
        reason for E.

    Returns
    -------
    EPDVerdict
        The verdict, with its reasons.

    Examples
    --------
    >>> epd_verdict("10×10f CV+", task="attribute", std=0.01, collected=213, used=213)
    EPD: experiments (E) yes, protocol (P) yes, data (D) stated.
    >>> found = epd_verdict("80-20 HO mixed", task="attribute", justification="the split of the challenge")
    >>> found
    EPD: experiments (E) no, protocol (P) no, data (D) not stated.
    >>> print(found.protocol.reasons[0])
    a single hold-out is one random split, which needs a justification
    """
    stated = Protocol.parse(protocol) if isinstance(protocol, str) else protocol
    if stated is not None and stated.kind == "unstated":
        stated = None
    return EPDVerdict(
        _experiments(stated, task, enrolled_each),
        _protocol(stated, statistic, std, _folds_of(stated, used, subjects), divisions),
        _data(collected, used, excluded),
        justification,
    )


def _experiments(protocol: Protocol | None, task: str | None, enrolled_each: int | None) -> EPDAnswer:
    disjoint = None if protocol is None else protocol.disjoint
    if disjoint:
        enrolled = () if enrolled_each is None else (ENROLLED(each=enrolled_each),)
        return EPDAnswer("yes", (APART(), *enrolled))
    if task == "identity":
        return EPDAnswer("yes", (MUST_MEET(),))
    if disjoint is None:
        return EPDAnswer("not stated", (DISJOINTNESS_UNKNOWN(),))
    return EPDAnswer("not stated", (TASK_UNKNOWN(),)) if task is None else EPDAnswer("no", (MIXED(),))


def _folds_of(protocol: Protocol | None, samples: int | None, subjects: int | None) -> Unit | None:
    """The unit of which every fold contains one, if there are as many folds."""
    if protocol is None or protocol.folds is None:
        return None
    if protocol.is_disjoint:
        return "subject" if protocol.folds == subjects else None
    return "sample" if protocol.folds == samples else None


def _protocol(
    protocol: Protocol | None,
    statistic: str | None,
    std: float | None,
    each: Unit | None,
    divisions: int | None,
) -> EPDAnswer:
    if protocol is None:
        return EPDAnswer("not stated", (PROTOCOL_UNKNOWN(),))
    if divisions is None and each is not None:
        divisions = 1  # there is no alternative
    repeats, same = protocol.repeats, divisions == 1
    few = divisions is not None and 1 < divisions < repeats and not protocol.leaves_out
    alike = (SOME_SAME_REPEATS(n=divisions, repeats=repeats),) if few else ()
    if protocol.is_hold_out:
        if same and repeats > 1:
            return EPDAnswer("no", (ONE_HOLD_OUT(), SAME_REPEATS(repeats=repeats)))
        return EPDAnswer("no", ((HOLD_OUTS if repeats > 1 else ONE_HOLD_OUT)(), *alike))
    if protocol.leaves_out and same:
        return EPDAnswer("no", (ONE_SPLIT(),))
    match protocol.kind:
        case "external":
            return EPDAnswer("no", (EXTERNAL(),))
        case "leave-one-subject-out":
            return EPDAnswer("yes", (EACH_SUBJECT(),))
        case "leave-one-out" | "sampled leave-one-out":
            apart = protocol.is_disjoint
            return EPDAnswer("yes" if apart else "no", ((SAMPLED_APART if apart else LEAVE_ONE_OUT)(),))
    if repeats == 1 or same:
        one = ONE_CROSS_VALIDATION() if repeats == 1 else SAME_REPEATS(repeats=repeats)
        return EPDAnswer("no", (one, AS_LOSO()) if each == "subject" else (one,))
    if statistic not in (None, "mean"):
        return EPDAnswer("no", (NOT_A_MEAN(statistic=statistic),))
    if std is None:
        return EPDAnswer("no", (NO_SPREAD(),))
    if protocol.folds is None:
        return EPDAnswer("not stated", (FOLDS_UNKNOWN(),))
    fewer = () if protocol.folds == FOLDS else (FEWER_FOLDS(asked=FOLDS),)
    return EPDAnswer("yes", (REPEATED(repeats=repeats, folds=protocol.folds), *fewer, *alike))


def _data(collected: int | None, used: int | None, excluded: Mapping[str, int | None] | None) -> EPDAnswer:
    if collected is None:
        return EPDAnswer("not stated", (COLLECTED_UNKNOWN(),))
    counts = None if excluded is None else [*excluded.values()]
    known = None if counts is None or None in counts else sum(n for n in counts if n is not None)
    if used is None and known is None:
        return EPDAnswer("not stated", (USED_UNKNOWN(),))
    lost = known if used is None else collected - used
    if not lost:
        return EPDAnswer("stated", (ALL_USED(n=collected),))
    if known == lost:
        return EPDAnswer("stated", (DECLARED(n=lost, total=collected), WITH_AND_WITHOUT()))
    return EPDAnswer("not stated", (UNDECLARED(n=lost, total=collected),))
