"""Pairs of samples: error rates, areas and searches with intervals that know people are shared.

`verification` is the verb, `lists` the same for lists of pairs. `meetings` counts who meets whom; `dyadic_rates` and `person_rates` give
rates intervals, `dyadic_auc` areas, `equal_error` the crossing; `dyadic_bootstrap` and `drawings` draw people. `fnmr`, `auc` and `eer` are
estimates and comparisons; `weighted_pairs` weighs comparisons by people or images, of which `replicated` and `pair_strata` make those of
designs by name. `open_set` is of searches, `thresholds` those to deploy, with `bound_path` (rates and bounds by threshold), `groups`, `group_differences` and `hard_subjects` whom errors fall on.
"""
