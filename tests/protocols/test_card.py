from __future__ import annotations

import hashlib
import json
import random
from dataclasses import fields, is_dataclass, replace
from typing import Any

import pytest

from proband.errors import InputError, UsageError
from proband.protocols.cards.card import FORMAT, ProtocolCard
from proband.protocols.cards.schema import card_schema, faults
from proband.protocols.cards.sections import CardProcedure, Dataset, Task, Value, manifest_of

FULL: dict[str, Any] = {
    "format": FORMAT,
    "method": "LBP",
    "dataset": {
        "name": "JAFFE",
        "version": "1998",
        "manifest": "ids:" + "0" * 64,
        "samples": 213,
        "subjects": 10,
        "images_per_subject": [15, 30],
    },
    "selection": {"collected": 219, "excluded": {"blurred": 4, "eyes closed": 2}},
    "task": {
        "kind": "attribute",
        "label": "expression",
        "n_classes": 2,
        "classes": {"fear": 100, "joy": 113},
    },
    "conditions": {"illumination": False, "pose": "frontal", "scarf": None},
    "protocol": {
        "notation": "50×10f CV+",
        "disjoint": True,
        "train_share": 0.9,
        "stratified": True,
        "seed": 7,
        "generator_version": 1,
        "splits": "1" * 64,
    },
    "metric": {"name": "accuracy", "statistic": "mean", "ties": "first class"},
    "value": {
        "estimate": 0.907,
        "std": 0.0147,
        "low": 0.88,
        "high": 0.93,
        "confidence_level": 0.95,
        "uncertainty": "corrected resampled t",
    },
    "predictions": {"file": "predictions.parquet", "sha256": "2" * 64},
    "environment": {"proband": "0.1", "python": "3.11.9", "numpy": "2.1.0"},
    "provenance": {
        "publication": "Mery2016",
        "year": 2016,
        "source": "Mery2016",
        "table": 5,
        "row": 2,
        "remarks": ["one", "two"],
    },
}
# Another value for every field that alone does not contradict the rest.
OTHER: dict[str, Any] = {
    "method": "SRC",
    "dataset.name": "AR",
    "dataset.version": "2",
    "dataset.manifest": "content:" + "0" * 64,
    "dataset.samples": None,
    "dataset.subjects": 9,
    "dataset.images_per_subject": [15, 31],
    "selection.collected": None,
    "selection.excluded": {"blurred": 2, "eyes closed": 4},
    "task.kind": "identity",
    "task.label": "gender",
    "task.n_classes": None,
    "task.classes": {"fear": 101, "joy": 112},
    "conditions.illumination": True,
    "conditions.pose": "profile",
    "conditions.scarf": False,
    "protocol.notation": "50×5f CV+",
    "protocol.disjoint": None,
    "protocol.train_share": 0.905,
    "protocol.stratified": False,
    "protocol.seed": 8,
    "protocol.generator_version": 2,
    "protocol.splits": "3" * 64,
    "metric.name": "balanced accuracy",
    "metric.statistic": "maximum",
    "metric.ties": "none",
    "value.estimate": 0.908,
    "value.std": 0.0148,
    "value.low": 0.87,
    "value.high": 0.94,
    "value.confidence_level": 0.9,
    "value.uncertainty": "bootstrap",
    "predictions.file": "p.csv",
    "predictions.sha256": "4" * 64,
    "environment.proband": "0.2",
    "environment.python": "3.12.0",
    "environment.numpy": "2.2.0",
    "provenance.publication": "X2020",
    "provenance.year": 2020,
    "provenance.source": "Y2020",
    "provenance.table": 6,
    "provenance.row": 3,
    "provenance.remarks": ["onetwo"],
}


def altered(path: str, value: object, content: dict[str, Any] = FULL) -> dict[str, Any]:
    new = json.loads(json.dumps(content))
    *parents, last = path.split(".")
    part = new
    for name in parents:
        part = part[name]
    part[last] = value
    return new


def test_round_trips(tmp_path):
    card = ProtocolCard.from_dict(FULL)
    assert card.to_dict() == FULL
    assert ProtocolCard.read(card.write(tmp_path / "card.json")) == card
    assert hash(card) == hash(ProtocolCard.from_dict(FULL))
    empty = ProtocolCard()
    assert ProtocolCard.from_dict(empty.to_dict()) == empty == ProtocolCard.from_dict({"format": FORMAT})
    none_left_out = ProtocolCard.from_dict({"format": FORMAT, "selection": {"excluded": {}}})
    assert none_left_out.to_dict()["selection"]["excluded"] == {}
    assert none_left_out.digest != empty.digest


