"""Progress display: a bar in a notebook, a line in a terminal, nothing elsewhere."""

from __future__ import annotations

import sys
import time
from importlib import import_module
from typing import Any, Self

from proband.engine.arguments import published
from proband.report.page.markup import joined, tag
from proband.words import count, printable

_BETWEEN = 0.1  # seconds between updates of a bar
_CLEAR = "\r\x1b[K"


@published
class ProgressBar:
    """Show the progress of a computation: pass it as `progress`.

    It needs no widgets: in a notebook the bar is an output element updated in place, and in a terminal it is a line
    on stderr. In a pipe nothing is shown. As a context manager, it is cleared at the end.

    Examples
    --------
    >>> from proband import Samples
    >>> from proband.protocols import FeatureTable, run_protocol
    >>> import numpy as np
    >>> who = np.repeat(np.arange(20), 3)
    >>> data = FeatureTable(Samples({"id": range(60), "subject": who}), features=np.eye(20)[who])
    >>> nearest = {"1nn": "sklearn.neighbors:KNeighborsClassifier(n_neighbors=1)"}
    >>> with ProgressBar() as progress:
    ...     run = run_protocol(nearest, data, "3f CV", progress=progress)
    >>> run.results[0].accuracy
    1.0
    """

    def __init__(self) -> None:
        self._what, self._done, self._total = "", 0, 0
        self._shown = float("-inf")
        self._output: Any = None

    def begin(self, what: str, total: int) -> None:
        """Begin a stage.

        Parameters
        ----------
        what
            The name of the stage.
        total
            The number of steps; 0 if unknown.
        """
        self._what, self._done, self._total = what, 0, total
        self._show()

    def advance(self, steps: int) -> None:
        """Count finished steps.

        Parameters
        ----------
        steps
            The number of finished steps.
        """
        self._done += steps
        if self._done == self._total or time.monotonic() - self._shown >= _BETWEEN:
            self._show()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        if self._output is not None:
            self._output.update({"text/plain": "", "text/html": ""}, raw=True)
        elif sys.stderr.isatty():
            print(_CLEAR, end="", file=sys.stderr, flush=True)

    def _show(self) -> None:
        self._shown = time.monotonic()
        text = (
            f"{printable(self._what)} {count(self._done)} of {count(self._total)}"
            if self._total
            else self._what
        )
        if not _in_a_notebook():
            if sys.stderr.isatty():
                print(f"{_CLEAR}{text}", end="", file=sys.stderr, flush=True)
            return
        bar = tag("progress", value=str(self._done), max=str(self._total)) if self._total else tag("progress")
        data = {"text/plain": text, "text/html": str(tag("div", joined([bar, text], " ")))}
        if self._output is None:
            display: Any = import_module("IPython.display").display  # which has no types
            self._output = display(data, raw=True, display_id=True)
        else:
            self._output.update(data, raw=True)


def _in_a_notebook() -> bool:
    """Whether output is displayed by a notebook, not a terminal."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return hasattr(shell, "kernel")
