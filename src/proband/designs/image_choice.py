"""Other images of the same people: gallery and probe images are chosen again in every trial."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import numpy.typing as npt

from proband.designs.base import DESIGNS, Design
from proband.engine.limits import Within
from proband.errors import UsageError
from proband.samples.pool import Options
from proband.words import Method, count, counted

TRIALS_A_BLOCK = 2_048  # trials that share a random stream, so that results do not depend on threads

Choices = npt.NDArray[np.uint16]


@DESIGNS.register("image-choice")
@dataclass(frozen=True)
class ImageChoice(Design):
    """Permute the choice of gallery and probe images (Beveridge et al. 2001, §7).

    Results are for other choices of *images of these people*; the people are held fixed, so results do not apply to new people.

    Parameters
    ----------
    n_resamples
        The number of trials.
    balanced
        Whether to assign each cycle of pairs to the people in random order, so that every image column is used equally often;
        people with different sets of images have separate cycles. Otherwise the pair of each person is drawn independently.

    Examples
    --------
    >>> ImageChoice(n_resamples=1_000).as_method.key, ImageChoice().capability
    ('image-choice', 'images')
    """

    capability = "images"
    n_resamples: Annotated[int, Within(ge=1, le=10**9, said="The number of trials must be from 1 to 10⁹")] = (
        10_000
    )
    balanced: bool = True

    @property
    def as_method(self) -> Method:
        """Percentiles over trials."""
        kind = "balanced" if self.balanced else "unbalanced"
        return Method(
            "image-choice",
            f"choice of images ({kind}, {counted(self.n_resamples, 'trial')})",
            "percentiles over permuted choices of gallery and probe images",
            ("beveridge2001",),
        )


def draw_choices(options: Options, balanced: bool, seed: int, block: int, compiled: bool = True) -> Choices:
    """Draw the choices of a block of trials, trials × people; the compiled code gives the same.

    If balanced, each cycle of pairs is assigned to people in random order (Beveridge et al. 2001, §7), and a remainder is
    drawn from the cycle; otherwise each person's pair is drawn independently with equal probabilities.
    """
    n = options.n_searched
    if options.n_fixed:  # distractors have one image; the choices of others do not depend on them
        moving = draw_choices(_moving(options), balanced, seed, block, compiled)
        return np.concatenate([moving, np.zeros((TRIALS_A_BLOCK, options.n_fixed), dtype=np.uint16)], axis=1)
    largest = int(options.sizes.max())
    if largest > np.iinfo(np.uint16).max:
        raise UsageError(
            f"One person has {count(largest)} pairs of images to choose from; the limit is 65,535.",
            "restrict the pool, for example to fewer sessions.",
        )
    rng = np.random.Generator(np.random.SFC64([seed, block]))
    if not balanced:
        draws = _draws(rng, n)
        chosen = (draws.astype(np.uint64) * options.sizes.astype(np.uint64)) >> np.uint64(32)
        return chosen.astype(np.uint16)
    order = np.argsort(options.patterns, kind="stable")
    sizes = np.bincount(options.patterns)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    cycles = options.sizes[order[starts[:-1]]]
    used = int(np.where(sizes % cycles, cycles - 1, 0).sum() + (sizes - 1).sum())
    draws = _draws(rng, used)
    choices = np.empty((TRIALS_A_BLOCK, n), dtype=np.uint16)
    if compiled:
        from proband.kernels.choices import deal

        deal(draws, order, starts, cycles, choices)
    else:
        _deal(draws, order, starts, cycles, choices)
    return choices


def _moving(options: Options) -> Options:
    """The options without distractors."""
    n, images, choices = options.n_searched, options.image_starts, options.n_searched_choices
    return Options(
        options.images[: images[n]],
        images[: n + 1],
        options.starts[: n + 1],
        options.gallery[:choices],
        options.probe[:choices],
        options.patterns[:n],
    )


def _draws(rng: np.random.Generator, width: int) -> npt.NDArray[np.uint32]:
    """Random 32-bit numbers for every trial of a block, two from each 64-bit word."""
    words = rng.integers(0, 2**64, TRIALS_A_BLOCK * width // 2, dtype=np.uint64)
    if sys.byteorder == "big":
        words = words.byteswap()
    return words.view("<u4").reshape(TRIALS_A_BLOCK, width)


def _deal(
    draws: npt.NDArray[np.uint32],
    order: npt.NDArray[np.intp],
    starts: npt.NDArray[np.int64],
    cycles: npt.NDArray[np.int64],
    choices: Choices,
) -> None:
    """Assign choices like the compiled code, one position at a time for all trials together."""
    trials = np.arange(len(draws))
    used = 0

    def shuffle(cards: Choices) -> None:
        nonlocal used
        for last in range(len(cards) - 1, 0, -1):
            other = ((draws[:, used].astype(np.uint64) * np.uint64(last + 1)) >> np.uint64(32)).astype(
                np.intp
            )
            used += 1
            cards[last], cards[other, trials] = cards[other, trials], cards[last].copy()

    for pattern, length in enumerate(cycles.tolist()):
        people = order[starts[pattern] : starts[pattern + 1]]
        dealt = np.repeat((np.arange(len(people)) % length)[:, None], len(draws), axis=1).astype(np.uint16)
        left = len(people) % length
        if left:
            cycle = np.repeat(np.arange(length)[:, None], len(draws), axis=1).astype(np.uint16)
            shuffle(cycle)
            dealt[len(people) - left :] = cycle[:left]
        shuffle(dealt)
        choices[:, people] = dealt.T
