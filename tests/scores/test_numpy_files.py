"""NumPy files: what is read, what is written, and what strangers' files are not allowed to do."""

from __future__ import annotations

import io
import json
import pickle
import struct
import tempfile
import time
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp
from tests.examples import examples

from proband.errors import InputError, ProbandError
from proband.samples import Samples
from proband.samples.npz import Archive
from proband.scores import Embeddings, Scores
from proband.scores.formats import read_file, write_scores
from proband.scores.reading import read_embeddings, read_scores

VALUES = np.array([[0.1, 1 / 3], [-2.0, 4.0], [5e-324, 6.0]])
IDS = {"query_ids": np.array(["p1", "p2", "p3"]), "target_ids": np.array(["g1", "g2"])}
TABLE = Samples({"id": ["a", "b", "c"], "subject": [1, 2, 3]})


def header(shape, descr="<f8"):
    """The bytes before the numbers of a .npy file, as the format's description has them."""
    text = f"{{'descr': {descr!r}, 'fortran_order': False, 'shape': {shape!r}, }}"
    text = text.ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode("latin-1")


def zipped(members, method=zipfile.ZIP_DEFLATED):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name + ".npy", content)
    return file.getvalue()


def as_npy(array):
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def archive_of(path, **arrays):
    np.savez(path, **arrays)
    return path


