"""Names as people give them: brackets, colons, equals signs; and options that are given twice."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from typer.main import get_command

from proband.cli.app import app
from proband.cli.console import progress_bars
from proband.errors import UsageError
from proband.scores.reading import split_key, split_name

Run = Callable[..., Any]

ODD = ["[x]", "[/x]", "a[1]", "[red]", "b:dog:c"]


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twelve people of odd names with four images each, and five algorithms of odd names in a file of an odd name."""
    place = tmp_path_factory.mktemp("odd")
    rng = np.random.default_rng(2)
    ids = [f"[{s}]-{k}" for s in range(12) for k in range(4)]
    own = np.repeat(np.arange(12), 4)
    scores = {name: rng.normal(size=(48, 48)) + 3 * (own[:, None] == own) for name in ODD}
    np.savez(place / "a[1].npz", ids=np.array(ids), **scores)
    table = {
        "id": ids,
        "subject": [f"[/{s}]" for s in own],
        "k": [0, 1, 2, 3] * 12,
        "[c]": ["[f]", "[/m]"] * 24,
    }
    pl.DataFrame(table).write_csv(place / "[s].csv")
    return place


COMMANDS = {
    "inspect": ("-s", "[s].csv"),
    "evaluate": ("-g", "k == 0", "--category", "[/late]: probe.k > 1"),
    "compare": ("-g", "k == 0"),
    "verify": ("--fmr", "0.1", "--by", "[c]", "--replicates", "0"),
    "search": ("-g", "k == 0 and subject < '[/5]'", "-p", "k == 1", "--fpir", "0.4"),
    "permute": ("--trials", "100"),
    "strat": ("--images", "4"),
    "feret": ("-g", "k == 0", "--galleries", "2"),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_names_are_printed_as_they_are(command: str, odd: Path, run: Run) -> None:
    given = () if command == "inspect" else ("-s", "[s].csv", "--orientation", "similarity")
    ids = ("--query-ids", "ids", "--target-ids", "ids")
    done = run(command, "a[1].npz", *given, *ids, *COMMANDS[command], cwd=odd)
    assert done.returncode == 0, done.stderr
    assert [name for name in ODD if name not in done.stdout] == []
    assert "\\[" not in done.stdout
    for word in ("[/late]", "[c]", "a[1].npz"):
        if word in " ".join((*COMMANDS[command], "a[1].npz" if command == "inspect" else "")):
            assert word in done.stdout


def test_bars_and_complaints_show_names_as_they_are(
    odd: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rich.console import Console

    import proband.cli.console as shared

    shown = io.StringIO()
    monkeypatch.setattr(shared, "talk", lambda: Console(file=shown, force_terminal=True, width=80))
    with progress_bars() as progress:
        progress.begin("[/x] ranks", 3)
        progress.advance(1)
    assert "[/x] ranks" in shown.getvalue()
    done = run("evaluate", "[/absent].npz", "-s", "[s].csv", cwd=odd)
    assert (done.returncode, "[/absent].npz" in done.stderr) == (1, True)


NAMES = ["a=b.npz", "x::y.npz", "a=b::c.npz", "x=1::y=2.npz"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("key", [None, "alg", "al::g", "a=b"])
def test_a_file_of_that_name_is_that_file(
    name: str, key: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).touch()
    whole = name if key is None else f"{name}::{key}"
    assert split_key(whole) == (Path(name), key)
    assert split_name(whole) == (None, whole)
    assert split_name(f"mine={whole}") == ("mine", whole)


def test_names_of_files_and_arrays_are_parted_where_no_file_has_the_whole(tmp_path: Path) -> None:
    assert split_key(tmp_path / "a.npz::key") == (tmp_path / "a.npz", "key")
    assert split_name("mine=a.npz::key") == ("mine", "a.npz::key")


def test_odd_files_are_read(tmp_path: Path, run: Run) -> None:
    rng = np.random.default_rng(0)
    ids = [f"{s}{k}" for s in "abcdef" for k in range(3)]
    own = np.array([one[0] for one in ids])
    np.savez(
        tmp_path / "a=b::c.npz", ids=np.array(ids), alg=rng.normal(size=(18, 18)) + 5 * (own[:, None] == own)
    )
    pl.DataFrame({"id": ids, "subject": own}).write_csv(tmp_path / "samples.csv")
    words = ("-s", "samples.csv", "--orientation", "similarity", "-g", "one_per_subject")
    given = ("a=b::c.npz::alg", "mine=a=b::c.npz")
    done = run("evaluate", *given, *words, "--query-ids", "ids", "--target-ids", "ids", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert all(name in done.stdout for name in ("alg", "mine"))


def _leaves(command: Any, path: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], Any]]:
    inner = getattr(command, "commands", None)
    if inner is None:
        return [(path, command)]
    return [leaf for name, one in inner.items() for leaf in _leaves(one, (*path, name))]


LEAVES = _leaves(get_command(app))


@pytest.mark.parametrize(("path", "command"), LEAVES, ids=[" ".join(path) for path, _ in LEAVES])
def test_an_option_of_one_value_is_given_once(path: tuple[str, ...], command: Any) -> None:
    single = [one for one in command.params if one.param_type_name == "option" and not one.multiple]
    for option in single:
        given = [option.opts[0]] if option.is_flag else [option.opts[0], "1"]
        with pytest.raises(UsageError, match=f"{option.opts[-1]} was given more than once"):
            command.make_context(" ".join(path), [*given, *given])


def test_what_is_given_twice_is_a_usage_error(run: Run, tmp_path: Path) -> None:
    done = run("plan", "--rate", "0.9", "--rate", "0.8", cwd=tmp_path)
    assert (done.returncode, "--rate was given more than once" in done.stderr) == (2, True)


def test_columns_of_groups_are_collected(odd: Path, run: Run) -> None:
    words = (
        "a[1].npz",
        "-s",
        "[s].csv",
        "--orientation",
        "similarity",
        "--query-ids",
        "ids",
        "--target-ids",
        "ids",
    )
    done = run("verify", *words, "--fmr", "0.1", "--by", "[c]", "--by", "k", "--replicates", "0", cwd=odd)
    assert done.returncode == 0, done.stderr
    assert all(f"{ODD[0]} by {column}" in done.stdout for column in ("[c]", "k"))
