"""``proband alter``: digitally altered copies of images, with a samples table."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from proband.cli import options as o
from proband.cli.console import progress_bars, read_samples, say, tell
from proband.words import Sentence, counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt
    import polars as pl

    from proband.algorithms import Pictures
    from proband.algorithms.pictures.alterations import Alteration
    from proband.engine import Progress

_AT_ONCE = 16
_CHANGED = "{change}: {n:count} of {images:count image} changed, "
_CLIPPED = Sentence(
    "alter.clipped",
    "note",
    _CHANGED + "{mean:hundredth} of their pixels clipped (at most {most:hundredth} of one image)",
)
_UNCLIPPED = Sentence("alter.unclipped", "note", _CHANGED + "no pixel clipped")
_NO_EYES = Sentence(
    "alter.no-eyes",
    "note",
    "{n:count image has/images have} no eye positions in the table, and {n:word was/were} changed about {n:word "
    "its/their} centre",
)
_UNUSED = Sentence(
    "alter.unused",
    "caution",
    "{n:count picture} could not be used; {n:word it and its/they and their} copies are in the table without an image: "
    "{names} ({why})",
)


def alter(
    images: Annotated[Path, typer.Argument(help="Directory of images, or .npz with images and ids.")],
    samples: Annotated[Path, typer.Option("--samples", "-s", help="Samples table.", rich_help_panel="Data")],
    change: Annotated[
        list[str],
        typer.Option(
            "--change",
            "-c",
            help="gain:0.5, gamma:2, side:0.5 (side:0.5:90 from above), scale:0.8 or rotate:10 (clockwise); may be repeated.",
            rich_help_panel="Images",
        ),
    ],
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="DIR", help="Output directory.", rich_help_panel="Output")
    ],
    where: Annotated[
        str | None,
        typer.Option(
            "--where",
            metavar="CONDITION",
            help="Samples whose images are changed. Default: all.",
            rich_help_panel="Data",
        ),
    ] = None,
    id_column: o.IdColumn = "id",
    subject_column: o.SubjectColumn = "subject",
    missing_values: o.MissingValues = None,
    file_column: Annotated[
        str, typer.Option(help="Column of the image file names.", rich_help_panel="Images")
    ] = "file",
    npz: Annotated[
        bool,
        typer.Option(
            "--npz", help="Write one images.npz instead of a PNG per image.", rich_help_panel="Output"
        ),
    ] = False,
    threads: o.Threads = None,
    quiet: o.Quiet = False,
) -> None:
    """Make copies of images with altered lighting, scale and tilt.

    Eye positions are transformed with the face. A copy of ID is named ID@scale-0.8, with scale:0.8 in the
    column alteration and ID in the column altered_from; for originals, alteration is none.

    [bold]Example[/bold]

      proband alter people -s people/samples.csv -c scale:0.8 -c gain:0.5 --where "kind == 'fb'" -o changed

      proband recognize -i changed -s changed/samples.csv -a lbp:chi2 -o scores.npz
    """
    from proband.algorithms import Pictures
    from proband.algorithms.pictures.alterations import alteration, with_altered
    from proband.engine.files.files import require_new
    from proband.errors import InputError
    from proband.samples.choosing import choose
    from proband.samples.reading import ROW_NUMBER

    changes = [alteration(text) for text in change]
    require_new(out)
    table = read_samples(samples, id_column, subject_column, None, missing_values)
    assert table is not None  # a path was given
    chosen = choose(table, "all" if where is None else where)
    if not len(chosen.positions):
        raise InputError(f"No sample meets {where!r}, so there are no images to change.")
    if chosen.unknown:
        tell(f"note: {where!r} cannot be decided for {counted(chosen.unknown, 'sample')}")
    extended = with_altered(table, changes, chosen.positions, id_column=id_column)
    names = [*table.ids, *(f"{table.ids[k]}@{one.label}" for one in changes for k in chosen.positions)]
    work = _Work(Pictures.of(images, table, file_column), table.ids[:], chosen.positions.tolist(), changes)
    with progress_bars(quiet) as progress:
        _write(work, extended.drop(ROW_NUMBER, strict=False), names, out, file_column, npz, threads, progress)
    _report(work, extended)
    tell(f"wrote {counted(len(work.made), 'image')} to {out}")


class _Outcome(NamedTuple):
    """What became of one sample: the pictures made of it, the share clipped by each change, or why there are none.

    A picture that was written into a file is not kept.
    """

    sample: str
    made: tuple[tuple[str, npt.NDArray[np.uint8] | None], ...] = ()
    clipped: tuple[float, ...] = ()
    failure: str = ""


@dataclass
class _Work:
    """What is to be changed, and what has become of it so far."""

    pictures: Pictures
    ids: tuple[str, ...]
    chosen: list[int]
    changes: Sequence[Alteration]
    made: dict[str, npt.NDArray[np.uint8] | None] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)
    clipped: list[tuple[float, ...]] = field(default_factory=list)

    def run(
        self,
        eyes: npt.NDArray[np.float64] | None,
        files: dict[str, Path] | None,
        threads: int | None,
        progress: Progress,
    ) -> None:
        """Go through all samples, a few at a time; pictures are written into files, or kept without them."""
        from proband.engine import run_blocks
        from proband.errors import InputError

        n = len(self.ids)
        progress.begin("changing images", n)
        blocks = [range(start, min(start + _AT_ONCE, n)) for start in range(0, n, _AT_ONCE)]
        for part in run_blocks(
            _Changed(self.pictures, self.ids, frozenset(self.chosen), tuple(self.changes), eyes, files),
            blocks,
            threads,
        ):
            for one in part:
                self.made.update(one.made)
                if one.failure:
                    self.failures[one.sample] = one.failure
                elif one.clipped:
                    self.clipped.append(one.clipped)
            progress.advance(len(part))
        if not self.made:
            first, why = next(iter(self.failures.items()))
            raise InputError(f"None of {counted(n, 'picture')} could be used; {first!r}: {why}")


@dataclass(frozen=True, eq=False)
class _Changed:
    """Some samples' pictures and, of those chosen, the changed copies."""

    pictures: Pictures
    ids: tuple[str, ...]
    chosen: frozenset[int]
    changes: tuple[Alteration, ...]
    eyes: npt.NDArray[np.float64] | None
    files: dict[str, Path] | None

    def __call__(self, places: range) -> list[_Outcome]:
        return [self._one(place) for place in places]

    def _one(self, place: int) -> _Outcome:
        from proband.algorithms.pictures.pictures import check_grey
        from proband.errors import ProbandError

        name = self.ids[place]
        try:
            picture = self.pictures.load(name)
            check_grey(picture, name)
            points = None if self.eyes is None else self.eyes[place][None]
            changes = self.changes if place in self.chosen else ()
            altered = [change.apply(picture[None], points) for change in changes]
        except ProbandError as error:
            return _Outcome(name, failure=error.told("command line")[0])
        made = [(name, picture)]
        made += [(f"{name}@{one.label}", new.images[0]) for one, new in zip(changes, altered, strict=True)]
        if self.files is not None:
            for called, image in made:
                _save(image, self.files[called])
        kept = tuple((called, image if self.files is None else None) for called, image in made)
        return _Outcome(name, kept, tuple(float(one.clipped[0]) for one in altered))


