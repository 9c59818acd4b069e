"""Every public interval and test has a study, every study its rows in docs/coverage.json, and every row passes its bars or says why not."""

from __future__ import annotations

import inspect
import pkgutil
from collections import Counter
from dataclasses import fields, is_dataclass, replace
from importlib import import_module

import pytest
from tests.examples import some
from tests.statistical.coverage_page import FAMILIES, SHOWN, picture, shown
from tests.statistical.coverage_table import TRIALS, Work, alike, begun, gone_on, name_of, rows

import proband as pb
from proband.inference.procedures import PROCEDURES
from proband.inference.simulation.covered import SimulationTally
from proband.inference.simulation.studies import STUDIES, UNTRIED, Bars, run_trial

ENDS = {"low", "high", "p_value", "p_adjusted", "interval", "goats_p", "lambs_p", "gain_low"}
ELSEWHERE = (
    "proband.report",
    "proband.cli",
    "proband.designs",
    "proband.inference.simulation",
    "proband.study",
)
SPOKEN_FOR = {name for study in STUDIES.values() for name in study.speaks_for}


def public_functions() -> set[str]:
    """Every function that a user can call by name, with those of `Survey` and of protocols."""

    def of(home: object, before: str = "") -> set[str]:
        named = (name for name, _ in inspect.getmembers(home, inspect.isfunction))
        return {f"{before}{name}" for name in named if name[0] != "_"}

    rooms = (pb.choices, pb.data, pb.feret, pb.planning, pb.stats, pb.strat, pb.survey)
    listed = set().union(*map(of, rooms))
    return listed | of(pb) | of(pb.protocols, "protocols.") | of(pb.survey.Survey, "Survey.")


def results_with_ends() -> set[str]:
    """Every type of result with an interval or a p-value among its fields."""
    found = set()
    for module in pkgutil.walk_packages(pb.__path__, "proband."):
        if module.name.endswith("__main__") or module.name.startswith(ELSEWHERE):
            continue
        for name, kind in vars(import_module(module.name)).items():
            own = inspect.isclass(kind) and kind.__module__ == module.name and not name.startswith("_")
            if own and is_dataclass(kind) and ENDS & {one.name for one in fields(kind)}:
                found.add(name)
    return found


def test_every_public_function_names_its_study_or_is_known_to_claim_nothing():
    assert public_functions() - SPOKEN_FOR - UNTRIED.keys() == set()


def test_every_result_with_an_interval_or_a_test_names_its_study():
    assert results_with_ends() - SPOKEN_FOR - UNTRIED.keys() == set()


def test_studies_speak_for_what_there_is():
    types = {name for module in pkgutil.walk_packages(pb.__path__, "proband.") if not module.name.endswith("__main__")
             for name, kind in vars(import_module(module.name)).items() if inspect.isclass(kind)}  # fmt: skip
    there = public_functions() | types
    assert SPOKEN_FOR - there == set()
    assert UNTRIED.keys() - there == set()
    assert SPOKEN_FOR & UNTRIED.keys() == set()


@pytest.mark.parametrize("procedure", PROCEDURES, ids=lambda one: f"{one.key}-{one.view}")
def test_every_procedure_names_the_studies_that_try_it(procedure):
    for asked, key in ((procedure.estimates, procedure.study), (procedure.differences, procedure.compared)):
        assert (asked is None) == (key == ""), f"{procedure.key} names no study"
        if asked is not None:
            designs = [getattr(trial.ask, "design", None) for trial in STUDIES[key].trials]
            assert procedure.capability in {getattr(one, "capability", None) for one in designs}


def test_every_trial_has_a_name_of_its_own_and_a_row():
    names = [name_of(study, trial) for study in STUDIES.values() for trial in study.trials]
    assert [name for name, n in Counter(names).items() if n > 1] == []
    assert list(rows()) == names


