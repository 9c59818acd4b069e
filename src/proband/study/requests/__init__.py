"""What can be asked: the one schema from which study files, options of commands and requests in Python come.

Each field is a key of a study's section, an option of the commands that carry out the analysis, and an argument in Python; its
description is its help. What can be asked of an analysis stands with the analysis. Nothing heavy is imported here.
"""

from proband.study.requests.base import (
    AnalysisRequest as AnalysisRequest,
    Names as Names,
    Option as Option,
    Part as Part,
    Place as Place,
    Reads as Reads,
)
from proband.study.requests.data import (
    CategoryEntry as CategoryEntry,
    EmbeddingSource as EmbeddingSource,
    ExperimentDesign as ExperimentDesign,
    ImageSource as ImageSource,
    PairColumnNames as PairColumnNames,
    SamplesTable as SamplesTable,
    ScoreSource as ScoreSource,
)
from proband.study.requests.request import (
    Format as Format,
    Output as Output,
    Request as Request,
    only as only,
    request_type as request_type,
)
