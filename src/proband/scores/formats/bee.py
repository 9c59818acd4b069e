"""NIST's Biometric Evaluation Environment: ``.mtx`` similarity or distance matrices, ``.mask`` files, signature sets.

Existing files deviate from the specification: masks labelled as similarities, an extra integer before the
byte-order mark, both byte orders. The byte-order mark is therefore read from the end of its line, and a mask
is recognised by its cell type.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from proband.engine.files.documents import read_xml
from proband.engine.files.files import content_of, opened, reading, written_together
from proband.engine.files.shards import Translated, has_read
from proband.errors import Hint, InputError, Said
from proband.kernels.codes import DONT_CARE, FAILED, OK
from proband.samples import Ids, Samples
from proband.samples.ids import Positions
from proband.scores.base import Cells, Orientation, Scores
from proband.scores.formats.contents import Format, ReadOptions, ScoreFile, row_blocks
from proband.words import Note, Sentence, count

MASK_BESIDE = Sentence("scores.mask-beside", "note", "mated pairs are read from {file}, next to it")
POSITIONS_AS_IDS = Sentence(
    "scores.positions-as-ids", "note", "the file has no ids; positions are used instead: query:1, target:1, …"
)
EXCLUDED_CELLS = Sentence(
    "scores.excluded-cells", "note", "{n:count don't-care cell is/don't-care cells are} excluded"
)


_MAGIC = 0x12345678
_ORIENTATIONS: dict[str, Orientation] = {"S2": "similarity", "D2": "distance"}
MATCH, NON_MATCH, IGNORE = 0xFF, 0x7F, 0x00
_MEANING = np.where(np.arange(256) == IGNORE, DONT_CARE, OK).astype(np.uint8)
_CELLS_AT_ONCE = 1 << 22
_HEADER_LIMIT = 1 << 14
_ROWS_AT_ONCE_CELLS = 1 << 22


@dataclass(frozen=True)
class _Header:
    kind: str
    target_set: str
    query_set: str
    dtype: np.dtype[np.generic]
    shape: tuple[int, int]
    offset: int


def _recognises(path: Path, head: bytes) -> bool:
    lines = head.split(b"\n", 3)
    return len(lines) == 4 and lines[0].strip() in (b"S2", b"D2", b"M2") and lines[3][:2] in (b"MF", b"MB")


def _read_header(path: Path) -> _Header:
    """Read the four header lines and check them against the file size."""
    with opened(path) as file:
        head = file.read(_HEADER_LIMIT)
    lines = head.split(b"\n", 3)
    if len(lines) < 4 or lines[3][:2] not in (b"MF", b"MB") or lines[0].strip() not in (b"S2", b"D2", b"M2"):
        raise InputError(
            f"{path.name} is not a BEE matrix: its header is not that of a BEE matrix.", file=Said(path.name)
        )
    names = [line.decode("utf-8", "replace").strip() for line in lines[:3]]
    # The magic number may itself contain the byte of a line break, so it is searched for, in either order.
    for order in ("<", ">"):
        magic = np.array(_MAGIC, dtype=f"{order}u4").tobytes() + b"\n"
        end = lines[3].find(magic, 0, 256)
        if end >= 0:
            break
    else:
        raise InputError("the byte-order mark 0x12345678 is missing from the fourth line.", file=path.name)
    fields = lines[3][:end].split()
    try:
        n_queries, n_targets = int(fields[1]), int(fields[2])
    except (ValueError, IndexError):
        raise InputError(
            "the fourth line does not state the numbers of queries and targets.", file=path.name
        ) from None
    dtype = np.dtype(f"{order}f4") if fields[0] == b"MF" else np.dtype("u1")
    offset = len(head) - len(lines[3]) + end + 5
    body = path.stat().st_size - offset
    if n_queries < 1 or n_targets < 1 or n_queries * n_targets * dtype.itemsize != body:
        raise InputError(
            f"{path.name} claims {count(n_queries)} × {count(n_targets)} cells of {dtype.itemsize} bytes, "
            f"but {count(body)} bytes follow its header.",
            file=Said(path.name),
        )
    return _Header(names[0], names[1], names[2], dtype, (n_queries, n_targets), offset)


def _read(path: Path, options: ReadOptions) -> ScoreFile:
    header = _read_header(path)
    if header.dtype.itemsize == 1:
        raise InputError(
            f"{path.name} is a mask: it marks mated pairs and contains no scores.",
            Hint("evaluate the .mtx file and pass this file as {option:mask}"),
            file=Said(path.name),
        )
    values = np.memmap(path, dtype=header.dtype, mode="r", offset=header.offset, shape=header.shape)
    mask, notes = options.mask, list[Note]()
    if mask is None and path.with_suffix(".mask").exists():
        mask = path.with_suffix(".mask")
        notes.append(MASK_BESIDE(file=mask.name))
    queries, query_subjects = _axis(path, header.query_set, header.shape[0], "query")
    targets, target_subjects = _axis(path, header.target_set, header.shape[1], "target")
    if query_subjects is None:  # there is no signature set, which would name both
        notes.append(POSITIONS_AS_IDS())
    subjects, cells = None, None
    if mask is not None:
        query_subjects, target_subjects, cells, excluded = _subjects_of_mask(mask, header.shape)
        if excluded:
            notes.append(EXCLUDED_CELLS(n=excluded))
    if query_subjects is not None and target_subjects is not None:
        subjects = _samples(queries, targets, query_subjects, target_subjects)
    return ScoreFile(
        "bee",
        {path.stem: values},
        Ids(queries, "query"),
        Ids(targets, "target"),
        subjects,
        _ORIENTATIONS.get(header.kind),
        cells,
        notes=tuple(notes),
    )


def _samples(
    queries: list[str], targets: list[str], query_subjects: list[str], target_subjects: list[str]
) -> Samples:
    subject_of = dict(zip(queries, query_subjects, strict=True))
    for name, subject in zip(targets, target_subjects, strict=True):
        if subject_of.setdefault(name, subject) != subject:
            raise InputError(f"The id {name!r} has different subjects as a query and as a target.")
    return Samples({"id": list(subject_of), "subject": list(subject_of.values())})


def _subjects_of_mask(
    path: Path, shape: tuple[int, int]
) -> tuple[list[str], list[str], Translated | None, int]:
    """Infer people from matching pairs, as the connected components of matches.

    Raises an error if a pair in one component is marked as a non-match.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    with reading(path, "a mask"):
        mask = _mapped_mask(path, shape)
        found = [(rows, np.nonzero(block == MATCH)) for rows, block in _blocks_of(mask)]
    places = np.concatenate([left + rows[0] for rows, (left, _) in found])
    columns = np.concatenate([right for _, (_, right) in found])
    n = sum(shape)
    graph = coo_array((np.ones(len(places), dtype=np.int8), (places, columns + shape[0])), shape=(n, n))
    _, labels = connected_components(graph, directed=False)
    _require_people(mask, labels, path.name)
    names = [f"subject:{label + 1}" for label in labels]
    excluded = sum(int((block == IGNORE).sum()) for _, block in _blocks_of(mask))
    return names[: shape[0]], names[shape[0] :], Translated(mask, _MEANING) if excluded else None, excluded