def test_canonical_form_does_not_depend_on_order_nor_on_how_it_is_written():
    def shuffled(content):
        if not isinstance(content, dict):
            return content
        items = [(name, shuffled(value)) for name, value in content.items()]
        random.Random(3).shuffle(items)
        return dict(items)

    card = ProtocolCard.from_dict(FULL)
    assert ProtocolCard.from_dict(shuffled(FULL)).canonical() == card.canonical()
    for path, value in (("protocol.notation", "50 x 10-fold cv +"), ("protocol.notation", "50×10f CV")):
        assert ProtocolCard.from_dict(altered(path, value)).digest == card.digest
    whole = ProtocolCard.from_dict(altered("value.std", 1))
    assert whole.digest == ProtocolCard.from_dict(altered("value.std", 1.0)).digest
    assert ProtocolCard(value=Value(estimate=-0.0)).digest == ProtocolCard(value=Value(estimate=0)).digest
    assert card.digest == hashlib.sha256(card.canonical()).hexdigest()
    assert b" " not in card.canonical().replace(b"eyes closed", b"").replace(b"f CV", b"").replace(
        b"first class", b""
    ).replace(b"corrected resampled t", b"").replace(b"proband protocol card 1", b"")


def test_other_has_every_field():
    assert set(OTHER) == {path for path, _ in ProtocolCard.from_dict(FULL).stated()}


@pytest.mark.parametrize("path", OTHER)
def test_every_field_changes_the_digest(path):
    card = ProtocolCard.from_dict(FULL)
    content = altered(path, OTHER[path])
    if path == "protocol.disjoint":
        content = altered("protocol.notation", "50×10f CV", content)
    if path == "protocol.notation":
        content = altered("protocol.train_share", None, content)
    if path == "task.kind":
        content = altered("task.n_classes", None, altered("task.classes", None, content))
    assert ProtocolCard.from_dict(content).digest != card.digest
    assert OTHER[path] is None or dict(ProtocolCard.from_dict(content).stated())[path] == OTHER[path]


def test_the_schema_has_the_fields_of_the_card():
    schema = card_schema()["properties"]
    card = ProtocolCard()
    assert set(schema) == {"format", *(part.name for part in fields(card))}
    for part in fields(card):
        section = getattr(card, part.name)
        if is_dataclass(section):
            assert set(schema[part.name]["properties"]) == {inner.name for inner in fields(section)}


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("format", "proband protocol card 2", "format: expected 'proband protocol card 1'"),
        ("method", "", "method: is an empty text"),
        ("methods", "x", "methods: is not a field"),
        ("dataset", 3, "dataset: expected an object or null, got 3"),
        ("dataset.colour", "red", "dataset.colour: is not a field"),
        ("dataset.samples", 2.5, "dataset.samples: expected a whole number or null, got 2.5"),
        ("dataset.samples", True, "dataset.samples: expected a whole number or null, got True"),
        ("dataset.samples", -1, "dataset.samples: expected at least 0, got -1"),
        ("dataset.manifest", "abc", "dataset.manifest: expected a text of the form"),
        ("dataset.manifest", "ids:" + "0" * 64 + "\n", "dataset.manifest: expected a text of the form"),
        ("dataset.images_per_subject", [1], "dataset.images_per_subject: expected 2 items, got 1"),
        ("dataset.images_per_subject", [1, "x"], "dataset.images_per_subject[1]: expected a whole number"),
        ("dataset.images_per_subject", [3, 2], "dataset.images_per_subject: must be the smallest number"),
        ("selection.excluded", {"blur": "some"}, "selection.excluded.blur: expected a whole number or null"),
        ("selection.excluded", {"blur": 1}, "selection.excluded: leaves 218 samples"),
        ("task.kind", "age", "task.kind: expected one of 'identity', 'attribute', got 'age'"),
        ("task.classes", {"fear": 1, "joy": 1}, "task.classes: add up to 2 samples"),
        ("task.n_classes", 3, "task.n_classes: is 3, but 2 classes are named"),
        ("conditions.scarf", 3, "conditions.scarf: expected true or false or a text or null, got 3"),
        ("protocol.notation", "10f XV", "protocol.notation: "),
        ("protocol.disjoint", False, "protocol.disjoint: is false, but the notation is 50×10f CV+"),
        ("value.std", 10**400, "value.std: expected at most 1"),
        ("value.estimate", 90.7, "value.estimate: expected at most 1, got 90.7"),
        ("value.estimate", float("nan"), "value.estimate: expected a number or null, got nan"),
        ("value.confidence_level", 1, "value.confidence_level: expected less than 1, got 1"),
        ("value.low", 0.95, "value.low: is above value.high"),
        ("value.estimate", 0.5, "value.estimate: 0.5 is outside its interval, 0.88–0.93"),
        ("value.estimate", 0.94, "value.estimate: 0.94 is outside its interval"),
        ("protocol.train_share", 0.5, "protocol.train_share: is 0.5, but 50×10f CV+ has 0.9"),
        (
            "task",
            {"kind": "identity", "n_classes": 7},
            "task.n_classes: is 7, but each of 10 people is a class",
        ),
        ("dataset.images_per_subject", [2, 3], "10 people with 2 to 3 samples each cannot have 213 in total"),
        ("dataset.images_per_subject", [21, 30], "10 people with 21 to 30 samples each cannot have 213"),
        ("dataset.subjects", 214, "dataset.subjects: 214 people cannot have 213 samples"),
        ("provenance.remarks", ["", 3], "provenance.remarks[0]: is an empty text"),
        ("method", "\ud800", "half a character"),
    ],
)
def test_errors_name_the_path(path, value, words):
    with pytest.raises(InputError) as caught:
        ProtocolCard.from_dict(altered(path, value))
    assert words in caught.value.message


