"""The benchmark's own machinery: peers answer as they must, rows say what is missing, and the page is a table of the rows."""

from __future__ import annotations

import ast
import doctest
import re
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from benchmarks import __main__ as program, error_rates, machine, nearest_neighbours, page, peers, start_up
from benchmarks.job import HEADER, Row, best_of, times
from benchmarks.peers import (
    PEERS,
    BrokenPeerError,
    NotInstalledError,
    ask,
    compare,
    crossing,
    handed,
    read_answer,
)

import proband as pb

ROW = Row("a | b < c", 0.5, None, 1.0, "peer 1.2", "≥ 1×", True, True, "EER to 1e-6")
MISSING = replace(ROW, peer=None, peer_name="other: not installed", reached=None, equal=None, checked="")

InstallPeer = Callable[[str, str], None]


def test_ratios_have_three_digits_and_no_exponent() -> None:
    assert [times(ratio) for ratio in (0.2563, 4.0, 999.6, 9909.2)] == ["0.256×", "4×", "1,000×", "9,910×"]


def test_rows_become_a_table_of_the_page() -> None:
    slower = replace(ROW, peer=0.25, peer_name="faster", reached=False, checked="")
    measured = {start_up: [ROW, slower, MISSING]}
    text = page.as_page(measured, ["roc"], machine.beginning() | machine.machine())
    lines = [line for line in text.splitlines() if line.startswith("|")]
    cells = [re.split(r"(?<!\\)\|", line)[1:-1] for line in lines]
    assert len(lines) == 4
    shown = [title for title in HEADER if not title.startswith("naive")]  # nobody has a naive time
    assert [cell.strip() for cell in cells[0]] == shown
    assert {len(row) for row in cells} == {len(shown)}
    assert "- not on this machine: other\n" in text
    assert (
        "1 of 2 goals were reached in this run.\n\nMissed:\n\n- a \\| b &lt; c: 0.5 s, faster 0.25 s (0.5×); goal ≥ 1×\n"
        in text
    )
    assert [cell.strip() for cell in cells[2]] == [
        *("a \\| b &lt; c", "0.5 s", "1 s (peer 1.2)", "2×", "≥ 1×: yes", "yes (EER to 1e-6)"),
    ]
    repeated = ["", "", "0.25 s (faster)", "0.5×", "≥ 1×: NO", "yes"]
    assert [cell.strip() for cell in cells[3]] == repeated  # the job and our time stand once
    (axis,) = page.chart([ROW, slower, MISSING]).axes
    assert len(axis.get_yticks()) == 2
    assert re.search(r"^- date: \d{4}-\d\d-\d\d$", text, re.MULTILINE)
    assert "- not in this run: `roc`\n" in text
    assert f"numpy {np.__version__}" in text
    assert "## Start up\n" in text


def test_a_run_with_a_page_holds_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(program, "PAGE", tmp_path / "page.md")
    monkeypatch.setattr(program, "CHART", "chart.svg")
    monkeypatch.setattr(program, "run_alone", lambda name: ([replace(ROW, equal=False)], ""))
    monkeypatch.setattr(sys, "argv", ["benchmarks", "--write", "start_up"])
    assert program.main() == 1  # an answer that is not equal
    text = (tmp_path / "page.md").read_text()
    assert (tmp_path / "chart.svg").exists()
    assert "| NO (EER to 1e-6) |" in text
    (missing,) = re.findall(r"^- not in this run: (.*)$", text, re.MULTILINE)
    assert {"`roc`", "`error_rates`"} <= set(missing.split(", "))
    assert not {f"`{name}`" for name in ("job", "page", "machine", "peers")} & set(missing.split(", "))
    monkeypatch.setattr(sys, "argv", ["benchmarks", "nothing"])
    with pytest.raises(SystemExit) as ended:
        program.main()
    assert ended.value.code == 2
    assert "no such job: nothing" in capsys.readouterr().err


@pytest.mark.parametrize("peer", PEERS.values(), ids=PEERS)
def test_a_script_has_the_calls_of_its_peer(peer: peers.Peer) -> None:
    text = peer.script.read_text()
    if peer.requires:
        functions = [one for one in ast.parse(text).body if isinstance(one, ast.FunctionDef)]
        assert {one.name for one in functions if not one.name.startswith("_")} == set(peer.calls)
    else:
        assert all(re.search(rf"^{call} <- function\(folder\)", text, re.MULTILINE) for call in peer.calls)


