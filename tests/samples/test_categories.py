"""Probe categories: conditions on a probe and its mates, and FERET's four sets in a small table made by hand."""

from __future__ import annotations

import datetime

import pytest

from proband.errors import DesignError, UsageError
from proband.samples import Category, Experiment, Samples, feret_categories
from proband.words import Sentence


def ids(experiment: Experiment) -> list[str]:
    return [experiment.samples.ids[place] for place in experiment.probes]


@pytest.fixture
def experiment() -> Experiment:
    """Probes p1–p5 of subjects a (one mate), b (two mates), z (none)."""
    samples = Samples(
        {
            "id": ["ga", "gb1", "gb2", "p1", "p2", "p3", "p4", "p5"],
            "subject": ["a", "b", "b", "a", "a", "b", "b", "z"],
            "session": [1, 1, 2, 1, 2, 2, 3, 1],
            "light": ["x", "x", None, "x", "y", "x", None, "x"],
        }
    )
    return Experiment(samples, gallery=["ga", "gb1", "gb2"])


@pytest.mark.parametrize(
    ("rule", "mates", "expected"),
    [
        ("probe.session == mate.session", "all", ["p1"]),
        ("probe.session == mate.session", "any", ["p1", "p3"]),
        ("probe.session != mate.session", "all", ["p2", "p4"]),
        ("probe.session != mate.session", "any", ["p2", "p3", "p4"]),
        ("probe.session - mate.session >= 1", "all", ["p2", "p4"]),
        ("probe.session - mate.session >= 2", "any", ["p4"]),
        ("mate.session == 2", "any", ["p3", "p4"]),
        ("mate.session == 2 or probe.session == 1", "all", ["p1"]),
        ("probe.subject == mate.subject", "all", ["p1", "p2", "p3", "p4"]),
        ("probe.id == 'p2'", "all", ["p2"]),
        ("True", "all", ["p1", "p2", "p3", "p4"]),
    ],
)
def test_rules_over_pairs(experiment, rule, mates, expected):
    part = Category("some", rule, mates).of(experiment)
    assert ids(part) == expected
    assert part.gallery.tolist() == experiment.gallery.tolist()
    assert part.notes == ()


def test_unmated_probes_are_in_no_category(experiment):
    assert "p5" not in ids(Category("everybody", "True").of(experiment))


def test_missing_values_leave_a_category_undecided_and_are_counted(experiment):
    """Of b's two mates one has no light: 'any' is sure of p3 by the other mate, 'all' is not."""
    same = "probe.light == mate.light"
    every = Category("same light", same, "all").of(experiment)
    assert ids(every) == ["p1"]
    assert tuple(map(str, every.notes)) == (
        "2 probes were left out of category 'same light': the rule cannot be decided, since a value is missing or cannot be calculated",
    )
    some = Category("same light", same, "any").of(experiment)
    assert ids(some) == ["p1", "p3"]
    assert tuple(map(str, some.notes)) == (
        "1 probe was left out of category 'same light': the rule cannot be decided, since a value is missing or cannot be calculated",
    )
    other = Category("other light", "probe.light != mate.light", "all").of(experiment)
    assert ids(other) == ["p2"]  # p3 is certainly not: one mate has its light
    assert "1 probe was left out" in str(other.notes[0])


def test_an_empty_category_is_refused(experiment):
    with pytest.raises(DesignError, match=r"No probe is in category 'late': probe\.session > 9"):
        Category("late", "probe.session > 9").of(experiment)
    with pytest.raises(DesignError, match=r"\(1 undecided, since a value is missing"):
        Category("z", "probe.light == 'z'").of(experiment)


def test_without_mates_there_are_no_categories(experiment):
    strangers = experiment.restricted(probes=[7])
    with pytest.raises(DesignError, match="No probe has a mate"):
        Category("any", "True").of(strangers)


@pytest.mark.parametrize(
    "rule",
    [
        "session == 1",
        "gallery.session == 1",
        "probe.nothing == 1",
        "probe.session",
        "probe.session == mate.light",
        "subject == 'a'",
        "probe.session.real == 1",
        "mate.col('nothing') == 1",
    ],
)
def test_bad_rules_are_refused(experiment, rule):
    with pytest.raises(UsageError):
        Category("bad", rule).of(experiment)


# Regression: the columns the pairs are joined by can be named in rules: `probe` is then the row number.
@pytest.mark.parametrize("rule", ["probe == 3", "mate == 0", "probe < mate"])
def test_a_role_alone_is_no_column(experiment, rule):
    with pytest.raises(UsageError):
        Category("bad", rule).of(experiment)


# Regression: anything other than 'all' is taken for 'any'.
def test_mates_must_be_all_or_any(experiment):
    with pytest.raises(UsageError):
        Category("bad", "True", mates="every").of(experiment)


def test_columns_with_odd_names():
    samples = Samples({"id": ["g", "p"], "subject": ["a", "a"], "image set": [1, 1], "subject code": [5, 6]})
    experiment = Experiment(samples, gallery=["g"])
    rule = "probe.col('image set') == mate.col('image set') and probe.col('subject code') == 6"
    assert ids(Category("same", rule).of(experiment)) == ["p"]


def test_parse():
    assert Category.parse("dup2: probe.date - mate.date >= days(500)") == Category(
        "dup2", "probe.date - mate.date >= days(500)"
    )
    assert Category.parse(" a : probe.x == ':' ").rule == "probe.x == ':'"
    for text in ("dup2", " ", ":", "name:", ": rule", "  :  "):
        with pytest.raises(UsageError, match="not have the form 'name: rule'"):
            Category.parse(text)


