"""Views of image choices: rates over trials, differences, exact means, and training sets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations, islice
from math import comb

import polars as pl

from proband.analyses.choices.figures import (
    differences_figure,
    rank_intervals_figure,
    rate_distributions_figure,
)
from proband.analyses.choices.run import Choices
from proband.engine.frames import frame_of_rows
from proband.inference import Estimate, VirtualExperiments
from proband.inference.image_choice.estimates import compared
from proband.inference.image_choice.exact import ExactChoice
from proband.inference.image_choice.trials import LOW_RANKS
from proband.report import columns as col
from proband.report.charts.makers.histograms import differences
from proband.report.figures.identification import replicates_figure
from proband.report.kinds.differences import ALL_PAIRS
from proband.report.methods_text import MethodsText
from proband.report.notes import answered
from proband.report.page.charts import shown
from proband.report.page.lengths import of_length
from proband.report.page.model import Badge, Block, Folded, Section, said
from proband.report.plotting import one_of
from proband.report.scene import Scene
from proband.report.tables.table import Table
from proband.report.view import Draw, Passage, Placed, Summary, View, shows
from proband.results.compared import metrics_statement
from proband.results.difference import Difference
from proband.words import Note, Sentence, as_sentence, counted, fixed, level as percent, part_of

_MOST_BANDS, _MOST_PAIRED = (
    12,
    6,
)  # algorithms whose intervals, and whose differences, can be read in one figure
_MOST_PAIRS = 28  # differences that tables show: those of eight algorithms
_MOST_DRAWN = 6  # against the leader, on the page
_RANKS = 10  # of exact means, on the page
_PERMUTED = " trials, the same for all algorithms; the percentiles show variation over images of these people, not over people"
_CHOICE_OF = (
    "The choice of gallery and probe images of {people:count person/people} was permuted in {trials:count} "
)
_BALANCED = Sentence("methods.balanced-choices", "note", _CHOICE_OF + "balanced" + _PERMUTED)
_UNBALANCED = Sentence("methods.unbalanced-choices", "note", _CHOICE_OF + "unbalanced" + _PERMUTED)
_CHOSEN = Sentence(
    "verdict.chosen",
    "note",
    "{algorithm}: mean rate {rate:rate} at rank 1 over choices of images; {level:level} of the choices are within [{low:rate}, {high:rate}]",
)
_CHOICES = Sentence("diagnostics.choices", "note", "choices of images")
_TRIALS = Sentence(
    "choices.trials",
    "note",
    "{n:count} {kind} trials with {people:count person/people} each, seed {seed}; ties {ties}; {kernel} kernel",
)
_NOT_WON = Sentence(
    "choices.not-won",
    "note",
    "'First not ahead in' counts image choices of these people; trials are not drawn under a null hypothesis, so the "
    "share is not a p-value. The p-value over people (sign flip of people's mean successes, not adjusted) tests "
    "whether the algorithms differ for new people",
)
_MORE_PAIRS = Sentence("choices.more-pairs", "note", "{n:count more pair} in the JSON and CSV files")
_UNDRAWN = Sentence("choices.left-undrawn", "note", "Figure {figure}: {part}; the tables show all of them")
_EXACT = Sentence(
    "choices.exact",
    "note",
    "Exact means: each person's pair is drawn independently, with all pairs equally likely; no simulation",
)


def figures_of(result: VirtualExperiments, level: float = 0.95) -> dict[str, Draw]:
    """Functions that draw the figures of the paper: distributions, intervals by rank, differences."""
    names = result.algorithms
    ranks = range(1, min(result.n_ranks, LOW_RANKS) + 1)
    leading = _leading(result)
    among, between = left_undrawn(result)
    width = max(1, round(result.n_subjects / 40))  # whole values in a bin: 4 of 160 as in the paper
    rates = {name: result.rate(name) for name in names}
    bands = {name: [result.rate(name, t) for t in ranks] for name in names if name in leading[:_MOST_BANDS]}
    made: dict[str, Draw] = {
        "distributions": partial(rate_distributions_figure, rates, width),
        "ranks": partial(rank_intervals_figure, bands, level, note=among),
    }
    pairs = [pair for pair in result.pairs if _chosen(result) or {*pair} <= {*leading[:_MOST_PAIRED]}]
    apart = {pair: result.difference(*pair) for pair in pairs[: comb(_MOST_PAIRED, 2)]}
    if apart:
        made["differences"] = partial(differences_figure, apart, width, note=between)
    if result.measured:
        made["measures"] = partial(replicates_figure, _spreads(result.at_level(level)))
    return made


def _spreads(result: VirtualExperiments) -> list[list[Estimate]]:
    """Figures of other measures: each over all algorithms, and D for as many pairs as are legible."""
    drawn: list[list[Estimate]] = []
    for measured in result.measured.values():
        drawn.append(list(measured.estimates.values()))
        apart = [measured.apart(*pair) for pair in measured.pairs[: comb(_MOST_PAIRED, 2)]]
        drawn += [apart] if apart else []
    return drawn


def _leading(result: VirtualExperiments) -> list[str]:
    """The algorithms by mean rate at rank 1, best first."""
    return sorted(result.algorithms, key=lambda name: -result.rate(name).mean)


def _chosen(result: VirtualExperiments) -> bool:
    """Whether some pairs of algorithms were chosen, in an order of their own."""
    return bool(result.pairs) and result.pairs != tuple(combinations(result.algorithms, 2))


def left_undrawn(result: VirtualExperiments) -> tuple[str, str]:
    """State which algorithms or pairs a figure shows; empty if it shows all."""
    total = len(result.algorithms)
    bands, paired = min(total, _MOST_BANDS), min(total, _MOST_PAIRED)
    rule = "the {} with the highest mean rate at rank 1"
    most = comb(_MOST_PAIRED, 2)
    pairs = (
        part_of(
            min(len(result.pairs), most), len(result.pairs), "pairs", f"the first {most} of the chosen pairs"
        )
        if _chosen(result)
        else part_of(comb(paired, 2), comb(total, 2), "pairs", f"of {total} algorithms {rule.format(paired)}")
    )
    return part_of(bands, total, "algorithms", rule.format(bands)), pairs


@shows(VirtualExperiments)
class VirtualExperimentsView(View[VirtualExperiments]):
    """Trials with other images of the same people: rates, and differences between algorithms."""

    plot = staticmethod(one_of(figures_of, "distributions"))

    def tables(self, found: VirtualExperiments) -> Sequence[Table]:
        return _trials_tables(found)

    def notes(self, found: VirtualExperiments) -> Sequence[Note]:
        return [
            _TRIALS(
                n=found.n_trials,
                kind="balanced" if found.design.balanced else "unbalanced",
                people=found.n_subjects,
                seed=found.seed,
                ties=found.ties,
                kernel=found.kernel,
            ),
            metrics_statement(found.metrics.items()),
            answered(found.answers),
            *([_NOT_WON()] if len(found.algorithms) > 1 else []),
            *found.notes,
        ]


@shows(Choices)
class ChoicesView(View[Choices]):
    """Trials, exact means, or training sets, as requested."""

    def tables(self, found: Choices) -> Sequence[Table]:
        if found.choices is not None:
            return _trials_tables(
                found.choices, min(found.rank, found.choices.n_ranks), found.confidence_level
            )
        if found.trainings is not None:
            return [_trainings(found.trainings, found.trained)]
        rank = min(found.rank, *(len(one.values) for one in found.exact_choices.values()))
        return [_exact(found.exact_choices, {rank: f"mean rate at rank {rank}"}, 6)]

    def notes(self, found: Choices) -> Sequence[Note]:
        if found.choices is not None:
            return VirtualExperimentsView().notes(found.choices)
        if found.trainings is not None:
            return [answered(found.trainings.answers), *found.trainings.notes]
        return [] if found.pool is None else [_EXACT(), *found.pool.notes]

    def passages(self, found: Choices, explain: bool) -> Iterator[Passage]:
        """The tables, and the pool that images were chosen from."""
        told = found.choices or found.trainings
        verdicts = [] if found.trainings is None else [repr(found.trainings)]
        pool = [] if found.trainings is not None else [repr(found.pool)]
        answers = [] if told is None else [told.answers]
        yield Passage(self.tables(found), verdicts, [*pool, *self.notes(found)], answers)

    def frames(self, found: Choices) -> Mapping[str, pl.DataFrame]:
        """Rates, differences and the choices of the trials that were listed; exact means; or the value of every training set."""
        made: dict[str, pl.DataFrame] = {}
        if found.choices is not None:
            made["choices"] = found.choices.at_level(found.confidence_level).to_frame()
            if len(found.choices.algorithms) > 1:
                made["choices_differences"] = _differences_frame(found.choices, found.confidence_level)
            made |= _measured_frames(found.choices.at_level(found.confidence_level))
        if found.exact_choices:
            frames = [_exact_frame(name, one) for name, one in found.exact_choices.items()]
            made["choices_exact"] = pl.concat(frames)
        if found.trainings is not None and found.trainings.replicates is not None:
            made["choices_trainings"] = pl.DataFrame(
                {"training": found.trained, "value": found.trainings.replicates}
            )
        return made | ({} if found.trial_choices is None else {"choices_trials": found.trial_choices})

    def figures(self, found: Choices, scene: Scene) -> Mapping[str, Draw]:
        drawn = {} if found.choices is None else figures_of(found.choices, found.confidence_level)
        return {f"choices_{name}": draw for name, draw in drawn.items()}

    def sections(self, found: Choices, scene: Scene) -> Iterator[Placed]:
        if found.choices is not None:
            blocks = tuple(_trials_blocks(found.choices, scene))
            yield Placed(37, Section("choices", "Choice of images", blocks))
        if found.exact_choices:
            last = min(_RANKS, max(len(one.values) for one in found.exact_choices.values()))
            table = _exact(found.exact_choices, {rank: f"rank {rank}" for rank in range(1, last + 1)}, 4)
            blocks = (table.paged, *said(self.notes(found)))
            yield Placed(55, Section("exact-choices", "Choice of images, exactly", blocks))
        if found.trainings is not None and found.trainings.replicates is not None:
            told = [repr(found.trainings), *map(as_sentence, found.trainings.notes)]
            blocks = (*said(told), _trainings(found.trainings, found.trained).paged)
            yield Placed(60, Section("trainings", "Training sets", blocks))

    def algorithms(self, found: Choices) -> Sequence[str]:
        return list(found.exact_choices) or (found.choices.algorithms if found.choices else ())

    def headline(self, found: Choices, scene: Scene) -> Summary | None:
        """The best mean rate."""
        if found.choices is None:
            return None
        best = _leading(found.choices)[0]
        spread = found.choices.rate(best)
        low, high = spread.interval(found.confidence_level)
        told = _CHOSEN(algorithm=best, rate=spread.mean, level=found.confidence_level, low=low, high=high)
        return Summary(told, found.choices.answers, precedence=60)

    def diagnostics(self, found: Choices) -> Sequence[Block]:
        """Whether there are trials enough."""
        if found.choices is None:
            return []
        trials, worst = counted(found.choices.n_trials, "trial"), found.choices.standard_error_of_means
        told = (
            f"Choices of images: with {trials}, the Monte Carlo standard error of the mean rates at rank 1 is at most "
            f"{fixed(worst)}."
        )
        return said([told])

    def noted(self, found: Choices) -> Sequence[tuple[Note, Sequence[Note | str]]]:
        return [] if found.choices is None else [(_CHOICES(), found.choices.notes)]

    def methods(self, found: Choices, text: MethodsText, scene: Scene) -> None:
        if found.choices is not None:
            permuted = _BALANCED if found.choices.design.balanced else _UNBALANCED
            sizes = {"people": found.choices.n_subjects, "trials": found.choices.n_trials}
            text.say(permuted(**sizes), "beveridge2001")

    def conditions(self, found: Choices, scene: Scene) -> tuple[Sequence[Badge], Sequence[tuple[str, str]]]:
        if found.choices is None:
            return (), ()
        n = counted(found.choices.n_trials, "choice of images", "choices of images")
        return [Badge(n, explained=str(found.choices.design))], ()

    def metrics_of_scores(self, found: Choices) -> Mapping[str, str | None]:
        return {} if found.choices is None else found.choices.metrics

    def told(self, found: Choices) -> Sequence[Note]:
        """What the figures leave out, and where to find it."""
        left = ("", "") if found.choices is None else left_undrawn(found.choices)
        return [
            _UNDRAWN(figure=name, part=part)
            for name, part in zip(("ranks", "differences"), left, strict=True)
            if part
        ]


def _trials_tables(result: VirtualExperiments, rank: int = 1, level: float = 0.95) -> list[Table]:
    """Rates, and with several algorithms differences for as many pairs as are legible."""
    rates, measured = _rates(result, rank, level), _measured(result.at_level(level))
    if len(result.algorithms) < 2:
        return [rates, *measured]
    rank = min(rank, LOW_RANKS)
    pairs = islice(result.pairs, _MOST_PAIRS)
    more = len(result.pairs) - _MOST_PAIRS
    notes = [_MORE_PAIRS(n=more)] if more > 0 else []
    return [rates, _differences(result, _compared(result, pairs, rank, level), rank, level, notes), *measured]


def _compared(
    result: VirtualExperiments, pairs: Iterator[tuple[str, str]], rank: int, level: float
) -> list[Difference]:
    return [compared(result, first, second, rank, None, level) for first, second in pairs]


def _rates(result: VirtualExperiments, rank: int, level: float) -> Table:
    """Every algorithm's rate over choices of images."""
    return col.table_of(
        "",
        result.algorithms,
        col.name("algorithm", str),
        col.rate(f"mean rate at rank {rank}", lambda name: result.rate(name, rank).mean),
        col.rate("s.d. over choices", lambda name: result.rate(name, rank).standard_deviation),
        col.interval(
            f"{percent(level)} of choices",
            lambda name: result.rate(name, rank).interval(level),
            answers=result.answers,
            kind="number",
        ),
        id="choice-rates",
        on_page="Rates over choices of images",
    )


