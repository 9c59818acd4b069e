from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from proband.blind import BlindTest, Key, Package, hashed
from proband.blind.checking.submission import Submission
from proband.blind.scoring import AnsweredTest, blind_study, open_tests
from proband.engine.files.documents import as_json
from proband.errors import DesignError, InputError, UsageError
from proband.inference import evaluate
from proband.measures import rank
from proband.samples import Samples
from proband.scores import Scores, experiment_over

Make = Callable[..., tuple[Package, Key]]
Answer = Callable[..., Path]


def answered(test: tuple[Package, Key], *paths: Path) -> AnsweredTest:
    return AnsweredTest(test[1], test[0], tuple(map(Submission.read, paths)))


@pytest.fixture
def test(make: Make) -> tuple[Package, Key]:
    return make(pictures=None, canaries=3, control=5)


def noisy(size: float) -> Callable[[np.ndarray], np.ndarray]:
    """Another algorithm: a fixed function of the score, so that equal pairs stay equal."""
    return lambda matrix: (matrix + size * np.sin(1e3 * matrix)).astype(np.float32)


def test_scores_are_those_of_the_original_images(test: tuple[Package, Key], answer: Answer) -> None:
    package, key = test
    path = answer(*test)
    opened = open_tests([answered(test, path)])
    (scores,) = opened.scores
    assert scores.shape == (120, 60)  # no repeats
    matrix = np.load(path / "scores.npy")
    sample = dict(zip(key.table["name"], key.table["sample"], strict=True))
    for row in (0, 50, 119):
        for column in (0, 30, 59):
            named = [name for name in package.queries if sample[name] == scores.queries[row]]
            target = [name for name in package.targets if sample[name] == scores.targets[column]]
            expected = {
                matrix[package.queries.index(q), package.targets.index(t)] for q in named for t in target
            }
            assert scores.tile(np.array([row]), np.array([column]))[0, 0] == pytest.approx(
                expected.pop(), rel=1e-6
            )


def test_the_study_is_that_of_a_direct_evaluation(test: tuple[Package, Key], answer: Answer) -> None:
    package, key = test
    paths = [answer(*test), answer(*test, noisy(0.3), name="worse")]
    opened = open_tests([answered(test, *paths)])
    study = blind_study(opened)
    sample = dict(zip(key.table["name"], key.table["sample"], strict=True))
    sole = key.table.filter(key.table["repeat_of"].is_null())["name"].to_list()
    rows = [place for place, name in enumerate(package.queries) if name in sole]
    columns = [place for place, name in enumerate(package.targets) if name in sole]
    direct = [
        Scores.from_array(
            np.load(path / "scores.npy")[np.ix_(rows, columns)],
            [sample[package.queries[place]] for place in rows],
            [sample[package.targets[place]] for place in columns],
            orientation="similarity",
            name=name,
        )
        for path, name in zip(paths, ("directions", "worse"), strict=True)
    ]
    experiment = experiment_over(direct, key.samples, gallery=list(direct[0].targets))
    assert len(experiment.probes) == 60  # the queries that are no targets
    expected = evaluate(direct, experiment).to_dict()
    assert json.dumps(study.to_dict()["evaluation"]["results"]) == json.dumps(expected["results"])


def test_the_record_says_what_was_administered(test: tuple[Package, Key], answer: Answer) -> None:
    package, key = test
    path = answer(*test, training=["a stranger"])
    study = blind_study(open_tests([answered(test, path)]))
    (kept,) = study.to_dict()["administration"]["tests"]
    assert kept["package"] == package.digest == key.package
    assert kept["commitment"] == key.commitment
    (submission,) = kept["submissions"]
    names = json.dumps(
        {"either": [hashed("a stranger", package.training_salt)], "samples": [], "subjects": []},
        separators=(",", ":"),
    )
    assert submission["training"] == {"count": 1, "digest": hashlib.sha256(names.encode()).hexdigest()}
    assert submission["canaries"]["n_control"] == 25
    assert set(submission["files"]) == {"submission.toml", "scores.npy", "control.npy"}
    assert any(package.digest in str(note) for note in study.notes)
    told = as_json(study.to_dict())
    assert "a stranger" not in told
    assert not any(name in told for name in package.queries)  # results do not give the key away


