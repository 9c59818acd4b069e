"""Matching the ids of scores and samples, and the experiment defined by the axes of a score file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from proband.errors import AlignmentError, DesignError, Hint, InputError, Said, first_few, quoted
from proband.samples import Choice, Experiment, Pool, Samples, Selection
from proband.samples.choosing import choose
from proband.samples.experiment import others
from proband.samples.ids import Ids, Positions
from proband.samples.pool import PairRule
from proband.scores.base import MissingPolicy, Scores
from proband.scores.several import by_name
from proband.words import Note, Sentence, agreeing, count

UNKNOWN_IDS = Sentence(
    "scores.unknown-ids",
    "caution",
    "{n:count} of {total:count} {what} ids {n:word is/are} not in the samples table: {examples}; left out",
)
NOT_SCORED = Sentence(
    "scores.samples-not-scored",
    "caution",
    "{n:count} of {total:count} {role} samples {n:word is/are} not among the {what} ids of {scores}; left out of the {role} set for all "
    "algorithms",
)
DROP_HINT = Hint("{give:missing=drop} to leave them out and count them in the report.")
NONE_ALIKE = "no id matches: {unknown} versus {known}; use the same ids in both files, or check the id column ({option:id_column})."


def _mend_set(role: str, what: str, unknown: Sequence[str], known: Ids, others: Ids, of: int) -> str | Hint:
    """Suggest how to resolve a set of samples of which some have no scores: its samples must be rows or columns of the matrix."""
    mended = mend_ids(unknown, known, others, of)
    if mended is not DROP_HINT:
        return mended
    return Hint(
        "{role} samples must be {what}s of the scores: leave {named:{which}} out, or choose among them; "
        "{give:missing=drop} to use only those of them that are.",
        role=role,
        what=what,
        which="gallery" if role == "gallery" else "probes",
    )


def mend_ids(unknown: Sequence[str], known: Ids, others: Ids, of: int) -> str | Hint:
    """Suggest how to resolve unknown ids: how they differ from known ones, or to drop them unless all are unknown."""
    found = known.difference(others)
    if found is not None or len(unknown) < of:
        return found or DROP_HINT
    shared = next((name for name in others if name in known), None)
    if shared is not None:
        return f"choose samples that have scores, such as {quoted(shared)}."
    return Hint(NONE_ALIKE, unknown=quoted(unknown[0]), known=first_few(known[:3]))


def check_ids(ids: Ids, samples: Samples, missing: MissingPolicy) -> tuple[Note, ...]:
    """Check that every id on an axis is in the table; return notes on those that are left out."""
    unknown = samples.ids.missing(ids)
    if not unknown:
        return ()
    if missing == "error" or len(unknown) == len(ids):
        raise AlignmentError(
            f"{count(len(unknown))} of {count(len(ids))} {ids.what} ids {agreeing(len(unknown))} not in the samples table: {first_few(unknown)}.",
            mend_ids(unknown, samples.ids, ids, len(ids)),
        )
    return (UNKNOWN_IDS(n=len(unknown), total=len(ids), what=ids.what, examples=first_few(unknown)),)


def experiment_over(
    scores: Scores | Sequence[Scores] | Mapping[str, Scores],
    samples: Samples,
    *,
    gallery: Choice | None = None,
    probes: Choice | None = None,
    missing: MissingPolicy = "error",
) -> Experiment:
    """Make an experiment from the samples for which all algorithms have scores.

    Without `gallery`, every target of the first algorithm is enrolled; without `probes`, every query that is not in
    the gallery is searched for. Samples without scores of every algorithm are an error, or with
    ``missing="drop"`` are left out for all algorithms, and counted.

    Parameters
    ----------
    scores
        Scores or embeddings of one algorithm or of several.
    samples
        The table of samples.
    gallery, probes
        The samples to enrol and to search for: a condition such as ``"session == 1"``, ids, or ``"one_per_subject"``.
    missing
        How samples without scores of every algorithm are handled: ``error`` or ``drop``.

    Returns
    -------
    Experiment
        The gallery and probes for which all algorithms have scores.

    Examples
    --------
    >>> from proband.scores import Scores
    >>> samples = Samples({"id": ["a1", "a2", "b1", "b2"], "subject": list("aabb"), "session": [1, 2, 1, 2]})
    >>> scores = Scores.from_array([[0.9, 0.1], [0.3, 0.7]], ["a2", "b2"], ["a1", "b1"], orientation="similarity")
    >>> experiment_over(scores, samples, gallery="session == 1")
    Experiment(gallery: 2 samples of 2 subjects; probes: 2 samples of 2 subjects; closed universe)
    """
    scores = tuple(by_name(scores).values())
    samples.require_people()
    first = scores[0]
    if gallery is None:
        if probes is None and set(first.queries) & set(first.targets):
            raise DesignError(
                "queries and targets share samples, so the gallery must be specified.",
                Hint(
                    "for example {give:gallery=one_per_subject}; all other samples become probes. If rows and "
                    "columns are named by subject, {give:ids=subjects}."
                ),
                source=first.name,
            )
        gallery = Selection(_known(first.targets, samples), "every target of the scores")
    gallery = choose(samples, gallery)
    if probes is None:
        queries = _known(first.queries, samples)
        probes = others(queries, gallery, "every query that is not in the gallery")
    return present_in(Experiment(samples, gallery, probes), scores, missing)


def pool_over(
    scores: Scores | Sequence[Scores] | Mapping[str, Scores],
    samples: Samples,
    *,
    groups: str | Sequence[str] | None = None,
    image_pairs: PairRule | None = None,
    where: Choice | None = None,
    gallery: Choice | None = None,
    probes: Choice | None = None,
    distractors: bool = False,
    check_orientation: bool = True,
) -> Pool:
    """Make a pool of the images for which all algorithms have scores: gallery images are targets of all, probes queries of all.

    Scores whose orientation looks reversed for the first choice of each person are refused, unless `check_orientation` is False.

    Parameters
    ----------
    scores
        Scores or embeddings of one algorithm or of several.
    samples
        The table of samples.
    groups, image_pairs, where, gallery, probes, distractors
        The images that may be paired, as in `Pool`.
    check_orientation
        Whether scores that look reversed are refused.

    Returns
    -------
    Pool
        The people, with the possible pairs of images of each.

    Examples
    --------
    >>> import numpy as np
    >>> from proband.scores import Scores
    >>> samples = Samples({"id": ["a1", "a2", "b1", "b2"], "subject": list("aabb"), "session": [1, 2, 1, 2]})
    >>> scores = Scores.from_array(np.eye(4), samples.ids, orientation="similarity")
    >>> pool_over(scores, samples, groups="session", check_orientation=False)
    Pool(2 people with 4 images, pairs between groups of session, 2 choices each)
    """
    axes = [set(samples.ids) for _ in range(2)]
    for one in by_name(scores).values():
        axes[0] &= set(one.targets)
        axes[1] &= set(one.queries)
    enrolled, searched = (
        np.fromiter((name in axis for name in samples.ids), dtype=np.bool_, count=len(samples))
        for axis in axes
    )
    made = Pool(
        samples, groups, image_pairs=image_pairs, where=where, gallery=gallery, probes=probes,
        scored=(enrolled, searched), distractors=distractors,
    )  # fmt: skip
    if check_orientation:
        _require_orientations(by_name(scores).values(), made)
    return made


def _require_orientations(scores: Iterable[Scores], pool: Pool) -> None:
    """Refuse scores that look reversed over the first choice of each person."""
    from proband.scores.orientation import require_orientation  # which aligns scores by what is here

    options = pool.options
    first = options.starts[: options.n_searched]
    gallery, probes = (np.sort(options.images[chosen[first]]) for chosen in (options.gallery, options.probe))
    experiment = Experiment(
        pool.samples, Selection(gallery, "first choices"), Selection(probes, "first choices")
    )
    for one in scores:
        require_orientation(one, experiment)


def _known(axis: Ids, samples: Samples) -> Positions:
    """Positions in the table of the samples on an axis, in table order; unknown ids are skipped."""
    return np.sort(samples.ids.positions(name for name in axis if name in samples.ids))


def present_in(
    experiment: Experiment, scores: Iterable[Scores], missing: MissingPolicy = "error"
) -> Experiment:
    """Check that every chosen sample is scored by every algorithm, or drop those that are not.

    Examples
    --------
    >>> from proband.scores import Scores
    >>> samples = Samples({"id": ["a1", "a2", "b1", "b2"], "subject": list("aabb"), "session": [1, 2, 1, 2]})
    >>> scores = Scores.from_array([[0.9, 0.1]], ["a2"], ["a1", "b1"], orientation="similarity")
    >>> present_in(Experiment(samples, gallery="session == 1"), [scores], missing="drop")
    Experiment(gallery: 2 samples of 2 subjects; probes: 1 sample of 1 subject; closed universe)
    """
    samples = experiment.samples
    for one in scores:
        for role, axis, positions in (
            ("gallery", one.targets, experiment.gallery),
            ("probe", one.queries, experiment.probes),
        ):
            absent = np.array([samples.ids[place] not in axis for place in positions], dtype=np.bool_)
            if not absent.any():
                continue
            names = samples.ids.at(positions[absent])
            if missing == "error":
                scored = samples.codes[_known(axis, samples)]
                others = scored.size and not np.isin(samples.codes[positions[absent]], scored).any()
                whose = ", nor is any other sample of the same people" if others else ""
                raise AlignmentError(
                    f"{count(len(names))} of {count(len(positions))} {role} samples are not among the {axis.what} ids of "
                    f"{one.name}{whose}: {first_few(names)}.",
                    _mend_set(role, axis.what, names, axis, samples.ids, len(positions)),
                    source=Said(one.name),
                )
            kept = positions[~absent]
            note = NOT_SCORED(n=len(names), total=len(positions), role=role, what=axis.what, scores=one.name)
            experiment = (
                experiment.restricted(gallery=kept, note=note)
                if role == "gallery"
                else experiment.restricted(probes=kept, note=note)
            )
    return experiment


def axis_positions(experiment: Experiment, scores: Scores) -> tuple[Positions, Positions]:
    """The positions of the probes and the gallery on the axes of the scores.

    Examples
    --------
    >>> from proband.scores import Scores
    >>> samples = Samples({"id": ["a1", "a2", "b1", "b2"], "subject": list("aabb"), "session": [1, 2, 1, 2]})
    >>> scores = Scores.from_array([[0.3, 0.7], [0.9, 0.1]], ["b2", "a2"], ["a1", "b1"], orientation="similarity")
    >>> axis_positions(Experiment(samples, gallery="session == 1"), scores)  # a2 is the second query
    (array([1, 0]), array([0, 1]))
    """
    ids = experiment.samples.ids
    try:
        rows = scores.queries.positions(ids.at(experiment.probes))
        columns = scores.targets.positions(ids.at(experiment.gallery))
    except InputError:
        present_in(experiment, [scores])  # raises an error that lists the missing ids
        raise
    return rows, columns
