"""Types as signatures write them: what those stand for that have a name."""

from __future__ import annotations

import typing
from typing import Any, get_args, get_origin

_NAMED: Any = getattr(typing, "TypeAliasType", ())  # from Python 3.12 on


def plain(hint: Any) -> Any:
    """The type that a name of one stands for, as NumPy's NDArray is from 2.5 on; any other type as it is.

    >>> import numpy as np, numpy.typing as npt
    >>> get_origin(plain(npt.NDArray[np.int64]))
    <class 'numpy.ndarray'>
    >>> plain(int | None)
    int | None
    """
    name, inner = get_origin(hint) or hint, get_args(hint)
    if not isinstance(name, _NAMED):
        return hint
    return plain(name.__value__[inner] if inner else name.__value__)