def _write(
    work: _Work,
    table: pl.DataFrame,
    names: list[str],
    out: Path,
    file_column: str,
    npz: bool,
    threads: int | None,
    progress: Progress,
) -> None:
    """Write pictures and table into a new directory, whole or not at all."""
    import polars as pl

    from proband.engine import written_whole
    from proband.engine.files.files import make_directory, require_new

    eyes = _eyes(table, len(work.ids))
    make_directory(out.parent)
    with written_whole(out, check=lambda: require_new(out)) as draft:
        draft.mkdir()
        if npz:
            work.run(eyes, None, threads, progress)
            stack = {name: work.made[name] for name in names if name in work.made}
            _archive(draft / "images.npz", stack)
            table = table.drop(file_column, strict=False)
        else:
            (draft / "images").mkdir()
            files = dict(zip(names, _files(names), strict=True))
            work.run(eyes, {name: draft / file for name, file in files.items()}, threads, progress)
            named = [files[name] if name in work.made else None for name in names]
            table = table.with_columns(pl.Series(file_column, named, dtype=pl.String))
        table.write_csv(draft / "samples.csv")


def _eyes(table: pl.DataFrame, n: int) -> npt.NDArray[np.float64] | None:
    """The eyes of the originals, where the table has them."""
    import numpy as np

    from proband.algorithms.pictures.acquire import EYE_COLUMNS

    if not set(EYE_COLUMNS) <= set(table.columns):
        return None
    return table.head(n).select(EYE_COLUMNS).to_numpy().astype(np.float64)


def _save(image: npt.NDArray[np.uint8], path: Path) -> None:
    from PIL import Image

    Image.fromarray(image).save(path)


def _archive(path: Path, stack: dict[str, Any]) -> None:
    import numpy as np

    from proband.errors import InputError
    from proband.samples.npz import write_archive

    if len({image.shape for image in stack.values()}) > 1:
        raise InputError("The images differ in size and cannot be stored in one array.", "leave --npz out.")
    write_archive(path, {"images": np.stack(list(stack.values())), "ids": np.array(list(stack))})


def _files(names: list[str]) -> list[str]:
    """A file for each picture: called as the sample where all can be, otherwise numbered."""
    from proband.engine.files.names import fits_everywhere

    plain = all(
        re.fullmatch(r"\w[\w.@+-]{0,120}", name, re.ASCII) and fits_everywhere(f"{name}.png")
        for name in names
    )
    if plain and len({name.casefold() for name in names}) == len(names):
        return [f"images/{name}.png" for name in names]
    return [f"images/{number:06d}.png" for number in range(1, len(names) + 1)]


def _report(work: _Work, table: pl.DataFrame) -> None:
    import numpy as np

    from proband.algorithms.pictures.alterations import AboutTheEyes
    from proband.errors import first_few

    for k, change in enumerate(work.changes):
        shares = [one[k] for one in work.clipped]
        said = {"change": str(change), "n": len(shares), "images": len(work.chosen)}
        clipped = {"mean": float(np.mean(shares)), "most": max(shares)} if any(shares) else None
        note = _UNCLIPPED(**said) if clipped is None else _CLIPPED(**said, **clipped)
        say(str(note))
    eyes = _eyes(table, len(work.ids))
    blind = len(work.chosen) if eyes is None else int((~np.isfinite(eyes[work.chosen]).all(axis=1)).sum())
    if blind and any(isinstance(change, AboutTheEyes) for change in work.changes):
        say(str(_NO_EYES(n=blind)))
    if work.failures:
        why = next(iter(work.failures.values())).rstrip(".")
        unused = _UNUSED(n=len(work.failures), names=first_few(list(work.failures)), why=why)
        say(str(unused))
