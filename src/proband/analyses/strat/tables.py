"""Tables and notes of stratified evaluations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from proband.analyses.strat.figures import first_to_vary, gallery_of, units_name
from proband.inference import Comparison, Estimate
from proband.inference.galleries.effect import GalleryEffect
from proband.inference.strata.kish import MissRate
from proband.inference.strata.study import StratStudy
from proband.report import columns as col
from proband.report.notes import answered
from proband.report.tables.cells import error_cell, over, range_cell, rate_cell
from proband.report.tables.table import Cell, Table
from proband.results.compared import metrics_statement
from proband.results.difference import Difference
from proband.results.estimate import facts_of
from proband.results.targets import OTHER_PEOPLE, OTHER_PROBES
from proband.words import Note, Sentence

_FIRST_TO_VARY = Sentence(
    "strat.first-to-vary",
    "note",
    "Curves by gallery and standard errors by method are shown for {algorithm}, the first of {n:count algorithm} whose "
    "rates vary. The page folds the others; strat_curves.csv, strat_errors.csv, strat_units.csv and the JSON file "
    "contain all algorithms",
)
_FIRST_OF_FIXED = Sentence(
    "strat.first-to-vary-with-fixed-gallery",
    "note",
    "Standard errors by method are shown for {algorithm}, the first of {n:count algorithm} whose rates vary. The page "
    "folds the others; strat_errors.csv and the JSON file contain all algorithms",
)
_NOTHING_VARIES = Sentence(
    "strat.nothing-varies",
    "note",
    "With the {gallery} the rates of {algorithms:names} do not vary at any rank, so their errors by method are not plotted",
)
_CLOSED_FORMS = Sentence(
    "strat.closed-forms",
    "note",
    "The number of replicates is that of each method; for a rate, BRR, JKn and the delete-one jackknife have closed forms and need no replicates",
)
_GAIN = Sentence(
    "strat.gain-of-units",
    "note",
    "With k of {n:count} units the mean variance over all choices is {n:count}/k times that with all, for any data",
)
_WITH_FIRST_MIXED = Sentence("strat.with-first-mixed-gallery", "note", "With the first mixed gallery, {told}")
_PLUS_MINUS = Sentence("strat.plus-minus", "mark", "± is one standard error")
_TEST = Sentence(
    "strat.test-of-galleries",
    "note",
    "The test of galleries is over people (Hotelling's T² of their contrasts), so it generalises to new people",
)
_FAILED = Sentence(
    "strat.failures-to-acquire",
    "note",
    "Failures to acquire count as misses: with the first gallery {n:count} of {probes:count probe} {n:word has/have} no rank, and "
    "{images:count gallery image is/gallery images are} not enrolled",
)
_PEOPLE = Sentence(
    "strat.people",
    "note",
    "{people:count} of {of:count} people take part, with {images} images each; {left_out:count person has/people have} "
    "fewer images scored both as queries and as targets; {unused:count image is/images are} not used",
)
_FEW_PEOPLE = Sentence(
    "strat.few-people",
    "caution",
    "Only {people:count} of {of:count} people take part, those with {images} images; "
    "{left_out:count person has/people have} fewer images scored both as queries and as targets; "
    "{unused:count image is/images are} not used",
)
_EVERYBODY = Sentence(
    "strat.everybody",
    "note",
    "All {people:count person/people} take part, with {images} images each; {unused:count image is/images are} not used",
)
_ALL_PROBES = Sentence("strat.all-probes", "note", "All {people:count person/people} with probes take part")
_FIXED_PEOPLE = Sentence(
    "strat.people-of-fixed-gallery",
    "caution",
    "{people:count} of {of:count} people with probes take part; {left_out:count is/are} in strata with a single unit, "
    "whose variance cannot be estimated, and {left_out:word is/are} left out with {unused:count probe}",
)
_MOST_PEOPLE = Sentence(
    "strat.most-people", "note", "With {images} images each, {people:count person/people} could take part"
)
_KISH = Sentence(
    "strat.miss-rate",
    "note",
    "{algorithm}: probes of one person are alike (intraclass correlation {icc:two}, {probes:two} probes each, ρ(n̄ − "
    "1) = {product:two}), so for new people an interval that assumes independence would miss the true rate in "
    "{miss:tenth} of cases instead of {nominal:tenth} (Kish 1957)",
)
_KISH_SAME = Sentence(
    "strat.miss-rate-as-stated",
    "note",
    "{algorithm}: probes of one person are hardly more alike than those of different people (intraclass correlation "
    "{icc:two}, {probes:two} probes each), so for new people an interval that assumes independence misses the true "
    "rate about as often as it should, in {nominal:tenth} of cases (Kish 1957)",
)
_KISH_NONE = Sentence(
    "strat.miss-rate-not-raised",
    "note",
    "{algorithm}: probes of one person are no more alike than those of different people (intraclass correlation {icc:two}, "
    "{probes:two} probes each), so for new people an interval that assumes independence is not too narrow (Kish 1957)",
)
_SENSOR = Sentence("strat.sensor", "note", "{algorithm}, {varying}: {told}")
_NO_IMAGES = Sentence(
    "strat.sensors-without-images",
    "note",
    "{algorithm}: at least one person has only one probe for a {column}, so variation over other images of these people cannot be estimated",
)
_SHORT = {
    "probe-images-of-these-people": "images",
    OTHER_PROBES.key: "probes",
    OTHER_PEOPLE.key: "people",
}
_HALF = 0.5  # of all people; fewer are a caution


def galleries_table(effects: Sequence[GalleryEffect]) -> Table:
    """Make a table of rates by gallery, one row per algorithm."""
    return col.table_of(
        "",
        effects,
        col.name("mixed galleries" if effects[0].mixed else "galleries", lambda effect: effect.algorithm),
        *col.each(
            range(len(effects[0].estimates)),
            lambda place: col.cell(str(place + 1), lambda effect: _with_error(effect.estimates[place])),
        ),
        col.cell("range", lambda effect: range_cell(effect.range)),
        col.p("p", lambda effect: effect.test.p_value),
    )


def _with_error(one: Estimate) -> Cell:
    return over(rate_cell(one.value), error_cell(one.standard_error))


def study_tables(study: StratStudy) -> list[Table]:
    """Original and mixed galleries, or rates with a fixed gallery and compared sensors, and errors by method."""
    errors = errors_table(study, first_to_vary(study))
    if study.effects:
        return [galleries_table(study.effects), galleries_table(study.mixed), errors]
    return [rates_table(study), *([sensors_table(study)] if study.sensors else []), errors]


def all_tables(study: StratStudy) -> list[Table]:
    """The same, with the gain from additional units."""
    return [*study_tables(study), *([units_table(study, first_to_vary(study))] if study.n_images > 3 else [])]


def rates_table(study: StratStudy) -> Table:
    """Make a table of the rates of algorithms with a fixed gallery."""
    return col.table_of(
        "",
        study.estimates,
        col.name("fixed gallery", lambda one: one.algorithm),
        col.cell(f"rank {study.rank}", _with_error),
        col.interval(
            col.at_level(study.estimates[0].confidence_level), answers=lambda one: one.answers, kind="number"
        ),
        col.count("probes", lambda one: one.rests_on.n),
        col.count("people", lambda one: one.rests_on.n_units),
        id="strat-rates",
        on_page="Rates with the fixed gallery",
    )


def errors_table(study: StratStudy, algorithm: str, *, id: str = "strat-errors") -> Table:
    """Make a table of the standard errors of an algorithm by method, with what each varies and the replicates it takes."""
    errors = study.errors[algorithm]
    passed = algorithm != study.cases[0].algorithm and algorithm == first_to_vary(study)
    whose = f"{algorithm} (the first whose rates vary)" if passed else algorithm
    return col.table_of(
        f"Standard error by method, {whose}, {gallery_of(study)}",
        errors.values(),
        col.name("method", lambda one: str(one.method)),
        col.name("varying", lambda one: _SHORT[one.varying.key]),
        col.count("replicates", lambda one: one.n_replicates),
        col.rate(f"at rank {study.rank}", lambda one: float(one.by_rank[study.rank - 1])),
        col.rate(
            "variance ratio",
            lambda one: one.variance_ratio,
            explained="Variance divided by that of the bootstrap over probes, averaged over relative ranks up to 0.1.",
        ),
        id=id,
    )


def units_table(study: StratStudy, algorithm: str, *, id: str = "strat-units") -> Table:
    """Make a table of the variance of an algorithm's rate by number of units per person."""
    variances = study.variances[algorithm]
    at = study.rank - 1
    most = float(variances[0].by_rank[at])
    return col.table_of(
        f"Variance at rank {study.rank} by units per person, {algorithm}, {gallery_of(study)}",
        variances,
        col.name("units", units_name),
        col.digits("variance", lambda one: float(one.by_rank[at])),
        col.digits("lowest", lambda one: None if one.lowest is None else float(one.lowest[at])),
        col.digits("highest", lambda one: None if one.highest is None else float(one.highest[at])),
        col.rate(
            f"over {units_name(variances[0])}",
            lambda one: float(one.by_rank[at]) / most if most > 0 else None,
        ),
        id=id,
    )


