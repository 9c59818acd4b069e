"""Counts that nobody can carry out are refused at once: in the notation, in Python and in the program, before anything is trained."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from proband.errors import DesignError, ProbandError, UsageError
from proband.protocols.notation import Protocol
from proband.protocols.running.data import FeatureTable
from proband.protocols.running.running import run_protocol
from proband.protocols.running.what_if import what_if
from proband.protocols.splits.splits import MOST_SPLITS, splitter
from proband.samples import Samples

TOO_LONG = [10**9, 2**63, 2**70, 10**400, 10**5000, float(10**9), 1e300]
MOST = 999_999_999  # that the notation can write
FIELDS: dict[str, Any] = {
    "repeats of folds": lambda n: {"kind": "cross-validation", "folds": 2, "repeats": n},
    "repeats of hold-outs": lambda n: {"kind": "hold-out", "sizes": (80, 20), "repeats": n},
    "repeats of LOO(M,K)": lambda n: {"kind": "sampled leave-one-out", "drawn": (3, 3), "repeats": n},
    "folds": lambda n: {"kind": "cross-validation", "folds": n},
    "M": lambda n: {"kind": "sampled leave-one-out", "drawn": (n, 3)},
    "K": lambda n: {"kind": "sampled leave-one-out", "drawn": (3, n)},
    "percentages": lambda n: {"kind": "hold-out", "sizes": (n, 20)},
    "trained of each": lambda n: {"kind": "per-subject hold-out", "sizes": (n, 1)},
    "tested of each": lambda n: {"kind": "per-subject hold-out", "sizes": (1, n)},
    "validated of each": lambda n: {"kind": "per-subject hold-out", "sizes": (1, n, 1)},
    "trained in all": lambda n: {"kind": "counted hold-out", "sizes": (n, 1)},
    "tested in all": lambda n: {"kind": "counted hold-out", "sizes": (1, n), "per": "all"},
    "trained of a class": lambda n: {"kind": "class hold-out", "class_sizes": (("f", n), ("m", 2))},
}
NOTATIONS = [
    "{}×2f CV", "{}f CV", "{}×80-20 HO", "LOO({},3)", "LOO(3,{})", "{}×LOO(3,3)", "{}-1 HO*", "1-{} HO*", "1-{}-1 HO*",
    "{}-1 HO**", "1-{} HO**/all", "HO(f:{}, m:2)", "{}-20 HO",
]  # fmt: skip


class Untrained:
    """An estimator that nobody may train."""

    def fit(self, X: Any, y: Any) -> None:
        raise AssertionError("trained")

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {}

    def set_params(self, **_: Any) -> Untrained:
        return self

    def predict(self, X: Any) -> None:
        raise AssertionError("asked")


@pytest.fixture(scope="module")
def data() -> FeatureTable:
    who = np.repeat(np.arange(6), 4)
    table = Samples({"id": range(24), "subject": who, "sex": np.where(who % 2, "f", "m")})
    return FeatureTable(table, features=np.arange(48.0).reshape(24, 2))


@pytest.mark.parametrize("field", FIELDS)
def test_a_protocol_takes_no_number_longer_than_its_notation(field: str) -> None:
    for number in TOO_LONG:
        with pytest.raises(UsageError, match=r"digits|64 bits|should be a (whole number|list of)"):
            Protocol(**FIELDS[field](number))


@pytest.mark.parametrize("text", NOTATIONS)
def test_the_notation_neither(text: str) -> None:
    for number in ("9" * 10, "9" * 400, "9" * 5000):
        with pytest.raises(UsageError, match="of at most 9 digits"):
            Protocol.parse(text.format(number))


@pytest.mark.parametrize("field", [one for one in FIELDS if one != "percentages"])
def test_what_can_be_written_and_not_be_done_is_refused_before_training(
    data: FeatureTable, field: str
) -> None:
    protocol = Protocol(**FIELDS[field](MOST))
    sex, people = data.samples.frame["sex"].to_list(), data.subjects
    with pytest.raises(DesignError):
        next(splitter(protocol).splits(sex, people))
    with pytest.raises(DesignError):
        next(splitter(protocol).split(data.features, sex, people))
    with pytest.raises(DesignError):
        run_protocol({"c": Untrained()}, data, protocol, task="attribute", label="sex")
    with pytest.raises(DesignError):
        what_if({"c": Untrained()}, data, "mixed", protocol, label="sex")


def test_a_few_repeats_of_very_many_can_be_made(data: FeatureTable) -> None:
    maker = splitter(f"{MOST}×2f CV")
    sex = data.samples.frame["sex"].to_list()
    assert len(list(maker.splits(sex, repeats=[1, MOST]))) == 4
    assert len(list(splitter(f"{MOST_SPLITS // 2}×2f CV").splits(sex, repeats=range(1, 4)))) == 6
    with pytest.raises(DesignError, match="100,002 splits, more than the limit of 100,000"):
        maker.splits(sex, repeats=range(1, MOST_SPLITS // 2 + 2))
    with pytest.raises(DesignError, match="more than the limit"):
        maker.splits(sex, repeats=range(1, MOST + 1))
    with pytest.raises(UsageError, match="a whole number of 5001 digits"):
        maker.splits(sex, repeats=[10**5000])


@pytest.mark.parametrize("asked", ["subjects", "images_each", "draws"])
def test_sizes_and_draws_are_refused_before_training(data: FeatureTable, asked: str) -> None:
    for number in (MOST, 2**70, 10**5000):
        sizes: dict[str, Any] = {"subjects": 4, asked: number}
        with pytest.raises(ProbandError):
            run_protocol({"c": Untrained()}, data, "2f CV", task="attribute", label="sex", **sizes)


@pytest.mark.parametrize(
    "words",
    [
        ["-P", f"{MOST}x2f CV"],
        ["-P", "LOO(3,99999999999)"],
        ["-P", "2f CV", "--subjects", "4", "--draws", "9" * 40],
        ["-P", "2f CV", "--subjects", "9" * 40],
        ["-P", "2f CV", "--images-each", "9" * 5000],
    ],
)
def test_the_program_refuses_them_too(
    data: FeatureTable, words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("sklearn")
    from proband.cli.app import main

    np.save(tmp_path / "x.npy", data.features)
    data.samples.frame.write_csv(tmp_path / "s.csv")
    asked = ["protocol", "run", str(tmp_path / "x.npy"), "-s", str(tmp_path / "s.csv"), "--label", "sex"]
    with pytest.raises(SystemExit) as stop:
        main([*asked, "-c", "sklearn.dummy:DummyClassifier()", *words])
    assert stop.value.code in (1, 2)
    said = capsys.readouterr()
    assert "Traceback" not in said.err
    assert not said.out
