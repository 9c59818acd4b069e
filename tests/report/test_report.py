from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import proband as pb
from proband.analyses.identification.run import Identified
from proband.errors import InputError, UsageError
from proband.report import cmc_figure, evaluation_figure, save_figure, statements
from proband.report.writer import write_run
from proband.study.findings import Findings, Provenance
from proband.words import as_sentence


@pytest.fixture
def evaluation(study: Path) -> pb.results.Evaluation:
    samples = pb.Samples.read(study / "samples.csv", failed="not found")
    scores = list(pb.read_scores(study / "scores.npz", samples, orientation="similarity").values())
    return pb.evaluate(
        scores,
        pb.data.experiment_over(scores, samples),
        categories=[pb.Category("glasses", "probe.glasses"), pb.Category("bare", "not probe.glasses")],
    )


def test_numbers_agree_everywhere(evaluation: pb.results.Evaluation, tmp_path: Path) -> None:
    found = Findings("Found", Provenance("none"), {"identification": Identified(evaluation)})
    report = write_run(found, tmp_path / "out", formats=("csv",))
    stored = json.loads((tmp_path / "out" / "results.json").read_text())["identification"]["evaluation"]
    frame = evaluation.to_frame(wide=True)
    for place, entry in enumerate(evaluation.entries):
        rate = entry.curve.at(1)
        assert stored["results"][place]["estimates"]["1"]["value"] == rate
        assert frame["rank_1"][place] == rate
        assert f"{rate:.4f}" in report.read_text()
        naive = np.mean([r <= 1 for r in entry.outcomes.ranks])
        assert rate == naive


def test_statements_say_what_was_left_out(evaluation: pb.results.Evaluation) -> None:
    said = " ".join(map(as_sentence, statements(evaluation)))
    assert "Gallery: 12 images of 12 people" in said
    assert "1 probe and 0 gallery images" in said
    assert "What varies: new people searched in this gallery, with one probe each" in said


def test_open_universe_is_said(study: Path) -> None:
    samples = pb.Samples.read(study / "samples.csv")
    scores = list(pb.read_scores(study / "scores.npz", samples, orientation="similarity").values())
    gallery = [name for name in scores[0].targets if name != "p05-1"]
    said = " ".join(
        map(
            as_sentence,
            statements(
                pb.evaluate(
                    scores, pb.data.experiment_over(scores, samples, gallery=gallery, probes="session == 2")
                )
            ),
        )
    )
    assert "Open universe: 1 more probe has no mate" in said
    assert "11 images of 11 people" in said


def test_figure_draws_what_was_measured(evaluation: pb.results.Evaluation, tmp_path: Path) -> None:
    figure = evaluation_figure(evaluation)
    axes = [axis for axis in figure.axes if axis.get_visible()]
    assert len(axes) == 3
    drawn = axes[0].lines[0].get_ydata()
    assert np.array_equal(drawn, evaluation.curves()[0].values)
    for name in ("a.svg", "b.svg"):
        save_figure(figure, tmp_path / name)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    with pytest.raises(UsageError):
        save_figure(figure, tmp_path / "a.gif")
    with pytest.raises(UsageError):
        cmc_figure({})


def test_many_algorithms_still_have_a_legend(evaluation: pb.results.Evaluation) -> None:
    curves = [evaluation.curves()[0].named(f"algorithm {k}") for k in range(20)]
    figure = cmc_figure({"all": curves})
    told = [text.get_text() for text in figure.legends[0].get_texts()]
    assert len(told) == 9
    assert told[-1] == "the other 12 (labelled where space permits)"
    assert {text.get_text() for text in figure.axes[0].texts} & {curve.facts.algorithm for curve in curves}


def test_a_failed_write_leaves_nothing(evaluation: pb.results.Evaluation, tmp_path: Path) -> None:
    def fail(directory: Path) -> None:
        raise InputError("no")

    with pytest.raises(InputError):
        write_run(
            Findings("t", Provenance("none"), {"identification": Identified(evaluation)}),
            tmp_path / "out",
            (),
            attach=fail,
        )
    assert [path for path in tmp_path.iterdir() if path.name.startswith((".", "out"))] == []


def test_data_in_a_directory_of_results_is_not_replaced(
    evaluation: pb.results.Evaluation, tmp_path: Path
) -> None:
    def attach(directory: Path) -> None:
        (directory / "data").mkdir()
        (directory / "data" / "scores.npz").write_text("what others compute from")

    found, attached = (
        Findings("t", Provenance("none"), {"identification": Identified(evaluation)}),
        ("data", "data/scores.npz"),
    )
    write_run(found, tmp_path / "demo", (), attach=attach, attached=attached)
    with pytest.raises(InputError, match="not replaced: 'data'"):
        write_run(found, tmp_path / "demo", ())
    assert (tmp_path / "demo" / "data" / "scores.npz").is_file()
    write_run(found, tmp_path / "demo", (), attach=attach, attached=attached)
