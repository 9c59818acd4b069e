"""Try an installed Proband in its own environment, away from the source; or print the lowest versions that it declares.

``python installed.py`` runs the smoke test, with the demo where the image libraries are; ``python installed.py lowest`` prints
constraints for pip.
"""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

HERE = Path(__file__).parent


def lowest() -> str:
    """The lower bounds of pyproject.toml as constraints."""
    project = tomllib.loads((HERE.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["images"]]
    return "\n".join("==".join(re.match(r"([\w.-]+)>=([\d.]+)", one).groups()) for one in wanted)


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
    if all(map(importlib.util.find_spec, ("cv2", "skimage", "sklearn"))):
        proband(place, "demo", "--subjects", "24", "--out", "demo")
        assert (place / "demo" / "report.html").stat().st_size > 10_000


if __name__ == "__main__":
    if sys.argv[1:] == ["lowest"]:
        print(lowest())
    else:
        with tempfile.TemporaryDirectory() as folder:
            smoke(Path(folder))
