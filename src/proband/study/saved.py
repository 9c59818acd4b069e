"""Results that were written earlier, read again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from proband.engine.arguments import published
from proband.engine.files.documents import read_json
from proband.engine.files.files import content_of, reading
from proband.errors import InputError
from proband.study.analysis import analyses
from proband.study.findings import SCHEMA

_NAME = "results.json"
_BEFORE = "proband-results/2"


@published
def read_results(path: Path | str) -> dict[str, Any]:
    """Read the results of an earlier run, as ``proband-results/3`` has them.

    Parameters
    ----------
    path
        A directory that ``--out`` wrote, its results.json, or what ``--json`` printed. Files of ``proband-results/2`` are read, too.

    Returns
    -------
    dict
        Plain values, as `Findings.to_dict` gives them: what each analysis found stands under its key.

    Examples
    --------
    >>> import json, tempfile
    >>> from pathlib import Path
    >>> import proband as pb
    >>> path = Path(tempfile.mkdtemp()) / "results.json"
    >>> _ = path.write_text(json.dumps({"schema": "proband-results/2", "thresholds": [0.4], "gate": {"decision": "pass"}}))
    >>> pb.read_results(path)
    {'schema': 'proband-results/3', 'threshold': {'thresholds': [0.4]}, 'gate': {'decision': 'pass'}}
    """
    path = Path(path)
    file = path / _NAME if path.is_dir() else path
    with reading(file, "results"):
        document = read_json(content_of(file))
    schema = document.get("schema") if isinstance(document, dict) else None
    if schema == SCHEMA:
        results: dict[str, Any] = document
        return results
    if schema != _BEFORE:
        raise InputError(
            f"{file.name} holds no results: its schema is {schema!r:.60}.",
            f"results have the schema {SCHEMA!r} or {_BEFORE!r}.",
            file=file.name,
        )
    return _moved(document)


def _moved(document: dict[str, Any]) -> dict[str, Any]:
    """Put what stood at the top where it stands now: the records of analyses say what moved."""
    moves = {before: (one.key, now) for one in analyses() for before, now in one.moved.items()}
    made: dict[str, Any] = {}
    for key, value in document.items():
        if key in moves:
            analysis, part = moves[key]
            made.setdefault(analysis, {})[part] = value
        else:
            made[key] = SCHEMA if key == "schema" else value
    return made
