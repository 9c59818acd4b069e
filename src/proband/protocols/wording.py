"""Protocols in plain words: one sentence for each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from proband.protocols.sizes import plain
from proband.words import count

if TYPE_CHECKING:
    from proband.protocols.notation import Protocol

_DISJOINT = {
    True: "no subject is in both training and testing",
    False: "subjects are in both training and testing",
    None: "whether subjects are in both training and testing is not stated",
}
_IN_ALL = "in all"
_VERBS = {2: ("train", "test"), 3: ("train", "validate", "test")}


def sentence(protocol: Protocol) -> str:
    """Say what is done, whether subjects are kept apart, and on what conditions, in one sentence."""
    parts = [_done(protocol), _DISJOINT[protocol.disjoint], *_conditions(protocol)]
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}." if protocol.kind != "external" else f"{text}."


def _done(protocol: Protocol) -> str:
    match protocol.kind:
        case "class hold-out":
            counts = [f"{_samples(n)} of class {name}" for name, n in protocol.class_sizes]
            verb = _verb("train", sum(n for _, n in protocol.class_sizes))
            return f"{_splits(protocol)}, {_and(counts)} {verb} and the rest test"
        case "cross-validation":
            return _folds(protocol)
        case "leave-one-out":
            others = "samples of other subjects" if protocol.is_disjoint else "the others"
            return f"every sample is tested once, after training on all {others}"
        case "sampled leave-one-out":
            m, k = protocol.drawn or (0, 0)
            again = (
                f", and that whole is done {count(protocol.repeats)} times" if protocol.repeats > 1 else ""
            )
            return f"{_times(k)}, {_samples(m)} chosen at random {_verb('train', m)} and one other is tested{again}"
        case "leave-one-subject-out":
            return "the samples of every subject are tested once, after training on those of all the others"
        case "external":
            return f"{protocol.train_on} is what trains and {protocol.test_on} what is tested"
        case "unstated":
            return "how samples are divided into training and testing is not stated"
    return f"{_splits(protocol)}, {_roles(protocol)}"


def _splits(protocol: Protocol) -> str:
    return f"in each of {count(protocol.repeats)} random splits" if protocol.repeats > 1 else "in one split"


def _folds(protocol: Protocol) -> str:
    number = (
        "folds whose number is not stated" if protocol.folds is None else f"{count(protocol.folds)} folds"
    )
    again = f", {count(protocol.repeats)} times with new folds" if protocol.repeats > 1 else ""
    return f"the samples are cut into {number}, each tested after training on the others{again}"


def _roles(protocol: Protocol) -> str:
    """Who trains, validates and tests in a hold-out: ``13 samples of each subject train and 13 test``."""
    if not protocol.sizes:
        whose = f" {_unit(protocol, 'train')}" if protocol.kind == "per-subject hold-out" else ""
        return f"some samples{whose} train and others test, how many not being stated"
    percent = protocol.kind == "hold-out"
    parts, said = [], ""
    for size, verb in zip(protocol.sizes, _VERBS[len(protocol.sizes)], strict=True):
        if size is None:
            parts.append(f"the rest {verb}")
            continue
        unit = _unit(protocol, verb)
        amount = (
            [f"{plain(size)}%"] if percent else [f"{count(int(size))}", "sample" if size == 1 else "samples"]
        )
        words = amount[:1] if unit == said != _IN_ALL else [*amount, unit]
        parts.append(" ".join([*words, verb if percent else _verb(verb, size)]))
        said = unit
    return _and(parts)


def _unit(protocol: Protocol, verb: str) -> str:
    if protocol.kind == "hold-out":
        return "of the samples"
    if protocol.kind == "counted hold-out" and (verb != "test" or protocol.per == "all"):
        return _IN_ALL
    return "of each subject and class" if protocol.per == "class" else "of each subject"


def _conditions(protocol: Protocol) -> list[str]:
    if protocol.kind == "external":
        return list(protocol.notes)
    sides = (("trained on", protocol.train_on), ("tested on", protocol.test_on))
    return [*(f"{verb}: {text}" for verb, text in sides if text is not None), *protocol.notes]


def _samples(n: int) -> str:
    return f"{count(n)} sample{'s' * (n != 1)}"


def _times(n: int) -> str:
    return f"{count(n)} times" if n != 1 else "once"


def _verb(verb: str, n: float) -> str:
    return f"{verb}s" if n == 1 else verb


def _and(parts: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(parts[:-1]), parts[-1]]))
