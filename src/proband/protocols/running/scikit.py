"""Integration with scikit-learn: measures as scorers, and its splitters and estimators in runs under protocols."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from proband.engine import Engine, Progress
from proband.engine.arguments import published
from proband.engine.foreign import array_from, complete_from
from proband.engine.kinds import shown
from proband.engine.labels import aligned
from proband.engine.limits import Level, Margin, Seed, Threads
from proband.errors import InputError, UsageError
from proband.inference.classification.classify import Average, classify
from proband.measures import Measure
from proband.measures.base import as_measure
from proband.protocols.notation import Protocol
from proband.protocols.running.data import FeatureTable
from proband.protocols.running.results import ProtocolRun
from proband.protocols.running.running import run_protocol
from proband.protocols.splits.given import GivenSplits
from proband.protocols.splits.material import length_of
from proband.protocols.splits.splits import Splitter
from proband.samples import Experiment, Samples
from proband.scores import Embeddings
from proband.scores.embeddings import Metric
from proband.words import Sentence, count, given as given_number, listed

NO_GROUPS = Sentence(
    "protocols.no-groups",
    "caution",
    "No groups were given, so every sample counts as a person: intervals are too narrow if people have several samples",
)
_TOP = re.compile(r"(macro-)?top-([1-9]\d*)")
_LABEL = "class"


@dataclass(frozen=True)
class ClassScorer:
    """Score a fitted classifier by the share of samples whose class is among its first `k` guesses."""

    k: int
    average: Average

    def __call__(self, estimator: Any, X: Any, y: Any) -> float:  # noqa: N803
        """Measure an estimator on samples with known classes."""
        if self.k == 1:
            found = classify(y, estimator.predict(X), k=1, average=self.average)
        else:
            found = classify(
                y, _class_scores(estimator, X), classes=estimator.classes_, k=self.k, average=self.average
            )
        (name,) = found.algorithms
        prefix = "macro-" if self.average == "macro" else ""
        return found.rate(name, f"{prefix}top-{self.k}").value


@dataclass(frozen=True)
class EmbeddingScorer:
    """Score a fitted transformer by a measure of its embeddings, negated if smaller is better, as usual in scikit-learn."""

    measure: Measure
    metric: Metric

    def __call__(self, estimator: Any, X: Any, y: Any) -> float:  # noqa: N803
        """Measure the embeddings of samples with known subjects."""
        if not hasattr(estimator, "transform"):
            raise UsageError(
                f"A {type(estimator).__name__} makes no embeddings, which the {self.measure.estimand} needs.",
                "use a transformer, or score classes: scorer('top-1').",
            )
        vectors = np.asarray(estimator.transform(X), dtype=np.float64)
        samples = Samples({"id": range(len(vectors)), "subject": array_from(y, "subjects")})
        embeddings = Embeddings(vectors, samples.ids, metric=self.metric, name=type(estimator).__name__)
        ranked = self.measure.view == "outcomes"
        value = self.measure(
            embeddings, Experiment(samples, gallery="one_per_subject") if ranked else samples
        )
        number = float(value.value)  # type: ignore[union-attr]
        return number if self.measure.larger_is_better else 0.0 - number


def _class_scores(estimator: Any, X: Any) -> Any:  # noqa: N803
    """The scores of each class, by whichever of the two methods an estimator has."""
    how = next((one for one in ("predict_proba", "decision_function") if hasattr(estimator, one)), None)
    if how is None:
        raise UsageError(
            f"A {type(estimator).__name__} has no scores of classes.",
            "use scorer('top-1'), or an estimator with predict_proba.",
        )
    return getattr(estimator, how)(X)


@published
def scorer(
    measure: Measure | str = "top-1", *, metric: Metric = "cosine"
) -> Callable[[Any, Any, Any], float]:
    """Convert a measure to a scikit-learn scorer, for ``cross_validate``, ``GridSearchCV`` and other uses of ``scoring``.

    Parameters
    ----------
    measure
        ``"top-1"``, ``"top-5"`` (any number of guesses) or ``"macro-top-1"`` (balanced accuracy) score a classifier. Any other measure
        (``"rank-1"``, ``"auc"``, ``"fnmr@0.001"``, …) scores a transformer by its output for the test samples, with the
        subjects in `y`. For a measure of ranks the first sample of each subject is enrolled, and the others are searched.
    metric
        The metric of embeddings.

    Returns
    -------
    callable
        The scorer. Larger is better: error rates are negated.

    Examples
    --------
    >>> from sklearn.decomposition import PCA
    >>> from sklearn.model_selection import GroupKFold, cross_validate
    >>> rng = np.random.default_rng(0)
    >>> who = np.repeat(np.arange(40), 4)
    >>> X = rng.normal(size=(40, 8))[who] + 0.3 * rng.normal(size=(160, 8))
    >>> measures = {name: scorer(name) for name in ("rank-1", "fnmr@0.01")}
    >>> found = cross_validate(PCA(6), X, who, groups=who, cv=GroupKFold(4), scoring=measures)
    >>> found["test_rank-1"].round(2).tolist(), found["test_fnmr@0.01"].round(2).tolist()  # negated
    ([1.0, 0.83, 1.0, 0.97], [0.0, -0.17, 0.0, -0.1])
    """
    if isinstance(measure, str) and (found := _TOP.fullmatch(measure)):
        return ClassScorer(int(found[2]), "macro" if found[1] else "micro")
    return EmbeddingScorer(as_measure(measure), metric)


@published
def cross_validate(
    estimators: Any,
    X: Any,  # noqa: N803
    y: Any,
    *,
    groups: Any = None,
    cv: Any = 5,
    seed: Seed = 0,
    confidence_level: Level = 0.95,
    margin: Margin | None = None,
    threads: Threads | None = None,
    progress: Progress | None = None,
    engine: Engine = None,
) -> ProtocolRun:
    """Cross-validate scikit-learn classifiers, with intervals and comparisons for new people.

    This is `run_protocol` for arrays: people are the units, and intervals are corrected for the overlap of repeated splits.

    Parameters
    ----------
    estimators
        A classifier, a list of classifiers of different types, or a mapping of names to classifiers.
    X, y
        Numeric features, and the class of every sample. Classes are passed to estimators as text.
    groups
        The subject of every sample.
    cv
        The number of folds, with subjects kept apart; a protocol (``"10×5f CV+"``, `Splitter`); or a scikit-learn splitter or a list of
        (train, test) positions. External splits are labelled with the protocol that describes them.
    seed
        The seed of our own splits, and of estimators without a random state.
    confidence_level
        The level of all intervals.
    margin
        The smallest difference that matters in comparisons, above 0 and below 1.
    threads, progress, engine
        The number of threads, the progress callback, and where computations run.

    Returns
    -------
    ProtocolRun
        Accuracies with their intervals, comparisons and all predictions.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import GroupKFold
    >>> from sklearn.naive_bayes import GaussianNB
    >>> rng = np.random.default_rng(3)
    >>> who = np.repeat(np.arange(60), 4)
    >>> y = np.where(who % 2, "f", "m")
    >>> X = rng.normal(size=(60, 6))[who] + 0.7 * rng.normal(size=(240, 6)) + 0.8 * (who % 2)[:, None]
    >>> cross_validate([LogisticRegression(), GaussianNB()], X, y, groups=who, cv=GroupKFold(5))
    ProtocolRun(X, class)
    LogisticRegression under 5f CV+: accuracy 0.8125 over one full cross-validation; 95% interval [0.6064,
        0.9242], for resampled training and test subjects.
    GaussianNB under 5f CV+: accuracy 0.8125 over one full cross-validation; 95% interval [0.6682,
        0.9031], for resampled training and test subjects.
    5f CV+: LogisticRegression against GaussianNB is undecided: 0.00 points [−10.63, +10.63], adjusted p = 1.
        Estimated: difference of accuracy of the method at this training size.
    """
    given = {"X": X, "y": y} | ({} if groups is None else {"groups": groups})
    X, y, *rest = (complete_from(one, f"values of {what}") for what, one in aligned(given).items())  # noqa: N806
    sizes = {name: length_of(one, name) for name, one in zip(given, (X, y, *rest), strict=True)}
    if len(set(sizes.values())) > 1:
        told = ", ".join(f"{name} has {count(size)}" for name, size in sizes.items())
        raise InputError(
            f"{listed(sizes)} differ in length: {told}.", "pass one row or value per sample in each."
        )
    if X.ndim != 2:
        raise InputError(
            f"X must be samples × features, got {shown(X)}.", "for a single feature, pass X.reshape(-1, 1)."
        )
    if y.dtype.kind == "f" and (fractions := y[y != np.rint(y)]).size:
        raise InputError(
            f"y holds numbers with fractions, such as {given_number(fractions[0])}, not classes.",
            "pass a class for every sample: whole numbers or strings.",
        )
    n = sizes["X"]
    subjects = rest[0] if rest else np.arange(n)
    samples = Samples({"id": range(n), "subject": subjects, _LABEL: y})
    data = FeatureTable(samples, features=X, name="X", notes=() if rest else (NO_GROUPS(),))
    is_identity = groups is not None and _same(samples)
    return run_protocol(
        _named(estimators),
        data,
        _protocol(cv, X, y, subjects, seed),
        task="identity" if is_identity else "attribute",
        label=None if is_identity else _LABEL,
        seed=seed,
        confidence_level=confidence_level,
        margin=margin,
        threads=threads,
        progress=progress,
        engine=engine,
    )


def _same(samples: Samples) -> bool:
    """Whether classes and subjects are the same."""
    names = samples.frame.select("subject", _LABEL)
    return names.n_unique() == names["subject"].n_unique() == names[_LABEL].n_unique()


def _named(estimators: Any) -> Mapping[str, Any]:
    """Estimators by name, or by type if unnamed."""
    if isinstance(estimators, Mapping):
        return estimators
    several = (
        estimators if isinstance(estimators, Sequence) and not isinstance(estimators, str) else [estimators]
    )
    names = [one.__name__ if isinstance(one, type) else type(one).__name__ for one in several]
    if len(set(names)) < len(names):
        raise UsageError(
            "Several estimators are of one type, so their types do not name them.",
            'name them: {"small": SVC(C=1), "large": SVC(C=100)}.',
        )
    return dict(zip(names, several, strict=True))


def _protocol(cv: Any, X: Any, y: Any, subjects: Any, seed: int) -> Protocol | Splitter | str:  # noqa: N803
    """The protocol or the external splits specified by `cv`."""
    if isinstance(cv, Protocol | Splitter | str):
        return cv
    if isinstance(cv, int | np.integer) and not isinstance(cv, bool):
        if cv < 2:
            raise UsageError(f"cv must be at least 2 folds, got {cv}.", "5 is usual.")
        return Protocol("cross-validation", folds=int(cv), disjoint=True)
    if isinstance(cv, bytes | bytearray) or not (hasattr(cv, "split") or isinstance(cv, Iterable)):
        raise UsageError(
            f"cv is {shown(cv)}, which makes no splits.", "pass a number of folds, a protocol or a splitter."
        )
    if not hasattr(cv, "split"):
        return GivenSplits.of(cv, subjects, by="the list of splits", seed=seed)
    with warnings.catch_warnings():
        warnings.filterwarnings(
            "ignore", message="The groups parameter is ignored"
        )  # and the protocol is labelled mixed
        pairs = list(cv.split(X, y, subjects))
    return GivenSplits.of(pairs, subjects, by=" ".join(str(cv).split()), seed=seed)
