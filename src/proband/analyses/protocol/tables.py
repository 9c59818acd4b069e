"""Tables and files of accuracies under protocols: the table of Mery et al. (2016), intervals, splits, predictions and cards."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from proband import words
from proband.protocols.cards.sections import PredictionsFile
from proband.protocols.epd import JUSTIFIED
from proband.protocols.running.mixing import MixingDrop
from proband.protocols.running.results import ProtocolFindings, ProtocolResult, ProtocolRun, Recommended
from proband.protocols.running.summary import ENROLLED
from proband.protocols.splits.files import write_splits
from proband.report.charts.makers.errors import number_range
from proband.report.tables.cells import columns, empty_cell, fixed_cell, text_cell
from proband.report.tables.table import Cell, Column, Ends, Table
from proband.results.base import Answers
from proband.results.estimate import Estimate
from proband.words import Method, Note, Sentence

_STATISTICS = ("max", "mean", "min", "std")
_FOLDERS = ("predictions", "splits", "cards")
"""Where predictions, splits and cards are."""
_MOST_ROLES = 50_000_000  # rows of a file of splits
_DATA = Sentence(
    "protocol.data",
    "note",
    "{name}: {samples:count sample} of {subjects:count subject}, {each} each; task: recognise {what}; seed {seed}",
)
_WHO = Sentence("protocol.identity", "note", "the subject")
_WHICH = Sentence("protocol.attribute", "note", "{label} ({n:count class/classes})")
_SPLITS = Sentence("protocol.splits", "note", "{protocol}: {meaning}. {sizes:parts}")
_SIZES = Sentence("protocol.split-sizes", "note", "{splits:count split}, {tests} test samples")
_UNEVEN = Sentence(
    "protocol.uneven-classes",
    "note",
    "class shares in test sets are off by at most {share:span}",
)
_RUNS = Sentence(
    "protocol.runs",
    "note",
    "The accuracy is the mean over runs; a run is {kinds:row}. Runs share samples, so their standard deviation is not a standard error",
)
_A_RUN = Sentence("protocol.run", "note", "one {what}")
_INTERVAL = Sentence(
    "protocol.interval",
    "note",
    "{of:capital}: varying {varying}; fixed: {fixed}; assuming: {assuming} ({method})",
)
_ON_SPLITS = Sentence("protocol.comparison-on-splits", "note", "{protocol}, on splits ({method}): {found}")
_ON_PEOPLE = Sentence(
    "protocol.comparison-on-people", "note", "{protocol}, on people, one repeat ({method}): {found}"
)
_FIVE_BY_TWO = Sentence("protocol.five-by-two", "note", "{protocol}: {found}")
_POSTERIOR = Sentence(
    "protocol.posterior", "note", "{protocol}, posterior of {first} against {second}: {found}"
)
_MOST_VERDICTS = 3  # beneath a table
_QUOTED = Sentence(
    "protocol.quoted-interval",
    "note",
    "Intervals are of the {of}: varying {varying}; fixed: {fixed}; assuming: {assuming}",
)
_MORE_VERDICTS = Sentence("protocol.more-verdicts", "note", "{n:count more comparison} in the report")
_EPD = Sentence("protocol.epd", "note", "{protocol}: {verdict}")
_SIZED = Sentence(
    "protocol.sizes",
    "note",
    "Accuracy by size, over {draws:count random draw}: varying {varying}; fixed: {fixed}; assuming: {assuming}",
)
_CLASSES = Sentence(
    "protocol.classes",
    "note",
    "The weighted mean, the balanced accuracy and class results count every prediction of every split; their intervals vary {units}",
)
_BY_PERSON = Sentence("protocol.classes-by-person", "note", "people, with the models fixed")
_BY_SAMPLE = Sentence("protocol.classes-by-sample", "note", "samples of these people, with the models fixed")
_TOO_MANY_SPLITS = Sentence(
    "protocol.too-many-splits",
    "note",
    "{protocol} has too many splits to write; the seed reproduces them",
)


def runs_table(run: ProtocolRun) -> Table:
    """Maximum, mean, minimum and standard deviation over runs, in percent: classifiers in rows, protocols in columns."""
    rows = []
    for name in run.classifiers:
        own = [one for one in run.results if one.classifier == name]
        for statistic in _STATISTICS:
            cells = (_percent(one, statistic) for one in own)
            rows.append((text_cell(name), text_cell(statistic), *cells))
    return Table(
        "Accuracy over runs (%)",
        columns("classifier", "over runs", *(str(found.protocol) for found in run.findings), text=2),
        tuple(rows),
        rules=tuple(range(len(_STATISTICS), len(rows), len(_STATISTICS))),
    )


def _percent(one: ProtocolResult, statistic: str) -> Cell:
    spread = one.spread
    value = {"max": spread.maximum, "mean": spread.mean, "min": spread.minimum, "std": spread.std}[statistic]
    return fixed_cell(None if value is None else 100 * value, 2 if statistic == "std" else 1)


def intervals_table(run: ProtocolRun, everything: bool = False) -> Table:
    """The interval to quote for each accuracy with its estimate and other means, or both intervals."""
    level = words.level(run.setting.confidence_level)
    heads: dict[Recommended, tuple[Column, ...]] = {
        "method": (
            Column(f"its {level} interval", "interval", "Interval of the accuracy; training and test samples vary."),
        ),
        "fitted-models": (
            Column("pooled estimate", "number", "Every test sample weighted equally, by its mean over the splits that test it."),
            Column(f"{level} interval, pooled", "interval", "Interval of the pooled estimate; people vary, the fitted models are fixed."),
        ),
    }  # fmt: skip
    shown = [which for which in heads if everything or any(which == one.recommended for one in run.results)]
    rows = (
        (
            text_cell(one.classifier),
            text_cell(str(one.protocol)),
            fixed_cell(100 * one.accuracy),
            *(
                cell if everything or which == one.recommended else empty_cell()
                for which in shown
                for cell in _interval_cells(one, which)
            ),
            *(fixed_cell(100 * value) for value in _other_means(found, one)),
        )
        for found in run.findings
        for one in found.results
    )
    return Table(
        "Both intervals (%)" if everything else "Intervals (%)",
        (
            *columns("classifier", "protocol", text=2),
            Column("accuracy", "number", "Mean over runs."),
            *(column for which in shown for column in heads[which]),
            Column("weighted", "number", "Every test sample of every split weighted equally."),
            Column("balanced", "number", "Every class weighted equally."),
        ),
        tuple(rows),
    )


def _interval_cells(one: ProtocolResult, which: Recommended) -> tuple[Cell, ...]:
    """The interval of the accuracy, or the pooled estimate and its own."""
    if which == "method":
        return (_ends(one.corrected),)
    return fixed_cell(100 * one.pooled.value), _ends(one.pooled)


def _ends(interval: Estimate) -> Cell:
    if not interval.has_interval:
        return Cell("none")
    ends = Ends(100 * interval.low, 100 * interval.high)
    return Cell(words.interval(*ends, 2), ends, answers=interval.answers)


def epd_statements(run: ProtocolRun) -> list[Note]:
    """The EPD verdict of each protocol in a line, and the justification if one was given."""
    said = [_EPD(protocol=str(found.protocol), verdict=found.epd.summary()) for found in run.findings]
    why = run.setting.justification
    return said if why is None else [*said, JUSTIFIED(text=why)]


def _other_means(found: ProtocolFindings, one: ProtocolResult) -> tuple[float, float]:
    """The weighted mean and the balanced accuracy."""
    rate = found.classification.rate
    return rate(one.classifier).value, rate(one.classifier, "macro-top-1").value


def quoted_verdicts(run: ProtocolRun) -> list[Note]:
    """Verdicts of comparisons, as many as fit below a table."""
    verdicts = [said for found in run.findings for said in found.verdicts()]
    more = len(verdicts) - _MOST_VERDICTS
    return [*verdicts[:_MOST_VERDICTS], *([_MORE_VERDICTS(n=more)] if more > 0 else [])]


def enrolment_statements(run: ProtocolRun) -> list[Note]:
    """State the number of people enrolled when searching for held-out people."""
    return [note for note in run.notes if note.code == ENROLLED.code]


def quoted_statements(run: ProtocolRun) -> list[Note]:
    """Notes below the accuracies to quote: the data, what varies, and what was left out."""
    others = [*_about_others(run), *enrolment_statements(run)]
    return [
        _of_data(run),
        *dict.fromkeys(_quoted(one.interval) for one in run.results if one.interval.has_interval),
        *dict.fromkeys(_of_drop(drop) for drop in run.drops),
        *_of_classes(run),
        *_of_sizes(run),
        *(note for note in run.notes if note not in others),
        *_unwritten(run),
    ]


def _quoted(interval: Estimate) -> Note:
    answers = interval.answers
    return _QUOTED(of=answers.of, varying=answers.varying, fixed=answers.fixed, assuming=answers.assuming)


def _about_others(run: ProtocolRun) -> list[Note]:
    """Notes on intervals other than the interval to quote."""
    quoted = [note for one in run.results for note in one.interval.notes]
    every = [note for one in run.results for each in (one.corrected, one.pooled) for note in each.notes]
    return [note for note in every if note not in quoted]


def run_statements(run: ProtocolRun) -> list[Note]:
    """Explain the numbers, one note each."""
    return [
        _of_data(run),
        *run.sentences(),
        *epd_statements(run),
        *map(_of_splits, run.findings),
        _RUNS(kinds=tuple({one.spread.run.key: _A_RUN(what=one.spread.run) for one in run.results}.values())),
        *_of_intervals(run),
        *dict.fromkeys(_of_drop(drop) for drop in run.drops),
        *_of_classes(run),
        *_of_sizes(run),
        *_of_comparisons(run),
        *run.notes,
        *_unwritten(run),
    ]


def _of_data(run: ProtocolRun) -> Note:
    asked, data = run.setting, run.setting.data
    n_classes = len(run.results[0].predictions.roster.classes)
    return _DATA(
        name=data.name,
        samples=len(data),
        subjects=len(data.samples.subjects),
        each=data.each,
        what=_WHO() if asked.task == "identity" else _WHICH(label=asked.label, n=n_classes),
        seed=asked.seed,
    )


def _of_splits(found: ProtocolFindings) -> Note:
    uneven = found.imbalance
    rest = () if uneven.share is None else (_UNEVEN(share=uneven.share),)
    return _SPLITS(
        protocol=str(found.protocol),
        meaning=found.protocol.describe().rstrip("."),
        sizes=(
            _SIZES(splits=len(found.folds), tests=number_range((uneven.smallest, uneven.largest))),
            *rest,
        ),
    )


def _of_intervals(run: ProtocolRun) -> list[Note]:
    said = dict.fromkeys(
        _of_interval(interval)
        for one in run.results
        for interval in (one.corrected, one.pooled)
        if interval.has_interval  # a note says why there is none
    )
    return list(said)


def _of_interval(interval: Estimate) -> Note:
    return _meaning(interval.answers, interval.method)


def _of_drop(drop: MixingDrop) -> Note:
    return _meaning(drop.answers, drop.difference.method)


def _meaning(answers: Answers, method: Method | None) -> Note:
    return _INTERVAL(
        of=answers.of,
        varying=answers.varying,
        fixed=answers.fixed,
        assuming=answers.assuming,
        method=method,
    )


def _of_classes(run: ProtocolRun) -> list[Note]:
    """What the weighted mean, the balanced accuracy and the classes count, and what varies in their intervals."""
    by_person = any(found.people_are_units for found in run.findings)
    return [_CLASSES(units=_BY_PERSON() if by_person else _BY_SAMPLE())]


def _of_sizes(run: ProtocolRun) -> list[Note]:
    """What varies behind the accuracies by size."""
    if not run.sizes:
        return []
    answers = run.sizes[0].accuracy.answers
    return [
        _SIZED(
            draws=run.sizes[0].n_draws,
            varying=answers.varying,
            fixed=answers.fixed,
            assuming=answers.assuming,
        )
    ]


def _of_comparisons(run: ProtocolRun) -> list[Note]:
    said = []
    for found in run.findings:
        protocol = str(found.protocol)
        for made, how in ((found.on_splits, _ON_SPLITS), (found.on_people, _ON_PEOPLE)):
            if made is not None:
                said += [
                    how(protocol=protocol, method=pair.method, found=sentence)
                    for pair, sentence in zip(made.pairs, made.sentences(), strict=True)
                ]
        halves = () if found.five_by_two is None else found.five_by_two.pairs
        said += [_FIVE_BY_TWO(protocol=protocol, found=pair.sentence()) for pair in halves]
        said += [
            _POSTERIOR(protocol=protocol, first=one.first, second=one.second, found=one.sentence())
            for one in found.bayes
        ]
    return said


def write_parts(run: ProtocolRun, draft: Path) -> None:
    """Write splits, unless they are too many, predictions and cards."""
    for folder in _FOLDERS:
        (draft / folder).mkdir(parents=True)
    used: set[str] = set()
    for found in run.findings:
        named = _file_name(str(found.protocol), used)
        digest = None
        if not _too_many(run, found):
            splits = f"splits/{named}.parquet"
            write_splits(draft / splits, run.setting.data.samples, found.plan.splits())
            digest = _sha256(draft / splits)
        for one in found.results:
            own = _file_name(f"{one.classifier} {one.protocol}", used)
            predictions, card = f"predictions/{own}.parquet", f"cards/{own}.json"
            one.predictions.frame.write_parquet(draft / predictions)
            stated = PredictionsFile(predictions, _sha256(draft / predictions))
            run.card(one, stated, digest).write(draft / card)


def _too_many(run: ProtocolRun, found: ProtocolFindings) -> bool:
    """Whether the splits of a protocol would make too long a file."""
    return len(found.folds) * len(run.setting.data) > _MOST_ROLES


def _unwritten(run: ProtocolRun) -> list[Note]:
    """Which splits are in no file."""
    return [_TOO_MANY_SPLITS(protocol=str(one.protocol)) for one in run.findings if _too_many(run, one)]


def _file_name(text: str, used: set[str]) -> str:
    """A name that any file system takes, and that no other has."""
    plain = text.replace("×", "x").replace("+", " disjoint").replace("**", " counted").replace("*", " each")
    name = plain = re.sub(r"[^A-Za-z0-9.-]+", "-", plain).strip("-.")[:100] or "result"
    number = 2
    while name.lower() in used:
        name, number = f"{plain}-{number}", number + 1
    used.add(name.lower())
    return name


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
