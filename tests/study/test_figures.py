"""No figure leaves an algorithm out without a word."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from matplotlib.text import Text

import proband as pb
from proband.analyses.choices.view import left_undrawn
from proband.report.scene import Scene
from proband.report.writer import figures_of
from proband.study.findings import Findings
from proband.study.reading import read_study
from proband.study.run import run

# One model of all algorithms: how it fits.
OF_A_MODEL = ("covariates_fit",)
ALGORITHMS = [f"alg-{k:02d}" for k in range(12)]
STUDY = """
[samples]
file = "samples.csv"
[[scores]]
file = "all.npz"
orientation = "similarity"
query_ids = "ids"
target_ids = "ids"
[experiment]
gallery = "number == 0"
[[comparison]]
[verification]
fmr = [0.1]
n_resamples = 0
by = ["sex", "number"]
[search]
gallery = "number == 0 and subject < 's08'"
probes = "number == 1"
fpir = [0.4]
[choices]
n_resamples = 100
[strat]
n_images = 4
[feret]
galleries = 2
sizes = [5]
[covariates]
on = "sex + algorithm"
[partition]
"""


@pytest.fixture(scope="module")
def findings(tmp_path_factory: pytest.TempPathFactory) -> Findings:
    """A study of twelve algorithms with every analysis in it, carried out."""
    place = tmp_path_factory.mktemp("twelve")
    rng = np.random.default_rng(5)
    ids = [f"s{s:02d}-{k}" for s in range(16) for k in range(4)]
    own = np.array([name[:3] for name in ids])
    scores = {
        name: rng.normal(size=(64, 64)) + (1 + 0.1 * k) * (own[:, None] == own)
        for k, name in enumerate(ALGORITHMS)
    }
    np.savez(place / "all.npz", ids=np.array(ids), **scores)
    columns = {"id": ids, "subject": own, "number": [0, 1, 2, 3] * 16, "sex": ["f", "m"] * 32}
    pl.DataFrame(columns).write_csv(place / "samples.csv")
    (place / "study.toml").write_text(STUDY, encoding="utf-8")
    return run(read_study(place / "study.toml"))


@pytest.mark.long
def test_every_figure_names_all_algorithms_or_says_how_many_it_draws(findings: Findings) -> None:
    figures = {name: draw() for name, draw in figures_of(Scene(findings)).items()}
    assert len(figures) > 8
    silent = {}
    for name, figure in figures.items():
        said = " ".join(
            " ".join(part.get_text().split()) for part in figure.findobj(Text) if part.get_visible()
        )
        absent = [one for one in ALGORITHMS if one not in said]
        if absent and "of 12 algorithms" not in said and "the other 4" not in said and name not in OF_A_MODEL:
            silent[name] = absent
    assert silent == {}


@pytest.mark.long
def test_figures_of_choices_say_what_they_leave_out(tmp_path: Path, run: Callable[..., Any]) -> None:
    rng = np.random.default_rng(1)
    names = [f"alg-{k:02d}" for k in range(14)]
    ids = [f"s{s}-{k}" for s in range(6) for k in range(3)]
    own = np.array([name[:2] for name in ids])
    strengths = np.linspace(0.5, 2, 14)
    scores = {
        name: rng.normal(size=(18, 18)) + much * (own[:, None] == own)
        for name, much in zip(names, strengths, strict=True)
    }
    np.savez(tmp_path / "all.npz", ids=np.array(ids), **scores)
    pl.DataFrame({"id": ids, "subject": own}).write_csv(tmp_path / "samples.csv")
    words = (
        "all.npz",
        "-s",
        "samples.csv",
        "--orientation",
        "similarity",
        "--query-ids",
        "ids",
        "--target-ids",
        "ids",
    )
    done = run("permute", *words, "--trials", "100", "--out", "out", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    told = (
        "12 of 14 algorithms: the 12 with the highest",
        "15 of 91 pairs: of 14 algorithms the 6 with the highest",
    )
    for name, said in zip(("ranks", "differences"), told, strict=True):
        assert said in done.stderr
        drawn = (tmp_path / "out" / "figures" / f"choices_{name}.svg").read_text(encoding="utf-8")
        assert said.partition(":")[0] in " ".join(re.findall(r">([^<>]+)</text>", drawn))


def test_what_is_left_undrawn_is_counted() -> None:
    n, names = 6, [f"alg-{k:02d}" for k in range(14)]
    samples = pb.Samples(
        {
            "id": [f"{s}-{k}" for s in range(n) for k in range(3)],
            "subject": [s for s in range(n) for _ in range(3)],
        }
    )
    rng = np.random.default_rng(0)
    scores = [
        pb.Scores.from_array(rng.normal(size=(18, 18)), samples.ids, orientation="similarity", name=name)
        for name in names
    ]
    found = pb.permute(scores, pb.Pool(samples), design=pb.designs.ImageChoice(100))
    ranks, differences = left_undrawn(found)
    assert ranks.startswith("12 of 14 algorithms: ")
    assert differences.startswith("15 of 91 pairs: ")
    few = pb.permute(scores[:6], pb.Pool(samples), design=pb.designs.ImageChoice(100))
    assert left_undrawn(few) == ("", "")
