"""Every command in every way it is used, and a value for every option: the ground on which options are tried one by one.

A mode is the least that must be typed for one way of using a command, on the files of `tests.golden.data`.
"""

from __future__ import annotations

import io
import json
import shlex
import shutil
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from enum import EnumMeta
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from tests.golden.freeze import fresh
from typer.main import get_command

from proband.blind import BlindTest, Key
from proband.cli import main
from proband.cli.app import app
from proband.samples import Samples

G = """-g "session == 1 and kind == 'fa'" """
K = """-g "session == 1 and kind == 'fa' and age < 44" """
S = "scores.npz -s samples.csv"
TWO = "scores.npz::strong scores.npz::weak -s samples.csv"
E = "-e first.npz -s samples.csv --metric l2"
LIST = "chosen.csv --columns a=one,b=two,mated=kind,subject_a=who1,subject_b=who2,score=mid --mated-is same --orientation similarity"
BARE = "chosen.csv --columns mated=kind,score=mid --mated-is same --orientation similarity"
NEAR = "sklearn.neighbors:KNeighborsClassifier(n_neighbors=1)"
MADE = "made"
"""The directory that outputs go to."""

MODES: dict[str, dict[str, str]] = {
    "evaluate": {
        "scores": f"{S} {G}",
        "embeddings": f"{E} -g one_per_subject",
        "a design": f"{S} {G} --measure rank-1 --design bootstrap",
        "galleries of brr": f"{S} {G} --measure rank-1 --design brr --strata site --units subject",
        "a mask": "matrix.mtx --mask matrix.mask",
    },
    "compare": {
        "scores": f"{S} {G}",
        "embeddings": f"{E} -e second.npz -g one_per_subject",
        "median ranks": f"{TWO} {G} --measure median-rank@5",
        "FNMR": f"{TWO} --measure fnmr@0.05",
        "AUC": f"{TWO} {G} --measure auc",
        "lists": f"{LIST.replace('score=mid', 'score=mid,score=low')} --measure auc",
        "a second set": f"""{S} {G} -p "session == 2 and sex == 'male'" --with-scores scores.npz --with-probes "session == 2 and sex == 'female'" """,
        "outcomes": "outcomes.csv --outcomes --item question --algorithm model --success correct",
        "wide outcomes": "wide.csv --outcomes --algorithms new,old --item question",
    },
    "verify": {
        "scores": f"{S} --fmr 0.05 --replicates 100",
        "embeddings": f"{E} --fmr 0.05 --replicates 100",
        "lists": f"{LIST} --fmr 0.05 --replicates 100",
        "lists without people": f"{BARE} --fmr 0.05",
        "folds": f"{S} --pairs pairs.csv",
        "gallery and probes": f"{S} {G} --fmr 0.05 --replicates 100",
    },
    "threshold": {
        "scores": f"{S} --fmr 0.05",
        "embeddings": f"{E} --fmr 0.05",
        "lists": f"{LIST} --fmr 0.2",
    },
    "search": {"scores": f"{S} {K} --fpir 0.2", "embeddings": f"{E} -g @enrolled.csv --fpir 0.2"},
    "gate": {
        "scores": f"{S} {G} --baseline weak --candidate strong",
        "a file": f"scores.npz::strong --baseline scores.npz::weak -s samples.csv {G}",
        "embeddings": f"{E} --baseline old=second.npz -g one_per_subject",
        "FNMR": f"{S} --baseline weak --candidate strong --measure fnmr@0.05",
    },
    "mcnemar": {
        "counts": "60 38",
        "counts of all": "60 38 --total 722",
        "scores": f"{TWO} {G}",
        "several pairs": f"{S} {G} --against weak",
        "embeddings": f"{E} -e second.npz -g one_per_subject",
    },
    "permute": {
        "trials": f"{S} --groups session --trials 100 --max-rank 5",
        "exact": f"{S} --groups session --exact --max-rank 5",
        "trainings": f"{S} --groups session --trainings",
        "embeddings": f"{E} --groups session --trials 100 --max-rank 5",
        "measures": f"{S} --groups session --trials 100 --max-rank 5 --measure median-rank@4",
    },
    "strat": {
        "columns of images": f"{S} --images 4",
        "a fixed gallery": f"{S} {G}",
        "sensors": f"{S} {G} --sensors camera",
        "bootstrap": f"{S} {G} --design rao-wu --replicates 60",
        "embeddings": f"{E} --images 4",
    },
    "feret": {
        "categories": f"{S} {G} --feret",
        "galleries": f"{S} {G} --galleries 2",
        "rejection": f"{S} {G} --reject 0.2",
        "embeddings": f"{E} -g one_per_subject",
    },
    "covariates": {
        "success": f"{S} {G} --on sex",
        "match": f"{S} {G} --on sex --outcome match --fmr 0.1",
        "log-rank": f"{S} {G} --on sex --outcome log-rank",
        "outcomes": "survey.csv --outcomes --success success --cluster person --on sex",
        "weighted outcomes": "survey.csv --outcomes --success success --cluster person --weights weight --on sex",
        "embeddings": f"{E} -g one_per_subject --on age --outcome log-rank",
    },
    "partition": {"scores": f"{S} {G}", "rank 4": f"{S} {G} --rank 4", "one algorithm": f"{E} -g one_per_subject"},
    "classify": {
        "scores": "logits.npz labels.csv --truth number",
        "labels": "labels.csv --predicted deep --predicted flat",
        "files of predictions": "--predictions said.csv --predictions other.csv",
        "one model": "flat.npy labels.csv --truth number",
    },
    "datasets": {
        "accuracies": "accuracies.csv --dataset name",
        "standard errors": "accuracies.csv --dataset name --errors errors.csv",
        "outcomes": "repeated.csv --algorithm system --success right --cluster who",
    },
    "survey": {
        "linearised": "survey.csv --weights weight --strata site --units person --mean success",
        "no strata": "survey.csv --mean x",
        "jackknife": "survey.csv --weights weight --strata site --units person --mean success --method jkn",
        "bootstrap": "survey.csv --weights weight --units person --mean x --method bootstrap --replicates 20",
        "replicate weights": """survey.csv --weights weight --mean x --replicate-weights "rep*" --scale 0.2""",
        "quantiles": "survey.csv --weights weight --strata site --units person --quantile x",
        "raked": "survey.csv --weights weight --strata site --units person --mean x --rake margins.csv",
        "calibrated": "survey.csv --weights weight --strata site --units person --mean x --calibrate totals.csv",
        "units numbered anew": "renumbered.csv --weights weight --strata site --units person --mean x --nest",
        "domains": "survey.csv --weights weight --strata site --units person --mean x --by sex",
    },
    "plan": {
        "an interval": "--rate 0.95 --half-width 0.01 --probes-per-subject 5 --icc 0.2",
        "people of an interval": "--rate 0.95 --subjects 300",
        "a difference": "--margin 0.01 --discordant 0.05",
        "power": "--margin 0.02 --discordant 0.05 --subjects 500",
        "two data sets": "--margin 0.02 --rate 0.9 --independent",
        "rare errors": "--error-rate 0.001",
        "events": "--events --subjects 1000",
        "one probe each": "--rate 0.95 --half-width 0.01",
        "guesses": "--margin 0.01",
        "a pilot": f"--from {S.replace('scores.npz', 'scores.npz::weak')} {G} --half-width 0.05",
        "a pilot of two": f"--from {TWO.replace(' scores.npz::weak', ' --from scores.npz::weak')} {G} --margin 0.05",
    },
    "coverage": {
        "people": "--subjects 30 --probes-per-subject 2 --rate 0.8 --icc 0.2 --sets 20",
        "a comparison": "--subjects 30 --probes-per-subject 2 --rate 0.8 --icc 0.2 --margin 0.1 --sets 20",
        "a table": f"-s samples.csv {G} --rate 0.9 --icc 0.2 --sets 20",
        "scores": f"scores.npz::weak -s samples.csv {G} --sets 20",
        "pairs": "--subjects 20 --probes-per-subject 2 --rate 0.2 --icc 0.2 --measure fnmr@0.05 --sets 20",
    },
    "inspect": {
        "scores": S,
        "bare scores": "scores.npz",
        "a table": "samples.csv",
        "pairs": "scored.csv --columns a=one,b=two,mated=kind,score=mid --mated-is same",
        "a BEE matrix": "matrix.mtx",
    },
    "convert": {
        "scores": f"scores.npz::weak {MADE}/made.csv -s samples.csv",
        "ids of the file": f"scores.npz::weak {MADE}/made.csv",
        "pairs": f"scored.csv {MADE}/made.csv --columns a=one,b=two,mated=kind,score=low --mated-is same --orientation similarity",
        "a BEE matrix": f"matrix.mtx {MADE}/made.csv --to csv-matrix",
        "a bare matrix": f"bare.npy {MADE}/made.npz -s samples.csv --orientation distance --queries all --targets all",
    },
    "recognize": {
        "an archive": f"--images images.npz -s samples.csv -a correlation --as-they-are -o {MADE}/made.npz",
        "a directory": f"faces --names {{subject}}-{{shot:d}} -a correlation --as-they-are -o {MADE}/made.npz",
    },
    "faces": {
        "feret": f"{MADE}/people --subjects 2",
        "a grid": f"{MADE}/people --subjects 2 --plan grid",
    },
    "alter": {"an archive": f"images.npz -s samples.csv --change gain:0.5 --where \"kind == 'fb'\" -o {MADE}/changed"},
    "array": {"three symbols": "3 4", "two symbols": "2 10"},
    "audit": {
        "splits": "splits.csv -s samples.csv --label sex",
        "splits and images": "splits.csv -s samples.csv --images images.npz",
        "pictures": "faces --names {subject}-{shot:d}",
        "pictures without names": "faces",
        "a table": "samples.csv --images images.npz",
        "an archive": "images.npz -s samples.csv",
    },
    "literature": {"one data set": "feret", "a card": "feret --card 6"},
    "schema": {"plain": ""},
    "card show": {"a card": "feret-6.json"},
    "card validate": {"a card": "feret-6.json"},
    "card diff": {
        "cards": "feret-6.json feret-7.json",
        "predictions": "feret-6.json feret-7.json --predictions said.csv --predictions other.csv",
    },
    "protocol explain": {"a protocol": '"10×13-13 HO*"'},
    "protocol splits": {
        "an attribute": f'samples.csv -o {MADE}/made.csv --label sex -P "2×5f CV+"',
        "new people": f'samples.csv -o {MADE}/made.csv --task identity -P "3f CV+"',
        "identities": f'samples.csv -o {MADE}/made.csv --task identity -P "2×2-1 HO*" --missing drop',
    },
    "protocol run": {
        "features": f'first.npz::first -s samples.csv -c "{NEAR}" --label sex -P "5f CV+"',
        "identities": f'first.npz::first -s samples.csv -c "{NEAR}" -P "2×2-1 HO*" --missing drop',
        "new people": f'first.npz::first -s samples.csv -c "{NEAR}" -P "3f CV+"',
        "images": 'images.npz -s samples.csv -c lbp:nbnn --label sex -P "75-25 HO+" --size 24x20',
        "pictures": 'faces --names {subject}-{shot:d} -c lbp:nbnn -P "1-1 HO*" --missing drop',
    },
    "protocol what-if": {
        "mixed": f'mixed -i first.npz::first -s samples.csv -c "{NEAR}" --label sex -p "5f CV"',
        "dropped": f'dropped -i first.npz::first -s samples.csv --exclusions dropped.csv -c "{NEAR}" --label sex -p "5f CV"',
    },
    "blind make": {
        "lists": f"""samples.csv --target "session == 1" --query "session > 1" --out {MADE}/test --key {MADE}/test.key --seed 1""",
        "images": f"""samples.csv -i images.npz --target "session == 1" --query "session > 1" --out {MADE}/test --key {MADE}/test.key --seed 1""",
    },
    "blind check": {"a package": "test handed", "the key": "test handed --key test.key"},
    "blind receive": {"a submission": f"test handed --receipts {MADE}/receipts.jsonl --at 2026-12-01T12:00Z"},
    "blind score": {"one test": "test.key test handed", "two, in galleries": "test.key test handed other --galleries 2"},
    "init": {"scores": f"scores.npz samples.csv -o {MADE}/study.toml", "pictures": f"faces -o {MADE}/study.toml"},
    "run": {"a study": f"small.toml -o {MADE}/out", "with notes": f"noted.toml -o {MADE}/out"},
}  # fmt: skip

