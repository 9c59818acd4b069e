"""Notes as reports show them: what stands beneath tables, a sentence each."""

from __future__ import annotations

from collections.abc import Iterable

from proband.report.formats import in_markdown
from proband.results.base import Answers
from proband.words import Note, Sentence, as_sentence

_ANSWERS = Sentence("report.answers", "note", "Varying: {varying}. Fixed: {fixed}. Assuming: {assuming}")


def answered(answers: Answers) -> Note:
    """Say what varies behind a number, what is held fixed and what is assumed."""
    return _ANSWERS(varying=answers.varying, fixed=answers.fixed, assuming=answers.assuming)


def bullets(notes: Iterable[Note]) -> str:
    """A list in Markdown, an item for each note."""
    return "\n".join(f"- {in_markdown(as_sentence(one))}" for one in notes)
