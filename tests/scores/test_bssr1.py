from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import proband as pb
from proband.errors import InputError
from proband.scores.formats import read_file


@pytest.fixture
def release(tmp_path: Path) -> Path:
    """A small set that is laid out as face_x_face is."""
    rng = np.random.default_rng(0)
    sets, sims = tmp_path / "face" / "sets" / "dos", tmp_path / "face" / "sims" / "dos" / "face" / "C"
    sets.mkdir(parents=True)
    sims.mkdir(parents=True)
    for kind in ("users", "enrollees"):
        order = range(6) if kind == "users" else range(5, -1, -1)
        lines = "".join(f'<signature name="{k:03d}" subject_id="p{k}" />\n' for k in order)
        (sets / f"{kind}.xml").write_text(f'<?xml version="1.0"?>\n<set>\n{lines}</set>\n')
    for k in range(6):
        scores = [f"{(0.9 if j == k else 0.2) + 0.05 * rng.random():.4f}" for j in range(5, -1, -1)]
        (sims / f"{k:03d}").write_text("\n".join(["biometricscores.nist.gov", "6", *scores]) + "\n")
    return sims


def test_scores_and_people_are_read(release: Path) -> None:
    file = read_file(release)
    assert (file.format, file.orientation) == ("bssr1", "similarity")
    assert file.subjects is not None
    assert file.queries is not None
    assert file.queries[0] == "user/000"
    (scores,) = pb.read_scores(release, file.subjects).values()
    outcomes = pb.rank(scores, pb.data.experiment_over([scores], file.subjects))
    assert outcomes.ranks.tolist() == [1] * 6


def test_what_is_not_as_it_should_be_is_refused(release: Path) -> None:
    lists = release.parents[3] / "sets" / "dos"
    whole = (release / "003").read_text()
    for text, match in (
        (whole.replace("\n6\n", "\n7\n"), "states 7 scores and contains 6"),
        (whole + "0.5\n", "contains 7"),
        (whole.replace("0.2", "x", 1), "something other"),
        ("something else\n", "does not begin with"),
    ):
        (release / "003").write_text(text)
        with pytest.raises(InputError, match=match):
            read_file(release, format="bssr1")
    (release / "003").unlink()
    with pytest.raises(InputError, match="1 user of dos has no similarity file"):
        read_file(release)
    (release / "003").write_text(whole)
    (lists / "users.xml").write_text('<set><signature name="../C/003" subject_id="p3" /></set>')
    with pytest.raises(InputError, match=r"lists files that are not in C: '../C/003'"):
        read_file(release)
    (lists / "users.xml").write_text("<set>")
    with pytest.raises(InputError, match="is not XML"):
        read_file(release)
    (lists / "users.xml").write_text('<!DOCTYPE x [<!ENTITY a "b">]><set/>')
    with pytest.raises(InputError, match="an entity, which is not allowed"):
        read_file(release)
    (lists / "users.xml").unlink()
    with pytest.raises(InputError, match=r"no users\.xml"):
        read_file(release)
