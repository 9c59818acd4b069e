from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import proband as pb
from proband.designs import Galleries
from proband.inference.galleries.feret_study import feret_study
from proband.inference.galleries.rejection import Rejection
from proband.inference.galleries.versions import Improvement
from proband.samples.categories import probe_groups

Run = Callable[..., Any]
N = 24


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two dozen people with a gallery image, a probe of the same day and, for the later half, one of the year after."""
    place = tmp_path_factory.mktemp("feret")
    rng = np.random.default_rng(0)
    rows = ["id,subject,image,day,sex,found"]
    ids = []
    for k in range(N):
        for image in range(3 if k >= N // 2 else 2):
            ids.append(f"p{k:02d}-{image}")
            day = 10 * k + (365 if image == 2 else 0)
            rows.append(f"{ids[-1]},p{k:02d},{image},{day},{'FM'[k % 2]},{k != 3 or image != 1}")
    (place / "samples.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    own = np.array([name[:3] for name in ids])
    arrays = {
        name: rng.normal(0, 1, (len(ids), len(ids))) + strength * (own[:, None] == own[None, :])
        for name, strength in (("good", 4.0), ("fair", 2.5), ("a=b", 1.0))
    }
    np.savez(place / "scores.npz", ids=np.array(ids), **arrays)
    return place


COMMON = (
    "scores.npz", "-s", "samples.csv", "--orientation", "similarity", "--query-ids", "ids", "--target-ids", "ids",
    "-g", "image == 0", "--failed", "not found",
)  # fmt: skip
EVERYTHING = (
    "--category", "same day: probe.day == mate.day", "--category", "next year: probe.day > mate.day", "--by", "sex",
    "--version", "a=b=fair", "--improvement", "fair@1996-09=good@1997-03", "--galleries", "3", "--order", "day",
    "--order", "random", "--sizes", "6,12,24", "--reject", "0.25", "--fpir", "0.2",
)  # fmt: skip


@pytest.fixture
def feret(run: Run, folder: Path) -> Run:
    return lambda *more: run("feret", *COMMON, *more, cwd=folder)


def made_in_python(folder: Path) -> Any:
    samples = pb.Samples.read(folder / "samples.csv", failed="not found")
    scores = list(
        pb.read_scores(
            folder / "scores.npz", samples, orientation="similarity", query_ids="ids", target_ids="ids"
        ).values()
    )
    experiment = pb.data.experiment_over(scores, samples, gallery="image == 0")
    return feret_study(
        scores,
        experiment,
        categories=[
            pb.Category("same day", "probe.day == mate.day"),
            pb.Category("next year", "probe.day > mate.day"),
            *probe_groups(experiment, "sex"),
        ],
        versions=[("a=b", "fair")],
        improvements=[Improvement("fair", "good", "1996-09", "1997-03")],
        galleries=[Galleries(3, order="day"), Galleries(3)],
        ages="day",
        sizes=(6, 12, 24),
        rejection=Rejection(0.25, (0.2,)),
    )


def test_json_equals_python(feret: Run, folder: Path) -> None:
    done = feret(*EVERYTHING, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["feret"] == json.loads(json.dumps(made_in_python(folder).to_dict()))


def test_tables(feret: Run) -> None:
    done = feret(*EVERYTHING, "--explain")
    assert done.returncode == 0, done.stderr
    for said in (
        "average of 2",
        "current upper bound",
        "(best at rank 1)",
        "a=b (fully automatic)",
        "cost of locating the face",
        "1997-03",
        "in order of day",
        "dealt at random",
        "mean age",
        "people enrolled",
        "rejection:",
        "gallery of 24 people",
        "for the leading algorithms",
        "it was selected on these probes",
    ):
        assert said in done.stdout, said
    year = done.stdout[done.stdout.index("next year: recognition") :]
    row = next(line for line in year.splitlines() if line.strip().startswith("good"))
    assert row.split()[1] == "–"  # the first gallery's people were not photographed again


@pytest.mark.long
def test_directory(feret: Run, folder: Path) -> None:
    done = feret(*EVERYTHING, "--out", "made", "--formats", "csv", "--formats", "svg")
    assert done.returncode == 0, done.stderr
    made = {path.relative_to(folder / "made").as_posix() for path in (folder / "made").rglob("*")}
    drawn = ("cmc", "average", "upper_bound", "versions", "improvements", "variation", "sizes")
    assert {f"figures/feret_{name}.svg" for name in drawn} <= made
    assert {"report.html", "results.json", "tables/feret.csv", "tables/feret_variation.csv"} <= made
    cells = pl.read_csv(folder / "made" / "tables" / "feret_variation.csv")
    assert cells.height == 2 * 5 * 2 * 3
    again = feret("--out", "made")
    assert again.returncode == 0, again.stderr
    assert not (folder / "made" / "variation.svg").exists()


def test_an_empty_category_is_noted(feret: Run) -> None:
    done = feret("--category", "never: probe.day < mate.day", "--explain")
    assert done.returncode == 0, done.stderr
    assert (
        "No probe is in category 'never'" in done.stdout or "no probe is in category 'never'" in done.stdout
    )


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("--version", "auto=fair"), 2, "no algorithm 'auto'"),
        (("--version", "good"), 2, "FULL=PARTIAL"),
        (("--improvement", "fair@1996=best@1997"), 2, "no algorithm 'best'"),
        (("--by", "race"), 2, "no column 'race'"),
        (("--order", "day"), 2, "galleries"),
        (("--galleries", "3", "--order", "date"), 2, "no column 'date'"),
        (("--galleries", "3", "--ages", "sex"), 2, "dates or numbers"),
        (("--galleries", "20"), 1, "are too few"),
        (("--galleries", "1"), 2, "galleries"),
        (("--sizes", "6,x"), 2, "--sizes"),
        (("--sizes", ""), 2, "--sizes"),
        (("--improvement", "fair@1997-03=good@1996-09"), 2, "is not earlier"),
        (("--improvement", "fair@autumn=good@1997"), 2, "not a date"),
        (("--improvement", "fair=good", "--improvement", "fair=good"), 2, "there twice"),
        (("--sizes", "99"), 2, "gallery of 24 people"),
        (("--reject", "1.5"), 2, "--reject: expected a number of at least 0 and below 1"),
        (("--reject", "0"), 1, "every probe has a mate"),
        (("--reject", "0.2", "--fpir", "2"), 2, "above 0 and below 1"),
        (("--category", "nonsense"), 2, "name: rule"),
        (("--feret",), 2, "no column"),
        (("--long-after", "feret"), 2, "add --feret"),
    ],
)
def test_bad_requests(feret: Run, arguments: tuple[str, ...], code: int, said: str) -> None:
    done = feret(*arguments)
    assert (done.returncode, said in done.stderr) == (code, True), done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("rule", [None, "feret", "probe.{date} - mate.{date} >= days(30)"])
def test_every_door_means_the_same_categories(rule: str | None) -> None:
    from proband.cli.analyses.request_options import RequestOptions
    from proband.study.context import categories_of
    from proband.study.requests import CategoryEntry

    nothing: Any = None
    expected = pb.feret.feret_categories() if rule is None else pb.feret.feret_categories(long_after=rule)
    options = RequestOptions("feret", None, categories=True)
    given = {one.name: one.default for one in options.parameters()} | {"feret": True, "long_after": rule}
    (entry,) = options.asked(given).request().category
    assert entry == CategoryEntry(feret=True, long_after=rule)
    assert categories_of(entry, nothing) == expected
