"""Every door at which a name is refused says which was probably meant; and what is not said at all is asked for at once."""

from __future__ import annotations

import shlex
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import proband as pb
from proband.cli.app import main
from proband.errors import ProbandError, UsageError, meant, near_names, unknown_name

N = 8
IDS = [f"{side}{k}" for k in range(N) for side in "gp"]
TABLE = {
    "id": IDS,
    "subject": [name[1:] for name in IDS],
    "session": [1, 2] * N,
    "camera": ["x", "x", "y", "y"] * (N // 2),
}
VALUES = np.equal.outer(TABLE["subject"], TABLE["subject"]) + 0.01 * np.arange(2.0 * N)
OUTCOMES = {"item": [*range(10)] * 2, "system": ["new"] * 10 + ["old"] * 10, "success": [0, 1] * 10}
PAIRS = {
    "left": [f"a{k}" for k in range(20)],
    "right": [f"b{k}" for k in range(20)],
    "kind": ["genuine", "impostor"] * 10,
    "vit": [0.75 - (k % 2) * 0.25 for k in range(20)],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("doors")
    pl.DataFrame(TABLE).write_csv(made / "s.csv")
    pl.DataFrame({("file" if name == "id" else name): values for name, values in TABLE.items()}).write_csv(
        made / "named.csv"
    )
    pl.DataFrame(OUTCOMES).write_csv(made / "o.csv")
    pl.DataFrame(PAIRS).write_csv(made / "p.csv")
    pl.DataFrame({"truth": [0, 1] * 5, "net": [0, 1] * 5}).write_csv(made / "c.csv")
    pl.DataFrame({"dataset": ["x", "y", "z"], "new": [0.9] * 3, "old": [0.8] * 3}).write_csv(made / "d.csv")
    for name in "uv":
        np.savez(
            made / f"{name}.npz", **{name: VALUES}, query_ids=IDS, target_ids=IDS, orientation="similarity"
        )
    np.savez(made / "bare.npz", net=VALUES, query_ids=IDS, target_ids=IDS)
    sections = {
        "key": "[identification]\nrnaks = [1]\n",
        "section": "[identificatoin]\n",
        "design": '[identification]\nmeasures = ["eer"]\ndesign = "bootstap"\n',
        "choice": '[experiment]\nties = "optimstic"\n',
    }
    for name, section in sections.items():
        scores = '[[scores]]\nfile = "u.npz"\n[samples]\nfile = "s.csv"\n'
        (made / f"{name}.toml").write_text(scores + section, encoding="utf-8")
    (made / "pairs.toml").write_text('[[scores]]\nfile = "p.csv"\n', encoding="utf-8")
    return made


WITHIN = "u.npz v.npz -s s.csv -g session==1"
DOORS = {
    # columns
    f"evaluate {WITHIN} --by camra": "'camera'",
    f"evaluate {WITHIN} --by Camera": "'camera'",
    f"verify {WITHIN.partition(' -g')[0]} --by camra": "'camera'",
    f"compare {WITHIN} --by camra": "'camera'",
    f"compare {WITHIN} --design jackknife --strata camra": "'camera'",
    f"covariates {WITHIN} --on probe.camra": "'camera'",
    "evaluate u.npz -s s.csv --probes camra==1": "'camera'",
    "permute u.npz -s s.csv --groups sesion": "'session'",
    "survey s.csv --mean sesion": "'session'",
    "survey s.csv --mean session --by camra": "'camera'",
    "covariates o.csv --outcomes --success sucess --on item": "'success'",
    "compare o.csv --outcomes --item itme --algorithm system --success success": "'item'",
    "classify c.csv --truth trut --predicted net": "'truth'",
    "datasets d.csv --dataset datset": "'dataset'",
    "verify p.csv --columns mated=knd,score=vit": "'kind'",
    "verify p.csv --columns matd=kind,score=vit": "'mated'",
    # algorithms, measures, designs
    f"compare {WITHIN} --pairs u-vv": "'v'",
    f"gate {WITHIN} --baseline vv": "'v'",
    f"evaluate {WITHIN} --measure rnk-1": "'rank-1'",
    f"compare {WITHIN} --measure fnmrr@0.001": "'fnmr@0.001'",
    f"compare {WITHIN} --design bootstap": "'bootstrap'",
    "recognize . -s s.csv -a corelation -o o.npz": "'correlation'",
    # options, their values, commands, what is written
    f"evaluate {WITHIN} --sampels x": "'--samples'",
    f"evaluate {WITHIN} --ties optimstic": "'optimistic'",
    "protocol what-if mixd": "'mixed'",
    "evalute u.npz": "'evaluate'",
    "protocol rnu": "'run'",
    f"evaluate {WITHIN} --csv overlp=x.csv": "'overlap'",
    # study files
    "run key.toml": "'ranks'",
    "run section.toml": "'identification'",
    "run design.toml": "'bootstrap'",
    "run choice.toml": "'optimistic'",
}


@pytest.mark.parametrize("words", DOORS)
def test_every_door_says_what_was_meant(
    words: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What a user names and the data lack is usage, at every door: exit code 2."""
    monkeypatch.chdir(folder)
    with pytest.raises(SystemExit) as ended:
        main(shlex.split(words))
    said = " ".join(capsys.readouterr().err.split())
    assert f"id you mean {DOORS[words]}" in said, said
    assert ended.value.code == 2, said


CALLS = {
    "pb.evaluate([u, v], E, by='camra')": "'camera'",
    "pb.evaluate([u, v], E, rnks=[1])": "'ranks'",
    "pb.compare([u, v], E, measure='rnk-1')": "'rank-1'",
    "pb.compare([u, v], E, measure=R, pairs=[('u', 'vv')])": "'v'",
    "pb.compare([u, v], E, measure=R, adjust='nnone')": "'none'",
    "pb.verify([u, v], S, fmr=0.1)['uu']": "'u'",
    "pb.Samples(frame).select('camra == 1')": "'camera'",
    "pb.Samples(frame).select('dats(1) == 1')": "'days'",
    "pb.Pool(S, groups=['sesion'])": "'session'",
    "pb.covariates([u, v], E, on='camra')": "'camera'",
    "pb.compare_outcomes(out, item='itme', algorithm='system', success='success')": "'item'",
    "pb.scored_pairs(p['kind'], p['vit'], orientation='similrity')": "'similarity'",
}


@pytest.mark.parametrize("call", CALLS)
def test_every_call_says_what_was_meant(call: str) -> None:
    scores = [pb.Scores.from_array(VALUES, IDS, orientation="similarity", name=name) for name in "uv"]
    samples = pb.Samples(TABLE)
    known = {
        "pb": pb, "u": scores[0], "v": scores[1], "S": samples, "E": pb.Experiment(samples, gallery="session == 1"),
        "R": pb.measures.RecognitionRate(1), "frame": pl.DataFrame(TABLE), "out": pl.DataFrame(OUTCOMES), "p": pl.DataFrame(PAIRS),
    }  # fmt: skip
    with pytest.raises(UsageError) as caught:
        eval(call, known)
    assert f"did you mean {CALLS[call]}" in str(caught.value)


def test_names_are_near_in_any_spelling() -> None:
    assert near_names("ID Column", ["id-column", "subject"]) == ["id-column"]
    assert near_names("colour", ["color", "subject"]) == ["color"]
    assert near_names("zebra", ["color", "subject"]) == []
    assert meant("zebra", ["a", "b"]) == "available: 'a', 'b'."
    error = unknown_name("column", "a{b", ["a{bc"], option="by")  # a name is never taken for a template
    assert error.told("command line")[1] == "did you mean 'a{bc'? pass --by 'a{bc'"


NEEDED = {
    "verify p.csv": "--columns a=left,b=right,mated=kind,score=vit --mated-is genuine --orientation similarity",
    "verify p.csv --columns mated=kind,score=vit": "--mated-is genuine --orientation similarity",
    "evaluate bare.npz -s named.csv": "--id-column file --orientation similarity",
    "evaluate bare.npz": "--samples FILE --orientation similarity",
    "evaluate bare.npz -s s.csv": "--orientation similarity",
    "evaluate u.npz -s named.csv -g session==1": "--id-column file",
}


@pytest.mark.parametrize("words", NEEDED)
def test_all_that_is_missing_is_asked_for_at_once(
    words: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command that is shown is the one typed, with all options that it needs; where all are known it works."""
    monkeypatch.chdir(folder)
    with pytest.raises(SystemExit) as ended:
        main(shlex.split(words))
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert said.endswith(f"\n  proband {words} {NEEDED[words]}\n"), said
    if "FILE" not in NEEDED[words]:
        more = " --fmr 0.1" if words.startswith("verify") else " -g session==1" * ("-g" not in words)
        with pytest.raises(SystemExit) as ended:
            main(shlex.split(f"{words} {NEEDED[words]}{more}"))
        assert not ended.value.code, capsys.readouterr().err


def test_an_option_that_was_wrong_is_replaced(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    with pytest.raises(SystemExit):
        main(shlex.split("evaluate bare.npz -s named.csv --id-column fil"))
    said = capsys.readouterr().err
    assert "proband evaluate bare.npz -s named.csv --id-column file --orientation similarity" in said


def test_studies_and_python_say_all_that_is_missing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    frame = pl.DataFrame(PAIRS)
    with pytest.raises(UsageError) as caught:
        pb.run(pb.read_study("pairs.toml"))
    columns = 'columns = { a = "left", b = "right", mated = "kind", score = "vit" }'
    hint = caught.value.told("study")[1] or ""
    assert f'write {columns}, mated_is = "genuine" (' in hint
    assert 'and orientation = "similarity" (' in hint
    call = (
        "scored_pairs(frame['kind'], {'vit': frame['vit']}, samples=(frame['left'], frame['right']), mated_is='genuine', "
        "orientation='similarity')"
    )
    for wrong in (lambda: pb.read_scores("p.csv"), lambda: pb.Trials(frame)):
        with pytest.raises(ProbandError) as refused:
            wrong()
        assert call in str(refused.value)
    assert eval(f"pb.{call}", {"pb": pb, "frame": frame})["vit"].orientation == "similarity"
    with pytest.raises(UsageError, match=r"mated_is='genuine' (.|\n)*orientation='similarity'"):
        pb.scored_pairs(frame["kind"], frame["vit"])
    with pytest.raises(UsageError, match=r"scored_pairs\(frame"):
        pb.verify(frame)


@pytest.mark.parametrize(
    "call",
    [
        "pb.scored_pairs([1, 0] * 10, {1: p['vit'], '1': p['vit']}, orientation='similarity')",
        "pb.classify([0, 1] * 5, {1: [0, 1] * 5, '1': [1, 0] * 5})",
    ],
)
def test_names_that_are_alike_as_texts_are_refused(call: str) -> None:
    with pytest.raises(UsageError, match="different names; got 1, 1"):
        eval(call, {"pb": pb, "p": pl.DataFrame(PAIRS)})
