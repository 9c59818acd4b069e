"""Designs: small frozen descriptions of what varies in a repetition, independent of scores.

`base` defines designs and their registry. `resampling` resamples probes or people; `strata`, `stratified`,
`replication` (BRR, Fay), their `factors` and `jackknife` make replicates within strata; `galleries` assigns people to galleries; `image_choice`
chooses images.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from proband._lazy import lazily

if TYPE_CHECKING:
    from proband.designs.base import (
        DESIGNS as DESIGNS,
        Design as Design,
        Reweighting as Reweighting,
        Unit as Unit,
        design_named as design_named,
    )
    from proband.designs.galleries import Galleries as Galleries
    from proband.designs.image_choice import ImageChoice as ImageChoice
    from proband.designs.jackknife import Jackknife as Jackknife, RaoWu as RaoWu
    from proband.designs.replication import (
        BRR as BRR,
        CollapsedStrata as CollapsedStrata,
        Enumeration as Enumeration,
        Fay as Fay,
    )
    from proband.designs.resampling import (
        Binomial as Binomial,
        Bootstrap as Bootstrap,
        Clustered as Clustered,
        ClusteredMcNemar as ClusteredMcNemar,
        SignFlip as SignFlip,
        TrainingSets as TrainingSets,
    )
    from proband.designs.stratified import StratifiedDesign as StratifiedDesign

_HOMES = {
    "base": "DESIGNS Design Reweighting Unit design_named",
    "galleries": "Galleries",
    "image_choice": "ImageChoice",
    "jackknife": "Jackknife RaoWu",
    "replication": "BRR CollapsedStrata Enumeration Fay",
    "resampling": "Binomial Bootstrap Clustered ClusteredMcNemar SignFlip TrainingSets",
    "stratified": "StratifiedDesign",
}
__all__ = sorted(name for names in _HOMES.values() for name in names.split())
__getattr__, __dir__ = lazily(__name__, _HOMES, published=True)
