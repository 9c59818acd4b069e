"""How errors gather on few people, and how far they would by chance."""

from __future__ import annotations

import numpy as np

from proband.inference.verification.people.hard_subjects import HardSubjects
from proband.report.charts.palette import PLAIN, SECOND
from proband.report.charts.scales import Floats
from proband.report.charts.spec import Axis, Chart, Concentration, Concentrations
from proband.words import as_sentence, counted, level


def concentration(hard: HardSubjects, id: str = "hard-subjects", algorithm: str = "") -> Chart:
    """Chart which share of the errors falls on which share of the people, those with most errors first.

    Thin lines are what chance alone would give: few errors are always those of few people.
    """
    kinds = {
        "false non-matches": shared_errors(hard, "false_non_matches", "genuine"),
        "false matches": shared_errors(hard, "false_matches", "impostor"),
    }
    lines = tuple(Concentration(name, *found) for name, found in kinds.items() if found is not None)
    told = [
        f"half of the {one.name} fall on {level(round(half, 3))} of the people, by chance on {level(round(by_chance, 3))}"
        for one in lines
        for half, by_chance in [one.halves()]
    ]
    n = counted(hard.people.height, "person", "people")
    x = Axis("share of the people, those with most errors first", "linear", 0.0, 1.0, "rate")
    return Chart(
        id,
        f"Whom the errors of {algorithm} fall on" if algorithm else "Whom the errors fall on",
        f"{n}: {'; '.join(told)}." if told else f"{n}, and no errors.",
        ((x, Axis("share of the errors", "linear", 0.0, 1.0, "rate")),),
        Concentrations(lines),
        tuple(one.name for one in lines),
        (
            "Thin: what would be expected if errors fell on comparisons by chance.",
            *map(as_sentence, hard.sentences()),
        ),
        above=f"{n}; thin: by chance",
        see="The further a line bends above its thin one, the more the errors gather on few people.",
        places=(PLAIN, SECOND)[: len(lines)],
    )


def shared_errors(
    hard: HardSubjects, errors: str, comparisons: str
) -> tuple[Floats, Floats, Floats, Floats, int] | None:
    """The share of people and of their errors, most errors first, and the same by chance; None without errors."""
    counts = np.sort(hard.people[errors].to_numpy())[::-1].astype(np.float64)
    made = hard.people[comparisons].to_numpy()
    if not counts.sum():
        return None
    expected = expected_people(made, int(counts.sum()), pairs=errors == "false_matches")
    by_chance = np.arange(len(expected))[::-1]
    people = np.concatenate([[0.0], np.cumsum(expected[::-1])]) / expected.sum()
    shares = np.concatenate([[0.0], np.cumsum(expected[::-1] * by_chance)])
    n = len(counts)
    total = int(counts.sum())
    return (
        np.arange(n + 1) / n,
        np.concatenate([[0.0], np.cumsum(counts)]) / counts.sum(),
        people,
        shares / shares[-1],
        total // 2 if errors == "false_matches" else total,
    )


def expected_people(comparisons: Floats, errors: int, *, pairs: bool) -> Floats:
    """How many people are expected to have 0, 1, 2, … errors, if errors fall on comparisons by chance.

    Parameters
    ----------
    comparisons
        Of each person.
    errors
        The sum over people; with `pairs` each error counts for the two people it is between.
    """
    from scipy.stats import binom, hypergeom

    sizes, repeats = np.unique(np.asarray(comparisons, dtype=np.int64), return_counts=True)
    total = int((sizes * repeats).sum())
    drawn = errors // 2 if pairs else errors
    k = np.arange(drawn + 1)[:, None]
    chance = (
        binom.pmf(k, drawn, np.minimum(2 * sizes / total, 1.0))
        if pairs
        else hypergeom.pmf(k, total, sizes, drawn)
    )
    found = np.asarray(chance @ repeats.astype(np.float64), dtype=np.float64)
    needed = int(np.flatnonzero(found > 1e-6 * found.max())[-1]) + 1
    return found[:needed]
