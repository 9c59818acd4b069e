"""What could be done with the samples at hand, as sections of a study that the user may switch on."""

from __future__ import annotations

from proband.study.analysis import analyses, loaded
from proband.study.init.columns import (
    FERET_COLUMNS,
    among,
    date_columns,
    few_valued,
    groups_of_people,
    quoted,
    session_columns,
    toml_text,
)
from proband.study.init.proposal import Proposal, Suggestion

_A_YEAR = 365


def experiment(made: Proposal) -> list[str]:
    """Who is enrolled: where queries and targets are the same samples, that must be said."""
    first = next(iter((*made.scores, *made.vectors)), None)
    if first is not None and not first.ranked:
        return []
    shared = bool(made.pictures) if first is None else first.shared
    if shared:
        return [
            "[experiment]",
            'gallery = "one_per_subject"   # enrol the first sample of each person, search for all others',
            *_other_gallery(made),
        ]
    return [
        "# [experiment]                # default: every target is enrolled and every query is searched for",
        '# counting = "subjects"       # ranks count subjects instead of images',
    ]


def _other_gallery(made: Proposal) -> list[str]:
    """The gallery of the first session, if there is such a column."""
    if made.table is None:
        return []
    for name in session_columns(made.table.frame):
        first = made.table.frame[name].drop_nulls().min()
        if isinstance(first, int | str):
            return [f"# gallery = {toml_text(f'{quoted(name)} == {first!r}')}", "# one_per_subject = true"]
    return []


def suggestions(made: Proposal) -> list[Suggestion]:
    """What every analysis proposes for the files, in order."""
    return [loaded(one.propose)(made) for one in analyses() if one.propose is not None]


def categories(made: Proposal) -> list[list[str]]:
    """Categories of probes that the table of samples allows."""
    table = made.table
    if not made.ranked or table is None or table.subject is None:
        return []
    frame = table.frame
    parts = []
    if set(FERET_COLUMNS) <= set(frame.columns):
        parts.append(
            [
                "# [[category]]                # fb, fc, dup1 and dup2, by image_set, date and camera",
                "# feret = true",
                '# long_after = "feret"        # duplicate II by FERET\'s own dates, only for FERET images; default: 500 days',
            ]
        )
    for name in session_columns(frame)[:1]:
        rule = f"{quoted(name, 'probe')} != {quoted(name, 'mate')}"
        parts.append(_category("probes from another session than the gallery image", f"other {name}", rule))
    for name in date_columns(frame)[:1]:
        rule = f"{quoted(name, 'probe')} - {quoted(name, 'mate')} >= days({_A_YEAR})"
        parts.append(_category("probes taken long after the gallery image", "a year later", rule))
    left_out = {table.id, table.subject, table.failed_column, *groups_of_people(frame, table.subject, ())}
    others = few_valued(frame, left_out)
    others.sort(key=lambda name: frame.schema[name].is_integer())
    if others:
        note = f"# [[category]]                # one per value of a column: {among(others)}"
        parts.append([note, f"# by = {toml_text(others[0])}"])
    return parts


def _category(note: str, name: str, rule: str) -> list[str]:
    return [
        f"# [[category]]                # {note}",
        f"# name = {toml_text(name)}",
        f"# rule = {toml_text(rule)}",
    ]
