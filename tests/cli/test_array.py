from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
import typer

from proband.arrays import orthogonal_array
from proband.cli.data.array import array
from proband.errors import ProbandError

program = typer.Typer(pretty_exceptions_enable=False)
program.command()(array)


@dataclass(frozen=True)
class Done:
    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def made(capsys: pytest.CaptureFixture[str]):
    def run(*words: object) -> Done:
        try:
            code = program([str(word) for word in words], standalone_mode=False)
        except ProbandError as error:
            return Done(error.exit_code, "", str(error))
        said = capsys.readouterr()
        return Done(code or 0, said.out, said.err)

    return run


def test_prints_rows_and_talks_on_stderr(made):
    done = made(3, 4)
    assert done.returncode == 0
    assert done.stdout.split() == ["0000", "1012", "2021", "0111", "1120", "2102", "0222", "1201", "2210"]
    assert done.stderr == "9 × 4 array of 3 symbols: Rao–Hamming over GF(3)\n"


def test_prints_many_symbols_with_spaces(made):
    rows = np.array([line.split(" ") for line in made(13, 3).stdout.splitlines()], dtype=int)
    assert np.array_equal(rows, orthogonal_array(13, 3).rows)


@pytest.mark.parametrize("name", ["a.npy", "a.csv", "a.CSV"])
def test_saves(made, tmp_path, name):
    done = made(3, 256, "-o", tmp_path / name)
    assert done.stdout == ""
    assert "729 × 256 array of 3 symbols" in done.stderr
    assert f"wrote {tmp_path / name}" in done.stderr
    saved = np.load(tmp_path / name) if name == "a.npy" else np.loadtxt(tmp_path / name, delimiter=",")
    assert np.array_equal(saved, orthogonal_array(3, 256).rows)


def test_proves_balance(made):
    done = made(3, 256, "--check")
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) == 729
    assert "Balanced: each of 3 symbols occurs 243 times in every column" in done.stderr
    assert "81 times in each of 32,640 pairs of columns" in done.stderr


def test_the_rule_of_2001_is_warned_of_and_found_out(made):
    done = made(3, 26, "--rule", "strat-2001")
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) == 27
    assert "warning: 13 pairs of the 26 columns" in done.stderr
    done = made(3, 26, "--rule", "strat-2001", "--check")
    assert done.returncode == 3
    assert "Not balanced" in done.stderr
    assert "13 of 325 pairs of columns (0 and 13, 1 and 14, 2 and 15, …)" in done.stderr


def test_fewest_rows(made):
    done = made(2, 9, "--fewest", "--check")
    assert len(done.stdout.splitlines()) == 12
    assert "Paley" in done.stderr
    assert done.returncode == 0


def test_a_huge_array_is_not_printed(made, tmp_path):
    done = made(2, 1_500)
    assert (done.returncode, done.stdout) == (2, "")
    assert "2,048 × 1,500 symbols are too many to print" in done.stderr
    assert "-o FILE.npy" in done.stderr
    done = made(2, 1_500, "--check")
    assert done.stdout == ""
    assert "Balanced" in done.stderr
    done = made(2, 1_500, "-o", tmp_path / "a.npy")
    assert "too many" not in done.stderr
    assert np.load(tmp_path / "a.npy").shape == (2048, 1500)
    assert "too many" in made(2, 10**9).stderr  # and is not made either


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((6, 10), "jackknife"),
        ((3, 0), "at least one column"),
        ((4, 9, "--rule", "strat-2001"), "prime"),
        ((3, 4, "-o", "array.txt"), ".npy or .csv"),
        ((2, 10**9, "--check"), "too large"),
    ],
)
def test_wrong_requests_exit_2(made, words, told):
    done = made(*words)
    assert done.returncode == 2
    assert told in done.stderr


def test_a_missing_directory_exits_1(made, tmp_path):
    done = made(3, 4, "-o", tmp_path / "no" / "a.npy")
    assert (done.returncode, "does not exist" in done.stderr) == (1, True)
