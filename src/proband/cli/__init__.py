"""The command line: a thin shell over the library."""

from proband.cli.app import main

__all__ = ["main"]
