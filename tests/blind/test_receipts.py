"""Opening, deadline, receipts and what becomes of what is late. All times are given; no clock is read but where it is said."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from proband.blind import Key, Package, Receipts, receive, time_left
from proband.blind.checking.submission import Submission
from proband.blind.scoring import AnsweredTest, OpenedTests, blind_study, open_tests
from proband.errors import InputError, UsageError

Make = Callable[..., tuple[Package, Key]]
Answer = Callable[..., Path]
DEADLINE = "2026-12-01T12:00Z"


@pytest.fixture
def test(make: Make) -> tuple[Package, Key]:
    return make(opens="2026-11-01T01:00+01:00", deadline=DEADLINE)


def opened(test: tuple[Package, Key], *paths: Path, **asked: object) -> OpenedTests:
    submissions = tuple(map(Submission.read, paths))
    return open_tests([AnsweredTest(test[1], test[0], submissions)], **asked)  # type: ignore[arg-type]


def test_a_package_states_its_times_in_utc(test: tuple[Package, Key]) -> None:
    package, _ = test
    assert (package.opens, package.deadline) == ("2026-11-01T00:00:00Z", "2026-12-01T12:00:00Z")
    stated = json.loads((package.path / "package.json").read_bytes())
    assert (stated["opens"], stated["deadline"]) == (package.opens, package.deadline)
    readme = (package.path / "README.md").read_text(encoding="utf-8")
    assert "accepted from 2026-11-01 00:00 UTC until 2026-12-01 12:00 UTC" in readme


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"deadline": "2026-12-01T12:00"}, "The deadline '2026-12-01T12:00' has no time zone"),
        ({"deadline": "2026-12-01"}, "The deadline '2026-12-01' has no time zone"),
        ({"deadline": "1 December"}, "The deadline '1 December' cannot be read"),
        ({"opens": "2026-13-01T00:00Z"}, "The opening '2026-13-01T00:00Z' cannot be read"),
        ({"deadline": "2026-12-01T12:00:00.5Z"}, "fractions of a second"),
        ({"opens": DEADLINE, "deadline": "2026-12-01T13:00+01:00"}, "is not after the opening"),
    ],
)
def test_times_that_are_refused(make: Make, tmp_path: Path, asked: dict[str, str], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        make(**asked)
    assert list(tmp_path.iterdir()) == []


def test_how_long_remains(test: tuple[Package, Key], make: Make) -> None:
    package, _ = test

    def said(at: str) -> list[str]:
        left = time_left(package, at)
        assert left is not None
        return [f"{note.level}: {note}" for note in left.sentences()]

    assert said("2026-12-01T09:30Z") == ["note: The deadline is 2026-12-01 12:00 UTC: 2 h 30 min left"]
    assert said(DEADLINE) == ["note: The deadline is 2026-12-01 12:00 UTC: 0 s left"]
    assert said("2026-12-01T12:00:01Z") == [
        "caution: The deadline was 2026-12-01 12:00 UTC: it passed 1.0 s ago"
    ]
    assert said("2026-10-31T23:00Z")[0] == "caution: The test opens at 2026-11-01 00:00 UTC, in 1 h"
    timeless, _ = make("timeless")
    assert time_left(timeless) is None
    with pytest.raises(UsageError, match="has no opening time and no deadline"):
        time_left(timeless, DEADLINE)


def test_a_receipt_says_when_by_whom_and_what(
    test: tuple[Package, Key], answer: Answer, tmp_path: Path
) -> None:
    package, key = test
    log = tmp_path / "receipts.jsonl"
    path = answer(package, key)
    first = receive(package, path, log, at="2026-12-01T12:59:59+01:00", operator="S. Supervisor")
    assert (first.number, first.received, first.clock) == (1, "2026-12-01T11:59:59Z", False)
    assert (first.operator, first.algorithm) == ("S. Supervisor", "directions")
    assert str(first.sentences(package)[0]).endswith("1.0 s before the deadline")
    late = receive(package, answer(package, key, name="tardy"), log, at="2026-12-01T12:00:01Z")
    assert late.seconds_late(package) == 1
    assert late.previous == first.digest
    assert Receipts.read(log).receipts == (first, late)
    assert Receipts.read(log).of(package, Submission.read(path)) == first


def test_without_a_time_the_clock_is_read(make: Make, answer: Answer, tmp_path: Path) -> None:
    package, key = make()
    before = datetime.now(UTC)
    receipt = receive(package, answer(package, key), tmp_path / "receipts.jsonl")
    received = datetime.fromisoformat(receipt.received)
    assert receipt.clock
    assert timedelta(seconds=-1) <= received - before < timedelta(minutes=5)
    assert receipt.seconds_late(package) == 0


def test_what_is_not_received(test: tuple[Package, Key], answer: Answer, tmp_path: Path) -> None:
    package, key = test
    path, log = answer(package, key), tmp_path / "receipts.jsonl"
    for inside in (package.path, path):
        with pytest.raises(UsageError, match="would be written into"):
            receive(package, path, inside / "receipts.jsonl", at=DEADLINE)
    with pytest.raises(
        UsageError, match="The test opens at 2026-11-01 00:00 UTC, but the time is 2026-10-31"
    ):
        receive(package, path, log, at="2026-10-31T00:00Z")
    with pytest.raises(UsageError, match="one line of plain text"):
        receive(package, path, log, at=DEADLINE, operator="two\nlines")
    with pytest.raises(InputError, match=r"has no submission\.toml"):
        receive(package, tmp_path, log, at=DEADLINE)
    assert not log.exists()
    receive(package, path, log, at="2100-01-01T00:00Z")
    with pytest.raises(
        UsageError, match="The same files were already received at 2100-01-01 00:00 UTC: receipt 1"
    ):
        receive(package, path, log, at="2100-01-02T00:00Z")
    assert len(Receipts.read(log).receipts) == 1


def test_a_clock_that_went_back_is_noticed(make: Make, answer: Answer, tmp_path: Path) -> None:
    package, key = make()
    log = tmp_path / "receipts.jsonl"
    receipt = receive(package, answer(package, key), log)
    # As if the clock had been a century ahead, when the first came.
    ahead = json.loads(receipt.line) | {"received": "2126" + receipt.received[4:]}
    log.write_text(json.dumps(ahead, sort_keys=True, separators=(",", ":")) + "\n")
    second = answer(package, key, name="second")
    with pytest.raises(UsageError, match=r"The clock shows .*, which is before receipt 1 \(2126"):
        receive(package, second, log)
    assert receive(package, second, log, at=DEADLINE).number == 2


def test_late_submissions_are_refused_or_labelled(
    test: tuple[Package, Key], answer: Answer, tmp_path: Path
) -> None:
    package, key = test
    log = tmp_path / "receipts.jsonl"
    early, tardy = answer(package, key, name="early"), answer(package, key, name="tardy")
    receive(package, early, log, at="2026-11-30T08:00Z")
    receive(package, tardy, log, at="2026-12-01T14:30Z")
    receipts = Receipts.read(log)
    opened(test, early, receipts=receipts)
    with pytest.raises(
        InputError, match="tardy was received at 2026-12-01 14:30 UTC, 2 h 30 min after the deadline"
    ):
        opened(test, early, tardy, receipts=receipts)
    with pytest.raises(UsageError, match=r"has a deadline .*, but there is no record of when"):
        opened(test, early)
    with pytest.raises(UsageError, match="Expected 'refuse' or 'label' for late submissions"):
        opened(test, early, receipts=receipts, late="ignore")
    study = blind_study(opened(test, early, tardy, receipts=receipts, late="label"), "one_per_subject")
    took_part = {participant.algorithm: participant for participant in study.participants}
    assert took_part["early"].received == "2026-11-30T08:00:00Z"
    assert took_part["early"].seconds_late is None
    assert took_part["tardy"].seconds_late == 9_000
    assert took_part["tardy"].version == "fully automatic"
    cautions = [str(note) for note in study.notes if note.level == "caution"]
    assert "tardy was received at 2026-12-01 14:30 UTC, 2 h 30 min after the deadline" in cautions
    (administered,) = study.administration["tests"]
    assert administered["deadline"] == "2026-12-01T12:00:00Z"
    assert [receipt["digest"] for receipt in administered["receipts"]] == [
        one.digest for one in receipts.receipts
    ]
    unknown = blind_study(opened(test, early, late="label"), "one_per_subject")
    assert any(note.code == "blind.not-received" for note in unknown.notes)


def test_what_has_no_receipt_is_refused(test: tuple[Package, Key], answer: Answer, tmp_path: Path) -> None:
    package, key = test
    log = tmp_path / "receipts.jsonl"
    path, other = answer(package, key), answer(package, key, name="other")
    receive(package, path, log, at="2026-11-30T08:00Z")
    with pytest.raises(InputError, match=r"receipts\.jsonl has no receipt of other"):
        opened(test, path, other, receipts=Receipts.read(log), late="label")
    (path / "submission.toml").write_text((path / "submission.toml").read_text() + "\n")
    with pytest.raises(InputError, match=r"submission\.toml of directions has changed since it was received"):
        opened(test, path, receipts=Receipts.read(log), late="label")


RUN = '\n[run]\noperator = "P. Participant"\nstarted = {}\nfinished = {}\nmachine = "a desk"\n'


def stating(path: Path, started: str, finished: str) -> Path:
    declaration = path / "submission.toml"
    declaration.write_text(declaration.read_text() + RUN.format(started, finished))
    return path


def test_a_participant_states_the_run(test: tuple[Package, Key], answer: Answer, tmp_path: Path) -> None:
    package, key = test
    path = stating(answer(package, key), '"2026-11-30T09:00+01:00"', "2026-11-30T08:10:00Z")
    log = tmp_path / "receipts.jsonl"
    receive(package, path, log, at="2026-11-30T09:00Z")
    study = blind_study(opened(test, path, receipts=Receipts.read(log)), "one_per_subject")
    (participant,) = study.participants
    assert participant.operator == "P. Participant"
    assert (participant.started, participant.seconds) == ("2026-11-30T08:00:00Z", 600)
    assert participant.machine == "a desk"
    (administered,) = study.administration["tests"]
    assert administered["submissions"][0]["run"]["finished"] == "2026-11-30T08:10:00Z"
    assert not [note for note in study.notes if note.code.startswith("blind.run-too")]


def test_a_run_that_cannot_have_been_then_is_reported(
    test: tuple[Package, Key], answer: Answer, tmp_path: Path
) -> None:
    package, key = test
    path = stating(answer(package, key), "2026-10-30T08:00:00Z", "2026-11-30T10:00:00Z")
    log = tmp_path / "receipts.jsonl"
    receive(package, path, log, at="2026-11-30T09:00Z")
    study = blind_study(opened(test, path, receipts=Receipts.read(log)), "one_per_subject")
    codes = [note.code for note in study.notes]
    assert {"blind.run-too-early", "blind.run-too-late"} <= set(codes)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("run = 3\n", "write a table"),
        ('[run]\nwho = "x"\n', "has the unknown key 'who'"),
        ("[run]\noperator = 3\n", "a text in quotation marks"),
        ('[run]\noperator = "x"\n', r"does not state when the run started"),
        ('[run]\nstarted = "2026-11-30T08:00"\nfinished = "2026-11-30T08:00Z"\n', "has no time zone"),
        ("[run]\nstarted = 2026-11-30T08:00:00\nfinished = 2026-11-30T08:00:00Z\n", "has no time zone"),
        ("[run]\nstarted = 2026-11-30T08:00:01Z\nfinished = 2026-11-30T08:00:00Z\n", "before it started"),
        (
            '[run]\nstarted = 2026-11-30T08:00:01Z\nfinished = 2026-11-30T09:00:00Z\nmachine = "\\u001b[2J"\n',
            "one line",
        ),
    ],
)
def test_runs_that_are_stated_wrongly(
    test: tuple[Package, Key], answer: Answer, more: str, said: str
) -> None:
    path = answer(*test)
    declaration = path / "submission.toml"
    declaration.write_text(declaration.read_text() + more)
    with pytest.raises(InputError, match=said):
        Submission.read(path)
