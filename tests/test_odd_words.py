"""Texts for people agree with their numbers: no p-value of nothing, no signed zero, no "1 sets"."""

from __future__ import annotations

import ast
import re
import shlex
import shutil
from collections.abc import Callable, Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.golden.cases import ASKED
from tests.golden.freeze import fresh
from tests.odd_words import odd, read
from tests.report.page import finding
from tests.words import every_sentence

import proband as pb
from proband.analyses.comparison.run import ComparedAlgorithms
from proband.analyses.identification.run import Identified
from proband.cli import main
from proband.report.page.build import build_page
from proband.report.page.render import render_page
from proband.report.scene import Scene
from proband.results.base import Result
from proband.study.findings import Findings
from proband.words import fixed, interval, p_alone, p_value, percent, points, signed

SOURCE = Path(pb.__file__).parent


@pytest.mark.parametrize("value", [0.0, -0.0, 1e-9, -1e-9, -0.004, 0.004])
def test_what_is_rounded_to_zero_has_no_sign(value: float) -> None:
    shown = [
        fixed(value, 2),
        signed(value),
        percent(value / 100),
        points(value / 100),
        interval(value, 1.0, 2),
    ]
    assert shown == ["0.00", "0.00", "0%", "0.00 points", "[0.00, 1.00]"]


@pytest.mark.parametrize("value", [1.0, 0.5, 0.0312, 0.004, 1e-4, 1e-9, 1e-15, 1e-40, 0.0])
def test_no_p_value_is_nothing(value: float) -> None:
    for shown in (p_value(value), p_value(value, value), f"= {p_alone(value)}"):
        assert not odd(f"p {shown}") or shown.startswith("= <")


def test_sentences_format_p_values_by_the_one_format() -> None:
    wrong = [
        f"{one.code}: {one.template}"
        for one in every_sentence()
        if re.search(
            r"\bp(-value)? ?[=<≤] ?\{|\bp(-value)? (of )?\{\w+(:(?!(least_)?p\})\w+)?\}", one.template
        )
    ]
    assert wrong == []


# Numbers that are never one: limits in the code, sizes from two on, and what is said of several only.
SEVERAL = {
    "choices.no-common-cycle", "choices.stopped", "comparison.categories-together", "comparison.few-discordant", "comparison.leads",
    "comparison.leading-group", "comparison.none-leads", "folds.no-variation", "mcnemar.adjusted", "methods.balanced-choices", "methods.single-step",
    "methods.unbalanced-choices", "outcomes.two-rates", "rates.no-errors", "rates.only-errors", "strata.all-replicates-used", "strata.halved", "strata.paired",
    "strata.replicates-drawn", "threshold.needed", "threshold.not-distribution-free", "verdict.fewest-misses", "verdict.leads-all",
    "verdict.listed-of-more", "weights.two-rates",
}  # fmt: skip
PAPERS = (
    "beveridge2001.",
    "feret2000.",
    "mery2016.",
    "micheals-boult2001.",
    "protocol",
)  # sizes that are chosen
_PLURAL = r" (?!(?:of|is|as|was|this|less|has|does|others|for)\b)(?:[a-z-]+ )?(?:people|strata|[a-z]{2,}(?<![su])s)\b"
_IN_SENTENCES = re.compile(r"(?<!of )(?<!than )(?<!about )(?<!up to )\{\w+:count\}" + _PLURAL)
_IN_CODE = re.compile(r"\{(?:(?:(?:\w+\.)?count|len)\([^{}\n]*\)|[\w.]*\bn_\w+|n)\}" + _PLURAL)


def test_words_of_sentences_agree_with_their_numbers() -> None:
    found = {one.code: match[0] for one in every_sentence() if (match := _IN_SENTENCES.search(one.template))}
    kept = {
        code: words for code, words in found.items() if code not in SEVERAL and not code.startswith(PAPERS)
    }
    assert kept == {}, "write {n:count probe} or {n:count person/people}"


def _shown(name: str, text: str) -> Iterator[str]:
    """The code that makes what people read of results: reports, and how results show themselves."""
    if name.startswith(("report/", "results/")):
        yield text
    elif "__repr__" in text or "as_method" in text:
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef) and node.name in ("__repr__", "__str__", "as_method"):
                yield ast.get_source_segment(text, node) or ""


def test_results_and_reports_count_by_the_one_function() -> None:
    wrong = []
    for path in sorted(SOURCE.rglob("*.py")):
        name, text = path.relative_to(SOURCE).as_posix(), path.read_text(encoding="utf-8")
        if (
            not name.startswith(("protocols/", "arrays/"))
            and "protocol" not in name
            and _IN_CODE.search(text)
        ):
            wrong += [f"{name}: {one[0]}" for part in _shown(name, text) for one in _IN_CODE.finditer(part)]
    assert [one for one in wrong if not one.endswith(ALWAYS_MANY)] == [], "write counted(n, 'probe')"


