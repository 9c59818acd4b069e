"""Reproduction of the studies of Beveridge et al. 2001: McNemar's tests, the bootstrap, and permuted galleries and probes."""

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
from proband.distributions import binomial_pmf
from proband.engine import Progress
from proband.engine.arguments import published
from proband.engine.files.spreadsheets import write_spreadsheet
from proband.engine.limits import Positive, Seed, Threads
from proband.inference import VirtualExperiments
from proband.inference.comparisons.mcnemar_table import McNemarRow
from proband.inference.image_choice.distributions import Distribution
from proband.measures import Outcomes
from proband.papers.beveridge2001 import ALGORITHMS, FIRST, OTHER, SECOND, Beveridge2001, study_scores
from proband.papers.beveridge2001_claims import LDA, NOT_WON, PCA, TABLE_4, ChoiceEvidence, claims
from proband.papers.beveridge2001_design_claims import DesignEvidence, Listed, design_claims
from proband.papers.beveridge2001_tables import (
    choices_tables,
    differences_table,
    example_table,
    layout_table,
    medians_table,
    paired_table,
    rates_table,
    sets_table,
)
from proband.papers.charts import Line, curves_chart, spread_chart
from proband.papers.common import found_by
from proband.papers.page import Item, Reproduction, command_of, contents, write_reproduction
from proband.report.charts.makers.histograms import differences
from proband.report.page.charts import shown
from proband.report.page.model import Paragraph
from proband.results.difference import Difference
from proband.samples import Samples
from proband.scores.archive import write_score_archive
from proband.study.findings import Findings
from proband.study.inputs import in_memory
from proband.words import Sentence, counted

GALLERY = "kind == 'fa' and session == 1"
BIN = 4  # values per bin: 4/160, as in the paper
_BEST = "pca:mahalanobis"
_RESAMPLES = 10_000
_CENSORED = 10
_TRAINED_EACH = 3  # training images per person
CONTENTS = (
    ("Table 1", "notation", "no numbers to reproduce"),
    ("Table 2", "the gallery, the probe sets and the training set", "published and here"),
    (
        "Table 3",
        "paired outcomes of two algorithms (invented example)",
        "recomputed from its counts, next to a probe set here",
    ),
    ("Table 4", "PCA and ICA by probe set, McNemar's tests", "published and here"),
    ("Table 5", "the test images by person, day and expression", "the images here"),
    ("Table 6", "what an unbalanced and a balanced trial choose", "published and here"),
    ("Table 7", "in how many trials one algorithm does not win", "published and here"),
    ("Figure 1", "rank-1 rates over choices of images", "here; the paper prints no numbers"),
    ("Figure 2", "95% intervals at ranks 1 to 10", "here; the paper prints no numbers"),
    ("Figure 3", "differences in the same trial", "here, with Table 7"),
    ("Figure 4", "balanced against unbalanced sampling", "here; the paper prints no numbers"),
)
"""Every numbered table and figure of the paper, its content, and its counterpart on the page."""
_FILES = ("rates.csv", "samples.csv", "scores.npz", "probe_sets.csv", "probe_sets_scores.npz")

_PEOPLE = Sentence(
    "beveridge2001.people",
    "caution",
    "the people are synthetic: {test:count} with two images on each of two days (section 7), {enrolled:count} others with FERET's sets of "
    "images (Table 4), and {train:count} others with three images each to train on. The difficulty of the "
    "faces was set so that PCA with Mahalanobis distance recognises about as many as in the paper; nothing "
    "else was tuned",
)
_ICA = Sentence(
    "beveridge2001.ica",
    "note",
    "the paper does not state which ICA it used. Here it is InfoMax with independent basis images "
    "(architecture I), which is not a rotation of PCA; architecture II, a factorial code, is shown in "
    "addition",
)
_SAVED = Sentence(
    "beveridge2001.saved",
    "note",
    "the scores are saved: proband evaluate, compare and permute read scores.npz with samples.csv (section 7), and "
    "probe_sets_scores.npz with probe_sets.csv (Table 4)",
)


