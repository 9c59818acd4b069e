"""Who took part, who is consistently ahead, and the order by identification beside that by verification."""

from __future__ import annotations

from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import proband as pb
from proband.designs import Galleries
from proband.errors import InputError, UsageError
from proband.inference.galleries.consistency import GalleryTally, consistency
from proband.inference.galleries.feret_study import feret_study
from proband.inference.galleries.participants import (
    FACTS,
    Participant,
    panels_of,
    participants_frame,
    participants_of,
    read_participants,
)

N = 40


def study_of(strengths: dict[str, float], **asked: Any) -> Any:
    """One gallery image a person, and two probes."""
    ids = [f"p{k:02d}-{image}" for k in range(N) for image in range(3)]
    samples = pb.Samples(
        {"id": ids, "subject": [one[:3] for one in ids], "image": [int(one[-1]) for one in ids]}
    )
    gallery, probes = [one for one in ids if one[-1] == "0"], [one for one in ids if one[-1] != "0"]
    scores = [
        pb.Scores.from_array(
            np.random.default_rng(seed).normal(size=(2 * N, N)) + lift * np.repeat(np.eye(N), 2, axis=0),
            probes,
            gallery,
            orientation="similarity",
            name=name,
        )
        for seed, (name, lift) in enumerate(strengths.items())
    ]
    return feret_study(scores, pb.Experiment(samples, gallery="image == 0"), **asked)


