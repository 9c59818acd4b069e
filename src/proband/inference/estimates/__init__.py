"""One algorithm: a measure of its outcomes with an interval, under each design of people and probes."""
