"""One vocabulary: what is public fits a screen, and the same thing has one name in Python, on the command line and in studies."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from tests.hostile.public import methods_of, published
from tests.modes import commands

import proband as pb
from proband.study.refusals import model_of
from proband.study.requests import request_type
from proband.study.requests.replication import Replication

NAMESPACES = {name: room for name in dir(pb) if isinstance(room := getattr(pb, name), ModuleType)}
INNARDS = (
    "inference",
    "study",
    "scores",
    "samples",
    "engine",
    "kernels",
    "analyses",
    "arrays",
    "cli",
    "words",
)

# What an argument of a type is called; others may have the type in them.
BY_TYPE = {
    r"Level": {"confidence_level"},
    r"Seed( \| Drawings)?": {"seed"},
    r"Replicates": {"n_resamples"},
    r"Design \| Auto \| str|StratifiedDesign( \| None| \| Literal\['auto'\])|ImageChoice \| None|Galleries": {
        "design"
    },
    r"Measure \| str( \| None)?": {"measure"},
    r"Side \| None": {"one_sided"},
    r"Adjustment": {"adjust"},
    r"Threads( \| None)?": {"threads"},
    r"Engine": {"engine"},
    r"Progress( \| None)?": {"progress"},
    r"(PlannedM|M)argin( \| None)?": {"margin"},
    r"TiePolicy": {"ties"},
    r"Counting": {"counting"},
    r"FailurePolicy": {"on_failure"},
    r"MissingPolicy": {"missing"},
    r"Rank": {"rank"},
    r"Rank \| None": {"max_rank"},
    r"Sequence\[Rank\]": {"ranks"},
    r"FalseMatchRate( \| Sequence\[FalseMatchRate\])?": {"fmr"},
    r"Category \| Sequence\[Category\]": {"categories"},
    r"(?=.*\b(Scores|Trials|Outcomes)\b).*(Sequence|Mapping)\[.*": {"scores"},
    r"(Experiment|Pool)( \| Samples)?( \| Pool)?( \| None)?": {"experiment"},
}
# Where a type has another role, and why.
OTHER_ROLES = {
    ("planning.plan_difference", "pilot"): "scores of an earlier, smaller test",
    ("gate", "baseline"): "the algorithm that would be replaced",
    ("stats.compare_independent", "others"): "the second of two sets",
    ("planning.coverage", "test"): "the design of the test, beside that of the interval",
    ("feret.feret_study", "verification"): "a second measure, of pairs",
    ("feret.feret_study", "galleries"): "one or several ways of dealing galleries",
    ("feret.feret_study", "ranked"): "outcomes of the same scores that are there already",
}
# Names that nothing may have, since it has another: in Python, as an option and as a key.
ONE_NAME = {
    "confidence_level": "level confidence conf alpha",
    "seed": "random_state rng",
    "n_resamples": "replicates resamples n_boot n_bootstrap n_trials n_replicates trials",
    "experiment": "within pool",
    "scores": "data algorithms_ models_",
    "measure": "metric_name fnmr_at median_rank",
    "one_sided": "side alternative",
    "adjust": "adjustment correction",
    "threads": "n_jobs workers n_threads",
    "check_orientation": "orientation_check",
    "cluster": "group",
    "algorithm": "system systems",
    "table": "frame",
    "id_column": "id",
    "subject_column": "subject",
    "n_images": "images_per_person",
    "exclusions": "dropped",
}
FORBIDDEN = {wrong: right for right, wrongs in ONE_NAME.items() for wrong in wrongs.split()}
# Where such a name is another thing, and why.
ANOTHER_THING = {
    ("results.CovariateStudy.rate_of", "level"): "a value of a covariate",
    ("choices.trial_choices", "trials"): "which trials, by number",
    ("results.VirtualExperiments.choices", "trials"): "which trials, by number",
    ("data.Ids.in_order", "data"): "anything in the order of ids",
    ("protocols.run_protocol", "data"): "features with their samples, which are no scores",
    ("protocols.what_if", "data"): "features with their samples, which are no scores",
    ("run", "data"): "inputs of a request that are there already",
}


def verbs() -> Iterator[tuple[str, Any]]:
    """Every public function and method, by its whole name."""
    for name, thing in published().items():
        if inspect.isfunction(thing):
            yield name, thing
        else:
            yield from ((f"{name}.{method}", getattr(thing, method)) for method in methods_of(thing))


def arguments() -> Iterator[tuple[str, inspect.Parameter]]:
    """Every argument of every public function and method."""
    for name, function in verbs():
        for parameter in inspect.signature(function).parameters.values():
            if parameter.name not in ("self", "cls"):
                yield name, parameter


def sections() -> dict[str, Any]:
    made = {name: model_of(field.annotation) for name, field in request_type().model_fields.items()}
    return {name: kind for name, kind in made.items() if kind is not None}


def test_what_is_public_fits_a_screen():
    names = [name for name in dir(pb) if name not in NAMESPACES]
    assert 28 <= len(names) <= 36
    assert len(dir(pb)) <= 52
    assert not [name for name in dir(pb) if name.startswith("_")]
    assert not set(INNARDS) & set(dir(pb))
    assert sorted(pb.__all__) == dir(pb)


@pytest.mark.parametrize("name", NAMESPACES)
def test_a_namespace_lists_what_is_public_and_nothing_else(name):
    room = NAMESPACES[name]
    assert dir(room) == sorted(room.__all__ if hasattr(room, "__all__") else dir(room))
    assert 2 <= len(dir(room)) <= 50
    for public in dir(room):
        assert not public.startswith("_")
        assert not isinstance(getattr(room, public), ModuleType)


def test_nothing_is_public_twice():
    homes: dict[int, list[str]] = {}
    for name, room in {"": pb, **NAMESPACES}.items():
        for public in dir(room):
            thing = getattr(room, public)
            if not isinstance(thing, ModuleType) and callable(thing):
                homes.setdefault(id(thing), []).append(f"{name}.{public}".lstrip("."))
    twice = {tuple(names) for names in homes.values() if len(names) > 1}
    assert twice == {("ProbandError", "errors.ProbandError"), ("save_figure", "report.save_figure")}


def functions() -> dict[str, Any]:
    """Every public function; methods are about what they belong to, and take parts of other things."""
    return {name: thing for name, thing in published().items() if inspect.isfunction(thing)}


def test_an_argument_of_a_type_has_one_name():
    wrong = []
    for name, function in functions().items():
        for parameter in inspect.signature(function).parameters.values():
            written = str(parameter.annotation)
            for pattern, names in BY_TYPE.items():
                if not re.fullmatch(pattern, written) or (name, parameter.name) in OTHER_ROLES:
                    continue
                if parameter.name not in names:
                    wrong.append(f"{name}({parameter.name}: {written}) should be {' or '.join(names)}")
    assert wrong == []


def test_scores_come_first_the_experiment_second_and_all_else_by_name():
    for name, function in functions().items():
        parameters = list(inspect.signature(function).parameters.values())
        names = [one.name for one in parameters]
        if "scores" not in names:
            continue
        if names[0] in ("y_true", "mated", "path"):
            assert names[1] == "scores", name  # the truth first, as scikit-learn has it; files by their path
        else:
            assert names[0] == "scores", name
            assert "experiment" not in names or names[1] == "experiment", name
        places = [one for one in parameters if one.kind is one.POSITIONAL_OR_KEYWORD]
        assert len(places) <= 2, name


def test_no_name_in_python_is_another_name_of_something():
    wrong = {
        (name, parameter.name)
        for name, parameter in arguments()
        if parameter.name in FORBIDDEN and not name[name.rfind(".") + 1 :].startswith("__")
    }
    assert wrong - ANOTHER_THING.keys() == set()
    assert ANOTHER_THING.keys() - wrong == set()


def test_long_options_are_the_names_of_python_and_of_studies():
    for command, made in commands().items():
        for option in made.params:
            if option.param_type_name != "option" or option.name in ("help", "engine"):
                continue
            long = [word for word in option.opts if word.startswith("--")]
            usual = f"--{option.name.replace('_', '-')}"
            assert (
                usual in long
                or option.name in ("level", "everything", "list_algorithms", "show")
                or (command, long[0]) == ("plan", "--from")
            ), (
                command,
                long,
            )
            shown = long[0].removeprefix("--").replace("-", "_")
            assert shown not in FORBIDDEN or (command, shown) in OPTIONS_OF_OTHER_THINGS, (command, long)


OPTIONS_OF_OTHER_THINGS = {
    **{(f"protocol {name}", "data"): "features" for name in ("run", "what-if")},
}


def test_keys_of_studies_are_the_names_of_python():
    for section, kind in sections().items():
        assert not FORBIDDEN.keys() & kind.model_fields.keys(), section


VERBS = {
    "identification": [pb.evaluate, pb.estimate],
    "comparison": [pb.compare],
    "mcnemar": [pb.stats.mcnemar_table],
    "verification": [pb.verify],
    "threshold": [pb.threshold],
    "search": [pb.search, pb.measures.Searches.by_gallery_size],
    "gate": [pb.gate],
    "choices": [pb.permute, pb.Pool, pb.designs.ImageChoice],
    "strat": [pb.strat.strat_study],
    "feret": [pb.feret.feret_study],
    "covariates": [pb.covariates, pb.stats.explain_outcomes],
    "partition": [pb.partition],
    "classification": [pb.classify],
    "outcomes": [pb.compare_outcomes],
    "datasets": [pb.compare_datasets],
    "protocol": [pb.protocols.run_protocol, pb.protocols.FeatureTable.read],
    "what_if": [pb.protocols.what_if, pb.protocols.FeatureTable.read],
    "samples": [pb.Samples.read],
    "scores": [pb.read_scores, pb.evaluate, pb.scored_pairs],
    "embeddings": [pb.read_embeddings, pb.evaluate],
    "experiment": [pb.Experiment, pb.rank],
}
# Keys that no argument of the verb has, and why.
OF_STUDIES_ALONE = {
    "*": {
        "file": "files are named, and arrays given",
        "key": "which array of a file",
        "gallery": "an experiment of its own",
        "probes": "an experiment of its own",
        "by_category": "categories are declared in [[category]]",
        "relative_ranks": "further columns of tables",
    },
    "identification": {"measures": "several at once", "overlap": "a table beside the others"},
    "comparison": dict.fromkeys(("with_gallery", "with_probes", "with_samples", "with_scores"), "a second set, as compare_independent takes it"),
    "verification": {"comparisons": "which pairs are compared", "pairs": "a list of pairs in a file", "zoo": "a table beside the others"},
    "search": {"fpir": "a method of what is found", "ranks": "a method of what is found"},
    "gate": {"candidate": "which of the scores that are read is new", "digest": "of the baseline's file"},
    "choices": {"exact": "exact_over_choices", "list_trials": "trial_choices", "rank": "a method of what is found", "trainings": "a design"},
    "feret": {"fpir": "of the rejection", "reject": "of the rejection", "order": "of the galleries"},
    "classification": dict.fromkeys(("models", "predicted", "predictions", "table", "truth"), "columns or files of what arrays are in Python"),
    "protocol": {"protocols": "several at once", "where": "a choice of samples"},
    "what_if": {"where": "a choice of samples"},
    "scores": {"columns": "which column is what: the arrays of scored_pairs", "missing_values": "words in a file: None or NaN in arrays", "name": "a mapping names scores"},
    "embeddings": {"name": "a mapping names embeddings"},
    "experiment": {"one_per_subject": "OnePerSubject as a gallery"},
}  # fmt: skip


@pytest.mark.parametrize("section", VERBS)
def test_a_section_asks_by_the_arguments_of_its_verb(section):
    taken = set().union(*(inspect.signature(verb).parameters for verb in VERBS[section]))
    of_designs = set(Replication.model_fields)
    alone = {**OF_STUDIES_ALONE["*"], **OF_STUDIES_ALONE.get(section, {})}
    kind = sections()[section]
    assert set(kind.model_fields) - taken - of_designs - set(alone) == set()
    assert set(OF_STUDIES_ALONE.get(section, {})) <= set(kind.model_fields)


def test_what_a_verb_returns_is_typed():
    """No public function returns anything; `tests/typed.py`, which mypy checks, asserts the type of each."""
    seen = (Path(__file__).parent / "typed.py").read_text()
    for name, function in functions().items():
        assert str(inspect.signature(function).return_annotation) not in (
            "Any",
            "object",
            str(inspect._empty),
        )
        assert re.search(rf"\bpb\.{re.escape(name)}\(", seen), f"{name} is not in tests/typed.py"
