"""``proband array``: print, save or verify an orthogonal array."""

from __future__ import annotations

import warnings
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from proband.cli.console import tell, wrote
from proband.words import count

if TYPE_CHECKING:
    from proband.arrays import OrthogonalArray

PRINTED = 1_000_000  # symbols that are still printed
_UNBALANCED = 3  # exit code of a finding


class RuleName(StrEnum):
    """Maximum number of columns of an array."""

    strength_2 = "strength-2"
    strat_2001 = "strat-2001"


def array(
    symbols: Annotated[
        int, typer.Argument(help="Number of symbols, or of units in a stratum: a power of a prime.")
    ],
    columns: Annotated[int, typer.Argument(help="Number of columns, factors or strata.")],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="Save the array as .npy or .csv.")
    ] = None,
    rule: Annotated[
        RuleName,
        typer.Option(
            help="strength-2: at most as many columns as can be balanced. strat-2001: the limit stated in the "
            "paper, which allows unbalanced columns."
        ),
    ] = RuleName.strength_2,
    fewest: Annotated[
        bool,
        typer.Option(
            "--fewest", help="For 2 symbols, a Hadamard matrix if it needs fewer rows than a power of 2."
        ),
    ] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Verify the balance by counting; exit code 3 if unbalanced.")
    ] = False,
) -> None:
    """Make an orthogonal array: every two columns are balanced.

    Rows are printed one per line, without spaces for up to 10 symbols. A description of the array is printed to stderr.

    [bold]Examples[/bold]

    Replicates for 256 people with 3 images each:

      proband array 3 256 -o replicates.npy

    Verify that 27 × 13 is balanced, and that 27 × 26 is not:

      proband array 3 13 --check

      proband array 3 26 --rule strat-2001 --check
    """
    from proband.arrays import n_replicates
    from proband.errors import UsageError

    _refuse_other_files(out)
    rows = n_replicates(symbols, columns, rule.value, fewest)
    silent = out is None and rows * columns > PRINTED
    if silent and not check:
        raise UsageError(
            f"{count(rows)} × {count(columns)} symbols are too many to print.",
            "save them with -o FILE.npy or -o FILE.csv; verify their balance with --check.",
        )
    made = _make(symbols, columns, rule.value, fewest)
    tell(str(made))
    if out is not None:
        _save(made, out)
    elif not silent:
        between = "" if symbols <= 10 else " "
        typer.echo("\n".join(between.join(map(str, row)) for row in made.rows.tolist()))
    if check:
        found = made.balance()
        tell(str(found))
        if not found:
            raise typer.Exit(_UNBALANCED)


def _make(
    symbols: int, columns: int, rule: Literal["strength-2", "strat-2001"], fewest: bool
) -> OrthogonalArray:
    """Make the array, and let its warnings be read."""
    from proband.arrays import UnbalancedArrayWarning, orthogonal_array

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UnbalancedArrayWarning)
        made = orthogonal_array(symbols, columns, rule, fewest)
    for warning in caught:
        tell(f"warning: {warning.message}")
    return made


def _refuse_other_files(out: Path | None) -> None:
    from proband.errors import UsageError

    if out is not None and out.suffix.lower() not in (".npy", ".csv"):
        raise UsageError(f"Expected a file name ending in .npy or .csv, got {out.name}.")


def _save(made: OrthogonalArray, out: Path) -> None:
    import numpy as np

    from proband.engine.files.files import written_whole

    with written_whole(out) as draft:
        if out.suffix.lower() == ".npy":
            np.save(draft, made.rows)
        else:
            with draft.open("wb") as file:  # line ends are the same on every system
                np.savetxt(file, made.rows, fmt="%d", delimiter=",")
    wrote(out)
