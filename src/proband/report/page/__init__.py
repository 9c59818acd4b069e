"""The report as one page that opens anywhere: a view model, charts drawn as SVG, and the markup."""
