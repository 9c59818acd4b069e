"""A second set of people for comparisons; its files are read and its probes ranked like the first set's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from proband.analyses.comparison.request import ComparisonRequest
from proband.errors import Hint, UsageError, first_few
from proband.measures import Outcomes
from proband.samples import Experiment
from proband.scores import experiment_over
from proband.scores.reading import split_key, split_name
from proband.study.context import Context
from proband.study.findings import InputFile
from proband.study.inputs import Inputs, read_inputs
from proband.study.requests import Request, only
from proband.words import Note, Sentence

_UNPAIRED = Sentence(
    "comparison.unpaired",
    "note",
    "two sets of different people are compared, unpaired; a difference may be due to the people or their images as "
    "well as to the algorithms",
)


@dataclass(frozen=True, eq=False)
class SecondSet:
    """The second set: data read, gallery and probes, and pairs of algorithms to compare with the first set.

    Attributes
    ----------
    files, notes
        Files read in addition to the first set's, and notes from reading.
    """

    inputs: Inputs
    experiment: Experiment
    pairs: list[tuple[str, str]]
    files: tuple[InputFile, ...]
    notes: tuple[Note, ...]


def prepared_set(asked: ComparisonRequest, context: Context) -> SecondSet:
    """Read the second set, once."""
    return context.once(("second set", asked.model_dump_json()), lambda: _read(asked, context))


def ranked_set(found: SecondSet, context: Context) -> dict[str, Outcomes]:
    """Rank the probes of the second set in its own gallery, by algorithm."""
    return {one.algorithm: one for one in context.on(found.inputs).ranks(found.experiment)}


def _read(asked: ComparisonRequest, context: Context) -> SecondSet:
    """Read the second set with the first's options."""
    request, origin = context.request, context.origin
    inputs = read_inputs(
        _request_of(asked, request), origin, context.cache, context.threads, context.progress
    )
    if inputs.lists or inputs.samples is None:
        raise UsageError(
            "The second set is a list of chosen pairs, which cannot be ranked.",
            Hint("pass scores of every probe with its gallery: {option:with_scores}"),
        )
    own = [one.scores for one in inputs.algorithms]
    design = request.experiment.model_copy(
        update={
            "gallery": request.experiment.gallery if asked.with_gallery is None else asked.with_gallery,
            "probes": request.experiment.probes if asked.with_probes is None else asked.with_probes,
            "one_per_subject": request.experiment.one_per_subject and asked.with_gallery is None,
        }
    )
    experiment = experiment_over(
        own,
        inputs.samples,
        gallery=origin.enrolled(design),
        probes=origin.condition(design.probes),
        missing=request.missing,
    )
    known = {one.name for one in context.inputs.files}
    return SecondSet(
        inputs,
        experiment,
        [sets_named(text, context.names, [one.name for one in own]) for text in asked.pairs],
        tuple(one for one in inputs.files if one.name not in known),
        (*inputs.notes, _UNPAIRED()),
    )


def _request_of(asked: ComparisonRequest, request: Request) -> Request:
    """The second set as a request of its own: the first source of the first set says how files are read."""
    of_vectors = not request.scores
    sources: Sequence[Any] = request.embeddings if of_vectors else request.scores
    if not sources:
        raise UsageError(
            "A second set is read like the first, but the first was not read from a file of scores or embeddings.",
            "pass files, or use compare_independent in Python.",
        )
    made = []
    for text in asked.with_scores:
        name, reference = split_name(text)
        path, key = split_key(reference)
        update = {"file": str(path), "name": name, "key": () if key is None else (key,)}
        made.append(sources[0].model_copy(update=update))
    table = request.samples
    if asked.with_samples is not None:
        said = {} if table is None else table.model_dump(exclude_unset=True)
        table = {**said, "file": asked.with_samples}  # type: ignore[assignment]
    read: dict[str, Any] = {"embeddings" if of_vectors else "scores": tuple(made)}
    if table is not None:
        read["samples"] = table
    return only("comparison", True, **read)


def sets_named(text: str, first: Sequence[str], second: Sequence[str]) -> tuple[str, str]:
    """Split ``A-B`` into an algorithm of the first set and an algorithm of the second; names may contain hyphens.

    Examples
    --------
    >>> sets_named("net-a-net-b", ["net-a"], ["net-b", "b"])
    ('net-a', 'net-b')
    """
    sides = [
        (text[:place].strip(), text[place + 1 :].strip())
        for place, letter in enumerate(text)
        if letter == "-"
    ]
    known = [(a, b) for a, b in sides if a in first and b in second]
    if len(known) == 1:
        return known[0]
    if known:
        ways = ", or as ".join(f"{a} and {b}" for a, b in known)
        raise UsageError(
            f"{text!r} is ambiguous: it can be read as {ways}.", "rename the algorithms: NAME=FILE::KEY."
        )
    raise UsageError(
        f"{text!r:.80} does not name an algorithm of the first set and an algorithm of the second set.",
        f"write A-B: the first has {first_few(list(first), 6)}, the second {first_few(list(second), 6)}.",
    )
