"""The studies of Beveridge et al. 2001 carried out anew: McNemar's tests, the bootstrap, and permuted galleries and probes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from proband.algorithms.ica import INFOMAX, INFOMAX_UNSETTLED
from proband.analyses.choices.run import Choices
from proband.designs import Bootstrap
from proband.engine import Progress
from proband.engine.arguments import published
from proband.engine.files.spreadsheets import write_spreadsheet
from proband.engine.limits import Positive, Seed, Threads
from proband.inference import VirtualExperiments
from proband.inference.comparisons.mcnemar_table import McNemarRow
from proband.inference.comparisons.testing.mcnemar import PairedOutcomes
from proband.inference.image_choice.distributions import Distribution
from proband.inference.image_choice.estimates import compared
from proband.measures import Outcomes
from proband.papers.beveridge2001 import ALGORITHMS, FIRST, OTHER, SECOND, Beveridge2001, study_scores
from proband.papers.beveridge2001_claims import LDA, NOT_WON, PCA, PRINTED_P, TABLE_4, ChoiceEvidence, claims
from proband.papers.charts import Line, curves_chart, spread_chart
from proband.papers.common import found_by
from proband.papers.page import Item, Reproduction, write_reproduction
from proband.report.charts.makers.histograms import differences
from proband.report.page.charts import shown
from proband.report.page.model import Paragraph
from proband.report.tables.cells import (
    columns,
    count_cell,
    fixed_cell,
    interval_cell,
    p_cell,
    rate_cell,
    share_cell,
    table,
    text_cell,
)
from proband.report.tables.table import Cell, Table
from proband.results.difference import Difference
from proband.scores.archive import write_score_archive
from proband.study.findings import Findings
from proband.study.inputs import in_memory
from proband.words import Sentence, counted

GALLERY = "kind == 'fa' and session == 1"
BIN = 4  # whole values in a bin: 4/160, as in the paper
_BEST = "pca:mahalanobis"
_RESAMPLES = 10_000
_CENSORED = 10
_FILES = ("rates.csv", "samples.csv", "scores.npz", "probe_sets.csv", "probe_sets_scores.npz")

_PEOPLE = Sentence(
    "beveridge2001.people",
    "caution",
    "the people are synthetic: {test:count} with two images on each of two days (section 7), {enrolled:count} others with FERET's sets of "
    "images (Table 4), and {train:count} others with three images each to train on. How hard the faces are was set so that PCA with "
    "Mahalanobis distance recognises about as many as in the paper, and nothing else was",
)
_ICA = Sentence(
    "beveridge2001.ica",
    "note",
    "the paper does not say which ICA it is. Here it is InfoMax with independent basis images (architecture I), which is no rotation "
    "of PCA; architecture II, a factorial code, stands beside it",
)
_SAVED = Sentence(
    "beveridge2001.saved",
    "note",
    "the scores are saved: proband evaluate, compare and permute read scores.npz with samples.csv (section 7), and "
    "probe_sets_scores.npz with probe_sets.csv (Table 4)",
)


@dataclass(frozen=True, eq=False)
class Measurements:
    """What was measured.

    Attributes
    ----------
    table4
        PCA against each ICA on FERET's probe sets: rates, McNemar's tests, and comparisons over people.
    bootstrap, medians
        Resampled rates of the easiest probe set, and median ranks of a hard one.
    choices, unbalanced
        The virtual experiments, with columns of images used equally often and not.
    """

    table4: Mapping[str, Findings]
    bootstrap: Distribution
    medians: Mapping[int, float]
    choices: Choices
    unbalanced: VirtualExperiments

    @property
    def trials(self) -> VirtualExperiments:
        """The virtual experiments."""
        assert self.choices.choices is not None  # trials are what was asked for
        return self.choices.choices

    def tests(self, second: str = SECOND) -> dict[str, McNemarRow]:
        """Table 4: PCA against an ICA, by probe set."""
        of = {row.category: row for row in self.table4[second]["mcnemar"].rows if row.counts.n}
        return {name: of[name] for name in TABLE_4 if name in of}

    def over_people(self, second: str, category: str) -> Difference:
        """The same pair on a probe set, compared over people."""
        compared = self.table4[second]["comparison"].comparisons.values()
        pair: Difference
        (pair,) = next(one for one in compared if one.category == category).pairs
        return pair

    def outcomes(self, category: str) -> Outcomes:
        """What became of a probe set, by PCA."""
        return _first(self.table4[SECOND], category)

    @property
    def evidence(self) -> ChoiceEvidence:
        """What the claims are about."""
        pairs = [*NOT_WON, *product(("pca:l1", _BEST), LDA)]
        return ChoiceEvidence(
            {name: row.counts for name, row in self.tests().items()},
            TABLE_4,
            self.bootstrap.shares,
            self.bootstrap.n,
            int(self.outcomes("fb").success(1).sum()),
            self.bootstrap.n_trials,
            {name: self.trials.rate(name) for name in ALGORITHMS},
            self.unbalanced.rate(_BEST),
            {pair: self.trials.difference(*pair) for pair in pairs},
        )


def _first(found: Findings, category: str) -> Outcomes:
    entries = found["identification"].evaluation.of(category)
    made: Outcomes = next(one.outcomes for one in entries if one.algorithm == FIRST)
    return made


@published
def reproduce_beveridge2001(
    out: Path,
    n_resamples: Positive,
    seed: Seed,
    threads: Threads | None,
    progress: Progress,
    people: Positive = 160,
    training: Positive = 225,
) -> tuple[Reproduction, Path]:
    """Carry the studies out on synthetic people and write their page and their scores; return both.

    Parameters
    ----------
    out
        The directory of the page.
    n_resamples
        How many trials.
    people, training
        How many people are tested, and trained on.
    seed
        The seed of the people and of all that is drawn.
    threads, progress
        How many threads, and what is told how far it is.

    Returns
    -------
    tuple
        The claims with their verdicts, and the path of the page.
    """
    data = study_scores(seed, people, training, threads, progress)
    found = measured(data, n_resamples, seed, threads, progress)
    made = reproduction(data, found, seed)

    def attach(draft: Path) -> None:
        write_spreadsheet(found.trials.at_level(0.95).to_frame(), draft / "rates.csv")
        for name, samples, scores in (
            ("samples", data.samples, data.scores),
            ("probe_sets", data.probe_sets, data.probe_scores),
        ):
            write_spreadsheet(samples.frame, draft / f"{name}.csv")
            write_score_archive(draft / ("scores.npz" if name == "samples" else f"{name}_scores.npz"), scores)

    return made, write_reproduction(made, out, _FILES, attach)


def measured(
    data: Beveridge2001, n_trials: int, seed: int, threads: int | None, progress: Progress
) -> Measurements:
    """Compare PCA with each ICA on the probe sets, resample the easiest of them, and permute galleries and probes."""
    running: dict[str, Any] = {"seed": seed, "threads": threads, "progress": progress}
    probed: dict[str, Any] = {
        "identification": {},
        "comparison": {"by_category": True, "adjust": "none"},
        "experiment": {"gallery": GALLERY},
        "category": {"feret": True},
    }
    scores = {one.name: one for one in data.probe_scores}
    table4 = {
        second: found_by(
            "mcnemar",
            {"by_category": True},
            in_memory(data.probe_sets, [scores[FIRST], scores[second]]),
            **probed,
            **running,
        )
        for second in (SECOND, OTHER)
    }
    trials = {"groups": "day", "n_resamples": n_trials}
    best = [one for one in data.scores if one.name == _BEST]
    balanced, unbalanced = (
        found_by("choices", asked, in_memory(data.samples, own), **running)["choices"]
        for asked, own in ((trials, data.scores), ({**trials, "balanced": False}, best))
    )
    easy, hard = (_first(table4[SECOND], name) for name in ("fb", "dup1"))
    return Measurements(
        table4, _resampled(easy, seed), _resampled_medians(hard, seed), balanced, unbalanced.choices
    )


def _resampled(outcomes: Outcomes, seed: int) -> Distribution:
    """The distribution of the rank-1 rate over resampled probes."""
    success = outcomes.success(1)
    n = len(success)
    counts = np.zeros(n + 1, dtype=np.int64)
    for weights in Bootstrap("probe", n_resamples=_RESAMPLES).weights(n, seed):
        counts += np.bincount(np.rint(weights @ success).astype(int), minlength=n + 1)
    return Distribution(0, counts, n)


def _resampled_medians(outcomes: Outcomes, seed: int) -> dict[int, float]:
    """The share of resamples of probes with each median censored rank (the lower one of two)."""
    ranks = np.sort(np.minimum(outcomes.ranks, _CENSORED))
    found: Counter[int] = Counter()
    for weights in Bootstrap("probe", n_resamples=_RESAMPLES).weights(len(ranks), seed):
        middle = ranks[np.argmax(np.cumsum(weights, axis=1) >= len(ranks) / 2, axis=1)]
        found.update(middle.astype(int).tolist())
    return {value: times / _RESAMPLES for value, times in sorted(found.items())}


def reproduction(data: Beveridge2001, found: Measurements, seed: int) -> Reproduction:
    """Put the paper's tables and figures beside ours."""
    judged = claims(found.evidence)
    choices = found.trials
    best, n_ranks = choices.rate(_BEST), min(10, choices.n_ranks)
    rates = {name: choices.rate(name) for name in ALGORITHMS}
    ranks = np.arange(1, n_ranks + 1)
    bands = []
    for name in (_BEST, "pca:l1"):
        each = [choices.rate(name, t) for t in ranks.tolist()]
        ends = np.array([one.interval() for one in each])
        bands.append(Line(name, ranks, [one.mean for one in each], ends[:, 0], ends[:, 1]))
    exact = _binomial(found)
    label = "recognition rate at rank 1"
    items = (
        Item("table4", "Table 4: PCA and ICA by probe set", (_table4(found),), judged["table4"]),
        Item(
            "bootstrap",
            "Section 6: the bootstrap",
            (
                spread_chart(
                    "bootstrap-chart",
                    "The bootstrap of a rate, and the binomial distribution",
                    "Resampling probes and the binomial model give one distribution.",
                    [("bootstrap", found.bootstrap), ("binomial", exact)],
                    f"{label}, {FIRST}, fb probes",
                    notes=(
                        f"{counted(_RESAMPLES, 'resample')} of {counted(found.bootstrap.n, 'probe')}; bars: the middle 95%.",
                    ),
                ),
                _medians(found),
            ),
            judged["bootstrap"],
        ),
        Item(
            "figure1",
            "Figure 1: rank-1 rates over choices of images",
            (
                *(
                    spread_chart(
                        f"figure1-{family}",
                        f"Variants of {family.upper()}",
                        "How much the rate depends on which images of these people are gallery and probes.",
                        [(name, rates[name]) for name in names],
                        label,
                        BIN,
                    )
                    for family, names in (("pca", PCA), ("lda", LDA))
                ),
                _rates(rates),
            ),
            judged["figure1"],
        ),
        Item(
            "figure2",
            "Figure 2: 95% intervals by rank",
            (
                curves_chart(
                    "figure2-chart",
                    "Mean rate and middle 95% of the choices",
                    "Intervals overlap, and yet one algorithm may win in nearly every trial.",
                    bands,
                    "rank",
                    "recognition rate",
                    kinds=("linear",),
                ),
            ),
            judged["figure2"],
        ),
        Item(
            "table7",
            "Figure 3 and Table 7: differences in the same trial",
            (
                shown(differences(choices, list(NOT_WON), id="figure3-chart")),
                _table7(found),
                Paragraph(
                    "The paper reads the share of trials in which A does not win as a probability of the null hypothesis. Trials are "
                    "not draws under one: the share describes choices of images of these people. The last column asks about other people."
                ),
            ),
            judged["table7"],
        ),
        Item(
            "figure4",
            "Figure 4: balanced against unbalanced sampling",
            (
                spread_chart(
                    "figure4-chart",
                    f"{_BEST} by both ways of sampling",
                    "Whether columns are used equally often in a trial hardly matters.",
                    [("balanced", best), ("unbalanced", found.unbalanced.rate(_BEST))],
                    label,
                ),
            ),
            judged["figure4"],
        ),
    )
    n_trials, n_test = best.n_trials, choices.n_subjects
    enrolled = found.outcomes("fb").n_gallery_subjects
    command = f"proband reproduce beveridge2001 --people {n_test} --training {data.n_training} --trials {n_trials} --seed {seed}"
    return Reproduction(
        "beveridge2001",
        "Parametric and nonparametric methods, carried out anew",
        "Beveridge, She, Draper and Givens (2001)",
        command,
        seed,
        (_PEOPLE(test=n_test, enrolled=enrolled, train=data.n_training), _ICA(), _SAVED()),
        items,
        {"people": n_test, "training_people": data.n_training, "trials": n_trials, "seed": seed},
        {
            "table4": {name: row.counts for name, row in found.tests().items()},
            "bootstrap": found.bootstrap,
        },
        tuple(
            note
            for one in data.probe_scores
            for note in one.notes
            if note.code in (INFOMAX.code, INFOMAX_UNSETTLED.code)
        ),
        {"choices": found.choices},
    )


