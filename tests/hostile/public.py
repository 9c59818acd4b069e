"""Every public callable, a good call of it, and what nobody should give it.

Names are found by looking: what `proband` and its namespaces publish, and the public methods of every class there. A good call is made
of what is known here by the name of an argument (`ARGUMENTS`), and of an instance of a class (`instances`), which says
what its class was made of.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from secrets import token_hex
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
from PIL import Image

import proband as pb
from proband.blind.checking.submission import Submission
from proband.designs.strata import Strata
from proband.measures.pairs.weighted import WeightedRates
from proband.results.about import Who
from proband.results.base import Interval, Result

STATISTICS = ("Function", "Mean", "Quantile", "Ratio", "Total", "Variance")
NAMESPACES = tuple(name for name in dir(pb) if inspect.ismodule(getattr(pb, name)))
CALLED = ("__call__", "__getitem__")
EVIL: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "True": lambda: True,
    "-1": lambda: -1,
    "0": lambda: 0,
    "2**70": lambda: 2**70,
    "10**400": lambda: 10**400,
    "10**5000": lambda: 10**5000,
    "inf": lambda: float("inf"),
    "-inf": lambda: float("-inf"),
    "nan": lambda: float("nan"),
    "1e308": lambda: 1e308,
    "1e-320": lambda: 1e-320,
    "''": lambda: "",
    "'a\\0b'": lambda: "a\0b",
    "surrogate": lambda: "\ud800",
    "'x' * 10**5": lambda: "x" * 10**5,
    "b'x'": lambda: b"x",
    "[]": list,
    "[nan]": lambda: [float("nan")],
    "[-1]": lambda: [-1],
    "[None]": lambda: [None],
    "{}": dict,
    "{None: None}": lambda: {None: None},
    "()": tuple,
    "set()": set,
    "object()": object,
    "a class": lambda: int,
    "a function": lambda: lambda *args, **named: None,
    "np.array(.01)": lambda: np.array(0.01),
    "np.array([])": lambda: np.array([]),
    "np.zeros((0, 3))": lambda: np.zeros((0, 3)),
    "np.float32('nan')": lambda: np.float32("nan"),
    "np.int8(-1)": lambda: np.int8(-1),
    "NaT": lambda: np.datetime64("NaT"),
    "Decimal('NaN')": lambda: Decimal("NaN"),
    "Fraction(1, 3)": lambda: Fraction(1, 3),
    "1j": lambda: 1j,
    "pd.DataFrame()": pd.DataFrame,
    "pl.DataFrame()": pl.DataFrame,
    "pd.Series()": lambda: pd.Series([], dtype=float),
    "range(0)": lambda: range(0),
    "a generator": lambda: (one for one in ()),
    "Path('nope')": lambda: Path("nope"),
    "[surrogate]": lambda: ["\ud800"],
    "['a\\0b']": lambda: ["a\0b"],
    "['']": lambda: [""],
    "[10**400]": lambda: [10**400],
    "[object()]": lambda: [object()],
    "[[]]": lambda: [[]],
    "{'a': None}": lambda: {"a": None},
    "{'a': nan}": lambda: {"a": float("nan")},
    "np.array([1j])": lambda: np.array([1j]),
    "np.array(['a'])": lambda: np.array(["a"]),
    "np.array([inf])": lambda: np.array([np.inf]),
    "np.full((2, 2), nan)": lambda: np.full((2, 2), np.nan),
    "pd.Series([None])": lambda: pd.Series([None]),
    "pl.Series([nan])": lambda: pl.Series([float("nan")]),
}
"""What nobody should give, made anew for each call."""

N = 8
IDS = [f"{side}{k}" for k in range(N) for side in "gpq"]
TABLE = {
    "id": IDS,
    "subject": [name[1:] for name in IDS],
    "session": [1, 2, 2] * N,
    "sex": ["m", "m", "m", "f", "f", "f"] * (N // 2),
    "age": [float(20 + k) for k in range(3 * N)],
    "file": [f"{name}.png" for name in IDS],
    "image_set": ["fa", "fb", "fb"] * N,
    "date": ["1996-01-01", "1996-01-02", "1997-12-01"] * N,
    "camera": ["a", "b", "a"] * N,
}


STUDY = """output.formats = ["csv"]
[samples]
file = "samples.csv"
[[scores]]
file = "a.npz"
orientation = "similarity"
query_ids = "ids"
target_ids = "ids"
[experiment]
gallery = "session == 1"
[verification]
n_resamples = 0
"""


class Nearest:
    """A classifier by the nearest training sample."""

    def fit(self, X: Any, y: Any) -> Nearest:
        self.x, self.y = np.asarray(X), np.asarray(y)
        return self

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {}

    def set_params(self, **params: Any) -> Nearest:
        return self

    def predict(self, x: Any) -> Any:
        gaps = ((np.asarray(x)[:, None] - self.x[None]) ** 2).sum(axis=2)
        return self.y[gaps.argmin(axis=1)]


class World:
    """What good calls are made of."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        rng = np.random.default_rng(0)
        alike = np.equal.outer(TABLE["subject"], TABLE["subject"])
        values = alike + rng.normal(0, 0.4, alike.shape)
        self.values, self.samples = values, pb.Samples(TABLE)
        self.a = pb.Scores.from_array(values, IDS, orientation="similarity", name="a")
        self.b = pb.Scores.from_array(
            alike + rng.normal(0, 0.5, alike.shape), IDS, orientation="similarity", name="b"
        )
        self.experiment = pb.Experiment(self.samples, gallery="session == 1")
        self.open = pb.Experiment(self.samples, gallery="session == 1 and age < 40", probes="session == 2")
        self.pool = pb.Pool(self.samples)
        self.outcomes, self.others = (pb.rank(one, self.experiment) for one in (self.a, self.b))
        self.both = [self.a, self.b]
        self.rows = pl.DataFrame(
            {
                "q": [*range(10)] * 2,
                "m": ["x"] * 10 + ["y"] * 10,
                "ok": [0, 1] * 10,
                "g": ["s", "t"] * 10,
                "w": [1.0, 2.0] * 10,
            }
        )
        self.truth, self.logits = np.arange(24) % 3, rng.normal(size=(24, 3))
        self.weighted = WeightedRates(
            np.ones((2, 2)), *[np.array([[2.0, 1.0], [1.0, 0.0]])] * 2, np.array([3.0, 2.0])
        )
        self.failures = {"ok": [0, 1, 1, 0, 1, 0, 0, 1] * 3, "w": [float(k % 5) for k in range(24)]}
        halves = [f"session == {{}} and age {than} 32" for than in ("<", ">=")]
        self.lower, self.apart = (
            pb.rank(self.b, pb.Experiment(self.samples, one.format(1), one.format(2))) for one in halves
        )
        self.instances = {type(one): one for one in self._instances()}
        np.savez(folder / "a.npz", a=values, ids=IDS)
        np.savez(folder / "vectors.npz", vectors=values, ids=IDS)
        pl.DataFrame(TABLE).write_csv(folder / "samples.csv")
        pl.DataFrame({"id": IDS, "label": TABLE["sex"], "predicted": TABLE["sex"]}).write_csv(
            folder / "predictions.csv"
        )
        (folder / "study.toml").write_text(STUDY)
        (folder / "pictures").mkdir()
        for name, image in zip(IDS, self.crops.images, strict=True):
            Image.fromarray(image).save(folder / "pictures" / f"{name}.png")
        self.strata = Strata.of(["a", "a", "b", "b"])

    def _instances(self) -> Iterator[Any]:
        """One of every class that is published."""
        a, b, experiment, samples = self.a, self.b, self.experiment, self.samples
        rate = pb.measures.RecognitionRate(1)
        yield from (
            samples,
            a,
            experiment,
            self.pool,
            self.outcomes,
            samples.ids,
            samples.select("session == 1"),
        )
        yield pb.Embeddings(self.values, IDS, metric="cosine")
        yield pb.report.ProgressBar()
        yield from (
            rate,
            pb.measures.CMC(),
            pb.measures.EER(),
            pb.measures.AUC(),
            pb.measures.FNMR(0.1),
            pb.measures.TAR(0.1),
            pb.measures.MedianCensoredRank(),
        )
        yield from (
            pb.measures.MedianRelativeRank(),
            pb.measures.RankStatistic(np.mean),
            pb.measures.RelativeRankRate(0.1),
        )
        yield from (pb.Category("m", "probe.sex == 'm'"), pb.data.OnePerSubject(), pb.Request())
        yield from (make() for make in DESIGNS)
        trials = pl.DataFrame(
            {
                "query": ["g0", "g1", "g2", "g3"],
                "target": ["p0", "p1", "p3", "p4"],
                "query_subject": [*"0123"],
                "target_subject": [*"0134"],
                "score": [3.0, 2.0, 1.0, 0.0],
            }
        )
        yield pb.Trials(trials, "similarity")
        yield from (rate(self.outcomes), pb.measures.CMC()(self.outcomes))
        evaluated = pb.evaluate(self.both, experiment)
        entry = evaluated.entries[0]
        yield from (evaluated, entry, entry.band, entry.curve.facts, entry.curve.answers)
        verified = pb.verify(self.both, samples, fmr=0.1, thresholds=[0.25], n_resamples=100)
        yield from (verified, verified["a"], verified["a"].rates, verified["a"].points[0].counts)
        deployed = pb.threshold(self.both, samples, fmr=0.1)
        yield from (deployed, deployed["a"])
        compared = pb.compare(self.both, experiment, measure=rate)
        yield from (
            compared,
            compared.pairs[0],
            pb.estimate(a, experiment, measure=rate, design=pb.designs.Bootstrap(n_resamples=200)),
            pb.estimate(self.both, experiment, measure=rate),
            Interval(0.0, 1.0),
        )
        yield from (
            pb.mcnemar(3, 5),
            pb.stats.mcnemar_table(self.both, experiment),
            pb.gate(a, experiment, baseline=b),
        )
        yield pb.classify(self.truth, {"x": self.logits, "y": self.logits[::-1]})
        outcomes = pb.compare_outcomes(self.rows, item="q", algorithm="m", success="ok")
        yield from (outcomes, outcomes.estimates[0], pb.stats.PairedOutcomes(5, 3, 2, 4))
        yield pb.stats.set_overlap(experiment)
        yield pb.stats.cluster_statistics(np.array([1.0, 0, 1, 1]), np.array([0, 0, 1, 1]))
        yield pb.planning.coverage(
            measure="rank-1", subjects=10, probes_per_subject=2, rate=0.9, icc=0.1, n_sets=20
        )
        yield pb.planning.compare_halves(self.outcomes, measure=rate, n_splits=5)
        yield pb.search(a, self.open)
        yield pb.data.check_orientation(a, experiment)
        yield pb.data.representation(samples, "session == 1")
        survey = pb.survey.Survey(self.rows, weights="w", strata="g")
        means = survey.mean("ok", by="g")
        yield from (survey.replicated("jkn"), means, means[0], means.difference(*means.names[:2]))
        yield from (getattr(pb.survey, name)("ok") for name in ("Mean", "Quantile", "Total", "Variance"))
        yield from (pb.survey.Ratio("ok", "w"), pb.survey.Function(np.sum))
        yield pb.survey.estimate_weighted(
            lambda weights: (weights * self.rows["ok"].to_numpy()).sum(), [1, 1, 2, 2] * 5
        )
        datasets = pl.DataFrame(
            {"dataset": [*"abcdef"], "x": [0.1, 0.2, 0.3, 0.2, 0.5, 0.1], "y": [0.2, 0.2, 0.4, 0.1, 0.6, 0.3]}
        )
        self.datasets = datasets
        yield pb.compare_datasets(datasets)
        datasets.write_csv(self.folder / "datasets.csv")
        yield pb.run(pb.Request(datasets={"table": str(self.folder / "datasets.csv")}))
        columns = pb.strat.ImageColumns.of(samples, (a,))
        effect = pb.strat.gallery_effect(a, columns=columns)
        yield from (columns, effect, effect.test, effect.test.who, effect.test.rests_on)
        variation = pb.feret.gallery_variation(
            self.both, experiment, measure=rate, design=pb.designs.Galleries(2)
        )
        yield variation
        chosen = pb.permute(
            self.both, self.pool, design=pb.designs.ImageChoice(64), keep=True, measures="median-rank@3"
        )
        yield from (
            chosen,
            chosen.measured["median-rank-3"],
            chosen.rate("a"),
            pb.choices.exact_over_choices(a, self.pool),
        )
        yield from (
            pb.compare(self.both, experiment, measure=rate, by="sex"),
            pb.partition(self.both, experiment, parts=2),
            pb.covariates(self.both, experiment, on="sex"),
            pb.feret.feret_study(self.both, experiment),
            pb.strat.strat_study(self.both, samples=samples),
            pb.planning.plan_difference(0.1, discordant=0.2),
            pb.planning.plan_error_rate(0.1),
            pb.planning.plan_half_width(0.9, 0.1),
        )
        yield from self._of_protocols()
        yield from self._of_blind_tests()
        yield from self._of_pictures()

    def _of_protocols(self) -> Iterator[Any]:
        protocols = pb.protocols
        self.features = protocols.FeatureTable(self.samples, features=self.values)
        yield from (self.features, protocols.Protocol.parse("5-f CV"), protocols.splitter("5-f CV"))
        card = protocols.ProtocolCard(method="a")
        card.write(self.folder / "card.json")
        yield card

    def _of_blind_tests(self) -> Iterator[Any]:
        def load(name: str) -> Any:
            return np.random.default_rng(IDS.index(name)).integers(0, 255, (20, 18), dtype=np.uint8)

        pictures = pb.algorithms.Pictures(load)
        test = pb.blind.BlindTest(
            self.samples,
            *("session == 1", "session == 2", pictures),
            canaries=0,
            control=0,
            seed=1,
            deadline="2026-12-01T12:00Z",
        )
        made = test.make(self.folder / "blind", self.folder / "key")
        yield from (
            test,
            made,
            pb.blind.Package.read(self.folder / "blind"),
            pb.blind.Key.read(self.folder / "key"),
        )
        (package,) = made.packages
        handed = self.folder / "handed"
        handed.mkdir()
        np.save(
            handed / "scores.npy",
            np.random.default_rng(1).normal(size=(len(package.queries), len(package.targets))),
        )
        (handed / "submission.toml").write_text('algorithm = "a"\norientation = "similarity"\n')
        log = self.folder / "receipts.jsonl"
        yield from (
            pb.blind.receive(package, handed, log, at="2026-12-01T11:00Z"),
            pb.blind.Receipts.read(log),
            Submission.read(handed),
            pb.blind.time_left(package, "2026-12-01T11:00Z"),
        )
        yield pb.blind.Meeting("g0", "sample", "g0")
        yield pictures

    def _of_pictures(self) -> Iterator[Any]:
        algorithms = pb.algorithms
        population = pb.faces.Population(6, "grid", seed=1, height=64, width=56)
        yield population
        rng = np.random.default_rng(3)
        images = rng.integers(0, 255, (24, 20, 16), dtype=np.uint8)
        self.crops = crops = algorithms.Crops.of(images, self.samples)
        yield from (crops, algorithms.Acquired(crops, {}), algorithms.Sets(("g0", "g1"), ("p2",), ("g2",)))
        yield from (algorithms.Geometry(), algorithms.Grid(2, 2, 1), algorithms.Photometry(mask=False))
        small = algorithms.Photometry(mask=False)
        yield from (
            algorithms.Correlation(small, 20, 16),
            algorithms.PCA(photometry=small),
            algorithms.LDA(photometry=small),
        )
        yield from (
            algorithms.ICA(photometry=small),
            algorithms.LBP(algorithms.Grid(2, 2, 1)),
            algorithms.NBNN(algorithms.Grid(2, 2, 1)),
        )
        yield from (algorithms.SRC(5, 4), algorithms.Training.on(crops), algorithms.CascadeDetector())
        model = algorithms.PCA(photometry=small).fit(crops)
        self.model = model
        yield model
        algorithms.save_model(model, self.folder / "model.npz")


