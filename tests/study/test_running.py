from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import proband as pb
from proband.engine import Silent
from proband.engine.files.documents import as_json
from proband.errors import AlignmentError, DesignError, InputError, ProbandError, UsageError
from proband.inference.verification.groups import error_rates_by
from proband.inference.verification.verification import verify
from proband.report.scene import Scene
from proband.scores import experiment_over
from proband.study.analysis import ANALYSES, analysis_keys
from proband.study.caching import Cache
from proband.study.definition import Study
from proband.study.inputs import read_inputs
from proband.study.requests import ExperimentDesign, Request
from proband.study.run import run

from .conftest import EXPERIMENT, SOURCES

Studied = Callable[..., Study]

EVERYTHING = """
[identification]
measures = ["median-rank@5"]
overlap = true
[[category]]
by = "sex"
[[comparison]]
by_category = true
[[comparison]]
measure = "fnmr@0.1"
[gate]
baseline = "poor"
measure = "auc"
[mcnemar]
by_category = true
[verification]
fmr = [0.1]
n_resamples = 100
by = "sex"
zoo = true
[threshold]
fmr = 0.2
[search]
gallery = "number == 0 and subject < 's15'"
probes = "number == 1"
fpir = [0.4]
[choices]
n_resamples = 200
list_trials = 1
[strat]
n_images = 4
[feret]
galleries = 2
sizes = [5]
reject = 0.25
participants = "who.csv"
verification = "auc"
[covariates]
on = "sex + number + algorithm"
outcome = "log-rank"
[partition]
[classification]
table = "labels.csv"
predicted = ["new", "old"]
[outcomes]
table = "labels.csv"
algorithms = ["new", "old"]
[protocol]
file = "features.npy"
classifiers = "centre=sklearn.neighbors:NearestCentroid()"
protocols = "2×4f CV"
subjects = [10, 20]
draws = 2
[what_if]
question = "mixed"
file = "features.npy"
classifier = "centre=sklearn.neighbors:NearestCentroid()"
label = "sex"
protocol = "4f CV"
[audit]
[survey]
table = "labels.csv"
mean = ["new", "old"]
units = "label"
[datasets]
table = "rates.csv"
"""


def plain(value: Any) -> Any:
    return json.loads(json.dumps(value))


def read(folder: Path) -> tuple[list[Any], Any]:
    samples = pb.Samples.read(folder / "samples.csv")
    options: Any = {"orientation": "similarity", "query_ids": "ids", "target_ids": "ids"}
    scores = [pb.Scores.read(folder / f"{file}.npz", samples, **options) for file in ("good", "poor")]
    return scores, samples


def test_findings_are_those_of_the_library(studied: Studied, folder: Path) -> None:
    found = run(studied(EXPERIMENT, "[verification]\nfmr = [0.1]\nn_resamples = 100\nby = 'sex'"))
    scores, samples = read(folder)
    experiment = experiment_over(scores, samples, gallery="number == 0")
    evaluation = pb.evaluate(scores, experiment)
    assert found["identification"].evaluation is not None
    assert found["identification"].evaluation.to_frame().equals(evaluation.to_frame())
    # Without a word about comparisons: rank 1, and FNMR at the first target of verification.
    measures = {"rank-1": pb.measures.RecognitionRate(1), "fnmr@0.1": pb.measures.FNMR(0.1)}
    assert list(found["comparison"].comparisons) == list(measures)
    for name, measure in measures.items():
        expected = pb.compare(scores, experiment, measure=measure)
        assert [pair.p_adjusted for pair in found["comparison"].comparisons[name].pairs] == [
            pair.p_adjusted for pair in expected.pairs
        ]
    for one, own, group in zip(
        scores, found["verification"].verification, found["verification"].groups, strict=True
    ):
        alone = verify(one, experiment, fmr=(0.1,), n_resamples=100)
        assert plain(own.to_dict()) == plain(alone.to_dict())
        by_sex = error_rates_by(one, experiment, "sex", alone.points[0].counts)
        assert plain(group.to_dict()) == plain(by_sex.to_dict())


