"""What analyses are carried out on: made on first use, shared by all of them, and refused where it stands in the request."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from proband.engine import Progress
from proband.errors import AlignmentError, DesignError, Hint, InputError, ProbandError, UsageError, quoted
from proband.inference.estimates.evaluate import ranked_sets
from proband.inference.verification.people.drawings import Drawings
from proband.measures import Outcomes, rank
from proband.results.base import Result
from proband.samples import Category, Experiment, Samples, feret_categories
from proband.samples.categories import LONG_AFTER, probe_groups
from proband.scores import Scores, experiment_over
from proband.study.analysis import Analysis
from proband.study.caching import Cache
from proband.study.definition import Origin
from proband.study.findings import InputFile
from proband.study.inputs import Algorithm, Inputs, versions
from proband.study.requests import CategoryEntry, ExperimentDesign, Output, Request
from proband.words import Note

Made = TypeVar("Made")


@dataclass(eq=False)
class Context:
    """The data of a request, and the intermediate results that its analyses share.

    Everything is computed once, on first use. Expensive results are kept in the cache under a digest of all they depend on.

    Attributes
    ----------
    request, origin
        Everything that is asked for, and where it was written.
    inputs
        What was read.
    cache, plugins
        Where costly steps are kept, and whose code takes part, which they depend on.
    threads, progress, keep_on_interrupt
        How work is run; the last says whether trials that are interrupted are taken as they are.
    notes, more_files
        What is noted on the way, and files that analyses read besides.
    only
        The analyses that are to be carried out, by key; all of the request's if empty.
    """

    request: Request
    origin: Origin
    inputs: Inputs
    cache: Cache
    plugins: Mapping[str, tuple[str, ...]]
    threads: int | None
    progress: Progress
    keep_on_interrupt: bool = False
    notes: list[Note] = field(default_factory=list)
    more_files: list[InputFile] = field(default_factory=list)
    only: frozenset[str] = frozenset()
    parts: dict[str, Result | None] = field(default_factory=dict)
    _memory: dict[Hashable, Any] = field(default_factory=dict)
    _running: list[str] = field(default_factory=list)

    @property
    def output(self) -> Output:
        """How results are computed and written: the level of intervals, the seed, whether people are named."""
        return self.request.output

    @property
    def scores(self) -> list[Scores]:
        """The scores of all algorithms."""
        return [one.scores for one in self.inputs.algorithms]

    @property
    def names(self) -> tuple[str, ...]:
        """What the algorithms are called, of matrices or of lists."""
        lists = (one.trials.name for one in self.inputs.lists)
        return (*(one.name for one in self.inputs.algorithms), *lists)

    @property
    def samples(self) -> Samples:
        """The table of samples."""
        if self.inputs.samples is None:
            raise InputError(
                "No subject IDs were given.",
                Hint(
                    "{give:samples}: a table, or a directory of images whose file names identify the subjects."
                ),
            )
        return self.inputs.samples

    @cached_property
    def drawings(self) -> Drawings:
        """The people that are drawn for every algorithm and operating point."""
        return Drawings(self.output.seed)

    @property
    def experiment(self) -> Experiment:
        """Who is enrolled and who is searched for."""
        return self.experiment_over(self.request.experiment)

    def experiment_over(self, design: ExperimentDesign) -> Experiment:
        """The experiment that a gallery and probes make of the scores; where they choose nobody, the one at hand, if there is one."""
        if self.inputs.experiment is not None and not design.chooses:
            return self.inputs.experiment
        return self.once(
            ("experiment", design.gallery, design.probes, design.one_per_subject),
            lambda: experiment_over(
                self.scores,
                self.samples,
                gallery=self.origin.enrolled(design),
                probes=self.origin.condition(design.probes),
                missing=self.request.missing,
            ),
        )

    @property
    def categories(self) -> tuple[Category, ...]:
        """The categories of probes."""
        return self.once("categories", self._categories)

    def _categories(self) -> tuple[Category, ...]:
        made: tuple[Category, ...] = ()
        for entry in self.request.category:
            with self.at("category"):
                if entry.feret:
                    _require_feret_columns(entry, self.experiment.samples.frame.columns)
                made += categories_of(entry, self.experiment)
        return made

    @property
    def outcomes(self) -> list[Outcomes]:
        """What became of every probe, for each algorithm."""
        return self.once("ranks", lambda: self.ranks(self.experiment))

    @property
    def unranked(self) -> list[Outcomes]:
        """The probes that will be ranked, for each algorithm, to be looked at before: nothing but who they are is known."""
        experiment = self.experiment
        probes = experiment.probes[experiment.mated]
        none = np.zeros(len(probes), dtype=np.int64)
        return [
            Outcomes(
                one.name, experiment, probes, none, none, none, none > 0,
                n_ranks=0, n_unmated=0, n_gallery_failed=0, **self.ranking,
            )
            for one in self.inputs.algorithms
            if len(probes)
        ]  # fmt: skip

    @property
    def outcome_sets(self) -> dict[str | None, list[Outcomes]]:
        """What became of all probes (None), and of those of every category; in a gallery of its own, where it has one."""
        return self.once("sets", self._ranked_sets)[0]

    @property
    def set_notes(self) -> tuple[Note, ...]:
        """What was noted of the categories."""
        return self.once("sets", self._ranked_sets)[1]

    def _ranked_sets(self) -> tuple[dict[str | None, list[Outcomes]], tuple[Note, ...]]:
        return ranked_sets(self.outcomes, self.experiment, self.categories, self.ranks)

    def ranks(self, experiment: Experiment, algorithms: Sequence[Algorithm] | None = None) -> list[Outcomes]:
        """What becomes of the probes of an experiment, for each algorithm."""
        settings = self.ranking
        return [
            self.step(
                "ranks",
                {"experiment": digest_of(experiment), **settings},
                lambda one=one: rank(  # type: ignore[misc]
                    one.scores, experiment, threads=self.threads, progress=self.progress, **settings
                ),
                algorithms=[one],
                given={"experiment": experiment, "samples": experiment.samples},
            )
            for one in (self.inputs.algorithms if algorithms is None else algorithms)
        ]

    @property
    def ranking(self) -> dict[str, Any]:
        """How ranks are made, as `rank` takes it."""
        return ranking(self.request.experiment)

    @property
    def verified(self) -> Experiment | Samples:
        """Which comparisons are verified: as a section says that decides it, or those of the experiment if it chooses, or all."""
        return self.once("verified", self._verified)

    def _verified(self) -> Experiment | Samples:
        for analysis, asked in self.request.asked():
            said = asked.verified_pairs
            if said == "all":
                return self.samples
            if said is not None:
                with self.at(analysis.key):
                    return self.experiment_over(said)
        if self.request.experiment.chooses:
            with self.at("experiment"):
                return self.experiment
        return self.samples

    def on(self, inputs: Inputs) -> Context:
        """The same request on other data: nothing that was made here is shared."""
        return replace(self, inputs=inputs, parts={}, _memory={}, _running=[])

    def siblings(self, key: str) -> tuple[Any, ...]:
        """What is asked of an analysis; nothing if it is not to be carried out."""
        return self.request.section(key)

    def part(self, key: str) -> Any:
        """What another analysis finds, which is carried out first; None if it was not asked for."""
        for analysis, asked in self.request.sections():
            if analysis.key == key:
                return self.carry_out(analysis, asked)
        return None

    def carry_out(self, analysis: Analysis, asked: Any) -> Result | None:
        """Carry out an analysis, unless that was done already."""
        key = analysis.key
        if key in self._running:
            raise DesignError(
                f"{' needs '.join([*self._running, key])}: analyses must not depend on each other in a circle."
            )
        if key not in self.parts:
            self._running.append(key)
            try:
                with self.at(key):
                    self.parts[key] = analysis.carried_out(asked, self)
            finally:
                self._running.pop()
        return self.parts[key]

    def once(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """Return what `make` makes, or made before under the same key."""
        if key not in self._memory:
            self._memory[key] = make()
        made: Made = self._memory[key]
        return made

    @property
    def judging(self) -> dict[str, float]:
        """What intervals depend on besides the data."""
        return {"level": self.output.confidence_level, "seed": self.output.seed}

    def step(
        self,
        name: str,
        depends_on: Mapping[str, Any],
        make: Callable[[], Made],
        algorithms: Sequence[Algorithm] | None = None,
        given: Mapping[str, object] | None = None,
    ) -> Made:
        """Return what `make` makes, or what an earlier run made of the same.

        Parameters
        ----------
        name
            What is made.
        depends_on
            All that it depends on, as plain values; samples, scores, versions and plug-ins are added.
        algorithms
            Whose scores it depends on; all by default.
        given
            Large objects that the result refers to, by name: kept by name only.
        """
        judged = self.inputs.algorithms if algorithms is None else algorithms
        common = {
            "samples": self.inputs.samples_digest,
            "algorithms": [one.digest for one in judged],
            "versions": versions(),
            "plugins": self.plugins,
        }
        return self.cache.step(name, {**depends_on, **common}, make, given)

    def note(self, *notes: Note) -> None:
        """Note what was left out or decided, once."""
        self.notes.extend(one for one in notes if one not in self.notes)

    @contextmanager
    def at(self, section: str) -> Iterator[None]:
        """Say where errors come from: where the scores are named that are at fault, or else the section, if it was written."""
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


def ranking(design: ExperimentDesign) -> dict[str, Any]:
    """How ranks are made, as `rank` takes it."""
    return {
        "ties": design.ties,
        "counting": design.counting,
        "on_failure": design.on_failure.replace("-", "_"),
    }


def _require_feret_columns(entry: CategoryEntry, known: Sequence[str]) -> None:
    """Refuse the FERET categories of a table that lacks their columns."""
    columns = {name: getattr(entry, name) for name in ("image_set", "date", "camera")}
    absent = [name for name, column in columns.items() if column not in known]
    if absent:
        raise UsageError(
            "The FERET categories need columns of the image set, the date and the camera, "
            f"but there is no column {', '.join(quoted(columns[name]) for name in absent)}.",
            Hint(
                "name the columns ({option:image_set}, {option:date}, {option:camera}), or define categories of your own."
            ),
        )


def categories_of(entry: CategoryEntry, experiment: Experiment) -> tuple[Category, ...]:
    """The categories that an entry means over an experiment."""
    if entry.feret:
        rule = entry.long_after or LONG_AFTER
        return feret_categories(entry.image_set, entry.date, entry.camera, rule, entry.gallery)
    if entry.by is not None:
        return probe_groups(experiment, entry.by)
    assert entry.name is not None  # one of the three, as the request made sure
    assert entry.rule is not None
    return (Category(entry.name, entry.rule, entry.mates, entry.gallery),)


def digest_of(within: Experiment | Samples) -> str:
    """Who is in the gallery and who is a probe, and how that is said; the table itself is told apart by its own digest."""
    if isinstance(within, Samples):
        return "every query with every target"
    hashed = hashlib.sha256()
    for positions in (within.gallery, within.probes):
        hashed.update(positions.astype("<i8").tobytes() + b"\n")
    hashed.update("\n".join([within.gallery_rule, within.probe_rule, *map(repr, within.notes)]).encode())
    return hashed.hexdigest()
