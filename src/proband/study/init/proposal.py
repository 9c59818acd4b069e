"""From what files hold to what a study of them would say: ids, subjects, failures, which way scores point."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import polars as pl

from proband.engine.files.files import resolved
from proband.errors import ProbandError, first_few
from proband.samples import OnePerSubject, Samples
from proband.scores import experiment_over
from proband.scores.base import Orientation
from proband.scores.formats import ReadOptions, read_image_list
from proband.scores.inspection import inspect_file
from proband.scores.orientation import check_orientation
from proband.scores.pair_columns import PairColumns
from proband.scores.reading import scores_of
from proband.study.init.columns import failure_rule, id_column, subject_column
from proband.study.init.found_files import FoundFiles, FoundScores, FoundVectors
from proband.study.init.logits import FoundLogits
from proband.words import Note, Sentence

LEFT_OUT = Sentence("init.file-left-out", "caution", "{file} is left out: {why}")
NO_SUCH_IDS = Sentence(
    "init.no-such-ids", "note", "it contains none of the ids of the scores, which are names of people"
)
NO_TABLE = Sentence(
    "init.no-table",
    "note",
    '[samples]: a table with the subject of each sample; or, if rows and columns are named by subject, ids = "subjects" in [[scores]]',
)
NO_COLUMN = Sentence(
    "init.no-column", "note", "{key} in [samples]: the corresponding column of {file} ({columns})"
)
TABLE_REFUSED = Sentence("init.table-refused", "note", "[samples]: {why}")
NO_ORIENTATION = Sentence(
    "init.no-orientation", "note", "orientation of {algorithms} in {file}: similarity or distance"
)
NO_AXES = Sentence(
    "init.no-axes",
    "note",
    "queries and targets of {file}: the samples of its {rows:count row} and {columns:count column}",
)
NO_IDS = Sentence(
    "init.no-ids",
    "note",
    "ids of {file}: its {rows:count row} {rows:word does/do} not match the {samples:count sample} of the table",
)
NO_METRIC = Sentence(
    "init.no-metric",
    "note",
    "metric of {algorithms:names} in {file}: the one each model was trained for (cosine, inner, l2, l1 or chi2)",
)
STATED = Sentence("init.orientation-stated", "note", "{orientation}, as stated in the file")
BY_AUC = Sentence(
    "init.orientation-by-auc",
    "note",
    "genuine against impostor scores, AUC as similarity{failed:row}: {aucs:rates}",
)
WITHOUT_FAILED = Sentence(
    "init.auc-without-failed", "note", ", without {n:count sample} that failed to acquire"
)
NOT_SEEN = Sentence(
    "init.orientation-not-seen",
    "note",
    "genuine and impostor scores do not differ, so the orientation cannot be determined",
)

_MANY_STEPS_UP = 3
_CERTAIN = 0.05  # how far from one half an AUC must be to say anything


@dataclass(frozen=True, eq=False)
class TableChoice:
    """The table of samples, and which of its columns are which; None for what was not found.

    `failed` is the condition for failures to acquire, and `failed_column` the column that it is of.
    """

    path: Path
    frame: pl.DataFrame
    id: str | None
    subject: str | None
    failed: str | None
    failed_column: str | None = None
    samples: Samples | None = None


@dataclass(frozen=True)
class SourceEntry:
    """One section of scores or embeddings.

    Attributes
    ----------
    algorithms
        What is in the file and belongs to this section; `whole` if that is everything.
    orientation
        What to declare: None if the file states it, or if nobody knows, as `evidence` says.
    undecided
        Whether the orientation of scores, or the metric of embeddings, is left to the user.
    n_absent
        Ids that the table does not have, or samples of the table that were not scored: these must be left out.
    shared
        Whether queries and targets are the same samples.
    more_scores
        Columns of pairs that are not among `columns`, and may be scores too.
    """

    path: Path
    algorithms: tuple[str, ...]
    whole: bool = True
    name: str | None = None
    orientation: Orientation | None = None
    evidence: Note | None = None
    undecided: bool = False
    query_ids: str | None = None
    target_ids: str | None = None
    mask: Path | None = None
    n_absent: int = 0
    shared: bool = False
    ranked: bool = True
    named: bool = True
    columns: PairColumns | None = None
    mated_is: str | None = None
    more_scores: tuple[str, ...] = ()


@dataclass(frozen=True)
class Suggestion:
    """What a first study file says of an analysis: its section, line by line, and the line that switches it off."""

    section: tuple[str, ...] = ()
    switch: str = ""


@dataclass
class Proposal:
    """What a study of the files would say, and what only the user can say; it will stand at `out`."""

    out: Path
    table: TableChoice | None = None
    scores: list[SourceEntry] = field(default_factory=list)
    vectors: list[SourceEntry] = field(default_factory=list)
    pictures: list[Path] = field(default_factory=list)
    logits: list[FoundLogits] = field(default_factory=list)
    to_fill_in: list[Note] = field(default_factory=list)
    remarks: list[Note] = field(default_factory=list)

    @property
    def sources(self) -> bool:
        """Whether there is anything to compare people by."""
        return bool(self.scores or self.vectors or self.pictures)

    @property
    def of_people(self) -> bool:
        """Whether the study is of people, and not of scores of classes alone."""
        return self.sources or not self.logits

    @property
    def lists(self) -> bool:
        """Whether scores are lists of pairs that name no single probes."""
        return not all(one.ranked for one in self.scores)

    @property
    def ranked(self) -> bool:
        """Whether people could be searched for."""
        return self.of_people and not self.lists

    @property
    def all_with_all(self) -> bool:
        """Whether there are scores of all samples with each other."""
        first = next(iter((*self.scores, *self.vectors)), None)
        return self.ranked and self.samples is not None and first is not None and first.shared

    @property
    def samples(self) -> Samples | None:
        """The samples, where ids and subjects were found."""
        return None if self.table is None else self.table.samples

    def named(self, path: Path) -> str:
        """A file's name as the study says it: from where the study is, unless that leads far up."""
        target, start = resolved(path), resolved(self.out).parent
        try:
            relative = os.path.relpath(target, start)
        except ValueError:  # on another drive
            return target.as_posix()
        steps = Path(relative).parts.count(os.pardir)
        far = steps >= _MANY_STEPS_UP or (
            steps and Path(os.path.commonpath([target, start])).parent == Path(target.anchor)
        )
        return target.as_posix() if far else Path(relative).as_posix()


