"""Tables: what a table is, the cells it is made of, and the forms it is written in."""
