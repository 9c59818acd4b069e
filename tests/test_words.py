"""Words are rendered and never read back: with other words every number, verdict, section and citation is the same."""

from __future__ import annotations

import gc
import hashlib
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from inspect import isabstract
from typing import Any

import pytest
from tests.golden.running import _numbers
from tests.report.page import finding
from tests.words import every_sentence

import proband as pb
from proband import designs
from proband.analyses import Request
from proband.analyses.comparison.run import ComparedAlgorithms
from proband.analyses.identification.run import Identified
from proband.analyses.verification.run import Verified
from proband.inference import Comparison
from proband.report.page.build import build_page
from proband.report.page.model import Badges, Block, ChartBlock, Folded, Panels, Paragraph
from proband.report.page.sections.methods import methods_text
from proband.report.references import REFERENCES
from proband.report.scene import Scene
from proband.report.tables.table import Cell, Table
from proband.study.findings import Findings
from proband.study.inputs import Algorithm, Inputs
from proband.study.run import run
from proband.words import Method, Sentence, Target, as_sentence, interval_of, small_interval

DESIGNS = [
    *(pb.designs.Binomial(kind) for kind in ("wilson", "clopper-pearson", "jeffreys")),
    *(pb.designs.Bootstrap(unit, kind) for unit in ("probe", "subject") for kind in ("percentile", "basic", "bca")),
    *(pb.designs.ClusteredMcNemar(kind) for kind in ("obuchowski", "durkalski")),
    *(pb.designs.Jackknife(kind=kind) for kind in ("JKn", "JK1")),
    *(pb.designs.Galleries(2, order=order) for order in (None, "date")),
    pb.designs.Clustered(), pb.designs.TrainingSets(), pb.designs.SignFlip(), pb.designs.BRR(), pb.designs.Fay(), pb.designs.Enumeration(), pb.designs.RaoWu(),
    pb.designs.CollapsedStrata(), pb.designs.ImageChoice(),
]  # fmt: skip


def other(words: str) -> str:
    """Other words for the same: alike for alike words, with a blank as sentences have."""
    digest = hashlib.sha256(words.encode()).hexdigest()
    return f"{digest[:6]} {digest[6:14]}" if words else ""


def of_kind(kind: type) -> list:
    return [one for one in gc.get_objects() if type(one) is kind]


@pytest.fixture
def scrambled(monkeypatch) -> Iterator[None]:
    """Give every sentence, target and method other words: those there are, and those that are made meanwhile."""
    every_sentence()
    held = [(one, ("template",)) for one in Sentence.every.values()]
    held += [(one, ("words",)) for one in of_kind(Target)]
    held += [(one, ("label", "account")) for one in of_kind(Method)]
    kept = [(one, name, getattr(one, name)) for one, names in held for name in names]
    for one, name, words in kept:
        object.__setattr__(one, name, other(words))

    def scrambling(kind: type, *names: str) -> None:
        plain = kind.__init__

        def scrambled_init(self, *values, **named) -> None:
            plain(self, *values, **named)
            for name in names:
                object.__setattr__(self, name, other(getattr(self, name)))

        monkeypatch.setattr(kind, "__init__", scrambled_init)

    scrambling(Target, "words")
    scrambling(Method, "label", "account")
    yield
    for one, name, words in kept:
        object.__setattr__(one, name, words)


def flat(blocks: tuple[Block, ...]) -> Iterator[Block]:
    for block in blocks:
        yield block
        if isinstance(block, Folded | Panels):
            yield from flat(block.blocks)


def shape(block: Block) -> tuple:
    """What a block is, without its words."""
    match block:
        case Table():
            return block.id, [[number(cell) for cell in row] for row in block.rows], len(block.notes)
        case ChartBlock():
            return block.id, list(block.drawings), block.looks, shape(block.data)
        case Paragraph():
            return "paragraph", block.strong
        case Badges():
            return "badges", len(block.badges)
    return type(block).__name__, len(getattr(block, "rows", ()))