class Trap:
    """Makes a file if it is ever unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return (Path.touch, (self.path,))


@pytest.fixture
def npy(tmp_path):
    return tmp_path / "harbour.npy"


@pytest.fixture
def npz(tmp_path):
    return tmp_path / "harbour.npz"


# .npy


def test_a_plain_array_is_square_over_the_samples(npy, whole):
    npy.write_bytes(header((3, 3)) + np.arange(9.0).tobytes())
    scores = read_scores(npy, TABLE, orientation="similarity")["harbour"]
    assert scores.queries[:] == scores.targets[:] == ("a", "b", "c")
    assert whole(scores).ravel().tolist() == list(range(9))
    assert isinstance(scores.values, np.memmap)


def test_rows_and_columns_may_be_chosen(npy):
    npy.write_bytes(header((2, 1)) + np.arange(2.0).tobytes())
    options = {"queries": "subject != '3'", "targets": ["c"]}
    scores = read_scores(npy, TABLE, orientation="similarity", **options)["harbour"]
    assert (scores.queries[:], scores.targets[:]) == (("a", "b"), ("c",))


@pytest.mark.parametrize("descr", ["<f8", ">f8", "<f4", ">f4", "<f2", "<i8", ">i2", "|u1", "|b1"])
def test_every_kind_of_number(npy, whole, descr):
    values = np.array([[0, 1], [1, 0]]).astype(descr)
    npy.write_bytes(header((2, 2), descr) + values.tobytes())
    npy.with_name("harbour.npy.json").write_text(
        '{"query_ids": [1, 2], "target_ids": [3, 4]}', encoding="utf-8"
    )
    tile = whole(read_scores(npy, orientation="similarity")["harbour"])
    assert tile.tolist() == [[0, 1], [1, 0]]
    assert tile.dtype in (np.float32, np.float64)
    assert tile.dtype.isnative


def test_fortran_order(npy, whole):
    np.save(npy, np.asfortranarray(np.arange(9.0).reshape(3, 3)))
    assert whole(read_scores(npy, TABLE, orientation="similarity")["harbour"]).ravel().tolist() == list(
        range(9)
    )


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_mapped_file_is_checked_when_a_tile_is_read(npy, bad):
    values = np.zeros((3, 3))
    values[1, 2] = bad
    np.save(npy, values)
    scores = read_scores(npy, TABLE, orientation="similarity")["harbour"]
    assert scores.tile(np.array([0, 2]), np.arange(3)).sum() == 0
    with pytest.raises(InputError, match=r"harbour: 1 score .* query 'b' and target 'c'"):
        scores.tile(np.array([2, 1]), np.array([0, 2]))


def test_a_file_much_larger_than_memory_opens_at_once(npy):
    n = 32_000  # 8 GB, of which none is on the disk
    with npy.open("wb") as file:
        file.write(header((n, n)))
        file.truncate(file.tell() + n * n * 8)
        file.seek(len(header((n, n))) + (31_000 * n + 17) * 8)
        file.write(struct.pack("<d", 42.0))
    samples = Samples({"id": np.arange(n), "subject": np.arange(n)})
    start = time.process_time()
    scores = read_scores(npy, samples, orientation="similarity")["harbour"]
    tile = scores.tile(np.array([0, 31_000]), np.array([17, n - 1]))
    assert time.process_time() - start < 5
    assert tile.tolist() == [[0, 0], [42, 0]]


@pytest.mark.parametrize("kept", [1, 5, 8, 10, 60, 127, 128, 129, 191])
def test_a_truncated_array(npy, refusal, kept):
    npy.write_bytes((header((3, 3)) + bytes(72))[:kept])
    refusal(npy, TABLE, orientation="similarity")


@pytest.mark.parametrize("shape", [(10**6, 10**6), (10**12, 1), (-1, 5), (3, 3, 3), (9,), (), (0, 3)])
def test_shapes_that_cannot_be(npy, refusal, frugally, shape):
    npy.write_bytes(header(shape) + bytes(72))
    with frugally():
        refusal(npy, TABLE, orientation="similarity")


@pytest.mark.parametrize("shape", [(2**62, 2**62), (2**40, 2**40)])
def test_shapes_beyond_64_bits(npy, refusal, frugally, shape):
    npy.write_bytes(header(shape) + bytes(72))
    with frugally():
        refusal(npy, TABLE, orientation="similarity")


@pytest.mark.parametrize("descr", ["<c16", "<M8[s]", "<U4", "|S8", "|V8"])
def test_what_is_not_a_number(npy, refusal, descr):
    npy.write_bytes(header((3, 3), descr) + bytes(9 * np.dtype(descr).itemsize))
    assert "must be numbers" in refusal(npy, TABLE, orientation="similarity")


@pytest.mark.parametrize(
    "text",
    [
        b"{'descr': '<f8', 'fortran_order': False}",
        b"{'descr': '<f8', 'fortran_order': 7, 'shape': (3, 3)}",
        b"{'descr': 'no', 'fortran_order': False, 'shape': (3, 3)}",
        b"{'descr': '<f8', 'fortran_order': False, 'shape': 'no'}",
        b"__import__('os').getpid()",
        b"",
        b"\xff\xfe",
        pytest.param(b"{'descr': '<f8', 'fortran_order': False, 'shape': (3, 3)", id="unclosed"),
        pytest.param(b"{'descr': ',f8', 'fortran_order': False, 'shape': (3, 3)}", id="no type"),
    ],
)
def test_broken_headers(npy, refusal, text):
    text = text.ljust(117) + b"\n"
    npy.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + bytes(72))
    refusal(npy, TABLE, orientation="similarity")


def test_a_header_of_python_2(npy, whole):
    text = b"{'descr': '<f8', 'fortran_order': False, 'shape': (3L, 3L), }".ljust(117) + b"\n"
    npy.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + np.arange(9.0).tobytes())
    scores = read_scores(npy, TABLE, orientation="similarity")["harbour"]
    assert whole(scores).ravel().tolist() == list(range(9))


def test_the_trap_works(tmp_path):
    pickle.loads(pickle.dumps(Trap(tmp_path / "sprung")))
    assert (tmp_path / "sprung").exists()


def test_objects_in_an_array_are_never_unpickled(npy, tmp_path, refusal):
    trap = tmp_path / "sprung"
    np.save(npy, np.array([[Trap(trap)]], dtype=object), allow_pickle=True)
    refusal(npy, TABLE, orientation="similarity")
    with pytest.raises(InputError, match=r"harbour\.npy"):
        read_embeddings(npy, TABLE, metric="cosine")
    assert not trap.exists()


def test_a_pickle_that_calls_itself_an_array(npy, tmp_path):
    trap = tmp_path / "sprung"
    npy.write_bytes(pickle.dumps(Trap(trap)))
    for read in (
        lambda: read_scores(npy, TABLE, orientation="similarity"),
        lambda: read_scores(npy, TABLE, orientation="similarity", format="npy"),
        lambda: read_embeddings(npy, TABLE, metric="cosine"),
    ):
        with pytest.raises(InputError, match=r"harbour\.npy"):
            read()
    assert not trap.exists()


def test_an_archive_that_calls_itself_an_array(npy, refusal):
    npy.write_bytes(zipped({"a": as_npy(VALUES)}))
    refusal(npy, TABLE, orientation="similarity", format="npy")


def test_an_archive_that_calls_itself_an_array_of_embeddings(npy):
    npy.write_bytes(zipped({"a": as_npy(VALUES)}))
    with pytest.raises(InputError, match=r"harbour\.npy"):
        read_embeddings(npy, TABLE, metric="cosine")


def test_no_ids_and_no_samples(npy, refusal):
    np.save(npy, VALUES)
    assert "no query ids" in refusal(npy, orientation="similarity")


@pytest.mark.parametrize("shape", [(3, 2), (2, 3), (4, 4)])
def test_another_number_of_rows_than_samples(npy, refusal, shape):
    np.save(npy, np.zeros(shape))
    assert "not match the 3 samples in the table" in refusal(npy, TABLE, orientation="similarity")


# The side-car of a .npy


def sidecar(npy, **content):
    np.save(npy, VALUES)
    stated = {
        "query_ids": ["p1", "p2", "p3"],
        "target_ids": ["g1", "g2"],
        "orientation": "distance",
    } | content
    npy.with_name(npy.name + ".json").write_text(json.dumps(stated), encoding="utf-8")


def test_a_sidecar_names_the_axes(npy):
    sidecar(npy, query_ids=["007", 8, "ü"])
    scores = read_scores(npy)["harbour"]
    assert scores.queries[:] == ("007", "8", "ü")
    assert scores.targets[:] == ("g1", "g2")
    assert scores.orientation == "distance"


def test_a_sidecar_that_is_contradicted(npy, refusal):
    sidecar(npy)
    assert "states distance as its orientation" in refusal(npy, orientation="similarity")


@pytest.mark.parametrize(
    "text", ["", "[]", "null", "7", "{}", '{"query_ids": ["a"]}', '{"query_ids": 3, "target_ids": 4}', "{"]
)
def test_a_sidecar_that_is_none(npy, refusal, text):
    sidecar(npy)
    npy.with_name("harbour.npy.json").write_text(text, encoding="utf-8")
    assert "harbour.npy.json" in refusal(npy)


def test_a_sidecar_that_is_not_utf8(npy, refusal):
    sidecar(npy)
    npy.with_name("harbour.npy.json").write_bytes(b'{"query_ids": ["\xe9"]}')
    assert "harbour.npy.json" in refusal(npy)


def test_a_sidecar_of_many_brackets(npy, refusal):
    sidecar(npy)
    npy.with_name("harbour.npy.json").write_text("[" * 100_000, encoding="utf-8")
    assert "harbour.npy.json" in refusal(npy)


def test_a_sidecar_that_is_a_directory(npy, refusal):
    np.save(npy, VALUES)
    npy.with_name("harbour.npy.json").mkdir()
    assert "harbour.npy.json" in refusal(npy)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ({"query_ids": ["p1", "p2", "p1"]}, "'p1'"),
        ({"query_ids": ["p1", "p2", ""]}, "empty"),
        ({"orientation": "closeness"}, "'closeness'"),
        ({"orientation": ["distance"]}, "distance"),
        ({"query_ids": ["p1", "p2"]}, "2 query ids"),
        ({"query_ids": "abc"}, "query_ids"),
        ({"query_ids": ["p1", "p2", None]}, "query"),
        ({"query_ids": ["p1", "p2", ["p3"]]}, "query"),
    ],
)
def test_a_sidecar_with_bad_contents(npy, refusal, content, words):
    sidecar(npy, **content)
    assert words in refusal(npy)


def test_a_transposed_matrix_is_recognised(npy, refusal):
    sidecar(npy)
    np.save(npy, VALUES.T)
    message = refusal(npy)
    assert "2 × 3" in message
    assert "transposed" in message


# .npz


def test_an_archive_with_everything(npz, whole):
    archive_of(npz, mine=VALUES, **IDS, orientation="distance", cells=np.array([[0, 1], [2, 0], [0, 0]]))
    scores = read_scores(npz)[npz.stem]
    assert (scores.queries[:], scores.targets[:]) == (("p1", "p2", "p3"), ("g1", "g2"))
    assert scores.orientation == "distance"
    assert scores.cell_codes.tolist() == [[0, 1], [2, 0], [0, 0]]
    assert whole(scores).tolist() == [[0.1, 0], [0, 4.0], [5e-324, 6.0]]


def test_several_matrices_and_a_key(npz, whole):
    archive_of(npz, one=VALUES, two=-VALUES, **IDS)
    assert list(read_scores(npz, orientation="similarity")) == ["one", "two"]
    scores = read_scores(f"{npz}::two", orientation="similarity")
    assert list(scores) == ["two"]
    assert whole(scores["two"]).tolist() == (-VALUES).tolist()
    assert Scores.read(f"{npz}::one", orientation="similarity", name="first").name == "first"
    with pytest.raises(InputError, match=r"harbour\.npz contains 2 score matrices: one, two"):
        Scores.read(npz, orientation="similarity")


def test_ids_under_other_names(npz):
    archive_of(npz, s=VALUES, rows=IDS["query_ids"], columns=IDS["target_ids"])
    scores = read_scores(npz, orientation="similarity")[npz.stem]
    assert (scores.queries[:], scores.targets[:]) == (("p1", "p2", "p3"), ("g1", "g2"))
    assert tuple(map(str, scores.notes)) == (
        "query ids are read from the array 'rows'",
        "target ids are read from the array 'columns'",
    )


def test_ids_that_are_asked_for(npz):
    archive_of(
        npz, s=VALUES, names=IDS["query_ids"], sex=np.array(["f", "m", "f"]), columns=IDS["target_ids"]
    )
    scores = read_scores(npz, orientation="similarity", query_ids="names")[npz.stem]
    assert scores.queries[:] == ("p1", "p2", "p3")


def test_ids_may_be_numbers(npz):
    archive_of(npz, s=VALUES, query_ids=np.array([7, 8, 9]), target_ids=IDS["target_ids"])
    assert read_scores(npz, orientation="similarity")[npz.stem].queries[:] == ("7", "8", "9")


def test_ids_may_be_bytes(npz):
    archive_of(npz, s=VALUES, query_ids=np.array([b"p1", b"p2", b"p3"]), target_ids=IDS["target_ids"])
    assert read_scores(npz, orientation="similarity")[npz.stem].queries[:] == ("p1", "p2", "p3")


@pytest.mark.parametrize(
    ("arrays", "options", "words"),
    [
        ({"s": VALUES, "a": IDS["query_ids"], "b": IDS["query_ids"]}, {}, "any of a, b"),
        ({"s": VALUES, **IDS}, {"query_ids": "target_ids"}, "no array 'target_ids' with 3 ids"),
        ({"s": VALUES, **IDS}, {"target_ids": "absent"}, "no array 'absent'"),
        ({"s": VALUES, "t": VALUES.T, **IDS}, {}, "differ in shape"),
        ({"s": VALUES[0], **IDS}, {}, "contains no score matrix"),
        ({}, {}, "it contains no arrays"),
        ({"s": VALUES}, {}, "no query ids"),
    ],
)
def test_archives_that_do_not_make_scores(npz, refusal, arrays, options, words):
    archive_of(npz, **arrays)
    assert words in refusal(npz, orientation="similarity", **options)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"query_ids": np.array(["p1", "p2", "p1"])}, "'p1'"),
        ({"query_ids": np.array(["p1", "p2"])}, "2 query ids"),
        ({"s": VALUES.T.copy()}, "transposed"),
        ({"cells": np.zeros((2, 3), dtype=np.uint8)}, "cell codes"),
        ({"orientation": np.array("closeness")}, "'closeness'"),
        ({"orientation": np.array(["distance", "distance"])}, "orientation"),
        ({"query_ids": np.array([["a", "b"]] * 3)}, "query"),
        ({"cells": np.full((3, 2), "x")}, "cell"),
        ({"cells": np.full((3, 2), 3)}, "cell"),
        ({"cells": np.full((3, 2), 256)}, "cell"),
        ({"cells": np.full((3, 2), 0.5)}, "cell"),
        ({"cells": np.full((3, 2), -1)}, "cell"),
    ],
)
def test_archives_with_bad_contents(npz, refusal, changed, words):
    archive_of(npz, **({"s": VALUES, **IDS, "orientation": "distance"} | changed))
    assert words in refusal(npz)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_values_that_are_compared_are_finite(npz, whole, bad):
    archive_of(npz, s=np.where(VALUES > 5, bad, VALUES), **IDS)
    with pytest.raises(InputError, match="query 'p3' and target 'g2'"):
        whole(read_scores(npz, orientation="similarity")[npz.stem])


def test_values_under_cell_codes_may_be_nan(npz, whole):
    values = np.where(VALUES > 5, np.nan, VALUES)
    archive_of(npz, s=values, **IDS, cells=np.array([[0, 0], [0, 0], [0, 2]]))
    assert whole(read_scores(npz, orientation="similarity")[npz.stem])[2, 1] == 0


def test_an_unknown_key(npz, refusal):
    archive_of(npz, one=VALUES, **IDS)
    assert "no score matrix 'three'; it has one" in refusal(f"{npz}::three", orientation="similarity")


# Archives that lie or are broken


@pytest.mark.parametrize(
    "shape", [(10**6, 10**6), (10**12, 1), (2**62, 2**62), (-1, 5), (-1, -5), (10**5, 10**5)]
)
@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED])
def test_members_that_claim_too_much(npz, refusal, frugally, shape, method):
    npz.write_bytes(zipped({"s": header(shape) + bytes(24)}, method))
    with frugally():
        refusal(npz, TABLE, orientation="similarity")


def lying(member, claimed):
    """An archive whose directory says that the member is larger than it is."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("s.npy", member)
        archive.filelist[0].file_size = archive.filelist[0].compress_size = claimed
    return file.getvalue()


