"""One place to add: a measure, a design, a file format, a recogniser and a section of the page from outside the package.

An installed package of one module adds them by its entry points; commands, studies and the page then know them. The same module is
named by dotted names where it is not installed, which a study may do only with leave.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from proband.study.caching import Cache
from proband.study.reading import read_study
from proband.study.run import run as carry_out

MODULE = '''
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from proband.designs import Reweighting
from proband.designs.base import BLOCK
from proband.measures import MeanMeasure
from proband.report.page.model import Paragraph, Section
from proband.samples import Ids
from proband.scores.formats import Format, ScoreFile
from proband.words import Method, Target


@dataclass(frozen=True)
class MeanReciprocalRank(MeanMeasure):
    """The mean of one over the rank."""

    key = "mrr"

    @property
    def estimand(self):
        return Target(self.key, "mean reciprocal rank")

    def of_probes(self, outcomes):
        return 1 / outcomes.ranks


@dataclass(frozen=True)
class BayesianBootstrap(Reweighting):
    """Weights of people from a flat Dirichlet distribution (Rubin 1981)."""

    n_resamples: int = 2_000

    @property
    def as_method(self):
        return Method("bayesian-bootstrap", "Bayesian bootstrap over people", "the Bayesian bootstrap over people")

    def weights(self, n_units, seed, first_block=0):
        for block in range(first_block, -(-self.n_resamples // BLOCK)):
            size = min(BLOCK, self.n_resamples - block * BLOCK)
            rng = np.random.default_rng([seed, block])
            yield n_units * rng.dirichlet(np.ones(n_units), size)


def read_toy(path, options):
    """Read a matrix of the format: a line of ids, and a line of scores for each."""
    ids, *rows = [line.split() for line in path.read_text().splitlines()[1:]]
    return ScoreFile("toy", {"toy": np.array(rows, float)}, Ids(ids), Ids(ids), orientation="similarity")


FORMAT = Format("toy", "a toy's scores", (".toy",), lambda path, head: head.startswith(b"toy"), read_toy)


def mean_pixels(images):
    """A recogniser: the mean of each row of pixels."""
    return images.reshape(len(images), images.shape[1], -1).mean(axis=2).astype(np.float32)


def section(found):
    """A section of the page."""
    told = f"{len(found.algorithms)} algorithms were looked at by a stranger."
    return Section("toy", "A stranger's section", (Paragraph(told),))
'''

ENTRY_POINTS = """
[proband.measures]
mrr = toy:MeanReciprocalRank

[proband.designs]
bayesian-bootstrap = toy:BayesianBootstrap

[proband.recognizers]
mean-pixels = toy:mean_pixels

[proband.sections]
toy = toy:section

[proband.formats]
toy = toy:FORMAT
"""

STUDY = """output.formats = ["csv"]
[samples]
file = "samples.csv"
[[scores]]
file = "scores.npz"
orientation = "similarity"
query_ids = "ids"
target_ids = "ids"
[experiment]
gallery = "number == 0"
[identification]
measures = ["{measure}"]
design = "{design}"
[[comparison]]
measure = "{measure}"
design = "{design}"
margin = 0.05
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with data, and in it a package that is installed and one that is not."""
    made = tmp_path_factory.mktemp("walks")
    ids = [f"p{person}-{number}" for person in range(12) for number in range(3)]
    rows = [f"{one},{one.split('-')[0]},{one.split('-')[1]}" for one in ids]
    (made / "samples.csv").write_text("id,subject,number\n" + "\n".join(rows) + "\n")
    people = np.array([one.split("-")[0] for one in ids])
    rng = np.random.default_rng(2)
    alike = np.equal.outer(people, people)
    scores = {name: rng.normal(size=alike.shape) + lift * alike for name, lift in (("a", 2.0), ("b", 1.0))}
    np.savez(made / "scores.npz", **scores, ids=ids)
    (made / "site" / "toy-1.0.dist-info").mkdir(parents=True)
    (made / "site" / "toy.py").write_text(MODULE)
    (made / "site" / "toy-1.0.dist-info" / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: toy\nVersion: 1.0\n"
    )
    (made / "site" / "toy-1.0.dist-info" / "entry_points.txt").write_text(ENTRY_POINTS)
    (made / "loose" / "mine").mkdir(parents=True)
    (made / "loose" / "mine" / "__init__.py").write_text("")
    (made / "loose" / "mine" / "toy.py").write_text(MODULE)
    return made


Run = Callable[..., Any]


@pytest.fixture
def found_in(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Have packages of a folder found, as ``PYTHONPATH`` has them, and forget them afterwards."""
    yield lambda site: monkeypatch.syspath_prepend(home / site)
    for name in ("toy", "mine", "mine.toy"):
        sys.modules.pop(name, None)