@dataclass(frozen=True, eq=False)
class Measurements:
    """The results.

    Attributes
    ----------
    table4
        PCA against each ICA on FERET's probe sets: rates, McNemar's tests, and comparisons over people.
    bootstrap, medians
        Resampled rates of the easiest probe set, and median ranks of a hard one.
    choices, unbalanced
        The virtual experiments, balanced and unbalanced, and the choices of the first trial of each.
    """

    table4: Mapping[str, Findings]
    bootstrap: Distribution
    medians: Mapping[int, float]
    choices: Choices
    unbalanced: Choices

    @property
    def trials(self) -> VirtualExperiments:
        """The virtual experiments."""
        return _trials(self.choices)

    def tests(self, second: str = SECOND) -> dict[str, McNemarRow]:
        """Table 4: PCA against an ICA, by probe set."""
        of = {row.category: row for row in self.table4[second]["mcnemar"].rows if row.counts.n}
        return {name: of[name] for name in TABLE_4 if name in of}

    def over_people(self, second: str, category: str) -> Difference:
        """The same pair on a probe set, compared over people."""
        compared = self.table4[second]["comparison"].comparisons.values()
        pair: Difference
        (pair,) = next(each for each in compared if each.category == category).pairs
        return pair

    def design(self, samples: Samples) -> DesignEvidence:
        """The layout of the studies: the probe sets, the images of section 7, and the choices of a trial."""
        frame = samples.frame
        images = frame.group_by("subject", maintain_order=True).agg("id", "day", "expression")
        place = {
            name: (person, column)
            for person, ids in enumerate(images["id"])
            for column, name in enumerate(ids)
        }
        known = {name: self.outcomes(name).experiment for name in self.tests()}
        probes = {name: [within.samples.ids[int(k)] for k in within.probes] for name, within in known.items()}
        return DesignEvidence(
            {name: frozenset(probes.get(name, ())) for name in TABLE_4},
            [
                [*zip(days, shown, strict=True)]
                for days, shown in images.select("day", "expression").iter_rows()
            ],
            _listed(self.unbalanced, place),
            _listed(self.choices, place),
            len(self.trials.algorithms),
        )

    def outcomes(self, category: str) -> Outcomes:
        """The outcomes of PCA on a probe set."""
        return _first(self.table4[SECOND], category)

    @property
    def evidence(self) -> ChoiceEvidence:
        """The evidence for the claims."""
        pairs = [*NOT_WON, *product(("pca:l1", _BEST), LDA)]
        return ChoiceEvidence(
            {name: row.counts for name, row in self.tests().items()},
            TABLE_4,
            self.bootstrap.shares,
            self.bootstrap.n,
            int(self.outcomes("fb").success(1).sum()),
            self.bootstrap.n_trials,
            {name: self.trials.rate(name) for name in ALGORITHMS},
            _trials(self.unbalanced).rate(_BEST),
            {pair: self.trials.difference(*pair) for pair in pairs},
        )


def _trials(choices: Choices) -> VirtualExperiments:
    assert choices.choices is not None  # trials were requested
    return choices.choices


def _listed(choices: Choices, place: Mapping[str, tuple[int, int]]) -> Listed:
    """The choices of the listed trial for each person, by image columns."""
    assert choices.trial_choices is not None  # a listed trial was requested
    rows = choices.trial_choices.select("gallery", "probe").iter_rows()
    return tuple((place[gallery][0], (place[gallery][1], place[probe][1])) for gallery, probe in rows)


