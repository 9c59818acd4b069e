"""Make a blind test: choose its sets, give every image a random name, and write the package and its key."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import polars as pl

from proband._version import __version__
from proband.algorithms.pictures.acquire import EYE_COLUMNS
from proband.algorithms.pictures.pictures import Pictures
from proband.blind.checking.submission import DECLARATION
from proband.blind.checking.training import TestedPeople, check_training, require_salt, summary_of
from proband.blind.package.drawing import DrawnSets, draw, list_of, refuse_telling
from proband.blind.package.handout import form, readme, rules
from proband.blind.package.key import Key, write_privately
from proband.blind.package.key_table import LISTS
from proband.blind.package.package import FULLY, IMAGES, PARTIALLY, Package, PackageWriter, Version
from proband.blind.package.pictures import as_png, measured, padded
from proband.blind.package.sealing import chance, salt
from proband.engine import Progress, Silent
from proband.engine.files.files import make_directory, require_new, resolved, written_together
from proband.engine.files.placing import settle
from proband.engine.limits import Count, Seed
from proband.engine.moments import moment_of, show_moment, write_moment
from proband.errors import Hint, InputError, Said, UsageError
from proband.results.base import Record
from proband.results.serializing import Written
from proband.samples import Choice, Samples
from proband.words import Note, Sentence, given

_ENDS = {PARTIALLY: "partially", FULLY: "fully"}  # of the names of two versions made together
SEEDED = Sentence(
    "blind.seeded",
    "caution",
    "a seed was given, so anyone who guesses it has the key: use it only for rehearsals",
)
SIZES_KEPT = Sentence("blind.sizes-kept", "caution", "images keep their sizes, which may reveal identities")
WITHOUT_EYES = Sentence(
    "blind.without-eyes",
    "note",
    "{n:count image has/images have} no eye centres in the table, so no eye centres are given",
)
NAMES_BESIDE = Sentence(
    "blind.names-beside",
    "caution",
    "the package has no images; the key to the names is {file}: keep it secret",
)


@dataclass(frozen=True)
class Made(Record):
    """The packages that were made, the locations of their keys, and notes for the administrator."""

    written = Written({"packages": "listed"}, without=("keys",))

    packages: tuple[Package, ...]
    keys: tuple[Path, ...]
    notes: tuple[Note, ...]

    def __repr__(self) -> str:
        return f"Made({', '.join(str(package.path) for package in self.packages)})"

    @property
    def listed(self) -> tuple[dict[str, Any], ...]:
        """Each package: its location and that of its key, its digest, and the sizes of its lists."""
        return tuple(
            {
                "path": str(package.path),
                "key": str(key),
                "version": package.version,
                "digest": package.digest,
                "commitment": package.commitment,
                "opens": package.opens,
                "deadline": package.deadline,
                **{name: len(getattr(package, name)) for name in LISTS},
            }
            for package, key in zip(self.packages, self.keys, strict=True)
        )


@dataclass(frozen=True)
class BlindTest:
    """The specification of a blind test, written by `make`.

    Parameters
    ----------
    samples
        The table of samples.
    target, query
        The known and the unknown images, selected like a gallery and probes. Shared samples
        get two names.
    pictures
        The images; without them the packages are lists of names only.
    name
        The name of the test.
    versions
        ``"partially automatic"`` (with eye centres), ``"fully automatic"`` (without), or both: a package for each.
    canaries
        The number of images of each set that are repeated in it under a second name; by default 1 %, at least
        2 and at most 50.
    control
        The number of targets and of queries repeated in the control sets; by default 10 or all.
    keep
        Columns of the table to give to participants.
    keep_shapes
        Keep the size of each image, which may reveal its subject, instead of padding all to one size.
    training
        Declared training sets, as `read_training` reads them.
    training_salt
        The salt for hashing declarations, if it was announced before; by default random.
    seed
        A seed that makes the names repeatable, and the key as guessable as the seed; the package is marked as a rehearsal.
    opens, deadline
        When submissions open and close, with a time zone: ``2026-12-01T12:00Z``.

    Examples
    --------
    >>> samples = Samples({"id": ["a1", "a2", "b1", "b2"], "subject": list("aabb"), "session": [1, 2, 1, 2]})
    >>> BlindTest(samples, target="session == 1", query="session == 2").name
    'blind test'
    """

    samples: Samples
    target: Choice
    query: Choice
    pictures: Pictures | None = None
    name: str = "blind test"
    versions: Sequence[Version] = (FULLY,)
    canaries: Count | None = None
    control: Count | None = None
    keep: Sequence[str] = ()
    keep_shapes: bool = False
    training: dict[str, Any] = field(default_factory=dict)
    training_salt: str | None = None
    seed: Seed | None = None
    opens: str | None = None
    deadline: str | None = None

    def make(self, out: str | Path, key: str | Path, progress: Progress | None = None) -> Made:
        """Write packages and keys, completely or not at all.

        With several versions, the names of `out` and `key` get the suffixes ``-partially`` and ``-fully``.
        Without images, the names are also written next to the key, as ``…-names.csv``.

        Parameters
        ----------
        out
            The directory of the package; it must be new.
        key
            The file of the key; it must be new.
        progress
            The progress callback; silent by default.

        Returns
        -------
        Made
            The packages, the locations of their keys, and notes.
        """
        progress = progress or Silent()
        times = self._times()
        places = self._places(Path(out), Path(key))
        sets = DrawnSets.of(self.samples, self.target, self.query, self.canaries, self.control)
        eyes = EYE_COLUMNS if PARTIALLY in self.versions else ()
        refuse_telling(self.samples, sets, self.keep, eyes)
        tested = TestedPeople.of(self.samples, sets.samples)
        source = chance(self.seed)
        if not self.training_salt:
            require_salt(self.training)
        public = self.training_salt or salt()
        check_training(self.training, tested, public)
        sizes = None
        if self.pictures is not None:
            sizes = measured(self.pictures, sets.samples, progress)
            _require_eyes_inside(self.samples, sizes, eyes)
            if not self.keep_shapes:
                # All pictures are padded to the largest height and width.
                common = max(size[0] for size in sizes.values()), max(size[1] for size in sizes.values())
                sizes = dict.fromkeys(sizes, common)
        keys = [key for _, key in places]
        names = self._names_beside(keys)
        n = len(places)
        written = (*keys, *(path for path, _ in places), *names)
        with written_together(*written, check=lambda: require_new(*written)) as drafts:
            for place, version in enumerate(self.versions):
                made = self._write(
                    drafts[n + place], version, sets, tested, source, public, times, sizes, progress
                )
                made.write(drafts[place])
                if names:
                    write_privately(drafts[2 * n + place], made.table.write_csv().encode())
        packages = tuple(Package.read(path, verify=False) for path, _ in places)
        return Made(packages, tuple(keys), (*sets.notes, *self._notes(sets, sizes, names)))

    def _write(
        self,
        draft: Path,
        version: Version,
        sets: DrawnSets,
        tested: TestedPeople,
        source: random.Random,
        public: str,
        times: dict[str, str | None],
        sizes: dict[str, tuple[int, int]] | None,
        progress: Progress,
    ) -> Key:
        """Fill one package and return its key."""
        table = draw(sets, source)
        used = self.samples.take(self.samples.ids.positions(sets.samples))
        key = Key("", salt(), table, used, self.training, public, tested.others)
        columns = [*self.keep, *(EYE_COLUMNS if version == PARTIALLY else ())]
        parcel = PackageWriter(draft)
        counts = {}
        for name, role in LISTS.items():
            rows = list_of(table, role, used, columns)
            counts[name] = rows.height
            parcel.put(f"{name}.csv", rows.write_csv())
        if sizes is not None and self.pictures is not None:
            _put_pictures(parcel, self.pictures, table, sizes, progress)
        shape = _shape_of(sizes)
        parcel.put(
            "README.md",
            readme(self.name, version, counts, columns, shape, rehearsal=self.seed is not None, **times),
        )
        parcel.put(DECLARATION, form(public))
        stated = {
            "proband": __version__,
            "name": self.name,
            "version": version,
            "counts": counts,
            "columns": columns,
            "images": shape,
            "rules": rules(counts),
            "rehearsal": self.seed is not None,
            **times,
            "training": {name: summary_of(parts, public) for name, parts in self.training.items()},
            "training_salt": public,
            "commitment": key.commitment,
        }
        return replace(key, package=parcel.close(stated))

    def _times(self) -> dict[str, str | None]:
        """The opening and closing times, in UTC."""
        opens = None if self.opens is None else moment_of(self.opens, "The opening")
        deadline = None if self.deadline is None else moment_of(self.deadline, "The deadline")
        if opens is not None and deadline is not None and opens >= deadline:
            raise UsageError(
                f"The deadline {show_moment(write_moment(deadline))} is not after the opening {show_moment(write_moment(opens))}."
            )
        return {
            "opens": None if opens is None else write_moment(opens),
            "deadline": None if deadline is None else write_moment(deadline),
        }

    def _places(self, out: Path, key: Path) -> list[tuple[Path, Path]]:
        """The paths of the package and key of each version; they must not exist, nor a key be inside a package."""
        if sorted(self.versions) not in ([FULLY], [PARTIALLY], [FULLY, PARTIALLY]):
            raise UsageError(
                f"The versions of a blind test are {PARTIALLY!r}, {FULLY!r} or both, got {list(self.versions)}.",
                "give each version once.",
            )
        places = [(out, key)]
        if len(self.versions) > 1:
            ends = [_ENDS[version] for version in self.versions]
            places = [
                (out.with_name(f"{out.name}-{end}"), key.with_name(f"{key.stem}-{end}{key.suffix}"))
                for end in ends
            ]
        names = self._names_beside([key for _, key in places])
        for path in (*(path for pair in places for path in pair), *names):
            settle(path)
            require_new(path)
        for path, _ in places:
            if any(resolved(secret).is_relative_to(resolved(path)) for _, secret in places):
                raise UsageError(
                    f"The key would be written into the package {path} and be handed out with it.",
                    Hint("write it elsewhere: {option:key}"),
                    file=Said(path),
                )
        make_directory(out.parent)
        make_directory(key.parent)
        return places

    def _names_beside(self, keys: Sequence[Path]) -> list[Path]:
        """The paths of the names if there are no pictures."""
        return [key.with_name(f"{key.stem}-names.csv") for key in keys] if self.pictures is None else []

    def _notes(
        self, sets: DrawnSets, sizes: dict[str, tuple[int, int]] | None, names: Sequence[Path]
    ) -> list[Note]:
        notes = []
        if self.seed is not None:
            notes.append(SEEDED())
        if sizes is not None and len(set(sizes.values())) > 1:
            notes.append(SIZES_KEPT())
        if PARTIALLY in self.versions:
            used = self.samples.frame[self.samples.ids.positions(sets.samples)]
            without = used.filter(pl.any_horizontal(pl.col(EYE_COLUMNS).is_null())).height
            if without:
                notes.append(WITHOUT_EYES(n=without))
        return notes + [NAMES_BESIDE(file=str(path)) for path in names]


def _require_eyes_inside(samples: Samples, sizes: dict[str, tuple[int, int]], eyes: Sequence[str]) -> None:
    if not eyes:
        return
    marked = samples.frame[samples.ids.positions(sizes)].select(eyes).rows()
    for (name, (height, width)), (left_x, left_y, right_x, right_y) in zip(
        sizes.items(), marked, strict=True
    ):
        for x, y in ((left_x, left_y), (right_x, right_y)):
            if x is not None and y is not None and not (0 <= x < width and 0 <= y < height):
                raise InputError(
                    f"An eye of {name!r} is at ({given(x)}, {given(y)}), outside its image of {width} × {height} pixels.",
                    Hint(
                        "the table may describe the images before cropping; correct it, or give no eye "
                        "centres: {option:version=fully}."
                    ),
                )


def _put_pictures(
    parcel: PackageWriter,
    pictures: Pictures,
    table: pl.DataFrame,
    sizes: dict[str, tuple[int, int]],
    progress: Progress,
) -> None:
    """Write pictures in the order of their random names, so that the order of writing reveals nothing."""
    rows = table.sort("name").select("name", "sample").rows()
    progress.begin("writing pictures", len(rows))
    for name, sample in rows:
        picture = padded(pictures.load(sample), sizes[sample])
        parcel.put(f"{IMAGES}/{name}.png", as_png(picture))
        progress.advance(1)


def _shape_of(sizes: dict[str, tuple[int, int]] | None) -> str | None:
    """Describe the pictures to participants."""
    if sizes is None:
        return None
    shapes = set(sizes.values())
    if len(shapes) > 1:
        return "the images, grey, of several sizes"
    ((height, width),) = shapes
    return f"the images, grey, {width} × {height} pixels"
