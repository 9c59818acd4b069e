"""``proband blind``: blind tests, whose images carry no identities."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from proband.cli import options as o
from proband.cli.blind.check import check
from proband.cli.blind.receive import receive
from proband.cli.blind.score import score
from proband.cli.console import print_json, progress_bars, read_samples, say, tell

if TYPE_CHECKING:
    from proband.blind import Made
    from proband.blind.package.package import Version

blind = typer.Typer(
    name="blind",
    help="Independent tests: make, check, receive, score (FERET 2000).",
    no_args_is_help=True,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


class VersionName(StrEnum):
    """Whether the package contains eye positions."""

    partially = "partially"
    fully = "fully"


@blind.command()
def make(
    samples: Annotated[Path, typer.Argument(help="Samples table.")],
    target: Annotated[
        str,
        typer.Option(
            "--target",
            metavar="CONDITION",
            help="Target set, the known samples: a condition, all, one_per_subject or @FILE of ids.",
            rich_help_panel="Test",
        ),
    ],
    query: Annotated[
        str,
        typer.Option(
            "--query",
            metavar="CONDITION",
            help="Query set, the samples to identify, in the same forms; a target may also be a query.",
            rich_help_panel="Test",
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(
            "--out", "-o", metavar="DIR", help="Directory of the package to write.", rich_help_panel="Output"
        ),
    ],
    key: Annotated[
        Path,
        typer.Option("--key", "-k", help="Key file to write, outside the package.", rich_help_panel="Output"),
    ],
    images: Annotated[
        Path | None,
        typer.Option(
            "--images",
            "-i",
            help="Directory of images, or .npz with images and ids. Without it, the package contains lists of names only.",
            rich_help_panel="Images",
        ),
    ] = None,
    file_column: Annotated[
        str, typer.Option(help="Column of the image file names.", rich_help_panel="Images")
    ] = "file",
    keep_shapes: Annotated[
        bool,
        typer.Option(
            "--keep-shapes",
            help="Keep the original image sizes instead of padding all to one size; sizes may reveal identities.",
            rich_help_panel="Images",
        ),
    ] = False,
    version: Annotated[
        list[VersionName] | None,
        typer.Option(
            "--version",
            help="partially: with eye centres; fully (default): without. Repeat for both.",
            show_default=False,
            rich_help_panel="Test",
        ),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option(
            "--name", help="Name of the test. Default: the name of its directory.", rich_help_panel="Test"
        ),
    ] = None,
    keep: Annotated[
        list[str] | None,
        typer.Option(
            "--keep",
            metavar="COLUMN",
            help="Column to include in the package, such as the pose; may be repeated.",
            rich_help_panel="Test",
        ),
    ] = None,
    canaries: Annotated[
        int | None,
        typer.Option(
            "--canaries",
            help="Number of images repeated in each set under a second name. Default: 1%, at least 2, at most 50.",
            show_default=False,
            rich_help_panel="Controls",
        ),
    ] = None,
    control: Annotated[
        int | None,
        typer.Option(
            "--control",
            help="Number of targets and queries repeated in the control pair. Default: 10.",
            show_default=False,
            rich_help_panel="Controls",
        ),
    ] = None,
    training: Annotated[
        list[str] | None,
        typer.Option(
            "--training",
            metavar="NAME=FILE",
            help="Samples or people used for training, which must not occur in the test; may be repeated.",
            rich_help_panel="Controls",
        ),
    ] = None,
    training_salt: Annotated[
        str | None,
        typer.Option(
            "--training-salt",
            help="Salt of the hashed training sets; required if a training set is hashed. Default: a new salt.",
            show_default=False,
            rich_help_panel="Controls",
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            "--seed",
            help="Make names reproducible. For rehearsals only: a seed makes the key guessable.",
            show_default=False,
            rich_help_panel="Test",
        ),
    ] = None,
    opens: Annotated[
        str | None,
        typer.Option(
            "--opens",
            metavar="TIME",
            help="Time from which submissions are accepted, with a time zone: 2026-11-01T08:00Z.",
            show_default=False,
            rich_help_panel="Time",
        ),
    ] = None,
    deadline: Annotated[
        str | None,
        typer.Option(
            "--deadline",
            metavar="TIME",
            help="Time until which submissions are accepted: 2026-12-01T12:00Z, or 2026-12-01T13:00+01:00.",
            show_default=False,
            rich_help_panel="Time",
        ),
    ] = None,
    id_column: o.IdColumn = "id",
    subject_column: o.SubjectColumn = "subject",
    missing_values: o.MissingValues = None,
    failed: o.FailedOption = None,
    json: o.Json = False,
    quiet: o.Quiet = False,
) -> None:
    """Make a test package for participants and a key that you keep secret.

    [bold]Examples[/bold]

    Images of the first session are the targets, all others the queries:

      proband blind make samples.csv -i photos --target "session == 1" --query "session > 1" --out test --key secret/test.key

    Two packages, with and without eye centres; no test subject may be in the training set:

      proband blind make samples.csv -i faces.npz --target all --query all --version partially --version fully
      --training development=trained.txt --out test --key secret/test.key

    Submissions are accepted until noon UTC, as the package states:

      proband blind make samples.csv -i photos --target all --query all --deadline 2026-12-01T12:00Z --out test --key secret/test.key
    """
    from proband.algorithms import Pictures
    from proband.blind import BlindTest
    from proband.blind.package.package import FULLY, PARTIALLY

    table = read_samples(samples, id_column, subject_column, failed, missing_values)
    assert table is not None  # a path was given
    meant: dict[VersionName, Version] = {VersionName.partially: PARTIALLY, VersionName.fully: FULLY}
    test = BlindTest(
        table,
        target,
        query,
        pictures=None if images is None else Pictures.of(images, table, file_column),
        name=name or out.name,
        versions=[meant[wanted] for wanted in version or [VersionName.fully]],
        canaries=canaries,
        control=control,
        keep=keep or (),
        keep_shapes=keep_shapes,
        training=_declared(training or [], id_column, subject_column),
        training_salt=training_salt,
        seed=seed,
        opens=opens,
        deadline=deadline,
    )
    with progress_bars(quiet) as progress:
        made = test.make(out, key, progress)
    if json:
        print_json(made.to_dict())
    else:
        _show(made)
    for note in made.notes:
        tell(f"note: {note}")


def _declared(texts: list[str], id_column: str, subject_column: str) -> dict[str, Any]:
    from proband.blind import read_training
    from proband.errors import UsageError

    declared: dict[str, Any] = {}
    for text in texts:
        name, parts = read_training(text, id_column, subject_column)
        if name in declared:
            raise UsageError(f"Two training sets are named {name!r}.", "give each a different name.")
        declared[name] = parts
    return declared


def _show(made: Made) -> None:
    from proband.engine.moments import show_moment
    from proband.words import counted

    for package, key in zip(made.packages, made.keys, strict=True):
        say(
            f"{package.name}, {package.version}: {counted(len(package.queries), 'query', 'queries')} × "
            f"{counted(len(package.targets), 'target')}, "
            f"control {len(package.control_queries)} × {len(package.control_targets)}"
        )
        limits = [("from", package.opens), ("until", package.deadline)]
        times = " ".join(f"{word} {show_moment(moment)}" for word, moment in limits if moment is not None)
        if times:
            say(f"  submissions are accepted {times}")
        say(f"  distribute {package.path} (digest {package.digest})")
        say(f"  keep {key} secret (commitment {package.commitment})")


blind.command()(check)
blind.command()(receive)
blind.command()(score)
