"""Every sentence of the product, for reading: code, level and template."""

from __future__ import annotations

import pkgutil
import sys
from importlib import import_module

import proband
from proband.words import Sentence

_STARTS = {"proband.__main__"}  # importing it runs the program


def every_sentence() -> list[Sentence]:
    """Import all of the package; return the sentences it declares, by their codes."""
    for one in pkgutil.walk_packages(proband.__path__, "proband."):
        if one.name not in _STARTS:
            import_module(one.name)
    return [Sentence.every[code] for code in sorted(Sentence.every)]


if __name__ == "__main__":
    for sentence in every_sentence():
        sys.stdout.write(f"{sentence.code}  [{sentence.level}]\n    {sentence.template}\n")
