"""Stratified studies: the choice of the enrolled image, and the sensor of the probes (Micheals & Boult 2001)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from proband._lazy import lazily

if TYPE_CHECKING:
    from proband.inference.galleries.effect import (
        ImageColumns as ImageColumns,
        gallery_effect as gallery_effect,
    )
    from proband.inference.strata.sensors import (
        compare_sensors as compare_sensors,
    )
    from proband.inference.strata.study import (
        strat_study as strat_study,
    )

_HOMES = {
    "proband.inference.galleries.effect": "ImageColumns gallery_effect",
    "proband.inference.strata.sensors": "compare_sensors",
    "proband.inference.strata.study": "strat_study",
}
__all__ = [name for names in _HOMES.values() for name in names.split()]
__getattr__, __dir__ = lazily(__name__, _HOMES, published=True)
