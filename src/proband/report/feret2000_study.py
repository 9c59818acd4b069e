"""The FERET evaluation of September 1996 carried out anew: what the paper found, beside what is found on synthetic people."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

from proband._version import __version__
from proband.designs.galleries import IN_ORDER, Galleries
from proband.engine import Progress
from proband.engine.documents import as_json
from proband.faces import contact_sheet
from proband.inference.evaluation import probes_called
from proband.inference.feret_pairs import Contrast
from proband.inference.feret_results import CategoryResult, FeretStudy
from proband.inference.feret_study import feret_study
from proband.inference.gallery_tables import GalleryVariation
from proband.inference.rejection import Rejection
from proband.report.directory import whole_directory
from proband.report.feret2000 import CHANGES, POOLED, Feret2000, categories, feret2000_data
from proband.report.paper_findings import Finding
from proband.report.writer import RUN_FILES, write_run
from proband.study.findings import Findings, Provenance
from proband.study.inputs import versions
from proband.words import (
    Note,
    as_sentence,
    count,
    counted,
    effect_interval,
    fixed,
    interval,
    out_of,
    percent,
    points,
)

PUBLISHED = {"fb": 1195, "dup1": 722, "fc": 194, "dup2": 234}
"""Probes in the paper's categories."""
PUBLISHED_GALLERY = 1196

_N_GALLERIES = 6
_SIZES = (1 / 6, 1 / 3, 1 / 2, 2 / 3, 5 / 6, 1.0)  # of the people enrolled
_REJECTION = Rejection(0.25, (0.01, 0.1))
_INSIDE = "study"
_OURS = (
    "results.json",
    "report.md",
    "faces.png",
    "samples.csv",
    _INSIDE,
    *(f"{_INSIDE}/{name}" for name in RUN_FILES),
)


def reproduce_feret2000(
    out: Path, people: int, seed: int, threads: int | None, progress: Progress
) -> tuple[FeretStudy, list[Finding], tuple[Note, ...], Path]:
    """Run the study on synthetic people and write its report.

    Returns
    -------
    study, findings
        Everything that was found, and what the paper found beside it.
    notes
        What was left out, and why.
    path
        Where the report is.
    """
    data, study = run_feret2000(people, seed, threads, progress)
    found = findings(study)
    with whole_directory(out, _OURS) as draft:
        settings = {"people": people, "seed": seed, "training_people": data.n_training}
        plain = {
            "proband": __version__,
            "study": "feret2000",
            **settings,
            "findings": [vars(one) for one in found],
            "clipped": data.clipped,
            "notes": [note.to_dict() for note in data.notes],
        }
        text = as_json(plain)
        (draft / "results.json").write_text(text, encoding="utf-8")
        data.samples.frame.write_csv(draft / "samples.csv")
        labels = ["fa", "fb", *map(str, CHANGES)]
        shown = len(data.shown) // len(labels)
        contact_sheet(data.shown, len(labels), labels * shown).save(draft / "faces.png")
        command = f"proband reproduce feret2000 --people {people} --seed {seed}"
        provenance = Provenance(command, seed=seed, versions=versions())
        inside = Findings("FERET evaluation on synthetic people", provenance, feret=study, notes=data.notes)
        write_run(inside, draft / _INSIDE)
        (draft / "report.md").write_text(_report(data, study, found), encoding="utf-8")
    return study, found, data.notes, Path(out) / "report.md"


def run_feret2000(
    people: int, seed: int, threads: int | None, progress: Progress
) -> tuple[Feret2000, FeretStudy]:
    """Make the data and run the study, without writing anything."""
    data = feret2000_data(people, seed, threads, progress)
    study = feret_study(
        data.scores,
        data.experiment,
        categories=categories(),
        pooled=POOLED,
        versions=data.versions,
        improvements=data.improvements,
        galleries=[Galleries(_N_GALLERIES, order="date"), Galleries(_N_GALLERIES, seed=seed)],
        ages="date",
        sizes=sorted({max(2, round(share * people)) for share in _SIZES}),
        rejection=_REJECTION,
        seed=seed,
        threads=threads,
        progress=progress,
    )
    return data, study


def findings(study: FeretStudy) -> list[Finding]:
    """Put what the paper reports beside what this study shows; those for which there are no probes are left out."""
    results = {one.category: one for one in study.results}
    chronological = {one.category: one for one in study.variation if one.design.key == IN_ORDER}
    return [
        *_about_difficulty(results),
        *_about_galleries(chronological),
        *_about_pairs(study),
    ]


