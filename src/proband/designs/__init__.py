"""What varies: small frozen descriptions of a repetition, which know nothing of scores.

`base` says what a design is and keeps their registry. `resampling` draws probes or people anew; `strata`, `stratified`,
`replication` (BRR, Fay), their `factors` and `jackknife` make replicates within strata; `galleries` deals people to galleries; `image_choice`
chooses images.
"""

from proband.designs.base import DESIGNS, Design, Reweighting, Unit, design_named
from proband.designs.galleries import Galleries
from proband.designs.image_choice import ImageChoice
from proband.designs.jackknife import Jackknife, RaoWu
from proband.designs.replication import BRR, CollapsedStrata, Enumeration, Fay
from proband.designs.resampling import (
    Binomial,
    Bootstrap,
    Clustered,
    ClusteredMcNemar,
    SignFlip,
    TrainingSets,
)
from proband.designs.stratified import StratifiedDesign
from proband.engine.arguments import publish

__all__ = [
    "BRR",
    "DESIGNS",
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
    "RaoWu",
    "Reweighting",
    "SignFlip",
    "StratifiedDesign",
    "TrainingSets",
    "Unit",
    "design_named",
]

publish(__name__)