def number(cell: Cell) -> tuple:
    """A cell with a number: its text, which says where a p-value is a bound; else how it is coloured."""
    is_number = isinstance(cell.value, int | float | tuple)
    return (cell.text, cell.value, cell.raised, cell.tone) if is_number else (cell.tone,)


def comparisons_of(found: Findings) -> list[Comparison]:
    made = list(found["comparison"].comparisons.values()) if "comparison" in found else []
    if "strat" in found and found["strat"].comparison is not None:
        made.append(found["strat"].comparison)
    if "feret" in found:
        made += [one.comparison for one in found["feret"].results if one.comparison is not None]
    return made


def wordless(found: Findings) -> dict:
    """All that must not depend on words."""
    scene = Scene(found)
    page = build_page(scene)
    comparisons = comparisons_of(found)
    return {
        "numbers": _numbers(found.to_dict()),
        "keys": sorted(keys_of(found.to_dict())),
        "citations": methods_text(scene)[1],
        "sections": [(one.id, [shape(block) for block in flat(one.blocks)]) for one in page.sections],
        "files": sorted(page.embedded),
        "verdicts": [pair.verdict for one in comparisons for pair in one.pairs],
        "floors": [pair.method.floor for one in comparisons for pair in one.pairs],
        "overall": [one.overall.method.floor for one in comparisons if one.overall is not None],
        "notes": [note.code for one in comparisons for note in one.notes],
    }


def keys_of(part: Any) -> set[str]:
    """Every key of plain values."""
    if isinstance(part, dict):
        return set(part).union(*map(keys_of, part.values()))
    return set().union(*map(keys_of, part)) if isinstance(part, list) else set()


@cache
def ran() -> Findings:
    """Everything that is compared, as a request asks for it."""
    table = finding.samples()
    algorithms = tuple(
        Algorithm(finding.scores(name, finding.NOISES[name], place), name)
        for place, name in enumerate(("sharp", "blunt"))
    )
    request = Request(
        experiment={"gallery": "image == 0"},
        category=[{"name": "even", "rule": "probe.kind == 'even'"}],
        comparison=[
            {"measure": "rank-1", "by_category": True},
            {"measure": "rank-1", "margin": 0.1, "by_category": True},
            {"measure": "rank-5"},
            {"measure": "median-rank@10"},
            {"measure": "fnmr@0.1"},
            {"measure": "auc"},
        ],
        verification=False,
    )
    return run(request, Inputs(table, "", algorithms, (), ()))


@cache
def compared() -> Findings:
    """Two algorithms by their ranks, by their errors, and over choices of images."""
    table = finding.samples()
    algorithms = [
        finding.scores(name, finding.NOISES[name], place) for place, name in enumerate(("sharp", "blunt"))
    ]
    experiment = pb.Experiment(table, gallery="image == 0")
    pool = pb.Pool(table, groups="session")
    by_choice = pb.compare(
        algorithms,
        pool,
        measure=pb.measures.RecognitionRate(1),
        design=pb.designs.ImageChoice(n_resamples=100),
    )
    return Findings(
        "ComparedAlgorithms",
        finding.PROVENANCE,
        {
            "identification": Identified(pb.evaluate(algorithms, experiment)),
            "comparison": ComparedAlgorithms(
                {
                    "fnmr": pb.compare(algorithms, experiment, measure=pb.measures.FNMR(0.1)),
                    "auc": pb.compare(algorithms, experiment, measure=pb.measures.AUC()),
                    "choices": by_choice,
                }
            ),
            "verification": Verified(
                tuple(pb.verify(one, experiment, fmr=(0.1,), n_resamples=0) for one in algorithms)
            ),
        },
    )


STUDIES = {"whole": finding.whole, "feret": finding.feret, "compared": compared, "ran": ran}


