"""Accuracies, classes and confusions are those everybody counts; what is wrong with labels or scores is said with its place."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import proband as pb
from proband.errors import InputError, ProbandError, UsageError
from proband.inference.outcomes.rates import Items, class_average
from proband.inference.proportions import proportion_interval

RNG = np.random.default_rng(11)
N, C = 240, 7
TRUTH = RNG.integers(0, C, N)
LOGITS = {name: RNG.normal(size=(N, C)) + lift * np.eye(C)[TRUTH] for name, lift in (("A", 2.5), ("B", 1.5))}
GROUPS = RNG.integers(0, 40, N)


def test_numbers_are_those_of_scikit_learn() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    found = pb.classify(TRUTH, LOGITS, k=(1, 3, 5))
    for name, scores in LOGITS.items():
        said = scores.argmax(axis=1)
        assert found.rate(name).value == pytest.approx(metrics.accuracy_score(TRUTH, said), abs=1e-15)
        for k in (1, 3, 5):
            top = metrics.top_k_accuracy_score(TRUTH, scores, k=k)
            assert found.rate(name, f"top-{k}").value == pytest.approx(top, abs=1e-15)
        balanced = metrics.balanced_accuracy_score(TRUTH, said)
        assert found.rate(name, "macro-top-1").value == pytest.approx(balanced, abs=1e-14)
        assert (found.confusion(name) == metrics.confusion_matrix(TRUTH, said)).all()
        rows = [one for one in found.by_class if one.algorithm == name]
        mine = np.array([[one.precision, one.recall, one.f1, one.n] for one in rows], dtype=float)
        theirs = metrics.precision_recall_fscore_support(TRUTH, said)
        np.testing.assert_allclose(mine, np.column_stack(theirs), rtol=1e-14)


def test_predicted_labels_are_as_good_as_scores() -> None:
    names = np.array([f"class {k}" for k in range(C)])
    said = {name: names[one.argmax(axis=1)] for name, one in LOGITS.items()}
    by_labels = pb.classify(names[TRUTH], said)
    by_scores = pb.classify(TRUTH, LOGITS, k=1, classes=list(names))
    assert by_labels.classes == by_scores.classes
    assert by_labels.to_dict() == by_scores.to_dict()


def test_single_samples_are_mcnemar_and_wilson() -> None:
    found = pb.classify(TRUTH, LOGITS)
    right = {name: one.argmax(axis=1) == TRUTH for name, one in LOGITS.items()}
    (pair,) = found.comparison.pairs  # type: ignore[union-attr]
    only_a, only_b = int((right["A"] & ~right["B"]).sum()), int((right["B"] & ~right["A"]).sum())
    assert (pair.n_sf, pair.n_fs) == (only_a, only_b)
    assert pair.p_value == pytest.approx(pb.mcnemar(only_a, only_b).p_mid, rel=1e-10)
    ends = proportion_interval(int(right["A"].sum()), N)
    assert (found.rate("A").low, found.rate("A").high) == pytest.approx(ends, rel=1e-12)


def test_groups_are_what_people_are_elsewhere() -> None:
    """The same successes as a search of people: probes of a person are samples of a group."""
    right = {name: (one.argmax(axis=1) == TRUTH).astype(float) for name, one in LOGITS.items()}
    samples = pb.Samples(
        {
            "id": [f"g{k}" for k in range(40)] + [f"p{k}" for k in range(N)],
            "subject": [f"s{k}" for k in (*range(40), *GROUPS)],
        }
    )
    queries, targets = [f"p{k}" for k in range(N)], [f"g{k}" for k in range(40)]
    scores = []
    for name, one in right.items():
        values = np.where(np.arange(40) == GROUPS[:, None], one[:, None], 0.5)
        scores.append(pb.Scores.from_array(values, queries, targets, orientation="similarity", name=name))
    searched = pb.compare(
        scores, pb.Experiment(samples, gallery=targets), measure=pb.measures.RecognitionRate(1)
    )
    found = pb.classify(TRUTH, LOGITS, cluster=GROUPS)
    for mine, theirs in zip(found.comparison.estimates, searched.estimates, strict=True):  # type: ignore[union-attr]
        assert (mine.value, mine.low, mine.high) == pytest.approx((theirs.value, theirs.low, theirs.high))
        own, other = mine.by_person, theirs.by_person
        assert (own is None) == (other is None)
        if own is not None:
            assert (own.value, own.low, own.high, own.p_value) == (
                other.value,
                other.low,
                other.high,
                other.p_value,
            )
    mine, theirs = found.comparison.pairs[0], searched.pairs[0]  # type: ignore[union-attr]
    assert (mine.low, mine.high, mine.p_value) == pytest.approx((theirs.low, theirs.high, theirs.p_value))
    assert "group" in str(found.answers.varying)
    assert not _mentions(found.to_dict(), "people")


def _mentions(value: Any, word: str) -> bool:
    if isinstance(value, dict):
        return any(_mentions(one, word) for one in value.values())
    if isinstance(value, list):
        return any(_mentions(one, word) for one in value)
    return isinstance(value, str) and word in value


@pytest.mark.parametrize("average", ["micro", "macro"])
@pytest.mark.parametrize("group", [None, GROUPS])
def test_nothing_said_of_samples_speaks_of_people(average: Any, group: Any) -> None:
    ties = {name: np.round(one) for name, one in LOGITS.items()} | {"C": np.round(LOGITS["B"] * 0.7)}
    found = pb.classify(TRUTH, ties, cluster=group, average=average)
    for word in ("people", "person", "probe", "gallery"):
        assert not _mentions(found.to_dict(), word), word
    shown = found.to_markdown()
    assert "people" not in shown
    assert "probe" not in shown


def test_macro_variance_is_that_of_fixed_classes() -> None:
    """Σ s²/n over classes, counted by hand, where no class is without errors."""
    classes = np.repeat([0, 1, 2], [10, 20, 5])
    values = np.concatenate([np.arange(10) < 7, np.arange(20) < 11, np.arange(5) < 3]).astype(float)
    found = class_average(values, Items(np.arange(35), "sample", classes))
    by_hand = sum(values[classes == c].var(ddof=1) / (classes == c).sum() for c in range(3)) / 9
    assert float(found.standard_error) ** 2 == pytest.approx(by_hand)
    # Groups that hold a class alone show no more than samples; the bootstrap agrees on those that are shared.
    units = np.arange(35) % 9
    shared = class_average(values, Items(units, "group", classes))
    assert float(shared.standard_error) ** 2 >= by_hand * (1 - 1e-12)


def test_a_class_without_errors_is_not_certain() -> None:
    """Few samples of a class without errors, many of another: the rare class decides how sure the average is."""
    classes = np.repeat([0, 1], [500, 4])
    values = np.concatenate([np.arange(500) < 450, np.ones(4)]).astype(float)
    found = class_average(values, Items(np.arange(504), "sample", classes))
    low, _ = found.ends(0.95)
    assert float(found.standard_error) > 0.04  # without smoothing 0.0067
    assert low < 0.85
    perfect = class_average(np.ones(504), Items(np.arange(504), "sample", classes))
    assert float(perfect.effective_n) == pytest.approx(4 / (1 / 500 + 1 / 4))


def test_copies_of_samples_in_groups_tell_nothing_new() -> None:
    once = pb.classify(TRUTH, LOGITS, cluster=np.arange(N), average="macro")
    again = {name: np.repeat(one, 3, axis=0) for name, one in LOGITS.items()}
    thrice = pb.classify(np.repeat(TRUTH, 3), again, cluster=np.repeat(np.arange(N), 3), average="macro")
    for measure in ("top-1", "macro-top-1"):
        narrow, wide = once.rate("A", measure), thrice.rate("A", measure)
        assert wide.value == pytest.approx(narrow.value)
        assert wide.high - wide.low == pytest.approx(narrow.high - narrow.low, rel=0.03)
    mine, copied = once.comparison.pairs[0], thrice.comparison.pairs[0]  # type: ignore[union-attr]
    assert copied.high - copied.low == pytest.approx(mine.high - mine.low, rel=0.05)


def test_ties_count_by_their_policy() -> None:
    scores = np.array([[1.0, 1.0, 0.0], [0.0, 2.0, 1.0], [3.0, 3.0, 3.0], [0.0, 1.0, 1.0]])
    truth = [0, 1, 2, 0]
    values = {}
    for ties in ("pessimistic", "optimistic", "mean"):
        found = pb.classify(truth, scores, ties=ties, k=(1, 2))  # type: ignore[arg-type]
        values[ties] = (found.rate("model").value, found.rate("model", "top-2").value)
        assert np.trace(found.confusion("model")) / 4 == pytest.approx(values[ties][0])
        assert [note.code for note in found.notes if note.level == "caution"][-1] == "classification.ties"
    assert values["pessimistic"] == (0.25, 0.5)
    assert values["optimistic"] == (0.75, 0.75)
    assert values["mean"] == pytest.approx(((0.5 + 1 + 1 / 3) / 4, (1 + 1 + 2 / 3) / 4))


def test_a_class_without_samples_is_left_out_of_the_average() -> None:
    found = pb.classify([0, 0, 1, 1], {"a": [0, 0, 1, 2]}, classes=[0, 1, 2])
    assert found.rate("a", "macro-top-1").value == 0.75
    unseen = found.by_class[2]
    assert (unseen.n, unseen.recall, unseen.precision) == (0, None, 0.0)
    assert [note.code for note in found.notes] == ["classification.unseen-classes"]


class Tensor:
    """What PyTorch's tensors have."""

    def __init__(self, values: Any, device: str = "cpu") -> None:
        self.values = np.asarray(values)
        self.device = type("device", (), {"type": device})()

    def detach(self) -> Tensor:
        return self

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self.values


