"""Reproduction of the FERET evaluation of September 1996: its tables and figures next to those of synthetic people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from proband.analyses.feret.tables import contrast_table, variation_table
from proband.designs.galleries import IN_ORDER
from proband.engine import Progress
from proband.engine.arguments import published
from proband.engine.files.spreadsheets import write_spreadsheet
from proband.engine.limits import Positive, Seed, Threads
from proband.faces import contact_sheet
from proband.faces.plan import VIEWS as ANGLES
from proband.inference.galleries.feret_results import FeretStudy
from proband.inference.galleries.versions import VersionContrast
from proband.measures.pair_measures import FNMR
from proband.papers.common import found_by
from proband.papers.feret2000 import (
    CHANGED,
    CHANGES,
    ENROLLED_BEFORE,
    GALLERY,
    LONG_AFTER,
    OWN_GALLERY,
    PHOTOGRAPHS,
    ROTATED,
    VIEWS,
    Feret2000,
    feret2000_data,
)
from proband.papers.feret2000_claims import GALLERIES, PROBES, claims, evidence_of
from proband.papers.page import Item, Reproduction, command_of, contents, write_reproduction
from proband.report.charts.makers.curves import cmc
from proband.report.charts.makers.rows import galleries
from proband.report.page.charts import shown
from proband.report.page.model import Block, Paragraph
from proband.report.tables.cells import columns, count_cell, empty_cell, rate_cell, table, text_cell
from proband.report.tables.table import Cell, Column, Table
from proband.results.band import Band
from proband.scores import DenseScores
from proband.scores.archive import write_score_archive
from proband.study.inputs import in_memory
from proband.words import Sentence, count, fixed, percent

_N_GALLERIES = 6
_SIZES = (1 / 6, 1 / 3, 1 / 2, 2 / 3, 5 / 6, 1.0)  # of the people enrolled
_REJECTED, _FPIR = 0.25, (0.01, 0.1)
_AT_FMR = 0.01
_FIGURES = {"fb": 3, "dup1": 4, "fc": 5, "dup2": 6}
_FILES = ("faces.png", "figure1.png", "samples.csv", "scores.npz", "scores_auto.npz")
CONTENTS = (
    ("Table 1", "representation and metric of the algorithms", "not legible in the copy used; here they are in the names of the algorithms"),
    ("Table 2", "who took part, when, and in which version", "published and here"),
    ("Table 3", "figures, galleries and probe sets", "published and here"),
    ("Table 4", "rates and places over six galleries, fb probes", "here; the paper's numbers are not legible"),
    ("Table 5", "rates and places over six galleries, duplicate I probes", "here; the paper's numbers are not legible"),
    ("Figure 1", "one person's images of each category", "figure1.png in the directory of this page"),
    ("Figure 2", "how the test was administered", "no numbers; proband blind prepares and scores such a test"),
    ("Figure 3", "fb probes, September 1996 and March 1997", "here, for two invented dates"),
    ("Figure 4", "duplicate I probes, September 1996 and March 1997", "here, for two invented dates"),
    ("Figure 5", "fc probes, September 1996 and March 1997", "here, for two invented dates"),
    ("Figure 6", "duplicate II probes in a gallery of their own, September 1996 and March 1997", "here, for two invented dates"),
    ("Figure 7", "the average over algorithms by category", "here"),
    ("Figure 8", "the current upper bound by category", "here"),
    ("Figure 9", "fully and partially automatic versions, fb probes", "here"),
    ("Figure 10", "fully and partially automatic versions, duplicate I probes", "here"),
)  # fmt: skip
"""Every numbered table and figure of the paper, its content, and its counterpart on the page."""

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
"""Groups, their test dates, whether they were also tested fully automatically, and the subject of the work they cite."""

_PEOPLE = Sentence(
    "feret2000.people",
    "caution",
    "the people are synthetic: {people:count} for testing (1,196 in the paper) and {training:count} others "
    "for training. The protocol is that of the paper; only the sizes of its sets are quoted, because its "
    "text does not contain the numbers of its figures",
)
_DATES = Sentence(
    "feret2000.dates",
    "note",
    "the two test dates are invented: {names:names} had {earlier:count training person/training people}, the later versions {later:count}",
)
_AUTO = Sentence(
    "feret2000.fully",
    "note",
    "{names:names} were also tested fully automatically: OpenCV's cascades find the eyes; a face that is not found is a failure to acquire and counts as a miss",
)
_HARD = Sentence(
    "feret2000.difficulty",
    "note",
    "the difficulty of the faces is the one set for the study of Beveridge et al. 2001",
)


_SAVED = Sentence(
    "feret2000.saved",
    "note",
    "the scores are saved: scores.npz (with given eye centres), scores_auto.npz (fully automatic versions), and samples.csv",
)
_OWN = Sentence(
    "feret2000.own-gallery",
    "note",
    "duplicates II are searched for among the {own:count person/people} enrolled before {date}, as in "
    "FERET among the 864 enrolled before 1995; they were taken at least a year after that date",
)
_VARIED = Sentence(
    "feret2000.varied",
    "note",
    "{people:count person/people} also have rotated views and digitally changed copies, for which the paper reports no results",
)


@dataclass(frozen=True, eq=False)
class FeretMeasurements:
    """The results.

    Attributes
    ----------
    study
        FERET's categories of probes.
    changed, rotated
        The fb probes compared with their digitally changed copies, and with rotated views of the same people.
    """

    study: FeretStudy
    changed: FeretStudy
    rotated: FeretStudy


@published
def reproduce_feret2000(
    out: Path, people: Positive, seed: Seed, threads: Threads | None, progress: Progress
) -> tuple[Reproduction, Path]:
    """Run the study with synthetic people and write its page and scores.

    Parameters
    ----------
    out
        The directory of the page.
    people
        The number of people.
    seed
        The seed of the population and of all random choices.
    threads, progress
        The number of threads, and the progress callback.

    Returns
    -------
    tuple
        The claims with their verdicts, and the path of the page.
    """
    data, measured = run_feret2000(people, seed, threads, progress)
    made = reproduction(data, measured, seed)

    def attach(draft: Path) -> None:
        write_spreadsheet(data.samples.frame, draft / "samples.csv")
        labels = ["fa", "fb", *map(str, CHANGES), *VIEWS]
        contact_sheet(data.shown, len(labels), labels * (len(data.shown) // len(labels))).save(
            draft / "faces.png"
        )
        images, names = data.examples
        contact_sheet(images, 4, names).save(draft / "figure1.png")
        for name, scores in _archives(data).items():
            write_score_archive(draft / name, scores)

    return made, write_reproduction(made, out, _FILES, attach)


def _archives(data: Feret2000) -> dict[str, list[DenseScores]]:
    """The files of scores: undetected faces are failures of the fully automatic versions only."""
    fully = {version.fully for version in data.versions}
    parted = {
        "scores.npz": [scores for scores in data.scores if scores.name not in fully],
        "scores_auto.npz": [scores for scores in data.scores if scores.name in fully],
    }
    return {name: scores for name, scores in parted.items() if scores}


def run_feret2000(
    people: int, seed: int, threads: int | None, progress: Progress
) -> tuple[Feret2000, FeretMeasurements]:
    """Make the data and run the study, without writing anything."""
    data = feret2000_data(people, seed, threads, progress)
    running: dict[str, Any] = {"seed": seed, "threads": threads, "progress": progress}
    versions = {"versions": [{"fully": pair.fully, "partially": pair.partially} for pair in data.versions]}

    def studied(asked: Mapping[str, Any], probes: str, category: Mapping[str, Any]) -> FeretStudy:
        experiment = {"gallery": GALLERY, "probes": probes}
        inputs = in_memory(data.samples, data.scores)
        made = found_by("feret", asked, inputs, experiment=experiment, category=category, **running)["feret"]
        assert isinstance(made, FeretStudy)
        return made

    improvements = [{"earlier": pair.earlier, "later": pair.later} for pair in data.improvements]
    whole = {
        "galleries": _N_GALLERIES,
        "order": ["date", "random"],
        "sizes": _sizes(people),
        "reject": _REJECTED,
        "fpir": _FPIR,
        "improvements": improvements,
        **versions,
    }
    return data, FeretMeasurements(
        studied(whole, PHOTOGRAPHS, {"feret": True, "long_after": LONG_AFTER, "gallery": OWN_GALLERY}),
        studied(versions, CHANGED, {"by": "alteration"}),
        studied(versions, ROTATED, {"by": "view"}),
    )


def _sizes(people: int) -> list[int]:
    return sorted({max(2, round(share * people)) for share in _SIZES})


def further(data: Feret2000, people: int, seed: int) -> tuple[str, ...]:
    """Commands to evaluate the saved scores as in the study, in the directory of the page."""
    read = ["proband", "feret", *_archives(data), "-s", "samples.csv", "-g", GALLERY]
    versions = [word for pair in data.versions for word in ("--version", f"{pair.fully}={pair.partially}")]
    improvements = [
        word for pair in data.improvements for word in ("--improvement", f"{pair.earlier}={pair.later}")
    ]
    ended = ["--seed", str(seed)]
    whole = [
        *(
            "-p",
            PHOTOGRAPHS,
            "--feret",
            "--long-after",
            LONG_AFTER,
            "--category-gallery",
            f"dup2: {OWN_GALLERY}",
        ),
        *versions,
        *improvements,
        *("--galleries", str(_N_GALLERIES), "--order", "date", "--order", "random"),
        *("--sizes", ",".join(map(str, _sizes(people))), "--reject", str(_REJECTED)),
    ]
    asked = (
        whole,
        ["-p", CHANGED, "--by", "alteration", *versions],
        ["-p", ROTATED, "--by", "view", *versions],
    )
    return tuple(command_of(*read, *words, *ended) for words in asked)


def reproduction(data: Feret2000, measured: FeretMeasurements, seed: int) -> Reproduction:
    """Assemble the paper's tables and figures next to ours."""
    study = measured.study
    verification = _verification(data, study)
    judged = claims(evidence_of(study, verification))
    results = {result.category: result for result in study.results}
    named = [name for name in PROBES if name in results]
    variation = [
        table
        for table in study.variation
        if table.design.key == IN_ORDER and table.category in ("fb", "dup1")
    ]
    items = (
        Item("contents", "Every table and figure of the paper", (contents(CONTENTS),)),
        Item("took-part", "Tables 1 and 2: who took part", (_took_part(), _ours(study))),
        Item("sets", "Table 3: galleries and probe sets", (_sets(data, measured),), judged["sets"]),
        Item("categories", "Figures 3 to 6: identification by probe category", tuple(_by_date(study, named))),
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
        Item("versions", "Figures 9 and 10: fully and partially automatic", (*_automatic(study), *_contrasts(study.versions)), judged["versions"]),
        Item(
            "galleries",
            "Tables 4 and 5: six galleries of different people",
            tuple(
                block
                for place, table in enumerate(variation, 4)
                for block in (shown(galleries(table, f"table{place}-chart")), replace(variation_table(table, intervals=False), id=f"table{place}"))
            ),
            judged["galleries"],
        ),
        Item("verification", "Section 6: identification and verification", (_tasks(study, verification),), judged["verification"]),
        Item("changed", "Digitally changed probes", (Paragraph(_CHANGED_SAID), _changed(data, measured.changed))),
        Item("rotated", "Rotated views", (Paragraph(_ROTATED_SAID), _rotated(measured.rotated))),
    )  # fmt: skip
    people = study.results[0].average.facts.n_gallery_subjects
    about = [_PEOPLE(people=people, training=data.n_training), _HARD()]
    if "dup2" in results:
        own = results["dup2"].average.facts.n_gallery_subjects
        about.append(_OWN(own=own, date=str(ENROLLED_BEFORE)))
    about += [
        _DATES(
            names=tuple(pair.earlier for pair in data.improvements),
            earlier=data.n_earlier,
            later=data.n_training,
        ),
        _VARIED(people=measured.rotated.results[0].average.facts.n_probe_subjects),
    ]
    about += [_AUTO(names=tuple(pair.fully for pair in data.versions))] if data.versions else []
    return Reproduction(
        "feret2000",
        "The FERET evaluation of September 1996, reproduced",
        "Phillips, Moon, Rizvi and Rauss (2000)",
        f"proband reproduce feret2000 --people {people} --seed {seed}",
        seed,
        (*about, _SAVED()),
        tuple(item for item in items if item.blocks),
        {"people": people, "training_people": data.n_training, "seed": seed},
        {
            "clipped": data.clipped,
            "verification": verification,
            "changed": _rates(measured.changed),
            "rotated": _rates(measured.rotated),
        },
        data.notes,
        {"feret": study},
        further(data, people, seed),
    )