ELSEWHERE = {
    "demo": "trains recognisers on rendered faces",
    "reproduce beveridge2001": "a whole paper",
    "reproduce micheals-boult2001": "a whole paper",
    "reproduce feret2000": "a whole paper",
    "reproduce mery2016": "a whole paper",
    "migrate": "tests/cli/test_migrate.py",
    "diff": "tests/cli/test_diff.py",
}
"""Commands without modes: each has one, and takes minutes."""

OF_RUNNING = ("help", "threads", "engine", "quiet")
"""Options that say how to compute, and change no result by design."""

# Values of options, by their names; of some for one command.
VALUES: dict[str, list[str]] = {
    "samples": ["renamed.csv", "samples.csv"], "id_column": ["name"], "subject_column": ["who"], "missing_values": ["s00"], "sampling": ["scene=session,implicit=sex"],
    "failed": ["kind == 'fc' and age > 30"], "orientation": ["distance", "similarity"], "embeddings": ["second.npz"], "metric": ["l1"],
    "format": ["bob4"], "query_ids": ["rows"], "target_ids": ["columns"], "queries": ["session == 1"], "targets": ["session == 1"],
    "mask": ["matrix.mask"], "columns": ["a=one,score=mid"], "mated_is": ["other"], "missing": ["drop"],
    "strata": ["site"], "units": ["subject"], "stratum_weights": ["equal"], "degrees_of_freedom": ["9", "strata"], "collapse_by": ["age"],
    "interval": ["logit", "jeffreys"], "population": ["90"], "version": ["partially"], "sample": ["6"], "n_resamples": ["60"], "ranks": ["2,4"], "measures": ["rank-2"], "gallery": ["kind == 'fa'"],
    "probes": ["kind == 'fb'"], "confidence_level": ["0.8"], "level": ["0.8"], "confidence": ["0.8"], "seed": ["11"], "formats": ["csv"],
    "category": ["older: probe.age > 30"], "category_gallery": ["older: age > 25"], "image_set": ["session"], "date": ["age"],
    "operator": ["A. Tester"], "opens": ["2026-11-01T00:00Z"], "deadline": ["2026-12-01T12:00Z"], "at": ["2026-12-01T13:00Z"],
    "receipts": [f"{MADE}/other.jsonl"], "camera": ["sex"], "long_after": ["feret"], "by": ["sex"], "rank": ["2"],
    "margin": ["0.07"], "measure": ["rank-2"], "pairs": ["strong-weak", "pairs.csv"], "against": ["weak", "strong"], "with_scores": ["scores.npz"],
    "with_samples": ["renamed.csv"], "with_gallery": ["kind == 'fa'"], "with_probes": ["kind == 'fb'"], "table": ["outcomes.csv"],
    "item": ["document"], "algorithm": ["document", "system", "pca:euclidean"], "success": ["question"], "algorithms": ["mid"], "cluster": ["document"],
    "fmr": ["0.1"], "thresholds": ["0.5"], "fpir": ["0.3"], "sizes": ["5"], "baseline": ["middling"], "candidate": ["middling"],
    "digest": ["0" * 64], "weights": ["person", "weight", "age"], "on": ["age"], "parts": ["2"], "dataset": ["A"], "errors": ["errors.csv"],
    "scores": ["logits.npz"], "models": ["flat"],
    "predictions": ["said.csv"], "truth": ["patient"], "predicted": ["flat"], "classes": ["a,b,c,d,e,f"], "k": ["1,2"],
    "names": ["{subject}-{take:d}"], "images": ["images.npz"], "file_column": ["site"], "collected": ["samples.csv"],
    "exclusions": ["dropped.csv"], "label": ["site"], "protocol": ["3f CV"], "galleries": ["3"], "order": ["date"], "ages": ["age"],
    "reject": ["0.3"], "versions": ["strong=weak"], "improvements": ["weak=strong"], "participants": ["participants.csv"],
    "verification": ["auc"], "power": ["0.9"], "groups": ["kind"], "where": ["age > 25", "x > 3"], "max_rank": ["3"],
    "list_trials": ["2"], "order_by": ["kind"], "sensors": ["session"], "fpc": ["people"], "mean": ["y"], "total": ["y"],
    "ratio": ["y/x"], "variance": ["y"], "quantile": ["y"], "post_stratify": ["cells.csv"], "rake": ["margins.csv"], "calibrate": ["totals.csv"],
    "epsilon": ["30"], "max_rounds": ["1"], "rho": ["0.3"], "replicate_weights": ["people"], "scale": ["0.7"],
    "rscales": ["1,0.5,1,0.5,1,0.5,1,0.5"], "rate": ["0.7"], "half_width": ["0.03"], "assurance": ["0.9"], "discordant": ["0.2"],
    "error_rate": ["0.01"], "subjects": ["14"], "probes_per_subject": ["3"], "probes_cv": ["0.5"], "icc": ["0.1"], "design": ["fay", "obuchowski", "bootstrap", "bootstrap-probe"],
    "test": ["obuchowski", "mcnemar"], "n_sets": ["9"], "to": ["csv-long"], "model": ["none.npz"], "train": ["session == 1"], "detect": ["opencv"],
    "sessions": ["1"], "first": ["5"], "difficulty": ["0.5"], "views": ["qr"], "change": ["rotate:8"],
    "classifier": ["sklearn.tree:DecisionTreeClassifier(random_state=0)"], "classifiers": ["sklearn.tree:DecisionTreeClassifier(random_state=0)"], "protocols": ["3f CV+"], "size": ["20x20"], "name": ["mine"], "justification": ["because"],
    "images_each": ["2"], "enrolled_each": ["2"], "draws": ["3"], "target": ["all"], "query": ["all"], "keep": ["age"], "canaries": ["3"], "control": ["4"],
    "training": ["t=used.csv"], "training_salt": ["00112233445566778899aabbccddeeff"], "tolerance": ["1e-9", "0"], "card": ["7"],
    "csv": [f"{MADE}/x.csv"], "latex": [f"{MADE}/x.tex"], "markdown": [f"{MADE}/y.md"], "figure": [f"{MADE}/x.svg"],
    "distribution": [f"{MADE}/d.svg"], "model_card": [f"{MADE}/x.md"], "out": [f"{MADE}/elsewhere"], "report": [f"{MADE}/x.html"],
    "curve": [f"{MADE}/c.csv"], "save": [f"{MADE}/p.json"], "junit": [f"{MADE}/j.xml"], "summary": [f"{MADE}/s.md"],
    "coefficients": [f"{MADE}/k.csv"], "by_class": [f"{MADE}/b.csv"], "confusions": [f"{MADE}/f.csv"], "by_dataset": [f"{MADE}/b.svg"],
    "copies": [f"{MADE}/q.csv"], "choices": [f"{MADE}/q.csv"], "save_models": [f"{MADE}/models"], "cache": [f"{MADE}/kept"], "key": [f"{MADE}/k.key", "test.key"],
}  # fmt: skip
OWN_VALUES: dict[tuple[str, str], list[str]] = {
    ("partition", "table"): [f"{MADE}/parts.csv"],
    ("plan", "scores"): ["scores.npz::strong"],
    ("init", "add"): ["search"],
    ("run", "only"): ["identification"],
    ("array", "out"): [f"{MADE}/x.csv"],
    ("survey", "strata"): ["sex"],
    ("survey", "units"): ["probe"],
    ("survey", "table"): ["survey.csv"],
    ("faces", "images"): ["1"],
    ("recognize", "queries"): ["session == 1"],
    ("permute", "gallery"): ["session == 1"],
    ("permute", "probes"): ["session == 2"],
    ("faces", "subjects"): ["3"],
    ("literature", "out"): [f"{MADE}/card.json"],
    ("strat", "n_images"): ["3"],
    ("audit", "failed"): ["subject == 's01'", "subject == 'bo'"],
}


