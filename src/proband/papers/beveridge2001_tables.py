"""The tables of Beveridge et al. (2001) as shown on the page: published values next to values for synthetic people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from proband.inference import VirtualExperiments
from proband.inference.comparisons.mcnemar_table import McNemarRow
from proband.inference.comparisons.testing.mcnemar import PairedOutcomes, mcnemar
from proband.inference.image_choice.distributions import Distribution
from proband.inference.image_choice.estimates import compared
from proband.papers.beveridge2001_claims import NOT_WON, PRINTED_P, TABLE_4
from proband.papers.beveridge2001_design_claims import (
    BALANCED,
    PAIRS,
    TABLE_2,
    TABLE_3,
    UNBALANCED,
    DesignEvidence,
    Listed,
)
from proband.report.tables.cells import (
    columns,
    count_cell,
    empty_cell,
    fixed_cell,
    interval_cell,
    over,
    p_cell,
    rate_cell,
    share_cell,
    table,
    text_cell,
)
from proband.report.tables.table import Cell, Column, Table
from proband.results.difference import Difference
from proband.words import count, counted, fixed, out_of, p_value

_SHOWN = 8  # rows of Table 6 before the last one
_DOTS = "⋮"
_SETS = {
    "fa": ("G fa", "gallery: the first regular image of each person"),
    "fb": ("P fb", "the same sitting, another expression"),
    "dup1": ("P dup I", "a later sitting"),
    "dup2": ("P dup II", "long after: a subset of dup I, and the hardest"),
    "fc": ("P fc", "the same day, another camera and other light"),
}


def sets_table(n_gallery: int, probe_sets: Mapping[str, frozenset[str]], n_training: int) -> Table:
    """Table 2: the gallery, the probe sets and the images trained on."""
    here = {"fa": n_gallery, **{name: len(ids) for name, ids in probe_sets.items()}}
    rows = [
        (text_cell(symbol), count_cell(TABLE_2[name]), count_cell(here[name]), text_cell(described))
        for name, (symbol, described) in _SETS.items()
    ]
    trained = "training set: in the paper about 80% from G fa and 20% from dup I, here other people"
    rows.append((text_cell("T"), count_cell(TABLE_2["training"]), count_cell(n_training), text_cell(trained)))
    heads = (*columns("set", "images, the paper", "images, here"), Column("what they are"))
    return table("table2-beside", "Partitions of the images, published and here", heads, rows)


def example_table(second: str, category: str, pairs: PairedOutcomes) -> Table:
    """Table 3: paired outcomes of two algorithms, the paper's invented example next to a probe set here."""
    heads = (
        *columns("outcome of B"),
        *(
            Column(f"{whose}\noutcome of A: {ends}", "number")
            for whose in ("the paper", "here")
            for ends in ("S", "F")
        ),
    )
    each = TABLE_3, pairs
    rows = [
        (text_cell("S"), *(count_cell(n) for counts in each for n in (counts.ss, counts.fs))),
        (text_cell("F"), *(count_cell(n) for counts in each for n in (counts.sf, counts.ff))),
    ]
    notes = [
        "S: the algorithm recognises the probe, F: it does not. The numbers of the paper are an invented example.",
        f"Here A is PCA (L1) and B {second}, on the {category} probes.",
    ]
    for whose, counts in zip(("The paper", "Here"), each, strict=True):
        a, b = counts.ss + counts.sf, counts.ss + counts.fs
        ahead, p = ("B", mcnemar(counts.sf, counts.fs).p_less) if b > a else ("A", mcnemar(counts.sf, counts.fs).p_greater)  # fmt: skip
        rates = (f"{name} {out_of(n, counts.n)} ({fixed(n / counts.n, 2)})" for name, n in (("A", a), ("B", b)))  # fmt: skip
        notes.append(f"{whose}: {', '.join(rates)}; McNemar's one-sided p for {ahead} {p_value(p)}.")
    return table("table3-beside", "Paired outcomes of two algorithms", heads, rows, notes)


def paired_table(
    first: str,
    tests: Mapping[str, Mapping[str, McNemarRow]],
    over_people: Mapping[tuple[str, str], Difference],
) -> Table:
    """Table 4: two algorithms by probe set, published and here.

    Parameters
    ----------
    first
        The name of PCA in the notes.
    tests
        McNemar's tests by the second algorithm and the probe set.
    over_people
        The same comparisons over people, by the second algorithm and the probe set.
    """
    heads = (
        *columns("probes", "PCA against", text=2),
        *columns("PCA", "ICA", "SS", "SF", "FS", "FF", "one-sided p", "p over people", text=0),
    )
    rows = []
    for name, printed in TABLE_4.items():
        rows.append(
            (
                *_named(f"{name}, published", "ICA"),
                *_counts(printed),
                text_cell(PRINTED_P[name]),
                empty_cell(),
            )
        )
        for second, by_set in tests.items():
            row = by_set.get(name)
            if row is None or row.test is None:
                continue
            p_values = (row.test.p_greater, None), over_people[second, name].p_with_floor
            rows.append(
                (*_named(f"{name}, here", second), *_counts(row.counts), *(p_cell(*p) for p in p_values))
            )
    notes = (
        f"SS: both recognise the probe, SF: only PCA ({first}), FS: only ICA (cosine), FF: neither.",
        "McNemar's test treats probes as independent, but several show the same person. The last column is two-sided, over people.",
    )
    return table("table4-beside", "Correct at rank 1, published and here", heads, rows, notes)


def _named(*names: str) -> tuple[Cell, ...]:
    return tuple(map(text_cell, names))


