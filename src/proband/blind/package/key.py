"""The key to a package: the sample of each random name. It stays with the organiser of the test."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from proband.blind.package.key_table import LISTS, check_table
from proband.blind.package.sealing import canonical, digest_of
from proband.engine import written_whole
from proband.engine.files.documents import read_json
from proband.engine.files.files import content_of, reading, require_regular
from proband.engine.files.placing import settle
from proband.errors import InputError, Said
from proband.samples import Samples
from proband.samples.reading import ROW_NUMBER
from proband.words import counted

if TYPE_CHECKING:
    from proband.blind.package.package import Package

FORMAT = "proband blind key 1"
_PRIVATE = 0o600
TABLE = {"name": pl.String, "role": pl.String, "sample": pl.String, "repeat_of": pl.String}
_PLAIN = (
    pl.String,
    pl.Boolean,
    pl.Int8,
    pl.Int16,
    pl.Int32,
    pl.Int64,
    pl.UInt8,
    pl.UInt16,
    pl.UInt32,
    pl.UInt64,
)
_KINDS: dict[str, Any] = {
    **{str(kind): kind for kind in (*_PLAIN, pl.Float32, pl.Float64, pl.Date)},
    "Datetime": pl.Datetime("us"),
}


@dataclass(frozen=True, eq=False)
class Key:
    """The secret part of a blind test.

    Attributes
    ----------
    package
        Digest of the ``package.json`` that the key belongs to.
    salt
        256 random bits, as hexadecimal digits: they prevent a guessed key from being confirmed with the
        package.
    table
        One row for each random id: ``name``, ``role`` (target, query, control target or control query), ``sample`` (the
        original id) and ``repeat_of``: null, or the random id that shows the same sample, among the targets for a (control)
        target and among the queries for a (control) query.
    samples
        The original table of the samples used, with all its columns.
    training
        The declared training sets, by name: lists of ``samples``, ``subjects`` and ``either``.
    training_salt
        The prefix of an id when a declaration is hashed; also stated in the package.
    others
        Samples of the people tested that are in neither set, with their subjects.
    """

    package: str
    salt: str
    table: pl.DataFrame
    samples: Samples
    training: dict[str, Any] = field(default_factory=dict)
    training_salt: str = ""
    others: dict[str, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"Key({counted(len(self.table), 'name')} of {counted(len(self.samples), 'sample')}, package {self.package[:12]}…)"

    @property
    def commitment(self) -> str:
        """SHA-256 of everything secret, including the salt."""
        return digest_of(canonical(self._secret()))

    def require(self, package: Package) -> None:
        """Refuse a key that does not belong to the package.

        Parameters
        ----------
        package
            The package to check.
        """
        if self.package != package.digest:
            raise InputError(
                f"The key does not belong to the package {package.path.name}.",
                "pass the key that was written together with this package.",
            )
        if self.commitment != package.commitment:
            raise InputError(f"The key does not match the commitment in {package.path.name}.")
        for names, role in LISTS.items():
            own = self.table.filter(pl.col("role") == role)["name"]
            if set(own) != set(getattr(package, names)):
                raise InputError(
                    f"The key and {names}.csv of {package.path.name} do not name the same images."
                )

    def write(self, path: str | Path) -> None:
        """Write the key, sealed and readable only by its owner; completely or not at all.

        Parameters
        ----------
        path
            The file; an existing file is replaced.
        """
        path = Path(path)
        content = {"format": FORMAT, "package": self.package, "secret": self._secret()}
        sealed = canonical({**content, "seal": digest_of(canonical(content))})
        if path.is_file():
            path.chmod(_PRIVATE)  # a replaced file would keep its permissions
        with written_whole(path) as draft:
            write_privately(draft, sealed + b"\n")

    @classmethod
    def read(cls, path: str | Path) -> Key:
        """Read a key and check its seal.

        Parameters
        ----------
        path
            The file of the key.

        Returns
        -------
        Key
            The key.
        """
        path = Path(path)
        settle(path)
        require_regular(path)
        if not path.is_file():
            what = "is a directory, not a key" if path.is_dir() else "does not exist"
            raise InputError(
                f"The key {path} {what}.", "pass the file that was written with the package.", file=Said(path)
            )
        with reading(path, "the key of a blind test"):
            content = read_json(content_of(path))
            if not isinstance(content, dict) or content.get("format") != FORMAT:
                raise InputError(f"{path.name} is not the key of a blind test.", file=Said(path.name))
            seal = content.pop("seal", None)
            if seal != digest_of(canonical(content)):
                raise InputError(
                    f"{path.name} has been changed since it was written: its seal does not match.",
                    "use the original copy of the key.",
                    file=Said(path.name),
                )
            try:
                key = cls(package=_text(content, "package"), **_opened(content["secret"]))
            except KeyError as error:
                raise InputError(f"{path.name} lacks {error.args[0]!r}.", file=Said(path.name)) from None
            except AttributeError:
                raise InputError(
                    f"{path.name} does not have the structure of a key.", file=Said(path.name)
                ) from None
            check_table(key.table, key.samples.ids)
            return key

    def _secret(self) -> dict[str, Any]:
        columns = {name: self.table[name].to_list() for name in TABLE}
        return {
            "salt": self.salt,
            "table": columns,
            "samples": _packed(self.samples),
            "training": self.training,
            "training_salt": self.training_salt,
            "others": self.others,
        }


def write_privately(path: Path, content: bytes) -> None:
    """Write a new file that only its owner can read from the start."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _PRIVATE), "wb") as file:
        file.write(content)


