"""The page's differences over choices of images start from the algorithm that leads in them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from proband.cli import main


def test_differences_on_the_page_are_those_of_the_leader(tmp_path: Path) -> None:
    ids = [f"{k}-{image}" for k in range(12) for image in range(2)]
    people = np.arange(24) // 2
    right = (people[:, None] == people).astype(float)
    noise = np.random.default_rng(0).random((24, 24))
    np.savez(
        tmp_path / "s.npz", worse=right + 3 * noise, better=right + 0.1 * noise, query_ids=ids, target_ids=ids
    )
    table = "\n".join(["id,subject", *(f"{name},{name.split('-')[0]}" for name in ids)])
    (tmp_path / "s.csv").write_text(table)
    given = [str(tmp_path / "s.npz"), "-s", str(tmp_path / "s.csv"), "--orientation", "similarity"]
    page = tmp_path / "page.html"
    with pytest.raises(SystemExit) as done:
        main(["permute", *given, "-q", "-t", "50", "--report", str(page)])
    assert not done.value.code
    text = page.read_text()
    assert "better − worse" in text
    assert "worse − better" not in text
