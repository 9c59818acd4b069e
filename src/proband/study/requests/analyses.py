"""What can be asked of scores, one part for each analysis."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from proband.engine.limits import FalseMatchRate, Margin, Power, Rank, Replicates, Within
from proband.errors import Hint
from proband.marks import Needs, Unless
from proband.results.difference import Adjustment
from proband.study.requests.base import (
    MOST,
    ChosenPairs,
    Condition,
    File,
    OneSided,
    Option,
    Part,
    Positive,
    Reference,
    Several,
    Share,
    Text,
    refuse,
)
from proband.study.requests.replication import Replication
from proband.words import count, given


class Identification(Replication):
    """Recognition rates and cumulative match curves, and any other measure with its interval."""

    ranks: Annotated[Several[Rank], Field(description="Ranks to show.")] = (1, 5, 10)
    weights: Annotated[
        Literal["probe", "person"],
        Field(
            description="What weighs the same in a rate: every probe, or every person, whatever the number of probes."
        ),
    ] = "probe"
    measures: Annotated[
        Several[Text],
        Field(
            description="More measures, each with its interval: rank-rate@20, median-rank@10, median-relative-rank, relative-rank-rate@0.01, fnmr@0.001, auc, eer, "
            "or a plug-in's."
        ),
        Option(("--measure",), "NAME[@VALUE]"),
    ] = ()
    design: Annotated[
        Text,
        Field(
            description="What varies in the intervals of measures: auto, binomial, clustered, bootstrap, brr, fay, jackknife, rao-wu, "
            "or a plug-in's."
        ),
        Needs("measures"),
    ] = "auto"
    one_sided: Annotated[
        Literal["lower", "upper"] | None,
        Field(description="Bounds from below (lower) or above (upper) instead of intervals."),
    ] = None
    overlap: Annotated[
        bool,
        Field(description="Count the images and people that gallery and probe sets have in common."),
    ] = False

    relative_ranks: Annotated[
        bool,
        Field(description="Draw curves over rank / people in the gallery instead of rank."),
        Option(needs=("figure", "out", "report")),
    ] = False


class ComparisonRequest(Replication):
    """One measure by which algorithms are compared; without any it is the rate at rank 1."""

    rank: Annotated[Rank | None, Field(description="The rank of the rate; default: 1."), Option(("-r",))] = None  # fmt: skip
    median_rank: Annotated[
        Annotated[int, Within(ge=2, le=MOST)] | None,
        Field(description="Compare median ranks instead, censored at this rank."),
        Option(metavar="RANK"),
        Unless("with_scores"),
    ] = None
    fnmr_at: Annotated[
        Share | None,
        Field(
            description="Compare verification instead: FNMR at this false match rate, over all pairs or gallery and probes."
        ),
        Option(metavar="FMR"),
        Unless("with_scores"),
    ] = None
    auc: Annotated[
        bool,
        Field(description="Compare verification instead: the area under the ROC curve."),
        Unless("with_scores"),
    ] = False
    margin: Annotated[
        Margin | None,
        Field(description="The smallest difference worth having; 0.01 (one point) for rates."),
    ] = None
    measure: Annotated[
        Text | None,
        Field(
            description="Compare any measure instead: rank-rate@20, median-relative-rank, eer, or a plug-in's."
        ),
        Option(metavar="NAME[@VALUE]"),
    ] = None
    design: Annotated[
        Text,
        Field(
            description="How pairs are tested: auto knows that people are shared; or sign-flip, obuchowski, durkalski, mcnemar, "
            "bootstrap, brr, or a plug-in's."
        ),
        Option(("--test",)),
        Unless("with_scores"),
    ] = "auto"
    by_category: Annotated[
        bool,
        Field(description="Compare within each probe category as well as over all probes."),
        Unless("with_scores", "auc=on", "fnmr_at"),
    ] = False
    adjust: Annotated[
        Adjustment,
        Field(
            description="Intervals, p-values and verdicts that hold for all pairs together (single-step), or each pair by itself "
            "(none)."
        ),
    ] = "single-step"
    pairs: ChosenPairs = ()
    against: Annotated[
        Text | None,
        Field(description="Compare every other algorithm with this one, and no other pairs."),
        Option(metavar="ALGORITHM"),
        Unless("with_scores"),
    ] = None
    one_sided: OneSided = None

    with_scores: Annotated[
        Several[Reference],
        Field(
            description="Compare with a second set of other people instead, unpaired: its score files, [NAME=]FILE[::KEY], read as the first."
        ),
        Option(("--with",), "[NAME=]FILE[::KEY]", "Second set"),
    ] = ()
    with_samples: Annotated[
        File | None,
        Field(description="The second set's table of samples; default: the first's."),
        Option(panel="Second set"),
        Needs("with_scores"),
    ] = None
    with_gallery: Annotated[
        Condition | None,
        Field(description="Who is enrolled in the second set; default: as in the first."),
        Option(panel="Second set"),
        Needs("with_scores"),
    ] = None
    with_probes: Annotated[
        Condition | None,
        Field(description="Who is searched for in the second set; default: as in the first."),
        Option(panel="Second set"),
        Needs("with_scores"),
    ] = None

    @property
    def is_verification(self) -> bool:
        """Whether pairs are compared, and not ranks."""
        return self.auc or self.fnmr_at is not None

    @model_validator(mode="after")
    def _one_measure(self) -> Self:
        named = [
            name for name in ("rank", "median_rank", "fnmr_at", "measure") if getattr(self, name) is not None
        ]
        named += ["auc"] if self.auc else []
        if len(named) > 1:
            raise refuse(f"{' and '.join(named)} exclude each other", "ask for one at a time.", named[1])
        if self.margin is not None and self.margin >= 1 and self.median_rank is None and self.measure is None:
            raise refuse(
                f"a difference of rates lies below 1, got {given(self.margin)}",
                "one point is 0.01.",
                "margin",
            )
        return self


class GateRequest(Part):
    """May a new algorithm replace a baseline? It passes if it is shown not to be worse by the margin."""

    baseline: Annotated[
        Text | None,
        Field(
            description="The algorithm to replace: its name among those that are read; on the command line also its file, or a file "
            "that pins it."
        ),
        Option(metavar="[NAME=]FILE[::KEY]|NAME", panel="Data"),
    ] = None
    candidate: Annotated[
        Text | None, Field(description="The new algorithm, where there are several besides the baseline.")
    ] = None
    measure: Annotated[
        Text,
        Field(description="What must not get worse: rank-rate@1, fnmr@0.001, auc, or a plug-in's."),
        Option(metavar="NAME[@VALUE]"),
    ] = "rank-rate@1"
    margin: Annotated[
        Margin | None,
        Field(description="The loss that matters; 0.01 (one point) for rates."),
    ] = None
    design: Annotated[
        Text,
        Field(description="How the difference is tested: auto, or what comparisons take."),
        Option(("--test",)),
    ] = "auto"
    digest: Annotated[
        Annotated[str, Field(pattern="^[0-9a-f]{64}$")] | None,
        Field(
            description="The SHA-256 of the baseline's file; any other is refused, so that it cannot creep."
        ),
        Option(metavar="SHA256"),
    ] = None

    @model_validator(mode="after")
    def _two(self) -> Self:
        if self.baseline is None:
            raise refuse(
                "what the new algorithm would replace is not said",
                Hint("say it: {option:baseline}"),
                "baseline",
            )
        if self.baseline == self.candidate:
            raise refuse("an algorithm cannot replace itself", "name another.", "candidate")
        return self


class McNemarRequest(Part):
    """McNemar's exact test of pairs of algorithms, probes being taken as independent."""

    rank: Annotated[Rank, Field(description="The rank that counts as a success."), Option(("-r",))] = 1
    by_category: Annotated[
        bool, Field(description="Test within each probe category as well as over all probes.")
    ] = False
    pairs: Annotated[
        Several[Text],
        Field(
            description="Test only these pairs, the first against the second; what is adjusted is adjusted for these alone."
        ),
        Option(metavar="A-B"),
    ] = ()
    against: Annotated[
        Text | None,
        Field(description="Test every other algorithm against this one, and no other pairs."),
        Option(metavar="ALGORITHM"),
    ] = None


