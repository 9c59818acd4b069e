"""bob's score lists of four and five columns."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tests.examples import examples

from proband.errors import InputError
from proband.samples import Samples
from proband.scores import Scores
from proband.scores.formats import format_of, read_file, write_scores
from proband.scores.reading import read_scores

FIVE = "ann m1 ann p1 1.5\nbo m2 ann p1 -0.25\nann m1 bo p2 1e-3\nbo m2 bo p2 nan\n"
FOUR = "ann ann p1 1.5\nbo ann p1 -0.25\nann bo p2 1e-3\nbo bo p2 nan\n"


@pytest.fixture
def written(tmp_path):
    def write(content, name="harbour.txt"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


# What is read


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text,
        lambda text: text.replace(" ", "\t"),
        lambda text: text.replace(" ", "  \t "),
        lambda text: text.replace("\n", "  \n"),
        lambda text: "".join(f"   {line}\n" for line in text.splitlines()),
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.rstrip("\n"),
        lambda text: text.replace("\n", "\r\n").rstrip(),
        lambda text: text.replace("nan", "NaN"),
        lambda text: text.replace("nan", "-nan"),
        lambda text: "\ufeff" + text,
        lambda text: text.replace("\n", " \r\n"),
        lambda text: text + "\n",
        lambda text: text + "\n  \n",
        lambda text: text.replace("\n", "\n\n"),
    ],
    ids=[
        "plain", "tabs", "blanks", "after", "before", "crlf", "no end", "crlf, no end", "NaN", "-nan", "mark",
        "blank, crlf", "blank line", "blank lines", "double spaced",
    ],
)  # fmt: skip
@pytest.mark.parametrize("text", [FIVE, FOUR], ids=["five", "four"])
def test_white_space_does_not_matter(written, change, text):
    path = written(change(text))
    file = read_file(path)
    models = ["m1", "m2"] if text is FIVE else ["ann", "bo"]
    assert file.format == ("bob5" if text is FIVE else "bob4")
    assert file.trials[0].frame.rows() == [
        ("p1", models[0], "ann", "ann", True, 1.5, False, None),
        ("p1", models[1], "ann", "bo", False, -0.25, False, None),
        ("p2", models[0], "bo", "ann", False, 0.001, False, None),
        ("p2", models[1], "bo", "bo", True, None, True, None),
    ]
    assert file.orientation is None


@pytest.mark.parametrize("text", [FIVE, FOUR], ids=["five", "four"])
def test_as_a_matrix(written, text):
    scores = read_scores(written(text), orientation="similarity")["harbour"]
    assert scores.queries[:] == ("p1", "p2")
    assert scores.values.tolist() == [[1.5, -0.25], [0.001, 0]]
    assert scores.cell_codes.tolist() == [[0, 0], [0, 2]]
    assert tuple(map(str, scores.notes)) == ("1 comparison failed",)


def test_the_list_itself_tells_who_is_who(written):
    subjects = read_file(written(FIVE)).subjects
    assert subjects.frame.select("id", "subject").rows() == [
        ("p1", "ann"),
        ("p2", "bo"),
        ("m1", "ann"),
        ("m2", "bo"),
    ]


def test_a_single_line(written):
    assert read_file(written("ann m1 ann p1 1.5")).trials[0].frame["score"].to_list() == [1.5]


def test_names_are_text(written):
    trials = read_file(written('007 08 Zoë "写真" 1\n')).trials[0].frame
    assert trials.select("target_subject", "target", "query_subject", "query").row(0) == (
        "007",
        "08",
        "Zoë",
        '"写真"',
    )


def test_models_that_share_labels_with_probes(written):
    file = read_file(written("ann s1 ann s1 1\nbo s2 ann s1 2\n"))
    assert file.trials[0].frame["target"].to_list() == ["model:s1", "model:s2"]
    assert any("model:" in str(note) for note in file.notes)
    assert file.subjects.frame["id"].to_list() == ["s1", "model:s1", "model:s2"]


@pytest.mark.parametrize("text", ["ann ann x 1\nann ann x 2\nbo ann x 3\n", "ann ann x 1\nann bo x 2\n"])
def test_labels_that_do_not_tell_probes_apart(written, refusal, text):
    path = written(text)
    file = read_file(path)
    assert file.trials[0].frame["query"].null_count() == len(file.trials[0])
    assert file.subjects is None
    assert any("cannot be distinguished" in str(note) for note in file.notes)
    assert "verification only" in refusal(path, orientation="similarity")


def test_a_list_with_gaps(written):
    scores = read_scores(written(FIVE.replace("ann m1 bo p2 1e-3\n", "")), orientation="similarity")[
        "harbour"
    ]
    assert scores.cell_codes.tolist() == [[0, 0], [1, 2]]
    assert "1 of 4 pairs was not compared and is not counted" in map(str, scores.notes)


def test_four_columns_are_not_five(written):
    assert format_of(written(FOUR)).name == "bob4"
    assert format_of(written(FIVE)).name == "bob5"
    assert format_of(written(FIVE, "no_ending")).name == "bob5"


# What is refused


LONG = FIVE * 3  # the first lines are looked at to recognise the format


@pytest.mark.parametrize(
    ("last", "words"),
    [
        ("bo m2 cy p3 many\n", "line 13: 'bo m2 cy p3 many'"),
        ("bo m2 cy p3 1 2\n", "line 13: 'bo m2 cy p3 1 2'"),
        ("bo m2 cy p3\n", "line 13"),
        ("bo\n", "line 13"),
        ("bo m2 cy p\xe9 1\n".encode("latin-1"), "UTF-8"),
    ],
)
def test_a_bad_line_far_down(written, refusal, last, words):
    last = last if isinstance(last, bytes) else last.encode()
    message = refusal(written(LONG.encode() + last), orientation="similarity")
    assert words in message
    assert "harbour.txt" in message


@pytest.mark.parametrize("bad", ["many", "1 2", ""])
def test_a_bad_line_when_the_format_is_named(written, refusal, bad):
    path = written(FIVE + f"bo m2 cy p3 {bad}\n")
    assert "harbour.txt, line 5" in refusal(path, orientation="similarity", format="bob5")


@pytest.mark.parametrize("score", ["inf", "-inf", "1e999"])
def test_infinite_scores(written, refusal, score):
    message = refusal(written(f"ann m1 ann p1 1\nbo m2 ann p1 {score}\n"), orientation="similarity")
    assert "query 'p1' and target 'm2'" in message


def test_one_model_of_two_people(written, refusal):
    assert "'m1'" in refusal(written("ann m1 ann p1 1\nbo m1 bo p2 2\n"), orientation="similarity")


@pytest.mark.parametrize(
    "content",
    [b"", b"\n\n", b"  ", b"one two three\n", b"a b c d e f\n", b"a b c d\n", b"\0" * 50, b"\xff\xfe" * 50],
)
def test_what_is_no_list(written, refusal, content):
    refusal(written(content), orientation="similarity")


def test_lines_without_end(written, refusal, frugally):
    path = written(b"ann m1 ann p1 " + b"1" * 20_000_000)
    with frugally(megabytes=120):
        refusal(path, orientation="similarity", format="bob5")


def test_the_orientation_must_be_declared(written):
    with pytest.raises(Exception, match="does not guess it"):
        read_scores(written(FIVE))


# Round trips


names = st.text(st.characters(exclude_categories=["Cs", "Z", "Cc"], exclude_characters="\ufeff"), min_size=1)
floats = st.floats(allow_nan=False, allow_infinity=False)


@examples(40)
@given(data=st.data())
@pytest.mark.parametrize("name", ["bob5", "bob4"])
def test_round_trip(name, data):
    n_rows, n_columns = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 4))
    ids = data.draw(st.lists(names, min_size=n_rows + n_columns, max_size=n_rows + n_columns, unique=True))
    people = data.draw(st.lists(names, min_size=n_columns, max_size=n_columns, unique=True))
    owners = data.draw(st.lists(st.sampled_from(people), min_size=n_rows, max_size=n_rows))
    values = data.draw(st.lists(floats, min_size=n_rows * n_columns, max_size=n_rows * n_columns))
    queries, targets = ids[:n_rows], ids[n_rows:]
    scores = Scores.from_array(
        np.reshape(values, (n_rows, n_columns)), queries, targets, orientation="distance"
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "list.txt")
        write_scores(path, scores, samples=Samples({"id": ids, "subject": owners + people}), format=name)
        again = read_scores(path, orientation="distance", format=name)["list"]
        subject_of = dict(read_file(path, format=name).subjects.frame.select("id", "subject").rows())
    assert list(again.queries) == queries
    assert again.values.tobytes() == scores.values.tobytes()
    assert [subject_of[query] for query in again.queries] == owners
    assert [subject_of[target] for target in again.targets] == people
    if name == "bob5":
        assert [target.removeprefix("model:") for target in again.targets] == [
            target.removeprefix("model:") for target in targets
        ]


@pytest.mark.parametrize(("name", "targets"), [("bob5", ("t1", "t2")), ("bob4", ("a", "b"))])
def test_cells_come_back(tmp_path, small, name, targets):
    scores, samples = small
    cells = np.array([[0, 1], [2, 0], [0, 0]], dtype=np.uint8)
    path = tmp_path / "list.txt"
    made = Scores.from_array(
        scores.values, scores.queries, scores.targets, orientation="distance", cells=cells
    )
    write_scores(path, made, samples=samples, format=name)
    assert path.read_text(encoding="utf-8").count("nan") == 1
    again = read_scores(path, orientation="distance")["list"]
    assert (again.queries, again.targets[:]) == (scores.queries, targets)
    assert again.cell_codes.tolist() == cells.tolist()
    assert again.values[cells == 0].tolist() == scores.values[cells == 0].tolist()


def test_written_text(tmp_path):
    scores = Scores.from_array([[0.5, -1e-5]], ["p"], ["model:m", "n"], orientation="similarity")
    samples = Samples({"id": ["p", "model:m", "n"], "subject": ["ann", "ann", "bo"]})
    write_scores(tmp_path / "five", scores, samples=samples, format="bob5")
    assert (tmp_path / "five").read_text(encoding="utf-8") == "ann m ann p 0.5\nbo n ann p -1e-05\n"
    write_scores(tmp_path / "four", scores, samples=samples, format="bob4")
    assert (tmp_path / "four").read_text(encoding="utf-8") == "ann ann p 0.5\nbo ann p -1e-05\n"


@pytest.mark.parametrize("name", ["bob5", "bob4"])
def test_subjects_are_needed(tmp_path, small, name):
    with pytest.raises(InputError, match=f"{name}.*samples table"):
        write_scores(tmp_path / "list", small[0], samples=None, format=name)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("odd", ["a b", "tab\there", " a", "line\nbreak", "no\u00a0break"])
@pytest.mark.parametrize("where", ["query", "target", "subject"])
def test_names_with_blanks_are_refused(tmp_path, odd, where):
    ids = {"query": [odd, "t"], "target": ["q", odd], "subject": ["q", "t"]}[where]
    samples = Samples({"id": ids, "subject": [odd if where == "subject" else "s", "t"]})
    scores = Scores.from_array([[1.0]], ids[:1], ids[1:], orientation="distance")
    with pytest.raises(InputError, match="blanks"):
        write_scores(tmp_path / "list", scores, samples=samples, format="bob5")
    assert not list(tmp_path.iterdir())


def test_four_columns_cannot_tell_two_models_of_a_subject_apart(tmp_path):
    scores = Scores.from_array([[1.0, 2.0]], ["q"], ["t", "u"], orientation="distance")
    samples = Samples({"id": ["q", "t", "u"], "subject": ["s", "s", "s"]})
    with pytest.raises(InputError, match="bob5"):
        write_scores(tmp_path / "list", scores, samples=samples, format="bob4")
    assert not list(tmp_path.iterdir())
