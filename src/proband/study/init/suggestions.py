"""What could be done with the samples at hand, as sections of a study that the user may switch on."""

from __future__ import annotations

from proband.study.init.columns import (
    FERET_COLUMNS,
    date_columns,
    few_valued,
    groups_of_people,
    quoted,
    session_columns,
    toml_text,
)
from proband.study.init.proposal import Proposal
from proband.words import counted

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
            'gallery = "one_per_subject"   # the first sample of each person is enrolled, all others are searched for',
            *_other_gallery(made),
        ]
    return [
        "# [experiment]                # as it is, every target is enrolled and every query is searched for",
        '# counting = "subjects"       # what a rank counts; otherwise images',
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


def analyses(made: Proposal) -> list[list[str]]:
    """Every section that could be added, those that are done anyway first."""
    ranked = all(one.ranked for one in made.scores)
    parts = [_verification(made)]
    if ranked:
        parts = [
            *_categories(made),
            ["# [identification]            # done as it is", "# ranks = [1, 5, 10]"],
            [
                "# [[comparison]]              # done as it is, at rank 1",
                "# rank = 1                    # or fnmr_at = 0.001, or auc = true, or median_rank = 10",
                "# margin = 0.01               # the smallest difference worth having",
            ],
            *parts,
            _search(made),
            *_of_images(made),
            [
                "# [feret]                     # how rates vary over galleries of different people",
                "# galleries = 3",
            ],
        ]
    return parts


def _categories(made: Proposal) -> list[list[str]]:
    table = made.table
    if table is None or table.subject is None:
        return []
    frame = table.frame
    parts = []
    if set(FERET_COLUMNS) <= set(frame.columns):
        parts.append(
            [
                "# [[category]]                # fb, fc, dup1 and dup2, by image_set, date and camera",
                "# feret = true",
                "# long_after = \"feret\"        # duplicate II by FERET's own dates, for FERET's own images; else 500 days",
            ]
        )
    for name in session_columns(frame)[:1]:
        rule = f"{quoted(name, 'probe')} != {quoted(name, 'mate')}"
        parts.append(_category("probes of another sitting than the gallery's", f"other {name}", rule))
    for name in date_columns(frame)[:1]:
        rule = f"{quoted(name, 'probe')} - {quoted(name, 'mate')} >= days({_A_YEAR})"
        parts.append(_category("probes taken long after", "a year later", rule))
    left_out = {table.id, table.subject, table.failed_column, *groups_of_people(frame, table.subject, ())}
    others = few_valued(frame, left_out)
    others.sort(key=lambda name: frame.schema[name].is_integer())
    if others:
        note = f"# [[category]]                # one for each value of a column: {_among(others)}"
        parts.append([note, f"# by = {toml_text(others[0])}"])
    return parts


def _category(note: str, name: str, rule: str) -> list[str]:
    return [
        f"# [[category]]                # {note}",
        f"# name = {toml_text(name)}",
        f"# rule = {toml_text(rule)}",
    ]


def _verification(made: Proposal) -> list[str]:
    lines = ["# [verification]              # done as it is", "# fmr = [0.01, 0.001, 0.0001]"]
    if made.table is not None and made.table.subject is not None:
        left_out = {made.table.id, made.table.subject}
        groups = groups_of_people(made.table.frame, made.table.subject, left_out)
        if groups:
            lines.append(
                f"# by = [{toml_text(groups[0])}]   # error rates by group; columns that could be: {_among(groups)}"
            )
    return [*lines, "# zoo = true                  # are errors the errors of a few people?"]


def _search(made: Proposal) -> list[str]:
    note = "# [search]                    # some of those searched for are not enrolled"
    if made.samples is not None:
        once = int((made.samples.counts == 1).sum())
        note += f"; {counted(once, 'person has', 'people have')} one sample only"
    return [note, "# fpir = [0.1, 0.01, 0.001]"]


def _of_images(made: Proposal) -> list[list[str]]:
    """Studies of the choice of images, for scores of all samples with each other."""
    first = next(iter((*made.scores, *made.vectors)), None)
    if made.samples is None or first is None or not first.shared or made.table is None:
        return []
    from proband.inference.galleries.effect import most_probes

    sessions = session_columns(made.table.frame)
    groups = [f"# groups = [{toml_text(sessions[0])}]"] if sessions else []
    parts = [
        [
            "# [choices]                   # what if other images of these people had been chosen?",
            *groups,
            "# trials = 10000",
        ]
    ]
    counts = made.samples.counts
    if counts.max() >= 3:
        n_images = most_probes(counts)
        people = int((counts >= n_images).sum())
        parts.append(
            [
                "# [strat]                     # does it matter which image is enrolled?",
                f"# images = {n_images}                  # {counted(people, 'person has', 'people have')} as many",
            ]
        )
    return parts


def _among(names: list[str], limit: int = 6) -> str:
    return ", ".join(names[:limit]) + (", …" if len(names) > limit else "")
