"""Optional libraries, imported when needed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from proband.errors import UsageError

_EXTRA = {"sklearn": "images", "skimage": "images", "cv2": "images", "onnxruntime": "onnx", "dlib": "dlib"}


def need(module: str, what: str) -> Any:
    """Import a module of an extra, or name the extra to install."""
    try:
        return import_module(module)
    except ImportError:
        extra = _EXTRA.get(module.partition(".")[0], "all")
        raise UsageError(
            f"{what} needs {module.partition('.')[0]}, which is not installed.",
            f"pip install 'proband[{extra}]'",
        ) from None
