"""Error rates of the search for copies: photographs wrongly called copies, and copies that are missed.

``python -m benchmarks.copies`` uses synthetic people who change only their expression, and others photographed twice in a row.
``--images FILE.npz`` (arrays images and subject) uses real images. ``--known PAIRS.csv`` lists the true copies among them, as
``proband audit --csv copies=PAIRS.csv`` writes them, checked by hand. docs/methods/audit.md has the tables.
"""

from __future__ import annotations

import argparse
import io
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
from PIL import Image, ImageFilter

from proband.faces.appearance import EXPRESSIONS, Expression
from proband.faces.plan import Take
from proband.faces.population import Subject
from proband.faces.render import render_image
from proband.protocols.audit.duplicates import duplicate_pictures

Grey = npt.NDArray[np.uint8]
Change = Callable[[Grey], Grey]


def jpeg(quality: int) -> Change:
    def changed(picture: Grey) -> Grey:
        held = io.BytesIO()
        Image.fromarray(picture).save(held, "JPEG", quality=quality)
        return np.asarray(Image.open(held).convert("L"))

    return changed


def resized(scale: float) -> Change:
    def changed(picture: Grey) -> Grey:
        size = [max(8, round(scale * side)) for side in picture.shape[::-1]]
        return np.asarray(Image.fromarray(picture).resize((size[0], size[1]), Image.Resampling.BICUBIC))

    return changed


def cut(top: float, bottom: float, left: float, right: float) -> Change:
    def changed(picture: Grey) -> Grey:
        height, width = picture.shape
        rows = slice(round(top * height), height - round(bottom * height))
        return picture[rows, round(left * width) : width - round(right * width)]

    return changed


def levels(gain: float, offset: float) -> Change:
    return lambda picture: np.clip(np.rint(gain * picture.astype(float) + offset), 0, 255).astype(np.uint8)


def gamma(power: float) -> Change:
    return lambda picture: np.rint(255 * (picture / 255.0) ** power).astype(np.uint8)


def noisy(spread: float) -> Change:
    def changed(picture: Grey) -> Grey:
        noise = np.random.default_rng(1).normal(0, spread, picture.shape)
        return np.clip(picture + noise, 0, 255).astype(np.uint8)

    return changed


def turned(degrees: float) -> Change:
    return lambda picture: np.asarray(
        Image.fromarray(picture).rotate(degrees, Image.Resampling.BICUBIC, fillcolor=int(np.median(picture)))
    )


def mirrored(picture: Grey) -> Grey:
    return np.ascontiguousarray(picture[:, ::-1])


def blurred(picture: Grey) -> Grey:
    return np.asarray(Image.fromarray(picture).filter(ImageFilter.GaussianBlur(1)))


def both(first: Change, second: Change) -> Change:
    return lambda picture: second(first(picture))


ALTERATIONS: dict[str, Change] = {
    "JPEG, quality 90": jpeg(90),
    "JPEG, quality 50": jpeg(50),
    "JPEG, quality 30": jpeg(30),
    "JPEG, quality 10": jpeg(10),
    "1.5 times as large": resized(1.5),
    "three quarters": resized(0.75),
    "half": resized(0.5),
    "a quarter": resized(0.25),
    "half, then JPEG 50": both(resized(0.5), jpeg(50)),
    "cut by 2 % all round": cut(0.02, 0.02, 0.02, 0.02),
    "cut by 5 % all round": cut(0.05, 0.05, 0.05, 0.05),
    "cut by 10 % all round": cut(0.1, 0.1, 0.1, 0.1),
    "cut by 5 % at a side": cut(0, 0.05, 0, 0),
    "cut by 5 % at a corner": cut(0.05, 0, 0, 0.05),
    "30 levels brighter": levels(1, 30),
    "30 levels darker": levels(1, -30),
    "contrast × 0.6": levels(0.6, 40),
    "gamma 0.6": gamma(0.6),
    "gamma 1.6": gamma(1.6),
    "mirrored": mirrored,
    "mirrored, cut by 5 %, JPEG 50": both(mirrored, both(cut(0.05, 0.05, 0.05, 0.05), jpeg(50))),
    "blurred by a pixel": blurred,
    "noise of 5 levels": noisy(5),
    "turned by 1°": turned(1),
}


def expressions(n_people: int, seed: int = 3) -> tuple[list[Grey], list[int]]:
    """People who sit still before one camera and change their expression, six pictures each."""
    images, people = [], []
    for number in range(n_people):
        subject = Subject(seed, number, 1.0)
        identity = subject.identity()
        sitting, shot = subject.appear(identity, Take(1, 0, 0, "fa", "neutral"))
        for order, strengths in enumerate(EXPRESSIONS.values()):
            posed = replace(shot, expression=Expression(*strengths))
            images.append(render_image(identity, sitting, posed, 192, 160, subject.stream(9, order)))
            people.append(number)
    return images, people