class VerificationRequest(Part):
    """Error rates at operating points; by groups; and whose errors they are."""

    gallery: Annotated[
        Condition | None,
        Field(
            description="Claimed identities. Default: the gallery of the experiment; without one, every query is compared with "
            "every target, no pair twice."
        ),
        Option(("-g",), panel="Data"),
        Unless("pairs"),
    ] = None
    probes: Annotated[
        Condition | None,
        Field(description="Who claims them."),
        Option(("-p",), panel="Data"),
        Unless("pairs"),
    ] = None
    comparisons: Annotated[
        Literal["experiment", "all"],
        Field(
            description="Which comparisons are verified where neither gallery nor probes say: those of the experiment, or all."
        ),
        Option(typed=False),
        Unless("pairs", "gallery", "probes"),
    ] = "experiment"
    fmr: Annotated[Several[FalseMatchRate], Field(description="False match rates."), Unless("pairs")] = (
        0.01,
        0.001,
        0.0001,
    )
    thresholds: Annotated[
        Several[float], Field(description="Thresholds, as well."), Option(("--threshold",)), Unless("pairs")
    ] = ()
    n_resamples: Annotated[
        Replicates,
        Field(description="Replicates of people; 0 for none."),
        Option(("--replicates",)),
        Unless("pairs"),
    ] = 2_000
    naive: Annotated[
        bool,
        Field(description="Show what intervals would be if comparisons were independent."),
        Unless("pairs"),
    ] = False
    by: Annotated[
        Several[Text],
        Field(description="Error rates by the values of a column, at one threshold."),
        Option(metavar="COLUMN"),
        Unless("pairs"),
    ] = ()
    zoo: Annotated[bool, Field(description="Are errors the errors of a few people?"), Unless("pairs")] = False
    pairs: Annotated[
        File | None,
        Field(
            description="Accuracy over only these pairs, by folds: LFW's pairs.txt, a table with query and target, or .npz with "
            "pair_a and pair_b."
        ),
    ] = None


