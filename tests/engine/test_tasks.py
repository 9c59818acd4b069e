"""What runs in blocks could run elsewhere: every task and every block can be sent, and comes to the same there."""

from __future__ import annotations

import ast
import io
import pickle
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import proband as pb
from proband.algorithms import Crops, acquire, recognizer
from proband.algorithms.pictures.pictures import Pictures
from proband.blind.checking.equality import Equality
from proband.blind.checking.matrices import SubmittedMatrix
from proband.blind.checking.surveying import survey
from proband.cli import main
from proband.engine import run_blocks
from proband.faces import Population
from proband.faces.files import write_population
from proband.inference.image_choice.estimates import exact_over_choices
from proband.inference.image_choice.virtual_experiments import permute
from proband.inference.verification.intervals.dyadic_bootstrap import (
    bootstrapped_error_rates,
    fnmr_at_fmr_replicates,
)
from proband.inference.verification.people.drawings import Drawings
from proband.inference.verification.people.meetings import Comparisons
from proband.inference.verification.thinned import KEPT, ThinnedTail
from proband.measures.open_set import search
from proband.measures.pairs.counts import count_pairs, impostor_meetings, tail_pairs
from proband.measures.pairs.pair_set import PairSet
from proband.measures.pairs.placements import placements
from proband.measures.ranks import rank
from proband.protocols.audit.duplicates import close_codes, duplicate_vectors
from proband.protocols.running import learning
from proband.protocols.running.data import FeatureTable
from proband.protocols.running.running import run_protocol
from proband.samples import Experiment, Pool, Samples
from proband.scores import Embeddings, Scores

SOURCE = Path(pb.__file__).parent
MODULES = {
    path: ast.parse(path.read_text(encoding="utf-8"))
    for path in sorted(SOURCE.rglob("*.py"))
    if path.parent.name != "engine" and "run_blocks(" in path.read_text(encoding="utf-8")
}


class Sending(pickle.Pickler):
    """Notes the types of all that is sent."""

    seen: set[type]

    def reducer_override(self, thing: Any) -> Any:
        self.seen.add(type(thing))
        return NotImplemented


@dataclass
class Elsewhere:
    """Stands in for an engine whose workers share nothing: each block meets a task of its own that was sent to it."""

    seen: set[type]

    def sent(self, thing: Any) -> Callable[[], Any]:
        """Something that gives a new copy each time; arrays that are not to be written stay so, as kernels know them."""
        file, buffers = io.BytesIO(), []
        sending = Sending(file, protocol=5, buffer_callback=lambda one: buffers.append(one.raw()))
        sending.seen = self.seen
        sending.dump(thing)
        return lambda: pickle.loads(
            file.getvalue(), buffers=[bytes(one) if one.readonly else bytearray(one) for one in buffers]
        )

    def run_blocks(self, task: Any, blocks: Iterable[Any], threads: int | None = None) -> Iterator[Any]:
        there = self.sent(task)
        for block in blocks:
            result = there()(self.sent(block)())
            yield self.sent(result)()


def people(n: int = 12, sessions: int = 3) -> Samples:
    names = [f"p{k:02d}" for k in range(n)]
    return Samples(
        {
            "id": [f"{name}-{day}" for day in range(sessions) for name in names],
            "subject": names * sessions,
            "day": np.repeat(np.arange(sessions), n).tolist(),
        }
    )


def scores_of(samples: Samples, folder: Path, kind: str) -> Scores:
    rng = np.random.default_rng(5)
    n = len(samples)
    if kind == "embeddings":
        vectors = rng.normal(size=(int(samples.codes.max()) + 1, 8))[samples.codes]
        return Embeddings(vectors + 0.7 * rng.normal(size=(n, 8)), samples.ids, metric="cosine", name="e")
    values = (samples.codes[:, None] == samples.codes) + rng.normal(0, 0.6, (n, n)).round(1)
    if kind == "mapped":
        np.save(folder / "scores.npy", values)
        values = np.load(folder / "scores.npy", mmap_mode="r")
    cells = np.zeros((n, n), dtype=np.uint8)
    cells[rng.random((n, n)) < 0.05] = 1
    return Scores.from_array(
        values, samples.ids, orientation="similarity", name=kind, cells=cells if kind == "masked" else None
    )