def _differences(
    result: VirtualExperiments,
    pairs: Sequence[Difference],
    rank: int,
    level: float,
    notes: Sequence[Note | str],
) -> Table:
    """Differences in the same choices, how often the first does not win, and the test over people."""
    return col.table_of(
        "",
        pairs,
        col.name(f"at rank {rank}", lambda pair: f"{pair.first} − {pair.second}"),
        col.effect("difference, points", lambda pair: pair.value),
        col.effect_interval(
            f"{percent(level)} of choices", _over_choices, answers=result.answers, kind="number"
        ),
        col.share("first not ahead in", lambda pair: (pair.not_won or 0, pair.n_trials or 0)),
        col.p("p over people", lambda pair: (pair.p_value, pair.method.floor)),
        id="choice-differences",
        on_page="Differences at rank 1 in the same choices",
        notes=notes,
    )


def _measured(result: VirtualExperiments) -> list[Table]:
    """Other measures over the same choices, and their differences for as many pairs as are legible."""
    if not result.measured:
        return []
    values = [one for measured in result.measured.values() for one in measured.estimates.values()]
    share = f"{percent(result.confidence_level)} of choices"
    tables = [
        col.table_of(
            "Other measures",
            values,
            col.name("measure", lambda one: str(one.answers.of)),
            col.name("algorithm", lambda one: one.algorithm),
            col.fixed("value", lambda one: one.value, places=4),
            col.fixed("s.d. over choices", lambda one: one.standard_error, places=4),
            col.interval(share, lambda one: (one.low, one.high), answers=result.answers, kind="number"),
            id="choice-measures",
            on_page="Other measures over choices of images",
        )
    ]
    apart = [one for measured in result.measured.values() for one in measured.differences]
    if apart:
        more = len(apart) - _MOST_PAIRS
        tables.append(
            col.table_of(
                "Differences of other measures",
                apart[:_MOST_PAIRS],
                col.name("measure", lambda pair: pair.measure),
                col.name("in the same choice", lambda pair: f"{pair.first} − {pair.second}"),
                col.fixed("difference", lambda pair: pair.value, places=4),
                col.interval(
                    share, lambda pair: (pair.low, pair.high), answers=result.answers, kind="number"
                ),
                col.share("first not ahead in", lambda pair: (pair.not_won or 0, pair.n_trials or 0)),
                id="choice-measure-differences",
                on_page="Differences of other measures in the same choices",
                notes=[_MORE_PAIRS(n=more)] if more > 0 else [],
            )
        )
    return tables


