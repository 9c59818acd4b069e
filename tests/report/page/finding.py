"""Small studies of random scores, through the real functions."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

import proband as pb
from proband.analyses.audit.run import Audits
from proband.analyses.choices.run import Choices
from proband.analyses.comparison.run import ComparedAlgorithms
from proband.analyses.identification.run import Identified
from proband.analyses.search.run import Searched
from proband.analyses.threshold.run import Thresholds
from proband.analyses.verification.run import Verified
from proband.inference.strata.study import strat_study
from proband.inference.verification.groups import error_rates_by, hard_subjects_of
from proband.inference.verification.open_set import searches_with_intervals
from proband.inference.verification.people import group_differences
from proband.protocols.audit.audit import audit
from proband.protocols.running.data import FeatureTable
from proband.protocols.running.running import run_protocol
from proband.report.page.build import build_page
from proband.report.page.model import Page
from proband.report.scene import Scene
from proband.study.findings import Findings, InputFile, Provenance
from proband.words import Sentence

_OF_THE_STUDY = Sentence("test.study", "note", "a note of the study")

PEOPLE, IMAGES = 40, 4


def samples() -> pb.Samples:
    ids = [f"s{person:02d}-{image}" for person in range(PEOPLE) for image in range(IMAGES)]
    return pb.Samples(
        {
            "id": ids,
            "subject": [name[:3] for name in ids],
            "image": [int(name[4:]) for name in ids],
            "session": [1 + (int(name[4:]) > 1) for name in ids],
            "kind": ["even" if int(name[1:3]) % 2 == 0 else "odd" for name in ids],
        }
    )


def scores(name: str, noise: float, seed: int) -> pb.Scores:
    """Closeness of random vectors, each person's around one of its own."""
    rng = np.random.default_rng([5, 0])
    centres = np.repeat(rng.normal(size=(PEOPLE, 6)), IMAGES, axis=0)
    own = np.random.default_rng([5, seed + 1])
    vectors = centres + noise * own.normal(size=centres.shape)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    ids = list(samples().ids)
    return pb.Scores.from_array(vectors @ vectors.T, ids, ids, orientation="similarity", name=name)


NOISES = {"sharp": 0.45, "plain": 0.5, "blunt": 0.9}
STUDY = 'title = "Random"\n'
PROVENANCE = Provenance(
    "proband run study.toml",
    STUDY,
    7,
    {"proband": pb.__version__},
    (InputFile("samples.csv", 1234, "ab" * 32),),
)


@cache
def whole() -> Findings:
    """Every part there is, but for FERET's."""
    table = samples()
    algorithms = [scores(name, noise, place) for place, (name, noise) in enumerate(NOISES.items())]
    experiment = pb.Experiment(table, gallery="image == 0")
    evaluation = pb.evaluate(
        algorithms, experiment, categories=[pb.Category.parse("even: probe.kind == 'even'")]
    )
    first = evaluation.of(evaluation.categories[0])
    verified = tuple(pb.verify(one, experiment, fmr=(0.1, 0.01), n_resamples=100) for one in algorithms)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(group_differences, "_DRAWS", 199)
        by_kind = tuple(
            error_rates_by(one, experiment, "kind", made.points[0].counts)
            for one, made in zip(algorithms, verified, strict=True)
        )
    hard = hard_subjects_of(algorithms[0], experiment, verified[0].points[0].counts, pseudonyms=True)
    part = pb.Experiment(table, gallery="image == 0 and kind == 'even'", probes="image != 0")
    return Findings(
        "Random",
        PROVENANCE,
        {
            "identification": Identified(evaluation),
            "comparison": ComparedAlgorithms(
                {
                    "rank-1": pb.compare(
                        [one.outcomes for one in first], measure=pb.measures.RecognitionRate(1)
                    ),
                    "median-rank-10": pb.compare(
                        [one.outcomes for one in first],
                        measure=pb.measures.MedianCensoredRank(10),
                        design=pb.designs.Bootstrap("subject", n_resamples=200),
                    ),
                }
            ),
            "verification": Verified(verified, by_kind, {"sharp": hard}),
            "search": Searched(
                tuple(searches_with_intervals(pb.search(one, part), (0.1,), (1,)) for one in algorithms)
            ),
            "choices": Choices(
                pb.permute(
                    algorithms,
                    pb.Pool(table, groups="session"),
                    design=pb.designs.ImageChoice(n_resamples=200),
                )
            ),
            "strat": strat_study(algorithms[:2], samples=table, n_images=4),
            "gate": pb.gate(algorithms[0], experiment, baseline=algorithms[2]),
            "threshold": Thresholds(tuple(pb.threshold(algorithms, experiment, fmr=0.1).values())),
        },
        notes=(_OF_THE_STUDY(),),
    )