BY_DATA = {
    "sampling", "ties", "stratum_weights", "centre", "seed", "explain", "stratify", "lonely", "nest", "incomplete", "missing_values", "models",
    "verification", "against", "missing", "check_orientation", "counting", "one_per_subject", "tolerance", "adjust", "force", "allow_plugins", "max_rounds",
}  # fmt: skip
"""Options about what some data have (ties, lonely strata, missing ids): each must have an effect in some mode of the command, not in all."""

# What must be changed in a mode for an option to have something to act on, if the mode reads that at all.
PREPARED: dict[str, Callable[[str], str]] = {
    "missing": lambda text: (
        text.replace("samples.csv", "kept.csv")
        .replace("survey.csv", "gaps.csv")
        .replace(" --missing drop", "")
    ),
    "check_orientation": lambda text: (
        f"{text.replace('scores.npz', 'plain.npz')} --query-ids rows --target-ids columns --orientation distance"
        if "scores.npz" in text
        else text
    ),
    "counting": lambda text: text.replace(" and kind == 'fa'", ""),
    "one_per_subject": lambda text: text.replace(" and kind == 'fa'", ""),
    "on_failure": lambda text: f'{text} --failed "not detected"' if "samples.csv" in text else text,
    "incomplete": lambda text: text.replace("samples.csv", "blanks.csv").replace("survey.csv", "gaps.csv"),
    "lonely": lambda text: text.replace("survey.csv", "lonely.csv"),
    "nest": lambda text: text.replace("survey.csv", "renumbered.csv"),
    "force": lambda text: text.replace(f"{MADE}/study.toml", "old.toml"),
    "allow_plugins": lambda text: text.replace("small.toml", "plugin.toml"),
    "tolerance": lambda text: text.replace("handed", "rounded"),
}


