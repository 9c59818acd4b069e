"""Messages: what they quote may be of any length, and they are short."""

from __future__ import annotations

import pickle

import pytest

from proband.errors import Hint, InputError, ProbandError, Said, UsageError, first_few, quoted

LONG = "x" * 100_000


def test_what_is_quoted_is_shortened():
    assert quoted("abc") == "'abc'"
    assert quoted("a" * 80) == repr("a" * 80)
    assert quoted("a" * 81) == "'" + "a" * 79 + "…' (81 characters)"
    assert quoted("it's\n") == '"it\'s\\n"'
    assert quoted(12, 1) == "'…' (2 characters)"


def test_first_offenders_are_shortened():
    assert first_few(["a", "b", "c", "d"]) == "'a', 'b', 'c' and 1 more"
    assert len(first_few([LONG] * 5)) < 400


@pytest.mark.parametrize("kind", [ProbandError, InputError, UsageError])
def test_no_message_is_longer_than_anybody_reads(kind):
    error = kind(f"The id {LONG!r} is odd.\nSo are others.", f"not {LONG}, but another.")
    assert len(str(error)) < 5_000
    assert str(error).startswith("The id 'xxx")
    assert "is odd.\nSo are others.\nhint: not xxx" in str(error)
    assert str(error).endswith("but another.")
    assert str(kind("Short.", "mend it.")) == "Short.\nhint: mend it."


def test_a_place_is_told_whatever_the_file_is_called():
    error = InputError("Odd.", file="scores.csv", place="one/scores.csv")
    assert error.message == "one/scores.csv: scores.csv: Odd."
    assert InputError("a is odd.", file=Said("a"), place="a").message == "a: a is odd."
    assert InputError("Odd.", file="card.json").of_file("one/card.json").message == "one/card.json: Odd."
    assert InputError("card.json is odd.", file=Said("card.json")).of_file("x").message == "card.json is odd."


def test_an_error_from_another_process_keeps_its_fields():
    error = InputError("Odd.", Hint("{give:missing=drop}"), source="pca", file=Said("a.csv"), place="s.toml")
    again = pickle.loads(pickle.dumps(error))
    assert again.told("study") == error.told("study") == ("s.toml: pca: Odd.", 'write missing = "drop"')
