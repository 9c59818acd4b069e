from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import rankdata
from tests.examples import some

from proband.blind import BlindTest, Key, Package
from proband.blind.checking.canaries import Repeats
from proband.blind.checking.checking import check
from proband.blind.checking.normalizing import normalised_how
from proband.blind.checking.submission import Submission
from proband.errors import InputError
from proband.samples import Samples

Make = Callable[..., tuple[Package, Key]]
Answer = Callable[..., Path]
Change = Callable[[np.ndarray], np.ndarray]


@pytest.fixture(scope="module")
def test(people: Samples, tmp_path_factory: pytest.TempPathFactory) -> tuple[Package, Key]:
    place = tmp_path_factory.mktemp("blind")
    asked = BlindTest(people, "session == 1", "all", pictures=None, canaries=3, control=10, seed=3)
    made = asked.make(place / "test", place / "test.key")
    return Package.read(made.packages[0].path), Key.read(made.keys[0])


def refusal(test: tuple[Package, Key], path: Path) -> str:
    package, key = test
    check(package, Submission.read(path))  # a participant sees nothing of it
    with pytest.raises(InputError) as refused:
        check(package, Submission.read(path), key)
    return str(refused.value)


def standardised(axis: int | None) -> Change:
    return lambda m: (m - m.mean(axis=axis, keepdims=True)) / m.std(axis=axis, keepdims=True)


def min_max(m: np.ndarray) -> np.ndarray:
    return (m - m.min()) / (m.max() - m.min())


def main_only(change: Change) -> Change:
    return lambda m: change(m) if len(m) > 10 else m


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (standardised(1), "scores of each query (row) are rescaled over the targets, such as by t-norm"),
        (standardised(0), "scores of each target (column) are rescaled over the queries, such as by z-norm"),
        (standardised(None), "all scores are rescaled over the whole test set"),
        (min_max, "all scores are rescaled over the whole test set"),
        (lambda m: m / m.max(axis=1, keepdims=True), "each query (row) are rescaled"),
        (lambda m: rankdata(m, axis=1), "each query (row) are replaced by ranks"),
        (lambda m: rankdata(m, axis=1, method="ordinal"), "each query (row) are replaced by ranks"),
        (lambda m: rankdata(m, axis=0), "each target (column) are replaced by ranks"),
        (lambda m: rankdata(m).reshape(m.shape), "all scores are replaced by ranks"),
    ],
)
@pytest.mark.parametrize("on", some([main_only, lambda change: change], 2))
def test_normalising_over_the_test_is_told(
    test: tuple[Package, Key], answer: Answer, change: Change, words: str, on: Callable[[Change], Change]
) -> None:
    assert words in refusal(test, answer(*test, on(change)))


def test_both_ways_at_once_is_refused_without_a_name(test: tuple[Package, Key], answer: Answer) -> None:
    both = refusal(test, answer(*test, lambda m: (standardised(0)(m) + standardised(1)(m)) / 2))
    assert "scores depend on the rest of the test set" in both


@pytest.mark.parametrize("size", [1.0, 1e-3])
def test_chance_is_told_from_disorder(test: tuple[Package, Key], answer: Answer, size: float) -> None:
    rng = np.random.default_rng(1)
    noisy = answer(*test, lambda m: (m + size * 0.05 * rng.normal(size=m.shape)).astype(np.float32))
    said = refusal(test, noisy)
    assert "are the same image, but their scores with target" in said
    assert "not deterministic" in said
    permuted = answer(*test, lambda m: m[rng.permutation(len(m))] if len(m) > 10 else m)
    assert "not in the package's order (permuted)" in refusal(test, permuted)


def test_columns_out_of_order(test: tuple[Package, Key], answer: Answer) -> None:
    rolled = answer(*test, lambda m: np.roll(m, 1, axis=1) if len(m) > 10 else m)
    assert "not in the package's order (permuted)" in refusal(test, rolled)


def test_reversed_orientation(test: tuple[Package, Key], answer: Answer) -> None:
    said = refusal(test, answer(*test, orientation="distance"))
    assert "the orientation is reversed" in said
    assert 'orientation = "similarity"' in said
    check(test[0], Submission.read(answer(*test, lambda m: -m, orientation="distance")), test[1])


def test_reversed_orientation_where_no_image_is_in_both_sets(make: Make, answer: Answer) -> None:
    apart = make("apart", pictures=None, target="session == 1", query="session == 2")
    said = refusal(apart, answer(*apart, orientation="distance"))
    assert "mated pairs score worse than non-mated pairs" in said
    found = check(apart[0], Submission.read(answer(*apart)), apart[1])
    assert found.canaries is not None
    assert found.canaries.self_share is None


