"""What the sections of a study must not say together."""

from __future__ import annotations

from proband.errors import ProbandError, Said, UsageError
from proband.scores.formats import FORMATS
from proband.study.definition import Study
from proband.study.places import Keys
from proband.study.sections import CategoryEntry, ComparisonRequest, EmbeddingSource, ScoreSource
from proband.study.typed import TypedReader, near


def check_study(study: Study, reader: TypedReader) -> None:
    """Refuse a study whose sections contradict each other, or that lacks what they need."""
    _check_sources(study, reader)
    _check_experiment(study, reader)
    _check_categories(study, reader)
    for place, one in enumerate(study.comparison):
        _check_comparison(one, reader, _keys(study, "comparison", place))
    _check_other_analyses(study, reader)


def _keys(study: Study, section: str, place: int) -> Keys:
    """The keys of one of several tables; a single one may be written without a number."""
    numbered: Keys = (section, place)
    return numbered if numbered in study.places.lines else (section,)


def _check_sources(study: Study, reader: TypedReader) -> None:
    if not (study.scores or study.embeddings or study.images):
        raise UsageError(
            f"{study.path.name} names no scores.",
            "add a section [[scores]] or [[embeddings]] with file = …, or [images] with file = … and algorithms = […].",
            place=Said(study.path.name),
            door="study",
        )
    for place, scores in enumerate(study.scores):
        _check_source(scores, reader, _keys(study, "scores", place))
    for place, embeddings in enumerate(study.embeddings):
        _check_source(embeddings, reader, _keys(study, "embeddings", place))
    if study.samples is None and not study.scores:
        section = "images" if study.images is not None else "embeddings"
        reader.refuse((section,), "whose the samples are is not known", "add [samples] with file = …")
    if study.images is not None:
        _check_images(study, reader)


def _check_source(one: ScoreSource | EmbeddingSource, reader: TypedReader, keys: Keys) -> None:
    if one.name is not None and len(one.key) > 1:
        reader.refuse(
            (*keys, "name"),
            f"{len(one.key)} algorithms cannot have one name",
            "leave name out, or give one key.",
        )
    if isinstance(one, ScoreSource):
        if one.format is not None and one.format not in FORMATS:
            reader.refuse((*keys, "format"), f"there is no format {one.format!r}", near(one.format, FORMATS))
        for choice, ids in (("queries", "query_ids"), ("targets", "target_ids")):
            if getattr(one, choice) is not None and getattr(one, ids) is not None:
                reader.refuse(
                    (*keys, choice),
                    f"{choice!r} is for a matrix without ids, but {ids!r} names them",
                    "leave one of them out.",
                )


def _check_images(study: Study, reader: TypedReader) -> None:
    from proband.algorithms import names_code, recognizer

    images = study.images
    assert images is not None  # asked before
    if study.samples is None:
        reader.refuse(("images",), "images need a table of samples", "add [samples] with file = …")
    if not images.algorithms and not images.models:
        reader.refuse(
            ("images",),
            "no recogniser is named",
            "write algorithms = […]; proband recognize --list names them.",
        )
    if images.as_they_are and images.detect is not None:
        reader.refuse(
            ("images", "detect"),
            "as_they_are uses no eyes, so there is nothing to detect",
            "leave one of them out.",
        )
    for place, name in enumerate(images.algorithms):
        if names_code(name) or name.startswith("onnx:"):
            continue  # not to be run by reading a study
        try:
            found = recognizer(name)
        except ProbandError as error:
            reader.refuse(("images", "algorithms", place), error.message.rstrip("."), error.cure)
        if found.needs_training and images.train is None:
            reader.refuse(
                ("images", "algorithms", place), f"{name} must be trained", 'say on whom: train = "CONDITION"'
            )


def _check_experiment(study: Study, reader: TypedReader) -> None:
    gallery = study.experiment.gallery
    if not study.experiment.one_per_subject or gallery is None:
        return
    if gallery == "one_per_subject" or gallery.startswith("@"):
        reader.refuse(
            ("experiment", "one_per_subject"),
            f"it goes with a condition, not with gallery = {gallery!r}",
            "leave one of them out.",
        )


def _check_categories(study: Study, reader: TypedReader) -> None:
    seen: set[str] = set()
    for place, one in enumerate(study.category):
        keys = _keys(study, "category", place)
        forms = [one.name is not None or one.rule is not None, one.by is not None, one.feret]
        if sum(forms) != 1:
            reader.refuse(
                keys, "expected name and rule, or by, or feret = true", "write one section for each."
            )
        if forms[0] and (one.name is None or one.rule is None):
            absent = "name" if one.name is None else "rule"
            reader.refuse(
                keys, f"{absent!r} is missing", 'for example rule = "probe.session != mate.session"'
            )
        if not one.feret:
            _refuse_ferets(one, reader, keys)
        if one.name is not None and one.name in seen:
            reader.refuse(
                (*keys, "name"), f"two categories are called {one.name!r}", "give each its own name."
            )
        seen.add(one.name or "")


def _refuse_ferets(one: CategoryEntry, reader: TypedReader, keys: Keys) -> None:
    usual = CategoryEntry()
    for name in ("image_set", "date", "camera", "long_after"):
        if getattr(one, name) != getattr(usual, name):
            reader.refuse(
                (*keys, name), "it is about FERET's categories", "add feret = true, or leave it out."
            )


def _check_comparison(one: ComparisonRequest, reader: TypedReader, keys: Keys) -> None:
    named = [name for name in ("rank", "median_rank", "fnmr_at") if getattr(one, name) is not None]
    named += ["auc"] if one.auc else []
    if len(named) > 1:
        reader.refuse(
            (*keys, named[1]), f"{' and '.join(named)} exclude each other", "write a [[comparison]] for each."
        )
    if one.is_verification and one.test != "auto":
        reader.refuse(
            (*keys, "test"),
            f"{named[0]} compares verification, which has a test of its own",
            "leave test out.",
        )
    if one.is_verification and one.by_category:
        reader.refuse(
            (*keys, "by_category"), "categories are of searches, not of verification", "leave it out."
        )
    if one.margin is not None and one.margin >= 1 and one.median_rank is None:
        reader.refuse(
            (*keys, "margin"), f"a difference of rates lies below 1, got {one.margin:g}", "one point is 0.01."
        )


def _check_other_analyses(study: Study, reader: TypedReader) -> None:
    choices, feret = study.choices, study.feret
    if choices is not None and choices.pairs == "between" and not choices.groups:
        reader.refuse(
            ("choices", "pairs"),
            "pairs between groups need groups",
            "write groups = […], or leave pairs out.",
        )
    if feret is not None and feret.galleries is None and (feret.order or feret.ages is not None):
        key = "order" if feret.order else "ages"
        reader.refuse(("feret", key), f"{key} is about galleries", "say how many: galleries = 6")
    if study.identification is None and study.category and feret is None:
        reader.refuse(
            ("category",), "categories are of identification, which is switched off", "leave one of them out."
        )
