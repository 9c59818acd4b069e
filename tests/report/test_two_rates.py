"""Where people differ in their number of probes there are two rates: both are labelled wherever the first one is shown."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from tests.odd_words import read
from tests.report.page import finding

import proband as pb
from proband.analyses.comparison.run import ComparedAlgorithms
from proband.analyses.identification.run import Identified
from proband.report import statements
from proband.report.kinds.comparisons import comparison_statements
from proband.report.page.build import build_page
from proband.report.page.render import render_page
from proband.report.scene import Scene
from proband.results.base import Result
from proband.study.findings import Findings
from proband.words import as_sentence, fixed, interval

SIZES = (1, 2, 3, 9)
WHICH = (
    "People differ in their number of probes: quote the probe-weighted rate for the probes of this test and the "
    "person-weighted rate for new people."
)


@cache
def study(equal: bool = False) -> tuple[pb.results.Evaluation, pb.results.Comparison]:
    """Forty people; *b* has as many probes right as *a*, of other people."""
    sizes = np.resize([3] if equal else SIZES, 40)
    who = np.concatenate([np.arange(40), np.repeat(np.arange(40), sizes)])
    ids = [f"i{place}" for place in range(len(who))]
    samples = pb.Samples({"id": ids, "subject": [f"s{person}" for person in who]})
    probes = who[40:]
    right = {
        "a": np.ones(len(probes), bool),
        "b": np.ones(len(probes), bool),
        "c": np.ones(len(probes), bool),
    }
    right["a"][[np.flatnonzero(probes == person)[0] for person in range(0, 36, 4)]] = (
        False  # those with few probes
    )
    right["b"][[np.flatnonzero(probes == person)[0] for person in range(3, 39, 4)]] = False  # those with many
    right["c"][::2] = False
    same = probes[:, None] == np.arange(40)
    scores = [
        pb.Scores.from_array(
            np.where(one[:, None], same, ~same) * 1.0, ids[40:], ids[:40], orientation="similarity", name=name
        )
        for name, one in right.items()
    ]
    evaluation = pb.evaluate(scores, pb.Experiment(samples, gallery=ids[:40]), check_orientation=False)
    return evaluation, pb.compare(
        [one.outcomes for one in evaluation.entries], measure=pb.measures.RecognitionRate(1)
    )


def page_of(**parts: Result) -> str:
    scene = Scene(Findings("t", finding.PROVENANCE, parts))
    return " ".join(read(render_page(build_page(scene))).split())


def shown_everywhere() -> dict[str, str]:
    evaluation, comparison = study()
    return {
        "terminal evaluate": " ".join(evaluation.to_markdown().replace("<br>", " ").split()),
        "terminal compare": comparison.to_markdown(),
        "page evaluate": page_of(identification=Identified(evaluation)),
        "page compare": page_of(comparison=ComparedAlgorithms({"rank 1": comparison})),
        "model card": evaluation.to_model_card(),
    }


def test_both_rates_stand_with_their_labels_wherever_the_first_does() -> None:
    evaluation, _ = study()
    for place, text in shown_everywhere().items():
        assert "probe-weighted" in text, place
        assert "person-weighted" in text, place
        for entry in evaluation.entries:
            own = entry.by_person[1]
            assert own is not None
            for rate in (entry.curve.at(1), own.value):
                assert fixed(rate) in text, (place, entry.algorithm)


@pytest.mark.parametrize("place", ["page evaluate", "page compare", "model card"])
def test_it_is_said_which_rate_to_quote(place: str) -> None:
    assert WHICH in shown_everywhere()[place]


def test_it_is_said_beneath_tables_even_in_brief() -> None:
    evaluation, comparison = study()
    for notes in (statements(evaluation), comparison_statements(comparison)):
        (which,) = (note for note in notes if note.code == "weights.which-rate")
        assert as_sentence(which) == WHICH
        assert which.level == "mark"  # which stands beneath a table without --explain


def test_results_show_both() -> None:
    evaluation, _ = study()
    entry = evaluation.entries[0]
    own = entry.by_person[1]
    assert own is not None
    both = f"person-weighted {fixed(own.value)} {interval(own.low, own.high)}"
    estimated = pb.estimate(entry.outcomes, measure=pb.measures.RecognitionRate(1))
    shown = [" ".join(repr(one).split()) for one in (entry, evaluation, estimated)]  # long lines are broken
    assert shown[0].endswith(f"at rank 1 (probe-weighted); {both}")
    assert "rank 1 (probe-weighted): a " in shown[1]
    assert both in shown[2]


def test_the_headline_of_one_algorithm_has_both() -> None:
    evaluation, _ = study()
    entry = evaluation.entries[0]
    own, ends = entry.by_person[1], entry.interval(1)
    assert own is not None
    assert ends is not None
    alone = pb.results.Evaluation((entry,), evaluation.ranks)
    told = Scene(Findings("t", finding.PROVENANCE, {"identification": Identified(alone)})).summary
    assert told is not None
    assert str(told.headline) == (
        f"a: recognition rate {fixed(entry.curve.at(1))} {interval(*ends)} at rank 1 (probe-weighted), of 150 probes of 40 people; "
        f"person-weighted {fixed(own.value)} {interval(own.low, own.high)}"
    )


def test_algorithms_that_are_tied_lead_together_and_other_weights_may_name_one() -> None:
    evaluation, comparison = study()
    a, b, _ = (entry.curve.at(1) for entry in evaluation.entries)
    assert a == b
    told = Scene(Findings("t", finding.PROVENANCE, {"identification": Identified(evaluation)})).summary
    assert told is not None
    assert as_sentence(told.headline) == (
        "Of 3 algorithms, a and b have the highest recognition rate at rank 1 (probe-weighted); differences were not tested."
    )
    assert [as_sentence(note) for note in told.weights] == [
        WHICH,
        "b has the highest person-weighted recognition rate.",
    ]
    assert comparison.to_frame()["measure"].to_list() == ["rank-1", "rank-1-by-person"] * len(
        comparison.pairs
    )
    rates = {one.facts.algorithm: one.by_person for one in comparison.estimates}
    assert rates["b"] is not None
    assert rates["a"] is not None
    assert rates["b"].value > rates["a"].value  # by hand: nine people lose 1 of 1 probe, or 1 of 9
    assert rates["a"].value == pytest.approx(31 / 40)
    assert rates["b"].value == pytest.approx(1 - 9 * (1 / 9) / 40)


def test_where_people_have_as_many_probes_there_is_one_rate() -> None:
    evaluation, comparison = study(equal=True)
    for text in (
        evaluation.to_markdown(),
        comparison.to_markdown(),
        page_of(identification=Identified(evaluation)),
        page_of(comparison=ComparedAlgorithms({"rank 1": comparison})),
        evaluation.to_model_card(),
        repr(evaluation),
        repr(evaluation.entries[0]),
    ):
        assert "weighted" not in text


def test_verdicts_that_other_weights_would_change_are_told_on_the_first_screen() -> None:
    _, comparison = study()
    disagree = [pair for pair in comparison.pairs if pair.people_disagree and pair.first in "ab"]
    assert disagree
    text = page_of(comparison=ComparedAlgorithms({"rank 1": comparison}))
    for pair in disagree:
        (told,) = pair.of_people()
        assert f"{pair.first} against {pair.second}: {told}" in text


def test_people_who_are_searched_for_are_called_so() -> None:
    """The table has more people than were searched for, and titles may count them."""
    evaluation, comparison = study()
    for text in (
        page_of(identification=Identified(evaluation)),
        page_of(comparison=ComparedAlgorithms({"rank 1": comparison})),
    ):
        assert "40 people searched for" in text