def test_a_claim_of_symmetry_is_checked(test: tuple[Package, Key], answer: Answer) -> None:
    package, key = test
    found = check(package, Submission.read(answer(*test, symmetric=True)), key)
    assert found.canaries is not None
    assert found.canaries.symmetry_gap is not None
    assert found.canaries.symmetry_gap < 1e-6
    sample = dict(zip(key.table["name"], key.table["sample"], strict=True))
    bias = {name: place / 100 for place, name in enumerate(key.samples.ids)}

    def tilted(m: np.ndarray) -> np.ndarray:
        names = package.queries if len(m) > 10 else package.control_queries
        return m + np.array([bias[sample[name]] for name in names], dtype=np.float32)[:, None]

    assert "is declared symmetric" in refusal(test, answer(*test, tilted, symmetric=True))
    check(package, Submission.read(answer(*test, tilted, symmetric=False)), key)


def test_rounding_passes_and_tolerance_widens(test: tuple[Package, Key], answer: Answer) -> None:
    package, key = test
    rng = np.random.default_rng(2)

    def shaken(size: float) -> Submission:
        return Submission.read(
            answer(*test, lambda m: (m + size * rng.normal(size=m.shape)).astype(np.float32))
        )

    check(package, shaken(1e-7), key)
    with pytest.raises(InputError, match="increase tolerance="):
        check(package, shaken(1e-4), key)
    check(package, shaken(1e-4), key, tolerance=0.01)


def test_a_repeat_that_fails_alone_is_refused(test: tuple[Package, Key], answer: Answer) -> None:
    package, key = test
    repeat = Repeats.of(key, package).queries[0, 1]
    assert "nothing (a failure)" in refusal(test, answer(*test, failed=[package.queries[repeat]]))


def test_repeats_are_found_where_the_key_says(test: tuple[Package, Key]) -> None:
    package, key = test
    sample = dict(zip(key.table["name"], key.table["sample"], strict=True))
    found = Repeats.of(key, package)
    for pairs, names in ((found.queries, package.queries), (found.targets, package.targets)):
        assert len(pairs) == 3
        assert all(one != other and sample[names[one]] == sample[names[other]] for one, other in pairs)
    for places, names, control in (
        (found.control_rows, package.queries, package.control_queries),
        (found.control_columns, package.targets, package.control_targets),
    ):
        assert [sample[names[place]] for place in places] == [sample[name] for name in control]
    assert len(found.selves) == 60  # every target is a query too
    assert all(
        sample[package.queries[row]] == sample[package.targets[column]] for row, column in found.selves
    )


def test_too_few_pairs_name_no_normalisation() -> None:
    rng = np.random.default_rng(3)
    main = rng.normal(size=(2, 3))
    assert normalised_how(main, 2 * main + 1) is not None  # six cells on one line
    assert normalised_how(main[:1], rng.normal(size=(1, 3))) is None
    assert normalised_how(np.full((3, 3), np.nan), main[:1].repeat(3, 0)) is None


def per_row(m: np.ndarray) -> np.ndarray:
    return standardised(1)(m.astype(np.float64))