def _measured_frames(result: VirtualExperiments) -> dict[str, pl.DataFrame]:
    """Every algorithm and every pair by the other measures."""
    if not result.measured:
        return {}
    rows = [
        (code, name, one.value, one.low, one.high, one.standard_error)
        for code, measured in result.measured.items()
        for name, one in measured.estimates.items()
    ]
    columns = ["measure", "algorithm", "value", "low", "high", "standard_deviation"]
    made = {"choices_measures": frame_of_rows(rows, columns)}
    apart = [
        (pair.measure, pair.first, pair.second, pair.value, pair.low, pair.high, pair.not_won, pair.n_trials)
        for measured in result.measured.values()
        for pair in measured.differences
    ]
    columns = ["measure", "first", "second", "difference", "low", "high", "not_won", "trials"]
    return made | ({"choices_measure_differences": frame_of_rows(apart, columns)} if apart else {})


def _over_choices(pair: Difference) -> tuple[float, float]:
    return pair.over_choices or (pair.low, pair.high)


def _differences_frame(result: VirtualExperiments, level: float) -> pl.DataFrame:
    """Every pair at rank 1: D over choices of images, how often the first does not win, and the test over people."""
    found = _compared(result, iter(result.pairs), 1, level)
    rows = [
        (
            one.first,
            one.second,
            1,
            one.value,
            *_over_choices(one),
            one.not_won,
            one.n_trials,
            one.p_value,
        )
        for one in found
    ]
    columns = ["first", "second", "rank", "difference", "low", "high", "not_won", "trials", "p_over_people"]
    return frame_of_rows(rows, columns)


