"""A small whole file of every format that is read, the job that reads it, and what may be done to it."""

from __future__ import annotations

import os
import random
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from tests.hostile import mutations as m, tables

from proband.cli import main
from proband.protocols.cards.literature import literature
from proband.samples import Samples
from proband.scores import Scores
from proband.scores.formats import write_image_list, write_scores

N = 6
PEOPLE = [f"p{k}" for k in range(N)]
QUERIES, TARGETS = [f"{p}-2" for p in PEOPLE], [f"{p}-1" for p in PEOPLE]
SAMPLES = "samples.csv"


@dataclass(frozen=True)
class Entry:
    """A file of the corpus.

    Attributes
    ----------
    make
        Puts it, and what it needs, into a folder.
    file
        What is damaged, below that folder.
    kind, job
        How it is read.
    costly
        Whether a case takes a whole command, so that there are fewer.
    """

    make: Callable[[Path], None]
    file: str
    mutations: Sequence[m.Mutation]
    kind: str = "scores"
    job: Mapping[str, Any] = field(default_factory=dict)
    costly: bool = False


def table() -> Samples:
    """Six people with two samples each."""
    return Samples(
        {
            "id": TARGETS + QUERIES,
            "subject": PEOPLE * 2,
            "session": [1] * N + [2] * N,
            "taken": [f"1996-01-{k + 1:02}" for k in range(2 * N)],
        }
    )


def scores() -> Scores:
    """Five of six people are recognised; every score is a number of few digits."""
    values = np.random.default_rng(3).integers(1, 400, (N, N)) / 1_000 + np.eye(N)
    values[0, 1] = 2
    return Scores.from_array(values, QUERIES, TARGETS, orientation="similarity", name="scores")


# How a file is made

TRAIN = "recognize -i images.npz -s samples.csv --as-they-are"
RECOGNIZE = "recognize -i pictures -s samples.csv -a correlation --as-they-are -o made.npz"


def _written(name: str, format: str | None = None) -> Callable[[Path], None]:
    def make(folder: Path) -> None:
        table().frame.write_csv(folder / SAMPLES)
        write_scores(folder / name, scores(), samples=table(), format=format)

    return make


def _signature_sets(folder: Path) -> None:
    write_scores(folder / "scores.mtx", scores(), samples=table())
    (folder / "scores.mask").unlink()
    for name, ids in (("targets.xml", TARGETS), ("queries.xml", QUERIES)):
        rows = "".join(
            f'<biometric-signature name="{one.partition("-")[0]}"><presentation name="{one}"/></biometric-signature>\n'
            for one in ids
        )
        (folder / name).write_text(f"<biometric-signature-set>\n{rows}</biometric-signature-set>\n")
    kind, _, _, rest = (folder / "scores.mtx").read_bytes().split(b"\n", 3)
    (folder / "scores.mtx").write_bytes(b"\n".join([kind, b"targets.xml", b"queries.xml", rest]))


def _odd_table(content: bytes, rng: random.Random) -> m.Mutated:
    """Another table altogether, of things that tables seldom hold."""
    name = rng.choice([*tables.ODD, *tables.TWICE])
    with tempfile.TemporaryDirectory() as folder:
        path = tables.written(name, "parquet" if content[:4] == b"PAR1" else "arrow", Path(folder))
        return m.Mutated(content if path is None else path.read_bytes(), name, "any")


def _bssr1(folder: Path) -> None:
    sets, sims = (folder / one for one in ("sets/dos", "sims/dos"))
    for home in (sets, sims):
        home.mkdir(parents=True)
    for kind in ("users", "enrollees"):
        lines = "".join(f'<signature name="{k:03}" subject_id="p{k}"/>\n' for k in range(N))
        (sets / f"{kind}.xml").write_text(f"<set>\n{lines}</set>\n")
    for k in range(N):
        lines = "".join(f"{0.9 if j == k else 0.1 + j / 100}\n" for j in range(N))
        (sims / f"{k:03}").write_text(f"biometricscores.nist.gov\n{N}\n{lines}")