@pytest.mark.parametrize(
    "text",
    [
        "no JSON",
        "[1, 2]",
        '{"seconds": 1.0, "version": "1"}',
        '{"seconds": -1.0, "version": "1", "answer": {"eer": 0.1}}',
        '{"seconds": 1.0, "version": "", "answer": {"eer": 0.1}}',
        '{"seconds": 1.0, "version": "1", "answer": {"auc": 0.1}}',
        '{"seconds": 1.0, "version": "1", "answer": {"eer": NaN}}',
        '{"seconds": 1.0, "version": "1", "answer": {"eer": "0.1"}}',
        '{"seconds": 1.0, "version": "1", "answer": {"eer": []}}',
    ],
)
def test_an_answer_that_breaks_the_contract_is_refused(text: str) -> None:
    with pytest.raises(BrokenPeerError):
        read_answer(text, ("eer",))


@pytest.mark.long
def test_a_peer_answers_in_its_own_process(install_peer: InstallPeer) -> None:
    pytest.importorskip("sklearn")
    install_peer("scikit-learn", f'exec {sys.executable} "$@"')
    rng = np.random.default_rng(0)
    genuine, impostors = rng.normal(2, 1, 500), rng.normal(0, 1, 2000)
    rates = np.array([[(impostors >= t).mean(), (genuine < t).mean()] for t in genuine])
    eer = rates[np.abs(np.diff(rates)).argmin()].mean()
    with handed(genuine=genuine, impostors=impostors) as folder:
        answer = ask("scikit-learn", "roc_curve", folder, 1)
    assert answer.numbers["eer"] == pytest.approx(eer, abs=1 / 500)
    assert answer.seconds < 1


def test_rows_say_what_is_missing_and_what_failed(
    install_peer: InstallPeer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    install_peer("pyeer", "echo out of memory >&2; exit 1")
    install_peer("torchmetrics", f"exit {peers.ABSENT}")  # its environment is there, and cannot import it
    rows = {
        name: compare("job", 1.0, name, call, tmp_path, lambda numbers: True, "EER")
        for name, call in (
            ("pyeer", "get_eer_stats"),
            ("torchmetrics", "binary_eer"),
            ("faiss-cpu", "first_100"),
        )
    }
    assert rows["pyeer"].equal is False
    assert rows["pyeer"].peer_name == "pyeer get_eer_stats: failed"
    assert "out of memory" in capsys.readouterr().err
    for name in ("torchmetrics", "faiss-cpu"):
        assert rows[name].equal is None
        assert rows[name].peer is None
        assert rows[name].peer_name.endswith(": not installed")


def test_an_environment_for_other_versions_is_not_used(install_peer: InstallPeer) -> None:
    install_peer("pyeer", "exit 0")
    assert PEERS["pyeer"].is_set_up
    assert not replace(PEERS["pyeer"], requires=("pyeer>=99",)).is_set_up


def test_checks_of_answers_can_fail() -> None:
    rng = np.random.default_rng(1)
    genuine, impostors = rng.normal(2, 1, 50), rng.normal(0, 1, 200)
    rates, _, _ = error_rates._ours(genuine, impostors)
    thresholds = np.linspace(-1, 4, 40)
    points = {
        "fmr": [float((impostors >= t).mean()) for t in thresholds],
        "fnmr": [float((genuine < t).mean()) for t in thresholds],
    }
    assert error_rates._on_curve(rates, points)
    points["fnmr"][20] += 0.3
    assert not error_rates._on_curve(rates, points)

    vectors = rng.standard_normal((60, 8)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    probes = vectors[:40] + np.float32(0.3) * vectors[20:60]
    scores = probes.astype(float) @ vectors.T.astype(float)
    ranks = (scores >= np.diagonal(scores)[:, None]).sum(axis=1)
    assert nearest_neighbours._agree(ranks, ranks, 60, probes, vectors)
    assert nearest_neighbours._agree(ranks, np.where(ranks <= 2, ranks, 0), 2, probes, vectors)
    other = ranks.copy()
    other[3] += 1
    assert not nearest_neighbours._agree(ranks, other, 60, probes, vectors)


def test_examples_and_clock() -> None:
    assert all(doctest.testmod(module).failed == 0 for module in (peers, crossing))
    ticks = iter([0.0, 5.0, 7.0, 9.0])
    assert best_of(2, lambda: "last", lambda: next(ticks)) == (2.0, "last")


@pytest.mark.long
def test_survey_has_our_variance(tmp_path: Path) -> None:
    values = np.random.default_rng(2).standard_normal((11, 2))
    with handed(values=values) as folder:
        try:
            answer = ask("survey", "brr", folder, 1)
        except NotInstalledError:
            pytest.skip("R with the package survey is not here")
    found = pb.survey.estimate_weighted(lambda w: w @ values.ravel() / w.sum(), np.repeat(np.arange(11), 2))
    assert answer.numbers["variance"] == pytest.approx(found.standard_error**2, rel=1e-9)
