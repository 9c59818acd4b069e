from __future__ import annotations

import hashlib
import json
import os
import zlib
from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from proband.designs import SignFlip
from proband.inference.proportions import Interval
from proband.measures import RecognitionRate
from proband.results.base import Answers
from proband.results.targets import GALLERY, NOTHING, OTHER_PEOPLE
from proband.samples import Experiment, Samples
from proband.study.caching import Cache, beside
from proband.study.packing import DamagedError, pack, unpack
from proband.words import Sentence

LEFT_OUT = Sentence("test.left-out", "note", "left out")
ANSWERS = Answers(RecognitionRate(1).estimand, OTHER_PEOPLE, GALLERY, NOTHING)


def again(value: Any, **given: object) -> Any:
    return unpack(pack(value, given, "key"), given, "key")


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
    part = experiment.restricted(probes=[1], note=LEFT_OUT())
    whole, found = again((experiment, part), experiment=experiment, samples=samples)
    assert whole is experiment
    assert found.samples is samples
    assert (found.gallery_rule, found.notes) == (experiment.gallery_rule, (LEFT_OUT(),))
    assert found.fingerprint == part.fingerprint
    frame = pl.DataFrame({"n": [1, None], "word": ["a", "b"]})
    assert again(frame).equals(frame)


def test_what_cannot_be_kept_is_refused() -> None:
    with pytest.raises(TypeError):
        pack(object(), {}, "key")
    with pytest.raises(TypeError):
        pack(np.array([object()]), {}, "key")


def test_every_changed_byte_and_every_cut_is_noticed() -> None:
    content = pack({"values": np.arange(20)}, {}, "key")
    for place in range(len(content)):
        changed = content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]
        for bad in (changed, content[:place]):
            with pytest.raises(DamagedError):
                unpack(bad, {}, "key")
    with pytest.raises(DamagedError):
        unpack(content, {}, "another key")


def test_only_results_of_this_package_are_made() -> None:
    """An entry is data: whoever writes one, with a right digest, names no code to be run."""
    for address in ("os:system", "proband.engine.files.files:make_directory", "proband.samples:Samples"):
        body = pack(ANSWERS, {}, "key").partition(b"\n")[2]
        forged = zlib.decompress(body).replace(b"proband.results.base:Answers", address.encode())
        size = int.from_bytes(forged[:8], "little") + len(address) - len("proband.results.base:Answers")
        body = zlib.compress(size.to_bytes(8, "little") + forged[8:], 1)
        digest = hashlib.sha256(hashlib.sha256(b"key").digest() + body).hexdigest()
        with pytest.raises(DamagedError, match=r"not a result type|neither to this package"):
            unpack(b"proband cache 2 " + digest.encode() + b"\n" + body, {}, "key")


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


def test_a_damaged_entry_is_made_again_and_that_is_said(
    tmp_path: Path, counting: Any, caplog: pytest.LogCaptureFixture
) -> None:
    make, calls = counting
    Cache(tmp_path).step("rate", {}, make)
    (entry,) = tmp_path.glob("rate-*")
    for content in (b"", entry.read_bytes()[:-3], b"anything"):
        entry.write_bytes(content)
        caplog.clear()
        cache = Cache(tmp_path)
        assert cache.step("rate", {}, make) == {"rate": 0.1 + 0.2}
        assert cache.damaged == cache.made == ["rate"]
        assert f"{entry.name} was changed or damaged" in caplog.text
    assert len(calls) == 4
    Cache(tmp_path).step("rate", {}, make)
    assert len(calls) == 4


def test_an_entry_in_the_place_of_another_is_not_believed(tmp_path: Path) -> None:
    for seed in (1, 2):
        Cache(tmp_path).step("rate", {"seed": seed}, lambda seed=seed: seed)
    one, other = tmp_path.glob("rate-*")
    swapped = one.read_bytes(), other.read_bytes()
    other.write_bytes(swapped[0])
    one.write_bytes(swapped[1])
    for seed in (1, 2):
        cache = Cache(tmp_path)
        assert cache.step("rate", {"seed": seed}, lambda seed=seed: seed) == seed
        assert cache.damaged == ["rate"]


def test_entries_of_other_code_are_not_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Cache(tmp_path).step("rate", {}, lambda: "old")
    (entry,) = tmp_path.glob("rate-*")
    monkeypatch.setattr("proband.study.caching.code_digest", lambda: "other code")
    assert Cache(tmp_path).step("rate", {}, lambda: "new") == "new"
    (mine,) = set(tmp_path.glob("rate-*")) - {entry}
    entry.replace(mine)
    assert Cache(tmp_path).step("rate", {}, lambda: "new") == "new"


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


def test_what_came_from_the_cache_is_said(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "proband")
    for seed in (1, 2):
        cache = Cache(tmp_path)
        cache.step("ranks", {"a": 1}, lambda: 1)
        cache.step("ranks", {"a": 2}, lambda: 2)
        cache.step("rate", {"seed": seed}, lambda: 3)
        cache.finish()
    assert f"from the cache {tmp_path}: ranks (2)" in caplog.text
    stated = json.loads((tmp_path / "last-run.json").read_text(encoding="utf-8"))
    assert stated == {"found": ["ranks", "ranks"], "made": ["rate"], "damaged": []}


def test_digests_follow_content_whatever_a_file_looks_like(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_bytes(b"one")
    looks = file.stat()
    cache = Cache(tmp_path / "kept")
    assert cache.digest(file) == (3, hashlib.sha256(b"one").hexdigest())
    cache.step("rate", {}, lambda: 1)
    cache.finish()
    file.write_bytes(b"two")
    os.utime(file, ns=(looks.st_atime_ns, looks.st_mtime_ns))
    for one in (cache, Cache(tmp_path / "kept")):
        assert one.digest(file).sha256 == hashlib.sha256(b"two").hexdigest()


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


def test_notes_methods_and_targets_come_back_as_they_were() -> None:
    worth = Sentence("example.worth", "note", "{margin:worth}")
    undecided = Sentence("example.undecided", "note", "{first} is undecided{more:then}")
    note = undecided(first="pca", more=(worth(margin=0.01),))
    kept = (note, SignFlip().as_method, RecognitionRate(1).estimand)
    found = again(kept)
    assert found == kept
    assert (str(found[0]), found[0].to_dict()) == ("pca is undecided. 1 point", note.to_dict())
