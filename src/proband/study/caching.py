"""What was computed before, found again by everything it depends on, so that a run goes on where it was stopped."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from proband.engine import written_whole
from proband.engine.files import make_directory, reading
from proband.errors import InputError
from proband.study.packing import DamagedError, pack, unpack

Result = TypeVar("Result")

_ENDING = ".kept"
_DIGESTS = "digests.json"
_CHUNK = 1 << 20
# A file that changed this recently may change again without its time of change moving on.
_SETTLED = 2.0


class Digest(NamedTuple):
    """The size and the SHA-256 of a file's content, or of all files of a directory."""

    n_bytes: int
    sha256: str


@dataclass(frozen=True)
class _Remembered:
    """A file's digest, and how the file looked when it was made."""

    looks: list[int]
    digest: Digest


class Cache:
    """Results of the costly steps of a study, a file for each, in a directory beside its run directory.

    An entry is named after everything it depends on, so that a changed input, parameter or version finds nothing of the others.
    Entries that are damaged are made again. Nothing is written before the first result is kept.

    Parameters
    ----------
    directory
        Where entries are; None keeps nothing.
    """

    def __init__(self, directory: Path | None) -> None:
        self.directory = directory
        self.found: list[str] = []
        self.made: list[str] = []
        self._used: set[str] = set()
        self._digests = self._remembered()

    def step(
        self,
        name: str,
        depends_on: Mapping[str, Any],
        make: Callable[[], Result],
        given: Mapping[str, object] | None = None,
    ) -> Result:
        """Return what `make` makes, or what it made before.

        Parameters
        ----------
        name
            What is made, for the name of the file.
        depends_on
            All that the result depends on: plain values.
        given
            Large objects that the result refers to, by name: kept by name only.
        """
        if self.directory is None:
            self.made.append(name)
            return make()
        text = json.dumps([name, depends_on, _code()], sort_keys=True, ensure_ascii=False)
        path = self.directory / f"{name}-{hashlib.sha256(text.encode()).hexdigest()[:32]}{_ENDING}"
        self._used.add(path.name)
        kept, is_kept = self._kept(path, given or {})
        if is_kept:
            self.found.append(name)
            return kept  # type: ignore[no-any-return]
        result = make()
        self.made.append(name)
        self._write(path, pack(result, given or {}))
        return result

    def digest(self, path: Path) -> Digest:
        """The digest of a file; of a directory, that of its files' names and digests."""
        if not path.is_dir():
            return self._of_file(path)
        parts = [
            (one.relative_to(path).as_posix(), self._of_file(one))
            for one in sorted(path.rglob("*"))
            if one.is_file()
        ]
        listed = "".join(f"{digest.sha256}  {name}\n" for name, digest in parts)
        return Digest(sum(digest.n_bytes for _, digest in parts), hashlib.sha256(listed.encode()).hexdigest())

    def finish(self) -> None:
        """Remember the digests of the inputs, and forget entries that this run had no use for."""
        if self.directory is None or not self.directory.is_dir():
            return
        for path in self.directory.glob(f"*{_ENDING}"):
            if path.name not in self._used:
                path.unlink(missing_ok=True)
        self._remember()

    def _kept(self, path: Path, given: Mapping[str, object]) -> tuple[Any, bool]:
        try:
            return unpack(path.read_bytes(), given), True
        except (OSError, DamagedError):  # not there, or not as it was written
            return None, False

    def _write(self, path: Path, content: bytes) -> None:
        if not path.parent.is_dir():
            make_directory(path.parent)
            self._remember()
        with written_whole(path) as draft:
            draft.write_bytes(content)

    def _of_file(self, path: Path) -> Digest:
        with reading(path, "a file"):
            found = path.stat()
            looks = [found.st_size, found.st_mtime_ns, found.st_ctime_ns]
            before = self._digests.get(str(path.resolve()))
            if before is not None and before.looks == looks:
                return before.digest
            hashed = hashlib.sha256()
            with path.open("rb") as file:
                while part := file.read(_CHUNK):
                    hashed.update(part)
        digest = Digest(found.st_size, hashed.hexdigest())
        if time.time() - max(found.st_mtime, found.st_ctime) > _SETTLED:
            self._digests[str(path.resolve())] = _Remembered(looks, digest)
        return digest

    def _remembered(self) -> dict[str, _Remembered]:
        if self.directory is None:
            return {}
        try:
            listed = json.loads((self.directory / _DIGESTS).read_text(encoding="utf-8"))
            return {
                str(path): _Remembered([int(n) for n in looks], Digest(int(size), str(sha256)))
                for path, looks, size, sha256 in listed
            }
        except (OSError, TypeError, ValueError):  # not there, or not as it was written
            return {}

    def _remember(self) -> None:
        assert self.directory is not None  # asked before
        listed = [[path, one.looks, *one.digest] for path, one in sorted(self._digests.items())]
        with written_whole(self.directory / _DIGESTS) as draft:
            draft.write_text(json.dumps(listed, indent=0) + "\n", encoding="utf-8")


@cache
def _code() -> str:
    """The digest of this package's own code: between two releases it has one version and many forms."""
    package = Path(__file__).parent.parent
    hashed = hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        hashed.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return hashed.hexdigest()


def beside(directory: Path) -> Path:
    """Where the cache of a run directory is: hidden beside it."""
    whole = directory.resolve()
    found = whole.with_name(f".{whole.name}.cache")
    if found.is_symlink():
        raise InputError(
            f"The cache {found} is a link, and may lead anywhere.", "remove it, or give --no-cache."
        )
    return found