@pytest.mark.parametrize("library", ["lists", "polars", "pandas", "tensor", "float32"])
def test_arrays_of_any_library(library: str) -> None:
    expected = pb.classify(TRUTH, {"A": LOGITS["A"]})
    names = [f"c{k}" for k in range(C)]
    scores: Any = LOGITS["A"]
    truth: Any = TRUTH
    group: Any = GROUPS
    if library == "lists":
        truth, scores = TRUTH.tolist(), LOGITS["A"].tolist()
    elif library == "polars":
        truth, scores, group = pl.Series(TRUTH), pl.DataFrame(LOGITS["A"], schema=names), pl.Series(GROUPS)
    elif library == "pandas":
        pd = pytest.importorskip("pandas")
        index = np.arange(N) + 1000
        truth = pd.Series(TRUTH, index=index)
        scores, group = pd.DataFrame(LOGITS["A"], index=index, columns=names), pd.Series(GROUPS, index=index)
    elif library == "tensor":
        truth, scores = Tensor(TRUTH), Tensor(LOGITS["A"])
    else:
        scores = LOGITS["A"].astype(np.float32)
    named = library in ("polars", "pandas")
    found = pb.classify(truth, {"A": scores}, cluster=group, classes=names if named else None)
    assert found.rate("A").value == expected.rate("A").value
    assert found.classes == (tuple(names) if named else expected.classes)