ALWAYS_MANY = ("pairs", "algorithms", "replicates")  # where a part of them is shown, or more are asked for


def tiny(n: int) -> tuple[pb.Samples, list[pb.Scores]]:
    """So many people with a probe each, and algorithms that recognise everybody or nobody."""
    ids = [f"{side}{k}" for side in "gp" for k in range(n)]
    samples = pb.Samples({"id": ids, "subject": [one[1:] for one in ids], "side": [one[0] for one in ids]})
    values = {"all": np.eye(n), "none": 1 - np.eye(n), "same": np.eye(n)}
    made = [
        pb.Scores.from_array(value, ids[n:], ids[:n], orientation="similarity", name=name)
        for name, value in values.items()
    ]
    return samples, made


def everything_of(result: Result) -> Iterator[str]:
    """All that a result shows of itself."""
    yield repr(result)
    for form in ("to_markdown", "to_latex"):
        if hasattr(result, form):
            yield getattr(result, form)()


@pytest.mark.parametrize("n", [2, 3])
def test_the_smallest_studies_are_told_well(n: int) -> None:
    samples, scores = tiny(n)
    experiment = pb.Experiment(samples, gallery="side == 'g'")
    found: list[Any] = [samples, experiment, *scores]
    for several in (scores[:1], scores):
        evaluation = pb.evaluate(several, experiment, check_orientation=False)
        found += [
            evaluation,
            *evaluation.entries,
            pb.feret.feret_study(several, experiment, check_orientation=False),
        ]
        found += [
            pb.estimate(entry.outcomes, measure=pb.measures.RecognitionRate(1))
            for entry in evaluation.entries
        ]
    found.append(
        pb.compare([entry.outcomes for entry in evaluation.entries], measure=pb.measures.RecognitionRate(1))
    )
    found.append(pb.classify(np.arange(n) % 2, np.eye(2)[np.arange(n) % 2]))
    assert [text for one in found for shown in everything_of(one) for text in odd(shown)] == []


@pytest.mark.parametrize(
    "made", [finding.whole, finding.feret, finding.one, finding.labelled, finding.under_protocols]
)
def test_pages_are_told_well(made: Callable[[], Findings]) -> None:
    assert odd(read(render_page(finding.page(made)))) == []


def test_pages_of_the_smallest_studies_are_told_well() -> None:
    samples, scores = tiny(2)
    experiment = pb.Experiment(samples, gallery="side == 'g'")
    evaluation = pb.evaluate(scores, experiment, check_orientation=False)
    compared = pb.compare(
        [entry.outcomes for entry in evaluation.entries], measure=pb.measures.RecognitionRate(1)
    )
    ids = [one for one in tiny(3)[0].ids if one != "g2"]  # one probe has no mate
    enrolled = pb.Experiment(
        tiny(3)[0],
        gallery=[one for one in ids if one[0] == "g"],
        probes=[one for one in ids if one[0] == "p"],
    )
    alone = pb.evaluate(tiny(3)[1][:1], enrolled, check_orientation=False)
    for found in (
        Findings("Open", finding.PROVENANCE, {"identification": Identified(alone)}),
        Findings("Few", finding.PROVENANCE, {"identification": Identified(evaluation)}),
        Findings(
            "Few",
            finding.PROVENANCE,
            {
                "identification": Identified(evaluation),
                "comparison": ComparedAlgorithms({"rank-1": compared}),
            },
        ),
    ):
        assert odd(read(render_page(build_page(Scene(found))))) == []


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    fresh(folder)
    return folder


@pytest.mark.long
@pytest.mark.parametrize(
    "asked", [f"{command} {' '.join(words.split())}" for command in ASKED for words in ASKED[command]]
)
def test_everything_that_commands_say_is_told_well(asked: str, data: Path, tmp_path: Path) -> None:
    for one in data.iterdir():
        (shutil.copytree if one.is_dir() else shutil.copyfile)(one, tmp_path / one.name)
    said = StringIO()
    explained = [] if asked.startswith(("card show", "literature")) else ["--explain"]
    with pytest.raises(SystemExit) as stop, chdir(tmp_path), redirect_stdout(said), redirect_stderr(said):
        main([*shlex.split(asked), *explained])
    assert stop.value.code in (0, None, 3, 4), said.getvalue()
    pages = [read(page.read_text()) for page in tmp_path.rglob("*.html")]
    assert [text for shown in (said.getvalue(), *pages) for text in odd(shown)] == []
