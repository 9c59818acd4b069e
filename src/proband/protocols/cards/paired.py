"""The paired test of two cards: find, check and compare their predictions."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from proband.engine.arguments import published
from proband.engine.files.files import content_of
from proband.engine.limits import Level as ConfidenceLevel, Margin, Seed
from proband.errors import DesignError, InputError, Said, UsageError
from proband.inference.classification.results import Classification
from proband.protocols.cards.card import ProtocolCard
from proband.protocols.cards.comparability import Comparability, compare_cards
from proband.protocols.cards.levels import Level
from proband.protocols.running.prediction_files import read_predictions
from proband.words import Note, Sentence

NO_TEST = Sentence("cards.no-paired-test", "caution", "No paired test: {why}")
NOT_COMPARABLE = Sentence(
    "cards.not-for-a-test",
    "note",
    "the cards do not show the same protocol on the same data (level {level}: {words})",
)
SAME_RESULT = Sentence("cards.same-result", "note", "both cards state the same result")
NOT_FOUND = Sentence(
    "cards.predictions-not-found",
    "note",
    "the predictions of {names:list} were not found; pass both files with --predictions",
)
ON_TRUST = Sentence(
    "cards.predictions-on-trust",
    "caution",
    "{names:list}: no digest of the predictions is stated, so it cannot be verified that the file belongs to the card",
)


def predictions_beside(card: ProtocolCard, path: Path) -> Path | None:
    """Find the predictions named on a card, next to it or in the directory of its run."""
    named = card.predictions.file
    if named is None:
        return None
    folder = path.resolve().parent
    places = (folder / named, folder.parent / named)
    return next((one for one in places if one.is_file()), None)


def why_no_test(found: Comparability) -> Note | None:
    """Return why the cards allow no paired test regardless of predictions; None if they allow it."""
    if found.same_result:
        return SAME_RESULT()
    if found.level < Level.SAME_PROTOCOL:
        return NOT_COMPARABLE(level=int(found.level), words=found.level.words)
    return None


@published
def paired_test(
    cards: Sequence[ProtocolCard],
    files: Sequence[Path],
    *,
    names: Sequence[str] | None = None,
    margin: Margin | None = None,
    confidence_level: ConfidenceLevel = 0.95,
    seed: Seed = 0,
) -> Classification:
    """Compare two results by their predictions of the same samples, with people as the units if known.

    Refused if the cards do not state the same protocol on the same data, if a file is not the one stated on
    its card, or if the samples differ. Verdict, interval and p-value come from one computation,
    `compare_predictions`.

    Parameters
    ----------
    cards, files
        Two cards, and the file of predictions of each.
    names
        The names of the results; by default their methods.
    margin, confidence_level, seed
        As in `compare`.

    Returns
    -------
    Classification
        The comparison of two runs on the same samples.
    """
    if len(cards) != 2 or len(files) != 2 or (names is not None and len(names) != 2):
        raise UsageError("Two results are needed, each with a card and a file of predictions.")
    a, b = cards
    why = why_no_test(compare_cards(a, b))
    if why is not None:
        raise DesignError(f"{NO_TEST(why=why)}.", "compare results of the same protocol on the same data.")
    for card, file in zip(cards, files, strict=True):
        _check(card, file)
    called = list(names or [card.method or f"card {place}" for place, card in enumerate(cards, 1)])
    if called[0] == called[1]:
        called = [f"{name} ({letter})" for name, letter in zip(called, "ab", strict=True)]
    table = read_predictions(dict(zip(called, files, strict=True)))
    found = table.classified(margin=margin, confidence_level=confidence_level, seed=seed)
    unsaid = [name for name, card in zip(called, cards, strict=True) if card.predictions.sha256 is None]
    return replace(found, notes=(ON_TRUST(names=tuple(unsaid)), *found.notes)) if unsaid else found


def _check(card: ProtocolCard, file: Path) -> None:
    """Refuse a file other than the one stated on a card."""
    if not file.is_file():
        raise InputError(f"There is no file {file}.", file=Said(file))
    stated = card.predictions.sha256
    if stated is not None and hashlib.sha256(content_of(file)).hexdigest() != stated:
        raise InputError(
            f"{file.name} is not the file of predictions stated on the card of {card.method or 'this result'}: its SHA-256 differs.",
            "pass the file that belongs to the card.",
            file=Said(file.name),
        )
