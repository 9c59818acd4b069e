"""Links to the documentation of other packages: the names that ours mentions, and the pages that have them.

Inventories as intersphinx reads them are written from this table, so that nothing is fetched. One that was downloaded takes its place.
"""

from __future__ import annotations

import zlib
from pathlib import Path

SITES = {
    "python": "https://docs.python.org/3",
    "numpy": "https://numpy.org/doc/stable",
    "scipy": "https://docs.scipy.org/doc/scipy",
    "polars": "https://docs.pola.rs/api/python/stable",
    "pandas": "https://pandas.pydata.org/docs",
    "matplotlib": "https://matplotlib.org/stable",
}
_GENERATED = "reference/generated/$.html#$"
_NAMES = {
    "python": {
        "library/functions.html#$": "bool float int object str",
        "library/stdtypes.html#$": "bytes dict list tuple",
        "library/collections.abc.html#$": (
            "collections.abc.Callable collections.abc.Iterable collections.abc.Iterator "
            "collections.abc.Mapping collections.abc.Sequence"
        ),
        "library/concurrent.futures.html#$": "concurrent.futures.Executor",
        "library/datetime.html#$": "datetime.datetime",
        "library/os.html#$": "os.PathLike",
        "library/pathlib.html#$": "pathlib.Path",
        "library/typing.html#$": "typing.Any typing.Literal",
    },
    "numpy": {
        _GENERATED: "numpy.load numpy.mean numpy.ndarray",
        "reference/random/generator.html#$": "numpy.random.Generator",
        "reference/typing.html#$": "numpy.typing.ArrayLike numpy.typing.NDArray",
    },
    "scipy": {_GENERATED: "scipy.stats.bootstrap scipy.stats.permutation_test"},
    "polars": {
        "reference/dataframe/index.html#$": "polars.DataFrame",
        "reference/series/index.html#$": "polars.Series",
    },
    "pandas": {"reference/api/$.html#$": "pandas.DataFrame pandas.Series"},
    "matplotlib": {
        "api/_as_gen/$.html#$": "matplotlib.axes.Axes matplotlib.figure.Figure",
    },
}
ALIASES = {
    name.rpartition(".")[2]: name
    for pages in _NAMES.values()
    for names in pages.values()
    for name in names.split()
}
"""Names of types as docstrings have them, and the names that are links."""


def inventories(folder: Path) -> dict[str, tuple[str, str]]:
    """Write the inventories that are not there; a mapping for intersphinx."""
    folder.mkdir(exist_ok=True)
    for project, pages in _NAMES.items():
        path = folder / f"{project}.inv"
        if not path.exists():
            path.write_bytes(_inventory(project, pages))
    return {project: (site, str(folder / f"{project}.inv")) for project, site in SITES.items()}


def _inventory(project: str, pages: dict[str, str]) -> bytes:
    lines = [
        f"{name} py:class 1 {page.replace('$', name)} -\n"
        for page, names in pages.items()
        for name in names.split()
    ]
    head = f"# Sphinx inventory version 2\n# Project: {project}\n# Version: \n"
    head += "# The remainder of this file is compressed using zlib.\n"
    return head.encode() + zlib.compress("".join(lines).encode())
