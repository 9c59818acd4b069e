from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import proband as pb
from proband.inference.strata.study import strat_study

Run = Callable[..., Any]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twenty people with four images, of which the first is the better gallery image; one person with two."""
    place = tmp_path_factory.mktemp("strat")
    rng = np.random.default_rng(0)
    ids = [f"s{s:02d}-{k}" for s in range(20) for k in range(4)] + ["x99-0", "x99-1"]
    rows = ["id,subject"] + [f"{name},{name[:3]}" for name in ids]
    (place / "samples.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    own = np.array([name[:3] for name in ids])
    better = np.array([2.5 * name.endswith("-0") for name in ids])
    arrays = {
        name: rng.normal(0, 1, (82, 82)) + (strength + better[None, :]) * (own[:, None] == own[None, :])
        for name, strength in (("good", 1.5), ("poor", 0.5))
    }
    np.savez(place / "scores.npz", ids=np.array(ids), **arrays)
    return place


@pytest.fixture
def strat(run: Run, folder: Path) -> Run:
    usual = ("strat", "scores.npz", "-s", "samples.csv", "--orientation", "similarity", "--query-ids", "ids")
    return lambda *more: run(*usual, "--target-ids", "ids", *more, cwd=folder)


def study_of(folder: Path, **more: Any) -> Any:
    samples = pb.Samples.read(folder / "samples.csv")
    scores = pb.read_scores(
        folder / "scores.npz", samples, orientation="similarity", query_ids="ids", target_ids="ids"
    )
    return strat_study(scores, **({} if "experiment" in more else {"samples": samples}), **more)


def test_json_equals_python(strat: Run, folder: Path) -> None:
    done = strat("--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["strat"] == json.loads(json.dumps(study_of(folder).to_dict()))


def test_gallery_effect_and_mixing(folder: Path) -> None:
    study = study_of(folder)
    assert (study.n_subjects, study.n_images, study.n_left_out) == (20, 4, 1)
    for before, after in zip(study.effects, study.mixed, strict=True):
        assert before.test.p_value < 0.001
        assert after.test.p_value > 0.01
        assert after.range < before.range
        rates = [one.value for one in before.estimates]
        assert rates[0] == max(rates)
    # JKn of a rate is BRR's; the ordinary jackknife and bootstrap vary something else.
    drawn, deleted = (study.errors["good"][key].by_rank for key in ("bootstrap-of-probes", "jackknife"))
    assert drawn[0] == pytest.approx(deleted[0], rel=0.1)


def test_a_hand_computation_of_the_test() -> None:
    from scipy import stats

    from proband.inference.galleries.effect import _hotelling

    rng = np.random.default_rng(0)
    means = rng.normal(0, 1, (30, 2))
    test = _hotelling(means, "net")
    t = stats.ttest_rel(means[:, 0], means[:, 1])
    assert (test.statistic, test.p_value) == pytest.approx((t.statistic**2, t.pvalue))
    assert (test.degrees_of_freedom, test.denominator_degrees_of_freedom) == (1, 29)
    flat = _hotelling(np.ones((10, 3)), "net")
    assert (flat.statistic, flat.degrees_of_freedom, flat.p_value) == (0.0, 1, 1.0)


@pytest.mark.long
def test_table_and_directory(strat: Run, folder: Path) -> None:
    done = strat("--images", 3, "--out", "made", "--design", "jackknife")
    assert done.returncode == 0, done.stderr
    assert "mixed galleries" in done.stdout
    assert "probe images of these people" in done.stdout
    names = {path.name for path in (folder / "made").rglob("*")}
    assert {
        "results.json",
        "report.html",
        "strat_galleries.svg",
        "strat_errors.svg",
        "strat_algorithms.svg",
    } <= names


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("--images", "2"), 2, "images"),
        (("--images", "9"), 1, "people have 9 images"),
        (("--order-by", "date"), 2, "no column"),
        (("--design", "magic"), 2, "design"),
        (("--rank", "21"), 2, "must be from 1 to 20"),
    ],
)
def test_bad_requests(strat: Run, arguments: tuple[str, ...], code: int, said: str) -> None:
    done = strat(*arguments)
    assert (done.returncode, said in done.stderr) == (code, True), done.stderr
    assert "Traceback" not in done.stderr


def people_with(sizes: list[int], strength: float = 1.0) -> tuple[list[pb.Scores], pb.Samples]:
    """Scores of two algorithms over people with so many images; very strong ones recognise everybody."""
    ids = [f"s{s:03d}-{k}" for s, size in enumerate(sizes) for k in range(size)]
    samples = pb.Samples({"id": ids, "subject": [name[:4] for name in ids]})
    own = np.array([name[:4] for name in ids])
    rng = np.random.default_rng(len(ids))
    return [
        pb.Scores.from_array(
            rng.normal(0, 1, (len(ids), len(ids))) + strength * (own[:, None] == own),
            ids,
            orientation="similarity",
            name=name,
        )
        for name in ("a", "b")
    ], samples


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("design", [pb.designs.BRR(), pb.designs.Jackknife()], ids=str)
def test_as_many_images_as_leave_the_most_probes(seed: int, design: Any) -> None:
    from proband.inference.galleries.effect import most_probes

    rng = np.random.default_rng(seed)
    sizes = np.minimum(rng.geometric(0.3, 60), 20)
    sizes[0] = 20
    prime_powers = (2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19)
    probes = {
        k: sum(k - 1 for size in sizes if size >= k)
        for k in range(3, 21)
        if (isinstance(design, pb.designs.Jackknife) or k - 1 in prime_powers)
        and 2 * sum(size >= k for size in sizes) >= sum(size >= 3 for size in sizes)
    }
    chosen = most_probes(sizes, design)
    assert probes[chosen] == max(probes.values())
    assert chosen == min(k for k in probes if probes[k] == max(probes.values()))


def test_what_is_left_out_is_said() -> None:
    from proband.analyses.strat.tables import study_statements
    from proband.words import as_sentence

    scores, samples = people_with([18, 18, *[4] * 9, *[3] * 5, *[1] * 6])
    study = strat_study(scores, samples=samples)
    assert (study.n_subjects, study.n_images, study.n_left_out) == (11, 4, 11)
    assert study.n_unused == len(samples) - 44 == study.to_dict()["n_unused"]
    said = [*map(as_sentence, study_statements(study))]
    assert said[-2].startswith("11 of 22 people take part, with 4 images each; 11 people have fewer")
    assert said[-2].endswith("49 images are not used.")
    assert said[-1] == "With 3 images each, 16 people could take part."


def test_too_few_people_are_said_to_be_too_few() -> None:
    scores, samples = people_with([5] * 4)
    study = strat_study(scores, samples=samples)
    assert (study.n_images, study.effects[0].test.p_value) == (5, 1.0)
    assert "is not tested, because 4 people are too few" in str(study.effects[0].sentence())


@pytest.mark.parametrize(
    "images", [3, 7, *(pytest.param(n, marks=pytest.mark.long) for n in (4, 5, 6, 8, 9, 10, 11))]
)
@pytest.mark.parametrize(
    "design", [pb.designs.Jackknife(), pb.designs.RaoWu(n_resamples=50)], ids=["jackknife", "rao-wu"]
)
def test_any_number_of_images_with_a_design_that_takes_any(images: int, design: Any) -> None:
    scores, samples = people_with([11] * 6)
    study = strat_study(scores[:1], samples=samples, n_images=images, design=design)
    balanced = strat_study(scores[:1], samples=samples, n_images=images)
    for one, two in zip(study.effects, balanced.effects, strict=True):
        if isinstance(design, pb.designs.Jackknife):  # which equals BRR for rates, also of six and ten probes
            assert one.estimates[0].standard_error == pytest.approx(two.estimates[0].standard_error)
        assert two.estimates[0].degrees_of_freedom == 6 * (images - 2)


def test_the_seed_reaches_every_replicate() -> None:
    scores, samples = people_with([3] * 8)
    design = pb.designs.RaoWu(n_resamples=50)
    first, again, other = (
        strat_study(scores, samples=samples, design=design, seed=seed) for seed in (0, 0, 1)
    )
    assert first.to_dict() == again.to_dict()
    for one, two in zip(first.effects, other.effects, strict=True):
        assert one.estimates[0].standard_error != two.estimates[0].standard_error


def noisy(scores: pb.Scores) -> pb.Scores:
    """Another algorithm over the same samples, which recognises nobody but by chance."""
    ids = list(scores.queries)
    values = np.random.default_rng(5).normal(size=(len(ids), len(ids)))
    return pb.Scores.from_array(values, ids, orientation="similarity", name="noise")


def test_an_algorithm_that_is_always_right_has_no_error_and_no_verdict() -> None:
    from proband.report.kinds.verdicts import best_two, what_would_decide

    scores, samples = people_with([4] * 9, strength=50.0)
    study = strat_study(scores, samples=samples)
    assert study.varying_algorithms == ()
    assert all((one.by_rank == 0).all() for methods in study.errors.values() for one in methods.values())
    assert all((one.by_rank == 0).all() for variances in study.variances.values() for one in variances)
    comparison = study.comparison
    assert comparison is not None
    (pair,) = comparison.pairs
    assert (pair.verdict, pair.not_inferior, pair.p_value) == ("undecided", False, 1.0)
    told = what_would_decide(best_two(comparison), comparison)
    assert [note.code for note in told] == ["comparison.nothing-varies"]
    more = strat_study([*scores, noisy(scores[0])], samples=samples).comparison
    assert more is not None
    (note,) = what_would_decide(best_two(more), more)  # others vary, so it is said of these two
    assert str(note).startswith(f"{scores[0].name} against {scores[1].name}: there is no variation")


@pytest.mark.long
def test_the_study_of_the_paper(run: Run, tmp_path: Path) -> None:
    done = run("reproduce", "micheals-boult2001", "--people", 12, "-o", "m", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "m" / "report.html").read_text(encoding="utf-8")
    assert "synthetic" in text
    assert "without column 4" in text
    assert "256-replicates" in done.stdout


@pytest.mark.parametrize("explain", [(), ("--explain",)])
def test_a_verdict_says_which_gallery_it_is_of(strat: Run, folder: Path, explain: tuple[str, ...]) -> None:
    done = strat(*explain, "--report", "page.html")
    assert done.returncode == 0, done.stderr
    told = " ".join(done.stdout.split())
    verdicts = re.findall(r"[^.]*good (?:is|and|against) [^:]*poor[^:]*:", told)
    assert verdicts
    assert all("With the first mixed gallery, " in one for one in verdicts)
    page = re.sub(r"<[^>]*>", "\n", (folder / "page.html").read_text())
    headline = re.search(r"\n(good[^\n]*\brecognition rate at rank 1[^\n]*)\n", page)
    assert headline is not None
    assert "with the first mixed gallery" in headline[1]


def test_every_target_of_the_comparison_names_its_gallery(folder: Path) -> None:
    comparison = study_of(folder).comparison
    for one in (comparison, *comparison.estimates):
        assert str(one.answers.of).endswith("with the first mixed gallery")
