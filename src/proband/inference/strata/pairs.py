"""Two algorithms under the same replicates of a stratified design."""

from __future__ import annotations

import numpy as np

from proband.designs import BRR, CollapsedStrata, Enumeration, Fay, Jackknife, RaoWu, StratifiedDesign
from proband.errors import DesignError
from proband.inference.comparisons.paired import Pair, Tested, joined, paired
from proband.inference.estimates.question import Question
from proband.inference.estimates.replicates import RankStatistic
from proband.inference.proportions import Interval, t_quantile
from proband.inference.strata.estimates import evaluate_replicates, freedom_of, strata_of
from proband.measures import RecognitionRate
from proband.words import Method, digits


def _stratified(design: StratifiedDesign, pair: Pair) -> Tested:
    """The paired difference, its replicate standard error, and Student's test and interval."""
    from scipy.special import stdtr

    strata, _ = strata_of(pair.first, design)
    measure = pair.measure
    apart = None
    if isinstance(measure, RecognitionRate) and design.linear_is_textbook:
        design.check(strata)
        apart = pair.first.success(measure.rank) - pair.second.success(measure.rank)
        difference = float(strata.mean(apart))
        error = float(np.sqrt(strata.textbook_variance(apart)[0]))
    else:
        if (
            isinstance(measure, RankStatistic)
            and not measure.weighted
            and isinstance(design, RaoWu | Jackknife | Fay)
        ):
            raise DesignError(
                f"{design} needs a weighted statistic.", "use RankStatistic(function, weighted=True)."
            )
        plan = design.plan(strata, pair.seed)
        (a, first), (b, second) = (
            evaluate_replicates(
                Question(measure, one, pair.confidence_level, pair.seed), design, strata, plan
            )
            for one in (pair.first, pair.second)
        )
        difference = a - b
        error = float(np.sqrt(plan.variance(first - second, difference, design.centre)))
    freedom = max(freedom_of(design, strata, apart), 1.0)
    level = pair.confidence_level

    def reach(two_sided: float) -> Interval:
        half = t_quantile(two_sided, freedom) * error
        return Interval(difference - half, difference + half)

    # Replicates that do not vary test nothing, whatever the difference.
    p_value = float(2 * stdtr(freedom, -abs(difference) / error)) if error > 0 else 1.0
    interval = reach(level)
    return Tested(
        difference=difference,
        interval=interval,
        one_sided=reach(2 * level - 1) if level > 0.5 else interval,
        standard_error=error,
        p_value=min(1.0, p_value),
        method=joined(design.as_method, _student(freedom)),
    )


def _student(freedom: float) -> Method:
    return Method(
        "student",
        f"Student's t with {digits(freedom, 4)} degrees of freedom",
        "Student's t on the standard error of the paired difference over the same replicates",
        ("micheals2001",),
    )


for _kind in (BRR, Fay, Enumeration, Jackknife, RaoWu, CollapsedStrata):
    paired.register(_kind)(_stratified)
