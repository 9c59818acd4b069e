"""What was found: numbers with their intervals, and the four answers that each carries."""
