"""What a terminal must show of any table, at any width."""

from __future__ import annotations

import re

from rich.cells import cell_len

from proband.report.tables.table import Table
from proband.report.tables.terminal import as_terminal

WIDTHS = (60, 80, 120, 160, 200)
_LOWERED = str.maketrans("ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ⁻˒", "abcdefghijklmnoprstuvwxyz–,")


def check(table: Table, width: int) -> str:
    """Fail unless the table fits, every number and word is whole, and each block has all names; return what is shown."""
    shown = as_terminal(table, width).plain.translate(_LOWERED)
    lines = shown.split("\n")
    assert not [line for line in lines if line != line.rstrip()], width
    # A word that no line could hold stands alone on one.
    assert not [line for line in lines if cell_len(line) > width and " " in line.strip()], width
    blocks = [block for block in re.split(r"\n\n+", shown) if _RULED.search(block)] or [shown]
    for row in table.rows:
        for place, (column, cell) in enumerate(zip(table.columns, row, strict=True)):
            wanted = [
                part
                for line in cell.lines
                for part in (
                    [line.text + line.raised]
                    if column.numeric and not isinstance(line.value, str)
                    else unbroken(line.text)
                )
            ]
            assert all(part in shown for part in wanted), (width, wanted)
            if place < table.n_names:
                named = (
                    blocks if all(one.text for one in row) else blocks[:1]
                )  # rows that have nothing in a block are left out
                assert all(part in block for block in named for part in wanted), (width, wanted)
    return shown


_RULED = re.compile("^─+$", re.MULTILINE)


def unbroken(text: str) -> list[str]:
    """The parts of a text that no fold may break: words, up to the hyphens within them."""
    return re.split(r"(?<=[^\W\d_]-)(?=[^\W\d_])|[ \n\t]", text)
