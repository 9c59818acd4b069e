"""How many people a test needs, before it is run.

`planning` has the verbs, `plans` what they find, `sizes` the arithmetic, `widths` the intervals of simulated tests.
"""
