"""Concentration of errors on people, compared with chance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from proband.distributions import binomial_pmf, hypergeometric_pmf
from proband.inference.verification.people.hard_subjects import HardSubjects
from proband.report import columns as col
from proband.report.charts.palette import PLAIN, SECOND
from proband.report.charts.scales import Floats
from proband.report.charts.spec import Axis, Chart, Curves, Series
from proband.words import as_sentence, counted, level


@dataclass(frozen=True, eq=False)
class Concentration:
    """Share of errors by share of people, the curve expected by chance, and the number of errors."""

    name: str
    people: Floats
    errors: Floats
    chance_people: Floats
    chance_errors: Floats
    total: int

    def halves(self) -> tuple[float, float]:
        """The share of the people with half of the errors, observed and by chance."""
        return (
            float(np.interp(0.5, self.errors, self.people)),
            float(np.interp(0.5, self.chance_errors, self.chance_people)),
        )


def concentration(hard: HardSubjects, id: str = "hard-subjects", algorithm: str = "") -> Chart:
    """Chart which share of the errors falls on which share of the people, most errors first.

    Thin lines are expected by chance: a small number of errors always falls on few people.
    """
    kinds = {
        "false non-matches": shared_errors(hard, "false_non_matches", "genuine"),
        "false matches": shared_errors(hard, "false_matches", "impostor"),
    }
    lines = [Concentration(name, *found) for name, found in kinds.items() if found is not None]
    told = [
        f"half of the {one.name} fall on {level(round(half, 3))} of the people, by chance on {level(round(by_chance, 3))}"
        for one in lines
        for half, by_chance in [one.halves()]
    ]
    n = counted(hard.people.height, "person", "people")
    title = (
        f"Concentration of the errors of {algorithm}" if algorithm else "Concentration of errors on people"
    )
    x = Axis("share of the people, most errors first", "linear", 0.0, 1.0, "rate")
    series = tuple(
        Series(one.name, place, one.people, one.errors, thin=((one.chance_people, one.chance_errors),))
        for one, place in zip(lines, (PLAIN, SECOND), strict=False)
    )
    return Chart(
        id,
        title,
        f"{n}: {'; '.join(told)}." if told else f"{n}, and no errors.",
        ((x, Axis("share of the errors", "linear", 0.0, 1.0, "rate")),),
        Curves(series, False, step=False, dotted=False),
        tuple(one.name for one in lines),
        (
            "Thin: expected if errors were assigned to comparisons at random.",
            *map(as_sentence, hard.sentences()),
        ),
        above=f"{n}; thin: by chance",
        see="The further a curve is above its thin line, the more the errors are concentrated on a few people.",
        data=col.table_of(
            title,
            lines,
            col.name("errors", lambda line: line.name),
            col.count("number", lambda line: line.total),
            col.rate("share of people with half of them", lambda line: line.halves()[0]),
            col.rate("by chance", lambda line: line.halves()[1]),
            id=f"{id}-data",
        ),
    )


def shared_errors(
    hard: HardSubjects, errors: str, comparisons: str
) -> tuple[Floats, Floats, Floats, Floats, int] | None:
    """Cumulative shares of people and errors, most errors first, and the same by chance; None without errors."""
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
    """Expected number of people with 0, 1, 2, … errors if errors are assigned to comparisons at random.

    Parameters
    ----------
    comparisons
        Number of comparisons of each person.
    errors
        Sum over people; with `pairs`, each error counts for both people of the comparison.
    """
    sizes, repeats = np.unique(np.asarray(comparisons, dtype=np.int64), return_counts=True)
    total = int((sizes * repeats).sum())
    drawn = errors // 2 if pairs else errors
    k = np.arange(drawn + 1)[:, None]
    chance = (
        binomial_pmf(k, drawn, np.minimum(2 * sizes / total, 1.0))
        if pairs
        else hypergeometric_pmf(k, total, sizes, drawn)
    )
    found = np.asarray(chance @ repeats.astype(np.float64), dtype=np.float64)
    needed = int(np.flatnonzero(found > 1e-6 * found.max())[-1]) + 1
    return found[:needed]
