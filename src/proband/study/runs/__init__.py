"""Runs looked at from outside: what one would do, and how two differ."""