def tallies(seed: int, people: int, cells: int, lifts: list[float]) -> list[GalleryTally]:
    rng = np.random.default_rng(seed)
    made = []
    for cell in range(cells):
        who = np.sort(rng.choice(people, size=people // 2, replace=False))
        probes = np.repeat(rng.integers(1, 4, len(who))[:, None], len(lifts), axis=1).astype(float)
        right = rng.binomial(probes.astype(int), np.clip(0.5 + np.array(lifts), 0, 1)).astype(float)
        made.append(GalleryTally(None, cell + 1, who, right, probes))
    return made


def test_counts_and_bounds_by_hand() -> None:
    """Independent: every pattern of signs of ten people who are in several cells, in plain loops."""
    cells = tallies(3, 10, 4, [0.3, 0.0, -0.3])
    found = consistency(cells, ["a", "b", "c"], over="galleries")
    assert found is not None
    pairs = list(combinations(range(3), 2))

    def statistics(sign: dict[int, int]) -> tuple[dict[tuple[int, int, int], float], dict[Any, float]]:
        each, means = {}, {}
        for a, b in pairs:
            parts = dict.fromkeys(range(10), 0.0)
            for number, cell in enumerate(cells):
                d = cell.successes[:, a] - cell.successes[:, b]
                total = sum(sign[person] * one for person, one in zip(cell.people, d, strict=True))
                each[number, a, b] = abs(total) / np.sqrt((d**2).sum()) if d.any() else 0.0
                for person, one in zip(cell.people, d, strict=True):
                    parts[person] += one / cell.probes[:, a].sum() / len(cells)
            scale = np.sqrt(sum(one**2 for one in parts.values()))
            means[a, b] = abs(sum(sign[who] * one for who, one in parts.items())) / scale
        return each, means

    seen, seen_means = statistics(dict.fromkeys(range(10), 1))
    flipped = [statistics(dict(enumerate(signs))) for signs in product((1, -1), repeat=10) if signs[0] == 1]
    largest = [max(each.values()) for each, _ in flipped]
    largest_mean = [max(means.values()) for _, means in flipped]
    for one in found.pairs:
        a, b = ("abc".index(name) for name in (one.first, one.second))
        low, high = min(a, b), max(a, b)
        rates = [
            float((c.successes[:, a].sum() - c.successes[:, b].sum()) / c.probes[:, a].sum()) for c in cells
        ]
        assert one.mean.value == pytest.approx(np.mean(rates))
        assert (one.ahead, one.equal, one.behind) == (
            sum(r > 0 for r in rates),
            sum(r == 0 for r in rates),
            sum(r < 0 for r in rates),
        )
        p = [np.mean([top >= seen[n, low, high] - 1e-9 for top in largest]) for n in range(4)]
        assert one.surely_ahead == sum(q <= 0.05 and r > 0 for q, r in zip(p, rates, strict=True))
        mean_p = np.mean([top >= seen_means[low, high] - 1e-9 for top in largest_mean])
        assert one.mean.p_adjusted == pytest.approx(mean_p)
        assert one.first < one.second  # the stronger first
        listed = [c.p_adjusted for c in found.cells if (c.first, c.second) == (one.first, one.second)]
        assert listed == pytest.approx(p)


@pytest.mark.long
def test_equal_algorithms_are_hardly_ever_called_ahead() -> None:
    """Ten pairs, six galleries that share their people: in 95 % of studies nothing is significant anywhere."""
    wrong = 0
    for seed in range(60):
        found = consistency(tallies(seed, 60, 6, [0.0] * 5), list("abcde"), over="galleries", seed=seed)
        assert found is not None
        wrong += any(
            one.surely_ahead or one.surely_behind or one.verdict != "undecided" for one in found.pairs
        )
    assert wrong <= stats.binom.ppf(0.999, 60, 0.1)  # two families at 5 % each


def test_a_bare_count_is_no_verdict() -> None:
    """Ahead in all six galleries by one probe each: a description, and undecided."""
    won = np.column_stack([np.r_[1.0, np.zeros(19)], np.zeros(20)])
    cells = [
        GalleryTally(None, k + 1, np.arange(20 * k, 20 * k + 20), won, np.ones((20, 2))) for k in range(6)
    ]
    found = consistency(cells, ["a", "b"], over="galleries", seed=1)
    assert found is not None
    (pair,) = found.pairs
    assert (pair.ahead, pair.surely_ahead, pair.most_ahead) == (6, 0, 6)
    # Six people, all one way: 2/64 on average over galleries, which one pair may be called ahead by; nothing in any single one.
    assert pair.mean.p_adjusted == pytest.approx(2 / 64, abs=0.006)
    assert pair.verdict == "ahead"
    few = consistency(cells[:4], ["a", "b"], over="galleries", seed=1)
    assert few is not None
    assert few.pairs[0].verdict == "undecided"
    assert "undecided" in str(few.sentences()[0])


def test_an_algorithm_that_judged_other_probes_is_not_counted_there() -> None:
    cells = tallies(1, 30, 3, [0.2, 0.0])
    probes = cells[0].probes.copy()
    probes[:, 1] = 0
    cells[0] = GalleryTally(None, 1, cells[0].people, cells[0].successes * (probes > 0), probes)
    found = consistency(cells, ["a", "b"], over="galleries")
    assert found is not None
    assert found.pairs[0].cells == 2
    assert consistency(cells[:1], ["a", "b"], over="galleries") is None


def test_a_study_counts_over_categories_and_over_galleries() -> None:
    categories = [pb.Category(f"image {k}", f"probe.image == {k}") for k in (1, 2)]
    made = study_of({"x": 4.0, "y": 1.0}, categories=categories, galleries=Galleries(4))
    by_category, by_gallery = made.consistency
    assert (by_category.over, by_category.pairs[0].cells) == ("probe categories", 2)
    assert (by_gallery.over, by_gallery.pairs[0].cells) == ("galleries by category", 8)
    assert by_gallery.pairs[0].first == "x"
    assert {(c.who.category, c.who.gallery) for c in by_gallery.cells} == {
        (f"image {k}", str(g)) for k in (1, 2) for g in (1, 2, 3, 4)
    }
    assert by_gallery.n_people == N
    assert made.to_dict()["consistency"][1]["pairs"][0]["surely_ahead"] == by_gallery.pairs[0].surely_ahead


def test_both_orders() -> None:
    made = study_of({"x": 3.5, "y": 2.5, "z": 1.0}, verification="fnmr@0.1")
    (found,) = made.orders
    rates = {one.algorithm: one.curve.at(1) for one in made.evaluation.entries}
    assert [one.algorithm for one in found.standings] == sorted(rates, key=lambda name: -rates[name])
    by_hand = stats.kendalltau(
        [one.identification for one in found.standings], [-one.verification for one in found.standings]
    )
    assert found.tau.value == pytest.approx(by_hand.statistic)
    assert -1 <= found.tau.low <= found.tau.value <= found.tau.high <= 1
    assert [one.verification_place for one in found.standings] == [1, 2, 3]
    assert str(found.verification) == "FNMR at an FMR of 0.1"


def test_a_significant_reversal() -> None:
    """One algorithm identifies everybody, on scales that differ from probe to probe; the other errs, on one scale."""
    n = 60
    ids = [f"{side}{k:02d}" for side in "gp" for k in range(n)]
    samples = pb.Samples({"id": ids, "subject": [one[1:] for one in ids]})
    rng = np.random.default_rng(0)
    shifted = np.eye(n) + 0.1 * rng.random((n, n)) + 6 * rng.random((n, 1))
    plain = 5 * np.eye(n) + 0.1 * rng.random((n, n))
    plain[np.arange(15), (np.arange(15) + 1) % n] = 6.0  # a quarter is mistaken for one other person
    scores = [
        pb.Scores.from_array(values, ids[n:], ids[:n], orientation="similarity", name=name)
        for name, values in (("shifted", shifted), ("plain", plain))
    ]
    made = feret_study(
        scores, pb.Experiment(samples, gallery=ids[:n]), verification="fnmr@0.01", check_orientation=False
    )
    (found,) = made.orders
    assert [(one.first, one.second, one.significant) for one in found.reversals] == [
        ("shifted", "plain", True)
    ]
    assert (found.tau.value, found.tau.low, found.tau.high) == (-1.0, -1.0, -1.0)
    assert any(note.code == "orders.reversal" for note in found.sentences())


def test_participants_and_panels(tmp_path: Path) -> None:
    table = tmp_path / "who.csv"
    table.write_text("algorithm,date,metric\nx,1997-03,L1\ny,1996-09,\n")
    made = study_of(
        {"x": 3.0, "y": 2.0, "z": 1.0}, participants=read_participants(table), versions=[("z", "y")]
    )
    assert [(one.algorithm, one.when, one.metric, one.version) for one in made.participants] == [
        ("x", "March 1997", "L1", None),
        ("y", "September 1996", None, "partially automatic"),
        ("z", None, None, "fully automatic"),
    ]
    assert [(one.label, one.algorithms) for one in made.panels] == [
        ("September 1996", ("y",)),
        ("March 1997", ("x",)),
        (None, ("z",)),
    ]
    dates = made.to_frame().select("algorithm", "date").rows()
    assert dates[:3] == [("x", "1997-03"), ("y", "1996-09"), ("z", None)]
    assert Participant("a", date="1996-09-30").when == "30 September 1996"
    assert panels_of([Participant("a")])[0].date is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name,date\nx,1996\n", "no column 'algorithm'"),
        ("algorithm,colour\nx,red\n", "a column 'colour'"),
        ("algorithm,date\nx,1996-13\n", "is not a date"),
        ("algorithm,date\n,1996\n", "has no algorithm"),
    ],
)
def test_tables_of_participants_that_are_refused(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "who.csv").write_text(text)
    with pytest.raises((InputError, UsageError), match=said):
        read_participants(tmp_path / "who.csv")


def test_participants_that_are_no_algorithms_and_measures_of_identification_are_refused() -> None:
    with pytest.raises(UsageError, match="not an algorithm of the study"):
        study_of({"x": 3.0, "y": 2.0}, participants=[{"algorithm": "w"}])
    with pytest.raises(UsageError, match="twice"):
        study_of({"x": 3.0, "y": 2.0}, participants=[Participant("x"), Participant("x")])
    with pytest.raises(UsageError, match="not a verification measure"):
        study_of({"x": 3.0, "y": 2.0}, verification="rank-1")


def test_participants_of_by_example() -> None:
    made = participants_of([Participant("a", date="1996")], ["a", "b"], {"b": "cosine"}, {})
    assert made[1] == Participant("b", metric="cosine")


def test_participants_frame_by_example() -> None:
    frame = participants_frame([Participant("a", date="1996", seconds=2.5)])
    assert frame.columns == ["algorithm", *FACTS]
    assert frame["seconds"].to_list() == [2.5]
