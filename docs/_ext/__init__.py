"""What the documentation's builder does beyond Sphinx: the generated reference, and llms.txt."""
