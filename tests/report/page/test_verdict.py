from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.report.page import finding

import proband as pb
from proband.analyses.comparison.run import ComparedAlgorithms
from proband.analyses.identification.run import Identified
from proband.analyses.search.run import Searched
from proband.analyses.verification.run import Verified
from proband.inference.verification.open_set import searches_with_intervals
from proband.report.kinds.verdicts import (
    best_two,
    leading_group,
    pair_verdict,
    what_would_decide,
)
from proband.report.page.model import Badges, Folded, Paragraph
from proband.report.page.sections.conditions import conditions_section
from proband.report.page.sections.verdict import verdict_section
from proband.report.scene import Scene
from proband.report.tables import cells
from proband.results.difference import turned
from proband.study.findings import Findings
from proband.words import as_sentence


def compared(wrong: dict[str, range], n: int = 200, **options: object) -> pb.results.Comparison:
    """Algorithms that miss these of so many people."""
    ids = [f"{side}{k}" for side in "gp" for k in range(n)]
    samples = pb.Samples({"id": ids, "subject": [name[1:] for name in ids]})
    made = {}
    for name, missed in wrong.items():
        values = np.eye(n)
        values[missed, :] = 0.5
        made[name] = pb.Scores.from_array(values, ids[n:], ids[:n], orientation="similarity", name=name)
    return pb.compare(
        made, pb.Experiment(samples, gallery=ids[:n]), measure=pb.measures.RecognitionRate(1), **options
    )


def sentences(found: Findings) -> list[str]:
    section = verdict_section(Scene(found))
    assert section is not None
    blocks = [inner for one in section.blocks for inner in (one.blocks if isinstance(one, Folded) else [one])]
    return [block.text for block in blocks if isinstance(block, Paragraph)]


def of(comparison: pb.results.Comparison) -> list[str]:
    return sentences(
        Findings("t", finding.PROVENANCE, {"comparison": ComparedAlgorithms({"rank 1": comparison})})
    )


@pytest.mark.parametrize(
    "made", [finding.whole, finding.feret, finding.one, finding.labelled, finding.under_protocols]
)
def test_the_headline_is_a_record_of_its_own(made):
    scene = Scene(made())
    section, told = verdict_section(scene), scene.summary
    assert section is not None
    assert told is not None
    strong, *rest = sentences(made())
    assert section.blocks[0] == Paragraph(strong, strong=True)
    assert strong == as_sentence(told.headline)
    assert {as_sentence(note) for note in told.rest} <= set(rest)
    rooms = {note.code.partition(".")[0] for note in (told.headline, *told.rest)}
    assert rooms <= {"verdict", "comparison", "protocols", "protocol", "epd"}


def test_without_findings_there_is_nothing_to_sum_up():
    assert Scene(Findings("t", finding.PROVENANCE)).summary is None


def test_better():
    comparison = compared({"poor": range(60), "good": range(10)})
    (pair,) = comparison.pairs
    first, *rest = of(comparison)
    assert first == "good leads: its recognition rate at rank 1 is significantly better than that of poor."
    (told,) = (one for one in rest if one.startswith("good is better than poor:"))
    assert "recognition rate at rank 1 +25.00 points [" in told
    assert f"[{-100 * pair.high:+.2f}, {-100 * pair.low:+.2f}]" in told
    assert "adjusted" not in told  # there is one pair


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"a": range(10), "b": range(12), "c": range(80)}, "a and b lead in recognition rate at rank 1; they are not significantly different."),
        ({"a": range(10), "b": range(5, 15), "c": range(3, 14), "d": range(90)}, "a, b and c lead in recognition rate at rank 1; no two of them are significantly different."),
        ({"a": range(10), "b": range(50), "c": range(80)}, "a leads: its recognition rate at rank 1 is significantly better than those of the 2 others."),
        ({"a": range(10), "b": range(5, 15), "c": range(3, 14)}, "No algorithm leads: no two of the 3 are significantly different in recognition rate at rank 1."),
        ({"a": range(10), "b": range(4, 16)}, "a and b are not significantly different in recognition rate at rank 1."),
        ({**{f"n{k}": range(k, 10 + k) for k in range(6)}, "z": range(90)}, "n0, n1, n2 and 3 others lead in recognition rate at rank 1; no two of them are significantly different."),
    ],
)  # fmt: skip
def test_the_headline_names_the_leading_group(wrong, told):
    comparison = compared(wrong)
    group = leading_group(comparison)
    assert of(comparison)[0] == told
    assert not any(pair.told_apart for pair in comparison.pairs if {pair.first, pair.second} <= set(group))
    for name in wrong.keys() - set(group):
        assert any(name in comparison.beaten_by(leader) for leader in wrong)