def named_columns(values: Any, names: list[Any], library: str) -> Any:
    if library == "polars":
        return pl.DataFrame(values, schema=[*map(str, names)])
    return pytest.importorskip("pandas").DataFrame(values, columns=names)


SHUFFLED = np.random.default_rng(5).permutation(C).tolist()


@pytest.mark.parametrize("library", ["polars", "pandas"])
@pytest.mark.parametrize("texts", [False, True])
@pytest.mark.parametrize("beside", ["nothing", "array", "plain frame", "other order"])
@pytest.mark.parametrize("first", [False, True])
def test_columns_go_by_their_names_whatever_stands_beside(
    library: str, texts: bool, beside: str, first: bool
) -> None:
    expected = pb.classify(TRUTH, LOGITS)
    names = [str(one) for one in SHUFFLED] if texts else SHUFFLED
    shuffled = named_columns(LOGITS["B"][:, SHUFFLED], names, library)
    every: dict[str, dict[str, Any]] = {
        "nothing": {},
        "array": {"A": LOGITS["A"]},
        "plain frame": {"A": pl.DataFrame(LOGITS["A"])},
        "other order": {"A": named_columns(LOGITS["A"][:, ::-1], [*range(C)][::-1], library)},
    }
    others = every[beside]
    found = pb.classify(TRUTH, {"B": shuffled} | others if first else others | {"B": shuffled})
    for name in found.algorithms:
        assert found.rate(name).value == expected.rate(name).value
        assert found.rate(name, "top-5").value == expected.rate(name, "top-5").value


@pytest.mark.parametrize("library", ["polars", "pandas"])
def test_columns_of_texts_go_by_their_names(library: str) -> None:
    words = np.array([f"c{k}" for k in range(C)])
    frames = {
        "A": named_columns(LOGITS["A"], words.tolist(), library),
        "B": named_columns(LOGITS["B"][:, SHUFFLED], words[SHUFFLED].tolist(), library),
    }
    expected = pb.classify(TRUTH, LOGITS)
    for given in (None, words.tolist()):
        found = pb.classify(words[TRUTH], frames, classes=given)
        assert [found.rate(name).value for name in "AB"] == [expected.rate(name).value for name in "AB"]


