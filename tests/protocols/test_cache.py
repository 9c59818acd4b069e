"""Finished splits are kept, found again, and never taken for others."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from proband.protocols.running.cache import Journal
from proband.protocols.splits.splits import Split


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
    journal.keep(split(2), np.array([1, 1]))
    journal.path.write_bytes(journal.path.read_bytes()[:-cut])
    after = Journal(tmp_path, {})
    assert after.find(split(1)).tolist() == [4, 2]
    assert after.find(split(2)) is None
    after.keep(split(3), np.array([0, 0]))
    assert Journal(tmp_path, {}).find(split(3)).tolist() == [0, 0]
    assert Journal(tmp_path, {}).find(split(1)).tolist() == [4, 2]


def test_no_changed_byte_is_believed_and_each_is_said(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    said = {1: [4, 2], 2: [1, 1]}
    journal = Journal(tmp_path, {"seed": 1})
    for fold, codes in said.items():
        journal.keep(split(fold), np.array(codes))
    whole = journal.path.read_bytes()
    for place in range(len(whole)):
        journal.path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        caplog.clear()
        after = Journal(tmp_path, {"seed": 1})
        found = {fold: after.find(split(fold)) for fold in said}
        assert any(codes is None for codes in found.values())
        assert all(codes is None or codes.tolist() == said[fold] for fold, codes in found.items())
        assert "recomputed" in caplog.text
        for fold, codes in found.items():
            if codes is None:
                after.keep(split(fold), np.array(said[fold]))
        caplog.clear()
        assert len(Journal(tmp_path, {"seed": 1})) == 2
        assert not caplog.text


def test_lines_of_another_journal_are_not_believed(tmp_path: Path) -> None:
    one, other = (Journal(tmp_path, {"seed": seed}) for seed in (1, 2))
    one.keep(split(), np.array([4, 2]))
    other.keep(split(), np.array([0, 0]))
    other.path.replace(one.path)
    assert Journal(tmp_path, {"seed": 1}).find(split()) is None


def test_nonsense_is_passed_over(tmp_path: Path) -> None:
    journal = Journal(tmp_path, {})
    journal.path.write_bytes(b'\xff\xfe\n{"a": 1}\n[1, 1, 2]\n[1, 1, 0, ["x"]]\n17\n\n')
    assert Journal(tmp_path, {}).find(split()) is None
