"""Charts: what is drawn is what was found, within the drawing, and no further than the data go."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from tests.report.page.tracing import distances, followed

import proband as pb
from proband.designs import Galleries
from proband.errors import UsageError
from proband.inference.estimates.people_fractions import size_curve
from proband.inference.galleries.variation import gallery_variation
from proband.inference.strata.study import strat_study
from proband.inference.verification.groups import error_rates_by, hard_subjects_of
from proband.inference.verification.open_set import searches_with_intervals
from proband.inference.verification.verification import verify
from proband.measures.open_set import search
from proband.report.charts.makers.concentration import concentration, expected_people
from proband.report.charts.makers.curves import cmc, gallery_sizes
from proband.report.charts.makers.errors import det, error_curve, searches
from proband.report.charts.makers.histograms import differences, score_counts, scores as scores_of
from proband.report.charts.makers.rows import forest, galleries, gallery_effect, groups as groups_of
from proband.report.charts.scales import AxisScale
from proband.report.charts.svg.drawing import drawings
from proband.report.kinds.pairs import pairs_chart
from proband.report.page.charts import shown
from proband.report.page.model import ChartBlock

SVG = "{http://www.w3.org/2000/svg}"
GOLDEN = Path(__file__).parent / "golden"
PEOPLE, IMAGES = 40, 4
NAMES = ("net <1>", "net & son", "an-algorithm-with-a-rather-long-name")


def cmc_chart(entries, **options):
    return shown(cmc([one.band for one in entries], **options))


def det_chart(results):
    return shown(det([error_curve(one) for one in results]))


def gallery_effect_chart(effects):
    return shown(gallery_effect(effects))


def gallery_size_chart(curves):
    return shown(gallery_sizes(curves))


def search_chart(results):
    return shown(searches(results))


@cache
def samples() -> pb.Samples:
    ids = [f"s{person:02d}-{image}" for person in range(PEOPLE) for image in range(IMAGES)]
    return pb.Samples(
        {"id": ids, "subject": [one[:3] for one in ids], "sex": ["fm"[int(one[1:3]) % 2] for one in ids]}
    )


@cache
def scores() -> tuple[pb.Scores, ...]:
    rng = np.random.default_rng(5)
    ids = list(samples().ids)
    faces = np.repeat(rng.normal(size=(PEOPLE, 12)), IMAGES, axis=0)
    made = []
    for name, noise in zip(NAMES, (0.9, 1.1, 1.8), strict=True):
        seen = faces + noise * rng.normal(size=faces.shape)
        seen /= np.linalg.norm(seen, axis=1, keepdims=True)
        made.append(
            pb.Scores.from_array(np.round(seen @ seen.T, 3), ids, ids, orientation="similarity", name=name)
        )
    return tuple(made)


@cache
def experiment(enrolled: int = PEOPLE) -> pb.Experiment:
    first = [one for one in samples().ids if one.endswith("-0")]
    others = [one for one in samples().ids if not one.endswith("-0")]
    return pb.Experiment(samples(), gallery=first[:enrolled], probes=others)


@cache
def charts() -> dict[str, ChartBlock]:
    evaluation = pb.evaluate(scores(), experiment())
    entries = evaluation.of(evaluation.categories[0])
    comparison = pb.compare(
        {one.name: one for one in scores()}, experiment(), measure=pb.measures.RecognitionRate(1)
    )
    verified = [verify(one, experiment(), n_resamples=100) for one in scores()]
    grouped = [
        error_rates_by(one, experiment(), "sex", found.points[0].counts)
        for one, found in zip(scores(), verified, strict=True)
    ]
    searched = [searches_with_intervals(search(one, experiment(20)), (0.5, 0.2), (1,)) for one in scores()]
    choices = pb.permute(scores(), pb.Pool(samples()), design=pb.designs.ImageChoice(200))
    strat = strat_study(scores()[:2], samples=samples(), n_images=IMAGES)
    sizes = [size_curve(one.outcomes, "all", (2, 5, 10, 40), 1, 0.95) for one in entries]
    made = [
        cmc_chart(entries),
        cmc_chart(entries[:2], id="bands", title="Two curves"),
        gallery_size_chart(sizes),
        pairs_chart("forest", "pairs", "Differences between algorithms", comparison),
        det_chart(verified),
        shown(scores_of(score_counts(verified[0]))),
        search_chart(searched),
        shown(groups_of(grouped, "fnmr", verified[0].answers, "fnmr")),
        shown(groups_of(grouped, "fmr", verified[0].answers, "fmr")),
        shown(
            galleries(
                gallery_variation(
                    scores(), experiment(), measure=pb.measures.RecognitionRate(1), design=Galleries(3)
                )
            )
        ),
        gallery_effect_chart(strat.effects),
        shown(differences(choices, [NAMES[:2], NAMES[1:]])),
        shown(concentration(hard_subjects_of(scores()[0], experiment(), verified[0].points[0].counts))),
    ]
    return {one.id: one for one in made}


IDS = ("cmc", "bands", "gallery-size", "forest", "det", "scores", "search", "fnmr", "fmr",
       "galleries", "gallery-effect-chart", "choice-differences-chart", "hard-subjects")  # fmt: skip


def roots(chart: ChartBlock) -> dict[str, ElementTree.Element]:
    return {scale: ElementTree.fromstring(text) for scale, text in chart.drawings.items()}


def groups(root: ElementTree.Element) -> list[ElementTree.Element]:
    return [one for one in root.iter(f"{SVG}g") if "series" in one.attrib["class"].split()]


def lines(group: ElementTree.Element, kind: str = "line") -> list[np.ndarray]:
    return [
        followed(one.attrib["d"])
        for one in group.iter(f"{SVG}path")
        if one.attrib["class"].split()[0] == kind
    ]


def places(root: ElementTree.Element) -> np.ndarray:
    """Every coordinate in a drawing."""
    found = []
    for one in root.iter():
        kind = one.tag.removeprefix(SVG)
        has = {key: float(value) for key, value in one.attrib.items() if re.fullmatch(r"-?[\d.]+", value)}
        if kind == "path" and one.attrib["class"] != "hatching":
            found += followed(one.attrib["d"]).tolist()
        elif kind == "circle":
            found += [
                (has["cx"] - has["r"], has["cy"] - has["r"]),
                (has["cx"] + has["r"], has["cy"] + has["r"]),
            ]
        elif kind == "line":
            found += [(has["x1"], has["y1"]), (has["x2"], has["y2"])]
        elif kind == "rect":
            found += [(has["x"], has["y"]), (has["x"] + has["width"], has["y"] + has["height"])]
        elif kind == "text":
            found.append((has["x"], has["y"]))
        elif kind == "polygon":
            found += [tuple(map(float, pair.split(","))) for pair in one.attrib["points"].split()]
    return np.array(found)


@pytest.mark.parametrize("id", IDS)
def test_every_chart_is_whole(id):
    chart = charts()[id]
    assert chart.see
    assert chart.data.rows
    assert all(len(row) == len(chart.data.columns) for row in chart.data.rows)
    seen = set()
    for scale, root in roots(chart).items():
        text = chart.drawings[scale]
        assert "nan" not in text.lower().replace("name", "")
        assert "inf" not in re.sub(r"[a-z ]{4,}", "", text)
        _, _, width, height = map(float, root.attrib["viewBox"].split())
        found = places(root)
        assert np.isfinite(found).all()
        assert (found >= 0).all()
        assert (found <= [width, height]).all()
        named = {one.attrib["id"]: one for one in root if "id" in one.attrib}
        title, described = (named[one] for one in root.attrib["aria-labelledby"].split())
        assert title.text == chart.title
        assert described.text
        assert described.text != chart.see
        assert root.attrib["role"] == "img"
        seen |= {one.attrib["id"] for one in root.iter() if "id" in one.attrib}
        if chart.looks:
            assert {one.attrib["data-name"] for one in groups(root)} <= {name for name, _ in chart.looks}
    assert len(seen) >= 3 * len(chart.drawings)  # no id is in two drawings


@pytest.mark.parametrize("id", IDS)
def test_a_script_can_turn_places_into_data(id):
    """The dots and lines lie where the axes say the points are."""
    for root in roots(charts()[id]).values():
        a = root.attrib
        x = AxisScale(
            a["data-scale-x"], *map(float, (a["data-x0"], a["data-x1"], a["data-left"], a["data-right"]))
        )
        y = AxisScale(
            a["data-scale-y"], *map(float, (a["data-y0"], a["data-y1"], a["data-bottom"], a["data-top"]))
        )
        for group in groups(root):
            if group.attrib["data-shape"] == "point" or "data-points" not in group.attrib:
                continue
            points = np.array(
                [pair.split(",") for pair in group.attrib["data-points"].split(";")], dtype=float
            )
            near = np.min(
                [distances(x(points[:, 0]), y(points[:, 1]), line) for line in lines(group)], axis=0
            )
            assert near.max() < 0.6, group.attrib["data-name"]


@pytest.mark.parametrize("id", ["cmc", "bands", "det", "search", "gallery-size", "hard-subjects"])
def test_monotone_curves_stay_monotone(id):
    for root in roots(charts()[id]).values():
        for group in groups(root):
            for one in lines(group):
                across, down = np.diff(one, axis=0).T
                assert (across >= -1e-9).all()
                assert (down <= 1e-9).all() or (down >= -1e-9).all()


def test_curves_of_errors_end_at_a_single_error():
    verified = [verify(one, experiment(), n_resamples=0) for one in scores()]
    for root in roots(det_chart(verified)).values():
        for group, found in zip(groups(root), verified, strict=True):
            counts = found.rates.counts
            points = [pair.split(",") for pair in group.attrib["data-points"].split(";")]
            assert min(float(x) for x, _ in points) >= (1 - 1e-5) / counts.n_impostor
            assert min(float(y) for _, y in points) >= (1 - 1e-5) / counts.n_genuine
        marks = {one.attrib["class"] for one in root.iter() if "class" in one.attrib}
        assert {"unsupported", "hatch", "reference"} <= marks


def test_the_points_of_a_curve_are_its_own():
    evaluation = pb.evaluate(scores(), experiment())
    for root in roots(cmc_chart(evaluation.entries)).values():
        for group, entry in zip(groups(root), evaluation.entries, strict=True):
            for rank, rate in (pair.split(",") for pair in group.attrib["data-points"].split(";")):
                assert float(rate) == pytest.approx(entry.curve.at(int(rank)), rel=1e-5)
            assert group.attrib["data-name"] == entry.algorithm
            assert len(lines(group, "band")) == 1
    relative = cmc_chart(evaluation.entries, relative=True)
    assert relative.data == cmc_chart(evaluation.entries).data
    for root in roots(relative).values():
        for group, entry in zip(groups(root), evaluation.entries, strict=True):
            for share, rate in (pair.split(",") for pair in group.attrib["data-points"].split(";")):
                rank = round(float(share) * entry.curve.facts.n_gallery_subjects)
                assert float(rate) == pytest.approx(entry.curve.at(rank), rel=1e-5)


def test_curves_of_errors_are_read_at_the_same_rates():
    verified = [verify(one, experiment(), n_resamples=0) for one in scores()]
    for root in roots(det_chart(verified)).values():
        for group, found in zip(groups(root), verified, strict=True):
            for fmr, fnmr in (pair.split(",") for pair in group.attrib["data-points"].split(";")):
                exact = found.rates.misses_at_fmr(float(fmr)) / found.rates.counts.n_genuine
                # Jumps at a genuine score keep what the stricter threshold attains.
                assert float(fnmr) == pytest.approx(exact, rel=1e-5), fmr


def test_bars_beside_their_rate_are_said_to_be():
    verified = [verify(one, experiment(), n_resamples=0) for one in scores()]
    assert "side by side" in det_chart(verified).notes[1]
    assert "side by side" not in det_chart(verified[:1]).notes[1]


def test_algorithms_without_errors_have_a_place():
    ids = [f"{side}{k}" for side in "gp" for k in range(12)]
    people = pb.Samples({"id": ids, "subject": [one[1:] for one in ids]})
    perfect = pb.Scores.from_array(
        np.eye(12) + 0.001 * np.arange(144).reshape(12, 12) / 144,
        ids[12:],
        ids[:12],
        orientation="similarity",
        name="perfect",
    )
    found = verify(perfect, pb.Experiment(people, gallery=ids[:12]), n_resamples=0)
    chart = det_chart([found])
    assert "perfect no errors" in chart.drawings["probit"]
    for root in roots(chart).values():
        assert any(one.attrib.get("class") == "dot beyond" for one in root.iter())
        assert "data-points" not in groups(root)[0].attrib


def test_bands_are_for_few_curves():
    evaluation = pb.evaluate(scores()[:1], experiment())
    root = roots(cmc_chart(evaluation.entries * 7))["log"]
    assert not any(lines(group, "band") for group in groups(root))
    assert len(groups(root)) == 7


def test_long_curves_are_small():
    rng = np.random.default_rng(0)
    ranks = np.sort(rng.pareto(0.45, 20_000) * 0.8 + 1)
    x = np.arange(1.0, 10_001)
    values = np.searchsorted(ranks, x, side="right") / len(ranks)
    first = pb.evaluate(scores()[:1], experiment()).bands()[0]
    band = replace(first, values=values, low=values, high=values)
    named = [replace(band, facts=replace(band.facts, algorithm=f"algorithm {k}")) for k in range(50)]
    assert sum(map(len, drawings(cmc(named)).values())) < 250_000
    one = drawings(cmc(named[:1]))
    for text in one.values():
        group = text[text.index("<g class") :]
        assert len(re.sub(r'<path class="band".*?</path>', "", group)) < 3_000


def test_a_forest_says_what_was_decided():
    comparison = pb.compare(
        {one.name: one for one in scores()}, experiment(), measure=pb.measures.RecognitionRate(1)
    )
    chart = pairs_chart("forest", "pairs", "Differences", comparison)
    (root,) = roots(chart).values()
    a = root.attrib
    x = AxisScale("linear", *(float(a[key]) for key in ("data-x0", "data-x1", "data-left", "data-right")))
    dots = [float(one.attrib["cx"]) for one in root.iter(f"{SVG}circle")]
    assert dots == pytest.approx([x.at(pair.value) for pair in comparison.pairs], abs=0.01)
    (margin,) = (one for one in root.iter(f"{SVG}rect") if one.attrib["class"] == "margin")
    assert float(margin.attrib["x"]) == pytest.approx(x.at(-comparison.margin), abs=0.01)
    said = [one.text for one in root.iter(f"{SVG}text")]
    assert [pair.verdict for pair in comparison.pairs] == [one for one in said if one in ("better", "worse", "equivalent", "undecided")]  # fmt: skip
    assert [row[-1].text for row in chart.data.rows] == [pair.verdict for pair in comparison.pairs]
    assert [row[2].value for row in chart.data.rows] == [100 * pair.value for pair in comparison.pairs]
    with pytest.raises(UsageError, match="no pairs"):
        forest(comparison, [])


def test_pairs_that_read_alike_are_drawn_apart():
    """That of "a" and "b − c", and that of "a − b" and "c"."""
    names = ("a", "a − b", "b − c", "c")
    ids = list(samples().ids)
    rng = np.random.default_rng(1)
    made = [
        pb.Scores.from_array(
            rng.normal(size=(len(ids), len(ids))) + lift * np.equal.outer(samples().codes, samples().codes),
            ids,
            ids,
            orientation="similarity",
            name=name,
        )
        for lift, name in zip((4, 3, 2, 1), names, strict=True)
    ]
    choices = pb.permute(made, pb.Pool(samples()), design=pb.designs.ImageChoice(50))
    pairs = [("a", "b − c"), ("a − b", "c")]
    chart = shown(differences(choices, pairs))
    assert [name for name, _ in chart.looks] == ["a − b − c"] * 2
    means = [100 * choices.difference(*pair).mean for pair in pairs]
    assert [row[2].value for row in chart.data.rows] == means
    assert means[0] != means[1]


@pytest.mark.parametrize("id", IDS)
def test_curves_can_be_read_and_rows_cannot(id):
    """A script finds out by the points, not by what axes are called."""
    in_rows = id in ("forest", "fnmr", "fmr", "galleries", "gallery-effect-chart")
    for root in roots(charts()[id]).values():
        assert ["data-points" in one.attrib for one in groups(root)] == [not in_rows] * len(groups(root))


def test_histograms_have_the_area_one():
    (root,) = roots(charts()["scores"]).values()
    a = root.attrib
    points = [pair.split(",") for pair in groups(root)[0].attrib["data-points"].split(";")]
    heights = np.array([float(y) for _, y in points])
    edges = [(row[0].value, row[1].value) for row in charts()["scores"].data.rows]
    widths = np.array([high - low for low, high in edges])
    assert float(heights @ widths) == pytest.approx(1, rel=1e-4)
    assert float(a["data-y0"]) == 0
    assert all(high == pytest.approx(low) for (_, high), (low, _) in pairwise(edges))


@pytest.mark.parametrize("pairs", [False, True])
def test_expected_people_are_those_of_drawing(pairs):
    """Errors dealt out by a generator, many times, against the closed form."""
    rng = np.random.default_rng(2)
    if pairs:
        people, errors, own = 12, 9, np.full(12, 11)
        drawn = [
            np.concatenate([rng.choice(people, 2, replace=False) for _ in range(errors)]) for _ in range(1500)
        ]
        expected = expected_people(own, 2 * errors, pairs=True)
    else:
        own = np.array([1, 1, 2, 3, 3, 5, 8])
        people, errors = len(own), 6
        whose = np.repeat(np.arange(people), own)
        drawn = [rng.choice(whose, errors, replace=False) for _ in range(1500)]
        expected = expected_people(own, errors, pairs=False)
    counts = np.array([np.bincount(np.bincount(one, minlength=people), minlength=20)[:20] for one in drawn])
    simulated = counts.mean(axis=0)[: len(expected)]
    assert expected.sum() == pytest.approx(people, abs=1e-3)
    assert expected == pytest.approx(simulated, abs=6 * counts.std(axis=0).max() / np.sqrt(1500))


def test_nothing_to_draw_is_said():
    for draw in (cmc_chart, det_chart, search_chart, gallery_effect_chart, gallery_size_chart):
        with pytest.raises(UsageError, match=r"no (curves|galleries)"):
            draw([])


@pytest.mark.parametrize(
    ("id", "scale"), [("bands", "log"), ("forest", "linear"), ("det", "probit"), ("fnmr", "log")]
)
def test_drawings_are_as_they_were(id, scale):
    """To write them anew after a change that is meant: PROBAND_GOLDEN=1."""
    text = charts()[id].drawings[scale] + "\n"
    kept = GOLDEN / f"{id}-{scale}.svg"
    if os.environ.get("PROBAND_GOLDEN"):
        kept.write_text(text, encoding="utf-8")
    assert text == kept.read_text(encoding="utf-8")
