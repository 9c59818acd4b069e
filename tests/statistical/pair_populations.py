"""People whose images are compared by cosine: populations for simulations of verification, with what is true of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np

Kind = Literal["normal", "skewed", "goats", "lambs"]
Sizes = Literal["one", "equal", "unequal", "informative"]


class Compared(NamedTuple):
    """Genuine and impostor comparisons of all pairs of images: whose, and how close."""

    own: np.ndarray
    genuine: np.ndarray
    i: np.ndarray
    j: np.ndarray
    impostor: np.ndarray


@dataclass(frozen=True)
class Population:
    """People with a place on a sphere and an unsteadiness of their own.

    Goats are one in ten, and much less steady. Lambs are drawn towards a common centre. Where numbers of images are
    informative, unsteady people have more.
    """

    people: int
    kind: Kind = "normal"
    sizes: Sizes = "equal"
    noise: float = 0.6
    dimensions: int = 16

    def steadiness(self, rng: np.random.Generator, n: int) -> np.ndarray:
        spread = {
            "normal": lambda: np.exp(0.25 * rng.normal(size=n)),
            "skewed": lambda: 0.6 + 0.4 * rng.exponential(size=n),
            "goats": lambda: np.where(rng.random(n) < 0.1, 2.2, 0.85),
            "lambs": lambda: np.exp(0.2 * rng.normal(size=n)),
        }
        return self.noise * spread[self.kind]()

    def images(self, rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
        """The images of so many new people, and whose they are."""
        unsteady = self.steadiness(rng, n)
        each = {
            "one": lambda: np.ones(n, dtype=np.int64),
            "equal": lambda: np.full(n, 3),
            "unequal": lambda: np.minimum(1 + rng.geometric(0.4, size=n), 12),
            "informative": lambda: np.where(unsteady > 1.25 * self.noise, 6, 2),
        }[self.sizes]()
        places = rng.normal(size=(n, self.dimensions))
        places /= np.linalg.norm(places, axis=1, keepdims=True)
        if self.kind == "lambs":
            pulled = 0.5 * (rng.random(n) < 0.15)[:, None]
            places = (1 - pulled) * places + pulled * np.eye(self.dimensions)[0]
            places /= np.linalg.norm(places, axis=1, keepdims=True)
        own = np.repeat(np.arange(n), each)
        images = places[own] + unsteady[own, None] * rng.normal(size=(len(own), self.dimensions)) / np.sqrt(
            self.dimensions
        )
        return images / np.linalg.norm(images, axis=1, keepdims=True), own

    def two_algorithms(
        self, rng: np.random.Generator, worse: float = 1.0
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Scores of two algorithms, each of which sees some people badly, the second so many times; and whose the images are."""
        images, own = self.images(rng, self.people)
        badly = 0.5 * self.noise * np.exp(0.5 * rng.normal(size=(2, self.people)))[:, own, None]
        badly[1] *= worse
        blurred = images + badly * rng.normal(size=(2, *images.shape)) / np.sqrt(self.dimensions)
        blurred /= np.linalg.norm(blurred, axis=2, keepdims=True)
        first, second = blurred @ blurred.swapaxes(1, 2)
        return first, second, own

    def drawn(self, rng: np.random.Generator) -> Compared:
        images, own = self.images(rng, self.people)
        i, j = np.triu_indices(len(own), 1)
        scores = (images @ images.T)[i, j]
        same = own[i] == own[j]
        return Compared(own[i[same]], scores[same], own[i[~same]], own[j[~same]], scores[~same])

    @cached_property
    def truth(self) -> tuple[np.ndarray, np.ndarray]:
        """Genuine and impostor closeness of very many people, ascending."""
        rng = np.random.default_rng(2027)
        genuine, impostor = [], []
        for _ in range(4):
            images, own = self.images(rng, 2000)
            first = np.repeat(np.arange(len(own)), np.bincount(own)[own])
            starts = np.searchsorted(own, own)
            second = starts[first] + np.arange(len(first)) - np.searchsorted(first, first)
            once = first < second
            genuine.append((images[first[once]] * images[second[once]]).sum(axis=1))
            a, b = rng.integers(len(own), size=(2, 100_000))
            other = own[a] != own[b]
            impostor.append((images[a[other]] * images[b[other]]).sum(axis=1))
        return np.sort(np.concatenate(genuine)), np.sort(np.concatenate(impostor))

    def area(self) -> float:
        genuine, impostor = self.truth
        return float(np.searchsorted(impostor, genuine).mean() / len(impostor))

    def fnmr_at(self, fmr: float) -> float:
        genuine, impostor = self.truth
        return float(np.searchsorted(genuine, np.quantile(impostor, 1 - fmr)) / len(genuine))

    def equal_error_rate(self) -> float:
        genuine, impostor = self.truth
        at = np.quantile(impostor, np.linspace(0, 1, 20_001))
        fnmr = np.searchsorted(genuine, at) / len(genuine)
        fmr = 1 - np.linspace(0, 1, 20_001)
        return float(fnmr[np.argmin(np.abs(fnmr - fmr))])
