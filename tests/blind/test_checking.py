from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from proband.blind import Key, Package, hashed
from proband.blind.checking.checked import Checked
from proband.blind.checking.checking import check
from proband.blind.checking.submission import Submission
from proband.errors import InputError, ProbandError, UsageError

Make = Callable[..., tuple[Package, Key]]
Answer = Callable[..., Path]


@pytest.fixture
def test(make: Make) -> tuple[Package, Key]:
    return make(pictures=None, canaries=3, control=5)


def checked(test: tuple[Package, Key], path: Path, with_key: bool = True) -> Checked:
    package, key = test
    return check(package, Submission.read(path), key if with_key else None)


def edited(path: Path, change: Callable[[np.ndarray], np.ndarray], part: str = "scores") -> Path:
    np.save(path / f"{part}.npy", change(np.load(path / f"{part}.npy")))
    return path


def with_cell(value: float) -> Callable[[np.ndarray], np.ndarray]:
    def change(matrix: np.ndarray) -> np.ndarray:
        matrix[2, 3] = value
        matrix[4, 5] = value
        return matrix

    return change


def test_an_honest_submission_passes(test: tuple[Package, Key], answer: Answer) -> None:
    found = checked(test, answer(*test))
    assert found.canaries is not None
    assert (found.canaries.n_query_repeats, found.canaries.n_target_repeats) == (3, 3)
    assert found.canaries.n_control == 25
    assert found.canaries.self_share == 1.0
    said = found.to_dict()
    matrix = np.load(found.submission.path / "scores.npy")
    assert said["scores"]["n"] == matrix.size
    assert said["scores"]["least"] == pytest.approx(matrix.min())
    assert said["scores"]["mean"] == pytest.approx(matrix.mean(dtype=np.float64), rel=1e-6)
    assert said["scores"]["spread"] == pytest.approx(matrix.std(dtype=np.float64), rel=1e-6)
    assert said["package"] == test[0].digest
    assert "ready to be scored" in repr(found)


def test_without_the_key_nothing_is_said_of_repeats(test: tuple[Package, Key], answer: Answer) -> None:
    found = checked(test, answer(*test), with_key=False)
    assert found.canaries is None
    assert any("requires the key" in str(said) for said in found.sentences())
    assert not any("repeated queries" in str(said) for said in found.sentences())


def test_ties_are_counted(test: tuple[Package, Key], answer: Answer) -> None:
    path = answer(*test, lambda matrix: np.round(matrix, 1))
    matrix = np.load(path / "scores.npy")
    tied = sum(int((row[:, None] == row).sum(axis=1).__gt__(1).sum()) for row in matrix)
    assert checked(test, path, with_key=False).survey.tied == tied / matrix.size


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_is_counted_and_the_first_named(
    test: tuple[Package, Key], answer: Answer, bad: float
) -> None:
    package, _ = test
    with pytest.raises(InputError) as refused:
        checked(test, edited(answer(*test), with_cell(bad)), with_key=False)
    first = f"query {package.queries[2]!r} and target {package.targets[3]!r}"
    assert f"2 scores are not finite; the first is {bad} for {first}" in str(refused.value)
    with pytest.raises(InputError, match=r"control\.npy: [12] scores? (is|are) not finite"):
        checked(
            test, edited(answer(*test), lambda m: np.where(np.eye(5) * [0, 0, 1, 1, 0], np.nan, m), "control")
        )


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda m: m.T, "is transposed: its rows are targets"),
        (lambda m: m[:-1], r"is 122 × 63, but there are 123 queries and 63 targets"),
        (lambda m: m[:, 1:], r"is 123 × 62, but"),
        (
            lambda m: (m > 0.5).astype(np.float32),
            r"two different values \(0 and 1\): decisions, or a guess of the key",
        ),
        (lambda m: np.where(m > 0.5, 3, -1), r"only two different values \(−1 and 3\)"),
        (lambda m: m * 0, "every score is 0"),
        (
            lambda m: np.where(np.arange(len(m))[:, None] == 7, 1.5, m),
            r"all scores of query '\w+' \(row 8\) are equal",
        ),
        (
            lambda m: np.where(np.arange(63) == 9, 1.5, m),
            r"all scores of target '\w+' \(column 10\) are equal",
        ),
    ],
)
def test_unfit_matrices_are_refused(
    test: tuple[Package, Key], answer: Answer, change: Callable[[np.ndarray], np.ndarray], words: str
) -> None:
    with pytest.raises(InputError, match=words):
        checked(test, edited(answer(*test), change), with_key=False)


def as_table(test: tuple[Package, Key], path: Path, rows: list[str], columns: list[str]) -> Path:
    matrix = np.load(path / "scores.npy")
    (path / "scores.npy").unlink()
    frame = pl.DataFrame({"id": rows} | {name: matrix[:, place] for place, name in enumerate(columns)})
    frame.write_csv(path / "scores.csv")
    return path


