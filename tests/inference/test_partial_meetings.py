"""Who meets whom where comparisons lack: as a list of what there is, as all less what lacks, and counted by hand."""

from __future__ import annotations

import numpy as np
import pytest

from proband.inference.verification.people.meetings import Comparisons
from proband.inference.verification.people.partial_meetings import GappedComparisons, ListedComparisons
from proband.inference.verification.shared import Shared
from proband.measures.pairs import lists
from proband.measures.pairs.pair_set import PairSet
from proband.samples import Samples
from proband.scores import Scores

IMAGES = [3, 1, 2, 2, 1, 1, 4, 2, 1, 1, 2]


def by_hand(n_between: np.ndarray) -> dict[str, object]:
    """From the whole table of people × people."""
    return {
        "n_impostor": int(n_between.sum()) // 2,
        "n_by_subject": n_between.sum(axis=0).tolist(),
        "sum_of_squares": int((n_between**2).sum()) // 2,
        "n_partners": (n_between > 0).sum(axis=0).tolist(),
        "n_pairs": int(np.count_nonzero(np.triu(n_between))),
    }


def matching(n_between: np.ndarray) -> int:
    """Pairs of people who meet, those first who have one who meets few, as long as both are free."""
    partners = (n_between > 0).sum(axis=0)
    every = zip(*np.nonzero(np.triu(n_between)), strict=True)
    free, found = set(range(len(n_between))), 0
    for i, j in sorted(every, key=lambda two: (min(partners[two[0]], partners[two[1]]), two)):
        if {i, j} <= free:
            free -= {i, j}
            found += 1
    return found


@pytest.mark.parametrize("share", [0.02, 0.3, 0.6, 0.95])
@pytest.mark.parametrize("symmetric", [True, False])
def test_all_less_gaps_is_the_list_of_what_there_is(share, symmetric):
    rng = np.random.default_rng(int(100 * share) + symmetric)
    queries = np.array(IMAGES)
    targets = queries if symmetric else np.array(IMAGES[::-1]) - 1
    whole = Comparisons(queries, targets, symmetric)
    crossed = np.outer(queries, targets)
    would = crossed if symmetric else crossed + crossed.T
    np.fill_diagonal(would, 0)
    lacking = np.triu(rng.binomial(would, share))
    lacking[0, 1:] = np.triu(would)[0, 1:] if share == 0.3 else lacking[0, 1:]  # one who meets nobody
    met = would - lacking - lacking.T
    gaps, there = (
        ListedComparisons.of(np.repeat(i, table[i, j]), np.repeat(j, table[i, j]), len(queries))
        for table in (lacking, np.triu(met))
        for i, j in [np.nonzero(table)]
    )
    weights = rng.integers(0, 4, (6, len(queries)), dtype=np.int32)
    i, j = (side.ravel() for side in np.indices(would.shape))
    for one in (there, GappedComparisons(whole, gaps)):
        for name, value in by_hand(met).items():
            found = getattr(one, name)
            assert (found.tolist() if isinstance(found, np.ndarray) else found) == value, name
        assert one.n_disjoint == matching(met)
        other = i != j
        assert one.n_between(i[other], j[other]).tolist() == met[i, j][other].tolist()
        assert one.in_drawings(weights).tolist() == [int(w @ np.triu(met) @ w) for w in weights]


@pytest.mark.parametrize(("share", "kind"), [(0.1, GappedComparisons), (0.9, ListedComparisons)])
@pytest.mark.parametrize("table", [True, False])
def test_the_fewer_are_listed(share, kind, table, monkeypatch):
    """A mask that leaves few out lists those; whichever way they are summed, people meet as often."""
    monkeypatch.setattr(lists, "_ROOM", 1 << 40 if table else 0)
    people = np.repeat(np.arange(len(IMAGES)), IMAGES)
    samples = Samples({"id": [f"{k}" for k in range(len(people))], "subject": [f"p{k:02d}" for k in people]})
    cells = np.triu(np.random.default_rng(1).random((len(people), len(people))) < share).astype(np.uint8) * 2
    cells |= cells.T
    values = np.random.default_rng(2).random(cells.shape)
    scores = Scores.from_array(values, samples.ids, orientation="similarity", cells=cells)
    found = Shared.of(scores, PairSet.of(scores, samples), np.inf).comparisons
    assert isinstance(found, kind)
    i, j = np.nonzero(np.triu(np.not_equal.outer(people, people) & (cells == 0)))
    met = np.zeros((len(IMAGES),) * 2, dtype=int)
    np.add.at(met, (people[i], people[j]), 1)
    one, other = np.triu_indices(len(IMAGES), 1)
    assert found.n_between(one, other).tolist() == met[one, other].tolist()
    assert found.n_impostor == len(i)
