"""A first study file from the user's own files: commented, and ready to run where that is possible."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from proband.engine import written_whole
from proband.engine.files.files import make_directory, resolved, writing
from proband.errors import InputError, ProbandError, UsageError, first_few
from proband.samples.directories import pattern_in
from proband.samples.reading import ROW_NUMBER
from proband.scores.pair_columns import PairColumns
from proband.study.init.columns import toml_text
from proband.study.init.found_files import look_at
from proband.study.init.proposal import NO_TABLE, Proposal, SourceEntry, propose
from proband.study.init.suggestions import categories, experiment, suggestions
from proband.study.reading import study_from_text
from proband.words import Note, Sentence, counted

NO_SCORES = Sentence("init.no-scores", "note", "[[scores]]: the score file")
REFUSED = Sentence("init.refused", "note", "{why}")
SAMPLES = Sentence(
    "init.samples", "note", "{file}: {samples:count sample} of {people:count person/people}{failed:row}"
)
FAILED = Sentence("init.failed", "note", ", {n:count} failed to acquire ({rule})")
ALGORITHMS = Sentence("init.algorithms", "note", "{file}: {algorithms:names}")
TAKEN_FOR = Sentence(
    "init.taken-for", "caution", "{file}: read as a {orientation} ({evidence}); please check"
)
MORE_SCORES = Sentence(
    "init.more-scores",
    "caution",
    "{file}: {read:names} {n:word was/were} read as scores; {more:names} may be scores too; please check",
)
LOGITS = Sentence(
    "init.logits",
    "note",
    "{file}: scores of {classes:count class/classes} for {samples:count sample} by {models:names}; the true class is {truth!r}",
)
PREDICTIONS = Sentence(
    "init.predictions",
    "note",
    "{file}: classes predicted for {samples:count sample} by {models:names}; the true class is {truth!r}",
)
PICTURES = Sentence("init.pictures", "note", "{file}: pictures")


@dataclass(frozen=True)
class InitialStudy:
    """A study file that was made.

    Attributes
    ----------
    text
        The file.
    facts
        What was found.
    to_fill_in
        What only the user can say; empty if the study can be run as it is.
    remarks
        What was decided or left out, and should be looked at.
    changed
        Whether it says more than the file that was there.
    """

    text: str
    facts: tuple[Note, ...]
    to_fill_in: tuple[Note, ...]
    remarks: tuple[Note, ...]
    changed: bool = True


def initial_study(files: Sequence[Path], out: Path, names: str | None = None) -> InitialStudy:
    """Look at files and write the text of a study of them, to be kept at `out`; `names` says how pictures are named."""
    if not files:
        raise UsageError("No files were given.", "pass your scores, embeddings, images and samples.")
    made = propose(look_at(files, names), out)
    if not (made.table or made.sources or made.logits):
        raise InputError("No file was recognised.", "; ".join(map(str, made.remarks)) or None)
    if not (made.sources or made.logits):
        made.to_fill_in.append(NO_SCORES())
    text = _text(made)
    if not made.to_fill_in:
        make_directory(out.parent)  # from which the study names its files
        try:
            study_from_text(text, out)
        except ProbandError as error:
            made.to_fill_in.append(REFUSED(why=error.message.rstrip(".")))
    return InitialStudy(text, tuple(facts_of(made)), tuple(made.to_fill_in), tuple(made.remarks))


def write_initial(made: InitialStudy, out: Path) -> None:
    """Write the study, whole or not at all."""
    make_directory(out.parent)
    with writing(out), written_whole(out) as draft:
        draft.write_text(made.text, encoding="utf-8", newline="\n")


def _listed(values: Sequence[str]) -> str:
    return f"[{', '.join(map(toml_text, values))}]"


def _text(made: Proposal) -> str:
    out = made.out
    switches = [one.switch for one in suggestions(made) if one.switch]
    parts = [
        [
            "# Study file for Proband. Run it with: proband run " + out.name,
            "# Lines starting with # are comments and suggestions; uncomment a suggestion to use it.",
            f"title = {toml_text(_title(made))}",
            *switches,
        ],
        *sections_of(made),
        [
            "# [output]",
            f"# directory = {toml_text(out.stem + '-results')}",
            "# confidence_level = 0.95",
            "# seed = 0                    # random seed",
            "# pseudonyms = true           # replace names of people in the report",
            '# formats = ["csv", "pdf"]    # tables: csv, parquet; figures: svg, png, pdf',
        ],
    ]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def sections_of(made: Proposal) -> list[Sequence[str]]:
    """Every section for the files, line by line."""
    return [*_of_people(made), *(one.section for one in suggestions(made))]


def _of_people(made: Proposal) -> list[list[str]]:
    """The samples, what was scored, and who is compared; nothing where there are scores of classes alone."""
    if not made.of_people:
        return []
    return [
        _samples(made),
        *(_scores(one, made) for one in made.scores),
        *(_vectors(one, made) for one in made.vectors),
        *(_pictures(path, made) for path in made.pictures),
        *([] if made.sources else [_no_scores()]),
        experiment(made),
        *categories(made),
    ]


def _title(made: Proposal) -> str:
    n_models = len([name for one in made.logits for name in one.models])
    n_algorithms = len([name for one in (*made.scores, *made.vectors) for name in one.algorithms]) + n_models
    algorithms = counted(n_algorithms, "algorithm") if n_algorithms else "Algorithms"
    if made.samples is None:
        return algorithms
    people = counted(len(made.samples.subjects), "person", "people")
    return f"{algorithms}, {counted(len(made.samples), 'sample')} of {people}"


def _samples(made: Proposal) -> list[str]:
    table = made.table
    if table is None:
        if any(note.code == NO_TABLE.code for note in made.to_fill_in):
            return [
                '# [samples]                   # fill in: a table with one row per sample; or ids = "subjects" in [[scores]]',
                '# file = "samples.csv"',
                '# id_column = "id"            # column of the ids used in the scores',
                '# subject_column = "subject"  # column of the subject of each sample',
            ]
        return ["# No [samples]: the scores name the subjects of both samples of each pair."]
    lines = ["[samples]", f"file = {toml_text(made.named(table.path))}"]
    for key, column, meaning in (
        ("id_column", table.id, "the ids used in the scores"),
        ("subject_column", table.subject, "the subject of a sample"),
    ):
        if column is None:
            lines.append(f'# {key} = "…"   # fill in, {meaning}: {first_few(table.frame.columns, 12)}')
        elif table.path.suffix.lower() != ".srt":
            number = "   # the row number" if column == ROW_NUMBER else ""
            lines.append(f"{key} = {toml_text(column)}{number}")
    if table.failed is not None:
        many = "" if table.samples is None else f": {counted(int(table.samples.failed.sum()), 'sample')}"
        lines.append(f"failed = {toml_text(table.failed)}   # failures to acquire, counted as misses{many}")
    else:
        lines.append(
            '# failed = "not detected"     # condition for failures to acquire; no such column was detected'
        )
    return lines


def _scores(one: SourceEntry, made: Proposal) -> list[str]:
    lines = ["[[scores]]", f"file = {toml_text(made.named(one.path))}", *_names(one)]
    for key, value in (("query_ids", one.query_ids), ("target_ids", one.target_ids)):
        if value is not None:
            lines.append(f"{key} = {toml_text(value)}")
    if one.columns is not None:
        lines.append(
            f"columns = {_columns(one.columns)}   # detected by column name and content; please check"
        )
    if one.more_scores:
        lines.append(f"# These columns may be scores too: {_listed(one.more_scores)}")
    if one.mated_is is not None:
        lines.append(f"mated_is = {toml_text(one.mated_is)}")
    if one.mask is not None:
        lines.append(f"mask = {toml_text(made.named(one.mask))}")
    if not one.named:
        lines.append(
            '# queries = "…"   # fill in: condition for the samples of the rows; targets: of the columns'
        )
    if one.orientation is not None:
        lines += [
            f"# {one.evidence}.",
            "# Detected by this evidence; please check.",
            f"orientation = {toml_text(one.orientation)}",
        ]
    elif one.undecided:
        lines.append(f'# orientation = "…"   # fill in: similarity or distance; {one.evidence}')
    else:
        lines.append(f"# orientation: {one.evidence}")
    return lines + _missing(one)


def _vectors(one: SourceEntry, made: Proposal) -> list[str]:
    lines = ["[[embeddings]]", f"file = {toml_text(made.named(one.path))}", *_names(one)]
    if not one.named:
        lines.append('# ids = "…"   # fill in: the array with the ids of the rows')
    lines += _metric(one)
    return lines + _missing(one)


def _metric(one: SourceEntry) -> list[str]:
    """The line in which the user states the metric; of several models one for each."""
    if not one.undecided:
        return ["# metric: stated in the file"]
    names = (one.name,) if one.name is not None else one.algorithms
    each = ", ".join(f'{toml_text(name)} = "…"' for name in names)
    said = '"…"' if len(names) == 1 else f"{{ {each} }}"
    return [
        f"# metric = {said}   # fill in the metric each model was trained with: cosine, inner, l2, l1 or chi2"
    ]


def _columns(columns: PairColumns) -> str:
    said: list[tuple[str, str | tuple[str, ...]]] = [*columns.single.items(), ("score", columns.score)]
    written = (
        f"{role} = {_listed(names) if isinstance(names, tuple) else toml_text(names)}" for role, names in said
    )
    return f"{{ {', '.join(written)} }}"


def _names(one: SourceEntry) -> list[str]:
    if one.name is not None:
        key = [] if one.whole else [f"key = {toml_text(one.algorithms[0])}"]
        return [
            *key,
            f"name = {toml_text(one.name)}   # another file contains an algorithm of the same name",
        ]
    if not one.whole:
        return [f"key = {_listed(one.algorithms)}"]
    return [f"# key = {_listed(one.algorithms)}   # all of them"] if len(one.algorithms) > 1 else []


def _missing(one: SourceEntry) -> list[str]:
    if not one.n_absent:
        return []
    return [
        f'missing = "drop"              # {counted(one.n_absent, "id is", "ids are")} in the scores or in the table only: left out and counted'
    ]


def _pictures(path: Path, made: Proposal) -> list[str]:
    """Recognisers that need no training; only proposed where there are scores already."""
    from proband.algorithms.pictures.acquire import EYE_COLUMNS

    columns = [] if made.table is None else made.table.frame.columns
    eyes = set(EYE_COLUMNS) <= set(columns)
    lines = [
        "[images]",
        f"file = {toml_text(made.named(path))}",
        'algorithms = ["correlation", "lbp:chi2"]   # list all: proband recognize --list',
        '# train = "…"                 # condition for the training samples, for algorithms that need training',
        "# Eye positions are read from the table." if eyes else 'as_they_are = true            # already '
        'cropped; for full images: detect = "opencv"',
    ]  # fmt: skip
    if not (made.scores or made.vectors) and path == made.pictures[0]:
        return lines
    return [line if line.startswith("#") else f"# {line}" for line in lines]


def _no_scores() -> list[str]:
    return [
        "# [[scores]]                  # fill in",
        '# file = "scores.npz"',
        '# orientation = "similarity"  # or distance',
    ]


def facts_of(made: Proposal) -> list[Note]:
    """What was found in the files."""
    facts = []
    if made.samples is not None and made.table is not None:
        failed = int(made.samples.failed.sum())
        facts.append(
            SAMPLES(
                file=pattern_in(made.table.path)[0].name,
                samples=len(made.samples),
                people=len(made.samples.subjects),
                failed=(FAILED(n=failed, rule=made.table.failed),) if failed else (),
            )
        )
    for one in (*made.scores, *made.vectors):
        facts.append(ALGORITHMS(file=one.path.name, algorithms=one.algorithms))
        if one.orientation is not None:
            facts.append(TAKEN_FOR(file=one.path.name, orientation=one.orientation, evidence=one.evidence))
        if one.columns is not None and one.more_scores:
            facts.append(
                MORE_SCORES(
                    file=one.path.name,
                    read=one.columns.score,
                    n=len(one.columns.score),
                    more=one.more_scores,
                )
            )
    facts += [
        (PREDICTIONS if one.path == one.table else LOGITS)(
            file=one.path.name,
            models=one.models,
            classes=one.n_classes,
            samples=one.n_samples,
            truth=one.truth,
        )
        for one in made.logits
    ]
    facts += [PICTURES(file=path.name or resolved(path).name) for path in made.pictures]
    return facts
