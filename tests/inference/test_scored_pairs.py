"""Scored pairs with any columns: with people as through a table of samples, without them as the binomial has it."""

from __future__ import annotations

import json
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from tests.nameless import nameless

import proband as pb
from proband.errors import DesignError, InputError, UsageError
from proband.scores.pair_columns import PairColumns, guessed
from proband.scores.scored_pairs import mated_in, trials_of, with_people_of_mated
from proband.study.reading import read_study
from proband.study.requests import only
from proband.study.run import run as carry_out

Z = 1.959963984540054


@pytest.fixture(scope="module")
def pairs() -> pl.DataFrame:
    """Some pairs of 60 people with four images each, scored by two algorithms."""
    rng = np.random.default_rng(5)
    people = np.repeat(np.arange(60), 4)
    i, j = np.triu_indices(240, 1)
    same = people[i] == people[j]
    kept = np.sort(
        np.concatenate(
            [rng.choice(np.flatnonzero(same), 200, False), rng.choice(np.flatnonzero(~same), 500, False)]
        )
    )
    i, j, same = i[kept], j[kept], same[kept]
    noise = rng.normal(size=len(i))
    return pl.DataFrame(
        {
            "img1": [f"i{k}" for k in i],
            "img2": [f"i{k}" for k in j],
            "p1": [f"s{people[k]}" for k in i],
            "p2": [f"s{people[k]}" for k in j],
            "label": same.astype(int),
            "kind": np.where(same, "same", "different"),
            "cosine": noise + 2.0 * same,
            "arc": noise + 0.4 * rng.normal(size=len(i)) + 2.6 * same,
        }
    )  # fmt: skip


def people_of(pairs: pl.DataFrame) -> tuple[pl.Series, pl.Series]:
    return pairs["p1"], pairs["p2"]


def wilson(errors: int, n: int) -> tuple[float, float]:
    p = errors / n
    middle, reach = p + Z**2 / (2 * n), Z * sqrt(p * (1 - p) / n + Z**2 / (4 * n**2))
    return (middle - reach) / (1 + Z**2 / n), (middle + reach) / (1 + Z**2 / n)


def test_without_people_rates_are_binomial(pairs: pl.DataFrame) -> None:
    found = pb.verify_pairs(
        pairs["label"], pairs["cosine"], orientation="similarity", fmr=(), thresholds=[1.5]
    )
    (point,) = found.points
    score, same = pairs["cosine"].to_numpy(), pairs["label"].to_numpy() == 1
    matches, misses = int((score[~same] >= 1.5).sum()), int((score[same] < 1.5).sum())
    assert (point.fmr.rests_on.events, point.fnmr.rests_on.events) == (matches, misses)
    assert (point.fmr.low, point.fmr.high) == pytest.approx(wilson(matches, 500))
    assert (point.fnmr.low, point.fnmr.high) == pytest.approx(wilson(misses, 200))
    assert point.re_estimated is None
    assert (found.n_subjects, found.answers.assuming.key) == (0, "pairs-independent")
    assert "verification.pairs-assumed-independent" in [note.code for note in found.notes]


def test_without_people_the_area_is_delongs(pairs: pl.DataFrame) -> None:
    found = pb.verify_pairs(pairs["label"], pairs["cosine"], orientation="similarity", fmr=0.1)
    score, same = pairs["cosine"].to_numpy(), pairs["label"].to_numpy() == 1
    above = (score[same][:, None] > score[~same]).astype(float)
    error = sqrt(above.mean(axis=1).var(ddof=1) / 200 + above.mean(axis=0).var(ddof=1) / 500)
    assert found.auc.standard_error == pytest.approx(error)
    assert found.auc.low == pytest.approx(above.mean() - Z * error)
    both = pb.scored_pairs(
        pairs["label"], {"A": pairs["cosine"], "B": pairs["arc"]}, orientation="similarity"
    )
    (pair,) = pb.compare(both, measure="auc").pairs
    other = pairs["arc"].to_numpy()
    beyond = above - (other[same][:, None] > other[~same])
    error = sqrt(beyond.mean(axis=1).var(ddof=1) / 200 + beyond.mean(axis=0).var(ddof=1) / 500)
    assert (pair.value, (pair.high - pair.low) / 2) == pytest.approx((beyond.mean(), Z * error))
    with pytest.raises(DesignError, match="has no subject IDs"):
        pb.compare(both, measure="fnmr@0.1")


def points(found: Any) -> Any:
    return nameless([found.to_dict()[name] for name in ("points", "n_subjects", "auc", "eer")])


