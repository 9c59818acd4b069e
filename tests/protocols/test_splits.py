"""What every splitter promises: nobody in two parts, the same seed the same splits, in any order; and clear refusals."""

from __future__ import annotations

import hashlib
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tests.examples import examples

from proband.errors import DesignError, InputError, UsageError
from proband.protocols.notation import Protocol
from proband.protocols.splits.balancing import imbalance
from proband.protocols.splits.splits import GENERATOR_VERSION, Splitter, splitter

EVERY_FORM = [
    "3×80-20 HO",
    "3×60-20-20 HO",
    "3×80-20 HO+",
    "3×60-20-20 HO+",
    "3×2-1 HO*",
    "3×1-1 HO*/class",
    "3×20-1 HO**",
    "3×20-10 HO**/all",
    "3×20-10 HO**/all+",
    "3×HO(f:8, m:8)",
    "3×HO(f:8, m:8)+",
    "3×4f CV",
    "3×4f CV+",
    "LOO",
    "LOO+",
    "3×LOO(20,7)",
    "3×LOO(20,7)+",
    "LOSO",
]


def crowd(n_people: int = 12, per_class: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """People with as many samples of either class."""
    subjects = np.repeat([f"s{k:02d}" for k in range(n_people)], 2 * per_class)
    return np.tile(["f", "m"], n_people * per_class), subjects


def key(split) -> tuple:
    parts = (split.train, split.test, split.validation)
    return split.repeat, split.fold, *(None if part is None else tuple(part.tolist()) for part in parts)


def made(text: str, seed: int = 0, **more) -> list[tuple]:
    return [key(split) for split in splitter(text, seed=seed).splits(*crowd(), **more)]


@pytest.mark.parametrize("text", EVERY_FORM)
def test_parts_share_no_sample_and_no_subject_where_that_is_promised(text):
    labels, subjects = crowd()
    maker = splitter(text, seed=3)
    for split in maker.splits(labels, subjects):
        parts = [split.train, split.test] + ([] if split.validation is None else [split.validation])
        together = np.concatenate(parts)
        assert len(np.unique(together)) == len(together)
        assert all(len(part) and (np.diff(part) > 0).all() for part in parts)
        assert np.isin(labels[split.test], labels[split.train]).all()
        if maker.protocol.is_disjoint:
            people = [set(subjects[part]) for part in parts]
            assert sum(map(len, people)) == len(set.union(*people))


@pytest.mark.parametrize("text", EVERY_FORM)
def test_repeats_are_the_same_in_any_order_and_by_any_number_of_threads(text):
    whole = made(text)
    assert whole == made(text)
    repeats = Protocol.parse(text).repeats
    backwards = [one for repeat in range(repeats, 0, -1) for one in made(text, repeats=[repeat])]
    assert sorted(backwards, key=lambda one: one[:2]) == whole
    with ThreadPoolExecutor(3) as pool:
        assert [
            one for part in pool.map(lambda r: made(text, repeats=[r]), range(1, repeats + 1)) for one in part
        ] == whole


@pytest.mark.parametrize("text", [text for text in EVERY_FORM if text not in ("LOO", "LOO+", "LOSO")])
def test_another_seed_and_another_repeat_give_other_splits(text):
    assert made(text) != made(text, seed=1)
    assert made(text, repeats=[1])[0][2:] != made(text, repeats=[2])[0][2:]


def test_the_splits_of_a_seed_are_those_of_this_version():
    text = "".join(str(made(form, seed=2016)) for form in EVERY_FORM)
    assert (GENERATOR_VERSION, hashlib.sha256(text.encode()).hexdigest()[:16]) == (1, "250e8ceba83b39f7")


def test_what_is_not_stated_is_made_to_be_mixed():
    assert str(splitter("10f CV").protocol) == "10f CV mixed"
    assert splitter("LOSO").protocol.is_disjoint


@given(st.integers(0, 2**40), st.integers(1, 10**6))
@examples(20)
def test_any_seed_is_taken(seed, repeats):
    protocol = Protocol("cross-validation", repeats=repeats, folds=4)
    one = [key(split) for split in Splitter(protocol, seed).splits(*crowd(), repeats=[repeats])]
    assert sorted(sample for split in one for sample in split[3]) == list(range(48))


def test_imbalance_is_that_of_the_worst_test_set():
    labels = ["a"] * 6 + ["b"] * 2
    splits = list(splitter("4f CV", all_classes=False, stratify=False, seed=1).splits(labels))
    shares = [abs(sum(labels[k] == "a" for k in split.test) / len(split.test) - 6 / 8) for split in splits]
    found = imbalance(splits, labels)
    assert found.share == max(shares)
    assert found.fold == 1 + shares.index(max(shares))
    assert (found.smallest, found.largest) == (2, 2)
    assert found.repeat == 1
    assert imbalance(splits).share is None
    with pytest.raises(DesignError, match="no split"):
        imbalance([])


@pytest.mark.parametrize("text", ["5f CV+", "80-20 HO+", "LOSO", "LOO+", "LOO(5,5)+"])
def test_identities_cannot_be_kept_out_of_training(text):
    people = np.repeat(["a", "b", "c"], 4)
    with pytest.raises(DesignError, match="the classes here are the subjects") as refusal:
        splitter(text).splits([f"class of {name}" for name in people], people)
    assert "a classifier can only name classes it was trained on" in refusal.value.message
    hint = refusal.value.told("command line")[1]
    assert "mixed protocol" in hint
    assert "--enrolled-each 1" in hint  # who is enrolled need not be trained on


@pytest.mark.parametrize("text", ["5f CV+", "80-20 HO+", "LOSO", "LOO+", "LOO(5,5)+", "HO(f:2, m:2)+"])
def test_disjoint_protocols_ask_for_subjects(text):
    with pytest.raises(DesignError, match="no subjects were given") as refusal:
        splitter(text).splits(["f", "m"] * 10)
    assert "groups" in refusal.value.hint


@pytest.mark.parametrize("text", ["HO", "HO*", "HO**", "CV"])
def test_sizes_that_are_not_stated_cannot_be_drawn(text):
    with pytest.raises(DesignError, match="not stated"):
        list(splitter(text).splits(*crowd()))


def test_what_is_malformed_is_refused():
    with pytest.raises(DesignError, match="not stated"):
        splitter("not stated")
    with pytest.raises(UsageError, match="seed"):
        splitter("LOO", seed=-1)
    with pytest.raises(UsageError, match="'error' or 'drop'"):
        splitter("LOO", missing="ignore")
    with pytest.raises(UsageError, match="repeats 1 to 3, not 4"):
        splitter("3×2f CV").splits(*crowd(), repeats=[4])
    with pytest.raises(InputError, match="2 labels, 3 subjects"):
        splitter("LOO").splits(["a", "b"], ["s", "t", "u"])
    with pytest.raises(InputError, match="1 of 3 samples has no label; the first is sample 2"):
        splitter("LOO").splits(np.array(["a", None, "b"], object))
    with pytest.raises(InputError, match="1 of 2 samples has no subject"):
        splitter("LOSO").splits(["a", "b"], [1.0, np.nan])
    with pytest.raises(DesignError, match="real numbers such as"):
        splitter("LOO").splits([0.5, 1.5, 2.0])
    with pytest.raises(DesignError, match="no samples"):
        splitter("LOO").splits([])
    with pytest.raises(UsageError, match="Neither labels nor subjects"):
        splitter("LOO").splits(None)


def test_a_class_that_cannot_be_learned_is_named():
    labels = ["a", "a", "a", "a", "b"]
    for text in ("2f CV", "LOO"):
        with pytest.raises(DesignError, match=r"single sample \('b'\)"):
            splitter(text).splits(labels)
        assert list(splitter(text, all_classes=False).splits(labels))
    people = ["s", "t", "u", "t", "u"]
    for text in ("2f CV+", "LOSO", "LOO+"):
        with pytest.raises(DesignError, match=r"single subject \('b'\)"):
            splitter(text).splits(labels, people)
    with pytest.raises(DesignError, match=r"in repeat 1, fold 1, the class 'b' is tested without"):
        list(splitter("1-rest HO**/all", seed=1).splits(labels))


def test_conditions_are_asked_for_and_met():
    labels, subjects = crowd()
    session = np.tile([1, 2], 24)
    text = "1-1 HO* [train: session 1; test: session 2]"
    with pytest.raises(DesignError, match="a condition on training samples") as refusal:
        splitter(text).splits(labels, subjects)
    assert "train_on" in refusal.value.hint
    with pytest.raises(UsageError, match="states no such condition"):
        splitter("1-1 HO*").splits(labels, subjects, train_on=session == 1)
    ids = [f"i{k}" for k in range(48)]
    tested = [name for name, when in zip(ids, session, strict=True) if when == 2]
    for form in (
        text,
        "4f CV [train: session 1; test: session 2]",
        "LOO [train: session 1; test: session 2]",
    ):
        maker = splitter(form, all_classes=False)
        for split in maker.splits(
            subjects, subjects, ids=ids, train_on=np.flatnonzero(session == 1), test_on=tested
        ):
            assert (session[split.train] == 1).all()
            assert (session[split.test] == 2).all()
    with pytest.raises(DesignError, match="1 of the 1 ids of test_on match no sample: 'x'"):
        splitter("LOO [test: x]").splits(labels, ids=ids, test_on=["x"])
    with pytest.raises(UsageError, match="no sample ids"):
        splitter("LOO [test: x]").splits(labels, test_on=["x"])
    with pytest.raises(UsageError, match="there are 48 samples"):
        splitter("LOO [test: x]").splits(labels, test_on=np.ones(3, bool))
    with pytest.raises(UsageError, match="positions from 0 to 47"):
        splitter("LOO [test: x]").splits(labels, test_on=[48])
