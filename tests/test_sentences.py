"""What the data rooms say: words agree with their numbers, and nothing is decided by words."""

from __future__ import annotations

import json
import pkgutil
import re
from collections.abc import Callable, Iterator
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zlib import crc32

import numpy as np
import polars as pl
import pytest

from proband.algorithms import Pictures
from proband.algorithms.pictures.acquire import NO_PICTURE, acquire
from proband.analyses.audit.tables import findings_table
from proband.protocols.audit.audit import audit
from proband.protocols.audit.balance import UNEVEN_FOLDS
from proband.protocols.audit.cures import DEAL_EVENLY
from proband.protocols.audit.findings import Audit, AuditFinding
from proband.protocols.cards.card import ProtocolCard
from proband.protocols.cards.comparability import compare_cards
from proband.protocols.cards.literature import literature
from proband.protocols.running.data import FeatureTable
from proband.protocols.running.running import run_protocol
from proband.protocols.splits.files import split_frame
from proband.protocols.splits.splits import splitter
from proband.report.tables.terminal import as_terminal
from proband.samples import Experiment, Samples
from proband.scores.inspection import inspect_file
from proband.words import Note, Sentence, Target

ROOMS = ("samples", "scores", "algorithms", "protocols", "blind")


def sentences() -> Iterator[Sentence]:
    for room in ROOMS:
        home = import_module(f"proband.{room}")
        for module in pkgutil.walk_packages(home.__path__, f"proband.{room}."):
            for value in vars(import_module(module.name)).values():
                if isinstance(value, Sentence):
                    yield value


SENTENCES = sorted({one.code: one for one in sentences()}.values(), key=lambda one: one.code)


@pytest.mark.parametrize("one", SENTENCES, ids=lambda one: one.code)
def test_verbs_agree_with_their_numbers(one: Sentence) -> None:
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*\.[a-z0-9]+(-[a-z0-9]+)*", one.code)
    assert not one.template.endswith(".")
    counted = r"\{\w+:count[^}]*\}"
    # A verb in the plural after a number, unless the number brings it along: {n:count sample is/samples are}.
    assert not re.search(
        rf"(?<!of ){counted}( of (the )?{counted})?( \w+ ids| \w+ samples)? (are|were|have|do)\b",
        one.template,
    )


def test_there_are_sentences_of_every_room() -> None:
    assert len(SENTENCES) > 100
    assert {one.code.partition(".")[0] for one in SENTENCES} >= {
        "samples",
        "scores",
        "algorithms",
        "audit",
        "blind",
    }


