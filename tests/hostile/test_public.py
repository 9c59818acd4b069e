"""Every public callable is given what nobody should give it, and either works or says what is wrong with it.

The names are found by looking (`tests.hostile.public`), so that a new one is tried as well. By default every type of every argument meets
every value, and some whole calls are made; the long run makes all of them.
"""

from __future__ import annotations

import contextlib
import inspect
import pickle
import random
import resource
import signal
import subprocess
import sys
import warnings
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.hostile.public import (
    EVIL,
    Call,
    World,
    arguments,
    calls,
    calls_of_results,
    methods_of,
    published,
)

import proband as pb
from proband.engine.arguments import gate_of
from proband.engine.kinds import MISFIT, taken
from proband.engine.limits import beyond
from proband.errors import GateError, ProbandError

MEMORY = 6 * 2**30
SECONDS = 20
CONVENTION = {"data.Ids.__getitem__": (IndexError, TypeError)}  # as any sequence has it
SLOW = ("papers.",)
"""What takes minutes if it is taken: it may go on until the time is over."""
ALONE = {"results.Result", "algorithms.DlibDetector"}  # a base; what needs another package


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return World(tmp_path_factory.mktemp("public"))


@pytest.fixture(scope="module")
def every(world: World) -> list[Call]:
    return list(calls(world))


class Over(BaseException):
    """Time is over."""


def failure(call: Call, parameter: str, evil: str) -> str | None:
    """What is wrong with a call, if anything but its arguments is."""
    args, named = arguments(call, **{parameter: EVIL[evil]()})
    signal.setitimer(signal.ITIMER_REAL, 1 if call.name.startswith(SLOW) else SECONDS)
    try:
        found = call.function(*args, **named)
        if isinstance(found, Iterator):
            list(islice(found, 100))
    except (ProbandError, GateError) as error:
        return None if str(error) else "it says nothing"
    except CONVENTION.get(call.name, ()):
        return None
    except Over:
        return None if call.name.startswith(SLOW) else f"it takes more than {SECONDS} seconds"
    except BaseException as error:
        return f"{type(error).__name__}: {error}"[:200]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return None


