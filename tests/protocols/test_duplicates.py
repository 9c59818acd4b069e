from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from PIL import Image
from tests.examples import TIMES, some

from proband.algorithms.pictures.pictures import Pictures
from proband.protocols.audit.audit import audit
from proband.protocols.audit.duplicates import close_codes, duplicate_pictures, duplicate_vectors
from proband.protocols.audit.picture_codes import VIEWS, PictureView, averaged, code
from proband.protocols.audit.registration import likeness
from proband.protocols.running.data import FeatureTable
from proband.samples import Samples
from proband.scores import Embeddings

Grey = np.ndarray[Any, np.dtype[np.uint8]]
N_SUBJECTS, N_EACH = 10, 4


def smooth(
    rng: np.random.Generator, coarse: int, size: tuple[int, int]
) -> np.ndarray[Any, np.dtype[np.float64]]:
    small = Image.fromarray(rng.normal(size=(coarse, coarse)).astype(np.float32))
    return np.asarray(small.resize(size[::-1], Image.Resampling.BICUBIC), dtype=np.float64)


@pytest.fixture(scope="module")
def faces() -> dict[str, Grey]:
    """People as smooth fields: pictures of one are alike, as shots of one session are, and none is a copy."""
    rng = np.random.default_rng(7)
    made = {}
    for person in range(N_SUBJECTS):
        own = 40 * smooth(rng, 7, (112, 92))
        for shot in range(N_EACH):
            values = 128 + own + 9 * smooth(rng, 9, (112, 92)) + rng.normal(0, 2, (112, 92))
            made[f"p{person}-{shot}"] = np.clip(values, 0, 255).astype(np.uint8)
    return made


def jpeg(picture: Grey) -> Grey:
    held = io.BytesIO()
    Image.fromarray(picture).save(held, "JPEG", quality=75)
    return np.asarray(Image.open(held).convert("L"))


def shifted(levels: int) -> Callable[[Grey], Grey]:
    return lambda picture: np.clip(picture.astype(int) + levels, 0, 255).astype(np.uint8)


def resized(picture: Grey) -> Grey:
    return np.asarray(Image.fromarray(picture).resize((69, 84), Image.Resampling.BILINEAR))


NEAR: dict[str, Callable[[Grey], Grey]] = {
    "compressed again": jpeg,
    "brighter": shifted(25),
    "darker": shifted(-25),
    "less contrast": lambda p: (0.7 * p + 30).astype(np.uint8),
    "cut by a pixel all round": lambda p: p[1:-1, 1:-1],
    "cut by a pixel at a side": lambda p: p[:, 1:],
    "cut at a corner": lambda p: p[1:, :-1],
    "smaller": resized,
    "mirrored": lambda p: np.ascontiguousarray(p[:, ::-1]),
    "cut by a twentieth all round": lambda p: p[6:-6, 5:-5],
    "mirrored and cut at a side": lambda p: np.ascontiguousarray(p[:, 5:][:, ::-1]),
}


def test_pictures_of_one_person_are_no_copies(faces: dict[str, Grey]) -> None:
    found = duplicate_pictures(faces.__getitem__, list(faces))
    assert len(np.unique(found.groups)) == len(faces)
    assert found.pairs.height == 0


@pytest.mark.parametrize("change", some(NEAR, 2))
def test_near_copies_are_found(faces: dict[str, Grey], change: str) -> None:
    for original in ("p3-2", "p0-0", "p9-3")[: 3 if TIMES else 1]:
        more = {**faces, "copy": NEAR[change](faces[original])}
        found = duplicate_pictures(more.__getitem__, list(more))
        assert found.pairs.height == 1
        one, other, distance, mirrored, near = found.pairs.row(0)
        assert near
        assert mirrored == change.startswith("mirrored")
        assert {found.ids[one], found.ids[other]} == {original, "copy"}
        assert 0 <= distance < 0.05


def test_the_same_pixels_in_another_file_are_an_exact_copy(faces: dict[str, Grey], tmp_path: Path) -> None:
    for name, picture in faces.items():
        Image.fromarray(picture).save(tmp_path / f"{name}.png")
    Image.fromarray(faces["p2-1"]).save(tmp_path / "copy.bmp")
    Image.fromarray(faces["p4-0"]).convert("RGB").save(tmp_path / "colour.tif")
    ids = [*faces, "copy", "colour", "gone"]
    table = Samples({"id": ids, "subject": [name.partition("-")[0] for name in ids]})
    found = duplicate_pictures(Pictures.of(tmp_path, table).load, ids)
    group = dict(zip(found.ids, found.groups.tolist(), strict=True))
    assert group["copy"] == group["p2-1"]
    assert group["colour"] == group["p4-0"]
    assert len(set(group.values())) == len(faces)
    assert [name for name, _ in found.unread] == ["gone"]


