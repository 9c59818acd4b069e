"""The analyses of a study, each kept once it is done."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar, cast

import polars as pl

from proband.designs import ImageChoice, TrainingSets
from proband.engine import Progress
from proband.errors import Hint, UsageError
from proband.inference import Comparison, Estimate, VirtualExperiments, compare, estimate, permute
from proband.inference.comparisons.chosen_pairs import chosen_pairs, every_two, pair_named
from proband.inference.comparisons.compare import comparison_of, shown_together
from proband.inference.comparisons.gate import Gate, gate
from proband.inference.comparisons.mcnemar import McNemarOfOutcomes, mcnemar_of
from proband.inference.comparisons.mcnemar_table import McNemarTable, mcnemar_of_sets
from proband.inference.covariates.difficulty import Partition, divide
from proband.inference.covariates.explained import Explained
from proband.inference.covariates.formula import Formula
from proband.inference.covariates.results import CovariateStudy
from proband.inference.covariates.study import explain
from proband.inference.galleries.feret_study import FeretStudy, feret_study
from proband.inference.image_choice.estimates import exact_over_choices
from proband.inference.image_choice.exact import ExactChoice
from proband.inference.procedures import Question
from proband.inference.strata.study import StratStudy, strat_study
from proband.inference.verification.drawings import Drawings
from proband.inference.verification.fnmr import compare_at_rates
from proband.inference.verification.groups import Differential, error_rates_by, hard_subjects_of
from proband.inference.verification.hard_subjects import HardSubjects
from proband.inference.verification.lists import require_list_orientation
from proband.inference.verification.open_set import SearchEstimates, searches_with_intervals
from proband.inference.verification.thresholds import DeployedThreshold, thresholds_of
from proband.inference.verification.verification import OVER_PEOPLE, Verification, verify
from proband.measures import FNMR, Measure, Outcomes, RecognitionRate, rank
from proband.measures.folds import FoldAccuracy, fold_accuracy
from proband.measures.open_set import Searches, search
from proband.protocols.audit.findings import Audit
from proband.protocols.running.cache import Journals
from proband.protocols.running.results import ProtocolRun
from proband.samples import Category, Experiment, Pool, Samples
from proband.scores import Scores
from proband.scores.pair_lists import read_pairs
from proband.scores.several import by_name
from proband.scores.trials import Trials
from proband.study.caching import Cache
from proband.study.definition import Origin
from proband.study.designs import design_of, feret_arguments, measure_of, stratified_design
from proband.study.inputs import Algorithm, Inputs, PairList, versions
from proband.study.protocols import audited, protocols_run
from proband.study.refusals import RequestError
from proband.study.requests import (
    ChoicesRequest,
    ComparisonRequest,
    CovariatesRequest,
    ExperimentDesign,
    FeretRequest,
    GateRequest,
    Identification,
    McNemarRequest,
    Output,
    PartitionRequest,
    ProtocolRequest,
    Request,
    SearchRequest,
    StratRequest,
    ThresholdRequest,
    VerificationRequest,
)

Result = TypeVar("Result")


@dataclass(frozen=True, eq=False)
class Steps:
    """What is computed from the inputs; every method finds again what an earlier run made of the same."""

    inputs: Inputs
    output: Output
    cache: Cache
    plugins: Mapping[str, tuple[str, ...]]
    threads: int | None
    progress: Progress
    keep_on_interrupt: bool = False
    at_rates: list[Comparison] = field(default_factory=list)

    @cached_property
    def drawings(self) -> Drawings:
        """The people that are drawn for every algorithm and operating point."""
        return Drawings(self.output.seed)

    @property
    def scores(self) -> list[Scores]:
        """The scores of all algorithms."""
        return [one.scores for one in self.inputs.algorithms]

    @property
    def samples(self) -> Samples:
        """The table of samples."""
        assert self.inputs.samples is not None  # lists without one are verified, and nothing else
        return self.inputs.samples

    def ranks(self, experiment: Experiment, design: ExperimentDesign) -> list[Outcomes]:
        """What became of every probe, for each algorithm."""
        settings = ranking(design)
        return [
            self._step(
                "ranks",
                [one],
                {"experiment": digest_of(experiment), **settings},
                lambda one=one: rank(  # type: ignore[misc]
                    one.scores,
                    experiment,
                    threads=self.threads,
                    progress=self.progress,
                    **settings,
                ),
                {"experiment": experiment, "samples": experiment.samples},
            )
            for one in self.inputs.algorithms
        ]

    def estimates(
        self,
        measure: Measure,
        data: Sequence[Outcomes | Scores],
        within: Experiment | Samples,
        request: Identification,
        ranked: ExperimentDesign,
    ) -> tuple[Estimate, ...]:
        """A measure of every algorithm, with its interval."""
        return self._step(
            "measure",
            self.inputs.algorithms,
            {
                "measure": measure.code,
                "design": request.design,
                "options": request.design_options,
                "side": request.one_sided,
                "within": digest_of(within),
                **ranking(ranked),
                **self._judging,
            },
            lambda: tuple(
                estimate(
                    measure, one, within, design_of(request),
                    confidence_level=self.output.confidence_level, seed=self.output.seed, one_sided=request.one_sided,
                )
                for one in data
            ),
        )  # fmt: skip

    def comparison(
        self,
        request: ComparisonRequest,
        outcomes: Sequence[Outcomes],
        design: ExperimentDesign,
        families: int = 1,
    ) -> Comparison:
        """Algorithms compared by their ranks; in one of several categories, adjusted for their number."""
        experiment = outcomes[0].experiment

        def make() -> Comparison:
            asked = Question.of(
                measure_of(request), by_name(outcomes), None, design_of(request),
                self.output.confidence_level, self.output.seed,
            )  # fmt: skip
            asked = replace(asked, chosen=chosen_pairs(asked.names, **_pairs(request, asked.names)))
            return comparison_of(
                asked, shown_together(asked), request.margin, request.adjust, request.one_sided, families
            )

        return self._step(
            "comparison",
            self.inputs.algorithms,
            {
                "request": request.model_dump(),
                "families": families,
                "experiment": digest_of(experiment),
                **ranking(design),
                **self._judging,
            },
            make,
        )

    def verification_comparison(
        self, request: ComparisonRequest, within: Experiment | Samples, together: Sequence[ComparisonRequest]
    ) -> Comparison:
        """Algorithms compared by their comparisons of pairs; all that ask for FNMR are made together."""
        return self._step(
            "comparison",
            self.inputs.algorithms,
            {"request": request.model_dump(), "within": digest_of(within), **self._judging},
            lambda: self._by_pairs(request, within, together),
        )

    def _by_pairs(
        self, request: ComparisonRequest, within: Experiment | Samples, together: Sequence[ComparisonRequest]
    ) -> Comparison:
        if request not in together:
            made: Comparison = compare(
                measure_of(request), self.scores, within, design_of(request), margin=request.margin,
                confidence_level=self.output.confidence_level, seed=self.output.seed, adjust=request.adjust,
                one_sided=request.one_sided, **_pairs(request, [one.name for one in self.scores]),
            )  # fmt: skip
            return made
        if not self.at_rates:
            measures = [cast("FNMR", measure_of(one)) for one in together]
            judging = [(one.margin, one.adjust) for one in together]
            self.at_rates.extend(
                compare_at_rates(
                    measures, self.scores, within, judging, self.output.confidence_level, self.drawings
                )
            )
        return self.at_rates[together.index(request)]

    def verification(
        self, one: Algorithm, request: VerificationRequest, within: Experiment | Samples
    ) -> Verification:
        """Error rates of one algorithm."""
        asked: dict[str, Any] = {
            "fmr": request.fmr,
            "thresholds": request.thresholds,
            "n_resamples": request.n_resamples,
            "naive": request.naive,
        }
        return self._step(
            "verification",
            [one],
            {"within": digest_of(within), **asked, **self._judging},
            lambda: verify(
                one.scores, within, confidence_level=self.output.confidence_level, seed=self.drawings,
                threads=self.threads, progress=self.progress, **asked,
            ),
        )  # fmt: skip

    def gate(
        self,
        request: GateRequest,
        algorithms: Sequence[Algorithm],
        data: tuple[Outcomes | Scores, Outcomes | Scores],
        within: Experiment | Samples,
        design: ExperimentDesign,
    ) -> Gate:
        """A candidate and the baseline it would replace."""
        asked = request.model_dump(exclude={"baseline", "candidate", "digest"})
        return self._step(
            "gate",
            algorithms,
            {"request": asked, "within": digest_of(within), **ranking(design), **self._judging},
            lambda: gate(
                data[0], data[1], within, measure=measure_of(request), margin=request.margin, design=design_of(request),
                confidence_level=self.output.confidence_level, seed=self.output.seed,
            ),
        )  # fmt: skip

    def thresholds(
        self, one: Algorithm | PairList, request: ThresholdRequest, within: Experiment | Samples | None
    ) -> tuple[DeployedThreshold, ...]:
        """Thresholds of one algorithm, for every false match rate."""
        return thresholds_of(
            one.trials if isinstance(one, PairList) else one.scores,
            within,
            request.fmr,
            self.output.confidence_level,
            check_orientation=isinstance(one, Algorithm) or one.check_orientation,
            threads=self.threads,
            progress=self.progress,
        )

    def list_verification(self, one: PairList, request: VerificationRequest) -> Verification:
        """Error rates of a list of comparisons; what is asked about people is refused where it names none."""
        found = verify(
            one.trials,
            fmr=request.fmr,
            thresholds=request.thresholds,
            confidence_level=self.output.confidence_level,
            n_resamples=request.n_resamples,
            naive=request.naive,
            seed=self.drawings,
            check_orientation=one.check_orientation,
        )
        usual = VerificationRequest()
        for name in ("n_resamples", "naive"):
            if found.answers != OVER_PEOPLE and getattr(request, name) != getattr(usual, name):
                raise RequestError(
                    ("verification", name),
                    "it has no effect on a list that does not say whose the pairs are",
                    "leave it out, or name the subjects of both sides.",
                )
        return found

    def list_comparison(self, request: ComparisonRequest) -> Comparison:
        """Algorithms compared by the pairs of their lists."""
        made: Comparison = compare(
            measure_of(request), [one.trials for one in self.inputs.lists], None, design_of(request), margin=request.margin,
            confidence_level=self.output.confidence_level, seed=self.output.seed, adjust=request.adjust,
            one_sided=request.one_sided, **_pairs(request, [one.trials.name for one in self.inputs.lists]),
        )  # fmt: skip
        return made

    def folds(self, one: Algorithm, pairs: Path) -> FoldAccuracy:
        """Accuracy of one algorithm over the folds of listed pairs; the samples say which are mated where the list does not."""
        trials = Trials.from_pairs(read_pairs(pairs, self.samples), one.scores)
        if trials.frame["mated"].null_count():
            trials = trials.with_samples(self.samples)
        if not one.scores.may_look_reversed:
            require_list_orientation(trials)
        return fold_accuracy(trials)

    def protocol(self, request: ProtocolRequest, origin: Origin) -> ProtocolRun:
        """Classifiers under protocols; every finished split is kept, and those of another request are forgotten."""
        place = self.cache.directory
        kept = None if place is None else Journals(place / "splits")
        found = protocols_run(
            request,
            self.inputs.samples,
            origin,
            self.output,
            threads=self.threads,
            progress=self.progress,
            cache=kept,
        )
        if kept is not None:
            kept.forget_others()
        return found

    def audits(self, request: Request, origin: Origin, run: ProtocolRun | None) -> tuple[Audit, ...]:
        """Audits of splits: those that are named, or those of every protocol."""
        asked = request.audit
        assert asked is not None  # what is carried out
        stated = {name: getattr(request, name) for name in ("audit", "samples", "protocol")}
        return self._step(
            "audit",
            [],
            {
                **{name: None if one is None else one.model_dump() for name, one in stated.items()},
                "seed": self.output.seed,
                "files": [(one.name, one.sha256) for one in self.inputs.files],
            },
            lambda: audited(
                asked,
                self.inputs.samples,
                request.samples,
                origin,
                run,
                threads=self.threads,
                progress=self.progress,
            ),
        )

    def mcnemar(
        self,
        request: McNemarRequest,
        outcomes: Sequence[Outcomes],
        categories: Sequence[Category],
        design: ExperimentDesign,
    ) -> McNemarOfOutcomes | McNemarTable:
        """Two algorithms by the probes on which they differ; or several pairs, and categories of probes."""
        named = {one.algorithm: one for one in outcomes}
        pairs = chosen_pairs(tuple(named), **_pairs(request, tuple(named)))
        level = self.output.confidence_level
        if pairs is None:
            if len(outcomes) != 2:
                raise UsageError(
                    f"McNemar's test compares two algorithms, got {len(outcomes)}: {', '.join(named)}.",
                    Hint(
                        "say which: {option:pairs=A-B}, or {option:against}; or pick two: FILE::NAME FILE::OTHER, or give two counts."
                    ),
                )
            pairs = every_two(tuple(named), None)
        if len(pairs) == 1 and not request.by_category:
            first, second = pairs[0]
            return mcnemar_of(named[first], named[second], request.rank, level)
        return mcnemar_of_sets(
            named,
            categories if request.by_category else (),
            pairs,
            request.rank,
            level,
            lambda part: {one.algorithm: one for one in self.ranks(part, design)},
        )

    def groups(
        self, one: Algorithm, column: str, within: Experiment | Samples, at: Verification
    ) -> Differential:
        """Error rates of one algorithm by the values of a column, at the first operating point."""
        point = at.points[0].point
        return self._step(
            "groups",
            [one],
            {"within": digest_of(within), "column": column, "point": point.to_dict(), **self._judging},
            lambda: error_rates_by(
                one.scores, within, column, point, confidence_level=self.output.confidence_level,
                seed=self.output.seed,
            ),
        )  # fmt: skip

    def hard_subjects(self, one: Algorithm, within: Experiment | Samples, at: Verification) -> HardSubjects:
        """Whom the errors of one algorithm fall on, at the first operating point."""
        point = at.points[0].point
        hidden = self.output.pseudonyms
        return self._step(
            "subjects",
            [one],
            {"within": digest_of(within), "point": point.to_dict(), "pseudonyms": hidden, **self._judging},
            lambda: hard_subjects_of(
                one.scores, within, point, pseudonyms=hidden, seed=self.output.seed
            ),
        )  # fmt: skip

    def search(
        self, one: Algorithm, request: SearchRequest, experiment: Experiment
    ) -> tuple[SearchEstimates, pl.DataFrame | None]:
        """Searches of one algorithm for people who may not be enrolled, and what smaller galleries would give."""

        def make() -> tuple[SearchEstimates, pl.DataFrame | None]:
            made = search(
                one.scores,
                experiment,
                fusion=request.fusion,
                threads=self.threads,
                progress=self.progress,
            )
            found = searches_with_intervals(
                made, request.fpir, request.ranks, self.output.confidence_level,
                seed=self.output.seed, threads=self.threads,
            )  # fmt: skip
            return found, self._by_size(one, request, experiment, made) if request.sizes else None

        depends_on = {
            "request": request.model_dump(),
            "experiment": digest_of(experiment),
        }
        return self._step("search", [one], {**depends_on, **self._judging}, make)

    def _by_size(
        self, one: Algorithm, request: SearchRequest, experiment: Experiment, made: Searches
    ) -> pl.DataFrame:
        """Search again, counting who reaches the threshold of the first FPIR."""
        rank = request.ranks[0]
        threshold = made.at_fpir(request.fpir[0], rank).threshold
        again = search(
            one.scores,
            experiment,
            fusion=request.fusion,
            counted_at=() if threshold is None else (threshold,),
            check_orientation=False,
            threads=self.threads,
        )
        return again.by_gallery_size(request.sizes, rank)

    def exact_choices(self, request: ChoicesRequest, pool: Pool, ties: Any) -> dict[str, ExactChoice]:
        """The mean rate of every algorithm over all choices of images, without drawing any."""
        return {
            one.name: exact_over_choices(one, pool, ties, max_rank=request.max_rank) for one in self.scores
        }

    def trainings(self, request: ChoicesRequest, pool: Pool) -> Estimate:
        """How much the training sets matter, of which each matrix of scores is one."""
        made = estimate(
            RecognitionRate(request.rank),
            self.scores,
            pool,
            TrainingSets(),
            confidence_level=self.output.confidence_level,
            seed=self.output.seed,
        )
        assert isinstance(made, Estimate)
        return made

    def choices(self, request: ChoicesRequest, pool: Pool, ties: Any) -> VirtualExperiments:
        """All algorithms under other choices of images."""
        return self._step(
            "choices",
            self.inputs.algorithms,
            {"request": request.model_dump(), "ties": ties, **self._judging},
            lambda: permute(
                self.scores, pool, ImageChoice(request.n_resamples, request.balanced), max_rank=request.max_rank,
                ties=ties, seed=self.output.seed, threads=self.threads, progress=self.progress,
                keep_on_interrupt=self.keep_on_interrupt,
            ),
        )  # fmt: skip

    def strat(
        self, request: StratRequest, design: ExperimentDesign, experiment: Experiment | None = None
    ) -> StratStudy:
        """A stratified evaluation."""
        policies = {
            name: value for name, value in ranking(design).items() if name != "counting"
        }  # one image each
        return self._step(
            "strat",
            self.inputs.algorithms,
            {"request": request.model_dump(), "experiment": experiment and digest_of(experiment), **policies, **self._judging},
            lambda: strat_study(
                self.scores, self.samples, request.images, experiment=experiment, sensors=request.sensors, rank=request.rank,
                design=stratified_design(request), order_by=request.order_by,
                confidence_level=self.output.confidence_level, seed=self.output.seed, progress=self.progress, **policies,
            ),
            {"samples": self.samples},
        )  # fmt: skip

    def feret(
        self,
        request: FeretRequest,
        experiment: Experiment,
        categories: Sequence[Category],
        design: ExperimentDesign,
        ranked: Sequence[Outcomes],
        find: Callable[[str], Path],
    ) -> FeretStudy:
        """A FERET evaluation; `find` finds the files that it names."""
        asked = feret_arguments(request, find, self.output.seed)
        depends_on = {
            "request": request.model_dump(),
            "participants": [asdict(one) for one in asked["participants"]],
            "experiment": digest_of(experiment),
            "categories": [asdict(one) for one in categories],
            **ranking(design),
        }
        return self._step(
            "feret",
            self.inputs.algorithms,
            {**depends_on, **self._judging},
            lambda: feret_study(
                self.scores, experiment, categories=categories, ranked=ranked, confidence_level=self.output.confidence_level,
                threads=self.threads, progress=self.progress,
                **asked, **ranking(design),
            ),
            {"experiment": experiment, "samples": experiment.samples},
        )  # fmt: skip

    def covariates(
        self, request: CovariatesRequest, outcomes: Sequence[Outcomes], design: ExperimentDesign
    ) -> CovariateStudy:
        """What makes probes fail."""
        model = Formula.parse(request.on)  # refused before any work

        def make() -> CovariateStudy:
            found = Explained.of(outcomes, self.scores, request.outcome, request.rank, request.fmr)
            kind = request.covariance or "CR2"
            return explain(found, model, kind, request.incomplete, self.output.confidence_level)

        return self._of_outcomes("covariates", request, outcomes, design, make)

    def partition(
        self, request: PartitionRequest, outcomes: Sequence[Outcomes], design: ExperimentDesign
    ) -> Partition:
        """Probes divided by difficulty."""
        made = self._of_outcomes(
            "partition",
            request,
            outcomes,
            design,
            lambda: divide(
                outcomes,
                self.scores,
                request.parts,
                request.rank,
                request.judges,
                self.output.confidence_level,
            ),
        )
        nameless = made.probes.drop("id", "subject")
        return replace(made, probes=nameless) if self.output.pseudonyms else made

    def _of_outcomes(
        self,
        name: str,
        request: CovariatesRequest | PartitionRequest,
        outcomes: Sequence[Outcomes],
        design: ExperimentDesign,
        make: Callable[[], Result],
    ) -> Result:
        within = digest_of(outcomes[0].experiment)
        depends_on = {
            "request": request.model_dump(),
            "experiment": within,
            **ranking(design),
            **self._judging,
        }
        return self._step(name, self.inputs.algorithms, depends_on, make)

    @property
    def _judging(self) -> dict[str, float]:
        return {"level": self.output.confidence_level, "seed": self.output.seed}

    def _step(
        self,
        name: str,
        algorithms: Sequence[Algorithm],
        depends_on: Mapping[str, Any],
        make: Callable[[], Result],
        given: Mapping[str, object] | None = None,
    ) -> Result:
        common = {
            "samples": self.inputs.samples_digest,
            "algorithms": [one.digest for one in algorithms],
            "versions": versions(),
            "plugins": self.plugins,
        }
        return self.cache.step(name, {**depends_on, **common}, make, given)


def _pairs(request: ComparisonRequest | McNemarRequest, names: Sequence[str]) -> dict[str, Any]:
    """Which pairs a request chooses, as `compare` takes it: what it writes as A-B is understood by the names there are."""
    return {"pairs": [pair_named(one, names) for one in request.pairs], "against": request.against}


def ranking(design: ExperimentDesign) -> dict[str, Any]:
    """How ranks are made, as `rank` takes it."""
    return {
        "ties": design.ties,
        "counting": design.counting,
        "on_failure": design.on_failure.replace("-", "_"),
    }


def digest_of(within: Experiment | Samples) -> str:
    """Who is in the gallery and who is a probe, and how that is said; the table itself is told apart by its own digest."""
    if isinstance(within, Samples):
        return "every query with every target"
    hashed = hashlib.sha256()
    for positions in (within.gallery, within.probes):
        hashed.update(positions.astype("<i8").tobytes() + b"\n")
    hashed.update("\n".join([within.gallery_rule, within.probe_rule, *map(repr, within.notes)]).encode())
    return hashed.hexdigest()
