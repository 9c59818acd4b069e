"""The methods paragraph, written from what was done: measures, designs, tests, intervals, policies and counts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from proband.inference import Comparison, Evaluation
from proband.inference.evaluation import probes_called
from proband.inference.feret_results import FeretStudy
from proband.inference.strat_study import StratStudy
from proband.measures.results import Facts
from proband.report.page import cells
from proband.report.page.model import Code, Folded, Paragraph, Section
from proband.report.page.references import bibliography, cited
from proband.report.page.verdict import main_comparison, main_evaluation
from proband.words import Method, count, counted

if TYPE_CHECKING:
    from proband.study.findings import Findings


@dataclass
class _Text:
    """Sentences, and the literature they rest on."""

    sentences: list[str] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)

    def say(self, sentence: str, *keys: str) -> None:
        """Add a sentence, its literature in brackets before the full stop."""
        self.keys += keys
        self.sentences.append(f"{sentence} {cited(*keys)}." if keys else f"{sentence}.")

    def say_methods(self, said: str, methods: Iterable[Method]) -> None:
        """Put methods into one sentence that begins with `said`, each told once with its literature."""
        told = {one: one for method in methods for one in method.told()}
        if not told:
            return
        parts = (
            f"{one.account or one} {cited(*one.cites)}" if one.cites else f"{one.account or one}"
            for one in told.values()
        )
        self.keys += [key for one in told.values() for key in one.cites]
        self.sentences.append(f"{said}: {'; '.join(parts)}.")


def methods_text(found: Findings) -> tuple[str, list[str]]:
    """The paragraph, and the keys of the literature it cites."""
    text = _Text()
    evaluation, comparison = main_evaluation(found), main_comparison(found)
    if evaluation is not None:
        _identification(text, evaluation)
    compared = list(found.comparisons.values()) or ([] if comparison is None else [comparison])
    if compared:
        _comparisons(text, compared)
    _verification(text, found)
    if found.searches:
        first = found.searches[0]
        text.say(
            f"Open-set search among {count(first.searches.n_enrolled)} enrolled people, with {count(len(first.searches.mate))} searches for them and "
            f"{count(len(first.searches.best))} for others; a person's samples were fused by {first.searches.fusion}, and FPIR and FNIR have "
            "Wilson intervals with people as units",
            "iso19795-1", "wilson1927",
        )  # fmt: skip
    if found.choices is not None:
        kind = "balanced" if found.choices.design.balanced else "unbalanced"
        text.say(
            f"The choice of gallery and probe images of {count(found.choices.n_subjects)} people was permuted in {count(found.choices.n_trials)} {kind} "
            "trials, the same for all algorithms; their percentiles vary the images of these people and not the people",
            "beveridge2001",
        )  # fmt: skip
    if found.strat is not None:
        _strat(text, found.strat)
    if found.feret is not None:
        _feret(text, found.feret)
    text.say(
        f"Intervals are at the {cells.percent(found.confidence_level)} level; every replicate is seeded (seed {found.provenance.seed})"
    )
    version = found.provenance.versions.get("proband")
    if version:
        text.say(f"Computed with Proband {version}")
    return " ".join(text.sentences), list(dict.fromkeys(text.keys))


def _identification(text: _Text, evaluation: Evaluation) -> None:
    facts = evaluation.entries[0].curve.facts
    text.say(
        f"Identification by {counted(len(evaluation.algorithms), 'algorithm')} in {'a closed' if facts.universe == 'closed' else 'an open'} universe: "
        f"{counted(facts.n_probes, 'probe')} of {counted(facts.n_probe_subjects, 'person', 'people')} against a gallery of "
        f"{counted(facts.n_gallery_images, 'image')} of {counted(facts.n_gallery_subjects, 'person', 'people')}, by recognition "
        f"rates at ranks {', '.join(map(str, evaluation.ranks))} and whole cumulative match characteristics",
        "phillips2000",
    )  # fmt: skip
    if len(evaluation.categories) > 1:
        text.say(f"Probe categories: {', '.join(map(probes_called, evaluation.categories[1:]))}")
    text.say(_policies(facts))
    text.say_methods("Intervals of rates", (entry.band.design for entry in evaluation.entries))


def _policies(facts: Facts) -> str:
    ties = {
        "pessimistic": "a tied non-mate was put before the mate",
        "optimistic": "a tied non-mate was put behind the mate",
        "mean": "ties were broken at random in expectation",
    }.get(facts.ties, facts.ties)
    failures = (
        "failures to acquire counted as misses"
        if facts.on_failure == "miss"
        else "failures to acquire were taken as scored"
    )
    lost = f" ({count(facts.n_failed)} probes and {count(facts.n_gallery_failed)} gallery images)" if facts.n_failed + facts.n_gallery_failed else " (there were none)"  # fmt: skip
    return f"Ranks counted gallery {facts.counting}; {ties}; {failures}{lost}"


def _comparisons(text: _Text, comparisons: list[Comparison]) -> None:
    measures = dict.fromkeys(one.estimates[0].answers.of for one in comparisons)
    text.say(f"Algorithms were compared pairwise on the same data by {', '.join(map(str, measures))}")
    text.say_methods("Estimates", (one.design for compared in comparisons for one in compared.estimates))
    text.say_methods("Differences", (pair.method for compared in comparisons for pair in compared.pairs))
    most = max(len(one.pairs) for one in comparisons)
    if most > 1:
        text.say(
            f"p-values of the {count(most)} pairs of a comparison were adjusted by Holm's method", "holm1979"
        )
    overall = next((one.overall for one in comparisons if one.overall is not None), None)
    if overall is not None:
        text.say(f"Whether algorithms differ at all: Cochran's Q ({overall.method})", *overall.method.cites)
    margins = [one for one in comparisons if one.margin is not None]
    if margins and margins[0].margin is not None:
        worth = cells.size_of(margins[0].margin, margins[0].pairs[0].in_points)
        text.say(f"Equivalence within {worth} is claimed by two one-sided tests", "schuirmann1987")


def _verification(text: _Text, found: Findings) -> None:
    if found.verification:
        first = found.verification[0]
        counts = first.rates.counts
        text.say(
            f"Verification over {count(counts.n_genuine)} genuine and {count(counts.n_impostor)} impostor comparisons of {count(first.n_subjects)} people, every "
            "comparison counted; error rates leave out failures to acquire",
            "iso19795-1", "martin1997",
        )  # fmt: skip
        points = [point for one in found.verification for point in one.points]
        text.say_methods("Intervals of FMR", (point.fmr.method for point in points))
        text.say_methods("Intervals of FNMR", (point.fnmr.method for point in points))
        if any(point.fnmr_at_fmr is not None for point in points):
            text.say("FNMR at a fixed FMR sets the threshold anew in every bootstrap replicate of people", "efron1979")  # fmt: skip
        text.say("Rates that rest on fewer than 30 errors are marked as not supported", "doddington2000")
    if found.groups:
        named = ", ".join(dict.fromkeys(one.column for one in found.groups))
        text.say(f"Error rates by {named} use one threshold for all groups, and comparisons within a group", "iso19795-10")  # fmt: skip
    if found.hard_subjects:
        text.say(
            "Concentration of errors on people was tested by dealing them anew at random", "doddington1998"
        )


def _strat(text: _Text, study: StratStudy) -> None:
    text.say(
        f"Each of {study.n_images} images of {count(study.n_subjects)} people served as the gallery in turn, as they are and mixed; whether the "
        "galleries differ was tested over people by Hotelling's T²",
        "micheals2001", "hotelling1931",
    )  # fmt: skip
    designs = [estimate.design for effect in study.effects for estimate in effect.estimates]
    text.say_methods("Standard errors of each gallery", designs)


def _feret(text: _Text, study: FeretStudy) -> None:
    if study.variation:
        first = study.variation[0]
        text.say(
            f"Rates were repeated over {first.design}, with Student's interval of their mean; whether galleries differ was tested with effective "
            "sample sizes, and the spread beyond chance estimated by moments",
            "phillips2000", "rao1992", "dersimonian1986",
        )  # fmt: skip
    if study.sizes:
        text.say("Rates in smaller galleries are exact expectations over random parts of the enrolled people")
    if study.rejection is not None:
        text.say(
            f"For rejection, {count(study.rejection.n_held_out)} people were taken out of the gallery",
            "phillips2000",
        )


def methods_section(found: Findings) -> Section:
    """The paragraph to be quoted, and BibTeX of what it cites."""
    text, keys = methods_text(found)
    blocks = [Paragraph(text)]
    folded = (Folded("References (BibTeX)", (Code(bibliography(keys), "references.bib"),)),) if keys else ()
    return Section("methods", "Methods", (*blocks, *folded))