def test_equivalent():
    comparison = compared({"a": range(2), "b": range(1, 3)}, n=2000)
    first, *rest = of(comparison)
    assert first == "a and b are equivalent in recognition rate at rank 1 within 1 point."
    assert any(
        one.startswith("a and b are equivalent within 1 point: recognition rate at rank 1 0.00 points")
        for one in rest
    )


def test_undecided_says_what_would_decide_it():
    comparison = compared({"a": range(10), "b": range(4, 16)})
    (pair,) = comparison.pairs
    said = of(comparison)
    assert any(one.startswith("Whether a or b is better is undecided:") for one in said)
    settled = f"About {pair.subjects_needed:,} people would be needed to detect a true difference of 1 point with a power of 80%; this study has 200."
    assert any(settled in one for one in said)


@pytest.mark.parametrize(
    ("design", "unit", "units", "have"),
    [
        (pb.designs.SignFlip(), "person", 60, "60"),
        (pb.designs.Binomial(), "probe", 120, "120"),
        (pb.designs.BRR(), "probe", 120, "120"),
        (pb.designs.BRR(strata="site", units="subject"), "person", 60, "60"),
    ],
)
def test_what_would_decide_it_is_more_of_what_varies(design, unit, units, have):
    """Sixty people with two probes each, of which two algorithms miss different ones."""
    who = np.tile(np.arange(60), 3)
    ids = [f"i{k}" for k in range(180)]
    table = {"id": ids, "subject": [f"s{k}" for k in who], "site": [f"site {k // 30}" for k in who]}
    right = {"a": np.arange(120) % 7 != 0, "b": np.arange(120) % 9 != 0}
    same = who[60:, None] == np.arange(60)
    scores = [
        pb.Scores.from_array(np.where(one[:, None], same, ~same) * 1.0, ids[60:], ids[:60], orientation="similarity", name=name)
        for name, one in right.items()
    ]  # fmt: skip
    experiment = pb.Experiment(pb.Samples(table), gallery=ids[:60])
    comparison = pb.compare(scores, experiment, measure=pb.measures.RecognitionRate(1), design=design)
    (pair,) = comparison.pairs
    assert (pair.verdict, pair.unit) == ("undecided", unit)
    told = {"person": "people", "probe": "probes"}[unit]
    assert f"about {pair.subjects_needed:,} {told} would be needed" in str(pair.sentence()).lower()
    (needed,) = (str(one) for one in what_would_decide(pair, comparison) if "would be needed" in str(one))
    assert f"About {pair.subjects_needed:,} {told} would be needed" in needed
    assert needed.endswith(f"this study has {have}")
    if unit == "probe" and isinstance(design, pb.designs.BRR):
        # By hand: the textbook variance of d within people, and n ((z_.975 + z_.8) se / .01)².
        d = (right["a"].astype(float) - right["b"]).reshape(2, 60)
        variance = (d.var(axis=0, ddof=1) / 2).sum() / 60**2
        assert pair.subjects_needed == int(
            np.ceil(units * variance * ((1.959963985 + 0.841621234) / 0.01) ** 2)
        )


def test_undecided_without_a_margin():
    comparison = compared({"a": range(10), "b": range(4, 16)})
    (note,) = what_would_decide(comparison.pairs[0], replace(comparison, margin=None))
    assert as_sentence(note) == "No margin was declared, so equivalence cannot be shown."


def test_better_by_less_than_is_worth_having():
    comparison = compared({"a": range(10), "b": range(10, 28), "c": range(40, 64), "d": range(64, 90)})
    pair = replace(
        best_two(comparison), verdict="better", within_margin=True, bound_low=0.001, bound_high=0.008
    )
    assert "is better than" in str(pair_verdict(pair, comparison))
    assert "smaller than 1 point (one-sided bounds" in str(what_would_decide(pair, comparison)[0])


def test_smaller_is_better():
    algorithms = {name: finding.scores(name, noise, 1) for name, noise in (("sharp", 0.3), ("blunt", 1.5))}
    experiment = pb.Experiment(finding.samples(), gallery="image == 0")
    comparison = pb.compare(algorithms, experiment, measure=pb.measures.FNMR(0.1))
    first, *rest = of(comparison)
    assert first == "sharp leads: its FNMR at an FMR of 0.1 is significantly better than that of blunt."
    assert any(one.startswith("sharp is better than blunt: FNMR at an FMR of 0.1 −") for one in rest)


