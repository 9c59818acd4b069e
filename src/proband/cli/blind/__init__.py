"""Commands for blind tests."""