@pytest.mark.parametrize("side", [10**6, 20_000])
def test_a_directory_that_lies_about_sizes(npz, refusal, frugally, side):
    npz.write_bytes(lying(header((side, side), "|u1") + bytes(24), side * side + 200))
    with frugally():
        refusal(npz, TABLE, orientation="similarity")


def test_a_member_that_expands_more_than_deflate_can(npz, refusal, frugally):
    raw = bytearray(zipped({"s": header((1000, 1000)) + bytes(8_000_000)}))
    entry = raw.index(b"PK\x01\x02")
    raw[entry + 20 : entry + 24] = struct.pack("<I", 100)  # the compressed size
    npz.write_bytes(bytes(raw))
    with frugally():
        refusal(npz, TABLE, orientation="similarity")


def test_a_bomb_with_a_small_header_is_not_expanded(npz, refusal, frugally):
    npz.write_bytes(zipped({"s": header((3, 3)) + bytes(72), "junk": bytes(40_000_000)}))
    with frugally():
        assert "'junk.npy' is not a NumPy array" in refusal(npz, TABLE, orientation="similarity")


def test_objects_in_an_archive_are_never_unpickled(npz, tmp_path, refusal):
    trap = tmp_path / "sprung"
    np.savez(npz, s=VALUES, **IDS, extra=np.array([Trap(trap)], dtype=object))
    assert "Python objects" in refusal(npz, orientation="similarity")
    with pytest.raises(InputError, match=r"harbour\.npz.*Python objects"):
        read_embeddings(npz, metric="cosine")
    assert not trap.exists()


