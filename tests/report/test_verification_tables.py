"""What verification shows first: EER, AUC and one interval of FNMR, in a table that a terminal has room for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import proband as pb
from proband.analyses.verification.tables import (
    operating_points_table,
    points_frame,
    rates_table,
    verification_tables,
)
from proband.analyses.verification.words import verification_statements
from proband.inference.verification.results import Verification
from proband.report.charts.data import data_of
from proband.report.charts.makers.errors import det, error_curve
from proband.report.notes import in_brief, is_caution
from proband.report.tables.terminal import as_terminal


@pytest.fixture(scope="module")
def results() -> list[Verification]:
    rng = np.random.default_rng(0)
    ids = [f"s{s:02d}-{k}" for s in range(40) for k in range(3)]
    samples = pb.Samples({"id": ids, "subject": [name[:3] for name in ids]})
    mates = np.kron(np.eye(40), np.ones((3, 3)))
    made = [
        pb.Scores.from_array(
            (noise + noise.T) / 2 + 3 * mates,
            ids,
            orientation="similarity",
            name=f"a-model-of-24-letters-{k}",
        )
        for k in range(2)
        for noise in [rng.normal(size=(120, 120))]
    ]
    return list(pb.verify(made, samples, fmr=[0.01, 0.001], thresholds=[1.0], n_resamples=200).values())


def test_one_table_of_targets_fits_80_columns(results: list[Verification]) -> None:
    table, at_thresholds = verification_tables(results)
    assert [column.title for column in table.columns] == [
        "algorithm",
        "EER",
        "AUC",
        "target FMR",
        "FNMR",
        "95% interval",
    ]
    assert "\n\n" not in as_terminal(table, 80).plain.strip()
    first = results[0].points[0]
    assert first.re_estimated is not None
    assert tuple(table.rows[0][-1].value) == tuple(first.re_estimated)
    # Summaries of a whole curve stand once.
    assert [bool(row[1].text) for row in table.rows] == [True, False, True, False]
    assert [column.title for column in at_thresholds.columns] == [
        "algorithm",
        "threshold",
        "FMR",
        "FNMR",
        "95% interval,\nfixed threshold",
    ]
    assert len(at_thresholds.rows) == 2


def test_without_people_the_interval_is_said_to_be_at_a_fixed_threshold() -> None:
    rng = np.random.default_rng(1)
    mated = np.arange(400) < 100
    (table,) = verification_tables(
        [pb.verify_pairs(mated, rng.normal(size=400) + mated, orientation="similarity")]
    )
    assert table.columns[-1].title == "95% interval,\nfixed threshold"
    assert all(row[-1].value is not None for row in table.rows)


def test_an_asterisk_is_explained_where_there_is_one() -> None:
    rng = np.random.default_rng(1)
    mated = np.arange(2000) < 1000
    scores = rng.normal(size=2000) + mated
    # Few false matches set the first threshold; at the last one there are few false non-matches.
    for fmr, starred in ((0.01, True), (0.1, False), (0.9, True)):
        found = pb.verify_pairs(mated, scores, orientation="similarity", fmr=fmr)
        (table,) = verification_tables([found])
        counts = found.points[0].counts
        assert (min(counts.false_matches, counts.false_non_matches) < 30) is starred
        assert ("*" in as_terminal(table, 80).plain) is starred
        assert ("* based on fewer" in found.to_markdown()) is starred


def test_the_result_says_whether_fnmr_at_a_target_is_supported_and_every_view_asks_it() -> None:
    rng = np.random.default_rng(1)
    people = np.repeat(np.arange(200), 10)
    mated = np.tile(np.arange(10) < 5, 200)
    sides = people, np.where(mated, people, (people + 1) % 200)
    found = pb.verify_pairs(
        mated,
        rng.normal(size=2000) + 2 * mated,
        people=sides,
        orientation="similarity",
        fmr=[0.1, 0.02, 0.005],
        n_resamples=100,
    )
    at = {point.target_fmr: point for point in found.points}
    assert [point.counts.false_matches for point in found.points] == [100, 20, 5]
    assert all(point.counts.false_non_matches >= 30 for point in found.points)
    assert [point.fnmr.supported for point in found.points] == [True, False, False]
    assert all(point.fnmr_at_threshold.supported for point in found.points)
    codes = {fmr: [note.code for note in point.fnmr.notes] for fmr, point in at.items()}
    assert [any(code.startswith("fnmr.") for code in each) for each in codes.values()] == [False, True, True]
    assert "fnmr.threshold-not-supported" in codes[0.005]
    told = [str(note) for note in verification_statements([found]) if is_caution(note)]
    assert told == [
        "scores, FNMR at FMR 0.005: the threshold is based on 5 false matches; a reliable interval needs at least 10"
    ]
    chart = data_of(det([error_curve(found)]))
    tables = verification_tables([found])[0], operating_points_table([found]), chart
    for fmr, point in at.items():
        shown = f"{point.fnmr.value:.4f}{'' if point.fnmr.supported else '*'}"
        for table in tables:
            row = next(row for row in table.rows if fmr in [cell.value for cell in row])
            assert shown in [f"{cell.text}{cell.raised}" for cell in row], (table.caption, fmr)
        assert shown in as_terminal(rates_table([found]), 80).plain
    assert points_frame([found])["fnmr_supported"].to_list() == [True, False, False]
    listed = pb.scored_pairs(mated, rng.normal(size=2000), people=sides, orientation="similarity")
    estimate = pb.estimate(listed["scores"], measure=pb.measures.FNMR(0.005))
    assert not estimate.supported
    assert "fnmr.threshold-not-supported" in [note.code for note in estimate.notes]


def test_every_representation_has_the_same_view(results: list[Verification]) -> None:
    whole = results[0]
    for text in (whole._repr_html_(), whole.to_markdown(), whole.to_latex()):
        assert [word in text for word in ("EER", "AUC", "false non-matches")] == [True, True, False]
    assert "] at target FMR 0.01" in repr(whole)
    assert {"false matches", "at target FMR"} <= {
        one.title for one in operating_points_table(results).columns
    }


def test_fnmr_by_person_stands_beside_fnmr_where_people_have_different_numbers_of_comparisons() -> None:
    rng = np.random.default_rng(2)
    people = np.repeat(np.arange(100), 10)
    for uneven in (False, True):
        mated = np.tile(np.arange(10), 100) < (np.repeat(np.arange(100) % 5 + 2, 10) if uneven else 5)
        found = pb.verify_pairs(
            mated,
            rng.normal(size=1000) + mated,
            people=(people, np.where(mated, people, (people + 1) % 100)),
            orientation="similarity",
            fmr=0.1,
            n_resamples=100,
        )
        (table,) = verification_tables([found])
        assert ("FNMR\nby person" in [column.heading for column in table.columns]) is uneven
        told = [str(note) for note in verification_statements([found])]
        assert any(one.startswith("People differ in their number of comparisons") for one in told) is uneven
        by_person = found.points[0].by_person
        assert (by_person is not None) is uneven
        if by_person is not None:
            assert table.rows[0][-1].value == by_person.value
            in_full = operating_points_table([found])
            assert in_full.rows[0][-1].value == (by_person.low, by_person.high)


@pytest.mark.parametrize(
    ("scores", "said"),
    [
        (np.zeros((16, 16)), "net: all 120 scores are equal"),
        (np.kron(np.eye(8), np.ones((2, 2))), "net: 8 of 8 genuine scores are equal, so few error rates are attainable"),
    ],
)  # fmt: skip
def test_tied_scores_are_told_before_other_cautions(scores: Any, said: str) -> None:
    ids = [f"{person}{image}" for person in "abcdefgh" for image in "12"]
    samples = pb.Samples({"id": ids, "subject": [name[0] for name in ids]})
    net = pb.Scores.from_array(scores, ids, orientation="similarity", name="net")
    found = pb.verify(net, samples, fmr=0.1, n_resamples=0)
    brief = in_brief(verification_statements([found]))
    assert str(brief[0]).startswith(f"Caution: {said}")
    assert not any("too few for a reliable" in str(note) for note in found.eer.notes)
