"""Run the numeric tests as other machines would: other BLAS kernels, older instructions, other numbers of threads.

``python tests/portable.py`` runs every setting, ``--short`` two that join the extremes. Loaded by pytest as a plugin, this module
refuses to start a run whose setting did not take effect. What this CPU or these libraries lack is skipped aloud.
"""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import chdir, redirect_stdout
from dataclasses import asdict, dataclass, replace
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

from proband.engine import default_threads

TESTS = Path(__file__).parent
NUMERIC = (
    "algorithms arrays blind designs faces inference kernels measures property protocols scores statistical"
)
SHORT = (
    "algorithms/test_class_scores.py algorithms/test_distances.py algorithms/test_ica.py algorithms/test_lbp.py "
    "algorithms/test_lda.py algorithms/test_linear.py algorithms/test_running.py algorithms/test_sparse.py "
    "algorithms/test_storage.py kernels measures/test_embedding_ranks.py measures/test_ranks.py "
    "measures/test_verification.py property/test_ranks.py"
)
CHOSEN = "not long and not realdata"
VARIABLE = "PROBAND_SETTING"

# What a CPU must have for OpenBLAS to run its kernels for another.
NEEDS = {"SkylakeX": "AVX512_SKX", "Haswell": "AVX2", "Zen": "AVX2", "Sandybridge": "AVX"}


@dataclass(frozen=True)
class Setting:
    """What one run is made to believe; what is left open is this machine's own."""

    openblas: str = ""
    numpy_without: tuple[str, ...] = ()
    numba: str = ""
    threads: int = 0

    def __str__(self) -> str:
        parts = {
            "OpenBLAS": self.openblas,
            "numpy without": ", ".join(self.numpy_without),
            "numba": self.numba,
            "threads": self.threads,
        }
        return "; ".join(f"{name} {value}" for name, value in parts.items() if value)

    def environment(self) -> dict[str, str]:
        """The variables that bring it about."""
        threads = dict.fromkeys(("PROBAND_THREADS", "OPENBLAS_NUM_THREADS"), str(self.threads or ""))
        wanted = {
            "OPENBLAS_CORETYPE": self.openblas,
            "NPY_DISABLE_CPU_FEATURES": " ".join(self.numpy_without),
            "NUMBA_CPU_NAME": self.numba,
            **threads,
            VARIABLE: json.dumps(asdict(self)),
        }
        return {name: value for name, value in wanted.items() if value}

    def lacking(self) -> str:
        """Why it cannot be tried here, or nothing."""
        feature = NEEDS.get(self.openblas)
        if feature and not __cpu_features__.get(feature):
            return f"this CPU has no {feature}"
        found = {name for name, _ in told("blas", replace(self, threads=0))} if self.openblas else set()
        if self.openblas and not found:
            return "BLAS is not OpenBLAS"
        if self.openblas == "Zen" and found == {"Haswell"}:
            return "this OpenBLAS has no kernels for Zen and runs those for Haswell"
        return ""

    def unmet(self) -> list[str]:
        """What of it does not hold in this process."""
        own = getattr(os, "sched_getaffinity", lambda _: range(os.cpu_count() or 1))  # macOS has none
        most = min(self.threads, len(own(0)))  # OpenBLAS takes no more than there are cores
        complaints = [
            f"OpenBLAS runs {name} on {threads} threads"
            for name, threads in blas()
            if (self.openblas and name != self.openblas) or (most and threads != most)
        ]
        if self.threads and default_threads() != self.threads:
            complaints.append(f"Proband takes {default_threads()} threads")
        complaints += [f"numpy has {one}" for one in self.numpy_without if __cpu_features__[one]]
        if self.numba and numba_target() != (self.numba, ""):
            complaints.append(f"numba compiles for {numba_target()}")
        return complaints


def blas() -> list[tuple[str, int]]:
    """The kernels and threads of each OpenBLAS in this process: numpy's, and scipy's."""
    import scipy.linalg  # noqa: F401 - brings its own
    from threadpoolctl import threadpool_info

    found = [one for one in threadpool_info() if one["internal_api"] == "openblas"]
    return [(one["architecture"], one["num_threads"]) for one in found]


def numba_target() -> tuple[str, str]:
    """The CPU and the features that numba compiles for."""
    from numba.core.registry import cpu_target

    _, name, features = cpu_target.target_context.codegen().magic_tuple()
    return name, features


def every_setting() -> Iterator[Setting]:
    """One thing changed at a time."""
    dispatched = tuple(one for one in __cpu_dispatch__ if __cpu_features__[one])
    for name in NEEDS:
        yield Setting(openblas=name)
    yield Setting(numba="generic")
    newer = tuple(one for one in dispatched if "512" in one or one == "X86_V4")
    for without in dict.fromkeys((newer, dispatched)):
        if without:
            yield Setting(numpy_without=without)
    for threads in (1, 2, 5):
        yield Setting(threads=threads)


def short_settings() -> Iterator[Setting]:
    """All that is old at once on one thread, and the usual server on more threads than there are cores."""
    dispatched = tuple(one for one in __cpu_dispatch__ if __cpu_features__[one])
    yield Setting("Sandybridge", dispatched, "generic", 1)
    yield Setting("Haswell", threads=5)


