"""Charts of the page, drawn as SVG."""
