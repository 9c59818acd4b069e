"""Run classifiers under protocols: the same splits for all, in any number of threads, resumable."""

from __future__ import annotations

import hashlib
import logging
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Annotated, Any

import numpy as np

from proband.engine import Engine, Progress, Silent, on_engine, one_blas_thread, run_blocks
from proband.engine.arguments import published
from proband.engine.limits import Level, Margin, Positive, Seed, Threads
from proband.engine.source_digest import code_digest
from proband.errors import Hint, UsageError
from proband.inference.cross_validation.comparison import check_margin
from proband.inference.cross_validation.intervals import fold_spread
from proband.protocols.notation import Protocol
from proband.protocols.recommendation import Task
from proband.protocols.running.cache import Journal, Journals
from proband.protocols.running.classifiers import (
    fingerprint,
    is_stable,
    must_run_alone,
    named_classifiers,
    require_enrolment,
)
from proband.protocols.running.data import FeatureTable, labels_of
from proband.protocols.running.factors import DRAWS, Accuracies, Factors, SizeEffect, drawn_from, size_effects
from proband.protocols.running.learning import Learner, learner
from proband.protocols.running.predictions import Codes, FoldFacts, Predictions, Roster
from proband.protocols.running.results import ProtocolRun, Setting
from proband.protocols.running.summary import summarised
from proband.protocols.splits.plans import AUTO, SplitPlan, make_plans
from proband.protocols.splits.splits import Missing, Split, Splitter
from proband.words import Note, Sentence

NOT_KEPT = Sentence(
    "protocols.not-kept",
    "note",
    "{classifier} is not cached: its code is not part of Proband or scikit-learn and may change",
)


_LOG = logging.getLogger(__name__)


@published
@on_engine
def run_protocol(
    classifiers: Annotated[Mapping[str, Any] | Sequence[str], Hint("name it: {{'a': classifier}}.")],
    data: FeatureTable,
    protocol: Protocol | Splitter | str | Sequence[Protocol | Splitter | str] = AUTO,
    *,
    task: Task = "identity",
    label: str | None = None,
    seed: Seed = 0,
    stratify: bool = True,
    missing: Missing = "error",
    enrolled_each: Positive | None = None,
    confidence_level: Level = 0.95,
    margin: Margin | None = None,
    justification: str | None = None,
    subjects: int | Sequence[int] = (),
    images_each: int | Sequence[int] = (),
    draws: int = DRAWS,
    threads: Threads | None = None,
    progress: Progress | None = None,
    cache: str | Path | Journals | None = None,
    engine: Engine = None,
) -> ProtocolRun:
    """Run several classifiers under several protocols, all on the same splits.

    Parameters
    ----------
    classifiers
        Classifiers by name: recognisers, scikit-learn estimators, or either as parsed by `parse_classifier`.
    data
        Samples with their images or features.
    protocol
        One protocol or several, or ``auto`` for what Mery et al. (2016) recommend. A `Splitter` is a protocol with a seed and policies
        of its own.
    task, label
        ``identity``: recognise subjects; ``attribute``: recognise the values of the column `label`.
    seed
        The seed of splits, and of estimators without a random state.
    stratify, missing
        As for `splitter`. Subjects with too few samples for one of the protocols are left out of all
        protocols, and counted.
    enrolled_each
        For subject-disjoint recognition of identity (``5f CV+``): the number of images enrolled for each
        held-out person, chosen by the seed; the other images are searched among them. Default: 1.
    margin
        The smallest relevant difference in comparisons, above 0 and below 1.
    justification
        The reason for, for example, a single hold-out; shown with the EPD verdict without changing it.
    subjects, images_each, draws
        Numbers of subjects, and of images of each, to evaluate in addition: `draws` random subsets of each size,
        with every classifier and protocol. See `size_effects`.
    cache
        A directory in which finished splits are saved: a stopped or extended run continues from there.
    confidence_level
        The level of all intervals.
    threads, progress, engine
        The number of threads, the progress callback, and where computations run.

    Returns
    -------
    ProtocolRun
        Accuracies with their spread over runs and intervals, comparisons, and all predictions. The same at any number
        of threads.

    Examples
    --------
    >>> from proband.samples import Samples
    >>> rng = np.random.default_rng(0)
    >>> who = np.repeat(np.arange(40), 5)
    >>> people = Samples({"id": range(200), "subject": who})
    >>> data = FeatureTable(people, features=rng.normal(size=(40, 8))[who] + 0.5 * rng.normal(size=(200, 8)), name="toy")
    >>> run = run_protocol({"1nn": "sklearn.neighbors:KNeighborsClassifier(n_neighbors=1)"}, data, "3×5f CV")
    >>> run
    ProtocolRun(toy, identity)
    1nn under 3×5f CV mixed: accuracy 0.8583 ± 0.0076 (max 0.8650, min 0.8500) over 3 full cross-validations;
    pooled estimate 0.8583, 95% interval [0.7920, 0.9060], for other people, with images of them in the training data.
    """
    found = named_classifiers(dict(classifiers) if isinstance(classifiers, Mapping) else list(classifiers))
    check_margin(margin)
    factors = Factors(_numbers(subjects), _numbers(images_each), draws)
    data = data.labelled(task, label)
    asked = [protocol] if isinstance(protocol, Protocol | Splitter | str) else list(protocol)
    if factors and any(isinstance(one, str) and one.strip().lower() == AUTO for one in asked):
        raise UsageError(
            "The automatic protocol depends on the number of subjects, so different sizes would get different protocols.",
            Hint("name the protocol: {option:protocol}"),
        )
    if factors:
        drawn_from(data, factors, missing)  # refused before anything is trained
    carried = _Carried(
        found,
        task,
        label,
        stratify,
        missing,
        enrolled_each,
        Journals(Path(cache)) if isinstance(cache, str | Path) else cache,
        threads,
        progress or Silent(),
    )
    # With threads of its own, BLAS would add in another order.
    with one_blas_thread(), warnings.catch_warnings():
        # Many classes with one or two samples are usual for people, and do not suggest a regression.
        warnings.filterwarnings("ignore", message="The number of unique classes is greater than 50%")
        used, of, plans, predictions, notes = carried.out(data, asked, seed)
        sizes: tuple[SizeEffect, ...] = ()
        said: tuple[Note, ...] = ()
        if factors:
            sizes, said = size_effects(
                used,
                factors,
                carried.accuracies(asked),
                seed=seed,
                missing=missing,
                confidence_level=confidence_level,
            )
    carried.tell()
    setting = Setting(used, task, label, seed, stratify, confidence_level, margin, justification)
    stable = {name: is_stable(one) for name, one in found.items()}
    run = summarised(setting, of, plans, predictions, [*notes, *said], stable)
    return replace(run, sizes=sizes)


