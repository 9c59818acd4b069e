"""Results as people read them: tables, figures, files."""

from proband.engine.arguments import publish
from proband.report.analyses.comparisons import comparison_table
from proband.report.analyses.evaluation import evaluation_tables, statements
from proband.report.figures.identification import cmc_figure, evaluation_figure
from proband.report.figures.style import save_figure

__all__ = [
    "cmc_figure",
    "comparison_table",
    "evaluation_figure",
    "evaluation_tables",
    "save_figure",
    "statements",
]

publish(__name__)
