"""Objects shared by several blocks, made once."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Any, Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Made = TypeVar("Made")


class Kept(Generic[Key, Made]):
    """The most recently made objects, each made once even if several threads request it; empty in other processes.

    Examples
    --------
    >>> squares = Kept()
    >>> squares.of(3, lambda: 9), squares.of(3, lambda: 0)
    (9, 9)
    """

    def __init__(self, most: int = 2) -> None:
        self._most, self._lock = most, Lock()
        self._made: OrderedDict[Key, Made] = OrderedDict()

    def of(self, key: Key, make: Callable[[], Made]) -> Made:
        """Return the object of a key, made if necessary."""
        with self._lock:
            if key not in self._made:
                self._made[key] = make()
                while len(self._made) > self._most:
                    self._made.popitem(last=False)
            return self._made[key]

    def __reduce__(self) -> tuple[Any, ...]:
        return Kept, (self._most,)