DESIGNS: tuple[Callable[[], Any], ...] = tuple(
    one
    for name in pb.designs.__all__
    if isinstance(one := getattr(pb.designs, name), type) and not inspect.isabstract(one)
)


def of(name: str) -> Callable[[World], Any]:
    """What the world knows by a name."""
    return lambda world: getattr(world, name)


def always(value: Any) -> Callable[[World], Any]:
    """The same in every world."""
    return lambda world: value


def file(name: str) -> Callable[[World], Path]:
    """A file of the world."""
    return lambda world: world.folder / name


def an(kind: str) -> Callable[[World], Any]:
    """The instance of a class."""
    return lambda world: next(one for known, one in world.instances.items() if known.__name__ == kind)


ROWS = np.arange(4)
ARGUMENTS: dict[str, Callable[[World], Any]] = {
    "scores": of("a"),
    "data": of("outcomes"),
    "algorithms": of("both"),
    "experiment": of("experiment"),
    "within": of("experiment"),
    "samples": of("samples"),
    "pool": of("pool"),
    "outcomes": of("outcomes"),
    "measure": always(pb.measures.RecognitionRate(1)),
    "rates": an("ErrorRates"),
    "rank": always(1),
    "ranks": always(np.ones((2, 3))),
    "n_enrolled": always(3),
    "evaluate.ranks": always((1, 5)),
    "feret_study.ranks": always((1, 5)),
    "Entry.ranks": always((1, 5)),
    "units": lambda world: np.zeros(len(world.outcomes), np.intp),
    "text": always("young: age < 30"),
    "orientation": always("similarity"),
    "metric": always("cosine"),
    "ids": always(IDS),
    "values": of("values"),
    "vectors": of("values"),
    "queries": always(IDS),
    "gallery": always("session == 1"),
    "rows": always(ROWS),
    "columns": always(ROWS),
    "positions": always(ROWS),
    "condition": always("session == 1"),
    "fmr": always(0.1),
    "fnmr": always(0.1),
    "fpir": always(0.1),
    "threshold": always(0.5),
    "closeness": always(0.5),
    "most": always(3),
    "n_resamples": always(200),
    "confidence_level": always(0.95),
    "seed": always(0),
    "threads": always(1),
    "table": of("rows"),
    "names": always(IDS[:3]),
    "name": always("a"),
    "algorithm": always("a"),
    "path": file("a.npz"),
    "strata": lambda world: world.strata,
    "keys": always(None),
    "evaluation": an("Evaluation"),
    "comparison": an("Comparison"),
    "crops": of("crops"),
    "train": of("crops"),
    "query": of("crops"),
    "target": of("crops"),
    "protocol": always("5-f CV"),
    "pictures": an("Pictures"),
    "first": always("a"),
    "second": always("b"),
    "least": always(2),
    "labels": always(TABLE["sex"]),
    "subjects": always(TABLE["subject"]),
    "needed_by": always("PCA"),
    "progress": always(None),
    "curves": lambda world: [one.curve for one in an("Evaluation")(world).entries],
    "success": always("ok"),
    "function": always(np.sum),
    "pairs": an("PairedOutcomes"),
    "key": an("Key"),
    "package": an("Package"),
    "acquired": an("Acquired"),
    "sets": an("Sets"),
    "model": of("model"),
    "out": file("out"),
    "images": lambda world: world.crops.images,
    "classifiers": lambda world: {"nearest": Nearest()},
    "classifier": lambda world: Nearest(),
    "what": always("ranking"),
    "total": always(3),
    "steps": always(1),
    "estimators": lambda world: Nearest(),
    "X": lambda world: np.asarray(world.values)[: 3 * N],
    "y": always(TABLE["sex"]),
    # Where a name means something else.
    "Category.parse.text": always("young: age < 30"),
    "Protocol.parse.text": always("5-f CV"),
    "read_training.text": lambda world: f"own={world.folder / 'samples.csv'}",
    "ImageColumns.experiment.gallery": always(0),
    "Embeddings.read.path": file("vectors.npz"),
    "read_embeddings.path": file("vectors.npz"),
    "Samples.read.path": file("samples.csv"),
    "Scores.read.samples": of("samples"),
    "read_study.path": file("study.toml"),
    "write_scores.path": file("written.npz"),
    "save_figure.path": file("figure.svg"),
    "save_figure.figure": lambda world: an("Evaluation")(world).plot(),
    "run.request": lambda world: pb.read_study(world.folder / "study.toml"),
    "Survey.frame": of("rows"),
    "Survey.strata": always("g"),
    "ComparisonsByCategory.__getitem__.category": always("f"),
    "Partition.of.part": always("part 1"),
    "CovariateStudy.rate_of.covariate": always("probe.sex"),
    "CovariateStudy.rate_of.level": always("f"),
    "CovariateStudy.observed_at.who": always(Who(column="probe.sex", group="f")),
    "Findings.of_kind.kind": always(pb.results.DatasetComparison),
    **{f"{kind}.bind.table": of("rows") for kind in STATISTICS},
    **{f"{kind}.bind.missing": always(False) for kind in STATISTICS},
    "Survey.estimate.statistics": lambda world: [pb.survey.Mean("ok")],
    "Survey.mean.columns": always(["ok"]),
    "Survey.total.columns": always(["ok"]),
    "Survey.variance.columns": always(["ok"]),
    "Survey.poststratified.columns": always("g"),
    "Survey.poststratified.totals": always({"s": 10.0, "t": 20.0}),
    "Survey.raked.margins": always({"g": {"s": 10.0, "t": 20.0}}),
    "Survey.calibrated.totals": always({"w": 40.0}),
    "Survey.quantile.column": always("w"),
    "Survey.ratio.numerator": always("ok"),
    "Survey.ratio.denominator": always("w"),
    "Survey.function.function": lambda world: lambda weights: weights.sum(),
    "Survey.function.names": always(["sum"]),
    "Survey.with_replicate_weights.weights": lambda world: np.ones((20, 4)),
    "Survey.within.condition": always("w > 1"),
    "Trials.from_pairs.pairs": lambda world: pl.DataFrame({"query": IDS[:6], "target": IDS[6:12]}),
    "Trials.frame": lambda world: an("Trials")(world).frame,
    "classify.y_true": of("truth"),
    "classify.models": of("logits"),
    "compare_datasets.table": of("datasets"),
    "compare_datasets.success": always(None),
    "compare_independent.pairs": always(()),
    "compare_outcomes.item": always("q"),
    "compare_outcomes.system": always("m"),
    "compare_outcomes.pairs": always(()),
    "compare_sensors.by": always("camera"),
    "compare.pairs": always(()),
    "mcnemar_table.pairs": always(()),
    "covariates.on": always("sex"),
    "explain_outcomes.on": always("w"),
    "explain_outcomes.strata": always(None),
    "estimate_weighted.statistic": lambda world: lambda weights: weights.sum(),
    "estimate_weighted.strata": always([1, 1, 2, 2]),
    "estimate_weighted.units": always(None),
    "gallery_effect.columns": an("ImageColumns"),
    "gallery_variation.design": always(pb.designs.Galleries(2)),
    "gate.candidate": of("a"),
    "gate.baseline": of("b"),
    "mcnemar.n_sf": always(3),
    "mcnemar.n_fs": always(5),
    "plan_half_width.rate": always(0.9),
    "plan_half_width.half_width": always(0.02),
    "plan_difference.margin": always(0.02),
    "plan_difference.discordant": always(0.1),
    "plan_error_rate.error_rate": always(0.01),
    "partition.algorithms": of("both"),
    "coverage.n_sets": always(20),
    "coverage.pairs": always(()),
    "compare_halves.n_splits": always(5),
    "scored_pairs.mated": always([True, False] * 6),
    "scored_pairs.scores": always([float(k) for k in range(12)]),
    "scored_pairs.samples": always(None),
    "scored_pairs.names": always(None),
    "verify_pairs.mated": always([True, False] * 6),
    "verify_pairs.scores": always([float(k % 5) for k in range(12)]),
    "verify_pairs.samples": always(None),
    "verify.within": of("samples"),
    "threshold.within": of("samples"),
    "permute.design": lambda world: pb.designs.ImageChoice(64),
    "pool_over.pairs": always(None),
    "Pool.pairs": always(None),
    "Pool.gallery": always(None),
    "experiment_over.gallery": always("session == 1"),
    "search.experiment": of("open"),
    "designs.design_named.name": always("bootstrap"),
    "measures.measure_named.name": always("rank-1"),
    "BRR.takes.n_units": always(4),
    "Bootstrap.weights.n_units": always(4),
    "BRR.linear.values": always(np.arange(4.0)),
    "CollapsedStrata.linear.values": always(np.arange(4.0)),
    "BRR.strata": always(None),
    "Searches.by_gallery_size.sizes": always([2, 3]),
    "Ids.__getitem__.index": always(0),
    "Ids.index.value": always("g0"),
    "Ids.difference.unknown": always(["G0"]),
    "Ids.place.name": always("g0"),
    "Ids.positions_in.other": lambda world: world.samples.ids,
    "equally_representative.one": always("session == 1"),
    "equally_representative.other": always("session == 2"),
    "representation.choice": always("session == 1"),
    "Embeddings.query_norms.vectors": always(np.ones((4, 3))),
    "Embeddings.target_norms.vectors": always(np.ones((4, 3))),
    "DeployedThreshold.sentences_with.others": lambda world: [an("DeployedThreshold")(world)],
    "SurveyEstimates.__getitem__.name": always(0),
    "SurveyEstimates.contrast.weights": lambda world: dict.fromkeys(an("SurveyEstimates")(world).names, 1.0),
    "SurveyEstimates.difference.first": lambda world: an("SurveyEstimates")(world).names[0],
    "SurveyEstimates.difference.second": lambda world: an("SurveyEstimates")(world).names[1],
    "SurveyEstimates.ratio.first": lambda world: an("SurveyEstimates")(world).names[0],
    "SurveyEstimates.ratio.second": lambda world: an("SurveyEstimates")(world).names[1],
    "RestsOn.measured.facts": lambda world: an("Evaluation")(world).entries[0].curve.facts,
    "Evaluation.of.category": always(None),
    "Classification.confusion.algorithm": always("x"),
    "Classification.rate.algorithm": always("x"),
    "Classification.rate.measure": always("top-1"),
    "Classification.top_confusions.algorithm": always("x"),
    "Outcomes.restricted.experiment": of("experiment"),
    "PairedOutcomes.of.first": always(np.array([1.0, 0, 1])),
    "PairedOutcomes.of.second": always(np.array([0.0, 0, 1])),
    "cluster_statistics.success": always(np.array([1.0, 0, 1, 1])),
    "cluster_statistics.clusters": always(np.array([0, 0, 1, 1])),
    "difference_of_independent.successes_a": always(3),
    "difference_of_independent.n_a": always(5),
    "difference_of_independent.successes_b": always(4),
    "difference_of_independent.n_b": always(9),
    "proportion_interval.successes": always(3),
    "proportion_interval.n": always(5),
    "FeatureTable.labelled.task": always("identity"),
    "FeatureTable.read.source": file("pictures"),
    "FeatureTable.read.name": always(None),
    "FeatureTable.take.why_others": always("not wanted"),
    "FeatureTable.crops.labels": always(np.array(TABLE["sex"])),
    "FeatureTable.images": always(None),
    "ProtocolCard.from_dict.content": lambda world: an("ProtocolCard")(world).to_dict(),
    "ProtocolCard.from_run.method": always("a"),
    "ProtocolCard.from_run.dataset": lambda world: an("ProtocolCard")(world).dataset,
    "ProtocolCard.from_run.task": lambda world: an("ProtocolCard")(world).task,
    "ProtocolCard.from_run.protocol": lambda world: an("ProtocolCard")(world).protocol,
    "ProtocolCard.from_run.value": lambda world: an("ProtocolCard")(world).value,
    "ProtocolCard.from_run.metric": always(None),
    "ProtocolCard.read.path": file("card.json"),
    "ProtocolCard.write.path": file("written.json"),
    "Splitter.protocol": lambda world: pb.protocols.Protocol.parse("5-f CV"),
    "Splitter.splits.ids": always(None),
    "Splitter.left_out.ids": always(None),
    "Splitter.too_few.ids": always(None),
    "Splitter.split.X": of("values"),
    "Splitter.split.y": always(TABLE["sex"]),
    "Splitter.split.groups": always(TABLE["subject"]),
    "Splitter.get_n_splits.y": always(TABLE["sex"]),
    "Splitter.get_n_splits.groups": always(TABLE["subject"]),
    "compare_predictions.files": lambda world: {
        "x": world.folder / "predictions.csv",
        "y": world.folder / "predictions.csv",
    },
    "epd_verdict.task": always("identity"),
    "losses.collected": of("samples"),
    "losses.used": always(IDS[:6]),
    "paired_test.cards": lambda world: [an("ProtocolCard")(world)] * 2,
    "paired_test.files": lambda world: [world.folder / "predictions.csv"] * 2,
    "paired_test.names": always(None),
    "run_protocol.data": of("features"),
    "run_protocol.subjects": always(()),
    "what_if.data": of("features"),
    "what_if.question": always("mixed"),
    "what_if.label": always("sex"),
    "BlindTest.make.out": file("blind-2"),
    "BlindTest.make.key": file("key-2"),
    "Key.read.path": file("key"),
    "Key.write.path": file("key-3"),
    "Package.read.path": file("blind"),
    "Receipts.of.submission": an("Submission"),
    "Receipts.read.path": file("receipts.jsonl"),
    "Receipts.path": file("receipts.jsonl"),
    "receive.submission": file("handed"),
    "receive.log": lambda world: world.folder / f"receipts-{token_hex(4)}.jsonl",
    "receive.at": always("2026-12-01T11:00Z"),
    "receive.operator": always("S. Supervisor"),
    "time_left.at": always("2026-12-01T11:00Z"),
    "hashed.salt": always("salt"),
    "met_by.declared": always(["g0"]),
    "reproduce_beveridge2001.n_resamples": always(64),
    "reproduce_feret2000.people": always(20),
    "reproduce_mery2016.people": always(20),
    "reproduce_mery2016.runs": always(2),
    "cmc_figure.panels": lambda world: {"all": [an("Evaluation")(world).entries[0].curve]},
    "cmc_figure.columns": always(None),
    "CascadeDetector.find.picture": lambda world: world.crops.images[0],
    "Crops.of.ids": always(None),
    "Crops.remember.key": always("key"),
    "Crops.remember.make": lambda world: lambda: 1,
    "Grid.of_image.image": lambda world: world.crops.images[0],
    "LinearModel.class_scores.gallery": of("crops"),
    "Photometry.pixels.crops": lambda world: world.crops.images,
    "Photometry.pixels.ids": always(None),
    "Pictures.of.source": file("pictures"),
    "Pictures.load": lambda world: an("Pictures")(world).load,
    "crop_faces.eyes": lambda world: np.tile([4.0, 5.0, 12.0, 5.0], (24, 1)),
    "crop_faces.ids": always(None),
    "detector.name": always("opencv"),
    "family_of.name": always("pca:angle"),
    "load_model.path": file("model.npz"),
    "read_picture.path": file("pictures/g0.png"),
    "recognizer.name": always("correlation"),
    "save_model.path": file("model-2.npz"),
    "score.models": lambda world: [world.model],
    "train.recognizers": lambda world: [pb.algorithms.LBP(pb.algorithms.Grid(2, 2, 1))],
    "train.training": always(["g0", "g1"]),
    "contact_sheet.columns_per_row": always(4),
    "Experiment.restricted.gallery": always([0, 3]),
    "Category.of.experiment": of("experiment"),
    "AUC.of_weighted.rates": lambda world: world.weighted,
    "EER.of_weighted.rates": lambda world: world.weighted,
    "FNMR.of_weighted.rates": lambda world: world.weighted,
    "Samples.data": always(TABLE),
    "Samples.positions.given": always([0, 1]),
    "Ids.difference.others": always(["g0.jpg"]),
    "Ids.in_order.data": always([1]),
    "Ids.in_order.what": always("mask"),
    "Survey.with_replicate_weights.scale": always(0.5),
    "Trials.samples": of("samples"),
    "compare_independent.scores": of("lower"),
    "compare_independent.others": of("apart"),
    "explain_outcomes.table": of("failures"),
    "Galleries.parts.experiment": of("experiment"),
    "ErrorRates.at_threshold.threshold": always(0.25),
    "present_in.scores": of("both"),
    "ImageColumns.of.scores": of("both"),
    "Estimate.extended.n_resamples": always(400),
    "verify.n_resamples": always(100),
    "verify_pairs.n_resamples": always(100),
    "FeatureTable.crops.needed_by": always("PCA"),
    "acquire.as_they_are": always(True),
    "acquire.names": always(IDS),
    "coverage.data": of("outcomes"),
    "epd_verdict.protocol": always("5-f CV"),
    **{f"{kind}.__call__.scores": of("a") for kind in ("AUC", "EER", "FNMR", "TAR")},
    **{f"{kind}.__call__.experiment": of("experiment") for kind in ("AUC", "EER", "FNMR", "TAR")},
    **{f"{verb}.within": of("experiment") for verb in ("compare", "covariates", "gate", "mcnemar_table")},
    "Scores.read.orientation": always("similarity"),
    "read_scores.orientation": always("similarity"),
    "compare_outcomes.success": always("ok"),
    "threshold.fmr": always(0.1),
    "design_named.name": always("bootstrap"),
    "measure_named.name": always("rank-1"),
}
"""Good values by the names of arguments, or by those of a callable and an argument."""


