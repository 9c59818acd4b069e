"""Everything a study found, and where it came from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import polars as pl

from proband._version import __version__
from proband.engine.frames import frame_of_rows
from proband.inference import Comparison, Estimate, Evaluation, VirtualExperiments
from proband.inference.comparisons.mcnemar import McNemarOfOutcomes
from proband.inference.galleries.feret_study import FeretStudy
from proband.inference.image_choice.exact import ExactChoice
from proband.inference.strata.study import StratStudy
from proband.inference.verification.groups import Differential
from proband.inference.verification.hard_subjects import HardSubjects
from proband.inference.verification.open_set import SearchEstimates
from proband.inference.verification.verification import Verification
from proband.measures.folds import FoldAccuracy
from proband.samples import Pool
from proband.words import Note, plain

SCHEMA = "proband-results/2"


@dataclass(frozen=True)
class InputFile:
    """A file the study read: its name as given, its size and its hash."""

    name: str
    n_bytes: int
    sha256: str


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
    seed: int = 0
    versions: Mapping[str, str] = field(default_factory=dict)
    inputs: tuple[InputFile, ...] = ()


@dataclass(frozen=True, eq=False)
class Measured:
    """A measure of every algorithm, on a set of probes or of pairs.

    Attributes
    ----------
    code
        What the measure is known by, its parameters and all.
    category
        The probe category; None for all probes, or pairs.
    """

    code: str
    category: str | None
    estimates: tuple[Estimate, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {
            "measure": self.code,
            "category": self.category,
            "estimates": [one.to_dict() for one in self.estimates],
        }

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
class Findings:
    """What a study found: each part is there if it was asked for.

    Attributes
    ----------
    evaluation
        Identification: rates and curves with bands, by probe category.
    measured
        Other measures that were asked for, with their intervals.
    comparisons
        Algorithms compared, by key: the code of the measure, and behind a slash the category of probes if they are not all
        (``rank-1``, ``rank-1/dup1``). The first is the one the verdict is about.
    verification, groups, hard_subjects
        One for each algorithm: error rates, error rates by group, and whom the errors fall on.
    searches
        Open-set identification, one for each algorithm.
    by_gallery_size
        For each of them, what smaller galleries would give, if that was asked for.
    folds
        Accuracy over the folds of listed pairs, one for each algorithm.
    mcnemar
        Two algorithms by the probes on which they differ.
    choices, exact_choices, trainings
        Studies of the choice of images: by trials, as exact means by algorithm, and of training sets (`trained`).
    pool
        The images that could have been chosen.
    strat, feret
        Studies of galleries, and of categories and galleries.
    notes
        What was left out or decided, beyond what the results say themselves.
    """

    title: str
    provenance: Provenance
    evaluation: Evaluation | None = None
    comparisons: Mapping[str, Comparison] = field(default_factory=dict)
    verification: tuple[Verification, ...] = ()
    groups: tuple[Differential, ...] = ()
    hard_subjects: Mapping[str, HardSubjects] = field(default_factory=dict)
    searches: tuple[SearchEstimates, ...] = ()
    choices: VirtualExperiments | None = None
    strat: StratStudy | None = None
    feret: FeretStudy | None = None
    confidence_level: float = 0.95
    notes: tuple[Note, ...] = ()
    by_gallery_size: tuple[pl.DataFrame, ...] = ()
    folds: tuple[FoldAccuracy, ...] = ()
    mcnemar: McNemarOfOutcomes | None = None
    exact_choices: Mapping[str, ExactChoice] = field(default_factory=dict)
    pool: Pool | None = None
    trainings: Estimate | None = None
    trained: tuple[str, ...] = ()
    measured: tuple[Measured, ...] = ()

    @property
    def algorithms(self) -> tuple[str, ...]:
        """Every algorithm that was measured, in order."""
        named: list[str] = []
        if self.evaluation is not None:
            named += self.evaluation.algorithms
        for comparison in self.comparisons.values():
            named += [one.facts.algorithm for one in comparison.estimates]
        named += [one.rates.algorithm for one in self.verification]
        named += [one.algorithm for one in self.searches]
        named += [one.name for one in self.folds]
        named += [] if self.mcnemar is None else [self.mcnemar.first, self.mcnemar.second]
        named += list(self.exact_choices)
        if self.choices is not None:
            named += self.choices.algorithms
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

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, ready for JSON; parts that are not there are left out."""
        parts: dict[str, Any] = {
            "identification": None if self.evaluation is None else self.evaluation.to_dict(),
            "measures": [one.to_dict() for one in self.measured],
            "comparisons": {name: one.to_dict() for name, one in self.comparisons.items()},
            "verification": [one.to_dict() for one in self.verification],
            "groups": [one.to_dict() for one in self.groups],
            "hard_subjects": {name: one.to_dict() for name, one in self.hard_subjects.items()},
            "search": [one.to_dict() for one in self.searches],
            "by_gallery_size": [row for frame in self.by_gallery_size for row in frame.to_dicts()],
            "folds": [one.to_dict() for one in self.folds],
            "mcnemar": None if self.mcnemar is None else self.mcnemar.to_dict(),
            "choices": None if self.choices is None else self.choices.to_dict(self.confidence_level),
            "exact_choices": {name: one.to_dict() for name, one in self.exact_choices.items()},
            "trainings": None
            if self.trainings is None
            else {**self.trainings.to_dict(), "values": _values(self.trainings)},
            "strat": None if self.strat is None else self.strat.to_dict(),
            "feret": None if self.feret is None else self.feret.to_dict(),
        }
        return {
            "schema": SCHEMA,
            "proband": __version__,
            "title": self.title,
            "confidence_level": self.confidence_level,
            "provenance": asdict(self.provenance),
            "notes": plain(self.notes),
            **{name: part for name, part in parts.items() if part},
        }


def _title(comparison: Comparison) -> str:
    measure = str(comparison.estimates[0].answers.of)
    return measure if comparison.category is None else f"{measure}, {comparison.category}"


def _values(made: Estimate) -> list[float]:
    """The value of every training set."""
    return [] if made.replicates is None else made.replicates.tolist()
