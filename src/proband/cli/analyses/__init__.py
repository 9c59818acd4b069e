"""Commands of analyses: made of their records, with options of their requests, and what they print and write."""