def _binomial(found: Measurements) -> Distribution:
    """The binomial distribution of the count, as counts of many trials."""
    from scipy.stats import binom

    n, many = found.bootstrap.n, 10**7
    share = found.outcomes("fb").success(1).mean()
    return Distribution(0, np.rint(many * binom.pmf(np.arange(n + 1), n, share)).astype(np.int64), n)


def _table4(found: Measurements) -> Table:
    heads = (
        *columns("probes", "PCA against", text=2),
        *columns("PCA", "ICA", "SS", "SF", "FS", "FF", "one-sided p", "p over people", text=0),
    )
    rows = []
    for name, printed in TABLE_4.items():
        rows.append(
            (*_named(f"{name}, published", "ICA"), *_counts(printed), text_cell(PRINTED_P[name]), Cell("–"))
        )
        for second in (SECOND, OTHER):
            row = found.tests(second).get(name)
            if row is None or row.test is None:
                continue
            tested = (row.test.p_greater, None), found.over_people(second, name).p_with_floor
            rows.append(
                (*_named(f"{name}, here", second), *_counts(row.counts), *(p_cell(*p) for p in tested))
            )
    notes = (
        "SS: both recognise the probe, SF: only PCA (L1), FS: only ICA (cosine), FF: neither.",
        "McNemar's test takes probes for independent; several are of one person. The last column is two-sided, over people.",
    )
    return table("table4-beside", "Correct at rank 1, published and here", heads, rows, notes)


