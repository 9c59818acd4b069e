"""Protocol cards: what an accuracy is of, and what it may be compared with."""
