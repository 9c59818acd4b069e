"""Pairs of samples: error rates, areas and searches with intervals that know people are shared.

`verification` is the verb, for one algorithm and several, `lists` the same for lists of pairs, `results` what they find; `shared` says who takes part in comparisons,
`thinned` the same where they are too many to list, and `points` gives operating points their intervals. `open_set` is of searches, `groups` of error rates by group and of whom errors fall on. The rooms stand below and above
these: `people/` (who meets whom, who is drawn, who carries what varies) and `intervals/` (rates, areas and crossings over people) take arrays and are
used here; `measures/` (FNMR, AUC and EER as procedures) and `thresholds/` (those to deploy) use what is here.
"""
