from __future__ import annotations

import hashlib
import os
import re
import socket
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from proband.blind.checking.submission import Submission
from proband.errors import InputError

FORM = 'algorithm = "pca"\norientation = "similarity"\n'


@pytest.fixture
def hand_in(tmp_path: Path) -> Callable[..., Path]:
    """A submission of a 3 × 2 matrix with the given declaration and files."""

    def build(form: str = FORM, **files: np.ndarray) -> Path:
        (tmp_path / "submission.toml").write_text(form)
        for name, matrix in (files or {"scores": np.arange(6.0).reshape(3, 2)}).items():
            np.save(tmp_path / f"{name}.npy", matrix)
        return tmp_path

    return build


def test_all_that_is_stated_is_read(hand_in: Callable[..., Path]) -> None:
    path = hand_in(FORM + 'symmetric = true\ntraining = ["a", "sha256:0f"]\nfailed = ["x"]\ncontact = "me"\n')
    found = Submission.read(path)
    assert found.declared.algorithm == "pca"
    assert found.declared.symmetric == "yes"
    assert found.declared.training == ("a", "sha256:0f")
    assert (found.declared.failed, found.declared.contact) == (("x",), "me")
    assert found.scores.shape == (3, 2)
    assert isinstance(found.scores.values, np.memmap)
    assert found.control is None
    assert found.digests["scores.npy"] == hashlib.sha256((path / "scores.npy").read_bytes()).hexdigest()
    assert repr(found) == "Submission('pca': 3 × 2, similarity)"


def test_nothing_stated_is_not_nothing_trained_on(hand_in: Callable[..., Path]) -> None:
    assert Submission.read(hand_in()).declared.training is None
    assert Submission.read(hand_in(FORM + "training = []\n")).declared.training == ()


def test_a_list_may_be_a_file(hand_in: Callable[..., Path], tmp_path: Path) -> None:
    (tmp_path / "ids.txt").write_text("one\n\n two \n")
    assert Submission.read(hand_in(FORM + 'training = "ids.txt"\n')).declared.training == ("one", "two")


@pytest.mark.parametrize(
    ("form", "words"),
    [
        (
            'algorithm = "a"\norientaton = "distance"\n',
            "'orientaton'.*did you mean 'orientation'",
        ),
        ('algorithm = "a"\nzebra = 1\n', "available: 'algorithm', 'orientation'"),
        ('orientation = "distance"\n', "does not name the algorithm"),
        ('algorithm = 3\norientation = "distance"\n', "algorithm is 3.*quotation marks"),
        ('algorithm = "a"\n', "orientation of the scores is not stated"),
        (
            'algorithm = "a"\norientation = "both"\n',
            "orientation of the scores is 'both'",
        ),
        ('algorithm = "a"\norientation = 3\n', "orientation of the scores is 3"),
        ('algorithm = "a"\norientation = ["distance"]\n', "orientation of the scores is"),
        ('algorithm = "a\\nb"\norientation = "distance"\n', "one line of plain text"),
        (FORM + "symmetric = 1\n", "symmetric is 1"),
        (FORM + 'symmetric = "maybe"\n', "symmetric is 'maybe'.*true, false or \"unstated\""),
        (FORM + "training = 7\n", "training is 7"),
        (FORM + 'training = "none.txt"\n', "names the file 'none.txt', which is not in the submission"),
        (FORM + 'training = "../elsewhere.txt"\n', "is not in the submission"),
        ("algorithm = \n", "cannot be read as the declaration"),
    ],
)
def test_a_bad_declaration_is_refused(
    hand_in: Callable[..., Path], tmp_path: Path, form: str, words: str
) -> None:
    with pytest.raises(InputError) as refused:
        Submission.read(hand_in(form))
    assert refused.value.message.startswith(str(tmp_path))
    assert re.search(words, str(refused.value), re.DOTALL), str(refused.value)