@dataclass(frozen=True)
class Call:
    """A public callable, and a good call of it.

    Attributes
    ----------
    name
        As a user calls it, from `proband` on.
    function
        What is called; a method is bound.
    parameters
        What it can be given.
    good
        The arguments it must be given; None where none are known.
    """

    name: str
    function: Callable[..., Any]
    parameters: Mapping[str, inspect.Parameter]
    good: Mapping[str, Any] | None


def published() -> dict[str, Any]:
    """Functions and classes that users can name; exceptions are raised and not called."""
    found: dict[Any, str] = {}
    for namespace in ("", *NAMESPACES):
        module = importlib.import_module(f"proband.{namespace}".rstrip("."))
        for name in getattr(module, "__all__", dir(module)):
            thing = getattr(module, name)
            ours = inspect.isfunction(thing) or (isinstance(thing, type) and not issubclass(thing, Exception))
            if ours and thing.__module__.startswith("proband.") and not name.startswith("_"):
                found.setdefault(thing, f"{namespace}.{name}".lstrip("."))
    return {name: thing for thing, name in found.items()}


def methods_of(kind: type) -> dict[str, Any]:
    """The public methods of a class that Proband wrote."""
    found = {}
    for name in dir(kind):
        method = inspect.getattr_static(kind, name)
        function = getattr(method, "__func__", method)
        public = not name.startswith("_") or name in CALLED
        if public and inspect.isfunction(function) and function.__module__.startswith("proband."):
            found[name] = method
    return found


