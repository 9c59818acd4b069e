"""Two algorithms and more: paired differences, tests and verdicts.

`compare` is the verb and `comparison` what it finds; `chosen_pairs` says which pairs, `by_category` compares within categories of probes; `gate` reads it by its margin; `paired` is what pairs on the same probes share, `paired_rates` compares their
rates under each design, and `swapped` any other measure; `independent` is of two sets of people, `mcnemar_table` of several pairs and probe sets by McNemar's test. `testing/` has the tests by
themselves, `verdicts` what is made of them.
"""
