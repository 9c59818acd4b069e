"""A study file that exists, with sections added: those for files that it does not name yet, and those that were asked for.

What its writer wrote stays as it is; sections are added at the end, where no comment of another section can be torn from it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from proband.engine.files.files import resolved
from proband.errors import ProbandError, UsageError, meant
from proband.study.checking import code_named
from proband.study.init.found_files import look_at
from proband.study.init.proposal import Proposal, propose
from proband.study.init.study_file import REFUSED, InitialStudy, facts_of, initial_study, sections_of
from proband.study.places import Places
from proband.study.reading import study_from_text, tables_in, text_of_study
from proband.study.refusals import model_of
from proband.study.requests import request_type
from proband.study.runs.preview import preview
from proband.words import Note, Sentence

ADDED = Sentence("init.added", "note", "added {sections:names}")
NOTHING_ADDED = Sentence("init.nothing-added", "note", "the study already contains all of this")
MISSING = Sentence("init.missing-key", "note", "{key} in [{section}]: {meaning}")
_SOURCES = ("scores", "embeddings")
_FILES = ("samples", *_SOURCES, "images")


def study_for(
    files: Sequence[Path],
    sections: Sequence[str],
    out: Path,
    names: str | None = None,
    *,
    anew: bool = False,
) -> InitialStudy:
    """Make a study of files, or add to the one that is at `out`, unless it is to be made anew."""
    if out.exists() and not anew:
        return extended_study(text_of_study(out), files, sections, out, names)
    made = initial_study(files, out, names)
    if not sections:
        return made
    more = extended_study(made.text, (), sections, out)
    to_fill_in = dict.fromkeys([*made.to_fill_in, *more.to_fill_in])
    return InitialStudy(more.text, (*made.facts, *more.facts), tuple(to_fill_in), made.remarks)


def extended_study(
    text: str, files: Sequence[Path], sections: Sequence[str], out: Path, names: str | None = None
) -> InitialStudy:
    """Add to the text of a study at `out` what it lacks.

    Parameters
    ----------
    files
        Files of the user: those that the study does not name yet are given sections.
    sections
        Sections that are asked for, with all their keys and defaults as proposals.
    names
        How pictures are named.
    """
    if not files and not sections:
        raise UsageError(
            f"{out} already exists, and there is nothing to add.", "pass files, or sections to add."
        )
    tables = tables_in(text, out)
    parts: list[list[str]] = []
    facts: list[Note] = []
    remarks: list[Note] = []
    to_fill_in: list[Note] = []
    if files:
        known = list(dict.fromkeys(map(resolved, _files_named(tables, out))))
        made = propose(look_at([*known, *files], names), out)
        new = _unsaid(made, tables, set(known))
        parts += [list(part) for part in sections_of(new) if _is_new(part, tables)]
        facts, remarks = facts_of(new), made.remarks
        written = {path.name for path in map(resolved, files) if path not in known}
        to_fill_in = [note for note in made.to_fill_in if parts and dict(note.values).get("file") in written]
    for name in sections:
        lines, missing = _template(name, tables)
        parts.append(lines)
        to_fill_in += missing
    if not parts:
        return InitialStudy(text, (*facts, NOTHING_ADDED()), (), tuple(remarks), changed=False)
    text = _with_room_for(text, [_key_of(part) for part in parts], tables, out)
    whole = "\n\n".join([text.rstrip("\n"), *("\n".join(part) for part in parts)]) + "\n"
    if not to_fill_in:
        try:
            study = study_from_text(whole, out)
            if sections and not code_named(study.request):
                preview(study, out)  # which refuses what the data do not allow
        except ProbandError as error:
            to_fill_in.append(REFUSED(why=error.told("study")[0].rstrip(".")))
    added = ADDED(sections=[_header(part).partition("#")[0].rstrip() for part in parts])
    return InitialStudy(whole, (*facts, added), tuple(to_fill_in), tuple(remarks))


def _files_named(tables: dict[str, Any], out: Path) -> Iterator[Path]:
    """The files that a study reads samples and scores from, as far as they are there."""
    for section in _FILES:
        for entry in _entries(tables.get(section)):
            name = entry.get("file")
            path = out.parent / name if isinstance(name, str) else None
            if path is not None and path.exists():
                yield path


def _entries(section: Any) -> list[dict[str, Any]]:
    several = section if isinstance(section, list) else [section]
    return [entry for entry in several if isinstance(entry, dict)]


def _unsaid(made: Proposal, tables: dict[str, Any], known: Collection[Path]) -> Proposal:
    """What a study does not say yet: files that it does not name."""

    def unnamed(path: Path) -> bool:
        return resolved(path) not in known

    return replace(
        made,
        table=None if "samples" in tables else made.table,
        scores=[entry for entry in made.scores if unnamed(entry.path)],
        vectors=[entry for entry in made.vectors if unnamed(entry.path)],
        pictures=[path for path in made.pictures if unnamed(path)],
        logits=[entry for entry in made.logits if unnamed(entry.path)],
    )


def _header(part: Sequence[str]) -> str:
    """The line that begins a section; empty where it is only proposed."""
    return next((line for line in part if line.startswith("[")), "")


def _key_of(part: Sequence[str]) -> str:
    return _header(part).partition("]")[0].strip("[ ")


def _is_new(part: Sequence[str], tables: dict[str, Any]) -> bool:
    """Whether a section is more than a proposal, and one that the study lacks or may have several of."""
    key = _key_of(part)
    return bool(key) and (key in _SOURCES or key not in tables)


def _template(name: str, tables: dict[str, Any]) -> tuple[list[str], list[Note]]:
    """A section with all its keys as proposals, and the keys that must be written."""
    import tomlkit

    fields = request_type().model_fields
    model = model_of(fields[name].annotation) if name in fields else None
    if model is None:
        known = [key for key, field in fields.items() if model_of(field.annotation) is not None]
        raise UsageError(f"There is no section {name!r}.", meant(name, known))
    several = isinstance(fields[name].get_default(call_default_factory=True), tuple)
    if isinstance(tables.get(name), dict | list) and not several:
        raise UsageError(f"[{name}] already exists.", "change it in the file.")
    lines, missing = [f"[[{name}]]" if several else f"[{name}]"], []
    for key, field in model.model_fields.items():
        meaning = (field.description or "").rstrip(".")
        default = None if field.is_required() else field.get_default(call_default_factory=True)
        plain = list(default) if isinstance(default, tuple) else default
        value = "…" if plain is None or plain == [] else tomlkit.item(plain).as_string()
        lines.append(f"# {key} = {value}   # {'fill in: ' if field.is_required() else ''}{meaning}")
        if field.is_required():
            missing.append(MISSING(key=key, section=name, meaning=meaning))
    return lines, missing


def _with_room_for(text: str, keys: Sequence[str], tables: dict[str, Any], out: Path) -> str:
    """The text without switches of analyses that are added, and with a single section written as one of several."""
    import tomlkit

    for key in dict.fromkeys(keys):
        said = tables.get(key)
        if isinstance(said, bool):
            document = tomlkit.parse(text)
            del document[key]
            text = document.as_string()
        elif isinstance(said, dict):
            lines = text.split("\n")
            at = Places.of(text).lines[(key,)] - 1
            if not lines[at].lstrip().startswith(f"[{key}]"):
                raise UsageError(
                    f"{key} is written on one line, so that no section can be added to it.",
                    f"write it as a section, [[{key}]].",
                    place=f"{out.name}, line {at + 1}",
                )
            lines[at] = lines[at].replace(f"[{key}]", f"[[{key}]]", 1)
            text = "\n".join(lines)
    return text
