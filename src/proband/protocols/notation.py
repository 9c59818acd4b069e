"""The notation of protocols, parsed and printed: ``20×10f CV``, ``13-13 HO*``, ``LOO(100,500)+``, ``LOSO``.

The symbols are those of Mery, Zhao and Bowyer (2016), made exact; the grammar is in
`proband.protocols.parsing`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, get_args

from proband.engine.arguments import published
from proband.inference.cross_validation.intervals import Kind as StatedKind
from proband.protocols import parsing as grammar
from proband.protocols.parsing import PartError
from proband.protocols.splits.sizes import checked_classes, checked_sizes, clean, plain, shares, whole
from proband.words import count, counted, listed

Kind = Literal[StatedKind, "unstated"]

_FIELDS: dict[str, set[str]] = {
    "hold-out": {"sizes"},
    "per-subject hold-out": {"sizes", "per"},
    "counted hold-out": {"sizes", "per"},
    "class hold-out": {"class_sizes"},
    "cross-validation": {"folds"},
    "sampled leave-one-out": {"drawn"},
}
_NEEDED = {
    "class hold-out": ("class_sizes",),
    "sampled leave-one-out": ("drawn",),
    "external": ("train_on", "test_on"),
}
_PER = {"per-subject hold-out": "class", "counted hold-out": "all"}
_STARS = {"hold-out": "", "per-subject hold-out": "*", "counted hold-out": "**"}
_IMPLIED = {"leave-one-subject-out": True, "per-subject hold-out": False}
_CONTRADICTION = {
    "leave-one-subject-out": ("LOSO leaves out whole subjects, so subjects cannot be mixed.", "write LOSO."),
    "per-subject hold-out": (
        "HO* trains and tests on samples of every subject, so subjects cannot be disjoint.",
        "for disjoint subjects use percentages, as in 80-20 HO+, or LOSO.",
    ),
}
_ONCE = {"leave-one-out", "leave-one-subject-out", "external", "unstated"}
_DISJOINT = {
    True: "no subject is in both training and testing",
    False: "subjects are in both training and testing",
    None: "whether subjects are in both training and testing is not stated",
}
_IN_ALL = "in all"
Family = Literal[
    "hold-out",
    "cross-validation",
    "leave-one-out",
    "leave-one-subject-out",
    "another data set",
    "not stated",
]
_FAMILIES: dict[str, Family] = {
    "cross-validation": "cross-validation",
    "leave-one-out": "leave-one-out",
    "sampled leave-one-out": "leave-one-out",
    "leave-one-subject-out": "leave-one-subject-out",
    "external": "another data set",
    "unstated": "not stated",
}
_VERBS = {2: ("train", "test"), 3: ("train", "validate", "test")}


@published
@dataclass(frozen=True, repr=False)
class Protocol:
    """How samples are divided into training and testing.

    Equal protocols have equal text: sizes that follow from others are filled in, properties implied by the
    kind are set, and classes are sorted by name.

    Parameters
    ----------
    kind
        The kind of protocol: one of `Kind`.
    repeats
        The number of repetitions with new random choices (``k×``).
    sizes
        The sizes of training, validation (if there are three) and test. For ``HO``: percentages. For ``HO*``: samples
        per subject. For ``HO**``: training samples in total, testing samples per subject or in total (see `per`).
        None is "the rest"; an empty tuple means that the sizes are not stated.
    folds
        The number of folds of a cross-validation; None if not stated.
    drawn
        (M, K) of ``LOO(M,K)``: M random samples train, one other is tested, K times. M and K must only be
        positive, because the number of samples is not known here.
    disjoint
        True: no subject is in training and testing both (``+``). False: subjects are shared (``mixed``).
        None: not stated. ``LOSO`` is always disjoint and ``HO*`` never.
    class_sizes
        (class, training samples) of ``HO(class:n, ...)``; the rest is tested.
    per
        "class": the sizes of ``HO*`` are per subject and class. "all": the test size of ``HO**`` is the
        total number instead of the number per subject.
    train_on, test_on
        Conditions, ``[train: session 1; test: session 2]``, or the data sets of an external test.
    notes
        Other texts in brackets, verbatim.

    Examples
    --------
    >>> protocol = Protocol.parse("20x10-f cv +")
    >>> print(protocol, protocol.folds, protocol.is_disjoint)
    20×10f CV+ 10 True
    >>> protocol.train_share
    0.9

    """

    kind: Kind
    repeats: int = 1
    sizes: tuple[float | None, ...] = ()
    folds: int | None = None
    drawn: tuple[int, int] | None = None
    disjoint: bool | None = None
    class_sizes: tuple[tuple[str, int], ...] = ()
    per: Literal["class", "all"] | None = None
    train_on: str | None = None
    test_on: str | None = None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self._check_fields()
        if self.folds is not None:
            self._set("folds", whole(self.folds, "folds", least=2))
        if self.drawn is not None:
            m, k = self.drawn
            self._set("drawn", (whole(m, "drawn"), whole(k, "drawn")))
        self._set("repeats", whole(self.repeats, "repeats"))
        self._set("sizes", checked_sizes(self.kind, tuple(self.sizes)))
        self._set("class_sizes", checked_classes(self.class_sizes))
        self._settle_disjointness()
        self._check_texts()

    @classmethod
    def parse(cls, text: str) -> Protocol:
        """Read a protocol; an error shows the position and what was expected there.

        Parameters
        ----------
        text
            The protocol as papers write it, such as ``10×10f CV``.

        Returns
        -------
        Protocol
            The protocol.
        """
        reading = grammar.read(text)
        try:
            return cls(**reading.fields)
        except PartError as error:
            raise grammar.pointed(text, reading.marks.get(error.about, 0), error) from None

    def __str__(self) -> str:
        times = f"{self.repeats}×" if self.repeats > 1 else ""
        needless = self.disjoint is _IMPLIED.get(self.kind)
        sign = "" if needless else "+" if self.disjoint else " mixed"
        return f"{times}{self.scheme}{sign}{self._qualifiers()}"

    def __repr__(self) -> str:
        return f"Protocol.parse({str(self)!r})"

    @property
    def is_disjoint(self) -> bool:
        """Whether it is stated or implied that no subject is in both training and testing."""
        return self.disjoint is True

    @property
    def is_hold_out(self) -> bool:
        """Whether each repeat is a single split into training and test samples."""
        return self.kind in _STARS or self.kind == "class hold-out"

    @property
    def family(self) -> Family:
        """The kind of protocol regardless of sizes: all forms of hold-out are one family."""
        return _FAMILIES.get(self.kind, "hold-out")

    @property
    def leaves_out(self) -> bool:
        """Whether every split leaves out one sample, or one subject."""
        return self.kind in ("leave-one-out", "sampled leave-one-out", "leave-one-subject-out")

    @property
    def train_share(self) -> float | None:
        """The share of training samples, from 0 to 1; None if it is not stated or depends on the data."""
        if self.folds is not None:
            return (self.folds - 1) / self.folds
        known = None if self.kind == "counted hold-out" and self.per is None else shares(self.sizes)
        return None if known is None else known[0]

    @property
    def n_runs(self) -> int | None:
        """The number of runs over which a mean and a standard deviation are computed; None if it depends on the data.

        A run of a hold-out is one split; a run of a cross-validation or of leave-one-out is the mean over
        all its folds. The runs of leave-one-subject-out are the subjects.
        """
        return None if self.kind in ("leave-one-subject-out", "unstated") else self.repeats

    @property
    def n_splits(self) -> int | None:
        """The number of times a classifier is trained; None if it is not stated or depends on the data."""
        if self.kind in ("leave-one-out", "leave-one-subject-out", "unstated"):
            return None
        if self.kind == "cross-validation":
            return None if self.folds is None else self.repeats * self.folds
        return self.repeats * (1 if self.drawn is None else self.drawn[1])

    def describe(self) -> str:
        """Describe the protocol in one sentence.

        Returns
        -------
        str
            The sentence.

        Examples
        --------
        >>> Protocol.parse("10x13-13 HO*").describe()
        'In each of 10 random splits, 13 samples of each subject train and 13 test; subjects are in both training and testing.'

        """
        return _sentence(self)

    @property
    def other_reading(self) -> str | None:
        """The other reading of the same symbol if Tables 1 and 2 of Mery et al. (2016) differ; otherwise None."""
        if self.kind == "per-subject hold-out" and not self.sizes:
            return (
                "Table 2 of Mery et al. (2016) writes HO* where two samples of each class of each subject train: "
                "2-rest HO*/class here."
            )
        if self.kind == "counted hold-out" and self.sizes and self.per is None:
            in_all = replace(self, repeats=1, per="all").scheme
            return (
                "The test size of HO** is per subject, as Table 1 of Mery et al. (2016) defines it; "
                f"if it is the total number, write {in_all}."
            )
        return None

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    def _check_fields(self) -> None:
        """Refuse fields that the kind does not use, and require those that it needs."""
        if self.kind not in get_args(Kind):
            raise PartError(
                "kind", f"unknown kind of protocol: {self.kind!r}.", f"choose one of {get_args(Kind)}."
            )
        for name in ("sizes", "folds", "drawn", "class_sizes", "per"):
            if getattr(self, name) and name not in _FIELDS.get(self.kind, ()):
                raise PartError(name, f"a protocol of the kind {self.kind!r} has no {name}.")
        for name in _NEEDED.get(self.kind, ()):
            if not getattr(self, name):
                raise PartError(name, f"a protocol of the kind {self.kind!r} needs {name}.")
        if self.per is not None and self.per != _PER[self.kind]:
            raise PartError("per", f"sizes of a {self.kind} cannot be per {self.per!r}.")
        if self.kind in _ONCE and self.repeats != 1:
            raise PartError(
                "repeats",
                f"nothing in {self.scheme} is random, so repeats would change nothing.",
                "omit the number of repeats.",
            )

    def _settle_disjointness(self) -> None:
        """Set disjointness as implied by the kind, and refuse contradictions."""
        implied = _IMPLIED.get(self.kind)
        if self.disjoint is not None:
            self._set("disjoint", bool(self.disjoint))
        if implied is None:
            return
        if self.disjoint is (not implied):
            raise PartError("disjoint", *_CONTRADICTION[self.kind])
        self._set("disjoint", implied)

    def _check_texts(self) -> None:
        stops = grammar.SETS if self.kind == "external" else grammar.BRACKETED
        for name in ("train_on", "test_on"):
            text = getattr(self, name)
            if text is not None:
                self._set(name, clean(text, stops, name))
        self._set("notes", tuple(clean(note, grammar.BRACKETED, "notes") for note in self.notes))
        for note in self.notes:
            if not grammar.is_note(note):
                raise PartError(
                    "notes", f"{note!r} is a condition or a mark, not a note.", "use train_on and test_on."
                )

    @property
    def scheme(self) -> str:
        """The notation of one repeat, without repeats, disjointness and conditions: ``13-13 HO*``."""
        match self.kind:
            case "class hold-out":
                return f"HO({', '.join(f'{name}:{n}' for name, n in self.class_sizes)})"
            case "cross-validation":
                return "CV" if self.folds is None else f"{self.folds}f CV"
            case "leave-one-out":
                return "LOO"
            case "sampled leave-one-out":
                return f"LOO({','.join(map(str, self.drawn or ()))})"
            case "leave-one-subject-out":
                return "LOSO"
            case "external":
                return f"train({self.train_on}) test({self.test_on})"
            case "unstated":
                return "not stated"
        sizes = "-".join("rest" if size is None else plain(size) for size in self.sizes)
        per = f"/{self.per}" if self.per else ""
        return f"{sizes}{' ' * bool(sizes)}HO{_STARS[self.kind]}{per}"

    def _qualifiers(self) -> str:
        conditions = [
            f"{side}: {text}"
            for side, text in (("train", self.train_on), ("test", self.test_on))
            if text is not None and self.kind != "external"
        ]
        items = [*conditions, *self.notes]
        return f" [{'; '.join(items)}]" if items else ""


def _sentence(protocol: Protocol) -> str:
    """Describe the protocol, its disjointness and its conditions in one sentence."""
    parts = [_done(protocol), _DISJOINT[protocol.disjoint], *_conditions(protocol)]
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}."


def _done(protocol: Protocol) -> str:
    match protocol.kind:
        case "class hold-out":
            counts = [f"{counted(n, 'sample')} of class {name}" for name, n in protocol.class_sizes]
            verb = _verb("train", sum(n for _, n in protocol.class_sizes))
            return f"{_splits(protocol)}, {listed(counts)} {verb} and the rest test"
        case "cross-validation":
            return _folds(protocol)
        case "leave-one-out":
            others = "samples of other subjects" if protocol.is_disjoint else "the others"
            return f"every sample is tested once, after training on all {others}"
        case "sampled leave-one-out":
            m, k = protocol.drawn or (0, 0)
            again = (
                f", and the whole is repeated {count(protocol.repeats)} times" if protocol.repeats > 1 else ""
            )
            return f"{_times(k)}, {counted(m, 'sample')} chosen at random {_verb('train', m)} and one other is tested{again}"
        case "leave-one-subject-out":
            return "the samples of every subject are tested once, after training on the samples of all other subjects"
        case "external":
            return f"trained on {protocol.train_on} and tested on {protocol.test_on}"
        case "unstated":
            return "how samples are divided into training and testing is not stated"
    return f"{_splits(protocol)}, {_roles(protocol)}"


def _splits(protocol: Protocol) -> str:
    return f"in each of {count(protocol.repeats)} random splits" if protocol.repeats > 1 else "in one split"


def _folds(protocol: Protocol) -> str:
    number = "folds (number not stated)" if protocol.folds is None else counted(protocol.folds, "fold")
    again = f", {count(protocol.repeats)} times with new folds" if protocol.repeats > 1 else ""
    return f"the samples are divided into {number}, each tested after training on the others{again}"


def _roles(protocol: Protocol) -> str:
    """The samples that train, validate and test in a hold-out: ``13 samples of each subject train and 13 test``."""
    if not protocol.sizes:
        whose = f" {_unit(protocol, 'train')}" if protocol.kind == "per-subject hold-out" else ""
        return f"some samples{whose} train and others test (numbers not stated)"
    percent = protocol.kind == "hold-out"
    parts, said = [], ""
    for size, verb in zip(protocol.sizes, _VERBS[len(protocol.sizes)], strict=True):
        if size is None:
            parts.append(f"the rest {verb}")
            continue
        unit = _unit(protocol, verb)
        amount = [f"{plain(size)}%"] if percent else [count(int(size)), "sample" if size == 1 else "samples"]
        words = amount[:1] if unit == said != _IN_ALL else [*amount, unit]
        parts.append(" ".join([*words, verb if percent else _verb(verb, size)]))
        said = unit
    return listed(parts)


def _unit(protocol: Protocol, verb: str) -> str:
    if protocol.kind == "hold-out":
        return "of the samples"
    if protocol.kind == "counted hold-out" and (verb != "test" or protocol.per == "all"):
        return _IN_ALL
    return "of each subject and class" if protocol.per == "class" else "of each subject"


def _conditions(protocol: Protocol) -> list[str]:
    sides = (("trained on", protocol.train_on), ("tested on", protocol.test_on))
    stated = [] if protocol.kind == "external" else [(verb, text) for verb, text in sides if text is not None]
    return [f"{what}: {text}" for what, text in (*stated, *(("noted", note) for note in protocol.notes))]


def _times(n: int) -> str:
    return "once" if n == 1 else counted(n, "time")


def _verb(verb: str, n: float) -> str:
    return f"{verb}s" if n == 1 else verb
