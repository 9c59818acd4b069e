"""What all parts of a request share: strictness, marks on fields, and types of values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    model_validator,
)
from pydantic_core import PydanticCustomError

from proband.engine.limits import Positive as Positive, Share as Share, can_be_written
from proband.engine.registry import Registry, imported
from proband.errors import Hint, UsageError
from proband.marks import why_idle
from proband.study.refusals import MOST as MOST, refusal, shown

if TYPE_CHECKING:
    from proband.study.requests.data import ExperimentDesign

Item = TypeVar("Item")

MARGIN = "The smallest relevant difference; 0.01 is one percentage point."
ADJUST = "Adjustment of intervals, p-values and verdicts: for all pairs simultaneously (single-step), or for each pair separately (none)."

_inside: ContextVar[bool] = ContextVar("inside", default=False)


@dataclass(frozen=True)
class Place:
    """That a text names something that must be there: a file, a file or directory, or a reference to scores (``NAME=FILE::KEY``); or may (``@FILE``) name one."""

    kind: Literal["file", "file or directory", "reference", "condition"]


@dataclass(frozen=True)
class Names:
    """That a text names something of a registry, ``NAME`` or ``NAME@VALUE``, or code that would be imported.

    Attributes
    ----------
    registry
        Where names are known, ``module:attribute``.
    checked
        Whether a name that is not known is refused before anything is read.
    code
        The function that tells whether a text names code, ``module:attribute``, where the registry's own does not do.
    name, meant
        The functions that find the registered name in a text and say what was meant by one that is not known, ``module:attribute``,
        where these are not the text before ``@`` and the nearest name.
    """

    registry: str
    checked: bool = True
    code: str | None = None
    name: str | None = None
    meant: str | None = None

    @property
    def known(self) -> Registry:
        """Where names are known."""
        found: Registry = imported(self.registry)
        return found

    def name_in(self, text: str) -> str:
        """The registered name in a text."""
        name: str = text.partition("@")[0] if self.name is None else imported(self.name)(text)
        return name

    def meant_by(self, text: str) -> str:
        """What was probably meant by a text that names nothing that is known."""
        told: str = (self.known.meant_by if self.meant is None else imported(self.meant))(text)
        return told

    def names_code(self, text: str) -> bool:
        """Whether a text means code to be imported."""
        told: bool = (self.known.names_code if self.code is None else imported(self.code))(text)
        return told


MEASURES = Names(
    "proband.measures:MEASURES",
    name="proband.measures.base:registered_name",
    meant="proband.measures.base:meant_measure",
)
DESIGNS = Names("proband.designs:DESIGNS")


@dataclass(frozen=True)
class Option:
    """How the command line spells a field where its name does not tell: other names, what stands for its value, the options it needs there; or that it has none."""

    names: tuple[str, ...] = ()
    metavar: str | None = None
    panel: str | None = None
    needs: tuple[str, ...] = ()
    typed: bool = True


class Part(BaseModel):
    """A part of a request: unknown names, wrong types and values out of range are refused where they stand."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False, defer_build=True)

    def __init__(self, **values: Any) -> None:
        with _outermost() as outermost:
            try:
                super().__init__(**values)
            except ValidationError as error:
                if not outermost:
                    raise
                raise refusal(type(self), error) from None

    @model_validator(mode="after")
    def _effective(self) -> Self:
        """Refuse what is given and has no effect beside the rest, by the marks of the fields."""
        fields = type(self).model_fields
        defaults = {name: one.get_default(call_default_factory=True) for name, one in fields.items()}
        for name, one in fields.items():
            if one.metadata and getattr(self, name) != defaults[name]:
                why = why_idle(one.metadata, self.__dict__.get, defaults)
                if why is not None:
                    raise refuse(*why, name)
        return self


CHOICE = frozenset({"gallery", "one_per_subject", "probes"})
"""The keys of an experiment that choose which samples are compared."""


@dataclass(frozen=True)
class Reads:
    """The inputs of a study that an analysis uses.

    Attributes
    ----------
    scores
        Whether it needs scores of pairs; otherwise it names its own tables.
    samples
        Whether it needs the table of samples even without scores.
    ranks
        Whether it needs the ranks of probes.
    pairs
        Whether it needs the verified comparisons.
    lists
        Whether a list of selected pairs is sufficient.
    experiment
        Further keys of the experiment that affect it; ranks depend on all keys, verified comparisons on the selected samples.
    labels
        Columns of the table of samples whose values are classes.
    failures
        Whether failures to acquire affect it.
    runs
        Whether it shows the run records next to score files.
    """

    scores: bool = True
    samples: bool = False
    ranks: bool = False
    pairs: bool = False
    lists: bool = False
    experiment: frozenset[str] = frozenset()
    labels: tuple[str, ...] = ()
    failures: bool = True
    runs: bool = False