@pytest.mark.parametrize("mated_given", [True, False])
def test_with_people_it_is_the_way_through_a_table(pairs: pl.DataFrame, mated_given: bool) -> None:
    table = pl.concat([pairs.select(id="img1", subject="p1"), pairs.select(id="img2", subject="p2")]).unique(
        "id", maintain_order=True
    )
    listed = pairs.select(query="img1", target="img2", score="cosine")
    wanted = pb.verify(pb.Trials(listed, "similarity"), pb.Samples(table), fmr=0.1, n_resamples=100)
    mated = pairs["kind"] if mated_given else None
    found = pb.verify_pairs(
        mated,
        pairs["cosine"],
        people=people_of(pairs),
        mated_is="same" if mated_given else None,
        orientation="similarity",
        fmr=0.1,
        n_resamples=100,
    )
    assert points(found) == points(wanted)


def test_samples_that_mated_pairs_join_are_one_person(pairs: pl.DataFrame) -> None:
    listed = pb.Trials(pairs.select(query="img1", target="img2", score="cosine", mated="label"), "similarity")
    made = with_people_of_mated(listed)
    parent: dict[str, str] = {}

    def root(name: str) -> str:
        while parent.setdefault(name, name) != name:
            name = parent[name]
        return name

    for one, other, mated in pairs.select("img1", "img2", "label").iter_rows():
        left, right = root(one), root(other)
        if mated:
            parent[left] = right
    roots = [(root(one), root(other)) for one, other in pairs.select("img1", "img2").iter_rows()]
    same = made.frame["query_subject"] == made.frame["target_subject"]
    assert same.to_list() == [one == other for one, other in roots]
    n_people = len({name for both in roots for name in both})
    assert made.notes[-1]["n_people"] == n_people
    found = pb.verify(listed, fmr=0.1, n_resamples=0)
    assert found.n_subjects == n_people
    by_root = pb.verify_pairs(
        pairs["label"], pairs["cosine"], people=tuple(zip(*roots, strict=True)), orientation="similarity", fmr=0.1, n_resamples=0
    )  # fmt: skip
    assert points(found)[0] == points(by_root)[0]


def test_a_pair_that_contradicts_the_others_is_refused() -> None:
    frame = pl.DataFrame(
        {"query": list("xyx"), "target": list("yzz"), "mated": [1, 1, 0], "score": [0.9, 0.8, 0.1]}
    )
    with pytest.raises(InputError, match="'x' and 'z' are marked as not mated, but are the same person"):
        pb.verify(pb.Trials(frame, "similarity"), fmr=0.1)


def test_algorithms_on_the_same_pairs_are_compared_over_people(pairs: pl.DataFrame) -> None:
    both = pb.scored_pairs(
        pairs["label"],
        {"A": pairs["cosine"], "B": pairs["arc"]},
        people=people_of(pairs),
        orientation="similarity",
    )
    found = pb.verify(both, fmr=0.1, n_resamples=0)
    assert [(name, one.algorithm) for name, one in found.items()] == [("A", "A"), ("B", "B")]
    assert set(found.to_frame()["algorithm"]) == {"A", "B"}
    with pytest.raises(UsageError, match="no algorithm 'C'"):
        found["C"]
    (pair,) = pb.compare(both, measure="fnmr@0.1").pairs
    assert pair.value == pytest.approx(found["A"].points[0].fnmr.value - found["B"].points[0].fnmr.value)
    (area,) = pb.compare(both, measure="auc").pairs
    assert area.value == pytest.approx(found["A"].auc.value - found["B"].auc.value)
    with pytest.raises(DesignError, match="differences of the first two"):
        pb.compare(both, measure="eer")
    assert pb.estimate(both["A"], measure="eer").value == found["A"].rates.eer().value


def test_a_dense_list_is_compared_as_the_matrix_is() -> None:
    rng = np.random.default_rng(2)
    ids = [f"s{k}-{image}" for k in range(12) for image in "ab"]
    samples = pb.Samples({"id": ids, "subject": [name[:-2] for name in ids]})
    own = np.array([name[:-2] for name in ids])
    noise = rng.normal(size=(24, 24))
    values = {name: noise + noise.T + lift * (own[:, None] == own) for name, lift in (("a", 3.0), ("b", 2.0))}
    i, j = np.triu_indices(24, 1)
    lists = pb.scored_pairs(
        None, {n: v[i, j] for n, v in values.items()}, people=(own[i], own[j]), orientation="similarity"
    )
    matrices = {n: pb.Scores.from_array(v, ids, orientation="similarity") for n, v in values.items()}
    for measure in ("fnmr@0.1", "auc"):
        (one,), (other,) = (
            pb.compare(data, where, measure=measure).pairs
            for data, where in ((lists, None), (matrices, samples))
        )
        assert one.value == other.value
        assert (one.low, one.high) == pytest.approx((other.low, other.high))


