"""Views of thresholds to deploy: every algorithm, false match rate and confidence, and rates with their bounds by threshold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from proband.analyses.threshold.run import Thresholds
from proband.inference.verification.results import VerificationPoint
from proband.inference.verification.thresholds.deployed import thinned
from proband.inference.verification.thresholds.results import THRESHOLDS_STATED, DeployedThreshold
from proband.measures.verification import SUPPORTED
from proband.report import columns as col
from proband.report.charts.makers.curves import curves_along
from proband.report.charts.spec import Chart, Series, comparable_charts, listed
from proband.report.methods_text import MethodsText
from proband.report.notes import UNSUPPORTED, answered
from proband.report.scene import Scene
from proband.report.tables.table import Table
from proband.report.view import Passage, View, shows
from proband.results.base import Answers
from proband.results.compared import metrics_statement
from proband.results.several import Several
from proband.words import Note, Sentence, digits, given, level, threshold

Found = DeployedThreshold | Several[str, DeployedThreshold] | Thresholds
_DOTS = 30  # on a curve
_THRESHOLDS = Sentence(
    "methods.thresholds",
    "note",
    "At thresholds for new people, and at every stricter threshold, the one-sided {confidence:level} upper bound of "
    "FMR over people is within the target",
)


@shows(DeployedThreshold, Thresholds)
class ThresholdsView(View[Found]):
    """The plain threshold, and thresholds with a confidence for new people, for each algorithm and false match rate."""

    section = ("thresholds", "Thresholds for new people", 32)
    meaning = "Notes on the thresholds"
    of_several = True

    def tables(self, found: Found) -> Sequence[Table]:
        return [_thresholds(_each(found))]

    def charts(self, found: Found) -> Mapping[str, Sequence[Chart]]:
        drawable = [one for one in _each(found) if len(one.rates) > 1]
        algorithms = list(dict.fromkeys(one.algorithm for one in drawable))
        charts = [
            _bounds([one for one in drawable if one.algorithm == name], place, len(algorithms))
            for place, name in enumerate(algorithms)
        ]
        return {"thresholds": comparable_charts(charts)} if charts else {}

    def notes(self, found: Found) -> Sequence[Note]:
        """All notes, with the meaning for new people first."""
        each = _each(found)
        about = [one.compared.statement() for one in each]
        metric = metrics_statement((one.algorithm, one.compared.metric) for one in each)
        said = [
            *(note for one in each if one.sure is not None for note in one.deployed()),
            *each[0].sentences_with(each[1:]),
            *_starred(each),
            *about,
            metric,
            answered(each[0].answers),
            *(note for one in each for note in one.notes),
        ]
        return list(dict.fromkeys(said))

    def answers(self, found: Found) -> Sequence[Answers]:
        return [_each(found)[0].answers]

    def passages(self, found: Found, explain: bool) -> Iterator[Passage]:
        """The table, below it why thresholds are unavailable and what is needed, and the main statement; then the notes."""
        each, answers = _each(found), self.answers(found)
        said = each[0].sentences_with(each[1:])
        n = _guaranteed(each) + next(
            place for place, note in enumerate(said) if note.code in THRESHOLDS_STATED
        )
        brief = [*said[n:], answered(answers[0]), *_starred(each)]
        notes = [note for note in self.notes(found) if note not in said[:n]] if explain else brief
        yield Passage(self.tables(found), said[:n], notes, answers)

    def frames(self, found: Found) -> Mapping[str, pl.DataFrame]:
        frames = [one.to_frame() for one in _each(found)]
        return {"thresholds": pl.concat(frames, how="vertical_relaxed")}

    def algorithms(self, found: Found) -> Sequence[str]:
        return [one.algorithm for one in _each(found)]

    def methods(self, found: Found, text: MethodsText, scene: Scene) -> None:
        sure = _each(found)[0].confidence_level
        if not _guaranteed(_each(found)):
            return
        text.say(_THRESHOLDS(confidence=sure), "bates2021", "fogliato2024", "helmers1991", "hoeffding1963")


def _each(found: Found) -> tuple[DeployedThreshold, ...]:
    if isinstance(found, DeployedThreshold):
        return (found,)
    return tuple(found.members()) if isinstance(found, Several) else found.thresholds


def _guaranteed(found: Sequence[DeployedThreshold]) -> bool:
    return any(one.sure is not None for one in found)


class _Grade(NamedTuple):
    """A threshold of one algorithm and rate: how sure it is, and the rates there, if these people can show it."""

    of: DeployedThreshold
    sure: str
    found: VerificationPoint | None


def _grades(one: DeployedThreshold) -> Iterator[_Grade]:
    sure = level(one.confidence_level)
    names = {"plain": "none", "sure": sure, "distribution-free": f"{sure}, any scores"}
    for grade, point in one.graded.items():
        if point is not None or grade == "sure":
            yield _Grade(one, names[grade], point)


def _point(row: _Grade) -> VerificationPoint | None:
    return row.found


def _thresholds(found: Sequence[DeployedThreshold]) -> Table:
    """A row for each algorithm, rate and grade."""
    return col.table_of(
        "",
        [grade for one in found for grade in _grades(one)],
        col.name("algorithm", lambda row: row.of.algorithm),
        col.given("target FMR", lambda row: row.of.target_fmr, "Target false match rate.", leads=True),
        col.name(
            "confidence", lambda row: row.sure, "Confidence that FMR for new people is within the target."
        ),
        *col.inside(
            _point,
            col.threshold("threshold", lambda at: at.threshold),
            col.small("FMR", lambda at: at.fmr.value, supported=lambda at: at.fmr.supported),
            col.rate("FNMR", lambda at: at.fnmr.value, supported=lambda at: at.fnmr.supported),
            col.interval(
                col.at_level(found[0].confidence_level),
                lambda at: (at.fnmr.low, at.fnmr.high),
                "Interval of FNMR at the fixed threshold.",
                answers=found[0].answers,
            ),
        ),
        id="thresholds-found",
        on_page="Thresholds to deploy",
    )


def _starred(found: Sequence[DeployedThreshold]) -> list[Note]:
    """What the asterisk of a table means, where it has one."""
    points = [point for one in found for point in one.graded.values() if point is not None]
    few = any(not (point.fmr.supported and point.fnmr.supported) for point in points)
    return [UNSUPPORTED(least=SUPPORTED)] if few else []


def _bounds(found: Sequence[DeployedThreshold], place: int, n: int) -> Chart:
    """The rate of one of `n` algorithms by threshold, with a band up to its bound for new people: scores of algorithms have no common scale."""
    longest = max(found, key=lambda one: len(one.rates))
    part = level(found[0].confidence_level)
    told = [
        f"{one.algorithm} {threshold(one.sure.threshold)} for {given(one.target_fmr)} (FMR {digits(one.sure.fmr.value)} here)"
        for one in found
        if one.sure is not None
    ]
    return curves_along(
        [_series(longest, place)],
        "threshold" if n == 1 else f"threshold of {longest.algorithm}",
        "false match rate",
        "rate",
        id="threshold-bounds" if place == 0 else f"threshold-bounds-{place + 1}",
        title="False match rate and its upper bound by threshold"
        if n == 1
        else f"{longest.algorithm}: FMR and its bound by threshold",
        said=f"False match rates by threshold, with bands up to the one-sided {part} bound for new people. Thresholds to deploy: "
        f"{listed(told) if told else 'none'}.",
        scale="log",
        notes=(f"Bands: from the rate here to its one-sided {part} upper bound for new people.",),
        answers=found[0].answers,
        above=f"shaded: up to the {part} bound for new people",
        see="The threshold to deploy is where the upper edge of the band, not the line, meets the target FMR.",
    )


def _series(one: DeployedThreshold, place: int) -> Series:
    """The curve from low thresholds to high ones, thinned."""
    kept = thinned(len(one.rates), _DOTS)
    ordered = kept[np.argsort(one.thresholds[kept], kind="stable")]
    rates = one.rates[ordered]
    return Series(one.algorithm, place, one.thresholds[ordered], rates, rates, one.bounds[ordered])
