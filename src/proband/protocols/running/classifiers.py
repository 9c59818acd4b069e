"""Classifiers by name: bundled recognisers, scikit-learn's estimators with their settings, and chains of both."""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from inspect import signature
from typing import TYPE_CHECKING, Any

import numpy as np

from proband.algorithms import ICA, Recognizer, names_code as recognizer_names_code, recognizer
from proband.algorithms.extras import need
from proband.algorithms.plugins import EstimatorRecognizer
from proband.engine.registry import Registry
from proband.errors import Hint, UsageError
from proband.words import agreeing, counted

if TYPE_CHECKING:
    from proband.protocols.splits.plans import SplitPlan

CLASSIFIERS = Registry("classifier", "proband.classifiers", {})
"""Classifiers registered by installed packages: estimators, or callables that return one."""

_NAMED = re.compile(r"\s*([^=()'\"\s][^=()'\"]*)=(.*)", re.DOTALL)
_ESTIMATOR = re.compile(r"\s*(sklearn(?:\.[A-Za-z_]\w*)*):([A-Za-z_]\w*)\s*(\(.*\))?\s*", re.DOTALL)
_OPEN, _CLOSE, _QUOTES = "([{", ")]}", "'\""


@dataclass(frozen=True, eq=False)
class Chain:
    """Features from a recogniser without training, computed once, and an estimator that learns from them."""

    features: Recognizer
    estimator: Any


def parse_classifier(text: str, *, mask: bool = False) -> tuple[str, Any]:
    """Read ``[NAME=]CLASSIFIER``; return the name and the classifier.

    Parameters
    ----------
    text
        A recogniser (``lbp:nbnn``, ``src``, ``pca:angle``, …), an estimator of scikit-learn with settings that are plain
        values (``sklearn.svm:SVC(C=10, kernel="linear")``), a registered classifier, or several steps joined
        by ``+``: each but the last turns samples into features, and the first may be a recogniser that needs
        no training
        (``lbp:chi2+sklearn.svm:SVC()``).
    mask
        Whether pixel-based recognisers keep only the oval of the face (for crops by the eyes).
    """
    named = _NAMED.fullmatch(text)
    name, spec = (named[1], named[2]) if named else (text, text)
    spec = spec.strip()
    if not spec:
        raise UsageError(
            f"{text!r} does not name a classifier.", "write NAME=CLASSIFIER, for example lbp=lbp:nbnn."
        )
    *before, last = (_part(part.strip(), mask) for part in _parts(spec))
    if not before:
        return name.strip(), last
    if isinstance(last, Recognizer):
        raise UsageError(
            f"{spec}: a recogniser can only be the first step of a chain.", "end the chain with an estimator."
        )
    first, steps = (before[0], before[1:]) if isinstance(before[0], Recognizer) else (None, before)
    if any(isinstance(step, Recognizer) for step in steps):
        raise UsageError(f"{spec}: a recogniser can only be the first step of a chain.")
    whole = last if not steps else need("sklearn.pipeline", spec).make_pipeline(*steps, last)
    if first is None:
        return name.strip(), whole
    if first.needs_training:
        raise UsageError(
            f"{spec}: the features of {first.name} need training, which a chain does not provide.",
            "begin with lbp:chi2, or with a scikit-learn transformer such as sklearn.decomposition:PCA().",
        )
    return name.strip(), Chain(first, whole)


def named_classifiers(texts: Mapping[str, Any] | list[str], *, mask: bool = False) -> dict[str, Any]:
    """Read several classifiers, each with a different name."""
    if isinstance(texts, Mapping):
        pairs = [
            (name, parse_classifier(one, mask=mask)[1] if isinstance(one, str) else one)
            for name, one in texts.items()
        ]
    else:
        pairs = [parse_classifier(text, mask=mask) for text in texts]
    if not pairs:
        raise UsageError("No classifier was given.", "name a classifier, such as lbp:nbnn.")
    found: dict[str, Any] = {}
    for name, one in pairs:
        if name in found:
            raise UsageError(
                f"Two classifiers have the name {name!r}.", "give them different names: NAME=CLASSIFIER."
            )
        found[name] = _checked(one, name)
    return found


def names_code(text: str) -> bool:
    """Whether ``[NAME=]CLASSIFIER`` imports code that is neither bundled nor from scikit-learn nor an installed plug-in."""
    named = _NAMED.fullmatch(text)
    parts = (part.strip() for part in _parts((named[2] if named else text).strip()))
    return any(recognizer_names_code(one) and not _ESTIMATOR.fullmatch(one) for one in parts)


