"""The section with the headline, the standings and the facts behind them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from proband.report.kinds.evaluation import MANY_TIES
from proband.report.page.model import Badges, Block, Folded, Paragraph, Section, said
from proband.report.page.registry import section
from proband.report.scene import Scene
from proband.report.standings import compared_table, first_standings, standings_table
from proband.report.view import Summary
from proband.words import Note, Sentence, as_sentence, counted

_MOST_NAMED = 6
_NAMES = Sentence("verdict.names", "note", "{names:row}")
_NAMES_OF_MORE = Sentence("verdict.names-of-more", "note", "{names:row} and {more:count} more")
_TIED = Sentence("verdict.tied", "note", "{algorithm} {tied:count} of {probes:count}")
_TIES = "Probes tied with a non-mate: {tied}; "
_TIES_OF_ONE = Sentence(
    "verdict.ties-of-one", "caution", _TIES + "its result depends on the tie policy ({policy})"
)
_TIES_OF_SOME = Sentence(
    "verdict.ties", "caution", _TIES + "their results depend on the tie policy ({policy})"
)
_VARIES = Sentence("verdict.varies", "note", "What varies: {varying}. Held fixed: {fixed}")
_ASSUMED = Sentence("verdict.assumed", "note", "Assumed: {assuming}")


@section("verdict", 5)
def verdict_section(scene: Scene) -> Section | None:
    """One screen: headline, standings, three facts, and what varies; the rest is folded."""
    told = scene.summary
    if told is None or told.in_section:
        return None
    blocks: list[Block] = [Paragraph(as_sentence(headline), strong=True) for headline in told.headlines]
    table = standings_table(scene)
    first, every = (None, None) if table is None else first_standings(table)
    blocks += [] if first is None else [first]
    counts = scene.first("badges", lambda view, part: view.badges(part))
    blocks += [Badges(tuple(counts))] if counts else []
    blocks += said(told.weights)
    for other in told.also:
        blocks += _beside(other, scene)
    rest = _rest(told, scene)
    folded = [note for note in rest if note.level != "caution"]
    if told.answers is not None:
        blocks += said([_VARIES(varying=told.answers.varying, fixed=told.answers.fixed)])
        folded.append(_ASSUMED(assuming=told.answers.assuming))
    blocks += said([note for note in rest if note.level == "caution"])
    blocks += [] if every is None else [Folded(f"All {counted(len(every.rows), 'algorithm')}", (every,))]
    blocks += [Folded("More about the verdict", tuple(said(folded)))] if folded else []
    return Section("verdict", "Verdict", tuple(blocks))


def _beside(other: Summary, scene: Scene) -> list[Block]:
    """Results of another kind of measure: the verdict on its best two and the standings, folded."""
    blocks = list(said([*other.rest[:1], *other.weights]))
    if other.compared is None or other.answers is None:
        return blocks
    table, _ = first_standings(replace(compared_table(other.compared, scene.looks), id="standings-also"))
    varies = said([*other.rest[1:], _VARIES(varying=other.answers.varying, fixed=other.answers.fixed)])
    return [*blocks, Folded(f"By {other.compared.estimates[0].answers.of}", (table, *varies))]


def _rest(told: Summary, scene: Scene) -> list[Note]:
    """What belongs to the headline: whether ties decide, what other analyses add, and its own."""
    beside = [note for view, part in scene.parts.values() for note in view.beside(part, scene)]
    return [*_ties(scene), *beside, *told.rest]


def _ties(scene: Scene) -> list[Note]:
    """A warning where ties decide: of the probes that the verdict is about."""
    many = [one for one in scene.judged if one.n_tied > MANY_TIES * one.n_probes]
    if not many:
        return []
    tied = [_TIED(algorithm=one.algorithm, tied=one.n_tied, probes=one.n_probes) for one in many]
    said = _TIES_OF_ONE if len(many) == 1 else _TIES_OF_SOME
    return [said(tied=_few(tied), policy=many[0].ties)]


def _few(names: Sequence[Note | str]) -> Note:
    """The first few of many."""
    shown, more = tuple(names[:_MOST_NAMED]), len(names) - _MOST_NAMED
    return _NAMES_OF_MORE(names=shown, more=more) if more > 0 else _NAMES(names=shown)