OPTIONS = {
    "read": ("format", "query_ids", "target_ids", "mask", "ids"),
    **dict.fromkeys(
        ("mean", "total", "ratio", "variance", "quantile", "function"),
        tuple(
            name
            for name, one in inspect.signature(pb.survey.Survey.estimate).parameters.items()
            if one.kind is one.KEYWORD_ONLY
        ),
    ),
}
"""What methods with ``**options`` take."""


def calls(world: World) -> Iterator[Call]:
    """Every public callable; a method that several classes share once, of the first of them, but for figures."""
    seen: set[Any] = set()
    for name, thing in published().items():
        if inspect.isfunction(thing):
            yield call_of(world, name, thing)
            continue
        instance = world.instances.get(thing)
        if (
            not inspect.isabstract(thing)
            and not issubclass(thing, dict)
            and inspect.signature(thing).parameters
        ):
            yield call_of(world, name, thing, made_of(instance))
        yield from method_calls(world, name, thing, instance, seen)


def calls_of_results(world: World, found: Iterable[Any]) -> Iterator[Call]:
    """The methods of results that functions return and users cannot name."""
    seen: set[Any] = set()
    for one in found:
        if isinstance(one, Result) and type(one) not in world.instances:
            world.instances[type(one)] = one
            yield from method_calls(world, type(one).__name__, type(one), one, seen)


