"""Check whether a submission can be scored."""