def _counts(pairs: PairedOutcomes) -> tuple[Cell, ...]:
    return (
        *(share_cell(correct, pairs.n) for correct in (pairs.ss + pairs.sf, pairs.ss + pairs.fs)),
        *map(count_cell, (pairs.ss, pairs.sf, pairs.fs, pairs.ff)),
    )


def medians_table(algorithm: str, censored: int, n_resamples: int, medians: Mapping[int, float]) -> Table:
    """Section 6: the median censored rank over resamples of probes."""
    rows = [(count_cell(value), rate_cell(share)) for value, share in medians.items()]
    return table(
        "medians",
        f"Median of {algorithm}'s ranks on dup1 probes, censored at {censored}, over {counted(n_resamples, 'resample')}",
        columns("median censored rank", "share of resamples", text=0),
        rows,
        ("The paper mentions this statistic as an example without a formula, and prints no number.",),
    )


def layout_table(names: Sequence[Sequence[str]], design: DesignEvidence) -> Table:
    """Table 5: the images by person, day and expression; `names` are their ids, one row per person."""
    heads = (
        *columns("person"),
        *(Column(f"day {day}\n{which}") for day in (1, 2) for which in ("one expression", "another")),
    )
    n = len(names)
    chosen = range(n) if n <= 3 else (0, 1, None, n - 1)
    rows = []
    for person in chosen:
        if person is None:
            rows.append(tuple(Cell(_DOTS) for _ in heads))
            continue
        images = zip(names[person], design.layout[person], strict=True)
        cells = (
            over(text_cell(symbol(person, place)), text_cell(name), text_cell(expression))
            for place, (name, (_, expression)) in enumerate(images)
        )
        rows.append((count_cell(person), *cells))
    n_images = sum(map(len, names))
    notes = (
        "Below the paper's symbol for each image are its id in samples.csv and its expression. The paper had 160 people and 640 images.",
    )
    return table("table5-here", f"The {count(n_images)} test images, here", heads, rows, notes)


def symbol(person: int, image: int) -> str:
    """The paper's symbol of an image: person and image, counted from 0."""
    return f"u\N{NO-BREAK SPACE}{person},{image}"


def choices_tables(names: Sequence[Sequence[str]], design: DesignEvidence) -> tuple[Table, Table]:
    """Table 6: what an unbalanced and a balanced trial choose, published and here."""
    return (
        _choices("table6a", "(a) Unbalanced sampling", UNBALANCED, design.unbalanced, names),
        _choices("table6b", "(b) Balanced sampling", BALANCED, in_cycles(design.balanced), names),
    )


def in_cycles(listed: Listed) -> Listed:
    """Return a balanced trial in the order of its pattern: the eight pairs in turn, for all people."""
    seen: dict[tuple[int, int], int] = {}
    keyed = []
    for person, choice in listed:
        keyed.append((seen.setdefault(choice, 0), PAIRS.index(choice), person, choice))
        seen[choice] += 1
    return tuple((person, choice) for _, _, person, choice in sorted(keyed))


def _choices(id: str, caption: str, printed: Listed, here: Listed, names: Sequence[Sequence[str]]) -> Table:
    heads = tuple(
        Column(f"{whose}\n{what}", "number" if what == "person" else "text")
        for whose in ("the paper", "here")
        for what in ("person", "G", "P")
    )
    shown = (*here[:_SHOWN], here[-1])
    rows = [
        (*_chosen(published), *_chosen(own, names)) for published, own in zip(printed, shown, strict=False)
    ]
    rows.insert(len(rows) - 1, tuple(Cell(_DOTS) for _ in heads))
    notes = (
        "G: the gallery image, P: the probe. For the trial here, the first eight people and the last person are shown.",
    )
    return table(id, caption, heads, rows, notes)


def _chosen(row: tuple[int, tuple[int, int]], names: Sequence[Sequence[str]] | None = None) -> Iterator[Cell]:
    person, choice = row
    yield count_cell(person)
    for image in choice:
        cell = text_cell(symbol(person, image))
        yield cell if names is None else over(cell, text_cell(names[person][image]))


def rates_table(rates: Mapping[str, Distribution]) -> Table:
    """The numbers of Figure 1."""
    rows = [
        (
            text_cell(name),
            rate_cell(rate.mean),
            rate_cell(rate.standard_deviation),
            interval_cell(rate.interval()),
        )
        for name, rate in rates.items()
    ]
    heads = columns("algorithm", "mean rank-1 rate", "s.d. over choices", "95% of choices")
    notes = (
        "The paper plots these distributions without printing means: Mahalanobis first, then L1, L2 and angle, then LDA.",
    )
    return table("rates", "Rank-1 rates over choices of images, here", heads, rows, notes)


def differences_table(trials: VirtualExperiments) -> Table:
    """Table 7: in how many trials one algorithm does not win against another."""
    rows = []
    for (a, b), printed in NOT_WON.items():
        difference = trials.difference(a, b)
        people = compared(trials, a, b, 1, None, 0.95)
        cells = (
            share_cell(difference.at_most(0.0), difference.n_trials),
            share_cell(printed, 10_000),
            fixed_cell(100 * difference.mean),
        )
        rows.append((text_cell(a), text_cell(b), *cells, p_cell(people.p_value, people.method.floor)))
    heads = columns(
        "A", "B", "A does not win, here", "in the paper", "mean difference, points", "p over people", text=2
    )
    return table(
        "table7-beside",
        "Table 7, published and here",
        heads,
        rows,
        ("Table 7 prints 0.0080 for the first pair; its text counts 35.",),
    )
