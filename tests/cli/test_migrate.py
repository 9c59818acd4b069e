from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from proband.errors import UsageError
from proband.study.editing.migration import migrate
from proband.study.editing.renames import RENAMES
from proband.study.reading import read_study
from proband.study.refusals import model_of
from proband.study.requests import request_type

Run = Callable[..., Any]

OLD = """# Our study.
title = "Two networks"   # for the board

[samples]
file = "samples.csv"
[[scores]]
file = "scores.npz"
orientation = "similarity"

[experiment]
count = "subjects"   # of people

# The first is the verdict.
[[comparison]]
  test   =   "mcnemar"
[[comparison]]
test = 'sign-flip'  # over people
rank = 2

[verification]
replicates = 50
fmr = [0.1]  # few people

[choices]
trials = 100

[output]
level = 0.9
seed = 3
formats = ["csv"]
"""


def test_renames_where_they_stand_and_nothing_else_changes(run: Run, study: Path) -> None:
    (study / "study.toml").write_text(OLD, encoding="utf-8")
    done = run("migrate", "study.toml", cwd=study)
    assert done.returncode == 0, done.stderr
    assert "study.toml, line 16, [[comparison]] number 1 test → design" not in done.stdout
    assert "study.toml, line 15, [[comparison]] number 1 test → design" in done.stdout
    assert "wrote study.toml" in done.stderr
    text = (study / "study.toml").read_text(encoding="utf-8")
    expected = OLD
    for was, now in (
        ("count =", "counting ="), ("test  ", "design  "), ("test =", "design ="), ("replicates =", "n_resamples ="),
        ("trials =", "n_resamples ="), ("rank = 2", 'measure = "rank-2"'), ("level =", "confidence_level ="),
    ):  # fmt: skip
        expected = expected.replace(was, now)
    assert text == expected
    assert read_study(study / "study.toml").request.output.confidence_level == 0.9
    again = run("migrate", "study.toml", cwd=study)
    assert (again.returncode, again.stdout) == (0, "study.toml is up to date.\n")


def test_check_writes_nothing(run: Run, study: Path) -> None:
    (study / "study.toml").write_text(OLD, encoding="utf-8")
    done = run("migrate", "study.toml", "--check", cwd=study)
    assert done.returncode == 1
    assert "[experiment] count → counting" in done.stdout
    assert done.stderr == ""
    assert (study / "study.toml").read_text(encoding="utf-8") == OLD


def test_a_study_with_an_old_key_names_the_command(run: Run, study: Path) -> None:
    (study / "study.toml").write_text(OLD, encoding="utf-8")
    done = run("run", "study.toml", cwd=study)
    assert done.returncode == 2
    assert "'count' is now called 'counting'" in done.stderr
    assert "proband migrate" in done.stderr


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ("output.level = 0.9\noutput.seed = 1\n", "output.confidence_level = 0.9\noutput.seed = 1\n"),
        ('experiment = {count = "images"}\r\n', 'experiment = {counting = "images"}\r\n'),
        ('["output"]\n"level" = 0.9 # x', '["output"]\nconfidence_level = 0.9 # x'),
        ('[comparison]\ntest = "mcnemar"\n', '[comparison]\ndesign = "mcnemar"\n'),
        (
            "[threshold]\nfmr = 0.1\nconfidence = 0.9 # sure\n",
            "[threshold]\nfmr = 0.1\n\n[output]\nconfidence_level = 0.9 # sure\n",
        ),
        (
            "[threshold]\nconfidence = 0.9\n\n[output] # here\nseed = 1 # 1\n\n[search]\n",
            "[threshold]\n\n[output] # here\nseed = 1 # 1\nconfidence_level = 0.9\n\n[search]\n",
        ),
        ('[survey]\nlevel = 1\n[[category]]\ncount = "x"\n', None),  # never were keys there
        ("verification = false\nnothing = 3\n", None),
    ],
)
def test_every_way_of_writing_keys(was: str, now: str | None) -> None:
    made = migrate(was, Path("study.toml"))
    assert made.text == (was if now is None else now)
    assert bool(made.changes) == (now is not None)
    tomllib.loads(made.text)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[output]\nlevel = 0.9\nconfidence_level = 0.8\n", "line 2, [output] level: it is now called"),
        ("[threshold]\nconfidence = 0.9\n[output]\nlevel = 0.9\n", "keep one of them"),
        ("[output\nlevel = 1", "not TOML"),
    ],
)
def test_what_cannot_be_renamed_is_refused(text: str, told: str) -> None:
    with pytest.raises(UsageError) as error:
        migrate(text, Path("study.toml"))
    assert told in str(error.value)


def test_every_rename_leads_to_a_key_and_none_from_one() -> None:
    models = [model_of(field.annotation) for field in request_type().model_fields.values()]
    sections = [set(model.model_fields) for model in models if model is not None]
    for rename in RENAMES:
        homes = [keys for keys in sections if rename.now in keys]
        assert homes, rename
        assert rename.given or any(rename.was not in keys for keys in homes), rename
        assert (
            rename.into is None
            or rename.now in model_of(request_type().model_fields[rename.into].annotation).model_fields
        )  # type: ignore[union-attr]


def test_a_key_that_means_something_else_now_is_renamed_by_its_value(run: Run, study: Path) -> None:
    """pairs = "within" said which images make a pair; pairs are of algorithms now."""
    start = '[samples]\nfile = "samples.csv"\n[[scores]]\nfile = "scores.npz"\norientation = "similarity"\n[choices]\n'
    for value, now in (("'within'", "image_pairs = 'within'"), ("['good-bad']", "pairs = ['good-bad']")):
        made = migrate(f"{start}pairs = {value}\n", study / "study.toml")
        assert made.text == f"{start}{now}\n"
    (study / "study.toml").write_text(f"{start}pairs = 'within'\n", encoding="utf-8")
    done = run("run", "study.toml", cwd=study)
    assert done.returncode == 2
    assert 'image_pairs = "within"' in done.stderr
    assert "proband migrate" in done.stderr


def test_no_study(run: Run, tmp_path: Path) -> None:
    done = run("migrate", "study.toml", cwd=tmp_path)
    assert (done.returncode, "There is no file study.toml" in done.stderr) == (1, True)