def _by_date(study: FeretStudy, named: Sequence[str]) -> Iterator[Block]:
    """Figures 3 to 6: (a) algorithms tested at the first date, (b) later versions with the earlier ones and the baselines."""
    later, earlier = zip(*((pair.second, pair.first) for pair in study.improvements), strict=True)
    first = [name for name in study.field if name not in later]
    second = [*later, *earlier, *_BASELINES]
    panels = (("a", "first date", first), ("b", "second date", second))
    # Algorithms in both panels keep their colour; later versions reuse those of algorithms only in the first.
    places = {algorithm: place for place, algorithm in enumerate(first)}
    free = [place for algorithm, place in places.items() if algorithm not in second]
    places |= dict(zip(later, [*free, *range(len(first), len(first) + len(later))], strict=False))
    for name in named:
        bands = {entry.algorithm: entry.band for entry in study.evaluation.of(name)}
        number = _FIGURES[name]
        for letter, when, tested in panels:
            title = f"Figure {number}({letter}): {name} probes, {when}"
            chart = cmc([bands[algorithm] for algorithm in tested], f"figure{number}{letter}", title)
            yield shown(chart, places=places)


def _automatic(study: FeretStudy) -> Iterator[Block]:
    """Figures 9 and 10: both versions of algorithms that detect faces."""
    tested = [name for pair in study.versions for name in (pair.first, pair.second)]
    for number, name in ((9, "fb"), (10, "dup1")):
        if tested and name in study.evaluation.categories:
            bands = {entry.algorithm: entry.band for entry in study.evaluation.of(name)}
            title = f"Figure {number}: {name} probes, fully and partially automatic"
            yield shown(cmc([bands[algorithm] for algorithm in tested], f"figure{number}", title))


