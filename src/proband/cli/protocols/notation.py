"""``proband protocol explain``: what a protocol means, in one form and one sentence."""

from __future__ import annotations

from typing import Annotated

import typer


def explain(
    text: Annotated[
        str, typer.Argument(metavar="PROTOCOL", help="A protocol, such as '10x13-13 HO*' or '20x10f CV+'.")
    ],
) -> None:
    """Say what a protocol means: its one written form, and a sentence."""
    from proband.protocols.notation import Protocol

    protocol = Protocol.parse(text)
    typer.echo(str(protocol))
    typer.echo(protocol.describe())
