"""What can be asked: the one schema from which study files, options of commands and requests in Python come.

Each field is a key of a study's section, an option of the commands that carry out the analysis, and an argument in Python; its
description is its help. Nothing heavy is imported here.
"""

from proband.study.requests.analyses import (
    ChoicesRequest as ChoicesRequest,
    ComparisonRequest as ComparisonRequest,
    FeretRequest as FeretRequest,
    GateRequest as GateRequest,
    Identification as Identification,
    Improvement as Improvement,
    McNemarRequest as McNemarRequest,
    SearchRequest as SearchRequest,
    StratRequest as StratRequest,
    ThresholdRequest as ThresholdRequest,
    VerificationRequest as VerificationRequest,
    Version as Version,
)
from proband.study.requests.base import (
    ANALYSES as ANALYSES,
    OF_TABLES as OF_TABLES,
    Option as Option,
    Part as Part,
    Place as Place,
)
from proband.study.requests.covariates import (
    CovariatesRequest as CovariatesRequest,
    PartitionRequest as PartitionRequest,
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
from proband.study.requests.protocols import (
    AuditRequest as AuditRequest,
    ProtocolRequest as ProtocolRequest,
)
from proband.study.requests.request import (
    Format as Format,
    Output as Output,
    Request as Request,
    only as only,
)
from proband.study.requests.surveys import SurveyRequest as SurveyRequest
from proband.study.requests.tables import (
    ClassificationRequest as ClassificationRequest,
    DatasetsRequest as DatasetsRequest,
    OutcomesRequest as OutcomesRequest,
)