def _rates(study: FeretStudy) -> dict[str, dict[str, float]]:
    """Rank-1 rates by category and algorithm."""
    return {
        str(category): {entry.algorithm: entry.curve.at(1) for entry in study.evaluation.of(category)}
        for category in study.evaluation.categories[1:]
    }


def _called(band: Band, name: str) -> Band:
    return replace(band, facts=replace(band.facts, algorithm=name))


def _verification(data: Feret2000, study: FeretStudy) -> dict[str, dict[str, float]]:
    """FNMR at FMR 1 % of each algorithm of the field, by category: every probe with every gallery image."""
    scores = {matrix.name: matrix for matrix in data.scores if matrix.name in study.field}
    values: dict[str, dict[str, float]] = {}
    for category in study.evaluation.categories:
        if category in PROBES:
            within = study.evaluation.of(category)[0].outcomes.experiment
            values[category] = {name: FNMR(_AT_FMR)(matrix, within).value for name, matrix in scores.items()}
    return values


def _contrasts(contrasts: tuple[VersionContrast, ...]) -> tuple[Block, ...]:
    return tuple(
        replace(contrast_table(contrast), id=f"{contrast.kind}-{place}")
        for place, contrast in enumerate(contrasts, 1)
    )


def _took_part() -> Table:
    heads = columns("group", "tested", "also fully automatic", "subject of its papers", text=4)
    rows = [tuple(map(text_cell, row)) for row in TOOK_PART]
    notes = (
        "The metrics of Table 1 are not legible in the copy used; the subjects of the groups' papers are taken from their titles.",
    )
    return table("table2", "Who took part in the paper", heads, rows, notes)