@pytest.mark.usefixtures("few_deals")
def test_everything_is_kept_and_comes_back_the_same(studied: Studied, tmp_path: Path) -> None:
    study = studied(EXPERIMENT, EVERYTHING)
    fresh = run(study, threads=1)
    first, second = Cache(tmp_path / "kept"), Cache(tmp_path / "kept")
    made = run(study, threads=2, cache=first)
    again = run(study, cache=second)
    assert second.made == []
    assert sorted(second.found) == sorted(first.made)
    assert as_json(fresh.to_dict()) == as_json(made.to_dict()) == as_json(again.to_dict())
    assert list(again["comparison"].comparisons) == [
        "rank-1",
        "rank-1/sex f",
        "rank-1/sex m",
        "fnmr@0.1",
    ]
    assert list(again["comparison"].titles.values()) == [
        "recognition rate at rank 1",
        "recognition rate at rank 1, sex f",
        "recognition rate at rank 1, sex m",
        "FNMR at an FMR of 0.1",
    ]


def alone(request: Request, key: str) -> Request:
    """What is asked of one analysis, and of those it comes after, with what of the rest bears on it."""
    kept = {key, *ANALYSES.find(key).after}
    asked = [one for name in kept for one in request.section(name)]
    off: dict[str, Any] = {name: () if ANALYSES.find(name).many else None for name in analysis_keys()}
    update = {name: nothing for name, nothing in off.items() if name not in kept}
    if not any(one.reads.ranks for one in asked):
        read = {name for one in asked for name in one.reads.experiment}
        update["experiment"] = ExperimentDesign(**request.experiment.model_dump(include=read))
    if all(one.category_use == "none" for one in asked):
        update["category"] = ()
    return request.model_copy(update=update)


@pytest.mark.usefixtures("few_deals")
def test_every_analysis_finds_alone_what_it_finds_among_all_others(studied: Studied) -> None:
    study = studied(EXPERIMENT, EVERYTHING)
    together = run(study)
    assert set(together.parts) == set(analysis_keys())  # each has a section in EVERYTHING
    for key in together.parts:
        found = run(alone(study.request, key), origin=study.origin)
        assert set(found.parts) == {key, *ANALYSES.find(key).after}
        assert as_json(found[key].to_dict()) == as_json(together[key].to_dict()), key


def test_a_changed_file_recomputes_what_depends_on_it(studied: Studied, folder: Path) -> None:
    study = studied(EXPERIMENT, "[verification]\nfmr = [0.1]\nn_resamples = 100")
    run(study, cache=Cache(folder / "kept"))
    stored = dict(np.load(folder / "poor.npz"))
    stored["scores"] = stored["scores"] + np.float64(1e-3)
    np.savez(folder / "poor.npz", **stored)
    cache = Cache(folder / "kept")
    changed = run(study, cache=cache)
    assert sorted(cache.found) == ["ranks", "verification"]
    assert sorted(cache.made) == ["comparison", "comparison", "ranks", "verification"]
    assert as_json(changed.to_dict()) == as_json(run(study).to_dict())


@pytest.mark.parametrize(
    ("before", "after", "made"),
    [
        ("seed = 0", "seed = 1", {"comparison", "verification"}),
        ("confidence_level = 0.95", "confidence_level = 0.9", {"comparison", "verification"}),
        ("ranks = [1, 5]", "ranks = [1, 2]", set()),
        ("fmr = [0.1]", "fmr = [0.2]", {"comparison", "verification"}),
        ("number == 0", "number == 1", {"ranks", "comparison", "verification"}),
    ],
)
def test_a_changed_parameter_recomputes_what_depends_on_it(
    studied: Studied, tmp_path: Path, before: str, after: str, made: set[str]
) -> None:
    rest = "[identification]\nranks = [1, 5]\n[verification]\nfmr = [0.1]\nn_resamples = 100\n[output]\nseed = 0\nconfidence_level = 0.95"
    run(studied(EXPERIMENT, rest), cache=Cache(tmp_path / "kept"))
    cache = Cache(tmp_path / "kept")
    sections = [text.replace(before, after) for text in (EXPERIMENT, rest)]
    study = studied(*sections)
    again = run(study, cache=cache)
    assert set(cache.made) == made
    assert as_json(again.to_dict()) == as_json(run(study).to_dict())