def write(folder: Path) -> None:
    """Write what modes read besides the files of the goldens."""
    fresh(folder)
    pairs = pl.read_csv(folder / "scored.csv").filter(pl.col("one") < pl.col("two"))
    chosen = (pl.col("kind") == "same") | (pl.int_range(pl.len()) % 40 == 0)
    pairs.filter(chosen).write_csv(folder / "chosen.csv")
    survey = pl.read_csv(folder / "survey.csv")
    holes = pl.when(pl.int_range(pl.len()) == 3).then(None)
    gaps = [holes.otherwise(pl.col(name)).alias(name) for name in ("x", "success", "sex")]
    survey.with_columns(gaps).write_csv(folder / "gaps.csv")
    survey.filter(~pl.col("person").is_in(["s0p1"])).write_csv(folder / "lonely.csv")
    survey.with_columns(person=pl.col("person").str.slice(2)).write_csv(folder / "renumbered.csv")
    samples = pl.read_csv(folder / "samples.csv")
    blanks = [holes.otherwise(pl.col(name)).alias(name) for name in ("sex", "age")]
    samples.with_columns(blanks).write_csv(folder / "blanks.csv")
    _blind(folder)
    study = (folder / "small.toml").read_text()
    (folder / "old.toml").write_text("")
    (folder / "plugin.toml").write_text(f'{study}\n[identification]\nmeasures = ["os.path:join"]\n')
    (folder / "noted.toml").write_text(
        '[samples]\nfile = "samples.csv"\n[[scores]]\nfile = "scores.npz"\nkey = "strong"\n[output]\nformats = ["csv"]\n'
    )