def propose(found: FoundFiles, out: Path) -> Proposal:
    """Decide what can be decided of a study at `out`, and list what cannot."""
    made = Proposal(out, pictures=list(found.pictures), logits=list(found.logits))
    if found.scores or found.vectors or made.of_people:
        made.table = _table(found, made)
    for scores in found.scores:
        made.scores += _score_entries(scores, made)
    made.vectors += [_vector_entry(one, made) for one in found.vectors]
    _tell_apart(made)
    for path, why in found.unknown.items():
        made.remarks.append(LEFT_OUT(file=path.name, why=why))
    return made


def _ids_in(one: FoundScores | FoundVectors) -> list[str]:
    """Every id that a file has scores of."""
    if isinstance(one, FoundVectors):
        return list(one.ids or ())
    file = one.file
    if file.queries is not None and file.targets is not None:
        return [*file.queries, *file.targets]
    if not file.trials:
        return []
    frame = file.trials[0].frame
    listed = pl.concat([frame["query"], frame["target"].alias("query")])
    return listed.drop_nulls().unique(maintain_order=True).to_list()


def _names_people(one: FoundScores) -> bool:
    """Whether a file says itself whose the samples are, or at least which pairs are of one person."""
    file = one.file
    return file.subjects is not None or any(not one.frame["mated"].null_count() for one in file.trials)


