"""Charts: said once as a specification (`spec`), made from results, drawn as SVG and with matplotlib."""
