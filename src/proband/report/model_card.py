"""Results as a model card states them: Hugging Face's ``model-index`` as YAML, and a table with what varies behind it.

Every kind of result that can be stated makes metrics of its own records; one writer makes the card.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from proband._version import __version__
from proband.engine.rendering import renders, writes_card
from proband.errors import UsageError
from proband.inference.classification.results import Classification
from proband.inference.comparisons.gate import Gate
from proband.inference.estimates.evaluation import Entry, Evaluation, probes_called
from proband.inference.verification.verification import Verification
from proband.report.cells import columns, interval_cell, rate_cell, text_cell
from proband.report.formats import as_markdown
from proband.report.table import Table
from proband.results.estimate import Estimate, which_rate
from proband.study.findings import Findings
from proband.words import Sentence, as_sentence, fixed, given, level, visible

Form = Literal["markdown", "yaml"]
_PLACES = 6
_VARYING = Sentence("card.varying", "note", "{level:level} confidence intervals, varying {varying}")
_MADE = Sentence("card.made", "note", "Made with Proband {version}")


@dataclass(frozen=True)
class CardMetric:
    """One number as a card states it.

    Attributes
    ----------
    algorithm, task
        Whose number it is, and of what kind of test.
    type, name, value
        The key of the measure, what it is called, and the number.
    low, high, confidence_level, varying
        Its interval, and what varies behind it; None where there is none.
    part
        Which part of the data it is of; None for all.
    args
        What else tells it from others: a rank, a target FMR, the baseline of a gate.
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


@renders(Evaluation, "metrics")
def _of_evaluation(found: Evaluation) -> list[CardMetric]:
    made = []
    for entry in found.entries:
        for rank, other in entry.by_person.items():
            low, high = entry.interval(rank) or (None, None)
            own = f"rank-{rank}", entry.weighted_rate(rank), entry.curve.at(rank), low, high
            made.append(_of_entry(entry, rank, found.confidence_level, *own))
            if other is not None:
                beside = (
                    f"rank-{rank}-by-person",
                    f"rank {rank} (person-weighted)",
                    other.value,
                    other.low,
                    other.high,
                )
                made.append(_of_entry(entry, rank, found.confidence_level, *beside))
    return made


def _of_entry(
    entry: Entry,
    rank: int,
    confidence_level: float,
    key: str,
    called: str,
    value: float,
    low: float | None,
    high: float | None,
) -> CardMetric:
    facts = entry.curve.facts
    return CardMetric(
        entry.algorithm,
        "identification",
        key,
        f"recognition rate at {called}",
        value,
        low,
        high,
        confidence_level,
        str(entry.band.answers.varying),
        None if entry.category is None else probes_called(entry.category),
        {
            "rank": rank,
            "weights": "person" if key.endswith("-by-person") else entry.weights,
            "probes": facts.n_probes,
            "people": facts.n_probe_subjects,
            "gallery_people": facts.n_gallery_subjects,
        },
    )


@renders(Verification, "metrics")
def _of_verification(found: Verification) -> list[CardMetric]:
    shared = (found.confidence_level, str(found.answers.varying))
    sizes = {
        "genuine_comparisons": found.compared.n_genuine,
        "impostor_comparisons": found.compared.n_impostor,
        "people": found.n_subjects,
    }

    def metric(
        kind: str, name: str, value: float, ends: tuple[float | None, float | None], **args: Any
    ) -> CardMetric:
        return CardMetric(
            found.algorithm, "verification", kind, name, value, *ends, *shared, None, {**args, **sizes}
        )

    eer, auc = found.eer_interval, found.auc_interval
    made = [
        metric(
            "eer",
            "equal error rate",
            found.rates.eer().value,
            (None, None) if eer is None else (eer.low, eer.high),
        ),
        metric(
            "auc",
            "area under the ROC curve",
            found.rates.auc(),
            (None, None) if auc is None else (auc.low, auc.high),
        ),
    ]
    for one in found.points:
        asked = one.point.asked
        ends = (one.fnmr.low, one.fnmr.high) if one.fnmr_at_fmr is None else tuple(one.fnmr_at_fmr)
        at = {"threshold": one.point.threshold} if asked is None else {"fmr": asked}
        name = (
            f"FNMR at the threshold {given(one.point.threshold or 0)}"
            if asked is None
            else f"FNMR at FMR {given(asked)}"
        )
        made.append(metric("fnmr", name, one.point.fnmr, (ends[0], ends[1]), **at))
    return made