def holding(faces: dict[str, Grey], **copies: Grey) -> tuple[Samples, Pictures, pl.DataFrame]:
    """Even people train and odd people test; copies test."""
    pictures = {**faces, **copies}
    table = Samples(
        {
            "id": list(pictures),
            "subject": [name.partition("-")[0] for name in pictures],
            "smile": [k % 2 for k in range(len(pictures))],
        }
    )
    role = ["train" if name[0] == "p" and int(name[1]) % 2 == 0 else "test" for name in pictures]
    frame = pl.DataFrame({"id": list(pictures), "repeat": 1, "fold": 1, "role": role})
    return table, Pictures(pictures.__getitem__), frame


def test_an_audit_names_copies_across_a_split_and_no_others(faces: dict[str, Grey]) -> None:
    across = holding(faces, exact=faces["p0-1"], near=NEAR["brighter"](faces["p2-2"]))
    within = holding(faces, exact=faces["p1-1"], near=NEAR["brighter"](faces["p3-2"]))
    for (table, pictures, frame), expected in ((across, 2), (within, 0)):
        found = audit(frame, table, task="attribute", label="smile", images=pictures)
        across_sides = [one for one in found.findings if one.kind.endswith("copies in training and testing")]
        assert [one.severity for one in across_sides] == ["leak"] * expected
        assert found.duplicates is not None
        assert found.duplicates.height == expected
    table, pictures, frame = across
    found = audit(frame, table, images=pictures)
    assert (
        found.of("exact copies in training and testing")[0].examples[0]
        == "p0-1 in train, exact in test, distance 0"
    )
    assert "under two subjects" in str(found.of("near copies in training and testing")[0].what)
    images = np.stack([pictures.load(name) for name in table.ids])
    same = audit(frame, table, features=FeatureTable(table, images=images))
    assert same.duplicates is not None
    assert same.duplicates.equals(found.duplicates)  # type: ignore[arg-type]


def test_copies_in_different_folds_of_a_cross_validation_cross(faces: dict[str, Grey]) -> None:
    ids = [*list(faces)[:8], "copy"]
    pictures = {**faces, "copy": faces["p0-0"]}
    table = Samples({"id": ids, "subject": [name.partition("-")[0] for name in ids]})
    rows = [
        (name, 1, fold, "test" if k % 3 == fold else "train")
        for fold in range(3)
        for k, name in enumerate(ids)
    ]
    frame = pl.DataFrame(rows, schema=["id", "repeat", "fold", "role"], orient="row")
    found = audit(frame, table, images=Pictures(pictures.__getitem__))
    pairs = set(found.duplicates.select("train", "test").rows())  # type: ignore[union-attr]
    assert pairs == {("copy", "p0-0")}  # they cross both ways round, and are one pair
    assert found.of("exact copies in training and testing")[0].count == 1


def test_every_pair_of_copies_is_named_once_and_where_it_stands(faces: dict[str, Grey]) -> None:
    twice = holding(faces, again=faces["p0-1"], other=faces["p0-1"], inside=faces["p1-1"])
    table, pictures, frame = twice
    found = audit(frame, table, task="attribute", label="smile", images=pictures)
    (across,) = found.of("exact copies in training and testing")
    assert (across.count, found.duplicates.height) == (2, 2)  # type: ignore[union-attr]
    (within,) = found.of("exact copies within testing")
    assert {*within.examples} == {"again, other", "p1-1, inside"}
    assert (within.severity, found.of("exact copies within training")) == ("warning", ())


