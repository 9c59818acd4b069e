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
"""The names of options in designs, if different."""
_ABOUT_BINOMIAL = Hint("specify it: {option:design=binomial}")
_ABOUT_BOOTSTRAP = Hint("specify it: {option:design=bootstrap}")
_ABOUT_STRATA = Hint("specify it: {option:design=brr}")
_SUITING = dict.fromkeys(("wilson", "clopper-pearson", "jeffreys"), _ABOUT_BINOMIAL) | dict.fromkeys(
    ("percentile", "basic", "bca"), _ABOUT_BOOTSTRAP
)  # the design that an interval is of, where nobody named one


class Replication(Part):
    """Options of designs: strata, the units within them, weights, degrees of freedom, intervals and numbers of replicates."""

    strata: Annotated[
        Text | None,
        Field(description="Column of the strata of a stratified design. Default: people."),
        Option(metavar="COLUMN", panel=_PANEL),
    ] = None
    units: Annotated[
        Text | None,
        Field(
            description="Column of the sampling units within strata; subject resamples people, for new people "
            "within these strata. Default: every probe."
        ),
        Option(metavar="COLUMN", panel=_PANEL),
    ] = None
    stratum_weights: Annotated[
        Text | None,
        Field(
            description="Stratum weights: units (default), equal, or one weight per stratum, such as a=0.6,b=0.4."
        ),
        Option(metavar="units|equal|NAME=N,…", panel=_PANEL),
    ] = None
    degrees_of_freedom: Annotated[
        Text | None,
        Field(
            description="Degrees of freedom: strata (units minus strata; default), cochran (if few strata vary), or a number."
        ),
        Option(("--df",), "strata|cochran|N", _PANEL),
    ] = None
    interval: Annotated[
        Text | None,
        Field(
            description="Type of interval: wilson, clopper-pearson or jeffreys for binomial; percentile, "
            "basic or bca for bootstraps; auto, t, logit or wilson for stratified designs."
        ),
        Option(metavar="KIND", panel=_PANEL),
    ] = None
    centre: Annotated[
        Literal["estimate", "mean"] | None,
        Field(description="Centre of the squared deviations of replicates. Default: estimate."),
        Option(panel=_PANEL),
    ] = None
    rho: Annotated[
        Rho | None,
        Field(
            description="For fay: the share of its weight that a unit keeps when it is not selected. Default: 0.5."
        ),
        Option(panel=_PANEL),
    ] = None
    jackknife: Annotated[
        Literal["JKn", "JK1"] | None,
        Field(description="For jackknife: within strata (JKn; default), or without strata (JK1)."),
        Option(panel=_PANEL),
    ] = None
    collapse_by: Annotated[
        Text | None,
        Field(
            description="For collapsed-strata: column by which neighbouring strata are paired. Default: order of the table."
        ),
        Option(metavar="COLUMN", panel=_PANEL),
    ] = None
    sample: Annotated[
        Drawn | None,
        Field(description="For brr and fay: number of replicates drawn at random instead of all."),
        Option(metavar="K", panel=_PANEL),
    ] = None
    n_resamples: Annotated[
        Drawn | None,
        Field(description="For rao-wu, bootstrap and bootstrap-probe: number of replicates."),
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
            raise refuse("it requires a design", suits, said[0])
        freedom = self.degrees_of_freedom
        if freedom is not None and freedom not in ("strata", "cochran"):
            try:
                above = 0 < float(freedom) < inf
            except ValueError:
                above = False
            if not above:
                raise refuse(
                    f"degrees of freedom must be strata, cochran or a number above 0, got {freedom!r}",
                    "leave it out for units minus strata.",
                    "degrees_of_freedom",
                )
        given = self.stratum_weights
        if given not in (None, "units", "equal") and not _weights(given):
            raise refuse(
                f"weights must be units, equal, or NAME=NUMBER for each stratum, got {given!r}",
                "write for example a=0.6,b=0.4.",
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
