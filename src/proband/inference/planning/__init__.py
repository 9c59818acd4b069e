"""How large a test must be."""
