"""Writing jobs in children that are killed right before their n-th file operation, for every n.

Run as a program of its own: ``python -m tests.hostile.operations FOLDER [--all] JOB…``. Children are forked from a process that has imported
everything and used nothing, since thread pools do not survive a fork.
"""

from __future__ import annotations

import gc
import os
import shutil
import signal
import sys
import traceback
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import numpy.ma
import scipy.sparse.csgraph
import scipy.special  # noqa: F401  both loaded once and not by every child
from numba.core.registry import cpu_target

import proband.engine.files.placing as placing
from proband.blind import BlindTest, Key, Package
from proband.engine.files.files import written_whole
from proband.protocols.running.cache import Journal
from proband.protocols.splits.splits import Split
from proband.report.directory import whole_directory
from proband.report.writer import write_run
from proband.samples import Experiment, Samples
from proband.scores import Scores
from proband.scores.formats import read_file, write_scores
from proband.study.caching import Cache
from proband.study.findings import Findings, Provenance
from proband.study.reading import read_study
from proband.study.run import run

WATCHED = {"os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.chmod", "os.utime", "os.link", "os.symlink"}
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_TRUNC
BYSTANDERS = {"notes.txt": "mine", "other.mask": "mine", ".writing-mine/draft.txt": "mine too"}

Contents = dict[str, bytes]


def contents(path: Path) -> Contents:
    """The bytes of a file, or of all files of a directory."""
    if path.is_file():
        return {path.name: path.read_bytes()}
    return {
        f"{path.name}/{one.relative_to(path)}": one.read_bytes() for one in path.rglob("*") if one.is_file()
    }


class Job:
    """Something that replaces what an earlier run of it made; `version` 0 is the earlier, 1 the later."""

    targets: tuple[str, ...] = ()
    stride = 1  # which operations are tried unless all are
    replaces = True  # what an earlier run made

    def prepare(self, folder: Path) -> None:
        """Put what the job needs."""

    def write(self, folder: Path, version: int) -> None:
        raise NotImplementedError

    def read(self, folder: Path) -> None:
        """Read what is there as a user would; raise if that cannot be."""

    def state(self, folder: Path) -> Contents:
        self.read(folder)
        found: Contents = {}
        for target in self.targets:
            found |= contents(folder / target)
        return found

    def begin(self, folder: Path) -> None:
        self.write(folder, 0)

    def again(self, folder: Path) -> None:
        self.write(folder, 1)


class Convert(Job):
    """Scores and truth that both change, so that a mixture of the two could be told."""

    def __init__(self, form: str, *targets: str) -> None:
        self.form, self.targets = form, targets

    def write(self, folder: Path, version: int) -> None:
        n = 4 + version
        queries, targets = [f"q{k}" for k in range(n)], [f"t{k}" for k in range(n)]
        values = np.arange(n * n, dtype=float).reshape(n, n) + 100 * version
        scores = Scores.from_array(values, queries, targets, orientation="distance")
        people = [f"p{k}" for k in range(n)]
        samples = Samples({"id": queries + targets, "subject": people + people[version:] + people[:version]})
        write_scores(folder / self.targets[0], scores, samples=samples, format=self.form)

    def read(self, folder: Path) -> None:
        assert read_file(folder / self.targets[0], format=self.form) is not None


class FirstConvert(Convert):
    """Where nothing was before."""

    def begin(self, folder: Path) -> None:
        pass

    def read(self, folder: Path) -> None:
        placing.settle(folder / self.targets[0])


class Results(Job):
    targets = ("results",)

    def write(self, folder: Path, version: int) -> None:
        with whole_directory(folder / "results") as draft:
            (draft / "results.json").write_text(f'{{"proband": {version}}}', encoding="utf-8")
            (draft / ("table.csv" if version else "old.csv")).write_text("a,b\n", encoding="utf-8")

    def read(self, folder: Path) -> None:
        assert (folder / "results" / "results.json").is_file()


class ResultsWithoutExchange(Results):
    """Where the system cannot exchange directories: the next run finishes what was begun."""

    def write(self, folder: Path, version: int) -> None:
        placing.exchange = lambda one, other: False
        super().write(folder, version)

    def read(self, folder: Path) -> None:
        placing.settle(folder / "results")
        super().read(folder)


