"""Model cards: Hugging Face's ``model-index`` as YAML, and a table that states what varies.

Views turn results into metrics; one writer makes the card.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from proband._version import __version__
from proband.errors import UsageError
from proband.report.tables.cells import columns, interval_cell, rate_cell, text_cell
from proband.report.tables.formats import as_markdown
from proband.report.tables.table import Table
from proband.report.view import kinds_that, view_of
from proband.results.estimate import which_rate
from proband.study.findings import Findings
from proband.words import Note, Sentence, as_sentence, fixed, given, level, visible

Form = Literal["markdown", "yaml"]
_PLACES = 6
_VARYING = Sentence("card.varying", "note", "{level:level} confidence intervals, for {varying}")
_MADE = Sentence("card.made", "note", "Made with Proband {version}")


@dataclass(frozen=True)
class CardMetric:
    """One metric of a card.

    Attributes
    ----------
    algorithm, task
        Algorithm, and kind of test.
    type, name, value
        Key of the measure, its name, and the value.
    low, high, confidence_level, varying
        Interval, its level, and what varies; None if there is no interval.
    part
        Part of the data; None for all.
    args
        Other distinguishing values: a rank, a target FMR, the baseline of a gate.
    raised, notes
        The sign beside the value in the table, and what stands below it: what the sign means, and cautions.
    """

    algorithm: str
    task: str
    type: str
    name: str
    value: float
    low: float | None
    high: float | None
    confidence_level: float
    varying: str
    part: str | None = None
    args: Mapping[str, Any] = field(default_factory=dict)
    raised: str = ""
    notes: tuple[Note, ...] = ()


def metrics_of(result: object) -> list[CardMetric]:
    """Metrics of a result, or of every part of findings."""
    parts = result.parts.values() if isinstance(result, Findings) else (result,)
    return [metric for part in parts for metric in view_of(part).metrics(part)]


def model_card(result: object, dataset: str = "test set", format: str = "markdown") -> str:
    """Write a model card: ``markdown`` (README front matter and a section) or ``yaml`` (front matter only).

    Examples
    --------
    >>> from proband import classify
    >>> found = classify([0, 0, 1, 1], {"net": [0, 0, 1, 0]}, k=1)
    >>> print(model_card(found, "digits", "yaml").partition("        metrics:")[0])
    model-index:
      - name: "net"
        results:
          - task:
              type: "classification"
            dataset:
              type: "digits"
              name: "digits"
    <BLANKLINE>
    """
    if format not in get_args(Form):
        raise UsageError(
            f"Expected {' or '.join(get_args(Form))} as the format of a model card, got {format!r}."
        )
    found = metrics_of(result)
    kind = type(result).__name__
    if not found and not isinstance(result, Findings) and kind not in kinds_that("metrics"):
        raise UsageError(
            f"No model card is available for {'an' if kind[0] in 'AEIOU' else 'a'} {kind}.",
            f"model cards are available for {', '.join(kinds_that('metrics'))}.",
        )
    if not found:
        raise UsageError(
            "The results contain no rates for a model card.",
            "compute rates with evaluate, verify, classify or gate.",
        )
    return card_of(found, dataset, format)


def card_of(found: Sequence[CardMetric], dataset: str, format: str = "markdown") -> str:
    """Write metrics as a card."""
    head = "".join(f"{line}\n" for line in _yaml({"model-index": _index(found, dataset)}))
    return (
        head
        if format == "yaml"
        else f"---\n{head}---\n\n## Evaluation\n\n{as_markdown(_table(found, dataset))}\n"
    )


def _index(found: Sequence[CardMetric], dataset: str) -> list[dict[str, Any]]:
    """The models, what each was tested for and on, and its numbers."""
    models: dict[str, dict[tuple[str, str | None], list[CardMetric]]] = {}
    for one in found:
        models.setdefault(one.algorithm, {}).setdefault((one.task, one.part), []).append(one)
    return [
        {
            "name": name,
            "results": [
                {
                    "task": {"type": task},
                    "dataset": {"type": dataset, "name": dataset if part is None else f"{dataset}: {part}"},
                    "metrics": [_metric(one) for one in metrics],
                }
                for (task, part), metrics in tasks.items()
            ],
        }
        for name, tasks in models.items()
    ]


def _metric(one: CardMetric) -> dict[str, Any]:
    ends = {} if one.low is None or one.high is None else {"low": rounded(one.low), "high": rounded(one.high)}
    of = {"confidence_level": one.confidence_level, "varying": one.varying} if ends else {}
    return {
        "type": one.type,
        "name": one.name,
        "value": rounded(one.value),
        "args": {**one.args, **ends, **of, "proband": __version__},
    }


def _table(found: Sequence[CardMetric], dataset: str) -> Table:
    levels = list(dict.fromkeys(one.confidence_level for one in found))
    heads = columns("model", "test", "metric", "value", f"{level(levels[0])} interval", text=3)
    rows = tuple(
        (
            text_cell(one.algorithm),
            text_cell(one.task if one.part is None else f"{one.task}, {one.part}"),
            text_cell(one.name),
            rate_cell(one.value, one.raised),
            interval_cell(None if one.low is None or one.high is None else (one.low, one.high)),
        )
        for one in found
    )
    varying = dict.fromkeys((one.confidence_level, one.varying) for one in found if one.low is not None)
    notes = [as_sentence(_VARYING(level=at, varying=what)) for at, what in varying]
    notes += dict.fromkeys(as_sentence(note) for one in found for note in one.notes)
    if len({one.args["weights"] for one in found if "weights" in one.args}) > 1:
        notes.append(as_sentence(which_rate()))
    decided = dict.fromkeys(
        f"Gate: {one.args['decision']} (margin {given(one.args['margin'])}, baseline {one.args['baseline']} "
        f"{fixed(one.args['baseline_value'])})."
        for one in found
        if "decision" in one.args
    )
    return Table(dataset, heads, rows, notes=(*notes, *decided, as_sentence(_MADE(version=__version__))))


def rounded(value: float) -> float:
    """A number of a card: digits beyond these are noise."""
    return round(float(value), _PLACES)


def _yaml(value: Any, indent: int = 0) -> Iterator[str]:
    """Lines of YAML: mappings, lists and scalars, texts always in quotation marks as JSON writes them."""
    pad = "  " * indent
    items: Iterable[tuple[str, Any]]
    if isinstance(value, Mapping):
        items = ((f"{pad}{key}:", one) for key, one in value.items())
    else:
        for one in value:
            first, *rest = _yaml(one, indent + 1)
            yield f"{pad}- {first.lstrip()}"
            yield from rest
        return
    for head, one in items:
        if isinstance(one, Mapping | list):
            yield head
            yield from _yaml(one, indent + 1)
        else:
            yield f"{head} {_scalar(one)}"


def _scalar(value: Any) -> str:
    if isinstance(value, float):
        text = repr(value)
        mantissa, mark, exponent = text.partition("e")
        return f"{mantissa}.0e{exponent}" if mark and "." not in mantissa else text  # 1e-05 would be a text
    return visible(json.dumps(value, ensure_ascii=False))