def test_what_is_missing_or_twice_is_named(hand_in: Callable[..., Path], tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not a directory"):
        Submission.read(tmp_path / "nowhere")
    with pytest.raises(InputError, match=r"it has no submission\.toml"):
        Submission.read(tmp_path)
    path = hand_in()
    (path / "scores.csv").write_text("id,a\n")
    with pytest.raises(InputError, match=r"both scores\.csv and scores\.npy"):
        Submission.read(path)
    (path / "scores.csv").unlink()
    (path / "scores.npy").unlink()
    with pytest.raises(InputError, match="contains no scores"):
        Submission.read(path)


def test_no_matrix_of_numbers(hand_in: Callable[..., Path], tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not a matrix"):
        Submission.read(hand_in(scores=np.arange(4.0)))
    (tmp_path / "scores.npy").unlink()
    np.savez(tmp_path / "scores.npz", one=np.eye(2), two=np.eye(2))
    with pytest.raises(InputError, match="contains 2 matrices"):
        Submission.read(tmp_path)


def test_pairs_cannot_be_left_out(hand_in: Callable[..., Path], tmp_path: Path) -> None:
    path = hand_in()
    (path / "scores.npy").unlink()
    cells = np.zeros((3, 2), dtype=np.uint8)
    cells[1, 1] = 1
    np.savez(tmp_path / "scores.npz", one=np.ones((3, 2)), cells=cells)
    with pytest.raises(InputError, match="1 pair has no score; the first is query 1 and target 1"):
        Submission.read(path)


def test_a_file_may_not_contradict_the_declaration(hand_in: Callable[..., Path], tmp_path: Path) -> None:
    path = hand_in()
    (path / "scores.npy").unlink()
    np.savez(tmp_path / "scores.npz", one=np.eye(2), orientation=np.array("distance"))
    with pytest.raises(
        InputError, match="states that its scores are a distance, but the declaration states similarity"
    ):
        Submission.read(path)


@pytest.mark.parametrize("name", ["scores.zebra", "scores.npz", "scores.mtx"])
def test_what_cannot_be_read_is_refused_without_options_of_other_commands(
    hand_in: Callable[..., Path], name: str
) -> None:
    path = hand_in()
    (path / "scores.npy").unlink()
    (path / name).write_bytes(b"M2\nnothing")
    with pytest.raises(InputError) as refused:
        Submission.read(path)
    assert "--" not in str(refused.value)


def leads_elsewhere(folder: Path, how: str) -> None:
    """Put something into a submission that is none of its own files."""
    other = folder.parent / "other"
    other.mkdir()
    np.save(other / "scores.npy", np.ones((3, 2)))
    (other / "key").write_text("secret")
    scores = folder / "scores.npy"
    match how:
        case "scores":
            scores.unlink()
            scores.symlink_to(other / "scores.npy")
        case "declaration":
            (folder / "submission.toml").rename(other / "submission.toml")
            (folder / "submission.toml").symlink_to(other / "submission.toml")
        case "side-car":
            (folder / "scores.npy.json").symlink_to(other / "key")
        case "list":
            (folder / "ids.txt").symlink_to(folder / "submission.toml")
        case "directory":
            scores.unlink()
            (folder / "scores").symlink_to(other, target_is_directory=True)
        case "within a directory":
            (folder / "notes").mkdir()
            (folder / "notes" / "mine").symlink_to(other)
        case "to nothing":
            (folder / "notes").symlink_to("absent")
        case "loop":
            (folder / "notes").symlink_to("notes")
        case "pipe":
            os.mkfifo(folder / "notes")
        case "socket":
            with socket.socket(socket.AF_UNIX) as bound:
                here = Path.cwd()
                os.chdir(folder)  # names of sockets are short
                bound.bind("notes")
                os.chdir(here)


WAYS = (
    "scores",
    "declaration",
    "side-car",
    "list",
    "directory",
    "within a directory",
    "to nothing",
    "loop",
    "pipe",
    "socket",
)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes")
@pytest.mark.parametrize("how", WAYS)
def test_nothing_but_the_submission_is_read(tmp_path: Path, how: str) -> None:
    folder = tmp_path / "answers"
    folder.mkdir()
    (folder / "submission.toml").write_text(FORM + ('training = "ids.txt"\n' if how == "list" else ""))
    np.save(folder / "scores.npy", np.arange(6.0).reshape(3, 2))
    leads_elsewhere(folder, how)
    with pytest.raises(InputError, match=r"is a (link|pipe|socket)"):
        Submission.read(folder)


def test_a_submission_is_no_link_itself(hand_in: Callable[..., Path], tmp_path: Path) -> None:
    hand_in()
    linked = tmp_path.parent / f"{tmp_path.name}-link"
    linked.symlink_to(tmp_path)
    with pytest.raises(InputError, match="is a link"):
        Submission.read(linked)
    assert Submission.read(tmp_path).scores.shape == (3, 2)
