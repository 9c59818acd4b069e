"""Charts: specified once (`spec`), made from results, drawn as SVG and with matplotlib."""
