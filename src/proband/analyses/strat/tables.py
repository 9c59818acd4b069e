"""The stratified experiment as people read it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from proband.analyses.strat.figures import (
    algorithms_figure,
    gallery_effect_figure,
    standard_errors_figure,
    units_figure,
)
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
from proband.words import Note, Sentence, counted, part_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_ERROR = Sentence("strat.standard-error", "note", "{method} {error:rate} (varying {varying})")
_ERRORS = Sentence(
    "strat.standard-errors",
    "note",
    "Standard error of {algorithm} at rank {rank}, first mixed gallery: {errors:parts}",
)
_ERRORS_FIXED = Sentence(
    "strat.standard-errors-of-fixed-gallery",
    "note",
    "Standard error of {algorithm} at rank {rank}: {errors:parts}",
)
_WITH_FIRST_MIXED = Sentence("strat.with-first-mixed-gallery", "note", "With the first mixed gallery, {told}")
_PLUS_MINUS = Sentence("strat.plus-minus", "mark", "± is one standard error")
_TEST = Sentence(
    "strat.test-of-galleries",
    "note",
    "The test of galleries is over people (Hotelling's T² of their contrasts), so it is for new people",
)
_FAILED = Sentence(
    "strat.failures-to-acquire",
    "note",
    "Failures to acquire count as misses: with the first gallery {n:count} of {probes:count probe} have no rank, and "
    "{images:count gallery image is/gallery images are} not enrolled",
)
_PEOPLE = Sentence(
    "strat.people",
    "note",
    "{people:count} of {of:count} people take part, with {images} images each; {left_out:count person has/people have} fewer that were "
    "scored both as queries and as targets, {unused:count image is/images are} not used",
)
_FEW_PEOPLE = Sentence(
    "strat.few-people",
    "caution",
    "Only {people:count} of {of:count} people take part, those with {images} images; {left_out:count person has/people have} fewer "
    "that were scored both as queries and as targets, {unused:count image is/images are} not used",
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
    "{people:count} of {of:count} people with probes take part; {left_out:count is/are} in strata of one unit, which show no variance, "
    "and {left_out:word is/are} left out with {unused:count probe}",
)
_MOST_PEOPLE = Sentence(
    "strat.most-people", "note", "With {images} images each, {people:count person/people} could take part"
)
_KISH = Sentence(
    "strat.miss-rate",
    "note",
    "{algorithm}: probes of one person are alike (intraclass correlation {icc:two}, {probes:two} probes each, ρ(n̄ − 1) = {product:two}), "
    "so for new people an interval that takes them for independent would miss in {miss:tenth} of cases instead of {nominal:tenth} "
    "(Kish 1957)",
)
_KISH_SAME = Sentence(
    "strat.miss-rate-as-stated",
    "note",
    "{algorithm}: probes of one person are hardly more alike than those of different people (intraclass correlation {icc:two}, "
    "{probes:two} probes each), so for new people an interval that takes them for independent misses about as often as it should, in "
    "{nominal:tenth} of cases (Kish 1957)",
)
_KISH_NONE = Sentence(
    "strat.miss-rate-not-raised",
    "note",
    "{algorithm}: probes of one person are no more alike than those of different people (intraclass correlation {icc:two}, "
    "{probes:two} probes each), so for new people an interval that takes them for independent is not too narrow (Kish 1957)",
)
_SENSOR = Sentence("strat.sensor", "note", "{algorithm}, {varying}: {told}")
_NO_IMAGES = Sentence(
    "strat.sensors-without-images",
    "note",
    "{algorithm}: somebody has one probe of a {column}, so nothing is said of other images of these people",
)
_CURVES_APART = 3  # choices of units that have a curve each
_HALF = 0.5  # of all people; fewer are a caution


def galleries_table(effects: Sequence[GalleryEffect]) -> Table:
    """Make a table of rates by gallery, a row for each algorithm."""
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
    """The galleries as they are, and mixed; or the rates with a fixed gallery, and the sensors compared."""
    if study.effects:
        return [galleries_table(study.effects), galleries_table(study.mixed)]
    return [rates_table(study), *([sensors_table(study)] if study.sensors else [])]


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
    """Make a table of sensors, a row for every two of each algorithm and for what varies."""
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
    """Say who takes part, and who does not; a caution where fewer than half of all people do."""
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
    """Say of every algorithm which sensor is better, for new people and for new images of these people."""
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
    """What is said of algorithms, with the gallery that it is of; a fixed gallery is the only one."""
    return [_WITH_FIRST_MIXED(told=note) for note in told] if study.effects else [*told]


def study_statements(study: StratStudy) -> list[Note]:
    """Say what was found and what it means, a note each."""
    rank, first = study.rank, study.cases[0]
    answers, (facts, *_) = first.answers, facts_of(study.cases)
    errors = tuple(
        _ERROR(method=one.method, error=float(one.by_rank[rank - 1]), varying=one.varying)
        for one in study.errors.values()
    )
    where = _ERRORS if study.effects else _ERRORS_FIXED
    said: list[Note] = [
        *(one.sentence() for one in (*study.effects, *study.mixed)),
        *sensor_statements(study),
        where(algorithm=facts.algorithm, rank=rank, errors=errors),
        metrics_statement((one.algorithm, one.metric) for one in facts_of(study.cases)),
        _PLUS_MINUS(),
        answered(answers),
        *([_TEST()] if study.effects else ()),
    ]
    said += dict.fromkeys(
        note for one in study.sensors for found in (one.people, one.images) if found for note in found.notes
    )
    said += dict.fromkeys(note for one in study.cases for note in one.notes if note.level == "caution")
    if study.miss_rate is not None:
        said.append(_about_miss_rate(facts.algorithm, study.miss_rate))
    if facts.n_failed or facts.n_gallery_failed:
        said.append(_FAILED(n=facts.n_failed, probes=facts.n_probes, images=facts.n_gallery_failed))
    said += [people_statement(study), *study.notes]
    if study.most_people is not None:
        images, people = study.most_people
        said.append(_MOST_PEOPLE(images=images, people=people))
    return said


def _about_miss_rate(algorithm: str, miss: MissRate) -> Note:
    """Whether it matters that people have several probes."""
    shown = {"algorithm": algorithm, "icc": miss.intraclass_correlation, "probes": miss.mean_probes}
    if miss.product <= 0:
        return _KISH_NONE(**shown)
    if round(miss.value, 3) == round(miss.nominal, 3):
        return _KISH_SAME(**shown, nominal=miss.nominal)
    return _KISH(**shown, product=miss.product, miss=miss.value, nominal=miss.nominal)


def study_figures(study: StratStudy, n_algorithms: int = 1) -> dict[str, Callable[[], Figure]]:
    """What draws the paper's figures: galleries and mixed galleries, errors by method, units, algorithms."""
    first = study.cases[0]
    only = part_of(n_algorithms, len(study.cases), "algorithms", "the first")
    alone = part_of(1, len(study.cases), "algorithms", "the first")
    each = (
        f"{counted(study.n_images - 1, 'probe')} each"
        if study.effects
        else counted(first.rests_on.n, "probe")
    )
    people = counted(study.n_subjects, "person", "people")
    note = "; ".join(filter(None, (f"{first.algorithm}, {people}, {each}", alone)))
    made: dict[str, Callable[[], Figure]] = {}
    if study.effects:
        shown = [effect for pair in zip(study.effects, study.mixed, strict=True) for effect in pair]
        made["galleries"] = lambda: gallery_effect_figure(shown[: 2 * n_algorithms], note=only)
    made["errors"] = lambda: standard_errors_figure(
        {f"{one.method}: {one.varying}": one.by_rank for one in study.errors.values()}, note
    )
    gallery = "first mixed gallery" if study.effects else "fixed gallery"
    made["algorithms"] = lambda: algorithms_figure(
        {gallery: list(study.bands)}, relative=study.relative_ranks
    )
    if len(study.variances) > 1:
        made["units"] = lambda: units_figure(_by_units(study.variances), note)
    return made


def _by_units(variances: Mapping[int, Sequence[npt.NDArray[np.float64]]]) -> dict[str, npt.ArrayLike]:
    """Curves of the variance by their names: as in the paper's figure 5 every choice of two of three units is one of its own."""
    most = max(variances)
    drawn: dict[str, npt.ArrayLike] = {}
    for units, values in variances.items():
        if units == most - 1 and len(values) <= _CURVES_APART:
            names = (f"{units} units, without column {most + 1 - place}" for place in range(most))
            drawn |= dict(zip(names, values, strict=True))
        else:
            drawn[f"{units} units"] = np.array(values)
    return drawn