def exposures(n_people: int, movement: float = 1.0, seed: int = 3) -> tuple[list[Grey], list[int]]:
    """People photographed twice in a row from a tripod with the same expression, two pictures each.

    Between the two the expression changes by a twentieth of its strength, the head turns by a fraction of a degree and moves by a pixel or
    less, times the `movement`; and the noise of the sensor is another.
    """
    images, people = [], []
    for number in range(n_people):
        subject = Subject(seed, number, 1.0)
        identity = subject.identity()
        sitting, shot = subject.appear(identity, Take(1, 0, 0, "fa", "neutral"))
        strengths = [*EXPRESSIONS.values()][number % len(EXPRESSIONS)]
        rng = np.random.default_rng([seed, number])
        for order in range(2):
            by = movement * order * rng.normal(size=11)
            again = replace(
                shot,
                expression=Expression(*(np.asarray(strengths) + 0.05 * by[:5]).tolist()),
                yaw=shot.yaw + 0.4 * by[5],
                pitch=shot.pitch + 0.3 * by[6],
                roll=shot.roll + 0.2 * by[7],
                shift_x=shot.shift_x + 0.008 * by[8],
                shift_y=shot.shift_y + 0.008 * by[9],
                scale=shot.scale * (1 + 0.003 * by[10]),
            )
            images.append(render_image(identity, sitting, again, 192, 160, subject.stream(9, order)))
            people.append(number)
    return images, people


def alike_pairs(images: list[Grey]) -> tuple[int, int]:
    """How many pairs are called near copies, and how many only alike."""
    held = dict(zip(map(str, range(len(images))), images, strict=True))
    pairs = duplicate_pictures(held.__getitem__, list(held)).pairs
    near = int(pairs["near"].sum())
    return near, pairs.height - near


def found_pairs(images: list[Grey]) -> set[tuple[int, int]]:
    """The pairs of pictures that are called copies, exact or near."""
    held = dict(zip(map(str, range(len(images))), images, strict=True))
    copies = duplicate_pictures(held.__getitem__, list(held))
    members: dict[int, list[int]] = {}
    for name, group in zip(copies.ids, copies.groups.tolist(), strict=True):
        members.setdefault(group, []).append(int(name))
    pairs = {pair for group in members.values() for pair in combinations(sorted(group), 2)}
    for one, other in copies.pairs.filter("near").select("one", "other").iter_rows():
        pairs |= {(min(a, b), max(a, b)) for a in members[one] for b in members[other]}
    return pairs


def false_copies(
    images: list[Grey],
    people: list[Any],
    known: set[tuple[int, int]] = frozenset(),  # type: ignore[assignment]
) -> tuple[int, int, int]:
    """How many pairs of other photographs are called copies, of how many of one person, and how many known copies are found."""
    found = found_pairs(images)
    counts = np.unique(np.asarray(people), return_counts=True)[1]
    return len(found - known), int((counts * (counts - 1) // 2).sum()) - len(known), len(found & known)


def misses(images: list[Grey]) -> Iterator[tuple[str, int]]:
    """For each alteration how many of the pictures are not found beside their altered copy."""
    n = len(images)
    for name, change in ALTERATIONS.items():
        found = found_pairs([*images, *map(change, images)])
        yield name, sum((k, n + k) not in found for k in range(n))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.copies", description=__doc__)
    parser.add_argument("--images", type=Path)
    parser.add_argument("--known", type=Path)
    parser.add_argument("--id", default="filename")
    parser.add_argument("--people", type=int, default=60)
    parser.add_argument("--altered", type=int, default=60, help="pictures that are altered, one a person")
    given = parser.parse_args()
    names: list[str] = []
    if given.images is None:
        images, people = expressions(given.people)
    else:
        with np.load(given.images) as held:
            arrays = {name: held[name] for name in ("images", "subject")}
            names = held[given.id].astype(str).tolist() if given.id in held else []
        images, people = list(arrays["images"]), arrays["subject"].tolist()
    known = set()
    if given.known is not None:
        place = {name: number for number, name in enumerate(names)}
        for row in pl.read_csv(given.known).to_dicts():
            one, other = sorted((place[str(row["one"])], place[str(row["other"])]))
            known.add((one, other))
    wrong, n_pairs, right = false_copies(images, people, known)
    print(
        f"{len(images)} pictures; {wrong} false copies among {n_pairs} pairs of one person; {right} of {len(known)} known copies found"
    )
    if given.images is None:
        for movement in (0.0, 1.0, 2.0, 4.0):
            near, alike = alike_pairs(exposures(given.people, movement)[0])
            print(
                f"two exposures, movement {movement:g}: {near} near copies and {alike} alike of {given.people}"
            )
    firsts = [people.index(person) for person in dict.fromkeys(people)][: given.altered]
    for name, n_missed in misses([images[place] for place in firsts]):
        print(f"| {name} | {n_missed} of {len(firsts)} |", flush=True)


if __name__ == "__main__":
    main()