def test_turning_twice_changes_nothing_that_is_known():
    pair = best_two(compared({"poor": range(60), "good": range(10)}))
    again = turned(turned(pair))
    assert again.not_inferior is pair.not_inferior
    assert (again.first, again.value, again.low, again.high, again.verdict) == (
        pair.first, pair.value, pair.low, pair.high, pair.verdict,
    )  # fmt: skip


def test_one_algorithm():
    found = finding.one()
    assert found["identification"].evaluation is not None
    entry = found["identification"].evaluation.entries[0]
    low, high = entry.interval(1) or (0.0, 0.0)
    assert sentences(found)[0] == (
        f"sharp: recognition rate {entry.curve.at(1):.4f} [{low:.4f}, {high:.4f}] at rank 1, of 120 probes of 40 people."
    )


@pytest.mark.parametrize(
    ("part", "start"),
    [
        ("verification", "Of 3 algorithms, sharp has the lowest FNMR at an FMR of 0.1"),
        ("search", "sharp: "),
        ("choices", "sharp: mean rate "),
    ],
)
def test_other_parts_speak_for_themselves(part, start):
    found = Findings("t", finding.PROVENANCE, {part: finding.whole()[part]})
    assert sentences(found)[0].startswith(start)


def searched(nonmated: int, fpir: float) -> Findings:
    """Forty enrolled people with a search each, and so many searches for others."""
    ids = [f"g{k}" for k in range(40)] + [f"p{k}" for k in range(40)] + [f"n{k}" for k in range(nonmated)]
    people = [name[1:] if name[0] != "n" else name for name in ids]
    values = np.random.default_rng(3).normal(size=(40 + nonmated, 40)) + 4 * np.eye(40 + nonmated, 40)
    made = pb.Scores.from_array(values, ids[40:], ids[:40], orientation="similarity", name="net")
    experiment = pb.Experiment(pb.Samples({"id": ids, "subject": people}), gallery=ids[:40])
    found = searches_with_intervals(pb.search(made, experiment), (fpir,), (1,))
    return Findings("t", finding.PROVENANCE, {"search": Searched((found,))})


@pytest.mark.parametrize(
    ("nonmated", "fpir", "shown"),
    [
        (1, 0.01, "Misses at an FPIR of 0.01 are not measurable here: 1 non-mated search; at least 30 are needed."),
        (29, 0.1, "Misses at an FPIR of 0.1 are not measurable here: 29 non-mated searches; at least 30 are needed."),
        (
            50,
            0.01,
            "Misses at an FPIR of 0.01 are not measurable here: 50 non-mated searches; a single false positive among them is "
            "already a rate of 0.02.",
        ),
    ],
)  # fmt: skip
def test_open_sets_that_measure_nothing(nonmated, fpir, shown):
    assert sentences(searched(nonmated, fpir))[0] == shown


def test_open_sets_name_the_rate_asked_for():
    found = searched(50, 0.1)
    p = found["search"].searches[0].points[0].counts
    first = sentences(found)[0]
    assert first.startswith(f"net: {p.fnir:.4f} [")
    assert first.endswith(f"fail at an FPIR of 0.1 (measured: {p.fpir:.3g}, of 50 non-mated searches).")


@pytest.mark.parametrize(("tied", "warned"), [(20, False), (21, True)])
def test_many_ties_are_warned_of(tied, warned):
    ids = [f"{side}{k}" for side in "gp" for k in range(200)]
    samples = pb.Samples({"id": ids, "subject": [name[1:] for name in ids]})
    values = np.eye(200)
    values[:tied] = 0.5
    made = pb.Scores.from_array(values, ids[200:], ids[:200], orientation="similarity", name="net")
    evaluation = pb.evaluate([made], pb.Experiment(samples, gallery=ids[:200]))
    said = sentences(Findings("t", finding.PROVENANCE, {"identification": Identified(evaluation)}))
    told = (
        f"Probes tied with a non-mate: net {tied} of 200; its result depends on the tie policy (pessimistic)."
    )
    assert (told in said) == warned
    assert any("tie policy" in one for one in said) == warned


def test_ties_of_several_algorithms_that_are_compared():
    said = of(compared({"poor": range(60), "fair": range(40), "good": range(10)}))
    assert (
        "Probes tied with a non-mate: poor 60 of 200, fair 40 of 200; their results depend on the tie policy (pessimistic)."
        in said
    )


