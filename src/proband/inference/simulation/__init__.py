"""Does an interval keep its word here? Data sets whose truth is known, drawn for a design, and what procedures make of them.

`populations` are people whose own rates are known, `worlds` the data sets they give, `coverage` the verb and what it finds,
`halves` a check on data whose truth nobody knows, `studies` the registry of studies, one for every procedure.
"""
