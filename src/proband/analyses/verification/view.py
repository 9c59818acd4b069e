"""Verification shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import polars as pl

from proband.analyses.verification.page import (
    folds_section,
    groups_section,
    hard_subjects_section,
    verification_section,
)
from proband.analyses.verification.run import Verified
from proband.analyses.verification.tables import (
    folds_statements,
    group_marks,
    groups_table,
    points_frame,
    verification_figures,
    verification_statements,
    verification_table,
)
from proband.analyses.verification.words import (
    lowest_fnmr_first,
    noted,
    other_way,
    say_methods,
    shared_people,
    standing_estimates,
    summary_of,
)
from proband.engine.frames import frame_of_rows
from proband.engine.limits import Title
from proband.inference.verification.groups import VERDICTS, Differential
from proband.inference.verification.people.hard_subjects import HardSubjects
from proband.inference.verification.results import Verification, Verifications
from proband.measures.verification import ErrorRates
from proband.report.charts.error_curves import ErrorCurve
from proband.report.charts.makers.concentration import concentration
from proband.report.charts.mpl import figure
from proband.report.figures.verification import det_figure, differential_figure
from proband.report.methods_text import MethodsText
from proband.report.model_card import CardMetric
from proband.report.page.model import Badge, Block
from proband.report.plotting import one_of
from proband.report.scene import Scene
from proband.report.standings import Standing
from proband.report.table import Table
from proband.report.view import Draw, Passage, Placed, Summary, View, shows
from proband.words import Note, as_sentence, count, counted, given

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@shows(Verification)
class VerificationView(View[Verification]):
    """Error rates of one algorithm."""

    plot = staticmethod(one_of(lambda one: verification_figures([one]), "det"))

    def tables(self, found: Verification) -> Sequence[Table]:
        """A row for each operating point."""
        return [verification_table([found])]

    def notes(self, found: Verification) -> Sequence[Note]:
        """What the rates mean."""
        return verification_statements([found])

    def metrics(self, found: Verification) -> Sequence[CardMetric]:
        """EER, AUC, and FNMR at every operating point."""
        return _card(found)


@shows(Verifications)
class VerificationsView(View[Verifications]):
    """Error rates of several algorithms."""

    plot = staticmethod(one_of(lambda several: verification_figures(several.found), "det"))

    def tables(self, found: Verifications) -> Sequence[Table]:
        """A row for each algorithm and operating point."""
        return [verification_table(found.found)]

    def notes(self, found: Verifications) -> Sequence[Note]:
        """What the rates mean."""
        return verification_statements(found.found)


@shows(Differential)
class DifferentialView(View[Differential]):
    """Error rates by group."""

    plot = staticmethod(differential_figure)

    def tables(self, found: Differential) -> Sequence[Table]:
        """A row for each group."""
        return [groups_table(found)]

    def notes(self, found: Differential) -> Sequence[Note]:
        """Whether groups differ."""
        return found.sentences()


def _hard_figure(hard: HardSubjects, title: Title | None = None) -> Figure:
    return figure([concentration(hard)], (5.4, 4.4), title=title)


@shows(HardSubjects)
class HardSubjectsView(View[HardSubjects]):
    """Whom errors fall on."""

    plot = staticmethod(_hard_figure)


def _rates_figure(rates: ErrorRates, title: Title | None = None) -> Figure:
    """Draw the DET of bare error rates."""
    counts = rates.counts
    fmr, fnmr = rates.curve
    eer = rates.eer().value
    return det_figure(
        [ErrorCurve(rates.algorithm, fmr, fnmr, counts.n_impostor, counts.n_genuine, eer=eer)], title
    )


@shows(ErrorRates)
class ErrorRatesView(View[ErrorRates]):
    """Bare error rates."""

    plot = staticmethod(_rates_figure)


@shows(Verified)
class VerifiedView(View[Verified]):
    """Error rates of every algorithm, groups, hard subjects and folds."""

    precedence: ClassVar = {"ordered": 20, "estimates": 20, "badges": 40}
    plot = staticmethod(one_of(lambda found: verification_figures(found.verification, found.groups), "det"))

    def tables(self, found: Verified) -> Sequence[Table]:
        """Operating points, and groups."""
        points = [verification_table(found.verification)] if found.verification else []
        return [*points, *map(groups_table, found.groups)]

    def notes(self, found: Verified) -> Sequence[Note]:
        """What the rates mean."""
        if not found.verification:
            return folds_statements()
        return list(dict.fromkeys([*verification_statements(found.verification), *group_marks(found.groups)]))

    def passages(self, found: Verified, explain: bool) -> Iterator[Passage]:
        """Operating points, each grouping with its verdicts, and whom errors fall on."""
        if found.folds:
            yield Passage(verdicts=list(map(repr, found.folds)), notes=folds_statements())
            return
        hard = [
            f"{name}: {as_sentence(note)}"
            for name, subjects in found.hard_subjects.items()
            for note in subjects.sentences()
        ]
        notes, answers = self.notes(found), [found.verification[0].answers]
        table = verification_table(found.verification)
        if not found.groups:
            yield Passage([table], hard, notes, answers)
            return
        yield Passage([table])
        for one in found.groups:
            told = [note for note in one.sentences() if explain or note.code in VERDICTS]
            if one is found.groups[-1]:
                yield Passage([groups_table(one)], [*told, *hard], notes, answers)
            else:
                yield Passage([groups_table(one)], told)

    def frames(self, found: Verified) -> Mapping[str, pl.DataFrame]:
        """Operating points, curves, groups and people."""
        made: dict[str, pl.DataFrame] = {}
        if found.verification:
            made["operating_points"] = points_frame(found.verification)
            made["roc"] = _joined([one.rates.to_frame() for one in found.verification])
        if found.groups:
            made["groups"] = _joined([*map(_groups, found.groups)])
        if found.hard_subjects:
            made["hard_subjects"] = _joined(
                [
                    one.people.select(pl.lit(name).alias("algorithm"), pl.all())
                    for name, one in found.hard_subjects.items()
                ]
            )
        return made

    def figures(self, found: Verified, scene: Scene) -> Mapping[str, Draw]:
        """DET, ROC, scores, and groups."""
        return (
            verification_figures(found.verification, found.groups, scene.looks) if found.verification else {}
        )

    def sections(self, found: Verified, scene: Scene) -> Iterator[Placed]:
        """Rates, folds, groups and people."""
        if found.verification:
            yield Placed(30, verification_section(found.verification, scene))
        if found.folds:
            yield Placed(50, folds_section(found))
        if found.groups:
            yield Placed(65, groups_section(found, scene))
        if found.hard_subjects:
            yield Placed(70, hard_subjects_section(found, scene))

    def algorithms(self, found: Verified) -> Sequence[str]:
        """The algorithms, in order."""
        return [*(one.rates.algorithm for one in found.verification), *(one.name for one in found.folds)]

    def ordered(self, found: Verified) -> Sequence[str]:
        """By FNMR at the first false match rate."""
        return [one.algorithm for one, _ in lowest_fnmr_first(found.verification)]

    def headline(self, found: Verified, scene: Scene) -> Summary | None:
        """The lowest FNMR."""
        return summary_of(found.verification) if found.verification else None

    def beside(self, found: Verified, scene: Scene) -> Sequence[Note]:
        """What verification says beside a headline of identification."""
        return other_way(found.verification, scene)

    def estimates(self, found: Verified) -> tuple[str, Sequence[Standing]] | None:
        """FNMR at the first false match rate."""
        return standing_estimates(found.verification)

    def diagnostics(self, found: Verified) -> Sequence[Block]:
        """How many independent comparisons the comparisons are worth."""
        return [shared_people(found.verification)] if found.verification else []

    def noted(self, found: Verified) -> Sequence[tuple[Note, Sequence[Note | str]]]:
        """What was noted of algorithms and rates."""
        return noted(found.verification)

    def methods(self, found: Verified, text: MethodsText, scene: Scene) -> None:
        """How error rates were estimated."""
        say_methods(found, text)

    def badges(self, found: Verified) -> Sequence[Badge]:
        """People, comparisons and failures."""
        if not found.verification:
            return ()
        _, people, *_, failures = _badges(found.verification)
        counts = found.verification[0].rates.counts
        pairs = f"{count(counts.n_genuine)} genuine and {counted(counts.n_impostor, 'impostor comparison')}"
        return (people, Badge(pairs), failures)

    def conditions(self, found: Verified, scene: Scene) -> tuple[Sequence[Badge], Sequence[tuple[str, str]]]:
        """What was compared; the badges stand where no probes were searched for."""
        rules = [("Verification", as_sentence(one.compared.statement())) for one in found.verification]
        badges = _badges(found.verification) if found.verification and not scene.facts else []
        return badges, list(dict.fromkeys(rules))

    def metrics_of_scores(self, found: Verified) -> Mapping[str, str | None]:
        """As the comparisons have it."""
        return {one.algorithm: one.compared.metric for one in found.verification}

    def metrics(self, found: Verified) -> Sequence[CardMetric]:
        """Of every algorithm."""
        return [metric for one in found.verification for metric in _card(one)]


def _joined(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    return pl.concat(frames, how="vertical_relaxed")


def _groups(one: Differential) -> pl.DataFrame:
    """One row for each group and error rate; a rate without comparisons is empty."""
    rows = []
    for group in one.groups:
        for name, rate in (("fnmr", group.fnmr), ("fmr", group.fmr)):
            rows.append(
                {
                    "algorithm": one.algorithm,
                    "column": one.column,
                    "threshold": one.threshold,
                    "group": group.group,
                    "subjects": group.n_subjects,
                    "measure": name,
                    "rate": None if rate is None else rate.rate,
                    "low": None if rate is None else rate.low,
                    "high": None if rate is None else rate.high,
                    "errors": None if rate is None else rate.errors,
                    "comparisons": None if rate is None else rate.n,
                    "supported": None if rate is None else rate.supported,
                }
            )
    return frame_of_rows(rows)


def _card(found: Verification) -> list[CardMetric]:
    shared = (found.confidence_level, str(found.answers.varying))
    sizes = {
        "genuine_comparisons": found.compared.n_genuine,
        "impostor_comparisons": found.compared.n_impostor,
        "people": found.n_subjects,
    }

    def metric(
        kind: str, name: str, value: float, ends: tuple[float | None, float | None], **args: Any
    ) -> CardMetric:
        return CardMetric(
            found.algorithm, "verification", kind, name, value, *ends, *shared, None, {**args, **sizes}
        )

    eer, auc = found.eer_interval, found.auc_interval
    made = [
        metric(
            "eer",
            "equal error rate",
            found.rates.eer().value,
            (None, None) if eer is None else (eer.low, eer.high),
        ),
        metric(
            "auc",
            "area under the ROC curve",
            found.rates.auc(),
            (None, None) if auc is None else (auc.low, auc.high),
        ),
    ]
    for one in found.points:
        asked = one.point.asked
        ends = (one.fnmr.low, one.fnmr.high) if one.fnmr_at_fmr is None else tuple(one.fnmr_at_fmr)
        at = {"threshold": one.point.threshold} if asked is None else {"fmr": asked}
        name = (
            f"FNMR at the threshold {given(one.point.threshold or 0)}"
            if asked is None
            else f"FNMR at FMR {given(asked)}"
        )
        made.append(metric("fnmr", name, one.point.fnmr, (ends[0], ends[1]), **at))
    return made


def _badges(results: Sequence[Verification]) -> list[Badge]:
    first = results[0]
    counts = first.rates.counts
    lost = counts.n_failed_genuine + counts.n_failed_impostor
    return [
        Badge("verification", explained="Claimed identities are accepted or rejected; nobody is searched for."),
        Badge(counted(first.n_subjects, 'person', 'people')),
        Badge(counted(counts.n_genuine, 'genuine comparison')),
        Badge(counted(counts.n_impostor, 'impostor comparison')),
        Badge(f"{counted(lost, 'comparison')} failed", "warning", "FMR and FNMR leave them out, FAR and FRR count them as rejections.")
        if lost
        else Badge("no failures to acquire"),
    ]  # fmt: skip
