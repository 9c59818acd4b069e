"""Do intervals of cross-validated accuracies cover, and do comparisons hold their level? Simulated people, a real classifier.

People have an attribute of two values. An image is the attribute, the person and noise added up, all normal, and linear discriminants
are trained on people under a protocol; how often a trained one is right about new people has a closed form.
``python -m tests.statistical.accuracy_simulation`` prints the tables of docs/methods/accuracy.md.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit, ndtr

from proband.inference.cross_validation.comparison import compare_folds, compare_pooled
from proband.inference.cross_validation.five_by_two import compare_five_by_two
from proband.inference.cross_validation.intervals import (
    corrected_resampled_interval,
    plain_t_interval,
    pooled_interval,
)
from proband.inference.proportions import Interval, t_quantile
from proband.results.estimate import Estimate

LEVEL = 0.95
WIDTH = 12  # features; a classifier sees half of them
PROTOCOLS = {"10f CV": (1, 10), "10×10f CV": (10, 10), "50× 80-20 HO": (50, 5), "LOSO": (1, 0)}


class Population(NamedTuple):
    """Images whose attribute moves one feature by `gap`, and whose person accounts for `shared` of the variance."""

    gap: float = 2.0
    shared: float = 0.36
    images: int = 4
    uneven: bool = False
    of_person: bool = True  # the attribute belongs to the person, like sex, or to the image, like expression


PLAIN = Population()
POPULATIONS = {
    "plain": PLAIN,
    "accuracy near .96": Population(gap=3.6),
    "people differ more": Population(shared=0.72),
    "attribute of the image": Population(of_person=False),
    "1 to 7 images": Population(uneven=True),
}


class Images(NamedTuple):
    features: np.ndarray
    labels: np.ndarray
    subjects: np.ndarray


class Tested(NamedTuple):
    """One data set under a protocol: splits × images, what each split tests and what it gets right, and the true accuracies."""

    tested: np.ndarray
    right: np.ndarray
    true: np.ndarray
    subjects: np.ndarray

    @property
    def folds(self) -> np.ndarray:
        return (self.right & self.tested).sum(axis=1) / self.tested.sum(axis=1)

    @property
    def held_out(self) -> np.ndarray:
        """How many people each split tests."""
        return self.tested[:, np.unique(self.subjects, return_index=True)[1]].sum(axis=1)


def draw(
    rng: np.random.Generator, people: int, population: Population, effects: np.ndarray | None = None
) -> Images:
    """Draw images of new people, or new images of people with known effects."""
    counts = (
        rng.integers(1, 2 * population.images, people)
        if population.uneven
        else np.full(people, population.images)
    )
    subjects = np.repeat(np.arange(people), counts)
    labels = (np.arange(people) % 2)[subjects] if population.of_person else rng.integers(0, 2, len(subjects))
    if effects is None:
        effects = rng.normal(0, np.sqrt(population.shared), (people, WIDTH))
    noise = rng.normal(0, np.sqrt(1 - population.shared), (len(subjects), WIDTH))
    features = effects[subjects] + noise
    features[:, [0, WIDTH // 2]] += population.gap * (labels - 0.5)[:, None]
    return Images(features, labels, subjects)


def splits(rng: np.random.Generator, units: int, protocol: str) -> np.ndarray:
    """Which units (people, or images) each split trains on; hold-outs test a fifth.

    Those with an even and with an odd number are dealt out alike, since people's attributes follow them.
    """
    repeats, folds = PROTOCOLS.get(protocol) or (5, 2)
    if not folds:
        return ~np.eye(units, dtype=bool)
    rows = []
    for _ in range(repeats):
        order = np.concatenate([rng.permutation(np.arange(start, units, 2)) for start in (0, 1)])
        fold = np.empty(units, dtype=int)
        fold[order] = np.arange(units) % folds
        rows += [fold != 0] if "HO" in protocol else [fold != f for f in range(folds)]
    return np.array(rows)


def discriminants(images: Images, train: np.ndarray, columns: slice) -> tuple[np.ndarray, np.ndarray]:
    """Linear discriminants of all splits at once (splits × images): weights and offsets."""
    x, weights = images.features[:, columns], train.astype(float)
    labelled = np.stack([weights * (images.labels == c) for c in (0, 1)], axis=1)
    counts = labelled.sum(axis=2)
    means = labelled @ x / counts[:, :, None]
    width = x.shape[1]
    products = (x[:, :, None] * x[:, None, :]).reshape(len(x), -1)
    squares = (weights @ products).reshape(-1, width, width)
    within = squares - np.einsum("jc,jcd,jce->jde", counts, means, means)
    within /= (counts.sum(axis=1) - 2)[:, None, None]
    w = np.linalg.solve(within, (means[:, 1] - means[:, 0])[:, :, None])[:, :, 0]
    return w, -(w * means.mean(axis=1)).sum(axis=1)


def under(
    rng: np.random.Generator,
    images: Images,
    protocol: str,
    population: Population,
    columns: slice = slice(0, WIDTH // 2),
    *,
    train: np.ndarray | None = None,
) -> Tested:
    """Train and test under a protocol of subject-disjoint splits, or under the given splits (splits × images)."""
    if train is None:
        train = splits(rng, int(images.subjects.max()) + 1, protocol)[:, images.subjects]
    w, b = discriminants(images, train, columns)
    right = (images.labels == 1) == (images.features[:, columns] @ w.T + b > 0).T
    half, size = population.gap / 2 * w[:, 0], np.sqrt((w**2).sum(axis=1))
    true = (ndtr((half + b) / size) + ndtr((half - b) / size)) / 2
    return Tested(~train, right, true, images.subjects)


def data_sets(people: int, protocol: str, population: Population, n_sets: int) -> Iterator[Tested]:
    rng = np.random.default_rng([people, *map(ord, protocol), *(round(100 * float(p)) for p in population)])
    for _ in range(n_sets):
        yield under(rng, draw(rng, people, population), protocol, population)


def intervals(one: Tested, people: int, protocol: str) -> dict[str, Interval | None]:
    """Every interval of one data set: ours, other forms of ours, and the wrong one."""
    held_out = one.held_out
    correct = np.where(one.tested, one.right, np.nan)
    corrected = corrected_resampled_interval(one.folds, people - held_out, held_out, disjoint=True)
    made = {
        "corrected": _ends(corrected),
        "mean ± t·s": None,
        "logit": None,
        "pooled": _ends(pooled_interval(correct, one.subjects, disjoint=True)),
        "plain t": _ends(plain_t_interval(one.folds, disjoint=True, n_subjects=people)),
    }
    if corrected.standard_error is not None:
        value = corrected.value
        reach = t_quantile(LEVEL, len(held_out) - 1) * corrected.standard_error
        made["mean ± t·s"] = Interval(max(0.0, value - reach), min(1.0, value + reach))
        wide = reach / (value * (1 - value))
        made["logit"] = Interval(*expit(logit(value) + np.array([-wide, wide])))
    if protocol == "10×10f CV":
        made["pooled, one repeat"] = _ends(pooled_interval(correct[:10], one.subjects, disjoint=True))
    return made


def _ends(found: Estimate) -> Interval | None:
    return Interval(found.low, found.high) if found.has_interval else None


class Coverage(NamedTuple):
    """How often an interval holds the truth, no interval being a miss, and how wide it is on average."""

    held: float
    width: float


def coverage(
    people: int, protocol: str, population: Population, n_sets: int
) -> tuple[float, dict[str, Coverage]]:
    """The true accuracy of the classifier at this training size, and the coverage of each interval."""
    made = list(data_sets(people, protocol, population, n_sets))
    truth = float(np.mean([one.true.mean() for one in made]))
    found = [intervals(one, people, protocol) for one in made]
    return truth, {name: _coverage([one[name] for one in found], truth) for name in found[0]}


def _coverage(found: list[Interval | None], truth: float) -> Coverage:
    ends = [one for one in found if one is not None]
    held = sum(low <= truth <= high for low, high in ends) / len(found)
    return Coverage(held, float(np.mean([high - low for low, high in ends])))


def rejections(people: int, protocol: str, n_sets: int, population: Population = PLAIN) -> dict[str, float]:
    """How often each test at 5 % tells two classifiers apart that are equally good: each sees the half of the features."""
    rng = np.random.default_rng([people, *map(ord, protocol), round(100 * sum(population))])
    found: dict[str, int] = {}
    for _ in range(n_sets):
        images = draw(rng, people, population)
        train = splits(rng, people, protocol)[:, images.subjects]
        halves = (slice(0, WIDTH // 2), slice(WIDTH // 2, WIDTH))
        both = [under(rng, images, protocol, population, half, train=train) for half in halves]
        for name, p_value in _p_values(both, people, protocol).items():
            found[name] = found.get(name, 0) + (p_value <= 1 - LEVEL)
    return {name: count / n_sets for name, count in found.items()}


def _p_values(both: list[Tested], people: int, protocol: str) -> dict[str, float]:
    values = dict(zip("ab", (one.folds for one in both), strict=True))
    if protocol == "5×2f CV":
        halves = {name: row.reshape(5, 2) for name, row in values.items()}
        made = {
            f"5×2cv {t}": compare_five_by_two(halves, disjoint=True, n_subjects=people, test=t)
            for t in ("f", "t")
        }
        return {name: found.pairs[0].p_value for name, found in made.items()}
    subjects = both[0].subjects
    held_out = both[0].held_out
    corrected = compare_folds(values, people - held_out, held_out, disjoint=True)
    plain = compare_folds(values, 1e12, 1, disjoint=True, n_subjects=people)  # as if splits shared nothing
    found = {"corrected": corrected.pairs[0].p_value, "plain t": plain.pairs[0].p_value}
    if "HO" not in protocol:
        folds = PROTOCOLS[protocol][1] or people  # the first repeat
        correct = {n: (one.right & one.tested)[:folds].any(axis=0) for n, one in zip("ab", both, strict=True)}
        found["pooled"] = compare_pooled(correct, subjects, disjoint=True, n_models=folds).pairs[0].p_value
    return found


class Mixed(NamedTuple):
    """Folds that share people: the accuracies under the protocol and on new people, and how often the interval holds either.

    The first truth is what the protocol gives on average over other images of the same people.
    """

    protocol: float
    new_people: float
    held_protocol: float
    held_new_people: float


def mixed(people: int, n_sets: int, redraws: int = 20) -> Mixed:
    """Nearest neighbours under 10f CV whose folds share people, where people differ much."""
    rng = np.random.default_rng([people, 2])
    population = Population(gap=1.0, shared=0.6)
    rows = []
    for _ in range(n_sets // redraws):
        effects = rng.normal(0, np.sqrt(population.shared), (people, WIDTH))
        found = [_mixed_once(rng, population, people, effects) for _ in range(redraws)]
        truth = np.mean([mean for mean, *_ in found])
        rows += [(truth, *one) for one in found]
    truth, _, new, low, high = np.array(rows).T
    new = new.mean()
    held = [float(((low <= one) & (one <= high)).mean()) for one in (truth, new)]
    return Mixed(float(truth.mean()), float(new), *held)


def _mixed_once(
    rng: np.random.Generator, population: Population, people: int, effects: np.ndarray
) -> tuple[float, float, float, float]:
    """The mean accuracy over mixed folds, that on new people, and the ends of the interval."""
    own, others = draw(rng, people, population, effects), draw(rng, people, population)
    train = splits(rng, len(own.labels), "10f CV")
    folds = np.array([neighbours(own, row, own)[~row].mean() for row in train])
    new = float(neighbours(own, train[0], others).mean())
    made = corrected_resampled_interval(
        folds, train.sum(axis=1), (~train).sum(axis=1), disjoint=False, n_subjects=people
    )
    return made.value, new, made.low or 0.0, made.high or 0.0


def neighbours(known: Images, train: np.ndarray, asked: Images) -> np.ndarray:
    """Whether the nearest of the training images has the label asked for."""
    x, y = known.features[train], asked.features
    apart = (y**2).sum(axis=1)[:, None] + (x**2).sum(axis=1) - 2 * y @ x.T
    return known.labels[train][apart.argmin(axis=1)] == asked.labels


def coverage_table(n_sets: int) -> str:
    """For each interval its least and largest coverage over the populations, and its width in the first."""
    rows = []
    for people in (10, 40, 100):
        for protocol in PROTOCOLS:
            found = [coverage(people, protocol, one, n_sets)[1] for one in POPULATIONS.values()]
            cells = [
                f"{name} {_range([one[name].held for one in found])} ({100 * first.width:.0f})"
                for name, first in found[0].items()
            ]
            rows.append(f"| {people} | {protocol} | {' | '.join(cells)} |")
    return "\n".join(rows)


def level_table(n_sets: int) -> str:
    """For each test its least and largest level over three populations."""
    rows = []
    for people in (10, 40, 100):
        for protocol in (*PROTOCOLS, "5×2f CV"):
            found = [
                rejections(people, protocol, n_sets, POPULATIONS[name])
                for name in ("plain", "accuracy near .96", "people differ more")
            ]
            cells = [f"{name} {_range([one[name] for one in found])}" for name in found[0]]
            rows.append(f"| {people} | {protocol} | {' | '.join(cells)} |")
    return "\n".join(rows)


def _range(shares: list[float]) -> str:
    return f"{100 * min(shares):.1f}–{100 * max(shares):.1f}"


if __name__ == "__main__":
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000
    tables: tuple[Callable[[int], object], ...] = (coverage_table, level_table, lambda n: mixed(40, n))
    for table in tables:
        sys.stdout.write(f"{table(size)}\n\n")
