"""Digests that reveal changed files or forged keys, and unpredictable names."""

from __future__ import annotations

import hashlib
import json
import random
import secrets
from collections.abc import Mapping
from typing import Any

_LETTERS = "bcdfghjklmnpqrstvwxz"  # no vowels, no digits: neither a word, a number nor a missing value
_LENGTH = 12
_SALT_BITS = 256


def canonical(content: Any) -> bytes:
    """Return content as canonical JSON for digests: sorted keys, no spaces, UTF-8."""
    return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def digest_of(content: bytes) -> str:
    """Take the SHA-256 of bytes, as hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def digest_of_files(digests: Mapping[str, str]) -> str:
    """Take the SHA-256 of a list of files: the lines that ``sha256sum`` prints, in the order of the bytes of the paths."""
    ordered = sorted(digests.items(), key=lambda item: item[0].encode())
    return digest_of("".join(f"{digest}  {name}\n" for name, digest in ordered).encode())


def chance(seed: int | None) -> random.Random:
    """Return the secure random source of the operating system, or with a seed a repeatable (and so guessable) source."""
    return secrets.SystemRandom() if seed is None else random.Random(seed)  # noqa: S311


def salt() -> str:
    """Draw 256 bits from the secure source, as hexadecimal digits: a salt is public, and must not reveal a seed."""
    return secrets.token_hex(_SALT_BITS // 8)


def random_names(n: int, source: random.Random) -> list[str]:
    """Draw `n` different names of twelve consonants, in random order."""
    names: dict[str, None] = {}
    while len(names) < n:
        names["".join(source.choices(_LETTERS, k=_LENGTH))] = None
    return list(names)
