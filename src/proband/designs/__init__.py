"""What varies: small frozen descriptions of a repetition, which know nothing of scores."""

from proband.designs.designs import (
    Binomial,
    Bootstrap,
    Clustered,
    ClusteredMcNemar,
    Design,
    PairedDesign,
    SignFlip,
    Unit,
)

__all__ = [
    "Binomial",
    "Bootstrap",
    "Clustered",
    "ClusteredMcNemar",
    "Design",
    "PairedDesign",
    "SignFlip",
    "Unit",
]
