"""Protocol cards and published results as tables for the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from proband.protocols.cards.card import NOT_STATED, ProtocolCard, shown
from proband.protocols.cards.comparability import Comparability, Verdict
from proband.protocols.cards.literature import CardPair, Group, Literature
from proband.protocols.notation import Protocol
from proband.report.tables.cells import count_cell, fixed_cell, text_cell
from proband.report.tables.table import Cell, Column, Table, Tone
from proband.words import Note, Sentence

_TONES: dict[Verdict, Tone] = {"agree": "good", "differ": "bad", "not stated": "faint"}
_UNKNOWN = Cell("?")
_AGREE = Sentence("cards.fields-agree", "note", "{n:count field agrees/fields agree}: {names:names}")
_TWO_ROWS = Sentence("literature.two-rows", "note", "rows {first} and {second}")
_SAME_PROTOCOL = Sentence("literature.same-protocol", "note", "Same protocol on the same data: {pairs:row}")
_DIFFERENT = Sentence(
    "literature.different",
    "note",
    "{rows:count row}: {protocols:count different protocol}; counting people, images and conditions as stated, {experiments:count different experiment}",
)
_NO_TWO_ROWS = Sentence("literature.no-same-protocol", "note", "Same protocol on the same data: no two rows")
_LISTED_TWICE = Sentence(
    "literature.listed-twice", "note", "One publication listed twice, not a comparison: {pairs:row}"
)
_ON_THEIR_WORD = Sentence(
    "literature.on-their-word", "note", "Comparable only as stated, {protocol}: {rows:parts}"
)
_MIXED_OR_NOT = Sentence("literature.mixed-not-stated", "note", "{notation}, mixed or disjoint not stated")
_ROWS = Sentence("literature.rows", "note", "rows {rows:names} of {publications:count publication}")
_EPD = Sentence(
    "literature.epd",
    "note",
    "EPD verdict of {n:count row}: E is yes in {e:count}, P in {p:count}, and D is stated in {d:count}",
)
_SOME_PAIRS = Sentence("literature.some-pairs", "note", "{n:count} of their {possible:count pair}")


def comparability_table(found: Comparability, names: tuple[str, str], everything: bool = False) -> Table:
    """Make a table of two cards, field by field; fields that agree, are unstated or irrelevant appear only on request."""
    rows = []
    for one in found.fields:
        if everything or (one.bears and one.verdict != "agree" and (one.a, one.b) != (None, None)):
            tone = _TONES[one.verdict] if one.bears else "faint"
            texts = (one.field, shown(one.a), shown(one.b), one.verdict)
            rows.append(tuple(text_cell(text, tone) for text in texts))
    heads = (Column("field", "name"), *map(Column, names), Column(""))
    epd = tuple(_epd_rows(found, everything))
    return Table("", heads, (*rows, *epd), rules=(len(rows),) if rows and epd else ())


def agreeing(found: Comparability) -> list[Note]:
    """The fields of two cards that agree, in one sentence."""
    names = [one.field for one in found.fields if one.bears and one.verdict == "agree"]
    names += [f"EPD: {name}" for name, answers in _epd(found) if len(set(answers)) == 1]
    return [_AGREE(n=len(names), names=tuple(names))] if names else []


def _epd(found: Comparability) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The answers of both cards to each question."""
    yield from zip(("E", "P", "D"), zip(*(one.answers for one in found.epd), strict=True), strict=True)


def _epd_rows(found: Comparability, everything: bool) -> Iterator[tuple[Cell, ...]]:
    """The EPD verdicts of both cards with their justifications; those that agree only on request."""
    for name, answers in _epd(found):
        agree = len(set(answers)) == 1
        if everything or not agree:
            yield tuple(map(text_cell, (f"EPD: {name}", *answers, "agree" if agree else "differ")))
    if any(one.justification for one in found.epd):
        said = (one.justification or NOT_STATED for one in found.epd)
        yield tuple(map(text_cell, ("EPD: justification", *said, "")))


def literature_table(found: Literature) -> Table:
    """Make a table of published results as in the review; unstated values are question marks."""
    conditions = sorted({name for card in found.cards for name, _ in card.conditions or ()})
    classes = sorted({name for card in found.cards for name, _ in card.task.classes or ()})
    counted = any(card.dataset.subjects for card in found.cards)
    imaged = any(card.dataset.images_per_subject for card in found.cards)
    heads = (
        Column("row", "name"),
        Column("method", "name"),
        Column("publication"),
        Column("year"),
        Column("accuracy", "number", unit="%"),
        *([Column("subjects", "number")] if counted else []),
        *([Column("images each")] if imaged else []),
        *map(Column, conditions),
        *(Column(name, "number") for name in classes),
        Column("protocol"),
    )
    rows = []
    for card in found.cards:
        images = card.dataset.images_per_subject
        cells = (
            _stated(str(card.provenance.row)),
            _stated(card.method),
            _stated(card.provenance.publication),
            _stated(str(card.provenance.year)),
            _accuracy(card),
            *([_number(card.dataset.subjects)] if counted else []),
            *([_stated(None if images is None else shown(list(images)))] if imaged else []),
            *(_stated(_condition(card, name)) for name in conditions),
            *(_number(dict(card.task.classes or ()).get(name)) for name in classes),
            _stated(card.protocol.notation),
        )
        rows.append(cells)
    return Table("", heads, tuple(rows))


