"""Audits as tables and sentences."""

from __future__ import annotations

from proband.protocols.audit.findings import Audit, AuditFinding
from proband.report.tables.cells import over, text_cell
from proband.report.tables.table import Cell, Column, Table, Tone
from proband.words import Method, Note, Sentence, as_sentence, count, p_value

_TONES: dict[str, Tone] = {"leak": "bad", "fault": "bad", "warning": "warning", "note": "faint"}
_SPLITS = Sentence(
    "audit.splits",
    "note",
    "{source}: {splits:count split} of {samples:count sample} of {subjects:count subject}; task: recognise {what}",
)
_DATA = Sentence(
    "audit.data",
    "note",
    "{source}: {samples:count sample} of {subjects:count subject}, without splits; task: recognise {what}",
)
_UNKNOWN = Sentence(
    "audit.data-of-unknown",
    "caution",
    "the subjects are unknown: the file names of the {samples:count image} in {source} do not identify them, so copies "
    "filed under two people cannot be distinguished from other copies; pass --names to read subjects from file names",
)
_LOOKED_FOR = Sentence("audit.looked-for", "note", "Checked: {what:parts}")
_UNCHECKED = Sentence("audit.unchecked", "caution", "not checked against the protocol: {what:parts}")
_NO_COPIES = Sentence(
    "audit.copies-not-looked-for",
    "caution",
    "copies of images were not searched for: pass --images or --embeddings",
)
_NO_LOSSES = Sentence(
    "audit.losses-unknown",
    "caution",
    "it is not known whether samples were dropped: pass --collected and --exclusions",
)
_LOSSES = Sentence(
    "audit.losses",
    "note",
    "Of {collected:count collected sample} {used:count is/are} used and {lost:count is/are} not",
)
_SOUND = Sentence("audit.sound", "note", "No leak and no fault was found")
_LEAKS = Sentence("audit.leaks", "caution", "Not sound: {leaks:count leak}")
_FAULTS = Sentence("audit.faults", "caution", "Not sound: {faults:count fault}")
_LEAKS_AND_FAULTS = Sentence(
    "audit.leaks-and-faults", "caution", "Not sound: {leaks:count leak} and {faults:count fault}"
)


def findings_table(audit: Audit) -> Table:
    """Make a table of findings, most serious first: the finding, the samples or subjects concerned, and the remedy."""
    heads = (Column("", "name"), Column("found"), Column("named"), Column("remedy"))
    return Table("", heads, tuple(map(_finding_row, audit.findings)))


def _finding_row(found: AuditFinding) -> tuple[Cell, ...]:
    tone = _TONES[found.severity]
    return (
        text_cell(found.severity, tone),
        text_cell(finding_sentence(found), tone),
        _named(found, tone),
        text_cell(as_sentence(found.cure), tone),
    )


def finding_sentence(found: AuditFinding) -> str:
    """The finding, with a p-value if it could be due to chance."""
    what = as_sentence(found.what)
    if found.p_value is None or found.test is None:
        return what
    method = dict(found.test.values).get("method")
    floor = method.floor if isinstance(method, Method) else None
    return f"{what} p {p_value(found.p_value, floor)} ({found.test})."


def _named(found: AuditFinding, tone: Tone) -> Cell:
    rest = found.count - len(found.examples)
    # Reasons and classes are counted in samples, so that what is left of them is not known.
    counted_all = found.examples_are_groups
    more = [f"and {count(rest)} more"] if rest > 0 and found.examples and not counted_all else []
    named = [text_cell(one, tone) for one in (*found.examples, *more)]
    return over(*named) if named else text_cell("")


def audit_statements(audit: Audit) -> list[Note]:
    """Describe what was checked and the outcome, one note each."""
    lost = audit.losses
    losses = [] if lost is None else [_LOSSES(collected=lost.n_collected, used=lost.n_used, lost=lost.n_lost)]
    what = audit.task if audit.label is None else f"{audit.task} {audit.label}"
    if not audit.n_splits:
        known = {"source": audit.source, "samples": audit.n_samples}
        return [
            _DATA(**known, subjects=audit.n_subjects, what=what) if audit.n_subjects else _UNKNOWN(**known),
            _LOOKED_FOR(what=tuple(audit.looked_for)),
            *losses,
        ]
    return [
        _SPLITS(
            source=audit.source,
            splits=audit.n_splits,
            samples=audit.n_samples,
            subjects=audit.n_subjects,
            what=what,
        ),
        _LOOKED_FOR(what=tuple(audit.looked_for)),
        *([_UNCHECKED(what=tuple(audit.unchecked))] if audit.unchecked else []),
        *([_NO_COPIES()] if audit.duplicates is None else []),
        *(losses or [_NO_LOSSES()]),
    ]


def verdict(audit: Audit) -> Note:
    """State in one sentence whether the splits are sound."""
    if audit.is_sound:
        return _SOUND()
    leaks, faults = (sum(found.severity == name for found in audit.findings) for name in ("leak", "fault"))
    if leaks and faults:
        return _LEAKS_AND_FAULTS(leaks=leaks, faults=faults)
    return _LEAKS(leaks=leaks) if leaks else _FAULTS(faults=faults)