def _about_difficulty(results: dict[str | None, CategoryResult]) -> list[Finding]:
    there = {name: results[name] for name in PUBLISHED if name in results}
    rates = {name: one.average.at(1) for name, one in there.items()}
    order = sorted(rates, key=lambda name: -rates[name])
    said = ", ".join(f"{name} {fixed(rates[name])}" for name in order)
    found = []
    if len(there) > 2 and {"fb", "dup2"} <= set(there):
        found.append(
            Finding(
                "fb probes are the easiest and duplicate II probes the hardest, by the average over algorithms",
                f"average rank-1 rates: {said}",
                (order[0], order[-1]) == ("fb", "dup2"),
            )
        )
    if {"dup1", "fc"} <= set(there):
        found.append(
            Finding(
                "on average, duplicate I probes are easier than fc probes",
                f"dup1 {_average(there['dup1'])}, fc {_average(there['fc'])}",
                rates["dup1"] > rates["fc"],
            )
        )
    if {"fc", "dup2"} <= set(there):
        fc, dup2 = there["fc"], there["dup2"]
        found.append(
            Finding(
                "the best algorithm on fc probes is significantly better than the best on duplicate II probes",
                f"{_bound(fc)} on fc, {_bound(dup2)} on dup2",
                bool(fc.upper_bound.low[0] > dup2.upper_bound.high[0]),
            )
        )
    return found


def _average(one: CategoryResult) -> str:
    band = one.average
    return (
        f"{fixed(band.at(1))} {interval(band.low[0], band.high[0])} ({counted(band.facts.n_probes, 'probe')})"
    )


def _bound(one: CategoryResult) -> str:
    band = one.upper_bound
    return f"{one.leader} {fixed(band.at(1))} {interval(band.low[0], band.high[0])}"


def _about_galleries(variation: dict[str | None, GalleryVariation]) -> list[Finding]:
    found = []
    for name in ("fb", "dup1"):
        if name not in variation:
            continue
        one = variation[name]
        rates = [cell.rate for cell in one.cells if cell.rate is not None]
        moving = [row for row in one.rows if row.least_place != row.greatest_place]
        widest = max(one.rows, key=lambda row: row.spread.range)
        found.append(
            Finding(
                f"the scores on {name} probes vary over six galleries of different people, and so does the order of the algorithms",
                f"rates from {fixed(min(rates))} to {fixed(max(rates))}; {out_of(len(moving), len(one.rows))} algorithms change place; "
                f"{widest.algorithm} varies most, by {fixed(100 * widest.spread.range, 1)} points over galleries of {counted(one.size, 'person', 'people')}",
                bool(moving),
            )
        )
    settled = {name: _settled(variation[name]) for name in ("fb", "dup1") if name in variation}
    if settled:
        said = ", ".join(f"{out_of(pairs, of)} pairs on {name}" for name, (pairs, of) in settled.items())
        found.append(
            Finding(
                "in spite of that, some algorithms outperform others consistently",
                f"one is ahead of the other in every gallery: {said}",
                all(pairs > 0 for pairs, _ in settled.values()),
            )
        )
    return found


def _settled(one: GalleryVariation) -> tuple[int, int]:
    """How many pairs of algorithms stand in one order, without a tie, in every gallery that has probes; and how many there are."""
    rates = [[cell.rate for cell in one.of(name) if cell.rate is not None] for name in one.algorithms]
    ahead = sum(
        all(x > y for x, y in zip(first, second, strict=True)) for first, second in permutations(rates, 2)
    )
    return ahead, len(rates) * (len(rates) - 1) // 2


def _about_pairs(study: FeretStudy) -> list[Finding]:
    found = []
    if study.improvements:
        found.append(
            Finding(
                "algorithms that were tested at two dates improved",
                "; ".join(_gain(one, "fb") for one in study.improvements)
                + " (the two dates are made up: the earlier version had fewer people to train on)",
                all(
                    row.pair.difference > 0
                    for one in study.improvements
                    for row in one.rows
                    if row.category == "fb"
                ),
            )
        )
    if study.versions:
        found.append(
            Finding(
                "fully automatic versions beside partially automatic ones tell what locating the face costs",
                "; ".join(_gain(one, "fb") for one in study.versions),
                None,
            )
        )
    return found


def _gain(contrast: Contrast, category: str) -> str:
    row = next((row for row in contrast.rows if row.category == category), contrast.rows[0])
    pair = row.pair
    return (
        f"{contrast.second} is {points(pair.difference)} {effect_interval(pair.low, pair.high)} from "
        f"{contrast.first} on {probes_called(row.category)} probes"
    )


