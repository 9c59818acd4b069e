"""The baseline of a gate as given on the command line: an algorithm, its file, or a file that pins it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from proband.engine.files.documents import read_json
from proband.engine.files.files import content_of, require_regular
from proband.errors import Hint, InputError
from proband.scores.reading import KEY_MARK, split_key, split_name

_NAME = "baseline"


def with_baseline(asked: dict[str, Any], inputs: Any) -> Any:
    """Read the baseline in addition to the other algorithms if it is given as a file of scores or embeddings, or a file that pins it."""
    said = asked.get("baseline")
    if said is None:
        return inputs
    name, reference = split_name(said)
    path, _ = split_key(reference)
    require_regular(path)
    embedded = not inputs.scores
    if path.suffix.lower() == ".json" and path.is_file():
        pin = read_pin(path)
        beside = path.parent / pin["file"]
        reference = str(beside if beside.exists() else pin["file"])
        reference += "".join(f"{KEY_MARK}{key}" for key in pin["keys"])
        embedded = pin["embeddings"]
        asked["digest"] = asked.get("digest") or pin["sha256"]
    elif not path.exists() and name is None and path.suffix.lower() not in _endings(inputs):
        return inputs  # the name of an algorithm among those that are read
    asked["baseline"] = name or _called_after(*split_key(reference), inputs)
    source = f"{asked['baseline']}={reference}"
    if embedded:
        return replace(inputs, embeddings=[*(inputs.embeddings or ()), source])
    return replace(inputs, scores=[*(inputs.scores or ()), source])


def _endings(inputs: Any) -> set[str]:
    """The endings of files that a baseline may be."""
    files = (
        split_key(split_name(text)[1])[0] for text in (*(inputs.scores or ()), *(inputs.embeddings or ()))
    )
    return {".json", *(file.suffix.lower() for file in files if file.suffix)}


def _called_after(file: Path, key: str | None, inputs: Any) -> str:
    """A baseline is called after its key, or else its file, unless a new algorithm may be called so."""
    taken: set[str | None] = set()
    for text in (*(inputs.scores or ()), *(inputs.embeddings or ())):
        name, reference = split_name(text)
        other, own = split_key(reference)
        taken |= {name or own or other.stem}
        if name is own is None and other == file:
            taken.add(key)  # all of the file is read
    called = key or file.stem
    return _NAME if not called or called in taken else called


def read_pin(path: Path) -> dict[str, Any]:
    """Read a pin from a file written by ``--save`` or from the results of a gate."""
    try:
        document = read_json(content_of(path))
    except (OSError, ValueError):
        raise InputError(
            "it is not JSON, so it does not pin a baseline.", Hint("write one: {option:save}"), file=str(path)
        ) from None
    document = document if isinstance(document, dict) else {}
    whole = document if "pinned" in document else document.get("gate")
    pin = whole.get("pinned") if isinstance(whole, dict) else None
    wanted = {"file": str, "sha256": str, "keys": list, "embeddings": bool}
    if not isinstance(pin, dict) or not all(isinstance(pin.get(key), kind) for key, kind in wanted.items()):
        raise InputError(
            "it does not pin a baseline: file, sha256, keys and embeddings are missing.",
            Hint("write one: {option:save}"),
            file=str(path),
        )
    return pin
