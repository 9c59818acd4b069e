"""Does an interval keep its word here? Data sets whose truth is known, drawn for a design, and what procedures make of them.

`populations` are people whose own rates are known, `worlds` the data sets they give, `pair_worlds` those of pairs, `compared_worlds` those of several algorithms, sensors
and sets of people. `score_worlds` are searches for other galleries, training sets and choices of images, `other_worlds` thresholds, strangers and
cross-validations, `table_worlds` tables without people: classes, trials, surveys, data sets. `asking` is what is asked of each, `covered` counts what procedures make
of them in tallies that add up, `coverage` is the verb, `halves` a check on data whose truth nobody knows, `studies/` the registry of
studies: one for every public interval and test, with bars to pass.
"""