class _Pair(NamedTuple):
    """Two sensors compared for one algorithm, under what varies."""

    algorithm: str
    varying: str
    compared: Comparison
    pair: Difference

    def rate(self, sensor: str) -> float:
        """The rate with one of them."""
        return next(one.value for one in self.compared.estimates if one.algorithm == sensor)


def sensors_table(study: StratStudy) -> Table:
    """Make a table of sensors: one row per pair of sensors, algorithm and source of variation."""
    first = study.sensors[0]
    return col.table_of(
        "",
        [
            _Pair(one.algorithm, kind, compared, pair)
            for one in study.sensors
            for kind, compared in (("people", one.people), ("images", one.images))
            if compared is not None
            for pair in compared.pairs
        ],
        col.name("algorithm", lambda row: row.algorithm),
        col.name(first.column, lambda row: f"{row.pair.first} − {row.pair.second}"),
        col.name("varying", lambda row: row.varying),
        col.rate("first", lambda row: row.rate(row.pair.first)),
        col.rate("second", lambda row: row.rate(row.pair.second)),
        col.effect("difference", lambda row: row.pair.value),
        col.effect_interval(
            col.at_level(first.people.confidence_level),
            lambda row: (row.pair.low, row.pair.high),
            answers=lambda row: row.compared.answers,
            kind="number",
        ),
        col.p("p", lambda row: row.pair.p_with_floor),
        col.text("verdict", lambda row: row.pair.verdict, kind="number"),
        id="strat-sensors",
        on_page="Sensors on the same people",
    )