def _table(found: FoundFiles, made: Proposal) -> TableChoice | None:
    wanted = {name for scores in found.scores for name in _ids_in(scores)}
    wanted |= {name for vectors in found.vectors for name in _ids_in(vectors)}
    choices = []
    for order, table in enumerate(found.tables):
        subject = subject_column(table.frame)
        name, held = id_column(table.texts, wanted, subject)
        choices.append(((subject is not None, held, -order), table, name, subject))
    own = bool(found.scores) and all(map(_names_people, found.scores)) and not found.vectors
    if not choices:
        if not own:
            made.to_fill_in.append(NO_TABLE())
        return None
    (_, held, _), table, name, subject = max(choices, key=lambda choice: choice[0])
    if own and not held:
        made.remarks.append(LEFT_OUT(file=table.path.name, why=NO_SUCH_IDS()))
        return None
    for column, key in ((name, "id_column"), (subject, "subject_column")):
        if column is None:
            columns = first_few(table.frame.columns, 12)
            made.to_fill_in.append(NO_COLUMN(key=key, file=table.path.name, columns=columns))
    rule, failed_column = failure_rule(table.frame)
    return _with_samples(TableChoice(table.path, table.frame, name, subject, rule, failed_column), made)


def _with_samples(table: TableChoice, made: Proposal) -> TableChoice:
    """Read the table as a study would; without the failures if these cannot be told."""
    if table.id is None or table.subject is None:
        return table
    try:
        if table.path.suffix.lower() == ".srt":
            return replace(table, samples=read_image_list(table.path))
        read = Samples.read(table.path, id_column=table.id, subject_column=table.subject, failed=table.failed)
        return replace(table, samples=read)
    except ProbandError as error:
        made.to_fill_in.append(TABLE_REFUSED(why=error.message.rstrip(".")))
        return table


def _score_entries(one: FoundScores, made: Proposal) -> list[SourceEntry]:
    """A section for the file, or two if its algorithms point different ways."""
    file, samples = one.file, made.samples
    entry = _aligned(
        SourceEntry(
            one.path,
            tuple(file.matrices) or tuple(trials.name for trials in file.trials),
            query_ids=one.query_ids,
            target_ids=one.target_ids,
            mask=one.mask,
            ranked=one.ranked,
            columns=one.columns,
            mated_is=one.mated_is,
            more_scores=one.more_scores,
        ),
        one,
        made,
    )
    if file.orientation is not None:
        return [replace(entry, evidence=STATED(orientation=file.orientation))]
    options = ReadOptions(
        query_ids=one.query_ids,
        target_ids=one.target_ids,
        mask=one.mask,
        columns=one.columns,
        mated_is=one.mated_is,
    )
    try:
        summaries = inspect_file(one.path, samples, options, file.format).summaries
    except ProbandError:
        summaries = ()
    aucs = {summary.name: summary.auc_as_similarity for summary in summaries}
    if file.trials:
        # A list is summarised without the table.
        by_table = _auc_by_table(one, entry, samples)
        aucs = {name: by_table if aucs.get(name) is None else aucs[name] for name in entry.algorithms}
    n_failed = 0 if samples is None or file.trials else int(samples.failed.sum())
    entries = _by_orientation(entry, aucs, (WITHOUT_FAILED(n=n_failed),) if n_failed else ())
    for undecided in entries:
        if undecided.undecided:
            made.to_fill_in.append(
                NO_ORIENTATION(algorithms=first_few(undecided.algorithms), file=one.path.name)
            )
    return entries


def _aligned(entry: SourceEntry, one: FoundScores, made: Proposal) -> SourceEntry:
    """Say how the axes of a matrix stand to each other and to the table."""
    file, samples = one.file, made.samples
    if file.trials:
        absent = 0 if samples is None else len(samples.ids.missing(_ids_in(one)))
        return replace(entry, n_absent=absent, shared=_overlap(file.trials[0].frame))
    if file.queries is None or file.targets is None:
        shape = next(iter(file.matrices.values())).shape
        if samples is not None and shape != (len(samples), len(samples)):
            made.to_fill_in.append(NO_AXES(file=one.path.name, rows=shape[0], columns=shape[1]))
            return replace(entry, named=False)
        return replace(entry, shared=shape[0] == shape[1])
    shared = bool(set(file.queries) & set(file.targets))
    if samples is None:
        return replace(entry, shared=shared)
    scored = set(file.queries) | set(file.targets)
    unscored = len(samples) - len(scored & set(samples.ids)) if shared else 0
    return replace(entry, shared=shared, n_absent=len(samples.ids.missing(scored)) + unscored)


