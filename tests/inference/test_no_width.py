"""An interval of no width comes of what does not vary, and supports no verdict: by any design, at any door."""

from __future__ import annotations

import numpy as np
import pytest

import proband as pb
from proband.designs import Binomial, Bootstrap, ClusteredMcNemar, SignFlip, StratifiedDesign
from proband.errors import DesignError, ProbandError
from proband.inference import cluster_statistics, compare, compare_independent
from proband.inference.comparisons.testing.curves import Percentiles, Student
from proband.inference.comparisons.verdicts import verdict_of
from proband.inference.galleries.effect import _hotelling, _pairs
from proband.inference.proportions import Interval
from proband.measures import RecognitionRate
from proband.samples import Experiment, Samples
from proband.scores import Scores

DESIGNS = (
    pb.designs.BRR(), pb.designs.BRR(sample=3), pb.designs.Fay(), pb.designs.Enumeration(), pb.designs.Jackknife(), pb.designs.Jackknife(kind="JK1"), pb.designs.RaoWu(n_resamples=60),
    Bootstrap("subject", n_resamples=100), Bootstrap("probe", n_resamples=100), SignFlip(), ClusteredMcNemar(), Binomial(),
)  # fmt: skip
STILL = pb.designs.BRR | pb.designs.Jackknife | pb.designs.RaoWu | Bootstrap
PEOPLE = np.repeat(np.arange(7), 3)


def third(name, outcomes_of, rank_of):
    """Hits that are a third each, as ties broken at random give: sums of thirds are where rounding shows."""
    return outcomes_of(rank_of, PEOPLE, name, ties="mean", tied=np.full(21, 2))


@pytest.mark.parametrize("design", DESIGNS, ids=str)
@pytest.mark.parametrize("ties", ["pessimistic", "mean"])
@pytest.mark.parametrize("second", ["the same", "all wrong"])
def test_what_does_not_vary_decides_only_what_everybody_shows(outcomes_of, design, ties, second):
    wrong = np.full(21, 5 if second == "all wrong" else 0)
    if ties == "mean":
        pair = third("a", outcomes_of, np.zeros(21)), third("b", outcomes_of, wrong)
    else:
        pair = outcomes_of(np.zeros(21), PEOPLE, "a"), outcomes_of(wrong, PEOPLE, "b")
    try:
        found = compare(pair, measure=RecognitionRate(1), design=design, margin=0.5)
    except DesignError:
        assert ties == "mean"  # fractions have no counts
        return
    (one,) = found.pairs
    assert one.low < one.high  # what as many people without an event allow
    if second == "all wrong" and isinstance(design, STILL):
        # Seven people who all differ by d: people who were not seen could make up for it with the chance 2(1 + d)^−7.
        d, units = 1 / 3 if ties == "mean" else 1.0, 21 if design == DESIGNS[8] else 7
        assert one.value == pytest.approx(d)
        assert one.p_value == pytest.approx(max(2 * (1 + d) ** -units, one.method.floor or 0.0), rel=0.1)
        assert one.told_apart == (one.p_value <= 0.05) == (one.low > 0)
        assert one.told_apart or ties == "mean"
        return
    if one.varies:
        assert not isinstance(design, STILL)
        return
    assert (one.verdict, one.not_inferior, one.subjects_needed) == ("undecided", False, None)
    assert one.low <= 0 <= one.high
    assert "not worse" not in str(one.sentence())
    assert "no variation" in str(one.sentence())
    assert (one.p_value, one.told_apart) == (1.0, False)
    if isinstance(design, StratifiedDesign):
        assert any("there is no variation within strata" in str(note) for note in found.estimates[0].notes)


@pytest.mark.parametrize("at", [-0.3, 0.0, 1 / 3])
@pytest.mark.parametrize("rounding", [0.0, 1e-17, 1e-14])
@pytest.mark.parametrize("upward", [True, False])
def test_the_one_place_that_decides(at, rounding, upward):
    drawn = np.array([at, at + rounding, at, at])
    for still in (Student(at, 0.0, 5.0, units=1), Percentiles(at, drawn, 0.001, 1)):
        interval = still.interval(0.05)
        assert still.p_value == 1.0
        assert interval.low < 0 < interval.high or at == 0
        assert verdict_of(still, interval, interval, 0.5, upward) == ("undecided", False, False)
        assert verdict_of(still, interval, None, None, upward) == ("undecided", None, None)
    moving = Interval(0.2, 0.3)
    decided = verdict_of(Student(0.25, 0.02, 9.0), moving, moving, 0.5, upward)
    assert decided == ("better" if upward else "worse", True, True)


@pytest.mark.parametrize("value", [0.0, 1 / 3, 0.1, 1.0])
@pytest.mark.parametrize("people", [5, 20, 49])
def test_galleries_that_differ_alike_for_everybody_are_not_tested(people, value):
    """The same contrast for everybody has no variance, and rounding is none."""
    means = np.column_stack(
        [np.full(people, value + 0.1), np.full(people, value), np.full(people, value * 0.7)]
    )
    assert _hotelling(means, "net").p_value == 1.0
    for pair in _pairs(means, "net", 0.95):
        assert (pair.standard_error, pair.p_value, pair.varies) == (0.0, 1.0, False)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([3.0, 4.0, 5.0, 2.0], "from 0 to 1"),
        ([-0.1, 0.5, 1.0, 0.0], "from 0 to 1"),
        ([0.0, 1.0, 1.01, 1], "from 0 to 1"),
        ([0.0, 1.0, np.nan, 1.0], "1 of the 4 outcomes is missing"),
    ],
)
def test_scores_and_counts_are_no_successes(values, said):
    with pytest.raises(ProbandError, match=said):
        cluster_statistics(np.array(values), np.array([0, 0, 1, 1]))


def halves(n: int = 30):
    ids = [f"{side}{k}" for side in "gp" for k in range(n)]
    samples = Samples({"id": ids, "subject": [f"s{name[1:]}" for name in ids]})
    values = np.eye(n) + np.random.default_rng(0).normal(0, 0.5, (n, n))
    scores = Scores.from_array(values, ids[n:], ids[:n], orientation="similarity", name="net")

    def over(first, last, table=samples):
        experiment = Experiment(table, gallery=ids[:n], probes=[f"p{k}" for k in range(first, last)])
        return pb.rank(scores, experiment)

    return over, samples


def test_people_in_both_sets_are_refused():
    over, samples = halves()
    rate = RecognitionRate(1)
    apart = compare_independent(over(0, 15), over(15, 30), measure=rate)
    assert "no person is in both sets" in str(apart.answers.assuming)
    assert apart.notes == ()
    for table in (samples, Samples(samples.frame)):  # the table, and one that says the same
        with pytest.raises(DesignError, match=r"3 people are in both sets.*'s12'") as refused:
            compare_independent(over(0, 15), over(12, 30, table), measure=rate)
        assert refused.value.hint


def test_names_of_two_tables_may_be_anybody():
    over, samples = halves()
    other = Samples(samples.frame.with_columns(site=samples.frame["subject"])[::-1])
    found = compare_independent(over(0, 15), over(14, 30, other), measure=RecognitionRate(1))
    assert "unknown" in str(found.answers.assuming)
    assert "1 name is in both tables ('s14')" in str(found.notes[0])
