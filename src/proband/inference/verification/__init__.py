"""Pairs of samples: error rates, areas and searches with intervals that know people are shared.

`verification` is the verb, `lists` the same for lists of pairs. `meetings` counts who meets whom; `dyadic_rates` gives rates intervals,
`dyadic_auc` areas, `dyadic_bootstrap` and `drawings` draw people. `fnmr` and `auc` are estimates and comparisons, `open_set`
searches, `groups` and `hard_subjects` whom errors fall on.
"""
