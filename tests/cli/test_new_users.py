"""What people met who tried the program for the first time."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from proband.cli.app import main

IDS = [f"s{k:02}_{image}" for k in range(12) for image in range(4)]
SUBJECTS = [name[:3] for name in IDS]
Do = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("new")
    rng = np.random.default_rng(4)
    for name in ("old", "new"):
        values = np.equal.outer(SUBJECTS, SUBJECTS) + rng.normal(0, 0.5, (len(IDS), len(IDS)))
        np.savez(made / f"{name}.npz", net=values, query_ids=IDS, target_ids=IDS, orientation="similarity")
    table = {"id": IDS, "subject": SUBJECTS, "image": [int(name[-1]) for name in IDS], "sex": ["f", "m"] * 24}
    pl.DataFrame(table).write_csv(made / "s.csv")
    pairs = [(f"s{k:02}_0", f"s{(k + same) % 12:02}_1", k % 3) for k in range(12) for same in (0, 1)]
    pl.DataFrame(pairs, schema=["query", "target", "fold"], orient="row").write_csv(made / "pairs.csv")
    accuracies = {"new": [0.9, 0.8, 0.7, 0.6, 0.5, 0.9], "old": [0.9, 0.8, 0.7, 0.6, 0.4, 0.8]}
    pl.DataFrame({"dataset": list("abcdef"), **accuracies}).write_csv(made / "d.csv")
    for name, header in (
        ("outcomes", "item,system,success"),
        ("datasets", "dataset,new,old"),
        ("labels", "truth,net"),
    ):
        (made / f"no-{name}.csv").write_text(header + "\n", encoding="utf-8")
    return made


@pytest.fixture
def do(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Do:
    def run(words: str) -> tuple[int, str, str]:
        monkeypatch.chdir(folder)
        with pytest.raises(SystemExit) as ended:
            main(shlex.split(words))
        out, err = capsys.readouterr()
        return int(ended.value.code or 0), out, err

    return run


@pytest.mark.parametrize(
    "words",
    [
        "audit none.csv",
        "audit none",
        "protocol run none.npz -c lbp:nbnn -P LOSO",
        "recognize none -a correlation -o o.npz",
    ],
)
def test_a_file_that_is_not_there_is_named(do: Do, words: str) -> None:
    code, _, said = do(words)
    assert code == 1
    assert "There is no file" in said
    assert "none" in said


@pytest.mark.parametrize(
    "words",
    [
        "compare no-outcomes.csv --outcomes --item item --algorithm system --success success",
        "covariates no-outcomes.csv --outcomes --success success --on item",
        "survey no-outcomes.csv --mean success",
        "datasets no-datasets.csv",
        "classify no-labels.csv --truth truth --predicted net",
    ],
)
def test_a_table_with_a_header_alone_has_no_rows(do: Do, words: str) -> None:
    code, _, said = do(words)
    assert code == 1
    assert "The table has no rows." in said


def test_ties_are_not_data_sets(do: Do) -> None:
    _, shown, _ = do("datasets d.csv")
    assert "no two algorithms differ in more than 2 of 6 data sets, and ties are left out" in shown


def test_data_sets_in_which_all_tie_show_nothing(do: Do, folder: Path) -> None:
    (folder / "tied.csv").write_text("dataset,a,b\n" + "".join(f"d{k},0.5,0.5\n" for k in range(6)))
    _, shown, _ = do("datasets tied.csv")
    assert "he algorithms tie in all 6 data sets, so no difference can be significant." in shown


def test_choices_of_several_values_are_listed(do: Do) -> None:
    _, shown, _ = do("evaluate --help")
    assert "--formats csv|parquet|png|svg|pdf" in shown


def test_a_baseline_is_called_after_its_file_and_its_pin_is_kept(do: Do, folder: Path) -> None:
    within = "-s s.csv -g image==0"
    _, shown, _ = do(f"gate new.npz --baseline old.npz {within} --save pin.json")
    assert "baseline  old" in shown
    pin = (folder / "pin.json").read_bytes()
    _, shown, _ = do(f"gate new.npz --baseline pin.json {within}")
    assert "baseline  old" in shown
    code, _, said = do(f"gate new.npz --baseline pin.json {within} --save pin.json")
    assert code == 2
    assert "pin.json is an input of this command and will not be overwritten" in said
    assert (folder / "pin.json").read_bytes() == pin
    _, shown, _ = do(f"gate old=new.npz --baseline old.npz {within}")  # a name that is taken
    assert "baseline  baseline" in shown


def test_listed_pairs_are_written(do: Do, folder: Path) -> None:
    code, shown, said = do(
        "verify new.npz -s s.csv --pairs pairs.csv --csv folds.csv --markdown folds.md --out folds"
    )
    assert code == 0, said
    assert pl.read_csv(folder / "folds.csv").columns == ["algorithm", "fold", "accuracy", "threshold"]
    assert "| new |" in (folder / "folds.md").read_text(encoding="utf-8")
    assert "Accuracy over folds" in shown
    assert (folder / "folds" / "tables" / "folds.csv").exists()
    assert not (folder / "folds" / "figures").exists()


def test_exact_means_and_training_sets_are_written(do: Do, folder: Path) -> None:
    code, _, said = do("permute new.npz -s s.csv --exact --csv exact.csv --out exact")
    assert code == 0, said
    assert pl.read_csv(folder / "exact.csv").columns == ["algorithm", "rank", "mean", "standard_deviation"]
    assert not (folder / "exact" / "figures").exists()
    code, _, said = do(
        "permute a=new.npz b=old.npz -s s.csv --trainings --csv trained.csv --markdown trained.md --json"
    )
    assert code == 0, said
    assert pl.read_csv(folder / "trained.csv")["training"].to_list() == ["a", "b"]
    assert "| their mean | " in (folder / "trained.md").read_text(encoding="utf-8")


def test_naive_intervals_and_concentrated_errors_are_shown_and_written(do: Do, folder: Path) -> None:
    words = "verify new.npz -s s.csv --fmr 0.1 --replicates 0 --naive --zoo --markdown v.md --latex v.tex"
    code, shown, said = do(words)
    assert code == 0, said
    assert "Naive intervals" in shown
    for name in ("v.md", "v.tex"):
        text = (folder / name).read_text(encoding="utf-8")
        assert "Naive intervals" in text
        assert "Concentration of errors on people" in text
    found = json.loads(do(words + " --json")[1])["verification"]["algorithms"][0]["points"][0]
    low, high = (found["fmr"]["naive"][end] for end in ("low", "high"))
    assert f"{low:.3g}"[:4] in shown
    assert f"{high:.3g}"[:4] in shown


def test_every_table_has_a_name_to_be_written_by(do: Do, folder: Path) -> None:
    code, _, said = do(
        "survey s.csv --mean image --by sex --units subject --differences --csv differences=sd.csv"
    )
    assert code == 0, said
    assert {"first", "second", "value", "low", "high", "p_value"} <= set(
        pl.read_csv(folder / "sd.csv").columns
    )
    enrolled = "-g \"image == 0 and subject < 's08'\" -p 'image > 0'"
    code, _, said = do(f"search new.npz -s s.csv {enrolled} --sizes 4,6 --csv sizes=ss.csv")
    assert code == 0, said
    assert pl.read_csv(folder / "ss.csv")["gallery"].to_list() == [4, 6]


def test_blank_lines_stand_alone(do: Do) -> None:
    for words in (
        "verify new.npz -s s.csv --by sex --fmr 0.1 --replicates 0",
        "verify new.npz -s s.csv --zoo --naive --fmr 0.1 --replicates 0",
        "evaluate new.npz -s s.csv -g image==0 --measure eer --overlap",
        "evaluate new.npz -s s.csv -g image==0 --measure eer --overlap --explain",
        "plan --rate 0.95 --half-width 0.02",
        "coverage --subjects 20 --probes-per-subject 2 --rate 0.9 --icc 0.2 --sets 20",
    ):
        code, shown, said = do(words)
        assert code == 0, said
        assert "\n\n\n" not in shown, words
        assert re.search(r"\n\n(95% intervals: for|What varies:) ", shown) or "--explain" in words, words


def test_notes_of_measures_name_the_algorithm_and_are_told_once(do: Do) -> None:
    _, shown, _ = do(
        "evaluate a=new.npz b=old.npz -s s.csv -g image<=1 --measure eer --measure auc --explain"
    )
    lines = [line for line in shown.splitlines() if line]
    beneath = lines[next(k for k, line in enumerate(lines) if line.startswith("measure ")) :]
    assert len(set(beneath)) == len(beneath)
    for line in beneath:
        if "with every person weighted equally, the rate is" in line:
            assert line.startswith(("a, ", "b, "))


def test_a_model_card_names_the_data_alike(do: Do, folder: Path) -> None:
    code, _, said = do("evaluate new.npz -s s.csv -g image==0 --model-card card.md --out cards")
    assert code == 0, said
    assert (folder / "card.md").read_text() == (folder / "cards" / "model-card.md").read_text()


def test_the_stratified_method_is_cited_with_a_fixed_gallery(do: Do, folder: Path) -> None:
    code, _, said = do("strat new.npz -s s.csv -g image==0 --design jackknife --report strat.html")
    assert code == 0, said
    assert "Micheals" in (folder / "strat.html").read_text(encoding="utf-8")


def test_a_margin_between_independent_sets_is_on_the_page(do: Do, folder: Path) -> None:
    names = ["new.npz", "s.csv"]
    other = {name: folder / f"other-{name}" for name in names}
    with np.load(folder / "new.npz") as archive:
        ids = [f"t{name[1:]}" for name in IDS]
        np.savez(
            other["new.npz"], net=archive["net"], query_ids=ids, target_ids=ids, orientation="similarity"
        )
    table = pl.read_csv(folder / "s.csv").with_columns(
        pl.Series("id", ids), pl.col("subject").str.replace("s", "t")
    )
    table.write_csv(other["s.csv"])
    within = "-s s.csv -g image==0 --with b=other-new.npz --with-samples other-s.csv"
    code, _, said = do(f"compare a=new.npz {within} --margin 0.05 --report sets.html")
    assert code == 0, said
    page = (folder / "sets.html").read_text(encoding="utf-8")
    assert "Equivalence within 5 points" in page
    assert "smaller than the margin, 5 points" in page
