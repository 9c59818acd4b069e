from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.report.page import finding

from proband.report.page.sections.methods import methods_text
from proband.report.references import REFERENCES, bibliography, cited
from proband.report.scene import Scene
from proband.study.findings import Findings


def test_only_what_was_used_is_cited():
    text, keys = methods_text(Scene(finding.one()))
    assert keys == ["phillips2000", "wilson1927", "rao1992"]
    assert "compared" not in text
    text, keys = methods_text(Scene(Findings("t", finding.PROVENANCE)))
    assert keys == []
    assert text.startswith("Intervals are at the 95% level")


def test_everything_that_was_done_is_told():
    text, keys = methods_text(Scene(finding.whole()))
    for said in (
        "40 people",
        "120 probes",
        "200 balanced trials",
        "Cochran's Q",
        "sign-flip",
        "Tango's",
        "Hotelling's",
        "seed 7",
        "by kind",
    ):
        assert said in text, said
    for key in (
        "westfall1993",
        "tango1998",
        "beveridge2001",
        "micheals2001",
        "fogliato2024",
        "doddington1998",
        "iso19795-10",
    ):
        assert key in keys, key
    assert "newcombe1998" not in keys


def test_feret():
    text, keys = methods_text(Scene(finding.feret()))
    assert "2 galleries of different people" in text
    assert {"phillips2000", "dersimonian1986"} <= set(keys)


@pytest.mark.parametrize(
    "made", [finding.whole, finding.feret, finding.one, finding.labelled, finding.under_protocols]
)
def test_text_and_bibliography_agree(made):
    text, keys = methods_text(Scene(made()))
    for key, reference in REFERENCES.items():
        assert (reference.short in text) == (key in keys), key
    entries = re.findall(r"^@\w+\{([\w-]+),$", bibliography(keys), re.MULTILINE)
    assert entries == sorted(keys)


def test_no_method_is_left_unnamed():
    """Descriptions that the paragraph does not know would be quoted as they are."""
    for made in (finding.whole, finding.feret, finding.one, finding.labelled, finding.under_protocols):
        text, _ = methods_text(Scene(made()))
        for raw in ("(percentile", "mid-p), Tango", "effective sample size),"):
            assert raw not in text


def test_bibtex_is_well_formed():
    for key, reference in REFERENCES.items():
        entry = reference.bibtex(key)
        assert entry.count("{") == entry.count("}")
        assert {"title", "year"} <= {name for name, _ in reference.fields}
    assert cited("holm1979", "tango1998") == "(Holm 1979; Tango 1998)"


def test_references_are_whole():
    """What is cited can be found: an article has its volume and pages, and is named by its year."""
    needed = {
        "article": {"author", "journal", "volume", "pages"},
        "inproceedings": {"author", "booktitle"},
        "book": {"author", "publisher"},
        "techreport": {"institution", "number"},
    }
    for key, reference in REFERENCES.items():
        fields = dict(reference.fields)
        assert needed[reference.kind] <= fields.keys(), key
        if reference.kind != "techreport":
            first, *_ = re.findall(r"[^\W\d_-]+", fields["author"].replace("{\\i}", "ı"))
            assert fields["year"] in key, key
            assert reference.short.endswith(fields["year"]), key
            assert reference.short.startswith(first), key


def test_papers_are_called_by_their_titles_everywhere():
    root = Path(__file__).parents[3]
    texts = {
        path: " ".join(path.read_text(encoding="utf-8").split()).lower() for path in root.glob("docs/**/*.md")
    }
    listed = next(text for path, text in texts.items() if path.name == "concepts.md")
    for key in ("phillips2000", "beveridge2001", "micheals2001", "mery2016"):
        assert plain_title(key) in listed, key
    assert "a stratified methodology for classifier and recognizer evaluation" in listed
    own = next(text for path, text in texts.items() if path.name == "beveridge.md")
    assert f"*{plain_title('beveridge2001')}*" in own
    other = (
        "a nonparametric statistical comparison of principal component"  # another paper of the same authors
    )
    assert [path.name for path, text in texts.items() if other in text] == []


def plain_title(key):
    return (
        re.search(r"title\s*=\s*\{(.*)\}", bibliography([key]))[1].replace("{", "").replace("}", "").lower()
    )


def test_the_page_carries_it():
    page = finding.page(finding.one)
    assert page.embedded["methods.txt"].strip() == methods_text(Scene(finding.one()))[0]
    assert "@article{wilson1927," in page.embedded["references.bib"]