def _overlap(listed: pl.DataFrame) -> bool:
    return bool(set(listed["query"].drop_nulls()) & set(listed["target"].drop_nulls()))


def _auc_by_table(one: FoundScores, entry: SourceEntry, samples: Samples | None) -> float | None:
    """How mates stand against others in a list that does not say which pairs are mated."""
    if samples is None or not entry.ranked:
        return None
    try:
        found = list(scores_of(one.file, one.path, samples, "similarity", "drop").values())
        gallery = OnePerSubject() if entry.shared else None
        return check_orientation(
            found[0], experiment_over(found, samples, gallery=gallery, missing="drop")
        ).auc
    except ProbandError:
        return None


def _by_orientation(
    entry: SourceEntry, aucs: Mapping[str, float | None], failed: tuple[Note, ...]
) -> list[SourceEntry]:
    """Part the algorithms by the way their scores look."""
    parts: dict[Orientation | None, list[str]] = {}
    for name in entry.algorithms:
        parts.setdefault(_looks(aucs.get(name)), []).append(name)
    return [
        replace(
            entry,
            algorithms=tuple(names),
            whole=len(parts) == 1,
            orientation=looks,
            undecided=looks is None,
            evidence=_evidence({name: aucs.get(name) for name in names}, failed),
        )
        for looks, names in parts.items()
    ]


def _looks(auc: float | None) -> Orientation | None:
    if auc is None or abs(auc - 0.5) < _CERTAIN:
        return None
    return "similarity" if auc > 0.5 else "distance"


def _evidence(aucs: dict[str, float | None], failed: tuple[Note, ...]) -> Note:
    known = tuple((name, auc) for name, auc in aucs.items() if auc is not None)
    return BY_AUC(aucs=known, failed=failed) if known else NOT_SEEN()


def _vector_entry(one: FoundVectors, made: Proposal) -> SourceEntry:
    samples, absent, named = made.samples, 0, True
    if samples is not None and one.ids is not None:
        absent = len(samples.ids.missing(one.ids)) + len(set(samples.ids) - set(one.ids))
    elif samples is not None and one.n_rows != len(samples):
        named = False
        made.to_fill_in.append(NO_IDS(file=one.path.name, rows=one.n_rows, samples=len(samples)))
    if one.metric is None:
        made.to_fill_in.append(NO_METRIC(file=one.path.name, algorithms=one.models))
    return SourceEntry(
        one.path, one.models, n_absent=absent, shared=True, named=named, undecided=one.metric is None
    )


def _tell_apart(made: Proposal) -> None:
    """Give an algorithm whose name is taken already, by that of another file, a section and a name of its own."""
    taken: set[str] = set()
    for entries in (made.scores, made.vectors):
        parted: list[SourceEntry] = []
        for one in entries:
            again = [name for name in one.algorithms if name in taken]
            rest = tuple(name for name in one.algorithms if name not in taken)
            if rest:
                parted.append(replace(one, algorithms=rest, whole=one.whole and not again))
            single = one.whole and len(one.algorithms) == 1
            parted += [
                replace(one, algorithms=(name,), whole=single, name=_another(name, one.path, taken))
                for name in again
            ]
            taken.update(rest)
        entries[:] = parted


def _another(name: str, path: Path, taken: set[str]) -> str:
    """Another name for an algorithm: by its file, by its folder, or by number."""
    stem, folder = path.stem, resolved(path).parent.name
    tried = [stem, folder, *map(str, range(2, len(taken) + 3))]
    made = next(label for word in tried if (label := f"{name} ({word})") not in taken and word != name)
    taken.add(made)
    return made