# The plugin


def pytest_configure() -> None:
    """Refuse to test under another setting than the one that is said."""
    stated = os.environ.get(VARIABLE)
    if stated:
        asked = json.loads(stated)
        complaints = Setting(**{**asked, "numpy_without": tuple(asked["numpy_without"])}).unmet()
        if complaints:
            raise pytest.UsageError(f"The setting {stated} did not take effect: {', '.join(complaints)}.")


# What must be the same


def ranks() -> str:
    """Hash the counts behind the ranks of given scores, which no CPU and no number of threads may change."""
    import proband as pb

    rng, n = np.random.default_rng(0), 60
    who = np.repeat(np.arange(n), 3)
    ids = [f"{person}-{k % 3}" for k, person in enumerate(who)]
    experiment = pb.Experiment(pb.Samples({"id": ids, "subject": who}), gallery="one_per_subject")
    same = who[:, None] == who[None, :]
    values = np.round(rng.normal(size=same.shape) + 2.0 * same, 1)  # rounded: there are ties
    scores = pb.Scores.from_array(values, ids, orientation="similarity", name="given")
    found = pb.measures.CMC()(scores, experiment)
    return hashlib.sha256(np.asarray(found.values).tobytes()).hexdigest()


def directory() -> str:
    """Hash every file of a small demo, from images to the report."""
    from proband.cli import main

    with tempfile.TemporaryDirectory() as place, chdir(place):
        with pytest.raises(SystemExit) as stop, redirect_stdout(StringIO()):
            main(["demo", "--subjects", "16", "--out", "demo"])
        if stop.value.code:
            raise SystemExit("the demo failed")
        digest = hashlib.sha256()
        for path in sorted(one for one in Path("demo").rglob("*") if one.is_file()):
            digest.update(str(path).encode() + path.read_bytes())
        return digest.hexdigest()


QUESTIONS = {"blas": blas, "ranks": ranks, "directory": directory}


def told(question: str, setting: Setting) -> Any:
    """Ask one of the questions in a process of its own, under a setting that is checked there."""
    done = subprocess.run(
        [sys.executable, __file__, question],
        env={**os.environ, **setting.environment()},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


# The driver


def tested(setting: Setting, folders: str) -> bool:
    """Run the tests of `folders` under a setting."""
    words = [
        "-q",
        "-n",
        "auto",
        "--dist",
        "loadfile",
        "-p",
        "portable",
        "-m",
        CHOSEN,
        *(str(TESTS / folder) for folder in folders.split()),
    ]
    path = os.pathsep.join(filter(None, [str(TESTS), os.environ.get("PYTHONPATH")]))
    # A cache of its own shows what was compiled for this run, and keeps this machine's code out of it.
    with tempfile.TemporaryDirectory() as cache:
        own = {"NUMBA_CACHE_DIR": cache} if setting.numba else {}
        variables = {**os.environ, **setting.environment(), **own, "PYTHONPATH": path}
        done = subprocess.run([sys.executable, "-m", "pytest", *words], env=variables, check=False)
        found = compiled_for(Path(cache))
    if setting.numba and found != {(setting.numba, "")}:
        say(f"FAILED: kernels were compiled for {found or 'nothing'}")
        return False
    return done.returncode == 0


def compiled_for(cache: Path) -> set[tuple[str, str]]:
    """The CPUs and features that the kernels of a cache were compiled for."""
    found: set[tuple[str, str]] = set()
    for index in cache.rglob("*.nbi"):
        with index.open("rb") as file:
            pickle.load(file)  # numba's version
            _, overloads = pickle.loads(file.read())
        found |= {(name, features) for _, (_, name, features), _ in overloads}
    return found


def say(text: str) -> None:
    print(text, flush=True)


def main(words: Sequence[str]) -> int:
    """Try every setting; return how many failed."""
    short = "--short" in words
    possible: list[Setting] = []
    for setting in short_settings() if short else every_setting():
        reason = setting.lacking()
        if reason:
            say(f"SKIPPED: {setting}: {reason}")
        else:
            possible.append(setting)
    failed = 0
    own = told("ranks", Setting())
    for setting in possible:
        say(f"== {setting}")
        good = tested(setting, SHORT if short else NUMERIC)
        if told("ranks", setting) != own:
            say("FAILED: the ranks of given scores are others")
            good = False
        failed += not good
    numbers = (1, 5) if short else (1, 2, 5)
    say(f"== the same bytes on {', '.join(map(str, numbers))} threads")
    if len({told("directory", Setting(threads=number)) for number in numbers}) > 1:
        say("FAILED: the files of a demo depend on the number of threads")
        failed += 1
    say(f"{len(possible)} settings tried, {failed} failed")
    return failed


if __name__ == "__main__":
    asked = QUESTIONS.get("".join(sys.argv[1:]))
    if asked:
        if asked is not blas:
            pytest_configure()
        print(json.dumps(asked()))
    else:
        sys.exit(main(sys.argv[1:]) > 0)
