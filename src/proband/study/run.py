"""A request carried out: inputs are read, designs are made, and only then anything is computed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

from proband.engine import Engine, Progress, Silent, engine_said, using
from proband.engine.arguments import published
from proband.engine.limits import Threads
from proband.errors import AlignmentError, DesignError, Hint, InputError, ProbandError, Said, UsageError
from proband.inference import Comparison, Evaluation
from proband.inference.comparisons.by_category import too_small
from proband.inference.comparisons.compare import DEFAULT_MARGIN
from proband.inference.comparisons.gate import Gate
from proband.inference.comparisons.independent import compare_independent
from proband.inference.estimates.evaluation import evaluate_outcomes
from proband.inference.estimates.overlap import set_overlap
from proband.inference.image_choice.listing import trial_choices
from proband.inference.verification.thresholds import DeployedThreshold, require_any
from proband.measures import Outcomes, measure_named
from proband.measures.base import weighted
from proband.samples import Category, Experiment, Pool, Samples
from proband.samples.delimited import SEPARATORS, unfinished
from proband.scores import Scores, experiment_over, pool_over
from proband.study.caching import Cache
from proband.study.checking import check, check_effects
from proband.study.definition import Origin, Study
from proband.study.designs import (
    categories_of,
    chooses,
    code_named,
    design_of,
    measure_of,
    needing_matrix,
    of_pairs,
    plugins_of,
    ranks_anew,
)
from proband.study.findings import Findings, InputFile, Measured, Provenance
from proband.study.gating import candidate_and_baseline, pinned
from proband.study.inputs import Algorithm, Inputs, PairList, read_inputs, versions
from proband.study.labelled import (
    classified,
    datasets_compared,
    outcomes_compared,
    outcomes_explained,
)
from proband.study.refusals import RequestError
from proband.study.requests import (
    ChoicesRequest,
    ComparisonRequest,
    ExperimentDesign,
    GateRequest,
    Identification,
    Request,
    VerificationRequest,
)
from proband.study.second_set import second_set, sets_named
from proband.study.steps import Steps
from proband.study.surveying import surveyed
from proband.words import Note, Sentence

Made = TypeVar("Made")

_NOT_DONE = Sentence("study.not-done", "note", "No {what}: {reason}")
_OF_RANKS = (
    *("experiment", "identification", "comparison", "gate", "mcnemar", "category", "feret"),
    *("covariates", "partition"),
)
"""Sections that need gallery and probes."""


@published
def run(
    request: Request | Study,
    data: Inputs | None = None,
    *,
    origin: Origin | None = None,
    threads: Threads | None = None,
    progress: Progress | None = None,
    cache: Cache | None = None,
    allow_plugins: bool = False,
    keep_on_interrupt: bool = False,
    engine: Engine = None,
) -> Findings:
    """Carry out everything that a request asks for.

    Analyses that the request names must be possible; those that it does not are done where the data allow it, and the notes say
    which were not.

    Parameters
    ----------
    request
        What is asked for, or a study, which is such a request in a file.
    data
        Scores and samples that are in memory; by default the files that the request names are read.
    origin
        Where the request was written: files are found from there, and faults are told where they stand.
    cache
        Where costly results are kept and found again; by default nowhere.
    allow_plugins
        Let the request name code to import and call (``package.module:attribute``): whoever wrote it can then do what you can.
    keep_on_interrupt
        Whether trials are ended by an interrupt and those there are taken, as the number of trials then says.
    engine
        Where blocks of work run, as `proband.engine.using` takes it; by default as the request says.
    """
    if isinstance(request, Study):
        origin, request = request.origin, request.request
    origin, kept, heard = origin or Origin(), cache or Cache(None), progress or Silent()
    plugins = code_named(request)
    if plugins and not allow_plugins:
        keys, name = plugins[0]
        raise UsageError(
            f"{name!r} is code that the study would run on this machine.",
            Hint("if you trust it, say so: {option:allow_plugins=on}"),
            place=origin.where(*keys) or None,
        )
    with origin.refusing():
        check_effects(request, data is not None)
    with using(request.output.engine if engine is None and not engine_said() else engine):
        if data is None:
            with origin.refusing():
                check(request, origin)
            data = read_inputs(request, origin, kept, threads, heard)
        steps = Steps(data, request.output, kept, plugins_of(request), threads, heard, keep_on_interrupt)
        carried = _Run(request, origin, data, steps, list(data.notes))
        with origin.refusing():
            if not data.lists and not data.algorithms:
                return carried.of_tables()
            return carried.of_lists() if data.lists else carried.of_matrices()


@dataclass(frozen=True)
class _Plan:
    """The designs of a request, made before anything is computed."""

    experiment: Experiment | None
    categories: tuple[Category, ...]
    verified: Experiment | Samples
    searched: Experiment | None
    pool: Pool | None


@dataclass(frozen=True, eq=False)
class _Run:
    request: Request
    origin: Origin
    inputs: Inputs
    steps: Steps
    notes: list[Note] = field(default_factory=list)
    more_files: list[InputFile] = field(default_factory=list)

    def of_lists(self) -> Findings:
        """Verify lists of comparisons, and compare them by pairs; they allow nothing else."""
        request = self.request
        asked_for = {
            name: name in request.model_fields_set and bool(getattr(request, name))
            for name in (
                "identification",
                "gate",
                "mcnemar",
                "search",
                "choices",
                "strat",
                "feret",
                "covariates",
                "partition",
                "experiment",
            )
        }
        ranked = any(not of_pairs(one) for one in request.comparison)
        asked_for["comparison"] = "comparison" in request.model_fields_set and ranked
        for name, is_asked in asked_for.items():
            if is_asked:
                raise DesignError(
                    "the scores are lists of chosen pairs, which can only be verified, and compared by fnmr or auc.",
                    f"leave {name} out, or give scores of every query with every target.",
                    place=self.origin.where(name) or None,
                )
        asked = request.verification
        compared = [one for one in request.comparison if of_pairs(one)]
        if asked is None and request.threshold is None and not compared:
            raise DesignError(
                f"{self._name} asks for nothing that lists of comparisons allow.", place=Said(self._name)
            )
        for name in needing_matrix(asked):
            raise RequestError(
                ("verification", name),
                "it needs scores of queries with targets; a list of chosen pairs is verified as it is",
                "leave it out, or choose the comparisons in the list.",
            )
        found: dict[str, Any] = {"thresholds": self._thresholds(self.inputs.lists, None)}
        with self._at("comparison"):
            found["comparisons"] = {measure_of(one).code: self.steps.list_comparison(one) for one in compared}
        if asked is None:
            return self._found(**found, **self._tables())
        verified = []
        for one in self.inputs.lists:
            with self.origin.placed(one.place):
                verified.append(self.steps.list_verification(one, asked))
        return self._found(verification=tuple(verified), **found, **self._tables())

    def of_matrices(self) -> Findings:
        """Do everything that is asked for and possible."""
        request, plan = self.request, self._plan()
        found: dict[str, Any] = {}
        outcomes: list[Outcomes] = []
        if plan.experiment is not None and self._needs_ranks:
            outcomes = self._allowed("identification", _OF_RANKS, lambda: self._ranks(plan)) or []
        evaluation = self._evaluation(outcomes, plan)
        if request.identification is not None:
            found["evaluation"] = evaluation
            found["measured"] = self._measured(request.identification, outcomes, evaluation, plan)
            if request.identification.overlap and plan.experiment is not None:
                found["overlap"] = set_overlap(plan.experiment, categories=plan.categories)
        found |= self._verification(plan)
        found["thresholds"] = self._thresholds(self.inputs.algorithms, plan.verified)
        found["comparisons"] = self._comparisons(outcomes, evaluation, plan)
        if request.gate is not None:
            with self._at("gate"):
                found["gate"] = self._gate(request.gate, outcomes, plan)
        if request.mcnemar is not None and outcomes:
            with self._at("mcnemar"):
                found["mcnemar"] = self.steps.mcnemar(
                    request.mcnemar, outcomes, plan.categories, request.experiment
                )
        found |= self._searches(plan)
        if request.choices is not None and plan.pool is not None:
            with self._at("choices"):
                found |= self._choices(request.choices, plan.pool)
        if request.strat is not None:
            with self._at("strat"):
                own = request.strat
                fixed = (
                    None
                    if own.gallery is None
                    else self._experiment(ExperimentDesign(gallery=own.gallery, probes=own.probes))
                )
                found["strat"] = self.steps.strat(own, request.experiment, fixed)
        if request.feret is not None and plan.experiment is not None:
            with self._at("feret"):
                found["feret"] = self.steps.feret(
                    request.feret,
                    plan.experiment,
                    plan.categories,
                    request.experiment,
                    outcomes,
                    self.origin.find,
                )
        if request.covariates is not None and request.covariates.table is None and outcomes:
            with self._at("covariates"):
                found["covariates"] = self.steps.covariates(request.covariates, outcomes, request.experiment)
        if request.partition is not None and outcomes:
            with self._at("partition"):
                found["partition"] = self.steps.partition(request.partition, outcomes, request.experiment)
        return self._found(**found, **self._tables())

    def of_tables(self) -> Findings:
        """Do what needs tables of labels and outcomes alone."""
        return self._found(**self._tables())

    def _tables(self) -> dict[str, Any]:
        """What is asked of tables of labels and outcomes."""
        request, found = self.request, dict[str, Any]()
        if request.classification is not None:
            with self._at("classification"):
                found["classification"], said = classified(
                    request.classification, self.origin, request.output
                )
                self.notes.extend(said)
        if request.outcomes is not None:
            with self._at("outcomes"):
                found["outcomes"], said = outcomes_compared(request.outcomes, self.origin, request.output)
                self.notes.extend(said)
        if request.covariates is not None and request.covariates.table is not None:
            with self._at("covariates"):
                found["covariates"], said = outcomes_explained(
                    request.covariates, self.origin, request.output
                )
                self.notes.extend(said)
        if request.protocol is not None:
            with self._at("protocol"):
                found["protocol"] = self.steps.protocol(request.protocol, self.origin)
        if request.audit is not None:
            with self._at("audit"):
                found["audits"] = self.steps.audits(request, self.origin, found.get("protocol"))
        if request.survey is not None:
            with self._at("survey"):
                found["survey"], said = surveyed(request.survey, self.origin, request.output)
                self.notes.extend(said)
        if request.datasets is not None:
            with self._at("datasets"):
                found["datasets"], said = datasets_compared(request.datasets, self.origin, request.output)
                self.notes.extend(said)
        return found

    @property
    def _needs_ranks(self) -> bool:
        request = self.request
        compared = any(not of_pairs(one) for one in request.comparison)
        gated = request.gate is not None and not of_pairs(request.gate)
        return (
            compared
            or gated
            or any(
                (
                    request.identification,
                    request.mcnemar,
                    request.feret,
                    request.covariates is not None and request.covariates.table is None,
                    request.partition,
                )
            )
        )

    def _plan(self) -> _Plan:
        """Make every design; what cannot be made is refused now, or noted if nobody asked for it."""
        request, steps = self.request, self.steps
        scores, samples = steps.scores, steps.samples
        experiment = None
        if self._needs_ranks:
            experiment = self._allowed(
                "identification", _OF_RANKS, lambda: self._experiment(request.experiment)
            )
        categories: tuple[Category, ...] = ()
        if experiment is not None:
            for one in request.category:
                with self._at("category"):
                    categories += categories_of(one, experiment)
        searched = pool = None
        if request.search is not None:
            with self._at("search"):
                searched = self._experiment(
                    ExperimentDesign(gallery=request.search.gallery, probes=request.search.probes)
                )
        if request.choices is not None:
            with self._at("choices"):
                pool = pool_over(
                    scores,
                    samples,
                    request.choices.groups or None,
                    pairs=request.choices.pairs,
                    where=self.origin.condition(request.choices.where),
                    distractors=request.choices.distractors,
                )
        return _Plan(experiment, categories, self._verified(experiment), searched, pool)

    def _verified(self, experiment: Experiment | None) -> Experiment | Samples:
        """What is verified: as verification says, or else the experiment if it chooses, or else every query with every target."""
        request, asked = self.request, self.request.verification
        measures = request.identification.measures if request.identification else ()
        by_measure = any(measure_named(one).view == "pairs" for one in measures)
        compared: list[ComparisonRequest | GateRequest] = [*request.comparison]
        compared += [] if request.gate is None else [request.gate]
        if not (asked or request.threshold or by_measure or any(of_pairs(one) for one in compared)):
            return self.steps.samples
        if asked is not None and (asked.gallery is not None or asked.probes is not None):
            with self._at("verification"):
                return self._experiment(ExperimentDesign(gallery=asked.gallery, probes=asked.probes))
        if request.experiment.chooses and (asked is None or asked.comparisons == "experiment"):
            with self._at("experiment"):
                return experiment or self._experiment(request.experiment)
        return self.steps.samples

    def _experiment(self, design: ExperimentDesign) -> Experiment:
        return experiment_over(
            self.steps.scores,
            self.steps.samples,
            self.origin.enrolled(design),
            self.origin.condition(design.probes),
            self.request.missing,
        )

    def _ranks(self, plan: _Plan) -> list[Outcomes]:
        assert plan.experiment is not None  # asked before
        return self.steps.ranks(plan.experiment, self.request.experiment)

    def _evaluation(self, outcomes: list[Outcomes], plan: _Plan) -> Evaluation | None:
        """Rates and curves of all probes and of every category, where somebody asks for either."""
        request = self.request
        by_category = plan.categories and any(one.by_category for one in request.comparison)
        if not outcomes or plan.experiment is None or not (request.identification or by_category):
            return None
        return evaluate_outcomes(
            outcomes,
            plan.experiment,
            categories=plan.categories,
            ranks=request.identification.ranks if request.identification else (1,),
            confidence_level=request.output.confidence_level,
            weights=request.identification.weights if request.identification else "probe",
            rank_in=lambda within: self.steps.ranks(within, request.experiment),
            one_sided=request.identification.one_sided if request.identification else None,
        )

    def _measured(
        self, request: Identification, outcomes: list[Outcomes], evaluation: Evaluation | None, plan: _Plan
    ) -> tuple[Measured, ...]:
        """Every other measure that is asked for, of all probes and of every category, or of all pairs."""
        if not request.measures:
            return ()
        ranked, made = self.request.experiment, []
        with self._at("identification"):
            for measure in (weighted(measure_named(one), request.weights) for one in request.measures):
                if measure.view == "pairs":
                    each = self.steps.estimates(measure, self.steps.scores, plan.verified, request, ranked)
                    made.append(Measured(measure.code, None, each))
                    continue
                anew = ranks_anew(request)
                for category, parts in _sets(outcomes, evaluation):
                    data = self._scores_to_rank(request.design) if anew else parts
                    each = self.steps.estimates(measure, data, parts[0].experiment, request, ranked)
                    made.append(Measured(measure.code, category, each))
        return tuple(made)

    def _scores_to_rank(self, design: str) -> list[Scores]:
        """The scores, for a design that ranks them anew; it knows no other way than the usual one."""
        ranked = self.request.experiment
        if (ranked.ties, ranked.counting, ranked.on_failure) != ("pessimistic", "images", "miss"):
            raise UsageError(
                f"{design} ranks anew, with pessimistic ties, images counted and failures as misses.",
                Hint("leave those at their defaults, or take another design: {option:design=bootstrap}"),
            )
        return self.steps.scores

    def _comparisons(
        self, outcomes: list[Outcomes], evaluation: Evaluation | None, plan: _Plan
    ) -> dict[str, Comparison]:
        if len(self.steps.scores) < 2 and "comparison" not in self.request.model_fields_set:
            return {}

        def make() -> dict[str, Comparison]:
            made: dict[str, Comparison] = {}
            for request in self.request.comparison:
                self.steps.progress.begin("comparisons of algorithms", 0)
                code = measure_of(request).code
                for comparison in self._compared(request, outcomes, evaluation, plan):
                    made[_key(code, comparison.category, made)] = comparison
            return made

        return self._allowed("comparison", ("comparison",), make) or {}

    def _compared(
        self,
        request: ComparisonRequest,
        outcomes: list[Outcomes],
        evaluation: Evaluation | None,
        plan: _Plan,
    ) -> Iterator[Comparison]:
        """One measure, over all probes or pairs, and over every category if that is asked for; or of two sets of people."""
        if request.with_scores:
            yield self._independent(request, outcomes)
            return
        if of_pairs(request):
            together = [
                one
                for one in self.request.comparison
                if measure_of(one).form == "threshold" and one.design == "auto" and not chooses(one)
            ]
            yield self.steps.verification_comparison(request, plan.verified, together)
            return
        sets = list(_sets(outcomes, evaluation if request.by_category else None))
        large = [(category, parts) for category, parts in sets if self._is_large(category, parts, request)]
        for category, parts in large:
            families = 1 if category is None else len(large) - 1
            made = self.steps.comparison(request, parts, self.request.experiment, families)
            yield replace(made, category=category)

    def _independent(self, request: ComparisonRequest, outcomes: list[Outcomes]) -> Comparison:
        """Algorithms on this set of people and on another."""
        other = second_set(request, self.request, self.inputs, self.origin, self.steps)
        self.notes.extend(note for note in other.notes if note not in self.notes)
        self.more_files.extend(other.files)
        return compare_independent(
            measure_of(request), {one.algorithm: one for one in outcomes}, other.outcomes,
            pairs=[sets_named(text, [one.algorithm for one in outcomes], list(other.outcomes)) for text in request.pairs],
            margin=DEFAULT_MARGIN if request.margin is None else request.margin,
            confidence_level=self.request.output.confidence_level, adjust=request.adjust, one_sided=request.one_sided,
        )  # fmt: skip

    def _is_large(self, category: str | None, parts: list[Outcomes], request: ComparisonRequest) -> bool:
        """Whether there are people enough to compare algorithms by; a category that has not is noted."""
        why = None if category is None else too_small(category, parts[0], design_of(request))
        if why is not None and why not in self.notes:
            self.notes.append(why)
        return why is None

    def _gate(self, request: GateRequest, outcomes: list[Outcomes], plan: _Plan) -> Gate:
        """The candidate against the baseline, whose digest is what it should be."""
        places = candidate_and_baseline(request, self.inputs)
        new, old = (self.inputs.algorithms[place] for place in places)
        pin = pinned(request, old, self.inputs)
        data: tuple[Outcomes | Scores, Outcomes | Scores] = (new.scores, old.scores)
        within = plan.verified
        if not of_pairs(request):
            data = (outcomes[places[0]], outcomes[places[1]])
            within = outcomes[0].experiment
        made = self.steps.gate(request, (new, old), data, within, self.request.experiment)
        return replace(made, pinned=pin)

    def _thresholds(
        self, algorithms: Sequence[Algorithm | PairList], within: Experiment | Samples | None
    ) -> tuple[DeployedThreshold, ...]:
        """Thresholds to deploy; refused if there is none at all."""
        request = self.request.threshold
        if request is None:
            return ()
        with self._at("threshold"):
            found = [made for one in algorithms for made in self.steps.thresholds(one, request, within)]
            require_any(found)
        return tuple(found)

    def _verification(self, plan: _Plan) -> dict[str, Any]:
        request = self.request.verification
        if request is None:
            return {}
        if request.pairs is not None:
            return {"folds": self._folds(request)}
        made = self._allowed(
            "verification",
            ("verification",),
            lambda: [self.steps.verification(one, request, plan.verified) for one in self.inputs.algorithms],
        )
        if not made:
            return {}
        both = list(zip(self.inputs.algorithms, made, strict=True))
        with self._at("verification"):
            groups = tuple(
                self.steps.groups(one, column, plan.verified, found)
                for column in request.by
                for one, found in both
            )
            subjects = {
                one.name: self.steps.hard_subjects(one, plan.verified, found)
                for one, found in both
                if request.zoo
            }
        return {"verification": tuple(made), "groups": groups, "hard_subjects": subjects}

    def _folds(self, request: VerificationRequest) -> tuple[Any, ...]:
        """Accuracy over the folds of listed pairs."""
        assert request.pairs is not None  # asked before
        path: Path = self.origin.find(request.pairs)
        with self._at("verification"):
            if path.suffix.lower() in (".txt", *SEPARATORS):
                self.notes.extend(unfinished(path))
            return tuple(self.steps.folds(one, path) for one in self.inputs.algorithms)

    def _searches(self, plan: _Plan) -> dict[str, Any]:
        request = self.request.search
        if request is None or plan.searched is None:
            return {}
        with self._at("search"):
            made = [self.steps.search(one, request, plan.searched) for one in self.inputs.algorithms]
        return {
            "searches": tuple(found for found, _ in made),
            "by_gallery_size": tuple(sizes for _, sizes in made if sizes is not None),
        }

    def _choices(self, request: ChoicesRequest, pool: Pool) -> dict[str, Any]:
        if request.exact:
            return {
                "exact_choices": self.steps.exact_choices(request, pool, self.request.experiment.ties),
                "pool": pool,
            }
        if request.trainings:
            trained = tuple(one.name for one in self.steps.scores)
            return {"trainings": self.steps.trainings(request, pool), "trained": trained, "pool": pool}
        made = self.steps.choices(request, pool, self.request.experiment.ties)
        listed = None
        if request.list_trials:
            listed = trial_choices(
                pool, made.design, trials=request.list_trials, seed=made.seed,
                pseudonyms=self.request.output.pseudonyms,
            )  # fmt: skip
        return {"choices": made, "pool": pool, "trial_choices": listed}

    def _allowed(self, what: str, sections: Sequence[str], make: Callable[[], Made]) -> Made | None:
        """Make something; if the data do not allow it, that is an error only where a section asks for it."""
        asked = next((name for name in sections if self._asks(name)), None)
        try:
            with self._at(asked or ""):
                return make()
        except DesignError as none:
            if asked is not None:
                raise
            self.notes.append(_NOT_DONE(what=what, reason=none.message.rstrip(".")))
            return None

    def _asks(self, section: str) -> bool:
        """Whether a section was written, and not for switching it off."""
        return section in self.request.model_fields_set and bool(getattr(self.request, section))

    @contextmanager
    def _at(self, section: str) -> Iterator[None]:
        """Say where errors come from: where the scores are named that are at fault, or else the section, if there is one."""
        try:
            yield
        except ProbandError as error:
            asked = self.origin.where(section) if section in self.request.model_fields_set else ""
            with self.origin.placed(self._source_of(error) or asked):
                raise

    def _source_of(self, error: ProbandError) -> str:
        """Where the scores are named that an error is about; empty for any other."""
        if not isinstance(error, InputError | AlignmentError):
            return ""
        return next((one.place for one in self.inputs.algorithms if one.name == error.source), "")

    @property
    def _name(self) -> str:
        return "The request" if self.origin.path is None else self.origin.path.name

    def _found(self, **parts: object) -> Findings:
        request, origin = self.request, self.origin
        if not any(part for name, part in parts.items() if name not in ("pool", "trained", "trial_choices")):
            raise DesignError(
                f"{self._name}: nothing can be computed. {'. '.join(map(str, self.notes))}".rstrip(". ")
                + ".",
                "ask for an analysis in the file to see what it lacks.",
            )
        command = origin.command + (" --allow-plugins" if origin.path and code_named(request) else "")
        provenance = Provenance(
            command, origin.text, request.output.seed, versions(), (*self.inputs.files, *self.more_files)
        )
        return Findings(
            title=request.title or "Results",
            provenance=provenance,
            confidence_level=request.output.confidence_level,
            relative_ranks=any(
                one is not None and one.relative_ranks for one in (request.identification, request.strat)
            ),
            notes=tuple(self.notes),
            **parts,  # type: ignore[arg-type]
        )


def _sets(
    outcomes: list[Outcomes], evaluation: Evaluation | None
) -> Iterator[tuple[str | None, list[Outcomes]]]:
    """All probes, and those of every category if there is an evaluation of them."""
    if outcomes:
        yield None, outcomes
    for category in evaluation.categories[1:] if evaluation is not None else ():
        yield category, [entry.outcomes for entry in evaluation.of(category)] if evaluation else []


def _key(measure: str, category: str | None, taken: Mapping[str, object]) -> str:
    """A comparison's key: the code of its measure, which holds no slash, a number if that was compared before, and the category."""
    numbered = (measure if number == 1 else f"{measure}#{number}" for number in count(1))
    keys = (one if category is None else f"{one}/{category}" for one in numbered)
    return next(key for key in keys if key not in taken)
