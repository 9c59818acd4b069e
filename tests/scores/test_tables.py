"""CSV, TSV and Parquet, long and as a matrix."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp
from tests.examples import examples, some

from proband.errors import InputError, UsageError
from proband.samples import Samples
from proband.scores import Scores
from proband.scores.formats import format_of, read_file, write_scores
from proband.scores.reading import read_scores

ENDINGS = {
    "csv-long": (".csv", ".tsv"),
    "csv-matrix": (".csv", ".tsv"),
    "parquet-long": (".parquet",),
    "parquet-matrix": (".pq",),
    "arrow-long": (".arrow",),
    "arrow-matrix": (".feather",),
}
EVERY = [(name, ending) for name, endings in ENDINGS.items() for ending in endings]
# Tabs instead of commas change nothing else.
FIRST = [
    pytest.param(name, ending, marks=[pytest.mark.long] if ending == ".tsv" else []) for name, ending in EVERY
]


@pytest.fixture
def written(tmp_path):
    """Put text or bytes into a file with a given ending."""

    def write(content, ending=".csv"):
        path = tmp_path / f"harbour{ending}"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.fixture
def table(tmp_path):
    """Put columns into a Parquet file."""

    def write(**columns):
        path = tmp_path / "harbour.parquet"
        pl.DataFrame(columns).write_parquet(path)
        return path

    return write


def read(path, **options):
    return read_scores(path, orientation="similarity", **options)["harbour"]


# A matrix


@pytest.mark.parametrize(
    "text",
    [
        "id,g1,g2\np1,1,2.5\np2,-3,4e-3\n",
        "id,g1,g2\r\np1,1,2.5\r\np2,-3,4e-3\r\n",
        "id,g1,g2\np1,1,2.5\np2,-3,4e-3",
        ",g1,g2\np1,1,2.5\np2,-3,4e-3\n",
        "\ufeffid,g1,g2\np1,1,2.5\np2,-3,4e-3\n",
        '"id","g1","g2"\n"p1",1,2.5\n"p2",-3,4e-3\n',
        "id,g1,g2\np1, 1,2.5\np2,-3,+4e-3\n",
    ],
)
def test_matrix(written, text):
    scores = read(written(text))
    assert (scores.queries[:], scores.targets[:]) == (("p1", "p2"), ("g1", "g2"))
    assert scores.values.tolist() == [[1, 2.5], [-3, 0.004]]
    assert scores.name == "harbour"


def test_matrix_separated_by_tabs(written):
    scores = read(written("\tg,1\tg2\np1\t1\t2\n", ".tsv"))
    assert (scores.targets[:], scores.values.tolist()) == (("g,1", "g2"), [[1, 2]])


def test_ids_stay_text(written):
    scores = read(
        written('id,007,"a,b","say ""hi""",写真\n08,1,2,3,4\nnull,1,2,3,4\nNaN,1,2,3,4\n1e3,1,2,3,4\n')
    )
    assert scores.queries[:] == ("08", "null", "NaN", "1e3")
    assert scores.targets[:] == ("007", "a,b", 'say "hi"', "写真")


def test_a_blank_line_at_the_end(written):
    assert read(written("id,g1,g2\np1,1,2\n\n")).values.tolist() == [[1, 2]]


