"""Splits as files: a long table of ids and roles, or a folder of lists."""

from __future__ import annotations

import itertools
import logging
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from proband.engine import written_whole
from proband.engine.files.files import naming, opened, reading, text_of, writing
from proband.errors import InputError, Said, UsageError, first_few
from proband.protocols.splits.splits import Split
from proband.samples import Samples
from proband.samples.delimited import SEPARATORS, read_texts, unfinished, without_blank_rows
from proband.samples.ids import Ids, Positions
from proband.samples.reading import read_frame
from proband.words import count, counted

_LOG = logging.getLogger(__name__)
ROLES = ("train", "validation", "enrolled", "test", "unused")
COLUMNS = ("id", "repeat", "fold", "role")
_ROLE = pl.Enum(ROLES)
_LIST = ".txt"


@dataclass(frozen=True, eq=False)
class SplitTable:
    """Splits as read from a file, valid or not: an id may have two roles in a fold.

    Attributes
    ----------
    frame
        Columns id, repeat, fold and role (train, validation, enrolled, test or unused), in the order of the file.
    source
        The name of the file or folder.
    where
        Return the position of a row of the table: ``splits.csv, line 7``.
    assumed
        Columns missing from the file and filled with 1: repeat, fold.
    """

    frame: pl.DataFrame
    source: str
    where: Callable[[int], str]
    assumed: tuple[str, ...] = ()

    def __repr__(self) -> str:
        folds = self.frame.select("repeat", "fold").n_unique()
        return f"SplitTable({self.source}: {count(folds)} splits of {count(self.frame['id'].n_unique())} samples)"

    @property
    def ids(self) -> Ids:
        """The ids in the order of their first appearance."""
        return Ids(self.frame["id"].unique(maintain_order=True).to_list(), "sample")

    def splits(self, samples: Samples | Collection[str] | None = None) -> list[Split]:
        """Turn the table into splits of these samples (by default of :attr:`ids`).

        Samples without a row in a fold are not used in it.

        Raises
        ------
        InputError
            If an id is not among the samples, or has two rows in one fold; the message says where.
        """
        ids = self.ids if samples is None else ids_of(samples)
        place = self._positions(ids)
        repeat, fold = (self.frame[name].to_numpy() for name in ("repeat", "fold"))
        role = self.frame["role"].to_physical().to_numpy()
        order = np.arange(len(place))
        if not _in_order(repeat, fold, place):
            order = np.lexsort((place, fold, repeat))
            repeat, fold, role, place = repeat[order], fold[order], role[order], place[order]
        new = np.flatnonzero(np.diff(repeat, prepend=-1) | np.diff(fold, prepend=-1))
        self._refuse_twice(place, new, order, ids)
        return [
            _split(int(repeat[start]), int(fold[start]), place[start:end], role[start:end])
            for start, end in zip(new, [*new[1:], len(place)], strict=True)
        ]

    def _positions(self, ids: Ids) -> Positions:
        known = pl.DataFrame({"id": ids[:], "place": np.arange(len(ids))}, schema_overrides={"id": pl.String})
        place = self.frame.select("id").join(known, on="id", how="left", maintain_order="left")["place"]
        if place.null_count():
            row = int(place.is_null().arg_max() or 0)
            unknown = self.frame["id"].filter(place.is_null()).unique(maintain_order=True).to_list()
            raise InputError(
                f"{self.where(row)}: {counted(len(unknown), 'id of the splits matches', 'ids of the splits match')} no sample: {first_few(unknown)}."
            )
        return place.to_numpy().astype(np.intp)

    def _refuse_twice(self, place: Positions, new: Positions, order: Positions, ids: Ids) -> None:
        again = np.flatnonzero(np.diff(place, prepend=-1) == 0)
        again = again[~np.isin(again, new)]
        if len(again):
            rows = sorted(int(order[k]) for k in (again[0] - 1, again[0]))
            raise InputError(
                f"{self.where(rows[1])}: {ids[int(place[again[0]])]!r} already has a role in this fold ({self.where(rows[0])}).",
                "give every sample one role per fold; 'proband audit' lists all problems of a split.",
            )


def _in_order(repeat: Positions, fold: Positions, place: Positions) -> bool:
    """Whether rows are sorted by repeat, fold and place, as we write them, and none is there twice."""
    repeats, folds, places = np.diff(repeat), np.diff(fold), np.diff(place)
    return bool(((repeats > 0) | ((repeats == 0) & ((folds > 0) | ((folds == 0) & (places > 0))))).all())


def ids_of(samples: Samples | Collection[str]) -> Ids:
    """The ids of a table of samples, or a list of them."""
    return samples.ids if isinstance(samples, Samples) else Ids(samples, "sample")


