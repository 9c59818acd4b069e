"""An option that is given changes something, or is refused: every option of every command, in every way the command is used."""

from __future__ import annotations

import shlex
from functools import cache
from inspect import signature
from pathlib import Path
from typing import Any

import pytest
from tests.modes import (
    BY_DATA,
    ELSEWHERE,
    MODES,
    OF_RUNNING,
    OWN_VALUES,
    VALUES,
    Answer,
    answer,
    commands,
    given_in,
    is_number,
    typed,
    words_for,
    write,
)

from proband.analyses import Request
from proband.errors import UsageError
from proband.marks import Needs, Unless
from proband.study.reading import study_from_text
from proband.study.refusals import RequestError, model_of
from proband.study.run import run

COMMANDS = commands()
OPENS = {("run", "show"), ("recognize", "list_algorithms"), ("gate", "github")}
"""Options that open a browser, end the program at once, or write where the environment says."""
QUICK = [
    ("mcnemar", "counts"),
    ("plan", "power"),
    ("literature", "a card"),
    ("verify", "folds"),
    ("card diff", "cards"),
]
CASES = [
    pytest.param(
        command, mode, id=f"{command}: {mode}", marks=[] if (command, mode) in QUICK else [pytest.mark.long]
    )
    for command in MODES
    for mode in MODES[command]
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("modes")
    write(place)
    return place


@pytest.fixture(autouse=True)
def _here(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if "folder" in request.fixturenames:
        monkeypatch.chdir(request.getfixturevalue("folder"))


def test_every_command_has_modes_and_every_option_values() -> None:
    assert set(MODES) | set(ELSEWHERE) == set(COMMANDS)
    without = [
        f"{command} {option.opts[0]}"
        for command in MODES
        for option in _options(command)
        if not option.is_flag and option.name not in VALUES and (command, option.name) not in OWN_VALUES
        if not _has_choices(command, option)
    ]
    assert without == []


def _has_choices(command: str, option: Any) -> bool:
    try:
        return bool(words_for(command, option))
    except KeyError:
        return False


def _options(command: str) -> list[Any]:
    return [
        one
        for one in COMMANDS[command].params
        if one.param_type_name == "option"
        if one.name not in OF_RUNNING and (command, one.name) not in OPENS
    ]


@cache
def _plain(words: tuple[str, ...]) -> Answer:
    return answer(list(words))


def _idle(command: str, mode: str, option: Any) -> bool:
    """Whether an option changes nothing that is said, in any form, or written, and is not refused either."""
    words = typed(command, mode, option.name)
    known = {word for one in COMMANDS[command].params for word in one.opts}
    forms = [[], *([form] for form in ("--json", "--explain") if form in known and form not in option.opts)]
    return not any(
        answer([*words, *given, *form]) != _plain((*words, *form))
        for given in words_for(command, option)
        for form in forms
    )


@pytest.mark.parametrize(("command", "mode"), CASES)
def test_what_is_given_has_an_effect_or_is_refused(command: str, mode: str, folder: Path) -> None:
    words = typed(command, mode)
    first = _plain(tuple(words))
    assert first.code in (0, 3, 4), first.complained
    idle = [
        option.opts[0]
        for option in _options(command)
        if option.multiple or not given_in(option, words)
        if option.name not in BY_DATA and _idle(command, mode, option)
    ]
    assert idle == []


@pytest.mark.parametrize("beside", ["", "--by sex", "--zoo"])
def test_a_seed_without_draws_is_refused(beside: str, folder: Path) -> None:
    usual = MODES["verify"]["scores"].replace("--replicates 100", "--replicates 0")
    words = [*shlex.split(f"{usual} {beside}"), "--json"]
    seeded = answer(["verify", *words, "--seed", "4"])
    assert (seeded.code == 2) == (not beside)
    assert seeded != answer(["verify", *words])


@pytest.mark.long
@pytest.mark.parametrize("command", MODES)
def test_what_depends_on_the_data_has_an_effect_on_some(command: str, folder: Path) -> None:
    idle = []
    for option in _options(command):
        modes = [mode for mode in MODES[command] if not given_in(option, typed(command, mode, option.name))]
        if option.name in BY_DATA and modes and all(_idle(command, mode, option) for mode in modes):
            idle.append(option.opts[0])
    assert idle == []


# Marks, which refuse at every door.

SECTIONS = {
    name: kind for name, field in Request.model_fields.items() if (kind := model_of(field.annotation))
}


def _others(metadata: Any) -> set[str]:
    marks = [one for one in metadata if isinstance(one, Needs | Unless)]
    return {other.partition("=")[0] for mark in marks for other in mark.others}


def test_marks_name_what_is_there() -> None:
    marked = 0
    for kind in SECTIONS.values():
        for field in kind.model_fields.values():
            assert _others(field.metadata) <= set(kind.model_fields)
            marked += bool(_others(field.metadata))
    assert marked > 50
    for command in COMMANDS.values():
        names = {one.name for one in command.params}
        for one in signature(command.callback).parameters.values():
            assert _others(getattr(one.annotation, "__metadata__", ())) <= names | {"json"}


REFUSED = {
    "[verification]\npairs = 'p.csv'\nzoo = true": "[verification] zoo has no effect with pairs",
    "[feret]\nfpir = 0.2": "[feret] fpir has no effect without reject",
    "[choices]\nexact = true\nbalanced = false": "[choices] balanced has no effect with exact = true",
    "[threshold]\nconfidence = 0.9": "'confidence' is now called '[output] confidence_level'",
    "[covariates]\non = 'age'\nfmr = 0.1": '[covariates] fmr has no effect without outcome = "match"',
}


@pytest.mark.parametrize("text", REFUSED)
def test_a_study_is_refused_what_has_no_effect(text: str) -> None:
    with pytest.raises(RequestError) as refused:
        study_from_text(f"[[scores]]\nfile = 's.npz'\n{text}\n", Path("study.toml"))
    assert REFUSED[text] in str(refused.value)


def test_the_experiment_is_refused_what_nothing_reads() -> None:
    off = dict.fromkeys(("identification", "verification"), False)
    asked = {"comparison": {"measure": "auc"}, "experiment": {"ties": "mean"}, "scores": {"file": "s.npz"}}
    with pytest.raises(UsageError, match="ties has no effect on comparison of auc"):
        run(Request(**off, **asked))
    asked |= {"comparison": {"measure": "rank-2"}, "experiment": {"on_failure": "as-scored"}}
    with pytest.raises(UsageError, match="on_failure has no effect without failed"):
        run(Request(**off, **asked))


# The orientation check is one, whatever is asked.

REVERSED = "plain.npz -s samples.csv --query-ids rows --target-ids columns --orientation distance"
CHECKED = {
    "compare": "--measure auc",
    "gate": "--baseline weak --candidate strong --measure auc",
    "permute": "--groups session --trials 100 --max-rank 3",
    "strat": "--images 4",
    "verify": "--pairs pairs.csv",
    "evaluate": "-g one_per_subject --measure auc",
}


@pytest.mark.parametrize("command", CHECKED)
def test_reversed_scores_are_refused_unless_they_may_be(command: str, folder: Path) -> None:
    words = [command, *shlex.split(f"{REVERSED} {CHECKED[command]}")]
    first = answer(words)
    assert (first.code, "genuine" in first.complained) == (1, True), first.complained
    assert answer([*words, "--no-check-orientation"]).code in (0, 3, 4)


# Numbers that are none.

NO_NUMBERS = ("nan", "inf", "-inf", "1e400", "", "a")
ODD_NUMBERS = ("-1", "0", "0.5", f"1{'0' * 400}")


def _numeric() -> list[Any]:
    return [
        pytest.param(command, option, id=f"{command} {option.opts[0]}")
        for command in MODES
        for option in COMMANDS[command].params
        if option.param_type_name == "option" and not option.is_flag and is_number(option)
    ]


def _told(words: list[str], option: Any, number: str) -> Answer:
    found = answer([*words, option.opts[0], number])
    assert "went wrong" not in found.complained, (number, found.complained)
    return found


@pytest.mark.parametrize(("command", "option"), _numeric())
def test_what_is_no_number_is_refused(command: str, option: Any, folder: Path) -> None:
    words = _without(option, typed(command, next(iter(MODES[command]))))
    for number in NO_NUMBERS[:1] + NO_NUMBERS[-1:]:
        assert _told(words, option, number).code == 2, number


@pytest.mark.long
@pytest.mark.parametrize(("command", "option"), _numeric())
def test_odd_numbers_are_refused_or_understood(command: str, option: Any, folder: Path) -> None:
    for mode in MODES[command]:
        words = _without(option, typed(command, mode))
        assert {_told(words, option, number).code for number in NO_NUMBERS} == {2}, mode
        for number in ODD_NUMBERS:
            _told(words, option, number)


def _without(option: Any, words: list[str]) -> list[str]:
    place = next((place for place, word in enumerate(words) if word in option.opts), None)
    return words if place is None else words[:place] + words[place + 2 :]