def people_statement(study: StratStudy) -> Note:
    """State how many people take part, with a caution if fewer than half do."""
    everybody = study.n_subjects + study.n_left_out
    of = {"people": study.n_subjects, "unused": study.n_unused}
    if study.estimates:
        if not study.n_left_out:
            return _ALL_PROBES(people=study.n_subjects)
        return _FIXED_PEOPLE(**of, of=everybody, left_out=study.n_left_out)
    if not study.n_left_out:
        return _EVERYBODY(**of, images=study.n_images)
    said = _PEOPLE if study.n_subjects >= _HALF * everybody else _FEW_PEOPLE
    return said(**of, of=everybody, images=study.n_images, left_out=study.n_left_out)


def sensor_statements(study: StratStudy) -> list[Note]:
    """State for every algorithm which sensor is better, for new people and for new images of these people."""
    made: list[Note] = []
    for one in study.sensors:
        for compared in (one.people, one.images):
            if compared is None:
                made.append(_NO_IMAGES(algorithm=one.algorithm, column=one.column))
                continue
            made += [
                _SENSOR(algorithm=one.algorithm, varying=compared.answers.varying, told=note)
                for note in compared.sentences()
            ]
    return made


def of_gallery(study: StratStudy, told: Sequence[Note]) -> list[Note]:
    """Statements on algorithms with their gallery; a fixed gallery needs no name."""
    return [_WITH_FIRST_MIXED(told=note) for note in told] if study.effects else [*told]


def study_statements(study: StratStudy) -> list[Note]:
    """State the results and their meaning, one note each."""
    facts, *_ = facts_of(study.cases)
    said: list[Note] = [
        *(effect.sentence() for effect in (*study.effects, *study.mixed)),
        *sensor_statements(study),
        *method_statements(study),
        metrics_statement((one.algorithm, one.metric) for one in facts_of(study.cases)),
        _PLUS_MINUS(),
        answered(study.answers),
        *([_TEST()] if study.effects else ()),
    ]
    said += dict.fromkeys(
        note for one in study.sensors for found in (one.people, one.images) if found for note in found.notes
    )
    noted = [case.notes for case in study.cases] + [facts.notes for facts in facts_of(study.cases)]
    said += dict.fromkeys(note for notes in noted for note in notes if note.level == "caution")
    if study.miss_rate is not None:
        said.append(_about_miss_rate(facts.algorithm, study.miss_rate))
    if facts.n_failed or facts.n_gallery_failed:
        said.append(_FAILED(n=facts.n_failed, probes=facts.n_probes, images=facts.n_gallery_failed))
    said += [people_statement(study), *study.notes]
    if study.most_people is not None:
        images, people = study.most_people
        said.append(_MOST_PEOPLE(images=images, people=people))
    return said


def whose_errors(study: StratStudy) -> list[Note]:
    """State which algorithm's errors by method are shown first, and which have none."""
    names = [one.algorithm for one in study.cases]
    still = tuple(name for name in names if name not in study.varying_algorithms)
    shown = _FIRST_TO_VARY if study.effects else _FIRST_OF_FIXED
    return [
        *([shown(algorithm=first_to_vary(study), n=len(names))] if len(names) > 1 else []),
        *([_NOTHING_VARIES(gallery=gallery_of(study), algorithms=still)] if still else []),
    ]


def method_statements(study: StratStudy) -> list[Note]:
    """Explain the number of replicates, the gain from additional units, and the algorithm shown."""
    gain = [_GAIN(n=study.n_images - 1)] if study.n_images > 3 else []
    return [_CLOSED_FORMS(), *gain, *whose_errors(study)]


def _about_miss_rate(algorithm: str, miss: MissRate) -> Note:
    """Whether it matters that people have several probes."""
    shown = {"algorithm": algorithm, "icc": miss.intraclass_correlation, "probes": miss.mean_probes}
    if miss.product <= 0:
        return _KISH_NONE(**shown)
    if round(miss.value, 3) == round(miss.nominal, 3):
        return _KISH_SAME(**shown, nominal=miss.nominal)
    return _KISH(**shown, product=miss.product, miss=miss.value, nominal=miss.nominal)