def split_frame(samples: Samples | Collection[str], splits: Iterable[Split]) -> pl.DataFrame:
    """Return the long table of splits: every sample in every fold, with its role."""
    ids = ids_of(samples)
    made = list(splits)
    # Where nobody is enrolled the file does not speak of it, and is the same to the byte as ever.
    used = [role for role in ROLES if role != "enrolled" or any(split.enrolled is not None for split in made)]
    roles = np.full((len(made), len(ids)), used.index("unused"), np.uint8)
    for row, split in zip(roles, made, strict=True):
        for code, role in enumerate(used[:-1]):
            chosen = getattr(split, role)
            if chosen is not None:
                row[chosen] = code
    names = pl.Series(ids[:], dtype=pl.String)
    return pl.DataFrame(
        {
            "id": names[np.tile(np.arange(len(ids)), len(made))],
            "repeat": np.repeat(np.array([split.repeat for split in made], np.int64), len(ids)),
            "fold": np.repeat(np.array([split.fold for split in made], np.int64), len(ids)),
            "role": pl.Series(used, dtype=pl.Enum(used))[roles.ravel()],
        }
    )


def write_splits(path: str | Path, samples: Samples | Collection[str], splits: Iterable[Split]) -> None:
    """Write splits to ``.csv``, ``.tsv`` or ``.parquet``, or into a folder of lists if the name has no extension.

    The table has a row for every sample in every fold: id, repeat, fold and role. The folder has
    ``train.txt``, ``test.txt``, … in ``fold_1``, ``fold_2``, … of ``repeat_1``, ``repeat_2``, …; levels with
    only one folder are omitted. The file or folder is written completely or not at all.
    """
    path = Path(path)
    ending = path.suffix.lower()
    if ending not in ("", ".parquet", *SEPARATORS):
        raise UsageError(
            f"Splits cannot be written to {path.name}.",
            "use .csv, .tsv or .parquet, or a folder (a name without an extension).",
            file=Said(path.name),
        )
    check = None if ending else partial(_require_empty, path)
    if check is not None:
        check()
    frame = split_frame(samples, splits)
    with writing(path), written_whole(path, check=check) as draft:
        if ending == ".parquet":
            frame.write_parquet(draft)
        elif ending:
            frame.write_csv(draft, separator=SEPARATORS[ending])
        else:
            _write_folder(draft, frame)


def _require_empty(path: Path) -> None:
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise InputError(f"{path} already exists.", "name a new folder.", file=Said(path))


def _write_folder(folder: Path, frame: pl.DataFrame) -> None:
    odd = frame["id"].filter(frame["id"].str.contains(r"[\r\n]|^\s|\s$")).unique()
    if len(odd):
        raise InputError(
            f"Ids with line breaks or leading or trailing blanks cannot be written to lists: {first_few(odd.to_list())}."
        )
    folder.mkdir()
    levels = [name for name in ("repeat", "fold") if frame[name].n_unique() > 1]
    for key, part in frame.partition_by("repeat", "fold", "role", as_dict=True, maintain_order=True).items():
        numbers = dict(zip(("repeat", "fold"), key, strict=False))
        home = folder.joinpath(*(f"{level}_{numbers[level]}" for level in levels))
        home.mkdir(parents=True, exist_ok=True)
        (home / f"{key[2]}{_LIST}").write_text("\n".join([*part["id"], ""]), encoding="utf-8", newline="\n")


def read_splits(path: str | Path) -> SplitTable:
    """Read splits from a table (``.csv``, ``.tsv``, ``.parquet``) or a folder of lists.

    A table needs the columns id and role; repeat and fold are 1 if missing. A folder contains
    ``train.txt``, ``test.txt``, ``validation.txt``, ``enrolled.txt``, ``unused.txt`` (ids, one per line), or
    such folders named
    ``fold_1``, … or ``repeat_1``, … .
    """
    path = Path(path)
    return _read_folder(path) if path.is_dir() else _read_table(path)


def _read_table(path: Path) -> SplitTable:
    where = partial(_place_in_table, path)
    separator = SEPARATORS.get(path.suffix.lower())
    with reading(path, "a table of splits"):
        if separator is not None and path.is_file():
            # Splits are long: looking for the types of columns that are known would take most of the time.
            raw = without_blank_rows(read_texts(path, separator))
            for note in unfinished(path):
                _LOG.warning("%s", note)
        else:
            raw = read_frame(path)
        absent = [name for name in ("id", "role") if name not in raw.columns]
        if absent:
            raise InputError(
                f"{path.name} has no column {first_few(absent)}; it has {first_few(raw.columns, 8)}.",
                "a table of splits has the columns id, repeat, fold and role.",
                file=Said(path.name),
            )
        if raw.height == 0:
            raise InputError(f"{path.name} has no rows.", file=Said(path.name))
        assumed = tuple(name for name in COLUMNS if name not in raw.columns)
        with naming(file=Said(path.name)):
            return SplitTable(_checked(raw, where), path.name, where, assumed)