def _exact(found: Mapping[str, ExactChoice], ranks: Mapping[int, str], places: int) -> Table:
    """Exact means at some ranks, with the standard deviation at rank 1 where it is known."""
    return col.table_of(
        "",
        found,
        col.name("algorithm", str),
        *col.each(
            ranks,
            lambda rank: col.fixed(
                ranks[rank],
                lambda name: float(found[name].values[min(rank, len(found[name].values)) - 1]),
                places=places,
            ),
        ),
        col.fixed("standard deviation at rank 1", lambda name: _deviation(found[name]), places=places),
        id="exact-choices",
        on_page="Mean rates over choices of images",
    )


def _exact_frame(algorithm: str, found: ExactChoice) -> pl.DataFrame:
    """The exact mean at every rank, with the standard deviation at rank 1 where it is known."""
    ranks = range(1, len(found.values) + 1)
    deviations = [_deviation(found), *[None] * (len(ranks) - 1)]
    return pl.DataFrame(
        {"algorithm": algorithm, "rank": ranks, "mean": found.values, "standard_deviation": deviations},
        schema_overrides={"standard_deviation": pl.Float64},
    )


def _deviation(one: ExactChoice) -> float | None:
    return None if one.variance_rank_1 is None else one.variance_rank_1**0.5


def _trainings(made: Estimate, trained: Sequence[str]) -> Table:
    """The value of every training set, and their mean with its interval."""
    assert made.replicates is not None  # one of each
    values = list(zip(trained, made.replicates.tolist(), strict=True))
    rows = [
        *((name, value, None) for name, value in values),
        ("their mean", made.value, (made.low, made.high)),
    ]
    return col.table_of(
        "",
        rows,
        col.name("trained on", lambda row: row[0]),
        col.rate(str(made.answers.of), lambda row: row[1]),
        col.interval(col.at_level(made.confidence_level), lambda row: row[2], answers=made.answers),
        id="trainings",
        on_page="The rate with each training set",
    )


