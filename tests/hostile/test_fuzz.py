"""Damaged files of every format: read, or refused with a word; never a traceback, a signal, a hang or a silent loss.

``PROBAND_FUZZ`` multiplies the number of cases and ``PROBAND_FUZZ_SEED`` chooses others (``make fuzz``).
"""

from __future__ import annotations

import os
import random
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests import examples
from tests.hostile.corpus import CORPUS, Entry
from tests.hostile.mutations import Mutated
from tests.hostile.running import Ended, Worker, worker

TIMES = max(1, examples.TIMES)
SEED = os.environ.get("PROBAND_FUZZ_SEED", "0")

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="memory and limits are read from /proc")


@pytest.fixture(scope="module")
def process() -> Iterator[Worker]:
    with worker() as made:
        yield made


@pytest.mark.parametrize("name", CORPUS)
def test_damage(name: str, tmp_path: Path, process: Worker) -> None:
    entry = CORPUS[name]
    whole = tmp_path / "whole"
    whole.mkdir()
    entry.make(whole)
    good = process.run(entry.kind, whole, **entry.job)
    assert good.fault is None
    assert good.code in (0, 3)
    content = (whole / entry.file).read_bytes()
    faults: dict[str, tuple[Mutated, Ended]] = {}
    rng = random.Random(f"{name} {SEED}")
    rounds = (1 if entry.costly or not examples.TIMES else 2) * TIMES
    mutations = list(entry.mutations)
    if entry.costly and TIMES == 1:
        mutations = rng.sample(mutations, 1)
    for mutation in mutations * rounds:
        made = mutation(content, rng)
        ended = _tried(entry, whole, tmp_path / "case", made, process)
        fault = ended.fault or _unexpected(made, ended, good)
        if fault is not None and fault not in faults:
            faults[f"{made.how}: {fault}"] = made, ended
    assert not faults, _shown(faults)


def _tried(entry: Entry, whole: Path, case: Path, made: Mutated, process: Worker) -> Ended:
    shutil.rmtree(case, ignore_errors=True)
    shutil.copytree(whole, case)
    (case / entry.file).write_bytes(made.content)
    before = sorted(one.relative_to(case).as_posix() for one in case.rglob("*"))
    ended = process.run(entry.kind, case, **entry.job)
    after = sorted(one.relative_to(case).as_posix() for one in case.rglob("*"))
    if ended.code != 0 and before != after:
        return Ended(None, f"refused, but left {sorted(set(after) ^ set(before))}", raised="leftovers")
    return ended


def _unexpected(made: Mutated, ended: Ended, good: Ended) -> str | None:
    """What is wrong with how a file of known damage ended."""
    if made.expected == "refused" and ended.code == 0:
        return "read in silence"
    noted = ended.said != good.said or set(ended.notes) > set(good.notes)
    if made.expected == "said" and ended.code == 0 and not noted:
        return "read without a note"
    if made.expected == "same" and (ended.code, ended.digest) != (good.code, good.digest):
        return "not read as what it is"
    return None


def _shown(faults: dict[str, tuple[Mutated, Ended]]) -> str:
    return "\n".join(
        f"{fault}\n    {made.content[:160]!r} … ({len(made.content):,} bytes)\n    {ended.code} {ended.said[-500:]!r}"
        for fault, (made, ended) in faults.items()
    )