def method_calls(world: World, name: str, kind: type, instance: Any, seen: set[Any]) -> Iterator[Call]:
    """The public methods of a class that were not seen yet."""
    for method, found in methods_of(kind).items():
        function = getattr(found, "__func__", found)
        bound = isinstance(found, staticmethod | classmethod)
        key = (function, kind) if method == "plot" else function
        if key not in seen and (instance is not None or bound):
            seen.add(key)
            yield call_of(world, f"{name}.{method}", getattr(kind if bound else instance, method))


def made_of(instance: Any) -> dict[str, Any]:
    """What a record was made of."""
    if not dataclasses.is_dataclass(instance):
        return instance._asdict() if hasattr(instance, "_asdict") else {}
    return {one.name: getattr(instance, one.name) for one in dataclasses.fields(instance) if one.init}


def call_of(world: World, name: str, function: Any, known: Mapping[str, Any] = {}) -> Call:
    """A good call of one callable."""
    parameters = dict(inspect.signature(function).parameters)
    rest = [one.name for one in parameters.values() if one.kind is one.VAR_KEYWORD]
    if rest:
        del parameters[rest[0]]
        kind = inspect.Parameter.KEYWORD_ONLY
        named = OPTIONS.get(name.rpartition(".")[2], ())
        parameters |= {one: inspect.Parameter(one, kind, default=None) for one in named}
    good: dict[str, Any] | None = {}
    for one in parameters.values():
        value = _good(world, name, one, known)
        if value is not inspect.Parameter.empty:
            good[one.name] = value
        elif one.default is one.empty:
            return Call(name, function, parameters, None)
    return Call(name, function, parameters, good)


def _good(world: World, name: str, parameter: inspect.Parameter, known: Mapping[str, Any]) -> Any:
    """A good value of an argument: what is known of it there, what a record has, or what such an argument is anywhere."""
    own = f"{name.partition('.')[2] if name.partition('.')[0] in NAMESPACES else name}.{parameter.name}"
    if own in ARGUMENTS:
        return ARGUMENTS[own](world)
    if parameter.name in known:
        return known[parameter.name]
    if parameter.default is parameter.empty and parameter.name in ARGUMENTS:
        return ARGUMENTS[parameter.name](world)
    return parameter.empty


def arguments(call: Call, **replaced: Any) -> tuple[list[Any], dict[str, Any]]:
    """The arguments of a good call, by place and by name, some of them replaced."""
    args: list[Any] = []
    named: dict[str, Any] = {}
    for name, value in {**(call.good or {}), **replaced}.items():
        kind = call.parameters[name].kind
        if kind is inspect.Parameter.VAR_POSITIONAL:
            args += [value] if name in replaced else list(value)
        elif kind is inspect.Parameter.POSITIONAL_ONLY:
            args = [value, *args]
        else:
            named[name] = value
    return args, named
