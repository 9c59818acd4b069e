"""The gallery and probe image of each person in a trial (Beveridge et al. 2001, Table 6)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from proband.designs.image_choice import TRIALS_A_BLOCK, ImageChoice, draw_choices
from proband.engine.arguments import published
from proband.engine.limits import Seed
from proband.errors import UsageError
from proband.samples import Pool
from proband.words import count


@published
def trial_choices(
    experiment: Pool,
    *,
    design: ImageChoice | None = None,
    trials: int | Sequence[int] = 1,
    seed: Seed = 0,
    pseudonyms: bool = False,
) -> pl.DataFrame:
    """List the choices of some trials of `permute`: the gallery image and the probe image for each trial and person.

    The same pool, design and seed give the same trials as `permute`. Distractors have a gallery image and no probe.

    Parameters
    ----------
    experiment, design, seed
        As in `permute`; the experiment is the pool.
    trials
        The numbers of the trials, from 1.
    pseudonyms
        Use numbers instead of the names of people and images.

    Returns
    -------
    polars.DataFrame
        A row for each trial and person.

    Examples
    --------
    >>> from proband.samples import Samples
    >>> rows = [(f"{s}{k}", s, 1 + k // 2) for s in "ab" for k in range(4)]
    >>> pool = Pool(Samples(dict(zip(("id", "subject", "day"), zip(*rows), strict=True))), "day")
    >>> trial_choices(pool).rows()
    [(1, 'a', 'a0', 'a2', 1, 2), (1, 'b', 'b3', 'b0', 2, 1)]
    """
    design = design or ImageChoice()
    asked = [trials] if isinstance(trials, int) else list(trials)
    wrong = next((one for one in asked if not 1 <= one <= design.n_resamples), None)
    if wrong is not None or not asked:
        raise UsageError(
            f"Trials must be from 1 to {count(design.n_resamples)}, got {wrong}."
            if asked
            else "No trials were selected.",
            "pass the numbers of the trials to list.",
        )
    frames = [_of_trial(experiment, design, seed, trial, pseudonyms) for trial in asked]
    return pl.concat(frames)


def _of_trial(pool: Pool, design: ImageChoice, seed: int, trial: int, pseudonyms: bool) -> pl.DataFrame:
    options, samples = pool.options, pool.samples
    block, row = divmod(trial - 1, TRIALS_A_BLOCK)
    chosen = options.starts[:-1] + draw_choices(options, design.balanced, seed, block)[row]
    gallery, probe = options.gallery[chosen], options.probe[chosen]
    images, n = options.images, options.n_searched
    people = range(1, options.n_subjects + 1)
    if pseudonyms:
        first = np.repeat(options.image_starts[:-1], np.diff(options.image_starts))
        whose = np.repeat(np.arange(options.n_subjects), np.diff(options.image_starts))
        names = [
            f"{1 + person}-{1 + place}"
            for person, place in zip(whose, np.arange(len(images)) - first, strict=True)
        ]
        subjects = [str(person) for person in people]
    else:
        names = [samples.ids[int(place)] for place in images]
        subjects = [samples.subjects[int(samples.codes[place])] for place in images[gallery]]
    searched = np.arange(options.n_subjects) < n
    groups = {
        f"{role}_{name}": samples.frame[name][images[at].tolist()]
        for name in pool.groups
        for role, at in (("gallery", gallery), ("probe", probe))
    }
    made = pl.DataFrame(
        {
            "trial": [trial] * options.n_subjects,
            "subject": subjects,
            "gallery": [names[place] for place in gallery],
            "probe": [names[place] for place in probe],
            **groups,
        }
    )
    of_probes = [name for name in made.columns if name == "probe" or name.startswith("probe_")]
    return made.with_columns(
        pl.when(pl.Series(searched)).then(pl.col(name)).otherwise(None).alias(name) for name in of_probes
    )
