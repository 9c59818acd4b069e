"""Which comparisons were counted, and with which metric."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from proband.words import Note, Sentence

_METRICS = {
    "cosine": "cosine similarity of embeddings",
    "inner": "inner product of embeddings",
    "l2": "Euclidean distance of embeddings (l2)",
    "l1": "city-block distance of embeddings (l1)",
    "chi2": "chi-squared distance of embeddings (chi2)",
}
_AS_GIVEN = "scores as supplied"


def metric_label(metric: str | None) -> str:
    """The metric of embeddings in words, or "scores as supplied"."""
    return _AS_GIVEN if metric is None else _METRICS.get(metric, metric)


_ONE_METRIC = Sentence("compared.one-metric", "note", "Scores: {metric}")
_AS_SUPPLIED = Sentence("compared.as-supplied", "note", "Scores: as supplied")
_METRIC_OF = Sentence("compared.metric-of", "note", "{metric} ({algorithms:names})")
_SEVERAL_METRICS = Sentence("compared.several-metrics", "note", "Scores: {each:parts}")


def metrics_statement(metrics: Iterable[tuple[str, str | None]]) -> Note:
    """State the metrics of algorithms, grouped by metric."""
    named: dict[str | None, list[str]] = {}
    for name, metric in metrics:
        named.setdefault(metric, []).append(name)
    if set(named) == {None}:
        return _AS_SUPPLIED()
    if len(named) == 1:
        return _ONE_METRIC(metric=metric_label(next(iter(named))))
    each = (_METRIC_OF(metric=metric_label(one), algorithms=tuple(names)) for one, names in named.items())
    return _SEVERAL_METRICS(each=tuple(each))


_COMPARED = Sentence(
    "compared.pairs",
    "note",
    "Compared: {pairs}; {n_genuine:count} genuine and {n_impostor:count impostor comparison}{gaps:also}",
)
_NOT_COMPARED = Sentence("compared.not-compared", "note", "{n:count} more were excluded from comparison")


@dataclass(frozen=True)
class Compared:
    """Which comparisons a verification counted.

    Attributes
    ----------
    design
        ``all``: every query with every target; ``experiment``: probes with a gallery; ``list``: the listed pairs.
    metric
        The metric of embeddings; None for supplied scores.
    n_genuine, n_impostor
        The numbers of comparisons with a score.
    gallery, probes
        The gallery and the probes of an experiment.
    n_not_compared
        Pairs of the design that are not counted at all.
    """

    design: Literal["all", "experiment", "list"]
    metric: str | None
    n_genuine: int
    n_impostor: int
    gallery: str | None = None
    probes: str | None = None
    n_not_compared: int = 0

    @property
    def pairs(self) -> str:
        """The rule in words."""
        if self.design == "list":
            return "the listed pairs"
        if self.design == "experiment":
            return f"probes ({self.probes}) with the gallery ({self.gallery})"
        return "every query with every target, except samples with themselves and repeated pairs"

    def statement(self) -> Note:
        """State which comparisons were counted, and how many."""
        gaps = (_NOT_COMPARED(n=self.n_not_compared),) if self.n_not_compared else ()
        return _COMPARED(pairs=self.pairs, n_genuine=self.n_genuine, n_impostor=self.n_impostor, gaps=gaps)
