"""Each column of images as the gallery in turn: does the choice matter? (Micheals & Boult 2001)"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
import polars as pl

from proband.designs import BRR, StratifiedDesign
from proband.designs.strata import ROUNDING
from proband.distributions import f_tail, t_cdf
from proband.engine.arguments import published
from proband.engine.kinds import Axes
from proband.engine.limits import Level, Seed, Within
from proband.errors import DesignError, UsageError, unknown_name
from proband.inference.comparisons.testing.adjustment import holm
from proband.inference.estimates.cmc_bands import estimate_cmc
from proband.inference.estimates.estimate import estimate
from proband.inference.proportions import t_quantile
from proband.measures import Outcomes, RecognitionRate, rank as rank_probes
from proband.measures.outcomes import FailurePolicy, TiePolicy
from proband.results.about import RestsOn, Who
from proband.results.band import Band
from proband.results.base import Count, Rank, Result
from proband.results.difference import Difference
from proband.results.estimate import Estimate
from proband.results.serializing import Written
from proband.results.several import for_each
from proband.results.test import Test
from proband.samples import Experiment, Samples
from proband.samples.table import Selection, frozen
from proband.scores import Scores
from proband.words import Method, Note, Sentence, agreeing, count

Floats = npt.NDArray[np.float64]
_HOTELLING = Method("hotelling", "Hotelling's T²", "Hotelling's T² over people", ("hotelling1931",))
_STUDENT = Method("student", "Student's t over people", cites=("student1908", "holm1979"))

_NOT_TESTED = Sentence(
    "galleries.not-tested",
    "caution",
    "{algorithm}: whether the {n:count} {kind} differ at rank {rank} is not tested, because "
    "{people:count person is/people are} too few: they span {range:span}",
)
_SAME_FOR_ALL = Sentence(
    "galleries.same-for-all",
    "caution",
    "{algorithm}: whether the {n:count} {kind} differ at rank {rank} is not tested, because they differ by "
    "the same amount for every person: they span {range:span}",
)
_TESTED = "at rank {rank}: they span {range:span}, F({above:count}, {below:count}) = {statistic:two}, p {p:p}"
_DIFFER = Sentence("galleries.differ", "note", "{algorithm}: the {n:count} {kind} differ " + _TESTED)
_ALIKE = Sentence(
    "galleries.alike",
    "note",
    "{algorithm}: the {n:count} {kind} are not significantly different at rank {rank}: they span {range:span}, "
    "F({above:count}, {below:count}) = {statistic:two}, p {p:p}",
)


def most_probes(n_images: npt.NDArray[np.integer[Any]], design: StratifiedDesign | None = None) -> int:
    """Find the number of images per person that keeps the most probes; the smaller of two equally good ones.

    One image of each person is in the gallery, and the design must accept the number of the others as units. At least half of
    the people with three images are kept, since a few people with very many images are not a useful sample.
    """
    least = (n_images >= 3).sum() / 2
    people = {k: int((n_images >= k).sum()) for k in range(3, int(n_images.max()) + 1)}
    taken = [k for k, kept in people.items() if kept >= least and (design or BRR()).takes(k - 1)]
    return max(taken, key=lambda k: ((k - 1) * people[k], -k))


@published
@dataclass(frozen=True, eq=False)
class ImageColumns:
    """The same number of images per person, as columns, each of which can be the gallery.

    Attributes
    ----------
    samples, places
        The table, and people × columns: positions in it.
    mixed
        Whether images were assigned to the columns in rotation, so that each column has an equal share of each original column.
    n_left_out
        People with too few images that were scored as both queries and targets.
    n_unused
        Unused images: of those people, and in excess of the columns.
    most_people
        The smallest possible number of images (three), and how many people have them, if this includes more people.

    Examples
    --------
    >>> ids = [f"{person}{image}" for person in "abc" for image in range(3)]
    >>> samples = Samples({"id": ids, "subject": [name[0] for name in ids]})
    >>> scores = Scores.from_array(np.eye(9), ids, orientation="similarity")
    >>> ImageColumns.of(samples, [scores]).places.tolist(), ImageColumns.of(samples, [scores], mixed=True).places.tolist()
    ([[0, 1, 2], [3, 4, 5], [6, 7, 8]], [[0, 1, 2], [4, 5, 3], [8, 6, 7]])
    >>> experiment = ImageColumns.of(samples, [scores]).experiment(gallery=0)
    >>> len(experiment.gallery), len(experiment.probes)
    (3, 6)
    """

    samples: Samples
    places: Annotated[npt.NDArray[np.intp], Axes(2), Within(ge=0)]
    mixed: bool
    n_left_out: Count
    n_unused: Count = 0
    most_people: tuple[int, int] | None = None

    @classmethod
    def of(
        cls,
        samples: Samples,
        scores: list[Scores] | tuple[Scores, ...],
        n_images: int | None = None,
        *,
        mixed: bool = False,
        order_by: str | None = None,
        design: StratifiedDesign | None = None,
    ) -> ImageColumns:
        """Select the first images of each person with enough images that all algorithms scored as query and target.

        Parameters
        ----------
        samples
            The table of images.
        scores
            One for each algorithm.
        n_images
            The number of columns; by default the number with the most probes that keeps at least half of the people with three
            images.
        mixed
            Whether to assign the images of each person to the columns in rotation.
        order_by
            The column by which the images of a person are ordered; by default table order.
        design
            The design that determines the default number of columns: `BRR` by default, which needs a prime power of probes per
            person.

        Returns
        -------
        ImageColumns
            The images, as people × columns.
        """
        usable = set(samples.ids)
        for one in scores:
            usable &= set(one.queries) & set(one.targets)
        scored = np.fromiter((name in usable for name in samples.ids), dtype=np.bool_, count=len(samples))
        frame = pl.DataFrame({"place": np.arange(len(samples)), "subject": samples.codes}).filter(scored)
        if order_by is not None:
            if order_by not in samples.frame.columns:
                raise unknown_name("column", order_by, samples.frame.columns, "to order images by")
            frame = frame.with_columns(samples.frame[order_by].filter(pl.Series(scored)).alias("__order"))
            frame = frame.sort(["subject", "__order"], maintain_order=True)
        lists = frame.group_by("subject", maintain_order=True).agg("place")
        sizes = lists["place"].list.len().to_numpy()
        if not len(sizes):
            raise DesignError(
                "No image is both a query and a target of every algorithm.",
                "use scores of all images with each other.",
            )
        if n_images is not None and n_images < 3:
            raise UsageError(
                "Each person needs at least three images, one for the gallery and two for probes; got "
                f"{n_images}."
            )
        if sizes.max() < 3:
            raise DesignError(
                "Each person needs at least three images, one for the gallery and two for probes; no "
                f"person has more than {sizes.max()}."
            )
        wanted = n_images or most_probes(sizes, design)
        enough = sizes >= wanted
        with_three = int((sizes >= 3).sum())
        if enough.sum() < 2:
            raise DesignError(
                f"{int(enough.sum())} of {count(len(sizes))} people {agreeing(enough.sum(), 'has', 'have')} {wanted} images.",
                "use fewer images per person.",
            )
        places = np.array(
            [own[:wanted] for own, fine in zip(lists["place"].to_list(), enough, strict=True) if fine]
        )
        if mixed:
            turn = (np.arange(wanted)[None, :] + np.arange(len(places))[:, None]) % wanted
            places = np.take_along_axis(places, turn, axis=1)
        return cls(
            samples,
            places.astype(np.intp),
            mixed,
            len(samples.subjects) - len(places),
            len(samples) - places.size,
            (3, with_three) if with_three > len(places) else None,
        )

    @property
    def n_columns(self) -> int:
        """The number of images per person."""
        return int(self.places.shape[1])

    def experiment(self, gallery: Count, probes: tuple[Count, ...] | None = None) -> Experiment:
        """Return an experiment with one column as the gallery and others as probes.

        Parameters
        ----------
        gallery
            The column that is enrolled, from 0.
        probes
            The columns that are searched, from 0; by default all others.

        Returns
        -------
        Experiment
            The experiment with these images.
        """
        if max(gallery, *(probes or (0,))) >= self.n_columns:
            raise UsageError(f"There are {count(self.n_columns)} columns of images, numbered from 0.")
        others = probes if probes is not None else tuple(k for k in range(self.n_columns) if k != gallery)
        kind = "mixed column" if self.mixed else "column"
        enrolled = Selection(
            frozen(np.sort(self.places[:, gallery])), f"{kind} {gallery + 1} of the images of each person"
        )
        searched = Selection(
            frozen(np.sort(self.places[:, others].ravel())),
            f"{kind}s {', '.join(str(k + 1) for k in others)}",
        )
        return Experiment(self.samples, enrolled, searched)


@published
@dataclass(frozen=True, eq=False)
class GalleryEffect(Result):
    """One algorithm with each column of images as the gallery in turn.

    Attributes
    ----------
    estimates, bands
        The rate at the rank and the whole curve for each gallery, with the intervals of the design.
    test
        The test for differences between galleries: Hotelling's T² of contrasts per person, as F, which accounts for shared
        people and images. It is for new people.
    pairs
        Every pair of galleries, by number: Student's interval of the difference over people, with Holm-adjusted p-values.
    algorithm, rank, mixed
        The algorithm, the rank, and whether images were assigned to the columns in rotation.
    n_subjects, n_left_out
        People, and people with too few images.
    """

    written = Written({"galleries": "estimates"}, also=("sentence",))

    algorithm: str
    rank: Rank
    mixed: bool
    n_subjects: Count
    n_left_out: Count
    estimates: tuple[Estimate, ...]
    bands: tuple[Band, ...]
    test: Test
    pairs: tuple[Difference, ...]

    @property
    def range(self) -> float:
        """The largest minus the smallest rate."""
        values = [one.value for one in self.estimates]
        return max(values) - min(values)

    def sentence(self) -> Note:
        """The answer in words.

        Returns
        -------
        Note
            The sentence with its values; `str` gives the text.
        """
        of = {
            "algorithm": self.algorithm,
            "n": len(self.estimates),
            "kind": "mixed galleries" if self.mixed else "galleries",
            "rank": self.rank,
            "range": self.range,
        }
        test, p = self.test, float(self.test)
        above, below = test.degrees_of_freedom or 0, test.denominator_degrees_of_freedom
        if self.n_subjects <= above:
            return _NOT_TESTED(**of, people=self.n_subjects)
        if self.range > ROUNDING and not any(pair.varies for pair in self.pairs):
            return _SAME_FOR_ALL(**of)
        said = _DIFFER if p <= 0.05 else _ALIKE
        return said(**of, above=above, below=below, statistic=test.statistic, p=p)


@published
@for_each
def gallery_effect(
    scores: Scores,
    *,
    columns: ImageColumns,
    rank: Rank = 1,
    design: StratifiedDesign | None = None,
    confidence_level: Level = 0.95,
    ties: TiePolicy = "pessimistic",
    on_failure: FailurePolicy = "miss",
    seed: Seed = 0,
) -> GalleryEffect:
    """Use each column of images as the gallery in turn and test whether the choice matters.

    The experiment of Micheals & Boult (2001). Intervals of the rate and the curve of each gallery are for new probe images of
    these people (`BRR` by default). The test is for new people: with x̄ the mean contrasts of the rates of people between
    columns and S their covariance, F = (K − p)/(p(K − 1)) · K x̄ᵀS⁻¹x̄ on p and K − p degrees of freedom (Hotelling 1931),
    which accounts for shared people and images. Every two columns are compared by Student's t over people, adjusted by Holm
    (1979).

    Parameters
    ----------
    scores
        Scores or embeddings of one algorithm or of several.
    columns
        The images of each person in columns, each of which is the gallery in turn.
    rank
        The rank at which a probe counts as recognised.
    design
        `BRR` by default, or another stratified design.
    confidence_level, seed
        The level of all intervals, and the seed of replicates.
    ties, on_failure
        As in `rank`.

    Returns
    -------
    GalleryEffect or Several
        The rate with each gallery, and the test; for several algorithms, a mapping from names to these.

    Examples
    --------
    Three images of each of four people; person d's third image is equally similar to all, so searching for it fails.

    >>> ids = [f"{person}{image}" for person in "abcd" for image in range(3)]
    >>> samples = Samples({"id": ids, "subject": [name[0] for name in ids]})
    >>> same = np.array([[x[0] == y[0] for y in ids] for x in ids], dtype=float)
    >>> same[ids.index("d2")] = same[:, ids.index("d2")] = 0.5
    >>> scores = Scores.from_array(same, ids, orientation="similarity", name="net")
    >>> effect = gallery_effect(scores, columns=ImageColumns.of(samples, [scores], 3))
    >>> [rate.value for rate in effect.estimates], round(effect.range, 4), effect.test.degrees_of_freedom
    ([0.875, 0.875, 1.0], 0.125, 1)
    """
    chosen = design if design is not None else BRR()
    outcomes = [
        rank_probes(scores, columns.experiment(k), ties=ties, on_failure=on_failure)
        for k in range(columns.n_columns)
    ]
    measure = RecognitionRate(rank)
    estimates = tuple(
        _numbered(
            estimate(one, measure=measure, design=chosen, confidence_level=confidence_level, seed=seed),
            number,
        )
        for number, one in enumerate(outcomes, 1)
    )
    bands = tuple(
        estimate_cmc(one, design=chosen, confidence_level=confidence_level, seed=seed) for one in outcomes
    )
    means = np.stack([_by_person(one, rank) for one in outcomes], axis=1)
    return GalleryEffect(
        scores.name,
        rank,
        columns.mixed,
        len(columns.places),
        columns.n_left_out,
        estimates,
        bands,
        _hotelling(means, scores.name),
        _pairs(means, scores.name, confidence_level),
    )


def _numbered(rate: Estimate, gallery: int) -> Estimate:
    return replace(rate, who=replace(rate.who, gallery=str(gallery)))


def _by_person(outcomes: Outcomes, rank: int) -> Floats:
    """The mean success of each person."""
    codes = np.unique(outcomes.subjects, return_inverse=True)[1]
    return np.asarray(
        np.bincount(codes, weights=outcomes.success(rank)) / np.bincount(codes), dtype=np.float64
    )


def _hotelling(means: Floats, algorithm: str) -> Test:
    """Hotelling's T² test of equal column means, from contrasts with the last column, as F.

    Linearly dependent contrasts are left out. There is no test unless there are more people than contrasts.
    """
    contrasts = means[:, :-1] - means[:, -1:]
    n, most = contrasts.shape

    def test(f: float, above: int, below: int, p: float) -> Test:
        return Test(
            who=Who(algorithm=algorithm),
            statistic=f,
            degrees_of_freedom=above,
            denominator_degrees_of_freedom=below,
            p_value=p,
            rests_on=RestsOn(n=n, of="person", n_units=n, unit="person"),
            method=_HOTELLING,
        )

    if n <= most:
        return test(0.0, most, 1, 1.0)
    spread = np.atleast_2d(np.cov(contrasts, rowvar=False))
    values, vectors = np.linalg.eigh(spread)
    varying = values > max(1e-12 * float(values.max()), ROUNDING**2)
    p = int(varying.sum())
    middle = contrasts.mean(axis=0)
    if p == 0:
        return test(0.0, 1, n, 1.0)
    along = vectors[:, varying].T @ middle
    t2 = n * float((along**2 / values[varying]).sum())
    f = (n - p) / (p * (n - 1)) * t2
    return test(f, p, n - p, float(f_tail(p, n - p, f)))


def _pairs(means: Floats, algorithm: str, confidence_level: float) -> tuple[Difference, ...]:
    """Compare every two columns by Student's t over people."""
    n = len(means)
    reach = t_quantile(confidence_level, n - 1)
    made = []
    for a, b in combinations(range(means.shape[1]), 2):
        apart = means[:, a] - means[:, b]
        varies = bool(np.ptp(apart) > ROUNDING)
        error = float(apart.std(ddof=1) / np.sqrt(n)) if varies else 0.0
        value = float(apart.mean())
        made.append(
            Difference(
                who=Who(algorithm=algorithm),
                first=str(a + 1),
                second=str(b + 1),
                value=value,
                low=value - reach * error if varies else np.nan,
                high=value + reach * error if varies else np.nan,
                confidence_level=confidence_level,
                standard_error=error,
                degrees_of_freedom=n - 1.0,
                p_value=float(2 * t_cdf(n - 1, -abs(value) / error)) if error > 0 else 1.0,
                method=_STUDENT,
                rests_on=RestsOn(n=n, of="person", n_units=n, unit="person"),
                varies=varies,
                adjustment="none",
            )
        )
    adjusted = holm([pair.p_value for pair in made if pair.p_value is not None])
    return tuple(replace(pair, p_adjusted=p) for pair, p in zip(made, adjusted, strict=True))