def ranks(folder: Path, kind: str, counting: str) -> Any:
    samples = people()
    experiment = Experiment(samples, gallery="day <= 1", probes="day == 2")
    found = rank(scores_of(samples, folder, kind), experiment, counting=counting)  # type: ignore[arg-type]
    return found.closer, found.tied, found.best_mates, found.failed


def searches(folder: Path, fusion: str) -> Any:
    samples = people()
    gallery = [name for name, code in zip(samples.ids, samples.codes, strict=True) if code < 8]
    experiment = Experiment(samples, gallery=gallery[:16], probes="day == 2")
    found = search(scores_of(samples, folder, "mapped"), experiment, fusion=fusion, counted_at=[0.5])  # type: ignore[arg-type]
    return found.mate, found.place, found.best, found.reaching


def pairs(folder: Path, kind: str, log_ratios: bool = False) -> Any:
    samples = people()
    scores = scores_of(samples, folder, kind)
    chosen = PairSet.of(scores, samples)
    counts = count_pairs(scores, chosen, [0.3], log_ratios=log_ratios)
    met, tail = impostor_meetings(scores, chosen), tail_pairs(scores, chosen, 0.6)
    placed = placements(scores, chosen, counts.edges, 0.9)
    sizes = np.bincount(chosen.acquired.row_codes)
    meetings = Comparisons(sizes, sizes, symmetric=True)
    codes = np.arange(len(sizes), dtype=np.int32)
    thin = ThinnedTail.of(scores, chosen, codes, meetings, [0.4], {}, lambda _: 2 * KEPT)
    drawn = thin.matches(0.4).by_subject, thin.matches(0.4).squares
    return (
        counts.edges,
        counts.impostor_ge,
        counts.impostor_gt,
        counts.impostor_bits,
        met,
        tail,
        placed,
        drawn,
    )


def bootstraps(folder: Path) -> Any:
    rng = np.random.default_rng(2)
    who = np.arange(9)
    first, second = np.triu_indices(9, 1)
    there = Comparisons(np.full(9, 2), np.full(9, 2), symmetric=True)
    tail = np.repeat(first, 4), np.repeat(second, 4), rng.normal(size=4 * len(first))
    own = rng.normal(2, 1, 9)
    found = bootstrapped_error_rates(
        *tail, there, [1.0, 2.0], 600, 4, genuine_subjects=who, genuine_closeness=own
    )
    return found.fmr_replicates, found.fnmr_replicates, fnmr_at_fmr_replicates(
        *tail, who, own, there, 0.05, 600, 4
    )  # fmt: skip


def weighted_pairs(folder: Path) -> Any:
    samples = people()
    scores, design = scores_of(samples, folder, "embeddings"), pb.designs.Bootstrap(n_resamples=300)
    return pb.estimate(scores, samples, measure=pb.measures.EER(), design=design).replicates


def trials(folder: Path, ties: str) -> Any:
    samples = people()
    named = {kind: scores_of(samples, folder, kind) for kind in ("mapped", "embeddings")}
    pool = Pool(samples, "day")
    found = permute(named, pool, design=pb.designs.ImageChoice(5000), ties=ties, seed=3, keep=True)  # type: ignore[arg-type]
    means = [found.rate(name, r).mean for name in named for r in range(1, 11)]
    return found.to_dict(), means, found.successes


def over_choices(folder: Path) -> Any:
    samples = people()
    scores, pool = scores_of(samples, folder, "embeddings"), Pool(samples, "day")
    exact = exact_over_choices(scores, pool)
    median = pb.estimate(
        scores, pool, measure=pb.measures.MedianCensoredRank(), design=pb.designs.ImageChoice(3000)
    )
    return exact.to_dict(), median.to_dict()


