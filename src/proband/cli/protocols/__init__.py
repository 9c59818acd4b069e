"""Commands about protocols: splits, cards, literature; and what the commands of their analyses read."""
