"""What program this is: the digest of its own code, for whatever depends on that."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path


@cache
def code_digest() -> str:
    """The digest of this package's own code: between two releases it has one version and many forms."""
    package = Path(__file__).parent.parent
    hashed = hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        hashed.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return hashed.hexdigest()