def test_copies_within_training_and_under_two_labels_are_findings_of_their_own(
    faces: dict[str, Grey],
) -> None:
    table, pictures, frame = holding(faces, **{"p0-9": faces["p0-1"], "p4-9": faces["p2-1"]})
    labelled = Samples(table.frame.with_columns(smile=pl.col("subject").str.slice(1).cast(pl.Int64) % 4))
    found = audit(frame, labelled, task="attribute", label="smile", images=pictures)
    (within,) = found.of("exact copies within training")
    assert (within.count, within.severity) == (2, "warning")
    (labels,) = found.of("exact copies under two labels")
    assert (labels.count, labels.severity, labels.examples) == (1, "fault", ("p2-1: 2, p4-9: 0",))
    (subjects,) = found.of("exact copies under two subjects")
    assert subjects.examples == ("p2-1: p2, p4-9: p4",)
    assert found.of("exact copies in training and testing") == ()


def test_close_codes_are_those_of_all_pairs() -> None:
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2**63, (300, 2, 4), dtype=np.uint64)
    bits = np.uint64(1) << rng.integers(0, 60, (50, 4), dtype=np.uint64)
    codes[250:, 0] = codes[:50, 0] ^ bits
    codes[150:200, 1] = codes[50:100, 0] ^ bits
    expected = {}
    for one in range(300):
        for view in range(2):
            apart = np.bitwise_count(codes[one, 0] ^ codes[:, view]).sum(axis=1)
            for other in np.flatnonzero(apart <= 20).tolist():
                if other != one:
                    expected[tuple(sorted((one, other)))] = (
                        (one, other, view) if view else (*sorted((one, other)), 0)
                    )
    assert close_codes(codes, 20) == [expected[pair] for pair in sorted(expected)]
    assert len(expected) == 100