def _blind(folder: Path) -> None:
    """A blind test, its key, and what an algorithm hands in that has the scores of the goldens."""
    table = Samples.read(folder / "samples.csv")
    made = BlindTest(table, "session == 1", "session > 1", seed=1).make(folder / "test", folder / "test.key")
    package, key = made.packages[0], Key.read(made.keys[0])
    sample = dict(zip(key.table["name"], key.table["sample"], strict=True))
    lists = {
        "scores": (package.queries, package.targets),
        "control": (package.control_queries, package.control_targets),
    }
    with np.load(folder / "scores.npz") as held:
        handed = {"handed": held["strong"], "other": held["weak"], "rounded": held["strong"]}
    for directory, scores in handed.items():
        (folder / directory).mkdir()
        for name, sides in lists.items():
            rows, columns = (table.ids.positions(sample[one] for one in side) for side in sides)
            given = scores[np.ix_(rows, columns)].astype(np.float32)
            if directory == "rounded":
                given += np.float32(2e-7) * np.arange(len(columns), dtype=np.float32)
            np.save(folder / directory / f"{name}.npy", given)
        (folder / directory / "submission.toml").write_text(
            f'algorithm = "{directory}"\norientation = "similarity"\ntraining = []\n'
        )


def commands() -> dict[str, Any]:
    """Every command that does something, by its whole name."""
    found: dict[str, Any] = {}
    waiting: list[tuple[tuple[str, ...], Any]] = [((), get_command(app))]
    while waiting:
        names, one = waiting.pop()
        inner = getattr(one, "commands", None)
        if inner is None:
            found[" ".join(names)] = one
        else:
            waiting += [((*names, name), each) for name, each in inner.items()]
    return found


