"""``python -m proband``."""

from proband.cli import main

main()
