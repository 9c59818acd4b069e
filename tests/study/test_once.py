"""Nothing is computed twice: what several analyses of a run need is made once for each algorithm, and what several readers ask for once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import proband as pb
from proband.analyses import Request
from proband.cli import main
from proband.designs.base import BLOCK
from proband.inference.comparisons import paired, paired_rates
from proband.inference.estimates import case
from proband.inference.estimates.evaluation import Entry
from proband.inference.estimates.weighting import PeopleSums
from proband.inference.verification import points, shared, verification
from proband.inference.verification.people import drawings
from proband.inference.verification.people.drawings import AtRates
from proband.inference.verification.people.meetings import Comparisons
from proband.measures import CMC, MedianCensoredRank, ranks
from proband.report.model_card import CardMetric, metrics_of
from proband.report.page.build import build_page
from proband.report.page.sections import methods
from proband.report.scene import Scene
from proband.report.writer import write_run
from proband.study.findings import Findings
from proband.study.reading import read_study
from proband.study.requests.base import Part
from proband.study.run import run
from proband.words import plain

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
    table["half"] = ["odd" if int(one[1:3]) % 2 else "even" for one in ids]
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
    counted(AtRates, "replicates", "bootstrap")
    counted(drawings, "subject_weights", "drawings")
    counted(CMC, "__call__", "curves")
    counted(methods, "_written", "methods")
    counted(Findings, "to_dict", "plain")
    counted(Entry, "_person_weighted", "by person")
    counted(case, "cluster_statistics", "clusters")
    counted(CardMetric, "__init__", "metrics")
    validated = Part.__init__

    def counting(self: Part, **values: Any) -> None:
        made["requests"] += isinstance(self, Request)
        validated(self, **values)

    monkeypatch.setattr(Part, "__init__", counting)
    return made


@pytest.fixture
def repeated(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often a statistic was computed of what it had been computed of before, by its name."""
    seen: set[Any] = set()
    kept: list[Any] = []  # so that no two things have one id
    again: Counter[str] = Counter()

    def plainly(value: Any) -> Any:
        if isinstance(value, np.ndarray):
            return value.shape, value.tobytes()
        if isinstance(value, tuple | list):
            return tuple(map(plainly, value))
        if value is None or isinstance(value, int | float | str):
            return value
        kept.append(value)
        return id(value)

    def watched(owner: Any, name: str) -> None:
        found = owner.__dict__[name]
        of_class = isinstance(found, classmethod)
        real = found.func if hasattr(found, "func") else found.__func__ if of_class else found

        def watching(*args: Any, **options: Any) -> Any:
            key = name, plainly(args[of_class:]), plainly(tuple(options.values()))
            again[name] += key in seen
            seen.add(key)
            return real(*args, **options)

        if hasattr(found, "func"):
            monkeypatch.setattr(found, "func", watching)
        else:
            monkeypatch.setattr(owner, name, classmethod(watching) if of_class else watching)

    for owner, name in (
        (case, "cluster_statistics"),
        (case, "by_person"),
        (PeopleSums, "of"),
        (MedianCensoredRank, "tally"),
        (paired, "summed_by_person"),
        (paired_rates, "sign_flip"),
        (paired_rates, "design_effect"),
        (Comparisons, "sum_of_squares"),
        (Comparisons, "n_by_subject"),
        (shared, "false_match_rate"),
        (shared, "false_non_match_rate"),
        (points, "equal_error_interval"),
        (verification, "count_pairs"),
        (verification, "placements"),
    ):
        watched(owner, name)
    return again


def asked(folder: Path, **sections: Any) -> Request:
    return Request(
        samples={"file": str(folder / "samples.csv")},
        scores={"file": str(folder / "scores.npz"), "orientation": "similarity"},
        experiment={"gallery": "image == 0"},
        **sections,
    )


def test_probes_are_ranked_once_for_all_analyses(folder: Path, calls: Counter[str]) -> None:
    comparisons = [{"measure": name} for name in ("rank-1", "rank-5", "median-rank@10")]
    found = run(asked(folder, comparison=comparisons, feret=True, verification=False))
    assert found["identification"].evaluation is not None
    assert found["feret"] is not None
    assert len(found["comparison"].comparisons) == 3
    assert calls["ranks"] == K


def test_curves_are_computed_once_for_each_set_of_probes(folder: Path, calls: Counter[str]) -> None:
    category = {"name": "second", "rule": "probe.image == 1"}
    found = run(asked(folder, category=[category], comparison={"by_category": True}, verification=False))
    assert found["identification"].evaluation is not None
    assert len(found["identification"].evaluation.entries) == calls["curves"] == 2 * K


def test_people_are_drawn_once_for_each_algorithm_and_not_for_each_pair(
    folder: Path, calls: Counter[str]
) -> None:
    found = run(asked(folder, identification=False, comparison={"measure": "fnmr@0.1"}, verification=False))
    (comparison,) = found["comparison"].comparisons.values()
    assert len(comparison.pairs) == K * (K - 1) // 2
    assert calls["bootstrap"] == K


