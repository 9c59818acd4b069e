"""A study carried out: inputs are read, designs are made, and only then anything is computed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from proband.algorithms import names_code
from proband.engine import Progress, Silent
from proband.errors import AlignmentError, DesignError, InputError, ProbandError, UsageError
from proband.inference import Comparison, Evaluation
from proband.inference.evaluation import ALL_PROBES, evaluate_outcomes
from proband.inference.groups import Differential
from proband.inference.hard_subjects import HardSubjects
from proband.inference.verifying import Verification
from proband.measures import Outcomes
from proband.samples import Category, Experiment, Pool, Samples
from proband.scores import experiment_over, pool_over
from proband.study.caching import Cache
from proband.study.definition import Study
from proband.study.designs import measure_of
from proband.study.findings import Findings, Provenance
from proband.study.inputs import StudyInputs, read_inputs, versions
from proband.study.reading import placed
from proband.study.sections import ComparisonRequest
from proband.study.steps import Steps

Made = TypeVar("Made")

_OF_RANKS = ("experiment", "identification", "comparison", "category", "feret")
"""Sections that need gallery and probes."""


def run_study(
    study: Study,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
    cache: Cache | None = None,
    allow_plugins: bool = False,
) -> Findings:
    """Carry out everything a study asks for.

    Analyses that stand in the file must be possible; those that do not are done where the data allow it, and the notes say which
    were not.

    Parameters
    ----------
    cache
        Where costly results are kept and found again; by default nowhere.
    allow_plugins
        Let the study name code to import and call (``package.module:attribute``): whoever wrote it can then do what you can.
    """
    plugins = _plugins(study)
    if plugins and not allow_plugins:
        place, name = plugins[0]
        raise UsageError(
            f"{study.where('images', 'algorithms', place)}: {name!r} is code that the study would run on this machine.",
            "if you trust it, say so: proband run --allow-plugins (in Python allow_plugins=True).",
        )
    kept = cache or Cache(None)
    heard = progress or Silent()
    inputs = read_inputs(study, kept, threads, heard)
    run = _Run(study, inputs, Steps(inputs, study.output, kept, threads, heard), list(inputs.notes))
    return run.of_lists() if inputs.lists else run.of_matrices()


def _plugins(study: Study) -> list[tuple[int, str]]:
    """The recognisers of a study that are code to import, and where each stands in its list."""
    if study.images is None:
        return []
    return [(place, name) for place, name in enumerate(study.images.algorithms) if names_code(name)]


@dataclass(frozen=True)
class _Plan:
    """The designs of a study, made before anything is computed."""

    experiment: Experiment | None
    categories: tuple[Category, ...]
    verified: Experiment | Samples
    searched: Experiment | None
    pool: Pool | None


@dataclass(frozen=True, eq=False)
class _Run:
    study: Study
    inputs: StudyInputs
    steps: Steps
    notes: list[str] = field(default_factory=list)

    def of_lists(self) -> Findings:
        """Verify lists of comparisons, which allow nothing else."""
        study = self.study
        for name in ("identification", "comparison", "search", "choices", "strat", "feret", "experiment"):
            if name in study.asked and getattr(study, name):
                raise DesignError(
                    f"{study.where(name)}: the scores are lists of chosen pairs, which can only be verified.",
                    f"leave {name} out, or give scores of every query with every target.",
                )
        if study.verification is None:
            raise DesignError(f"{study.path.name} asks for nothing that lists of comparisons allow.")
        request = study.verification
        for name in ("gallery", "probes", "by", "zoo"):
            if getattr(request, name):
                raise DesignError(
                    f"{study.where('verification')}: {name} needs scores of queries with targets; a list of chosen pairs is verified "
                    "as it is.",
                    f"leave {name} out, or choose the comparisons in the list.",
                )
        verified = []
        for one in self.inputs.lists:
            with placed(one.place):
                verified.append(self.steps.list_verification(one, request))
        return self._found(verification=tuple(verified))

    def of_matrices(self) -> Findings:
        """Do everything that is asked for and possible."""
        study, steps, plan = self.study, self.steps, self._plan()
        outcomes: list[Outcomes] = []
        if plan.experiment is not None and (study.identification is not None or self._rank_comparisons):
            made = self._allowed("identification", _OF_RANKS, lambda: self._ranks(plan))
            outcomes = made or []
        evaluation = self._evaluation(outcomes, plan)
        verification = self._verification(plan)
        comparisons = self._comparisons(outcomes, evaluation, plan)
        groups, subjects = self._about_errors(verification, plan)
        searches = choices = strat = feret = None
        if study.search is not None and plan.searched is not None:
            with self._at("search"):
                searches = [steps.search(one, study.search, plan.searched) for one in self.inputs.algorithms]
        if study.choices is not None and plan.pool is not None:
            with self._at("choices"):
                choices = steps.choices(study.choices, plan.pool, study.experiment.ties)
        if study.strat is not None:
            with self._at("strat"):
                strat = steps.strat(study.strat, study.experiment)
        if study.feret is not None and plan.experiment is not None:
            with self._at("feret"):
                feret = steps.feret(study.feret, plan.experiment, plan.categories, study.experiment)
        return self._found(
            evaluation=evaluation,
            comparisons=comparisons,
            verification=verification,
            groups=groups,
            hard_subjects=subjects,
            searches=tuple(searches or ()),
            choices=choices,
            strat=strat,
            feret=feret,
        )

    @property
    def _rank_comparisons(self) -> bool:
        return any(not one.is_verification for one in self.study.comparison)

    def _plan(self) -> _Plan:
        """Make every design; what cannot be made is refused now, or noted if the file does not ask for it."""
        study, steps = self.study, self.steps
        scores, samples = steps.scores, steps.samples
        needed = study.identification is not None or self._rank_comparisons or study.feret is not None
        experiment = None
        if needed:
            experiment = self._allowed(
                "identification",
                _OF_RANKS,
                lambda: experiment_over(
                    scores, samples, study.enrolled(), study.condition(study.experiment.probes), study.missing
                ),
            )
        categories: tuple[Category, ...] = ()
        if experiment is not None:
            for one in study.category:
                with self._at("category"):
                    categories += one.categories(experiment)
        verified: Experiment | Samples = samples
        asked = study.verification
        if asked is not None and (asked.gallery is not None or asked.probes is not None):
            with self._at("verification"):
                verified = self._experiment(asked.gallery, asked.probes)
        elif asked is not None and "experiment" in study.asked:
            self.notes.append(
                "Verification compares every query with every target: [experiment] chooses the probes and gallery of ranks, and "
                "gallery and probes of [verification] choose its comparisons"
            )
        searched = pool = None
        if study.search is not None:
            with self._at("search"):
                searched = self._experiment(study.search.gallery, study.search.probes)
        if study.choices is not None:
            with self._at("choices"):
                pool = pool_over(
                    scores,
                    samples,
                    study.choices.groups or None,
                    pairs=study.choices.pairs,
                    where=study.condition(study.choices.where),
                )
        return _Plan(experiment, categories, verified, searched, pool)

    def _experiment(self, gallery: str | None, probes: str | None) -> Experiment:
        study = self.study
        return experiment_over(
            self.steps.scores,
            self.steps.samples,
            study.condition(gallery),
            study.condition(probes),
            study.missing,
        )

    def _evaluation(self, outcomes: list[Outcomes], plan: _Plan) -> Evaluation | None:
        study = self.study
        if study.identification is None or plan.experiment is None or not outcomes:
            return None
        return evaluate_outcomes(
            outcomes,
            plan.experiment,
            categories=plan.categories,
            ranks=study.identification.ranks,
            confidence_level=study.output.level,
        )

    def _comparisons(
        self, outcomes: list[Outcomes], evaluation: Evaluation | None, plan: _Plan
    ) -> dict[str, Comparison]:
        if len(self.steps.scores) < 2 and "comparison" not in self.study.asked:
            return {}

        def make() -> dict[str, Comparison]:
            made: dict[str, Comparison] = {}
            for request in self.study.comparison:
                for name, comparison in self._compared(request, outcomes, evaluation, plan):
                    made[_free(name, made)] = comparison
            return made

        return self._allowed("comparison", ("comparison",), make) or {}

    def _compared(
        self,
        request: ComparisonRequest,
        outcomes: list[Outcomes],
        evaluation: Evaluation | None,
        plan: _Plan,
    ) -> Iterator[tuple[str, Comparison]]:
        """One measure, over all probes or pairs, and over every category if that is asked for."""
        name = str(measure_of(request).estimand)
        if request.is_verification:
            yield name, self.steps.verification_comparison(request, plan.verified)
            return
        for category, parts in self._sets(outcomes, evaluation if request.by_category else None):
            said = name if category == ALL_PROBES else f"{name}, {category}"
            yield said, self.steps.comparison(request, parts, self.study.experiment)

    def _ranks(self, plan: _Plan) -> list[Outcomes]:
        assert plan.experiment is not None  # asked before
        return self.steps.ranks(plan.experiment, self.study.experiment)

    def _sets(
        self, outcomes: list[Outcomes], evaluation: Evaluation | None
    ) -> Iterator[tuple[str, list[Outcomes]]]:
        """All probes, and those of every category if there is an evaluation of them."""
        if outcomes:
            yield ALL_PROBES, outcomes
        for category in evaluation.categories[1:] if evaluation is not None else ():
            yield category, [entry.outcomes for entry in evaluation.of(category)] if evaluation else []

    def _verification(self, plan: _Plan) -> tuple[Verification, ...]:
        request = self.study.verification
        if request is None:
            return ()
        made = self._allowed(
            "verification",
            ("verification",),
            lambda: [self.steps.verification(one, request, plan.verified) for one in self.inputs.algorithms],
        )
        return tuple(made or ())

    def _about_errors(
        self, verification: tuple[Verification, ...], plan: _Plan
    ) -> tuple[tuple[Differential, ...], dict[str, HardSubjects]]:
        request = self.study.verification
        if request is None or not verification:
            return (), {}
        both = list(zip(self.inputs.algorithms, verification, strict=True))
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
        return groups, subjects

    def _allowed(self, what: str, sections: tuple[str, ...], make: Callable[[], Made]) -> Made | None:
        """Make something; if the data do not allow it, that is an error only where a section of the file asks for it."""
        asked = next((name for name in sections if name in self.study.asked), None)
        try:
            with self._at(asked or ""):
                return make()
        except DesignError as none:
            if asked is not None:
                raise
            self.notes.append(f"No {what}: {none.message.rstrip('.')}")
            return None

    @contextmanager
    def _at(self, section: str) -> Iterator[None]:
        """Put the place in the file before errors: where scores are named that are at fault, or else the section, if there is one."""
        try:
            with placed(""):
                yield
        except ProbandError as error:
            asked = self.study.where(section) if section in self.study.asked else ""
            with placed(self._source_of(error) or asked):
                raise

    def _source_of(self, error: ProbandError) -> str:
        """Where the scores are named that an error is about, since it begins with their name; empty for any other."""
        if not isinstance(error, InputError | AlignmentError):
            return ""
        own = (one.place for one in self.inputs.algorithms if error.message.startswith(f"{one.name}: "))
        return next(own, "")

    def _found(self, **parts: object) -> Findings:
        study = self.study
        if not any(parts.values()):
            raise DesignError(
                f"{study.path.name}: nothing can be computed. {'. '.join(self.notes)}".rstrip(". ") + ".",
                "ask for an analysis in the file to see what it lacks.",
            )
        allowed = " --allow-plugins" if _plugins(study) else ""
        provenance = Provenance(
            f"proband run {study.path.name}{allowed}",
            study.text,
            study.output.seed,
            versions(),
            self.inputs.files,
        )
        return Findings(
            title=study.title,
            provenance=provenance,
            confidence_level=study.output.level,
            notes=tuple(self.notes),
            **parts,  # type: ignore[arg-type]
        )


def _free(name: str, taken: Mapping[str, object]) -> str:
    """The name itself, or with a number behind it if it is taken."""
    if name not in taken:
        return name
    return next(made for number in range(2, len(taken) + 3) if (made := f"{name} ({number})") not in taken)
