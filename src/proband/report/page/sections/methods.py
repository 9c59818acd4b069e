"""The methods paragraph, written from what was done: measures, designs, tests, intervals, policies and counts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from proband.inference import Comparison, Evaluation, Gate
from proband.inference.comparisons.comparison import Standings
from proband.inference.estimates.evaluation import probes_called
from proband.inference.galleries.feret_results import FeretStudy
from proband.inference.strata.study import StratStudy
from proband.protocols.running.results import ProtocolRun
from proband.report.analyses.evaluation import own_gallery
from proband.report.leading import main_comparison, main_evaluation
from proband.report.page.model import Code, Folded, Paragraph, Section
from proband.report.page.registry import section
from proband.report.page.sections.references import bibliography, cited
from proband.results.base import Facts
from proband.results.difference import margin_of
from proband.words import Method, Note, Sentence, Target

if TYPE_CHECKING:
    from proband.study.findings import Findings

_IN_UNIVERSE = (
    " universe: {probes:count probe} of {people:count person/people} against a gallery of {images:count image} of "
    "{enrolled:count person/people}, by recognition rates at ranks {ranks:row} and whole cumulative match characteristics"
)
_CLOSED = Sentence(
    "methods.closed-set", "note", "Identification by {n:count algorithm} in a closed" + _IN_UNIVERSE
)
_OPEN = Sentence(
    "methods.open-set", "note", "Identification by {n:count algorithm} in an open" + _IN_UNIVERSE
)
_CATEGORIES = Sentence("methods.categories", "note", "Probe categories: {names:names}")
_POLICIES = Sentence(
    "methods.policies", "note", "Ranks counted gallery {counting}; {ties}; {failures} ({lost})"
)
_TIES = {
    "pessimistic": Target("pessimistic", "a tied non-mate was put before the mate"),
    "optimistic": Target("optimistic", "a tied non-mate was put behind the mate"),
    "mean": Target("mean", "ties were broken at random in expectation"),
}
_FAILURES = {
    "miss": Target("miss", "failures to acquire counted as misses"),
    "as_scored": Target("as_scored", "failures to acquire were taken as scored"),
}
_LOST = Sentence("methods.failures", "note", "{probes:count probe} and {images:count gallery image}")
_NONE_LOST = Sentence("methods.no-failures", "note", "there were none")
_RATE_INTERVALS = Sentence("methods.rate-intervals", "note", "Intervals of rates: {methods:parts}")
_COMPARED = Sentence(
    "methods.compared", "note", "Algorithms were compared pairwise on the same data by {measures:row}"
)
_ACCURACIES = Sentence("methods.accuracies", "note", "Accuracies for fixed classes: {methods:parts}")
_DATASETS = Sentence("methods.datasets", "note", "Every two algorithms were compared by {methods:parts}")
_SURVEY = Sentence("methods.survey", "note", "Estimates for the population sampled: {methods:parts}")
_ESTIMATES = Sentence("methods.estimates", "note", "Estimates: {methods:parts}")
_DIFFERENCES = Sentence("methods.differences", "note", "Differences: {methods:parts}")
_TOGETHER = Sentence(
    "methods.single-step",
    "note",
    "p-values and intervals of the {n:count} pairs of a comparison hold for all of them together (single-step)",
)
_APART = Sentence(
    "methods.unadjusted",
    "caution",
    "p-values and intervals of some comparisons are for each pair alone and not adjusted for their number",
)
_OVERALL = Sentence("methods.overall", "note", "Whether algorithms differ at all: Cochran's Q ({method})")
_EQUIVALENCE = Sentence(
    "methods.equivalence", "note", "Equivalence within {margin} is claimed by two one-sided tests"
)
_GATED = Sentence(
    "methods.gate",
    "note",
    "{candidate} was to replace {baseline} if shown not to be worse by {margin} ({measure}; one-sided bounds at the "
    "{level:level} level): {methods:parts}",
)
_THRESHOLDS = Sentence(
    "methods.thresholds",
    "note",
    "Thresholds for new people keep the one-sided {confidence:level} upper bound of FMR over people within the target, "
    "at them and at every stricter threshold",
)
_VERIFIED = Sentence(
    "methods.verification",
    "note",
    "Verification over {genuine:count} genuine and {impostor:count impostor comparison} of {people:count person/people}, every "
    "comparison counted; error rates leave out failures to acquire",
)
_FMR_INTERVALS = Sentence("methods.fmr-intervals", "note", "Intervals of FMR: {methods:parts}")
_FNMR_INTERVALS = Sentence("methods.fnmr-intervals", "note", "Intervals of FNMR: {methods:parts}")
_AT_FMR = Sentence(
    "methods.fnmr-at-fmr",
    "note",
    "FNMR at a target FMR re-estimates the threshold in every bootstrap replicate of people",
)
_RULE_OF_30 = Sentence("methods.rule-of-30", "note", "Rates that rest on fewer than 30 errors are marked")
_GROUPS = Sentence(
    "methods.groups",
    "note",
    "Error rates by {columns:names} use one threshold for all groups, and comparisons within a group",
)
_CONCENTRATION = Sentence(
    "methods.concentration",
    "note",
    "Concentration of errors on people was tested by reassigning errors at random",
)
_SEARCHED = Sentence(
    "methods.searches",
    "note",
    "Open-set search among {enrolled:count enrolled person/enrolled people}, with {mated:count search/searches} for them and {others:count} for others; a "
    "person's samples were fused by {fusion}, and FPIR and FNIR have Wilson intervals with people as units",
)
_PERMUTED = " trials, the same for all algorithms; their percentiles vary the images of these people and not the people"
_CHOICE_OF = (
    "The choice of gallery and probe images of {people:count person/people} was permuted in {trials:count} "
)
_BALANCED = Sentence("methods.balanced-choices", "note", _CHOICE_OF + "balanced" + _PERMUTED)
_UNBALANCED = Sentence("methods.unbalanced-choices", "note", _CHOICE_OF + "unbalanced" + _PERMUTED)
_GALLERIES = Sentence(
    "methods.stratified-galleries",
    "note",
    "Each of {images} images of {people:count person/people} served as the gallery in turn, as they are and mixed; whether the "
    "galleries differ was tested over people by Hotelling's T²",
)
_GALLERY_ERRORS = Sentence(
    "methods.gallery-errors", "note", "Standard errors of each gallery: {methods:parts}"
)
_VARIATION = Sentence(
    "methods.gallery-variation",
    "note",
    "Rates were repeated over {design}, with Student's interval of their mean on the logit scale; whether galleries differ was tested with effective "
    "sample sizes, and the spread beyond chance estimated by moments",
)
_SIZES = Sentence(
    "methods.gallery-sizes",
    "note",
    "Rates in smaller galleries are exact expectations over random parts of the enrolled people",
)
_REJECTION = Sentence(
    "methods.rejection",
    "note",
    "For rejection, {people:count person was/people were} removed from the gallery",
)
_EXPLAINED = Sentence(
    "methods.covariates",
    "note",
    "The outcome of {probes:count probe} of {people:count person/people} was explained by {formula}; rates and differences are standardised over these "
    "probes",
)
_EXPLAINED_ROWS = Sentence(
    "methods.covariates-rows",
    "note",
    "The outcome of {probes:count row} of {people:count cluster} was explained by {formula}; rates and differences are standardised over these rows",
)
_EXPLAINED_ERRORS = Sentence("methods.covariates-errors", "note", "Errors of these: {methods:parts}")
_EXPLAINED_TESTS = Sentence(
    "methods.covariates-tests",
    "note",
    "Terms were tested by Hotelling's T² with matched degrees of freedom, adjusted by Holm's method, and the fit by a score test over {units}",
)
_EXPLAINED_WALD = Sentence(
    "methods.covariates-wald",
    "note",
    "Terms were tested by Wald's statistic as F, adjusted by Holm's method, and the fit by a score test over {units}",
)
_DIVIDED = Sentence(
    "methods.partition",
    "note",
    "Probes were divided into {parts:count part} by how close they are to their mates; every algorithm is judged on parts made without it",
)
_PROTOCOLS = Sentence(
    "methods.protocols",
    "note",
    "{n:count classifier was/classifiers were} trained and tested on {samples:count sample} of {people:count person/people} under "
    "{names:row}, the same splits for all, and the protocols judged by EPD",
)
_ACCURACY_INTERVALS = Sentence(
    "methods.accuracy-intervals", "note", "Accuracies are means over runs. Their intervals: {methods:parts}"
)
_BY_SIZE = Sentence(
    "methods.protocol-sizes",
    "note",
    "Accuracies by size are means over {draws:count random draw} from these data, with t intervals over draws",
)
_LEVEL = Sentence(
    "methods.level",
    "note",
    "Intervals are at the {level:level} level; every replicate is seeded (seed {seed})",
)
_VERSION = Sentence("methods.version", "note", "Computed with Proband {version}")


@dataclass(frozen=True)
class _Cited:
    """Something that rests on literature, which stands in brackets behind it."""

    said: Note | str
    cites: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.said} {cited(*self.cites)}" if self.cites else f"{self.said}"


@dataclass
class _Text:
    """Sentences, and the literature they rest on."""

    sentences: list[_Cited] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)

    def say(self, note: Note, *keys: str) -> None:
        """Add a sentence, its literature in brackets before the full stop."""
        self.keys += keys
        self.sentences.append(_Cited(note, keys))

    def say_methods(self, sentence: Sentence, methods: Iterable[Method]) -> None:
        """Put methods into one sentence, each told once with its literature."""
        told = dict.fromkeys(one for method in methods for one in method.told())
        if told:
            self.keys += [key for one in told for key in one.cites]
            accounts = tuple(_Cited(one.account or str(one), one.cites) for one in told)
            self.sentences.append(_Cited(sentence(methods=accounts), ()))


def methods_text(found: Findings) -> tuple[str, list[str]]:
    """The paragraph, and the keys of the literature it cites."""
    text = _Text()
    evaluation, comparison = main_evaluation(found), main_comparison(found)
    if evaluation is not None:
        _identification(text, evaluation)
    compared = list(found.comparisons.values()) or ([] if comparison is None else [comparison])
    _comparisons(text, compared)
    labelled = [found.outcomes, None if found.classification is None else found.classification.comparison]
    _comparisons(text, [one for one in labelled if one is not None])
    if found.classification is not None:
        text.say_methods(_ACCURACIES, (one.design for one in found.classification.rates))
    if found.protocol is not None:
        _protocols(text, found.protocol)
    if found.survey is not None:
        text.say_methods(_SURVEY, [found.survey.design])
    if found.datasets is not None:
        text.say_methods(_DATASETS, [found.datasets.method])
    if found.gate is not None:
        _gate(text, found.gate)
    _verification(text, found)
    if found.thresholds:
        sure = found.thresholds[0].confidence_level
        text.say(_THRESHOLDS(confidence=sure), "bates2021", "fogliato2024", "helmers1991", "hoeffding1963")
    if found.searches:
        first = found.searches[0].searches
        mated, others = len(first.mate), len(first.best)
        text.say(
            _SEARCHED(enrolled=first.n_enrolled, mated=mated, others=others, fusion=first.fusion),
            "iso19795-1", "wilson1927",
        )  # fmt: skip
    if found.choices is not None:
        permuted = _BALANCED if found.choices.design.balanced else _UNBALANCED
        text.say(permuted(people=found.choices.n_subjects, trials=found.choices.n_trials), "beveridge2001")
    if found.strat is not None:
        _strat(text, found.strat)
    if found.feret is not None:
        _feret(text, found.feret)
    if found.covariates is not None:
        study = found.covariates
        shown = {"probes": study.n_probes, "people": study.n_people, "formula": study.formula}
        explained = (_EXPLAINED if study.unit == "person" else _EXPLAINED_ROWS)(**shown)
        text.say(explained, "givens2004", "lane1982")
        text.say_methods(_EXPLAINED_ERRORS, [study.design])
        if study.covariance == "survey":
            text.say(_EXPLAINED_WALD(units=study.units), "holm1979", "horton1999")
        else:
            text.say(_EXPLAINED_TESTS(units=study.units), "pustejovsky2018", "holm1979", "horton1999")
    if found.partition is not None:
        text.say(_DIVIDED(parts=len(found.partition.parts)), "phillips2011")
    text.say(_LEVEL(level=found.confidence_level, seed=found.provenance.seed))
    version = found.provenance.versions.get("proband")
    if version:
        text.say(_VERSION(version=version))
    return " ".join(f"{one}." for one in text.sentences), list(dict.fromkeys(text.keys))


def _protocols(text: _Text, run: ProtocolRun) -> None:
    data = run.setting.data
    named = tuple(str(one.protocol) for one in run.findings)
    n_people = len(data.samples.subjects)
    text.say(_PROTOCOLS(n=len(run.classifiers), names=named, samples=len(data), people=n_people), "mery2016")
    text.say_methods(
        _ACCURACY_INTERVALS, (one.interval.method for one in run.results if one.interval.low is not None)
    )
    made = [one.comparison for one in run.findings if one.comparison is not None]
    text.say_methods(_DIFFERENCES, (pair.method for one in made for pair in one.pairs))
    if run.sizes:
        text.say(_BY_SIZE(draws=run.sizes[0].n_draws), "student1908")


def _identification(text: _Text, evaluation: Evaluation) -> None:
    facts = evaluation.entries[0].curve.facts
    identified = _CLOSED if facts.universe == "closed" else _OPEN
    text.say(
        identified(
            n=len(evaluation.algorithms),
            probes=facts.n_probes,
            people=facts.n_probe_subjects,
            images=facts.n_gallery_images,
            enrolled=facts.n_gallery_subjects,
            ranks=evaluation.ranks,
        ),
        "phillips2000",
    )
    if len(evaluation.categories) > 1:
        names = (
            probes_called(category) + own_gallery(evaluation.of(category)[0].curve.facts, facts)
            for category in evaluation.categories[1:]
        )
        text.say(_CATEGORIES(names=tuple(names)))
    text.say(_policies(facts))
    text.say_methods(_RATE_INTERVALS, (entry.band.design for entry in evaluation.entries))


def _policies(facts: Facts) -> Note:
    any_lost = facts.n_failed or facts.n_gallery_failed
    lost = _LOST(probes=facts.n_failed, images=facts.n_gallery_failed) if any_lost else _NONE_LOST()
    return _POLICIES(
        counting=facts.counting, ties=_TIES[facts.ties], failures=_FAILURES[facts.on_failure], lost=lost
    )


def _comparisons(text: _Text, comparisons: Sequence[Standings]) -> None:
    if not comparisons:
        return
    measures = dict.fromkeys(one.estimates[0].answers.of for one in comparisons)
    text.say(_COMPARED(measures=tuple(measures)))
    text.say_methods(_ESTIMATES, (one.design for compared in comparisons for one in compared.estimates))
    text.say_methods(_DIFFERENCES, (pair.method for compared in comparisons for pair in compared.pairs))
    several = [one for one in comparisons if len(one.pairs) > 1]
    together = [len(one.pairs) for one in several if one.pairs[0].adjustment == "single-step"]
    if together:
        text.say(_TOGETHER(n=max(together)), "westfall1993")
    if len(together) < len(several):
        text.say(_APART())
    overall = next((one.overall for one in comparisons if isinstance(one, Comparison) and one.overall), None)
    if overall is not None:
        text.say(_OVERALL(method=overall.method), *overall.method.cites)
    margins = [one for one in comparisons if one.margin is not None]
    if margins:
        worth = margin_of(margins[0].margin, margins[0].pairs[0].in_points)
        text.say(_EQUIVALENCE(margin=worth), "schuirmann1987")


def _gate(text: _Text, gate: Gate) -> None:
    (pair,) = gate.comparison.pairs
    told = pair.method.told()
    text.say(
        _GATED(
            candidate=gate.candidate,
            baseline=gate.baseline,
            margin=margin_of(gate.margin, pair.in_points),
            measure=gate.estimates[0].answers.of,
            level=gate.comparison.confidence_level,
            methods=tuple(one.account or str(one) for one in told),
        ),
        "schuirmann1987",
        *dict.fromkeys(key for one in told for key in one.cites),
    )


def _verification(text: _Text, found: Findings) -> None:
    if found.verification:
        first = found.verification[0]
        counts = first.rates.counts
        text.say(
            _VERIFIED(genuine=counts.n_genuine, impostor=counts.n_impostor, people=first.n_subjects),
            "iso19795-1", "martin1997",
        )  # fmt: skip
        points = [point for one in found.verification for point in one.points]
        text.say_methods(_FMR_INTERVALS, (point.fmr.method for point in points))
        text.say_methods(_FNMR_INTERVALS, (point.fnmr.method for point in points))
        if any(point.fnmr_at_fmr is not None for point in points):
            text.say(_AT_FMR(), "efron1979")
        text.say(_RULE_OF_30(), "doddington2000")
    if found.groups:
        columns = dict.fromkeys(one.column for one in found.groups)
        text.say(_GROUPS(columns=tuple(columns)), "iso19795-10")
    if found.hard_subjects:
        text.say(_CONCENTRATION(), "doddington1998")


def _strat(text: _Text, study: StratStudy) -> None:
    if study.effects:
        text.say(_GALLERIES(images=study.n_images, people=study.n_subjects), "micheals2001", "hotelling1931")
    designs = [
        *(one.design for one in study.estimates),
        *(estimate.design for effect in study.effects for estimate in effect.estimates),
    ]
    text.say_methods(_GALLERY_ERRORS, designs)


def _feret(text: _Text, study: FeretStudy) -> None:
    if study.variation:
        text.say(_VARIATION(design=study.variation[0].design), "phillips2000", "rao1992", "dersimonian1986")
    if study.sizes:
        text.say(_SIZES())
    if study.rejection is not None:
        text.say(_REJECTION(people=study.rejection.n_held_out), "phillips2000")


@section("methods", 95)
def methods_section(found: Findings) -> Section:
    """The paragraph to be quoted, and BibTeX of what it cites."""
    text, keys = methods_text(found)
    blocks = [Paragraph(text)]
    folded = (Folded("References (BibTeX)", (Code(bibliography(keys), "references.bib"),)),) if keys else ()
    return Section("methods", "Methods", (*blocks, *folded))