def test_every_row_passes_its_bars_or_is_known_to_fall_short():
    """A row whose Monte Carlo interval lies wholly beyond a bar fails the build."""
    unknown = {name: row.broken for name, row in rows().items() if row.broken and row.trial.short is None}
    assert unknown == {}


def test_what_is_said_to_fall_short_does():
    """Where there are enough data sets to tell."""
    told = {name: row for name, row in rows().items() if row.trial.short is not None}
    assert [name for name, row in told.items() if row.tally.n >= 2_000 and not row.broken] == []


def test_truths_are_what_estimates_are_on_average():
    """But for small biases: what is to be held is found without any estimator, so a wrong one would stand far off."""
    far = {}
    for name, row in rows().items():
        tally = row.tally
        if tally.width and len(tally.squared) == 1:  # neither bounds nor curves
            n, bias = tally.answered, abs(tally.value - tally.truth) / tally.answered
            if bias > (tally.squared[0] / n) ** 0.5 * (5 / n**0.5 + 0.35):
                far[name] = bias
    assert far == {}


def test_the_page_shows_what_was_found():
    page = SHOWN.read_text(encoding="utf-8")
    assert shown(page, list(rows().values())) == page


def test_bars_are_broken_beyond_the_monte_carlo_error_alone():
    tally = SimulationTally(
        n=1000, bounded=1000, tested=1000, null=1000, covered=915, rejected=85, width=2e3, squared=(260.0,)
    )
    assert Bars().broken(tally) == ()
    assert Bars(coverage=0.95, level=0.05).broken(tally) == ("coverage", "level")
    assert Bars(width=0.8).broken(tally) == ("width",)
    assert Bars(cautioned=(0.9, 1.0)).broken(tally) == ("cautioned",)
    apart = SimulationTally(n=1000, tested=1000, rejected=400, truth=2800.0, squared=(1000.0,))
    assert Bars(power=0.75).broken(apart) == ("power",)
    assert Bars().broken(SimulationTally(n=3, refused=3)) == ("answered",)


def test_a_row_goes_on_where_it_stopped_and_is_begun_again_where_answers_changed():
    name = next(iter(TRIALS))
    row = gone_on(None, name, 25, checked=False)
    on = gone_on(row, name, 40, checked=False)
    whole = run_trial("rate-of-probes", 0, 40, 2026).tally
    assert (row.tally.n, on.tally.n) == (25, 40)
    assert alike(on.tally, whole)
    other = gone_on(type(row)(row.name, row.design, row.version, whole, row.tally), name, 12, checked=False)
    assert other.tally.n == 12


def test_the_trial_that_is_furthest_behind_comes_next():
    first, second, third = list(TRIALS)[:3]
    row = begun(first)
    done = replace(row, tally=SimulationTally(n=40))
    work = Work(
        {first: done, second: replace(row, name=second)}, {first: 40, second: 40, third: 20}, {first, second}
    )
    assert work.next() == third
    work.found[third] = replace(row, tally=SimulationTally(n=20))
    work.checked.add(third)
    assert work.next() == second
    work.found[second] = done
    assert work.next() is None


def test_the_picture_has_a_mark_for_every_population_whose_carriers_are_known():
    found = list(rows().values())
    left, right = picture(found).axes
    shown_there = [row for row in found if any(row.study.key in keys for keys in FAMILIES.values())]
    known = [row for row in shown_there if row.tally.carriers is not None and row.tally.bounded]
    marks = [line for line in left.lines if line.get_marker() != "None" and len(line.get_xdata())]
    assert len(marks) == len(known) > 40
    assert len(right.lines) > 40


@pytest.mark.parametrize("key", some(STUDIES, 3))
def test_the_first_trial_of_every_study_answers(key):
    found = run_trial(key, 0, 3)
    assert found.tally.answered > 0


@pytest.mark.long
@pytest.mark.parametrize("name", TRIALS)
def test_rows_are_of_the_procedures_that_are_there(name):
    """A procedure that was changed since needs ``make coverage``."""
    assert alike(rows()[name].first, begun(name).first)
