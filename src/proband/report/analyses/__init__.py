"""Each analysis as people read it: tables and sentences."""
