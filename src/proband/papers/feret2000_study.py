"""The FERET evaluation of September 1996 carried out anew: what the paper found, beside what is found on synthetic people."""

from __future__ import annotations

from pathlib import Path

from proband._version import __version__
from proband.designs.galleries import Galleries
from proband.engine import Progress
from proband.engine.files.documents import as_json
from proband.faces import contact_sheet
from proband.inference.galleries.feret_results import FeretStudy
from proband.inference.galleries.feret_study import feret_study
from proband.inference.galleries.rejection import Rejection
from proband.papers.common import Finding, findings_table
from proband.papers.feret2000 import CHANGES, POOLED, Feret2000, categories, feret2000_data
from proband.papers.feret2000_findings import PUBLISHED, bound_of, findings
from proband.report.cells import columns, count_cell, empty_cell, rate_cell, text_cell
from proband.report.directory import whole_directory
from proband.report.formats import as_markdown
from proband.report.table import Cell, Column, Table
from proband.report.writer import RUN_FILES, write_run
from proband.study.findings import Findings, Provenance
from proband.study.inputs import versions
from proband.words import Note, as_sentence, count, counted, percent

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
            "findings": [one.to_dict() for one in found],
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


def _report(data: Feret2000, study: FeretStudy, found: list[Finding]) -> str:
    facts = study.results[0].average.facts
    parts = [
        "# The FERET evaluation of September 1996, carried out anew",
        f"**The people are synthetic**: {count(facts.n_gallery_subjects)} to test, and {count(data.n_training)} others to train on. So the numbers are not "
        "those of Phillips, Moon, Rizvi and Rauss (2000), and need not be; the protocol is theirs. Of the paper's numbers only the sizes "
        "of its sets are quoted; what it concludes in words is set beside what is found here.",
        "![Some people, and what was done to their images](faces.png)",
        "## Sets",
        as_markdown(_sets(data, study)),
        "## What the paper found",
        as_markdown(findings_table(found)),
        "Averages agree with the paper if they stand in its order, be it by chance; upper bounds if their intervals are apart besides. All tables, with intervals, tests, gallery sizes and the rejection test, are in [the study](study/report.html).",
        "![Average over algorithms](study/figures/feret_average.png)",
        "![Current upper bound](study/figures/feret_upper_bound.png)",
        "## Digitally changed probes",
        as_markdown(_changed(data, study)),
        "The paper had such images among its queries and does not report them. Here they are copies of the fb images, so that each stands "
        "beside the fb probes it was made from. Recognisers that equalise or standardise grey values, and are told where the eyes are, "
        "take back most of a change of gain or scale; what is clipped or too small to see is lost, and an algorithm that has to find the "
        "face itself has more to lose.",
        "## How it was made",
        "\n".join(f"- {said}" for said in _made(data, study)),
    ]
    return "\n\n".join(parts) + "\n"


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
            for name, published in PUBLISHED.items()
        ),
        *(
            (text_cell(f"{change} probes"), unreported, count_cell(facts[str(change)].n_probes))
            for change in CHANGES
        ),
        (text_cell("target set"), empty_cell(), count_cell(data.n_targets)),
        (text_cell("query set"), empty_cell(), count_cell(len(data.samples))),
    )
    return Table("", columns("set", "the paper", "here"), rows)


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
            text_cell(str(bound_of(one))),
            *(rate_cell(own[which]) for which in fully),
        )
        rows.append((text_cell(name), *cells))
    return Table("", heads, tuple(rows))


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