def test_verifications_name_the_lowest_fnmr():
    results = finding.whole()["verification"].verification
    for order in (results, results[::-1]):
        said = sentences(Findings("t", finding.PROVENANCE, {"verification": Verified(order)}))
        lowest = min(order, key=lambda one: one.points[0].fnmr.value)
        assert said[0] == (
            f"Of 3 algorithms, {lowest.algorithm} has the lowest FNMR at an FMR of 0.1; differences were not tested."
        )
    alone = sentences(Findings("t", finding.PROVENANCE, {"verification": Verified(results[:1])}))
    point = results[0].points[0]
    assert point.re_estimated is not None
    low, high = point.re_estimated
    assert alone[0] == (
        f"{results[0].algorithm}: FNMR {point.fnmr.value:.4f} [{low:.4f}, {high:.4f}] at an FMR of 0.1."
    )
    assert not any("tested" in one for one in alone)


def test_verification_that_disagrees_is_told():
    whole = finding.whole()
    ranks = {"rank 1": next(iter(whole["comparison"].comparisons.values()))}
    verified = whole["verification"].verification
    parts = {
        "identification": whole["identification"],
        "comparison": ComparedAlgorithms(ranks),
        "verification": Verified(verified),
    }
    found = Findings("t", finding.PROVENANCE, parts)
    (told,) = (one for one in sentences(found) if one.startswith("In verification"))
    fnmr = {one.algorithm: one.points[0].fnmr.value for one in verified}
    lowest = min(fnmr, key=lambda name: fnmr[name])
    assert told.startswith(
        f"In verification at an FMR of 0.1, {lowest} has the lowest FNMR ({lowest} {fnmr[lowest]:.4f} ["
    )
    # The page is read by people who did not write the study; nothing is said where it was tested or the two best are alike.
    assert told.endswith("); not tested.")
    best = Scene(found).order[0]
    same = next(one for one in verified if one.algorithm == best)
    alike = tuple(replace(same, rates=one.rates) for one in verified)
    same_best = replace(found, parts={**parts, "verification": Verified(alike)})
    assert not any(one.startswith("In verification") for one in sentences(same_best))
    experiment = pb.Experiment(finding.samples(), gallery="image == 0")
    pair = [
        finding.scores(name, finding.NOISES[name], place) for place, name in enumerate(("sharp", "plain"))
    ]
    tested = {**ranks, "FNMR": pb.compare(pair, experiment, measure=pb.measures.FNMR(0.1))}
    with_test = replace(found, parts={**parts, "comparison": ComparedAlgorithms(tested)})
    told = sentences(with_test)
    assert not any(one.startswith("In verification") for one in told)
    # Both measures are headlines; the second has its test beneath, and it is said what the p-values are adjusted for.
    scene = Scene(with_test)
    assert scene.summary is not None
    assert [as_sentence(one) for one in scene.summary.headlines] == told[:2]
    assert "FNMR at an FMR of 0.1" in told[1]
    assert as_sentence(pair_verdict(best_two(tested["FNMR"]), tested["FNMR"])) in told
    assert any(one.endswith("there is no adjustment across measures.") for one in told)


def test_the_leading_come_first():
    assert Scene(finding.whole()).order[-1] == "blunt"


def test_badges():
    section = conditions_section(Scene(finding.whole()))
    assert section is not None
    (badges,) = (block for block in section.blocks if isinstance(block, Badges))
    texts = [badge.text for badge in badges.badges]
    assert texts == [
        "closed set", "no image on both sides", "gallery of 40 people", "120 probes", "40 people searched for",
        "no failures to acquire", "ties pessimistic", "ranks count images", "200 choices of images", "95% intervals", "seed 7",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("value", "floor", "shown"),
    [
        (0.5, None, "= 0.5"),
        (1e-4, 1e-4, "≤ 0.0001"),
        (3e-4, 1e-4, "= 0.0003"),
        (5e-5, 1e-4, "≤ 5e-05"),
        (1.0, 1.0, "= 1"),
        (1e-40, None, "< 1e-15"),
    ],
)
def test_p_values_at_the_floor(value, floor, shown):
    assert cells.p_value(value, floor) == shown


def test_floors_are_of_the_tests():
    by_median, by_rate = (
        finding.whole()["comparison"].comparisons[name].pairs[0] for name in ("median-rank-10", "rank-1")
    )
    assert by_rate.method.floor is None  # all sign patterns were counted
    drawn = finding.whole()["comparison"].comparisons["median-rank-10"].pairs[1]
    assert drawn.p_value == pytest.approx(
        drawn.method.floor, rel=0.01
    )  # twice one of 200 draws and what was found
    assert str(drawn.sentence()).endswith(f"adjusted p ≤ {drawn.p_adjusted:.2g}")
    assert cells.p_cell(by_median.method.floor, by_median.method.floor).text == "≤ 0.01"
    assert cells.p_cell(1e-4, by_rate.method.floor).text == "0.0001"