def test_what_is_mated_is_never_guessed() -> None:
    for given in ([1, 0], [True, False], ["1", "0"], ["true", "False"], [1.0, 0.0]):
        mated, note = mated_in(pl.Series("label", given), None, "pairs")
        assert mated.to_list() == [True, False]
        assert note["n_mated"] == 1
    for wrong in (["same", "other"], [1, -1], ["true", "0"], [1, 2], ["yes", "no"]):
        with pytest.raises(UsageError, match="unclear which of these means mated"):
            mated_in(pl.Series("label", wrong), None, "pairs")
    assert mated_in(pl.Series("label", [1, -1]), "-1", "pairs")[0].to_list() == [False, True]
    with pytest.raises(UsageError, match="but not 'Same'"):
        mated_in(pl.Series("label", ["same", "other"]), "Same", "pairs")
    with pytest.raises(InputError, match="'same' means mated, but it is unclear"):
        mated_in(pl.Series("label", ["same", "other", "unsure"]), "same", "pairs")
    with pytest.raises(InputError, match="empty in 1 row, first in row 2"):
        mated_in(pl.Series("label", [1, None]), None, "pairs")


def test_lists_are_named_after_their_columns(pairs: pl.DataFrame, tmp_path: Path) -> None:
    def names(*columns: str) -> list[str]:
        held = pairs.rename({"arc": "score"})
        found = trials_of(held, PairColumns(mated="label", score=columns), source="pairs")
        return [one.name for one in found]

    assert names("cosine") == ["cosine"]
    assert names("score") == ["pairs"]
    assert names("cosine", "score") == ["cosine", "score"]
    pairs.write_csv(tmp_path / "new.csv")
    pairs.write_csv(tmp_path / "old.csv")

    def found(*sections: str) -> list[str]:
        said = 'columns = { mated = "label", score = "cosine" }\norientation = "similarity"\n'
        text = "".join(f"[[scores]]\n{section}\n{said}" for section in sections)
        (tmp_path / "study.toml").write_text(text + "[verification]\nfmr = 0.1\n", encoding="utf-8")
        made = carry_out(read_study(tmp_path / "study.toml"))["verification"]
        return [one.algorithm for one in made.verification]

    assert found('file = "new.csv"') == ["cosine"]
    assert found('file = "new.csv"\nname = "new one"', 'file = "old.csv"') == ["new one", "cosine"]
    assert found('file = "new.csv"', 'file = "old.csv"') == ["new", "old"]  # one name for both tells nothing


def test_columns_must_make_sense(pairs: pl.DataFrame) -> None:
    for columns, error, said in (
        (PairColumns(mated="same", score=("cosine",)), UsageError, "no column 'same'"),
        (PairColumns(mated="label", score=("label",)), InputError, "more than once"),
        (
            PairColumns(a="img1", mated="label", score=("cosine",)),
            UsageError,
            "a and b must be given together",
        ),
        (PairColumns(mated="label"), UsageError, "No score column was specified"),
        (PairColumns(score=("cosine",)), UsageError, "Cannot tell which pairs are mated"),
    ):
        with pytest.raises(error, match=said):
            trials_of(pairs, columns, source="pairs")
    wrong = pairs.with_columns(label=1 - pl.col("label"))
    with pytest.raises(InputError, match="700 pairs contradict the subjects"):
        trials_of(
            wrong, PairColumns(mated="label", subject_a="p1", subject_b="p2", score=("arc",)), source="pairs"
        )
    assert guessed(["Image1", "image2", "is-same", "Similarity", "distance"]) == PairColumns(
        "Image1", "image2", "is-same", ("Similarity", "distance")
    )