def words_for(command: str, option: Any) -> list[list[str]]:
    """What to type for an option so that it is not what it would be without: every other choice, or values for its name."""
    if option.is_flag:
        return [[option.secondary_opts[0] if option.default else option.opts[0]]]
    choices = _choices(option)
    if choices:
        values = [one for one in choices if one != str(getattr(option.default, "value", option.default))]
    else:
        values = OWN_VALUES.get((command, option.name)) or VALUES[option.name]
    return [[option.opts[0], one] for one in values]


def _choices(option: Any) -> list[str]:
    """The words that an option takes, if they are few; typer keeps them in one place or another."""
    described = getattr(option, "type_descriptor", None)
    kind = described.annotation if described is not None else None
    found = kind if isinstance(kind, EnumMeta) else getattr(getattr(option, "type", None), "choices", ())
    return [str(getattr(one, "value", one)) for one in found]


@dataclass(frozen=True)
class Answer:
    """What a command did: its exit code, what it said, and the digests of the files it wrote."""

    code: int
    said: str
    complained: str
    written: tuple[tuple[str, str], ...]


def answer(words: list[str]) -> Answer:
    """Run the program where we are; what it wrote is taken away again."""
    shutil.rmtree(MADE, ignore_errors=True)
    Path(MADE).mkdir()
    with redirect_stdout(io.StringIO()) as said, redirect_stderr(io.StringIO()) as complained:
        try:
            main(words)
        except SystemExit as stop:
            code = stop.code
    files = sorted(one for one in Path(MADE).rglob("*") if one.is_file())
    digests = tuple((str(path), sha256(_timeless(path)).hexdigest()) for path in files)
    return Answer(int(code or 0), said.getvalue(), complained.getvalue(), digests)


