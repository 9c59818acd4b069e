"""Results as people read them: tables, figures, files."""

from proband.report.analyses.comparisons import comparison_latex, comparison_markdown, comparison_table
from proband.report.figures.identification import cmc_figure, evaluation_figure
from proband.report.figures.style import save_figure
from proband.report.tables import evaluation_table, statements

__all__ = [
    "cmc_figure",
    "comparison_latex",
    "comparison_markdown",
    "comparison_table",
    "evaluation_figure",
    "evaluation_table",
    "save_figure",
    "statements",
]
