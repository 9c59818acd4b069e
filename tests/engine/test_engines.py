"""The same numbers on every engine: threads, processes, executors, a Dask cluster, and with workers that die."""

from __future__ import annotations

import json
import logging
import multiprocessing
import os
import pickle
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.engine import errands, test_tasks as tasks
from tests.examples import some

import proband as pb
from proband.cli import main
from proband.engine import on_engine, run_blocks, sending, using
from proband.engine.files.shards import RowShards
from proband.engine.sending import Done, Parcel, Run, packed, work, write
from proband.engine.workers import Borrowed, Processes, Workers, shared_directory
from proband.errors import EngineError, InputError, ProbandError, UsageError
from proband.measures import open_set, ranks
from proband.measures.pairs import products, tiles

VERBS: dict[str, Callable[[Path], Any]] = {
    name: tasks.VERBS[name]
    for name in (
        "ranks of a matrix",
        "ranks of people",
        "ranks of embeddings",
        "searches",
        "pairs of a matrix",
        "pairs of embeddings",
        "bootstraps of people",
        "trials",
        "choices, exactly and drawn",
        "protocols",
    )
}
SMALL_BLOCKS = (
    (ranks, "_TILE_CELLS", 100),
    (ranks, "_GALLERY_AT_ONCE", 5),
    (ranks, "_GALLERY_A_BLOCK", 10),
    (open_set, "_TILE_CELLS", 60),
    (tiles, "_CELLS_AT_ONCE", 200),
    (products, "_STRIP", 10),
    (products, "_COLUMNS_AT_ONCE", 7),
    (sending, "_WORTH_SHORTENING", 100),
)


@pytest.fixture(scope="module", autouse=True)
def _several_blocks() -> Iterator[None]:
    """Tiny data in blocks that are smaller still, so that there is something to share out."""
    with pytest.MonkeyPatch.context() as patch:
        for module, name, size in SMALL_BLOCKS:
            patch.setattr(module, name, size)
        yield


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Any]:
    known: dict[str, Any] = {}

    def of(name: str) -> Any:
        if name not in known:
            known[name] = VERBS[name](tmp_path_factory.mktemp("here"))
        return known[name]

    return of


