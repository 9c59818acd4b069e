from __future__ import annotations

import json
from typing import Any

import pytest

from proband.protocols.cards.card import FORMAT, ProtocolCard
from proband.protocols.cards.comparability import compare_cards
from proband.protocols.cards.levels import Level

HASHES = {name: f"{place:x}" * 64 for place, name in enumerate(("ids", "splits", "mine", "theirs", "other"))}
MINE: dict[str, Any] = {
    "format": FORMAT,
    "method": "LBP",
    "dataset": {
        "name": "JAFFE",
        "version": "1998",
        "manifest": "ids:" + HASHES["ids"],
        "samples": 213,
        "subjects": 10,
        "images_per_subject": [15, 30],
    },
    "selection": {"collected": 213, "excluded": {}},
    "task": {
        "kind": "attribute",
        "label": "expression",
        "n_classes": 2,
        "classes": {"fear": 100, "joy": 113},
    },
    "conditions": {"illumination": False},
    "protocol": {
        "notation": "50×10f CV+",
        "stratified": True,
        "seed": 7,
        "generator_version": 1,
        "splits": HASHES["splits"],
    },
    "metric": {"name": "accuracy", "statistic": "mean", "ties": "none"},
    "value": {"estimate": 0.9, "low": 0.8, "high": 0.95, "confidence_level": 0.95},
    "predictions": {"sha256": HASHES["mine"]},
}


def their(**changes: object) -> dict[str, Any]:
    """The card of another method on the same trials, with changes by path (a double underscore for a point)."""
    card = json.loads(json.dumps(MINE))
    card["method"], card["value"]["estimate"] = "SRC", 0.93
    card["predictions"]["sha256"] = HASHES["theirs"]
    for path, value in changes.items():
        *parents, last = path.split("__")
        part = card
        for name in parents:
            part = part[name]
        part[last] = value
    return card


def compared(theirs: dict[str, Any], mine: dict[str, Any] | None = None):
    one, other = ProtocolCard.from_dict(mine or MINE), ProtocolCard.from_dict(theirs)
    found = compare_cards(one, other)
    mirrored = compare_cards(other, one)
    assert found.level == mirrored.level
    assert found.having("differ") == mirrored.having("differ")
    return found


def by_counts(**changes: object) -> dict[str, Any]:
    return their(dataset__manifest=None, **changes)


def test_same_trials_allow_a_paired_test():
    found = compared(their())
    assert found.level == Level.SAME_TRIALS
    assert found.comparable
    assert not found.same_result
    assert not found.having("differ")
    assert "paired test" in str(found.sentences()[-1])


# With a manifest of contents that agrees, with one of ids, and without one: the level if their card has another value, and if it
# states none.
TRUTH = {
    "dataset__name": ("XM2VTS", (4, 4), (0, 3), (0, 0)),
    "dataset__version": ("2", (4, 4), (1, 4), (1, 3)),
    "dataset__samples": (None, (4, 4), (4, 4), (3, 3)),
    "dataset__subjects": (9, (4, 4), (1, 4), (1, 3)),
    "dataset__images_per_subject": ([15, 31], (4, 4), (1, 4), (1, 3)),
    "selection__collected": (None, (4, 4), (4, 4), (3, 3)),
    "task__kind": ("identity", (0, 0), (0, 0), (0, 0)),
    "task__label": ("gender", (0, 0), (0, 0), (0, 0)),
    "task__classes": ({"fear": 101, "joy": 112}, (4, 4), (1, 4), (1, 3)),
    "task__n_classes": (None, (4, 4), (4, 4), (3, 3)),
    "conditions__illumination": (True, (4, 4), (1, 4), (1, 2)),
    "protocol__notation": ("50×5f CV+", (1, 1), (1, 1), (1, 1)),
    "protocol__stratified": (False, (1, 4), (1, 4), (1, 3)),
    "protocol__seed": (8, (4, 4), (4, 4), (3, 3)),
    "protocol__generator_version": (2, (4, 4), (4, 4), (3, 3)),
    "protocol__splits": (HASHES["other"], (3, 3), (3, 3), (3, 3)),
    "metric__name": ("balanced accuracy", (1, 2), (1, 2), (1, 2)),
    "metric__statistic": ("maximum", (1, 2), (1, 2), (1, 2)),
    "metric__ties": ("random", (1, 4), (1, 4), (1, 3)),
    "predictions__sha256": (HASHES["other"], (4, 3), (4, 3), (3, 3)),
    "method": ("NBNN", (4, 4), (4, 4), (3, 3)),
}


@pytest.mark.parametrize("path", TRUTH)
def test_truth_table(path):
    other, *truth = TRUTH[path]
    contents = "content:" + HASHES["ids"]
    of_contents = json.loads(json.dumps(MINE))
    of_contents["dataset"]["manifest"] = contents
    manifests = ((contents, of_contents), (MINE["dataset"]["manifest"], MINE), (None, MINE))
    for (manifest, mine), levels in zip(manifests, truth, strict=True):
        for value, level in zip((other, None), levels, strict=True):
            # People are the classes of an identity, so that the classes of an expression cannot stay.
            also = {"task__n_classes": None, "task__classes": None} if value == "identity" else {}
            found = compared(their(dataset__manifest=manifest, **{path: value}, **also), mine)
            assert found.level == level, (path, value, manifest, found.reasons)
            if path.replace("__", ".") in found.having("differ"):
                assert value is not None
            elif other is not None and value == other and not path.startswith(("method", "predictions")):
                pytest.fail(f"{path} should differ")