def _study(folder: Path) -> None:
    _written("scores.npz")(folder)
    (folder / "study.toml").write_text(
        'title = "A study"\n\n[samples]\nfile = "samples.csv"\n\n[[scores]]\nfile = "scores.npz"\n\n'
        '[identification]\nranks = [1, 5]\n\n[output]\nformats = ["csv"]\n'
    )


def _splits(folder: Path) -> None:
    table().frame.write_csv(folder / SAMPLES)
    roles = (["train"] * 3 + ["test"] * 3) * 2
    columns = {"id": TARGETS + QUERIES, "repeat": [1] * 2 * N, "fold": [1] * 2 * N, "role": roles}
    pl.DataFrame(columns).write_csv(folder / "splits.csv")


def _pairs(folder: Path) -> None:
    _written("scores.npz")(folder)
    columns = {
        "query": QUERIES * 2,
        "target": TARGETS + TARGETS[::-1],
        "mated": [True] * N + [False] * N,
        "fold": [1, 2] * N,
    }
    pl.DataFrame(columns).write_csv(folder / "pairs.csv")


def _numbered_pairs(folder: Path) -> None:
    _written("scores.npz")(folder)
    rows = np.arange(N)
    arrays = {"pair_a": np.tile(rows, 2) + N, "pair_b": np.append(rows, rows[::-1]), "pair_fold": [1, 2] * N}
    np.savez(folder / "pairs.npz", pair_same=[True] * N + [False] * N, **arrays)


def _lfw_pairs(folder: Path) -> None:
    ids = [f"{person}_{k:04}" for k in (1, 2) for person in PEOPLE]
    columns = {"id": ids, "subject": PEOPLE * 2}
    pl.DataFrame(columns).write_csv(folder / SAMPLES)
    rng = np.random.default_rng(2)
    values = rng.normal(size=(2 * N, 2 * N)) + np.kron(np.ones((2, 2)), 3 * np.eye(N))
    np.savez(folder / "scores.npz", scores=values, query_ids=ids, target_ids=ids)
    same = [f"{person}\t1\t2\n" for person in PEOPLE]
    other = [f"{a}\t1\t{b}\t2\n" for a, b in zip(PEOPLE, PEOPLE[1:] + PEOPLE[:1], strict=True)]
    (folder / "pairs.txt").write_text(f"2\t3\n{''.join(same[:3] + other[:3] + same[3:] + other[3:])}")


def _embeddings(folder: Path) -> None:
    table().frame.write_csv(folder / SAMPLES)
    vectors = np.random.default_rng(4).normal(size=(2 * N, 8))
    np.savez(folder / "vectors.npz", model=vectors, ids=TARGETS + QUERIES)


def _crops(folder: Path) -> None:
    table().frame.write_csv(folder / SAMPLES)
    images = np.random.default_rng(1).integers(0, 255, (2 * N, 40, 32), dtype=np.uint8)
    np.savez(folder / "images.npz", images=images, ids=TARGETS + QUERIES)


def _model(folder: Path) -> None:
    _crops(folder)
    _run(folder, f"{TRAIN} -a pca:l2 --train session==1 --save-models models -o made.npz")
    (folder / "made.npz").unlink()


def _submission(ending: str) -> Callable[[Path], None]:
    def make(folder: Path) -> None:
        _crops(folder)
        _run(
            folder,
            "blind make samples.csv --images images.npz --target session==1 --query session==2 --out test --key test.key",
        )
        answers = folder / "answers"
        answers.mkdir()
        form = (folder / "test" / "submission.toml").read_text()
        form = form.replace('algorithm = ""', 'algorithm = "mine"').replace(
            'orientation = ""', 'orientation = "similarity"'
        )
        (answers / "submission.toml").write_text(form)
        rng = np.random.default_rng(7)
        for name, sets in (
            ("scores", ("queries", "targets")),
            ("control", ("control_queries", "control_targets")),
        ):
            queries, targets = (
                pl.read_csv(folder / "test" / f"{one}.csv").to_series(0).to_list() for one in sets
            )
            values = rng.normal(size=(len(queries), len(targets)))
            made = Scores.from_array(values, queries, targets, orientation="similarity")
            write_scores(answers / f"{name}.{ending}", made)

    return make


