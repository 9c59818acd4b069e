"""Two algorithms and more: paired differences, tests and verdicts.

`compare` is the verb and `comparison` what it finds; `paired` has a procedure for each design, `verdicts` says what intervals
show. The tests: `mcnemar`, `clustered_mcnemar`, `sign_flip`, `cochran` (any difference at all), `independent` (two sets of
people), `adjustment` (Holm).
"""