def test_ids_of_a_parquet_matrix(table):
    scores = read(table(id=[7, 8], g1=[1, 2], g2=[0.5, 0.25]))
    assert (scores.queries[:], scores.targets[:]) == (("7", "8"), ("g1", "g2"))
    assert scores.values.tolist() == [[1, 0.5], [2, 0.25]]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("id,g1,g2\np1,1,2\np2,1,2,3\n", "matrix"),
        ("id,g1,g2\np1,1,2\np2,1\n", "target 'g2' in row 2"),
        ("id,g1,g2\np1,1,\np2,1,2\n", "target 'g2' in row 1"),
        ("id,g1,g2\np1,1,2\np2,1,many\n", "many"),
        ("id,g1,g2\np1,1,nan\np2,1,2\n", "query 'p1' and target 'g2'"),
        ("id,g1,g2\np1,1,2\np2,-inf,2\n", "query 'p2' and target 'g1'"),
        ("id,g1,g2\np1,1,2\np2,1e999,2\n", "query 'p2' and target 'g1'"),
        ("id,g1,g2\n", "at least one"),
        ("id\np1\n", "at least one"),
        (b"id,g1\np\xe9,1\n", "utf-8"),
        ("", "is empty"),
        ("id,g1,g1\np1,1,2\n", "'g1'"),
        ("id,g1,g2\np1,1,2\np1,1,2\n", "'p1'"),
        ("id,g1,g2\np1,1,2\n,1,2\n", "id"),
        ("id,g1,\np1,1,2\n", "id"),
        (b"id,g\xe9\np1,1\n", "utf-8"),
        ('id,"g\n1",g2\np1,1,2\n', "line"),
    ],
)
def test_broken_matrices(written, refusal, text, words):
    assert words in refusal(written(text), orientation="similarity").lower()


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"id": ["p1"], "g1": ["many"]}, "many"),
        ({"id": ["p1"], "g1": [[1.0]]}, "numbers"),
        ({"id": ["p1"], "g1": [None]}, "target 'g1' in row 1"),
        ({"id": ["p1"], "g1": [float("nan")]}, "query 'p1' and target 'g1'"),
        ({"id": ["p1"], "g1": [float("inf")]}, "query 'p1' and target 'g1'"),
        ({"id": ["p1"]}, "at least one"),
        ({"id": [], "g1": []}, "at least one"),
        ({"id": ["p1", "p1"], "g1": [1.0, 2.0]}, "'p1'"),
        ({"id": ["p1", None], "g1": [1.0, 2.0]}, "id"),
    ],
)
def test_broken_parquet_matrices(table, refusal, columns, words):
    assert words in refusal(table(**columns), orientation="similarity")


# A list


@pytest.mark.parametrize(
    "text",
    [
        "query,target,score\np1,g1,1\np1,g2,2.5\n",
        "query,target,score\r\np1,g1,1\r\np1,g2,2.5\r\n",
        "query,target,score\np1,g1,1\np1,g2,2.5",
        "\ufeffquery,target,score\np1,g1,1\np1,g2,2.5\n",
        '"query","target","score"\n"p1","g1",1\n"p1","g2",2.5\n',
        "comment,score,query,more,target\n,1,p1,x,g1\nx y,2.5,p1,,g2\n",
        "score,target,query\r\n1,g1,p1\r\n2.5,g2,p1\r\n",
    ],
)
def test_list(written, text):
    path = written(text)
    assert format_of(path).name == "csv-long"
    scores = read(path)
    assert (scores.queries[:], scores.targets[:]) == (("p1",), ("g1", "g2"))
    assert scores.values.tolist() == [[1, 2.5]]
    assert scores.cell_codes is None


def test_list_with_all_that_we_know(written):
    path = written(
        "query,target,query_subject,target_subject,score,failed,fold\n"
        "p1,g1,007,007,0.5,false,1\n"
        "p1,g2,007,08,nan,true,2\n"
    )
    file = read_file(path)
    assert file.trials[0].frame.rows() == [
        ("p1", "g1", "007", "007", True, 0.5, False, 1),
        ("p1", "g2", "007", "08", False, None, True, 2),
    ]
    assert file.subjects.frame.select("id", "subject").rows() == [("p1", "007"), ("g1", "007"), ("g2", "08")]
    assert read(path).cell_codes.tolist() == [[0, 2]]


def test_a_failed_comparison_needs_no_score(written):
    scores = read(written("query,target,score,failed\np1,g1,,true\np1,g2,1,false\n"))
    assert scores.cell_codes.tolist() == [[2, 0]]


def test_mated_is_believed_where_it_is_given(written):
    path = written("query,target,score,mated\np1,g1,1,true\np1,g2,2,false\n")
    assert read_file(path).trials[0].frame["mated"].to_list() == [True, False]


def test_the_columns_of_bob(written):
    path = written(
        "probe_subject_id,probe_key,probe_age,bio_ref_subject_id,bio_ref_template_id,score\n"
        "1,s1/a,30,1,t1,0.5\n1,s1/a,30,2,t2,nan\n2,s2/a,40,1,t1,0.25\n2,s2/a,40,2,t2,1\n"
    )
    file = read_file(path)
    assert file.format == "csv-long"
    assert file.trials[0].frame.select("query", "target", "mated", "score", "failed").rows() == [
        ("s1/a", "t1", True, 0.5, False),
        ("s1/a", "t2", False, None, True),
        ("s2/a", "t1", False, 0.25, False),
        ("s2/a", "t2", True, 1.0, False),
    ]
    assert read(path).shape == (2, 2)


