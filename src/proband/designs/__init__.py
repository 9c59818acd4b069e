"""What varies: small frozen descriptions of a repetition, which know nothing of scores."""

from proband.designs.designs import (
    Binomial,
    Bootstrap,
    Clustered,
    ClusteredMcNemar,
    Design,
    PairedDesign,
    SignFlip,
    TrainingSets,
    Unit,
)
from proband.designs.galleries import Galleries
from proband.designs.image_choice import ImageChoice
from proband.designs.replication import (
    BRR,
    CollapsedStrata,
    Enumeration,
    Fay,
    Jackknife,
    RaoWu,
    StratifiedDesign,
)

__all__ = [
    "BRR",
    "Binomial",
    "Bootstrap",
    "Clustered",
    "ClusteredMcNemar",
    "CollapsedStrata",
    "Design",
    "Enumeration",
    "Fay",
    "Galleries",
    "ImageChoice",
    "Jackknife",
    "PairedDesign",
    "RaoWu",
    "SignFlip",
    "StratifiedDesign",
    "TrainingSets",
    "Unit",
]