class ResultsSavedInto(Results):
    """Someone saves a file into the directory while it is being replaced: the file is somewhere to be seen, always."""

    def write(self, folder: Path, version: int) -> None:
        with whole_directory(folder / "results") as draft:
            (draft / "results.json").write_text(f'{{"proband": {version}}}', encoding="utf-8")
            if version:
                (folder / "results" / "thesis.tex").write_text("years of work", encoding="utf-8")
                (folder / "saved").touch()

    def state(self, folder: Path) -> Contents:
        with written_whole(folder / "another.txt") as draft:
            draft.write_text("", encoding="utf-8")
        (folder / "another.txt").unlink()
        found = [
            one
            for one in folder.glob("res*/thesis.tex")
            if one.read_text(encoding="utf-8") == "years of work"
        ]
        assert found or not (folder / "saved").exists(), "the user's file is gone"
        return {"results.json": (folder / "results" / "results.json").read_bytes()}

    def again(self, folder: Path) -> None:
        if (folder / "results" / "thesis.tex").exists():
            (folder / "results-mine").mkdir()
            (folder / "results" / "thesis.tex").rename(folder / "results-mine" / "thesis.tex")
        with whole_directory(folder / "results") as draft:
            (draft / "results.json").write_text('{"proband": 1}', encoding="utf-8")


class Evaluation(Job):
    targets = ("evaluation",)

    def write(self, folder: Path, version: int) -> None:
        from proband.analyses.identification.run import Identified
        from proband.inference import evaluate

        n = 6
        ids = [f"{who}-{k}" for k in range(2) for who in range(n)]
        values = np.random.default_rng(version).normal(size=(n, n))
        scores = Scores.from_array(values, ids[n:], ids[:n], orientation="similarity")
        experiment = Experiment(Samples({"id": ids, "subject": list(range(n)) * 2}), ids[:n], ids[n:])
        parts = {"identification": Identified(evaluate([scores], experiment))}
        found = Findings("Evaluation", Provenance("none"), parts)
        write_run(found, folder / "evaluation", ("csv", "png"))


class Study(Job):
    targets = ("run",)
    stride = 19

    def begin(self, folder: Path) -> None:
        n = 8
        people = [f"p{k}" for k in range(n)]
        ids = [f"{p}-{k}" for k in (1, 2) for p in people]
        lines = [f"{name},{name[:2]},{name[3]}" for name in ids]
        (folder / "samples.csv").write_text("\n".join(["id,subject,session", *lines, ""]), encoding="utf-8")
        rng = np.random.default_rng(3)
        values = rng.uniform(0, 0.4, (n, n)) + np.eye(n)
        np.savez(folder / "scores.npz", good=values, query_ids=ids[n:], target_ids=ids[:n])
        super().begin(folder)

    def write(self, folder: Path, version: int) -> None:
        text = (
            '[samples]\nfile = "samples.csv"\n[[scores]]\nfile = "scores.npz"\norientation = "similarity"\n'
            f"[verification]\nfmr = [{0.1 + version / 10}]\nn_resamples = 0\n"
        )
        with written_whole(folder / "study.toml") as draft:
            draft.write_text(text, encoding="utf-8")
        cache = Cache(folder / ".run.cache")
        write_run(run(read_study(folder / "study.toml"), cache=cache), folder / "run", ("csv",), cache)
        cache.finish()

    def read(self, folder: Path) -> None:
        assert (folder / "run" / "results.json").is_file()


class Splits(Job):
    """The predictions of three splits, one line after the other: a prefix of them is there."""

    said = tuple(Split(1, fold, np.arange(4), np.arange(4, 6)) for fold in range(3))

    def begin(self, folder: Path) -> None:
        pass

    def write(self, folder: Path, version: int) -> None:
        journal = Journal(folder / "cache", {"seed": 1})
        for fold, split in enumerate(self.said):
            if journal.find(split) is None:
                journal.keep(split, np.array([fold, 7]))

    def state(self, folder: Path) -> Contents:
        found = [Journal(folder / "cache", {"seed": 1}).find(split) for split in self.said]
        kept = [codes.tolist() for codes in found if codes is not None]
        assert kept == [[fold, 7] for fold in range(len(kept))]
        return {"n": b"0" if len(kept) < len(self.said) else b"3"}


class Blind(Job):
    """A package in one folder and its key in another: both or neither."""

    targets = ("public/test", "private/test.key", "private/test-names.csv")
    stride = 3
    replaces = False

    def begin(self, folder: Path) -> None:
        pass

    def write(self, folder: Path, version: int) -> None:
        ids = [f"s{who}-{k}" for who in range(6) for k in range(2)]
        samples = Samples(
            {"id": ids, "subject": [name[:2] for name in ids], "k": [int(name[3]) for name in ids]}
        )
        test = BlindTest(samples, "k == 0", "k == 1", seed=1)
        test.make(folder / self.targets[0], folder / self.targets[1])

    def state(self, folder: Path) -> Contents:
        package, key = (folder / one for one in self.targets[:2])
        placing.settle(package)
        if package.exists() or key.exists():
            Key.read(key).require(Package.read(package))
        # Salts are drawn anew in every run, so the seals differ; names and lists do not.
        return {
            name: content if name.endswith(".csv") else b"" for name, content in super().state(folder).items()
        }

    def again(self, folder: Path) -> None:
        if (folder / self.targets[0]).exists():  # a second test of that name is refused, one beside it is not
            for one in self.targets[:2]:
                with written_whole((folder / one).with_name("another")) as draft:
                    draft.touch()
        else:
            self.write(folder, 1)