def _require_people(mask: Cells, labels: npt.NDArray[np.integer[Any]], name: str) -> None:
    n_wrong, first = 0, (0, 0)
    for rows, block in _blocks_of(mask):
        same = labels[rows][:, None] == labels[None, len(mask) :]
        wrong = np.argwhere(same & (block == NON_MATCH))
        if len(wrong) and not n_wrong:
            first = int(rows[0] + wrong[0][0]), int(wrong[0][1])
        n_wrong += len(wrong)
    if n_wrong:
        raise InputError(
            f"query {first[0] + 1} and target {first[1] + 1} are the same person according to other matches, "
            f"but marked as a non-match ({count(n_wrong)} such cells): the mask contradicts itself.",
            "pass a samples table with subjects instead.",
            file=name,
        )


def _blocks_of(mask: Cells) -> Iterator[tuple[Positions, Cells]]:
    """Iterate over blocks of rows of a mapped mask, which may be larger than memory."""
    for rows in row_blocks(mask.shape, _CELLS_AT_ONCE):
        has_read(mask, len(rows) * mask.shape[1])
        yield rows, mask[rows[0] : rows[-1] + 1]


def _mapped_mask(path: Path, shape: tuple[int, int]) -> Cells:
    header = _read_header(path)
    if header.dtype.itemsize != 1 or header.shape != shape:
        raise InputError(
            f"{path.name} is {header.shape[0]} × {header.shape[1]} of {header.dtype}; "
            f"the mask of this matrix must be {shape[0]} × {shape[1]} bytes.",
            file=Said(path.name),
        )
    mask: Cells = np.memmap(path, np.uint8, "r", header.offset, shape)
    for _, block in _blocks_of(mask):
        strange = np.setdiff1d(np.unique(block), [MATCH, NON_MATCH, IGNORE])
        if strange.size:
            raise InputError(
                f"{path.name} has cells of value {strange[0]:#04x}; expected 0xff, 0x7f or 0x00.",
                file=Said(path.name),
            )
    return mask


def _axis(path: Path, set_name: str, n: int, role: str) -> tuple[list[str], list[str] | None]:
    """Ids and subjects from the signature set named in the header, if it is next to the matrix."""
    beside = _set_beside(path, set_name)
    if beside is None:
        return [f"{role}:{place + 1}" for place in range(n)], None
    names, subjects = read_signature_set(beside)
    if len(names) != n:
        raise InputError(
            f"{beside.name} lists {count(len(names))} signatures, but {path.name} has {count(n)} on its {role} axis.",
            file=Said(beside.name),
        )
    return names, subjects


