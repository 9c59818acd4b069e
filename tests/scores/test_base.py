"""Scores in memory."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp
from tests.examples import examples

from proband.errors import InputError, UsageError
from proband.scores import Scores

VALUES = np.arange(12.0).reshape(3, 4)
ROWS, COLUMNS = ["a", "b", "c"], ["w", "x", "y", "z"]


def made(values=VALUES, queries=ROWS, targets=COLUMNS, **options):
    return Scores.from_array(
        values, queries, targets, **({"orientation": "similarity", "name": "harbour"} | options)
    )


def whole(scores):
    return scores.tile(np.arange(scores.shape[0]), np.arange(scores.shape[1]))


def test_what_scores_say_of_themselves():
    scores = made()
    assert scores.shape == (3, 4)
    assert scores.larger_is_closer
    assert not made(orientation="distance").larger_is_closer
    assert repr(scores) == "DenseScores('harbour': 3 queries × 4 targets, similarity)"


def test_without_targets_the_axes_are_the_same():
    scores = Scores.from_array(np.eye(3), ROWS, orientation="similarity")
    assert scores.targets is scores.queries


@examples(60)
@given(
    values=hnp.arrays(
        st.sampled_from(["<f8", ">f8", "<f4", ">f4", "<f2", "<i4", ">i2", "|u1", "|b1"]),
        (4, 5),
        elements=st.integers(0, 1),
    ),
    rows=st.lists(st.integers(0, 3), max_size=6),
    columns=st.lists(st.integers(0, 4), max_size=6),
    fortran=st.booleans(),
    mapped=st.booleans(),
)
def test_tiles_agree_with_plain_indexing(tmp_path_factory, values, rows, columns, fortran, mapped):
    expected = (
        values[np.ix_(rows, columns)].astype(float)
        if rows and columns
        else np.zeros((len(rows), len(columns)))
    )
    stored = np.asfortranarray(values) if fortran else values
    if mapped:
        path = tmp_path_factory.mktemp("tiles") / "m.npy"
        np.save(path, stored)
        stored = np.load(path, mmap_mode="r")
    scores = Scores.from_array(stored, range(4), range(5), orientation="distance")
    tile = scores.tile(np.array(rows, dtype=np.intp), np.array(columns, dtype=np.intp))
    assert tile.tolist() == expected.tolist()
    assert tile.flags.c_contiguous
    assert tile.dtype == (
        np.float32 if values.dtype.kind == "f" and values.dtype.itemsize < 8 else np.float64
    )


def test_cells_go_with_their_tile():
    codes = np.array([[0, 1, 2, 0], [0, 0, 0, 0], [2, 2, 1, 0]], dtype=np.uint8)
    scores = made(np.where(codes == 0, VALUES, np.nan), cells=codes)
    rows, columns = np.array([2, 0]), np.array([3, 1])
    assert scores.cells(rows, columns).tolist() == [[0, 2], [0, 1]]
    assert scores.tile(rows, columns).tolist() == [[11, 0], [3, 0]]
    assert scores.cell_codes.tolist() == codes.tolist()
    assert made().cells(rows, columns) is None


def test_scores_cannot_be_changed():
    scores = made(VALUES.copy())
    with pytest.raises(ValueError, match="read-only"):
        scores.values[0, 0] = 5


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_is_named(bad):
    values = VALUES.copy()
    values[2, 1] = bad
    with pytest.raises(
        InputError, match=r"harbour: 1 score of 12 .* query 'c' and target 'x'(.|\n)*must be finite"
    ):
        whole(made(values))


def test_what_is_not_compared_may_be_anything():
    values = VALUES.copy()
    values[0] = np.nan
    assert made(values).tile(np.arange(1, 3), np.arange(4)).tolist() == VALUES[1:].tolist()


def test_a_sample_with_itself_may_be_anything():
    values = np.where(np.eye(3), np.nan, 2.0)
    ids = ["a", "b", "c"]
    assert whole(made(values, ids, None)).tolist() == np.where(np.eye(3), 0.0, 2.0).tolist()
    turned = made(values[:, ::-1], ids, ids[::-1])
    assert whole(turned).tolist() == np.where(np.eye(3)[:, ::-1], 0.0, 2.0).tolist()
    with pytest.raises(InputError, match=r"2 scores of 9 .* query 'a' and target 'c'"):
        whole(made(values[:, ::-1], ids, ids))


def test_the_first_of_many_is_named():
    values = VALUES.copy()
    values[1:, 2] = np.nan
    with pytest.raises(InputError, match="query 'b' and target 'y'"):
        whole(made(values))


@pytest.mark.parametrize("shape", [(3, 3), (2, 4), (12,), (3, 4, 1), ()])
def test_shapes_that_do_not_fit_the_ids(shape):
    with pytest.raises(
        InputError, match=r"harbour: the scores are .* 3 query ids and 4 target ids"
    ) as caught:
        made(np.zeros(shape))
    assert "queries × targets" in str(caught.value.hint)


def test_a_transposed_matrix_is_recognised():
    with pytest.raises(
        InputError, match=r"4 × 3, but there are 3 query ids and 4 target ids(.|\n)*transposed"
    ):
        made(VALUES.T)


def test_cells_of_the_wrong_shape():
    with pytest.raises(InputError, match="cell codes are 4 × 3"):
        made(cells=np.zeros((4, 3), dtype=np.uint8))


@pytest.mark.parametrize("code", [3, 255, 256, -1, 0.5])
def test_codes_that_mean_nothing(code):
    cells = np.zeros((3, 4))
    cells[1, 1] = code
    # Regression: they are let in, cut or wrapped round
    with pytest.raises(InputError, match=r"harbour.*cell"):
        made(cells=cells if code == 0.5 else cells.astype(np.int64))


@pytest.mark.parametrize("values", [np.full((3, 4), "x"), np.full((3, 4), None), np.zeros((3, 4), complex)])
def test_what_is_not_a_number(values):
    with pytest.raises(InputError, match="harbour"):
        made(values)


def test_extended_precision():
    if np.dtype(np.longdouble).itemsize > 8:
        with pytest.raises(InputError, match="not supported"):
            made(VALUES.astype(np.longdouble))


def test_rows_of_different_lengths():
    # Regression: a bare ValueError of numpy
    with pytest.raises(InputError, match="harbour"):
        made([[1, 2], [3]], ["a", "b"], ["x", "y"])


def test_a_masked_array_hides_nothing():
    # Regression: the masked NaN comes out in a tile
    with pytest.raises(InputError, match="harbour"):
        whole(made(np.ma.masked_invalid([[np.nan, 1.0]]), ["a"], ["x", "y"]))


@pytest.mark.parametrize("orientation", ["Similarity", "", None, "closeness", 1])
def test_the_orientation_is_never_guessed(orientation):
    with pytest.raises(UsageError, match="'similarity' or 'distance'"):
        made(orientation=orientation)


def test_repeated_and_empty_ids():
    with pytest.raises(InputError, match="1 of 3 query ids repeats an earlier one: 'a'"):
        made(queries=["a", "b", "a"])
    with pytest.raises(InputError, match="target id at position 3 is empty"):
        made(targets=["w", "x", "y", ""])
    with pytest.raises(InputError, match="repeat"):
        made(queries=[1, "1", 2])
