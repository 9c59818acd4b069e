"""Views of verification: error rates, groups of people, concentration of errors, and folds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import polars as pl

from proband.analyses.verification.run import Verified
from proband.analyses.verification.tables import (
    every_groups_table,
    folds_frame,
    folds_table,
    group_answers,
    groups_frame,
    groups_table,
    hard_subjects_table,
    naive_table,
    operating_points_table,
    points_frame,
    rates_table,
    shared_people,
    sizes_table,
    verification_tables,
)
from proband.analyses.verification.words import (
    concentration_statements,
    few_errors_marks,
    folds_statements,
    group_marks,
    lowest_fnmr_first,
    noted,
    other_way,
    say_methods,
    standing_estimates,
    summary_of,
    verification_statements,
)
from proband.engine.limits import Title
from proband.errors import UsageError
from proband.inference.verification.groups import BY_GROUP, VERDICTS, Differential
from proband.inference.verification.people.hard_subjects import HardSubjects
from proband.inference.verification.results import Verification
from proband.measures.verification import SUPPORTED, ErrorRates
from proband.report import columns as col
from proband.report.charts.error_curves import ErrorCurve
from proband.report.charts.makers.concentration import concentration
from proband.report.charts.makers.errors import det, error_curve, roc
from proband.report.charts.makers.histograms import score_counts, scores
from proband.report.charts.makers.rows import groups
from proband.report.charts.mpl import figure
from proband.report.charts.spec import Chart
from proband.report.methods_text import MethodsText
from proband.report.model_card import CardMetric
from proband.report.page.charts import shown, side_by_side
from proband.report.page.lengths import drawn, left_out, of_length
from proband.report.page.model import Badge, Block, Folded, Section, said
from proband.report.scene import Scene
from proband.report.standings import Standing
from proband.report.tables.cells import unsupported
from proband.report.tables.table import Table
from proband.report.view import Draw, Passage, Placed, Summary, View, shows
from proband.results.estimate import Estimate
from proband.results.several import Several
from proband.words import Note, as_sentence, count, counted, digits, given, part_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_HISTOGRAMS = 2  # algorithms whose scores are drawn
_MOST_PEOPLE = 10  # of those whom errors fall on
Rates = Verification | Several[str, Verification]


def _each(found: Rates) -> tuple[Verification, ...]:
    return tuple(found.members()) if isinstance(found, Several) else (found,)


def _explained(results: Sequence[Verification], explain: bool) -> list[Table]:
    """Tables for the terminal; in full, with intervals at fixed thresholds and numbers of errors."""
    # The notes below say what marks mean, in this table and the first.
    in_full = [replace(operating_points_table(results), notes=())] if explain else []
    return [*verification_tables(results), *in_full]


@shows(Verification)
class VerificationView(View[Rates]):
    """Error rates of one algorithm or several: a row for each operating point."""

    of_several = True

    def tables(self, found: Rates) -> Sequence[Table]:
        return verification_tables(_each(found))

    def passages(self, found: Rates, explain: bool) -> Iterator[Passage]:
        """One interval of FNMR per row, or every interval and count with everything explained."""
        yield Passage(_explained(_each(found), explain), (), self.notes(found), [_each(found)[0].answers])

    def charts(self, found: Rates) -> Mapping[str, Sequence[Chart]]:
        return _charts(_each(found))

    def notes(self, found: Rates) -> Sequence[Note]:
        return verification_statements(_each(found))

    def metrics(self, found: Rates) -> Sequence[CardMetric]:
        """EER, AUC, and FNMR at every operating point."""
        return [metric for one in _each(found) for metric in _card(one)]


def differential_figure(
    differential: Differential, n_algorithms: int = 1, title: Title | None = None
) -> Figure:
    """Draw FNMR and FMR of groups of people at one threshold, with intervals, highest FMR first.

    Groups with a missing rate are listed below; if the algorithm is one of several, that is stated too.
    """
    both = [one for one in differential.groups if one.fmr is not None and one.fnmr is not None]
    if not both:
        raise UsageError("No group has both error rates, so there is nothing to plot.")
    ordered = sorted(both, key=lambda one: -one.fmr.value if one.fmr is not None else 0.0)
    left = [one.group for one in differential.groups if one not in both]
    parts = (
        f"{differential.algorithm}, by {differential.column}, one threshold for all",
        part_of(1, n_algorithms, "algorithms", "the first with both error rates"),
        f"not shown, because an error rate is missing: {', '.join(left)}" if left else "",
        f"hollow: fewer than {SUPPORTED} errors, arrows: none; dashed: all groups; sorted by FMR",
    )
    drawn = [replace(differential, groups=tuple(ordered))]
    charts = [groups(drawn, "fnmr", counts=True), groups(drawn, "fmr", counts=True)]
    longest = max(min(len(one.group), 32) for one in both)
    size = 7.6 + 0.07 * longest, 1.6 + 0.26 * len(both)
    said = "; ".join(filter(None, parts))
    return figure(charts, size, title=title, columns=2, headed=False, said=said)


@shows(Differential)
class DifferentialView(View[Differential]):
    """Error rates by group, and whether groups differ."""

    plot = staticmethod(differential_figure)

    def tables(self, found: Differential) -> Sequence[Table]:
        return [groups_table(found)]

    def notes(self, found: Differential) -> Sequence[Note]:
        return found.sentences()


@shows(HardSubjects)
class HardSubjectsView(View[HardSubjects]):
    """Concentration of errors on people."""

    def charts(self, found: HardSubjects) -> Mapping[str, Sequence[Chart]]:
        return {"hard_subjects": [concentration(found)]}


@shows(ErrorRates)
class ErrorRatesView(View[ErrorRates]):
    """Error rates without intervals."""

    def charts(self, found: ErrorRates) -> Mapping[str, Sequence[Chart]]:
        fmr, fnmr = found.curve
        sizes = found.counts.n_impostor, found.counts.n_genuine
        return {"det": [det([ErrorCurve(found.algorithm, fmr, fnmr, *sizes, eer=found.eer().value)])]}


@shows(Verified)
class VerifiedView(View[Verified]):
    """Error rates of every algorithm, groups, hard subjects and folds."""

    precedence: ClassVar = {"ordered": 20, "estimates": 20, "badges": 40}

    def tables(self, found: Verified) -> Sequence[Table]:
        points = verification_tables(found.verification) if found.verification else []
        folds = [folds_table(found.folds)] if found.folds else []
        hard = [hard_subjects_table(found.hard_subjects)] if found.hard_subjects else []
        return [*points, *self._naive(found), *map(groups_table, found.groups), *hard, *folds]

    def _naive(self, found: Verified) -> Sequence[Table]:
        asked = any(point.fmr.naive is not None for one in found.verification for point in one.points)
        return [naive_table(found.verification)] if asked else []

    def notes(self, found: Verified) -> Sequence[Note]:
        if not found.verification:
            noted = dict.fromkeys(note for one in found.folds for note in one.notes)
            return [*folds_statements(), *noted]
        return list(dict.fromkeys([*verification_statements(found.verification), *group_marks(found.groups)]))

    def passages(self, found: Verified, explain: bool) -> Iterator[Passage]:
        """Operating points, each grouping with its verdicts, and concentration of errors."""
        if found.folds:
            yield Passage(self.tables(found), notes=self.notes(found))
            return
        hard = [
            f"{name}: {as_sentence(note)}"
            for name, subjects in found.hard_subjects.items()
            for note in subjects.sentences()
        ]
        notes, answers = self.notes(found), [found.verification[0].answers]
        tables = [*_explained(found.verification, explain), *self._naive(found)]
        if not found.groups:
            yield Passage(tables, hard, notes, answers)
            return
        yield Passage(tables)
        for one in found.groups:
            told = [note for note in one.sentences() if explain or note.code in VERDICTS]
            if one is found.groups[-1]:
                yield Passage([groups_table(one)], [*told, *hard], notes, answers)
            else:
                yield Passage([groups_table(one)], told)

    def frames(self, found: Verified) -> Mapping[str, pl.DataFrame]:
        """Operating points, curves, groups, folds and people."""
        made = {
            "operating_points": [points_frame(found.verification)] if found.verification else [],
            "roc": [one.rates.to_frame() for one in found.verification],
            "groups": list(map(groups_frame, found.groups)),
            "folds": list(map(folds_frame, found.folds)),
            "hard_subjects": [
                one.people.select(pl.lit(name).alias("algorithm"), pl.all())
                for name, one in found.hard_subjects.items()
            ],
        }
        return {name: pl.concat(parts, how="vertical_relaxed") for name, parts in made.items() if parts}

    def charts(self, found: Verified) -> Mapping[str, Sequence[Chart]]:
        return _charts(found.verification) if found.verification else {}

    def figures(self, found: Verified, scene: Scene) -> Mapping[str, Draw]:
        """Curves and scores, and for each column of groups the error rates of the first algorithm that has both."""
        by_column: dict[str, Differential] = {}
        for one in found.groups:
            if any(group.fmr is not None and group.fnmr is not None for group in one.groups):
                by_column.setdefault(one.column, one)
        groups = {
            "groups" if place == 1 else f"groups_{place}": partial(
                differential_figure, one, len(found.verification)
            )
            for place, one in enumerate(by_column.values(), 1)
        }
        return {**super().figures(found, scene), **groups} if found.verification else {}

    def sections(self, found: Verified, scene: Scene) -> Iterator[Placed]:
        """Rates, folds, groups and people."""
        if found.verification:
            blocks = tuple(_rates_blocks(found.verification, scene))
            yield Placed(30, Section("verification", "Verification", blocks))
        if found.folds:
            table = folds_table(found.folds, self.notes(found))
            yield Placed(50, Section("folds", "Accuracy over folds", (table,)))
        if found.groups:
            yield Placed(65, Section("groups", "Groups", tuple(_groups_blocks(found, scene))))
        if found.hard_subjects:
            yield Placed(
                70, Section("hard-subjects", "Hard subjects", tuple(hard_subjects_blocks(found, scene)))
            )

    def algorithms(self, found: Verified) -> Sequence[str]:
        return [*(one.rates.algorithm for one in found.verification), *(one.name for one in found.folds)]

    def ordered(self, found: Verified) -> Sequence[str]:
        return [one.algorithm for one, _ in lowest_fnmr_first(found.verification)]

    def headline(self, found: Verified, scene: Scene) -> Summary | None:
        return summary_of(found.verification) if found.verification else None

    def beside(self, found: Verified, scene: Scene) -> Sequence[Note]:
        """What verification adds to a headline of identification."""
        return other_way(found.verification, scene)

    def estimates(self, found: Verified) -> tuple[str, Sequence[Standing]] | None:
        return standing_estimates(found.verification)

    def diagnostics(self, found: Verified) -> Sequence[Block]:
        """Effective number of independent comparisons."""
        return [shared_people(found.verification)] if found.verification else []

    def noted(self, found: Verified) -> Sequence[tuple[Note, Sequence[Note | str]]]:
        return noted(found.verification)

    def methods(self, found: Verified, text: MethodsText, scene: Scene) -> None:
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
        """What was compared; the badges are shown if there were no searches."""
        rules = [("Verification", as_sentence(one.compared.statement())) for one in found.verification]
        badges = _badges(found.verification) if found.verification and not scene.facts else []
        return badges, list(dict.fromkeys(rules))

    def metrics_of_scores(self, found: Verified) -> Mapping[str, str | None]:
        return {one.algorithm: one.compared.metric for one in found.verification}

    def metrics(self, found: Verified) -> Sequence[CardMetric]:
        return [metric for one in found.verification for metric in _card(one)]


def _charts(results: Sequence[Verification]) -> dict[str, list[Chart]]:
    """DET, ROC, and the scores of every algorithm."""
    curves = [error_curve(one) for one in results]
    counts = [score_counts(one) for one in results]
    return {
        "det": [det(curves)],
        "roc": [roc(curves)],
        "scores": [scores(one, title=one.name) for one in counts],
    }


def _card(found: Verification) -> list[CardMetric]:
    shared = (found.confidence_level, str(found.answers.varying))
    sizes = {
        "genuine_comparisons": found.compared.n_genuine,
        "impostor_comparisons": found.compared.n_impostor,
        "people": found.n_subjects,
    }

    notes = (*few_errors_marks(found.points), *(note for note in found.notes if note.level == "caution"))

    def metric(kind: str, name: str, estimate: Estimate, **args: Any) -> CardMetric:
        low, high = col.ends(estimate) or (None, None)
        given_by = {**args, **sizes}
        return CardMetric(
            found.algorithm, "verification", kind, name, estimate.value, low, high, *shared, None, given_by,
            unsupported(estimate.supported), notes,
        )  # fmt: skip

    made = [
        metric("eer", "equal error rate", found.eer),
        metric("auc", "area under the ROC curve", found.auc),
    ]
    for point in found.points:
        target = point.target_fmr
        at = {"threshold": point.threshold} if target is None else {"fmr": target}
        name = (
            f"FNMR at the threshold {given(point.threshold or 0)}"
            if target is None
            else f"FNMR at FMR {given(target)}"
        )
        made.append(metric("fnmr", name, point.fnmr, **at))
    return made


def _badges(results: Sequence[Verification]) -> list[Badge]:
    first = results[0]
    counts = first.rates.counts
    lost = counts.n_failed_genuine + counts.n_failed_impostor
    return [
        Badge("verification", explained="Claimed identities are accepted or rejected; there is no search."),
        Badge(counted(first.n_subjects, 'person', 'people')),
        Badge(counted(counts.n_genuine, 'genuine comparison')),
        Badge(counted(counts.n_impostor, 'impostor comparison')),
        Badge(f"{counted(lost, 'comparison')} failed", "warning", "FMR and FNMR leave them out; FAR and FRR count them as rejections.")
        if lost
        else Badge("no failures to acquire"),
    ]  # fmt: skip


def _rates_blocks(results: Sequence[Verification], scene: Scene) -> Iterator[Block]:
    """Error rates at every threshold, and at chosen ones with intervals."""
    first = results[0]
    curves = det([error_curve(one) for one in results], confidence_level=first.confidence_level)
    yield shown(replace(curves, answers=first.answers), places=scene.looks)
    yield of_length(rates_table(results))
    points = operating_points_table(results), sizes_table(results)
    yield Folded("Operating points: thresholds, rates and errors", points)
    names = [one.algorithm for one in results]
    leading = drawn(names, scene.order, _HISTOGRAMS)
    histograms = [score_counts(one) for one in results if one.algorithm in leading]
    some = "" if len(leading) == len(names) else f", the leading {counted(len(leading), 'algorithm')}"
    yield Folded(
        f"Scores of genuine and impostor comparisons{some}",
        tuple(side_by_side([scores(own, f"scores-{place}") for place, own in enumerate(histograms, 1)])),
    )
    yield Folded("Notes on the error rates", tuple(said(verification_statements(results))))


def _groups_blocks(found: Verified, scene: Scene) -> Iterator[Block]:
    """Error rates by group at one threshold for all: charts of the first column that makes groups, and all else folded."""
    for place, column in enumerate(dict.fromkeys(one.column for one in found.groups), 1):
        blocks = _of_column(found, column, place, scene)
        if place == 1:
            yield from blocks
        else:
            yield Folded(f"Groups by {column}", tuple(blocks))


def _of_column(found: Verified, column: str, place: int, scene: Scene) -> Iterator[Block]:
    """The charts of one column, its table and what belongs to it."""
    own = [one for one in found.groups if one.column == column]
    names = [one.algorithm for one in own]
    leading = drawn(names, scene.order)
    charted = [one for one in own if one.algorithm in leading]
    kinds: tuple[Literal["fnmr", "fmr"], ...] = ("fnmr", "fmr")
    for which in kinds:
        if any(getattr(group, which) is not None for one in charted for group in one.groups):
            chart = groups(charted, which, group_answers(which), f"groups-{place}-{which}")
            yield shown(chart, places=scene.looks)
    asked = {one.points[0].target_fmr for one in found.verification}
    target = asked.pop() if len(asked) == 1 else None
    if target is not None:
        of = f"each algorithm's threshold for a target FMR of {digits(target, 6)} over all groups"
        yield from said([f"Thresholds: {of}."])
    yield from said(left_out(names, leading))
    table = every_groups_table(own, f"groups-{place}")
    yield Folded(table.caption, (table,))
    # The lines of the groups are in the table.
    told = dict.fromkeys(note for one in own for note in one.sentences() if note.code not in BY_GROUP)
    yield Folded(f"Notes on the groups by {column}", tuple(said(told)))


def hard_subjects_blocks(found: Verified, scene: Scene) -> Iterator[Block]:
    """Whether errors are concentrated on a few people, and on which, with names as the study shows them."""
    names = list(found.hard_subjects)
    leading = drawn(names, scene.order)
    for place, name in enumerate(leading, 1):
        one = found.hard_subjects[name]
        blocks = (
            *said(concentration_statements(name, one)),
            shown(concentration(one, f"hard-{place}", name)),
            _people_table(one, f"hard-{place}-people", name),
        )
        yield from blocks if place == 1 else [Folded(name, blocks)]
    if len(leading) < len(names):
        most = f"The leading {len(leading)} of {count(len(names))} algorithms are shown"
        yield from said([f"{most}; the results contain all of them."])


def _people_table(one: HardSubjects, id: str, name: str) -> Table:
    """The people with most errors, under the names the study chose to show."""
    n, people = one.people.height, counted(one.people.height, "person", "people")
    return col.table_of(
        f"{name}: errors by person",
        one.people.head(_MOST_PEOPLE).iter_rows(named=True),
        col.name("person", lambda row: row["subject"]),
        col.share("false non-matches", lambda row: (row["false_non_matches"], row["genuine"])),
        col.share("false matches", lambda row: (row["false_matches"], row["impostor"])),
        id=id,
        notes=[f"The first {_MOST_PEOPLE} of {people}, sorted by false non-matches, then false matches."]
        if n > _MOST_PEOPLE
        else [],
    )
