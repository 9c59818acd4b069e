"""Studies written down in one file, and carried out from it."""
