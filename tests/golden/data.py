"""A small population whose scores are whole thousandths, the same on every machine: nothing here passes through BLAS."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import numpy as np
import polars as pl
from PIL import Image

N_PEOPLE = 32
COUNTS = [4] * 24 + [3] * 4 + [1] * 4  # images of each person; the last four are strangers


def _table() -> pl.DataFrame:
    rng = np.random.default_rng(2001)
    rows = []
    for person, n in enumerate(COUNTS):
        begun = date(1993, 3, 1) + timedelta(days=int(rng.integers(0, 700)))
        later = begun + timedelta(days=int(rng.choice([0, 90, 400, 600])))
        for k in range(n):
            session = 1 + k // 2
            taken = begun if session == 1 else later
            rows.append(
                {
                    "id": f"s{person:02}-{k}",
                    "subject": f"s{person:02}",
                    "session": session,
                    "kind": ("fa", "fb", "fa", "fc")[k],
                    "date": taken,
                    "image_set": f"{taken:%y%m%d}{'ab'[session - 1]}",
                    "camera": "b" if k == 3 else "a",
                    "sex": "male" if person % 3 else "female",
                    "site": "ABC"[person // 2 % 3],
                    "age": 20 + person,
                    "detected": not (person % 11 == 5 and k == 1),
                    "file": f"s{person:02}-{k}.png",
                    "left_eye_x": 15.0,
                    "left_eye_y": 9.0 + k,
                    "right_eye_x": 5.0,
                    "right_eye_y": 9.0,
                }
            )
    return pl.DataFrame(rows)


def _noise(rng: np.random.Generator, n: int) -> np.ndarray:
    made = rng.integers(-160, 161, (3, n, n)).sum(axis=0)
    return np.triu(made) + np.triu(made, 1).T


def _scores(codes: np.ndarray) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(2002)
    n = len(codes)
    same = codes[:, None] == codes
    skill, shared = rng.integers(350, 1_000, N_PEOPLE), _noise(rng, n)
    made = {}
    for name, gain, own in (("strong", 100, 60), ("middling", 70, 90), ("weak", 45, 120)):
        noise = (shared + _noise(rng, n) * own // 100) * 100 // 140
        whole = np.where(same, skill[codes][:, None] * gain // 100, 0) + noise
        made[name] = (whole // 25 * 25 if name == "weak" else whole) / 1_000  # the weak one has ties
    return made


def write(folder: Path) -> None:
    """Write the table, scores, embeddings, images and lists that the cases read."""
    table = _table()
    ids, codes = table["id"].to_list(), table["subject"].str.slice(1).cast(pl.Int64).to_numpy()
    n = len(ids)
    table.write_csv(folder / "samples.csv")
    who = {"algorithm": ["strong", "weak"], "date": ["1997-03", "1996-09"], "metric": ["L1", None]}
    pl.DataFrame(who).write_csv(folder / "participants.csv")
    table.rename({"id": "name", "subject": "who"}).write_csv(folder / "renamed.csv")
    scores = _scores(codes)
    np.savez(folder / "scores.npz", **scores, query_ids=ids, target_ids=ids, orientation="similarity")
    np.savez(folder / "plain.npz", **scores, rows=ids, columns=ids)
    np.save(folder / "bare.npy", -scores["middling"])
    half = [k for k in range(n) if ids[k].endswith("-0")]
    rest = [k for k in range(n) if not ids[k].endswith("-0")]
    matrix = scores["middling"][np.ix_(rest, half)]
    names = {"id": [ids[k] for k in rest]} | {ids[k]: matrix[:, j] for j, k in enumerate(half)}
    pl.DataFrame(names).write_csv(folder / "matrix.csv")
    pairs = [(i, j) for i in rest for j in half]
    lines = [f"{ids[j][:3]} {ids[i][:3]} {ids[i]} {scores['weak'][i, j]:.3f}" for i, j in pairs]
    (folder / "bob.txt").write_text("\n".join(lines) + "\n")
    _pairs(folder, ids, scores, names)
    rng = np.random.default_rng(2003)
    for dims, spread, name in ((12, 9, "first"), (6, 14, "second")):
        centres = rng.integers(-20, 21, (N_PEOPLE, dims))
        vectors = (centres[codes] + rng.integers(-spread, spread + 1, (n, dims))) / 16
        np.savez(folder / f"{name}.npz", **{name: vectors.astype(np.float32)}, ids=ids)
    faces = rng.integers(0, 200, (N_PEOPLE, 24, 20))
    images = (faces[codes] + rng.integers(0, 56, (n, 24, 20))).astype(np.uint8)
    images[5] = images[4]  # a copy
    np.savez(folder / "images.npz", images=images, ids=ids)
    _named_by_files(folder, images)
    _data_sets(folder)
    _lists(folder, table, ids, codes)
    _labelled(folder)
    surveys(folder)


def _named_by_files(folder: Path, images: np.ndarray) -> None:
    """Pictures whose names say who is on them: one is a copy under another name, one the mirror image of another person's."""
    (folder / "faces").mkdir()
    shown = {
        "ann-1": images[0],
        "ann-2": images[40],
        "bo-1": images[80],
        "bo-2": images[80],
        "cy-1": images[0][:, ::-1],
    }
    for name, picture in shown.items():
        Image.fromarray(np.ascontiguousarray(picture)).save(folder / "faces" / f"{name}.png")


