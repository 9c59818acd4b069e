"""Files: read or refused, and written whole or not at all."""
