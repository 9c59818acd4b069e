"""The FERET evaluation of September 1996 carried out anew: its tables and figures beside those of synthetic people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from proband.analyses.feret.tables import contrast_table, variation_table
from proband.designs.galleries import IN_ORDER, Galleries
from proband.engine import Progress
from proband.engine.arguments import published
from proband.engine.files.spreadsheets import write_spreadsheet
from proband.engine.limits import Positive, Seed, Threads
from proband.faces import contact_sheet
from proband.inference.galleries.feret_results import FeretStudy
from proband.inference.galleries.feret_study import feret_study
from proband.inference.galleries.rejection import Rejection
from proband.inference.galleries.versions import VersionContrast
from proband.measures.pair_measures import FNMR
from proband.papers.feret2000 import CHANGES, POOLED, Feret2000, categories, feret2000_data
from proband.papers.feret2000_claims import PROBES, claims, evidence_of
from proband.papers.page import Item, Reproduction, write_reproduction
from proband.report.charts.makers.curves import cmc
from proband.report.charts.makers.rows import galleries
from proband.report.page.charts import shown
from proband.report.page.model import Block, Paragraph
from proband.report.tables.cells import columns, count_cell, empty_cell, rate_cell, table, text_cell
from proband.report.tables.table import Cell, Column, Table
from proband.results.band import Band
from proband.words import Sentence, fixed, percent

PUBLISHED_GALLERY = 1196

_N_GALLERIES = 6
_SIZES = (1 / 6, 1 / 3, 1 / 2, 2 / 3, 5 / 6, 1.0)  # of the people enrolled
_REJECTION = Rejection(0.25, (0.01, 0.1))
_AT_FMR = 0.01
_FILES = ("faces.png", "samples.csv")

TOOK_PART = (
    ("Massachusetts Institute of Technology, Media Laboratory", "March 1995, September 1996", "yes, September 1996", "eigenfaces; Bayesian differences"),
    ("Excalibur", "September 1996", "no", "not published"),
    ("Michigan State University", "September 1996", "no", "discriminant features"),
    ("Rutgers University", "September 1996", "no", "grey-scale projections"),
    ("University of Maryland", "September 1996, March 1997", "no", "discriminants of principal components"),
    ("University of Southern California", "March 1997", "yes, March 1997", "elastic bunch graphs"),
    ("baseline: principal components", "–", "no", "eigenfaces, nearest neighbour"),
    ("baseline: correlation", "–", "no", "normalised correlation"),
)  # fmt: skip
"""Groups, when they were tested, whether fully automatically too, and what the work they cite is about."""

_PEOPLE = Sentence(
    "feret2000.people",
    "caution",
    "the people are synthetic: {people:count} to test, where the paper had 1,196, and {training:count} others to train on. The protocol is the "
    "paper's; of its numbers only the sizes of its sets are quoted, since those of its figures are not in its text",
)
_DATES = Sentence(
    "feret2000.dates",
    "note",
    "the two test dates are made up: {names:names} had {earlier:count person/people} to train on, the later versions {later:count}",
)
_AUTO = Sentence(
    "feret2000.fully",
    "note",
    "fully automatic are {names:names}: OpenCV's cascades find the eyes; a face that is not found is a failure to acquire and counts as a miss",
)
_HARD = Sentence(
    "feret2000.difficulty",
    "note",
    "how hard the faces are was set for the study of Beveridge et al. 2001 and is left as it is there",
)


@published
def reproduce_feret2000(
    out: Path, people: Positive, seed: Seed, threads: Threads | None, progress: Progress
) -> tuple[Reproduction, Path]:
    """Run the study on synthetic people and write its page; return both.

    Parameters
    ----------
    out
        The directory of the page.
    people
        How many people.
    seed
        The seed of the people and of all that is drawn.
    threads, progress
        How many threads, and what is told how far it is.

    Returns
    -------
    tuple
        The claims with their verdicts, and the path of the page.
    """
    data, study = run_feret2000(people, seed, threads, progress)
    made = reproduction(data, study, seed)

    def attach(draft: Path) -> None:
        write_spreadsheet(data.samples.frame, draft / "samples.csv")
        labels = ["fa", "fb", *map(str, CHANGES)]
        shown = len(data.shown) // len(labels)
        contact_sheet(data.shown, len(labels), labels * shown).save(draft / "faces.png")

    return made, write_reproduction(made, out, _FILES, attach)


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


def reproduction(data: Feret2000, study: FeretStudy, seed: int) -> Reproduction:
    """Put the paper's tables and figures beside ours."""
    verification = _verification(data, study)
    judged = claims(evidence_of(study, verification))
    results = {one.category: one for one in study.results}
    named = [name for name in PROBES if name in results]
    variation = [
        one for one in study.variation if one.design.key == IN_ORDER and one.category in ("fb", "dup1")
    ]
    at = {"fb": 3, "dup1": 4, "fc": 5, "dup2": 6}
    items = (
        Item("took-part", "Tables 1 and 2: who took part", (_took_part(), _ours(study))),
        Item("sets", "Table 3: the gallery and the probe sets", (_sets(data, study),)),
        Item(
            "categories",
            "Figures 3 to 6: identification by probe category",
            tuple(
                shown(
                    cmc(
                        [one.band for one in study.evaluation.of(name) if one.algorithm in study.field],
                        f"figure{at[name]}",
                        f"Figure {at[name]}: {name} probes",
                    )
                )
                for name in named
            ),
        ),
        Item("improvements", "Figures 3 to 6: versions of two dates", _contrasts(study.improvements), judged["improvements"]),
        Item(
            "difficulty",
            "Figures 7 and 8: average and current upper bound",
            tuple(
                shown(cmc([_called(getattr(results[name], part), name) for name in named], f"figure-{part}", title))
                for part, title in (("average", "Figure 7: average over the algorithms"), ("upper_bound", "Figure 8: the best algorithm at rank 1"))
            ),
            judged["difficulty"],
        ),
        Item("versions", "Figures 9 and 10: fully and partially automatic", _contrasts(study.versions), judged["versions"]),
        Item(
            "galleries",
            "Tables 4 and 5: six galleries of different people",
            tuple(
                block
                for k, one in enumerate(variation)
                for block in (shown(galleries(one, f"table{k + 4}-chart")), replace(variation_table(one, intervals=False), id=f"table{k + 4}"))
            ),
            judged["galleries"],
        ),
        Item("verification", "Section 6: identification and verification", (_tasks(study, verification),), judged["verification"]),
        Item("changed", "Digitally changed probes", _changed_blocks(data, study)),
    )  # fmt: skip
    people = study.results[0].average.facts.n_gallery_subjects
    about = [_PEOPLE(people=people, training=data.n_training), _HARD()]
    about += [
        _DATES(
            names=tuple(one.earlier for one in data.improvements),
            earlier=data.n_earlier,
            later=data.n_training,
        )
    ]
    about += [_AUTO(names=tuple(one.fully for one in data.versions))] if data.versions else []
    return Reproduction(
        "feret2000",
        "The FERET evaluation of September 1996, carried out anew",
        "Phillips, Moon, Rizvi and Rauss (2000)",
        f"proband reproduce feret2000 --people {people} --seed {seed}",
        seed,
        tuple(about),
        tuple(one for one in items if one.blocks),
        {"people": people, "training_people": data.n_training, "seed": seed},
        {"clipped": data.clipped, "verification": verification},
        data.notes,
        {"feret": study},
    )