def _data_sets(folder: Path) -> None:
    """Accuracies of three algorithms in eight data sets, standard errors of two of them, and outcomes of people in three data sets."""
    names = [f"set {k}" for k in range(8)]
    base = [0.91, 0.83, 0.7, 0.88, 0.95, 0.62, 0.77, 0.81]
    less = {"B": [30, 20, 10, 0, 50, 40, -10, 30], "C": [60, 20, 40, 50, 30, 70, 20, 80]}
    columns = {
        name: [round(one - part / 1000, 3) for one, part in zip(base, off, strict=True)]
        for name, off in less.items()
    }
    pl.DataFrame({"name": names, "A": base, **columns}).write_csv(folder / "accuracies.csv")
    errors = [0.01, 0.02, 0.015, 0.03, 0.012, 0.025, 0.02, 0.018]
    pl.DataFrame({"name": names, "first": "A", "second": "B", "standard_error": errors}).write_csv(
        folder / "errors.csv"
    )
    rows = [
        (f"set {k}", f"p{person}", system, int((person * 7 + 3 * k + shot * 5) % 10 < share))
        for k in range(3)
        for person in range(8 + 4 * k)
        for shot in range(2)
        for system, share in (("new", 8), ("old", 6 + k))
    ]
    pl.DataFrame(rows, ["dataset", "who", "system", "right"], orient="row").write_csv(folder / "repeated.csv")


def _pairs(folder: Path, ids: list[str], scores: dict[str, np.ndarray], matrix: dict[str, object]) -> None:
    """Every pair of images under column names of another's choosing, and a matrix that is named by subject."""
    n = len(ids)
    one, two = np.repeat(np.arange(n), n), np.tile(np.arange(n), n)
    people = np.array([name[:3] for name in ids])
    pl.DataFrame(
        {
            "one": [ids[k] for k in one],
            "two": [ids[k] for k in two],
            "who1": people[one],
            "who2": people[two],
            "kind": np.where(people[one] == people[two], "same", "other"),
            "mid": scores["middling"].ravel(),
            "low": scores["weak"].ravel(),
        }
    ).write_csv(folder / "scored.csv")
    rows = ",".join(["subject", *(name[:3] for name in list(matrix)[1:])])
    columns = list(matrix.values())
    lines = [",".join([str(row[0])[:3], *map(str, row[1:])]) for row in zip(*columns, strict=True)]
    (folder / "labelled.csv").write_text("\n".join([rows, *lines]) + "\n")


def _lists(folder: Path, table: pl.DataFrame, ids: list[str], codes: np.ndarray) -> None:
    rng = np.random.default_rng(2004)
    mated = [(i, j) for i in range(len(ids)) for j in range(i) if codes[i] == codes[j]][:60]
    others = [tuple(rng.choice(len(ids), 2, replace=False).tolist()) for _ in range(90)]
    others = [(i, j) for i, j in others if codes[i] != codes[j]][:60]
    chosen = mated + others
    pl.DataFrame(
        {
            "query": [ids[i] for i, _ in chosen],
            "target": [ids[j] for _, j in chosen],
            "fold": [1 + k % 5 for k in range(len(chosen))],
            "mated": [codes[i] == codes[j] for i, j in chosen],
        }
    ).write_csv(folder / "pairs.csv")
    people = table.filter(pl.col("session") <= 2).select("id", "subject")
    roles = ["test" if int(one[1:]) % 4 == 0 else "train" for one in people["subject"]]
    people.select("id", repeat=pl.lit(1), fold=pl.lit(1)).with_columns(role=pl.Series(roles)).write_csv(
        folder / "splits.csv"
    )
    probes = [one for one in ids[:100] if not one.endswith("-0")]
    (folder / "used.csv").write_text("\n".join(probes) + "\n")
    enrolled = [one for one in ids if one.endswith("-0") and int(one[1:3]) < 24]
    (folder / "enrolled.csv").write_text("\n".join(enrolled) + "\n")
    (folder / "positions.csv").write_text("".join(f"target:{k + 1}\n" for k in range(len(enrolled))))
    reasons = {"id": ids[100:], "reason": ["blurred"] * (len(ids) - 100)}
    pl.DataFrame(reasons).write_csv(folder / "dropped.csv")
    table.head(100).write_csv(folder / "kept.csv")
    (folder / "study.toml").write_text(STUDY)
    (folder / "small.toml").write_text(SMALL)


