"""Kinds of results that several analyses hold, and how each is shown."""
