"""How Sphinx builds the documentation: `make docs`. Nothing is read from the network."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "src")]

from docs._ext import others, pages  # noqa: E402

from proband import __version__  # noqa: E402

project = "Proband"
author = "The Proband developers"
project_copyright = author
version = release = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.intersphinx",
    "numpydoc",
    "sphinx_copybutton",
    "sphinx_design",
    "docs._ext.accessible",
    "docs._ext.examples",
    "docs._ext.reference",
    "docs._ext.llms",
    "docs._ext.notebooks",
]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["_ext", "**/.ipynb_checkpoints"]
needs_sphinx = "8.1"
language = "en"

# Headings are link targets by the names that code hosts give them.
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4

default_role = "py:obj"
autodoc_typehints = "none"
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
autodoc_default_options = {"exclude-members": "model_config"}  # of requests, which are pydantic models
autosummary_generate = False  # the pages of names are made by docs/_ext
numpydoc_show_class_members = False
numpydoc_xref_param_type = True
numpydoc_xref_aliases = {**others.ALIASES, **pages.aliases()}
numpydoc_xref_ignore = {"of", "or", "and", "to", "from", "a", "the", "by", "each", "if", "optional", "in"}
maximum_signature_line_length = 88

# Names of other packages are links; nothing is fetched.
intersphinx_mapping = others.inventories(HERE / "_inventories")

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_line_continuation_character = "\\"

html_theme = "pydata_sphinx_theme"
html_title = f"Proband {version}"
html_static_path = ["_static"]
html_css_files = ["style.css"]
html_copy_source = False
html_show_sourcelink = False
html_sidebars = {"index": []}
html_context = {"default_mode": "auto"}
html_theme_options = {
    "logo": {"text": f"Proband {version}"},
    "navbar_align": "left",
    "header_links_before_dropdown": 5,
    "navigation_with_keys": False,
    "collapse_navigation": True,
    "show_toc_level": 2,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}