def _ours(study: FeretStudy) -> Table:
    earlier = {pair.first: pair.second for pair in study.improvements}
    fully = {pair.second: pair.first for pair in study.versions}
    rows = []
    for name in study.field:
        alone = "baseline" if name in _BASELINES else "represents a group"
        kind = f"earlier version of {earlier[name]}" if name in earlier else alone
        rows.append((text_cell(name), text_cell(kind), text_cell(fully.get(name, "no"))))
    heads = columns("algorithm", "as what", "also fully automatic", text=3)
    return table("took-part-here", "Algorithms here: representation and metric are in the name", heads, rows)


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
            best, least = max(own[tested] for tested in study.field), min(rates.values())
            cells.append(_lead(rate_cell(own[algorithm]), own[algorithm] == best))
            cells.append(_lead(rate_cell(rates[algorithm]), rates[algorithm] == least))
        rows.append((text_cell(algorithm), *cells))
    return table(
        "tasks",
        "Identification and verification with the same scores; the best value of each column is marked",
        heads,
        rows,
        ("The paper has no figure on verification; it refers to Rizvi, Phillips and Moon.",),
    )


def _lead(cell: Cell, leads: bool) -> Cell:
    return replace(cell, tone="best", raised="*") if leads else cell


_CHANGED_SAID = (
    "The paper had such images among its queries and does not report them. Here they are copies of the fb "
    "images, so each set is compared with the fb probes it was made from. Recognisers that equalise or "
    "standardise grey values, and are given the eye centres, undo most of a change of gain or scale; "
    "clipped or unresolved detail is lost."
)
_ROTATED_SAID = (
    "The paper had rotated images among its queries and does not report them. Here a quarter view is turned by 22.5°, a half view by 67.5°, "
    "to the image's left or right, and is compared with the fb probes of the same people. The gallery is "
    "frontal. All recognisers align the eyes and compare the images pixel by pixel or cell by cell; none "
    "models rotation in depth, so the more a head is turned, the less there is to compare."
)


