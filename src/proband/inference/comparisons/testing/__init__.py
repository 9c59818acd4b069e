"""Tests of differences, by themselves: numbers in, p-values and intervals out.

`curves` gives every difference a p-value, of which intervals, tests and verdicts are made, by what `tails` says of statistics and draws. The tests: `mcnemar`, `clustered_mcnemar`, `sign_flip`, `cochran` (any
difference at all); `adjustment` is of p-values and intervals, for their number.

Nothing here knows questions, designs or what is made of a test; of `comparisons` it touches this room alone.
"""