@cache
def feret() -> Findings:
    table = samples()
    algorithms = [scores(name, noise, place) for place, (name, noise) in enumerate(NOISES.items())]
    experiment = pb.Experiment(table, gallery="image == 0")
    found = pb.feret.feret_study(
        algorithms,
        experiment,
        categories=[pb.Category.parse("even: probe.kind == 'even'")],
        versions=[("blunt", "plain")],
        galleries=pb.designs.Galleries(2),
        sizes=(5, 20, 40),
    )
    return Findings("FERET", PROVENANCE, {"feret": found})


@cache
def labelled() -> Findings:
    """Models that classify samples, and systems compared by outcomes."""
    rng = np.random.default_rng(6)
    truth, groups = rng.integers(0, 6, 200), rng.integers(0, 40, 200)
    logits = {
        name: rng.normal(size=(200, 6)) + lift * np.eye(6)[truth] for name, lift in (("a", 3), ("b", 2))
    }
    right = {
        name: (rng.random(90) < share).astype(int) for name, share in (("x", 0.9), ("y", 0.6), ("z", 0.7))
    }
    return Findings(
        "Labelled",
        PROVENANCE,
        {
            "classification": pb.classify(truth, logits, cluster=groups, k=(1, 2)),
            "outcomes": pb.compare_outcomes(right, algorithms=list(right)),
        },
    )


@cache
def under_protocols() -> Findings:
    """Two classifiers under two protocols, by size, and the audits of their splits."""
    rng = np.random.default_rng(3)
    who, smile = np.repeat(np.arange(12), 4), np.tile(["no", "yes"], 24)
    table = pb.Samples(
        {"id": [f"s{k}" for k in range(48)], "subject": [f"p{k}" for k in who], "smile": smile}
    )
    features = rng.normal(size=(48, 3)) + (smile == "yes")[:, None]
    data = FeatureTable(table, features=features, name="toy")
    learners = {
        "lda": "sklearn.discriminant_analysis:LinearDiscriminantAnalysis()",
        "centre": "sklearn.neighbors:NearestCentroid()",
    }
    run = run_protocol(
        learners, data, ["2×3f CV+", "75-25 HO"], task="attribute", label="smile", justification="to compare",
        subjects=[8, 12], draws=3,
    )  # fmt: skip
    audits = tuple(
        audit(list(one.plan.splits()), table, task="attribute", label="smile", protocol=one.protocol)
        for one in run.findings
    )
    return Findings("Protocols", PROVENANCE, {"protocol": run, "audit": Audits(audits)})


@cache
def one() -> Findings:
    """One algorithm alone."""
    experiment = pb.Experiment(samples(), gallery="image == 0")
    evaluation = pb.evaluate([scores("sharp", 0.45, 0)], experiment)
    return Findings("One", PROVENANCE, {"identification": Identified(evaluation)})


@cache
def page(made: Callable[[], Findings]) -> Page:
    """The page of a study, built once."""
    return build_page(Scene(made()))


def many(n: int) -> Findings:
    """So many algorithms."""
    experiment = pb.Experiment(samples(), gallery="image == 0")
    algorithms = [scores(f"algorithm {place:02d}", 0.3 + 0.015 * place, place) for place in range(n)]
    evaluation = pb.evaluate(algorithms, experiment)
    compared = pb.compare(
        [one.outcomes for one in evaluation.entries], measure=pb.measures.RecognitionRate(1)
    )
    verified = tuple(pb.verify(one, experiment, fmr=(0.1, 0.01), n_resamples=0) for one in algorithms)
    parts = {
        "identification": Identified(evaluation),
        "comparison": ComparedAlgorithms({"rank-1": compared}),
        "verification": Verified(verified),
    }
    return Findings("Many", PROVENANCE, parts)
