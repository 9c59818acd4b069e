"""Files: read or refused, and written completely or not at all."""
