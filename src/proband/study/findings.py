"""Everything a study found, and where it came from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, Literal

import numpy as np
import numpy.typing as npt
import polars as pl

from proband.engine.frames import frame_of_rows
from proband.engine.limits import Matching
from proband.inference import Comparison, Estimate, Evaluation, VirtualExperiments
from proband.inference.classification.results import Classification
from proband.inference.comparisons.gate import Gate
from proband.inference.comparisons.mcnemar import McNemarOfOutcomes
from proband.inference.comparisons.mcnemar_table import McNemarTable
from proband.inference.covariates.difficulty import Partition
from proband.inference.covariates.results import CovariateStudy
from proband.inference.datasets.results import DatasetComparison
from proband.inference.estimates.overlap import SetOverlap
from proband.inference.galleries.feret_study import FeretStudy
from proband.inference.image_choice.exact import ExactChoice
from proband.inference.outcomes.results import OutcomeComparison
from proband.inference.strata.study import StratStudy
from proband.inference.survey import SurveyEstimates
from proband.inference.verification.groups import Differential
from proband.inference.verification.hard_subjects import HardSubjects
from proband.inference.verification.open_set import SearchEstimates
from proband.inference.verification.thresholds import DeployedThreshold
from proband.inference.verification.verification import Verification
from proband.measures.folds import FoldAccuracy
from proband.protocols.audit.findings import Audit
from proband.protocols.running.results import ProtocolRun
from proband.results.base import Confidence, Count, Result
from proband.results.schema import schema_of
from proband.results.serializing import Written
from proband.samples import Pool
from proband.words import Note

SCHEMA: Final = "proband-results/2"
PARTS = (
    "identification",
    "measures",
    "overlap",
    "comparisons",
    "gate",
    "verification",
    "groups",
    "hard_subjects",
    "thresholds",
    "search",
    "by_gallery_size",
    "folds",
    "mcnemar",
    "choices",
    "exact_choices",
    "trainings",
    "strat",
    "feret",
    "covariates",
    "partition",
    "classification",
    "outcomes",
    "protocol",
    "audits",
    "survey",
    "datasets",
)
"""The parts of results.json, each there if it was asked for."""


@dataclass(frozen=True)
class InputFile:
    """A file the study read: its name as given, its size and its hash."""

    name: str
    n_bytes: Count
    sha256: Annotated[str, Matching("^[0-9a-f]{64}$")]


@dataclass(frozen=True)
class Provenance:
    """How to do it again.

    Attributes
    ----------
    command
        What was typed.
    study
        The study file's text; empty where a command asked for the report.
    seed
        Of every replicate.
    versions
        Of Proband, Python and the libraries that compute.
    inputs
        Every file that was read.
    """

    command: str
    study: str = ""
    seed: Count = 0
    versions: Mapping[str, str] = field(default_factory=dict)
    inputs: tuple[InputFile, ...] = ()


@dataclass(frozen=True, eq=False)
class Measured(Result):
    """A measure of every algorithm, on a set of probes or of pairs.

    Attributes
    ----------
    code
        What the measure is known by, its parameters and all.
    category
        The probe category; None for all probes, or pairs.
    """

    written = Written({"measure": "code"})

    code: str
    category: str | None
    estimates: tuple[Estimate, ...]

    def to_frame(self) -> pl.DataFrame:
        """Return a row for each algorithm."""
        return frame_of_rows(
            [
                {
                    "measure": self.code,
                    "category": self.category,
                    "algorithm": one.facts.algorithm,
                    "value": one.value,
                    "low": one.low,
                    "high": one.high,
                    "standard_error": one.standard_error,
                    "design": str(one.design),
                }
                for one in self.estimates
            ],
            {
                **dict.fromkeys(("measure", "category", "algorithm"), pl.String),
                **dict.fromkeys(("value", "low", "high", "standard_error"), pl.Float64),
                "design": pl.String,
            },
        )


@dataclass(frozen=True, eq=False)
class TrainedEstimate(Result):
    """An estimate over training sets, and the value of each of them."""

    written = Written(spread=("estimate",))

    estimate: Estimate
    values: npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Findings(Result):
    """What a study found: each part is there if it was asked for.

    Attributes
    ----------
    evaluation
        Identification: rates and curves with bands, by probe category.
    measured
        Other measures that were asked for, with their intervals.
    overlap
        Images and people that gallery and probe sets have in common, if that was asked for.
    comparisons
        Algorithms compared, by key: the code of the measure, and behind a slash the category of probes if they are not all
        (``rank-1``, ``rank-1/dup1``). The first is the one the verdict is about.
    gate
        A new algorithm against the baseline it would replace.
    verification, groups, hard_subjects
        One for each algorithm: error rates, error rates by group, and whom the errors fall on.
    thresholds
        Thresholds to deploy, for each algorithm and false match rate.
    searches
        Open-set identification, one for each algorithm.
    by_gallery_size
        For each of them, what smaller galleries would give, if that was asked for.
    folds
        Accuracy over the folds of listed pairs, one for each algorithm.
    mcnemar
        Two algorithms by the probes on which they differ; or a table of such tests, by pairs and categories.
    choices, exact_choices, trainings
        Studies of the choice of images: by trials, as exact means by algorithm, and of training sets (`trained`).
    pool
        The images that could have been chosen.
    trial_choices
        Which were, in the trials that were asked for.
    strat, feret
        Studies of galleries, and of categories and galleries.
    covariates, partition
        What makes probes fail, and probes divided by difficulty.
    classification, outcomes
        Models that classify samples, and systems compared by outcomes of items.
    relative_ranks
        Whether curves are drawn over rank / people in the gallery.
    protocol, audits
        Classifiers under protocols, and audits of splits.
    survey
        Estimates for a population, from a sample with weights.
    datasets
        Algorithms over several data sets.
    notes
        What was left out or decided, beyond what the results say themselves.
    """

    written = Written(
        {
            "identification": "evaluation",
            "measures": "measured",
            "search": "searches",
            "by_gallery_size": "gallery_sizes",
            "choices": "choices_at_level",
            "trainings": "training_sets",
        },
        without=("pool", "trained", "relative_ranks", "trial_choices"),
        if_any=PARTS,
        versioned=True,
    )

    schema: Literal["proband-results/2"] = field(default=SCHEMA, init=False)
    title: str
    confidence_level: Confidence = field(default=0.95, kw_only=True)
    provenance: Provenance
    notes: tuple[Note, ...] = field(default=(), kw_only=True)
    evaluation: Evaluation | None = None
    measured: tuple[Measured, ...] = field(default=(), kw_only=True)
    overlap: SetOverlap | None = field(default=None, kw_only=True)
    comparisons: Mapping[str, Comparison] = field(default_factory=dict)
    gate: Gate | None = field(default=None, kw_only=True)
    verification: tuple[Verification, ...] = ()
    groups: tuple[Differential, ...] = ()
    hard_subjects: Mapping[str, HardSubjects] = field(default_factory=dict)
    thresholds: tuple[DeployedThreshold, ...] = field(default=(), kw_only=True)
    searches: tuple[SearchEstimates, ...] = ()
    by_gallery_size: tuple[pl.DataFrame, ...] = field(default=(), kw_only=True)
    folds: tuple[FoldAccuracy, ...] = field(default=(), kw_only=True)
    mcnemar: McNemarOfOutcomes | McNemarTable | None = field(default=None, kw_only=True)
    choices: VirtualExperiments | None = None
    exact_choices: Mapping[str, ExactChoice] = field(default_factory=dict, kw_only=True)
    trainings: Estimate | None = field(default=None, kw_only=True)
    strat: StratStudy | None = None
    feret: FeretStudy | None = None
    covariates: CovariateStudy | None = field(default=None, kw_only=True)
    partition: Partition | None = field(default=None, kw_only=True)
    classification: Classification | None = field(default=None, kw_only=True)
    outcomes: OutcomeComparison | None = field(default=None, kw_only=True)
    relative_ranks: bool = field(default=False, kw_only=True)
    protocol: ProtocolRun | None = field(default=None, kw_only=True)
    audits: tuple[Audit, ...] = field(default=(), kw_only=True)
    survey: SurveyEstimates | None = field(default=None, kw_only=True)
    datasets: DatasetComparison | None = field(default=None, kw_only=True)
    pool: Pool | None = None
    trained: tuple[str, ...] = ()
    trial_choices: pl.DataFrame | None = field(default=None, kw_only=True)

    @property
    def gallery_sizes(self) -> tuple[dict[str, Any], ...]:
        """Rows of what smaller galleries would give."""
        return tuple(row for frame in self.by_gallery_size for row in frame.to_dicts())

    @property
    def choices_at_level(self) -> VirtualExperiments | None:
        """The choices of images, with intervals of the study's level."""
        return None if self.choices is None else self.choices.at_level(self.confidence_level)

    @property
    def training_sets(self) -> TrainedEstimate | None:
        """The estimate over training sets, with the value of each."""
        made = self.trainings
        if made is None:
            return None
        return TrainedEstimate(made, np.empty(0) if made.replicates is None else made.replicates)

    @property
    def algorithms(self) -> tuple[str, ...]:
        """Every algorithm that was measured, in order."""
        named: list[str] = []
        if self.evaluation is not None:
            named += self.evaluation.algorithms
        for comparison in self.comparisons.values():
            named += [one.facts.algorithm for one in comparison.estimates]
        named += [] if self.gate is None else [self.gate.candidate, self.gate.baseline]
        named += [one.rates.algorithm for one in self.verification]
        named += [one.algorithm for one in self.thresholds]
        named += [one.algorithm for one in self.searches]
        named += [one.name for one in self.folds]
        named += [] if self.mcnemar is None else [*self.mcnemar.algorithms]
        named += list(self.exact_choices)
        if self.choices is not None:
            named += self.choices.algorithms
        named += [] if self.covariates is None else self.covariates.algorithms
        named += [] if self.partition is None else self.partition.algorithms
        if self.classification is not None:
            named += self.classification.algorithms
        if self.outcomes is not None:
            named += [one.facts.algorithm for one in self.outcomes.estimates]
        named += [] if self.protocol is None else self.protocol.classifiers
        named += [] if self.datasets is None else self.datasets.algorithms
        return tuple(dict.fromkeys(named))

    @property
    def titles(self) -> dict[str, str]:
        """What people call each comparison: its measure, its probes, and a number if it is not the first of these."""
        named = {key: _title(one) for key, one in self.comparisons.items()}
        seen: Counter[str] = Counter()
        for key, title in named.items():
            seen[title] += 1
            named[key] = title if seen[title] == 1 else f"{title} ({seen[title]})"
        return named


def _title(comparison: Comparison) -> str:
    measure = str(comparison.estimates[0].answers.of)
    return measure if comparison.category is None else f"{measure}, {comparison.category}"


def results_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of results.json."""
    return schema_of(Findings, "Results of a Proband study")
