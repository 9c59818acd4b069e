"""What a type checker sees of every public verb; mypy runs over this file, and nothing runs it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, assert_type

import numpy as np
import numpy.typing as npt
import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from PIL.Image import Image

import proband as pb
from proband.algorithms.pictures.detect import Detector
from proband.engine import Progress
from proband.papers.page import Reproduction
from proband.protocols.audit.losses import Losses
from proband.protocols.cards.card import ProtocolCard
from proband.protocols.epd import EPDVerdict
from proband.protocols.running.results import ProtocolRun
from proband.protocols.running.what_if import WhatIf
from proband.report.tables.table import Table
from proband.study.definition import Study
from proband.words import Note


def top(
    a: pb.Scores,
    vectors: pb.Embeddings,
    listed: pb.Trials,
    experiment: pb.Experiment,
    samples: pb.Samples,
    pool: pb.Pool,
    outcomes: pb.measures.Outcomes,
    ax: Axes,
) -> None:
    both = [a, a]
    named = {"a": a, "b": vectors}
    assert_type(pb.read_scores("s.npz"), dict[str, pb.data.DenseScores])
    assert_type(pb.read_embeddings("e.npz"), dict[str, pb.Embeddings])
    assert_type(pb.write_scores("s.npz", a), str)
    assert_type(pb.scored_pairs([1], [0.5], orientation="similarity"), dict[str, pb.Trials])
    assert_type(pb.rank(a, experiment), pb.measures.Outcomes)
    assert_type(pb.rank(both, experiment), pb.results.Several[str, pb.measures.Outcomes])
    assert_type(pb.search(a, experiment), pb.measures.Searches)
    assert_type(pb.evaluate(both, experiment), pb.results.Evaluation)
    assert_type(pb.evaluate(vectors, experiment), pb.results.Evaluation)
    assert_type(pb.estimate(a, experiment), pb.results.Estimate)
    assert_type(pb.estimate(listed, measure="tar@0.001"), pb.results.Estimate)
    assert_type(pb.estimate(named, samples, measure="auc"), pb.results.Several[str, pb.results.Estimate])
    assert_type(pb.estimate(both, pool, design=pb.designs.TrainingSets()), pb.results.Estimate)
    assert_type(pb.compare(both, experiment), pb.results.Comparison)
    assert_type(pb.compare(named, experiment, measure="rank-5", by="sex"), pb.results.ComparisonsByCategory)
    assert_type(pb.gate(a, experiment, baseline=a), pb.results.Gate)
    assert_type(pb.verify(a, samples), pb.results.Verification)
    assert_type(pb.verify(listed), pb.results.Verification)
    assert_type(pb.verify(both, samples), pb.results.Several[str, pb.results.Verification])
    assert_type(
        pb.verify_pairs([1], [0.5], orientation="similarity"),
        pb.results.Verification | pb.results.Several[str, pb.results.Verification],
    )
    assert_type(pb.threshold(both, samples, fmr=0.01), pb.results.Several[str, pb.results.DeployedThreshold])
    assert_type(pb.classify([0], {"x": [0]}), pb.results.Classification)
    assert_type(pb.compare_outcomes({}, algorithms=["x", "y"]), pb.results.OutcomeComparison)
    assert_type(pb.compare_datasets({}), pb.results.DatasetComparison)
    assert_type(pb.mcnemar(3, 5), pb.results.PairedTest)
    assert_type(pb.permute(both, pool), pb.results.VirtualExperiments)
    assert_type(pb.covariates(both, experiment, on="sex"), pb.results.CovariateStudy)
    assert_type(pb.partition(both, experiment), pb.results.Partition)
    assert_type(pb.read_study("study.toml"), Study)
    assert_type(pb.run(pb.Request()), pb.results.Findings)
    assert_type(pb.read_results("out"), dict[str, Any])
    assert_type(pb.compare(both, experiment).plot(ax, "differences"), Figure)
    assert_type(pb.evaluate(both, experiment).to_frame(), pl.DataFrame)
    pb.save_figure(pb.estimate(outcomes).plot(), Path("f.svg"))


def rooms(
    a: pb.Scores,
    experiment: pb.Experiment,
    samples: pb.Samples,
    pool: pb.Pool,
    outcomes: pb.measures.Outcomes,
    columns: pb.strat.ImageColumns,
    curve: pb.results.Curve,
    pairs: pb.stats.PairedOutcomes,
    card: ProtocolCard,
    features: pb.protocols.FeatureTable,
) -> None:
    both = [a, a]
    assert_type(pb.data.experiment_over(both, samples), pb.Experiment)
    assert_type(pb.data.pool_over(both, samples), pb.Pool)
    assert_type(pb.data.check_orientation(a, experiment), pb.data.OrientationCheck)
    assert_type(pb.data.representation(samples, "x"), pb.data.Representation)
    assert_type(pb.data.equally_representative(samples, "x", "y"), bool)
    assert_type(pb.stats.compare_independent(outcomes, outcomes), pb.results.Comparison)
    assert_type(pb.stats.mcnemar_table(both, experiment), pb.results.McNemarTable)
    assert_type(pb.stats.explain_outcomes({}, success="x", on="y"), pb.results.CovariateStudy)
    assert_type(pb.stats.estimate_cmc(a, experiment), pb.results.Band)
    assert_type(pb.stats.estimate_cmc(both, experiment), pb.results.Several[str, pb.results.Band])
    assert_type(pb.stats.set_overlap(experiment), pb.results.SetOverlap)
    assert_type(pb.stats.tango_interval(pairs), pb.results.Interval)
    assert_type(pb.stats.newcombe_interval(pairs), pb.results.Interval)
    assert_type(pb.stats.proportion_interval(3, 5), pb.results.Interval)
    assert_type(pb.stats.difference_of_independent(3, 5, 4, 9), tuple[pb.results.Interval, float])
    assert_type(pb.strat.compare_sensors(a, experiment, by="camera"), pb.results.Comparison)
    assert_type(pb.strat.gallery_effect(a, columns=columns), pb.results.GalleryEffect)
    assert_type(pb.strat.strat_study(both, experiment), pb.results.StratStudy)
    assert_type(pb.feret.feret_categories(), tuple[pb.Category, ...])
    assert_type(pb.feret.feret_study(both, experiment), pb.results.FeretStudy)
    assert_type(
        pb.feret.gallery_variation(both, experiment, design=pb.designs.Galleries(3)),
        pb.results.GalleryVariation,
    )
    assert_type(pb.choices.exact_over_choices(a, pool), pb.results.ExactChoice)
    assert_type(pb.choices.trial_choices(pool), pl.DataFrame)
    assert_type(pb.survey.estimate_weighted(len, [1, 1]), pb.results.Estimate)
    assert_type(pb.survey.Survey({}).mean("x"), pb.results.SurveyEstimates)
    assert_type(pb.planning.coverage(subjects=9), pb.results.Coverage)
    assert_type(pb.planning.compare_halves(outcomes), pb.results.Halves)
    assert_type(pb.planning.plan_difference(0.1), pb.results.DifferencePlan)
    assert_type(pb.planning.plan_error_rate(0.1), pb.results.ErrorRatePlan)
    assert_type(pb.planning.plan_half_width(0.9), pb.results.HalfWidthPlan)
    assert_type(pb.measures.measure_named("rank-1"), pb.measures.Measure)
    assert_type(pb.measures.average_cmc([curve]), pb.results.Curve)
    assert_type(pb.designs.design_named("brr"), pb.designs.Design)
    assert_type(pb.measures.RecognitionRate(1)(a, experiment), pb.results.Measurement)
    assert_type(pb.algorithms.detector("opencv"), Detector)
    assert_type(pb.algorithms.recognizer("pca"), pb.algorithms.Recognizer)
    assert_type(pb.protocols.epd_verdict("5-f CV", task="identity"), EPDVerdict)
    assert_type(pb.protocols.losses(samples, []), Losses)
    assert_type(pb.protocols.splitter("5-f CV"), pb.protocols.Splitter)
    assert_type(pb.protocols.run_protocol(["x"], features, "5-f CV"), ProtocolRun)
    assert_type(pb.sklearn.cross_validate([], [], []), ProtocolRun)
    assert_type(pb.sklearn.scorer("top-1"), Callable[[Any, Any, Any], float])
    assert_type(pb.protocols.what_if("x", features, "mixed"), WhatIf)
    assert_type(pb.protocols.compare_predictions({}), pb.results.Classification)
    assert_type(pb.report.statements(pb.evaluate(a, experiment)), list[Note])
    assert_type(pb.report.evaluation_tables(pb.evaluate(a, experiment)), list[Table])
    assert_type(pb.report.comparison_table(pb.compare(both, experiment)), Table)
    assert_type(pb.report.evaluation_figure(pb.evaluate(a, experiment)), Figure)
    assert_type(pb.report.cmc_figure({"": [curve]}), Figure)
    assert_type(pb.measures.upper_bound_cmc([curve]), pb.results.Curve)
    assert_type(pb.protocols.paired_test([card, card], [Path("a"), Path("b")]), pb.results.Classification)


def pictures(
    samples: pb.Samples,
    found: pb.algorithms.Pictures,
    grey: npt.NDArray[np.uint8],
    model: pb.algorithms.Model,
    acquired: pb.algorithms.Acquired,
    sets: pb.algorithms.Sets,
    key: pb.blind.Key,
    package: pb.blind.Package,
    progress: Progress,
) -> None:
    pb.algorithms.save_model(model, "m.npz")
    assert_type(pb.algorithms.load_model("m.npz"), pb.algorithms.Model)
    assert_type(pb.algorithms.names(), list[str])
    assert_type(pb.algorithms.names_code("pca"), bool)
    assert_type(pb.algorithms.family_of("pca:angle"), str | None)
    assert_type(pb.blind.hashed("a", "salt"), str)
    assert_type(pb.blind.met_by(["a"], key), list[pb.blind.Meeting])
    assert_type(pb.blind.read_training("a"), tuple[str, Any])
    assert_type(pb.blind.receive(package, "handed", "receipts.jsonl"), pb.blind.Receipt)
    assert_type(pb.blind.time_left(package), pb.blind.TimeLeft | None)
    assert_type(pb.algorithms.acquire(found, samples, ["a"]), pb.algorithms.Acquired)
    assert_type(pb.algorithms.train([pb.algorithms.PCA()], acquired, ["a"]), list[pb.algorithms.Model])
    assert_type(pb.algorithms.score([model], acquired, sets), list[pb.data.DenseScores])
    assert_type(pb.algorithms.crop_faces(grey, [[1.0]]), npt.NDArray[np.uint8])
    assert_type(pb.algorithms.read_picture(Path("a.png")), npt.NDArray[np.uint8])
    assert_type(pb.faces.contact_sheet(grey, 4), Image)
    assert_type(pb.stats.cluster_statistics(np.ones(3), np.arange(3)), pb.results.Clusters)
    out = Path("out")
    assert_type(pb.papers.reproduce_beveridge2001(out, 9, 0, None, progress), tuple[Reproduction, Path])
    assert_type(pb.papers.reproduce_feret2000(out, 9, 0, None, progress), tuple[Reproduction, Path])
    assert_type(pb.papers.reproduce_mery2016(out, 9, 2, 0, None, progress), tuple[Reproduction, Path])
    assert_type(pb.papers.reproduce_micheals_boult2001(out, 0, None, progress), tuple[Reproduction, Path])
