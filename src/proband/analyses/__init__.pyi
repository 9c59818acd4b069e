from collections.abc import Mapping, Sequence
from typing import Any

from proband.analyses.audit.request import AuditRequest
from proband.analyses.choices.request import ChoicesRequest
from proband.analyses.classification.request import ClassificationRequest
from proband.analyses.comparison.request import ComparisonRequest
from proband.analyses.covariates.request import CovariatesRequest
from proband.analyses.datasets.request import DatasetsRequest
from proband.analyses.feret.request import FeretRequest
from proband.analyses.gate.request import GateRequest
from proband.analyses.identification.request import IdentificationRequest
from proband.analyses.mcnemar.request import McNemarRequest
from proband.analyses.outcomes.request import OutcomesRequest
from proband.analyses.partition.request import PartitionRequest
from proband.analyses.protocol.request import ProtocolRequest
from proband.analyses.search.request import SearchRequest
from proband.analyses.strat.request import StratRequest
from proband.analyses.survey.request import SurveyRequest
from proband.analyses.threshold.request import ThresholdRequest
from proband.analyses.verification.request import VerificationRequest
from proband.analyses.what_if.request import WhatIfRequest
from proband.study.requests.request import Request as _Request

class Request(_Request):
    identification: IdentificationRequest | None
    mcnemar: McNemarRequest | None
    verification: VerificationRequest | None
    comparison: tuple[ComparisonRequest, ...]
    threshold: ThresholdRequest | None
    search: SearchRequest | None
    gate: GateRequest | None
    choices: ChoicesRequest | None
    strat: StratRequest | None
    feret: FeretRequest | None
    covariates: CovariatesRequest | None
    partition: PartitionRequest | None
    classification: ClassificationRequest | None
    outcomes: OutcomesRequest | None
    protocol: ProtocolRequest | None
    what_if: WhatIfRequest | None
    audit: AuditRequest | None
    survey: SurveyRequest | None
    datasets: DatasetsRequest | None

    def __init__(
        self,
        *,
        title: Any = ...,
        samples: Any = ...,
        scores: Any = ...,
        embeddings: Any = ...,
        images: Any = ...,
        experiment: Any = ...,
        category: Any = ...,
        output: Any = ...,
        identification: IdentificationRequest | Mapping[str, Any] | bool = ...,
        mcnemar: McNemarRequest | Mapping[str, Any] | bool = ...,
        verification: VerificationRequest | Mapping[str, Any] | bool = ...,
        comparison: ComparisonRequest
        | Mapping[str, Any]
        | Sequence[ComparisonRequest | Mapping[str, Any]]
        | bool = ...,
        threshold: ThresholdRequest | Mapping[str, Any] | bool = ...,
        search: SearchRequest | Mapping[str, Any] | bool = ...,
        gate: GateRequest | Mapping[str, Any] | bool = ...,
        choices: ChoicesRequest | Mapping[str, Any] | bool = ...,
        strat: StratRequest | Mapping[str, Any] | bool = ...,
        feret: FeretRequest | Mapping[str, Any] | bool = ...,
        covariates: CovariatesRequest | Mapping[str, Any] | bool = ...,
        partition: PartitionRequest | Mapping[str, Any] | bool = ...,
        classification: ClassificationRequest | Mapping[str, Any] | bool = ...,
        outcomes: OutcomesRequest | Mapping[str, Any] | bool = ...,
        protocol: ProtocolRequest | Mapping[str, Any] | bool = ...,
        what_if: WhatIfRequest | Mapping[str, Any] | bool = ...,
        audit: AuditRequest | Mapping[str, Any] | bool = ...,
        survey: SurveyRequest | Mapping[str, Any] | bool = ...,
        datasets: DatasetsRequest | Mapping[str, Any] | bool = ...,
    ) -> None: ...
