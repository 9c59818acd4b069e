"""Several algorithms, measured together: rates at chosen ranks, whole curves, by probe category."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import polars as pl

from proband._version import __version__
from proband.engine import Progress
from proband.errors import UsageError
from proband.measures.identification import CMC, MedianCensoredRank
from proband.measures.outcomes import Counting, FailurePolicy, Outcomes, TiePolicy
from proband.measures.ranks import rank
from proband.measures.results import Answers, Curve
from proband.samples import Category, Experiment
from proband.scores import Scores

ALL_PROBES = "all probes"
CENSORED_AT = 10


@dataclass(frozen=True, eq=False)
class Entry:
    """One algorithm on one set of probes."""

    algorithm: str
    category: str
    outcomes: Outcomes
    curve: Curve


@dataclass(frozen=True, eq=False)
class Evaluation:
    """What became of every algorithm on every set of probes.

    Attributes
    ----------
    entries
        One for each category and algorithm, categories in the order asked for, algorithms as given.
    ranks
        The ranks that tables show.
    """

    entries: tuple[Entry, ...]
    ranks: tuple[int, ...]

    @property
    def algorithms(self) -> tuple[str, ...]:
        """The algorithms, in order."""
        return tuple(dict.fromkeys(entry.algorithm for entry in self.entries))

    @property
    def categories(self) -> tuple[str, ...]:
        """The sets of probes, in order."""
        return tuple(dict.fromkeys(entry.category for entry in self.entries))

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know: all that was left out or decided, once each."""
        return tuple(dict.fromkeys(note for entry in self.entries for note in entry.outcomes.notes))

    @property
    def answers(self) -> Answers:
        """What the numbers are of, what varies behind them, what is fixed and what is assumed."""
        return self.entries[0].curve.answers

    def of(self, category: str) -> tuple[Entry, ...]:
        """The entries of one set of probes."""
        return tuple(entry for entry in self.entries if entry.category == category)

    def curves(self, category: str | None = None) -> list[Curve]:
        """The curves of one set of probes (by default the first), one for each algorithm."""
        return [entry.curve for entry in self.of(category or self.categories[0])]

    def __repr__(self) -> str:
        return (
            f"Evaluation({len(self.algorithms)} algorithms, {len(self.categories)} sets of probes, "
            f"rank-1 {', '.join(f'{e.algorithm} {e.curve.at(1):.4f}' for e in self.of(self.categories[0])[:6])})"
        )

    def to_frame(self) -> pl.DataFrame:
        """One row for each algorithm and set of probes."""
        rows = []
        for entry in self.entries:
            facts = entry.curve.facts
            median = MedianCensoredRank(CENSORED_AT)(entry.outcomes)
            rows.append(
                {
                    "category": entry.category,
                    "algorithm": entry.algorithm,
                    **{f"rank_{t}": entry.curve.at(t) for t in self.ranks},
                    f"median_rank_censored_at_{CENSORED_AT}": median.value,
                    "probes": facts.n_probes,
                    "probe_subjects": facts.n_probe_subjects,
                    "gallery_images": facts.n_gallery_images,
                    "gallery_subjects": facts.n_gallery_subjects,
                    "failed_probes": facts.n_failed,
                    "failed_gallery": facts.n_gallery_failed,
                    "unmated_probes": facts.n_unmated,
                    "tied_probes": facts.n_tied,
                }
            )
        return pl.DataFrame(rows)

    def curves_frame(self) -> pl.DataFrame:
        """Every point of every curve: category, algorithm, rank, rate."""
        return pl.concat(
            entry.curve.to_frame().select(pl.lit(entry.category).alias("category"), pl.all())
            for entry in self.entries
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, ready for JSON."""
        return {
            "proband": __version__,
            "ranks": list(self.ranks),
            "answers": asdict(self.answers),
            "notes": list(self.notes),
            "results": [
                {
                    "category": entry.category,
                    "algorithm": entry.algorithm,
                    "rates": {str(t): entry.curve.at(t) for t in self.ranks},
                    "cmc": entry.curve.values.tolist(),
                    "facts": entry.curve.to_dict()["facts"],
                }
                for entry in self.entries
            ],
        }


def evaluate(
    scores: Sequence[Scores],
    experiment: Experiment,
    *,
    categories: Sequence[Category] = (),
    ranks: Sequence[int] = (1, 5, 10),
    ties: TiePolicy = "pessimistic",
    counting: Counting = "images",
    on_failure: FailurePolicy = "miss",
    check_orientation: bool = True,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Evaluation:
    """Measure several algorithms in one experiment.

    Parameters
    ----------
    scores
        One for each algorithm; their names must differ.
    experiment
        The gallery and probes, the same for all.
    categories
        Probe categories to report one by one, besides all probes together. A probe's rank does not depend on the
        other probes, so each algorithm is ranked once.
    ranks
        The ranks that tables show; whole curves are always computed.
    ties, counting, on_failure, check_orientation, threads, progress
        As in `rank`.
    """
    names = [one.name for one in scores]
    if not names or len(set(names)) != len(names):
        raise UsageError(
            f"Algorithms need names of their own; got {', '.join(names) or 'none'}.",
            "write NAME=FILE to give one.",
        )
    if not ranks or min(ranks) < 1:
        raise UsageError(
            f"Ranks are whole numbers of at least 1; got {', '.join(map(str, ranks)) or 'none'}."
        )
    sets = {ALL_PROBES: experiment}
    for category in categories:
        if category.name in sets:
            raise UsageError(f"The category {category.name!r} is defined twice.")
        sets[category.name] = category.of(experiment)
    ranked = [
        rank(
            one,
            experiment,
            ties=ties,
            counting=counting,
            on_failure=on_failure,
            check_orientation=check_orientation,
            threads=threads,
            progress=progress,
        )
        for one in scores
    ]
    entries = []
    for name, part in sets.items():
        for outcomes in ranked:
            own = outcomes if part is experiment else outcomes.restricted(part)
            entries.append(Entry(own.algorithm, name, own, CMC()(own)))
    return Evaluation(tuple(entries), tuple(ranks))