def _checked(raw: pl.DataFrame, where: Callable[[int], str]) -> pl.DataFrame:
    """The four columns in their types; the first value that is of no use is named with its place."""
    given = raw.select(pl.col(name) if name in raw.columns else pl.lit(1).alias(name) for name in COLUMNS)
    frame = given.with_columns(
        pl.col("id").cast(pl.String),
        pl.col("repeat", "fold").cast(pl.Int64, strict=False),
        pl.col("role").cast(pl.String).cast(_ROLE, strict=False),
    ).with_columns(pl.when(pl.col(name) >= 0).then(pl.col(name)) for name in ("repeat", "fold"))
    number = "a whole number of at least 0"
    for name, wanted in (("id", "an id"), ("repeat", number), ("fold", number), ("role", " or ".join(ROLES))):
        if frame[name].null_count():
            row = int(frame[name].is_null().arg_max() or 0)
            raise InputError(f"{where(row)}: the {name} must be {wanted}, got {given[name][row]!r}.")
    return frame


def _place_in_table(path: Path, row: int) -> str:
    """The line of a row, found by reading again: blank lines are no rows, and only messages need to know."""
    if path.suffix.lower() not in SEPARATORS:
        return f"{path.name}, row {row + 1}"
    with opened(path) as file:
        filled = (number for number, line in enumerate(file, start=1) if line.strip(b" \t\r\n,"))
        return f"{path.name}, line {next(itertools.islice(filled, row + 1, None), row + 2)}"


def _read_folder(path: Path) -> SplitTable:
    frames, places = [], []
    for (repeat, fold), home in sorted(_homes(path).items()):
        for role in ROLES:
            file = home / f"{role}{_LIST}"
            if not file.is_file():
                continue
            with reading(file, "a list of ids"):
                lines = pl.Series("id", text_of(file, "utf-8-sig").splitlines(), dtype=pl.String)
            listed = pl.DataFrame(
                {"id": lines.str.strip_chars(), "line": np.arange(1, len(lines) + 1)}
            ).filter(pl.col("id") != "")
            numbers: dict[str, Any] = {"repeat": repeat, "fold": fold}
            frames.append(
                listed.select(
                    "id",
                    *(pl.lit(number, pl.Int64).alias(name) for name, number in numbers.items()),
                    pl.lit(role).cast(_ROLE).alias("role"),
                )
            )
            name = file.relative_to(path.parent).as_posix()
            places.append(listed.select(pl.lit(name).alias("file"), "line"))
    frame = pl.concat(frames)
    if frame.height == 0:
        raise InputError(f"The lists in {path} contain no ids.", file=Said(path))
    lines_of = pl.concat(places)
    return SplitTable(frame, path.name, lambda row: "{}, line {}".format(*lines_of.row(row)))


def _homes(path: Path) -> dict[tuple[int, int], Path]:
    """Find the folder of each repeat and fold."""
    homes: dict[tuple[int, int], Path] = {}
    for repeat, outer in _numbered(path, "repeat").items():
        for fold, inner in _numbered(outer, "fold").items():
            absent = [role for role in ("train", "test") if not (inner / f"{role}{_LIST}").is_file()]
            if absent:
                raise InputError(
                    f"{inner} has no {absent[0]}{_LIST}.",
                    f"a folder of splits contains train{_LIST} and test{_LIST}, or folders fold_1, fold_2, … that contain them.",
                )
            homes[repeat, fold] = inner
    return homes


def _numbered(path: Path, level: str) -> dict[int, Path]:
    found = {}
    for entry in path.iterdir():
        number = entry.name.removeprefix(f"{level}_")
        if entry.is_dir() and entry.name != number and number.isdecimal():
            if int(number) in found:
                raise InputError(f"{path} has two folders for {level} {int(number)}.", file=Said(path))
            found[int(number)] = entry
    return found or {1: path}


def _split(repeat: int, fold: int, place: Positions, role: npt.NDArray[Any]) -> Split:
    parts = {name: place[role == code] for code, name in enumerate(ROLES[:-1])}
    optional = {name: parts[name] if len(parts[name]) else None for name in ("validation", "enrolled")}
    return Split(repeat, fold, parts["train"], parts["test"], **optional)
