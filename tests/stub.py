"""The stub that types the sections of requests, which are put together when they are first asked for: ``python -m tests.stub`` writes it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import proband.analyses
from proband.study.analysis import analyses
from proband.study.requests import Request as Base

FILE = Path(proband.analyses.__file__).with_suffix(".pyi")


def text() -> str:
    """The stub: a field for each analysis that comes with the program."""
    bundled = [one for one in analyses() if one.bundled]
    kinds = {one.key: one.request_type for one in bundled}
    imports = sorted(f"from {kind.__module__} import {kind.__name__}" for kind in kinds.values())
    fields, arguments = [], []
    for one in bundled:
        name = kinds[one.key].__name__
        section = f"{name} | Mapping[str, Any]"
        fields.append(f"    {one.key}: {f'tuple[{name}, ...]' if one.many else f'{name} | None'}")
        several = f" | Sequence[{section}]" if one.many else ""
        arguments.append(f"        {one.key}: {section}{several} | bool = ...,")
    own = [f"        {name}: Any = ...," for name in Base.model_fields]
    made = "\n".join(
        [
            "from collections.abc import Mapping, Sequence",
            "from typing import Any",
            "",
            *imports,
            "from proband.study.requests.request import Request as _Request",
            "",
            "class Request(_Request):",
            *fields,
            "",
            "    def __init__(",
            "        self,",
            "        *,",
            *own,
            *arguments,
            "    ) -> None: ...",
            "",
        ]
    )
    ruff = ["-m", "ruff", "format", "--stdin-filename", "__init__.pyi", "-"]
    done = subprocess.run([sys.executable, *ruff], input=made, capture_output=True, text=True, check=True)
    return done.stdout


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
