"""The FERET evaluation: its probe categories, its tables, and galleries of different people (Phillips et al. 2000)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from proband._lazy import lazily

if TYPE_CHECKING:
    from proband.inference.galleries.feret_study import (
        feret_study as feret_study,
    )
    from proband.inference.galleries.variation import (
        gallery_variation as gallery_variation,
    )
    from proband.samples.categories import (
        feret_categories as feret_categories,
    )

_HOMES = {
    "proband.samples.categories": "feret_categories",
    "proband.inference.galleries.feret_study": "feret_study",
    "proband.inference.galleries.variation": "gallery_variation",
}
__all__ = [name for names in _HOMES.values() for name in names.split()]
__getattr__, __dir__ = lazily(__name__, _HOMES, published=True)
