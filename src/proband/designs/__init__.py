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
from proband.designs.image_choice import ImageChoice

__all__ = [
    "Binomial",
    "Bootstrap",
    "Clustered",
    "ClusteredMcNemar",
    "Design",
    "ImageChoice",
    "PairedDesign",
    "SignFlip",
    "TrainingSets",
    "Unit",
]
