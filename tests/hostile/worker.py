"""A process that carries out jobs, one a line, and answers what became of each: the parent outlives whatever happens here."""

from __future__ import annotations

import hashlib
import json
import os
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import Any

ROOM = 1_500  # megabytes of address space beyond what the process has when it begins
LEAST = (2 << 30) + (64 << 20)  # the program does not start with less


def scores(path: str, samples: str | None, orientation: str | None, **_: Any) -> dict[str, Any]:
    """Read scores; the digest is of everything that an evaluation would use."""
    import numpy as np

    from proband.samples import Samples
    from proband.scores.formats import read_file
    from proband.scores.reading import scores_of

    table = None if samples is None else Samples.read(samples)
    file = read_file(path)
    known = table or file.subjects
    found = scores_of(file, Path(path), known, orientation)
    hashed = hashlib.sha256()
    notes: list[str] = []
    for one in found.values():
        rows, columns = (np.arange(n) for n in one.shape)
        tile = np.ascontiguousarray(one.tile(rows, columns), dtype=np.float64)
        cells = one.cells(rows, columns)
        subjects = None if known is None else [known.subjects[code] for code in known.codes]
        stated = [list(one.queries), list(one.targets), one.orientation, subjects]
        hashed.update(
            tile.tobytes() + (b"" if cells is None else cells.tobytes()) + json.dumps(stated).encode()
        )
        notes += map(str, one.notes)
    return {"digest": hashed.hexdigest(), "notes": sorted(set(notes))}


def samples(path: str, **_: Any) -> dict[str, Any]:
    """Read a table of samples; columns in the order of their names."""
    from proband.study.sources import read_table

    table = read_table(Path(path), "id", "subject", None, None)
    frame = table.frame
    content = json.dumps([[name, list(map(str, frame[name].to_list()))] for name in sorted(frame.columns)])
    return {
        "digest": hashlib.sha256(content.encode()).hexdigest(),
        "notes": list(map(str, getattr(table, "notes", ()))),
    }


def command(argv: list[str], **_: Any) -> dict[str, Any]:
    """Run the program."""
    from proband.cli import main

    os.environ["PROBAND_TRACEBACK"] = "1"  # an error that is not meant for the user is one here
    try:
        main(argv)
    except SystemExit as stop:
        return {"code": stop.code or 0}
    return {"code": 0}


JOBS = {"scores": scores, "samples": samples, "command": command}


def carry_out(job: dict[str, Any]) -> dict[str, Any]:
    """Do one job; errors that are meant for the user have an exit code, others are tracebacks."""
    from proband.errors import ProbandError
    from proband.words import printable

    os.chdir(job["folder"])
    try:
        return {"code": 0, **JOBS[job["kind"]](**job)}
    except ProbandError as error:
        sys.stderr.write(f"{printable(str(error))}\n")  # as the program says it
        return {"code": error.exit_code}
    except BaseException as error:  # whatever it is, it is a finding
        sys.stderr.write(traceback.format_exc())
        return {"code": None, "raised": type(error).__name__}


def peak() -> int:
    """The largest memory so far in megabytes, counted anew from here on."""
    status = Path("/proc/self/status").read_text()
    Path("/proc/self/clear_refs").write_text("5")
    return int(status.split("VmHWM:")[1].split()[0]) // 1024


def bound() -> None:
    """Limit the address space to what is used now and some room."""
    import resource

    size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (max(size + (ROOM << 20), LEAST), resource.RLIM_INFINITY))


def main() -> None:
    """Answer jobs until there are no more."""
    asked, answers = os.fdopen(os.dup(0), "r"), os.fdopen(os.dup(1), "w")
    said = tempfile.TemporaryFile()  # noqa: SIM115  # it lives as long as the process
    for stream in (1, 2):
        os.dup2(said.fileno(), stream)
    bounded = False
    for line in asked:
        job = json.loads(line)
        said.seek(0)
        said.truncate()
        before, start = peak(), time.process_time()
        found = carry_out(job)
        found["seconds"] = time.process_time() - start if bounded else 0
        sys.stdout.flush()
        sys.stderr.flush()
        said.seek(0)
        found["said"] = said.read(200_000).decode(errors="replace")
        found["memory"] = max(0, peak() - before)
        answers.write(json.dumps(found) + "\n")
        answers.flush()
        if not bounded:  # the first job loads what all of them need
            bound()
            bounded = True


if __name__ == "__main__":
    main()
