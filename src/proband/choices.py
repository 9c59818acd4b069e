"""Choices of gallery and probe images of the same people (Beveridge et al. 2001)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from proband._lazy import lazily

if TYPE_CHECKING:
    from proband.inference.image_choice.estimates import (
        exact_over_choices as exact_over_choices,
    )
    from proband.inference.image_choice.listing import (
        trial_choices as trial_choices,
    )

_HOMES = {
    "proband.inference.image_choice.estimates": "exact_over_choices",
    "proband.inference.image_choice.listing": "trial_choices",
}
__all__ = [name for names in _HOMES.values() for name in names.split()]
__getattr__, __dir__ = lazily(__name__, _HOMES, published=True)
