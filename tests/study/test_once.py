"""Nothing is computed twice: what several analyses of a run need is made once for each algorithm."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import proband as pb
from proband.inference.drawings import AtRate
from proband.measures import CMC, ranks
from proband.study.requests import Request
from proband.study.run import run

K = 4


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    people, images = 24, 3
    ids = [f"p{person:02d}-{image}" for person in range(people) for image in range(images)]
    rng = np.random.default_rng(2)
    alike = np.kron(np.eye(people), np.ones((images, images)))
    scores = {f"a{k}": rng.normal(size=alike.shape) + (1.5 + 0.3 * k) * alike for k in range(K)}
    np.savez(tmp_path / "scores.npz", **scores, query_ids=ids, target_ids=ids)
    table = {"id": ids, "subject": [one[:3] for one in ids], "image": [int(one[-1]) for one in ids]}
    pl.DataFrame(table).write_csv(tmp_path / "samples.csv")
    return tmp_path


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    made: Counter[str] = Counter()

    def counted(owner: Any, name: str, called: str) -> None:
        real: Callable[..., Any] = getattr(owner, name)

        def counting(*args: Any, **options: Any) -> Any:
            made[called] += 1
            return real(*args, **options)

        monkeypatch.setattr(owner, name, counting)

    counted(ranks, "_count", "ranks")
    counted(AtRate, "replicates", "bootstrap")
    counted(CMC, "__call__", "curves")
    return made


def asked(folder: Path, **sections: Any) -> Request:
    return Request(
        samples={"file": str(folder / "samples.csv")},
        scores={"file": str(folder / "scores.npz"), "orientation": "similarity"},
        experiment={"gallery": "image == 0"},
        **sections,
    )


def test_probes_are_ranked_once_for_all_analyses(folder: Path, calls: Counter[str]) -> None:
    comparisons = [{"rank": 1}, {"rank": 5}, {"median_rank": 10}]
    found = run(asked(folder, comparison=comparisons, feret=True, verification=False))
    assert found.evaluation is not None
    assert found.feret is not None
    assert len(found.comparisons) == 3
    assert calls["ranks"] == K


def test_curves_are_computed_once_for_each_set_of_probes(folder: Path, calls: Counter[str]) -> None:
    category = {"name": "second", "rule": "probe.image == 1"}
    found = run(asked(folder, category=[category], comparison={"by_category": True}, verification=False))
    assert found.evaluation is not None
    assert len(found.evaluation.entries) == calls["curves"] == 2 * K


def test_people_are_drawn_once_for_each_algorithm_and_not_for_each_pair(
    folder: Path, calls: Counter[str]
) -> None:
    found = run(asked(folder, identification=False, comparison={"fnmr_at": 0.1}, verification=False))
    (comparison,) = found.comparisons.values()
    assert len(comparison.pairs) == K * (K - 1) // 2
    assert calls["bootstrap"] == K


def test_shared_drawings_give_what_pairs_alone_give(folder: Path) -> None:
    samples = pb.Samples.read(folder / "samples.csv")
    scores = list(pb.read_scores(folder / "scores.npz", samples, orientation="similarity").values())
    together = pb.compare(pb.FNMR(0.1), scores, samples)
    for pair in together.pairs:
        two = [one for one in scores if one.name in (pair.first, pair.second)]
        (alone,) = pb.compare(pb.FNMR(0.1), two, samples).pairs
        assert (alone.difference, alone.low, alone.high, alone.p_value) == (
            pair.difference,
            pair.low,
            pair.high,
            pair.p_value,
        )
