"""Pairs of samples: error rates, areas and searches with intervals that know people are shared.

`verification` is the verb, `lists` the same for lists of pairs, `several` for several algorithms and for arrays of pairs. `meetings` counts
who meets whom, `partial_meetings` where comparisons lack; `dyadic_rates` and `person_rates` give
rates intervals, `dyadic_auc` areas, `equal_error` the crossing, `supposed` what few errors and few people do not show;
`dyadic_bootstrap` and `drawings` draw people; `dyadic_fnmr` and `paired_people` hold two algorithms against each other. `fnmr`, `auc` and `eer` are
estimates and comparisons (`pair_questions` is what they share); `replicated` and `pair_strata` make those of designs by name, and
`people_alike` those in which people weigh the same. `open_set` is of searches, `thresholds` those to
deploy, with `bound_path` (rates and bounds by threshold), `groups`, `group_differences` and `hard_subjects` whom errors fall on.
"""