def test_the_columns_of_bob_without_a_probe_key(written, refusal):
    path = written("probe_subject_id,bio_ref_subject_id,score\n1,1,0.5\n1,2,0.25\n")
    assert read_file(path).trials[0].frame["mated"].to_list() == [True, False]
    assert "verification only" in refusal(path, orientation="similarity")


def test_ids_of_a_list_stay_text(written):
    path = written('query,target,score\n007,"a,b",1\n08,"say ""hi""",2\nnull,NA,3\n')
    trials = read_file(path).trials[0].frame
    assert trials["query"].to_list() == ["007", "08", "null"]
    assert trials["target"].to_list() == ["a,b", 'say "hi"', "NA"]


def test_a_blank_line_at_the_end_of_a_list(written):
    assert len(read_file(written("query,target,score\np1,g1,1\n\n")).trials[0]) == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("query,target,score\np1,g1,1\np1,g2,many\n", "harbour.csv, line 3"),
        ("query,target,score\np1,g1,1\np1,g2,2,3\n", "harbour.csv, line 3"),
        ("query,target,score\np1,g1,1\np1,g2\n", "harbour.csv, line 3"),
        ("query,target,score\np1,g1,1\n,g2,2\n", "harbour.csv, line 3"),
        ("query,target,score\np1,g1,1\np1,g2,\n", "harbour.csv, line 3"),
        ("query,target,score\n\n\np1,g1,1\np1,g2,many\n", "harbour.csv"),
        ("query,target,score\np1,g1,inf\n", "query 'p1' and target 'g1'"),
        ("query,target,score\np1,g1,1\np1,g2,2\np1,g1,3\n", "query 'p1' and target 'g1'"),
        ("query,target,score\n", "no rows"),
        ("query,target,score,score\np1,g1,1,2\n", "harbour.csv"),
        ("query,target,score,mated\np1,g1,1,perhaps\n", "perhaps"),
        ("query,target,score,fold\np1,g1,1,first\n", "first"),
        (b"query,target,score\np\xe9,g1,1\n", "utf-8"),
        (b"query,target,score,\xe9\np1,g1,1,2\n", "utf-8"),
        (
            'query,target,score\n"p,1",g1,1\np1,g2,many\n',
            "line 3",
        ),
    ],
)
def test_broken_lists(written, refusal, text, words):
    assert words in refusal(written(text), orientation="similarity").lower()


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"score": [float("inf")]}, "query 'p1' and target 'g1'"),
        ({"query": [None]}, "query"),
        ({"score": ["many"]}, "score"),
        ({"score": [[1.0]]}, "score"),
        ({"mated": ["perhaps"]}, "harbour"),
        ({"fold": ["first"]}, "fold"),
    ],
)
def test_broken_parquet_lists(table, refusal, columns, words):
    whole = {"query": ["p1"], "target": ["g1"], "score": [1.0]} | columns
    assert words in refusal(table(**whole), orientation="similarity")


def test_numbers_of_any_type_in_a_parquet_list(table):
    path = table(query=[1, 2], target=[7, 7], score=pl.Series([0.1, None], dtype=pl.Float32))
    scores = read(path)
    assert (scores.queries[:], scores.targets[:]) == (("1", "2"), ("7",))
    assert scores.values[0, 0] == np.float32(0.1)
    assert scores.cell_codes.tolist() == [[0], [2]]


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_a_table_that_is_no_list_though_told_so(tmp_path, refusal, ending):
    path = tmp_path / f"harbour{ending}"
    frame = pl.DataFrame({"id": ["p1"], "g1": [1.0]})
    (frame.write_csv if ending == ".csv" else frame.write_parquet)(path)
    assert "score" in refusal(path, orientation="similarity", format=f"{ending[1:]}-long")


# Parquet that is broken


def corrupted(path):
    content = bytearray(path.read_bytes())
    content[4:60] = b"\xff" * 56
    return bytes(content)


