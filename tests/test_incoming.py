"""Arrays and frames that come in: what a mask hides is missing, and labels of rows are obeyed or refused, at every entrance."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
import polars as pl
import pytest
from tests.hostile.public import Nearest

import proband as pb
from proband import (
    algorithms,
    designs,
    inference,
    protocols,
    samples,
)
from proband.errors import ProbandError
from proband.samples.ids import SubjectIds

pd = pytest.importorskip("pandas")
WILD = 10**9
N = 8
IDS = [f"x{k}" for k in range(N)]
PEOPLE = [f"s{k // 2}" for k in range(N)]
RNG = np.random.default_rng(3)
VECTORS = RNG.normal(size=(N, 3))
SCORES = RNG.normal(size=(N, N)) + 3 * np.equal.outer(PEOPLE, PEOPLE)
HITS = np.array([1, 1, 0, 1, 0, 1, 1, 0])
FIRST = np.array([k % 2 == 0 for k in range(N)])
TABLE = pb.Samples({"id": IDS, "subject": PEOPLE})
PIXELS = RNG.integers(0, 255, (N, 12, 10)).astype(np.uint8)
EYES = np.tile([3.0, 4.0, 7.0, 4.0], (N, 1))
FRAME = {
    "hit": HITS.tolist(),
    "other": HITS[::-1].tolist(),
    "item": IDS,
    "person": PEOPLE,
    "weight": [1.0 + k for k in range(N)],
}
TRUTH = np.array([0, 1, 2, 0, 1, 2, 0, 1])
LOGITS = RNG.normal(size=(N, 3)) + 2 * np.eye(3)[TRUTH]
Call = Callable[[Any], Any]


def plain(result: Any) -> Any:
    """What was found, in a form that can be compared."""
    if isinstance(result, pl.DataFrame):
        return [
            tuple(float(one) if isinstance(one, int | float) else one for one in row) for row in result.rows()
        ]
    return result.tolist() if isinstance(result, np.ndarray) else result.to_dict()


def tile(made: Any) -> Any:
    return made.tile(np.arange(1, N), np.arange(N)).tolist()


def survey(**columns: Any) -> Any:
    return pb.survey.Survey({**FRAME, **columns})


def trials(**columns: Any) -> Any:
    made = pb.Trials({"score": SCORES[0], "mated": HITS == 1, **columns}, "similarity")
    return made.frame.to_dict(as_series=False)


def pairs(mated: Any = HITS, values: Any = SCORES[0], **more: Any) -> Any:
    return pb.verify_pairs(mated, values, orientation="similarity", fmr=0.5, n_resamples=0, **more)


def weighted(strata: Any = (1, 1, 1, 1, 2, 2, 2, 2), **more: Any) -> Any:
    return pb.survey.estimate_weighted(
        lambda w: float(w @ HITS), strata, design=designs.Jackknife(), **more
    ).value


def divided(labels: Any = TRUTH, subjects: Any = PEOPLE, **more: Any) -> Any:
    stated = "2f CV [train: first]" if more else "2f CV"
    made = protocols.Splitter(protocols.Protocol.parse(stated), all_classes=False).splits(
        labels, subjects, **more
    )
    return [one.test.tolist() for one in made]


def linear(**parts: Any) -> Any:
    made = {"mean": np.zeros(4), "basis": np.eye(4), "weights": np.ones(4), **parts}
    photometry = algorithms.Photometry(mask=False)
    return algorithms.LinearModel("m", photometry, (2, 2), "l2", False, **made).mean.tolist()


def validated(features: Any, y: Any, groups: Any = PEOPLE) -> Any:
    splits = [(np.arange(0, N, 2), np.arange(1, N, 2)), (np.arange(1, N, 2), np.arange(0, N, 2))]
    return plain(pb.sklearn.cross_validate(Nearest(), features, y, groups=groups, cv=splits).predictions())


PUBLIC: dict[str, dict[str, tuple[Call, Any]]] = {
    "Embeddings": {
        "vectors": (lambda v: tile(pb.Embeddings(v, IDS, metric="l2")), VECTORS),
        "targets": (
            lambda v: tile(pb.Embeddings(VECTORS, IDS, metric="l2", targets=v, target_ids=IDS)),
            VECTORS,
        ),
        "ids": (lambda v: pb.Embeddings(VECTORS, v, metric="l2").queries[:], np.arange(N)),
        "target_ids": (
            lambda v: pb.Embeddings(VECTORS, IDS, metric="l2", targets=VECTORS, target_ids=v).targets[:],
            np.arange(N),
        ),
    },
    "Scores.from_array": {
        "values": (lambda v: tile(pb.Scores.from_array(v, IDS, orientation="similarity")), SCORES),
        "whole numbers": (
            lambda v: tile(pb.Scores.from_array(v, IDS, orientation="similarity")),
            SCORES.astype(int),
        ),
        "queries": (
            lambda v: pb.Scores.from_array(SCORES, v, IDS, orientation="similarity").queries[:],
            np.arange(N),
        ),
        "targets": (
            lambda v: pb.Scores.from_array(SCORES, IDS, v, orientation="similarity").targets[:],
            np.arange(N),
        ),
        "subjects": (lambda v: SubjectIds(v, "query")[:], np.arange(N)),
        "cells": (
            lambda v: tile(pb.Scores.from_array(SCORES, IDS, orientation="similarity", cells=v)),
            np.zeros((N, N), np.uint8),
        ),
    },
    "Experiment": {
        "gallery": (lambda v: pb.Experiment(TABLE, v).gallery.tolist(), FIRST),
        "probes": (lambda v: pb.Experiment(TABLE, IDS[:1], v).probes.tolist(), ~FIRST),
        "ids": (lambda v: pb.Experiment(TABLE, v).gallery.tolist(), np.array(IDS[::2])),
    },
    "Experiment.restricted": {
        "gallery": (
            lambda v: pb.Experiment(TABLE, FIRST).restricted(gallery=v).gallery.tolist(),
            np.array([0, 2, 4]),
        ),
        "probes": (
            lambda v: pb.Experiment(TABLE, FIRST).restricted(probes=v).probes.tolist(),
            np.array([1, 3, 5]),
        ),
    },
    "Pool": {
        "where": (lambda v: pb.Pool(TABLE, where=v).options.images.tolist(), np.arange(N) < 6),
        "gallery": (lambda v: pb.Pool(TABLE, gallery=v).options.images.tolist(), FIRST),
        "probes": (lambda v: pb.Pool(TABLE, probes=v).options.images.tolist(), FIRST),
    },
    "data.pool_over": {
        "where": (
            lambda v: pb.data.pool_over(
                pb.Scores.from_array(SCORES, IDS, orientation="similarity"), TABLE, where=v
            ).options.images.tolist(),
            np.arange(N) < 6,
        )
    },
    "data.experiment_over": {
        "gallery": (
            lambda v: plain(
                pb.data.experiment_over(
                    pb.Scores.from_array(SCORES, IDS, orientation="similarity"), TABLE, gallery=v
                ).probes
            ),
            FIRST,
        ),
        "probes": (
            lambda v: plain(
                pb.data.experiment_over(
                    pb.Scores.from_array(SCORES, IDS, orientation="similarity"),
                    TABLE,
                    gallery=IDS[:1],
                    probes=v,
                ).probes
            ),
            ~FIRST,
        ),
    },
    "Samples": {
        "numbers": (
            lambda v: plain(pb.Samples({"id": IDS, "subject": PEOPLE, "age": v}).frame),
            np.arange(N),
        ),
        "fractions": (
            lambda v: plain(pb.Samples({"id": IDS, "subject": PEOPLE, "age": v}).frame),
            np.arange(N) / 2,
        ),
        "truths": (lambda v: plain(pb.Samples({"id": IDS, "subject": PEOPLE, "ok": v}).frame), FIRST),
        "texts": (
            lambda v: plain(pb.Samples({"id": IDS, "subject": PEOPLE, "word": v}).frame),
            np.array(IDS),
        ),
        "subject": (lambda v: plain(pb.Samples({"id": IDS, "subject": v}).frame), np.array(PEOPLE)),
        "id": (lambda v: plain(pb.Samples({"id": v, "subject": PEOPLE}).frame), np.arange(N)),
    },
    "Samples.take": {
        "positions": (lambda v: TABLE.take(v).ids[:], np.array([1, 2])),
        "mask": (lambda v: TABLE.take(v).ids[:], FIRST),
    },
    "data.Ids": {"names": (lambda v: samples.Ids(v)[:], np.arange(N))},
    "data.representation": {"choice": (lambda v: plain(samples.representation(TABLE, v).counts), FIRST)},
    "data.equally_representative": {
        "one": (lambda v: str(samples.equally_representative(TABLE, v, FIRST)), FIRST)
    },
    "survey.Survey": {
        name: (
            lambda v, name=name: plain(
                survey(**{name: v}).mean("hit", missing="drop")
                if name == "hit"
                else pb.survey.Survey({**FRAME, name: v}, weights="weight", units="person").mean("hit")
            ),
            np.asarray(FRAME[name]),
        )
        for name in ("hit", "weight", "person")
    },
    "survey.Survey.with_replicate_weights": {
        "weights": (lambda v: plain(survey().with_replicate_weights(v, "jk1").mean("hit")), 1.0 - np.eye(N)),
        "rscales": (
            lambda v: plain(survey().with_replicate_weights(1.0 - np.eye(N), rscales=v).mean("hit")),
            np.full(N, 0.5),
        ),
    },
    "survey.Survey.poststratified": {
        "totals": (
            lambda v: plain(
                survey().poststratified({"person": ["s0", "s1", "s2", "s3"], "total": v}).mean("hit")
            ),
            np.array([4.0, 5, 6, 7]),
        )
    },
    "survey.Survey.raked": {
        "margins": (
            lambda v: plain(survey().raked([{"person": ["s0", "s1", "s2", "s3"], "total": v}]).mean("hit")),
            np.array([4.0, 5, 6, 7]),
        )
    },
    "survey.Survey.within": {"condition": (lambda v: plain(survey().within(v).mean("hit")), FIRST)},
    "Trials": {
        "score": (lambda v: trials(score=v), SCORES[0]),
        "mated": (lambda v: trials(mated=v), HITS == 1),
        "subjects": (lambda v: trials(query_subject=v), np.array(PEOPLE)),
    },
    "Trials.from_pairs": {
        "query": (
            lambda v: plain(
                pb.Trials.from_pairs(
                    {"query": v, "target": IDS[::-1]},
                    pb.Scores.from_array(SCORES, IDS, orientation="similarity"),
                ).frame
            ),
            np.array(IDS),
        ),
    },
    "verify_pairs": {
        "mated": (lambda v: plain(pairs(v)), HITS),
        "scores": (lambda v: plain(pairs(values=v)), SCORES[0]),
        "whole numbers": (lambda v: plain(pairs(values=v)), np.arange(N)),
        "several": (lambda v: plain(pairs(values={"a": SCORES[1], "b": v})), SCORES[0]),
        "people": (lambda v: plain(pairs(None, people=(v, [*PEOPLE[:4], *PEOPLE[:4]]))), np.array(PEOPLE)),
        "samples": (lambda v: plain(pairs(samples=(v, IDS[::-1]))), np.array(IDS)),
    },
    "scored_pairs": {
        "scores": (
            lambda v: plain(pb.scored_pairs(HITS, v, orientation="similarity")["scores"].frame),
            SCORES[0],
        )
    },
    "sklearn.cross_validate": {
        "X": (lambda v: validated(v, TRUTH), VECTORS),
        "y": (lambda v: validated(VECTORS, v), TRUTH),
        "groups": (lambda v: validated(VECTORS, TRUTH, v), np.array(PEOPLE)),
    },
    "classify": {
        "y_true": (lambda v: plain(pb.classify(v, LOGITS)), TRUTH),
        "names": (lambda v: plain(pb.classify(v, LOGITS, classes=["0", "1", "2"])), TRUTH.astype(str)),
        "scores": (lambda v: plain(pb.classify(TRUTH, v)), LOGITS),
        "whole numbers": (lambda v: plain(pb.classify(TRUTH, v)), (LOGITS * 100).astype(int)),
        "predictions": (lambda v: plain(pb.classify(TRUTH, {"a": v})), TRUTH[::-1]),
        "group": (lambda v: plain(pb.classify(TRUTH, LOGITS, cluster=v)), np.array(PEOPLE)),
        "classes": (lambda v: plain(pb.classify(TRUTH, LOGITS, classes=v)), np.array([0, 1, 2])),
    },
    "compare_outcomes": {
        "systems": (
            lambda v: plain(pb.compare_outcomes({**FRAME, "hit": v}, algorithms=["hit", "other"])),
            HITS,
        ),
        "cluster": (
            lambda v: plain(
                pb.compare_outcomes({**FRAME, "person": v}, algorithms=["hit", "other"], cluster="person")
            ),
            np.array(PEOPLE),
        ),
    },
    "compare_datasets": {
        "accuracy": (
            lambda v: plain(
                pb.compare_datasets(
                    {"dataset": IDS, "a": v, "b": np.linspace(0.4, 0.6, N)}, dataset="dataset"
                )
            ),
            np.linspace(0.5, 0.9, N),
        ),
        "errors": (
            lambda v: plain(
                pb.compare_datasets(
                    {"dataset": ["x", "y"], "a": [0.6, 0.7], "b": [0.5, 0.4]},
                    dataset="dataset",
                    errors={
                        "dataset": ["x", "y"],
                        "first": ["a"] * 2,
                        "second": ["b"] * 2,
                        "standard_error": v,
                    },
                )
            ),
            np.array([0.1, 0.2]),
        ),
    },
    "stats.explain_outcomes": {
        "success": (
            lambda v: plain(
                pb.stats.explain_outcomes({**FRAME, "hit": v}, success="hit", on="weight", cluster="item")
            ),
            HITS,
        ),
        "covariate": (
            lambda v: plain(
                pb.stats.explain_outcomes({**FRAME, "weight": v}, success="hit", on="weight", cluster="item")
            ),
            np.asarray(FRAME["weight"]),
        ),
    },
    "survey.estimate_weighted": {
        "strata": (lambda v: weighted(v), np.array([1, 1, 1, 1, 2, 2, 2, 2])),
        "weights": (lambda v: weighted(weights=v), np.ones(N)),
        "units": (lambda v: weighted(units=v), np.arange(N)),
    },
    "algorithms.Crops": {"images": (lambda v: plain(algorithms.Crops(v, samples.Ids(IDS)).images), PIXELS)},
    "algorithms.Crops.of": {"images": (lambda v: plain(algorithms.Crops.of(v, TABLE).images), PIXELS)},
    "algorithms.Grid.of_image": {"image": (lambda v: plain(algorithms.Grid(2, 2).of_image(v[0])), PIXELS)},
    "algorithms.LinearModel": {
        name: (lambda v, name=name: linear(**{name: v}), np.ones(4)) for name in ("mean", "weights")
    },
    "algorithms.Photometry.pixels": {"crops": (lambda v: plain(algorithms.Photometry().pixels(v)), PIXELS)},
    "algorithms.crop_faces": {
        "images": (lambda v: plain(algorithms.crop_faces(v, EYES)), PIXELS),
        "eyes": (lambda v: plain(algorithms.crop_faces(PIXELS, v)), EYES),
    },
    "designs.BRR": {
        "array": (
            lambda v: (
                weighted((1, 1, 2, 2, 3, 3, 4, 4))
                and pb.survey.estimate_weighted(
                    lambda w: float(w @ HITS[:4]), [1, 1, 2, 2], design=designs.BRR(array=v)
                ).value
            ),
            np.array([[0, 0], [0, 1], [1, 0], [1, 1]]),
        )
    },
    "designs.Fay": {
        "array": (
            lambda v: (
                pb.survey.estimate_weighted(
                    lambda w: float(w @ HITS[:4]), [1, 1, 2, 2], design=designs.Fay(array=v)
                ).value
            ),
            np.array([[0, 0], [0, 1], [1, 0], [1, 1]]),
        )
    },
    "stats.PairedOutcomes.of": {
        "first": (lambda v: inference.PairedOutcomes.of(v, HITS[::-1].astype(float)).sf, HITS.astype(float))
    },
    "stats.cluster_statistics": {
        "success": (lambda v: inference.cluster_statistics(v, np.arange(N) // 2).rate, HITS.astype(float)),
        "clusters": (
            lambda v: inference.cluster_statistics(HITS.astype(float), v).cluster_se,
            np.arange(N) // 2,
        ),
    },
    "protocols.FeatureTable": {
        "features": (lambda v: plain(protocols.FeatureTable(TABLE, features=v).vectors), VECTORS),
        "images": (lambda v: plain(protocols.FeatureTable(TABLE, images=v).vectors), PIXELS),
    },
    "protocols.FeatureTable.take": {
        "positions": (
            lambda v: protocols.FeatureTable(TABLE, features=VECTORS).take(v, "no").samples.ids[:],
            np.array([1, 2]),
        )
    },
    "protocols.Splitter.splits": {
        "labels": (lambda v: divided(v), TRUTH),
        "subjects": (lambda v: divided(subjects=v), np.array(PEOPLE)),
        "train_on": (lambda v: divided(train_on=v), FIRST),
    },
    "protocols.Splitter.get_n_splits": {
        "groups": (
            lambda v: protocols.Splitter(protocols.Protocol.parse("LOSO")).get_n_splits(groups=v),
            np.arange(N),
        )
    },
    "protocols.losses": {
        "exclusions": (
            lambda v: plain(protocols.losses(TABLE, IDS[2:], {"id": v, "reason": ["no face"] * 2})),
            np.array(IDS[:2]),
        )
    },
}
"""Every argument of every public callable that takes an array or a table: how to call it, and with what."""
ALIKE = {
    "data.DenseScores": "Scores.from_array",
    "protocols.Splitter.split": "protocols.Splitter.splits",
    "protocols.Splitter.left_out": "protocols.Splitter.splits",
    "protocols.Splitter.too_few": "protocols.Splitter.splits",
    "Samples.positions": "Samples.take",
    "data.Ids.in_order": "Embeddings",
}
"""What takes the same arrays in the same way."""
ENTRANCES = [
    pytest.param(call, values, id=f"{name}-{what}")
    for name, calls in PUBLIC.items()
    for what, (call, values) in calls.items()
]


def outcome(call: Call, given: Any) -> Any:
    """What is found, or None for a refusal."""
    try:
        return call(given)
    except ProbandError:
        return None


def hidden(values: Any, place: int) -> tuple[Any, Any, Any]:
    """The values with one that is wild, the same masked, and the same missing."""
    wild = np.array(values)
    wild.flat[place] = {"U": "wild", "b": not wild.flat[place], "u": 255}.get(wild.dtype.kind, WILD)
    mask = np.zeros(wild.shape, bool)
    mask.flat[place] = True
    missing = wild.astype(float if wild.dtype.kind in "fiu" else object)
    missing.flat[place] = np.nan if wild.dtype.kind in "fiu" else None
    return wild, np.ma.array(wild, mask=mask), missing


@pytest.mark.filterwarnings("ignore:.*converting a masked element")
@pytest.mark.parametrize(("call", "values"), ENTRANCES)
def test_what_a_mask_hides_is_missing_at_every_entrance(call: Call, values: Any) -> None:
    assert outcome(call, values) is not None
    wild, masked, missing = hidden(values, 1)
    expected = repr(outcome(call, missing))
    assert repr(outcome(call, masked)) == expected
    if values.ndim == 1:
        listed = [
            np.ma.masked if hide else one
            for one, hide in zip(wild.tolist(), np.ma.getmaskarray(masked), strict=True)
        ]
        nullable = {"i": "Int64", "f": "Float64", "b": "boolean", "U": "string"}[values.dtype.kind]
        gaps = [None if one is np.ma.masked else one for one in listed]
        for given in (listed, pd.Series(gaps, dtype=nullable), pl.Series(gaps)):
            assert repr(outcome(call, given)) == expected
    elif values.ndim == 2:
        assert repr(outcome(call, list(masked))) == expected


@pytest.mark.filterwarnings("ignore:.*converting a masked element")
@pytest.mark.parametrize(("call", "values"), ENTRANCES)
def test_what_a_mask_hides_is_not_refused_as_another_value(call: Call, values: Any) -> None:
    _, masked, missing = hidden(values, 1)
    for given in (masked, missing):
        try:
            call(given)
        except ProbandError as refused:
            told = str(refused)
            assert not re.search(r"too large|'nan'|is nan", told), told


ROOMS = (pb, *(room for name in dir(pb) if isinstance(room := getattr(pb, name), ModuleType)))
TAKES_ARRAYS = re.compile(
    r"ArrayLike|NDArray|Choice\b|DataFrame|Iterable\[(object|int)\]|\bAny\b(?!\])|Images|Sequence\[Any\]"
)
NOT_DATA = {
    # What Proband itself makes and hands out.
    *(
        "results.GalleryEffect",
        "results.Partition",
        "strat.ImageColumns",
        "results.Verification",
        "results.VirtualExperiments",
    ),
    *(
        "measures.Outcomes",
        "measures.Searches",
        "data.Representation",
        "blind.Key",
        "algorithms.Crops.remember",
    ),
    *(
        "designs.CollapsedStrata.collapsed",
        "designs.StratifiedDesign.collapsed",
        "protocols.FeatureTable.crops",
    ),
    # Choices of samples, as of an experiment; options; objects of other kinds.
    *(
        "blind.BlindTest",
        "read_scores",
        "read_embeddings",
        "Request",
        "Scores",
        "faces.contact_sheet",
        "faces.Population.render",
    ),
    *(
        "protocols.run_protocol",
        "protocols.what_if",
        "protocols.ProtocolCard.from_dict",
        "survey.Survey.calibrated",
        "feret.feret_study",
    ),
    *(
        "permute",
        "choices.trial_choices",
        *(f"survey.{kind}.bind" for kind in ("Function", "Mean", "Quantile", "Ratio", "Total", "Variance")),
        "results.SurveyEstimates.function",
        "survey.Survey.function",
    ),
}


def public() -> dict[str, list[str]]:
    """Every public callable and method, and what of it is data by its type."""
    found: dict[str, list[str]] = {}
    seen: set[int] = set()
    for room in ROOMS:
        before = "" if room is pb else f"{room.__name__.partition('.')[2]}."
        for name in dir(room):
            one = getattr(room, name)
            if name.startswith("_") or isinstance(one, ModuleType) or not callable(one) or id(one) in seen:
                continue
            seen.add(id(one))
            within = vars(one).items() if isinstance(one, type) else ()
            called = {f"{before}{name}": one} | {
                f"{before}{name}.{method}": getattr(what, "__func__", what)
                for method, what in within
                if not method.startswith("_") and isinstance(getattr(what, "__func__", what), FunctionType)
            }
            for path, function in called.items():
                try:
                    parameters = inspect.signature(function).parameters.values()
                except (TypeError, ValueError):
                    continue
                data = [
                    each.name
                    for each in parameters
                    if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)
                    and TAKES_ARRAYS.search(str(each.annotation))
                ]
                found |= {path: data} if data else {}
    return found


def test_every_public_entrance_of_arrays_is_here() -> None:
    assert set(public()) <= {*PUBLIC, *ALIKE, *NOT_DATA}
    assert set(ALIKE.values()) <= set(PUBLIC)


def series(values: Any, labels: Any) -> Any:
    return pd.DataFrame(values, index=labels) if np.ndim(values) == 2 else pd.Series(values, index=labels)


def table(labels: Any, **more: Any) -> Any:
    return pb.Samples(pd.DataFrame({"id": IDS, "subject": PEOPLE, **more}, index=labels))


def chosen(one: Any, other: Any) -> Any:
    """A mask of a table that is labelled as a column is."""
    return pb.Experiment(table(getattr(one, "index", None)), other).gallery.tolist()


MOVED = EYES + np.arange(N)[:, None] / 10
TOGETHER: dict[str, tuple[Callable[[Any, Any], Any], Any, Any]] = {
    "classify": (lambda a, b: plain(pb.classify(a, b)), TRUTH, LOGITS),
    "classify predictions": (lambda a, b: plain(pb.classify(a, {"m": b})), TRUTH, TRUTH[::-1]),
    "classify models": (lambda a, b: plain(pb.classify(a, {"m": a, "n": b})), TRUTH, TRUTH[::-1]),
    "classify groups": (lambda a, b: plain(pb.classify(a, {"m": a}, cluster=b)), TRUTH, np.array(PEOPLE)),
    "verify_pairs": (lambda a, b: plain(pairs(a, b)), HITS, SCORES[0]),
    "verify_pairs several": (lambda a, b: plain(pairs(HITS, {"a": a, "b": b})), SCORES[1], SCORES[0]),
    "verify_pairs people": (
        lambda a, b: plain(pairs(None, people=(a, b))),
        np.array(PEOPLE),
        np.array([*PEOPLE[:4], *PEOPLE[:4]]),
    ),
    "verify_pairs samples": (
        lambda a, b: plain(pairs(a, SCORES[0], samples=(b, IDS[::-1]))),
        HITS,
        np.array(IDS),
    ),
    "Samples": (
        lambda a, b: plain(pb.Samples({"id": a, "subject": b}).take(np.arange(3)).frame),
        np.array(IDS),
        np.array(PEOPLE),
    ),
    "survey.Survey": (
        lambda a, b: plain(pb.survey.Survey({"y": a, "w": b}, weights="w").mean("y")),
        HITS,
        1.0 + np.arange(N),
    ),
    "survey.Survey.within": (lambda a, b: plain(pb.survey.Survey({"y": a}).within(b).mean("y")), HITS, FIRST),
    "survey.Survey.with_replicate_weights": (
        lambda a, b: plain(pb.survey.Survey({"y": a}).with_replicate_weights(b, "jk1").mean("y")),
        HITS,
        1.0 - np.eye(N),
    ),
    "Trials": (
        lambda a, b: plain(pb.Trials({"mated": a, "score": b}, "similarity").frame.sort("score")),
        HITS == 1,
        SCORES[0],
    ),
    "compare_outcomes": (
        lambda a, b: plain(pb.compare_outcomes({"a": a, "b": b}, algorithms=["a", "b"])),
        HITS,
        HITS[::-1],
    ),
    "survey.estimate_weighted": (
        lambda a, b: weighted(a, weights=b),
        np.array([1, 1, 1, 1, 2, 2, 2, 2]),
        1.0 + np.arange(N),
    ),
    "cluster_statistics": (
        lambda a, b: inference.cluster_statistics(a, b).cluster_se,
        HITS * 1.0,
        np.arange(N) // 2,
    ),
    "PairedOutcomes": (lambda a, b: inference.PairedOutcomes.of(a, b).sf, HITS * 1.0, HITS[::-1] * 1.0),
    "sklearn.cross_validate": (validated, VECTORS, TRUTH),
    "sklearn.cross_validate groups": (lambda a, b: validated(VECTORS, a, b), TRUTH, np.array(PEOPLE)),
    "Splitter.splits": (lambda a, b: divided(a, b), TRUTH, np.array(PEOPLE)),
    "Splitter.split": (
        lambda a, b: [
            test.tolist()
            for _, test in protocols.Splitter(protocols.Protocol.parse("2f CV"), all_classes=False).split(
                a, b
            )
        ],
        VECTORS,
        TRUTH,
    ),
    "Embeddings": (lambda a, b: tile(pb.Embeddings(b, a, metric="l2")), np.array(IDS), VECTORS),
    "Scores": (
        lambda a, b: tile(pb.Scores.from_array(b, a, IDS, orientation="similarity")),
        np.array(IDS),
        SCORES,
    ),
    "Scores of subjects": (
        lambda a, b: plain(pb.Scores.from_array(b, a, IDS, orientation="similarity", ids="subjects").values),
        np.array(PEOPLE),
        SCORES,
    ),
    "cells": (
        lambda a, b: tile(pb.Scores.from_array(SCORES, a, IDS, orientation="similarity", cells=b)),
        np.array(IDS),
        2 * (SCORES > 3),
    ),
    "Experiment": (chosen, HITS, FIRST),
    "Pool": (
        lambda a, b: plain(pb.Pool(table(getattr(a, "index", None)), where=b).options.images),
        HITS,
        np.arange(N) < 6,
    ),
    "Samples.take": (lambda a, b: table(getattr(a, "index", None)).take(b).ids[:], HITS, FIRST),
    "FeatureTable": (
        lambda a, b: plain(protocols.FeatureTable(table(getattr(a, "index", None)), features=b).vectors),
        HITS,
        VECTORS,
    ),
}
"""What takes two columns of the same rows."""
BY_PLACE = {
    "sklearn.cross_validate",
    "sklearn.cross_validate groups",
    "survey.estimate_weighted",
    "Splitter.splits",
    "Splitter.split",
    "verify_pairs several",
    "verify_pairs people",
    "verify_pairs samples",
}
"""What takes something else too that has no labels, and may be in either order."""
ORDER = np.array([3, 1, 7, 0, 2, 6, 5, 4])
NAMES = np.array(list("abcdefgh"))


@pytest.mark.parametrize("name", TOGETHER)
def test_labels_of_rows_are_obeyed_or_refused(name: str) -> None:
    call, one, other = TOGETHER[name]
    first, second = series(one, NAMES), series(other, NAMES)
    expected = call(first, second)
    for given in (
        (one, other),
        (series(one, None), series(other, None)),
        (first, other),
        (first, series(other, None)),
    ):
        assert call(*given) == expected  # nothing to go by but the order
    for found, shuffled in (
        (outcome(lambda given: call(first, given), second.iloc[ORDER]), expected),
        (
            outcome(lambda given: call(given, second), first.iloc[ORDER]),
            call(first.iloc[ORDER], second.iloc[ORDER]),
        ),
    ):
        assert found == (None if name in BY_PLACE else shuffled)
    # Numbers 0, 1, 2, … may be labels or places.
    assert outcome(lambda given: call(series(one, None), given), series(other, None).iloc[ORDER]) is None
    for labels in (list("ABCDEFGH"), list("abcdefgg")):
        assert outcome(lambda given: call(first, given), series(other, labels)) is None, labels


IDS_FIRST: dict[str, tuple[Call, Any]] = {
    "Scores": (lambda v: tile(pb.Scores.from_array(v, IDS, orientation="similarity")), SCORES),
    "cells": (
        lambda v: tile(pb.Scores.from_array(SCORES, IDS, orientation="similarity", cells=v)),
        2 * (SCORES > 3),
    ),
    "Embeddings": (lambda v: tile(pb.Embeddings(v, IDS, metric="l2")), VECTORS),
    "targets": (lambda v: tile(pb.Embeddings(VECTORS, IDS, metric="l2", targets=v, target_ids=IDS)), VECTORS),
    "Experiment": (lambda v: pb.Experiment(TABLE, v).gallery.tolist(), FIRST),
    "Pool": (lambda v: plain(pb.Pool(TABLE, where=v).options.images), np.arange(N) < 6),
    "Samples.take": (lambda v: TABLE.take(v).ids[:], FIRST),
    "FeatureTable": (lambda v: plain(protocols.FeatureTable(TABLE, features=v).vectors), VECTORS),
    "crop_faces": (lambda v: plain(algorithms.crop_faces(PIXELS, v, ids=IDS)), MOVED),
}
"""What takes values of samples that have ids."""


@pytest.mark.parametrize("name", IDS_FIRST)
def test_rows_that_are_labelled_by_ids_are_brought_to_their_order(name: str) -> None:
    call, values = IDS_FIRST[name]
    expected = call(values)
    assert (
        call(series(values, IDS))
        == call(series(values, IDS).iloc[ORDER])
        == call(series(values, range(N)))
        == expected
    )
    for labels in ([*IDS[1:], "y"], [*IDS[1:], IDS[1]], NAMES):
        assert outcome(call, series(values, labels)) is None


def test_columns_that_are_labelled_by_ids_or_classes_are_brought_to_their_order() -> None:
    frame = pd.DataFrame(SCORES, index=IDS, columns=IDS)
    for given in (
        frame,
        frame.iloc[ORDER, ORDER],
        frame[IDS[::-1]],
        pl.DataFrame(SCORES, schema=IDS)[:, ORDER.tolist()],
    ):
        assert tile(pb.Scores.from_array(given, IDS, orientation="similarity")) == SCORES[1:].tolist()
    with pytest.raises(ProbandError, match="columns of the scores are labelled"):
        pb.Scores.from_array(pd.DataFrame(SCORES, columns=NAMES), IDS, orientation="similarity")
    named = pd.DataFrame(LOGITS, columns=["cat", "dog", "fox"])
    words = np.array(["cat", "dog", "fox"])[TRUTH]
    expected = plain(pb.classify(words, named))
    for given in (named, named[["fox", "cat", "dog"]]):
        assert plain(pb.classify(words, given, classes=["cat", "dog", "fox"])) == expected
    rates = [one.value for one in pb.classify(TRUTH, LOGITS).rates]
    for columns in ([2, 0, 1], ["2", "0", "1"], [2.0, 0.0, 1.0]):
        found = pb.classify(TRUTH, pd.DataFrame(LOGITS[:, [2, 0, 1]], columns=columns))
        assert [one.value for one in found.rates] == pytest.approx(rates)
    with pytest.raises(ProbandError, match="labelled"):
        pb.classify(words, named, classes=["cat", "dog", "hen"])


def test_a_column_that_stands_twice_is_refused() -> None:
    frame = pd.DataFrame([["x", "a", 1, 2], ["y", "b", 3, 4]], columns=["id", "subject", "age", "age"])
    for call in (pb.Samples, pb.survey.Survey, lambda v: pb.compare_outcomes(v, algorithms=["age", "id"])):
        with pytest.raises(ProbandError, match="two columns 'age'"):
            call(frame)
    with pytest.raises(ProbandError, match="two columns '1'"):
        pb.Samples(frame.set_axis(["id", "subject", 1, "1"], axis=1))
