"""``proband mcnemar``: two algorithms, by the probes on which they differ."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from proband.cli.console import output, print_json, progress_bars
from proband.cli.gathering import gathered
from proband.cli.inputs import ExperimentInputs, RunInputs, ScoreInputs

_MOST_DIGITS = 12


@gathered
def mcnemar(
    inputs: ScoreInputs,
    setting: ExperimentInputs,
    n: Annotated[
        int | None,
        typer.Option("--total", "-n", help="Number of probes in all, for the interval of the difference."),
    ] = None,
    rank: Annotated[int, typer.Option("--rank", "-r", help="The rank that counts as a success.")] = 1,
    *,
    running: RunInputs,
) -> None:
    """McNemar's exact test, one- and two-sided and mid-p, from two counts or from two algorithms' scores.

    Probes are taken to be independent: with several probes of a person use proband compare, which knows that people are shared.

    [bold]Examples[/bold]

    Only the first recognises 104 probes, only the second 40 (FERET's fb probes, Beveridge et al. 2001):

      proband mcnemar 104 40 --total 1195

    From scores:

      proband mcnemar a.npy b.npy -s samples.csv --orientation similarity
    """
    from proband.errors import UsageError
    from proband.inference import mcnemar as test
    from proband.inference.mcnemar import tango_counts

    words = inputs.scores or []
    said: list[str] = []
    if words and all(word.isdecimal() for word in words):
        if len(words) != 2 or inputs.samples is not None:
            raise UsageError(
                f"McNemar's test takes two counts and no samples, or score files; got {' '.join(words)}"
                + ("." if inputs.samples is None else f" and {inputs.samples}."),
                "the counts are of probes that only the first, and only the second recognises.",
            )
        long = [word for word in (*words, str(n or 0)) if len(word) > _MOST_DIGITS]
        if long:
            raise UsageError(f"{long[0]:.20}… is no number of probes: it has {len(long[0]):,} digits.")
        first, second = int(words[0]), int(words[1])
        if n is not None and n < first + second:
            raise UsageError(f"{first} + {second} discordant probes cannot be among {n}.")
        plain: dict[str, Any] = test(first, second).to_dict()
    else:
        if n is not None:
            raise UsageError("--total goes with two counts; scores bring their own.")
        counts, said = _counted(inputs, setting, rank, running)
        first, second, n = counts["sf"], counts["fs"], sum(counts.values())
        plain = {**counts, **test(first, second).to_dict()}
    interval = None if n is None else tango_counts(first, second, n)
    if n is not None and interval is not None:
        plain |= {"n": n, "difference": (first - second) / n, "low": interval.low, "high": interval.high}
    if running.json:
        print_json({**plain, "notes": said})
        return
    _show(plain, said)


def _counted(
    inputs: ScoreInputs, setting: ExperimentInputs, rank: int, running: RunInputs
) -> tuple[dict[str, int], list[str]]:
    """Count the probes that both, one or neither of two algorithms recognises."""
    from dataclasses import asdict

    from proband.errors import UsageError
    from proband.inference import PairedOutcomes
    from proband.inference.closed import people_in
    from proband.measures import rank as ranked

    with progress_bars(running.quiet) as progress:
        found, table = inputs.read(progress)
        if len(found) != 2:
            named = ", ".join(one.name for one in found)
            raise UsageError(
                f"McNemar's test compares two algorithms, got {len(found)}: {named}.",
                "pick two: FILE::NAME FILE::OTHER, or give two counts.",
            )
        experiment = setting.over(found, table, inputs.missing)
        a, b = (
            ranked(
                one,
                experiment,
                check_orientation=inputs.orientation_check,
                threads=running.threads,
                progress=progress,
                **setting.ranking(),
            )
            for one in found
        )
    said = [f"First: {a.algorithm}. Second: {b.algorithm}. Success: rank {rank} or better."]
    if people_in(a) < len(a):
        said.append(
            f"{len(a):,} probes are of {people_in(a):,} people and are not independent, so this test rejects too often: "
            "use proband compare."
        )
    return asdict(PairedOutcomes.of(a.success(rank), b.success(rank))), said


def _show(plain: dict[str, Any], said: list[str]) -> None:
    console = output()
    if "ss" in plain:
        console.print(
            f"both {plain['ss']:,}, only the first {plain['sf']:,}, only the second {plain['fs']:,}, neither {plain['ff']:,}",
            markup=False,
        )
    for name, field in (
        ("one-sided, first better", "p_greater"),
        ("one-sided, second better", "p_less"),
        ("two-sided, exact", "p_two_sided"),
        ("two-sided, mid-p", "p_mid"),
    ):
        console.print(f"{name:26} p = {plain[field]:.6g}", markup=False)
    if "difference" in plain:
        console.print(
            f"difference of rates        {plain['difference']:+.4f}, 95% [{plain['low']:+.4f}, {plain['high']:+.4f}] (Tango)",
            markup=False,
        )
    for sentence in (
        *said,
        "Varying: other probes. Fixed: the algorithms and the gallery. Assuming: probes are independent.",
    ):
        console.print(sentence, markup=False, soft_wrap=True)