def surveys(folder: Path) -> Any:
    samples = people()
    values = scores_of(samples, folder, "mapped").values  # type: ignore[attr-defined]
    laid = SubmittedMatrix("m", values, None, None, None).laid_over(
        samples.ids[:], samples.ids[:], (samples.ids[3],)
    )
    return vars(survey(laid, np.array([[0, 1], [2, 3]]), Equality.of(laid, 1e-3)))


SMALL = Population(3, plan="grid", sessions=2, images_per_session=2, height=64, width=56)


def faces(folder: Path) -> Any:
    written = folder / "people"
    write_population(SMALL, written)
    samples = Samples.read(written / "samples.csv")
    crops = acquire(Pictures.of(written, samples), samples, samples.ids).crops
    main_ended(
        "alter", written, "-s", written / "samples.csv", "-c", "gain:2", "--npz", "-q", "-o", folder / "npz"
    )
    main_ended("alter", written, "-s", written / "samples.csv", "-c", "gain:2", "-q", "-o", folder / "png")
    with np.load(folder / "npz" / "images.npz") as archive:
        changed = dict(archive)
    again = Samples.read(folder / "npz" / "samples.csv")
    cropped = acquire(Pictures.of(folder / "npz" / "images.npz", again), again, again.ids).crops
    files = {path.name: path.read_bytes() for path in sorted((folder / "png" / "images").iterdir())}
    return SMALL.render(), crops.images, changed, cropped.images, files


def main_ended(*words: object) -> None:
    with pytest.raises(SystemExit) as stop:
        main([str(word) for word in words])
    assert not stop.value.code


def recognizers(folder: Path) -> Any:
    samples = Samples(SMALL.columns())
    crops = Crops.of(SMALL.render(), samples)
    found = []
    for name in ("pca:l2", "lbp:chi2", "lbp:nbnn"):
        model = recognizer(name, mask=False).fit(crops)
        found.append((model.represent(crops), model.class_scores(crops, crops)[0]))
    return found


