"""A cache of computed results, keyed by everything they depend on, so that an interrupted run continues."""

from __future__ import annotations

import hashlib
import json
import logging
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from proband.engine import written_whole
from proband.engine.files.files import content_of, make_directory, opened, reading, resolved
from proband.engine.files.names import in_order
from proband.engine.files.placing import require_name, settle
from proband.engine.files.shards import files_beside, shard_files, shards_root
from proband.engine.source_digest import code_digest
from proband.errors import Hint, InputError
from proband.samples.directories import pattern_in
from proband.study.packing import DamagedError, pack, unpack

Result = TypeVar("Result")

_LOG = logging.getLogger(__name__)
_ENDING = ".kept"
LAST_RUN = "last-run.json"


class Digest(NamedTuple):
    """The size and the SHA-256 of a file's content, or of all files of a directory."""

    n_bytes: int
    sha256: str


class Cache:
    """Results of the expensive steps of a study, one file each, in a directory next to its run directory.

    The name of an entry, and its digest, depend on everything the result depends on, so that a changed input,
    parameter or version never finds an old entry. Damaged entries are recomputed, and that is logged. Nothing
    is written before the first result is kept.

    Parameters
    ----------
    directory
        Directory of the entries; None keeps nothing.

    Attributes
    ----------
    found, made, damaged
        The steps that were found, that were made, and that were not as they were kept.
    at_finish
        What forgets things that others keep in the directory, when the run is over.
    """

    def __init__(self, directory: Path | None) -> None:
        if directory is not None:
            require_name(directory)
        self.directory = directory
        self.found: list[str] = []
        self.made: list[str] = []
        self.damaged: list[str] = []
        self.at_finish: list[Callable[[], object]] = []
        self._used: set[str] = set()

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
        key = json.dumps([name, depends_on, code_digest()], sort_keys=True, ensure_ascii=False)
        path = self.directory / f"{name}-{hashlib.sha256(key.encode()).hexdigest()[:32]}{_ENDING}"
        self._used.add(path.name)
        try:
            kept: Result = unpack(content_of(path), given or {}, key)
        except FileNotFoundError:
            pass
        except (OSError, DamagedError):
            self.damaged.append(name)
            _LOG.warning("%s was changed or damaged, so %s is recomputed.", path, name)
        else:
            self.found.append(name)
            return kept
        result = make()
        self.made.append(name)
        make_directory(self.directory)
        with written_whole(path) as draft:
            draft.write_bytes(pack(result, given or {}, key))
        return result

    def digest(self, path: Path) -> Digest:
        """The digest of a file; of a directory or a pattern, that of its files' names and digests."""
        path, _ = pattern_in(path)
        settle(path)
        files = in_order(path.rglob("*")) if path.is_dir() else files_beside(shard_files(path))
        if not files and not path.is_dir():
            return _of_file(path)
        parts = [
            (one.relative_to(shards_root(path)).as_posix(), _of_file(one)) for one in files if one.is_file()
        ]
        listed = "".join(f"{digest.sha256}  {name}\n" for name, digest in parts)
        return Digest(sum(digest.n_bytes for _, digest in parts), hashlib.sha256(listed.encode()).hexdigest())

    def finish(self) -> None:
        """Say what came from here and what did not, and forget entries that this run had no use for."""
        if self.directory is None or not self.directory.is_dir():
            return
        for path in self.directory.glob(f"*{_ENDING}"):
            if path.name not in self._used:
                path.unlink(missing_ok=True)
        for forget in self.at_finish:
            forget()
        steps = {"found": self.found, "made": self.made, "damaged": self.damaged}
        with written_whole(self.directory / LAST_RUN) as draft:
            draft.write_text(json.dumps(steps, indent=1) + "\n", encoding="utf-8", newline="\n")
        if self.found:
            several = [f"{name} ({n})" if n > 1 else name for name, n in Counter(self.found).items()]
            _LOG.info("from the cache %s: %s", self.directory, ", ".join(several))


def _of_file(path: Path) -> Digest:
    # Always of all the bytes: a size and a time can be those of another content.
    with reading(path, "a file"), opened(path) as file:
        hashed = hashlib.file_digest(file, "sha256")
        return Digest(file.tell(), hashed.hexdigest())


def beside(directory: Path) -> Path:
    """Where the cache of a run directory is: hidden beside it."""
    whole = resolved(directory)
    found = whole.with_name(f".{whole.name}.cache")
    if found.is_symlink():
        raise InputError(
            f"The cache {found} is a link, which is not followed.", Hint("remove it, or {give:cache=off}.")
        )
    return found
