"""What of the documentation is not read for examples: how it is built, and what is generated."""

collect_ignore = ["conf.py", "_ext", "reference/commands", "reference/python"]