@pytest.fixture
def bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What is written goes elsewhere, and neither time nor memory is without end."""

    def stop(*_: Any) -> None:
        raise Over

    monkeypatch.chdir(tmp_path)
    before, limits = signal.signal(signal.SIGALRM, stop), resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, limits[1]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
    resource.setrlimit(resource.RLIMIT_AS, limits)
    signal.signal(signal.SIGALRM, before)


def functions() -> Iterator[tuple[str, Any]]:
    """Every function, what makes every class, and every public method, by name."""
    for name, thing in published().items():
        if not isinstance(thing, type):
            yield name, thing
            continue
        if thing is pb.Request:  # checked by its own schema
            continue
        for method, found in methods_of(thing).items():
            if not getattr(found, "__isabstractmethod__", False):
                yield f"{name}.{method}", getattr(found, "__func__", found)
        maker = inspect.getattr_static(thing, "__new__" if issubclass(thing, tuple) else "__init__")
        if getattr(maker, "__module__", "").startswith("proband."):
            yield name, getattr(maker, "__func__", maker)


def test_every_public_callable_goes_through_the_gate() -> None:
    assert [name for name, function in functions() if gate_of(function) is None] == []


def test_every_public_callable_has_a_good_call(world: World, every: list[Call]) -> None:
    unknown = [one.name for one in every if one.good is None]
    assert not unknown, f"add arguments for them to tests.hostile.public: {', '.join(unknown)}"
    without = [
        name
        for name, thing in published().items()
        if isinstance(thing, type) and not inspect.isabstract(thing) and thing not in world.instances
    ]
    assert set(without) <= ALONE, f"add an instance of each to tests.hostile.public: {', '.join(without)}"


def test_every_type_meets_every_value() -> None:
    """The gate itself looks at anything, and says in words what it makes of it."""
    seen: set[str] = set()
    for name, function in functions():
        gate = gate_of(function)
        assert gate is not None
        for argument, hint in gate.hints.items():
            if repr(hint) in seen:
                continue
            seen.add(repr(hint))
            for evil in EVIL.values():
                value = evil()
                found = taken(value, hint)
                error = (
                    gate._misfit(argument, value, hint) if found is MISFIT else beyond(argument, found, hint)
                )
                assert error is None or len(str(error)) < 1000, (name, argument)


def test_some_calls(every: list[Call], bounded: None) -> None:
    everything = [
        (call, parameter, evil)
        for call in every
        if not call.name.startswith(SLOW)
        for parameter in call.parameters
        for evil in EVIL
        if not parameter.startswith("_")
    ]
    wrong = [
        f"{call.name}({parameter}={evil}): {found}"
        for call, parameter, evil in random.Random(0).sample(everything, 400)
        if (found := failure(call, parameter, evil)) is not None
    ]
    assert wrong == []


@pytest.mark.long
def test_all_calls(world: World, every: list[Call], bounded: None) -> None:
    """And all methods of what functions return."""
    found = []
    for call in every:
        if inspect.isfunction(call.function) and not call.name.startswith(SLOW):
            args, named = arguments(call)
            with contextlib.suppress(ProbandError):  # some good calls are of what refuses in this world
                found.append(call.function(*args, **named))
    wrong = [
        f"{call.name}({parameter}={evil}): {fault}"
        for call in [*every, *calls_of_results(world, found)]
        for parameter in call.parameters
        for evil in EVIL
        if not parameter.startswith("_") and (fault := failure(call, parameter, evil)) is not None
    ]
    assert wrong == []


MEANINGLESS = {
    "pb.evaluate(a, E, ranks=[0])": "from 1 to",
    "pb.evaluate(a, E, ranks=[10**10])": "from 1 to",
    "pb.evaluate(a, E, ranks=[])": "none",
    "pb.evaluate(a, E, threads=0)": "threads must be from 1",
    "pb.stats.estimate_cmc(a, E, max_rank=0)": "from 1 to",
    "pb.permute(a, pool, max_rank=-1)": "from 1 to",
    "pb.measures.RecognitionRate(0)": "from 1 to",
    "pb.measures.RecognitionRate(10**10)": "from 1 to",
    "pb.measures.RecognitionRate(-1)": "from 1 to",
    "pb.measures.CMC(max_rank=0)": "from 1 to",
    "pb.compare([a, b], E, measure='rank-0')": "from 1 to",
    "pb.compare([a, b], E, measure='fnmr@1.5')": "at least 0 and below 1",
    "pb.covariates([a, b], E, on='sex', fmr=nan)": "above 0 and below 1",
    "pb.verify(a, S, n_resamples=-1)": "at least 0",
    "pb.verify(a, S, n_resamples=nan)": "whole number",
    "pb.verify(a, S, n_resamples=10**12)": "at most 10,000,000",
    "pb.verify(a, S, fmr=[0.1, 1.5])": "at least 0 and below 1",
    "pb.verify(a, S, thresholds=[nan])": "must be a number, got nan",
    "pb.verify(a, S, seed=-1)": "at least 0",
    "pb.search(a, open, counted_at=[nan])": "must be a number, got nan",
    "pb.search(a, open).at_threshold(nan)": "must be a number, got nan",
    "pb.compare([a, b], S, measure='auc', confidence_level=1)": "strictly between 0 and 1",
    "pb.estimate(a, E, measure='rank-1', confidence_level=0)": "strictly between 0 and 1",
    "pb.estimate(a, E, measure='rank-1', design=pb.designs.Bootstrap(n_resamples=nan))": "whole number",
    "pb.designs.Bootstrap(n_resamples=2**70)": "from 100 to 10,000,000",
    "pb.designs.ImageChoice(0)": "number of trials must be",
    "pb.designs.BRR(degrees_of_freedom=nan)": "above 0",
    "pb.designs.Fay(rho=1)": "at least 0 and below 1",
    "pb.survey.estimate_weighted(np.sum, [1, 1, 2, 2], weights=[1, 1, 1, -1])": "at least 0",
    "pb.gate(a, E, baseline=b, margin=0)": "above 0",
    "pb.mcnemar(2**70, 1)": "64 bits",
    "pb.mcnemar(10**400, 1)": "below 1.8e308",
    "pb.verify_pairs(['\\ud800', 'b'], [1, 0], orientation='similarity')": "half a character",
    "pb.verify_pairs([1, 0], [1, 0], people=(['\\ud800', 'b'], ['a', 'c']), orientation='similarity')": "half a character",
    "pb.Category('', 'probe.sex == 1')": "name is empty",
    "pb.read_scores('a\\0b', S, orientation='similarity')": "valid file path",
    "pb.planning.coverage(subjects=9, probes_per_subject=2, rate=0.9, icc=0, margin=0.1, discordant=-1)": "above 0 and below 1",
    "pb.results.Verification(**{one: None for one in ('rates', 'points')})": "needs",
    "a.each(np.arange(4), np.arange(3))": "one row and one column for each pair",
}
"""Calls that mean nothing, and what must be said of them."""


@pytest.mark.parametrize("call", MEANINGLESS)
def test_what_means_nothing_is_refused(world: World, call: str) -> None:
    known = {"pb": pb, "np": np, "nan": float("nan"), "S": world.samples, "E": world.experiment}
    known |= {"a": world.a, "b": world.b, "pool": world.pool, "open": world.open}
    with pytest.raises(ProbandError, match=MEANINGLESS[call]):
        eval(call, known)


def test_numbers_of_other_libraries_are_numbers(world: World) -> None:
    """They are converted once, so that nothing further in has to know of them."""
    plain = pb.verify(world.a, world.samples, fmr=0.1, n_resamples=100, seed=3)
    for fmr in (np.array(0.1), np.float64(0.1), [np.array(0.1)], np.array([0.1])):
        found = pb.verify(
            world.a,
            world.samples,
            fmr=fmr,
            n_resamples=np.array(100),
            seed=np.int64(3),
            naive=np.bool_(False),
        )
        assert found.to_dict() == plain.to_dict()
    assert type(pb.measures.RecognitionRate(np.int8(5)).rank) is int
    assert type(pb.measures.FNMR(np.float32(0.5)).at_fmr) is float


def test_what_is_published_can_be_sent_to_workers() -> None:
    for name, thing in published().items():
        assert pickle.loads(pickle.dumps(thing)) is thing, name


_UNGATED = """
import importlib, inspect, pathlib, proband
from proband.engine.arguments import _PUBLISHED
source = pathlib.Path(proband.__file__).parent
for path in sorted(source.rglob("*.py")):
    homes = "_HOMES = {" in path.read_text(encoding="utf-8")
    module = (path.parent if path.name == "__init__.py" else path.with_suffix("")).relative_to(source.parent)
    name = ".".join(module.parts)
    for home, names in vars(importlib.import_module(name))["_HOMES"].items() if homes else ():
        found = vars(importlib.import_module(home if home.startswith("proband.") else f"{name}.{home}"))
        for one in names.split():
            kind = found.get(one)
            is_ours = isinstance(kind, type) and not issubclass(kind, Exception) and kind.__module__.startswith("proband.")
            if is_ours and _PUBLISHED.get(one) is not kind:
                print(f"{kind.__module__}.{one}")
"""


def test_public_classes_check_arguments_though_nobody_named_them() -> None:
    """A result is checked like one whose class was imported by name: `pb.search(…).at_threshold(nan)`."""
    done = subprocess.run([sys.executable, "-c", _UNGATED], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
