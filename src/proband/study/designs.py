"""Designs and measures by the names that the command line and study files give them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any, Literal

from proband.algorithms import names_code
from proband.designs import DESIGNS, Design, Galleries, StratifiedDesign, design_named
from proband.engine.registry import Registry
from proband.errors import Hint, UsageError
from proband.inference.galleries.feret_study import probe_groups
from proband.inference.galleries.participants import read_participants
from proband.inference.galleries.rejection import Rejection
from proband.inference.galleries.versions import Improvement, Version
from proband.measures import MEASURES, Measure, MedianCensoredRank, RecognitionRate, measure_named
from proband.measures.pair_measures import AUC, FNMR
from proband.protocols.running.classifiers import names_code as classifier_names_code
from proband.samples import Category, Experiment, feret_categories
from proband.samples.categories import LONG_AFTER
from proband.scores.formats import FORMATS
from proband.study.refusals import Keys
from proband.study.requests import (
    CategoryEntry,
    ComparisonRequest,
    FeretRequest,
    GateRequest,
    Identification,
    Request,
    StratRequest,
    VerificationRequest,
)
from proband.study.requests.replication import NAMES_OF_DESIGNS, Replication

_CALLED = {"n_resamples": "number of replicates"}

RANDOM = "random"
"""The order of galleries that chance makes."""


def design_of(
    request: Identification | ComparisonRequest | StratRequest | GateRequest,
) -> Design | Literal["auto"]:
    """The design that a request names, with what else it says of it, or whatever suits.

    Examples
    --------
    >>> design_of(ComparisonRequest(design="fay", rho=0.3, strata="site", units="subject")).rho
    0.3
    """
    if request.design == "auto":
        return "auto"
    made = design_named(request.design)
    said = {} if isinstance(request, GateRequest) else request.design_options
    known: set[str] = {one.name for one in fields(made)} if is_dataclass(made) else set()
    options = {NAMES_OF_DESIGNS.get(key, key): key for key in Replication.model_fields}
    for name in said:
        if name not in known:
            takes = ", ".join("{" + f"option:{key}" + "}" for of, key in options.items() if of in known)
            cure = (
                "of these options it takes " + takes + "."
                if takes
                else "it takes no such options: leave it out."
            )
            raise UsageError(
                f"The design {request.design} has no {_CALLED.get(name) or options[name].replace('_', ' ')}.",
                Hint(cure),
            )
    return replace(made, **said) if said else made  # type: ignore[type-var]


def ranks_anew(request: Identification | ComparisonRequest) -> bool:
    """Whether a request's design ranks scores anew, and takes no outcomes: galleries of other people."""
    design = design_of(request)
    return design != "auto" and design.capability == "galleries"


def stratified_design(request: StratRequest) -> StratifiedDesign:
    """The stratified design that a request names."""
    made = design_of(request)
    if not isinstance(made, StratifiedDesign):
        raise UsageError(
            f"{request.design} does not replicate within strata.",
            "for example brr, fay, jackknife or rao-wu.",
        )
    return made


def measure_of(request: ComparisonRequest | GateRequest) -> Measure:
    """What algorithms are compared by: the rate at rank 1 unless something else is asked for."""
    if isinstance(request, GateRequest) or request.measure is not None:
        return measure_named(request.measure or "")
    if request.auc:
        return AUC()
    if request.fnmr_at is not None:
        return FNMR(request.fnmr_at)
    if request.median_rank is not None:
        return MedianCensoredRank(request.median_rank)
    return RecognitionRate(request.rank or 1)


def chooses(request: ComparisonRequest) -> bool:
    """Whether a comparison is of chosen pairs or of one side, and not of every two both ways."""
    return bool(request.pairs) or request.against is not None or request.one_sided is not None


def of_pairs(request: ComparisonRequest | GateRequest) -> bool:
    """Whether a comparison is of compared pairs, and not of ranks."""
    return measure_of(request).view == "pairs"


def needs_matrix(request: Request) -> bool:
    """Whether anything is asked for that a list of chosen pairs cannot tell: ranks, and people or samples chosen by a table."""
    asked = [
        getattr(request, name)
        for name in (
            "identification",
            "mcnemar",
            "feret",
            "search",
            "choices",
            "strat",
            "covariates",
            "partition",
            "experiment",
        )
        if name in request.model_fields_set
    ]
    compared = request.comparison if "comparison" in request.model_fields_set else ()
    ranked = any(not of_pairs(one) for one in compared) or request.gate is not None
    return any(asked) or ranked or bool(needing_matrix(request.verification))


