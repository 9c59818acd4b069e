"""Images that carry only their pixels: one size, no metadata, no compression."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence

import numpy as np

from proband.algorithms.pictures.pictures import Grey, Pictures, reason
from proband.engine import Progress
from proband.errors import InputError, ProbandError
from proband.words import count

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_GREY_OF_8_BITS = bytes([8, 0, 0, 0, 0])  # depth, colour, compression, filter, no interlacing


def measured(pictures: Pictures, ids: Sequence[str], progress: Progress) -> dict[str, tuple[int, int]]:
    """Read every image once and return its height and width; refuse unreadable images."""
    progress.begin("measuring pictures", len(ids))
    sizes: dict[str, tuple[int, int]] = {}
    failures: list[tuple[str, str]] = []
    for name in ids:
        try:
            height, width = pictures.load(name).shape
            sizes[name] = int(height), int(width)
        except ProbandError as error:
            failures.append((name, reason(error)))
        progress.advance(1)
    if failures:
        name, why = failures[0]
        raise InputError(
            f"{count(len(failures))} of {count(len(ids))} images cannot be read; the first is {name!r}: {why}.",
            "fix them, or leave these samples out of the target and query sets.",
        )
    return sizes


def padded(picture: Grey, size: tuple[int, int]) -> Grey:
    """Pad the image to the size by repeating the last column and row; coordinates do not change."""
    height, width = picture.shape
    return np.pad(picture, ((0, size[0] - height), (0, size[1] - width)), mode="edge")


def as_png(picture: Grey) -> bytes:
    """Encode a grey image as PNG with only uncompressed pixels.

    All images of one shape take the same number of bytes, so the size of a file does not reveal its content.
    """
    height, width = picture.shape
    rows = np.zeros((height, width + 1), dtype=np.uint8)  # each row begins with its filter: none
    rows[:, 1:] = picture
    header = struct.pack(">II", width, height) + _GREY_OF_8_BITS
    stored = zlib.compress(rows.tobytes(), level=0)
    return _SIGNATURE + _chunk(b"IHDR", header) + _chunk(b"IDAT", stored) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, content: bytes) -> bytes:
    checksum = zlib.crc32(kind + content)
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", checksum)
