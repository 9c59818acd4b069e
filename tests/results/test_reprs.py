"""What results show of themselves in a console: short lines that are honest, and never arrays."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import proband as pb
from proband.designs import Galleries
from proband.results.several import for_each
from proband.results.targets import derived
from proband.scores import Scores
from proband.words import Target

N = 12
IDS = [f"{side}{k}" for k in range(N) for side in "gp"]
SUBJECTS = [name[1:] for name in IDS]


@pytest.fixture(scope="module")
def known():
    samples = pb.Samples({"id": IDS, "subject": SUBJECTS, "session": [1, 2] * N})
    values = np.equal.outer(SUBJECTS, SUBJECTS) + np.random.default_rng(0).normal(0, 0.4, (2 * N, 2 * N))
    a, b, c = (
        pb.Scores.from_array(v, IDS, orientation="similarity", name=n)
        for n, v in (("a", values), ("b", values.T), ("c", values**2))
    )
    experiment = pb.Experiment(samples, gallery="session == 1")
    return {
        "pb": pb,
        "S": samples,
        "E": experiment,
        "a": a,
        "b": b,
        "c": c,
        "R": pb.measures.RecognitionRate(1),
        "half": pb.Experiment(samples, gallery=IDS[::4]),
        "O": pb.rank(a, experiment),
        "pool": pb.Pool(samples),
        "out": pl.DataFrame({"q": [*range(10)] * 2, "m": ["x"] * 10 + ["y"] * 10, "ok": [0, 1] * 10}),
        "galleries": Galleries(2),
        "y": np.arange(24) % 3,
        "L": np.random.default_rng(1).normal(size=(24, 3)),
    }


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ("S", "24 samples of 12 subjects"),
        ("E", "12 samples"),
        ("pool", "12 people"),
        ("a", "24 queries × 24 targets"),
        ("pb.Embeddings(a.values, S.ids, metric='cosine')", "24 queries"),
        ("O", "a: 12 probes ranked among 12 images"),
        ("R(O)", "recognition rate at rank 1 ="),
        ("pb.measures.CMC()(O)", "CMC of 12 probes"),
        ("pb.estimate(a, E, measure=R)", "for new people"),
        ("pb.estimate([a, b], E, measure=R)", "\nb: recognition rate"),
        ("pb.estimate(a, S, measure=pb.measures.FNMR(0.1))", "FNMR at an FMR of 0.1"),
        ("pb.stats.estimate_cmc(a, E)", "95% band"),
        ("pb.compare([a, b, c], E, measure=R)", "3 algorithms"),
        ("pb.compare([a, b], E, measure=R).pairs[0]", "a against b is undecided"),
        ("pb.evaluate([a, b], E)", "2 algorithms"),
        ("pb.evaluate([a, b], E).entries[0]", "a, all probes: 0.9167 [0.6461, 0.9851] at rank 1"),
        ("pb.verify(a, S, fmr=0.1)", "264 impostor comparisons"),
        ("pb.verify(a, S, fmr=0.1).points[0]", "FNMR"),
        ("pb.verify([a, b], S, fmr=0.1)", "\nb: 12 genuine"),
        ("pb.threshold(a, S, fmr=0.3)", "a:"),
        ("pb.search(a, half)", "a: 6 mated and 12 non-mated searches among 6 people"),
        ("pb.choices.exact_over_choices(a, pool)", "expected rate at rank 1"),
        ("pb.mcnemar(5, 3)", "n_sf=5"),
        ("pb.gate(a, E, baseline=b)", "Gate:"),
        ("pb.classify(y, {'A': L, 'B': L[::-1]})", "24 samples, 3 classes"),
        ("pb.classify(y, L).by_class[0].recall", "recall "),
        ("pb.compare_outcomes(out, item='q', algorithm='m', success='ok')", "2 systems"),
        ("pb.planning.plan_half_width(0.95, 0.01)", "1,838 people"),
        ("pb.planning.plan_difference(0.01, discordant=0.1, power=0.8)", "people"),
        ("pb.planning.plan_error_rate(0.001)", "2,995"),
        ("pb.planning.compare_halves(O, measure=R, n_splits=5)", "12 people"),
        ("pb.feret.gallery_variation([a, b], E, measure=R, design=galleries)", "2 galleries"),
        ("pb.feret.feret_study([a, b], E)", "2 algorithms"),
        ("pb.survey.estimate_weighted(lambda w: w.sum(), [1, 1, 2, 2])", "95%"),
    ],
)  # fmt: skip
def test_a_result_shows_itself_in_short_lines(known, call, words):
    shown = repr(eval(call, dict(known)))
    assert words in shown
    assert max(map(len, shown.splitlines())) <= 100
    assert len(shown.splitlines()) <= 7
    assert "array(" not in shown


def test_for_each_by_example() -> None:
    @for_each
    def size(scores: Scores) -> int:
        return scores.values.size

    a, b = (Scores.from_array([[1, 0]], ["p"], ["g", "h"], orientation="similarity", name=n) for n in "ab")
    assert (size(a), dict(size([a, b])), dict(size({"c": a}))) == (2, {"a": 2, "b": 2}, {"c": 2})


def test_derived_by_example() -> None:
    assert (
        repr(derived("difference", "difference of {}", Target("rank-rate", "recognition rate at rank 1")))
        == "Target(key='difference-of-rank-rate', words='difference of recognition rate at rank 1')"
    )


def test_several_results_are_a_dictionary() -> None:
    rng = np.random.default_rng(0)
    ids = [f"{person}{image}" for person in range(20) for image in "ab"]
    samples = pb.Samples({"id": ids, "subject": [name[:-1] for name in ids]})
    same = samples.codes[:, None] == samples.codes
    both = {
        name: Scores.from_array(rng.normal(size=(40, 40)) + 2 * same, ids, orientation="similarity")
        for name in ("new", "old")
    }
    results = pb.verify(both, samples, fmr=0.1, n_resamples=100)
    assert list(results) == ["new", "old"]
    eer, fnmr = results["new"].eer, results["new"].points[0].fnmr
    assert (eer.measure, eer.who.algorithm, fnmr.measure, fnmr.who.target_fmr) == (
        "eer",
        "new",
        "fnmr@0.1",
        0.1,
    )
    assert fnmr.low <= fnmr.value <= fnmr.high
    assert {"new", "old"} == set(results.to_frame()["algorithm"]) == set(results.to_dict())
    with pytest.raises(pb.errors.UsageError, match="did you mean 'new'"):
        results["knew"]
    deployed = pb.threshold(both, samples, fmr=(0.2, 0.3), check_orientation=False)
    assert (list(deployed["new"]), deployed["old"][0.3].target_fmr) == ([0.2, 0.3], 0.3)
    with pytest.raises(pb.errors.UsageError, match=r"the false match rates are: 0\.2, 0\.3"):
        deployed["new"][0.5]