def prose(found: Findings) -> set[str]:
    """The words of the verdict and of the methods, but for those of citations and digests."""
    scene = Scene(found)
    told = scene.summary
    assert told is not None
    text = " ".join([*map(as_sentence, (told.headline, *told.rest)), methods_text(scene)[0]])
    cited = " ".join(one.short for one in REFERENCES.values())
    every, ours = (set(re.findall(r"[A-Za-zü]{3,}", one)) for one in (text, cited))
    return {word for word in every - ours if not re.fullmatch("[a-f]+", word)}


@pytest.mark.parametrize(
    "study", [pytest.param(one, marks=[pytest.mark.long] if one == "compared" else []) for one in STUDIES]
)
def test_nothing_but_words_depends_on_words(study, request):
    """And all words of the verdict and the methods are declared, so that none is left."""
    made = STUDIES[study]
    expected, words = wordless(made()), prose(made())
    assert len(words) > 50
    request.getfixturevalue("scrambled")
    scrambled = made.__wrapped__()
    found = wordless(scrambled)
    for part, value in expected.items():
        assert found[part] == value, part
    assert not prose(scrambled) & words


@pytest.mark.parametrize("study", STUDIES)
def test_no_words_are_keys_of_results(study):
    """Names of the data here have no blanks, as words for people would."""
    assert [key for key in keys_of(STUDIES[study]().to_dict()) if " " in key] == []


def test_comparisons_are_known_by_measure_and_category():
    found = ran()
    assert list(found["comparison"].comparisons) == [
        *("rank-1", "rank-1/even", "rank-1#2", "rank-1#2/even"),
        *("rank-5", "median-rank-10", "fnmr@0.1", "auc"),
    ]
    assert [one.category for one in found["comparison"].comparisons.values()][:4] == [
        None,
        "even",
        None,
        "even",
    ]
    assert list(found["comparison"].titles.values())[:4] == [
        *("recognition rate at rank 1", "recognition rate at rank 1, even"),
        *("recognition rate at rank 1 (2)", "recognition rate at rank 1, even (2)"),
    ]
    assert len(set(found["comparison"].titles.values())) == len(found["comparison"].titles)


def test_words_are_other_words(scrambled):
    note = Sentence.every["comparison.nobody"]()
    assert as_sentence(note) != "No person was recognised by one algorithm and not by the other."
    assert str(pb.measures.RecognitionRate(1).estimand) != "recognition rate at rank 1"
    assert str(pb.designs.SignFlip()) != "sign-flip over people (mid-p)"


@pytest.mark.parametrize("design", DESIGNS, ids=repr)
def test_every_design_is_told_and_cited(design):
    method = design.as_method
    assert method.account
    assert method.cites
    assert str(design) == method.label


def test_designs_are_all_there_are():
    kinds = (getattr(designs, name) for name in designs.__all__)
    every = {kind.__name__ for kind in kinds if isinstance(kind, type) and not isabstract(kind)}
    assert every == {type(one).__name__ for one in DESIGNS}


def test_what_is_cited_is_in_the_bibliography():
    every_sentence()
    made = [one.as_method for one in DESIGNS]
    cites = {cite for method in [*of_kind(Method), *made] for one in method.told() for cite in one.cites}
    assert len(cites) > 20
    assert cites <= REFERENCES.keys()


def test_sentences_have_codes_of_rooms():
    for sentence in every_sentence():
        room, _, what = sentence.code.partition(".")
        assert all((room, what, sentence.code == sentence.code.lower())), sentence.code
        assert not sentence.template.endswith("."), sentence.code


def test_joined_methods_are_told_apart():
    found = finding.whole()["comparison"].comparisons["rank-1"].pairs[0]
    assert [one.key for one in found.method.told()] == ["sign-flip", "skewed-t", "tango-over-people"]
    drawn = finding.whole()["comparison"].comparisons["median-rank-10"].pairs[0].method
    assert drawn.floor == 1 / 100  # of 200 draws both tails
    assert replace(drawn, draws=None).floor is None


def test_interval_of_by_example() -> None:
    assert interval_of(1234.5678, -0.5, 6) == "[1234.57, −0.5]"


def test_small_interval_by_example() -> None:
    assert small_interval(0.00012345, 0.002) == "[0.000123, 0.002]"
