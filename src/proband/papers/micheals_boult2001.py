"""The experiments of Micheals & Boult 2001 (Efficient Evaluation, and STRAT) on synthetic people, with the papers' numbers of people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from proband.analyses.strat.figures import (
    algorithms_chart,
    errors_chart,
    galleries_chart,
    ranks_drawn,
    units_chart,
)
from proband.analyses.strat.tables import errors_table, galleries_table, units_table
from proband.arrays import balance, n_replicates, orthogonal_array
from proband.arrays.sequences import UnbalancedArrayWarning
from proband.distributions import t_inverse
from proband.engine import Progress
from proband.engine.arguments import published
from proband.engine.limits import Positive, Seed, Threads
from proband.faces import Population
from proband.inference.estimates.clusters import cluster_statistics
from proband.inference.galleries.effect import GalleryEffect, ImageColumns
from proband.inference.strata.study import StratStudy, low_ranks
from proband.measures import Outcomes, rank
from proband.papers.claims import ShownDifference
from proband.papers.common import found_by, scores_of
from proband.papers.micheals_boult2001_claims import StratEvidence, claims
from proband.papers.page import Item, Reproduction, write_reproduction
from proband.report.charts.makers.rows import gallery_effect
from proband.report.page.charts import shown
from proband.report.page.model import Block
from proband.report.tables.cells import columns, table, text_cell
from proband.report.tables.table import Cell, Table
from proband.samples import Samples
from proband.study.inputs import in_memory
from proband.words import Sentence, count, counted, percent

ALGORITHMS = ("lda:angle", "pca:mahalanobis", "pca:l2")
"""The paper had two commercial matchers and PCA; here are two stronger classical ones and PCA."""

PEOPLE = {3: 481, 4: 256}
"""Images of each person, and the number of people in FERET who have this many frontal images."""

_TRAINING = 200
_DIFFICULTY = 1.4
_MISSES = 100_000
_CLUSTERS = 100
_SURROGATE = (15, 12, 6, 7, 6, 6, 9)  # patients with 0 to 6 negative sites: Cochran's sums, not his table

_SYNTHETIC = Sentence(
    "micheals-boult2001.synthetic",
    "caution",
    "the people are synthetic, so the results differ from those of the papers; the numbers of people and "
    "images are the same: {people:names}. The papers print few numbers; their figures are described",
)
_STAND_INS = Sentence(
    "micheals-boult2001.stand-ins",
    "note",
    "two commercial matchers and PCA in the paper; {names:names} here, trained on {n:count} other people",
)
_QUESTIONS = Sentence(
    "micheals-boult2001.questions",
    "note",
    "BRR varies the probe images of these people, the jackknife and the bootstrap over probes vary probes "
    "as if each showed a different person, and the bootstrap over people varies people: figure 3 compares "
    "answers to different questions",
)
_READ_OFF = ("The paper reads a variance ratio of about 0.8 for BRR from its figure.",)
_COLUMNS = Sentence(
    "micheals-boult2001.columns",
    "note",
    "columns 1 and 3 are neutral images from two days, columns 2 and 4 have another expression",
)


@dataclass(frozen=True, eq=False)
class StratStudies:
    """The studies by number of images per person, and the probes for figure 3.

    Attributes
    ----------
    first
        Outcomes of the first algorithm with the first mixed gallery, of people with four images.
    """

    studies: Mapping[int, StratStudy]
    first: Outcomes

    @property
    def evidence(self) -> StratEvidence:
        """The evidence for the claims."""
        four, algorithm = self.studies[4], ALGORITHMS[0]
        last = low_ranks(four.n_subjects)
        all_units, *by_left_out = four.variances[algorithm][:4]
        variances = {0: all_units, **{one.left_out: one for one in by_left_out if one.left_out is not None}}
        gaps = {images: _leads(study) for images, study in self.studies.items()}
        return StratEvidence(
            {images: study.effects[0] for images, study in self.studies.items()},
            {images: study.mixed[0] for images, study in self.studies.items()},
            {key: one.by_rank for key, one in four.errors[algorithm].items()},
            successes(self.first, last),
            {left_out: one.by_rank[:last] for left_out, one in variances.items()},
            gaps,
            [gaps[3][-1], gaps[4][-1]],
            n_replicates(3, 256),
            _balanced_pairs(),
            _leprosy(),
            _missed(),
        )


@published
def reproduce_micheals_boult2001(
    out: Path,
    seed: Seed,
    threads: Threads | None,
    progress: Progress,
    people: dict[Positive, Positive] | None = None,
) -> tuple[Reproduction, Path]:
    """Run the experiments with three and four images per person and write their page.

    Parameters
    ----------
    out
        The directory of the page.
    people
        The number of people.
    seed
        The seed of the population and of all random choices.
    threads, progress
        The number of threads, and the progress callback.

    Returns
    -------
    tuple
        The claims with their verdicts, and the path of the page.
    """
    found = run_micheals_boult2001(seed, threads, progress, people)
    made = reproduction(found, seed, None if people is None else max(people.values()))
    return made, write_reproduction(made, out)


def run_micheals_boult2001(
    seed: int, threads: int | None, progress: Progress, people: dict[int, int] | None = None
) -> StratStudies:
    """Make the data and run the experiments, without writing anything."""
    wanted = people or PEOPLE
    most = max(wanted.values())
    training = Population(
        _TRAINING if people is None else most, plan="grid", sessions=1, images_per_session=3, seed=seed, difficulty=_DIFFICULTY
    )  # fmt: skip
    tested = Population(
        most,
        plan="grid",
        sessions=2,
        images_per_session=2,
        seed=seed,
        first_subject=training.n_subjects,
        difficulty=_DIFFICULTY,
    )
    ((samples, scores),) = scores_of([(tested, ALGORITHMS)], training, threads, progress)
    subjects = list(dict.fromkeys(samples.frame["subject"].to_list()))
    chosen = {
        images: Samples(samples.frame.filter(samples.frame["subject"].is_in(subjects[:n])))
        for images, n in wanted.items()
    }
    studies = {
        images: found_by(
            "strat", {"n_images": images}, in_memory(people_chosen, scores), seed=seed, threads=threads, progress=progress
        )["strat"]
        for images, people_chosen in chosen.items()
    }  # fmt: skip
    mixed = ImageColumns.of(chosen[4], list(scores), 4, mixed=True)
    return StratStudies(studies, rank(scores[0], mixed.experiment(0)))


def successes(outcomes: Outcomes, last: int) -> npt.NDArray[np.float64]:
    """Whether each probe is recognised at ranks 1 to `last`: people × probes of each × ranks."""
    codes = outcomes.experiment.samples.codes[outcomes.probes]
    order = np.argsort(codes, kind="stable")
    people = len(np.unique(codes))
    at = np.stack([outcomes.success(t)[order] for t in range(1, last + 1)], axis=-1)
    return at.reshape(people, -1, last)


def _leads(study: StratStudy) -> list[ShownDifference]:
    """The first algorithm minus each other one, under BRR."""
    assert study.comparison is not None
    pairs = {frozenset((one.first, one.second)): one for one in study.comparison.pairs}
    found = []
    for name in ALGORITHMS[1:]:
        one = pairs[frozenset((ALGORITHMS[0], name))]
        own = ShownDifference(one.value, one.low, one.high)
        found.append(own if one.first == ALGORITHMS[0] else ShownDifference(-own.value, -own.high, -own.low))
    return found


def _balanced_pairs() -> int:
    """The number of balanced pairs among the 26 columns of STRAT's array of 27 rows."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnbalancedArrayWarning)
        rows = orthogonal_array(3, 26, rule="strat-2001").rows
    return 26 * 25 // 2 - balance(rows, 3).n_pairs


