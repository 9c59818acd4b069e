"""``proband mcnemar``: two algorithms, by the probes on which they differ."""

from __future__ import annotations

from typing import Annotated

import typer

from proband.cli import options as o
from proband.cli.console import output


def mcnemar(
    n_sf: Annotated[
        int, typer.Argument(metavar="SF", help="Probes that only the first algorithm recognises.")
    ],
    n_fs: Annotated[int, typer.Argument(metavar="FS", help="Probes that only the second recognises.")],
    n: Annotated[
        int | None,
        typer.Option("--probes", "-n", help="Number of probes in all, for the interval of the difference."),
    ] = None,
    json: o.Json = False,
) -> None:
    """McNemar's exact test, one- and two-sided and mid-p; with --probes the difference of the two rates.

    Probes are taken to be independent: with several probes of a person use proband compare, which knows that people are shared.

    [bold]Example[/bold] (PCA against ICA on FERET's fb probes, Beveridge et al. 2001)

      proband mcnemar 104 40 --probes 1195
    """
    import json as json_module

    from proband.errors import UsageError
    from proband.inference import mcnemar as test
    from proband.inference.mcnemar import tango_counts

    found = test(n_sf, n_fs)
    if n is not None and n < n_sf + n_fs:
        raise UsageError(f"{n_sf} + {n_fs} discordant probes cannot be among {n}.")
    interval = None if n is None else tango_counts(n_sf, n_fs, n)
    if json:
        plain = found.to_dict()
        if n is not None and interval is not None:
            plain |= {"n": n, "difference": (n_sf - n_fs) / n, "low": interval.low, "high": interval.high}
        typer.echo(json_module.dumps(plain))
        return
    console = output()
    for name, value in (
        ("one-sided, first better", found.p_greater),
        ("one-sided, second better", found.p_less),
        ("two-sided, exact", found.p_two_sided),
        ("two-sided, mid-p", found.p_mid),
    ):
        console.print(f"{name:26} p = {value:.6g}", markup=False)
    if n is not None and interval is not None:
        console.print(
            f"difference of rates        {(n_sf - n_fs) / n:+.4f}, 95% [{interval.low:+.4f}, {interval.high:+.4f}] (Tango)",
            markup=False,
        )
    console.print(
        "Varying: other probes. Fixed: the algorithms and the gallery. Assuming: probes are independent.",
        markup=False,
    )