def test_lists_without_pairs_of_both_kinds_say_so() -> None:
    people = (["a", "b"], ["a", "b"])
    for mated, more, said in (
        ([1, 1], {}, "the list has no non-mated pairs, so there is no FMR"),
        ([1, 1], {"people": people}, "the list has no non-mated pairs"),
        ([0, 0], {"samples": (["a", "b"], ["c", "d"])}, "the list has no mated pairs, so there is no FNMR"),
        ([], {"people": ([], [])}, "the list of pairs is empty"),
    ):
        with pytest.raises(DesignError, match=said) as refused:
            pb.verify_pairs(mated, [0.5] * len(mated), orientation="similarity", **more)
        assert "people" not in refused.value.hint
    both = pb.scored_pairs(
        [1, 1], {"a": [0.1, 0.2], "b": [0.2, 0.3]}, people=people, orientation="similarity"
    )
    for verb in (pb.threshold, lambda lists: pb.compare(lists, measure="auc")):
        with pytest.raises(DesignError, match="a: the list has no non-mated pairs"):
            verb(both)


def test_equal_points_are_told_once_with_their_targets() -> None:
    scores = [0.9] * 9 + [0.4] + [0.6] * 2 + [0.1] * 8
    found = pb.verify_pairs([1] * 10 + [0] * 10, scores, orientation="similarity", thresholds=[0.5])
    said = " ".join(repr(found).split())
    assert "threshold 0.9 (target FMR 0.01, 0.001, 0.0001): FMR 0" in said
    assert said.count("threshold 0.9") == 1
    assert "threshold 0.5: FMR 0.2" in said
    assert "threshold 0.9 (target FMR 0.001): FMR 0" in repr(found.points[1])


def test_what_is_missing_is_named_as_it_was_passed() -> None:
    for argument in ("people", "samples"):
        with pytest.raises(
            InputError, match=rf"the column '{argument}\[1\]' is empty in 1 row, first in row 2"
        ):
            pb.verify_pairs(
                [1, 0], [0.1, 0.2], orientation="similarity", **{argument: (["a", "b"], ["c", None])}
            )
    with pytest.raises(UsageError, match="Nothing states whether pairs are mated, so 'yes' has no effect"):
        pb.scored_pairs(None, [0.5], people=(["a"], ["a"]), orientation="similarity", mated_is="yes")


def test_lengths_and_sides_must_agree() -> None:
    with pytest.raises(InputError, match="differ in length: mated 2, scores of 'scores' 3"):
        pb.scored_pairs([1, 0], [0.1, 0.2, 0.3], orientation="similarity")
    with pytest.raises(UsageError, match="pair of lists"):
        pb.scored_pairs([1, 0], [0.1, 0.2], people=(["a"],), orientation="similarity")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="Cannot tell which pairs are mated"):
        pb.scored_pairs(None, [0.1, 0.2], orientation="similarity")
    with pytest.raises(InputError, match="look worse than impostor"):
        pb.verify_pairs([1] * 40 + [0] * 40, [0.1] * 40 + [0.9] * 40, orientation="similarity")


