"""One algorithm: a measure of its outcomes with an interval, under each design of people and probes.

`estimate` is the verb, `evaluate` that of many at once and `evaluation` what it finds; `case` makes estimates of intervals. `closed` and `clusters`
have formulas, `bootstrap` and `replicates` draw, `cmc_bands` and `whole_curves` are curves, `people_fractions` means of
fractions, `weighting` people with different numbers of probes, `person_weights` what changes where they weigh the same, `training_sets` other trainings, `overlap` what gallery and
probe sets share.
"""