def needing_matrix(request: VerificationRequest | None) -> list[str]:
    """What a verification asks for that needs scores of queries with targets."""
    names = ("gallery", "probes", "by", "zoo", "pairs")
    return [] if request is None else [name for name in names if getattr(request, name)]


def names_in(request: Request) -> Iterator[tuple[Keys, str, Registry]]:
    """Every measure and design that a request names, with the keys that lead to it and where it is known."""
    if request.identification is not None:
        own = request.identification
        for place, name in enumerate(own.measures):
            yield ("identification", "measures", place), name.partition("@")[0], MEASURES
        yield ("identification", "design"), own.design, DESIGNS
    for place, one in enumerate(request.comparison):
        if one.measure is not None:
            yield ("comparison", place, "measure"), one.measure.partition("@")[0], MEASURES
        yield ("comparison", place, "design"), one.design, DESIGNS
    if request.gate is not None:
        yield ("gate", "measure"), request.gate.measure.partition("@")[0], MEASURES
        yield ("gate", "design"), request.gate.design, DESIGNS
    if request.strat is not None:
        yield ("strat", "design"), request.strat.design, DESIGNS
    if request.feret is not None and request.feret.verification is not None:
        yield ("feret", "verification"), request.feret.verification.partition("@")[0], MEASURES


def code_named(request: Request) -> list[tuple[Keys, str]]:
    """Everything in a request that names code to import, with the keys that lead to it."""
    pictured = enumerate(request.images.algorithms) if request.images is not None else ()
    named: list[tuple[Keys, str]] = [
        (("images", "algorithms", place), name) for place, name in pictured if names_code(name)
    ]
    learning = enumerate(request.protocol.classifiers) if request.protocol is not None else ()
    named += [
        (("protocol", "classifiers", place), name) for place, name in learning if classifier_names_code(name)
    ]
    return named + [(keys, name) for keys, name, known in names_in(request) if known.names_code(name)]


def plugins_of(request: Request) -> dict[str, tuple[str, ...]]:
    """Whose code a request's measures and designs are where they are plug-ins, and whose code may read its files."""
    formats = {one.format for one in request.scores}
    named = FORMATS.made_by(*(FORMATS.names() if None in formats else filter(None, formats)))
    for _, name, known in names_in(request):
        named |= known.made_by(name)
    return named


def feret_arguments(request: FeretRequest, find: Callable[[str], Path], seed: int) -> dict[str, Any]:
    """What a FERET evaluation is asked for before any score is read, as `feret_study` takes it; `find` finds its files."""
    orders = dict.fromkeys(request.order or (RANDOM,))
    galleries = [
        Galleries(request.galleries, order=None if name == RANDOM else name, seed=seed)
        for name in orders
        if request.galleries is not None
    ]
    return {
        "galleries": galleries,
        "ages": request.ages or next((name for name in request.order if name != RANDOM), None),
        "sizes": request.sizes,
        "rejection": None if request.reject is None else Rejection(request.reject, request.fpir),
        "versions": [Version(one.fully, one.partially) for one in request.versions],
        "improvements": [
            Improvement(one.earlier, one.later, one.earlier_date, one.later_date)
            for one in request.improvements
        ],
        "participants": () if request.participants is None else read_participants(find(request.participants)),
        "verification": request.verification,
        "ranks": request.ranks,
        "power": request.power,
        "seed": seed,
    }


def categories_of(entry: CategoryEntry, experiment: Experiment) -> tuple[Category, ...]:
    """The categories that an entry means over an experiment."""
    if entry.feret:
        rule = entry.long_after or LONG_AFTER
        return feret_categories(entry.image_set, entry.date, entry.camera, rule, entry.gallery)
    if entry.by is not None:
        return probe_groups(experiment, entry.by)
    assert entry.name is not None  # one of the three, as the request made sure
    assert entry.rule is not None
    return (Category(entry.name, entry.rule, entry.mates, entry.gallery),)