def with_outlier(m: np.ndarray, size: float = 1e9) -> np.ndarray:
    m = m.astype(np.float64)
    m[len(m) // 2, 3] = size if len(m) > 10 else m[len(m) // 2, 3]
    return m


@pytest.mark.parametrize(
    "change",
    [
        lambda m: with_outlier(per_row(m)),
        lambda m: np.exp(10 * per_row(m)),
        lambda m: np.exp(30 * per_row(m)),
        lambda m: per_row(m) + 1e7,  # as 32-bit floats these would all be equal
        lambda m: per_row(m) * 1e-9,
    ],
    ids=["one huge score", "exp 10", "exp 30", "far from zero", "small"],
)
def test_no_few_scores_and_no_scale_hide_a_normalisation(
    test: tuple[Package, Key], answer: Answer, change: Change
) -> None:
    # Names are drawn by chance: a pair of canaries may tell it before the control does.
    assert refusal(test, answer(*test, change))


def test_an_offset_for_each_query_hides_nothing(test: tuple[Package, Key], answer: Answer) -> None:
    package, key = test
    sample = dict(zip(key.table["name"], key.table["sample"], strict=True))
    place = {name: at for at, name in enumerate(key.samples.ids)}

    def far(change: Change) -> Change:
        def moved(m: np.ndarray) -> np.ndarray:
            names = package.queries if len(m) > 10 else package.control_queries
            return change(m.astype(np.float64)) + np.array([[1e7 * place[sample[name]]] for name in names])

        return moved

    check(package, Submission.read(answer(*test, far(lambda m: m))), key)
    assert "control.npy" in refusal(test, answer(*test, far(per_row)))


def test_one_huge_score_does_not_hide_chance(test: tuple[Package, Key], answer: Answer) -> None:
    rng = np.random.default_rng(8)
    assert "same image" in refusal(test, answer(*test, lambda m: with_outlier(rng.normal(size=m.shape))))


@pytest.mark.parametrize(
    "change",
    [
        lambda m: np.exp(40 * m.astype(np.float64)),
        lambda m: np.exp(20 * m),
        lambda m: m + 1000,
        lambda m: m * 1e30,
        lambda m: np.maximum(m - 0.3, 0),  # most are zero
        lambda m: np.round(m, 1),
        lambda m: -np.log(1.0001 - m),
    ],
)
def test_honest_scores_pass_with_the_noise_of_32_bits(
    test: tuple[Package, Key], answer: Answer, change: Change
) -> None:
    package, key = test
    rng = np.random.default_rng(7)

    def shaken(m: np.ndarray) -> np.ndarray:
        made = change(m)
        return (made * (1 + rng.normal(0, 1e-6 if made.max() < 900 else 1e-7, m.shape))).astype(made.dtype)

    check(package, Submission.read(answer(*test, shaken)), key)


@pytest.mark.parametrize("n", [2, 3, 5])
def test_a_few_rows_mixed_up_are_found_by_their_own_copies(
    test: tuple[Package, Key], answer: Answer, n: int
) -> None:
    package, key = test
    repeats = Repeats.of(key, package)
    watched = {*repeats.queries.ravel(), *repeats.control_rows}
    own = [int(row) for row in repeats.selves[:, 0] if row not in watched][:n]

    def mixed(m: np.ndarray) -> np.ndarray:
        if len(m) > 10:
            m[own] = m[np.roll(own, 1)]
        return m

    said = refusal(test, answer(*test, mixed))
    assert f"of 60 images in both sets, nearly all are closest to their own copies, but {n} are not" in said
    assert f"query {package.queries[own[0]]!r} (row {own[0] + 1})" in said


def test_shares_of_own_copies_are_counted(test: tuple[Package, Key], answer: Answer) -> None:
    package, key = test
    path = answer(*test, lambda m: np.round(m, 1))
    matrix = np.load(path / "scores.npy")
    shown = dict(zip(key.table["name"], key.table["sample"], strict=True))
    sole = set(key.table.filter(key.table["repeat_of"].is_null())["name"])
    shares = []
    for row, query in enumerate(package.queries):
        mine = [column for column, name in enumerate(package.targets) if shown[name] == shown[query]]
        if query not in sole or not mine:
            continue
        own = next(matrix[row, column] for column in mine if package.targets[column] in sole)
        others = [matrix[row, column] for column in range(matrix.shape[1]) if column not in mine]
        shares.append(np.mean([(own > other) + 0.5 * (own == other) for other in others]))
    found = check(package, Submission.read(path), key).canaries
    assert found is not None
    assert (found.n_selves, found.self_share) == (60, pytest.approx(np.median(shares)))


def test_hidden_copies_are_told_from_a_reversed_orientation(
    test: tuple[Package, Key], answer: Answer
) -> None:
    said = refusal(test, answer(*test, lambda m: np.where(m > 0.9999, -1, m)))
    assert "other images of the same person are close" in said
    assert "reversed" not in said


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda m: m.T, "control.npy is transposed"),
        (lambda m: m[::-1], "control.npy: its rows are not in the package's order"),
        (lambda m: m[:, ::-1], "control.npy: its columns are not in the package's order"),
        (lambda m: m[::-1, ::-1], "control.npy: its rows and columns are not in the package's order"),
    ],
)
def test_a_control_in_disorder_is_told(
    test: tuple[Package, Key], answer: Answer, change: Change, words: str
) -> None:
    assert words in refusal(test, answer(*test, lambda m: m if len(m) > 10 else change(m)))


def test_a_claim_of_symmetry_that_cannot_be_checked_is_mentioned(make: Make, answer: Answer) -> None:
    apart = make("apart", pictures=None, target="session == 1", query="session == 2")
    said = check(apart[0], Submission.read(answer(*apart, symmetric=True)), apart[1]).sentences()
    assert any("Declared symmetric, but this cannot be checked" in str(one) for one in said)
    said = check(apart[0], Submission.read(answer(*apart)), apart[1]).sentences()
    assert not any("cannot be checked" in str(one) for one in said)


def test_refusals_name_the_submission_and_no_option_that_blind_lacks(make: Make, answer: Answer) -> None:
    apart = make("apart", pictures=None, target="session == 1", query="session == 2")
    said = refusal(apart, answer(*apart, orientation="distance"))
    assert "directions for apart: scores.npy: read as a distance" in said
    assert 'write orientation = "similarity"' in said
    assert "--" not in said
