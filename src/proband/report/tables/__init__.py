"""Tables: model, cells and output formats."""
