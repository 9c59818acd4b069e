"""The table of samples; selection of galleries and probe sets; probe categories; representativeness."""

from __future__ import annotations

from typing import TYPE_CHECKING

from proband._lazy import lazily

if TYPE_CHECKING:
    from proband.samples.categories import (
        Category as Category,
        EmptyCategoryError as EmptyCategoryError,
        feret_categories as feret_categories,
    )
    from proband.samples.choosing import Choice as Choice, OnePerSubject as OnePerSubject
    from proband.samples.experiment import Experiment as Experiment
    from proband.samples.ids import Ids as Ids, Positions as Positions
    from proband.samples.pool import Pool as Pool
    from proband.samples.representativeness import (
        Representation as Representation,
        equally_representative as equally_representative,
        representation as representation,
    )
    from proband.samples.table import Samples as Samples, Selection as Selection

_HOMES = {
    "categories": "Category EmptyCategoryError feret_categories",
    "choosing": "Choice OnePerSubject",
    "experiment": "Experiment",
    "ids": "Ids Positions",
    "pool": "Pool",
    "representativeness": "Representation equally_representative representation",
    "table": "Samples Selection",
}
__all__ = sorted(name for names in _HOMES.values() for name in names.split())
__getattr__, __dir__ = lazily(__name__, _HOMES, published=True)
