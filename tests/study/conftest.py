"""A small study with every analysis in it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from proband.study.definition import Study
from proband.study.reading import read_study

SOURCES = """
[samples]
file = "samples.csv"
[[scores]]
file = "good.npz"
orientation = "similarity"
query_ids = "ids"
target_ids = "ids"
[[scores]]
file = "poor.npz"
orientation = "similarity"
query_ids = "ids"
target_ids = "ids"
"""
EXPERIMENT = """
[experiment]
gallery = "number == 0"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Twenty people with four images each; *good* tells people apart better than *poor*; a file for each."""
    rng = np.random.default_rng(5)
    ids = [f"s{s:02d}-{k}" for s in range(20) for k in range(4)]
    own = np.array([name[:3] for name in ids])
    for name, strength in (("good", 3.0), ("poor", 1.5)):
        noise = rng.normal(0, 1, (80, 80))
        values = (noise + noise.T) / np.sqrt(2) + strength * (own[:, None] == own[None, :])
        np.savez(tmp_path / f"{name}.npz", ids=np.array(ids), scores=values)
    frame = {"id": ids, "subject": own, "number": [k for _ in range(20) for k in range(4)]}
    pl.DataFrame({**frame, "sex": ["f", "m"] * 40, "device": [1, 1, 2, 2] * 20}).write_csv(
        tmp_path / "samples.csv"
    )
    pl.DataFrame({"algorithm": ["good", "poor"], "date": ["1997-03", "1996-09"]}).write_csv(
        tmp_path / "who.csv"
    )
    said = {name: rng.integers(0, 2, 80) for name in ("new", "old")}
    pl.DataFrame({"label": [0, 1] * 40, **said}).write_csv(tmp_path / "labels.csv")
    (tmp_path / "rates.csv").write_text("dataset,new,old\nx,0.9,0.8\ny,0.7,0.75\nz,0.6,0.5\n")
    np.save(tmp_path / "features.npy", rng.normal(size=(20, 3)).repeat(4, axis=0) + rng.normal(size=(80, 3)))
    return tmp_path


@pytest.fixture
def studied(folder: Path) -> Callable[..., Study]:
    """Write a study file over the small data, and read it."""

    def make(*sections: str, sources: str = SOURCES, name: str = "study.toml") -> Study:
        (folder / name).write_text("\n".join([sources, *sections]), encoding="utf-8")
        return read_study(folder / name)

    return make
