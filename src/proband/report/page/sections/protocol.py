"""The card that says under which protocol the numbers hold."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from proband.report import cells
from proband.report.analyses.evaluation import TIES
from proband.report.leading import main_comparison, main_evaluation, main_standings
from proband.report.page.model import Badge, Badges, Block, Facts as FactsView, Section
from proband.report.page.registry import section
from proband.results.base import Facts
from proband.results.compared import metrics_statement
from proband.words import as_sentence, count, counted

if TYPE_CHECKING:
    from proband.study.findings import Findings

_TIES = {
    **TIES,
    "at-threshold": "a score that equals the threshold is accepted",
}
_FAILURES = {
    "miss": "they count as misses and stay in the denominator",
    "as_scored": "the marks are ignored and every score is taken at its word",
    "left-out": "FMR and FNMR leave them out",
}


@section("protocol", 72)
def protocol_section(found: Findings) -> Section | None:
    """Under which protocol: badges for a glance, and the rules in words."""
    facts = _facts_of(found)
    if facts is None and not found.verification and found.choices is None:
        return None
    badges = [] if facts is None else _badges(facts)
    badges += _of_verification(found) if facts is None else []
    if found.choices is not None:
        badges.append(
            Badge(
                counted(found.choices.n_trials, "choice of images", "choices of images"),
                explained=str(found.choices.design),
            )
        )
    badges += [
        Badge(f"{cells.percent(found.confidence_level)} intervals", explained="How often such intervals hold the truth, if the assumptions do."),
        Badge(f"seed {found.provenance.seed}", explained="Of every replicate: the same seed gives the same numbers."),
    ]  # fmt: skip
    rules = [] if facts is None else [("Gallery", facts.gallery_rule), ("Probes", facts.probe_rule)]
    rules += [("Scores", as_sentence(metrics_statement(_metrics(found))))]
    rules += [
        ("Verification", as_sentence(said))
        for said in dict.fromkeys(one.compared.statement() for one in found.verification)
    ]
    blocks: list[Block] = [Badges(tuple(badges))]
    blocks.append(FactsView(tuple(rules)))
    return Section("protocol", "Protocol", tuple(blocks))


def _metrics(found: Findings) -> Iterator[tuple[str, str | None]]:
    """How the scores of every algorithm were made, wherever it was measured."""
    measured: dict[str, str | None] = {}
    if found.evaluation is not None:
        measured |= {one.algorithm: one.curve.facts.metric for one in found.evaluation.entries}
    for comparison in found.comparisons.values():
        measured |= {one.facts.algorithm: one.facts.metric for one in comparison.estimates}
    measured |= {one.algorithm: one.compared.metric for one in found.verification}
    measured |= {one.algorithm: one.searches.metric for one in found.searches}
    if found.choices is not None:
        measured |= found.choices.metrics
    if found.strat is not None:
        measured |= {one.facts.algorithm: one.facts.metric for one in found.strat.cases}
    if found.covariates is not None:
        measured |= {one.algorithm: one.metric for one in found.covariates.facts}
    if found.feret is not None:
        measured |= {one.algorithm: one.curve.facts.metric for one in found.feret.evaluation.entries}
    yield from measured.items()


def _facts_of(found: Findings) -> Facts | None:
    evaluation, comparison = main_evaluation(found), main_comparison(found)
    if evaluation is not None:
        return evaluation.entries[0].curve.facts
    if comparison is not None:
        return comparison.estimates[0].facts
    if found.covariates is not None and found.covariates.facts:
        return found.covariates.facts[0]
    return None if found.strat is None else found.strat.cases[0].facts


def key_badges(found: Findings) -> tuple[Badge, ...]:
    """The three numbers that a verdict rests on: people, probes and failures."""
    facts = _facts_of(found)
    if facts is not None:
        verified = facts.universe == "verification"
        probes, searched = ("genuine comparison", "compared") if verified else ("probe", "searched for")
        return (
            Badge(f"{counted(facts.n_probe_subjects, 'person', 'people')} {searched}"),
            Badge(counted(facts.n_probes, probes), explained=facts.probe_rule),
            _failures(facts),
        )
    if found.verification:
        _, people, *_, failures = _of_verification(found)
        counts = found.verification[0].rates.counts
        pairs = f"{count(counts.n_genuine)} genuine and {counted(counts.n_impostor, 'impostor comparison')}"
        return (people, Badge(pairs), failures)
    if found.covariates is not None:
        study = found.covariates
        rows = Badge(counted(study.n_rows, study.row))
        return (
            (rows,)
            if study.unit == "row"
            else (Badge(counted(study.n_people, study.unit, study.units)), rows)
        )
    labelled = main_standings(found)
    return () if labelled is None else (Badge(counted(labelled.estimates[0].facts.size, "item")),)


def _failures(facts: Facts) -> Badge:
    policy = _FAILURES.get(facts.on_failure, facts.on_failure)
    if not facts.n_failed + facts.n_gallery_failed:
        return Badge("no failures to acquire", explained=f"Were there any: {policy}.")
    return Badge(
        f"{counted(facts.n_failed, 'probe')}, {counted(facts.n_gallery_failed, 'gallery image')} failed",
        "warning",
        f"Failures to acquire, by marks or failed comparisons of {facts.algorithm}: {policy}.",
    )


def _badges(facts: Facts) -> list[Badge]:
    if facts.universe == "verification":
        badges = [
            Badge(
                "verification",
                explained="Claimed identities are accepted or rejected; nobody is searched for.",
            )
        ]
        sizes = [
            Badge(counted(facts.n_probes, "genuine comparison")),
            Badge(counted(facts.n_probe_subjects, "person", "people")),
        ]
    else:
        unmated = facts.n_unmated
        badges = [
            Badge("closed set", explained="Every probe's person is in the gallery.")
            if facts.universe == "closed"
            else Badge("open set", "warning", f"{counted(unmated, 'probe has', 'probes have')} no mate in the gallery; identification rates do not count such probes."),
            Badge("no image on both sides", "good", "No image is both in the gallery and a probe."),
        ]  # fmt: skip
        images = (
            ""
            if facts.n_gallery_images == facts.n_gallery_subjects
            else f", {counted(facts.n_gallery_images, 'image')}"
        )
        sizes = [
            Badge(
                f"gallery of {counted(facts.n_gallery_subjects, 'person', 'people')}{images}",
                explained=facts.gallery_rule,
            ),
            Badge(counted(facts.n_probes, "probe"), explained=facts.probe_rule),
            Badge(f"{counted(facts.n_probe_subjects, 'person', 'people')} searched for"),
        ]
    ties = Badge(f"ties {facts.ties}", explained=as_sentence(_TIES.get(facts.ties, facts.ties)))
    ranks = [] if facts.universe == "verification" else [Badge(f"ranks count {facts.counting}")]
    return [*badges, *sizes, _failures(facts), ties, *ranks]


def _of_verification(found: Findings) -> list[Badge]:
    if not found.verification:
        return []
    first = found.verification[0]
    counts = first.rates.counts
    lost = counts.n_failed_genuine + counts.n_failed_impostor
    return [
        Badge("verification", explained="Claimed identities are accepted or rejected; nobody is searched for."),
        Badge(counted(first.n_subjects, 'person', 'people')),
        Badge(counted(counts.n_genuine, 'genuine comparison')),
        Badge(counted(counts.n_impostor, 'impostor comparison')),
        Badge(f"{counted(lost, 'comparison')} failed", "warning", "FMR and FNMR leave them out, FAR and FRR count them as rejections.")
        if lost
        else Badge("no failures to acquire"),
    ]  # fmt: skip
