"""Use with scikit-learn: measures as scorers, and cross-validation with intervals for new people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from proband._lazy import lazily

if TYPE_CHECKING:
    from proband.protocols.running.scikit import (
        cross_validate as cross_validate,
        scorer as scorer,
    )

_HOMES = {"proband.protocols.running.scikit": "cross_validate scorer"}
__all__ = [name for names in _HOMES.values() for name in names.split()]
__getattr__, __dir__ = lazily(__name__, _HOMES, published=True)
