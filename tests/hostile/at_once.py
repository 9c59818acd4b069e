"""Writing jobs in several processes at once, some of them killed: one result is there in the end, whole, and nothing else.

Run as a program of its own: ``python -m tests.hostile.at_once FOLDER TIMES JOB…``. Every job prints how often each end was met.
"""

from __future__ import annotations

import gc
import os
import random
import shutil
import signal
import sys
import time
import traceback
from collections import Counter
from functools import partial
from pathlib import Path

from numba.core.registry import cpu_target
from tests.hostile.operations import JOBS, Job, forked, listed

import proband.engine.files.placing as placing
from proband.engine.files.files import written_whole
from proband.errors import InputError

PROCESSES = 4
REFUSED = 7


def started(job: Job, folder: Path, version: int, gate: tuple[int, int]) -> int:
    """A child that waits until nobody holds the gate any more, and then does the job."""
    child = os.fork()
    if child:
        return child
    code = 0
    try:
        os.close(gate[1])
        os.read(gate[0], 1)
        job.write(folder, version)
    except InputError as error:
        code = REFUSED  # what was there first is left alone
        if job.replaces:
            print(error, file=sys.stderr)  # noqa: T201
    except BaseException:
        traceback.print_exc()
        code = 1
    os._exit(code)


def raced(job: Job, folder: Path, rng: random.Random) -> list[int]:
    """Let several children do a job at once, and kill one of them every other time; return how each ended."""
    gate = os.pipe()
    children = [started(job, folder, k % 2, gate) for k in range(PROCESSES)]
    for end in gate:
        os.close(end)
    if rng.random() < 0.5:
        time.sleep(rng.uniform(0, 0.02))
        os.kill(children[0], signal.SIGKILL)
    return [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]


def tried(job: Job, home: Path, times: int, rng: random.Random) -> Counter[int]:
    """Race again and again, from nothing and over an earlier result; all in children, since threads do not survive a fork."""
    alone = [home / f"alone-{version}" for version in (0, 1)]
    for version, folder in enumerate(alone):
        folder.mkdir(parents=True)
        assert forked(partial(begun, job, folder, version)) == 0
    ends: Counter[int] = Counter()
    for number in range(times):
        folder = home / str(number)
        folder.mkdir()
        earlier = 0 if number % 2 and job.replaces else None
        assert forked(partial(begun, job, folder, earlier)) == 0
        codes = raced(job, folder, rng)
        ends.update(codes)
        assert set(codes) <= {0, -signal.SIGKILL, *(() if job.replaces else (REFUSED,))}, codes
        assert forked(partial(checked, job, folder, alone, 0 in codes)) == 0
        shutil.rmtree(folder)
    return ends


def begun(job: Job, folder: Path, version: int | None) -> None:
    job.prepare(folder)
    if version is not None:
        job.write(folder, version)


def checked(job: Job, folder: Path, alone: list[Path], is_done: bool) -> None:
    """One of the results is there and nothing else, after whoever comes next has cleared up after those that were killed."""
    if is_done:
        clear_up(job, folder)
    else:
        job.again(folder)
    found = job.state(folder), listed(folder)
    assert found in [(job.state(one), listed(one)) for one in alone], sorted(listed(folder))


def clear_up(job: Job, folder: Path) -> None:
    for target in job.targets:
        with written_whole((folder / target).with_name("another")) as draft:
            draft.touch()
        (folder / target).with_name("another").unlink()


if __name__ == "__main__":
    os.fsync = lambda number: None
    placing.sync_file_system = lambda path: True
    cpu_target.typing_context.refresh()
    cpu_target.target_context.refresh()
    gc.freeze()
    for name in sys.argv[3:]:
        ends = tried(JOBS[name], Path(sys.argv[1]) / name, int(sys.argv[2]), random.Random(name))
        print(f"{name}: {dict(ends)}", flush=True)  # noqa: T201
