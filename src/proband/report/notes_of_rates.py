"""Marks that rates of several kinds have."""

from __future__ import annotations

from proband.words import Sentence

UNSUPPORTED = Sentence(
    "verification.rates-of-few-errors",
    "mark",
    "* rests on fewer than {least} errors (the rule of {least})",
)
