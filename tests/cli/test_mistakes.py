"""Plausible mistakes on the command line: one or two lines, a cure, and exit 1 or 2."""

from __future__ import annotations

import numpy as np
import pytest

from proband.cli.app import main

IDS = [f"{side}{k}" for k in range(8) for side in "gp"]
VALUES = np.equal.outer([name[1:] for name in IDS], [name[1:] for name in IDS]) + 0.01 * np.arange(16.0)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("files")
    for name, subject in (("s.csv", None), ("one.csv", "x")):
        rows = (f"{one},{subject or one[1:]},{1 if one[0] == 'g' else 2}\n" for one in IDS)
        (made / name).write_text("id,subject,session\n" + "".join(rows))
    jpg = [f"{one}.jpg" for one in IDS]
    np.savez(made / "ok.npz", a=VALUES, query_ids=IDS, target_ids=IDS)
    np.savez(made / "jpg.npz", a=VALUES, query_ids=jpg, target_ids=jpg)
    for name, shape in (("x3", (16, 2, 3)), ("x", (16, 4)), ("y", (16, 4))):
        np.savez(made / f"{name}.npz", emb=np.ones(shape), ids=IDS)

    np.savez(made / "rows.npz", net=VALUES[:, :5], ids=IDS)
    (made / "empty").mkdir()
    np.save(made / "short.npy", VALUES[:-1])
    (made / "list.txt").write_text("\n".join(one for one in IDS if one[0] == "g"))
    (made / "none.txt").write_text("\n")
    return made


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ("mcnemar 5 3 --rank 3", 2, "--rank goes with scores"),
        ("verify ok.npz -s s.csv --fmr 0.1%", 2, "write 0.001 for 0.1%"),
        ("evaluate jpg.npz -s s.csv -g session==1", 1, "the ending: 'g0.jpg' against 'g0'"),
        ("evaluate ok.npz -s one.csv -g session==1", 1, "one person, 'x'"),
        ("evaluate short.npy -s s.csv -g session==1", 1, "15 rows are not the 16 samples"),
        ("evaluate ok.npz -s s.csv -g @none.txt", 1, "is empty"),
        ("evaluate ok.npz -s s.csv -g session==1 --model-card x.html", 2, "end the name with .md or .yaml"),
        ("evaluate ok.npz -s s.csv -g session==1 --out /", 1, "left alone"),
        ("evaluate -e x3.npz -s s.csv -g session==1 --metric cosine", 1, "it has emb of 16 × 2 × 3"),
        (
            "evaluate -e x.npz -e y.npz -s s.csv -g session==1 --metric cosine",
            2,
            "give one another name: NAME=FILE",
        ),
        ("audit s.csv", 2, "nothing to look for but copies and losses"),
        ("audit empty --names x{subject}", 1, "There is no picture in empty"),
        ("audit empty --names jaff", 2, "neither a pattern nor a data set known here"),
        ("protocol run empty -s empty -c src -P LOSO", 1, "There is no picture in empty"),
        ("datasets s.csv", 1, "no column 'dataset'"),
        ("datasets s.csv --dataset id", 1, "divide percentages by 100"),
        ("protocol run x.npz -s s.csv -c src -P 5-fold", 2, "write '5f CV', or '5f CV+'"),
        (
            "protocol run x.npz -s s.csv -c lr=LogisticRegression() -P LOSO",
            2,
            "as in sklearn.linear_model:LogisticRegression()",
        ),
        ("gate ok.npz --baseline ok.npz -s s.csv --margin 1%", 2, "hint: write 0.01 for 1%"),
        (
            "evaluate rows.npz -s s.csv -g session==1",
            1,
            "if its rows are embeddings, pass -e FILE (--embeddings)",
        ),
        ("gate rows.npz --baseline rows.npz", 2, "if its rows are embeddings, pass -e FILE (--embeddings)"),
        *(
            (f"{one} .", 1, "empty is a directory that holds no")
            for one in ("evaluate", "verify", "threshold")
        ),
        ("compare . --auc", 1, "empty is a directory that holds no"),
        ("evaluate ../ok.npz -s .", 1, '"." is a directory, and no file. hint: name the file in it.'),
        ("evaluate ok.npz -s s.csv -g @list.txt", 0, "does not end with a line break"),
        ("evaluate ok.npz -s s.csv -g session==1 --queries session==2", 0, "names its query ids itself"),
    ],
)
def test_a_mistake_is_answered(folder, capsys, monkeypatch, words, code, said):
    monkeypatch.chdir(folder / "empty" if "." in words.split() else folder)
    scores = (
        []
        if words.startswith(("mcnemar", "protocol", "audit", "datasets")) or " -e " in words
        else ["--orientation", "similarity"]
    )
    with pytest.raises(SystemExit) as ended:
        main([*words.split(), *scores])
    assert int(ended.value.code or 0) == code
    out, err = capsys.readouterr()
    assert said in (out + err).replace("\n", " ").replace("  ", " ")
    assert "Traceback" not in err
    assert not (folder / "x.html").exists()
