"""Notes on the results of a FERET study."""

from __future__ import annotations

from proband.analyses.feret.tables import MOST_PAIRS, counts_otherwise
from proband.inference.estimates.evaluation import probes_called
from proband.inference.galleries.feret_results import FeretStudy
from proband.inference.galleries.variation import NO_TEST
from proband.measures.verification import SUPPORTED
from proband.report.kinds.evaluation import metrics_of, statements
from proband.report.kinds.searches import search_statements
from proband.report.notes import answered, is_caution
from proband.words import Note, Sentence

_APT = Sentence(
    "feret.apt-probes",
    "note",
    "Suitable, too easy or too hard refers to the two leading algorithms only. Too easy: the best algorithm's miss "
    "rate is below the smallest difference detectable between two such algorithms (power {power:power}, two-sided at "
    "{significance:given}). Too hard: its rate exceeds chance by less than that difference. Too few people: both. The "
    "leaders were selected on these probes, which biases their lead upwards",
)
_COST = Sentence(
    "feret.what-cost-is",
    "note",
    "Cost of locating the face: the rate of the partially automatic version minus that of the fully automatic one on the "
    "same probes, counting undetected faces as misses",
)
_GAIN = Sentence(
    "feret.what-gain-is",
    "note",
    "Gain: the rate of the later algorithm minus that of the earlier one on the same probes",
)
_DIFFERENCES = Sentence(
    "feret.differences",
    "note",
    "Differences: {level:level} intervals for new people ({method}); intervals and p-values are adjusted for all rows of a "
    "kind (single-step)",
)
_AVERAGE = Sentence(
    "feret.average",
    "note",
    "Average: the {of}. {level:level} intervals. What varies: {varying}. Held fixed: {fixed}. Assumed: "
    "{assuming}",
)
_UPPER_BOUND = Sentence(
    "feret.upper-bound",
    "caution",
    "Current upper bound: the whole curve of the algorithm that is best at rank 1, not the best at each rank; it was "
    "selected on these probes, which biases it upwards",
)
_AUTOMATIC = Sentence(
    "feret.fully-automatic-left-out",
    "note",
    "Averages, places and galleries leave out fully automatic versions: {names:names}",
)
_GALLERIES = Sentence(
    "feret.galleries",
    "note",
    "Galleries: the interval in a cell is for new people searched in that gallery; the interval of the mean is over "
    "galleries ({level:level}). What varies: {varying}. Assumed: {assuming}. p: test for differences "
    "between galleries",
)
_MEAN_AGE = Sentence(
    "feret.mean-age",
    "note",
    "Mean age: time between probe and mate, in days for dates, otherwise in the units of the column",
)
_NO_P = Sentence("feret.no-p-value", "note", "No p where {reasons:reasons}")
_EVERYWHERE = Sentence("feret.note-on-galleries", "note", "Galleries: {note}")
_SOMEWHERE = Sentence("feret.note-on-some-galleries", "note", "Galleries, {categories:names}: {note}")
_SIZES = Sentence(
    "feret.gallery-sizes",
    "note",
    "Gallery sizes: the {of}. {level:level} intervals. Varying: {varying}. Fixed: {fixed}. Ranks count people, each by the closest "
    "image, with ties as in the other tables",
)
_COUNTED_OTHERWISE = Sentence(
    "feret.gallery-sizes-count-people",
    "note",
    "Gallery sizes: here ranks count people; the other tables count images, of which people have several, so their "
    "rate for the whole gallery differs. With --count subjects they agree",
)
_ENROLLED_ALIKE = Sentence(
    "feret.not-enrolled-alike",
    "note",
    "{what}: of {people:count person/people} in the gallery, {enrolled:count} {enrolled:word is/are} enrolled; all images of the others "
    "failed",
)
_ENROLLED = Sentence(
    "feret.not-enrolled",
    "note",
    "{what}: of {people:count person/people} in the gallery, {enrolled:counts} are enrolled; all images of the others "
    "failed",
)
_REJECTION = Sentence(
    "feret.rejection",
    "note",
    "Rejection: people removed from the gallery at random: {n:count} (seed {seed}). DIR, 1 − FNIR, is the share of searches for "
    "enrolled people that return them at the threshold at which searches for people not enrolled return any candidate "
    "at the FPIR; a non-mate with the same score ranks before the mate, whatever the other tables do with ties",
)
_OF_REJECTION = Sentence("feret.note-on-rejection", "note", "Rejection: {note}")
_CAUTION_OF_REJECTION = Sentence(
    "feret.caution-on-rejection", "caution", "Rejection (DIR is 1 − FNIR): {note}"
)
_FEW_POSITIVES = Sentence(
    "feret.few-false-positives",
    "mark",
    "* DIR at a threshold set by fewer than {least} false positives (rule of {least})",
)
_COUNTS = Sentence(
    "feret.what-counts-are",
    "note",
    "Ahead, equal, behind: the number in which the first's rate is higher, the same or lower (descriptive). Truly "
    "ahead: simultaneous bounds at {level:level}, over all pairs, for the number in which the first would be ahead for "
    "new people; each person's sign is flipped everywhere together ({people:count person/people}). p: for the mean "
    "difference, adjusted for all pairs",
)
_LEFT_OUT = Sentence(
    "feret.pairs-left-out",
    "note",
    "The first {shown:count} of {pairs:count pair} of algorithms; the results contain all of them (--json, --out)",
)
_EMPTY_PANEL = Sentence(
    "feret.no-date",
    "note",
    "No test date is known for {names:names}",
)


def study_statements(study: FeretStudy) -> list[Note]:
    """State the results and their meaning, one note each."""
    return [
        *difficulty_statements(study),
        *_about_pairs(study),
        *about_field(study),
        *about_variation(study),
        *field_statements(study),
        *about_sizes(study),
        *about_rejection(study),
        *statements(study.evaluation),
        *study.notes,
    ]