def _numbers(given: int | Sequence[int]) -> tuple[int, ...]:
    return (given,) if isinstance(given, int) else tuple(given)


@dataclass(frozen=True, eq=False)
class _Carried:
    """Classifiers run under protocols on any data of a task."""

    classifiers: Mapping[str, Any]
    task: Task
    label: str | None
    stratify: bool
    missing: Missing
    enrolled_each: int | None
    cache: Journals | None
    threads: int | None
    progress: Progress
    from_cache: dict[tuple[str, Protocol], tuple[int, int]] = field(default_factory=dict)

    def out(
        self, data: FeatureTable, asked: Sequence[Protocol | Splitter | str], seed: int
    ) -> tuple[FeatureTable, Roster, list[SplitPlan], list[list[Predictions]], list[Note]]:
        """The samples that all protocols can use, the plans, and the predictions of every classifier under each."""
        about: dict[str, Any] = {"task": self.task, "label": self.label}
        short, plans = make_plans(
            asked,
            data.samples,
            seed=seed,
            stratify=self.stratify,
            missing=self.missing,
            enrolled_each=self.enrolled_each,
            **about,
        )
        require_enrolment(self.classifiers, plans)
        if short:
            data = data.take(np.setdiff1d(np.arange(len(data)), list(short)), short)
        stated = [plan.protocol for plan in plans]
        twice = next((one for one in stated if stated.count(one) > 1), None)
        if twice is not None or not plans:
            raise UsageError(f"The protocol {twice} is given twice." if twice else "No protocol was given.")
        of = Roster.of(data.samples.ids, data.subjects, labels_of(data.samples, **about))
        runner = _Runner(self.classifiers, data, of, self.cache, self.threads, self.progress)
        made = [runner.run(plan) for plan in plans]
        for key, (n, total) in runner.from_cache.items():
            before = self.from_cache.get(key, (0, 0))
            self.from_cache[key] = before[0] + n, before[1] + total
        return data, of, plans, made, runner.notes

    def tell(self) -> None:
        """Report what came from the cache."""
        for (name, protocol), (n, total) in self.from_cache.items():
            if n and self.cache is not None:
                _LOG.info(
                    "%s under %s: %d of %d splits from the cache %s",
                    name,
                    protocol,
                    n,
                    total,
                    self.cache.directory,
                )

    def accuracies(self, asked: Sequence[Protocol | Splitter | str]) -> Accuracies:
        """Return a function that computes the mean accuracy of every classifier under each protocol, on any part of the data."""
        return partial(self._accuracies, asked)

    def _accuracies(
        self, asked: Sequence[Protocol | Splitter | str], data: FeatureTable, seed: int
    ) -> dict[tuple[str, Protocol], float]:
        every = self.out(data, asked, seed)[3]
        return {
            (one.classifier, one.protocol): fold_spread(one.accuracies, one.protocol.kind).mean
            for found in every
            for one in found
        }