def _called(band: Band, name: str) -> Band:
    return replace(band, facts=replace(band.facts, algorithm=name))


def _verification(data: Feret2000, study: FeretStudy) -> dict[str, dict[str, float]]:
    """FNMR at FMR 1 % of each algorithm of the field, by category: every probe with every gallery image."""
    scores = {one.name: one for one in data.scores if one.name in study.field}
    found: dict[str, dict[str, float]] = {}
    for category in categories():
        if category.name in PROBES and category.name in study.evaluation.categories:
            within = category.of(data.experiment)
            found[category.name] = {name: FNMR(_AT_FMR)(one, within).value for name, one in scores.items()}
    return found


def _contrasts(contrasts: tuple[VersionContrast, ...]) -> tuple[Block, ...]:
    return tuple(
        replace(contrast_table(one), id=f"{one.kind}-{place}") for place, one in enumerate(contrasts, 1)
    )


def _took_part() -> Table:
    heads = columns("group", "tested", "fully automatic too", "what its papers are about", text=4)
    rows = [tuple(map(text_cell, row)) for row in TOOK_PART]
    notes = (
        "The metrics of Table 1 are not legible in the copy at hand; what the groups' papers are about is told by their titles.",
    )
    return table("table2", "Who took part in the paper", heads, rows, notes)


