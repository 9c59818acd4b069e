"""The divisions of samples that a protocol asks for."""
