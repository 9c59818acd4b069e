"""Intervals over people of what pairs are measured by, and of how two algorithms differ in it.

`rate_interval` is an error rate with its interval, `answers` what such rates mean; `dyadic_rates` finds those at a threshold, `few_errors` where there is one error or none, `dyadic_auc` has areas, `equal_error` the crossing; `dyadic_bootstrap` has rates in drawings of people.
`dyadic_fnmr` holds two algorithms' error rates against each other where thresholds move with people, and `paired_people` is the test of any difference to which
people add.

Arrays of comparisons in, intervals out. Nothing here knows scores, experiments or questions; of `verification` it touches `people/` and this room.
"""
