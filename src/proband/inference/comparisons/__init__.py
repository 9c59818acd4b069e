"""Two algorithms and more: paired differences, tests and verdicts.

`compare` is the verb and `comparison` what it finds; `chosen_pairs` says which pairs, `by_category` compares within categories of probes; `gate` reads it by its margin; `paired` is what pairs on the same probes share, `paired_rates` compares their
rates under each design, and `swapped` any other measure; `curves` gives every difference a p-value, of which intervals, tests and
`verdicts` are made. The tests: `mcnemar`, `mcnemar_table` (of several pairs and probe sets), `clustered_mcnemar`, `sign_flip`, `cochran` (any difference at all), `independent` (two
sets of people), `adjustment` (of p-values and intervals, for their number).
"""
