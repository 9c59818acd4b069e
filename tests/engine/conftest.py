"""What is shared out here is large."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from proband.measures.pairs import counts


@pytest.fixture(autouse=True, scope="package")
def many_pairs() -> Iterator[None]:
    """Have pairs counted in tiles, however few they are."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counts, "FEW_PAIRS", 0)
        yield
