"""The report as a single HTML page: a view model, charts as SVG, and the markup."""
