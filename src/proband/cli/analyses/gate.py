"""``proband gate``: may the new algorithm replace the old one?"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from proband.cli import options as o
from proband.cli.analyses.command import Asked, analysis
from proband.cli.console import print_json, say, say_below, show_tables, write_latex, write_model_card, wrote
from proband.cli.inputs import ScoreInputs
from proband.errors import InputError, UsageError

if TYPE_CHECKING:
    from proband.inference.comparisons.gate import Gate
    from proband.study.findings import Findings
    from proband.study.requests import Request

_PIN = "proband-baseline/1"
_SUMMARY = "GITHUB_STEP_SUMMARY"
_NAME = "baseline"


def _of_a_step(asked: bool) -> bool:
    """Refuse what cannot be written before anything is computed."""
    if asked and not os.environ.get(_SUMMARY):
        raise UsageError(
            f"--github adds to the file that ${_SUMMARY} names, and it names none.",
            "outside of a workflow write a file: --summary FILE.md",
        )
    return asked


def _with_baseline(asked: Asked, inputs: ScoreInputs) -> ScoreInputs:
    """Read the baseline besides the others, where it is named by a file: of scores or embeddings, or one that pins it."""
    from proband.engine.files.files import require_regular
    from proband.scores.reading import KEY_MARK, split_key, split_name

    own = asked.values["gate"]
    said = own.get("baseline")
    if said is None:
        return inputs
    name, reference = split_name(said)
    path, _ = split_key(reference)
    require_regular(path)
    embedded = not inputs.scores
    if path.suffix.lower() == ".json" and path.is_file() and (pin := _pin(path)) is not None:
        beside = path.parent / pin["file"]
        reference = str(beside if beside.exists() else pin["file"])
        reference += "".join(f"{KEY_MARK}{key}" for key in pin["keys"])
        embedded = pin["embeddings"]
        own["digest"] = own.get("digest") or pin["sha256"]
    elif not path.exists() and name is None:
        return inputs  # the name of an algorithm among those that are read
    own["baseline"] = name or _NAME
    source = f"{own['baseline']}={reference}"
    if embedded:
        return replace(inputs, embeddings=[*(inputs.embeddings or ()), source])
    return replace(inputs, scores=[*(inputs.scores or ()), source])


def _pin(path: Path) -> dict[str, Any] | None:
    """What a file pins: one that `--save` wrote, or the results of a gate; None for anything else."""
    from proband.engine.files.documents import read_json
    from proband.engine.files.files import content_of

    try:
        document = read_json(content_of(path))
    except (OSError, ValueError):
        raise InputError(
            "it is no JSON, so it pins no baseline.", "write one with --save.", file=str(path)
        ) from None
    if not isinstance(document, dict) or not ({"pinned", "gate"} & set(document)):
        return None
    whole = document if "pinned" in document else document["gate"]
    pin = whole.get("pinned") if isinstance(whole, dict) else None
    wanted = {"file": str, "sha256": str, "keys": list, "embeddings": bool}
    if not isinstance(pin, dict) or not all(isinstance(pin.get(key), kind) for key, kind in wanted.items()):
        raise InputError(
            "it pins no baseline: file, sha256, keys and embeddings are not there.",
            "write one with --save.",
            file=str(path),
        )
    return pin


@analysis("gate", "Gate", prepare=_with_baseline)
def gate(
    found: Findings,
    request: Request,
    save: Annotated[
        Path | None,
        typer.Option(
            "--save",
            metavar="FILE.json",
            help="Pin this baseline: give the file as --baseline next time, and it cannot creep.",
            rich_help_panel="Output",
        ),
    ] = None,
    junit: Annotated[
        Path | None,
        typer.Option(
            "--junit", metavar="FILE.xml", help="Write JUnit's XML: one test case.", rich_help_panel="Output"
        ),
    ] = None,
    summary: Annotated[
        Path | None,
        typer.Option(
            "--summary", metavar="FILE.md", help="Write a summary as Markdown.", rich_help_panel="Output"
        ),
    ] = None,
    github: Annotated[
        bool,
        typer.Option(
            "--github",
            help=f"Add the summary to the step's, in the file that ${_SUMMARY} names.",
            callback=_of_a_step,
            rich_help_panel="Output",
        ),
    ] = False,
    latex: o.Latex = None,
    model_card: o.ModelCard = None,
    *,
    json: bool,
    explain: bool,
) -> int:
    """May the new algorithm replace the old? An exit code for CI.

    Pass (exit 0), fail (3) or undecided (4). It passes if it is shown not to be worse by the margin or more, on other people; it fails if it is shown to be worse by more.

    [bold]Examples[/bold]

      proband gate new.npz --baseline old.npz -s samples.csv --orientation similarity --margin 0.005 --save baseline.json

    The next release against the same baseline, whatever came between:

      proband gate newer.npz --baseline baseline.json -s samples.csv --orientation similarity --measure fnmr@0.001
    """
    from proband.analyses.gate.view import GateView, gate_junit, gate_summary
    from proband.engine import written_whole

    made: Gate = found["gate"]
    assert made is not None  # what was asked for
    texts = [(junit, gate_junit(made)), (summary, gate_summary(made))]
    if save is not None:
        texts.append((save, _pinned(made, save)))
    write_latex(latex, *GateView().tables(made))
    write_model_card(found, request, model_card)
    if github:
        _add_to_step(gate_summary(made))
    for path, text in texts:
        if path is not None:
            with written_whole(path) as draft:
                draft.write_text(text, encoding="utf-8")
            wrote(path)
    if json:
        print_json(made.to_dict())
        return made.exit_code
    show_tables(*GateView().tables(made))
    decided, power, *rest = GateView().notes(made)
    say(decided)
    say(power)
    say("")
    say_below(rest, explain, [made.comparison.answers], found.notes)
    return made.exit_code


def _pinned(made: Gate, path: Path) -> str:
    """The baseline as a file holds it: its file is found from where that lies."""
    from dataclasses import asdict

    from proband.engine.files.documents import as_json

    assert made.pinned is not None  # commands read files
    file = os.path.relpath(made.pinned.file, path.parent)
    kept = {key: value for key, value in asdict(made.pinned).items() if key != "by_digest"}
    value = made.estimates[1].value
    return as_json(
        {"schema": _PIN, "measure": made.measure, "value": value, "pinned": {**kept, "file": file}}
    )


def _add_to_step(text: str) -> None:
    with Path(os.environ[_SUMMARY]).open("a", encoding="utf-8") as whole:
        whole.write(text)
