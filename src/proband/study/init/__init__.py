"""A first study file from the user's own files."""