@pytest.mark.parametrize("content", [None, 3, [], "card", {}])
def test_what_is_no_card_is_refused(content):
    with pytest.raises(InputError):
        ProtocolCard.from_dict(content)


def test_every_fault_is_found():
    content = altered("dataset.samples", "x", altered("value.low", "y"))
    assert [fault.partition(":")[0] for fault in faults(content)] == ["dataset.samples", "value.low"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "cannot be read as a protocol card"),
        ('{"format": "proband protocol card 1", "method": "a", "method": "b"}', "'method' is stated twice"),
        ('{"format": "proband protocol card 1", "value": {"estimate": NaN}}', "value.estimate"),
        ('{"format": "proband protocol card 1", "value": {"std": 1' + "0" * 400 + "}}", "card.json"),
        ("[" * 100_000, "card.json"),
    ],
)
def test_files_that_are_no_cards(tmp_path, text, words):
    (tmp_path / "card.json").write_text(text)
    with pytest.raises(InputError) as caught:
        ProtocolCard.read(tmp_path / "card.json")
    assert words in caught.value.message
    with pytest.raises(InputError, match="There is no file"):
        ProtocolCard.read(tmp_path / "absent.json")


def test_manifest_is_of_the_rows_and_not_of_their_order():
    ids, subjects, content = ["b1", "a1", "a2"], ["b", "a", "a"], ["x", "y", "z"]
    plain = b'["a1","a"]\n["a2","a"]\n["b1","b"]\n'
    assert manifest_of(ids, subjects) == "ids:" + hashlib.sha256(plain).hexdigest()
    with_content = b'["a1","a","y"]\n["a2","a","z"]\n["b1","b","x"]\n'
    assert manifest_of(ids, subjects, content) == "content:" + hashlib.sha256(with_content).hexdigest()
    assert manifest_of(ids, ["b", "a", "b"]) != manifest_of(ids, subjects)
    # Cells cannot run into each other.
    assert manifest_of(['a","b'], ["c"]) != manifest_of(["a"], ['b","c'])


def test_card_of_a_run():
    labels = ["joy", "fear", "joy"]
    data = Dataset.of(["a1", "a2", "b1"], ["a", "a", "b"], name="toy")
    protocol = CardProcedure("5x3f CV", disjoint=False, seed=0, generator_version=1, stratified=True)
    card = ProtocolCard.from_run(
        "SRC", data, Task.of("attribute", labels, "expression"), protocol, Value(0.5)
    )
    assert (data.samples, data.subjects, data.images_per_subject) == (3, 2, (1, 2))
    assert card.task.classes == (("fear", 1), ("joy", 2))
    assert card.protocol.notation == "5×3f CV mixed"
    assert card.protocol.train_share == pytest.approx(2 / 3)
    assert card.metric.statistic == "mean"
    assert None not in card.environment.to_dict().values()
    assert Task.of("identity", ["a", "a", "b"]).to_dict() == {
        "kind": "identity",
        "label": None,
        "n_classes": 2,
        "classes": None,
    }
    with pytest.raises(UsageError, match=r"protocol\.disjoint, protocol\.seed"):
        ProtocolCard.from_run("SRC", data, card.task, CardProcedure("3f CV", generator_version=1), Value(0.5))


