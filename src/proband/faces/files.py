"""The population as files: images, a table of samples and a contact sheet."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from proband.engine import Engine, Progress, Silent, on_engine, run_blocks, written_whole
from proband.engine.files.files import make_directory, require_new
from proband.faces.population import Population
from proband.faces.sheet import contact_sheet
from proband.samples.npz import write_archive

_AT_ONCE = 64
_SHEET = (10, 6)  # rows and columns of the contact sheet


@on_engine
def write_population(
    population: Population,
    path: Path,
    *,
    as_npz: bool = False,
    threads: int | None = None,
    progress: Progress | None = None,
    engine: Engine = None,
) -> None:
    """Write the images, ``samples.csv`` and ``sheet.png`` into a new directory, completely or not at all.

    Images are PNG files named after the sample ids (the table's column ``file``), or with `as_npz` one archive with
    the arrays ``images`` and ``ids``. With PNG files, only a few images are in memory at a time.
    """
    require_new(path)
    make_directory(path.parent)
    progress = progress or Silent()
    table = pl.DataFrame(population.columns())
    blocks = [
        np.arange(start, min(start + _AT_ONCE, len(population)))
        for start in range(0, len(population), _AT_ONCE)
    ]
    progress.begin("rendering faces", len(population))
    with written_whole(path, check=lambda: require_new(path)) as draft:
        draft.mkdir()
        if as_npz:
            images = population.render(threads=threads, progress=progress.advance)
            write_archive(draft / "images.npz", {"images": images, "ids": np.array(table["id"].to_list())})
        else:
            (draft / "images").mkdir()
            table = table.with_columns(file="images/" + pl.col("id") + ".png")
            files = [draft / file for file in table["file"]]
            for done in run_blocks(_Written(population, files), blocks, threads):
                progress.advance(done)
        table.write_csv(draft / "samples.csv")
        shown = np.arange(min(_SHEET[0] * _SHEET[1], len(population)))
        contact_sheet(population.render(shown, threads=threads), _SHEET[1]).save(draft / "sheet.png")


@dataclass(frozen=True, eq=False)
class _Written:
    """Renders some images and writes each into its file; says how many."""

    population: Population
    files: list[Path]

    def __call__(self, block: npt.NDArray[np.intp]) -> int:
        from PIL import Image

        for place, image in zip(block, self.population.render(block, threads=1), strict=True):
            Image.fromarray(image).save(self.files[place])
        return len(block)