def _named(*names: str) -> tuple[Cell, ...]:
    return tuple(map(text_cell, names))


def _counts(pairs: PairedOutcomes) -> tuple[Cell, ...]:
    each = (pairs.ss + pairs.sf, pairs.ss + pairs.fs)
    return (
        *(share_cell(one, pairs.n) for one in each),
        *map(count_cell, (pairs.ss, pairs.sf, pairs.fs, pairs.ff)),
    )


def _medians(found: Measurements) -> Table:
    rows = [(count_cell(value), rate_cell(share)) for value, share in found.medians.items()]
    return table(
        "medians",
        f"Median of {FIRST}'s ranks on dup1 probes, censored at {_CENSORED}, over {counted(_RESAMPLES, 'resample')}",
        columns("median censored rank", "share of resamples", text=0),
        rows,
        ("The paper names this statistic for its lack of a formula, and prints no number.",),
    )


def _rates(rates: Mapping[str, Distribution]) -> Table:
    rows = [
        (
            text_cell(name),
            rate_cell(one.mean),
            rate_cell(one.standard_deviation),
            interval_cell(one.interval()),
        )
        for name, one in rates.items()
    ]
    heads = columns("algorithm", "mean rank-1 rate", "s.d. over choices", "95% of choices")
    notes = (
        "The paper draws these distributions and prints no mean: Mahalanobis first, then L1, L2 and angle, LDA behind them.",
    )
    return table("rates", "Rank-1 rates over choices of images, here", heads, rows, notes)


def _table7(found: Measurements) -> Table:
    rows = []
    for (a, b), printed in NOT_WON.items():
        one = found.trials.difference(a, b)
        people = compared(found.trials, a, b, 1, None, 0.95)
        cells = (
            share_cell(one.at_most(0.0), one.n_trials),
            share_cell(printed, 10_000),
            fixed_cell(100 * one.mean),
        )
        rows.append((text_cell(a), text_cell(b), *cells, p_cell(people.p_value, people.method.floor)))
    heads = columns(
        "A", "B", "A does not win, here", "in the paper", "mean difference, points", "p over people", text=2
    )
    return table(
        "table7-beside",
        "Table 7, published and here",
        heads,
        rows,
        ("Table 7 prints 0.0080 for the first pair; its text counts 35.",),
    )