def _set_beside(path: Path, set_name: str) -> Path | None:
    """The path of the named signature set in the directory of the matrix, if it exists; no other is searched."""
    try:
        beside = path.with_name(Path(set_name).name)
        return beside if beside.suffix.lower() == ".xml" and beside.is_file() else None
    except (OSError, ValueError):  # a name that no file can have
        return None


def read_signature_set(path: Path) -> tuple[list[str], list[str]]:
    """Read a signature set: the id (presentation name) and the subject of each signature.

    Both the plain and the nested form are supported. Document types and entities are refused.
    """
    names: list[str] = []
    subjects: list[str] = []
    current: list[str | None] = []

    def start(tag: str, attributes: dict[str, str]) -> None:
        tag = tag.rpartition(":")[2]
        if tag in ("biometric-signature", "complex-biometric-signature"):
            current.append(attributes.get("name"))
        elif tag in ("presentation", "complex-presentation") and current and current[-1] is not None:
            names.append(attributes.get("name") or attributes.get("file-name") or "")
            subjects.append(current[-1])
            current[-1] = None  # one row per signature, named by its first presentation

    def end(tag: str) -> None:
        if tag.rpartition(":")[2] in ("biometric-signature", "complex-biometric-signature"):
            current.pop()

    with reading(path, "a signature set"):
        read_xml(content_of(path), path.name, "a valid signature set", start, end)
    return names, subjects


def _write(path: Path, scores: Scores, samples: Samples | None) -> None:
    """Write the matrix and, with a samples table, the mask; an old mask is not left behind."""
    mask_path = path.with_suffix(".mask")
    if path == mask_path:
        raise InputError(
            f"{path.name} has the extension of a mask, not of a matrix.",
            "use the extension .mtx.",
            file=Said(path.name),
        )
    if samples is None and mask_path.exists():
        raise InputError(
            f"{mask_path.name} is next to {path.name} and would be read as the mask of the new matrix.",
            Hint(
                "pass a samples table ({option:samples}) to write a new mask, choose another file name, or move the mask away."
            ),
            file=Said(mask_path.name),
        )
    columns = np.arange(scores.shape[1])
    with written_together(path, *(() if samples is None else (mask_path,))) as drafts:
        with drafts[0].open("wb") as file:
            file.write(_head(path, "S2" if scores.larger_is_closer else "D2", "MF", scores.shape))
            for rows in row_blocks(scores.shape, _ROWS_AT_ONCE_CELLS):
                _refuse_lost(scores.cells(rows, columns), has_mask=samples is not None)
                file.write(_singles(scores.tile(rows, columns)))
        if samples is None:
            return
        query_codes = samples.codes[samples.ids.positions(scores.queries)]
        target_codes = samples.codes[samples.ids.positions(scores.targets)]
        self_targets = np.array([scores.targets.place(name) for name in scores.queries])
        with drafts[1].open("wb") as file:
            file.write(_head(path, "M2", "MB", scores.shape))
            for rows in row_blocks(scores.shape, _ROWS_AT_ONCE_CELLS):
                mated = query_codes[rows, None] == target_codes[None, :]
                mask = np.where(mated, MATCH, NON_MATCH).astype(np.uint8)
                cells = scores.cells(rows, columns)
                if cells is not None:
                    mask[cells == DONT_CARE] = IGNORE
                # The format has no ids: without this, a sample would match itself.
                mask[self_targets[rows, None] == columns[None, :]] = IGNORE
                file.write(mask.tobytes())


def _head(path: Path, kind: str, cell: str, shape: tuple[int, int]) -> bytes:
    stem = " ".join(path.stem.split())  # one name per line
    text = f"{kind}\n{stem}-target.xml\n{stem}-query.xml\n{cell} {shape[0]} {shape[1]} "
    return text.encode() + _MAGIC.to_bytes(4, sys.byteorder) + b"\n"


def _singles(tile: npt.NDArray[np.floating]) -> bytes:
    with np.errstate(over="ignore"):
        single = tile.astype(np.float32)
    if not np.isfinite(single).all():
        raise InputError(
            "A score is too large for the single precision of a BEE matrix.",
            "rescale the scores, or write .npz.",
        )
    return single.tobytes()


def _refuse_lost(cells: Cells | None, has_mask: bool) -> None:
    """Refuse cells that the files cannot represent, which would be read back as scores."""
    if cells is None:
        return
    if (cells == FAILED).any():
        raise InputError("A BEE matrix cannot store failed comparisons.", "write .npz instead.")
    if not has_mask and (cells == DONT_CARE).any():
        raise InputError(
            "Don't-care cells are stored in the mask of a BEE matrix, which requires a samples table.",
            Hint("pass one ({option:samples}), or write .npz instead."),
        )


FORMATS = (
    Format(
        "bee",
        "BEE similarity or distance matrix (.mtx)",
        (".mtx",),
        _recognises,
        _read,
        _write,
        takes_mask=True,
    ),
)