def test_text_says_what_is_stated_and_what_is_not():
    card = replace(ProtocolCard.from_dict(FULL), method=None)
    text = card.to_text()
    assert card.digest in text.splitlines()[0]
    assert "50×10f CV+" in text
    assert "blurred 4, eyes closed 2" in text
    assert text.splitlines()[-4] == "not stated: method, conditions.scarf"
    assert [line.partition(":")[0] for line in text.splitlines()[-3:]] == [
        "Experiments (E) yes",
        "Protocol (P) no",
        "Data (D) stated",
    ]
    assert ProtocolCard.from_dict(FULL).to_text().splitlines()[-4] == "not stated: conditions.scarf"


@pytest.mark.parametrize(
    ("notation", "share", "fine"),
    [
        ("80-20 HO mixed", 0.8, True),
        ("80-20 HO mixed", 170 / 213, True),
        ("80-20 HO mixed", 0.5, False),
        ("80-20 HO+", 0.86, True),
        ("80-20 HO+", 0.5, False),
        ("5f CV+", 0.86, False),
        ("80-20 HO mixed [train: session 1]", 0.4, True),
        ("13-13 HO*", 0.8, False),
        ("13-rest HO*", 0.8, True),
    ],
)
def test_the_training_share_follows_the_notation(notation, share, fine):
    content = altered("protocol", {"notation": notation, "train_share": share})
    if fine:
        assert ProtocolCard.from_dict(content).protocol.train_share == share
    else:
        with pytest.raises(InputError, match="train_share"):
            ProtocolCard.from_dict(content)


def test_a_run_does_not_state_an_interval_that_misses_its_estimate():
    data, task = Dataset.of(["a1", "b1"], ["a", "b"]), Task.of("attribute", ["x", "y"], "sex")
    protocol = CardProcedure("LOSO", seed=0, generator_version=1)
    for wrong, said in (
        (Value(0.5, low=0.6, high=0.9), "value.estimate: 0.5 is outside its interval, 0.6–0.9"),
        (Value(0.5, high=0.4), "value.estimate: 0.5 is outside its interval, –0.4"),
        (Value(0.5, low=0.6, high=0.4), "value.low: is above value.high"),
        (
            Value(0.5, pooled_estimate=0.3, pooled_low=0.4, pooled_high=0.9),
            "value.pooled_estimate: 0.3 is outside its interval, 0.4–0.9",
        ),
        (Value(0.5, pooled_low=0.8, pooled_high=0.6), "value.pooled_low: is above value.pooled_high"),
        (Value(0.5, minimum=0.6, maximum=0.7), "value.estimate: 0.5 is outside the range of runs, 0.6–0.7"),
    ):
        with pytest.raises(InputError) as caught:
            ProtocolCard.from_run("SRC", data, task, protocol, wrong)
        assert said in caught.value.message
    # A mean over runs may lie outside the interval of the pooled estimate, which is another number.
    value = Value(0.5, pooled_estimate=0.7, pooled_low=0.6, pooled_high=0.9)
    assert ProtocolCard.from_run("SRC", data, task, protocol, value).value == value


def test_an_older_card_states_the_pooled_interval_as_such():
    old = {"estimate": 0.5, "std": 0.1, "low": 0.6, "high": 0.9, "confidence_level": 0.95}
    card = ProtocolCard.from_dict({"format": FORMAT, "value": {**old, "uncertainty": "pooled-predictions"}})
    value = card.value
    assert (value.low, value.high, value.uncertainty, value.interval) == (None, None, None, None)
    assert (value.pooled_low, value.pooled_high, value.pooled_uncertainty) == (0.6, 0.9, "pooled-predictions")
    assert (value.pooled_estimate, value.pooled) == (None, None)
    assert ProtocolCard.from_dict(card.to_dict()) == card
    other = {**old, "estimate": 0.7, "uncertainty": "corrected-resampled-t"}
    content = {"format": FORMAT, "value": other}
    assert ProtocolCard.from_dict(content).to_dict()["value"] == other  # as it was, and so is its digest


def test_a_byte_order_mark_is_no_fault(tmp_path):
    (tmp_path / "card.json").write_text(json.dumps(FULL), encoding="utf-8-sig")
    assert ProtocolCard.read(tmp_path / "card.json") == ProtocolCard.from_dict(FULL)