class _Runner:
    """Runs plans, with shared prepared classifiers and cache."""

    def __init__(
        self,
        classifiers: Mapping[str, Any],
        data: FeatureTable,
        of: Roster,
        cache: Journals | None,
        threads: int | None,
        progress: Progress,
    ) -> None:
        self._classifiers, self._data, self._of = classifiers, data, of
        self._cache, self._progress = cache, progress
        self._threads, self._alone = threads, any(map(must_run_alone, classifiers.values()))
        self._ready: dict[str, Learner] = {}
        self.notes: list[Note] = []
        self.from_cache: dict[tuple[str, Protocol], tuple[int, int]] = {}

    def run(self, plan: SplitPlan) -> list[Predictions]:
        """Train and test every classifier on every split of a plan."""
        journals = {name: self._journal(name, plan) for name in self._classifiers}
        total = plan.n_splits
        for name, kept in journals.items():
            if kept is None or len(kept) < total or any(kept.find(split) is None for split in plan.splits()):
                self._prepare(name)
        self._progress.begin(str(plan.protocol), total)
        tests: list[Codes] = []
        folds: list[FoldFacts] = []
        trained = np.zeros(len(self._of.labels), np.bool_)
        said: dict[str, list[Codes]] = {name: [] for name in journals}

        n_found = dict.fromkeys(journals, 0)
        for split, found, made in run_blocks(
            _Predicted(self._ready, plan.splitter.seed, self._alone),
            self._wanted(plan, journals),
            self._threads,
        ):
            for name, kept in journals.items():
                if name in found:
                    n_found[name] += 1
                elif kept is not None:
                    kept.keep(split, made[name])
                said[name].append(found[name] if name in found else made[name])
            tests.append(split.test)
            trained[split.train] = True
            folds.append(FoldFacts.of(split, self._of.subjects))
            self._progress.advance(1)
        for name, n in n_found.items():
            self.from_cache[name, plan.protocol] = (n, total)
        return [
            Predictions(name, plan.protocol, self._of, tuple(tests), tuple(codes), tuple(folds), trained)
            for name, codes in said.items()
        ]

    def _wanted(
        self, plan: SplitPlan, journals: Mapping[str, Journal | None]
    ) -> Iterator[tuple[Split, dict[str, Codes], list[str]]]:
        """The splits, the known predictions of each, and the classifiers yet to run."""
        for split in plan.splits():
            kept = {
                name: None if journal is None else journal.find(split) for name, journal in journals.items()
            }
            found = {name: codes for name, codes in kept.items() if codes is not None}
            yield split, found, [name for name in journals if name not in found]

    def _prepare(self, name: str) -> None:
        if name not in self._ready:
            self._progress.begin(f"preparing {name}", 1)
            self._ready[name] = learner(
                name, self._classifiers[name], self._data, self._of.classes, self._of.labels
            )
            self._progress.advance(1)

    def _journal(self, name: str, plan: SplitPlan) -> Journal | None:
        if self._cache is None:
            return None
        settings = fingerprint(self._classifiers[name])
        if settings is None:
            note = NOT_KEPT(classifier=name)
            if note not in self.notes:
                self.notes.append(note)
            return None
        labels = hashlib.sha256("\n".join(plan.labels).encode()).hexdigest()
        depends_on = {
            "data": self._data.digest,
            "labels": labels,
            "classifier": settings,
            "proband": code_digest(),
        }
        return self._cache.open(depends_on | plan.depends_on())


_ALONE = Lock()


@dataclass(frozen=True, eq=False)
class _Predicted:
    """A split, its known predictions, and those of further learners, run one at a time if any must run alone."""

    learners: Mapping[str, Learner]
    seed: int
    alone: bool

    def __call__(
        self, block: tuple[Split, dict[str, Codes], list[str]]
    ) -> tuple[Split, dict[str, Codes], dict[str, Codes]]:
        split, found, names = block
        entropy = np.random.SeedSequence([self.seed, split.repeat, split.fold])
        seed = int(entropy.generate_state(1)[0])
        with _ALONE if self.alone else nullcontext():
            return split, found, {name: self.learners[name].predict(split, seed) for name in names}