def test_flat_pictures_are_only_exact_copies() -> None:
    flat = {f"f{k}": np.full((40, 40), 50 + k // 2, np.uint8) for k in range(6)}
    found = duplicate_pictures(flat.__getitem__, list(flat))
    assert found.pairs.height == 0
    assert found.groups.tolist() == [0, 0, 1, 1, 2, 2]
    assert code(flat["f0"]) is None


def test_averages_keep_the_mean_and_likeness_its_bounds() -> None:
    rng = np.random.default_rng(1)
    picture = rng.integers(0, 256, (37, 53), dtype=np.uint8)
    assert averaged(picture, 5, 7).mean() == pytest.approx(picture.mean())
    blocks = np.kron(np.arange(6).reshape(2, 3), np.ones((4, 4)))
    assert np.array_equal(averaged(blocks, 2, 3), np.arange(6).reshape(2, 3))
    whole = VIEWS[0]
    assert likeness(picture, picture, whole) == pytest.approx(1.0)
    assert likeness(picture, 255 - picture, whole) < 0.2
    assert likeness(picture[:1, :1], picture, whole) <= 1


def test_likeness_sees_a_small_part_that_differs_and_no_brightness(faces: dict[str, Grey]) -> None:
    picture = faces["p1-1"]
    other = picture.copy()
    other[70:86, 30:62] = faces["p5-0"][70:86, 30:62]
    assert np.corrcoef(picture.ravel(), other.ravel())[0, 1] > 0.9
    assert likeness(picture, other, VIEWS[0]) < 0.8
    assert likeness(picture, NEAR["less contrast"](picture), VIEWS[0]) > 0.97


@pytest.mark.parametrize("view", VIEWS, ids=str)
def test_a_view_is_laid_over_what_it_shows(faces: dict[str, Grey], view: PictureView) -> None:
    picture = faces["p7-3"]
    height, width = picture.shape
    top, bottom, left, right = view.cut
    part = picture[
        round(top * height) : round((1 - bottom) * height), round(left * width) : round((1 - right) * width)
    ]
    assert likeness(part[:, ::-1] if view.mirrored else part, picture, view) > 0.97


def test_a_data_set_without_splits_lists_each_pair_once(faces: dict[str, Grey]) -> None:
    table, pictures, _ = holding(
        faces,
        **{
            "p0-copy": faces["p0-1"],
            "p0-again": faces["p0-1"],
            "p4-near": jpeg(faces["p2-2"]),
            "p5-mirror": faces["p5-0"][:, ::-1],
        },
    )
    found = audit(None, table, images=pictures, source="faces")
    assert found.n_splits == 0
    assert not found.is_sound
    pairs = found.duplicates
    assert pairs is not None
    assert sorted(tuple(sorted(row)) for row in pairs.select("one", "other").iter_rows()) == [
        ("p0-1", "p0-again"), ("p0-1", "p0-copy"), ("p0-again", "p0-copy"), ("p2-2", "p4-near"), ("p5-0", "p5-mirror"),
    ]  # fmt: skip
    assert pairs["group"].n_unique() == 3
    assert pairs.filter(pl.col("mirrored"))["one"].to_list() == ["p5-0"]
    assert {one.kind: one.count for one in found.findings} == {
        "exact copies under two names": 3,
        "near copies under two names": 1,
        "near copies under two subjects": 1,
    }
    labelled = audit(None, table, task="attribute", label="smile", images=pictures)
    assert {one.kind for one in labelled.findings} >= {"exact copies under two labels"}
    without = Samples(table.frame, failed="subject == 'p0'")
    assert {one.kind for one in audit(None, without, images=pictures).findings} == {
        "near copies under two names",
        "near copies under two subjects",
    }


@pytest.fixture(scope="module")
def sittings() -> tuple[Samples, dict[str, Grey]]:
    """Ten people photographed twice in a row from a tripod, as those of JAFFE are: hardly anything moves."""
    from benchmarks.copies import exposures

    images, people = exposures(10)
    ids = [f"p{person}-{k % 2}" for k, person in enumerate(people)]
    table = Samples({"id": ids, "subject": [f"p{person}" for person in people]})
    return table, dict(zip(ids, images, strict=True))


def test_exposures_of_one_sitting_do_not_make_a_data_set_unsound(
    sittings: tuple[Samples, dict[str, Grey]],
) -> None:
    table, pictures = sittings
    whole = audit(None, table, images=Pictures(pictures.__getitem__))
    assert whole.is_sound
    (alike,) = whole.findings
    assert (alike.kind, alike.severity) == ("alike pictures under two names", "note")
    assert alike.count >= 5  # so that the test is about something
    assert set(whole.duplicates["copy"]) == {"alike"}  # type: ignore[index]
    role = ["train" if name.endswith("0") else "test" for name in table.ids]
    mixed = pl.DataFrame({"id": list(table.ids), "repeat": 1, "fold": 1, "role": role})
    divided = audit(mixed, table, images=Pictures(pictures.__getitem__))
    assert divided.is_sound
    (across,) = divided.of("alike pictures in training and testing")
    assert (across.severity, across.count) == ("warning", alike.count)


def test_alike_pictures_under_two_labels_are_a_warning_and_under_two_subjects_a_fault(
    sittings: tuple[Samples, dict[str, Grey]],
) -> None:
    table, pictures = sittings
    other = [name[-1] for name in table.ids]
    labelled = Samples(table.frame.with_columns(pl.Series("smile", other)))
    found = audit(None, labelled, task="attribute", label="smile", images=Pictures(pictures.__getitem__))
    (labels,) = found.of("alike pictures under two labels")
    assert (labels.severity, found.is_sound) == ("warning", True)
    apart = Samples(table.frame.with_columns(subject=pl.col("id")))
    found = audit(None, apart, images=Pictures(pictures.__getitem__))
    (subjects,) = found.of("near copies under two subjects")
    assert (subjects.severity, subjects.count) == ("fault", labels.count)


@pytest.mark.parametrize("change", ["exact", *some(NEAR, 2)])
@pytest.mark.long
def test_copies_of_a_sitting_are_leaks_across_a_split_and_faults_under_two_subjects(
    sittings: tuple[Samples, dict[str, Grey]], change: str
) -> None:
    _, pictures = sittings
    original = pictures["p4-0"]
    changed = original if change == "exact" else NEAR[change](original)
    held = {name: pictures[name] for name in ("p4-0", "p4-1", "p5-0", "p6-0")} | {"copy": changed}
    sort = "exact" if change == "exact" else "near"
    for subject, severity in (("p4", "warning"), ("p9", "fault")):
        table = Samples({"id": list(held), "subject": ["p4", "p4", "p5", "p6", subject]})
        role = ["train"] * 4 + ["test"]
        frame = pl.DataFrame({"id": list(held), "repeat": 1, "fold": 1, "role": role})
        divided = audit(frame, table, images=Pictures(held.__getitem__))
        (across,) = divided.of(f"{sort} copies in training and testing")
        assert "p4-0 in train, copy in test" in " ".join(across.examples)
        assert across.severity == "leak"
        whole = audit(None, table, images=Pictures(held.__getitem__))
        under = "names" if subject == "p4" else "subjects"
        (again,) = whole.of(f"{sort} copies under two {under}")
        assert again.severity == ("fault" if sort == "exact" else severity)


@pytest.mark.long
def test_exposures_are_never_called_copies() -> None:
    from benchmarks.copies import alike_pairs, exposures

    for movement, least in ((0.0, 30), (1.0, 30), (4.0, 0)):
        near, alike = alike_pairs(exposures(60, movement)[0])
        assert near == 0
        assert alike >= least


@pytest.mark.long
def test_other_expressions_are_no_copies_and_altered_pictures_are() -> None:
    from benchmarks.copies import expressions, false_copies, misses

    images, people = expressions(40)
    wrong, n_pairs, _ = false_copies(images, people)
    assert (wrong, n_pairs) == (0, 600)
    missed = dict(misses(images[::6]))
    assert missed["JPEG, quality 50"] == missed["mirrored"] == missed["half"] == 0
    assert missed["30 levels brighter"] <= 1  # docs/methods/audit.md: 1 of 60 synthetic pictures
    assert missed["JPEG, quality 30"] <= 2
    assert missed["cut by 5 % all round"] <= 2


def vectors(
    n_subjects: int = 30, n_each: int = 4
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any], list[str]]:
    rng = np.random.default_rng(5)
    who = np.repeat(np.arange(n_subjects), n_each)
    held = rng.normal(size=(n_subjects, 64))[who] + 0.4 * rng.normal(size=(len(who), 64))
    return held.astype(np.float32), who, [f"s{k}" for k in range(len(who))]


def test_near_vectors_are_found_by_what_is_usual_and_usual_ones_are_not() -> None:
    held, who, ids = vectors()
    assert duplicate_vectors(held, ids, who).pairs.height == 0
    rng = np.random.default_rng(6)
    copies = np.stack([held[3] + 0.01 * rng.normal(size=64), held[7], 3 * held[9]]).astype(np.float32)
    found = duplicate_vectors(
        np.vstack([held, copies]), [*ids, "near", "same", "scaled"], np.r_[who, 0, 1, 99]
    )
    named = {frozenset((found.ids[one], found.ids[other])) for one, other, *_ in found.pairs.rows()}
    # Groups are numbered in the order of their first sample, and "same" is in the group of s7.
    assert found.groups[-2] == 7
    assert frozenset(("s3", "near")) in named
    assert found.pairs.height == 2
    assert "cosines above" in found.near


def test_few_subjects_allow_no_threshold_and_zeros_no_direction() -> None:
    rng = np.random.default_rng(8)
    held = rng.normal(size=(6, 16))
    held[5] = 0
    found = duplicate_vectors(np.vstack([held, 2 * held[:1]]), list("abcdefg"), np.arange(7))
    assert found.unread == (("f", "its vector is all zero"),)
    assert found.pairs.select("one", "other").rows() == [(0, 5)]


def test_an_audit_of_embeddings_warns(faces: dict[str, Grey]) -> None:
    held, who, ids = vectors()
    held[41] = held[2] * 1.001 + 1e-3
    table = Samples({"id": ids, "subject": who})
    frame = pl.DataFrame({"id": ids, "repeat": 1, "fold": 1, "role": np.where(who < 10, "train", "test")})
    found = audit(frame, table, embeddings=Embeddings(held, ids, metric="cosine"))
    (near,) = found.of("near copies in training and testing")
    assert near.severity == "warning"
    assert near.examples[0].startswith("s2 in train, s41 in test")
    same = audit(frame, table, features=FeatureTable(table, features=held))
    assert same.of("near copies in training and testing") == (near,)


@pytest.mark.parametrize("model", ["images", "dlib", "faceres", "mobileface"])
def test_the_copies_of_orl(model: str) -> None:
    """Some of its pictures are one photograph in two sizes; embeddings are too far apart to tell."""
    where = Path(__file__).parents[3] / "shared" / "data" / "orl"
    if not where.is_dir():
        pytest.skip("the ORL faces are not at ../shared/data/orl")
    if model == "images":
        images = np.load(where / "images.npz")["images"][:200]
        found = duplicate_pictures(lambda name: images[int(name)], [str(k) for k in range(200)])
    else:
        held = np.load(where / "embeddings.npz")
        found = duplicate_vectors(held[model], [str(k) for k in range(400)], held["subject"])
    assert len(np.unique(found.groups)) == len(found.ids)
    copies = {(152, 159), (160, 164), (182, 189), (187, 188)} if model == "images" else set()
    assert set(found.pairs.select("one", "other").rows()) == copies