def test_experiments_notes_are_kept(experiment):
    noted = experiment.restricted(
        probes=experiment.probes, note=Sentence("test.seen", "note", "seen before")()
    )
    assert tuple(map(str, Category("all", "True").of(noted).notes)) == ("seen before",)


def test_ferets_four_categories_by_hand():
    """One person, photographed on three days; the gallery image is of the first sitting of the first day."""
    first, second, third = datetime.date(1994, 1, 28), datetime.date(1994, 9, 1), datetime.date(1996, 2, 1)
    rows = [
        # id, image set, date, camera
        ("gallery", "940128", first, "a"),
        ("other expression", "940128", first, "a"),
        ("other camera", "940128", first, "b"),
        ("other camera, later sitting that day", "940128b", first, "b"),
        ("later sitting that day", "940128b", first, "a"),
        ("other day", "940901", second, "a"),
        ("long after", "960201", third, "a"),
        ("long after, other camera", "960201", third, "b"),
    ]
    samples = Samples(
        {
            "id": [row[0] for row in rows],
            "subject": ["somebody"] * len(rows),
            "image_set": [row[1] for row in rows],
            "date": [row[2] for row in rows],
            "camera": [row[3] for row in rows],
        }
    )
    experiment = Experiment(samples, gallery=["gallery"])
    found = {category.name: ids(category.of(experiment)) for category in feret_categories()}
    assert found == {
        "fb": ["other expression"],
        "fc": ["other camera", "other camera, later sitting that day"],
        "dup1": ["later sitting that day", "other day", "long after"],
        "dup2": ["long after"],
    }


@pytest.mark.parametrize(
    ("mate", "probe", "by_feret", "by_days"),
    [
        ("1994-12-31", "1996-01-01", True, False),  # 366 days, over both of FERET's limits
        ("1994-08-18", "1995-12-31", False, True),  # 500 days
        ("1994-08-19", "1995-12-31", False, False),
        ("1994-08-19", "1996-01-01", True, True),
        ("1994-12-31", "1996-12-31", True, True),
        ("1995-01-01", "1996-12-31", False, True),
        ("1994-12-31", "1997-01-01", False, True),
        ("1996-06-01", "1994-06-01", False, False),
    ],
)
def test_long_after_by_ferets_dates_and_by_days(mate, probe, by_feret, by_days):
    """FERET took the years of the two images, not the days between them."""
    samples = Samples(
        {
            "id": ["g", "p"],
            "subject": ["a", "a"],
            "image_set": [1, 2],
            "date": [datetime.date.fromisoformat(text) for text in (mate, probe)],
            "camera": ["x", "x"],
        }
    )
    experiment = Experiment(samples, gallery=["g"])

    def is_dup2(**more):
        try:
            return ids(feret_categories(**more)[3].of(experiment)) == ["p"]
        except DesignError:
            return False

    assert (is_dup2(long_after="feret"), is_dup2()) == (by_feret, by_days)


def test_a_rule_with_or_and_braces_stays_one_rule():
    """A rule of one's own is one condition, whatever stands in it."""
    rule = "probe.{date} - mate.{date} >= days(500) or probe.camera == '{x}'"
    fourth = feret_categories(long_after=rule)[3].rule
    assert fourth.endswith("and (probe.date - mate.date >= days(500) or probe.camera == '{x}')")


def test_ferets_categories_over_other_columns():
    samples = Samples(
        {"id": ["g", "p"], "subject": ["a", "a"], "sitting": [1, 2], "day": [10, 30], "lens": ["x", "x"]}
    )
    categories = feret_categories("sitting", "day", "lens", long_after="probe.{date} - mate.{date} >= 20")
    experiment = Experiment(samples, gallery=["g"])
    assert [category.name for category in categories] == ["fb", "fc", "dup1", "dup2"]
    for category in categories[2:]:
        assert ids(category.of(experiment)) == ["p"]
    for category in categories[:2]:
        with pytest.raises(DesignError, match="No probe is in category"):
            category.of(experiment)


def test_a_category_with_a_gallery_of_its_own(experiment):
    """Searched for among ga and gb1 alone, so gb2 is no mate of p4 and p3."""
    own = Category("own", "probe.session != mate.session", gallery="session == 1").of(experiment)
    assert [own.samples.ids[place] for place in own.gallery] == ["ga", "gb1"]
    assert ids(own) == ["p2", "p3", "p4"]
    only_b = Category("b", "probe.session > 0", gallery="session == 2").of(experiment)
    assert (ids(only_b), only_b.n_gallery_subjects) == (
        ["p3", "p4"],
        1,
    )  # a is not enrolled, so p1 and p2 are out
    assert "session == 2" in only_b.gallery_rule


def test_undecided_and_empty_galleries_of_categories(experiment):
    dark = Category("dark", "probe.session > 0", gallery="light == 'x'").of(experiment)
    assert [str(note) for note in dark.notes if note.code.endswith("category-undecided")] == [
        "1 enrolled image was left out of the gallery of category 'dark': the condition cannot be decided, since a value is missing or "
        "cannot be calculated"
    ]
    with pytest.raises(DesignError, match="gallery of category 'none' is empty"):
        Category("none", "probe.session > 0", gallery="session == 9").of(experiment)
    with pytest.raises(UsageError):
        Category("typo", "probe.session > 0", gallery="sesion == 1").of(experiment)


def test_ferets_duplicate_two_has_its_own_gallery():
    assert [one.gallery for one in feret_categories("s", "day", "c", "feret")] == [None] * 3 + [
        "day < date('1995-01-01')"
    ]
    assert feret_categories()[3].gallery is None
    assert feret_categories(date="day", gallery="{date} < 3")[3].gallery == "day < 3"