def test_failed_images_are_counted_and_not_named(test: tuple[Package, Key], answer: Answer) -> None:
    package, key = test
    original = key.samples.ids[key.samples.select("session == 2").positions[0]]
    names = key.table.filter(key.table["sample"] == original)["name"].to_list()
    study = blind_study(open_tests([answered(test, answer(*test, failed=names))]))
    told = study.to_dict()
    assert told["administration"]["tests"][0]["submissions"][0]["n_failed_images"] == len(names)
    assert not any(name in as_json(told) for name in (*package.queries, *package.targets))


def test_one_refusal_stops_everything(test: tuple[Package, Key], answer: Answer) -> None:
    good, bad = answer(*test), answer(*test, lambda m: m - m.mean(), name="centred")
    with pytest.raises(InputError, match="rescaled over the whole test set"):
        open_tests([answered(test, good, bad)])


def test_failures_count_as_misses(test: tuple[Package, Key], answer: Answer) -> None:
    _, key = test
    first = key.samples.select("session == 2").positions[0]
    original = key.samples.ids[first]
    names = key.table.filter(key.table["sample"] == original)["name"].to_list()
    opened = open_tests([answered(test, answer(*test, failed=names))])
    outcomes = rank(opened.scores[0], opened.experiment())
    assert outcomes.failed.sum() == 1
    assert outcomes.probes[outcomes.failed].tolist() == [first]
    assert any("failed on 1 query and 0 targets" in str(note) for note in outcomes.notes)


def test_versions_are_paired_by_name(people: Samples, answer: Answer, tmp_path: Path) -> None:
    made = BlindTest(
        people,
        "session == 1",
        "session == 2",
        versions=("fully automatic", "partially automatic"),
    ).make(tmp_path / "both", tmp_path / "both.key")
    tests = [(package, Key.read(key)) for package, key in zip(made.packages, made.keys, strict=True)]
    fully, partially = tests
    opened = open_tests(
        [
            answered(fully, answer(*fully, noisy(0.2))),
            answered(partially, answer(*partially), answer(*partially, name="other")),
        ]
    )
    assert [one.name for one in opened.scores] == [
        "directions (fully automatic)",
        "directions (partially automatic)",
        "other",
    ]
    study = blind_study(opened)
    (pair,) = study.versions
    assert (pair.first, pair.second) == ("directions (fully automatic)", "directions (partially automatic)")
    assert study.field == ("directions (partially automatic)", "other")
    assert pair.rows[0].second[0] >= pair.rows[0].first[0]


def test_names_must_differ(test: tuple[Package, Key], answer: Answer) -> None:
    path = answer(*test)
    with pytest.raises(UsageError, match="Two submissions have the name 'directions'"):
        open_tests([answered(test, path, path)])
    with pytest.raises(UsageError, match="nothing to score"):
        open_tests([answered(test)])


def test_tests_of_other_samples_are_not_mixed(test: tuple[Package, Key], answer: Answer, make: Make) -> None:
    other = make(
        "fewer", pictures=None, query="session == 2", target="session == 1 and subject < 'Subject-010'"
    )
    with pytest.raises(DesignError, match="not tests of the same samples"):
        open_tests([answered(test, answer(*test)), answered(other, answer(*other))])


def test_an_image_is_not_searched_for_among_itself(make: Make, answer: Answer) -> None:
    whole = make("whole", pictures=None, target="all", query="all")
    opened = open_tests([answered(whole, answer(*whole))])
    with pytest.raises(DesignError, match="Every query is also a target"):
        opened.experiment()
    experiment = opened.experiment("one_per_subject")
    assert not set(experiment.gallery) & set(experiment.probes)
    assert (len(experiment.gallery), len(experiment.probes)) == (30, 90)


@pytest.mark.parametrize("seed", [None, 3])
def test_a_rehearsal_is_named_with_its_results(make: Make, answer: Answer, seed: int | None) -> None:
    test = make(pictures=None, canaries=3, control=5, seed=seed)
    opened = open_tests([answered(test, answer(*test))])
    assert opened.to_dict()["tests"][0]["rehearsal"] is (seed is not None)
    assert any(said.code == "blind.rehearsal" for said in opened.sentences()) is (seed is not None)
