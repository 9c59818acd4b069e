from __future__ import annotations

import time
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, strategies as st
from scipy.stats import chi2_contingency
from tests.examples import examples, some

from proband.errors import UsageError
from proband.protocols.audit.audit import audit
from proband.protocols.audit.balance import dealt_at_random
from proband.protocols.splits.files import split_frame
from proband.protocols.splits.splits import splitter
from proband.samples import Samples
from proband.words import as_sentence

N_SUBJECTS, N_EACH = 20, 6
SMILES = np.tile(["no", "yes"], N_SUBJECTS * N_EACH // 2)


@pytest.fixture(scope="module")
def people() -> Samples:
    names = np.repeat([f"p{k:02d}" for k in range(N_SUBJECTS)], N_EACH)
    ids = [f"{name}-{k % N_EACH}" for k, name in enumerate(names)]
    return Samples({"id": ids, "subject": names, "smile": SMILES})


def frame_of(people: Samples, protocol: str, seed: int = 0) -> pl.DataFrame:
    subjects = np.array([people.subjects[code] for code in people.codes])
    made = splitter(protocol, seed=seed).splits(SMILES, subjects)
    return split_frame(people, made).with_columns(pl.col("role").cast(pl.String))


def attribute(frame: pl.DataFrame, people: Samples, **more: Any) -> Any:
    return audit(frame, people, task="attribute", label="smile", **more)


def moved(frame: pl.DataFrame, name: str, role: str, fold: int = 1) -> pl.DataFrame:
    here = (pl.col("id") == name) & (pl.col("fold") == fold)
    return frame.with_columns(role=pl.when(here).then(pl.lit(role)).otherwise(pl.col("role")))


def first(frame: pl.DataFrame, role: str, fold: int = 1) -> str:
    return str(frame.filter((pl.col("role") == role) & (pl.col("fold") == fold))["id"][0])


@pytest.mark.parametrize(
    "protocol", some(["5f CV+", "2×4f CV+", "80-20 HO+", "LOSO", "60-20-20 HO+", "3×70-30 HO+", "LOO+"], 2)
)
def test_disjoint_splits_of_a_splitter_are_clean(people: Samples, protocol: str) -> None:
    for stated in (None, protocol):
        found = attribute(frame_of(people, protocol), people, protocol=stated)
        assert found.is_sound
        assert {one.severity for one in found.findings} <= {"note"}


@pytest.mark.parametrize("protocol", ["5f CV", "3-3 HO*", "LOO", "2×80-20 HO", "LOO(60,40)"])
def test_mixed_splits_are_sound_for_identity_and_leak_for_attributes(people: Samples, protocol: str) -> None:
    frame = frame_of(people, protocol)
    sound = audit(frame, people, protocol=protocol)
    assert sound.is_sound, sound.findings
    (note,) = sound.of("subjects in training and testing")
    assert note.severity == "note"
    (leak,) = attribute(frame, people, protocol=protocol).of("subjects in training and testing")
    assert leak.severity == "leak"
    assert "recognising the person" in str(leak.what)


def test_splits_and_frames_and_tables_are_audited_alike(people: Samples) -> None:
    subjects = np.array([people.subjects[code] for code in people.codes])
    one = attribute(splitter("5f CV").splits(SMILES, subjects), people)
    other = attribute(frame_of(people, "5f CV"), people)
    assert one.to_dict() == other.to_dict()


def test_a_shared_subject_is_named_with_its_samples_and_its_split(people: Samples) -> None:
    frame = frame_of(people, "2×5f CV+")
    name = first(frame, "train", fold=3)
    broken = moved(frame, name, "test", fold=3)
    (leak,) = attribute(broken, people).of("subjects in training and testing")
    assert leak.count == 1
    assert leak.examples[0].startswith(f"{name.partition('-')[0]}: ")
    assert leak.examples[0].endswith("(repeat 1, fold 3)")


def test_a_declared_disjoint_protocol_is_held_to_its_word(people: Samples) -> None:
    (leak,) = attribute(frame_of(people, "5f CV"), people, protocol="5f CV+").of(
        "subjects in training and testing"
    )
    assert "although 5f CV+ is subject-disjoint" in str(leak.what)


def test_a_sample_in_two_roles_is_named(people: Samples) -> None:
    frame = frame_of(people, "5f CV+")
    name = first(frame, "test", fold=2)
    row = pl.DataFrame({"id": [name], "repeat": [1], "fold": [2], "role": ["train"]}, schema=frame.schema)
    found = attribute(pl.concat([frame, row]), people)
    (leak,) = found.of("samples in training and testing")
    assert leak.examples == (f"{name} (fold 2)",)


def test_validation_counts_as_a_part(people: Samples) -> None:
    frame = frame_of(people, "60-20-20 HO+")
    for role, other, kind, severity in (
        ("test", "validation", "samples in validation and testing", "leak"),
        ("train", "validation", "samples in training and validation", "fault"),
    ):
        name = first(frame, role)
        row = pl.DataFrame({"id": [name], "repeat": [1], "fold": [1], "role": [other]}, schema=frame.schema)
        (one,) = attribute(pl.concat([frame, row]), people).of(kind)
        assert (one.severity, one.examples) == (severity, (name,))


def test_rows_that_stand_twice_and_unknown_ids_are_named(people: Samples) -> None:
    frame = frame_of(people, "80-20 HO+")
    name = first(frame, "train")
    extra = {"id": [name, "nobody"], "repeat": [1, 1], "fold": [1, 1], "role": ["train", "test"]}
    found = attribute(pl.concat([frame, pl.DataFrame(extra, schema=frame.schema)]), people)
    assert found.of("repeated rows")[0].examples == (f"{name}: train",)
    assert found.of("unknown ids")[0].examples == ("nobody",)
    assert not found.is_sound


def test_tested_twice_and_never_are_found_without_and_with_a_protocol(people: Samples) -> None:
    frame = frame_of(people, "5f CV")
    twice, never = first(frame, "train"), first(frame, "test")
    broken = moved(moved(frame, twice, "test"), never, "train")
    for protocol in (None, "5f CV"):
        found = audit(broken, people, protocol=protocol)
        assert found.of("tested twice")[0].examples == (f"{twice} (repeat 1, 2 times)",)
        assert found.of("never tested")[0].examples == (f"{never} (repeat 1)",)


def test_folds_that_are_hold_outs_are_not_taken_for_a_cross_validation(people: Samples) -> None:
    frame = frame_of(people, "10×80-20 HO").with_columns(fold=pl.col("repeat"), repeat=pl.lit(1, pl.Int64))
    assert audit(frame, people).is_sound


def test_the_number_of_splits_is_held_against_the_protocol(people: Samples) -> None:
    frame = frame_of(people, "5f CV+").filter(pl.col("fold") < 5)
    (one,) = attribute(frame, people, protocol="5f CV+").of("number of splits")
    assert as_sentence(one.what) == "There are 4 splits, but 5f CV+ has 5."


def test_unused_samples_are_a_note(people: Samples) -> None:
    frame = frame_of(people, "80-20 HO+").filter(pl.col("id") != "p03-1")
    (one,) = attribute(frame, people).of("unused samples")
    assert (one.severity, one.examples) == ("note", ("p03-1",))


def test_a_class_without_training_is_a_fault(people: Samples) -> None:
    frame = frame_of(people, "80-20 HO+")
    smiling = people.frame.filter(pl.col("smile") == "yes")["id"].implode()
    broken = frame.filter(~((pl.col("role") == "train") & pl.col("id").is_in(smiling)))
    (one,) = attribute(broken, people).of("classes absent from training")
    assert (one.severity, one.examples) == ("fault", ("yes",))


def test_people_tested_only_are_noted_where_nobody_is_trained_on(people: Samples) -> None:
    (note,) = audit(frame_of(people, "80-20 HO+"), people).of("classes absent from training")
    assert note.severity == "note"
    frame = frame_of(people, "3-3 HO*")
    (some,) = audit(
        frame.filter(~((pl.col("role") == "train") & pl.col("id").str.starts_with("p05"))), people
    ).of("classes absent from training")
    assert (some.severity, some.examples) == ("warning", ("p05",))


def test_a_sample_without_label_is_a_fault(people: Samples) -> None:
    bare = people.frame.with_columns(
        smile=pl.when(pl.col("id") == "p01-2").then(None).otherwise(pl.col("smile"))
    )
    (one,) = attribute(frame_of(people, "5f CV+"), Samples(bare)).of("no label")
    assert one.examples == ("p01-2",)


def test_uneven_and_tiny_folds(people: Samples) -> None:
    frame = frame_of(people, "4f CV+")
    tests = frame.filter((pl.col("fold") == 1) & (pl.col("role") == "test"))["id"]
    few = tests.head(len(tests) - 3).implode()
    broken = frame.filter(~((pl.col("fold") == 1) & pl.col("id").is_in(few)))
    found = attribute(broken, people)
    assert found.of("uneven folds")[0].examples == ("3 samples (fold 1)",)
    (note,) = attribute(frame_of(people, "20f CV+"), people).of("tiny test sets")
    assert note.severity == "note"


def test_a_split_without_a_test_part_is_a_fault(people: Samples) -> None:
    frame = frame_of(people, "80-20 HO+").filter(pl.col("role") != "test")
    assert attribute(frame, people).of("empty parts")[0].examples == ("no test samples",)


def test_unlike_classes_are_found_and_labelled(people: Samples) -> None:
    frame = frame_of(people, "50-50 HO")
    yes = pl.col("id").is_in(people.frame.filter(pl.col("smile") == "yes")["id"].implode())
    number = pl.col("id").str.tail(1).cast(pl.Int64)
    chosen = (yes & (number < 5)) | (~yes & (number < 1))
    broken = frame.with_columns(role=pl.when(chosen).then(pl.lit("train")).otherwise(pl.lit("test")))
    (one,) = attribute(broken, people).of("unlike classes")
    assert one.severity == "warning"
    assert one.p_value is not None
    assert one.p_value < 0.01
    assert one.test is not None
    assert one.test.code == "audit.samples-dealt-at-random"


def test_a_dominant_class_is_a_warning(people: Samples) -> None:
    rare = people.frame.with_columns(
        smile=pl.when(pl.col("id").str.ends_with("-0")).then(pl.lit("yes")).otherwise(pl.lit("no"))
    )
    (one,) = attribute(frame_of(people, "5f CV+"), Samples(rare)).of("dominant class")
    assert str(one.what).startswith("83.3% of the tested samples are 'no'")


def test_the_score_test_is_pearsons_for_samples() -> None:
    rng = np.random.default_rng(1)
    labels, tested = rng.integers(0, 3, 200), rng.random(200) < 0.3
    counts = np.eye(3, dtype=np.int64)[labels]
    statistic, freedom = dealt_at_random(counts, tested)
    table = np.array([np.bincount(labels[part], minlength=3) for part in (tested, ~tested)])
    peer = chi2_contingency(table, correction=False)
    assert statistic == pytest.approx(peer.statistic * 199 / 200)
    assert freedom == peer.dof


def test_the_score_test_keeps_its_level_where_subjects_are_dealt() -> None:
    rng = np.random.default_rng(2)
    sex = rng.integers(0, 2, 60)
    counts = np.zeros((60, 2), np.int64)
    counts[np.arange(60), sex] = rng.integers(3, 12, 60)
    drawn = [dealt_at_random(counts, rng.permutation(60) < 20)[0] for _ in range(2000)]
    assert np.mean(np.array(drawn) > 3.841) == pytest.approx(0.05, abs=0.02)


def test_one_leaked_subject_among_10000_samples_is_named_in_well_under_a_second() -> None:
    who = np.repeat(np.arange(1000), 10).astype(str)
    sex = np.where(np.arange(10_000) // 10 % 2, "f", "m")
    table = Samples({"id": [f"i{k}" for k in range(10_000)], "subject": who, "sex": sex})
    frame = split_frame(table, splitter("80-20 HO+").splits(sex, who)).with_columns(
        pl.col("role").cast(pl.String)
    )
    name = first(frame, "train")
    broken = moved(frame, name, "test")
    attribute_of = {"task": "attribute", "label": "sex"}
    audit(frame, table, **attribute_of)  # type: ignore[arg-type]
    begun = time.process_time()
    found = audit(broken, table, **attribute_of)  # type: ignore[arg-type]
    assert time.process_time() - begun < 1.5  # about 0.1 s on an idle machine
    (leak,) = found.of("subjects in training and testing")
    assert leak.count == 1
    assert name in leak.examples[0]


@examples(40)
@given(
    protocol=st.sampled_from(["5f CV+", "2×3f CV+", "80-20 HO+", "LOSO", "60-20-20 HO+"]),
    seed=st.integers(0, 50),
    pick=st.integers(0, 10**6),
    kind=st.sampled_from(["subject", "sample"]),
)
def test_any_one_leak_is_found(protocol: str, seed: int, pick: int, kind: str) -> None:
    names = np.repeat([f"p{k:02d}" for k in range(N_SUBJECTS)], N_EACH)
    table = Samples(
        {"id": [f"{n}-{k % N_EACH}" for k, n in enumerate(names)], "subject": names, "smile": SMILES}
    )
    frame = frame_of(table, protocol, seed)
    rows = frame.with_row_index().filter(pl.col("role") == "train")
    row = rows.row(pick % rows.height, named=True)
    if kind == "subject":
        planted = frame.with_columns(
            role=pl.when(pl.int_range(pl.len()) == row["index"])
            .then(pl.lit("test"))
            .otherwise(pl.col("role"))
        )
        expected = "subjects in training and testing"
    else:
        extra = pl.DataFrame([{**{c: row[c] for c in frame.columns}, "role": "test"}], schema=frame.schema)
        planted, expected = pl.concat([frame, extra]), "samples in training and testing"
    found = attribute(planted, table)
    assert attribute(frame, table).is_sound
    assert not found.is_sound
    (leak,) = found.of(expected)
    assert leak.count == 1
    assert row["id"].partition("-")[0] in leak.examples[0]


def test_what_is_asked_wrongly_is_refused(people: Samples) -> None:
    frame = frame_of(people, "80-20 HO+")
    for wrong in ({"task": "attribute"}, {"label": "smile"}, {"task": "attribute", "label": "hat"}):
        with pytest.raises(UsageError):
            audit(frame, people, **wrong)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="role is missing"):
        audit(frame.drop("role"), people)
    with pytest.raises(UsageError, match="No sample"):
        audit(frame.with_columns(role=pl.lit("unused")), people)


def test_results_are_plain_values(people: Samples) -> None:
    import json

    found = attribute(frame_of(people, "5f CV"), people, exclusions={"id": ["x"], "reason": ["y"]})
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["sound"] is False
    assert found.to_frame().height == len(found.findings)
    assert repr(found).startswith("Audit(the splits: 5 splits of 120 samples; 1 leak")