def _run(folder: Path, command: str) -> None:
    here = Path.cwd()
    os.chdir(folder)
    try:
        main(command.split())
    except SystemExit as stop:
        if stop.code:
            raise AssertionError(command) from None
    finally:
        os.chdir(here)


def _card(folder: Path) -> None:
    literature("feret").card(6).write(folder / "card.json")


def _distances(folder: Path) -> None:
    table().frame.write_csv(folder / SAMPLES)
    turned = Scores.from_array(
        -scores().tile(*(np.arange(n) for n in (N, N))), QUERIES, TARGETS, orientation="distance"
    )
    write_scores(folder / "distances", turned, samples=table(), format="csu")


def _pictures(ending: str) -> Callable[[Path], None]:
    def make(folder: Path) -> None:
        from PIL import Image

        rng = np.random.default_rng(1)
        (folder / "pictures").mkdir()
        frame = table().frame.with_columns(file=pl.col("id") + f".{ending}")
        for name in frame["file"]:
            picture = Image.fromarray(rng.integers(0, 255, (40, 32), dtype=np.uint8))
            picture.save(folder / "pictures" / name)
        frame.write_csv(folder / SAMPLES)

    return make


# How it is read


def _job(name: str) -> dict[str, Any]:
    states = name.endswith((".npy", ".npz", ".mtx"))
    knows = name.endswith((".mtx", ".txt"))  # whose the samples are
    return {
        "path": name,
        "samples": None if knows else SAMPLES,
        "orientation": None if states else "similarity",
    }


def _read(
    name: str, mutations: Sequence[m.Mutation], format: str | None = None, file: str | None = None
) -> Entry:
    return Entry(_written(name, format), file or name, mutations, "scores", _job(name))


def _people(name: str, mutations: Sequence[m.Mutation]) -> Entry:
    def make(folder: Path) -> None:
        path, frame = folder / name, table().frame
        match path.suffix:
            case ".parquet":
                frame.write_parquet(path)
            case ".arrow":
                frame.write_ipc(path)
            case ".jsonl":
                frame.write_ndjson(path)
            case ".srt":
                write_image_list(path, table())
            case ending:
                frame.write_csv(path, separator="\t" if ending == ".tsv" else ",")

    return Entry(make, name, mutations, "samples", {"path": name})


def _command(make: Callable[[Path], None], file: str, mutations: Sequence[m.Mutation], command: str) -> Entry:
    return Entry(make, file, mutations, "command", {"argv": command.split()}, costly=True)


CSV_MATRIX = m.Rows(scores=tuple(range(1, N + 1)))
CSV_LONG = m.Rows(scores=(2,), ids=(0, 1))
BOB4, BOB5 = (m.Rows(" ", header=False, scores=(k,), ids=tuple(range(k))) for k in (3, 4))
TABLE = m.Rows(ids=(0, 1)).all(ordered=False)
ARRAY = (m.bytes_at_random, m.cut, m.longer, m.claims, m.other_types)
MEMBERS = tuple(m.in_member(one) for one in (m.claims, m.other_types, m.cut))
NAMELESS = (m.bytes_at_random, m.cut, *MEMBERS, m.doubled_member, m.many_members)
ARCHIVE = (*NAMELESS, m.code_points, m.bomb)
DOCUMENT = (m.json_node, m.deep, m.bytes_at_random)
MATRIX = (m.bytes_at_random, m.cut, m.longer, m.bee_header)
BINARY = (m.bytes_at_random, m.bytes_at_random, m.cut, _odd_table)
TEXT = (m.text_lines, m.bytes_at_random, m.pumped, m.null_byte)
TOML = (*TEXT, m.toml_deep)
XML = (*TEXT, m.xml_deep)
VERIFY = "verify scores.npz -s samples.csv --orientation similarity --json --pairs"

