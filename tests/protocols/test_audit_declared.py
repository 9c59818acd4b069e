from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from tests.examples import TIMES

from proband.errors import DesignError
from proband.protocols.audit.audit import audit
from proband.protocols.splits.files import split_frame
from proband.protocols.splits.splits import splitter
from proband.samples import Samples

N_SUBJECTS, N_EACH = 12, 10
SEX = np.repeat(["f", "m"], N_SUBJECTS * N_EACH // 2)
KINDS = {
    "number of splits", "repeats and folds", "validation part", "sizes of parts", "unused in folds", "samples per subject",
    "samples per class", "one subject at a time", "one sample at a time",
}  # fmt: skip


def table(who: np.ndarray, sex: np.ndarray) -> Samples:
    return Samples({"id": [f"{name}-{k}" for k, name in enumerate(who)], "subject": who, "sex": sex})


WHO = np.repeat([f"p{k:02d}" for k in range(N_SUBJECTS)], N_EACH)
PEOPLE = table(WHO, SEX)


def made(
    protocol: str, people: Samples = PEOPLE, who: np.ndarray = WHO, sex: np.ndarray = SEX, seed: int = 0
):
    frame = split_frame(people, splitter(protocol, seed=seed, all_classes=False).splits(sex, who))
    return frame.with_columns(pl.col("role").cast(pl.String))


def deviations(
    frame: pl.DataFrame, protocol: str, people: Samples = PEOPLE, label: str | None = "sex"
) -> dict[str, Any]:
    found = audit(
        frame, people, task="identity" if label is None else "attribute", label=label, protocol=protocol
    )
    return {one.kind: one for one in found.findings if one.kind in KINDS}


ALL = [
    "5f CV", "2×5f CV+", "7f CV mixed", "LOO", "LOO+", "LOSO", "80-20 HO", "3×70-30 HO+", "60-20-20 HO", "60-20-20 HO+",
    "50-50 HO mixed", "4-6 HO*", "3-3 HO*", "2-rest HO*", "2×2-2-3 HO*", "rest-2 HO*", "40-3 HO**", "40-30 HO**/all",
    "40-10-30 HO**/all", "HO(f:20, m:10)", "3×HO(f:20, m:10)+", "LOO(50,20)", "2×LOO(50,20)+", "2-rest HO*/class",
]  # fmt: skip


@pytest.mark.parametrize("protocol", ALL)
def test_what_a_splitter_makes_is_what_its_protocol_says(protocol: str) -> None:
    assert deviations(made(protocol), protocol) == {}


@pytest.mark.parametrize(
    "protocol",
    ["5f CV", "4f CV+", "80-20 HO", "70-30 HO+", "60-20-20 HO", "60-20-20 HO+", "LOO+", "LOSO", "10f CV"],
)
def test_so_it_is_with_people_of_unlike_sizes(protocol: str) -> None:
    for seed in range(3 if TIMES else 1):
        rng = np.random.default_rng(seed)
        own = rng.integers(1, 15, 25)
        who = np.repeat([f"q{k:02d}" for k in range(25)], own)
        sex = np.repeat(rng.choice(["f", "m"], 25), own)
        people = table(who, sex)
        try:
            frame = made(protocol, people, who, sex, seed)
        except DesignError:
            continue
        assert deviations(frame, protocol, people) == {}


@pytest.mark.parametrize(
    ("real", "called", "kinds"),
    [
        ("2×5f CV", "5×2f CV", {"repeats and folds", "sizes of parts"}),
        ("5f CV", "10f CV", {"number of splits", "sizes of parts"}),
        ("70-30 HO", "80-20 HO", {"sizes of parts"}),
        ("60-40 HO+", "80-20 HO+", {"sizes of parts"}),
        ("80-20 HO", "60-20-20 HO", {"validation part", "sizes of parts"}),
        ("60-20-20 HO", "60-40 HO", {"validation part", "sizes of parts"}),
        ("4-6 HO*", "5-5 HO*", {"samples per subject"}),
        ("40-3 HO**", "40-2 HO**", {"samples per subject"}),
        ("40-3 HO**", "41-3 HO**", {"sizes of parts"}),
        ("40-30 HO**/all", "40-31 HO**/all", {"sizes of parts"}),
        ("HO(f:20, m:10)", "HO(f:20, m:11)", {"samples per class"}),
        ("HO(f:20, m:10)", "HO(f:20)", {"samples per class"}),
        ("12f CV+", "LOO", {"number of splits", "one sample at a time"}),
        ("6f CV+", "LOSO", {"number of splits", "one subject at a time"}),
        ("LOO", "LOSO", {"number of splits", "sizes of parts"}),
        ("LOO(50,20)", "LOO(50,21)", {"number of splits"}),
        ("LOO(50,20)", "LOO(49,20)", {"sizes of parts"}),
    ],
)  # fmt: skip
def test_another_protocol_is_a_fault(real: str, called: str, kinds: set[str]) -> None:
    found = deviations(made(real), called)
    assert set(found) == kinds
    assert {one.severity for one in found.values()} == {"fault"}


def test_the_first_deviation_is_named() -> None:
    frame = made("2×4-6 HO*")
    name = frame.filter(pl.col("role") == "train")["id"][0]
    here = (pl.col("id") == name) & (pl.col("repeat") == 2)
    broken = frame.with_columns(role=pl.when(here).then(pl.lit("unused")).otherwise("role"))
    if broken.equals(frame):
        pytest.fail("nothing was moved")
    kinds = deviations(broken, "2×4-6 HO*")
    (one,) = kinds.values()
    assert one.examples[0].startswith(f"{name.partition('-')[0]}: ")
    assert one.examples[0].endswith("(repeat 2)")


def test_disjoint_splits_called_mixed_are_a_note() -> None:
    found = audit(made("5f CV+"), PEOPLE, task="attribute", label="sex", protocol="5f CV mixed")
    assert found.of("subjects kept apart")[0].severity == "note"
    assert not audit(made("5f CV"), PEOPLE, protocol="5f CV mixed").of("subjects kept apart")


def test_what_is_not_checked_is_said() -> None:
    found = audit(made("80-20 HO"), PEOPLE, protocol="80-20 HO [train: session 1]")
    assert [said.code for said in found.unchecked] == [
        "audit.unchecked-chance", "audit.unchecked-conditions", "audit.unchecked-disjointness",
    ]  # fmt: skip
    assert audit(made("80-20 HO"), PEOPLE).unchecked == ()
    assert "no label" in str(
        audit(made("2-rest HO*/class"), PEOPLE, protocol="2-rest HO*/class").unchecked[1]
    )