def test_a_bare_pickle_in_an_archive(npz, tmp_path, refusal):
    trap = tmp_path / "sprung"
    npz.write_bytes(zipped({"s": as_npy(VALUES), "extra": pickle.dumps(Trap(trap))}))
    assert "not a NumPy array" in refusal(npz, orientation="similarity")
    assert not trap.exists()


def test_objects_hidden_in_fields_are_refused(npz, refusal):
    descr = [("x", "<f8"), ("y", "|O")]
    npz.write_bytes(zipped({"s": header((1,), descr) + bytes(16)}))
    assert "Python objects" in refusal(npz, orientation="similarity")


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.99])
def test_a_truncated_archive(npz, refusal, share):
    archive_of(npz, s=VALUES, **IDS)
    content = npz.read_bytes()
    npz.write_bytes(content[: int(share * len(content))])
    assert "not a NumPy archive" in refusal(npz, orientation="similarity")


def broken_archive(how):
    rng = np.random.default_rng(7)
    raw = bytearray(zipped({"s": as_npy(rng.normal(size=(50, 50)))}))
    entry, data = raw.index(b"PK\x01\x02"), raw.index(b"s.npy") + 5
    if how == "checksum":
        raw[data + 5000] ^= 0xFF
    elif how == "deflate":
        raw[data : data + 20] = b"\xff" * 20
    elif how == "encrypted":
        raw[6] |= 1
        raw[entry + 8] |= 1
    elif how == "method":
        raw[entry + 10 : entry + 12] = struct.pack("<H", 99)
    elif how == "version":
        raw[entry + 6] = 200
    elif how == "offset":
        raw[entry + 42 : entry + 46] = struct.pack("<I", len(raw) - 10)
    return bytes(raw)


