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
        ("mcnemar 5 3 --rank 3", 2, "--rank requires scores"),
        ("mcnemar 5.5 3", 2, "Counts of probes must be whole and not negative, got 5.5."),
        ("mcnemar 5 -3", 2, "hint: a number without an option must not be negative."),
        (
            "verify ok.npz -s s.csv --by session,subject",
            2,
            "name each column by itself: 'session', 'subject'.",
        ),
        ("evaluate ok.npz::A -s s.csv -g session==1", 1, "it has a. hint: did you mean 'a'?"),
        ("evaluate ok.npz -s s.csv -g session==1 --ranks 500", 0, "Ranks above 8 are beyond the gallery"),
        ("evaluate ok.npz -s s.csv -g session=1", 2, "cannot be read near character 8."),
        ("evaluate -e x.npz -s s.csv -g session==1 --metric euclidean", 2, "did you mean 'l2'?"),
        (
            "feret ok.npz -s s.csv -g session==1 --feret",
            2,
            "there is no column 'image_set', 'date', 'camera'.",
        ),
        ("feret ok.npz -s s.csv -g session==1 --category-gallery x", 2, "expects NAME: CONDITION"),
        ("feret ok.npz -s s.csv -g session==1 --category-gallery x:y==1", 2, "no category 'x'"),
        ("feret ok.npz -s s.csv -g session==1 --power 1", 2, "--power"),
        ("feret ok.npz -s s.csv -g session==1 --participants s.csv", 1, "no column 'algorithm'"),
        ("feret ok.npz -s s.csv -g session==1 --participants none.csv", 1, "There is no file none.csv"),
        ("feret ok.npz -s s.csv -g session==1 --verification rank-1", 2, "not a verification measure"),
        ("covariates ok.npz -s s.csv -g session==1", 2, "pass --on probe.age"),
        ("covariates ok.npz -s s.csv --on age --strata site", 2, "add --outcomes"),
        ("covariates s.csv --outcomes --on session", 2, "pass --success"),
        (
            "covariates s.csv --outcomes --on session --success session --rank 2",
            2,
            "--rank has no effect with --outcomes",
        ),
        (
            "covariates s.csv --outcomes --on id --success session -g session==1",
            2,
            "--gallery has no effect with --outcomes",
        ),
        (
            "covariates s.csv --outcomes --on id --success session -s s.csv",
            2,
            "--samples has no effect with --outcomes",
        ),
        ("covariates ok.npz -s s.csv -g session==1 --on age", 2, "There is no column 'age'"),
        ("covariates ok.npz -s s.csv -g session==1 --on probe.session", 1, "there is nothing to explain"),
        ("covariates ok.npz -s s.csv -g session==1 --on mate.session+rival.x", 1, "a covariate of non-mates"),
        (
            "partition ok.npz -s s.csv -g session==1",
            1,
            "too few to assign a probe to a part by the person's other probes",
        ),
        ("survey s.csv", 2, "nothing to estimate was given"),
        ("survey s.csv --mean sesion", 2, "did you mean 'session'"),
        ("survey s.csv --mean session --units subject --differences", 2, "leave it out, or add --by"),
        ("survey s.csv --mean session --units subject --rho 0.3", 2, "--method fay"),
        ("survey s.csv --mean session --strata subject --units id --lonely fail", 0, ""),
        ("survey s.csv --mean session --strata id --units id", 1, "--lonely adjust"),
        ("survey s.csv --ratio session/", 2, "write COLUMN/COLUMN"),
        ("survey s.csv --mean session --replicate-weights w*", 1, "--replicate-weights"),
        ("verify ok.npz -s s.csv --fmr 0.1%", 2, "write 0.001 for 0.1%"),
        ("compare u=ok.npz v=ok.npz -s s.csv -g session==1 --pairs u-w", 2, "no algorithm 'w'"),
        ("compare u=ok.npz v=ok.npz -s s.csv -g session==1 --pairs uv", 2, "write A-B with two of: 'u', 'v'"),
        (
            "compare u=ok.npz v=ok.npz -s s.csv -g session==1 --with-probes session==2",
            2,
            "no effect without --with-scores",
        ),
        (
            "compare u=ok.npz -s s.csv -g session==1 --with ok.npz",
            1,
            "have the same probes, so they are not independent",
        ),
        ("compare u=ok.npz v=ok.npz -s s.csv -g session==1 --one-sided lower --level 0.4", 2, "above 0.5"),
        (
            "compare u=ok.npz -s s.csv --with b=other.html::k --report other.html",
            2,
            "will not be overwritten",
        ),
        ("recognize empty -i empty -a correlation -o o.npz", 2, "leave one of them out"),
        ("recognize -a correlation -o o.npz", 2, "pass a directory"),
        ("protocol run empty --names jaff -c src -P LOSO", 2, "neither a pattern nor a known data set"),
        ("protocol run x.npz -c src -P LOSO", 2, "pass --samples"),
        (
            "compare u=ok.npz v=ok.npz -s s.csv -g session==1 --by-category",
            2,
            "--by-category: there are no probe categories",
        ),
        ("mcnemar u=ok.npz v=ok.npz w=ok.npz -s s.csv -g session==1", 2, "name them with --pairs A-B"),
        (
            "evaluate ok.npz -s s.csv -g session==1 --figure distributions=x.svg",
            2,
            "x.svg cannot be written: there are no results for it",
        ),
        (
            "permute ok.npz -s s.csv --trials 10 --list-trials 11 --csv trials=x.csv",
            2,
            "there are only 10 trials",
        ),
        ("evaluate jpg.npz -s s.csv -g session==1", 1, "the ending: 'g0.jpg' against 'g0'"),
        ("evaluate ok.npz -s one.csv -g session==1", 1, "one person, 'x'"),
        ("evaluate short.npy -s s.csv -g session==1", 1, "15 rows do not match the 16 samples"),
        ("evaluate ok.npz -s s.csv -g @none.txt", 1, "is empty"),
        (
            "evaluate ok.npz -s s.csv -g session==1 --model-card x.html",
            2,
            "use a name ending in .md or .yaml",
        ),
        ("evaluate ok.npz -s s.csv -g session==1 --out /", 1, "not replaced"),
        ("evaluate -e x3.npz -s s.csv -g session==1 --metric cosine", 1, "it has emb of 16 × 2 × 3"),
        (
            "evaluate -e x.npz -e x=y.npz -s s.csv -g session==1 --metric cosine",
            2,
            "give one of them another name: NAME=FILE",
        ),
        ("audit s.csv", 2, "only copies and losses can be checked"),
        ("audit empty --names x{subject}", 1, "There are no images in empty"),
        ("audit empty --names jaff", 2, "neither a pattern nor a known data set"),
        (
            "protocol run empty -s empty -c src -P LOSO",
            1,
            '"empty" is a directory without images. hint: specify a samples table',
        ),
        (
            "protocol run empty -c src -P LOSO",
            1,
            '"empty" is a directory without images. hint: specify a samples table',
        ),
        ("datasets s.csv", 2, "no column 'dataset'"),
        ("datasets s.csv --dataset id", 1, "divide percentages by 100"),
        ("protocol run x.npz -s s.csv -c src -P 5-fold", 2, "write '5f CV', or '5f CV+'"),
        (
            "protocol run x.npz -s s.csv -c lr=LogisticRegression() -P LOSO",
            2,
            "as in sklearn.linear_model:LogisticRegression()",
        ),
        ("protocol run x.npz -s s.csv -c src -P LOSO --subjects few", 2, "--subjects expects whole numbers"),
        ("protocol run x.npz -s s.csv -c src --subjects 1 -P LOSO", 2, "--subjects"),
        ("protocol run x.npz -s s.csv -c src --margin 3 -P LOSO", 2, "--margin"),
        ("protocol run x.npz -s s.csv -c src --report page.txt", 2, "a file name ending in .html"),
        ("gate ok.npz --baseline ok.npz -s s.csv --margin 1%", 2, "hint: write 0.01 for 1%"),
        ("compare ok.npz -s s.csv -g session==1 --strata sex", 2, "specify it: --design brr"),
        ("strat ok.npz -s s.csv --sensors session", 2, "select it with --gallery one_per_subject"),
        ("strat ok.npz -s s.csv -g session==1 --images 4", 2, "--n-images has no effect with --gallery"),
        ("strat ok.npz -s s.csv --probes session==2", 2, "--probes has no effect without --gallery"),
        ("strat ok.npz -s s.csv -g session==1 --rho 0.3", 2, "The design brr has no rho"),
        ("strat ok.npz -s s.csv -g session==1 --df many", 2, "strata, cochran or a number above 0"),
        ("strat ok.npz -s s.csv -g session==1 --stratum-weights a", 2, "for example a=0.6,b=0.4"),
        ("strat ok.npz -s s.csv -g session==1 --units subject", 2, "cannot be both the strata and the units"),
        (
            "evaluate rows.npz -s s.csv -g session==1",
            1,
            "if the rows are embeddings, pass -e FILE (--embeddings)",
        ),
        ("gate rows.npz --baseline rows.npz", 2, "if the rows are embeddings, pass -e FILE (--embeddings)"),
        *(
            (f"{one} .", 1, "empty is a directory without distance")
            for one in ("evaluate", "verify", "threshold")
        ),
        ("compare . --measure auc", 1, "empty is a directory without distance"),
        ("evaluate ../ok.npz -s .", 1, '"." is a directory without images. hint: specify a samples table'),
        ("evaluate ok.npz -s s.csv -g @list.txt", 0, "does not end with a line break"),
        (
            "evaluate ok.npz -s s.csv -g session==1 --queries session==2",
            2,
            "--queries has no effect on ok.npz, which contains its own ids",
        ),
    ],
)
def test_a_mistake_is_answered(folder, capsys, monkeypatch, words, code, said):
    monkeypatch.chdir(folder / "empty" if "." in words.split() else folder)
    scores = (
        []
        if words.startswith(
            ("mcnemar 5", "protocol", "survey", "audit", "datasets", "recognize", "covariates s.csv")
        )
        or " -e " in words
        else ["--orientation", "similarity"]
    )
    with pytest.raises(SystemExit) as ended:
        main([*words.split(), *scores])
    assert int(ended.value.code or 0) == code
    out, err = capsys.readouterr()
    assert said in (out + err).replace("\n", " ").replace("  ", " ")
    assert "Traceback" not in err
    assert not (folder / "x.html").exists()
