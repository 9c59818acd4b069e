"""Designs by the names that the command line and study files give them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import fields, is_dataclass, replace
from typing import Any, Literal, Protocol

from proband.designs import Design, StratifiedDesign, design_named
from proband.errors import DesignError, Hint, UsageError
from proband.inference.comparisons.chosen_pairs import pair_named
from proband.inference.comparisons.compare import require_several
from proband.inference.procedures import Question, procedure_for
from proband.inference.strata.units import strata_of
from proband.measures import Measure
from proband.study.context import Context
from proband.study.requests.replication import NAMES_OF_DESIGNS, Replication


class NamesDesign(Protocol):
    """A request that names a design, and may say more of it (`design_options`)."""

    @property
    def design(self) -> str: ...


class ChoosesPairs(Protocol):
    """A request that may choose which algorithms are compared with which."""

    @property
    def pairs(self) -> Sequence[str]: ...

    @property
    def against(self) -> str | None: ...


_CALLED = {"n_resamples": "number of replicates"}


def design_of(request: NamesDesign) -> Design | Literal["auto"]:
    """The design that a request names, with what else it says of it, or whatever suits.

    Examples
    --------
    >>> from proband.analyses.comparison.request import ComparisonRequest
    >>> design_of(ComparisonRequest(design="fay", rho=0.3, strata="site", units="subject")).rho
    0.3
    """
    if request.design == "auto":
        return "auto"
    made = design_named(request.design)
    said: dict[str, Any] = getattr(request, "design_options", {})
    known: set[str] = {one.name for one in fields(made)} if is_dataclass(made) else set()
    options = {NAMES_OF_DESIGNS.get(key, key): key for key in Replication.model_fields}
    for name in said:
        if name not in known:
            takes = ", ".join("{" + f"option:{key}" + "}" for of, key in options.items() if of in known)
            cure = (
                "of these options, it accepts " + takes + "."
                if takes
                else "leave it out; this design takes no such options."
            )
            raise UsageError(
                f"The design {request.design} has no {_CALLED.get(name) or options[name].replace('_', ' ')}.",
                Hint(cure),
            )
    return replace(made, **said) if said else made  # type: ignore[type-var]


def require_answer(
    request: NamesDesign, measure: Measure, context: Context, *, comparing: bool = False
) -> None:
    """Refuse a design that does not suit a measure, or names columns that are not there, before anything is computed."""
    design, output = design_of(request), context.output
    data = dict.fromkeys(context.names)
    question = Question.of(measure, data, None, design, output.confidence_level, output.seed)
    if comparing:
        require_several(question)
    if design == "auto":
        return
    procedure_for(question, comparing=comparing)
    if isinstance(design, StratifiedDesign) and question.view != "pairs":
        for probes in context.unranked[:1]:
            with suppress(DesignError):  # of which some may turn out not to be judged
                strata_of(probes, design)


def ranks_anew(request: NamesDesign) -> bool:
    """Whether a request's design ranks scores anew, and takes no outcomes: galleries of other people."""
    design = design_of(request)
    return design != "auto" and design.capability == "galleries"


def stratified_design(request: NamesDesign) -> StratifiedDesign:
    """The stratified design that a request names."""
    made = design_of(request)
    if not isinstance(made, StratifiedDesign):
        raise UsageError(
            f"{request.design} does not resample within strata.",
            "use for example brr, fay, jackknife or rao-wu.",
        )
    return made


def chosen_of(request: ChoosesPairs, names: Sequence[str]) -> dict[str, Any]:
    """Which pairs a request chooses, as `compare` takes it: what it writes as A-B is understood by the names there are."""
    return {"pairs": [pair_named(one, names) for one in request.pairs], "against": request.against}
