"""The methods paragraph: sentences and the literature they cite."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from proband.report.references import cited
from proband.words import Method, Note, Sentence


@dataclass(frozen=True)
class Cited:
    """Text followed by its citations in brackets."""

    said: Note | str
    cites: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.said} {cited(*self.cites)}" if self.cites else f"{self.said}"


@dataclass
class MethodsText:
    """Sentences and the literature they cite."""

    sentences: list[Cited] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)

    def say(self, note: Note, *keys: str) -> None:
        """Add a sentence with its citations in brackets before the full stop; duplicates are dropped."""
        self.keys += keys
        self._add(Cited(note, keys))

    def _add(self, sentence: Cited) -> None:
        if sentence not in self.sentences:
            self.sentences.append(sentence)

    def say_methods(self, sentence: Sentence, methods: Iterable[Method]) -> None:
        """Combine methods into one sentence, each once with its citations."""
        told = dict.fromkeys(one for method in methods for one in method.told())
        if told:
            self.keys += [key for one in told for key in one.cites]
            accounts = tuple(Cited(one.account or str(one), one.cites) for one in told)
            self._add(Cited(sentence(methods=accounts), ()))
