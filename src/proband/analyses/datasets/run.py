"""Compare algorithms over several data sets."""

from __future__ import annotations

from proband.analyses.datasets.request import DatasetsRequest
from proband.inference import compare_datasets
from proband.inference.datasets.results import DatasetComparison
from proband.samples.reading import read_frame
from proband.study.context import Context
from proband.words import Note


def run(request: DatasetsRequest, context: Context) -> DatasetComparison:
    """Compare algorithms over the data sets in the tables of a request."""
    named = (request.dataset, request.algorithm, request.cluster, "first", "second")
    texts = [name for name in named if name is not None]
    notes: list[Note] = []
    table, errors = (
        None if name is None else read_frame(context.origin.find(name), texts, notes=notes)
        for name in (request.table, request.errors)
    )
    context.note(*notes)
    return compare_datasets(
        table,
        dataset=request.dataset,
        errors=errors,
        algorithm=request.algorithm,
        success=request.success,
        cluster=request.cluster,
        confidence_level=context.output.confidence_level,
    )