@pytest.mark.parametrize(
    "how",
    [
        "checksum",
        "method",
        "offset",
        "deflate",
        "encrypted",
        "version",
    ],
)
def test_broken_archives(npz, refusal, how):
    npz.write_bytes(broken_archive(how))
    refusal(npz, TABLE, orientation="similarity")


def test_an_archive_tells_shapes_before_anything_is_read(npz, frugally):
    np.savez_compressed(npz, big=np.zeros((3000, 3000)), small=np.arange(3))
    with frugally(megabytes=4):
        archive = Archive(npz)
        assert archive.shape("big") == (3000, 3000)
        assert archive.dtype("big") == np.float64
        assert list(archive) == ["big", "small"]
        assert archive["small"].tolist() == [0, 1, 2]


# Round trips


matrices = hnp.arrays(
    st.sampled_from([np.float64, np.float32]),
    hnp.array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=5),
    elements={"allow_nan": False, "allow_infinity": False},
)


@examples(40)
@given(values=matrices, data=st.data())
@pytest.mark.parametrize("ending", [".npy", ".npz"])
def test_round_trip(whole, ending, values, data):
    text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1)
    queries = data.draw(st.lists(text, min_size=len(values), max_size=len(values), unique=True))
    targets = data.draw(st.lists(text, min_size=values.shape[1], max_size=values.shape[1], unique=True))
    orientation = data.draw(st.sampled_from(["similarity", "distance"]))
    scores = Scores.from_array(values, queries, targets, orientation=orientation, name="mine")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"mine{ending}")
        assert write_scores(path, scores) == ending[1:]
        again = read_scores(path)["mine"]
        assert (list(again.queries), list(again.targets)) == (queries, targets)
        assert again.orientation == orientation
        assert whole(again).dtype == values.dtype
        assert whole(again).tobytes() == values.tobytes()