def _labelled(folder: Path) -> None:
    """Scores of six classes with ties, predicted labels, and outcomes of items, long and wide."""
    rng = np.random.default_rng(2005)
    names = ["bird", "cat", "deer", "dog", "frog", "horse"]
    truth = rng.choice(5, 160, p=[0.4, 0.25, 0.2, 0.1, 0.05])  # no horse
    own = np.eye(6, dtype=int)[truth]
    logits = {
        name: (rng.integers(0, 40, (160, 6)) + lift * own) / 8 for name, lift in (("deep", 30), ("flat", 18))
    }
    groups = rng.integers(0, 30, 160)
    np.savez(folder / "logits.npz", **logits, label=truth, site=groups)
    np.savez(folder / "named.npz", deep=logits["deep"], classes=names)
    np.save(folder / "flat.npy", logits["flat"])
    said = {name: [names[k] for k in one.argmax(axis=1)] for name, one in logits.items()}
    table = {
        "label": [names[k] for k in truth],
        "number": truth,
        "patient": [f"p{k}" for k in groups],
        **said,
    }
    pl.DataFrame(table).write_csv(folder / "labels.csv")
    for file, model in (("said", "deep"), ("other", "flat")):
        own = {
            "id": range(len(table["label"])),
            "label": table["label"],
            "predicted": table[model],
            "subject": table["patient"],
        }
        pl.DataFrame(own).write_csv(folder / f"{file}.csv")
    right = {
        name: rng.integers(0, 100, 60) < share for name, share in (("new", 85), ("old", 60), ("mid", 70))
    }
    documents = [f"d{k // 3}" for k in range(60)]
    wide = {"question": [f"q{k}" for k in range(60)], "document": documents}
    pl.DataFrame({**wide, **{name: one.astype(int) for name, one in right.items()}}).write_csv(
        folder / "wide.csv"
    )
    shares = {name: rng.integers(0, 5, 60) / 4 for name in ("x", "y")}
    pl.DataFrame({**wide, **shares}).write_csv(folder / "shares.csv")
    rows = [(f"q{k}", documents[k], name, int(one[k])) for k in range(60) for name, one in right.items()]
    pl.DataFrame(rows, ["question", "document", "model", "correct"], orient="row").write_csv(
        folder / "outcomes.csv"
    )


def surveys(folder: Path) -> None:
    """A sample of people at sites, with weights, replicate weights and known totals."""
    rng = np.random.default_rng(31)
    rows = []
    for site, (drawn, people) in enumerate(((2, 9), (4, 14), (2, 6), (2, 30))):
        for unit in range(drawn):
            skill = rng.normal(0, 0.4)
            for probe in range(1, 3 + (site + unit) % 3):
                x = round(float(rng.gamma(2, 2)) + 1, 3)
                rows.append(
                    {
                        "site": f"s{site}",
                        "person": f"s{site}p{unit}",
                        "probe": probe,
                        "success": int(rng.random() < 0.75 + skill / 4),
                        "x": x,
                        "y": round(x * (1 + skill) + float(rng.normal()), 3),
                        "group": "abc"[int(rng.integers(3))],
                        "sex": "fm"[(unit + probe) % 2],
                        "people": people,
                        "probes": 6,
                        "weight": round(people / drawn * float(rng.uniform(0.8, 1.4)), 3),
                    }
                )
    signs = rng.integers(0, 2, (8, len(rows)))
    given = {f"rep{k}": np.where(one, 1.5, 0.5) for k, one in enumerate(signs)}
    pl.DataFrame(rows).with_columns(**{name: pl.Series(one) for name, one in given.items()}).write_csv(
        folder / "survey.csv"
    )
    texts = {
        "margins.csv": "variable,level,total\nsex,f,60\nsex,m,70\ngroup,a,40\ngroup,b,50\ngroup,c,40\n",
        "cells.csv": "sex,total\nf,60\nm,70\n",
        "totals.csv": "variable,level,total\n1,,130\nx,,700\n",
    }
    for name, text in texts.items():
        (folder / name).write_text(text)


STUDY = """\
title = "Everything"

[samples]
file = "samples.csv"
failed = "not detected"

[[scores]]
file = "scores.npz"

[experiment]
gallery = "session == 1 and kind == 'fa'"

[[category]]
feret = true

[identification]
ranks = [1, 3]

[[comparison]]
measure = "rank-1"
by_category = true

[[comparison]]
measure = "auc"

[[comparison]]
measure = "fnmr@0.05"

[verification]
fmr = [0.05, 0.01]
by = ["sex"]
zoo = true
n_resamples = 200

[search]
gallery = "session == 1 and kind == 'fa' and age < 44"
fpir = [0.1]

[choices]
groups = ["session"]
n_resamples = 500
max_rank = 5

[strat]
n_images = 4
design = "fay"

[feret]
galleries = 2
order = ["date"]
reject = 0.2

[output]
formats = ["csv"]
seed = 3
"""

SMALL = """\
verification = false

[samples]
file = "samples.csv"

[[embeddings]]
file = "first.npz"
metric = "cosine"

[[embeddings]]
file = "second.npz"
metric = "l2"

[experiment]
gallery = "one_per_subject"

[output]
formats = ["csv"]
"""