def must_run_alone(classifier: Any) -> bool:
    """Whether a classifier changes the warning filters of the whole process while it runs.

    scikit-learn does so for parallel work (``n_jobs``), and ICA to detect that it did not converge. Two such
    classifiers at the same time would overwrite each other's filters.
    """
    if isinstance(classifier, Chain | EstimatorRecognizer):
        return must_run_alone(classifier.estimator)
    if isinstance(classifier, Recognizer):
        return isinstance(classifier, ICA)
    return any(name.rpartition("__")[2] == "n_jobs" for name in classifier.get_params(deep=True))


_STABLE = {
    "sklearn.linear_model",
    "sklearn.discriminant_analysis",
    "sklearn.naive_bayes",
    "sklearn.dummy",
    "sklearn.neighbors.NearestCentroid",
}
_UNSTABLE = {"sklearn.neighbors", "sklearn.tree"}


def is_stable(classifier: Any) -> bool | None:
    """Whether a classifier trained on nearly the same data gives nearly the same results; None if unknown.

    Recognisers assign the identity of the nearest face, and nearest neighbours and trees are unstable; linear
    methods are stable.
    """
    if isinstance(classifier, Recognizer) and not isinstance(classifier, EstimatorRecognizer):
        return False
    if isinstance(classifier, Chain | EstimatorRecognizer):
        return is_stable(classifier.estimator)
    if steps := getattr(classifier, "steps", None):  # a pipeline is as stable as what decides in the end
        return is_stable(steps[-1][1])
    kind = type(classifier)
    package = ".".join(kind.__module__.split(".")[:2])
    if f"{package}.{kind.__qualname__}" in _STABLE:
        return True
    return True if package in _STABLE else False if package in _UNSTABLE else None


_NEAREST = {"sklearn.neighbors.KNeighborsClassifier", "sklearn.neighbors.NearestCentroid"}


def require_enrolment(classifiers: Mapping[str, Any], plans: Iterable[SplitPlan]) -> None:
    """Refuse classifiers that can only name people they were trained on if a plan enrols new people.

    Recognisers score any two faces, and nearest neighbours compare with the enrolled people; other
    estimators can only name their training classes.
    """
    enrolled = [plan.enrolled_each for plan in plans if plan.enrolled_each is not None]
    for name, classifier in classifiers.items() if enrolled else ():
        estimator = classifier.estimator if isinstance(classifier, Chain) else classifier
        if isinstance(estimator, Recognizer):
            continue
        _, last = space_and_neighbours(estimator)
        kind = type(last)
        package = ".".join(kind.__module__.split(".")[:2])
        if f"{package}.{kind.__qualname__}" not in _NEAREST:
            raise UsageError(
                f"The classes are the people, but {name} can only name people it was trained on, and a subject-disjoint protocol tests none of them.",
                Hint(
                    "to predict an attribute, {give:attribute}; to identify people, use a recogniser (pca:angle, lbp:nbnn, …), "
                    "sklearn.neighbors:KNeighborsClassifier(n_neighbors=1), or a mixed protocol: 5f CV."
                ),
            )
        n_neighbours = last.get_params().get("n_neighbors", 1)
        if n_neighbours > min(enrolled):
            raise UsageError(
                f"{name} uses {n_neighbours} neighbours, but {counted(min(enrolled), 'image')} of each person "
                f"{agreeing(min(enrolled))} enrolled, so images of other people would decide.",
                Hint("use n_neighbors={n}, or enrol more images: {option:enrolled_each}", n=min(enrolled)),
            )


def space_and_neighbours(estimator: Any) -> tuple[Any | None, Any]:
    """Split a pipeline into the steps that learn a space from training people and the last step, which compares in that space."""
    steps = getattr(estimator, "steps", None)
    return (None, estimator) if not steps else (estimator[:-1] if len(steps) > 1 else None, steps[-1][1])


def fingerprint(classifier: Any) -> str | None:
    """Describe what the predictions of a classifier depend on; None if its code may change."""
    if isinstance(classifier, Chain):
        inner = [fingerprint(classifier.features), fingerprint(classifier.estimator)]
        return None if None in inner else " + ".join(map(str, inner))
    if isinstance(classifier, Recognizer):
        module = type(classifier).__module__
        # A function, a model file or somebody's estimator may change without its name changing.
        stable = module.startswith("proband.algorithms.") and not module.endswith(".plugins")
        return repr(classifier) if stable else None
    settings = classifier.get_params(deep=True)
    within = [classifier, *(value for value in settings.values() if hasattr(value, "get_params"))]
    if not all(_is_ours(type(one)) for one in within):
        return None
    plain = {name: _lasting(value) for name, value in sorted(settings.items())}
    if None in plain.values():
        return None
    return f"scikit-learn {need('sklearn', 'An estimator').__version__}: {[_address(type(one)) for one in within]} {plain}"