class ThresholdRequest(Part):
    """Thresholds to deploy: the laxest whose false match rate is, with the confidence of the output, within a target for new people."""

    fmr: Annotated[Several[FalseMatchRate], Field(description="False match rates to keep.")] = (0.001,)


class SearchRequest(Part):
    """Open-set identification."""

    gallery: Annotated[
        Condition | None,
        Field(description="Who is enrolled. Default: every target."),
        Option(("-g",), panel="Data"),
    ] = None
    probes: Annotated[
        Condition | None,
        Field(
            description="Who is searched for, enrolled or not. Default: every query that is not in the gallery."
        ),
        Option(("-p",), panel="Data"),
    ] = None
    fusion: Annotated[
        Literal["max", "mean"], Field(description="How several samples of a person make one score.")
    ] = "max"
    fpir: Annotated[Several[Share], Field(description="False positive identification rates.")] = (
        0.1,
        0.01,
        0.001,
    )
    ranks: Annotated[Several[Rank], Field(description="Numbers of candidates.")] = (1, 20)
    sizes: Annotated[
        Several[Positive],
        Field(description="Errors for galleries of these numbers of people, at the first FPIR's threshold."),
    ] = ()


class ChoicesRequest(Part):
    """Other choices of images of the same people."""

    groups: Annotated[
        Several[Text],
        Field(
            description="Columns whose values make the groups of exchangeable images, such as the session. Without it any two "
            "images of a person make a pair."
        ),
        Option(metavar="COLUMN"),
    ] = ()
    pairs: Annotated[
        Literal["between", "within"] | None,
        Field(
            description="Gallery and probe image come from different groups (the default with groups), or from the same."
        ),
    ] = None
    where: Annotated[Condition | None, Field(description="Which samples belong to the pool.")] = None
    n_resamples: Annotated[
        Positive,
        Field(description="How many trials."),
        Option(("--trials", "-t")),
        Unless("exact=on", "trainings=on"),
    ] = 10_000
    balanced: Annotated[
        bool,
        Field(description="Use every image column equally often, or draw each person's pair independently."),
        Option(("--balanced/--unbalanced",)),
        Unless("exact=on", "trainings=on"),
    ] = True
    max_rank: Annotated[
        Positive | None,
        Field(description="Ranks to count; default: all. Up to 10 is fastest."),
        Unless("trainings=on"),
    ] = None
    exact: Annotated[
        bool,
        Field(description="Compute the mean of every rate exactly instead of drawing trials (unbalanced)."),
        Unless("trainings=on"),
    ] = False
    trainings: Annotated[
        bool,
        Field(
            description="The scores are of one algorithm trained on several sets: how much do those matter?"
        ),
    ] = False
    rank: Annotated[Rank, Field(description="The rank to show."), Option(("-r",))] = 1
    distractors: Annotated[
        bool,
        Field(description="Keep people who cannot take part enrolled in every trial, with one image each."),
    ] = False
    list_trials: Annotated[
        Several[Positive],
        Field(description="Trials whose choices are listed: the gallery and probe image of each person."),
        Unless("exact=on", "trainings=on"),
    ] = ()

    @model_validator(mode="after")
    def _one_answer(self) -> Self:
        if self.pairs == "between" and not self.groups:
            raise refuse(
                "pairs between groups need groups", Hint("{give:groups}, or leave pairs out."), "pairs"
            )
        beyond = next((one for one in self.list_trials if one > self.n_resamples), None)
        if beyond is not None:
            raise refuse(
                f"there are {count(self.n_resamples)} trials, and no trial {count(beyond)}",
                "list others, or draw more.",
                "list_trials",
            )
        return self