def test_ids_are_compared_with_the_lists(test: tuple[Package, Key], answer: Answer) -> None:
    package, key = test
    rows, columns = list(package.queries), list(package.targets)
    assert checked(test, as_table(test, answer(*test), rows, columns)).scores.shape == (123, 63)

    def refused(rows: list[str], columns: list[str], with_key: bool = False) -> str:
        path = answer(*test)
        with pytest.raises(ProbandError) as error:
            checked(test, as_table(test, path, rows, columns), with_key)
        return str(error.value)

    swapped = [*rows[:4], rows[5], rows[4], *rows[6:]]
    assert f"query ids are permuted: number 5 is {rows[5]!r}, expected {rows[4]!r}" in refused(
        swapped, columns
    )
    assert "target ids are permuted: number 1 is" in refused(rows, columns[::-1])
    assert "1 query id is not in queries.csv: 'zebra'" in refused(["zebra", *rows[1:]], columns)
    assert "repeats an earlier one" in refused([rows[1], *rows[1:]], columns)
    original = key.samples.ids[0]
    assert "is an original name of the test" in refused([original, *rows[1:]], columns, with_key=True)
    assert "is an original name" not in refused([original, *rows[1:]], columns)


def test_missing_ids_are_named(test: tuple[Package, Key], answer: Answer) -> None:
    package, _ = test
    path = edited(answer(*test), lambda matrix: matrix[:-2])
    as_table(test, path, list(package.queries[:-2]), list(package.targets))
    with pytest.raises(InputError, match=f"2 of 123 query ids are missing: {package.queries[-2]!r}"):
        checked(test, path, with_key=False)


def test_a_transposed_table_is_recognised_by_its_ids(test: tuple[Package, Key], answer: Answer) -> None:
    package, _ = test
    path = edited(answer(*test), lambda matrix: matrix.T)
    as_table(test, path, list(package.targets), list(package.queries))
    with pytest.raises(InputError, match="is transposed"):
        checked(test, path, with_key=False)


def test_the_control_pair_is_asked_for(test: tuple[Package, Key], answer: Answer, make: Make) -> None:
    path = answer(*test)
    (path / "control.npy").rename(path / "elsewhere.npy")
    with pytest.raises(InputError, match="lacks the scores of the control sets"):
        checked(test, path, with_key=False)
    other = make("plain", pictures=None, control=0)
    path = answer(*other)
    assert checked(other, path).canaries is not None
    np.save(path / "control.npy", np.eye(3))
    with pytest.raises(InputError, match=r"control\.npy is not expected"):
        checked(other, path)


def test_failures_are_named_and_their_scores_not_looked_at(test: tuple[Package, Key], answer: Answer) -> None:
    package, key = test
    shown = dict(zip(key.table["name"], key.table["sample"], strict=True))
    blank = shown[package.queries[7]]
    names = [name for name, sample in shown.items() if sample == blank]
    path = answer(*test, failed=names)
    rows = [place for place, name in enumerate(package.queries) if name in names]
    columns = [place for place, name in enumerate(package.targets) if name in names]

    def blanked(matrix: np.ndarray) -> np.ndarray:
        matrix[rows] = 0
        matrix[:, columns] = 0
        return matrix

    found = checked(test, edited(path, blanked))
    assert found.survey.n_failed == len(rows) * 63 + len(columns) * (123 - len(rows))
    with pytest.raises(InputError, match="1 failed name is not in the package: 'zebra'"):
        checked(test, answer(*test, failed=["zebra"]))


def test_all_failed(test: tuple[Package, Key], answer: Answer) -> None:
    with pytest.raises(InputError, match="every comparison failed"):
        checked(test, answer(*test, failed=list(test[0].queries)), with_key=False)


def test_training_on_the_test_is_refused(test: tuple[Package, Key], answer: Answer) -> None:
    _, key = test
    checked(test, answer(*test, training=["a stranger", hashed("another", key.training_salt)]))
    for entry in (key.samples.ids[3], key.samples.subjects[0], hashed(key.samples.ids[3], key.training_salt)):
        path = answer(*test, training=["a stranger", entry])
        with pytest.raises(InputError, match="was trained on test data"):
            checked(test, path)
        assert checked(test, path, with_key=False).canaries is None


def test_a_key_that_does_not_fit_is_refused(test: tuple[Package, Key], answer: Answer, make: Make) -> None:
    package, key = test
    _, other = make("other", pictures=None)
    path = answer(*test)
    with pytest.raises(InputError, match="does not belong to the package"):
        check(package, Submission.read(path), other)
    with pytest.raises(InputError, match="not match the commitment in test"):
        check(package, Submission.read(path), replace(other, package=package.digest))
    guessed = replace(key, salt="0" * 64)
    with pytest.raises(InputError, match="does not match the commitment"):
        check(package, Submission.read(path), guessed)


def test_a_changed_package_is_refused(test: tuple[Package, Key]) -> None:
    package, _ = test
    with (package.path / "queries.csv").open("a") as file:
        file.write("onemore\n")
    with pytest.raises(InputError, match=r"queries\.csv .* has been changed since it was handed out"):
        Package.read(package.path)


def test_the_tolerance_is_a_share(test: tuple[Package, Key], answer: Answer) -> None:
    with pytest.raises(UsageError, match="at least 0 and below 1"):
        check(test[0], Submission.read(answer(*test)), test[1], tolerance=-1)