@pytest.fixture
def garble(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Give every note and target other words, when it is called."""

    def garbled() -> None:
        monkeypatch.setattr(Note, "__str__", lambda note: f"{crc32(note.code.encode()):x}: 3 of 4")
        monkeypatch.setattr(Target, "__str__", lambda target: f"{crc32(target.key.encode()):x} at: 0x7")

    return garbled


def people(n: int = 12, each: int = 6) -> Samples:
    subjects = np.repeat([f"p{k:02d}" for k in range(n)], each)
    ids = [f"{name}-{k % each}" for k, name in enumerate(subjects)]
    return Samples({"id": ids, "subject": subjects, "smile": np.arange(n * each) % 2})


def splits_of(samples: Samples, protocol: str) -> pl.DataFrame:
    subjects = np.array(samples.subjects[:])[samples.codes]
    return split_frame(samples, splitter(protocol).splits(subjects, subjects)).with_columns(
        pl.col("role").cast(pl.String)
    )


def audited() -> list[Any]:
    samples = people()
    whole = splits_of(samples, "5f CV")
    frames = (
        whole,
        pl.concat([whole, whole.head(1)]),
        whole.filter(pl.col("fold") < 3),
        whole.with_columns(fold=1),
    )
    found = [
        audit(frame, samples, task="attribute", label="smile", protocol=stated)
        for frame in frames
        for stated in (None, "5f CV+", "LOO")
    ]
    return [
        (
            one.is_sound,
            len(one.unchecked),
            [{**asdict(each), "what": each.what.code, "cure": each.cure.code} for each in one.findings],
        )
        for one in found
    ]


def compared() -> list[Any]:
    cards = literature("feret").cards
    made = [compare_cards(a, b) for a in cards for b in cards]
    return [(one.level, one.comparable, one.same_result, one.fields, one.allowed.code) for one in made]


def acquired() -> list[Any]:
    """Failures of three kinds: marked, unreadable, and eyes outside of the picture."""
    plain = people(4, 2).frame.with_columns(
        left_eye_x=5.0,
        left_eye_y=5.0,
        right_eye_x=12.0,
        right_eye_y=5.0,
        gone=pl.Series([True] * 2 + [False] * 6),
    )
    table = Samples(plain.with_columns(left_eye_x=pl.Series([5.0] * 6 + [-3.0] * 2)), failed="gone")
    grey = np.random.default_rng(0).integers(0, 256, (40, 30)).astype(np.uint8)
    images = dict.fromkeys(table.ids, grey) | {table.ids[2]: grey.astype(float)}
    made = acquire(Pictures(images.__getitem__), table, table.ids)
    return [(note.code, note["n"], note["kind"].key) for note in made.notes]


def carded() -> list[Any]:
    """A card of samples that were left out for reasons of every kind, and how it compares with one of other words."""
    with TemporaryDirectory() as folder:
        samples = people(8, 6).frame.with_columns(
            smile=pl.Series([0, 1, 1] * 15 + [None] * 3), gone=pl.Series([True] + [False] * 47)
        )
        images = np.random.default_rng(0).integers(1, 256, (47, 6, 5)).astype(np.uint8)
        images[7] = 0
        np.savez(Path(folder) / "images.npz", images=images, ids=np.array(samples["id"][:47]))
        table = Samples(samples, failed="gone")
        data = FeatureTable.read(Path(folder) / "images.npz", table).where("id != 'p02-0'")
    run = run_protocol(
        ["sklearn.neighbors:NearestCentroid"],
        data,
        "4-2 HO*",
        task="attribute",
        label="smile",
        missing="drop",
    )
    card = run.card(run.results[0])
    said = card.selection.reasons
    other = ProtocolCard.from_dict(
        card.to_dict() | {"selection": card.selection.to_dict() | {"reasons": {"black": "dark"}}}
    )
    found = compare_cards(card, other)
    assert said is not None
    assert card == other
    assert card.digest == other.digest
    assert [key for key, _ in said] == [key for key, _ in card.selection.excluded or ()]
    return [card.canonical(), found.same_result, found.fields, card.value.uncertainty]


def test_a_card_states_keys_and_words_beside_them() -> None:
    canonical, *_ = carded()
    excluded = json.loads(canonical)["selection"]["excluded"]
    assert set(excluded) == {"marked", "picture", "black", "no-value-of: smile", "not-met: id != 'p02-0'", "too-few-for: 4-2 HO*"}  # fmt: skip


@pytest.mark.parametrize("made", [audited, compared, acquired, carded])
def test_other_words_decide_nothing_else(made: Any, garble: Callable[[], None]) -> None:
    before = made()
    garble()
    assert made() == before


def test_left_out_pictures_are_counted_by_the_kind_of_failure(
    tmp_path: Path, garble: Callable[[], None]
) -> None:
    samples = people(4, 2)
    images = np.random.default_rng(0).integers(1, 256, (6, 6, 5)).astype(np.uint8)
    np.savez(tmp_path / "images.npz", images=images, ids=np.array(samples.ids[:6]))
    garble()
    assert list(FeatureTable.read(tmp_path / "images.npz", samples).exclusions) == [(NO_PICTURE, 2)]


@pytest.mark.parametrize("groups", [True, False])
def test_it_is_said_how_many_more_a_finding_counts(groups: bool) -> None:
    """Unlike folds are named one by one, whatever they are called; reasons and classes are groups of what is counted."""
    shown = ("a", "b")
    found = AuditFinding(
        "uneven folds", "warning", UNEVEN_FOLDS(n=9), 9, shown, DEAL_EVENLY(), examples_are_groups=groups
    )
    table = findings_table(Audit("s", "identity", None, 9, 9, 9, (), (found,)))
    assert ("and 7 more" in as_terminal(table, 200).plain) is not groups


def test_notes_hold_numbers(tmp_path: Path) -> None:
    samples = Samples({"id": ["a", "b", "c"], "subject": ["x", "x", "y"], "age": [1, 2, None]})
    (note,) = Experiment(samples, gallery="age < 2", probes=["b"]).notes
    assert (note.code, note["n"], note["rule"]) == ("samples.set-undecided", 1, "age < 2")
    assert str(note).startswith(
        "1 sample was left out of the gallery set: 'age < 2' cannot be decided for it"
    )
    np.savez(tmp_path / "arrays.npz", x=np.zeros(3))
    told = inspect_file(tmp_path / "arrays.npz").to_dict()
    assert told["notes"][0]["code"] == "inspection.no-scores"