@pytest.mark.parametrize(
    "change",
    [
        lambda path: path.read_bytes()[:-20],
        lambda path: path.read_bytes()[:40],
        lambda path: b"PAR1" + bytes(100) + b"PAR1",
        lambda path: b"query,target,score\np1,g1,1\n",
        corrupted,
    ],
    ids=["no end", "half", "zeros", "text", "pages"],
)
@pytest.mark.parametrize("layout", ["long", "matrix"])
def test_broken_parquet(table, refusal, change, layout):
    numbers = np.random.default_rng(0).normal(size=50)
    names = [f"g{k}" for k in range(50)]
    path = (
        table(query=["p"] * 50, target=names, score=numbers)
        if layout == "long"
        else table(id=names, g=numbers)
    )
    path.write_bytes(change(path))
    refusal(path, orientation="similarity")


# Round trips


ODD = [
    "a,b",
    'say "hi"',
    "tab\there",
    " led",
    "trailed ",
    "007",
    "Zoë",
    "写真",
    "null",
    "#1",
    "c\rr",
    "it's",
    "é,\"'",
]


def there_and_back(name, ending, scores, samples=None):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"harbour{ending}")
        assert write_scores(path, scores, samples=samples, format=name) == name
        assert format_of(path).name == name
        return read_scores(path, orientation=scores.orientation)["harbour"], read_file(path)


@pytest.mark.parametrize(("name", "ending"), EVERY)
def test_values_and_ids_come_back(name, ending, small):
    scores, _ = small
    again, _ = there_and_back(name, ending, scores)
    assert (again.queries, again.targets) == (scores.queries, scores.targets)
    assert again.values.tobytes() == scores.values.tobytes()


@pytest.mark.parametrize("odd", some(ODD, 2))
@pytest.mark.parametrize(("name", "ending"), FIRST)
def test_odd_ids_come_back(name, ending, odd):
    scores = Scores.from_array([[1.0, 2.0], [3.0, 4.0]], [odd, "p"], ["g", odd], orientation="distance")
    again, _ = there_and_back(name, ending, scores)
    assert (again.queries, again.targets) == (scores.queries, scores.targets)
    assert again.values.tolist() == scores.values.tolist()


@pytest.mark.parametrize("odd", ["query", "query id", "target", "score", "id"])
@pytest.mark.parametrize(("name", "ending"), FIRST)
def test_ids_that_are_names_of_columns(name, ending, odd):
    scores = Scores.from_array([[1.0, 2.0]], ["p"], ["g", odd], orientation="distance")
    again, _ = there_and_back(name, ending, scores)
    assert again.targets == scores.targets


@pytest.mark.parametrize(("name", "ending"), EVERY)
def test_ids_with_line_breaks(name, ending, tmp_path):
    scores = Scores.from_array([[1.0, 2.0]], ["p\n1"], ["g", "g\n1"], orientation="distance")
    path = tmp_path / f"harbour{ending}"
    try:
        write_scores(path, scores, samples=None, format=name)
    except InputError:
        return  # a format may refuse to hold them
    again = read_scores(path, orientation="distance")["harbour"]
    assert (again.queries, again.targets) == (scores.queries, scores.targets)


values = hnp.arrays(
    np.float64,
    hnp.array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=5),
    elements={"allow_nan": False, "allow_infinity": False},
)
words = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1)


@examples(25)
@given(values=values, data=st.data())
@pytest.mark.parametrize(
    ("name", "ending"), some([pair for pair in EVERY if pair != ("csv-long", ".tsv")], 2)
)
def test_made_up_matrices_come_back(name, ending, values, data):
    n_rows, n_columns = values.shape
    queries = data.draw(st.lists(words, min_size=n_rows, max_size=n_rows, unique=True))
    targets = data.draw(st.lists(words, min_size=n_columns, max_size=n_columns, unique=True))
    again, _ = there_and_back(
        name, ending, Scores.from_array(values, queries, targets, orientation="distance")
    )
    assert (list(again.queries), list(again.targets)) == (queries, targets)
    assert again.values.tobytes() == values.tobytes()


@pytest.mark.parametrize(("name", "ending"), EVERY)
def test_single_precision_comes_back(name, ending):
    values = np.array([[0.1, 1 / 3, 1e-40, 3e38]], dtype=np.float32)
    scores = Scores.from_array(values, ["p"], ["a", "b", "c", "d"], orientation="distance")
    again, _ = there_and_back(name, ending, scores)
    assert again.values.astype(np.float32).tobytes() == values.tobytes()