def test_written_arrays_are_plain(npy, npz, small):
    scores, _ = small
    write_scores(npy, scores)
    assert np.load(npy, allow_pickle=False).tolist() == scores.values.tolist()
    stated = json.loads(npy.with_name("harbour.npy.json").read_text(encoding="utf-8"))
    assert stated == {"orientation": "distance", "query_ids": ["q1", "q2", "q3"], "target_ids": ["t1", "t2"]}
    write_scores(npz, scores)
    with np.load(npz, allow_pickle=False) as arrays:
        assert sorted(arrays) == ["orientation", "query_ids", "small", "target_ids"]
        assert arrays["small"].tolist() == scores.values.tolist()
        assert arrays["query_ids"].tolist() == ["q1", "q2", "q3"]


def with_cells(small):
    scores, _ = small
    cells = np.array([[0, 1], [2, 0], [0, 0]], dtype=np.uint8)
    return Scores.from_array(
        scores.values, scores.queries, scores.targets, orientation="distance", name="small", cells=cells
    )


def test_an_archive_keeps_cells(npz, small):
    scores = with_cells(small)
    write_scores(npz, scores)
    assert read_scores(npz)[npz.stem].cell_codes.tolist() == scores.cell_codes.tolist()


def test_an_array_has_no_place_for_cells(npy, small, tmp_path):
    with pytest.raises(InputError, match=r"harbour\.npy.*cannot store"):
        write_scores(npy, with_cells(small))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["file", "orientation", "query_ids", "target_ids", "cells"])
