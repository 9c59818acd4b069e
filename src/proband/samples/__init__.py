"""The table of samples; choosing galleries and probe sets; probe categories; representativeness."""

from proband.engine.arguments import publish
from proband.samples.categories import Category, EmptyCategoryError, feret_categories
from proband.samples.choosing import Choice, OnePerSubject
from proband.samples.experiment import Experiment
from proband.samples.ids import Ids, Positions
from proband.samples.pool import Pool
from proband.samples.representativeness import Representation, equally_representative, representation
from proband.samples.table import Samples, Selection

__all__ = [
    "Category",
    "Choice",
    "EmptyCategoryError",
    "Experiment",
    "Ids",
    "OnePerSubject",
    "Pool",
    "Positions",
    "Representation",
    "Samples",
    "Selection",
    "equally_representative",
    "feret_categories",
    "representation",
]

publish(__name__)
