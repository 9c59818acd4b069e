"""Pairs of samples: error rates, areas and searches with intervals that know people are shared.

`verification` is the verb, `lists` the same for lists of pairs. `meetings` counts who meets whom; `dyadic_rates` and `person_rates` give
rates intervals, `dyadic_auc` areas, `equal_error` the crossing; `dyadic_bootstrap` and `drawings` draw people. `fnmr` and `auc` are estimates and comparisons, `open_set`
searches, `thresholds` those to deploy with `bound_path` (rates and bounds by threshold), `groups`, `group_differences` and `hard_subjects` whom errors fall on.
"""
