"""BEE matrices, masks and signature sets, against files laid out by hand."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tests.examples import examples

from proband.engine.files.shards import Translated
from proband.errors import InputError
from proband.samples import Samples
from proband.scores import Scores
from proband.scores.formats import read_file, write_scores
from proband.scores.formats.bee import read_signature_set
from proband.scores.reading import read_scores

LITTLE, BIG = b"\x78\x56\x34\x12", b"\x12\x34\x56\x78"
FLOATS = {LITTLE: "<f4", BIG: ">f4"}
VALUES = np.array([[1.5, -2.0], [3.25, 4.0], [0.0, 6.0]])
YES, NO, SKIP = 0xFF, 0x7F, 0x00
MASK = [[YES, NO], [NO, YES], [YES, NO]]


def matrix(values=VALUES, kind=b"S2", magic=LITTLE, targets=b"t.lst", queries=b"q.lst", extra=b"", size=None):
    values = np.asarray(values)
    rows, columns = size or values.shape
    head = b"%s\n%s\n%s\nMF %d %d %s" % (kind, targets, queries, rows, columns, extra)
    return head + magic + b"\n" + values.astype(FLOATS[magic]).tobytes()


def mask_bytes(cells=MASK, kind=b"M2", magic=LITTLE):
    body = b"".join(bytes(row) for row in cells)
    return b"%s\nt.lst\nq.lst\nMB %d %d " % (kind, len(cells), len(cells[0])) + magic + b"\n" + body


def sigset(pairs):
    rows = "".join(
        f'<biometric-signature name="{subject}">'
        f'<presentation name="{name}" modality="face" file-name="images/{name}.jpg" file-format="jpeg"/>'
        "</biometric-signature>"
        for subject, name in pairs
    )
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<biometric-signature-set>{rows}</biometric-signature-set>'
    )


def complex_sigset(pairs):
    rows = "".join(
        f'<complex-biometric-signature name="{subject}"><complex-presentation name="{name}" modality="face">'
        f'<presentation-component><data file-name="images/{name}.jpg" file-format="jpeg"/></presentation-component>'
        "</complex-presentation></complex-biometric-signature>"
        for subject, name in pairs
    )
    space = 'xmlns="http://www.bee-biometrics.org/schemas/sigset/0.1"'
    return f"<complex-biometric-signature-set {space}>{rows}</complex-biometric-signature-set>"


def prefixed_sigset(pairs):
    text = sigset(pairs).replace("<bio", "<b:bio").replace("</bio", "</b:bio").replace("<pres", "<b:pres")
    return text.replace("-set>", '-set xmlns:b="http://www.bee-biometrics.org/schemas/sigset/0.1">', 1)


QUERIES = [("ann", "p1"), ("bo", "p2"), ("ann", "p3")]
TARGETS = [("ann", "g1"), ("bo", "g2")]


@pytest.fixture
def mtx(tmp_path):
    path = tmp_path / "harbour.mtx"
    path.write_bytes(matrix())
    return path


# What is read


@pytest.mark.parametrize("magic", [LITTLE, BIG])
@pytest.mark.parametrize(("kind", "orientation"), [(b"S2", "similarity"), (b"D2", "distance")])
def test_both_byte_orders_and_kinds(mtx, whole, magic, kind, orientation):
    mtx.write_bytes(matrix(kind=kind, magic=magic))
    scores = read_scores(mtx)["harbour"]
    assert scores.orientation == orientation
    assert scores.queries[:] == ("query:1", "query:2", "query:3")
    assert scores.targets[:] == ("target:1", "target:2")
    assert whole(scores).tolist() == VALUES.tolist()
    assert whole(scores).dtype == np.float32


def test_an_extra_integer_before_the_byte_order_mark(mtx, whole):
    mtx.write_bytes(matrix(extra=b"4 "))
    assert whole(read_scores(mtx)["harbour"]).tolist() == VALUES.tolist()


def test_line_ends_of_windows_in_the_header(mtx, whole):
    head, _, body = matrix().partition(b"MF")
    mtx.write_bytes(head.replace(b"\n", b"\r\n") + b"MF" + body)
    assert whole(read_scores(mtx)["harbour"]).tolist() == VALUES.tolist()


def test_a_matrix_that_states_no_orientation_needs_one(mtx, refusal):
    mtx.write_bytes(matrix(kind=b"M2"))
    assert read_scores(mtx, orientation="distance")["harbour"].orientation == "distance"
    assert "does not guess it" in refusal(mtx)


def test_an_orientation_that_contradicts_the_file(mtx, refusal):
    assert "states similarity as its orientation" in refusal(mtx, orientation="distance")
    assert read_scores(mtx, orientation="similarity")["harbour"].orientation == "similarity"


@pytest.mark.parametrize("magic", [LITTLE, BIG])
@pytest.mark.parametrize("kind", [b"M2", b"S2"])
def test_a_mask_beside_the_matrix(mtx, pairs_of_subjects, magic, kind):
    mtx.with_suffix(".mask").write_bytes(mask_bytes(kind=kind, magic=magic))
    assert pairs_of_subjects(mtx).tolist() == (np.array(MASK) == YES).tolist()
    file = read_file(mtx)
    assert file.cells is None
    assert any("harbour.mask" in str(note) for note in file.notes)


def test_a_mask_named_by_the_user_goes_before_the_one_beside(mtx, tmp_path):
    mtx.with_suffix(".mask").write_bytes(mask_bytes([[NO, NO]] * 3))
    other = tmp_path / "other.mask"
    other.write_bytes(mask_bytes([[YES, SKIP], [NO, YES], [YES, NO]]))
    scores = read_scores(mtx, mask=other)["harbour"]
    assert scores.cell_codes.tolist() == [[0, 1], [0, 0], [0, 0]]
    assert not any("beside" in str(note) for note in scores.notes)


def test_dont_care_cells_are_excluded_and_counted(mtx, whole):
    values = VALUES.copy()
    values[0, 1] = values[2, 0] = np.nan  # never looked at
    mtx.write_bytes(matrix(values))
    mtx.with_suffix(".mask").write_bytes(mask_bytes([[YES, SKIP], [NO, YES], [SKIP, NO]]))
    scores = read_scores(mtx)["harbour"]
    assert scores.cell_codes.tolist() == [[0, 1], [0, 0], [1, 0]]
    assert whole(scores)[1].tolist() == VALUES[1].tolist()
    assert "2 don't-care cells are excluded" in map(str, scores.notes)


@examples(40)
@given(
    st.lists(st.integers(0, 3), min_size=1, max_size=6), st.lists(st.integers(0, 3), min_size=1, max_size=6)
)
def test_a_mask_tells_who_is_who(pairs_of_subjects, rows, columns):
    expected = np.array(rows)[:, None] == np.array(columns)[None, :]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "m.mtx")
        path.write_bytes(matrix(np.ones(expected.shape)))
        path.with_suffix(".mask").write_bytes(mask_bytes(np.where(expected, YES, NO).tolist()))
        assert pairs_of_subjects(path).tolist() == expected.tolist()


@pytest.mark.parametrize("made", [sigset, complex_sigset, prefixed_sigset])
def test_signature_sets_beside_the_matrix(mtx, made):
    mtx.write_bytes(matrix(targets=b"gallery.xml", queries=b"lists/probes.xml"))
    mtx.with_name("gallery.xml").write_text(made(TARGETS), encoding="utf-8")
    mtx.with_name("probes.xml").write_text(made(QUERIES), encoding="utf-8")
    file = read_file(mtx)
    assert file.queries[:] == ("p1", "p2", "p3")
    assert file.targets[:] == ("g1", "g2")
    assert file.subjects.frame["subject"].to_list() == ["ann", "bo", "ann", "ann", "bo"]


def test_names_in_a_signature_set_are_text(tmp_path):
    path = tmp_path / "set.xml"
    path.write_text(sigset([("007", "08"), ("Zoë", "写真&amp;1")]), encoding="utf-8")
    assert read_signature_set(path) == (["08", "写真&1"], ["007", "Zoë"])


def test_the_first_presentation_names_a_signature(tmp_path):
    path = tmp_path / "set.xml"
    both = '<presentation name="first"/><presentation name="second"/>'
    path.write_text(f'<a><biometric-signature name="s">{both}</biometric-signature></a>', encoding="utf-8")
    assert read_signature_set(path) == (["first"], ["s"])


def test_a_signature_set_elsewhere_is_not_followed(tmp_path):
    folder = tmp_path / "inner"
    folder.mkdir()
    (tmp_path / "secret.xml").write_text(sigset(TARGETS), encoding="utf-8")
    path = folder / "m.mtx"
    path.write_bytes(matrix(targets=b"../secret.xml"))
    assert read_file(path).targets[:] == ("target:1", "target:2")


# What is refused


@pytest.mark.parametrize("size", [(10**6, 10**6), (3, 3), (2, 3 * 10**12), (-3, -2), (0, 5), (6, 0)])
def test_claims_that_the_file_does_not_bear_out(mtx, refusal, frugally, size):
    mtx.write_bytes(matrix(size=size))
    with frugally():
        assert "bytes follow its header" in refusal(mtx)


@pytest.mark.parametrize("kept", range(1, len(matrix()), 3))
def test_truncated(mtx, refusal, kept):
    mtx.write_bytes(matrix()[:kept])
    refusal(mtx)


def test_too_long(mtx, refusal):
    mtx.write_bytes(matrix() + b"\0")
    assert "25 bytes follow" in refusal(mtx)


@pytest.mark.parametrize(
    "fourth", [b"MF 3 2 ABCD\n", b"MF three 2 xV4\x12\n", b"MF xV4\x12\n", b"MF 3 xV4\x12\n"]
)
def test_a_broken_fourth_line(mtx, refusal, fourth):
    mtx.write_bytes(b"S2\nt\nq\n" + fourth + bytes(24))
    refusal(mtx)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_scores_that_are_not_finite_name_the_pair(mtx, refusal, bad):
    mtx.write_bytes(matrix([[1, 2], [3, bad]]))
    message = refusal(mtx)
    assert "'query:2'" in message
    assert "'target:2'" in message


def test_a_mask_is_no_matrix(mtx, refusal):
    mtx.write_bytes(mask_bytes())
    assert "is a mask" in refusal(mtx)


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (mask_bytes([[YES, NO], [NO, YES], [YES, 9]]), "0x09"),
        (mask_bytes([[YES, NO], [NO, YES]]), "2 × 2"),
        (mask_bytes([[YES, YES], [NO, YES], [YES, NO]]), "query 2 and target 1 are the same person"),
        (mask_bytes()[:-1], "5 bytes follow"),
        (matrix(), "float32"),
        (b"", "not a BEE matrix"),
        (b"\x00" * 100, "not a BEE matrix"),
    ],
)
def test_bad_masks(mtx, refusal, bad, words):
    mtx.with_suffix(".mask").write_bytes(bad)
    assert words in refusal(mtx)


@pytest.mark.parametrize("at_once", [1, 5, 1 << 22])
def test_a_mask_is_read_some_rows_at_a_time_and_stays_in_its_file(mtx, monkeypatch, at_once):
    monkeypatch.setattr("proband.scores.formats.bee._CELLS_AT_ONCE", at_once)
    rng = np.random.default_rng(0)
    people = rng.integers(0, 5, 12), rng.integers(0, 5, 9)
    same = people[0][:, None] == people[1]
    skipped = rng.random(same.shape) < 0.1
    mtx.write_bytes(matrix(rng.normal(size=same.shape)))
    mask = np.where(skipped, SKIP, np.where(same, YES, NO))
    mtx.with_suffix(".mask").write_bytes(mask_bytes(mask.tolist()))
    found = read_file(mtx)
    assert isinstance(found.cells, Translated)
    assert isinstance(found.cells.parts[0], np.memmap)
    scores = read_scores(mtx)["harbour"]
    assert np.array_equal(scores.cell_codes, skipped)
    assert np.array_equal(scores.cells(np.array([7, 2]), np.arange(3, 8)), skipped[[7, 2], 3:8])
    mask[same & ~skipped & (np.cumsum(same & ~skipped).reshape(same.shape) == 3)] = NO
    mtx.with_suffix(".mask").write_bytes(mask_bytes(mask.tolist()))
    with pytest.raises(InputError, match=r"\(1 such cells\)"):
        read_file(mtx)


def test_a_mask_that_is_not_there(mtx, refusal):
    refusal(mtx, mask=mtx.with_name("other.mask"), names="other.mask")


def test_a_mask_that_is_a_directory(mtx, refusal):
    mtx.with_suffix(".mask").mkdir()
    assert "harbour.mask" in refusal(mtx)


LAUGHS = (
    '<!DOCTYPE a [<!ENTITY l0 "lol">'
    + "".join(f'<!ENTITY l{k} "{f"&l{k - 1};" * 10}">' for k in range(1, 10))
    + "]><a>&l9;</a>"
)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<!DOCTYPE a>" + sigset(QUERIES).partition("\n")[2], "document type"),
        ('<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>', "document type"),
        ('<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>', "document type"),
        (LAUGHS, "document type"),
        ("<a>&undefined;</a>", "not a valid"),
        (sigset(QUERIES)[:-10], "not a valid"),
        ("", "not a valid"),
        ("<a><b></a>", "not a valid"),
        (sigset(QUERIES[:2]), "lists 2 signatures"),
        (sigset(QUERIES).replace('name="bo"', "", 1), "lists 2 signatures"),
        pytest.param('<?xml version="1.0" encoding="gb2312"?><a/>', "not a valid", id="gb2312"),
        pytest.param('<?xml version="1.0" encoding="utf-7"?><a/>', "not a valid", id="utf-7"),
        pytest.param('<?xml version="1.0" encoding="nonsense"?><a/>', "not a valid", id="nonsense"),
    ],
)
def test_bad_signature_sets(mtx, refusal, frugally, text, words):
    mtx.write_bytes(matrix(queries=b"probes.xml"))
    mtx.with_name("probes.xml").write_text(text, encoding="utf-8")
    with frugally():
        assert words in refusal(mtx, names="probes.xml")


def test_a_signature_set_that_is_not_utf8(mtx, refusal):
    mtx.write_bytes(matrix(queries=b"probes.xml"))
    mtx.with_name("probes.xml").write_bytes(sigset(QUERIES).replace("ann", "änn").encode("latin-1"))
    assert "not a valid" in refusal(mtx, names="probes.xml")


@pytest.mark.parametrize(
    ("queries", "words"),
    [
        ([("ann", "p1"), ("bo", "p1"), ("ann", "p3")], "'p1'"),
        ([("cy", "g1"), ("bo", "p2"), ("ann", "p3")], "'g1'"),
    ],
)
def test_ids_that_clash(mtx, refusal, queries, words):
    mtx.write_bytes(matrix(targets=b"gallery.xml", queries=b"probes.xml"))
    mtx.with_name("gallery.xml").write_text(sigset(TARGETS), encoding="utf-8")
    mtx.with_name("probes.xml").write_text(sigset(queries), encoding="utf-8")
    assert words in refusal(mtx)


@pytest.mark.parametrize("name", [b"", b"..", b"a\0b.xml", b"\xff\xfe.xml", b"harbour.mtx"])
def test_odd_names_of_signature_sets_are_harmless(mtx, name):
    mtx.write_bytes(matrix(targets=name))
    assert read_file(mtx).targets[0] == "target:1"


@pytest.mark.parametrize("name", [b"/", b".", b"x" * 300 + b".xml", b"x" * 9000], ids=len)
def test_impossible_names_of_signature_sets_are_harmless(mtx, name):
    mtx.write_bytes(matrix(targets=name))
    assert read_file(mtx).targets[0] == "target:1"


# What is written


@pytest.mark.parametrize(("orientation", "kind"), [("similarity", b"S2"), ("distance", b"D2")])
def test_written_bytes(tmp_path, orientation, kind):
    path = tmp_path / "out.mtx"
    scores = Scores.from_array(VALUES, ["a", "b", "c"], ["x", "y"], orientation=orientation)
    samples = Samples({"id": ["a", "b", "c", "x", "y"], "subject": [1, 2, 1, 1, 2]})
    assert write_scores(path, scores, samples=samples) == "bee"
    head, _, body = path.read_bytes().partition(b"MF 3 2 ")
    assert head.split(b"\n")[0] == kind
    assert body[:5] in (LITTLE + b"\n", BIG + b"\n")
    assert np.frombuffer(body[5:], dtype=FLOATS[body[:4]]).reshape(3, 2).tolist() == VALUES.tolist()
    mask = path.with_suffix(".mask").read_bytes()
    assert mask.startswith(b"M2\n")
    assert mask[-6:] == bytes(code for row in MASK for code in row)


@examples(40)
@given(data=st.data())
def test_round_trip(data, whole, pairs_of_subjects):
    n_rows, n_columns = data.draw(st.integers(1, 5)), data.draw(st.integers(1, 5))
    singles = st.floats(width=32, allow_nan=False, allow_infinity=False)
    values = np.array(
        data.draw(st.lists(singles, min_size=n_rows * n_columns, max_size=n_rows * n_columns)),
        dtype=np.float32,
    ).reshape(n_rows, n_columns)
    people = data.draw(
        st.lists(st.sampled_from("abc"), min_size=n_rows + n_columns, max_size=n_rows + n_columns)
    )
    ids = [f"é {k}" for k in range(n_rows + n_columns)]
    scores = Scores.from_array(values, ids[:n_rows], ids[n_rows:], orientation="distance")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "m.mtx")
        write_scores(path, scores, samples=Samples({"id": ids, "subject": people}))
        again = read_scores(path)["m"]
        assert again.orientation == "distance"
        assert whole(again).tobytes() == values.tobytes()
        expected = np.array(people[:n_rows])[:, None] == np.array(people[n_rows:])[None, :]
        assert pairs_of_subjects(path).tolist() == expected.tolist()
        assert again.cell_codes is None


def test_dont_care_cells_come_back(tmp_path, small):
    scores, samples = small
    cells = np.array([[0, 1], [0, 0], [1, 0]], dtype=np.uint8)
    path = tmp_path / "m.mtx"
    values = [[1, 2], [3, 4], [5, 6]]
    write_scores(
        path,
        Scores.from_array(values, scores.queries, scores.targets, orientation="distance", cells=cells),
        samples=samples,
    )
    again = read_scores(path)["m"]
    assert again.cell_codes.tolist() == cells.tolist()
    assert again.values[cells == 0].tolist() == [1, 3, 4, 6]


def test_dont_care_cells_are_not_lost_without_samples(tmp_path):
    scores = Scores.from_array(
        [[1, np.nan]], ["q"], ["t", "u"], orientation="distance", cells=np.array([[0, 1]], dtype=np.uint8)
    )
    path = tmp_path / "m.mtx"
    try:
        write_scores(path, scores)
    except InputError:
        assert not list(tmp_path.iterdir())
    else:
        assert read_scores(path)["m"].cell_codes.tolist() == [[0, 1]]


def test_failed_cells_are_refused_and_nothing_is_written(tmp_path):
    scores = Scores.from_array(
        [[1, np.nan]], ["q"], ["t", "u"], orientation="distance", cells=np.array([[0, 2]], dtype=np.uint8)
    )
    samples = Samples({"id": ["q", "t", "u"], "subject": [1, 1, 2]})
    with pytest.raises(InputError, match="failed"):
        write_scores(tmp_path / "m.mtx", scores, samples=samples)
    assert not list(tmp_path.iterdir())


def test_an_unknown_sample_is_refused_and_nothing_is_written(tmp_path, small):
    scores = Scores.from_array([[1.0]], ["q"], ["stranger"], orientation="distance")
    with pytest.raises(InputError, match="stranger"):
        write_scores(tmp_path / "m.mtx", scores, samples=Samples({"id": ["q"], "subject": ["a"]}))
    assert not list(tmp_path.iterdir())


def test_a_mask_is_neither_lost_nor_taken_for_another_matrix(tmp_path):
    path = tmp_path / "m.mtx"
    samples = Samples({"id": ["q", "t", "u"], "subject": [1, 1, 2]})
    first, second = (
        Scores.from_array([values], ["q"], ["t", "u"], orientation="distance")
        for values in ([1.0, 2.0], [2.0, 1.0])
    )
    write_scores(path, first, samples=samples)
    before = {one.name: one.read_bytes() for one in tmp_path.iterdir()}
    with pytest.raises(InputError, match=r"m\.mask is next to m\.mtx"):
        write_scores(path, second)
    assert {one.name: one.read_bytes() for one in tmp_path.iterdir()} == before
    write_scores(path, second, samples=samples)
    assert read_scores(path)["m"].values.tolist() == [[2.0, 1.0]]


def test_a_mask_without_its_matrix_is_left_alone(tmp_path):
    scores = Scores.from_array([[1.0, 2.0]], ["q"], ["t", "u"], orientation="distance")
    (tmp_path / "m.mask").write_bytes(mask_bytes())
    for samples in (None, Samples({"id": ["q", "t", "u"], "subject": [1, 1, 2]})):
        with pytest.raises(InputError, match=r"m\.mask"):
            write_scores(tmp_path / "m.mtx", scores, samples=samples)
    assert [one.name for one in tmp_path.iterdir()] == ["m.mask"]
    assert (tmp_path / "m.mask").read_bytes() == mask_bytes()


def test_a_score_too_large_for_single_precision(tmp_path):
    path = tmp_path / "m.mtx"
    scores = Scores.from_array([[1e300]], ["q"], ["t"], orientation="distance")
    with pytest.raises(InputError, match="single precision"):
        write_scores(path, scores)
    assert not list(tmp_path.iterdir())
