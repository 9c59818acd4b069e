"""Trained models as files: arrays and plain settings in one archive, nothing pickled."""

from __future__ import annotations

import json
from dataclasses import asdict, fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np

from proband._version import __version__
from proband.algorithms.lbp import Grid, HistogramModel, NearestPartsModel
from proband.algorithms.linear import LinearModel
from proband.algorithms.pictures.normalize import Photometry
from proband.algorithms.recognizer import Model, Training
from proband.algorithms.sparse import SparseModel
from proband.engine import written_whole
from proband.engine.files.documents import read_json
from proband.engine.files.files import require_regular
from proband.errors import InputError, Said, UsageError
from proband.samples.npz import Archive, write_archive
from proband.words import Note, Sentence

TOLD = Sentence("algorithms.told-by-model", "note", "{text}")


_KINDS: dict[str, type[Any]] = {
    kind.__name__: kind for kind in (LinearModel, HistogramModel, NearestPartsModel, SparseModel)
}
_PARTS: dict[str, type[Any]] = {"photometry": Photometry, "grid": Grid, "training": Training}
_SETTINGS = "settings"


def save_model(model: Model, path: str | Path) -> None:
    """Write a model as ``.npz``: its arrays, its settings, and the hash of the training ids.

    Parameters
    ----------
    model
        A trained model.
    path
        The file, an ``.npz``.
    """
    path = Path(path)
    require_storable(model)
    kind = type(model).__name__
    arrays: dict[str, Any] = {}
    settings: dict[str, Any] = {}
    for one in fields(_KINDS[kind]):
        value = getattr(model, one.name)
        if one.name == "notes":
            settings[one.name] = [note.to_dict() for note in value]
        elif isinstance(value, np.ndarray):
            arrays[one.name] = value
        elif is_dataclass(value) and not isinstance(value, type):
            settings[one.name] = asdict(value)
        else:
            settings[one.name] = value
    stated = json.dumps({"kind": kind, "proband": __version__, "settings": settings}, sort_keys=True)
    with written_whole(path) as draft:
        write_archive(draft, {**arrays, _SETTINGS: np.array(stated)})


def require_storable(model: Model) -> None:
    """Refuse models that are not made of arrays and settings."""
    if type(model).__name__ not in _KINDS:
        raise InputError(f"{model.name} cannot be saved: it is not made of arrays and settings only.")


def load_model(path: str | Path) -> Model:
    """Read a model written by `save_model`.

    Parameters
    ----------
    path
        A file written by `save_model`.

    Returns
    -------
    Model
        The trained model.
    """
    path = Path(path)
    require_regular(path)
    if not path.is_file():
        raise InputError(f"There is no file {path}.", file=Said(path))
    archive = Archive(path)
    try:
        stated = read_json(str(archive[_SETTINGS].item()))
        kind, settings = _KINDS[stated["kind"]], dict(stated["settings"])
        for name, part in _PARTS.items():
            if name in settings and not (name == "training" and settings[name] is None):
                settings[name] = part(**settings[name])
        if "shape" in settings:
            settings["shape"] = tuple(settings["shape"])
        settings["notes"] = tuple(map(_note, settings.get("notes", ())))
        arrays = {name: archive[name] for name in archive if name != _SETTINGS}
        model: Model = kind(**settings, **arrays)
    except (KeyError, ValueError, TypeError, AttributeError, IndexError, UsageError) as error:
        raise InputError(
            f"{path.name} is not a Proband model: {type(error).__name__} {error}.", file=Said(path.name)
        ) from None
    return model


def _note(stated: Any) -> Note:
    """The stored note; sentences unknown to this version are kept as text."""
    if isinstance(stated, str):
        return TOLD(text=stated)
    sentence = Sentence.every.get(stated["code"])
    if sentence is None:
        return TOLD(text=str(stated["text"]))
    return sentence(
        **{
            name: tuple(value) if isinstance(value, list) else value
            for name, value in stated["values"].items()
        }
    )