@renders(Classification, "metrics")
def _of_classification(found: Classification) -> list[CardMetric]:
    return [
        CardMetric(
            one.facts.algorithm,
            "classification",
            one.measure,
            str(one.answers.of),
            one.value,
            one.low,
            one.high,
            one.confidence_level,
            str(one.answers.varying),
            None,
            {"samples": one.facts.n_items, "classes": len(found.classes)},
        )
        for one in found.rates
    ]


@renders(Gate, "metrics")
def _of_gate(found: Gate) -> list[CardMetric]:
    new: Estimate = found.estimates[0]
    about = {
        "baseline": found.baseline,
        "baseline_value": _rounded(found.estimates[1].value),
        "margin": found.margin,
        "decision": found.decision,
    }
    return [
        CardMetric(
            found.candidate,
            "release gate",
            found.measure,
            str(new.answers.of),
            new.value,
            new.low,
            new.high,
            new.confidence_level,
            str(new.answers.varying),
            None,
            about,
        ),
        CardMetric(
            found.candidate,
            "release gate",
            f"{found.measure}-difference",
            f"{new.answers.of}, less that of {found.baseline}",
            found.difference.difference,
            found.difference.low,
            found.difference.high,
            found.comparison.confidence_level,
            str(found.comparison.answers.varying),
            None,
            about,
        ),
    ]


@renders(Findings, "metrics")
def _of_findings(found: Findings) -> list[CardMetric]:
    parts = (found.evaluation, *found.verification, found.classification, found.gate)
    return [one for part in parts if part is not None for one in metrics_of(part)]


def metrics_of(result: object) -> list[CardMetric]:
    """What a card states of a result."""
    from proband.engine.rendering import render

    made: list[CardMetric] = render(result, "metrics")
    return made


@writes_card
def model_card(result: object, dataset: str = "test set", format: str = "markdown") -> str:
    """Write what was found as a card: ``markdown``, a README's head and a section, or ``yaml``, the head alone.

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
        raise UsageError(f"A model card is written as {' or '.join(get_args(Form))}; got {format!r}.")
    found = metrics_of(result)
    if not found:
        raise UsageError(
            "Nothing was found that a model card states.",
            "it states rates: evaluate, verify, classify, gate.",
        )
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
    ends = (
        {} if one.low is None or one.high is None else {"low": _rounded(one.low), "high": _rounded(one.high)}
    )
    of = {"confidence_level": one.confidence_level, "varying": one.varying} if ends else {}
    return {
        "type": one.type,
        "name": one.name,
        "value": _rounded(one.value),
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
            rate_cell(one.value),
            interval_cell(None if one.low is None or one.high is None else (one.low, one.high)),
        )
        for one in found
    )
    varying = dict.fromkeys((one.confidence_level, one.varying) for one in found if one.low is not None)
    notes = [as_sentence(_VARYING(level=at, varying=what)) for at, what in varying]
    if len({one.args.get("weights") for one in found if one.task == "identification"}) > 1:
        notes.append(as_sentence(which_rate()))
    decided = dict.fromkeys(
        f"Gate: {one.args['decision']} (margin {given(one.args['margin'])}, baseline {one.args['baseline']} "
        f"{fixed(one.args['baseline_value'])})."
        for one in found
        if "decision" in one.args
    )
    return Table(dataset, heads, rows, notes=(*notes, *decided, as_sentence(_MADE(version=__version__))))


def _rounded(value: float) -> float:
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