class AnalysisRequest(Part):
    """The request of one analysis: its section in a study, its options and its arguments."""

    @classmethod
    def from_files(cls, files: Sequence[str]) -> dict[str, Any]:
        """What the files mean that a command names, as fields: one table."""
        if len(files) > 1:
            raise UsageError(f"Expected one table, got {' and '.join(files)}.", "join the tables.")
        return {"table": files[0]} if files else {}

    @property
    def reads(self) -> Reads:
        """What it reads."""
        return Reads()

    @property
    def beyond_lists(self) -> tuple[str, ...]:
        """Its keys that ask for more than a list of chosen pairs can tell."""
        return ()

    @property
    def instead_for_lists(self) -> str:
        """What to request if the scores are lists of pairs, as the text of a `Hint`; empty if nothing fits them."""
        return ""

    @property
    def category_use(self) -> Literal["none", "possible", "needed"]:
        """Whether it looks at the categories of probes, and whether there must be some."""
        return "none"

    @property
    def verified_pairs(self) -> ExperimentDesign | Literal["all"] | None:
        """Which comparisons are verified, where this section decides it for all of them."""
        return None


@contextmanager
def _outermost() -> Iterator[bool]:
    """Whether this part is made by itself, and not while a larger one is: the larger one tells where in it something is wrong."""
    outermost = not _inside.get()
    token = _inside.set(True)
    try:
        yield outermost
    finally:
        _inside.reset(token)


def refuse(message: str | Hint, hint: str | Hint | None = None, *at: str | int) -> PydanticCustomError:
    """The error that a part raises where its fields contradict each other; `at` leads to the field."""
    return PydanticCustomError("proband", "{message}", {"message": message, "hint": hint, "at": at})


def _listed(value: Any) -> Any:
    """One value for a list of one."""
    if isinstance(value, list) and not value:
        raise refuse("the list is empty", "leave the key out, or specify at least one.")
    return tuple(map(_named, value)) if isinstance(value, list | tuple) else (_named(value),)


def _named(value: Any) -> Any:
    """A table, or anything else, whose keys are names: no file has others."""
    wrong = [key for key in value if not isinstance(key, str)] if isinstance(value, Mapping) else []
    if wrong:
        raise refuse(f"keys are names, got {shown(wrong[0])}")
    return value


def _writable(text: str) -> str:
    """A text that a file can hold."""
    if not can_be_written(text):
        raise refuse(f"a file cannot contain {shown(text)}")
    return text


def _each_once(values: tuple[Item, ...]) -> tuple[Item, ...]:
    twice = next((one for place, one in enumerate(values) if one in values[:place]), None)
    if twice is not None:
        named = "the same" if isinstance(twice, Part) else shown(twice)
        raise refuse(f"{named} appears twice", "specify each once.")
    return values


_Text = Annotated[str, Field(min_length=1)]
Text = Annotated[_Text, AfterValidator(_writable)]
File = Annotated[_Text, Place("file")]
FileOrDirectory = Annotated[_Text, Place("file or directory")]
Reference = Annotated[_Text, Place("reference")]
Condition = Annotated[Text, Place("condition")]
Several = Annotated[tuple[Item, ...], BeforeValidator(_listed), AfterValidator(_each_once)]
ChosenPairs = Annotated[
    Several[Text],
    Field(description="Compare only these pairs (first minus second); adjustments cover these pairs only."),
    Option(metavar="A-B"),
]
Against = Annotated[
    Text | None,
    Field(description="Compare every other algorithm with this baseline only."),
    Option(metavar="ALGORITHM"),
]
OneSided = Annotated[
    Literal["lower", "upper"] | None,
    Field(
        description="One-sided bounds and tests: lower (is the first larger?) or upper (is the first smaller?)."
    ),
]
Orientation = Literal["similarity", "distance"]
Missing = Literal["error", "drop"]
Ties = Literal["pessimistic", "optimistic", "mean"]


def _one(value: Any, info: ValidationInfo) -> Any:
    """A section that there is once."""
    if isinstance(value, list):
        at = (1,) if len(value) > 1 else ()
        raise refuse(
            f"expected only one section {info.field_name!r}", f"write [{info.field_name}], once.", *at
        )
    if isinstance(value, bool):
        from proband.study.analysis import analysis_keys  # which imports this

        keys = ", ".join(analysis_keys())
        raise refuse(
            f"expected a table, got {shown(value)}",
            f"only analyses can be switched on or off like this: {keys}.",
        )
    return _named(value)


def _switched(value: Any, info: ValidationInfo) -> Any:
    """A section, or whether there is one: ``verification = false``."""
    return ({} if value else None) if isinstance(value, bool) else _one(value, info)


def _sections(value: Any) -> Any:
    """Sections, or one, or whether there is one: ``comparison = false``."""
    if isinstance(value, bool):
        return ({},) if value else ()
    return _listed(value)


One = Annotated[Item, BeforeValidator(_one)]
Switched = Annotated[Item | None, BeforeValidator(_switched)]
"""An analysis that runs if its section is present."""
Sections = Annotated[tuple[Item, ...], BeforeValidator(_listed)]
SwitchedSections = Annotated[tuple[Item, ...], BeforeValidator(_sections)]