def protocols(folder: Path, most_bytes: int) -> Any:
    samples = Samples(SMALL.columns())
    data = FeatureTable(samples, images=SMALL.render(), name="faces")
    names = ["lbp:nbnn", "lbp:chi2", "src", "sklearn.neighbors:KNeighborsClassifier(n_neighbors=1)"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(learning, "_MOST_BYTES", most_bytes)
        found = run_protocol(names, data, "1×2f CV", cache=folder / "cache")
        again = run_protocol(names, data, "2×2f CV", cache=folder / "cache")
    return [run.predictions().rows() for run in (found, again)]


def copies(folder: Path) -> Any:
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 2**63, (40, 1, 2), dtype=np.uint64)
    codes[7] = codes[3]
    vectors = rng.normal(size=(60, 4))
    vectors[9] = 2 * vectors[4]
    found = duplicate_vectors(vectors, [str(k) for k in range(60)], np.arange(60) // 3)
    return close_codes(codes, 3), found.pairs.rows()


VERBS: dict[str, Callable[[Path], Any]] = {
    "ranks of a matrix": lambda folder: ranks(folder, "mapped", "images"),
    "ranks of people": lambda folder: ranks(folder, "masked", "subjects"),
    "ranks of embeddings": lambda folder: ranks(folder, "embeddings", "images"),
    "searches": lambda folder: searches(folder, "max"),
    "searches by means": lambda folder: searches(folder, "mean"),
    "pairs of a matrix": lambda folder: pairs(folder, "mapped", log_ratios=True),
    "pairs with gaps": lambda folder: pairs(folder, "masked"),
    "pairs of embeddings": lambda folder: pairs(folder, "embeddings"),
    "bootstraps of people": bootstraps,
    "weighted pairs": weighted_pairs,
    "trials": lambda folder: trials(folder, "pessimistic"),
    "trials with fractions": lambda folder: trials(folder, "mean"),
    "choices, exactly and drawn": over_choices,
    "a blind test's matrix": surveys,
    "faces": faces,
    "recognisers": recognizers,
    "protocols": lambda folder: protocols(folder, 1 << 30),
    "protocols, nothing kept": lambda folder: protocols(folder, 0),
    "copies": copies,
}


@dataclass
class Walk:
    here: dict[str, Any]
    there: dict[str, Any]
    sent: set[type]


@pytest.fixture(scope="module")
def walk(tmp_path_factory: pytest.TempPathFactory) -> Walk:
    """Every verb twice: by threads, and by an engine that sends all that it is given."""
    here = {name: verb(tmp_path_factory.mktemp("here")) for name, verb in VERBS.items()}
    elsewhere = Elsewhere(set())
    with pytest.MonkeyPatch.context() as patch:
        for path in MODULES:
            import_module(".".join(("proband", *path.relative_to(SOURCE).with_suffix("").parts)))
        for module in list(sys.modules.values()):
            if vars(module).get("run_blocks") is run_blocks and module.__name__.startswith("proband"):
                patch.setattr(module, "run_blocks", elsewhere.run_blocks)
        there = {name: verb(tmp_path_factory.mktemp("there")) for name, verb in VERBS.items()}
    return Walk(here, there, elsewhere.seen)


@pytest.mark.parametrize("verb", VERBS)
def test_work_that_was_sent_comes_to_the_same(walk: Walk, verb: str) -> None:
    np.testing.assert_equal(walk.there[verb], walk.here[verb])


def test_every_task_there_is_was_sent(walk: Walk) -> None:
    sent = {f"{kind.__module__}.{kind.__qualname__}" for kind in walk.sent}
    for path, tree in MODULES.items():
        module = ".".join(("proband", *path.relative_to(SOURCE).with_suffix("").parts))
        tasks = [
            node.name
            for node in tree.body
            if isinstance(node, ast.ClassDef)
            and any(isinstance(part, ast.FunctionDef) and part.name == "__call__" for part in node.body)
        ]
        assert tasks, f"{module} runs blocks of what is no task"
        assert {f"{module}.{name}" for name in tasks} <= sent


def test_nothing_but_tasks_runs_in_blocks() -> None:
    """A function within a function, a lambda or a bound method cannot be sent, or takes along what it should not."""
    assert len(MODULES) > 15
    for path, tree in MODULES.items():
        classes = {node.name for node in tree.body if isinstance(node, ast.ClassDef)}
        tasks = classes | {"task"}
        for call in ast.walk(tree):
            if (
                isinstance(call, ast.Call)
                and isinstance(call.func, ast.Name)
                and call.func.id == "run_blocks"
            ):
                given = call.args[0]
                named = given.func if isinstance(given, ast.Call) else given
                name = named.id if isinstance(named, ast.Name) else getattr(named, "attr", None)
                assert name in tasks, f"{path.name}:{call.lineno} runs {ast.unparse(given)}"


def test_drawings_are_sent_without_what_they_keep() -> None:
    drawings = Drawings(3)
    kept = drawings.weights("vertex", 5, 10, 0)
    sent = pickle.loads(pickle.dumps(drawings))
    assert not sent.kept
    assert np.array_equal(sent.weights("vertex", 5, 10, 0), kept)


@pytest.mark.parametrize("kind", ["mapped", "masked", "embeddings"])
def test_the_number_of_threads_reaches_all_work(kind: str, tmp_path: Path, monkeypatch: Any) -> None:
    """Whatever forgets it would ask the environment, which here has no answer."""
    monkeypatch.setenv("PROBAND_THREADS", "none")
    samples = people()
    scores = scores_of(samples, tmp_path, kind)
    experiment = Experiment(samples, gallery="day <= 1", probes="day == 2")
    assert pb.verify(scores, samples, fmr=[0.1], threads=1).points
    assert len(rank(scores, experiment, threads=1).ranks)
    if kind != "masked":
        assert (
            permute([scores], Pool(samples, "day"), design=pb.designs.ImageChoice(3000), threads=1).n_trials
            == 3000
        )
