"""The divisions of samples that a protocol specifies."""
