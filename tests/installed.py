"""Try an installed Proband in its own environment, away from the source; or print the lowest versions that it declares.

``python installed.py`` runs the smoke test, with the demo and the extras where their libraries are; ``python installed.py lowest`` prints
constraints for pip.
"""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

HERE = Path(__file__).parent


def lowest() -> str:
    """The lower bounds of pyproject.toml as constraints."""
    whole = tomllib.loads((HERE.parent / "pyproject.toml").read_text(encoding="utf-8"))
    project, extras = whole["project"], whole["project"]["optional-dependencies"]
    wanted = [
        *whole["build-system"]["requires"],
        *project["dependencies"],
        *(one for name in ("images", "onnx", "dlib", "dask", "pandas") for one in extras[name]),
    ]
    return "\n".join("==".join(re.match(r"([\w.-]+)(?:\[\w+\])?>=([\d.]+)", one).groups()) for one in wanted)


def proband(place: Path, *words: str) -> str:
    """Run the program, apart from the source and from the settings of the shell."""
    done = subprocess.run(
        [sys.executable, "-I", "-m", "proband", *words],
        cwd=place,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit(f"proband {' '.join(words)} failed:\n{done.stdout}{done.stderr}")
    print(f"proband {' '.join(words)}: done", flush=True)
    return done.stdout


def smoke(place: Path) -> None:
    """From a file of scores to a report, and from synthetic faces where there are libraries for images."""
    import numpy as np

    rng, people = np.random.default_rng(0), [f"p{k:02d}" for k in range(20)]
    ids = [f"{person}-{image}" for image in (1, 2) for person in people]
    for name, lift in (("good", 3.0), ("poor", 1.0)):
        values = rng.normal(size=(20, 20)) + lift * np.eye(20)
        np.savez(place / f"{name}.npz", **{name: values, "query_ids": ids[20:], "target_ids": ids[:20]})
    rows = [f"{one},{one[:3]},{one[-1]}\n" for one in ids]
    (place / "samples.csv").write_text("id,subject,session\n" + "".join(rows), encoding="utf-8")
    of = ("-s", "samples.csv", "-g", "session == 1", "--orientation", "similarity")
    assert "evaluate" in proband(place, "--help")
    assert "good" in proband(place, "evaluate", "good.npz", *of, "--out", "evaluated")
    proband(place, "compare", "good.npz", "poor.npz", *of)
    proband(place, "verify", "good.npz", "-s", "samples.csv", "--orientation", "similarity", "--fmr", "0.1")
    proband(place, "plan", "--rate", "0.95", "--half-width", "0.01")
    assert "Results of a Proband study" in proband(place, "schema")
    extras(place)
    if all(map(importlib.util.find_spec, ("cv2", "skimage", "sklearn"))):
        proband(place, "demo", "--subjects", "24", "--out", "demo")
        assert (place / "demo" / "report.html").stat().st_size > 10_000


# A model that returns what it is given, of 1 x 1 x 2 x 2 numbers.
IDENTITY = bytes.fromhex(
    "080812003a4f0a100a017812017922084964656e746974791201675a1b0a017812160a14080112100a0208010a0208010a02"
    "08020a020802621b0a017912160a14080112100a0208010a0208010a0208020a02080242040a00100d"
)


def extras(place: Path) -> None:
    """What pandas, Dask, ONNX and dlib add, each where it is there."""
    import numpy as np

    import proband as pb

    if importlib.util.find_spec("pandas"):
        assert not pb.planning.plan_error_rate(0.001).to_pandas().empty
        print("pandas: done", flush=True)
    if importlib.util.find_spec("distributed"):
        from distributed import LocalCluster

        with LocalCluster(
            n_workers=1, processes=False, dashboard_address=None, protocol="tcp", host="127.0.0.1"
        ) as cluster:
            proband(
                place, "verify", "good.npz", "-s", "samples.csv", "--orientation", "similarity", "--fmr", "0.1",
                "--engine", cluster.scheduler_address,
            )  # fmt: skip
    if importlib.util.find_spec("onnxruntime"):
        (place / "model.onnx").write_bytes(IDENTITY)
        faces = pb.algorithms.Crops.of(
            np.full((3, 2, 2), 255, dtype=np.uint8),
            pb.Samples({"id": ["a", "b", "c"], "subject": ["a", "b", "c"]}),
        )
        vectors = pb.algorithms.recognizer(f"onnx:{place / 'model.onnx'}").fit(None).represent(faces)
        assert np.array_equal(vectors, np.ones((3, 4)))
        print("onnx: done", flush=True)
    if importlib.util.find_spec("dlib"):
        assert pb.algorithms.detector("dlib").find(np.zeros((99, 99), dtype=np.uint8)) is None
        print("dlib: done", flush=True)


# How many kernels numba compiles for one verification.
COMPILED = """
import numpy as np, proband as pb
from proband.kernels import compiling
started, compiled = compiling._Compilations.on_start, []
compiling._Compilations.on_start = lambda self, event: (compiled.append(event), started(self, event))
ids = [f"p{person}-{image}" for image in (1, 2) for person in range(20)]
samples = pb.Samples({"id": ids, "subject": [one[:-2] for one in ids]})
values = np.random.default_rng(0).normal(size=(20, 20))
pb.verify(pb.Scores.from_array(values, ids[20:], ids[:20], orientation="similarity"), samples, fmr=0.1)
print(len(compiled))
"""


def kept_kernels(place: Path) -> None:
    """Compiled kernels are kept, with whatever numba is there: a second process compiles none."""
    command = [sys.executable, "-I", "-c", COMPILED]
    kept = os.environ | {"NUMBA_CACHE_DIR": str(place / "kernels")}
    first, second = (
        int(subprocess.run(command, env=kept, cwd=place, capture_output=True, text=True, check=True).stdout)
        for _ in range(2)
    )
    assert first > 0
    assert second == 0
    print("kept kernels: done", flush=True)


if __name__ == "__main__":
    if sys.argv[1:] == ["lowest"]:
        print(lowest())
    else:
        with tempfile.TemporaryDirectory() as folder:
            kept_kernels(Path(folder))
            smoke(Path(folder))
