from __future__ import annotations

import hashlib
import os
import zlib
from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from proband.inference.proportions import Interval
from proband.measures.results import Answers
from proband.samples import Experiment, Samples
from proband.study.caching import Cache, beside
from proband.study.packing import DamagedError, pack, unpack

ANSWERS = Answers("a rate", "people", "the gallery", "nothing")


def again(value: Any, **given: object) -> Any:
    return unpack(pack(value, given), given)


def test_values_come_back_as_they_were() -> None:
    value = {
        (1, 2): [None, True, 3, -0.1, "Zürich", float("inf")],
        "parts": (ANSWERS, Interval(0.25, 0.5)),
        "days": (date(2001, 2, 3), datetime(2001, 2, 3, 4, 5)),
    }
    found = again(value)
    assert found == value
    assert isinstance(found["parts"][1], Interval)
    assert np.isnan(again(float("nan")))


@pytest.mark.parametrize("kind", ["<f8", "<f4", "<i8", "|b1", "<U3", "|u1"])
def test_arrays_keep_type_shape_and_bytes(kind: str) -> None:
    array = np.arange(12).reshape(3, 4).astype(kind)
    found = again([array, array.T, array[:0], array[0, 1]])
    assert found.pop() == array[0, 1]
    for one, other in zip(found, [array, array.T, array[:0]], strict=True):
        assert one.dtype == other.dtype
        assert np.array_equal(one, other)
    assert not found[0].flags.writeable


def test_tables_and_experiments_come_back() -> None:
    samples = Samples({"id": ["a", "b", "c"], "subject": ["x", "x", "y"]})
    experiment = Experiment(samples, ["a"], ["b", "c"])
    part = experiment.restricted(probes=[1], note="left out")
    whole, found = again((experiment, part), experiment=experiment, samples=samples)
    assert whole is experiment
    assert found.samples is samples
    assert (found.gallery_rule, found.notes) == (experiment.gallery_rule, ("left out",))
    assert found.fingerprint == part.fingerprint
    frame = pl.DataFrame({"n": [1, None], "word": ["a", "b"]})
    assert again(frame).equals(frame)


def test_what_cannot_be_kept_is_refused() -> None:
    with pytest.raises(TypeError):
        pack(object(), {})
    with pytest.raises(TypeError):
        pack(np.array([object()]), {})


@pytest.mark.parametrize("place", [0, 20, 90, -1])
def test_a_changed_byte_is_noticed(place: int) -> None:
    content = bytearray(pack({"values": np.arange(100)}, {}))
    content[place] ^= 1
    with pytest.raises(DamagedError):
        unpack(bytes(content), {})


def test_only_results_of_this_package_are_made() -> None:
    """An entry is data: whoever writes one, with a right checksum, names no code to be run."""
    for address in ("os:system", "proband.engine.files:make_directory", "proband.samples:Samples"):
        body = pack(ANSWERS, {}).partition(b"\n")[2]
        forged = zlib.decompress(body).replace(b"proband.measures.results:Answers", address.encode())
        size = int.from_bytes(forged[:8], "little") + len(address) - len("proband.measures.results:Answers")
        body = zlib.compress(size.to_bytes(8, "little") + forged[8:], 1)
        head = b"proband cache 1 " + hashlib.sha256(body).hexdigest().encode()
        with pytest.raises(DamagedError):
            unpack(head + b"\n" + body, {})


@pytest.fixture
def counting() -> tuple[Callable[[], dict[str, float]], list[int]]:
    calls: list[int] = []

    def make() -> dict[str, float]:
        calls.append(1)
        return {"rate": 0.1 + 0.2}

    return make, calls


def test_a_step_is_made_once(tmp_path: Path, counting: Any) -> None:
    make, calls = counting
    for _ in range(2):
        cache = Cache(tmp_path / "kept")
        assert cache.step("rate", {"seed": 1}, make) == {"rate": 0.1 + 0.2}
    assert len(calls) == 1
    assert cache.found == ["rate"]
    Cache(tmp_path / "kept").step("rate", {"seed": 2}, make)
    assert len(calls) == 2


def test_a_damaged_entry_is_made_again(tmp_path: Path, counting: Any) -> None:
    make, calls = counting
    Cache(tmp_path).step("rate", {}, make)
    (entry,) = tmp_path.glob("rate-*")
    for content in (b"", entry.read_bytes()[:-3], b"anything"):
        entry.write_bytes(content)
        assert Cache(tmp_path).step("rate", {}, make) == {"rate": 0.1 + 0.2}
    assert len(calls) == 4
    Cache(tmp_path).step("rate", {}, make)
    assert len(calls) == 4


def test_without_a_directory_nothing_is_kept(tmp_path: Path, counting: Any) -> None:
    make, calls = counting
    cache = Cache(None)
    cache.step("rate", {}, make)
    cache.step("rate", {}, make)
    cache.finish()
    assert len(calls) == 2


def test_finish_forgets_what_was_not_used(tmp_path: Path, counting: Any) -> None:
    make, _ = counting
    Cache(tmp_path).step("old", {}, make)
    cache = Cache(tmp_path)
    cache.step("new", {}, make)
    cache.finish()
    assert [path.name.partition("-")[0] for path in tmp_path.glob("*.kept")] == ["new"]


def test_digests_follow_content(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_bytes(b"one")
    cache = Cache(tmp_path / "kept")
    assert cache.digest(file) == (3, hashlib.sha256(b"one").hexdigest())
    file.write_bytes(b"two")  # of the same size, at once
    assert cache.digest(file).sha256 == hashlib.sha256(b"two").hexdigest()


def test_digests_of_settled_files_are_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a.csv"
    file.write_bytes(b"one")
    monkeypatch.setattr("proband.study.caching._SETTLED", -1.0)
    cache = Cache(tmp_path / "kept")
    expected = cache.digest(file)
    cache.step("rate", {}, lambda: 1)
    looks = file.stat()
    remembered = Cache(tmp_path / "kept")
    monkeypatch.setattr(Path, "open", lambda *_: pytest.fail("the file was read again"))
    assert remembered.digest(file) == expected
    monkeypatch.undo()
    file.write_bytes(b"two")
    os.utime(file, ns=(looks.st_atime_ns, looks.st_mtime_ns))  # a copy that keeps times
    assert Cache(tmp_path / "kept").digest(file).sha256 == hashlib.sha256(b"two").hexdigest()


def test_broken_memory_of_digests_is_no_matter(tmp_path: Path) -> None:
    (tmp_path / "digests.json").write_text("{", encoding="utf-8")
    (tmp_path / "a").write_bytes(b"one")
    assert Cache(tmp_path).digest(tmp_path / "a").n_bytes == 3


def test_digest_of_a_directory(tmp_path: Path) -> None:
    (tmp_path / "d" / "inner").mkdir(parents=True)
    (tmp_path / "d" / "a").write_bytes(b"1")
    (tmp_path / "d" / "inner" / "b").write_bytes(b"23")
    cache = Cache(None)
    first = cache.digest(tmp_path / "d")
    assert first.n_bytes == 3
    (tmp_path / "d" / "inner" / "b").rename(tmp_path / "d" / "b")
    assert cache.digest(tmp_path / "d") != first


def test_the_cache_is_hidden_beside_the_directory(tmp_path: Path) -> None:
    assert beside(tmp_path / "results") == tmp_path / ".results.cache"
