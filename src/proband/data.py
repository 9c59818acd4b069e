"""Further inputs of functions, beyond `Samples`, `Scores` and `Experiment`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from proband._lazy import lazily

if TYPE_CHECKING:
    from proband.samples.choosing import (
        OnePerSubject as OnePerSubject,
    )
    from proband.samples.ids import (
        Ids as Ids,
    )
    from proband.samples.representativeness import (
        Representation as Representation,
        equally_representative as equally_representative,
        representation as representation,
    )
    from proband.samples.table import (
        Selection as Selection,
    )
    from proband.scores.alignment import (
        experiment_over as experiment_over,
        pool_over as pool_over,
    )
    from proband.scores.base import (
        DenseScores as DenseScores,
    )
    from proband.scores.orientation import (
        OrientationCheck as OrientationCheck,
        check_orientation as check_orientation,
    )

_HOMES = {
    "proband.samples.choosing": "OnePerSubject",
    "proband.samples.representativeness": "Representation equally_representative representation",
    "proband.samples.table": "Selection",
    "proband.samples.ids": "Ids",
    "proband.scores.alignment": "experiment_over pool_over",
    "proband.scores.base": "DenseScores",
    "proband.scores.orientation": "OrientationCheck check_orientation",
}
__all__ = [name for names in _HOMES.values() for name in names.split()]
__getattr__, __dir__ = lazily(__name__, _HOMES, published=True)
