"""Lists of compared pairs, and LFW's list of pairs."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from proband.errors import AlignmentError, InputError, ProbandError
from proband.scores import Embeddings, Scores
from proband.scores.names import coded, renamed, together
from proband.scores.trials import Trials, read_lfw_pairs, truths


def trials(**columns):
    return Trials(pl.DataFrame(columns), name="harbour")


# What a list says


def test_mated_is_worked_out_from_subjects():
    made = trials(score=[1.0, 2.0, 3.0], query_subject=["a", "a", None], target_subject=["a", "b", "a"])
    assert made.frame["mated"].to_list() == [True, False, None]


def test_mated_is_kept_where_it_is_given():
    made = trials(score=[1.0, 2.0], query_subject=["a", "a"], target_subject=["a", "b"], mated=[False, None])
    assert made.frame["mated"].to_list() == [False, None]


def test_failures():
    made = trials(score=[1.0, float("nan"), None, 4.0], failed=[False, False, False, True])
    assert made.frame["failed"].to_list() == [False, True, True, True]
    assert made.frame["score"].to_list() == [1.0, None, None, None]
    assert repr(made) == "Trials('harbour': 4 comparisons, 0 mated, 3 failed)"


def test_a_failure_is_a_nan_or_is_marked():
    made = trials(score=[1.0, 2.0], failed=[None, True])
    assert made.frame["failed"].to_list() == [False, True]


def test_columns_are_filled_up_and_others_dropped():
    made = trials(score=[1], query=[7], target=["g"], weather=["fine"])
    assert made.frame.rows() == [("7", "g", None, None, None, 1.0, False, None)]
    assert len(made) == 1


@pytest.mark.parametrize("bad", [float("inf"), -float("inf")])
def test_infinite_scores(bad):
    with pytest.raises(InputError, match=r"harbour: 1 score is infinite.*query 'p' and target 'h'"):
        trials(score=[1.0, bad], query=["p", "p"], target=["g", "h"])


def test_scores_are_needed():
    with pytest.raises(InputError, match=r"harbour.*'score'"):
        trials(query=["p"], target=["g"])


@pytest.mark.parametrize("column", ["score", "mated", "failed", "fold"])
def test_columns_of_another_type(column):
    with pytest.raises(InputError, match="harbour"):
        trials(**({"score": [1.0]} | {column: ["perhaps"]}))


# As a matrix


def test_a_whole_list_makes_a_matrix():
    made = trials(query=["p", "p", "r", "r"], target=["h", "g", "g", "h"], score=[1.0, 2.0, 3.0, 4.0])
    values, queries, targets, cells, notes = made.to_matrix()
    assert (queries[:], targets[:]) == (("p", "r"), ("h", "g"))
    assert values.tolist() == [[1, 2], [4, 3]]
    assert (cells, notes) == (None, ())


def test_what_was_not_compared_is_a_dont_care_cell():
    made = trials(query=["p", "p", "r"], target=["g", "h", "h"], score=[1.0, None, 3.0])
    values, _, _, cells, notes = made.to_matrix()
    assert cells.tolist() == [[0, 2], [1, 0]]
    assert values[cells == 0].tolist() == [1, 3]
    assert tuple(map(str, notes)) == (
        "1 of 4 pairs was not compared and is not counted",
        "1 comparison failed",
    )


def test_pairs_listed_twice():
    made = trials(query=["p", "p", "p"], target=["g", "h", "g"], score=[1.0, 2.0, 1.0])
    with pytest.raises(
        InputError, match=r"harbour: 1 pair is listed more than once.*query 'p' and target 'g'"
    ):
        made.to_matrix()


@pytest.mark.parametrize("column", ["query", "target"])
def test_rows_without_a_name(column):
    made = trials(
        **({"query": ["p", "r"], "target": ["g", "g"], "score": [1.0, 2.0]} | {column: ["x", None]})
    )
    with pytest.raises(InputError, match=f"harbour: 1 row has no {column}"):
        made.to_matrix()


def test_a_list_of_chosen_pairs_is_no_matrix(frugally):
    n = 2_000
    made = trials(query=[f"p{k}" for k in range(n)], target=[f"g{k}" for k in range(n)], score=np.ones(n))
    with frugally(), pytest.raises(InputError, match=r"harbour: 2,000 comparisons fill 0\.05%"):
        made.to_matrix()


def test_a_small_list_may_be_as_sparse_as_it_likes():
    n = 100
    made = trials(query=[f"p{k}" for k in range(n)], target=[f"g{k}" for k in range(n)], score=np.ones(n))
    _, _, _, cells, notes = made.to_matrix()
    assert (cells == 0).sum() == n
    assert tuple(map(str, notes)) == ("9,900 of 10,000 pairs were not compared and are not counted",)


def test_samples_of_a_list():
    made = trials(
        query=["p", "r", "p"],
        target=["g", "g", "p"],
        query_subject=["a", "b", "a"],
        target_subject=["a", "a", "a"],
        score=[1.0, 2.0, 3.0],
    )
    assert made.samples().frame.select("id", "subject").rows() == [("p", "a"), ("r", "b"), ("g", "a")]


def test_one_id_of_two_subjects():
    made = trials(
        query=["p", "g"], target=["g", "h"], query_subject=["a", "b"], target_subject=["a", "a"], score=[1, 2]
    )
    with pytest.raises(InputError, match="harbour: 1 id is assigned more than one subject: 'g'"):
        made.samples()


# Looked up in scores


PAIRS = pl.DataFrame(
    {"query": ["r", "p", "r"], "target": ["h", "g", "g"], "mated": [True, True, False], "fold": [0, 1, 1]}
)


def test_pairs_from_a_matrix():
    scores = Scores.from_array(
        [[1.0, 2.0], [3.0, 4.0]], ["p", "r"], ["g", "h"], orientation="distance", name="m"
    )
    made = Trials.from_pairs(PAIRS, scores)
    assert made.frame["score"].to_list() == [4, 1, 3]
    assert made.frame["mated"].to_list() == [True, True, False]
    assert made.frame["fold"].to_list() == [0, 1, 1]
    assert (made.orientation, made.name) == ("distance", "m")


def test_pairs_from_embeddings():
    vectors = Embeddings(
        [[3.0, 4.0], [1.0, 0.0]],
        ["p", "r"],
        metric="l2",
        targets=[[0.0, 0.0], [1.0, 2.0]],
        target_ids=["g", "h"],
    )
    made = Trials.from_pairs(PAIRS, vectors)
    assert made.frame["score"].to_list() == [2, 5, 1]
    assert made.orientation == "distance"


def test_pairs_from_a_large_matrix_agree_with_plain_indexing():
    rng = np.random.default_rng(5)
    values = rng.normal(size=(40, 50))
    scores = Scores.from_array(
        values, [f"p{k}" for k in range(40)], [f"g{k}" for k in range(50)], orientation="similarity"
    )
    rows, columns = rng.integers(0, 40, 300), rng.integers(0, 50, 300)
    pairs = pl.DataFrame({"query": [f"p{k}" for k in rows], "target": [f"g{k}" for k in columns]})
    assert Trials.from_pairs(pairs, scores).frame["score"].to_list() == values[rows, columns].tolist()


def test_no_pairs_at_all():
    scores = Scores.from_array([[1.0]], ["p"], ["g"], orientation="distance")
    assert len(Trials.from_pairs(PAIRS.clear(), scores)) == 0


def test_pairs_that_the_scores_do_not_know():
    scores = Scores.from_array([[1.0]], ["p"], ["g"], orientation="distance", name="harbour")
    with pytest.raises(AlignmentError, match=r"1 id .* query ids of harbour: 'r'"):
        Trials.from_pairs(PAIRS, scores)


def test_failed_cells_are_failed_trials():
    cells = np.array([[0, 2], [0, 0]], dtype=np.uint8)
    scores = Scores.from_array(
        [[1.0, 2.0], [3.0, 4.0]], ["p", "r"], ["g", "h"], orientation="distance", cells=cells
    )
    made = Trials.from_pairs(pl.DataFrame({"query": ["p", "p"], "target": ["g", "h"]}), scores)
    assert made.frame["failed"].to_list() == [False, True]
    assert made.frame["score"].to_list() == [1, None]


def test_dont_care_cells_have_no_score():
    cells = np.array([[0, 1], [0, 0]], dtype=np.uint8)
    scores = Scores.from_array(
        [[1.0, 2.0], [3.0, 4.0]], ["p", "r"], ["g", "h"], orientation="distance", cells=cells
    )
    made = Trials.from_pairs(pl.DataFrame({"query": ["p", "p"], "target": ["g", "h"]}), scores)
    assert made.frame.filter(pl.col("target") == "h")["score"].drop_nulls().to_list() == []


def test_pairs_without_columns():
    scores = Scores.from_array([[1.0]], ["p"], ["g"], orientation="distance")
    with pytest.raises(ProbandError, match="target"):
        Trials.from_pairs(pl.DataFrame({"query": ["p"]}), scores)


# LFW


LFW = "2\t2\nAnn\t1\t2\nBo Derek\t1\t3\n".replace("Bo Derek", "Bo_Derek")
LFW += "Ann\t1\tBo_Derek\t2\nCy\t1\tAnn\t12\nAnn\t3\t4\nCy\t1\t2\nZoë\t1\tAnn\t1\nCy\t10000\tBo_Derek\t1\n"


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text,
        lambda text: text.replace("\t", "  "),
        lambda text: text.replace("\n", "\r\n"),
        str.strip,
    ],
    ids=["tabs", "blanks", "crlf", "no end"],
)
def test_lfw_pairs(tmp_path, change):
    path = tmp_path / "pairs.txt"
    path.write_bytes(change(LFW).encode())
    assert read_lfw_pairs(path).rows() == [
        ("Ann_0001", "Ann_0002", True, 0),
        ("Bo_Derek_0001", "Bo_Derek_0003", True, 0),
        ("Ann_0001", "Bo_Derek_0002", False, 0),
        ("Cy_0001", "Ann_0012", False, 0),
        ("Ann_0003", "Ann_0004", True, 1),
        ("Cy_0001", "Cy_0002", True, 1),
        ("Zoë_0001", "Ann_0001", False, 1),
        ("Cy_10000", "Bo_Derek_0001", False, 1),
    ]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "first line"),
        (b"ten 300\n", "first line"),
        (b"500\nAnn 1 2\n", "first line"),
        (b"1 1\nAnn 1 2\n", "claims 1 folds of 1 \\+ 1 pairs"),
        (b"1000000 1000000\nAnn 1 2\n", "claims"),
        (b"1 1\nAnn 1 2\nAnn one Bo 2\n", "line 3.*Ann one Bo 2"),
        (b"1 1\nAnn 1 2\nAnn 1 Bo 2 3\n", "line 3"),
        (b"1 1\nAnn 1 2\nAnn 1 -2\n", "line 3"),
        (b"1 1\n\nAnn 1 2\nAnn one Bo 2\n", "line 4"),
        (b"-1 -1\nAnn 1 2\nAnn 1 Bo 1\n", "first line"),
        (b"1 1\nAnn\xe9 1 2\nAnn 1 Bo 1\n", "utf-8"),
    ],
)
def test_broken_lfw_pairs(tmp_path, content, words):
    path = tmp_path / "pairs.txt"
    path.write_bytes(content)
    with pytest.raises(InputError, match=f"pairs.txt.*{words}"):
        read_lfw_pairs(path)


def test_lfw_pairs_that_are_not_there(tmp_path):
    for path in (tmp_path / "pairs.txt", tmp_path):
        with pytest.raises(InputError, match=path.name):
            read_lfw_pairs(path)


def test_coded_by_example() -> None:
    assert coded(pl.Series(["b", "a", None, "b"])).to_physical().to_list() == [0, 1, None, 0]


def test_together_by_example() -> None:
    one, other = together(pl.Series(["b", "a"]), pl.Series(["c", "b"]))
    assert (one.to_physical().to_list(), other.to_physical().to_list()) == ([0, 1], [2, 0])


def test_renamed_by_example() -> None:
    assert renamed(coded(pl.Series(["b", "a", "b"])), "model:").to_list() == ["model:b", "model:a", "model:b"]


def test_truths_by_example() -> None:
    assert truths(pl.Series(["1", "FALSE", "yes"])).to_list() == [True, False, None]