def _trials_blocks(result: VirtualExperiments, scene: Scene) -> Iterator[Block]:
    """Rates and differences over other choices of images of these people."""
    level = scene.confidence_level
    yield of_length(_rates(result, 1, level).paged)
    names = sorted(result.algorithms, key=lambda name: (-result.rate(name, 1).mean, scene.order.index(name)))
    if _chosen(result):
        yield shown(differences(result, result.pairs[:_MOST_DRAWN]))
        if len(result.pairs) > _MOST_DRAWN:
            yield from said(
                [f"The chart shows the first {_MOST_DRAWN} of the chosen pairs; the table has more."]
            )
        yield of_length(
            _differences(result, _compared(result, iter(result.pairs), 1, level), 1, level, []).paged
        )
    elif len(names) > 1 and result.differences():
        leader, *others = names
        drawn = [(leader, other) for other in others[:_MOST_DRAWN]]
        chart = differences(result, drawn)
        looks = dict(zip(chart.names, (scene.looks[other] for _, other in drawn), strict=True))
        yield shown(chart, places=looks)
        if len(drawn) < len(others):
            yield from said([f"The chart shows {leader} against the next {len(drawn)}; the table has more."])
        many = len(names) > ALL_PAIRS
        every = comb(len(names), 2)
        notes = [
            f"The leader against each other algorithm, out of {counted(every, 'pair')}; the CSV and JSON files contain all pairs."
        ]
        pairs = combinations(names, 2)
        found = _compared(result, islice(pairs, len(others)) if many else pairs, 1, level)
        yield of_length(_differences(result, found, 1, level, notes if many else []).paged)
    for table in _measured(result.at_level(level)):
        yield of_length(table.paged)
    yield Folded("Notes on choices of images", tuple(said(VirtualExperimentsView().notes(result))))
