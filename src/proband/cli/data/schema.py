"""``proband schema``: the JSON Schema of results.json."""

from __future__ import annotations

from proband.cli.console import print_json


def schema() -> None:
    """Print the JSON Schema of results.json.

    It does not include analyses from plug-in packages.

    [bold]Examples[/bold]

      proband schema > proband-results.schema.json
    """
    from proband.study.findings import results_schema

    print_json(results_schema())
