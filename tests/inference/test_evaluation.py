"""Sets of probes are known by their categories, and all probes by none."""

from __future__ import annotations

import numpy as np
import pytest
from tests.report.page import finding

import proband as pb
from proband.errors import UsageError
from proband.inference.estimates.evaluate import categories_by, probe_sets
from proband.inference.estimates.evaluation import probes_called
from proband.samples import Samples
from proband.samples.experiment import Experiment

EVEN = "probe.kind == 'even'"


def evaluated(*categories: pb.Category, pooled: pb.Category | None = None) -> pb.results.Evaluation:
    experiment = pb.Experiment(finding.samples(), gallery="image == 0")
    return pb.evaluate([finding.scores("sharp", 0.45, 0)], experiment, categories=categories, pooled=pooled)


def test_all_probes_are_known_by_no_name() -> None:
    made = evaluated(pb.Category("even", EVEN))
    assert made.categories == (None, "even")
    assert [len(made.of(one)[0].outcomes) for one in made.categories] == [120, 60]
    assert made.curves()[0] is made.of(None)[0].curve
    assert made.to_frame(wide=True)["category"].to_list() == ["all probes", "even"]


def test_a_category_that_is_called_as_all_probes_are_is_refused() -> None:
    own = pb.Category(probes_called(None), EVEN)
    with pytest.raises(UsageError, match="name used for all probes together") as refused:
        evaluated(own)
    assert "rename" in refused.value.hint
    assert evaluated(pooled=own).categories == (own.name,)


def test_a_category_that_is_called_as_the_gallery_is_has_no_overlap_of_its_own() -> None:
    ids = ["a1", "a2", "b1", "b2"]
    experiment = pb.Experiment(pb.Samples({"id": ids, "subject": list("aabb")}), gallery=["a1", "b1"])
    one = pb.Category("gallery", "probe.subject == 'a'")
    with pytest.raises(UsageError, match="cannot be distinguished from the gallery"):
        pb.stats.set_overlap(experiment, categories=one)


def test_a_category_is_defined_once() -> None:
    with pytest.raises(UsageError, match="'even' is defined twice"):
        evaluated(pb.Category("even", EVEN), pb.Category("even", EVEN))


def test_altered_copies_are_not_pooled_with_photographs_in_silence() -> None:
    """Every second probe is a copy; a set of copies alone, or of photographs alone, needs no word."""
    n = 12
    ids = [f"{side}{k:02d}" for side in "gpc" for k in range(n)]
    samples = pb.Samples(
        {
            "id": ids,
            "subject": [one[1:] for one in ids],
            "alteration": ["none"] * 2 * n + ["scale:0.5"] * n,
            "altered_from": [None] * 2 * n + ids[n : 2 * n],
        }
    )
    values = np.random.default_rng(0).normal(size=(2 * n, n)) + 5 * np.tile(np.eye(n), (2, 1))
    scores = pb.Scores.from_array(values, ids[n:], ids[:n], orientation="similarity", name="net")
    sets = [
        pb.Category("photographs", "probe.alteration == 'none'"),
        pb.Category("small", "probe.alteration == 'scale:0.5'"),
        pb.Category("some", "probe.subject < '06'"),
    ]
    found = pb.evaluate(scores, pb.Experiment(samples, gallery=ids[:n]), categories=sets)
    said = [note for note in found.notes if note.code == "evaluation.altered-copies"]
    assert [(note["name"], note["n"], note["of"]) for note in said] == [
        ("all probes", 12, 24),
        ("some", 6, 12),
    ]
    assert {note.level for note in said} == {"caution"}


def test_categories_by_by_example() -> None:
    data = {
        "id": ["a1", "a2", "b1", "b2"],
        "subject": list("aabb"),
        "session": [1, 2, 1, 2],
        "sex": list("ffmm"),
    }
    assert [
        one.name for one in categories_by(Experiment(Samples(data), gallery="session == 1"), (), "sex")
    ] == ["sex f", "sex m"]


def test_probe_sets_by_example() -> None:
    data = {
        "id": ["a1", "a2", "b1", "b2"],
        "subject": list("aabb"),
        "session": [1, 2, 1, 2],
        "sex": list("ffmm"),
    }
    sets, _ = probe_sets(Experiment(Samples(data), gallery="session == 1"), "sex")
    assert {name: len(one.probes) for name, one in sets.items()} == {None: 2, "sex f": 1, "sex m": 1}