def difficulty_statements(study: FeretStudy) -> list[Note]:
    """State whether each set of probes is too easy or too hard, and the rule."""
    said: list[Note] = [one.difficulty.sentence() for one in study.results]
    if len(study.field) > 1:
        significance = 1 - study.evaluation.confidence_level
        said.append(_APT(power=study.results[0].difficulty.power, significance=significance))
    return said


def _about_pairs(study: FeretStudy) -> list[Note]:
    said = [*([_COST()] if study.versions else []), *([_GAIN()] if study.improvements else [])]
    if said:
        method = (*study.versions, *study.improvements)[0].rows[0].pair.method
        said.append(_DIFFERENCES(level=study.evaluation.confidence_level, method=method))
    return said


def about_field(study: FeretStudy) -> list[Note]:
    """Explain averages and upper bounds."""
    answers = study.results[0].average.answers
    said = [
        answered(answers, _AVERAGE, of=answers.of, level=study.evaluation.confidence_level),
        _UPPER_BOUND(),
    ]
    apart = tuple(name for name in study.evaluation.algorithms if name not in study.field)
    return [*said, _AUTOMATIC(names=apart)] if apart else said


def about_variation(study: FeretStudy) -> list[Note]:
    """Explain tables of variation, if there are any."""
    if not study.variation:
        return []
    answers = study.variation[0].answers
    said = [
        _GALLERIES(
            level=study.evaluation.confidence_level, varying=answers.varying, assuming=answers.assuming
        )
    ]
    if any(fact.mean_age is not None for one in study.variation for fact in one.galleries):
        said.append(_MEAN_AGE())
    reasons = dict.fromkeys(
        why
        for variation in study.variation
        for row in variation.rows
        if row.test is not None
        for why in row.test.notes
    )
    if reasons:
        said.append(_NO_P(reasons=tuple(map(str, reasons))))
    return said + _gathered_notes(study)


def _gathered_notes(study: FeretStudy) -> list[Note]:
    """Notes of all tables of variation, each once with its scope, except notes shown elsewhere."""
    where: dict[Note, list[str]] = {}
    for one in study.variation:
        for note in one.notes:
            no_test = note.code == NO_TEST.code
            if note not in study.evaluation.notes and not no_test:
                where.setdefault(note, []).append(probes_called(one.category))
    return [
        _EVERYWHERE(note=note)
        if len(places) == len(study.variation)
        else _SOMEWHERE(note=note, categories=tuple(dict.fromkeys(places)))
        for note, places in where.items()
    ]


def about_sizes(study: FeretStudy) -> list[Note]:
    """Explain rates by gallery size, and where they differ from other rates."""
    if not study.sizes:
        return []
    answers = study.sizes[0].answers
    enrolled: dict[int, dict[str, int]] = {}
    for result in study.results:  # a category may have a gallery of its own
        own = {one.algorithm: one.n_enrolled for one in study.sizes if one.category == result.category}
        enrolled.setdefault(result.average.facts.n_gallery_subjects, own)
    return [
        _SIZES(
            of=answers.of,
            level=study.evaluation.confidence_level,
            varying=answers.varying,
            fixed=answers.fixed,
        ),
        *(
            note
            for people, own in enrolled.items()
            for note in _about_enrolment("Gallery sizes", people, own)
        ),
        *([_COUNTED_OTHERWISE()] if counts_otherwise(study) else []),
    ]


def _about_enrolment(what: str, people: int, enrolled: dict[str, int]) -> list[Note]:
    """Explain why fewer people are enrolled than the gallery contains, if so."""
    fewest = min(enrolled.values(), default=people)
    if fewest == people:
        return []
    if len(set(enrolled.values())) == 1:
        return [_ENROLLED_ALIKE(what=what, people=people, enrolled=fewest)]
    return [_ENROLLED(what=what, people=people, enrolled=tuple(enrolled.items()))]


def about_rejection(study: FeretStudy) -> list[Note]:
    """Describe the rejection test."""
    test = study.rejection
    if test is None:
        return []
    enrolled = {one.algorithm: one.searches.n_enrolled for one in test.results}
    told = (*study.evaluation.notes, metrics_of(study.evaluation))
    return [
        _REJECTION(n=test.n_held_out, seed=test.seed),
        *_about_enrolment("Rejection", test.n_gallery_subjects, enrolled),
        *map(_of_rejection, (one for one in search_statements(test.results, told) if one.level != "mark")),
        *(
            []
            if all(at.fpir.supported for one in test.results for at in one.points)
            else [_FEW_POSITIVES(least=SUPPORTED)]
        ),
    ]


def _of_rejection(note: Note) -> Note:
    return (_CAUTION_OF_REJECTION if is_caution(note) else _OF_REJECTION)(note=note)


def field_statements(study: FeretStudy) -> list[Note]:
    """Explain the counts, list panels without a date, and state how the orderings agree."""
    said: list[Note] = []
    for found in study.consistency:
        said += [] if len(found.pairs) > MOST_PAIRS else found.sentences()
        if len(found.pairs) > MOST_PAIRS:
            said.append(_LEFT_OUT(shown=MOST_PAIRS, pairs=len(found.pairs)))
    if study.consistency:
        people = max(one.n_people for one in study.consistency)
        said.append(_COUNTS(level=study.evaluation.confidence_level, people=people))
    for one in study.orders:
        said += one.sentences()
    undated = [panel for panel in study.panels if panel.date is None]
    if undated and len(study.panels) > 1:
        said.append(_EMPTY_PANEL(names=undated[0].algorithms))
    return list(dict.fromkeys(said))
