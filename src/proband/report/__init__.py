"""Presentation of results: tables, figures, files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from proband._lazy import lazily

if TYPE_CHECKING:
    from proband.report.figures.identification import (
        cmc_figure as cmc_figure,
        evaluation_figure as evaluation_figure,
    )
    from proband.report.figures.style import save_figure as save_figure
    from proband.report.kinds.comparisons import comparison_table as comparison_table
    from proband.report.kinds.evaluation import (
        evaluation_tables as evaluation_tables,
        statements as statements,
    )
    from proband.report.progress import ProgressBar as ProgressBar

_HOMES = {
    "figures.identification": "cmc_figure evaluation_figure",
    "figures.style": "save_figure",
    "kinds.comparisons": "comparison_table",
    "kinds.evaluation": "evaluation_tables statements",
    "progress": "ProgressBar",
}
__all__ = [name for names in _HOMES.values() for name in names.split()]
__getattr__, __dir__ = lazily(__name__, _HOMES, published=True)
