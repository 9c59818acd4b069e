"""``proband faces``: the bundled synthetic population as files."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from proband.cli import options as o
from proband.cli.console import progress_bars, tell
from proband.words import counted


class PlanName(StrEnum):
    """How images are laid out over people and sessions."""

    feret = "feret"
    grid = "grid"


def faces(
    out: Annotated[Path, typer.Argument(help="Directory to make.")],
    subjects: Annotated[int, typer.Option("--subjects", "-n", help="How many people.")] = 200,
    plan: Annotated[
        PlanName, typer.Option(help="feret: fa, fb, fc and duplicates; grid: the same for everyone.")
    ] = PlanName.feret,
    sessions: Annotated[int, typer.Option(help="Sessions of a grid.")] = 2,
    images: Annotated[int, typer.Option(help="Images in each session of a grid.")] = 2,
    seed: Annotated[int, typer.Option(help="Another seed, another population.")] = 0,
    first: Annotated[int, typer.Option(help="Number of the first person, for disjoint populations.")] = 0,
    difficulty: Annotated[
        float, typer.Option(help="How much lighting, pose, age and camera vary; 1 is FERET-like.")
    ] = 1.0,
    npz: Annotated[
        bool, typer.Option("--npz", help="One images.npz instead of a PNG for each image.")
    ] = False,
    threads: o.Threads = None,
    quiet: o.Quiet = False,
) -> None:
    """Make synthetic faces, with a table of samples.

    Grey images, eye centres and covariates, and a contact sheet.

    Nobody in them exists. The same seed gives the same images, and 100 people are the first of 200.

    [bold]Example[/bold]

      proband faces population --subjects 100 --seed 7
    """
    from proband.faces import Population
    from proband.faces.files import write_population

    population = Population(
        n_subjects=subjects,
        plan=plan.value,
        sessions=sessions,
        images_per_session=images,
        seed=seed,
        first_subject=first,
        difficulty=difficulty,
    )
    with progress_bars(quiet) as progress:
        write_population(population, out, as_npz=npz, threads=threads, progress=progress)
    tell(f"wrote {counted(len(population), 'image')} of {counted(subjects, 'person', 'people')} to {out}")
    tell(f"look at {out / 'sheet.png'}; the table is {out / 'samples.csv'}")
