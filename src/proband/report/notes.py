"""Notes as reports show them: what stands beneath tables, a sentence each."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from proband.measures.results import Answers
from proband.report.grids import in_markdown
from proband.words import Note, Sentence, as_sentence

Said: TypeAlias = Note | str
"""A note, or a sentence that another room has finished."""

_ANSWERS = Sentence("report.answers", "note", "Varying: {varying}. Fixed: {fixed}. Assuming: {assuming}")


def answered(answers: Answers) -> Note:
    """Say what varies behind a number, what is held fixed and what is assumed."""
    return _ANSWERS(varying=answers.varying, fixed=answers.fixed, assuming=answers.assuming)


def told(said: Said) -> str:
    """A note as a sentence; a finished sentence stays as it is."""
    return as_sentence(said) if isinstance(said, Note) else said


def noted(notes: Iterable[Said], names: Iterable[str] = ()) -> list[Said]:
    """The notes of a result; those that are text become sentences, where `names` keep their first letter."""
    known = tuple(names)
    return [note if isinstance(note, Note) else as_sentence(note, known) for note in notes]


def bullets(notes: Iterable[Said]) -> str:
    """A list in Markdown, an item for each note."""
    return "\n".join(f"- {in_markdown(told(one))}" for one in notes)
