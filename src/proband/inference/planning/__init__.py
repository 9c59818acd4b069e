"""How many people a test needs, before it is run.

`planning` has the verbs, `plans` what they find, `pilot` what is taken from data at hand, `sizes` the arithmetic, `widths` the
intervals of simulated tests.
"""
