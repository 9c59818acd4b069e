"""What a FERET study found and what it means, in words."""

from __future__ import annotations

from proband.inference.difficulty import ENOUGH_SEPARATED, MOSTLY_ALIKE
from proband.inference.evaluation import ALL_PROBES
from proband.inference.feret_results import FeretStudy
from proband.inference.gallery_variation import NO_TEST
from proband.report.feret_tables import counts_otherwise
from proband.report.tables import metrics_of, statements
from proband.report.verification import search_statements
from proband.words import Note, as_sentence, counted


def study_statements(study: FeretStudy) -> list[str]:
    """Say what was found and what it means, a sentence each."""
    return [
        *difficulty_statements(study),
        *_about_pairs(study),
        *about_field(study),
        *about_variation(study),
        *about_sizes(study),
        *(about_rejection(study)),
        *statements(study.evaluation),
        *notes_of(study),
    ]


def notes_of(study: FeretStudy) -> list[str]:
    """Say what else a reader should know."""
    return [as_sentence(note) for note in study.notes]


def difficulty_statements(study: FeretStudy) -> list[str]:
    """Whether each set of probes is too easy or too hard, and by which rule."""
    said = [as_sentence(one.difficulty.sentence()) for one in study.results]
    if len(study.field) > 1:
        said.append(
            f"Apt: at least {ENOUGH_SEPARATED:.0%} of the pairs are told apart (Holm, {1 - study.evaluation.confidence_level:.2g}). Otherwise too easy (too "
            f"hard) if all algorithms recognise (miss) at least {MOSTLY_ALIKE:.0%} of the probes, and else too few people."
        )
    return said


def _level(study: FeretStudy) -> str:
    return f"{study.evaluation.confidence_level:.0%}"


def _about_pairs(study: FeretStudy) -> list[str]:
    said = []
    if study.versions:
        said.append(
            "Cost of locating the face: the partially automatic version's rate less the fully automatic one's on the same probes, "
            "where a face that is not found counts as a miss."
        )
    if study.improvements:
        said.append("Gain: the later algorithm's rate less the earlier one's on the same probes.")
    if said:
        method = (*study.versions, *study.improvements)[0].rows[0].pair.method
        said.append(
            f"Differences: {_level(study)} intervals over other people ({method}); p-values are adjusted over all rows of a kind (Holm)."
        )
    return said


def about_field(study: FeretStudy) -> list[str]:
    """Say what averages and upper bounds are."""
    first = study.results[0]
    answers = first.average.answers
    said = [
        f"Average: the {answers.of}. {_level(study)} intervals. Varying: {answers.varying}. Fixed: {answers.fixed}. "
        f"Assuming: {answers.assuming}.",
        "Current upper bound: the whole curve of the algorithm that is best at rank 1, not the best at each rank; being picked on "
        "these very probes flatters it.",
    ]
    apart = [name for name in study.evaluation.algorithms if name not in study.field]
    if apart:
        said.append(f"Averages, places and galleries leave out fully automatic versions: {', '.join(apart)}.")
    return said


def about_variation(study: FeretStudy) -> list[str]:
    """Say what tables of variation hold; nothing if there are none."""
    if not study.variation:
        return []
    answers = study.variation[0].answers
    said = [
        f"Galleries: a cell's interval is over other people searched for in that gallery; the mean's is over galleries ({_level(study)}). "
        f"Varying: {answers.varying}. Assuming: {answers.assuming}. p: do galleries differ by more than chance?"
    ]
    if any(fact.mean_age is not None for one in study.variation for fact in one.galleries):
        said.append(
            "Mean age: time between probe and mate, in days for dates and otherwise as the column counts."
        )
    reasons = dict.fromkeys(
        row.test.declined
        for one in study.variation
        for row in one.rows
        if row.test is not None and row.test.declined
    )
    if reasons:
        said.append(f"No p where {', or where '.join(map(str, reasons))}.")
    return said + _gathered_notes(study)


def _gathered_notes(study: FeretStudy) -> list[str]:
    """The notes of all tables of variation, each once with where it holds; not those told elsewhere."""
    where: dict[Note, list[str]] = {}
    for one in study.variation:
        for note in one.notes:
            no_test = isinstance(note, Note) and note.code == NO_TEST.code
            if note not in study.evaluation.notes and not no_test:
                where.setdefault(note, []).append(one.category or ALL_PROBES)
    return [
        f"Galleries: {note}"
        + ("." if len(places) == len(study.variation) else f" ({', '.join(dict.fromkeys(places))}).")
        for note, places in where.items()
    ]


def about_sizes(study: FeretStudy) -> list[str]:
    """Say what rates by gallery size are, and where they differ from the others."""
    if not study.sizes:
        return []
    answers = study.sizes[0].answers
    said = [
        f"Gallery sizes: the {answers.of}. {_level(study)} intervals. Varying: {answers.varying}. Fixed: {answers.fixed}. Ranks count "
        "people, each by the closest image, with ties as in the other tables."
    ]
    people = study.results[0].average.facts.n_gallery_subjects
    said += _about_enrolment("Gallery sizes", people, {one.algorithm: one.n_enrolled for one in study.sizes})
    if counts_otherwise(study):
        said.append(
            "Gallery sizes: people have several images, which the other tables count one by one; so the whole gallery has another rate "
            "there. With --count subjects they agree."
        )
    return said


def _about_enrolment(what: str, people: int, enrolled: dict[str, int]) -> list[str]:
    """Why fewer people are searched among than the gallery holds, if so."""
    if min(enrolled.values()) == people:
        return []
    same = len(set(enrolled.values())) == 1
    among = (
        f"{min(enrolled.values()):,}" if same else ", ".join(f"{name} {n:,}" for name, n in enrolled.items())
    )
    return [
        f"{what}: of {counted(people, 'person', 'people')} in the gallery those whose every image failed cannot be enrolled; searched "
        f"among are {among}."
    ]


def about_rejection(study: FeretStudy) -> list[str]:
    """Say how the rejection test was made."""
    test = study.rejection
    if test is None:
        return []
    said = [
        f"Rejection: people taken out of the gallery at random: {test.n_held_out:,} (seed {test.seed}). DIR is the share of searches for "
        "enrolled people that return them at the threshold where searches for others return anybody at the FPIR; somebody else with "
        "the same score stands before the mate, however other tables treat ties.",
    ]
    enrolled = {one.algorithm: one.searches.n_enrolled for one in test.results}
    said += _about_enrolment("Rejection", test.n_gallery_subjects, enrolled)
    told = (*study.evaluation.notes, metrics_of(study.evaluation))
    return said + [f"Rejection: {one}" for one in search_statements(test.results, told)]