def _report(data: Feret2000, study: FeretStudy, found: list[Finding]) -> str:
    facts = study.results[0].average.facts
    agreed = {True: "yes", False: "no", None: "–"}
    table = ["| the paper | here | agrees |", "|---|---|---|"]
    table += [f"| {one.paper} | {one.here} | {agreed[one.agrees]} |" for one in found]
    parts = [
        "# The FERET evaluation of September 1996, carried out anew",
        f"**The people are synthetic**: {count(facts.n_gallery_subjects)} to test, and {count(data.n_training)} others to train on. So the numbers are not "
        "those of Phillips, Moon, Rizvi and Rauss (2000), and need not be; the protocol is theirs. Of the paper's numbers only the sizes "
        "of its sets are quoted; what it concludes in words is set beside what is found here.",
        "![Some people, and what was done to their images](faces.png)",
        "## Sets",
        _sets(data, study),
        "## What the paper found",
        "\n".join(table),
        "Averages agree with the paper if they stand in its order, be it by chance; upper bounds if their intervals are apart besides. All tables, with intervals, tests, gallery sizes and the rejection test, are in [the study](study/report.html).",
        "![Average over algorithms](study/figures/feret_average.png)",
        "![Current upper bound](study/figures/feret_upper_bound.png)",
        "## Digitally changed probes",
        _changed(data, study),
        "The paper had such images among its queries and does not report them. Here they are copies of the fb images, so that each stands "
        "beside the fb probes it was made from. Recognisers that equalise or standardise grey values, and are told where the eyes are, "
        "take back most of a change of gain or scale; what is clipped or too small to see is lost, and an algorithm that has to find the "
        "face itself has more to lose.",
        "## How it was made",
        "\n".join(f"- {said}" for said in _made(data, study)),
    ]
    return "\n\n".join(parts) + "\n"


def _sets(data: Feret2000, study: FeretStudy) -> str:
    rows = ["| set | the paper | here |", "|---|--:|--:|"]
    facts = {one.category: one.average.facts for one in study.results}
    rows.append(
        f"| people in the gallery | {count(PUBLISHED_GALLERY)} | {count(study.results[0].average.facts.n_gallery_subjects)} |"
    )
    for name, published in PUBLISHED.items():
        here = count(facts[name].n_probes) if name in facts else "none"
        rows.append(f"| {name} probes | {count(published)} | {here} |")
    rows += [
        *(f"| {change} probes | not reported | {count(facts[str(change)].n_probes)} |" for change in CHANGES),
        f"| target set | – | {count(data.n_targets)} |",
        f"| query set | – | {count(len(data.samples))} |",
    ]
    return "\n".join(rows)


def _changed(data: Feret2000, study: FeretStudy) -> str:
    results = {one.category: one for one in study.results}
    fully = [name for name in study.evaluation.algorithms if name not in study.field]
    rows = [
        f"| probes | clipped pixels | average of {len(study.field)} | best |"
        + "".join(f" {name} |" for name in fully),
        "|---|--:|--:|---|" + "--:|" * len(fully),
    ]
    for name in ("fb", *map(str, CHANGES)):
        one = results[name]
        own = {entry.algorithm: entry.curve.at(1) for entry in study.evaluation.of(name)}
        clipped = percent(data.clipped[name], 1) if name in data.clipped else "–"
        rows.append(
            f"| {name} | {clipped} | {fixed(one.average.at(1))} | {_bound(one)} |"
            + "".join(f" {fixed(own[which])} |" for which in fully)
        )
    return "\n".join(rows)


def _made(data: Feret2000, study: FeretStudy) -> list[str]:
    trained = ", ".join(one.earlier for one in data.improvements)
    said = [
        f"Partially automatic: {', '.join(study.field)}; all were trained before the test, on people who are not in it.",
        f"The two test dates are made up: {trained} had {counted(data.n_earlier, 'person', 'people')} to train on, the later versions {count(data.n_training)}.",
        f"Galleries: {_N_GALLERIES}, once filled in order of the date of the gallery image and once at random.",
        "How hard the faces are was set for the study of Beveridge et al. 2001 and is left as it is there. At the population's own "
        "difficulty of 1 the better algorithms recognise nearly every fb probe.",
        "A changed copy is made from 8-bit grey values: gain multiplies them, side multiplies them by a slope across the image, scale shrinks the "
        "image about the point between the eyes and repeats its border.",
    ]
    if data.versions:
        names = ", ".join(one.fully for one in data.versions)
        said.append(
            f"Fully automatic: {names}. OpenCV's cascades find the eyes of queries and targets; a face that is not found is a failure to "
            "acquire, and counts as a miss. The models are the same, trained with given eyes."
        )
    return said + [as_sentence(note) for note in data.notes]
