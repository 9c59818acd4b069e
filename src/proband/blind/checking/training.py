"""Declared training sets, in plain or hashed ids, and their overlap with the test."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from proband.blind.package.sealing import canonical, digest_of
from proband.engine.files.files import reading, require_there, text_of
from proband.engine.files.parquet import COLUMNAR
from proband.errors import DesignError, Hint, InputError, Said, UsageError, first_few
from proband.samples import Samples
from proband.samples.reading import read_frame
from proband.words import count

if TYPE_CHECKING:
    from proband.blind.package.key import Key

HASHED = "sha256:"
_TABLES = (".csv", ".tsv", *COLUMNAR, ".jsonl", ".ndjson", ".npz")
_Meant = tuple[Literal["sample", "subject"], str]
_PARTS = ("samples", "subjects", "either")


@dataclass(frozen=True)
class Meeting:
    """An entry of a declaration that is in the test: a sample or a person.

    Attributes
    ----------
    entry
        The line, as declared.
    what
        ``"sample"`` or ``"subject"``.
    name
        The id of the sample or subject.
    """

    entry: str
    what: Literal["sample", "subject"]
    name: str

    def __str__(self) -> str:
        said = "is a sample of the test" if self.what == "sample" else "belongs to a person who is tested"
        named = f", {self.name!r}" if self.name != self.entry else ""
        return f"{self.entry!r} {said}{named}"


@dataclass(frozen=True)
class TestedPeople:
    """The samples of a test with their subjects, and other samples of the same people."""

    samples: dict[str, str]
    others: dict[str, str]

    @classmethod
    def of(cls, samples: Samples, ids: Iterable[str]) -> TestedPeople:
        """Divide a table into tested samples, other samples of the same people, and the rest."""
        owner = dict(zip(samples.ids, (samples.subjects[code] for code in samples.codes), strict=True))
        tested = {name: owner[name] for name in ids}
        people = set(tested.values())
        others = {name: who for name, who in owner.items() if who in people and name not in tested}
        return cls(tested, others)

    def met_by(self, declared: Mapping[str, Sequence[str]], salt: str) -> list[Meeting]:
        """Find the entries of a declaration that are in the test; a name that may be a sample or a subject is searched as both."""
        people: dict[str, _Meant] = {who: ("subject", who) for who in self.samples.values()}
        pictures: dict[str, _Meant] = {name: ("subject", who) for name, who in self.others.items()}
        pictures |= {name: ("sample", name) for name in self.samples}
        known = {"subjects": people, "samples": pictures, "either": {**people, **pictures}}
        met = []
        for part in _PARTS:
            entries = declared.get(part, ())
            names = known[part]
            if any(entry.startswith(HASHED) for entry in entries):
                names = {**names, **{hashed(name, salt): meant for name, meant in names.items()}}
            met += [Meeting(entry, *names[entry]) for entry in entries if entry in names]
        return met


def hashed(name: str, salt: str) -> str:
    """Hash an id or a subject so that it can be declared without being disclosed: ``sha256:`` and digits.

    Parameters
    ----------
    name
        The id or the subject, exactly as in the table of samples.
    salt
        The package's ``training_salt``.

    Returns
    -------
    str
        ``sha256:`` and digits.

    Notes
    -----
    Anyone with a list of ids can hash them and compare: this hides names from readers, not from holders of
    the data.

    Examples
    --------
    >>> hashed("subject-17", "salt")[:20]
    'sha256:409d1b4184a61'
    """
    return HASHED + digest_of((salt + name).encode())


def met_by(declared: Iterable[str], key: Key) -> list[Meeting]:
    """Find which of the declared samples or subjects, plain or hashed, are in the test that `key` opens.

    Parameters
    ----------
    declared
        Ids or subjects of the training set.
    key
        The key of the test.

    Returns
    -------
    list
        The entries of the declaration that are in the test.

    Examples
    --------
    >>> from proband.blind.package.key import Key
    >>> samples = Samples({"id": ["t1", "t2"], "subject": ["ann", "bob"]})
    >>> key = Key("digest", "salt", samples.frame, samples)
    >>> met_by(["ann", "zoe"], key)
    [Meeting(entry='ann', what='subject', name='ann')]
    """
    tested = dict(zip(key.samples.ids, _people(key.samples), strict=True))
    return TestedPeople(tested, key.others).met_by({"either": list(declared)}, key.training_salt)


def read_training(text: str, id_column: str = "id", subject_column: str = "subject") -> tuple[str, Any]:
    """Read a declaration, ``NAME=FILE``.

    A table has a column of sample ids, of subjects, or both; any other file has one name per line, of a
    sample or a subject. Names may be hashed.

    Parameters
    ----------
    text
        The path of a declaration, or a table.
    id_column, subject_column
        The columns of ids and of subjects.

    Returns
    -------
    tuple
        The name, and lists of ``samples``, ``subjects`` and ``either``.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "trained.txt")
    ...     _ = path.write_text("ann")
    ...     read_training(f"net={path}")
    ('net', {'samples': [], 'subjects': [], 'either': ['ann']})
    """
    name, mark, file = text.partition("=")
    if not (name and mark and file):
        raise UsageError(f"Expected a training set as NAME=FILE, got {text!r}.")
    path = Path(file)
    parts: dict[str, list[str]] = {part: [] for part in _PARTS}
    if path.suffix.lower() in _TABLES:
        frame = read_frame(path, text_columns=(id_column, subject_column))
        columns = {"samples": id_column, "subjects": subject_column}
        for part, column in columns.items():
            if column in frame.columns:
                parts[part] = _entries(map(str, frame[column].drop_nulls().to_list()))
        if not set(columns.values()) & set(frame.columns):
            raise InputError(
                f"{path.name} has neither a column {id_column!r} nor a column {subject_column!r}.",
                file=Said(path.name),
            )
    else:
        require_there(path)
        with reading(path, "a list of names"):
            parts["either"] = _entries(text_of(path, "utf-8-sig").splitlines())
    if not any(parts.values()):
        raise InputError(
            f"{path.name} is empty.",
            "list at least one sample or subject.",
            file=Said(path.name),
        )
    return name, parts


def require_salt(declared: Mapping[str, Any]) -> None:
    """Refuse hashed names if no salt was announced: with a new salt they match nothing, and an overlap would go unnoticed."""
    for name, parts in declared.items():
        found = [entry for part in parts.values() for entry in part if entry.startswith(HASHED)]
        if found:
            raise UsageError(
                f"The training set {name!r} has hashed names ({first_few(found, 1)}), but no training salt "
                f"was given for hashing the names of the test.",
                Hint(
                    "announce a salt before training sets are declared, and pass it here: {option:training_salt}"
                ),
            )


def check_training(declared: Mapping[str, Any], tested: TestedPeople, salt: str) -> None:
    """Refuse training sets that share a sample or a person with the test, and name the first."""
    for name, parts in declared.items():
        met = tested.met_by(parts, salt)
        if met:
            more = f" ({count(len(met))} of its entries are in the test)" if len(met) > 1 else ""
            raise DesignError(
                f"The training set {name!r} overlaps the test: {met[0]}{more}.",
                "choose other targets and queries: training must use other people and be finished before the test begins.",
            )


def summary_of(parts: Mapping[str, Sequence[str]], salt: str) -> dict[str, Any]:
    """Return what may be disclosed about a training set: its size, and a digest that is the same for plain and hashed names."""
    every = {
        part: sorted(
            entry if entry.startswith(HASHED) else hashed(entry, salt) for entry in parts.get(part, ())
        )
        for part in _PARTS
    }
    return {"count": sum(map(len, every.values())), "digest": digest_of(canonical(every))}


def _people(samples: Samples) -> list[str]:
    return [samples.subjects[code] for code in samples.codes]


def _entries(lines: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(line.strip() for line in lines if line.strip()))