CORPUS: dict[str, Entry] = {
    "npy": _read("scores.npy", ARRAY),
    "npy side-car": _read("scores.npy", DOCUMENT, file="scores.npy.json"),
    "npz": _read("scores.npz", ARCHIVE),
    "bee": _read("scores.mtx", MATRIX),
    "bee mask": _read("scores.mtx", MATRIX, file="scores.mask"),
    "csv matrix": _read("scores.csv", CSV_MATRIX.all(), "csv-matrix"),
    "csv list": _read("scores.csv", CSV_LONG.all(ordered=False), "csv-long"),
    "parquet matrix": _read("scores.parquet", BINARY, "parquet-matrix"),
    "parquet list": _read("scores.parquet", BINARY, "parquet-long"),
    "bob4": _read("scores.txt", BOB4.all(quotes=False), "bob4"),
    "bob5": _read("scores.txt", BOB5.all(quotes=False), "bob5"),
    "csv samples": _people("samples.csv", TABLE),
    "tsv samples": _people("samples.tsv", m.Rows("\t", ids=(0, 1)).all(ordered=False)),
    "parquet samples": _people("samples.parquet", BINARY),
    "arrow samples": _people("samples.arrow", BINARY),
    "json lines": _people("samples.jsonl", (*TEXT, m.deep)),
    "image list": _people("samples.srt", TEXT),
    "signature set": Entry(_signature_sets, "queries.xml", XML, job=_job("scores.mtx")),
    "bssr1 list": Entry(_bssr1, "sets/dos/users.xml", XML, job=_job("sims/dos") | {"samples": None}),
    "bssr1 file": Entry(_bssr1, "sims/dos/001", TEXT, job=_job("sims/dos") | {"samples": None}),
    "study": _command(_study, "study.toml", TOML, "run study.toml"),
    "splits": _command(_splits, "splits.csv", TABLE, "audit splits.csv -s samples.csv --json"),
    "pairs": _command(_pairs, "pairs.csv", TABLE, f"{VERIFY} pairs.csv"),
    "numbered pairs": _command(
        _numbered_pairs, "pairs.npz", (m.bytes_at_random, m.cut, *MEMBERS), f"{VERIFY} pairs.npz"
    ),
    "lfw pairs": _command(_lfw_pairs, "pairs.txt", TEXT, f"{VERIFY} pairs.txt"),
    "embeddings": _command(
        _embeddings,
        "vectors.npz",
        ARCHIVE,
        "evaluate -e vectors.npz --metric cosine -s samples.csv -g one_per_subject --json",
    ),
    "images": _command(_crops, "images.npz", ARCHIVE, RECOGNIZE.replace("pictures", "images.npz")),
    "card": _command(_card, "card.json", DOCUMENT, "card validate card.json"),
    "model": _command(
        _model,
        "models/pca-l2.npz",
        NAMELESS,
        f"{TRAIN} -m models/pca-l2.npz --queries session==2 --targets session==2 -o made.npz",
    ),
    **{
        f"{ending} submission": _command(
            _submission(ending), f"answers/scores.{ending}", mutations, "blind check test answers"
        )
        for ending, mutations in (("npy", ARRAY), ("npz", ARCHIVE), ("parquet", BINARY))
    },
    "declaration": _command(_submission("npy"), "answers/submission.toml", TOML, "blind check test answers"),
    "package": _command(_submission("npy"), "test/package.json", DOCUMENT, "blind check test answers"),
    "csu": Entry(_distances, f"distances/{QUERIES[0]}", TEXT, job=_job("distances") | {"orientation": None}),
    **{
        f"{ending} pictures": _command(
            _pictures(ending), f"pictures/p0-1.{ending}", (m.bytes_at_random, m.cut_picture), RECOGNIZE
        )
        for ending in ("png", "tiff", "jpg")
    },
}
