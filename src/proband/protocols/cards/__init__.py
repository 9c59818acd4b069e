"""Protocol cards: what an accuracy measures, and with which results it may be compared."""