@pytest.mark.parametrize(
    "names",
    [[*range(1, C + 1)], [f"c{k}" for k in range(C)], [*range(C - 1), "x"], [0.5 + k for k in range(C)]],
)
@pytest.mark.parametrize("beside", [False, True])
def test_columns_named_otherwise_than_labels_are_refused(names: list[Any], beside: bool) -> None:
    models = {"B": named_columns(LOGITS["B"], names, "pandas")} | ({"A": LOGITS["A"]} if beside else {})
    with pytest.raises(ProbandError, match="classes"):
        pb.classify(TRUTH, models)
    assert pb.classify(TRUTH, models["B"], classes=[f"n{k}" for k in range(C)]).classes[0] == "n0"


def test_classes_that_are_numbers_are_numbers_as_texts_too() -> None:
    expected = pb.classify(TRUTH, LOGITS["A"]).rate("model").value
    for called in (SHUFFLED, [*map(str, SHUFFLED)]):
        assert pb.classify(TRUTH, LOGITS["A"][:, SHUFFLED], classes=called).rate("model").value == expected


def test_archives_that_state_their_classes_are_read_by_them(run: Callable[..., Any], tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", A=LOGITS["A"], truth=TRUTH, classes=np.arange(C))
    np.savez(tmp_path / "b.npz", B=LOGITS["B"][:, SHUFFLED], classes=np.array(SHUFFLED))
    expected = pb.classify(TRUTH, LOGITS)

    def found(*more: str) -> Any:
        done = run("classify", "a.npz", "b.npz", "--truth", "truth", "--json", *more, cwd=tmp_path)
        return json.loads(done.stdout)["classification"] if done.returncode == 0 else done.stderr

    for more in (
        (),
        ("--classes", ",".join(map(str, range(C)))),
        ("--classes", ",".join(map(str, SHUFFLED))),
    ):
        rates = {
            one["who"]["algorithm"]: one["value"]
            for one in found(*more)["rates"]
            if one["answers"]["of"]["key"] == "top-1"
        }
        # A file that holds one matrix names its model.
        assert rates == {name.lower(): expected.rate(name).value for name in "AB"}
    np.savez(tmp_path / "b.npz", B=LOGITS["B"], classes=np.arange(C) + 1)
    assert "its columns have the classes" in found()


NAN = LOGITS["A"].copy()
NAN[5, 2] = np.nan
WRONG: dict[str, tuple[type[ProbandError], str, Any]] = {
    "119 rows for 120 labels": (InputError, "'A' has 239 rows of scores for 240 labels", lambda: pb.classify(TRUTH, {"A": LOGITS["A"][1:]})),
    "NaN": (InputError, "row 5, column 2", lambda: pb.classify(TRUTH, NAN)),
    "outside": (InputError, "the first is 7 .sample 0, counted from 0.. The classes are", lambda: pb.classify(np.full(N, C), LOGITS)),
    "from one": (InputError, "range\\(1, 8\\)", lambda: pb.classify(TRUTH + 1, LOGITS)),
    "texts": (UsageError, "classes=", lambda: pb.classify(TRUTH.astype(str), LOGITS)),
    "missing": (InputError, "first number 3", lambda: pb.classify([1, 0, 1, None, 1], [1, 0, 1, 1, 1])),
    "chances": (InputError, "got 0.37", lambda: pb.classify([0, 1], [0.37, 1.0])),
    "kinds": (InputError, "are strings, but the predictions of 'm' are numbers", lambda: pb.classify(["a", "b"], {"m": [0, 1]})),
    "unknown label": (InputError, "'zebra'", lambda: pb.classify(["a", "b"], {"m": ["a", "zebra"]}, classes=["a", "b"])),
    "several unnamed": (UsageError, "by name", lambda: pb.classify(TRUTH, [one.tolist() for one in LOGITS.values()])),
    "one column": (InputError, "1 column", lambda: pb.classify(TRUTH, LOGITS["A"][:, :1])),
    "columns differ": (InputError, "different numbers of columns", lambda: pb.classify(TRUTH, LOGITS | {"C": np.ones((N, 9))})),
    "classes too few": (InputError, "7 columns of scores for 2 classes", lambda: pb.classify(TRUTH, LOGITS, classes=["a", "b"])),
    "class twice": (UsageError, "repeated", lambda: pb.classify(TRUTH, LOGITS, classes=["a"] * C)),
    "too many guesses": (UsageError, "Top-7", lambda: pb.classify(TRUTH, LOGITS, k=7)),
    "no second choice": (UsageError, "second choice", lambda: pb.classify([0, 1], [0, 1], k=2)),
    "one class": (InputError, "one class", lambda: pb.classify([1, 1], [1, 1])),
    "one group": (InputError, "from one group", lambda: pb.classify(TRUTH, LOGITS, cluster=np.zeros(N))),
    "groups short": (InputError, "239 group labels for 240 samples", lambda: pb.classify(TRUTH, LOGITS, cluster=GROUPS[1:])),
    "average": (UsageError, "average", lambda: pb.classify(TRUTH, LOGITS, average="weighted")),  # type: ignore[arg-type]
    "ties": (UsageError, "ties must be one of", lambda: pb.classify(TRUTH, LOGITS, ties="random")),  # type: ignore[arg-type]
    "margin": (UsageError, "margin", lambda: pb.classify(TRUTH, LOGITS, margin=5)),
    "device": (UsageError, "cpu", lambda: pb.classify(TRUTH, {"A": Tensor(LOGITS["A"], "cuda")})),
    "ragged": (InputError, "cannot be converted to an array", lambda: pb.classify([0, 1], [[1.0, 2.0], [1.0]])),
    "nothing": (UsageError, "No model was given", lambda: pb.classify([0, 1], {})),
    "swapped": (UsageError, "look swapped", lambda: pb.classify(LOGITS["A"], TRUTH)),
    "text": (UsageError, "array", lambda: pb.classify("labels.csv", LOGITS)),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_said(name: str) -> None:
    kind, words, call = WRONG[name]
    with pytest.raises(kind) as told:
        call()
    assert re.search(words, str(told.value)), str(told.value)


def test_three_models_hold_together() -> None:
    three = LOGITS | {"C": LOGITS["B"] + RNG.normal(size=(N, C)) * 0.3}
    together, apart = (pb.classify(TRUTH, three, adjust=one).comparison for one in ("single-step", "none"))  # type: ignore[arg-type]
    assert together is not None
    assert apart is not None
    for wide, narrow in zip(together.pairs, apart.pairs, strict=True):
        assert wide.p_adjusted >= narrow.p_value
        assert wide.low <= narrow.low
        assert wide.high >= narrow.high
        assert wide.told_apart == (wide.low > 0 or wide.high < 0) == (wide.p_adjusted <= 0.05)


def test_what_models_are_compared_by_is_said_unless_it_is_plain_accuracy() -> None:
    said = "Models are compared by top-3 accuracy."
    found = pb.classify(TRUTH, LOGITS, k=[3, 1])
    assert said in repr(found)
    assert said in found.to_latex()
    assert "compared by" not in repr(pb.classify(TRUTH, LOGITS))
    alone = pb.classify(TRUTH, LOGITS["A"], k=3)
    assert "model top-3 accuracy 0." in repr(alone)
    assert alone.confusion("model").sum() == N


@pytest.mark.parametrize("said", [TRUTH + 100, [f"c{one}" for one in TRUTH]])
def test_labels_that_are_never_true_are_cautioned_of(said: Any) -> None:
    truth = TRUTH if isinstance(said, np.ndarray) else [one.upper() for one in said]
    (note,) = (one for one in pb.classify(truth, {"m": said}).notes if one.level == "caution")
    assert note.code == "classification.no-true-class"


def test_the_truth_is_no_prediction_and_scores_need_a_truth(run: Callable[..., Any], tmp_path: Path) -> None:
    pl.DataFrame({"label": TRUTH}).write_csv(tmp_path / "labels.csv")
    np.savez(tmp_path / "a.npz", A=LOGITS["A"])
    done = run("classify", "labels.csv", "--predicted", "label", cwd=tmp_path)
    assert "--predicted: 'label' is the column of the true class" in done.stderr
    done = run("classify", "a.npz", cwd=tmp_path)
    assert "There are no true classes: 'a.npz' holds only scores.\nhint: add the table" in done.stderr
    done = run("classify", "a.npz", "labels.csv", "--top", "3", cwd=tmp_path)
    assert done.returncode == 0, done.stderr


def test_every_form() -> None:
    found = pb.classify(TRUTH, LOGITS)
    assert found.to_frame().height == 8
    assert found.class_frame().height == 2 * C
    assert found.confusion_frame()["n"].sum() == 2 * N
    assert "macro" in found.to_latex()
    for which in ("accuracy", "confusion"):
        assert found.plot(which=which).axes
    with pytest.raises(UsageError, match="figure"):
        found.plot(which="roc")
    with pytest.raises(UsageError, match="top-9"):
        found.rate("A", "top-9")
    alone = pb.classify(TRUTH, LOGITS["A"])
    assert alone.comparison is None
    assert alone.plot().axes