JOBS: dict[str, Job] = {
    "npz": Convert("npz", "out.npz"),
    "npy": Convert("npy", "out.npy", "out.npy.json"),
    "bee": Convert("bee", "out.mtx", "out.mask"),
    "bee, first": FirstConvert("bee", "out.mtx", "out.mask"),
    "csv": Convert("csv-long", "out.csv"),
    "parquet": Convert("parquet-matrix", "out.parquet"),
    "bob": Convert("bob5", "out.txt"),
    "csu": Convert("csu", "out"),
    "results": Results(),
    "results without exchange": ResultsWithoutExchange(),
    "results saved into": ResultsSavedInto(),
    "splits": Splits(),
    "blind": Blind(),
    "evaluation": Evaluation(),
    "study": Study(),
}


def kill_at(folder: Path, n: int) -> None:
    """Have this process killed right before its n-th operation on files of the folder."""
    done = 0

    def one_more() -> None:
        nonlocal done
        done += 1
        if done == n:
            os.kill(os.getpid(), signal.SIGKILL)

    def hear(event: str, arguments: tuple[Any, ...]) -> None:
        is_write = event == "open" and isinstance(arguments[2], int) and arguments[2] & WRITES
        if is_write or event in WATCHED:
            name = arguments[0]
            if isinstance(name, str | bytes | os.PathLike):
                plain = os.fsdecode(name)
                # Names without a folder are relative to an open one: trees are removed that way.
                if plain.startswith(str(folder)) or os.sep not in plain:
                    one_more()

    usual = placing.exchange

    def exchange(one: Path, other: Path) -> bool:  # the only operation that Python's hook does not hear of
        one_more()
        return usual(one, other)

    placing.exchange = exchange
    sys.addaudithook(hear)


def forked(work: Callable[[], None]) -> int:
    """Do some work in a child; return how that ended: 0, or minus the signal, or 1 after an error."""
    child = os.fork()
    if not child:
        try:
            work()
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def prepared(job: Job, folder: Path) -> None:
    for name, text in BYSTANDERS.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    job.begin(folder)


def listed(folder: Path) -> set[str]:
    return {one.relative_to(folder).as_posix() for one in folder.rglob("*")}


def checked(job: Job, folder: Path, old: Path, new: Path) -> None:
    """What a killed run left is whole, nobody else's file is touched, and the next run clears up."""
    assert job.state(folder) in (job.state(old), job.state(new)), "neither old nor new"
    job.again(folder)
    assert job.state(folder) == job.state(new), "the next run did not succeed"
    for name, text in BYSTANDERS.items():
        assert (folder / name).read_text(encoding="utf-8") == text
    left = [name for name in listed(folder) - listed(new) if "writing-" in name or "commit" in name]
    assert not left, f"left behind: {left}"


def killed_everywhere(job: Job, home: Path, stride: int) -> int:
    """Kill a job before its file operations, and check what is left; return how often it was killed."""
    old, new = home / "old", home / "new"
    for folder in (old, new):
        assert forked(lambda folder=folder: prepared(job, folder)) == 0
    assert forked(lambda: job.write(new, 1)) == 0
    before, times = None, 0
    for n in count(1, stride):
        now = home / str(n)
        shutil.copytree(old, now)

        def checked_and_doomed(n: int = n, before: Path | None = before, now: Path = now) -> None:
            if before is not None:
                checked(job, before, old, new)
            kill_at(now, n)
            job.write(now, 1)

        end = forked(checked_and_doomed)
        assert end in (0, -signal.SIGKILL), f"failed, or what a kill left is in {before}"
        before, times = now, times + 1
        if end == 0:
            break
    assert forked(lambda: checked(job, now, old, new)) == 0
    return times - 1


if __name__ == "__main__":
    # What is there after a kill is what the system knows, synced or not: no need to wait for the disk.
    os.fsync = lambda number: None
    placing.sync_file_system = lambda path: True
    # What numba loads when it first runs something.
    cpu_target.typing_context.refresh()
    cpu_target.target_context.refresh()
    gc.freeze()
    every = "--all" in sys.argv
    for name in sys.argv[2 + every :]:
        job = JOBS[name]
        times = killed_everywhere(job, Path(sys.argv[1]) / name, 1 if every else job.stride)
        print(f"{name}: {times}", flush=True)  # noqa: T201
