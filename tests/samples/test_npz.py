"""Archives of strangers: no more is unpacked than fits, and no text is taken that is none."""

from __future__ import annotations

import io
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

from proband.engine.files.memory import available_memory
from proband.errors import InputError
from proband.samples import Samples
from proband.samples.npz import Archive


@pytest.mark.parametrize("number", [0x110000, 0xFFFFFFFF, 0xD800, 0xDFFF])
@pytest.mark.parametrize("order", ["<", ">"])
def test_numbers_that_are_no_characters_are_refused(tmp_path: Path, number: int, order: str) -> None:
    path = tmp_path / "table.npz"
    texts = np.array([65, 0, number, 66], dtype=f"{order}u4").view(f"{order}U2")
    np.savez(path, id=texts, subject=np.array(["a", "b"]))
    with pytest.raises(InputError, match=r"table\.npz: the array 'id' is not valid text"):
        Archive(path)["id"]
    with pytest.raises(InputError, match=r"table\.npz"):
        Samples.read(path)


def test_all_characters_are_taken(tmp_path: Path) -> None:
    path = tmp_path / "table.npz"
    texts = np.array(["", "ü", "\U0010ffff", "\ud7ff\ue000"])
    np.savez(
        path, little=texts.astype("<U2"), big=texts.astype(">U2"), square=texts.reshape(2, 2), none=texts[:0]
    )
    archive = Archive(path)
    assert (
        archive["little"].tolist()
        == archive["big"].tolist()
        == archive["square"].ravel().tolist()
        == texts.tolist()
    )
    assert archive["none"].size == 0


def test_an_array_that_memory_cannot_hold_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "bomb.npz"
    side = 1 << 25
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        header, {"descr": "|u1", "fortran_order": False, "shape": (side, side)}
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("scores.npy", header.getvalue() + bytes(1 << 20))
        archive.filelist[0].file_size = len(header.getvalue()) + side * side
    with pytest.raises(InputError, match=r"needs 1,048,576\.0 GiB when unpacked"):
        Archive(path)["scores"]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not tell")
def test_the_memory_that_is_free_is_known() -> None:
    free = available_memory()
    assert free is not None
    assert 1 << 20 < free < 1 << 60