def _ours(study: FeretStudy) -> Table:
    earlier = {one.first: one.second for one in study.improvements}
    fully = {one.second: one.first for one in study.versions}
    rows = []
    for name in study.field:
        alone = "baseline" if name in _BASELINES else "stands for a group"
        kind = f"earlier version of {earlier[name]}" if name in earlier else alone
        rows.append((text_cell(name), text_cell(kind), text_cell(fully.get(name, "no"))))
    heads = columns("algorithm", "as what", "fully automatic too", text=3)
    return table(
        "took-part-here", "Who takes part here: representation and metric are in the name", heads, rows
    )


_BASELINES = ("correlation", "pca:l1")


def _tasks(study: FeretStudy, verification: Mapping[str, Mapping[str, float]]) -> Table:
    heads = (
        *columns("algorithm"),
        *(
            Column(f"{name}\n{what}", "number")
            for name in verification
            for what in ("rank 1", "FNMR at FMR 1%")
        ),
    )
    rows = []
    for algorithm in study.field:
        cells: list[Cell] = []
        for name, rates in verification.items():
            own = {entry.algorithm: entry.curve.at(1) for entry in study.evaluation.of(name)}
            best, least = max(own[one] for one in study.field), min(rates.values())
            cells.append(_lead(rate_cell(own[algorithm]), own[algorithm] == best))
            cells.append(_lead(rate_cell(rates[algorithm]), rates[algorithm] == least))
        rows.append((text_cell(algorithm), *cells))
    return table(
        "tasks",
        "Identification and verification by the same scores; the best of each column is marked",
        heads,
        rows,
        ("The paper has no figure of verification; it refers to Rizvi, Phillips and Moon for it.",),
    )


def _lead(cell: Cell, leads: bool) -> Cell:
    return replace(cell, tone="best", raised="*") if leads else cell


def _changed_blocks(data: Feret2000, study: FeretStudy) -> tuple[Block, ...]:
    said = (
        "The paper had such images among its queries and does not report them. Here they are copies of the fb images, so that each stands "
        "beside the fb probes it was made from. Recognisers that equalise or standardise grey values, and are told where the eyes are, "
        "take back most of a change of gain or scale; what is clipped or too small to see is lost."
    )
    return Paragraph(said), _changed(data, study)


def _sets(data: Feret2000, study: FeretStudy) -> Table:
    facts = {one.category: one.average.facts for one in study.results}
    people = study.results[0].average.facts.n_gallery_subjects
    unreported, nowhere = Cell("not reported"), Cell("none")
    rows = (
        (text_cell("people in the gallery"), count_cell(PUBLISHED_GALLERY), count_cell(people)),
        *(
            (
                text_cell(f"{name} probes"),
                count_cell(published),
                count_cell(facts[name].n_probes) if name in facts else nowhere,
            )
            for name, published in PROBES.items()
        ),
        *(
            (text_cell(f"{change} probes"), unreported, count_cell(facts[str(change)].n_probes))
            for change in CHANGES
        ),
        (text_cell("target set"), empty_cell(), count_cell(data.n_targets)),
        (text_cell("query set"), empty_cell(), count_cell(len(data.samples))),
    )
    return table("table3", "People and probes, published and here", columns("set", "the paper", "here"), rows)


def _changed(data: Feret2000, study: FeretStudy) -> Table:
    results = {one.category: one for one in study.results}
    fully = [name for name in study.evaluation.algorithms if name not in study.field]
    heads = (
        *columns("probes", "clipped pixels", f"average of {len(study.field)}"),
        Column("best"),
        *columns(*fully, text=0),
    )
    rows = []
    for name in ("fb", *map(str, CHANGES)):
        one = results[name]
        own = {entry.algorithm: entry.curve.at(1) for entry in study.evaluation.of(name)}
        clipped = data.clipped.get(name)
        cells = (
            empty_cell() if clipped is None else Cell(percent(clipped, 1), clipped),
            rate_cell(one.average.at(1)),
            text_cell(f"{one.leader} {fixed(one.upper_bound.at(1))}"),
            *(rate_cell(own[which]) for which in fully),
        )
        rows.append((text_cell(name), *cells))
    return table("changed-table", "Rank-1 rates on changed copies of the fb probes", heads, rows)