def _leprosy() -> tuple[float, float]:
    """The binomial and the cluster standard error for a surrogate of Cochran's patients."""
    success = np.concatenate(
        [[1.0] * y + [0.0] * (6 - y) for y, times in enumerate(_SURROGATE) for _ in range(times)]
    )
    found = cluster_statistics(success, np.repeat(np.arange(61), 6))
    return found.binomial_se, found.cluster_se


def _missed() -> float:
    """How often 95 % intervals for the mean miss if a correlation of 0.2 between pairs of values is ignored."""
    rng = np.random.default_rng(0)
    n, block, missed = 2 * _CLUSTERS, 2_000, 0
    for _ in range(_MISSES // block):
        shared = np.sqrt(0.2) * rng.standard_normal((block, _CLUSTERS, 1))
        values = (shared + np.sqrt(0.8) * rng.standard_normal((block, _CLUSTERS, 2))).reshape(block, n)
        errors = values.std(axis=1, ddof=1) / np.sqrt(n)
        missed += int((np.abs(values.mean(axis=1)) > t_inverse(n - 1, 0.975) * errors).sum())
    return missed / _MISSES


def reproduction(found: StratStudies, seed: int, people: int | None) -> Reproduction:
    """Assemble the papers' figures next to ours."""
    judged = claims(found.evidence)
    three, four = (found.studies[images] for images in (3, 4))
    command = f"proband reproduce micheals-boult2001 --seed {seed}"
    sizes = tuple(
        f"{counted(study.n_subjects, 'person', 'people')} with {images} images"
        for images, study in found.studies.items()
    )
    first = ALGORITHMS[0]
    items = (
        Item("figure2", "Efficient, figure 2: the gallery effect", _galleries(three.effects, "figure2"), judged["figure2"]),
        Item("figure4", "Efficient, figure 4: mixed galleries", _galleries(three.mixed, "figure4"), judged["figure4"]),
        Item(
            "figure3",
            "Efficient, figure 3: standard errors by method",
            (shown(errors_chart(four, first, id="figure3-chart")), replace(errors_table(four, first, id="figure3-table"), notes=_READ_OFF)),
            judged["figure3"],
        ),
        Item(
            "figure5",
            "Efficient, figure 5: two units and three",
            (shown(units_chart(four, first, id="figure5-chart")), units_table(four, first, id="figure5-table")),
            judged["figure5"],
        ),
        Item(
            "figure6",
            "Efficient, figures 1, 6 and 7: three algorithms",
            tuple(
                shown(algorithms_chart(study, id=f"algorithms-{images}", title=f"Recognition rate by rank, {sizes[at]}, first mixed gallery"))
                for at, (images, study) in enumerate(found.studies.items())
            ),
            judged["figure6"],
        ),
        Item("strat", "STRAT: clusters, intervals and arrays", (_strat(found),), judged["strat"]),
    )  # fmt: skip
    return Reproduction(
        "micheals-boult2001",
        "Stratified evaluation, reproduced",
        "Micheals and Boult (2001): Efficient Evaluation; A Stratified Methodology",
        command if people is None else f"{command} --people {people}",
        seed,
        (
            _SYNTHETIC(people=sizes),
            _STAND_INS(names=ALGORITHMS, n=_TRAINING if people is None else people),
            _QUESTIONS(),
            _COLUMNS(),
        ),
        items,
        {"people": {images: study.n_subjects for images, study in found.studies.items()}, "seed": seed},
        {"studies": found.studies},
    )


def _galleries(effects: tuple[GalleryEffect, ...], id: str) -> tuple[Block, ...]:
    mixed = "mixed galleries" if effects[0].mixed else "galleries"
    caption = f"Rank-1 rates with each of the {mixed}, here; the paper prints none"
    return (
        shown(galleries_chart(effects[0], ranks_drawn(effects[:1]), id=f"{id}-chart")),
        replace(galleries_table(effects), id=f"{id}-table", caption=caption),
        shown(gallery_effect(effects, f"{id}-rates")),
    )


def _strat(found: StratStudies) -> Table:
    evidence = found.evidence
    binomial, cluster = evidence.leprosy
    rows = [
        _said("Cochran's patients, binomial standard error", "2.58%", percent(binomial, 2)),
        _said("Cochran's patients, cluster standard error (surrogate table)", "4.65%", percent(cluster, 2)),
        _said("intervals that miss at ρ(n̄ − 1) = 0.2", "7.4%", percent(evidence.missed, 2)),
        _said("replicates for 256 strata of three units", "256", count(evidence.n_replicates)),
        _said("balanced pairs among 26 columns in 27 rows", "325", count(evidence.balanced_columns)),
    ]
    heads = columns("what", "published", "here", text=3)
    return table("strat-table", "Values printed in STRAT and Efficient, and values here", heads, rows)


def _said(*cells: str) -> tuple[Cell, ...]:
    return tuple(map(text_cell, cells))