def _opened(secret: dict[str, Any]) -> dict[str, Any]:
    training, others = secret["training"], secret["others"]
    if not isinstance(training, dict) or not _names_people(others):
        raise InputError("Training sets and other samples in a key must be mappings from names to lists.")
    return {
        "salt": _text(secret, "salt"),
        "training": training,
        "training_salt": _text(secret, "training_salt"),
        "others": others,
        "table": pl.DataFrame(secret["table"], schema=TABLE),
        "samples": _unpacked(secret["samples"]),
    }


def _text(content: dict[str, Any], name: str) -> str:
    if not isinstance(content[name], str):
        raise InputError(f"The key's {name!r} is not text.")
    return str(content[name])


def _names_people(others: object) -> bool:
    return isinstance(others, dict) and all(isinstance(who, str) for who in others.values())


def _packed(samples: Samples) -> dict[str, Any]:
    """Convert a table to plain values from which it can be restored, including types."""
    people = [samples.subjects[code] for code in samples.codes]
    columns = []
    for values in samples.frame:
        kind = "Datetime" if values.dtype == pl.Datetime("us") else str(values.dtype)
        if kind not in _KINDS:
            kind, values = "String", values.cast(pl.String)
        # Dates are stored as days or microseconds since 1970.
        columns.append({"name": values.name, "kind": kind, "values": values.to_physical().to_list()})
    return {
        "columns": columns,
        "id_column": _column_of(samples.frame, list(samples.ids), "id"),
        "subject_column": _column_of(samples.frame, people, "subject"),
        "failed": samples.failure_rule,
    }


def _column_of(frame: pl.DataFrame, values: list[str], usual: str) -> str:
    """Find the column of ids or subjects, which the table does not record."""
    for name in (usual, *frame.columns):
        # A column of row numbers would be renumbered when the table is read.
        if name != ROW_NUMBER and frame[name].dtype == pl.String and frame[name].to_list() == values:
            return name
    raise InputError(
        f"The samples are numbered, but the table has a column {usual!r} with other values.",
        "rename that column, or add a separate column of ids.",
    )


def _unpacked(packed: dict[str, Any]) -> Samples:
    columns = []
    for column in packed["columns"]:
        kind = _KINDS.get(column["kind"])
        if kind is None:
            raise InputError(f"The key has a column of an unknown kind: {column['kind']!r:.40}.")
        stored = pl.Int64 if kind.is_temporal() else kind
        columns.append(pl.Series(column["name"], column["values"], dtype=stored).cast(kind))
    return Samples(
        pl.DataFrame(columns),
        id_column=packed["id_column"],
        subject_column=packed["subject_column"],
        failed=packed["failed"],
        source="the key's table of samples",
    )
