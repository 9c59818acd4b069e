"""Arrays of other libraries: NumPy, pandas, polars, PyTorch, whatever has ``__array__`` or ``__dlpack__``, and lists."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Number, Real
from typing import Any

import numpy as np
import numpy.typing as npt

from proband.errors import InputError, UsageError, quoted
from proband.words import agreeing, count


def array_from(data: Any, what: str) -> npt.NDArray[Any]:
    """Convert user data to a NumPy array, without unnecessary copies.

    Masked values, None and pandas' NA are missing: NaN among numbers, and None among anything else.

    Parameters
    ----------
    data
        An array, a column or a frame, a tensor on the CPU (detached from its gradient), or a list.
    what
        The name in error messages.
    """
    found = _as_array(data, what)
    if found.dtype.kind != "O" or not found.size:
        return found
    flat = found.ravel().tolist()
    there = [one for one in flat if one is not None]
    if isinstance(data, np.ndarray) and len(there) == len(flat):
        return found  # objects by choice
    if not there or not all(isinstance(one, Real) and not isinstance(one, bool | np.bool_) for one in there):
        return found
    numbers = np.array(flat) if len(there) == len(flat) else np.array(flat, dtype=np.float64)
    return numbers.reshape(found.shape)


def complete_from(data: Any, what: str) -> npt.NDArray[Any]:
    """Convert user data to a NumPy array; missing values are refused."""
    found = array_from(data, what)
    missing = missing_in(found)
    if missing is not None:
        raise missing_error(missing, what)
    return found


def missing_in(array: npt.NDArray[Any]) -> npt.NDArray[np.bool_] | None:
    """The mask of missing values in an array from `array_from`; None if there are none."""
    if array.dtype.kind == "O":
        missing = np.array([one is None for one in array.ravel()], np.bool_).reshape(array.shape)
    elif array.dtype.kind in "fcmM":
        missing = np.asarray(array != array)
    else:
        return None
    return missing if missing.any() else None


def missing_error(missing: npt.NDArray[np.bool_], what: str) -> InputError:
    """The error with the number of missing values and the position of the first."""
    n = int(missing.sum())
    first, *rest = (count(int(places[0])) for places in np.nonzero(missing))
    where = f"in row {first}, column {rest[0]}" if len(rest) == 1 else f"number {first}"
    return InputError(
        f"{count(n)} of the {count(missing.size)} {what} {agreeing(n)} missing, first {where} "
        "(counted from 0).",
        "leave these rows out of all arrays.",
    )


def plain_values(data: Any, what: str) -> list[Any]:
    """Return one column as plain Python values, with every kind of missing value (NaN, NA, NaT, null, masked) as None."""
    if hasattr(data, "columns"):
        raise UsageError(
            f"The {what} must be a column or a list, got a table.", "pass one column: table['id']."
        )
    if _library(data) == "pandas":
        found: list[Any] = data.astype(object).where(data.notna(), None).tolist()  # no pyarrow needed
        return found
    array = _as_array(data, what)
    if not array.ndim:
        raise UsageError(f"The {what} must be a column or a list, got {quoted(data)}.")
    values: list[Any] = array.tolist()
    return values if missing_in(array) is None else [None if is_missing(value) else value for value in values]


def is_missing(value: object) -> bool:
    """Whether a single value is None, NaN, NaT, pandas' NA or NumPy's masked."""
    if isinstance(value, str):
        return False
    if value is None or value is np.ma.masked or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, Number | np.generic) and bool(value != value)


def _as_array(data: Any, what: str) -> npt.NDArray[Any]:
    """An array in which missing values are NaN, or None for object arrays."""
    if isinstance(data, str | bytes) or data is None:
        raise UsageError(
            f"The {what} must be an array, got {type(data).__name__}.", "pass an array, a column or a list."
        )
    if hasattr(data, "detach"):
        data = _on_cpu(data, what)
    if isinstance(data, list | tuple) and any(isinstance(one, np.ma.MaskedArray) for one in data):
        # A single masked value is such an array too; in a list of arrays, each keeps its mask.
        data = [one.tolist() if isinstance(one, np.ma.MaskedArray) else one for one in data]
    try:
        if isinstance(data, np.ma.MaskedArray):
            found = _shown(data)
        elif hasattr(data, "to_numpy"):  # pandas and polars
            found = np.asarray(data.to_numpy())
        elif not hasattr(data, "__array__") and hasattr(data, "__dlpack__"):
            found = np.from_dlpack(data)
        else:
            found = np.asarray(data)
    except (TypeError, ValueError, OverflowError, BufferError, RuntimeError) as error:
        said = str(error).partition("\n")[0].rstrip(".")
        raise InputError(
            f"The {what} cannot be converted to an array: {said}.",
            "make all rows the same length, and use only numbers or only strings.",
        ) from None
    if found.dtype.kind != "O":
        return found
    gaps = np.array([is_missing(one) for one in found.ravel()], np.bool_).reshape(found.shape)
    if gaps.any():
        found = found.copy()
        found[gaps] = None
    return found


def _shown(data: np.ma.MaskedArray[Any, Any]) -> npt.NDArray[Any]:
    """A masked array as a plain array, with masked values missing."""
    hidden = np.ma.getmaskarray(data)
    values = np.asarray(data.data)
    if hidden.dtype.names or not hidden.any():
        return values
    found = values.copy() if values.dtype.kind in "fc" else values.astype(object)
    found[hidden] = np.nan if found.dtype.kind in "fc" else None
    return found


def _library(data: Any) -> str:
    return type(data).__module__.partition(".")[0]


def numbers_by(function: Callable[..., Any], what: str, *args: Any) -> npt.NDArray[np.float64]:
    """Call a user's function and return its result, which must be numbers."""
    try:
        found = np.asarray(function(*args))
    except (TypeError, ValueError, OverflowError) as error:
        raise UsageError(f"The {what} cannot be computed: {error}.") from error
    if found.dtype.kind not in "biuf":
        raise UsageError(f"The {what} must return a number; got {found.dtype.type.__name__}.")
    return found.astype(np.float64, copy=False)


def number_by(function: Callable[..., Any], what: str, *args: Any) -> float:
    """Call a user's function and return its result, which must be one number."""
    found = numbers_by(function, what, *args)
    if found.ndim:
        raise UsageError(f"The {what} must return one number, not {found.shape}.")
    return float(found)


def number_from(value: Any, what: str) -> float:
    """Return one number given by a user among others."""
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise UsageError(f"A {what} is a number, got {quoted(value)}.") from None


def _on_cpu(tensor: Any, what: str) -> Any:
    """A detached tensor, in a type supported by NumPy."""
    tensor = tensor.detach()
    device = getattr(getattr(tensor, "device", None), "type", "cpu")
    if device != "cpu":
        raise UsageError(f"The {what} are on the device {device!r}.", "move them: tensor.cpu().")
    try:
        return np.asarray(tensor)
    except (TypeError, RuntimeError):
        return tensor.float() if hasattr(tensor, "float") else tensor  # bfloat16
