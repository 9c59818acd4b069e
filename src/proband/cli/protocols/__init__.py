"""Commands about protocols: run, audit, cards, literature."""
