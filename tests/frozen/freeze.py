"""Write what the frozen files hold the program to: ``python -m tests.frozen.freeze`` writes both, ``… surface`` or ``… messages`` one.

``--show`` prints instead of writing.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from tests import words
from tests.frozen.surface import surface

FOLDER = Path(__file__).parent
MADE: dict[str, Callable[[], list[str]]] = {"surface": surface, "messages": words.messages}


def file_of(name: str) -> Path:
    """Where it is kept."""
    return FOLDER / f"{name}.txt"


def text_of(name: str) -> str:
    """What the program has now, a line for each item."""
    return "".join(f"{line}\n" for line in MADE[name]())


def main(arguments: list[str]) -> None:
    """Write the files that are named, or all; or print them."""
    shown = "--show" in arguments
    for name in [one for one in arguments if one != "--show"] or list(MADE):
        if shown:
            sys.stdout.buffer.write(text_of(name).encode())
        else:
            file_of(name).write_text(text_of(name), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
