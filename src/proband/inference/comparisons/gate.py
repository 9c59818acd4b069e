"""May a new algorithm replace the old one? A comparison with three decisions: pass, fail, undecided."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import polars as pl

from proband.designs import Design
from proband.distributions import normal_cdf, normal_inverse
from proband.engine.arguments import published
from proband.engine.frames import frame_of_rows
from proband.engine.limits import Level, Margin, Seed
from proband.errors import GateError, UsageError, first_few
from proband.inference.comparisons.compare import compare
from proband.inference.comparisons.comparison import Comparison
from proband.inference.planning.sizes import POWER
from proband.inference.procedures import Auto
from proband.measures import Measure, Outcomes
from proband.measures.base import as_measure
from proband.results.base import Count, Rate, Result
from proband.results.difference import Difference, margin_of
from proband.results.estimate import Estimate
from proband.results.serializing import Written
from proband.samples import Experiment, Pool, Samples
from proband.scores import Scores
from proband.scores.several import by_name
from proband.scores.trials import Trials
from proband.words import Note, Sentence, as_sentence, given

Algorithm = Scores | Outcomes | Trials
Decision = Literal["pass", "fail", "undecided"]
EXIT_CODES: dict[Decision, int] = {"pass": 0, "fail": 3, "undecided": 4}
"""How the program ends."""

_SAID: dict[Decision, Sentence] = {
    "pass": Sentence(
        "gate.pass",
        "note",
        "Pass: {candidate} is not worse than {baseline} by {margin} or more. {of:capital}: {effect}, {bounds}",
    ),
    "fail": Sentence(
        "gate.fail",
        "caution",
        "Fail: {candidate} is worse than {baseline} by more than {margin}. {of:capital}: {effect}, {bounds}",
    ),
    "undecided": Sentence(
        "gate.undecided",
        "caution",
        "Undecided: the data do not show whether {candidate} is worse than {baseline} by {margin} or more. {of:capital}: {effect}, "
        "{bounds}",
    ),
}
_CHANCES = "An equally good algorithm would pass {equal:percent} of the time; one {twice} worse would fail {worse:percent} of the time. "
_ENOUGH = (
    "; about {needed:count} are needed for an equally good algorithm to pass {power:percent} of the time"
)
_POWER = Sentence("gate.power", "note", _CHANCES + "This test has {n:count person/people}" + _ENOUGH)
_POWER_OF_PROBES = Sentence(
    "gate.power-of-probes", "note", _CHANCES + "This test has {n:count probe}" + _ENOUGH
)
_BLIND = Sentence(
    "gate.nothing-varies",
    "caution",
    "There is no variation in these data, so nothing can be concluded about new people",
)
_SAME = Sentence(
    "gate.same",
    "caution",
    "{candidate} and {baseline} do not differ for any person; if that is a surprise, check that they are not the same scores",
)
_PINNED = Sentence("gate.pinned", "note", "The baseline is {file}, pinned by its digest {digest}")
_LOOSE = Sentence(
    "gate.not-pinned",
    "note",
    "The baseline is not pinned. If every release becomes the next baseline, losses within {margin} can "
    "accumulate",
)
_SHOWN = 12  # characters of a digest


@dataclass(frozen=True)
class Pinned:
    """A baseline pinned by its digest, so that changes are detected.

    Attributes
    ----------
    file, sha256
        The name of the file of scores or embeddings, and the digest of its contents.
    keys
        The arrays used; empty for all.
    embeddings
        Whether it contains embeddings.
    by_digest
        Whether the baseline was requested by this digest, not only by name.
    """

    file: str
    sha256: str
    keys: tuple[str, ...] = ()
    embeddings: bool = False
    by_digest: bool = False


@published
@dataclass(frozen=True, eq=False)
class Gate(Result):
    """The decision whether a new algorithm may replace a baseline, by a margin.

    Attributes
    ----------
    decision
        ``pass``: shown not to be worse by the margin or more; ``fail``: shown to be worse by more than the margin; else
        ``undecided``.
    candidate, baseline
        The names of the two algorithms.
    measure
        The code of the measure.
    margin, larger_is_better
        The loss that matters, and whether larger values of the measure are better.
    gain, gain_low, gain_high
        How much better the candidate is (below 0: worse), and its one-sided bounds: the ends of the interval of the comparison
        at level 1 − 2α.
    pass_if_equal, fail_if_twice_worse
        The probability of passing an equal algorithm, and of failing one that is worse by twice the margin, with this number of
        people and this variation; None if there is no variation.
    n_subjects, subjects_needed
        The number of people in the data, and the number of people (or probes, if these are the units) needed to pass an equal
        algorithm with probability 0.8; None if there is no variation.
    pinned
        The file of the baseline, if it was read from a pinned file.
    comparison
        The comparison behind the decision: both values, the difference and its test.
    """

    written = Written(also=("exit_code",), versioned=True)

    decision: Decision
    candidate: str
    baseline: str
    measure: str
    margin: float
    larger_is_better: bool
    gain: float
    gain_low: float
    gain_high: float
    pass_if_equal: Rate | None
    fail_if_twice_worse: Rate | None
    n_subjects: Count
    subjects_needed: Count | None
    comparison: Comparison
    pinned: Pinned | None = None

    @property
    def exit_code(self) -> Count:
        """The exit code of the program: 0 pass, 3 fail, 4 undecided."""
        return EXIT_CODES[self.decision]

    @property
    def passed(self) -> bool:
        """Whether the candidate passes."""
        return self.decision == "pass"

    @property
    def difference(self) -> Difference:
        """The value of the candidate minus that of the baseline."""
        return self.comparison.pairs[0]

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """The values of the candidate and the baseline."""
        return self.comparison.estimates

    def _frame(self, wide: bool) -> pl.DataFrame:
        """One row: the decision and its basis."""
        new, old = self.estimates
        names = ("decision", "candidate", "baseline", "measure")
        numbers = ("margin", "gain", "gain_low", "gain_high", "pass_if_equal", "fail_if_twice_worse")
        counts = ("n_subjects", "subjects_needed")
        row = {name: getattr(self, name) for name in (*names, *numbers, *counts)}
        values = {"candidate_value": new.value, "baseline_value": old.value}
        return frame_of_rows(
            [row | values],
            {
                **dict.fromkeys(names, pl.String),
                **dict.fromkeys((*values, *numbers), pl.Float64),
                **dict.fromkeys(counts, pl.Int64),
            },
        )

    def sentence(self) -> Note:
        """The decision in words.

        Returns
        -------
        Note
            The sentence with its values; `str` gives the text.
        """
        pair = self.difference
        return _SAID[self.decision](
            candidate=self.candidate,
            baseline=self.baseline,
            margin=self._worth,
            of=self.estimates[0].answers.of if self.estimates else self.measure,
            effect=pair.effect,
            bounds=pair.bounds,
        )

    def sentences(self) -> list[Note]:
        """The decision, the power of the gate, whether the two are the same, and the baseline.

        Returns
        -------
        list of Note
            The sentences, the decision first.
        """
        return [self.sentence(), *self._power(), *self._same(), self._baseline()]

    def require(self, *, undecided: bool = False) -> Gate:
        """Raise an `AssertionError` with the reason unless the gate is passed; with `undecided`, only if it fails.

        Parameters
        ----------
        undecided
            Whether to accept an undecided gate.

        Returns
        -------
        Gate
            This gate.

        Examples
        --------
        >>> from proband import Experiment, Samples, Scores, gate
        >>> import numpy as np
        >>> ids = [f"{side}{k}" for side in "gp" for k in range(40)]
        >>> samples = Samples({"id": ids, "subject": [name[1:] for name in ids]})
        >>> values = {"old": np.eye(40), "new": np.where(np.arange(40)[:, None] < 20, 0.5, np.eye(40))}
        >>> old, new = (Scores.from_array(v, ids[40:], ids[:40], orientation="similarity", name=n) for n, v in values.items())
        >>> gate(new, Experiment(samples, gallery=ids[:40]), baseline=old, margin=0.1).require()
        Traceback (most recent call last):
            ...
        proband.errors.GateError: Fail: new is worse than old by more than 10 points. ...
        """
        if self.passed or (undecided and self.decision == "undecided"):
            return self
        raise GateError(" ".join(map(as_sentence, [self.sentence(), *self._power()])))

    def report(self) -> str:
        """The decision, both values and what would decide, one per line: the message of a failing test.

        Returns
        -------
        str
            The lines.
        """
        values = (" ".join(repr(one).split()) for one in self.estimates)  # line breaks are set here
        return "\n".join(
            [as_sentence(self.sentence()), *values, *map(as_sentence, [*self._power(), *self._same()])]
        )

    def _power(self) -> list[Note]:
        if self.pass_if_equal is None or self.fail_if_twice_worse is None or self.subjects_needed is None:
            return [_BLIND()]
        twice = margin_of(2 * self.margin, self.difference.in_points)
        chances = {"equal": self.pass_if_equal, "worse": self.fail_if_twice_worse, "power": POWER}
        said = _POWER_OF_PROBES if self.difference.unit == "probe" else _POWER
        return [said(**chances, twice=twice, n=_n_units(self.comparison), needed=self.subjects_needed)]

    def _same(self) -> list[Note]:
        """A caution if the two do not differ at all."""
        pair = self.difference
        same = pair.value == 0 and (pair.n_discordant_subjects == 0 or not pair.varies)
        return [_SAME(candidate=self.candidate, baseline=self.baseline)] if same else []

    def _baseline(self) -> Note:
        if self.pinned is not None and self.pinned.by_digest:
            return _PINNED(file=self.pinned.file, digest=self.pinned.sha256[:_SHOWN])
        return _LOOSE(margin=self._worth)

    @property
    def _worth(self) -> Note | None:
        return margin_of(self.margin, self.difference.in_points)

    def __repr__(self) -> str:
        return f"Gate: {as_sentence(self.sentence())}"


@published
def gate(
    scores: Algorithm | Sequence[Algorithm] | Mapping[str, Algorithm],
    experiment: Experiment | Samples | Pool | None = None,
    *,
    baseline: Algorithm | Sequence[Algorithm] | Mapping[str, Algorithm],
    measure: Measure | str = "rank-1",
    margin: Margin | None = None,
    design: Design | Auto | str = "auto",
    confidence_level: Level = 0.95,
    seed: Seed = 0,
) -> Gate:
    """Decide whether a new algorithm may replace a baseline: not worse by a margin, on new people.

    The decision uses the one-sided bounds of the comparison (`compare`; non-inferiority, Schuirmann 1987): pass if the lower
    bound is above −margin, fail if the upper bound is below −margin, otherwise undecided. Signs are reversed for error rates
    and ranks, for which smaller is better. Each type of error has a probability of at most 1 − confidence_level.

    Parameters
    ----------
    scores
        The new algorithm: its scores, embeddings or outcomes, as in `compare`.
    experiment
        The experiment in which scores are ranked, the samples table for measures of pairs, or a `Pool`.
    baseline
        The algorithm to be replaced, in the same form as `scores`.
    measure
        The measure that must not get worse: ``"rank-1"``, ``"fnmr@0.001"``, ``"auc"``, or any other measure of `compare`.
    margin
        The loss that matters: 0.01 (one percentage point) by default for rates; no default for other measures.
    design
        The design, as in `compare`.
    confidence_level
        The level of the one-sided bounds.
    seed
        The seed of permutations and replicates.

    Returns
    -------
    Gate
        The decision, and the comparison behind it.

    Examples
    --------
    Of 300 people, the old algorithm misses three, and the new one two others:

    >>> import numpy as np
    >>> ids = [f"{side}{k}" for side in "gp" for k in range(300)]
    >>> samples = Samples({"id": ids, "subject": [name[1:] for name in ids]})
    >>> row = np.arange(300)[:, None]
    >>> values = {"new": np.where(row < 2, 0.5, np.eye(300)), "old": np.where((row > 1) & (row < 5), 0.5, np.eye(300))}
    >>> new, old = (Scores.from_array(v, ids[300:], ids[:300], orientation="similarity", name=n) for n, v in values.items())
    >>> found = gate(new, Experiment(samples, gallery=ids[:300]), baseline=old, margin=0.02)
    >>> found.decision, round(found.gain, 4), round(found.gain_low, 4), found.exit_code
    ('pass', 0.0033, -0.0112, 0)
    """
    asked = as_measure(measure)
    candidate, baseline = _one(scores, "candidate"), _one(baseline, "baseline")
    names = _names(candidate, baseline)
    compared = compare(
        dict(zip(names, (candidate, baseline), strict=True)),
        experiment,
        measure=asked,
        design=design,
        margin=margin,
        confidence_level=confidence_level,
        seed=seed,
    )
    return gate_of(compared, asked.code)


def _one(given: Algorithm | Sequence[Algorithm] | Mapping[str, Algorithm], role: str) -> Algorithm:
    """The single algorithm given, alone or as a list or mapping of one."""
    named = by_name(given)
    if len(named) > 1:
        raise UsageError(
            f"The {role} must be one algorithm; got {len(named)}: {first_few(list(named))}.",
            "use gate(scores, experiment, baseline=…) for two algorithms and compare for several.",
        )
    (one,) = named.values()
    return one  # type: ignore[no-any-return]


def _names(candidate: Algorithm, baseline: Algorithm) -> tuple[str, str]:
    """The names of the two; if they are equal, by their roles."""
    found = tuple(one.algorithm if isinstance(one, Outcomes) else one.name for one in (candidate, baseline))
    return ("candidate", "baseline") if found[0] == found[1] else (found[0], found[1])


def gate_of(comparison: Comparison, measure: str, pinned: Pinned | None = None) -> Gate:
    """Decide a gate from the comparison of a candidate, which comes first, with a baseline."""
    (pair,) = comparison.pairs
    if pair.margin is None or pair.bound_low is None or pair.bound_high is None:
        raise UsageError(
            "A gate needs a margin, the smallest loss that matters.",
            "pass a margin, such as 0.01 for a rate.",
        )
    if comparison.confidence_level <= 0.5:
        raise UsageError(
            f"A gate needs a confidence level above 0.5, got {given(comparison.confidence_level)}."
        )
    upward = comparison.larger_is_better
    gain = pair.value if upward else -pair.value
    low, high = (pair.bound_low, pair.bound_high) if upward else (-pair.bound_high, -pair.bound_low)
    judged = pair.varies and pair.why_not is None
    decision: Decision = "undecided"
    if judged and low > -pair.margin:
        decision = "pass"
    elif judged and high < -pair.margin:
        decision = "fail"
    people = comparison.estimates[0].rests_on.n_units or 0 if comparison.estimates else 0
    return Gate(
        decision,
        pair.first,
        pair.second,
        measure,
        pair.margin,
        upward,
        gain + 0.0,  # avoids minus zero
        low + 0.0,
        high + 0.0,
        *_chances(pair, gain - low, high - gain, people, _n_units(comparison), comparison.confidence_level),
        comparison,
        pinned,
    )


def _n_units(comparison: Comparison) -> int:
    """The number of people, or of probes if these are the units."""
    facts = comparison.estimates[0].facts if comparison.estimates else None
    if facts is None:
        return 0
    return facts.n_probes if comparison.pairs[0].unit == "probe" else facts.n_probe_subjects


def _chances(
    pair: Difference, below: float, above: float, people: int, units: int, level: float
) -> tuple[float | None, float | None, int, int | None]:
    """Power: probabilities of passing an equal algorithm and failing one twice the margin worse; people, and units needed.

    Bounds are `below` and `above` the difference by z standard errors on average. The distance falls with the square root
    of the number of units, or with the number itself if nobody differs.
    """
    if not pair.varies or pair.why_not is not None or pair.margin is None:
        return None, None, people, None
    error = (below + above) / (2 * float(normal_inverse(level)))
    passes, fails = (float(normal_cdf((pair.margin - reach) / error)) for reach in (below, above))
    times = (below + float(normal_inverse(POWER)) * error) / pair.margin
    grown = below / pair.margin if pair.n_discordant_subjects == 0 else times**2
    return passes, fails, people, max(1, -int(-units * grown // 1))
