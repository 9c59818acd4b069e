from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import proband as pb
from proband.analyses.feret.figures import study_figures
from proband.analyses.feret.statements import study_statements
from proband.analyses.feret.tables import gallery_size, leaderboards, size_tables, variation_table
from proband.analyses.feret.view import FeretView
from proband.designs import Galleries
from proband.errors import UsageError
from proband.inference.galleries.feret_results import FeretStudy
from proband.inference.galleries.feret_study import feret_study
from proband.inference.galleries.rejection import Rejection
from proband.report.figures.style import save_figure
from proband.report.notes import bullets
from proband.report.tables.formats import as_markdown
from proband.report.tables.table import Table
from proband.report.tables.terminal import as_terminal
from proband.report.writer import write_run
from proband.study.findings import Findings, Provenance
from proband.words import Sentence, as_sentence

N = 12


@pytest.fixture(scope="module")
def study() -> FeretStudy:
    rng = np.random.default_rng(0)
    ids = [f"p{k:02d}-{image}" for k in range(N) for image in range(3)]
    samples = pb.Samples(
        {
            "id": ids,
            "subject": [name[:3] for name in ids],
            "image": [int(name[-1]) for name in ids],
            "day": [10 * (n // 3) + 400 * (n % 3 == 2) for n in range(3 * N)],
        }
    )
    mates = np.array([name[:3] for name in ids])
    same = mates[:, None] == mates[None, :]
    scores = [
        pb.Scores.from_array(
            rng.normal(size=same.shape) + strength * same, ids, orientation="similarity", name=name
        )
        for name, strength in (("go|od", 4.0), ("fair", 2.0), ("[poor]", 1.0))
    ]
    return feret_study(
        scores,
        pb.Experiment(samples, gallery="image == 0"),
        categories=[pb.Category("later", "probe.day > mate.day and probe.subject > 'p05'")],
        versions=[("[poor]", "fair")],
        improvements=[("fair", "go|od")],
        galleries=Galleries(2, order="day"),
        ages="day",
        sizes=(4, 8, N),
        rejection=Rejection(0.25, (0.2,)),
    )


def texts(table: Table) -> list[tuple[str, ...]]:
    return [tuple(cell.text for cell in row) for row in table.rows]


def test_variation_table_is_as_in_the_paper(study: FeretStudy) -> None:
    table = variation_table(study.variation[1], intervals=False)
    rows = {row[0]: row for row in texts(table)}
    assert rows["fair"][1] == "–"  # nobody of the first gallery has a later probe
    assert rows["fair"][2].endswith(")")
    assert rows["average"][1] == "–"
    assert rows["people"][1:3] == ("6", "6")
    assert rows["probes"][1:3] == ("0", "6")
    assert rows["mean age"][1:3] == ("–", "400")
    assert "6 in each; 6 probes" in table.caption
    assert variation_table(study.variation[1]).rows[0][2].below is not None


def test_leaderboard_states_sizes_and_sets_versions_apart(study: FeretStudy) -> None:
    (table,) = leaderboards(study)
    assert "gallery of 12 people" in table.caption
    assert [one.title for one in table.columns] == ["algorithm", "all probes\n24 probes", "later\n6 probes"]
    assert [row[0] for row in texts(table)] == [
        "go|od",
        "fair",
        "[poor] (fully automatic)",
        "average of 2",
        "current upper bound (best at rank 1)",
    ]
    assert "(1)" in table.rows[0][1].text
    assert "(" not in table.rows[2][1].text


def test_names_survive_markup(study: FeretStudy) -> None:

    shown = "".join(as_terminal(table, 200).plain for table in FeretView().tables(study))
    assert "[poor]" in shown
    assert "go\\|od" in as_markdown(FeretView().tables(study)[0])


def test_sizes_of_galleries() -> None:
    assert gallery_size(3, 5) == "3 people, 5 images"


def test_statements_say_the_rules(study: FeretStudy) -> None:
    said = " ".join(map(as_sentence, study_statements(study)))
    for words in (
        "Too easy: the best algorithm's miss rate is below the smallest difference",
        "Held fixed: the algorithms",
        "in days for dates",
        "removed from the gallery",
    ):
        assert words in said
    assert len(study_statements(study)) == len(set(study_statements(study)))


@pytest.mark.long
def test_figures_are_drawn_in_time_order_and_the_same_every_time(study: FeretStudy, tmp_path: Path) -> None:
    figures = {name: draw() for name, draw in study_figures(study).items()}
    assert set(figures) == {"cmc", "average", "upper_bound", "versions", "improvements", "variation", "sizes"}
    assert [axis.get_title(loc="left").strip() for axis in figures["variation"].axes] == [
        "all probes",
        "later",
    ]
    dashed = {
        line.get_label(): line.is_dashed()
        for line in figures["versions"].axes[0].lines
        if line.get_label()[0] != "_"
    }
    assert dashed == {"fair (partially automatic)": False, "[poor] (fully automatic)": True}
    write_run(Findings("Drawn anew", Provenance("none"), {"feret": study}), tmp_path / "anew")
    anew = tmp_path / "anew" / "figures"
    names = {path.name for path in anew.iterdir()}
    assert {f"feret_{name}.svg" for name in figures} == names
    for name, figure in figures.items():
        save_figure(figure, tmp_path / f"{name}.svg")
        assert (tmp_path / f"{name}.svg").read_bytes() == (anew / f"feret_{name}.svg").read_bytes()


def test_names_from_anybody_are_escaped_in_markdown() -> None:
    rng = np.random.default_rng(1)
    ids = [f"p{k}-{image}" for k in range(6) for image in range(2)]
    samples = pb.Samples(
        {"id": ids, "subject": [name[:2] for name in ids], "image": [int(name[-1]) for name in ids]}
    )
    names = ("a|b <script>alert(1)</script> & c", "lower")
    scores = [
        pb.Scores.from_array(
            rng.normal(size=(12, 12)) + 3 * np.kron(np.eye(6), np.ones((2, 2))),
            ids,
            orientation="similarity",
            name=name,
        )
        for name in names
    ]
    made = feret_study(
        scores,
        pb.Experiment(samples, gallery="image == 0"),
        improvements=[("lower", names[0])],
        sizes=(3, 6),
    )
    slow = Sentence("test.slow", "note", "{name} was slow")
    notes = (slow(name=names[0]), slow(name="lower"), Sentence("test.nothing", "note", "nothing else")())
    made = replace(made, notes=notes)
    report = (
        "\n\n".join([*map(as_markdown, FeretView().tables(made)), bullets(study_statements(made))]) + "\n"
    )
    assert "<script>" not in report
    assert "a\\|b &lt;script&gt;alert(1)&lt;/script&gt; &amp; c" in report
    for line in report.splitlines():
        if line.startswith("|") and "script" in line:
            assert len(re.findall(r"(?<!\\)\|", line)) in {3, 4, 7, 8}, line
    assert "\n- lower was slow.\n- Nothing else." in report
    assert "Gallery sizes: here ranks count people" not in report


def test_sizes_say_that_they_count_people_and_rejection_says_its_rules() -> None:
    rng = np.random.default_rng(2)
    ids = [f"p{k:02d}-{image}" for k in range(20) for image in range(3)]
    samples = pb.Samples(
        {
            "id": ids,
            "subject": [name[:3] for name in ids],
            "image": [int(name[-1]) for name in ids],
            "found": [name != "p07-0" and name != "p07-1" for name in ids],
        },
        failed="not found",
    )
    scores = [
        pb.Scores.from_array(
            rng.normal(size=(60, 60)) + 2 * np.kron(np.eye(20), np.ones((3, 3))),
            ids,
            orientation="similarity",
            name="net",
        )
    ]
    experiment = pb.Experiment(samples, gallery="image < 2")
    asked = {"sizes": (10, 19), "rejection": Rejection(0.25, (0.5,))}
    made = feret_study(scores, experiment, **asked)
    said = " ".join(map(as_sentence, study_statements(made)))
    assert "the other tables count images, of which people have several" in said
    assert "ranks count people" in size_tables(made)[0].caption
    assert "a non-mate with the same score ranks before the mate" in said
    assert made.rejection is not None
    assert made.rejection.results[0].searches.n_enrolled == 14
    assert "Rejection: of 15 people in the gallery, 14 are enrolled; all images of the others failed." in said
    assert (
        "Gallery sizes: of 20 people in the gallery, 19 are enrolled; all images of the others failed."
        in said
    )
    with pytest.raises(UsageError, match="gallery of 19 people who could be enrolled has 1 to 19"):
        feret_study(scores, experiment, sizes=(20,))
    by_people = feret_study(scores, experiment, counting="subjects", **asked)
    assert "of which people have several" not in " ".join(map(as_sentence, study_statements(by_people)))
    assert "ranks count people" not in size_tables(by_people)[0].caption
    assert by_people.sizes[0].rates[-1] == pytest.approx(by_people.evaluation.entries[0].curve.at(1))


def test_one_is_not_many() -> None:
    assert gallery_size(1, 1) == "1 person"
    assert gallery_size(1, 2) == "1 person, 2 images"