def _lasting(value: Any) -> str | None:
    """A setting in a form that is the same in every process; None where there is none, as of a function."""
    if value is None or isinstance(value, bool | int | float | complex | str | bytes | range | slice):
        return repr(value)
    if isinstance(value, np.ndarray | np.generic) and not value.dtype.hasobject:
        array = np.ascontiguousarray(value)
        return f"{array.dtype.str}{array.shape}{hashlib.sha256(array.tobytes()).hexdigest()}"
    if isinstance(value, type):
        return _address(value) if value.__module__ in ("builtins", "numpy") else None
    if hasattr(value, "get_params"):
        return _address(type(value))  # its settings are among those of the whole
    if isinstance(value, list | tuple | set | frozenset):
        parts = [_lasting(part) for part in value]
        ordered = parts if isinstance(value, list | tuple) or None in parts else sorted(map(str, parts))
    elif isinstance(value, Mapping):
        parts = ordered = [_lasting(part) for pair in value.items() for part in pair]
    elif _is_ours(type(value)) and hasattr(value, "__dict__"):
        parts = ordered = [_lasting(vars(value))]
    else:
        return None
    return None if None in parts else f"{_address(type(value))}({', '.join(map(str, ordered))})"


def _address(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


def _is_ours(kind: type) -> bool:
    """Whether the code of a type is Proband's or scikit-learn's, whose versions are known."""
    return kind.__module__.split(".")[0] in ("sklearn", "proband")


def _checked(classifier: Any, name: str) -> Any:
    if isinstance(classifier, Recognizer | Chain):
        return classifier
    if isinstance(classifier, type):
        raise UsageError(
            f"{name} is the class of a classifier, not a classifier.", f"call it: {classifier.__name__}()."
        )
    if not all(hasattr(classifier, what) for what in ("fit", "predict", "get_params", "set_params")):
        raise UsageError(
            f"{name} is not a classifier (type {type(classifier).__name__}).",
            "pass a recogniser or its name, or a scikit-learn estimator with fit and predict.",
        )
    return _unwrapped(classifier)


def _unwrapped(classifier: Any) -> Any:
    """Take a recogniser out of its scikit-learn dress: what needs no training is then done once."""
    from proband.algorithms.classifier import RecognizerClassifier

    if isinstance(classifier, RecognizerClassifier):
        return recognizer(classifier.algorithm, mask=classifier.mask)
    return classifier


def _parts(spec: str) -> list[str]:
    """Cut at every + that stands outside brackets and quotes."""
    parts, depth, quote = [""], 0, ""
    for char in spec:
        if quote:
            quote = "" if char == quote else quote
        elif char in _QUOTES:
            quote = char
        else:
            depth += (char in _OPEN) - (char in _CLOSE)
        if char == "+" and not depth and not quote:
            parts.append("")
        else:
            parts[-1] += char
    if any(not part.strip() for part in parts):
        raise UsageError(f"{spec!r}: a step is missing before or after a +.")
    return parts


def _part(text: str, mask: bool) -> Any:
    found = _ESTIMATOR.fullmatch(text)
    if found:
        return _estimator(text, found[1], found[2], found[3] or "()")
    if text in CLASSIFIERS.names():
        loaded = CLASSIFIERS.find(text)
        return loaded() if isinstance(loaded, type) or not hasattr(loaded, "fit") else loaded
    return recognizer(text, mask=mask)


def _estimator(text: str, module: str, name: str, settings: str) -> Any:
    base = need("sklearn.base", text).BaseEstimator
    try:
        kind = getattr(import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise UsageError(f"{module}:{name} cannot be imported: {error}.") from None
    if not isinstance(kind, type) or not issubclass(kind, base):
        raise UsageError(f"{module}:{name} is not an estimator.")
    try:
        return kind(**_settings(text, settings))
    except TypeError as error:
        known = [one for one in signature(kind).parameters if one not in ("args", "kwargs")]
        raise UsageError(f"{text}: {error}.", f"{name} has the settings {', '.join(known)}.") from None


def _settings(text: str, settings: str) -> dict[str, Any]:
    """The named values between brackets, which are values and nothing that is carried out."""
    hint = 'write settings as name=value, as in SVC(C=10, kernel="linear").'
    try:
        call = ast.parse(f"made{settings}", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise UsageError(f"{text}: cannot read the settings.", hint) from None
    if not isinstance(call, ast.Call) or call.args or not isinstance(call.func, ast.Name):
        raise UsageError(f"{text}: every setting needs a name.", hint)
    found = {}
    for keyword in call.keywords:
        if keyword.arg is None:
            raise UsageError(f"{text}: every setting needs a name.", hint)
        try:
            found[keyword.arg] = ast.literal_eval(keyword.value)
        except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
            raise UsageError(f"{text}: the value of {keyword.arg!r} is not a plain value.", hint) from None
    return found
