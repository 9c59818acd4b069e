"""Protocols that can be declared, run, audited and compared (EPD: Mery, Zhao and Bowyer 2016)."""