def _sets(data: Feret2000, measured: FeretMeasurements) -> Table:
    facts = {result.category: result.average.facts for result in measured.study.results}
    unreported, nowhere = Cell("not reported"), Cell("none")
    rows = [
        (
            text_cell(f"figure {_FIGURES[name]}"),
            text_cell(name),
            count_cell(GALLERIES[name]),
            count_cell(facts[name].n_gallery_subjects) if name in facts else nowhere,
            count_cell(published),
            count_cell(facts[name].n_probes) if name in facts else nowhere,
        )
        for name, published in PROBES.items()
    ]
    for study, column in ((measured.changed, "alteration"), (measured.rotated, "view")):
        # The first result is for all probes, and the fb probes are above.
        for result in study.results[1:]:
            value, own = str(result.category).removeprefix(f"{column} "), result.average.facts
            if value not in ("none", "frontal"):
                sizes = count_cell(own.n_gallery_subjects), unreported, count_cell(own.n_probes)
                rows.append((empty_cell(), text_cell(value), unreported, *sizes))
    heads = columns(
        "in the paper",
        "probes",
        "gallery, the paper",
        "gallery, here",
        "probes, the paper",
        "probes, here",
        text=2,
    )
    notes = (
        f"Here the target set has {count(data.n_targets)} images and the query set {count(len(data.samples))}; the paper's numbers are not legible.",
    )
    return table("table3", "People enrolled and probes scored, published and here", heads, rows, notes)


def _changed(data: Feret2000, study: FeretStudy) -> Table:
    names = ["none", *map(str, CHANGES)]
    clipped = {name: data.clipped.get(name) for name in names}
    cells = {
        name: empty_cell() if share is None else Cell(percent(share, 1), share)
        for name, share in clipped.items()
    }
    return _by_value(
        "changed-table",
        "Rank-1 rates on changed copies of the fb probes",
        study,
        "alteration",
        names,
        "clipped pixels",
        cells,
    )


def _rotated(study: FeretStudy) -> Table:
    angles: dict[str, float] = {"frontal": 0.0, **{view: abs(ANGLES[view]) for view in VIEWS}}
    cells = {name: Cell(f"{fixed(angle, 1)}°", angle) for name, angle in angles.items()}
    return _by_value(
        "rotated-table",
        "Rank-1 rates on rotated views",
        study,
        "view",
        ["frontal", *VIEWS],
        "turned by",
        cells,
    )


def _by_value(
    id: str,
    caption: str,
    study: FeretStudy,
    column: str,
    values: Sequence[str],
    beside: str,
    cells: Mapping[str, Cell],
) -> Table:
    """Rank-1 rates by the value of a column: the average, the best, and the fully automatic versions."""
    results = {result.category: result for result in study.results}
    fully = [name for name in study.evaluation.algorithms if name not in study.field]
    heads = (
        *columns("probes", "number", beside, f"average of {len(study.field)}"),
        Column("best"),
        *columns(*fully, text=0),
    )
    rows = []
    for value in values:
        name = f"{column} {value}"
        result = results[name]
        own = {entry.algorithm: entry.curve.at(1) for entry in study.evaluation.of(name)}
        rows.append(
            (
                text_cell("fb" if value in ("none", "frontal") else value),
                count_cell(result.average.facts.n_probes),
                cells[value],
                rate_cell(result.average.at(1)),
                text_cell(f"{result.leader} {fixed(result.upper_bound.at(1))}"),
                *(rate_cell(own[algorithm]) for algorithm in fully),
            )
        )
    return table(id, caption, heads, rows)
