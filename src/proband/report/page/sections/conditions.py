"""The section on the protocol and conditions."""

from __future__ import annotations

from proband.report.kinds.evaluation import TIES
from proband.report.page.model import Badge, Badges, Block, FactsBlock as FactsView, Section
from proband.report.page.registry import section
from proband.report.scene import Scene
from proband.report.tables import cells
from proband.results.base import Facts
from proband.results.compared import metrics_statement
from proband.words import as_sentence, counted, in_a_list

_TIES = {
    **TIES,
    "at-threshold": "a score that equals the threshold is accepted",
}
_FAILURES = {
    "miss": "they count as misses and stay in the denominator",
    "as_scored": "the marks are ignored and every score is used",
    "left-out": "FMR and FNMR leave them out",
}


@section("conditions", 72)
def conditions_section(scene: Scene) -> Section | None:
    """The protocol: badges, and the rules in words."""
    facts = scene.facts[0] if scene.facts else None
    said = [view.conditions(part, scene) for view, part in scene.parts.values()]
    badges = [badge for own, _ in said for badge in own]
    rules = [rule for _, own in said for rule in own]
    if facts is None and not badges:
        return None
    found = scene.found
    badges = [*([] if facts is None else _of_facts(facts)), *badges]
    badges += [
        Badge(f"{cells.percent(found.confidence_level)} intervals", explained="Share of intervals that contain the true value, if the assumptions hold."),
        Badge(f"seed {found.provenance.seed}", explained="Seed of all replicates; the same seed gives the same numbers."),
    ]  # fmt: skip
    chosen = [] if facts is None else [("Gallery", facts.gallery_rule), ("Probes", facts.probe_rule)]
    measured = {
        name: metric
        for view, part in scene.parts.values()
        for name, metric in view.metrics_of_scores(part).items()
    }
    chosen.append(("Scores", as_sentence(metrics_statement(measured.items()))))
    blocks: list[Block] = [Badges(tuple(badges)), FactsView((*chosen, *dict.fromkeys(rules)))]
    return Section("protocol", "Protocol", tuple(blocks))


def badges_of_facts(facts: Facts) -> tuple[Badge, ...]:
    """The three key numbers of a verdict: people, probes and failures."""
    probes, searched = ("genuine comparison", "compared") if facts.of_pairs else ("probe", "searched for")
    return (
        Badge(f"{counted(facts.n_probe_subjects, 'person', 'people')} {searched}"),
        Badge(counted(facts.n_probes, probes), explained=facts.probe_rule),
        _failures(facts),
    )


def _failures(facts: Facts) -> Badge:
    policy = _FAILURES.get(facts.on_failure, facts.on_failure)
    if not (facts.n_failed or facts.n_gallery_failed or facts.n_probes_marked):
        return Badge("no failures to acquire", explained=f"If there were any: {policy}.")
    return Badge(
        _lost(facts),
        "warning",
        f"Failures to acquire, by marks or failed comparisons of {facts.algorithm}: {policy}.",
    )


def _lost(facts: Facts) -> str:
    """What failed, and how many probes that costs: also those whose mates are not enrolled."""
    if facts.of_pairs:
        return f"{counted(facts.n_failed, 'genuine comparison')} failed"
    marked = {"probe": facts.n_probes_marked, "gallery image": facts.n_gallery_failed}
    lost = [counted(n, what) for what, n in marked.items() if n]
    misses = counted(facts.n_failed, "probe counts as a miss", "probes count as misses")
    if facts.n_failed == facts.n_probes_marked:
        return f"{in_a_list(lost)} failed"
    return f"{in_a_list(lost)} failed; {misses}" if lost else f"{misses}: comparisons failed"


def _of_facts(facts: Facts) -> list[Badge]:
    if facts.of_pairs:
        badges = [
            Badge(
                "verification",
                explained="Claimed identities are accepted or rejected; there is no search.",
            )
        ]
        sizes = [
            Badge(counted(facts.n_probes, "genuine comparison")),
            Badge(counted(facts.n_probe_subjects, "person", "people")),
        ]
    else:
        unmated = facts.n_unmated
        badges = [
            Badge("closed set", explained="Every probe has a mate in the gallery.")
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
    ranks = [] if facts.of_pairs else [Badge(f"ranks count {facts.counting}")]
    return [*badges, *sizes, _failures(facts), ties, *ranks]
