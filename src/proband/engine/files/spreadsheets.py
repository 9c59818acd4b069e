"""Tables of results as CSV for spreadsheets: names are text, never formulas.

Only results are written this way. Data tables (samples, scores, splits, packages) keep ids unchanged.
"""

from __future__ import annotations

from pathlib import Path

import polars as pl

from proband.words import visible

_FORMULA = r"^[=+\-@\t\r]."
_NUMBER = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"


def spreadsheet_csv(frame: pl.DataFrame) -> str:
    """Write results as CSV; text that a spreadsheet would execute is prefixed by an apostrophe, and invisible characters are escaped."""
    texts = [name for name, kind in frame.schema.items() if kind in (pl.String, pl.Categorical, pl.Enum)]
    guarded = frame.with_columns(_visible(frame[name].cast(pl.String)) for name in texts).with_columns(
        _guarded(pl.col(name)) for name in texts
    )
    heads = _visible(pl.Series("head", frame.columns, pl.String)).to_frame().select(_guarded(pl.col("head")))
    return guarded.rename(dict(zip(frame.columns, heads["head"], strict=True))).write_csv()


def write_spreadsheet(frame: pl.DataFrame, path: Path) -> None:
    """Write results to a CSV file."""
    path.write_bytes(spreadsheet_csv(frame).encode())


def _visible(texts: pl.Series) -> pl.Series:
    """The texts with invisible characters escaped."""
    shown = {one: visible(one) for one in texts.unique() if one is not None and visible(one) != one}
    return texts.replace(shown) if shown else texts


def _guarded(text: pl.Expr) -> pl.Expr:
    meant = text.str.contains(_FORMULA) & ~text.str.contains(_NUMBER)
    return pl.when(meant).then("'" + text).otherwise(text).name.keep()
