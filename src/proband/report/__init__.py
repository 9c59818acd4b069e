"""Results as people read them: tables, figures, files."""

from proband.engine.arguments import publish
from proband.report.figures.identification import cmc_figure, evaluation_figure
from proband.report.figures.style import save_figure
from proband.report.kinds.comparisons import comparison_table
from proband.report.kinds.evaluation import evaluation_tables, statements

__all__ = [
    "cmc_figure",
    "comparison_table",
    "evaluation_figure",
    "evaluation_tables",
    "save_figure",
    "statements",
]

publish(__name__)
