"""The methods paragraph: measures, designs, tests, intervals, policies and counts."""

from __future__ import annotations

from proband.report.methods_text import MethodsText
from proband.report.page.model import Code, Folded, Paragraph, Section
from proband.report.page.registry import section
from proband.report.references import bibliography
from proband.report.scene import Scene
from proband.words import Sentence

_LEVEL = Sentence(
    "methods.level",
    "note",
    "Intervals are at the {level:level} level; replicates use seed {seed}",
)
_VERSION = Sentence("methods.version", "note", "Computed with Proband {version}")


def methods_text(scene: Scene) -> tuple[str, list[str]]:
    """The paragraph, and the keys of the literature it cites."""
    return scene.once("methods", lambda: _written(scene))


def _written(scene: Scene) -> tuple[str, list[str]]:
    text, found = MethodsText(), scene.found
    for view, part in scene.parts.values():
        view.methods(part, text, scene)
    text.say(_LEVEL(level=found.confidence_level, seed=found.provenance.seed))
    version = found.provenance.versions.get("proband")
    if version:
        text.say(_VERSION(version=version))
    return " ".join(f"{one}." for one in text.sentences), list(dict.fromkeys(text.keys))


@section("methods", 95)
def methods_section(scene: Scene) -> Section:
    """The paragraph to be quoted, and BibTeX of what it cites."""
    text, keys = methods_text(scene)
    blocks = [Paragraph(text)]
    folded = (Folded("References (BibTeX)", (Code(bibliography(keys), "references.bib"),)),) if keys else ()
    return Section("methods", "Methods", (*blocks, *folded))
