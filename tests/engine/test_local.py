"""Blocks over threads: order, bounded look-ahead, errors, and how many threads there are."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator

import pytest

from proband.engine import default_threads, one_blas_thread, run_blocks
from proband.errors import UsageError


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("n", [0, 1, 4, 37])
def test_results_come_in_order(threads, n):
    def work(block: int) -> int:
        time.sleep(0.001 * (block % 3))  # later blocks may be done first
        return block * block

    assert list(run_blocks(work, range(n), threads)) == [k * k for k in range(n)]


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_blocks_are_drawn_only_as_results_are_taken(threads):
    drawn: list[int] = []

    def blocks() -> Iterator[int]:
        for k in range(1000):
            drawn.append(k)
            yield k

    results = run_blocks(lambda block: block, blocks(), threads)
    assert drawn == []
    for taken in range(1, 20):
        assert next(results) == taken - 1
        assert len(drawn) <= taken + 2 * threads + 1
    results.close()
    assert len(drawn) < 40


def test_one_thread_works_in_the_callers_thread():
    found = set(run_blocks(lambda _: threading.get_ident(), range(5), threads=1))
    assert found == {threading.get_ident()}


def test_several_threads_work_at_the_same_time():
    meeting = threading.Barrier(2, timeout=10)
    assert list(run_blocks(lambda _: meeting.wait() >= 0, range(4), threads=2)) == [True] * 4


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_an_error_reaches_the_caller_and_ends_the_work(threads):
    begun: list[int] = []

    def work(block: int) -> int:
        begun.append(block)
        if block == 5:
            raise ZeroDivisionError("block 5")
        return block

    results = run_blocks(work, range(10_000), threads)
    taken: list[int] = []
    with pytest.raises(ZeroDivisionError, match="block 5"):
        taken.extend(results)
    assert taken == [0, 1, 2, 3, 4]
    assert len(begun) <= 6 + 2 * threads + 1


def test_an_error_in_the_blocks_reaches_the_caller():
    def blocks() -> Iterator[int]:
        yield from range(3)
        raise OSError("no more")

    with pytest.raises(OSError, match="no more"):
        list(run_blocks(lambda block: block, blocks(), threads=2))


@pytest.mark.parametrize("ending", ["error", "close"])
def test_work_not_begun_is_cancelled(ending):
    """With both threads held up, what still waits in line is never begun."""
    release = threading.Event()
    begun: list[int] = []

    def work(block: int) -> int:
        begun.append(block)
        if block == 0:
            if ending == "error":
                raise ValueError("stop")
            return block
        release.wait(10)
        return block

    results = run_blocks(work, range(100), threads=2)
    threading.Timer(0.2, release.set).start()
    if ending == "error":
        with pytest.raises(ValueError, match="stop"):
            next(results)
    else:
        assert next(results) == 0
        results.close()
    assert len(begun) <= 4  # the first, those held up, and at most one more as they are let go


@pytest.mark.parametrize("threads", [0, -1])
def test_there_is_at_least_one_thread(threads):
    with pytest.raises(UsageError, match="at least 1"):
        list(run_blocks(lambda block: block, range(3), threads))


@pytest.mark.parametrize(("asked", "threads"), [("1", 1), ("2", 2), ("64", 64), ("007", 7)])
def test_the_environment_sets_the_number_of_threads(monkeypatch, asked, threads):
    monkeypatch.setenv("PROBAND_THREADS", asked)
    assert default_threads() == threads


@pytest.mark.parametrize("asked", ["0", "-1", "two", "1.5", "1e3", " ", "²", "0x2", "1_0"])
def test_a_bad_number_of_threads_is_refused(monkeypatch, asked):
    monkeypatch.setenv("PROBAND_THREADS", asked)
    with pytest.raises(UsageError, match="PROBAND_THREADS must be a whole number of at least 1") as caught:
        default_threads()
    assert repr(asked) in str(caught.value)


@pytest.mark.parametrize("asked", [None, ""])
def test_without_a_wish_every_core_is_used(monkeypatch, asked):
    if asked is None:
        monkeypatch.delenv("PROBAND_THREADS", raising=False)
    else:
        monkeypatch.setenv("PROBAND_THREADS", asked)
    affinity = getattr(os, "sched_getaffinity", None)
    assert default_threads() == (len(affinity(0)) if affinity else os.cpu_count())
    if affinity:
        monkeypatch.delattr(os, "sched_getaffinity")
        assert default_threads() == os.cpu_count()


def test_run_blocks_asks_the_environment(monkeypatch):
    monkeypatch.setenv("PROBAND_THREADS", "none")
    with pytest.raises(UsageError):
        list(run_blocks(lambda block: block, range(3)))
    monkeypatch.setenv("PROBAND_THREADS", "1")
    assert set(run_blocks(lambda _: threading.get_ident(), range(3))) == {threading.get_ident()}


def test_one_blas_thread_is_put_back():
    from threadpoolctl import threadpool_info

    def counts() -> list[int]:
        return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]

    before = counts()
    with one_blas_thread():
        assert set(counts()) <= {1}
    assert counts() == before