def families_table(found: Literature) -> Table:
    """Make a table of the ranges of accuracies: by family of protocols, then mixed against disjoint, then all."""
    families, subjects = found.families(), found.subjects()
    heads = (
        Column("protocols", "name"),
        Column("subjects", "name"),
        Column("rows", "number"),
        Column("publications", "number"),
        Column("different protocols", "number"),
        Column("lowest", "number", unit="%"),
        Column("highest", "number", unit="%"),
    )
    rows = [
        (
            text_cell(span.family or "all"),
            text_cell(span.subjects or "all"),
            *map(count_cell, (len(span.rows), span.n_publications, span.n_protocols)),
            *(fixed_cell(100 * end, 1) for end in (span.lowest, span.highest)),
        )
        for span in (*families, *subjects)
    ]
    return Table("", heads, tuple(rows), rules=(len(families),))


def pairs_table(found: Literature, pairs: Sequence[CardPair]) -> Table:
    """Make a table of pairs of published results."""
    cards = {card.provenance.row: card for card in found.cards}
    heads = (
        Column("rows", "name"),
        Column("methods", "name"),
        Column("accuracy", unit="%"),
        Column("protocol"),
        Column("comparable?"),
    )
    rows = []
    for pair in pairs:
        a, b = (cards[row] for row in pair.rows)
        protocols = dict.fromkeys(card.protocol.notation or NOT_STATED for card in (a, b))
        texts = (
            f"{pair.rows[0]}, {pair.rows[1]}",
            f"{a.method} and {b.method}",
            " and ".join(_accuracy(card).text for card in (a, b)),
            " / ".join(protocols),
            _verdict(pair),
        )
        rows.append(tuple(map(text_cell, texts)))
    return Table("", heads, tuple(rows))


def literature_statements(found: Literature) -> list[Note]:
    """State which rows are comparable and how the table was read, one note each."""
    pairs = found.pairs()
    two = _rows(pair.rows for pair in pairs if not pair.same_result)
    once = _rows(pair.rows for pair in pairs if pair.same_result)
    return [
        _DIFFERENT(rows=len(found.cards), protocols=found.n_protocols, experiments=found.n_experiments),
        _SAME_PROTOCOL(pairs=two) if two else _NO_TWO_ROWS(),
        *([_LISTED_TWICE(pairs=once)] if once else []),
        *map(_of_group, found.groups()),
        _of_epd(found),
        *found.notes,
    ]


def _of_epd(found: Literature) -> Note:
    answers = [card.epd.answers for card in found.cards]
    e, p, d = (sum(one[place] in ("yes", "stated") for one in answers) for place in range(3))
    return _EPD(n=len(answers), e=e, p=p, d=d)


def _rows(pairs: Iterable[tuple[int, int]]) -> tuple[Note, ...]:
    return tuple(_TWO_ROWS(first=a, second=b) for a, b in pairs)


def _of_group(group: Group) -> Note:
    possible = len(group.rows) * (len(group.rows) - 1) // 2
    some = () if group.n_pairs == possible else (_SOME_PAIRS(n=group.n_pairs, possible=possible),)
    unsaid = Protocol.parse(group.notation).disjoint is None
    return _ON_THEIR_WORD(
        protocol=_MIXED_OR_NOT(notation=group.notation) if unsaid else group.notation,
        rows=(
            _ROWS(rows=tuple(map(str, group.rows)), publications=group.n_publications),
            *some,
        ),
    )


def _verdict(pair: CardPair) -> str:
    if pair.same_result:
        return "same publication and value: not a comparison"
    within = ", within one publication" if pair.same_publication else ""
    return f"{int(pair.level)}: {pair.level.words}{within}"


def _condition(card: ProtocolCard, name: str) -> str | None:
    value = dict(card.conditions or ()).get(name)
    return None if value is None else shown(value)


def _stated(text: str | None) -> Cell:
    return _UNKNOWN if text is None else text_cell(text)


def _accuracy(card: ProtocolCard) -> Cell:
    estimate = card.value.estimate
    return _UNKNOWN if estimate is None else fixed_cell(100 * estimate, 1)


def _number(value: int | None) -> Cell:
    return _UNKNOWN if value is None else count_cell(value)
