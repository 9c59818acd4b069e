"""Names that hold what is not seen, or what turns the direction of writing, are shown as they are wherever people read them."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.text import Text
from tests.report.page import finding

import proband as pb
from proband.analyses.comparison.run import ComparedAlgorithms
from proband.analyses.identification.run import Identified
from proband.report.page.build import build_page
from proband.report.page.render import render_page
from proband.report.scene import Scene
from proband.study.findings import Findings
from proband.words import UNPRINTABLE, printable, visible

TURNING = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
UNSEEN = "\x00\x07\x1b\x7f\x85\xad\u180e\u200b\u2028\u2029\u2060\u2064\u206f\ufeff\ufffa\U000e0041"
NAME, OTHER = "pca\u202egnp\u2066", "pc\u200ba"
SHOWN = (r"pca\u202egnp\u2066", r"pc\u200ba")


@pytest.mark.parametrize("mark", [*TURNING, *UNSEEN, "\u200c", "\u200d", "\ud800"])
def test_every_such_mark_is_written_as_its_number(mark: str) -> None:
    for shown in (visible(f"a{mark}b"), printable(f"a{mark}b")):
        assert mark not in shown
        assert re.fullmatch(r"a\\(x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8})b", shown)


@pytest.mark.parametrize(
    "text", ["é", "naïve", "人", "مدل دو", "می\u200cخواهم", "a\tb\nc", "👩\u200d💻", "π²"]
)
def test_what_belongs_to_a_script_stays(text: str) -> None:
    assert visible(text) == text


@cache
def study() -> tuple[pb.results.Evaluation, pb.results.Comparison]:
    n = 30
    ids = [f"{side}{k}" for side in "gp" for k in range(n)]
    samples = pb.Samples({"id": ids, "subject": [one[1:] for one in ids], "sex": ["f\u202e", "m"] * n})
    rng = np.random.default_rng(4)
    scores = [
        pb.Scores.from_array(rng.normal(size=(n, n)) + lift * np.eye(n), ids[n:], ids[:n], orientation="similarity", name=name)
        for name, lift in ((NAME, 4.0), (OTHER, 2.0))
    ]  # fmt: skip
    evaluation = pb.evaluate(scores, pb.Experiment(samples, gallery=ids[:n]), by="sex")
    return evaluation, pb.compare(
        [one.outcomes for one in evaluation.of(None)], measure=pb.measures.RecognitionRate(1)
    )


def the_page() -> str:
    evaluation, comparison = study()
    parts = {
        "identification": Identified(evaluation),
        "comparison": ComparedAlgorithms({"rank-1": comparison}),
    }
    return render_page(build_page(Scene(Findings(f"Of {NAME}", finding.PROVENANCE, parts))))


FORMS: dict[str, Callable[[Any], str]] = {
    "repr": repr,
    "Markdown": lambda result: result.to_markdown(),
    "LaTeX": lambda result: result.to_latex().replace(r"\textbackslash{}", "\\"),
    "notebook": lambda result: result._repr_html_(),
}


@pytest.mark.parametrize("form", FORMS)
def test_results_show_their_names_as_they_are(form: str) -> None:
    for result in study():
        text = FORMS[form](result)
        assert not UNPRINTABLE.search(text)
        assert all(name in text for name in SHOWN)


def test_the_page_shows_names_as_they_are() -> None:
    text = the_page()
    assert not UNPRINTABLE.search(text)
    assert all(name in text for name in SHOWN)
    assert r"sex f\u202e" in text


def test_data_keep_every_name() -> None:
    evaluation, _ = study()
    page = build_page(Scene(Findings("t", finding.PROVENANCE, {"identification": Identified(evaluation)})))
    results = json.loads(page.embedded["results-summary.json"])
    assert {one["algorithm"] for one in results["identification"]["evaluation"]["results"]} == {NAME, OTHER}
    assert set(evaluation.to_frame()["algorithm"]) == {NAME, OTHER}
    assert evaluation.to_dict()["results"][0]["algorithm"] == NAME


def test_figures_show_names_as_they_are(tmp_path: Path) -> None:
    figure = study()[0].plot()
    pb.save_figure(figure, tmp_path / "cmc.svg")
    texts = [one.get_text() for one in figure.findobj(Text)]
    assert not any(UNPRINTABLE.search(one) for one in texts)
    assert all(any(name in one for one in texts) for name in SHOWN)
    assert not UNPRINTABLE.search((tmp_path / "cmc.svg").read_text())


def test_commands_print_and_write_names_as_they_are(tmp_path: Path, run: Callable[..., Any]) -> None:
    n = 12
    ids = [f"{side}{k}" for side in "gp" for k in range(n)]
    rows = "\n".join(f"{one},{one[1:]},{one[0]}" for one in ids)
    (tmp_path / "samples.csv").write_text(f"id,subject,side\n{rows}\n")
    values = {"a": np.eye(n), "b": np.eye(n)[::-1] + 2 * np.eye(n)}
    np.savez(tmp_path / "scores.npz", **values, query_ids=ids[n:], target_ids=ids[:n])
    asked = (
        "evaluate", f"{NAME}=scores.npz::a", f"{OTHER}=scores.npz::b", "-s", "samples.csv", "--orientation", "similarity",
        "--csv", "table.csv", "--latex", "table.tex", "--model-card", "card.md", "--explain",
    )  # fmt: skip
    done = run(*asked, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    made = {name: (tmp_path / name).read_text() for name in ("table.csv", "table.tex", "card.md")}
    for text in (done.stdout, *made.values()):
        assert not UNPRINTABLE.search(text)
        assert all(name in text.replace(r"\textbackslash{}", "\\") for name in SHOWN)
    assert [row["algorithm"] for row in csv.DictReader(io.StringIO(made["table.csv"]))] == [*SHOWN]
    written = run(*asked[:7], "--json", cwd=tmp_path)
    assert [
        one["algorithm"] for one in json.loads(written.stdout)["identification"]["evaluation"]["results"]
    ] == [NAME, OTHER]
    assert not UNPRINTABLE.search(written.stdout)