def _first(findings: Findings, category: str) -> Outcomes:
    entries = findings["identification"].evaluation.of(category)
    outcomes: Outcomes = next(entry.outcomes for entry in entries if entry.algorithm == FIRST)
    return outcomes


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
    """Run the studies with synthetic people and write their page and scores.

    Parameters
    ----------
    out
        The directory of the page.
    n_resamples
        The number of trials.
    people, training
        The numbers of test and training people.
    seed
        The seed of the population and of all random choices.
    threads, progress
        The number of threads, and the progress callback.

    Returns
    -------
    tuple
        The claims with their verdicts, and the path of the page.
    """
    data = study_scores(seed, people, training, threads, progress)
    measurements = measured(data, n_resamples, seed, threads, progress)
    made = reproduction(data, measurements, seed)

    def attach(draft: Path) -> None:
        write_spreadsheet(measurements.trials.at_level(0.95).to_frame(), draft / "rates.csv")
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
    scores = {matrix.name: matrix for matrix in data.probe_scores}
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
    trials = {"groups": "day", "n_resamples": n_trials, "list_trials": [1]}
    best = [matrix for matrix in data.scores if matrix.name == _BEST]
    balanced, unbalanced = (
        found_by("choices", asked, in_memory(data.samples, own), **running)["choices"]
        for asked, own in ((trials, data.scores), ({**trials, "balanced": False}, best))
    )
    easy, hard = (_first(table4[SECOND], name) for name in ("fb", "dup1"))
    return Measurements(table4, _resampled(easy, seed), _resampled_medians(hard, seed), balanced, unbalanced)


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
    times: Counter[int] = Counter()
    for weights in Bootstrap("probe", n_resamples=_RESAMPLES).weights(len(ranks), seed):
        middle = ranks[np.argmax(np.cumsum(weights, axis=1) >= len(ranks) / 2, axis=1)]
        times.update(middle.astype(int).tolist())
    return {value: n / _RESAMPLES for value, n in sorted(times.items())}


