"""How replicates are made, for analyses that name a design."""

from __future__ import annotations

from math import inf
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from proband.engine.limits import Drawn, Rho
from proband.errors import Hint
from proband.study.requests.base import Option, Part, Text, refuse

_PANEL = "Design"
NAMES_OF_DESIGNS = {"stratum_weights": "weights", "collapse_by": "by", "jackknife": "kind"}
"""What designs call an option, where that is another name."""
_ABOUT_BINOMIAL = Hint("say which: {option:design=binomial}")
_ABOUT_BOOTSTRAP = Hint("say which: {option:design=bootstrap}")
_ABOUT_STRATA = Hint("say which: {option:design=brr}")
_SUITING = dict.fromkeys(("wilson", "clopper-pearson", "jeffreys"), _ABOUT_BINOMIAL) | dict.fromkeys(
    ("percentile", "basic", "bca"), _ABOUT_BOOTSTRAP
)  # the design that an interval is of, where nobody named one


class Replication(Part):
    """Options of designs: strata, the units within them, weights, degrees of freedom, intervals and numbers of replicates."""

    strata: Annotated[
        Text | None,
        Field(description="Column that makes the strata of a stratified design; default: people."),
        Option(metavar="COLUMN", panel=_PANEL),
    ] = None
    units: Annotated[
        Text | None,
        Field(
            description="Column whose values come and go together within strata: subject takes people, for new people within these "
            "strata. Default: every probe."
        ),
        Option(metavar="COLUMN", panel=_PANEL),
    ] = None
    stratum_weights: Annotated[
        Text | None,
        Field(
            description="What strata weigh: units (the default), equal, or a weight for each, such as a=0.6,b=0.4."
        ),
        Option(metavar="units|equal|NAME=N,…", panel=_PANEL),
    ] = None
    degrees_of_freedom: Annotated[
        Text | None,
        Field(
            description="Degrees of freedom: strata (units less strata, the default), cochran (few strata vary), or a number."
        ),
        Option(("--df",), "strata|cochran|N", _PANEL),
    ] = None
    interval: Annotated[
        Text | None,
        Field(
            description="Kind of interval: wilson, clopper-pearson or jeffreys of binomial; percentile, basic or bca of bootstraps; auto, t, logit or "
            "wilson of stratified designs."
        ),
        Option(metavar="KIND", panel=_PANEL),
    ] = None
    centre: Annotated[
        Literal["estimate", "mean"] | None,
        Field(description="What squared deviations of replicates are taken from; default: estimate."),
        Option(panel=_PANEL),
    ] = None
    rho: Annotated[
        Rho | None,
        Field(
            description="Of fay: the share of its weight that a unit keeps when it is not taken; default: 0.5."
        ),
        Option(panel=_PANEL),
    ] = None
    jackknife: Annotated[
        Literal["JKn", "JK1"] | None,
        Field(description="Of the jackknife: within strata (JKn, the default), or without any (JK1)."),
        Option(panel=_PANEL),
    ] = None
    collapse_by: Annotated[
        Text | None,
        Field(
            description="Of collapsed-strata: the column whose neighbours are paired; default: the table's order."
        ),
        Option(metavar="COLUMN", panel=_PANEL),
    ] = None
    sample: Annotated[
        Drawn | None,
        Field(description="Of brr and fay: so many replicates drawn at random instead of all."),
        Option(metavar="K", panel=_PANEL),
    ] = None
    n_resamples: Annotated[
        Drawn | None,
        Field(description="Of rao-wu, bootstrap and bootstrap-probe: how many replicates."),
        Option(("--replicates",), "N", _PANEL),
    ] = None

    @property
    def design_options(self) -> dict[str, Any]:
        """What was said of the design, by the names that designs have for it."""
        said = {
            NAMES_OF_DESIGNS.get(name, name): getattr(self, name)
            for name in Replication.model_fields
            if getattr(self, name) is not None
        }
        freedom = said.get("degrees_of_freedom")
        if freedom is not None and freedom not in ("strata", "cochran"):
            said["degrees_of_freedom"] = float(freedom)
        if said.get("weights") not in (None, "units", "equal"):
            said["weights"] = _weights(said["weights"])
        return said

    @model_validator(mode="after")
    def _of_a_design(self) -> Self:
        said = [name for name in Replication.model_fields if getattr(self, name) is not None]
        if said and getattr(self, "design", None) == "auto":
            suits = _SUITING.get(self.interval or "", _ABOUT_STRATA)
            raise refuse("it is about a design", suits, said[0])
        freedom = self.degrees_of_freedom
        if freedom is not None and freedom not in ("strata", "cochran"):
            try:
                above = 0 < float(freedom) < inf
            except ValueError:
                above = False
            if not above:
                raise refuse(
                    f"degrees of freedom are strata, cochran or a number above 0, got {freedom!r}",
                    "leave it out for units less strata.",
                    "degrees_of_freedom",
                )
        given = self.stratum_weights
        if given not in (None, "units", "equal") and not _weights(given):
            raise refuse(
                f"weights are units, equal, or NAME=NUMBER for each stratum, got {given!r}",
                "for example a=0.6,b=0.4.",
                "stratum_weights",
            )
        return self


def _weights(text: str) -> dict[str, float]:
    """A weight for each stratum; nothing where the text does not say that."""
    made: dict[str, float] = {}
    for part in text.split(","):
        name, equals, number = part.rpartition("=")
        try:
            made[name.strip()] = float(number)
        except ValueError:
            return {}
        if not equals:
            return {}
    return made