def test_an_archive_of_scores_with_a_name_of_our_own(npz, name):
    scores = Scores.from_array(VALUES, *IDS.values(), orientation="distance", name=name)
    try:
        write_scores(npz, scores)
    except ProbandError:
        assert not npz.exists()
    else:
        assert next(iter(read_scores(npz).values())).values.tolist() == VALUES.tolist()


def test_ids_that_end_in_nul(npz):
    scores = Scores.from_array([[1.0], [2.0]], ["p", "p\0"], ["g"], orientation="distance", name="s")
    try:
        write_scores(npz, scores)
    except ProbandError:
        assert not npz.exists()
    else:
        assert read_scores(npz)[npz.stem].queries[:] == ("p", "p\0")


def test_an_archive_depends_on_the_scores_alone(npz, small, monkeypatch):
    write_scores(npz, small[0])
    first = npz.read_bytes()
    monkeypatch.setattr(time, "time", lambda: 2_000_000_000.0)
    write_scores(npz, small[0])
    assert npz.read_bytes() == first


def test_a_mapped_file_can_be_written_anew_over_itself(npy, small, whole):
    scores, _ = small
    write_scores(npy, scores)
    mapped = read_scores(npy)["harbour"]
    write_scores(npy, mapped)
    assert whole(read_scores(npy)["harbour"]).tolist() == scores.values.tolist()


def test_embeddings_are_written_as_scores(npz):
    vectors = Embeddings([[1.0, 0.0], [3.0, 4.0]], ["a", "b"], metric="inner", name="net")
    write_scores(npz, vectors)
    scores = read_scores(npz)[npz.stem]
    assert scores.values.tolist() == [[1, 3], [3, 25]]
    assert scores.orientation == "similarity"


def test_a_key_for_a_file_that_has_none(npy, refusal):
    np.save(npy, np.zeros((3, 3)))
    refusal(f"{npy}::other", TABLE, orientation="similarity")


def test_read_file_says_what_it_found(npz):
    archive_of(npz, s=VALUES, **IDS)
    file = read_file(npz)
    assert (file.format, file.orientation, file.trials, file.cells) == ("npz", None, (), None)
