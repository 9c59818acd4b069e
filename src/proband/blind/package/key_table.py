"""Validation of the table of a key."""

from __future__ import annotations

from collections.abc import Container

import polars as pl

from proband.errors import InputError, first_few

LISTS = {
    "targets": "target",
    "queries": "query",
    "control_targets": "control target",
    "control_queries": "control query",
}
"""The lists of names of a package, each a ``.csv`` file, and their roles."""

_ROLES = tuple(LISTS.values())


def check_table(table: pl.DataFrame, samples: Container[str]) -> None:
    """Refuse duplicate names, unknown roles and samples, and repeats of missing images.

    A repeat shows the sample of the name that it repeats, which is a plain target for a (control) target and a plain query for
    a (control) query; everything in a control set is a repeat.
    """
    names = table["name"].to_list()
    if table.select("name", "role", "sample").null_count().sum_horizontal().item() or len(set(names)) < len(
        names
    ):
        raise InputError("The key's table has missing or duplicate names.")
    plain = {
        name: (role, sample)
        for name, role, sample, repeat in table.iter_rows()
        if repeat is None and role in _ROLES[:2]
    }
    for name, role, sample, repeat in table.iter_rows():
        if role not in _ROLES:
            raise InputError(
                f"The key gives {name!r} the unknown role {role!r}.", f"the roles are {first_few(_ROLES, 4)}."
            )
        if sample not in samples:
            raise InputError(
                f"The key states that {name!r} is {sample!r}, which is not in its table of samples."
            )
        if repeat is None and name not in plain:
            raise InputError(f"The key does not state which image the {role} {name!r} repeats.")
        if repeat is not None and plain.get(repeat) != (role.removeprefix("control "), sample):
            raise InputError(
                f"The key states that {name!r} repeats {repeat!r}, which is not a {role.removeprefix('control ')} of that image."
            )
