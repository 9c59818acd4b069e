"""Reproductions of five papers with synthetic people: the published results next to ours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from proband._lazy import lazily

if TYPE_CHECKING:
    from proband.papers.beveridge2001_study import reproduce_beveridge2001 as reproduce_beveridge2001
    from proband.papers.feret2000_study import reproduce_feret2000 as reproduce_feret2000
    from proband.papers.mery2016_study import reproduce_mery2016 as reproduce_mery2016
    from proband.papers.micheals_boult2001 import (
        reproduce_micheals_boult2001 as reproduce_micheals_boult2001,
    )

__getattr__, __dir__ = lazily(
    __name__,
    {
        "beveridge2001_study": "reproduce_beveridge2001",
        "feret2000_study": "reproduce_feret2000",
        "mery2016_study": "reproduce_mery2016",
        "micheals_boult2001": "reproduce_micheals_boult2001",
    },
)
