"""Charts drawn as SVG, for the page."""