def test_one_drawing_of_people_serves_all_operating_points_and_algorithms(
    folder: Path, calls: Counter[str]
) -> None:
    comparisons = [{"measure": "fnmr@0.1"}, {"measure": "fnmr@0.02", "margin": 0.05}]
    verification = {"fmr": [0.1, 0.05, 0.02], "n_resamples": 1_000}
    found = run(asked(folder, identification=False, comparison=comparisons, verification=verification))
    assert list(found["comparison"].comparisons) == ["fnmr@0.1", "fnmr@0.02"]
    assert all(
        point.fnmr.replicates is not None
        for one in found["verification"].verification
        for point in one.points
    )
    assert calls["bootstrap"] == 2 * K  # with 1,000 replicates for verification, and 2,000 for comparisons
    assert calls["drawings"] == 2_000 // BLOCK


STUDY = """
[samples]
file = "samples.csv"
[[scores]]
file = "scores.npz"
orientation = "similarity"
[experiment]
gallery = "image == 0"
[identification]
ranks = [1, 5]
[[comparison]]
measure = "rank-1"
[verification]
fmr = [0.1]
n_resamples = 100
"""


def test_a_study_its_page_and_its_directory_make_everything_once(folder: Path, calls: Counter[str]) -> None:
    (folder / "study.toml").write_text(STUDY)
    found = run(read_study(folder / "study.toml"))
    assert calls["requests"] == 1
    scene = Scene(found)
    page = build_page(scene)
    write_run(scene, folder / "made", ("csv",))
    assert build_page(scene) is page
    assert calls["methods"] == calls["plain"] == 1
    assert calls["by person"] == 2 * K  # at two ranks
    assert calls["clusters"] == K
    metrics = calls["metrics"]
    assert metrics == len(metrics_of(found))


def test_an_operating_point_among_others_is_what_it_is_alone(folder: Path) -> None:
    fmrs = (0.02, 0.2, 0.1)
    comparisons = [{"measure": "fnmr@0.1"}, {"measure": "fnmr@0.02", "margin": 0.05}]
    verification = {"fmr": fmrs, "n_resamples": 200}
    found = run(asked(folder, identification=False, comparison=comparisons, verification=verification))
    samples = pb.Samples.read(folder / "samples.csv")
    scores = list(pb.read_scores(folder / "scores.npz", samples, orientation="similarity").values())
    experiment = pb.Experiment(samples, gallery="image == 0")
    for one, together in zip(scores, found["verification"].verification, strict=True):
        for fmr, point in zip(fmrs, together.points, strict=True):
            alone = pb.verify(one, experiment, fmr=[fmr], n_resamples=200).points[0]
            assert plain(point.to_dict()) == plain(alone.to_dict())
            assert np.array_equal(point.fnmr.replicates, alone.fnmr.replicates)
    for request, together in zip(comparisons, found["comparison"].comparisons.values(), strict=True):
        measure, margin = request["measure"], request.get("margin")
        alone = pb.compare(scores, experiment, measure=measure, margin=margin)
        assert plain(together.pairs) == plain(alone.pairs)
        assert [(one.value, one.low, one.high) for one in together.estimates] == [
            (one.value, one.low, one.high) for one in alone.estimates
        ]


@pytest.mark.parametrize(
    "words",
    [
        "evaluate --category second:probe.image==1 -g image==0",
        "compare -g image==0",
        "compare -g image==0 --measure median-rank@10",
        "compare --measure fnmr@0.1",
        "verify --by half --fmr 0.1,0.02",
    ],
)
def test_a_report_computes_nothing_twice(
    words: str, folder: Path, repeated: Counter[str], monkeypatch: pytest.MonkeyPatch, few_deals: None
) -> None:
    monkeypatch.chdir(folder)
    command, *options = words.split()
    given = [
        "scores.npz",
        "-s",
        "samples.csv",
        "--orientation",
        "similarity",
        "--report",
        "page.html",
        "--quiet",
    ]
    with pytest.raises(SystemExit) as stop:
        main([command, *given, *options])
    assert stop.value.code in (0, None)
    assert Path("page.html").exists()
    assert +repeated == Counter()


def test_weights_that_memory_has_no_room_for_are_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    held = drawings.Drawings(3)
    first = held.weights("vertex", 30, 100, 0)
    assert held.weights("vertex", 30, 100, 0) is first
    monkeypatch.setattr(drawings, "_MOST_KEPT", first.nbytes)
    other = held.weights("vertex", 30, 100, 1)
    again = held.weights("vertex", 30, 100, 1)
    assert other is not again
    assert np.array_equal(other, again)


def test_shared_drawings_give_what_pairs_alone_give(folder: Path) -> None:
    samples = pb.Samples.read(folder / "samples.csv")
    scores = list(pb.read_scores(folder / "scores.npz", samples, orientation="similarity").values())
    together = pb.compare(scores, samples, measure=pb.measures.FNMR(0.1), adjust="none")
    for pair in together.pairs:
        two = [one for one in scores if one.name in (pair.first, pair.second)]
        (alone,) = pb.compare(two, samples, measure=pb.measures.FNMR(0.1)).pairs
        assert (alone.value, alone.low, alone.high, alone.p_value) == (
            pair.value,
            pair.low,
            pair.high,
            pair.p_value,
        )