def reproduction(data: Beveridge2001, measurements: Measurements, seed: int) -> Reproduction:
    """Assemble the paper's tables and figures next to ours."""
    design, choices = measurements.design(data.samples), measurements.trials
    judged, laid_out = claims(measurements.evidence), design_claims(design)
    names = data.samples.frame.group_by("subject", maintain_order=True).agg("id")["id"].to_list()
    tests = {second: measurements.tests(second) for second in (SECOND, OTHER)}
    people = {
        (second, name): measurements.over_people(second, name)
        for second, rows in tests.items()
        for name in rows
    }
    best, n_ranks = choices.rate(_BEST), min(10, choices.n_ranks)
    rates = {name: choices.rate(name) for name in ALGORITHMS}
    ranks = np.arange(1, n_ranks + 1)
    bands = []
    for name in (_BEST, "pca:l1"):
        each = [choices.rate(name, t) for t in ranks.tolist()]
        ends = np.array([rate.interval() for rate in each])
        bands.append(Line(name, ranks, [rate.mean for rate in each], ends[:, 0], ends[:, 1]))
    exact = _binomial(measurements)
    label = "recognition rate at rank 1"
    enrolled = measurements.outcomes("fb").n_gallery_subjects
    trained = _TRAINED_EACH * data.n_training
    items = (
        Item("contents", "Every table and figure of the paper", (contents(CONTENTS),)),
        Item("table2", "Table 2: the sets of images", (sets_table(enrolled, design.probe_sets, trained),), laid_out["table2"]),
        Item("table3", "Table 3: paired outcomes", (example_table(SECOND, "dup1", tests[SECOND]["dup1"].counts),), laid_out["table3"]),
        Item("table4", "Table 4: PCA and ICA by probe set", (paired_table("L1", tests, people),), judged["table4"]),
        Item(
            "bootstrap",
            "Section 6: the bootstrap",
            (
                spread_chart(
                    "bootstrap-chart",
                    "The bootstrap of a rate, and the binomial distribution",
                    "Resampling probes and the binomial model give the same distribution.",
                    [("bootstrap", measurements.bootstrap), ("binomial", exact)],
                    f"{label}, {FIRST}, fb probes",
                    notes=(
                        f"{counted(_RESAMPLES, 'resample')} of {counted(measurements.bootstrap.n, 'probe')}; bars: the middle 95%.",
                    ),
                ),
                medians_table(FIRST, _CENSORED, _RESAMPLES, measurements.medians),
            ),
            judged["bootstrap"],
        ),
        Item("table5", "Table 5: the images by person, day and expression", (layout_table(names, design),), laid_out["table5"]),
        Item("table6", "Table 6: what a trial chooses", choices_tables(names, design), laid_out["table6"]),
        Item(
            "figure1",
            "Figure 1: rank-1 rates over choices of images",
            (
                *(
                    spread_chart(
                        f"figure1-{family}",
                        f"Variants of {family.upper()}",
                        "How the rate depends on the choice of gallery and probe images of these people.",
                        [(name, rates[name]) for name in names],
                        label,
                        BIN,
                    )
                    for family, names in (("pca", PCA), ("lda", LDA))
                ),
                rates_table(rates),
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
                    "Intervals overlap, but one algorithm may still win in nearly every trial.",
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
                differences_table(choices),
                Paragraph(
                    "The paper reads the share of trials in which A does not win as a probability of the null hypothesis. Trials "
                    "are not drawn under a null hypothesis: the share describes choices of images of these "
                    "people. The p-values in the last column are for new people."
                ),
            ),
            (*judged["table7"], *laid_out["table7"]),
        ),
        Item(
            "figure4",
            "Figure 4: balanced against unbalanced sampling",
            (
                spread_chart(
                    "figure4-chart",
                    f"{_BEST} with balanced and unbalanced sampling",
                    "Using columns equally often in a trial makes little difference.",
                    [("balanced", best), ("unbalanced", _trials(measurements.unbalanced).rate(_BEST))],
                    label,
                ),
            ),
            judged["figure4"],
        ),
    )  # fmt: skip
    n_trials, n_test = best.n_trials, choices.n_subjects
    command = f"proband reproduce beveridge2001 --people {n_test} --training {data.n_training} --trials {n_trials} --seed {seed}"
    return Reproduction(
        "beveridge2001",
        "Parametric and nonparametric methods, reproduced",
        "Beveridge, She, Draper and Givens (2001)",
        command,
        seed,
        (_PEOPLE(test=n_test, enrolled=enrolled, train=data.n_training), _ICA(), _SAVED()),
        items,
        {"people": n_test, "training_people": data.n_training, "trials": n_trials, "seed": seed},
        {
            "table4": {name: row.counts for name, row in measurements.tests().items()},
            "bootstrap": measurements.bootstrap,
        },
        tuple(
            note
            for matrix in data.probe_scores
            for note in matrix.notes
            if note.code in (INFOMAX.code, INFOMAX_UNSETTLED.code)
        ),
        {"choices": measurements.choices},
        _further(seed),
    )


def _further(seed: int) -> tuple[str, ...]:
    """Commands to continue from the saved scores: Tables 6 and 7, and Table 4, in the directory of the page."""
    pairs = [word for second in (SECOND, OTHER) for word in ("--pairs", f"{FIRST}-{second}")]
    probed = ["probe_sets_scores.npz", "-s", "probe_sets.csv", "-g", GALLERY, "--feret", *pairs]
    permuted = ["scores.npz", "-s", "samples.csv", "--groups", "day", "--list-trials", "1"]
    ended = ["--seed", str(seed)]
    return (
        command_of("proband", "permute", *permuted, "--csv", "trials=trial.csv", *ended),
        command_of("proband", "mcnemar", *probed),
        command_of("proband", "compare", *probed, *ended),
    )


def _binomial(measurements: Measurements) -> Distribution:
    """The binomial distribution of the count, as counts in many trials."""
    n, many = measurements.bootstrap.n, 10**7
    share = measurements.outcomes("fb").success(1).mean()
    return Distribution(0, np.rint(many * binomial_pmf(np.arange(n + 1), n, share)).astype(np.int64), n)