def _timeless(path: Path) -> bytes:
    """What a file holds; of the record of a run what is the same whenever it is run, and the command does not repeat."""
    content = path.read_bytes()
    if not path.name.endswith(".run.json"):
        return content
    record = json.loads(content)
    return json.dumps([record["operator"], record["scores"]]).encode()


def typed(command: str, mode: str, option: str = "") -> list[str]:
    """A mode as it is typed; with an option, as it is needed for that one."""
    text = MODES[command][mode]
    return [*command.split(), *shlex.split(PREPARED[option](text) if option in PREPARED else text)]


def is_number(option: Any) -> bool:
    """Whether an option takes a number, or several with commas between."""
    described = getattr(option, "type_descriptor", None)
    kind = described.annotation if described is not None else type(getattr(option, "type", None)).__name__
    return (
        kind in (int, float, "IntParamType", "FloatParamType", "IntRange", "FloatRange")
        or option.name in NUMBERS
    )


NUMBERS = {
    "fmr", "thresholds", "ranks", "fpir", "sizes", "k", "list_trials", "degrees_of_freedom", "probes_per_subject", "subjects", "images_each",
}  # fmt: skip
"""Options of several numbers, which are text to the parser."""


def given_in(option: Any, words: list[str]) -> bool:
    """Whether words give an option already."""
    return bool({*option.opts, *option.secondary_opts} & set(words))
