"""Commands that carry out a request: one analysis each."""
