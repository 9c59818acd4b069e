"""A protocol fitted to samples: the default protocol, the samples that meet its conditions, and the splits."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from proband.errors import DesignError, Hint, UsageError
from proband.protocols.notation import Protocol
from proband.protocols.recommendation import Task, auto_protocol
from proband.protocols.running.data import labels_of, subjects_of
from proband.protocols.splits.splits import GENERATOR_VERSION, Missing, Split, Splitter, require_few, splitter
from proband.samples import Samples
from proband.words import Note, Target

AUTO = "auto"


@dataclass(frozen=True, eq=False)
class SplitPlan:
    """A protocol that is ready to be carried out on given samples.

    Attributes
    ----------
    splitter
        Makes the splits.
    why
        Why this protocol was chosen, if it was chosen automatically.
    train_on, test_on
        The samples that meet the conditions of the protocol.
    left_out
        The subjects with too few samples for it.
    """

    splitter: Splitter
    labels: npt.NDArray[np.str_]
    subjects: npt.NDArray[np.str_]
    why: Note | None = None
    train_on: npt.NDArray[np.bool_] | None = None
    test_on: npt.NDArray[np.bool_] | None = None
    left_out: tuple[str, ...] = ()

    @property
    def protocol(self) -> Protocol:
        """The protocol, which states whether subjects are shared."""
        return self.splitter.protocol

    def splits(self) -> Iterator[Split]:
        """Yield the splits; the same every time."""
        return self.splitter.splits(self.labels, self.subjects, train_on=self.train_on, test_on=self.test_on)

    @property
    def enrolled_each(self) -> int | None:
        """The number of samples enrolled for each held-out person; None if the people tested are in training, or are not the classes."""
        return self.splitter.enrolled_each

    @property
    def never_searched(self) -> tuple[str, ...]:
        """The people with so few samples that all are enrolled when they are held out."""
        if self.enrolled_each is None:
            return ()
        tested = self.subjects if self.test_on is None else self.subjects[self.test_on]
        people, counts = np.unique(tested, return_counts=True)
        return tuple(people[counts <= self.enrolled_each].tolist())

    @property
    def n_splits(self) -> int:
        """The maximum number of splits."""
        return self.splitter.get_n_splits(self.labels, groups=self.subjects)

    @property
    def has_two_pools(self) -> bool:
        """Whether the samples allowed in testing differ from those allowed in training."""
        everybody = np.ones(len(self.labels), np.bool_)
        train, test = (everybody if pool is None else pool for pool in (self.train_on, self.test_on))
        return not np.array_equal(train, test)

    def too_few(self) -> npt.NDArray[np.bool_]:
        """Which samples belong to subjects with too few samples for the protocol."""
        return self.splitter.too_few(
            self.labels, self.subjects, train_on=self.train_on, test_on=self.test_on
        )[0]

    def depends_on(self) -> dict[str, Any]:
        """What the splits depend on in addition to the samples."""
        pools = b"".join(b"-" if pool is None else pool.tobytes() for pool in (self.train_on, self.test_on))
        return {
            "protocol": str(self.protocol),
            "seed": int(self.splitter.seed),
            "stratify": self.splitter.stratify,
            "missing": self.splitter.missing,
            "pools": hashlib.sha256(pools).hexdigest(),
            "generator": GENERATOR_VERSION,
            "enrolled_each": self.enrolled_each,
        }


def make_plan(
    protocol: Protocol | Splitter | str,
    samples: Samples,
    labels: npt.NDArray[np.str_],
    *,
    task: Task = "identity",
    seed: int = 0,
    stratify: bool = True,
    missing: Missing = "error",
    enrolled_each: int | None = None,
) -> SplitPlan:
    """Fit a protocol to samples: choose one if it is ``auto``, and find the samples that meet its conditions.

    The conditions of a protocol (``[train: session == 1; test: session == 2]``) are conditions on the table of samples; the two data
    sets of an external test may also be values of its column ``dataset``. A splitter brings its own seed and policies. In
    subject-disjoint recognition of identity, `enrolled_each` samples (default: one) of each held-out person are enrolled.
    """
    subjects, why = subjects_of(samples), None
    if isinstance(protocol, str) and protocol.strip().lower() == AUTO:
        protocol, why = auto_protocol(labels, subjects, task)
    if not isinstance(protocol, Splitter):
        protocol = splitter(protocol, seed=seed, stratify=stratify, missing=missing)
    enrols = task == "identity" and protocol.protocol.is_disjoint
    made = replace(protocol, enrolled_each=(enrolled_each or 1) if enrols else None)
    stated = made.protocol
    train_on, test_on = (
        None if text is None else _meeting(samples, text) for text in (stated.train_on, stated.test_on)
    )
    left_out = made.left_out(labels, subjects, train_on=train_on, test_on=test_on)
    plan = SplitPlan(made, labels, subjects, why, train_on, test_on, left_out)
    require_few(stated, plan.n_splits)
    return plan


def make_plans(
    protocols: Sequence[Protocol | Splitter | str],
    samples: Samples,
    *,
    task: Task = "identity",
    label: str | None = None,
    seed: int = 0,
    stratify: bool = True,
    missing: Missing = "error",
    enrolled_each: int | None = None,
) -> tuple[dict[int, Target], list[SplitPlan]]:
    """Fit protocols to the samples that all of them can use.

    Returns
    -------
    tuple
        The reasons why samples are left out, by position (their subjects have too few samples for one of the
        protocols; only if `missing` is "drop"), and the plans for the other samples.
    """
    settings: dict[str, Any] = {
        "task": task,
        "seed": seed,
        "stratify": stratify,
        "missing": missing,
        "enrolled_each": enrolled_each,
    }
    labels = labels_of(samples, task, label)
    plans = [make_plan(protocol, samples, labels, **settings) for protocol in protocols]
    if enrolled_each is not None and all(plan.enrolled_each is None for plan in plans):
        raise UsageError(
            "Enrolment requires task 'identity' and a subject-disjoint protocol, and no protocol here is one.",
            Hint("omit {option:enrolled_each}, or use a protocol such as 5f CV+."),
        )
    short: dict[int, Target] = {}
    if missing == "drop":
        for plan in plans:
            why = Target(
                f"too-few-for: {plan.protocol}", f"too few samples of the subject for {plan.protocol}"
            )
            short |= {int(k): why for k in np.flatnonzero(plan.too_few()) if int(k) not in short}
    if not short:
        return {}, plans
    if len(short) == len(samples):
        raise DesignError("All subjects have too few samples.", "choose smaller sizes.")
    used = samples.take(np.setdiff1d(np.arange(len(samples)), list(short)))
    labels = labels_of(used, task, label)
    again = [
        replace(
            make_plan(_again(given, plan), used, labels, **settings), why=plan.why, left_out=plan.left_out
        )
        for given, plan in zip(protocols, plans, strict=True)
    ]
    return short, again


def _again(given: Protocol | Splitter | str, plan: SplitPlan) -> Protocol | Splitter:
    return given if isinstance(given, Splitter) else plan.protocol


def _meeting(samples: Samples, text: str) -> npt.NDArray[np.bool_]:
    frame = samples.frame
    if "dataset" in frame.columns and text in frame["dataset"].cast(pl.String).to_list():
        return np.asarray((frame["dataset"].cast(pl.String) == text).fill_null(False).to_numpy())
    try:
        chosen = samples.select(text).positions
    except UsageError as error:
        raise UsageError(
            f"{text!r} is neither a condition on the samples nor a value of a column 'dataset': {error.message}",
            "write, for example, 10×5f CV [train: session == 1; test: session == 2].",
        ) from None
    mask = np.zeros(len(samples), np.bool_)
    mask[chosen] = True
    return mask