@pytest.fixture(scope="module")
def pool() -> Iterator[Executor]:
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as executor:
        yield executor


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many runs of blocks were sent."""
    found: list[int] = []
    real = Workers.run

    def run(self: Workers, task: Any, blocks: Any) -> Iterator[Any]:
        submit = self.submit

        def counted(parcel: Any, run: Run) -> Any:
            found.append(len(run.blocks))
            return submit(parcel, run)

        self.submit = counted  # type: ignore[method-assign]
        try:
            yield from real(self, task, blocks)
        finally:
            del self.submit

    monkeypatch.setattr(Workers, "run", run)
    return found


@pytest.mark.parametrize("verb", some(VERBS, 2))
def test_processes_find_the_same(
    verb: str, expected: Any, pool: Executor, sent: list[int], tmp_path: Path
) -> None:
    with using(pool):
        found = VERBS[verb](tmp_path)
    np.testing.assert_equal(found, expected(verb))
    assert sent


@pytest.mark.parametrize("threads", ["1", "5"])
@pytest.mark.parametrize("verb", [name for name in VERBS if "protocols" not in name])
def test_any_number_of_threads_finds_the_same(
    verb: str, threads: str, expected: Any, tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.setenv("PROBAND_THREADS", threads)
    with using("threads"):
        np.testing.assert_equal(VERBS[verb](tmp_path), expected(verb))


@pytest.mark.long
@pytest.mark.parametrize("n", [2, 5])
def test_processes_of_our_own_find_the_same_though_one_is_killed(
    n: int, expected: Any, tmp_path: Path, monkeypatch: Any
) -> None:
    """One worker is killed at every seventh run of blocks, three times in all."""
    real = Processes.submit
    n_sent = n_killed = 0

    def submit(self: Processes, parcel: Any, run: Run) -> Any:
        nonlocal n_sent, n_killed
        found = real(self, parcel, run)
        n_sent += 1
        if not n_sent % 7 and n_killed < 3:
            n_killed += 1
            os.kill(next(iter(self._pool._processes)), signal.SIGKILL)
        return found

    monkeypatch.setattr(Processes, "submit", submit)
    with using(f"processes:{n}"):
        for name in (
            "ranks of embeddings",
            "pairs of embeddings",
            "trials",
            "bootstraps of people",
            "protocols",
        ):
            np.testing.assert_equal(VERBS[name](tmp_path), expected(name))
    assert n_killed == 3


def ports_free() -> dict[str, Any]:
    return {"dashboard_address": None, "host": "127.0.0.1"}


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    distributed = pytest.importorskip("distributed")
    # What Dask warns of while it comes up and goes down is its own affair.
    with ExitStack() as stack:
        import warnings

        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        made = stack.enter_context(
            distributed.LocalCluster(
                n_workers=2,
                threads_per_worker=1,
                processes=True,
                silence_logs=logging.CRITICAL,
                **ports_free(),
            )
        )
        stack.callback(made.close)
        yield made


@pytest.fixture
def client(cluster: Any) -> Iterator[Any]:
    from distributed import Client

    with Client(cluster, set_as_default=False) as made:
        yield made


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
def test_a_cluster_finds_the_same(expected: Any, client: Any, sent: list[int], tmp_path: Path) -> None:
    for place, (name, verb) in enumerate(VERBS.items()):
        folder = tmp_path / str(place)
        folder.mkdir()
        before = len(sent)
        with using(client):
            np.testing.assert_equal(verb(folder), expected(name))
        assert len(sent) > before, name


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seen", [True, False])
def test_a_cluster_whose_workers_see_no_common_directory_gets_copies(
    seen: bool, client: Any, monkeypatch: Any, caplog: Any
) -> None:
    from proband.engine import workers

    monkeypatch.setattr(workers, "_WORTH_SAYING", 1000)
    if not seen:
        monkeypatch.setattr(workers, "sees", errands_blind)
    values = np.arange(4000.0).reshape(-1, 10)
    with using(client), caplog.at_level("INFO", "proband"):
        found = list(run_blocks(errands.Summing(values), range(10)))
    assert [one for one, _, _ in found] == values.sum(axis=0).tolist()
    assert ("sent to every worker" in caplog.text) == (not seen)


def errands_blind(path: str, content: str) -> bool:
    return False


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
def test_a_cluster_finds_the_same_though_a_worker_is_killed(
    cluster: Any, client: Any, tmp_path: Path
) -> None:
    with using(client):
        found = list(run_blocks(errands.Dying(tmp_path / "died"), range(40)))
    assert found == [k * k for k in range(40)]
    assert (tmp_path / "died").exists()
    with (
        using(cluster.scheduler_address),
        pytest.raises(EngineError, match="died repeatedly on the same task"),
    ):
        list(run_blocks(errands.Dying(tmp_path / "died", always=True), range(40)))


HERE, THERE = "10.197.53.1", "10.197.53.2"  # private addresses, between two ends of one wire


@pytest.fixture
def host() -> Iterator[str]:
    """A network of its own, as another host would have: its name."""
    if not hasattr(os, "geteuid") or os.geteuid() or not shutil.which("ip"):
        pytest.skip("only root makes a network, by the program ip")
    name = f"proband-{os.getpid()}"
    near, far = f"pb{os.getpid()}n", f"pb{os.getpid()}f"
    made = subprocess.run(["ip", "netns", "add", name], capture_output=True, text=True)
    if made.returncode:
        pytest.skip(f"this system makes no networks: {made.stderr.strip()}")
    try:
        for words in (
            f"link add {near} type veth peer name {far} netns {name}",
            f"addr add {HERE}/30 dev {near}",
            f"link set {near} up",
            f"-n {name} addr add {THERE}/30 dev {far}",
            f"-n {name} link set {far} up",
            f"-n {name} link set lo up",
        ):
            done = subprocess.run(["ip", *words.split()], capture_output=True, text=True)
            if done.returncode:
                pytest.skip(f"this system joins no networks: {done.stderr.strip()}")
        yield name
    finally:
        subprocess.run(["ip", "link", "del", near], capture_output=True)
        subprocess.run(["ip", "netns", "del", name], capture_output=True)


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("shared", [True, False])
def test_a_scheduler_on_another_host_finds_the_same(
    shared: bool, host: str, expected: Any, monkeypatch: Any, tmp_path: Path, caplog: Any
) -> None:
    """A scheduler and a worker on a network of their own, who find what is sent beneath ``PROBAND_SHARED``, or get copies."""
    pytest.importorskip("distributed")
    from proband.engine import workers

    monkeypatch.setattr(workers, "_WORTH_SAYING", 1000)
    if shared:
        (tmp_path / "shared").mkdir()
        monkeypatch.setenv("PROBAND_SHARED", str(tmp_path / "shared"))
    else:
        monkeypatch.setattr(workers, "sees", errands_blind)
    root = str(Path(__file__).parents[2])
    paths = os.pathsep.join([root, *filter(None, [os.environ.get("PYTHONPATH")])])
    begin = ["ip", "netns", "exec", host, sys.executable, "-m", "dask"]
    address, started = f"tcp://{THERE}:8786", []
    log = (tmp_path / "log").open("w")
    try:
        for words in (
            ["scheduler", "--host", THERE, "--port", "8786", "--no-dashboard", "--no-jupyter"],
            ["worker", address, "--host", THERE, "--nworkers", "1", "--nthreads", "1", "--no-dashboard"],
        ):
            started.append(
                subprocess.Popen(
                    [*begin, *words],
                    env={**os.environ, "PYTHONPATH": paths},
                    stdout=log,
                    stderr=log,
                    cwd=tmp_path,
                    start_new_session=True,
                )
            )
        within_seconds = time.monotonic() + 60
        while True:
            with suppress(OSError), socket.create_connection((THERE, 8786), 1):
                break
            assert time.monotonic() < within_seconds, (tmp_path / "log").read_text()
            time.sleep(0.1)
        with pytest.raises(OSError, match=r"refused|timed out"):  # it is not of this network
            socket.create_connection((HERE, 8786), 1)
        with using(address), caplog.at_level("INFO", "proband"):
            for name in ("ranks of embeddings", "pairs of embeddings", "pairs of a matrix", "trials"):
                folder = tmp_path / name
                folder.mkdir()
                np.testing.assert_equal(VERBS[name](folder), expected(name))
    finally:
        for process in reversed(started):
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)
        for process in started:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
        log.close()
    told = (
        f"written to {(tmp_path / 'shared').resolve()} for the workers" if shared else "sent to every worker"
    )
    assert told in caplog.text


def test_work_is_done_elsewhere_and_in_order(pool: Executor) -> None:
    with using(pool):
        found = list(run_blocks(errands.Process(), iter(range(300))))
        assert [block for block, _ in found] == list(range(300))
        assert os.getpid() not in {process for _, process in found}
        (here,) = run_blocks(errands.Process(), range(1))  # nothing to share out
        assert here[1] == os.getpid()


def test_a_worker_shares_out_nothing_further(pool: Executor) -> None:
    with using(pool):
        for found in run_blocks(errands.Nested(), range(3)):
            assert len(found) == 1
            assert os.getpid() not in found


def test_small_blocks_are_sent_together_and_few_are_under_way(pool: Executor, sent: list[int]) -> None:
    drawn = 0

    def blocks() -> Iterator[int]:
        nonlocal drawn
        for block in range(5000):
            drawn += 1
            yield block

    with using(pool):
        results = run_blocks(errands.Process(), blocks())
        assert drawn == 0
        for _ in range(20):
            next(results)
        assert sum(sent) == drawn < 2000
        assert max(sent) > 2
        results.close()
    assert drawn < 2000


def test_an_error_of_a_worker_is_that_error_here(pool: Executor) -> None:
    told = []
    for engine in ("threads", pool):
        taken: list[int] = []
        with using(engine), pytest.raises(InputError) as caught:
            taken.extend(run_blocks(errands.Refusing(11), range(50)))
        assert taken == list(range(11))
        told.append((caught.value.told("study"), caught.value.told("command line"), caught.value.exit_code))
    assert told[0] == told[1]


def test_every_error_can_be_sent() -> None:
    import proband.study.refusals  # noqa: F401 - all kinds are known then

    def kinds(of: type[ProbandError]) -> Iterator[type[ProbandError]]:
        yield of
        for one in of.__subclasses__():
            yield from kinds(one)

    for kind in kinds(ProbandError):
        made = kind.__new__(kind)
        ProbandError.__init__(made, "wrong.", "mend it.", source="a", file="b", place="c")
        again = pickle.loads(pickle.dumps(made))
        assert type(again) is kind
        assert again.told() == made.told()


def test_a_worker_that_dies_is_replaced(tmp_path: Path, caplog: Any) -> None:
    others = set(multiprocessing.active_children())
    with using("processes:2"):
        found = list(run_blocks(errands.Dying(tmp_path / "died"), range(40)))
    assert found == [k * k for k in range(40)]
    assert "a worker died" in caplog.text
    assert set(multiprocessing.active_children()) <= others


@pytest.mark.long
def test_workers_that_die_for_ever_end_the_work(tmp_path: Path) -> None:
    with using("processes:1"), pytest.raises(EngineError, match="broke down"):
        list(run_blocks(errands.Dying(tmp_path / "died", always=True), range(40)))
    with (
        ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool,
        using(pool),
        pytest.raises(EngineError, match="broke down"),
    ):
        list(run_blocks(errands.Dying(tmp_path / "again"), range(40)))


def test_an_executor_of_threads_will_do() -> None:
    with ThreadPoolExecutor(3) as threads, using(threads):
        assert list(run_blocks(errands.Refusing(-1), range(30))) == list(range(30))


def opened(task: Any, folder: Path) -> tuple[Any, Parcel]:
    parcel, pieces = packed(task)
    with (folder / "task").open("wb") as file:
        write(file, parcel, pieces)
    made = Parcel(parcel.key, parcel.program, parcel.spans, str(folder / "task"))
    return made.opened(), made


@pytest.mark.parametrize("kind", ["whole", "offset", "fortran", "rows", "one row", "columns", "shards"])
def test_what_lies_in_a_file_is_sent_by_name(kind: str, tmp_path: Path) -> None:
    values = np.arange(60_000.0).reshape(300, 200)
    np.save(tmp_path / "a.npy", np.asfortranarray(values) if kind == "fortran" else values)
    mapped: Any = np.load(tmp_path / "a.npy", mmap_mode="r")
    if kind == "offset":
        mapped = np.memmap(tmp_path / "a.npy", float, "r", mapped.offset + 8 * 200, (299, 200))
    chosen = {"rows": slice(17, 250), "one row": slice(3, 4), "columns": (slice(None), slice(3, 90))}
    mapped = mapped[chosen[kind]] if kind in chosen else mapped
    thing = RowShards([mapped, mapped], ["a", "b"]) if kind == "shards" else mapped
    again, parcel = opened(thing, tmp_path)
    assert (parcel.n_bytes < 3000) == (kind != "columns")  # those do not lie together
    np.testing.assert_array_equal(np.asarray(again), np.asarray(thing))
    assert kind == "shards" or isinstance(again, np.memmap)


def test_what_is_in_memory_is_sent_once_and_stays_as_it_was(pool: Executor, tmp_path: Path) -> None:
    values = np.random.default_rng(0).normal(size=(500, 8))
    for writeable in (True, False):
        values.flags.writeable = writeable
        with using(pool):
            found = list(run_blocks(errands.Summing(values), range(8)))
        assert [one[0] for one in found] == [float(values[:, k].sum()) for k in range(8)]
        assert {one[2] for one in found} == {writeable}
    with shared_directory() as folder:
        assert folder.is_dir()
    assert not folder.exists()


@pytest.mark.parametrize("kind", [np.int8, np.int32, np.int64])
@pytest.mark.parametrize("writeable", [True, False])
def test_whole_numbers_are_sent_in_few_bytes_and_come_as_they_were(
    kind: type[np.signedinteger[Any]], writeable: bool, tmp_path: Path
) -> None:
    rng, least, most = np.random.default_rng(0), np.iinfo(kind).min, np.iinfo(kind).max
    n = 5000
    gaps = np.ones(n, dtype=np.int64)
    gaps[rng.integers(n, size=40)] = 3
    cases = {
        "every one": (np.arange(n) % 100, 0.6),
        "with gaps": (np.cumsum(gaps) % most, 0.3),
        "down": ((n - np.arange(n)) % most, 0.3),
        "alike": (np.full(n, 7), 0.1),
        "small": (rng.integers(0, 200, n), 0.6),
        "with a sign": (rng.integers(-100, 100, n), 0.6),
        "large": (rng.integers(least, most, n, endpoint=True), 1.1),
        "to and fro between the ends": (np.where(np.arange(n) % 2, least, most), 1.1),
        "the ends": (np.array([least, most] + [0] * (n - 2)), 1.1),
    }
    for name, (given, share) in cases.items():
        numbers = given.astype(kind)
        numbers.flags.writeable = writeable
        again, parcel = opened(numbers, tmp_path)
        assert again.dtype == numbers.dtype
        assert again.flags.writeable == writeable, name
        np.testing.assert_array_equal(again, numbers)
        if kind is np.int64:
            assert parcel.n_bytes < share * numbers.nbytes + 1000, name
    two = np.arange(10_000).reshape(2, -1)
    for other in (two, np.arange(10_000.0), np.arange(10_000, dtype=np.uint64), np.arange(20_000)[::2]):
        again, _ = opened(other, tmp_path)
        np.testing.assert_array_equal(again, other)
        assert again.dtype == other.dtype


@pytest.fixture
def sizes(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """How large what was sent of each task was at most, in bytes."""
    from proband.engine import workers

    found: dict[str, int] = {}

    def pack(task: Any) -> Any:
        parcel, pieces = packed(task)
        found[type(task).__name__] = max(found.get(type(task).__name__, 0), parcel.n_bytes)
        return parcel, pieces

    monkeypatch.setattr(workers, "packed", pack)
    monkeypatch.setattr(sending, "_WORTH_SHORTENING", 10_000)
    return found


def test_what_is_sent_is_about_as_large_as_the_embeddings(
    sizes: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ranks, "_GALLERY_A_BLOCK", 300)
    rng = np.random.default_rng(0)
    who = np.arange(1200) // 2
    vectors = rng.normal(size=(600, 64))[who] + rng.normal(size=(1200, 64))
    samples = pb.Samples({"id": [f"i{k}" for k in range(1200)], "subject": [f"p{k}" for k in who]})
    nets = [
        pb.Embeddings((vectors + 0.1 * rng.normal(size=vectors.shape)).astype(np.float32), samples.ids, metric="cosine", name=name)
        for name in ("a", "b")
    ]  # fmt: skip
    experiment = pb.Experiment(samples, gallery=np.arange(1200) % 2 == 0)
    with ThreadPoolExecutor(2) as threads, using(threads):
        pb.verify(nets[0], samples, fmr=[1e-2], n_resamples=600)
        pb.evaluate(nets[0], experiment)
        pb.compare(nets, experiment)
        pb.compare(nets, samples, measure=pb.measures.FNMR(1e-2))
    assert {"_Drawn", "_OfProducts", "_Screened"} <= set(sizes)
    assert max(sizes.values()) < 1.4 * nets[0].query_vectors.nbytes, sizes


def test_a_file_that_is_not_there_or_another_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.npy"
    np.save(path, np.arange(5000.0).reshape(50, 100))
    mapped = np.load(path, mmap_mode="r")
    parcel, pieces = packed(errands.Summing(mapped))
    carried = Parcel(parcel.key, parcel.program, parcel.spans, None, b"".join(pieces))
    path.rename(tmp_path / "b.npy")
    for change, message in (
        (lambda: None, r"A worker on .* cannot read .*a\.npy"),
        (
            lambda: np.save(path, np.arange(5000.0).reshape(50, 100) + 1),
            r"differs from the content on the sending machine",
        ),
        (lambda: path.write_bytes(b"short"), r"a\.npy"),
    ):
        change()
        done = work(carried, Run([0]))
        assert isinstance(done.error, InputError)
        with pytest.raises(InputError, match=message):
            raise done.error
    gone = Parcel("other", parcel.program, parcel.spans, str(tmp_path / "none"))
    assert "PROBAND_SHARED" in str(work(gone, Run([0])).error)
    other = Parcel("another", "0" * 64, parcel.spans, None, b"")
    assert "a different version of Proband" in str(work(other, Run([0])).error)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the system does not tell")
def test_what_was_read_of_a_file_does_not_stay_in_memory(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr("proband.engine.files.mapping._MOST_HELD", 4 << 20)

    def held() -> int:
        lines = Path("/proc/self/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("RssFile")) // 1024

    np.save(tmp_path / "a.npy", np.ones((4096, 2048), np.float32))  # 32 MB
    mapped = np.load(tmp_path / "a.npy", mmap_mode="r")
    ids = [str(k) for k in range(4096)]
    scores = pb.Scores.from_array(mapped, ids, ids[:2048], orientation="similarity")
    before, columns = held(), np.arange(2048)
    total = sum(
        float(scores.tile(np.arange(start, start + 128), columns).sum()) for start in range(0, 4096, 128)
    )
    assert total == 4096 * 2048
    assert held() - before < 16


def test_a_file_that_was_replaced_since_it_was_opened_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "a.npy"
    np.save(path, np.zeros((50, 100)))
    mapped = np.load(path, mmap_mode="r")
    np.save(tmp_path / "new.npy", np.ones((50, 100)))
    (tmp_path / "new.npy").replace(path)
    parcel, pieces = packed(errands.Summing(mapped))
    found = work(Parcel(parcel.key, parcel.program, parcel.spans, None, b"".join(pieces)), Run([0]))
    assert isinstance(found, Done)
    assert "differs from the content" in str(found.error)


@pytest.mark.parametrize(
    "engine", ["thread", "process", "processes:0", "processes:x", "http://a:1", "tcp://", "", 7, object()]
)
def test_what_is_no_engine_is_refused(engine: Any) -> None:
    with pytest.raises(UsageError, match=r"not an engine|no engine"), using(engine):
        pass


@pytest.mark.filterwarnings("ignore")
def test_a_scheduler_that_is_not_there_is_told(monkeypatch: Any) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr("proband.engine.engines._SECONDS", 0.2)
    with (
        pytest.raises(EngineError, match="No Dask scheduler was found at tcp"),
        using("tcp://127.0.0.1:9"),
    ):
        pass


def test_threads_and_another_engine_exclude_each_other() -> None:
    with (
        ThreadPoolExecutor(2) as threads,
        using(threads),
        pytest.raises(UsageError, match="3 threads were requested"),
    ):
        list(run_blocks(errands.Refusing(-1), range(9), 3))


def test_what_cannot_be_sent_is_told() -> None:
    with ThreadPoolExecutor(2) as threads, using(threads), pytest.raises(EngineError, match="cannot be sent"):
        list(run_blocks(lambda block: block, range(9)))


def test_the_shared_directory_must_be_there(monkeypatch: Any, tmp_path: Path) -> None:
    monkeypatch.setenv("PROBAND_SHARED", str(tmp_path / "none"))
    with pytest.raises(UsageError, match="PROBAND_SHARED must be an existing directory"), shared_directory():
        pass
    (tmp_path / "none").mkdir()
    with shared_directory() as folder:
        assert folder.parent == (tmp_path / "none").resolve()


def test_an_argument_says_the_engine_of_a_verb_and_of_nothing_else(monkeypatch: Any) -> None:
    seen: list[bool] = []
    real = Borrowed.submit
    monkeypatch.setattr(Borrowed, "submit", lambda self, *args: (seen.append(True), real(self, *args))[1])

    @on_engine
    def verb(n: int, *, engine: Any = None) -> list[int]:
        return list(run_blocks(errands.Refusing(-1), range(n)))

    with ThreadPoolExecutor(2) as threads:
        assert verb(9, engine=threads) == list(range(9))
        assert seen
        seen.clear()
        assert verb(9) == list(range(9))
        assert not seen
        with using(threads):
            assert verb(9) == verb(9, engine="threads")
        assert seen


def test_every_verb_that_runs_blocks_can_be_told_the_engine() -> None:
    """Whoever takes a number of threads, and is not beneath such a verb only, takes an engine."""
    import inspect

    verbs = [
        pb.rank, pb.search, pb.evaluate, pb.estimate, pb.stats.estimate_cmc, pb.survey.estimate_weighted, pb.compare, pb.verify, pb.permute,
        pb.choices.exact_over_choices, pb.feret.feret_study, pb.feret.gallery_variation, pb.run, pb.protocols.run_protocol,
    ]  # fmt: skip
    for verb in verbs:
        assert inspect.signature(verb).parameters["engine"].kind is inspect.Parameter.KEYWORD_ONLY, verb


def test_a_study_may_not_name_a_scheduler(study: Path, monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.chdir(study)
    text = (
        '[samples]\nfile = "samples.csv"\n[[scores]]\nfile = "scores.npz"\n'
        '[experiment]\ngallery = "session == 1"\n[output]\nengine = "{}"\n'
    )
    for engine, message in (
        ("tcp://10.0.0.1:8786", "a scheduler runs code"),
        ("tls://a", "a scheduler runs code"),
        ("gpu", "there is no engine"),
        ("processes:0", "there is no engine"),
    ):
        Path("study.toml").write_text(text.format(engine))
        with pytest.raises(ProbandError, match=message) as caught:
            pb.read_study("study.toml")
        assert "study.toml, line 8" in str(caught.value)
        assert caught.value.exit_code == 2
    for engine in ("threads", "processes", "processes:12"):
        Path("study.toml").write_text(text.format(engine))
        assert pb.read_study("study.toml").request.output.engine == engine


def test_dask_is_not_imported_unless_it_is_asked_for() -> None:
    code = (
        "import sys, proband, proband.study.run, proband.cli.app\n"
        "from proband.engine import using, run_blocks\n"
        "with using('threads'): list(run_blocks(str, range(9)))\n"
        "assert not {'dask', 'distributed'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


@pytest.mark.long
def test_the_command_line_finds_the_same_and_fails_the_same(
    study: Path, monkeypatch: Any, capsys: Any
) -> None:
    monkeypatch.chdir(study)
    told = []
    for engine in ("threads", "processes:2"):
        with pytest.raises(SystemExit) as stop:
            main(
                ["verify", "scores.npz", "-s", "samples.csv", "--orientation", "similarity", "--json", "-q",
                 "--engine", engine]
            )  # fmt: skip
        assert not stop.value.code
        told.append(json.loads(capsys.readouterr().out))
    assert told[0] == told[1]
    values = np.random.default_rng(0).normal(size=(24, 24))
    values[20, 3] = np.nan
    np.save("bad.npy", values)
    said = []
    for engine in ("threads", "processes:2"):
        with pytest.raises(SystemExit) as stop:
            main(
                ["evaluate", "bad.npy", "-s", "samples.csv", "--orientation", "similarity", "-g", "session == 1",
                 "--no-check-orientation", "-q", "--engine", engine]
            )  # fmt: skip
        said.append((stop.value.code, capsys.readouterr().err))
    assert said[0] == said[1]
    assert said[0][0] == 1
    assert "not finite" in said[0][1]
    with pytest.raises(SystemExit) as stop:
        main(["verify", "scores.npz", "-s", "samples.csv", "--engine", "gpu"])
    assert stop.value.code == 2


@pytest.mark.long
def test_an_interrupt_ends_the_workers(tmp_path: Path) -> None:
    """As a terminal sends it: to all processes."""
    script = tmp_path / "script.py"
    script.write_text(
        "import signal, sys; sys.path.insert(0, sys.argv[2])\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # whoever runs the tests may ignore it
        "from pathlib import Path\n"
        "from tests.engine import errands\n"
        "from proband.engine import run_blocks, using\n"
        "if __name__ == '__main__':\n"
        "    with using('processes:2'):\n"
        "        list(run_blocks(errands.Sleeping(Path(sys.argv[1])), range(50)))\n"
    )
    folder = tmp_path / "begun"
    folder.mkdir()
    for how in (signal.SIGINT, signal.SIGKILL):  # a parent that is killed leaves nobody behind either
        process = subprocess.Popen(
            [sys.executable, script, folder, Path(__file__).parents[2]],
            start_new_session=True,
            stderr=subprocess.DEVNULL,
        )
        until = time.monotonic() + 60
        while len(list(folder.iterdir())) < 2 and time.monotonic() < until:
            time.sleep(0.1)
        if how == signal.SIGINT:
            os.killpg(process.pid, how)
        else:
            process.kill()
        process.wait(20)
        workers = [int(one.name) for one in folder.iterdir()]
        assert len(workers) == 2
        until = time.monotonic() + 20
        while any(map(alive, workers)) and time.monotonic() < until:
            time.sleep(0.1)
        assert not any(map(alive, workers))
        for one in folder.iterdir():
            one.unlink()


def alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