def by_hand(home: Path) -> dict[str, float]:
    """The mean reciprocal rank of each algorithm, from its definition."""
    with np.load(home / "scores.npz") as kept:
        held = dict(kept)
    people, number = np.array([one.split("-") for one in held["ids"]]).T
    gallery, probes = np.flatnonzero(number == "0"), np.flatnonzero(number != "0")
    found = {}
    for name in ("a", "b"):
        cells = held[name][np.ix_(probes, gallery)]
        own = people[probes][:, None] == people[gallery]
        ranks = 1 + (cells > cells[own][:, None]).sum(axis=1)
        found[name] = float((1 / ranks).mean())
    return found


def test_an_installed_measure_design_and_section_are_in_the_terminal_the_study_and_the_page(
    home: Path, run: Run, found_in: Callable[[str], None]
) -> None:
    found_in("site")
    (home / "study.toml").write_text(STUDY.format(measure="mrr", design="bayesian-bootstrap"))
    done = run("run", "study.toml", "--out", "run", "--quiet", cwd=home)
    assert done.returncode == 0, done.stderr
    results = json.loads((home / "run" / "results.json").read_text())
    measured = results["identification"]["measures"]
    expected = by_hand(home)
    assert {one["who"]["algorithm"]: one["value"] for one in measured} == pytest.approx(expected)
    for one in measured:
        assert one["low"] < one["value"] < one["high"]
        assert one["method"]["key"] == "bayesian-bootstrap"
    (pair,) = results["comparison"]["comparisons"]["mrr"]["pairs"]
    assert pair["value"] == pytest.approx(expected["a"] - expected["b"])
    page = (home / "run" / "report.html").read_text()
    assert "mean reciprocal rank" in page
    assert "2 algorithms were looked at by a stranger." in page
    assert "mrr" in (home / "run" / "tables" / "measures.csv").read_text()

    options = ("scores.npz", "-s", "samples.csv", "-g", "number == 0", "--orientation", "similarity",
               "--query-ids", "ids", "--target-ids", "ids")  # fmt: skip
    shown = run(
        "evaluate", *options, "--measure", "mrr", "--design", "bayesian-bootstrap", "--explain", cwd=home
    )
    assert shown.returncode == 0, shown.stderr
    assert "mean reciprocal rank" in shown.stdout
    assert "Bayesian bootstrap over people" in " ".join(shown.stdout.split())


def test_an_installed_format_is_read_by_commands_and_studies(
    home: Path, run: Run, found_in: Callable[[str], None]
) -> None:
    found_in("site")
    with np.load(home / "scores.npz") as kept:
        held = dict(kept)
    rows = "\n".join(" ".join(map(str, row)) for row in held["a"])
    (home / "scores.toy").write_text(f"toy\n{' '.join(held['ids'])}\n{rows}\n")
    done = run("evaluate", "scores.toy", "-s", "samples.csv", "-g", "number == 0", "--json", cwd=home)
    assert done.returncode == 0, done.stderr
    (own,) = json.loads(done.stdout)["identification"]["evaluation"]["results"]
    assert own["algorithm"] == "toy"
    shown = run("inspect", "scores.toy", "-s", "samples.csv", cwd=home)
    assert shown.returncode == 0, shown.stderr
    assert "toy" in shown.stdout
    (home / "format.toml").write_text(
        "output.formats = ['csv']\n[samples]\nfile = 'samples.csv'\n[[scores]]\nfile = 'scores.toy'\nformat = 'toy'\n"
        "[experiment]\ngallery = 'number == 0'\n[verification]\nn_resamples = 0\n"
    )
    ran = run("run", "format.toml", "--out", "format", "--quiet", cwd=home)
    assert ran.returncode == 0, ran.stderr


