"""Arrays of other libraries: NumPy, pandas, polars, PyTorch, whatever has ``__array__`` or ``__dlpack__``, and lists."""

from __future__ import annotations

from math import isnan
from typing import Any

import numpy as np
import numpy.typing as npt

from proband.errors import InputError, UsageError


def array_from(data: Any, what: str) -> npt.NDArray[Any]:
    """Make a NumPy array of what the user has; nothing is copied that need not be.

    Parameters
    ----------
    data
        An array, a column or a frame, a tensor on the CPU (its gradient is left behind), or a list.
    what
        What it is called, in errors.

    Examples
    --------
    >>> array_from([[1, 2], [3, 4]], "scores").shape
    (2, 2)
    """
    if isinstance(data, str | bytes) or data is None:
        raise UsageError(
            f"The {what} are an array, got {type(data).__name__}.", "pass an array, a column or a list."
        )
    if hasattr(data, "detach"):
        data = _on_cpu(data, what)
    try:
        if hasattr(data, "to_numpy"):  # pandas and polars
            return np.asarray(data.to_numpy())
        if not hasattr(data, "__array__") and hasattr(data, "__dlpack__"):
            return np.from_dlpack(data)
        return np.asarray(data)
    except (TypeError, ValueError, BufferError, RuntimeError) as error:
        said = str(error).partition("\n")[0].rstrip(".")
        raise InputError(
            f"The {what} do not make an array: {said}.", "rows must be of one length, and numbers or texts."
        ) from None


def plain_values(data: Any, what: str) -> list[Any]:
    """Return one column as plain values of Python, every kind of missing value (NaN, NA, NaT, null) as None.

    Examples
    --------
    >>> plain_values(np.array([1.5, np.nan]), "scores")
    [1.5, None]
    """
    if type(data).__module__.partition(".")[0] == "pandas":
        found: list[Any] = data.astype(object).where(data.notna(), None).tolist()  # no pyarrow needed
        return found
    values = array_from(data, what).tolist()
    return [None if isinstance(value, float) and isnan(value) else value for value in values]


def _on_cpu(tensor: Any, what: str) -> Any:
    """A tensor without its gradient, in a type that NumPy has."""
    tensor = tensor.detach()
    device = getattr(getattr(tensor, "device", None), "type", "cpu")
    if device != "cpu":
        raise UsageError(f"The {what} are on the device {device!r}.", "move them: tensor.cpu().")
    try:
        return np.asarray(tensor)
    except (TypeError, RuntimeError):
        return tensor.float() if hasattr(tensor, "float") else tensor  # bfloat16
