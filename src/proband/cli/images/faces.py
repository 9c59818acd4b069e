"""``proband faces``: the bundled synthetic population as files."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from proband.cli import options as o
from proband.cli.console import progress_bars, tell
from proband.marks import Needs
from proband.words import counted

if TYPE_CHECKING:
    from proband.faces.plan import View


class PlanName(StrEnum):
    """How images are distributed over people and sessions."""

    feret = "feret"
    grid = "grid"


def faces(
    out: Annotated[Path, typer.Argument(help="Output directory.")],
    subjects: Annotated[int, typer.Option("--subjects", "-n", help="Number of people.")] = 200,
    plan: Annotated[
        PlanName,
        typer.Option(help="feret: fa, fb, fc and duplicates; grid: the same images for every person."),
    ] = PlanName.feret,
    sessions: Annotated[int, typer.Option(help="Number of sessions in a grid."), Needs("plan=grid")] = 2,
    images: Annotated[
        int, typer.Option(help="Number of images per session in a grid."), Needs("plan=grid")
    ] = 2,
    seed: Annotated[int, typer.Option(help="Seed of the population.")] = 0,
    first: Annotated[int, typer.Option(help="Index of the first person, for disjoint populations.")] = 0,
    difficulty: Annotated[
        float,
        typer.Option(help="Amount of variation in lighting, pose, age and camera; 1 is similar to FERET."),
    ] = 1.0,
    views: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,NAME,…",
            help="Side views to add to every image set: rb, rc (15°), ql, qr (22.5°), ra, rd (45°), hl, hr (67.5°), to the "
            "left and to the right.",
        ),
    ] = None,
    npz: Annotated[
        bool, typer.Option("--npz", help="Write one images.npz instead of a PNG per image.")
    ] = False,
    threads: o.Threads = None,
    quiet: o.Quiet = False,
) -> None:
    """Make synthetic faces, with a samples table.

    Grey images, eye centres and covariates, and a contact sheet.

    The people do not exist. The same seed gives the same images, and the first 100 of 200 people are the same as 100 people.

    [bold]Examples[/bold]

      proband faces population --subjects 100 --seed 7

      proband faces turned --subjects 50 --views rb,rc,ql,qr,hl,hr
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
        views=cast("tuple[View, ...]", tuple(one.strip() for one in views.split(","))) if views else (),
    )
    with progress_bars(quiet) as progress:
        write_population(population, out, as_npz=npz, threads=threads, progress=progress)
    tell(f"wrote {counted(len(population), 'image')} of {counted(subjects, 'person', 'people')} to {out}")
    tell(f"look at {out / 'sheet.png'}; the table is {out / 'samples.csv'}")
