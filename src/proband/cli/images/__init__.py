"""Commands that make or use pictures."""