@pytest.mark.parametrize(
    ("name", "ending"), [("csv-long", ".csv"), ("csv-long", ".tsv"), ("parquet-long", ".pq")]
)
def test_subjects_come_back_with_a_list(name, ending, small):
    scores, samples = small
    _, file = there_and_back(name, ending, scores, samples)
    assert sorted(file.subjects.frame.select("id", "subject").rows()) == sorted(
        samples.frame.select("id", "subject").rows()
    )


def with_cells(small, codes):
    scores, samples = small
    cells = np.array(codes, dtype=np.uint8)
    made = Scores.from_array(
        scores.values, scores.queries, scores.targets, orientation="distance", cells=cells
    )
    return made, samples


@pytest.mark.parametrize("samples", [True, False])
@pytest.mark.parametrize(
    ("name", "ending"), [("csv-long", ".csv"), ("csv-long", ".tsv"), ("parquet-long", ".pq")]
)
def test_dont_care_cells_come_back_with_a_list(name, ending, samples, small):
    scores, table = with_cells(small, [[0, 1], [0, 0], [1, 0]])
    again, _ = there_and_back(name, ending, scores, table if samples else None)
    assert again.cell_codes.tolist() == scores.cell_codes.tolist()
    assert "2 of 6 pairs were not compared and are not counted" in map(str, again.notes)


@pytest.mark.parametrize(
    ("name", "ending"), [("csv-long", ".csv"), ("csv-long", ".tsv"), ("parquet-long", ".pq")]
)
def test_failed_cells_come_back_with_a_list(name, ending, small):
    scores, table = with_cells(small, [[0, 1], [2, 0], [0, 0]])
    again, _ = there_and_back(name, ending, scores, table)
    assert again.cell_codes.tolist() == scores.cell_codes.tolist()
    assert again.values[scores.cell_codes == 0].tolist() == scores.values[scores.cell_codes == 0].tolist()


@pytest.mark.parametrize(("name", "ending"), [("csv-matrix", ".csv"), ("parquet-matrix", ".pq")])
def test_a_matrix_has_no_place_for_cells(name, ending, small, tmp_path):
    scores, table = with_cells(small, [[0, 1], [0, 0], [0, 0]])
    with pytest.raises(InputError, match=r"harbour.*cannot store"):
        write_scores(tmp_path / f"harbour{ending}", scores, samples=table, format=name)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["csv-long", "parquet-long"])
def test_an_unknown_sample_is_refused_and_nothing_is_written(name, small, tmp_path):
    scores, _ = small
    with pytest.raises(InputError, match="q1"):
        write_scores(
            tmp_path / "harbour.csv",
            scores,
            samples=Samples({"id": ["t1", "t2"], "subject": [1, 2]}),
            format=name,
        )
    assert not list(tmp_path.iterdir())


def test_written_text(tmp_path, small):
    scores = Scores.from_array([[0.1, 2.0]], ["p,1"], ["g", "h"], orientation="distance")
    samples = Samples({"id": ["p,1", "g", "h"], "subject": ["s", "s", "t"]})
    write_scores(tmp_path / "long.csv", scores, samples=samples, format="csv-long")
    assert (tmp_path / "long.csv").read_text(encoding="utf-8").splitlines() == [
        "query,target,score,query_subject,target_subject",
        '"p,1",g,0.1,s,s',
        '"p,1",h,2.0,s,t',
    ]
    write_scores(tmp_path / "matrix.csv", scores, samples=samples)
    assert (tmp_path / "matrix.csv").read_text(encoding="utf-8").splitlines() == [
        "query,g,h",
        '"p,1",0.1,2.0',
    ]


def test_a_narrow_matrix_that_looks_like_pairs_is_read_where_its_format_is_named(tmp_path):
    path = tmp_path / "narrow.csv"
    rows = [f"p{k},{k % 2},0.{k:02}5" for k in range(30)]
    path.write_text("\n".join(["id,g1,g2", *rows]) + "\n", encoding="utf-8")
    with pytest.raises(UsageError, match="specify the format if it is a matrix"):
        read_file(path)
    assert read_file(path, format="csv-matrix").matrices