def test_a_run_that_was_stopped_goes_on(
    studied: Studied, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = studied(EXPERIMENT, "[verification]\nfmr = [0.1]\nn_resamples = 100")

    def stop(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("proband.analyses.comparison.run.shown_together", stop)
        with pytest.raises(KeyboardInterrupt):
            run(study, cache=Cache(tmp_path / "kept"))
    cache = Cache(tmp_path / "kept")
    run(study, cache=cache)
    assert sorted(cache.found) == ["ranks", "ranks", "verification", "verification"]
    assert cache.made == ["comparison", "comparison"]


def test_what_is_said_of_comparisons_is_all_that_is_compared(studied: Studied) -> None:
    verified = "[verification]\nfmr = [0.1]\nn_resamples = 100"
    asked = run(studied(EXPERIMENT, verified, "[[comparison]]\nmeasure = 'rank-2'"))
    assert list(asked["comparison"].comparisons) == ["rank-2"]
    study = studied(EXPERIMENT)
    without = run(study.request.model_copy(update={"verification": None}), origin=study.origin)
    assert list(without["comparison"].comparisons) == ["rank-1"]


def test_error_rates_that_cannot_be_compared_leave_the_comparison_of_ranks(
    studied: Studied, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise DesignError("Too few people.")

    monkeypatch.setattr("proband.analyses.comparison.run.compare_at_rates", refuse)
    found = run(studied(EXPERIMENT, "[verification]\nfmr = [0.1]\nn_resamples = 100"))
    assert list(found["comparison"].comparisons) == ["rank-1"]
    assert "No comparison of FNMR at an FMR of 0.1: Too few people" in map(str, found.notes)


def test_analyses_that_are_not_asked_for_are_left_out_with_a_note(studied: Studied) -> None:
    found = run(studied("[verification]\nfmr = [0.1]\nn_resamples = 0"))
    assert "identification" not in found
    assert "comparison" not in found
    assert len(found["verification"].verification) == 2
    assert any(
        str(note).startswith("No identification: good: queries and targets share") for note in found.notes
    )


@pytest.mark.parametrize("section", ["[identification]", "[[comparison]]", "[feret]"])
def test_analyses_that_are_asked_for_must_be_possible(studied: Studied, section: str) -> None:
    with pytest.raises(DesignError, match=r"study\.toml, line \d+.*the gallery must be specified"):
        run(studied(section))


@pytest.mark.parametrize(
    ("section", "kind", "said"),
    [
        ("[experiment]\ngallery = 'number == 9'", DesignError, "The gallery is empty"),
        ("[experiment]\ngallery = 'nmber == 0'", UsageError, "nmber"),
        ("[search]\ngallery = 'number == 0'\nprobes = 'number == 1'", DesignError, "every probe has a mate"),
        ("[choices]\ngroups = 'session'", UsageError, "session"),
        ("[verification]\nby = 'age'", UsageError, "no column 'age'"),
        ("[[category]]\nby = 'age'\n[experiment]\ngallery = 'number == 0'", UsageError, "no column 'age'"),
    ],
)
def test_impossible_designs_are_one_error(
    studied: Studied, section: str, kind: type[Exception], said: str
) -> None:
    with pytest.raises(kind, match=said) as error:
        run(studied(section))
    assert "study.toml, line" in str(error.value)


def test_ids_that_do_not_agree(studied: Studied, folder: Path) -> None:
    text = (folder / "samples.csv").read_text(encoding="utf-8")
    (folder / "samples.csv").write_text(text.replace("s00-0", "s00-x"), encoding="utf-8")
    with pytest.raises(AlignmentError, match="1 of 80 query ids is not in the samples table: 's00-0'"):
        run(studied(EXPERIMENT))
    dropped = SOURCES.replace("[[scores]]", "[[scores]]\nmissing = 'drop'")
    found = run(studied(EXPERIMENT, "[verification]\nn_resamples = 0", sources=dropped))
    assert found["identification"].evaluation is not None
    assert any("left out" in str(note) for note in found["identification"].evaluation.notes)


def test_two_algorithms_of_one_name(studied: Studied) -> None:
    with pytest.raises(UsageError, match="Two algorithms are named 'good'"):
        run(studied(EXPERIMENT, sources=SOURCES.replace("poor.npz", "good.npz")))


REVERSED = SOURCES.replace('orientation = "similarity"', 'orientation = "distance"', 1)
UNSAID = SOURCES.replace('orientation = "similarity"\n', "", 1)


@pytest.mark.parametrize(
    ("sources", "line", "said", "hint"),
    [
        (REVERSED, "line 4, [[scores]] number 1: good: read as a distance", "genuine pairs look worse", 'write orientation = "similarity"; or'),
        (REVERSED, "line 4, [[scores]] number 1", "read as a distance", "write check_orientation = false."),
        (UNSAID, "line 4, [[scores]] number 1", "must be 'similarity' or 'distance'", "does not guess it"),
        (SOURCES.replace('poor.npz"', 'poor.npz"\nkey = "x"'), "line 9, [[scores]] number 2", "'x'", ""),
        (SOURCES.replace("poor.npz", "good.npz"), "line 9, [[scores]] number 2", "Two algorithms are named 'good'", "the first is at study.toml, line 4"),
        (SOURCES.replace('csv"', 'csv"\nid_column = "name"'), "line 2, samples", "no column 'name'", 'id_column = "id" in [samples]'),
    ],
)  # fmt: skip
@pytest.mark.parametrize("rest", ["", "[identification]", "[verification]\nn_resamples = 0"])
def test_faults_of_sources_name_their_line_and_are_mended_by_keys(
    studied: Studied, sources: str, line: str, said: str, hint: str, rest: str
) -> None:
    with pytest.raises(ProbandError) as error:
        run(studied(EXPERIMENT, rest, sources=sources))
    assert error.value.message.startswith(f"study.toml, {line}")
    assert error.value.message.count("study.toml") == 1
    assert said in error.value.message
    assert hint in (error.value.hint or "")
    assert "--" not in (error.value.hint or "")


def test_ids_that_do_not_agree_name_their_line(studied: Studied, folder: Path) -> None:
    text = (folder / "samples.csv").read_text(encoding="utf-8")
    (folder / "samples.csv").write_text(text.replace("s00-0", "s00-x"), encoding="utf-8")
    with pytest.raises(
        AlignmentError, match=r"^study\.toml, line 4, \[\[scores\]\] number 1: .*1 of 80"
    ) as error:
        run(studied(EXPERIMENT))
    assert (error.value.hint or "").startswith('write missing = "drop" to leave them out')


def test_scores_that_are_not_numbers_name_their_line(studied: Studied, folder: Path) -> None:
    stored = dict(np.load(folder / "poor.npz"))
    stored["scores"][:] = np.nan
    np.savez(folder / "poor.npz", **stored)
    for rest in ("", "[[comparison]]", "[verification]\nn_resamples = 0"):
        with pytest.raises(
            InputError, match=r"^study\.toml, line 9, \[\[scores\]\] number 2: .*poor: .* not finite"
        ):
            run(studied(EXPERIMENT, rest))


def test_too_many_categories_are_mended_by_a_section(studied: Studied) -> None:
    with pytest.raises(
        UsageError, match=r"study\.toml, line \d+, category: .* expected 1 to 20 groups"
    ) as error:
        run(studied(EXPERIMENT, "[[category]]\nby = 'id'"))
    assert '[[category]] with name = "young" and rule = "probe.age < 30"' in (error.value.hint or "")


def test_one_algorithm_is_not_compared(studied: Studied) -> None:
    alone = SOURCES[: SOURCES.rindex("[[scores]]")]
    found = run(studied(EXPERIMENT, "[verification]\nn_resamples = 0", sources=alone))
    assert Scene(found).algorithms == ("good",)
    assert "comparison" not in found


def test_inputs_are_named_as_the_study_names_them(studied: Studied, folder: Path) -> None:
    (folder / "gallery.txt").write_text("".join(f"s{s:02d}-0\n" for s in range(20)), encoding="utf-8")
    found = run(studied("[experiment]\ngallery = '@gallery.txt'", sources=f"verification = false\n{SOURCES}"))
    assert [one.name for one in found.provenance.inputs] == [
        "samples.csv",
        "good.npz",
        "poor.npz",
        "gallery.txt",
    ]
    assert found.provenance.inputs[3].n_bytes == 120
    assert str(folder) not in as_json(found.to_dict())


def test_lists_that_name_no_queries_are_verified(folder: Path, studied: Studied) -> None:
    rng = np.random.default_rng(1)
    lines = [
        f"c{claimed} c{real} file {rng.normal() + 3 * (claimed == real):.4f}"
        for claimed in range(6)
        for real in range(6)
        for _ in range(4)
    ]
    (folder / "list.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    source = "[[scores]]\nfile = 'list.txt'\norientation = 'similarity'\nformat = 'bob4'\n"
    found = run(studied("[verification]\nfmr = [0.1]", sources=source))
    assert found["verification"].verification[0].rates.counts.n_genuine == 24


def test_images_are_recognised_once(folder: Path, studied: Studied) -> None:
    rng = np.random.default_rng(2)
    ids = [f"s{s:02d}-{k}" for s in range(20) for k in range(4)]
    faces = rng.integers(0, 255, (20, 16, 12))
    images = np.clip(np.repeat(faces, 4, axis=0) + rng.normal(0, 30, (80, 16, 12)), 0, 255)
    np.savez(folder / "images.npz", images=images.astype(np.uint8), ids=np.array(ids))
    sources = (
        "verification = false\n[samples]\nfile = 'samples.csv'\n[images]\nfile = 'images.npz'\nas_they_are = true\n"
        "algorithms = ['correlation', 'pca:l2']\ntrain = \"subject < 's05'\"\n"
    )
    design = "[experiment]\ngallery = \"number == 0 and subject >= 's05'\"\nprobes = \"number > 0 and subject >= 's05'\"\n"
    study = studied(design, sources=sources)
    first = run(study, cache=Cache(folder / "kept"))
    cache = Cache(folder / "kept")
    assert as_json(run(study, cache=cache).to_dict()) == as_json(first.to_dict())
    assert "recognised" in cache.found
    assert cache.made == []
    assert Scene(first).algorithms == ("correlation", "pca:l2")
    assert "none of whom is tested" in str(first.notes[0])


def test_training_on_the_gallery_is_labelled(folder: Path, studied: Studied) -> None:
    rng = np.random.default_rng(2)
    ids = [f"s{s:02d}-{k}" for s in range(20) for k in range(4)]
    np.savez(
        folder / "images.npz", images=rng.integers(0, 255, (80, 16, 12)).astype(np.uint8), ids=np.array(ids)
    )
    sources = (
        "verification = false\n[samples]\nfile = 'samples.csv'\n[images]\nfile = 'images.npz'\nas_they_are = true\n"
        "algorithms = ['pca:l2']\ntrain = 'number == 0'\ntargets = 'number == 0'\n"
    )
    with pytest.raises(DesignError, match="20 training samples are targets too") as refused:
        run(studied("[identification]", sources=sources))
    assert "allow_training_overlap = true" in str(refused.value)
    found = run(studied("[identification]", sources=sources + "allow_training_overlap = true\n"))
    told = [
        note for note in found["identification"].evaluation.notes if note.code == "scores.trained-on-gallery"
    ]
    assert ["20 of 20 targets" in str(note) for note in told] == [True]


def test_lists_allow_nothing_else(folder: Path, studied: Studied) -> None:
    (folder / "list.txt").write_text("a a x 1.0\na b x 0.0\nb b x 1.0\n", encoding="utf-8")
    source = "[[scores]]\nfile = 'list.txt'\norientation = 'similarity'\nformat = 'bob4'\n"
    with pytest.raises(DesignError, match="line 6, identification: the scores are lists"):
        run(studied("[identification]", sources=source))


def test_failures_count_alike_in_every_analysis(studied: Studied) -> None:
    """What [experiment] says of failures holds for the stratified evaluation too."""
    sources = SOURCES.replace('file = "samples.csv"', 'file = "samples.csv"\nfailed = "number == 3"')
    failed = {}
    for policy in ("miss", "as-scored"):
        study = studied(EXPERIMENT + f'on_failure = "{policy}"\n', "[strat]", sources=sources)
        found = run(study)
        assert found["strat"] is not None
        failed[policy] = found["strat"].effects[0].estimates[0].facts.n_failed
    assert failed == {"miss": 20, "as-scored": 0}


def test_words_for_missing_values_are_a_key_of_samples(folder: Path, studied: Studied) -> None:
    text = (folder / "samples.csv").read_text()
    (folder / "samples.csv").write_text(text.replace("s00-0,s00,0", "s00-0,s00,-"))
    sources = SOURCES.replace('csv"', 'csv"\nmissing_values = ["-"]')
    study = studied(EXPERIMENT, sources=sources)
    read = read_inputs(study.request, study.origin, Cache(folder / "kept"), None, Silent())
    assert read.samples is not None
    assert read.samples.frame["number"].null_count() == 1
    with pytest.raises(UsageError, match="'number' holds text"):
        run(studied(EXPERIMENT))
