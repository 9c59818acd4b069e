"""Every claim about the FERET evaluation can hold, and fails for scrambled results."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import proband as pb
from proband.designs.galleries import Galleries
from proband.inference.galleries.tables import GalleryVariation
from proband.inference.galleries.variation import gallery_variation
from proband.papers.claims import ShownDifference
from proband.papers.feret2000_claims import FeretEvidence, OwnGallery, claims


@pytest.fixture(scope="module")
def variation() -> GalleryVariation:
    """Five algorithms, each much better than the next, in six galleries, the first three of which are much easier."""
    n = 96
    ids = [f"{side}{k:02d}" for side in "gp" for k in range(n)]
    samples = pb.Samples(
        {"id": ids, "subject": [name[1:] for name in ids], "date": [int(name[1:]) for name in ids]}
    )
    rng = np.random.default_rng(2)
    scores = []
    for place in range(5):
        own = np.where(np.arange(n) < n // 2, 6.5, 3.5) - 0.9 * place
        values = rng.normal(size=(n, n)) + np.diag(own)
        scores.append(
            pb.Scores.from_array(values, ids[n:], ids[:n], orientation="similarity", name=f"a{place}")
        )
    experiment = pb.Experiment(samples, gallery=ids[:n])
    return gallery_variation(
        scores, experiment, measure=pb.measures.RecognitionRate(1), design=Galleries(6, order="date")
    )


def moved(variation: GalleryVariation) -> GalleryVariation:
    """The same, all in one order but for one algorithm whose places are surely different in two galleries."""
    name = variation.cells[0].algorithm
    order = {name: place for place, name in enumerate(variation.algorithms)}
    cells = [
        replace(
            one,
            estimate=replace(one.estimate, value=0.9 - 0.3 * (one.gallery % 2)),
            place=one.gallery,
            place_interval=(one.gallery, one.gallery),
        )
        if one.algorithm == name
        else replace(
            one,
            estimate=replace(one.estimate, value=0.9 - 0.1 * order[one.algorithm] - 0.01 * one.gallery),
        )
        for one in variation.cells
    ]
    rows = [
        replace(one, least_place=1, greatest_place=6) if one.algorithm == name else one
        for one in variation.rows
    ]
    return replace(variation, cells=tuple(cells), rows=tuple(rows))


def level(variation: GalleryVariation) -> GalleryVariation:
    """The same, with one rate in all galleries and for all algorithms."""
    cells = tuple(
        replace(one, estimate=replace(one.estimate, value=0.5), place=1, place_interval=(1, 1))
        for one in variation.cells
    )
    rows = tuple(
        replace(one, range=0.0, least_place=1, greatest_place=1, test=None) for one in variation.rows
    )
    return replace(variation, cells=cells, rows=rows)


def around(value: float, half: float = 0.02) -> ShownDifference:
    return ShownDifference(value, value - half, value + half)


@pytest.fixture(scope="module")
def good(variation: GalleryVariation) -> FeretEvidence:
    both = moved(variation)
    return FeretEvidence(
        {"fb": around(0.85), "dup1": around(0.5), "fc": around(0.4), "dup2": around(0.2)},
        {"fb": around(0.95), "dup1": around(0.6), "fc": around(0.8), "dup2": around(0.5)},
        {"fb": both, "dup1": both},
        [around(0.1), around(0.2)],
        [around(0.1)],
        {"fb": ("a", "b"), "dup1": ("a", "a")},
        5,
        OwnGallery(864, 864, 1196, 380),
    )


def verdicts(found: FeretEvidence) -> dict[str, str]:
    return {one.key.partition(".")[2]: one.verdict for each in claims(found).values() for one in each}


def test_results_like_the_papers_fulfil_every_rule(good: FeretEvidence) -> None:
    found = verdicts(good)
    assert len(found) == 12
    assert {key: verdict for key, verdict in found.items() if verdict != "agrees"} == {}


def test_scrambled_results_fail_every_rule(good: FeretEvidence, variation: GalleryVariation) -> None:
    turned = {name: ShownDifference(-one.value, -one.high, -one.low) for name, one in good.averages.items()}
    failed: dict[str, str] = {}
    for scrambled in (
        replace(good, averages=turned),
        replace(good, bounds=turned | {"dup2": around(0.9)}),
        replace(good, variation={name: level(variation) for name in good.variation}),
        replace(good, gains=[around(0.1), around(-0.2)], costs=[around(-0.1)]),
        replace(good, leaders={"fb": ("a", "a"), "dup1": ("b", "b")}),
        replace(good, dup2=OwnGallery(864, 864, 1196, 364)),
    ):
        failed |= {key: verdict for key, verdict in verdicts(scrambled).items() if verdict == "disagrees"}
    assert set(failed) == set(verdicts(good))


def test_places_that_change_by_chance_are_not_judged(
    good: FeretEvidence, variation: GalleryVariation
) -> None:
    wide = replace(variation, cells=tuple(replace(one, place_interval=(1, 5)) for one in variation.cells))
    found = verdicts(replace(good, variation={"fb": wide, "dup1": wide}))
    expected = (
        "cannot be judged" if any(one.least_place != one.greatest_place for one in wide.rows) else "disagrees"
    )
    assert found["order-changes-fb"] == found["order-changes-dup1"] == expected


def test_categories_without_probes_have_no_claims(good: FeretEvidence) -> None:
    fewer = replace(good, averages={"fb": around(0.9)}, bounds={"fb": around(0.9)}, gains=[], costs=[])
    assert not {"easiest-and-hardest", "best-on-fc", "improved", "locating-costs"} & set(verdicts(fewer))


@pytest.mark.parametrize("gallery", [OwnGallery(864, 863, 1196, 400), OwnGallery(1196, 1196, 1196, 400)])
def test_the_gallery_of_duplicates_ii_must_be_a_true_part(good: FeretEvidence, gallery: OwnGallery) -> None:
    assert verdicts(replace(good, dup2=gallery))["duplicates-ii-a-year-later"] == "disagrees"
    assert "duplicates-ii-a-year-later" not in verdicts(replace(good, dup2=None))
