"""Mend what readers of screens stumble over in pages of the theme, of docutils and of Sphinx."""

from __future__ import annotations

import re
from typing import Any

from sphinx.application import Sphinx

_ROLES = re.compile(r' role="(?:doc-biblioentry|doc-backlink|list)"')
_SIGNATURE = re.compile(r"<dl>\s*((?:<dd>(?:(?!</?d[dlt]>).)*</dd>\s*)+)</dl>", re.DOTALL)


def mended(body: str) -> str:
    """A page without roles that are out of date, and without lists of descriptions in which nothing is described."""
    return _SIGNATURE.sub(_as_lines, _ROLES.sub("", body))


def _as_lines(found: re.Match[str]) -> str:
    lines = found[1].replace("<dd>", '<div class="sig-line">').replace("</dd>", "</div>")
    return f'<div class="sig-lines">{lines}</div>'


def _mend(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    if "body" in context:
        context["body"] = mended(context["body"])
    navigation = context.get("generate_toctree_html")
    if navigation is None:
        return

    def labelled(*arguments: Any, **options: Any) -> Any:
        """The navigation, with a name for every button that unfolds a part of it."""
        made = navigation(*arguments, **options)
        for button in made.select("summary") if hasattr(made, "select") else ():
            button["aria-label"] = f"Pages below {button.find_previous('a').get_text(strip=True)}"
        return made

    context["generate_toctree_html"] = labelled


def setup(app: Sphinx) -> dict[str, Any]:
    """Mend pages after the theme has prepared them."""
    app.connect("html-page-context", _mend, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
