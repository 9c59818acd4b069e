"""Synthetic face images: a deterministic, FERET-like population for trying out evaluations."""

from __future__ import annotations

from proband.engine.arguments import publish
from proband.faces.population import Population
from proband.faces.sheet import contact_sheet

__all__ = ["Population", "contact_sheet"]

publish(__name__)
