"""Finished splits are kept, found again, and never taken for others."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from proband.protocols.cache import Journal
from proband.protocols.splits import Split


def split(fold: int = 1, shift: int = 0) -> Split:
    return Split(1, fold, np.arange(3) + shift, np.arange(3, 5))


def test_what_is_kept_is_found_by_the_next_run(tmp_path: Path) -> None:
    first = Journal(tmp_path / "new" / "cache", {"seed": 1})
    assert first.find(split()) is None
    first.keep(split(), np.array([4, 2]))
    again = Journal(tmp_path / "new" / "cache", {"seed": 1})
    assert again.find(split()).tolist() == [4, 2]
    assert again.find(split(2)) is None
    assert len(again) == 1


def test_other_settings_and_other_splits_find_nothing(tmp_path: Path) -> None:
    Journal(tmp_path, {"seed": 1}).keep(split(), np.array([4, 2]))
    assert Journal(tmp_path, {"seed": 2}).find(split()) is None
    assert Journal(tmp_path, {"seed": 1}).find(split(shift=1)) is None


@pytest.mark.parametrize("cut", range(1, 25))
def test_a_line_that_was_cut_off_counts_for_nothing(tmp_path: Path, cut: int) -> None:
    journal = Journal(tmp_path, {})
    journal.keep(split(1), np.array([4, 2]))
    whole = journal.path.read_bytes()
    journal.keep(split(2), np.array([1, 1]))
    journal.path.write_bytes(journal.path.read_bytes()[:-cut])
    after = Journal(tmp_path, {})
    assert after.find(split(1)).tolist() == [4, 2]
    # Without its line break alone, a line is whole.
    assert (after.find(split(2)) is None) == (cut > 1 or len(journal.path.read_bytes()) <= len(whole))
    after.keep(split(3), np.array([0, 0]))
    assert Journal(tmp_path, {}).find(split(3)).tolist() == [0, 0]
    assert Journal(tmp_path, {}).find(split(1)).tolist() == [4, 2]


def test_nonsense_is_passed_over(tmp_path: Path) -> None:
    journal = Journal(tmp_path, {})
    journal.path.write_bytes(b'\xff\xfe\n{"a": 1}\n[1, 1, 2]\n[1, 1, 0, ["x"]]\n17\n')
    assert Journal(tmp_path, {}).find(split()) is None
