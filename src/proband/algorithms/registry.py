"""Recognisers by name: bundled recognisers, installed plug-ins, and custom recognisers by dotted name."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import replace
from inspect import signature
from typing import Any

from proband.algorithms.correlation import Correlation
from proband.algorithms.ica import ICA
from proband.algorithms.lbp import LBP, NBNN
from proband.algorithms.lda import LDA
from proband.algorithms.pca import PCA
from proband.algorithms.pictures.normalize import Photometry
from proband.algorithms.plugins import CallableRecognizer, EstimatorRecognizer, OnnxRecognizer
from proband.algorithms.recognizer import Recognizer
from proband.algorithms.sparse import SRC
from proband.engine.registry import Registry
from proband.errors import UsageError

FAMILIES: dict[str, dict[str, Callable[[], Recognizer]]] = {
    "correlation": {"correlation": Correlation},
    "pca": {
        "pca:l1": lambda: PCA("l1"),
        "pca:l2": lambda: PCA("l2"),
        "pca:angle": lambda: PCA("angle"),
        "pca:mahalanobis": lambda: PCA("mahalanobis"),
        "pca:whitened-cosine": lambda: PCA("whitened-cosine"),
        "pca:whitened-l2": lambda: PCA("whitened-l2"),
    },
    "lda": {
        "lda:l1": lambda: LDA("l1"),
        "lda:l2": lambda: LDA("l2"),
        "lda:angle": lambda: LDA("angle"),
        "lda:soft": lambda: LDA("soft"),
    },
    "ica": {
        "ica:1": lambda: ICA(1),
        "ica:2": lambda: ICA(2),
        "ica:infomax-1": lambda: ICA(1, method="infomax"),
        "ica:infomax-2": lambda: ICA(2, method="infomax"),
    },
    "lbp": {"lbp:chi2": LBP, "lbp:nbnn": NBNN},
    "src": {"src": SRC},
}
BUNDLED = {name: make for members in FAMILIES.values() for name, make in members.items()}
RECOGNIZERS = Registry("recogniser", "proband.recognizers", BUNDLED)
"""Recognisers by name. A package can register anything that `recognizer` accepts: a recogniser, a callable that returns one, a function, …"""


def recognizer(name: str, *, mask: bool = True) -> Recognizer:
    """Return a recogniser by name.

    Parameters
    ----------
    name
        A bundled recogniser (``pca:mahalanobis``), a plug-in, ``package.module:attribute`` for a custom
        recogniser (a recogniser, a function from images to vectors, or a scikit-learn estimator), or
        ``onnx:model.onnx``.
    mask
        Whether recognisers that compare pixels keep only the oval of the face; only useful for images that
        were cropped by their eyes.

    Returns
    -------
    Recognizer
        The recogniser, untrained.

    Examples
    --------
    >>> recognizer("pca:l2").comparison
    'l2'
    """
    made = _find(name)
    photometry = getattr(made, "photometry", None)
    if not mask and isinstance(photometry, Photometry):
        made = copy(made)
        object.__setattr__(
            made, "photometry", replace(photometry, mask=False)
        )  # settings are frozen; the copy is ours
    return made


def names() -> list[str]:
    """Return the names of all installed recognisers.

    Returns
    -------
    list
        The names of all recognisers.

    Examples
    --------
    >>> names()[:3]
    ['correlation', 'pca:l1', 'pca:l2']
    """
    return RECOGNIZERS.names()


def family_of(name: str) -> str | None:
    """Return the family of a bundled recogniser; None for any other name.

    Parameters
    ----------
    name
        The name of a recogniser, such as ``pca:angle``.

    Returns
    -------
    str
        The part before the colon.

    Examples
    --------
    >>> family_of("pca:mahalanobis"), family_of("mine.models:Net")
    ('pca', None)
    """
    return next((family for family, members in FAMILIES.items() if name in members), None)


def names_code(name: str) -> bool:
    """Return whether a name refers to code to import: ``package.module:attribute``.

    Bundled recognisers and installed plug-ins of that name are not code to import; an ONNX model is data.

    Parameters
    ----------
    name
        The name of a recogniser.

    Returns
    -------
    bool
        Whether code would be imported.

    Examples
    --------
    >>> names_code("mine.models:Net"), names_code("pca")
    (True, False)
    """
    return RECOGNIZERS.names_code(name)


def _find(name: str) -> Recognizer:
    head, _, model = name.partition(":")
    if head == "onnx" and model and name not in names():
        return OnnxRecognizer(model)
    return _as_recognizer(RECOGNIZERS.find(name), name)


def _takes_nothing(function: Callable[..., Any]) -> bool:
    try:
        parameters = signature(function).parameters.values()
    except (TypeError, ValueError):  # some compiled functions have no signature
        return False
    return all(
        one.default is not one.empty or one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD)
        for one in parameters
    )


def _as_recognizer(found: Any, name: str) -> Recognizer:
    """Convert a recogniser, its class or factory, a scikit-learn estimator, or a function from images to vectors."""
    if isinstance(found, Recognizer):
        return found
    if isinstance(found, type) and (issubclass(found, Recognizer) or hasattr(found, "get_params")):
        return _as_recognizer(found(), name)
    if hasattr(found, "fit") and hasattr(found, "get_params"):
        return EstimatorRecognizer(found, name)
    if callable(found):
        if _takes_nothing(found):
            return _as_recognizer(found(), name)  # a factory
        return CallableRecognizer(found, name)
    raise UsageError(f"{name} is a {type(found).__name__}, not a recogniser.")
