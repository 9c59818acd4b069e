"""Ids, masks, vectors and tables of NumPy, pandas, polars and PyTorch mean what lists mean."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import proband as pb
from proband.errors import InputError, UsageError
from proband.samples.ids import Ids

pd = pytest.importorskip("pandas")
IDS = [f"x{k}" for k in range(8)]
FIRST = [k % 2 == 0 for k in range(8)]


class Tensor:
    """What a tensor of PyTorch shows of itself: it must be detached before it is an array."""

    def __init__(self, values: Any, attached: bool = True) -> None:
        self.values, self.attached = np.asarray(values), attached

    def detach(self) -> Tensor:
        return Tensor(self.values, attached=False)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        if self.attached:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad.")
        return self.values.astype(dtype or self.values.dtype)


class OnlyDlpack:
    """An array that can be handed over by DLPack alone."""

    def __init__(self, values: Any) -> None:
        self.values = np.asarray(values)

    def __dlpack__(self, **options: Any) -> Any:
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self.values.__dlpack_device__()


@pytest.fixture
def frame() -> Any:
    return pd.DataFrame(
        {"id": IDS, "subject": [f"s{k // 2}" for k in range(8)], "first": FIRST}, index=range(10, 18)
    )


def test_ids(frame: Any) -> None:
    for given in (
        frame.id,
        frame.id.astype("category"),
        pl.Series(IDS),
        np.array(IDS),
        frame.id.astype("string"),
    ):
        assert Ids(given)[:] == tuple(IDS)
    for numbers in (
        pd.Series([7, 8]),
        pd.Series([7.0, 8.0]),
        np.array([7, 8]),
        pl.Series([7, 8]),
        Tensor([7, 8]),
    ):
        assert Ids(numbers)[:] == ("7", "8")
    for missing in (
        pd.Series(["a", None]),
        pd.Series(["a", pd.NA], dtype="string"),
        pd.Series([1.0, np.nan]),
        pl.Series(["a", None]),
    ):
        with pytest.raises(InputError, match="at position 1 is missing"):
            Ids(missing)


def test_masks(frame: Any) -> None:
    samples = pb.Samples(frame)
    masks = [
        frame["first"],
        frame["first"].astype("boolean"),
        pl.Series(FIRST),
        np.array(FIRST),
        FIRST,
        Tensor(FIRST),
    ]
    for mask in masks:
        experiment = pb.Experiment(samples, gallery=mask)
        assert experiment.gallery.tolist() == [0, 2, 4, 6]
    for ids in (frame.id[frame["first"]], pl.Series(IDS[::2]), np.array(IDS[::2]), IDS[::2]):
        assert pb.Experiment(samples, gallery=ids).gallery.tolist() == [0, 2, 4, 6]
    for missing in (pd.Series([*FIRST[:-1], None], dtype="boolean"), pl.Series([*FIRST[:-1], None])):
        with pytest.raises(UsageError, match="The mask has missing values for 1 of 8 samples"):
            pb.Experiment(samples, gallery=missing)


def test_vectors_and_scores(frame: Any) -> None:
    vectors = np.random.default_rng(0).normal(size=(8, 3)).astype(np.float32)
    wanted = pb.Embeddings(vectors, IDS, metric="cosine").tile(np.arange(8), np.arange(8))
    for given in (
        Tensor(vectors),
        OnlyDlpack(vectors),
        pd.DataFrame(vectors),
        pl.DataFrame(vectors),
        vectors.tolist(),
    ):
        made = pb.Embeddings(given, frame.id, metric="cosine", name="net")
        assert made.tile(np.arange(8), np.arange(8)) == pytest.approx(wanted)
        scores = pb.Scores.from_array(given, frame.id, ["a", "b", "c"], orientation="similarity")
        assert scores.values == pytest.approx(vectors)


def test_one_algorithm_or_several(frame: Any) -> None:
    vectors = np.random.default_rng(0).normal(size=(4, 3))[[0, 0, 1, 1, 2, 2, 3, 3]] + np.eye(8, 3)
    net = pb.Embeddings(vectors, frame.id, metric="cosine", name="net")
    samples = pb.Samples(frame)
    experiment = pb.Experiment(samples, gallery=frame["first"])
    for given, names in ((net, ["net"]), ([net], ["net"]), ({"a": net, "b": net}, ["a", "b"])):
        assert list(pb.evaluate(given, experiment).algorithms) == names
    several = pb.verify({"a": net, "b": net}, samples, fmr=0.1, n_resamples=0)
    alone = pb.verify(net, samples, fmr=0.1, n_resamples=0)
    assert [one.points[0].fnmr.value for one in several.values()] == [alone.points[0].fnmr.value] * 2
    assert net.name == "net"
    assert several.to_pandas(wide=True).shape[0] == 2


def test_pairs(frame: Any) -> None:
    mated, score = pd.Series([1, 1, 0, 0], index=[5, 6, 7, 8]), [0.9, 0.2, 0.4, 0.1]
    wanted = pb.verify_pairs([1, 1, 0, 0], score, orientation="similarity", fmr=0.5).to_dict()["points"]
    for labels in (
        mated,
        mated.astype(bool),
        pl.Series([1, 1, 0, 0]),
        np.array([1, 1, 0, 0]),
        Tensor([1, 1, 0, 0]),
    ):
        for scores in (pd.Series(score), pl.Series(score), np.array(score), Tensor(np.array(score)), score):
            found = pb.verify_pairs(labels, scores, orientation="similarity", fmr=0.5)
            assert found.to_dict()["points"] == wanted
    trials = pb.Trials(pd.DataFrame({"score": score, "mated": mated.to_numpy()}), "similarity")
    assert trials.frame["mated"].to_list() == [True, True, False, False]