def test_an_installed_recogniser_is_listed(home: Path) -> None:
    """In a process of its own, as users have it."""
    done = subprocess.run(
        [sys.executable, "-m", "proband", "recognize", "--list"],
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(home / "site"), os.environ.get("PYTHONPATH", "")]),
        },
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert "mean-pixels" in done.stdout


def test_dotted_names_in_a_study_need_leave(home: Path, run: Run, found_in: Callable[[str], None]) -> None:
    found_in("loose")
    names = {"measure": "mine.toy:MeanReciprocalRank", "design": "mine.toy:BayesianBootstrap"}
    (home / "dotted.toml").write_text(STUDY.format(**names))
    refused = run("run", "dotted.toml", "--out", "dotted", "--quiet", cwd=home)
    assert refused.returncode == 2
    assert "line 12" in refused.stderr, refused.stderr
    assert "--allow-plugins" in refused.stderr
    assert not (home / "dotted").exists()
    done = run("run", "dotted.toml", "--out", "dotted", "--quiet", "--allow-plugins", cwd=home)
    assert done.returncode == 0, done.stderr
    results = json.loads((home / "dotted" / "results.json").read_text())
    found = {one["who"]["algorithm"]: one["value"] for one in results["identification"]["measures"]}
    assert found == pytest.approx(by_hand(home))


def test_what_no_package_adds_is_refused_where_it_stands(
    home: Path, run: Run, found_in: Callable[[str], None]
) -> None:
    found_in("site")
    (home / "unknown.toml").write_text(STUDY.format(measure="mrt", design="auto"))
    done = run("run", "unknown.toml", "--quiet", cwd=home)
    assert done.returncode == 2
    assert "line 12" in done.stderr
    assert "there is no measure 'mrt'" in done.stderr
    assert "did you mean 'mrr'" in done.stderr


@pytest.mark.parametrize("installed", [True, False])
def test_a_plug_in_that_changed_is_not_taken_from_the_cache(
    home: Path, monkeypatch: pytest.MonkeyPatch, installed: bool
) -> None:
    """The measure uses another module of its package; the design makes its interval."""
    site = home / f"installed-{installed}"
    folder, info = site / "plugged", site / "plugged-1.0.dist-info"
    folder.mkdir(parents=True)
    (folder / "__init__.py").touch()
    (folder / "shared.py").write_text("SHIFT = 0.0\n")
    module = MODULE.replace("import numpy as np\n", "import numpy as np\nfrom plugged.shared import SHIFT\n")
    module = module.replace("return 1 / outcomes.ranks", "return SHIFT + 1 / outcomes.ranks")
    (folder / "toy.py").write_text(module)
    measure, design = "plugged.toy:MeanReciprocalRank", "plugged.toy:BayesianBootstrap"
    if installed:
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: plugged\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(
            f"[proband.measures]\nplugged = {measure}\n[proband.designs]\nplugged-bootstrap = {design}\n"
        )
        measure, design = "plugged", "plugged-bootstrap"
    monkeypatch.syspath_prepend(site)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    study, _, _ = STUDY.format(measure=measure, design=design).partition("[[comparison]]")
    (home / "again.toml").write_text(f"{study}\n[verification]\nn_resamples = 0\n")

    def found() -> tuple[float, float, list[str]]:
        """The value and its lower end where the plug-in is imported afresh, and what was computed."""
        for name in [one for one in sys.modules if one.partition(".")[0] == "plugged"]:
            monkeypatch.delitem(sys.modules, name)
        kept = Cache(site / "kept")
        results = carry_out(read_study(home / "again.toml"), cache=kept, allow_plugins=True)
        first, *_ = results["identification"].measured
        return first.value, first.low, kept.made

    value, low, made = found()
    assert made
    assert found() == (value, low, [])
    (folder / "shared.py").write_text("SHIFT = 0.5\n")
    assert found() == (pytest.approx(value + 0.5), pytest.approx(low + 0.5), made)
    (folder / "toy.py").write_text(module.replace("[seed, block]", "[seed, block, 1]"))
    again = found()
    assert again[0] == pytest.approx(value + 0.5)
    assert again[1] != pytest.approx(low + 0.5)
    if installed:
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: plugged\nVersion: 1.1\n")
        assert found() == (*again[:2], made)
    assert found() == (*again[:2], [])
