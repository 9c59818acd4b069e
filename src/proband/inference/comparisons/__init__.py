"""Two or more algorithms on the same probes: differences, tests and verdicts."""
