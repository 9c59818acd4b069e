from __future__ import annotations

import json
from dataclasses import replace

import pytest

from proband.errors import UsageError
from proband.protocols.cards.card import ProtocolCard
from proband.protocols.cards.comparability import compare_cards
from proband.protocols.cards.levels import Level
from proband.protocols.cards.literature import TABLES, literature
from proband.protocols.notation import Protocol


@pytest.mark.parametrize(
    ("name", "rows", "first", "last"),
    [
        ("ar", 33, ("LPOG", 0.991), ("ESRC", 0.95)),
        ("jaffe", 27, ("LP-LBP", 0.938), ("BDBN", 0.68)),
        ("feret", 17, ("SVM-RBF", 0.966), ("LDP", 0.951)),
    ],
)
def test_tables_are_whole(name, rows, first, last):
    table = literature(name)
    assert [card.provenance.row for card in table.cards] == list(range(1, rows + 1))
    ends = [(card.method, card.value.estimate) for card in (table.cards[0], table.cards[-1])]
    assert ends == [first, last]


def test_sums_of_the_columns():
    # Added up from the printed tables, independently of the files.
    sums = {name: sum(100 * (card.value.estimate or 0) for card in literature(name).cards) for name in TABLES}
    assert sums == pytest.approx({"ar": 3106.6, "jaffe": 2294.0, "feret": 1602.0})
    males = sum(dict(card.task.classes or ()).get("male", 0) for card in literature("feret").cards)
    assert males == 13024


@pytest.mark.parametrize("name", TABLES)
def test_every_row_is_in_the_notation_and_round_trips(name):
    for card in literature(name).cards:
        assert ProtocolCard.from_dict(json.loads(json.dumps(card.to_dict()))) == card
        notation = card.protocol.notation
        if notation is not None:
            assert str(Protocol.parse(notation)) == notation
    unstated = [card.provenance.row for card in literature(name).cards if card.protocol.notation is None]
    assert unstated == ([17] if name == "feret" else [])


def test_pairs_of_the_paper():
    made = {name: literature(name).pairs() for name in TABLES}
    assert [pair.rows for pair in made["ar"]] == [(3, 6), (4, 7), (8, 9)]
    assert [pair.rows for pair in made["feret"]] == [(6, 7)]
    assert made["jaffe"] == []
    assert {pair.level for pairs in made.values() for pair in pairs} == {Level.SAME_PROTOCOL}
    listed_twice = {pair.rows: pair.same_result for pair in made["ar"]}
    assert listed_twice == {(3, 6): True, (4, 7): False, (8, 9): False}


@pytest.mark.parametrize(
    ("name", "protocols", "experiments"),
    # 30 and 16 are the paper's: three pairs of rows on AR, one on FERET used the same protocol on the same images.
    [("ar", 24, 30), ("jaffe", 9, 9), ("feret", 9, 16)],
)
def test_different_protocols_and_experiments_are_counted(name, protocols, experiments):
    table = literature(name)
    assert (table.n_protocols, table.n_experiments) == (protocols, experiments)


def test_ranges_by_family_and_by_disjointness():
    jaffe = literature("jaffe")
    ranges = {
        (span.family, span.subjects): (len(span.rows), span.lowest, span.highest) for span in jaffe.families()
    }
    assert ranges == {
        ("hold-out", "mixed"): (5, 0.854, 0.946),
        ("cross-validation", "mixed"): (8, 0.81, 0.967),
        ("leave-one-out", "mixed"): (4, 0.934, 0.984),
        ("leave-one-subject-out", "disjoint"): (8, 0.552, 0.93),
        ("another data set", "disjoint"): (2, 0.413, 0.68),
    }
    for name in TABLES:
        table = literature(name)
        *parts, whole = table.subjects()
        rows = [row for span in table.families() for row in span.rows]
        assert sorted(rows) == list(whole.rows) == sorted(row for span in parts for row in span.rows)
        assert (whole.family, whole.subjects, whole.n_protocols) == (None, None, table.n_protocols)
        assert table.families_frame().height == len(table.families()) + len(parts) + 1
        content = table.to_dict()
        assert [span["highest"] for span in content["subjects"]] == [
            span.highest for span in table.subjects()
        ]
        assert content["n_experiments"] == table.n_experiments
    (disjoint,) = [span for span in literature("feret").subjects() if span.subjects == "disjoint"]
    assert (disjoint.rows, disjoint.n_publications) == ((3, 5, 6, 7, 8, 11, 12, 13, 14, 16), 9)


