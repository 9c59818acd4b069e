"""Is A better than B? Comparison of two or more algorithms on the same probes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import comb
from typing import get_args, overload

import numpy as np

from proband.designs import Bootstrap, Design, SignFlip
from proband.engine import Engine, on_engine
from proband.engine.arguments import published
from proband.engine.limits import Level, Margin, Seed
from proband.errors import DesignError, UsageError, unknown_name
from proband.inference.comparisons.chosen_pairs import chosen_pairs
from proband.inference.comparisons.comparison import Comparison, ComparisonsByCategory
from proband.inference.comparisons.verdicts import judged
from proband.inference.estimates.case import people_in
from proband.inference.procedures import Auto, Joint, Question, procedure_for
from proband.measures import Measure, Outcomes
from proband.results.difference import Adjustment
from proband.results.sides import ONE_SIDED, Side, two_sided_level
from proband.samples import Category, Experiment, Pool, Samples
from proband.scores import Scores
from proband.scores.several import by_name
from proband.scores.trials import Trials
from proband.words import Note, Sentence

DEFAULT_MARGIN = 0.01

_SEVERAL_PROBES = Sentence(
    "comparison.people-are-units", "note", "people have several probes, so people are the units of the tests"
)
_ONE_PROBE = Sentence(
    "comparison.one-probe-each",
    "note",
    "each person has one probe, so the test over people is McNemar's test",
)
_SWAPPED = Sentence(
    "comparison.swapped",
    "note",
    "the {measure} has no counts to test, so outcomes are swapped and resampled by person",
)
_FRACTIONS = Sentence(
    "comparison.fractions",
    "note",
    "fractional successes are not counts, so outcomes are swapped and resampled by person",
)
_CHOSEN = Sentence(
    "comparison.chosen-pairs",
    "note",
    "{n:count pair} of {of:count} {n:word was/were} selected; p-values, intervals and verdicts are adjusted "
    "for {n:word this pair/these pairs} only",
)
_FAMILIES = Sentence(
    "comparison.categories-together",
    "note",
    "p-values, intervals and verdicts by category hold jointly for all {n:count} categories (Bonferroni "
    "over categories); those over all probes are adjusted separately",
)
_SIDES_BY_NUMBER = Sentence(
    "comparison.sides-by-number",
    "note",
    "one-sided p-values and bounds are adjusted for {n:count pair} (Bonferroni)",
)
Algorithm = Scores | Outcomes | Trials
Algorithms = Algorithm | Sequence[Algorithm] | Mapping[str, Algorithm]


@overload
def compare(
    scores: Algorithms,
    experiment: Experiment | Samples | Pool | None = None,
    *,
    measure: Measure | str = "rank-1",
    design: Design | Auto | str = "auto",
    margin: float | None = None,
    confidence_level: float = 0.95,
    seed: int = 0,
    adjust: Adjustment = "single-step",
    pairs: Sequence[tuple[str, str]] = (),
    against: str | None = None,
    one_sided: Side | None = None,
    by: None = None,
    engine: Engine = None,
) -> Comparison: ...
@overload
def compare(
    scores: Algorithms,
    experiment: Experiment | Samples | Pool | None = None,
    *,
    measure: Measure | str = "rank-1",
    design: Design | Auto | str = "auto",
    margin: float | None = None,
    confidence_level: float = 0.95,
    seed: int = 0,
    adjust: Adjustment = "single-step",
    pairs: Sequence[tuple[str, str]] = (),
    against: str | None = None,
    one_sided: Side | None = None,
    by: str | Category | Sequence[Category],
    engine: Engine = None,
) -> ComparisonsByCategory: ...
@published
@on_engine
def compare(
    scores: Algorithms,
    experiment: Experiment | Samples | Pool | None = None,
    *,
    measure: Measure | str = "rank-1",
    design: Design | Auto | str = "auto",
    margin: Margin | None = None,
    confidence_level: Level = 0.95,
    seed: Seed = 0,
    adjust: Adjustment = "single-step",
    pairs: Sequence[tuple[str, str]] = (),
    against: str | None = None,
    one_sided: Side | None = None,
    by: str | Category | Sequence[Category] | None = None,
    engine: Engine = None,
) -> Comparison | ComparisonsByCategory:
    """Compare two or more algorithms on the same probes: every difference with its interval, p-value and verdict.

    The estimand is the difference of their measures for *new people* (with ``auto``); algorithms and gallery are held fixed.
    Rates are compared by a sign-flip permutation test of the difference per *person* (mid-p) [1]_: with one probe per person it
    is McNemar's test [2]_; with several probes per person it remains valid, whereas McNemar's test rejects far too often. The
    interval of a difference is Tango's score interval [3]_, with counts divided by the design effect of the differences [4]_;
    if people have unequal numbers of probes, it includes all differences that the sign-flip test does not reject. Because that
    test assumes symmetric differences between people, p-values and interval widths with several probes are at least those of
    Student's t after Hall's transformation [5]_. Other measures are compared by swapping the outcomes of the algorithms person
    by person [1]_, with a paired bootstrap interval. A verdict of equivalence uses two one-sided tests [6]_. Interval, p-value
    and verdict come from one computation and agree.

    Parameters
    ----------
    scores
        Scores or embeddings of two or more algorithms, as a list or a mapping from names; or outcomes of one experiment
        (`rank`); or, for measures of pairs, lists of the same comparisons (`Trials`).
    experiment
        The experiment in which scores are ranked, the samples table for measures of pairs, or a `Pool` of images to choose from. Not
        needed for outcomes and lists.
    measure
        The measure to compare: ``"rank-1"`` (any rank), ``"fnmr@0.001"``, ``"tar@0.001"``, ``"eer"``, ``"auc"``,
        ``"median-rank@50"``, or any other of `proband.measures`, by name or as an object.
    design
        `SignFlip`, `ClusteredMcNemar`, `Binomial` (McNemar over probes), `Bootstrap`, a stratified design (`BRR`, …: both
        algorithms under the same replicates), or ``"auto"``. Over a pool: `ImageChoice`, with intervals over choices of images
        and p-values over people. Designs can also be given by name: ``"bootstrap"``, ``"mcnemar"``.
    margin
        The smallest difference that matters, for the verdict and for the number of people needed: 0.01 by default for rates; no
        default for other measures.
    confidence_level
        The level of intervals and verdicts.
    seed
        The seed of permutations and replicates.
    adjust
        With three or more algorithms: ``single-step`` makes p-values, intervals and verdicts hold for all pairs together [7]_;
        ``none`` does not adjust, with a note.
    pairs, against
        The pairs to compare, by name (first minus second); or a baseline to compare every other algorithm with. Default: every
        pair. Adjustments are for these pairs only.
    one_sided
        ``lower`` or ``upper``: a lower or upper bound of the difference instead of an interval, with the p-value of that side:
        the bound excludes zero if and only if the p-value is significant.
    by
        Compare over all probes and within each category: a column, or categories. Adjustments by category hold jointly for all
        categories.
    engine
        Where computations run; by default on this machine.

    Returns
    -------
    Comparison or ComparisonsByCategory
        Every difference with its interval, p-value and verdict; with `by`, also a comparison for each category.

    References
    ----------
    .. [1] Fisher, R. A. (1935). The Design of Experiments.
    .. [2] McNemar, Q. (1947). Psychometrika 12, 153-157.
    .. [3] Tango, T. (1998). Statistics in Medicine 17, 891-908.
    .. [4] Rao, J. N. K. and Scott, A. J. (1992). Biometrics 48, 577-585.
    .. [5] Hall, P. (1992). Journal of the Royal Statistical Society B 54, 221-228.
    .. [6] Schuirmann, D. J. (1987). Journal of Pharmacokinetics and Biopharmaceutics 15, 657-680.
    .. [7] Westfall, P. H. and Young, S. S. (1993). Resampling-Based Multiple Testing.

    Examples
    --------
    Of 40 people, *a* recognises all and *b* all but ten: McNemar's mid-p is (½)¹⁰.

    >>> from proband.measures import RecognitionRate
    >>> ids = [f"{side}{k}" for side in "gp" for k in range(40)]
    >>> samples = Samples({"id": ids, "subject": [name[1:] for name in ids]})
    >>> values = {"a": np.eye(40), "b": np.where(np.arange(40)[:, None] < 10, 0.5, np.eye(40))}
    >>> scores = [Scores.from_array(v, ids[40:], ids[:40], orientation="similarity", name=n) for n, v in values.items()]
    >>> (pair,) = compare(scores, Experiment(samples, gallery=ids[:40]), measure=RecognitionRate(1)).pairs
    >>> pair.value, pair.n_sf, pair.n_fs, pair.verdict
    (0.25, 10, 0, 'better')
    >>> round(pair.p_value, 6), round(pair.low, 4), round(pair.high, 4)
    (0.000977, 0.1405, 0.4019)
    """
    question = Question.of(measure, by_name(scores), experiment, design, confidence_level, seed)
    margin_for(margin, question.measure.in_points)  # refused before any work
    two_sided_level(confidence_level, one_sided)
    _check_adjustment(adjust)
    question = replace(question, chosen=chosen_pairs(question.names, pairs, against))
    if by is not None:
        from proband.inference.comparisons.by_category import compared_by_category

        return compared_by_category(question, by, margin, adjust, one_sided)
    return comparison_of(question, shown_together(question), margin, adjust, one_sided)


def shown_together(question: Question) -> Joint:
    """Test every pair of algorithms of a question, without verdicts."""
    require_several(question)
    if question.view == "outcomes":
        require_same_probes(question.outcomes)
        question = _settled(question)
    return procedure_for(question, comparing=True).compare(question)


def comparison_of(
    question: Question,
    joint: Joint,
    margin: float | None,
    adjust: Adjustment = "single-step",
    side: Side | None = None,
    families: int = 1,
) -> Comparison:
    """Make a comparison from joint tests, with a verdict on every difference against the margin."""
    measure, level = question.measure, question.confidence_level
    worth = margin_for(margin, question.measure.in_points)
    pairs = judged(
        joint.tested, worth, level, measure.larger_is_better, measure.in_points, adjust,
        joint.unit, side=side, families=families, measure=measure.code,
    )  # fmt: skip
    return Comparison(
        joint.estimates,
        pairs,
        joint.overall,
        worth,
        level,
        joint.answers,
        (*joint.notes, *_how_adjusted(question, len(pairs), adjust, side, families)),
        measure.larger_is_better,
    )


def _how_adjusted(
    question: Question, n: int, adjust: Adjustment, side: Side | None, families: int
) -> list[Note]:
    """Notes on selected pairs, one-sided bounds and several categories."""
    said: list[Note] = []
    everything = comb(len(question.names), 2)
    if question.chosen is not None and n < everything and adjust != "none":
        said.append(_CHOSEN(n=n, of=everything))
    if side is not None:
        level = question.confidence_level
        said.append(ONE_SIDED(side=side, level=level, both=two_sided_level(level, side)))
        said += [_SIDES_BY_NUMBER(n=n)] if n > 1 and adjust != "none" else []
    if families > 1 and adjust != "none":
        said.append(_FAMILIES(n=families))
    return said


def _settled(question: Question) -> Question:
    """The question with its design; by default one that tests over people, with the reason."""
    if question.design is not None:
        return question
    outcomes, measure = question.outcomes, question.measure
    if measure.form != "share":
        design, why = Bootstrap("subject"), _SWAPPED(measure=measure.estimand)
    elif any(one.fractional for one in outcomes):
        design, why = Bootstrap("subject"), _FRACTIONS()
    else:
        several = people_in(outcomes[0]) < len(outcomes[0])
        return replace(question, design=SignFlip(), why=(_SEVERAL_PROBES() if several else _ONE_PROBE(),))
    return replace(question, design=design, why=(why,))


def margin_for(margin: float | None, is_rate: bool) -> float | None:
    """Return the margin: as declared, or one percentage point for rates."""
    if margin is None:
        return DEFAULT_MARGIN if is_rate else None
    if not margin >= 1e-6 or (is_rate and margin >= 1):
        raise UsageError(
            f"The margin must be above 0 (and below 1 for rates), got {margin!r}.",
            "for example, 0.01 is one percentage point.",
        )
    return margin


def _check_adjustment(adjust: str) -> None:
    if adjust not in get_args(Adjustment):
        raise unknown_name("adjustment", adjust, get_args(Adjustment))


def require_several(question: Question) -> None:
    """Refuse fewer than two algorithms, and duplicate names."""
    if len(question.data) < 2:
        raise UsageError(
            "A comparison needs at least two algorithms.",
            "add another, or use evaluate or verify for a single one.",
        )
    if len(set(question.names)) < len(question.names):
        raise UsageError(f"Algorithm names must be unique; got {', '.join(question.names)}.")


def require_same_probes(outcomes: Sequence[Outcomes]) -> None:
    """Refuse algorithms that were not measured on the same probes in the same way."""
    first = outcomes[0]
    for one in outcomes[1:]:
        same = (
            one.experiment.fingerprint == first.experiment.fingerprint
            and np.array_equal(one.probes, first.probes)
            and (one.ties, one.counting, one.on_failure) == (first.ties, first.counting, first.on_failure)
        )
        if not same:
            raise DesignError(
                f"{first.algorithm} and {one.algorithm} were not measured on the same probes in the same "
                "way.",
                "use compare_independent for two independent sets of people.",
            )