def test_equal_ids_of_other_data_are_other_data():
    found = compared(their(dataset__name="DBy"))
    assert found.level == Level.NOTHING_SHARED
    assert str(found.reasons[0]) == "dataset.name differs: JAFFE against DBy"
    unnamed = compared(their(dataset__name=None))
    assert "does not prove" in str(unnamed.reasons[0])


def test_shares_of_training_that_no_notation_gives():
    mine, theirs = json.loads(json.dumps(MINE)), their()
    for card, share in ((mine, 0.9), (theirs, 0.8)):
        card["protocol"] |= {"notation": "3-rest HO*", "train_share": share}
    assert compared(theirs, mine).having("differ") == ("protocol.train_share",)
    assert compared(theirs, mine).level == Level.OTHER_PROTOCOL


def test_disjointness_counts_and_what_is_not_stated_does_not_settle_it():
    assert compared(their(protocol__notation="50×10f CV mixed")).level == Level.OTHER_PROTOCOL
    unsaid = compared(their(protocol__notation="50×10f CV"))
    assert unsaid.level == Level.ON_THEIR_WORD
    assert "protocol.disjoint" in unsaid.having("not stated")
    both = their(protocol__notation="50×10f CV")
    assert compared(both, both).level == Level.ON_THEIR_WORD


def test_repeats_and_qualifiers_are_part_of_the_protocol():
    for notation in ("10f CV+", "50×10f CV+ [train: session 1]"):
        assert compared(their(protocol__notation=notation)).having("differ")[0] == "protocol.notation"


def test_manifest():
    other = compared(their(dataset__manifest="ids:" + HASHES["other"]))
    assert other.level == Level.OTHER_PROTOCOL
    assert (other.reasons[0].code, other.reasons[0]["field"]) == ("cards.field-differs", "dataset.manifest")
    # Hashes with and without content cannot be compared: nothing is proved, and nothing refuted.
    assert compared(their(dataset__manifest="content:" + HASHES["other"])).level == Level.SAME_PROTOCOL


def test_trials_need_the_splits_unless_nothing_is_drawn():
    mine = json.loads(json.dumps(MINE))
    mine["protocol"]["splits"] = None
    seeded = compared(their(protocol__splits=None), mine)
    assert seeded.level == Level.SAME_PROTOCOL  # a seed draws other splits from other labels
    assert str(seeded.reasons[0]) == "Not stated by both: protocol.splits"
    for card in (mine, theirs := their(protocol__splits=None)):
        card["protocol"] |= {"notation": "LOSO", "seed": None}
    assert compared(theirs, mine).level == Level.SAME_TRIALS


def test_the_number_of_images_alone_does_not_tell_which_they_are():
    unsaid = {"dataset__subjects": None, "dataset__images_per_subject": None, "task__classes": None}
    found = compared(by_counts(**unsaid))
    assert found.level == Level.ON_THEIR_WORD
    assert "which images were used" in str(found.reasons[0])
    assert compared(by_counts(dataset__images_per_subject=None)).level == Level.SAME_PROTOCOL


def test_shares_agree_but_for_rounding():
    assert compared(their(protocol__train_share=0.901)).level == Level.SAME_TRIALS


def test_a_class_without_a_number_is_not_stated():
    found = compared(by_counts(task__classes={"fear": None, "joy": 113}))
    assert "task.classes" in found.having("not stated")
    named = compared(by_counts(task__classes={"anger": None, "joy": 113}))
    assert "task.classes" in named.having("differ")


def test_unpaired_test_needs_intervals():
    assert "interval" not in str(compared(by_counts()).reasons[-1])
    without = compared(by_counts(value__low=None))
    assert "At least one card states no interval" in str(without.reasons[-1])
    assert "no test is possible" in str(without.sentences()[-1])
    assert "unpaired" not in " ".join(map(str, without.sentences()))
    assert without.to_dict()["allowed"] == without.allowed.to_dict()
    nothing = compared(by_counts(value={}))
    assert nothing.reasons[-1].code == "cards.no-estimates"
    assert nothing.allowed.code == "cards.no-numbers"
    assert "paired test" in str(compared(their(value={})).allowed)


def test_one_result_twice_is_not_a_comparison():
    itself = compared(MINE)
    assert itself.same_result
    assert "nothing to compare" in str(itself.sentences()[-1])
    published = {"publication": "X2020", "year": 2020}
    mine, theirs = dict(MINE, provenance=published), dict(their(), provenance=published)
    found = compared(theirs, mine)
    assert found.same_publication
    assert not found.same_result
    theirs["method"], theirs["value"] = MINE["method"], MINE["value"]
    assert compared(theirs, mine).same_result


def test_nothing_stated_proves_nothing():
    found = compare_cards(ProtocolCard(), ProtocolCard(method="SRC"))
    assert found.level == Level.NOTHING_SHARED
    assert not found.comparable
    assert "Not stated by both: dataset.name, task.kind" in str(found.reasons[0])


def test_result_as_dict_and_frame():
    found = compared(their(protocol__seed=8))
    told = found.to_dict()
    assert json.loads(json.dumps(told)) == told
    assert (told["level"], told["words"]) == (4, "same trials")
    frame = found.to_frame()
    assert frame.filter(field="protocol.seed").row(0) == ("protocol.seed", "7", "8", "differ", True)
    assert frame.filter(field="value.estimate")["bears"].to_list() == [False]
    assert set(frame["field"]) >= {path for path, _ in ProtocolCard.from_dict(MINE).stated()}
    assert repr(found) == "Comparability(4: same trials; 1 fields differ)"