class StratRequest(Replication):
    """Stratified evaluation by balanced repeated replication."""

    images: Annotated[
        Annotated[int, Within(ge=3, le=MOST)] | None,
        Field(
            description="Images of each person: one is the gallery, the others are the units. Default: as many as leave the most "
            "probes."
        ),
        Option(("-n",)),
        Unless("gallery"),
    ] = None
    order_by: Annotated[
        Text | None,
        Field(description="What orders a person's images; default: the table."),
        Option(metavar="COLUMN"),
        Unless("gallery"),
    ] = None
    design: Annotated[
        Text,
        Field(description="How variance is replicated: brr, fay, jackknife, rao-wu, or a plug-in's."),
    ] = "brr"
    rank: Annotated[Rank, Field(description="The rank of tables and tests."), Option(("-r",))] = 1
    gallery: Annotated[
        Condition | None,
        Field(
            description="A fixed gallery instead of each column of images in turn: a condition, one_per_subject or @FILE of ids."
        ),
        Option(("-g",), panel="Data"),
    ] = None
    probes: Annotated[
        Condition | None,
        Field(description="The probes of a fixed gallery. Default: every query that is not in it."),
        Option(("-p",), panel="Data"),
        Needs("gallery"),
    ] = None
    sensors: Annotated[
        Text | None,
        Field(
            description="Compare sensors or conditions: the column of probes that tells them apart, on the same people and one gallery."
        ),
        Option(metavar="COLUMN"),
    ] = None
    relative_ranks: Annotated[
        bool,
        Field(description="Draw curves over rank / people in the gallery instead of rank."),
        Option(needs=("out", "report")),
    ] = False


class Version(Part):
    """A fully automatic algorithm, and the same one told where the eyes are."""

    fully: Text
    partially: Text


class Improvement(Part):
    """One algorithm at two dates."""

    earlier: Text
    later: Text
    earlier_date: Text | None = None
    later_date: Text | None = None


class FeretRequest(Part):
    """A FERET evaluation."""

    galleries: Annotated[
        Annotated[int, Within(ge=2, le=MOST)] | None,
        Field(description="Over how many disjoint galleries performance varies."),
    ] = None
    order: Annotated[
        Several[Text],
        Field(
            description="What fills the galleries, one after another: a column of dates or numbers, or chance. Default: random."
        ),
        Option(metavar="COLUMN|random"),
        Needs("galleries"),
    ] = ()
    ages: Annotated[
        Text | None,
        Field(
            description="Column of dates or numbers whose difference between probe and mate is the age. Default: that of order."
        ),
        Option(metavar="COLUMN"),
        Needs("galleries"),
    ] = None
    sizes: Annotated[
        Several[Positive],
        Field(description="Numbers of people enrolled to expect rates for."),
    ] = ()
    reject: Annotated[
        Annotated[float, Within(ge=0, lt=1)] | None,
        Field(
            description="Rejection test: the share of people searched for who are taken out of the gallery (0: probes without "
            "mates only)."
        ),
    ] = None
    fpir: Annotated[
        Several[Share], Field(description="False positive rates of the rejection test."), Needs("reject")
    ] = (
        0.01,
        0.1,
    )
    versions: Annotated[
        Several[Version],
        Field(description="Fully automatic algorithms, and the same ones told where the eyes are."),
        Option(("--version",), "FULL=PARTIAL"),
    ] = ()
    improvements: Annotated[
        Several[Improvement],
        Field(description="Algorithms at two dates."),
        Option(("--improvement",), "EARLIER[@DATE]=LATER[@DATE]"),
    ] = ()
    ranks: Annotated[Several[Rank], Field(description="Ranks of tables; the first is that of tests.")] = (
        1,
        5,
        10,
    )
    participants: Annotated[
        File | None,
        Field(
            description="Table of who took part: algorithm, date, metric, training, version. Algorithms of one date make one panel."
        ),
    ] = None
    verification: Annotated[
        Text | None,
        Field(
            description="Put the order by this measure of verification beside that of identification: fnmr@0.01, auc."
        ),
        Option(metavar="MEASURE"),
    ] = None
    power: Annotated[
        Power,
        Field(
            description="Power at which the leaders' smallest difference tells whether probes are too easy or too hard."
        ),
    ] = 0.8
