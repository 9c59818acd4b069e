"""Write one file of every format for later versions to read: ``python -m tests.frozen.writing``, once for each release.

Files of a version stay as they are for good.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import proband as pb
from proband.protocols.cards.literature import literature
from proband.scores.run_record import AlgorithmRun, RunRecord, record_beside

FILES = Path(__file__).parent / "files"
STUDY = """title = "Two networks"
[samples]
file = "samples.csv"
[[scores]]
file = "scores.npz"
orientation = "similarity"
[experiment]
gallery = "session == 1"
[[comparison]]
measure = "rank-1"
[verification]
fmr = 0.1
n_resamples = 0
[output]
formats = ["csv"]
"""


def write(folder: Path) -> None:
    """Write the files of this version."""
    folder.mkdir(parents=True)
    rng, people = np.random.default_rng(0), [f"p{k:02d}" for k in range(12)]
    ids = [f"{person}-{image}" for image in (1, 2) for person in people]
    rows = "".join(f"{one},{one[:3]},{one[-1]}\n" for one in ids)
    (folder / "samples.csv").write_text(f"id,subject,session\n{rows}", encoding="utf-8")
    values = {
        name: (rng.normal(size=(12, 12)) + lift * np.eye(12)).round(3)
        for name, lift in (("strong", 3.0), ("weak", 1.0))
    }
    np.savez(folder / "scores.npz", **values, query_ids=ids[12:], target_ids=ids[:12])
    (folder / "study.toml").write_text(STUDY, encoding="utf-8")
    asked = ("-s", "samples.csv", "-g", "session == 1", "--orientation", "similarity")
    with tempfile.TemporaryDirectory() as place:
        proband(folder, "run", "study.toml", "--no-cache", "--out", f"{place}/out")
        shutil.copy(f"{place}/out/results.json", folder)
    proband(
        folder,
        "gate",
        "scores.npz::strong",
        "--baseline",
        "scores.npz::weak",
        *asked,
        "--save",
        "pin.json",
        codes=(0, 3, 4),
    )
    literature("feret").card(6).write(folder / "card.json")
    samples = pb.Samples.read(folder / "samples.csv")
    crops = pb.algorithms.Crops.of(rng.integers(0, 256, (24, 6, 5), dtype=np.uint8), samples)
    pb.algorithms.save_model(pb.algorithms.recognizer("pca:l2").fit(crops), folder / "model.npz")
    record = RunRecord(
        "2026-11-30T08:00:00Z", "2026-11-30T08:01:00Z", "A. Tester", "a desk", f"proband {pb.__version__}",
        "proband recognize …", 2.0, (AlgorithmRun("strong", "1", 3.0, 0.5, 0.25),), "0" * 64,
    )  # fmt: skip
    record_beside(folder / "scores.npz").write_text(record.to_json(), encoding="utf-8")
    test = pb.blind.BlindTest(samples, "session == 1", "session == 2", control=0, seed=1)
    made = test.make(folder / "blind", folder / "blind.key")
    package = pb.blind.Package.read(made.packages[0].path)
    answer = folder / "submission"
    answer.mkdir()
    np.save(answer / "scores.npy", rng.normal(size=(len(package.queries), len(package.targets))))
    stated = {"algorithm": "strong", "orientation": "similarity", "training": []}
    lines = "".join(f"{key} = {json.dumps(value)}\n" for key, value in stated.items())
    (answer / "submission.toml").write_text(lines, encoding="utf-8")
    pb.blind.receive(package, answer, folder / "receipts.jsonl", at="2026-12-01T11:00Z")


def proband(folder: Path, *words: str, codes: tuple[int, ...] = (0,)) -> None:
    """Run the program there."""
    done = subprocess.run([sys.executable, "-m", "proband", *words], cwd=folder, check=False)
    assert done.returncode in codes


if __name__ == "__main__":
    write(FILES / pb.__version__)