def test_groups_on_their_word():
    assert [(group.rows, group.n_pairs, group.n_publications) for group in literature("jaffe").groups()] == [
        ((2, 3, 4, 5, 6, 7, 8), 21, 7),
        ((9, 10, 11, 12, 14, 15), 15, 6),
        ((18, 19, 20), 3, 3),
        ((21, 22, 23, 24, 25), 10, 2),
        ((26, 27), 1, 2),
    ]
    assert literature("ar").groups() == []
    # Row 2 states no numbers of images, and hence differs from none that has its protocol; row 10 may be mixed or not.
    groups = [(group.notation, group.rows, group.n_pairs) for group in literature("feret").groups()]
    assert groups == [("5f CV mixed", (1, 2, 4, 9), 3), ("5f CV", (2, 10), 1)]
    linked = [pair.rows for pair in literature("feret").pairs(Level.ON_THEIR_WORD) if pair.rows != (6, 7)]
    assert linked == [(1, 2), (2, 4), (2, 9), (2, 10)]


def test_other_data_is_other_data():
    jaffe = literature("jaffe")
    assert compare_cards(jaffe.card(14), jaffe.card(16)).level == Level.NOTHING_SHARED
    assert compare_cards(jaffe.card(13), jaffe.card(12)).level == Level.OTHER_PROTOCOL
    assert compare_cards(jaffe.card(2), literature("feret").card(2)).level == Level.NOTHING_SHARED


def test_the_rule_comes_from_fields_and_not_from_rows():
    ar = literature("ar")
    one, other = ar.card(4), ar.card(7)
    renumbered = replace(other, provenance=replace(other.provenance, row=99), method="new", value=one.value)
    assert compare_cards(one, renumbered).level == Level.SAME_PROTOCOL
    changes = {
        "dataset": replace(other.dataset, subjects=99),
        "protocol": replace(other.protocol, notation="10×12-14 HO*", train_share=None),
        "conditions": (("illumination", True), ("scarf", False), ("sunglasses", True)),
        "metric": replace(other.metric, statistic="maximum"),
    }
    for name, value in changes.items():
        assert compare_cards(one, replace(other, **{name: value})).level == Level.OTHER_PROTOCOL, name
    unsaid = {
        "dataset": replace(other.dataset, images_per_subject=None),
        "conditions": (("illumination", None), ("scarf", True), ("sunglasses", True)),
        "metric": replace(other.metric, statistic=None),
    }
    for name, value in unsaid.items():
        assert compare_cards(one, replace(other, **{name: value})).level == Level.ON_THEIR_WORD, name
    # Two rows that differ only in the disguise become a pair once they do not.
    sunglasses, scarf = ar.card(11), ar.card(12)
    assert compare_cards(sunglasses, scarf).having("differ") == ("conditions.scarf", "conditions.sunglasses")
    same = replace(scarf, conditions=sunglasses.conditions)
    assert compare_cards(sunglasses, same).level == Level.SAME_PROTOCOL


def test_table_as_dict_and_frame():
    table = literature("feret")
    told = table.to_dict()
    assert json.loads(json.dumps(told))["pairs"][-1]["rows"] == [6, 7]
    assert len(told["cards"]) == table.to_frame().height == 17
    assert table.to_frame().row(5) == (6, "Fusion (L6)", "Alexandre2010", 2010, 0.991, None, 411, "5f CV+")
    with pytest.raises(UsageError, match="There is no row 18"):
        table.card(18)
    with pytest.raises(UsageError, match="no literature table on 'lfw'"):
        literature("lfw")
