"""Does an interval keep its word here? Data sets whose truth is known, drawn for a design, and what procedures make of them.

`populations` are people whose own rates are known, `worlds` the data sets they give and `score_worlds` those of searches for other
galleries, training sets and choices of images, `other_worlds` searches for strangers and cross-validations. `asking` is what is asked of
each, `covered` counts what procedures make of them, `coverage` is the verb, `halves` a check on
data whose truth nobody knows, `studies` the registry of studies, one for every procedure.
"""