@pytest.mark.parametrize("ending", ["csv", "parquet", "feather"])
def test_the_doors_agree(
    pairs: pl.DataFrame, ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write = {"csv": pairs.write_csv, "parquet": pairs.write_parquet, "feather": pairs.write_ipc}[ending]
    write(f"pairs.{ending}")
    columns = {"subject_a": "p1", "subject_b": "p2", "mated": "kind", "score": ["cosine", "arc"]}
    source = {"file": f"pairs.{ending}", "columns": columns, "mated_is": "same", "orientation": "similarity"}
    asked = {"fmr": 0.1, "n_resamples": 100}
    found = carry_out(only("verification", asked, scores=source))["verification"].verification
    wanted = pb.verify_pairs(
        None, {"cosine": pairs["cosine"], "arc": pairs["arc"]}, people=people_of(pairs), orientation="similarity", **asked
    )  # fmt: skip
    assert [points(one) for one in found] == [points(one) for one in wanted.values()]
    if ending == "csv":
        inline = "{ " + ", ".join(f"{role} = {json.dumps(name)}" for role, name in columns.items()) + " }"
        Path("study.toml").write_text(
            f'[[scores]]\nfile = "pairs.csv"\norientation = "similarity"\nmated_is = "same"\ncolumns = {inline}\n'
            "[verification]\nfmr = 0.1\nn_resamples = 100\n[comparison]\nmeasure = 'auc'\n"
        )
        made = carry_out(read_study("study.toml"))
        assert [points(one) for one in made["verification"].verification] == [
            points(one) for one in wanted.values()
        ]
        assert list(made["comparison"].comparisons) == ["auc"]


def test_a_score_that_is_missing_failed(tmp_path: Path) -> None:
    (tmp_path / "pairs.csv").write_text("same,s\n1,0.9\n1,\n0,0.1\n0,nan\n")
    source = {
        "file": str(tmp_path / "pairs.csv"),
        "columns": {"mated": "same", "score": "s"},
        "orientation": "similarity",
    }
    (found,) = carry_out(only("verification", {"thresholds": 0.5}, scores=source))[
        "verification"
    ].verification
    assert (found.rates.counts.n_failed_genuine, found.rates.counts.n_failed_impostor) == (1, 1)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_words_may_stand_for_what_is_missing(ending: str, tmp_path: Path) -> None:
    texts = {
        "p1": ["a", "b", "a", "b", "?"],
        "p2": ["a", "b", "b", "a", "a"],
        "s": [0.9, 0.8, 0.1, None, 0.2],
    }
    frame = pl.DataFrame(texts)
    if ending == "csv":
        frame.write_csv(tmp_path / "pairs.csv", null_value="n/a")
    else:
        frame.write_parquet(tmp_path / "pairs.parquet")
    columns = {"subject_a": "p1", "subject_b": "p2", "score": "s"}
    source = {"file": str(tmp_path / f"pairs.{ending}"), "columns": columns, "orientation": "similarity"}

    def found(**words: Any) -> Any:
        asked = only("verification", {"thresholds": 0.5}, scores=source | words)
        return carry_out(asked)["verification"].verification[0].rates.counts

    assert found(missing_values="n/a").n_failed_impostor == 1
    with pytest.raises(InputError, match="the column 'p1' is empty in 1 row, first in row 5"):
        found(missing_values=["n/a", "?"])
    if ending == "csv":
        with pytest.raises(InputError, match="has 'n/a' for 's', which is not a number") as refused:
            found(missing_values=["x"])
        cure = refused.value.cure
        assert cure.told("command line") == (
            "if 'n/a' means that the comparison failed, pass --missing-values x,n/a."
        )
        assert cure.told("study").endswith('write missing_values = ["x", "n/a"].')


def test_lists_are_compared_on_the_same_pairs(pairs: pl.DataFrame) -> None:
    people = people_of(pairs)
    (one,) = pb.scored_pairs(None, {"a": pairs["cosine"]}, people=people, orientation="similarity").values()
    turned = pairs[::-1]
    (other,) = pb.scored_pairs(
        None, {"b": turned["arc"]}, people=people_of(turned), orientation="similarity"
    ).values()
    for measure in ("auc", "fnmr@0.1"):
        with pytest.raises(DesignError, match="not measured on the same pairs"):
            pb.compare([one, other], measure=measure)
    with pytest.raises(DesignError, match="needs ranks"):
        pb.compare([one, other], measure="rank-1")
    gaps = pairs["arc"].to_list()
    gaps[3] = None
    both = {"a": pairs["cosine"], "b": gaps}
    found = pb.compare(pb.scored_pairs(None, both, people=people, orientation="similarity"), measure="auc")
    kept = pairs[[k for k in range(len(pairs)) if k != 3]]
    fewer = {"a": kept["cosine"], "b": kept["arc"]}
    wanted = pb.compare(
        pb.scored_pairs(None, fewer, people=people_of(kept), orientation="similarity"), measure="auc"
    )
    assert (found.pairs[0].low, found.pairs[0].high) == (wanted.pairs[0].low, wanted.pairs[0].high)
    assert [note["n"] for note in found.estimates[0].notes if note.code == "pairs.failed-for-another"] == [1]


def test_where_every_comparison_of_a_kind_failed_it_is_said() -> None:
    with pytest.raises(pb.errors.DesignError, match=r"no impostor comparison has a score \(1 failed\)"):
        pb.verify_pairs([1, 1, 0], [0.9, 0.8, float("nan")], orientation="similarity", fmr=0.1)


@pytest.mark.parametrize(
    ("column", "mated_is"),
    [
        ([0, 1, 1, 0], None),
        ([0.0, 1.0, 1.0, 0.0], None),
        ([False, True, True, False], None),
        (["FALSE", "True", "true", "false"], None),
        (["no", "yes", "yes", "no"], "yes"),
        ([2.0, 1.0, 1.0, 2.0], "1"),
        ([True, False, False, True], "false"),
        (pl.Series(["no", "yes", "yes", "no"], dtype=pl.Categorical), "yes"),
    ],
)
def test_what_is_mated_is_read_of_the_values_there_are(column, mated_is):
    mated, note = mated_in(pl.Series("same", column), mated_is, "list")
    assert (mated.name, mated.to_list()) == ("mated", [False, True, True, False])
    assert "2 pairs" in str(note)
