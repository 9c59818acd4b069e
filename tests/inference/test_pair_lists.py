"""Comparisons that are chosen pairs: counted, verified over people, and the same from a list as from a matrix with gaps."""

import json

import numpy as np
import polars as pl
import pytest
from tests.nameless import nameless

import proband as pb
from proband.errors import AlignmentError, InputError, UsageError
from proband.inference.verification.people.meetings import Comparisons
from proband.inference.verification.people.partial_meetings import ListedComparisons
from proband.study.reading import read_study
from proband.study.run import run as carry_out

FMR = 0.1


@pytest.fixture
def chosen():
    """The samples of 400 people, and some pairs of them with scores; nobody's images stand together."""
    rng = np.random.default_rng(3)
    samples = pb.Samples(
        {"id": [f"i{k:04d}" for k in range(1600)], "subject": [f"s{k % 400}" for k in range(1600)]}
    )
    genuine = np.array([(k, k + 400) for k in range(400)] + [(k, k + 800) for k in range(200)])
    impostor = rng.integers(0, 1600, (3000, 2))
    impostor = impostor[impostor[:, 0] % 400 != impostor[:, 1] % 400]
    pairs = np.unique(np.concatenate([genuine, np.sort(impostor, axis=1)]), axis=0)
    ids = np.array(samples.ids[:])
    score = rng.normal(size=len(pairs)) + 2.0 * (pairs[:, 0] % 400 == pairs[:, 1] % 400)
    return samples, pl.DataFrame({"query": ids[pairs[:, 0]], "target": ids[pairs[:, 1]], "score": score})


def numbers(result):
    said = result if isinstance(result, dict) else result.to_dict()
    return nameless({name: said[name] for name in ("n_subjects", "n_genuine", "n_impostor", "points")})


@pytest.mark.parametrize("symmetric", [False, True])
def test_what_is_listed_counts_as_what_is_crossed(symmetric):
    rng = np.random.default_rng(1)
    queries = rng.integers(0, 4, 9)
    targets = queries if symmetric else rng.integers(0, 4, 9)
    crossed = Comparisons(queries, targets, symmetric)
    rows, columns = np.repeat(np.arange(9), queries), np.repeat(np.arange(9), targets)
    left, right = (
        side.ravel() for side in np.meshgrid(np.arange(len(rows)), np.arange(len(columns)), indexing="ij")
    )
    kept = (rows[left] != columns[right]) & ((left < right) | (not symmetric))
    listed = ListedComparisons.of(rows[left[kept]], columns[right[kept]], 9)
    assert (listed.n_impostor, listed.sum_of_squares) == (crossed.n_impostor, crossed.sum_of_squares)
    assert listed.n_by_subject.tolist() == crossed.n_by_subject.tolist()
    i, j = np.triu_indices(9, 1)
    assert listed.n_between(i, j).tolist() == crossed.n_between(i, j).tolist()
    weights = rng.integers(0, 3, (20, 9)).astype(np.int32)
    assert listed.in_drawings(weights).tolist() == crossed.in_drawings(weights).tolist()
    assert 1 <= listed.n_disjoint <= crossed.n_disjoint


@pytest.mark.parametrize("on_both_axes", [False, True])
def test_a_matrix_with_gaps_and_its_list_have_the_same_intervals(on_both_axes):
    rng = np.random.default_rng(0)
    ids = [f"{s}-{k}" for s in range(30) for k in range(4)]
    own = np.repeat(np.arange(30), 4)
    scores = rng.normal(size=(120, 120)) + 2 * (own[:, None] == own)
    kept = np.triu(rng.random((120, 120)) < 0.3, 1)
    if not on_both_axes:
        kept = (rng.random((120, 120)) < 0.3) & (np.arange(120) % 2 == 0)[:, None] & (np.arange(120) % 2 == 1)
    rows, columns = np.nonzero(kept)
    samples = pb.Samples({"id": ids, "subject": [str(one) for one in own]})
    names = np.array(ids)
    listed = pl.DataFrame({"query": names[rows], "target": names[columns], "score": scores[rows, columns]})
    trials = pb.Trials(listed, "similarity")
    values, queries, targets, cells, _ = trials.to_matrix()
    matrix = pb.Scores.from_array(values, queries, targets, orientation="similarity", cells=cells)
    found = pb.verify(matrix, samples, fmr=[FMR], n_resamples=100)
    (point,) = found.points
    assert (point.fmr.value, point.fmr.rests_on.n) == (point.fmr.value, point.counts.n_impostor)
    assert point.fmr.low < point.fmr.value < point.fmr.high
    assert numbers(pb.verify(trials, samples, fmr=[FMR], n_resamples=100)) == numbers(found)


def test_chosen_pairs_are_verified_through_every_door(chosen, run, tmp_path):
    samples, listed = chosen
    listed.write_csv(tmp_path / "pairs.csv")
    samples.frame.write_csv(tmp_path / "samples.csv")
    expected = pb.verify(pb.Trials(listed, "similarity"), samples, fmr=[FMR], n_resamples=100)
    assert expected.points[0].fmr.rests_on.n_units == 400
    asked = ("--orientation", "similarity", "--fmr", FMR, "--replicates", 100)
    done = run("verify", "pairs.csv", "-s", "samples.csv", *asked, "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert numbers(json.loads(done.stdout)["verification"]["algorithms"][0]) == json.loads(
        json.dumps(numbers(expected))
    )
    (tmp_path / "study.toml").write_text(
        '[samples]\nfile = "samples.csv"\n[[scores]]\nfile = "pairs.csv"\norientation = "similarity"\n'
        f"[verification]\nfmr = [{FMR}]\nn_resamples = 100\n"
    )
    (studied,) = carry_out(read_study(tmp_path / "study.toml"))["verification"].verification
    assert numbers(studied) == numbers(expected)
    for option in (("--gallery", "all"), ("--by", "subject"), ("--zoo",)):
        refused = run("verify", "pairs.csv", "-s", "samples.csv", *asked, *option, cwd=tmp_path)
        assert (refused.returncode, option[0] in refused.stderr) == (2, True)


def test_a_list_and_a_table_that_disagree_are_refused(chosen):
    samples, listed = chosen
    trials = pb.Trials(listed, "similarity")
    with pytest.raises(InputError, match="more than once"):
        pb.Trials(pl.concat([listed, listed[:1]]), "similarity").with_samples(samples)
    with pytest.raises(AlignmentError, match="'mated' contradicts"):
        pb.Trials(listed.with_columns(mated=True), "similarity").with_samples(samples)
    part = samples.take(np.arange(1500))
    with pytest.raises(AlignmentError, match="not in the samples table"):
        trials.with_samples(part)
    assert "are of ids that are left out" in " ".join(map(str, trials.with_samples(part, "drop").notes))
    with pytest.raises(UsageError, match="cannot be used within an experiment"):
        pb.verify(trials, pb.Experiment(samples, "one_per_subject"))
