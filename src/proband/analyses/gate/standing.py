"""The two algorithms of a gate, and the check of the pinned baseline."""

from __future__ import annotations

from proband.analyses.gate.request import GateRequest
from proband.errors import InputError, meant
from proband.inference.comparisons.gate import Pinned
from proband.study.inputs import Algorithm, Inputs
from proband.study.refusals import RequestError
from proband.study.requests import EmbeddingSource


def candidate_and_baseline(request: GateRequest, inputs: Inputs) -> tuple[int, int]:
    """Indices of the new algorithm and the baseline among the algorithms read."""
    names = [one.name for one in inputs.algorithms]
    found = {}
    for key in ("baseline", "candidate"):
        name = getattr(request, key)
        if name is not None and name not in names:
            raise RequestError(("gate", key), f"there is no algorithm {name!r}", meant(name, names))
        found[key] = None if name is None else names.index(name)
    baseline = found["baseline"]
    assert baseline is not None  # as the request made sure
    others = [place for place in range(len(names)) if place != baseline]
    if found["candidate"] is not None:
        return found["candidate"], baseline
    if len(others) != 1:
        listed = ", ".join(names[place] for place in others) or "none"
        raise RequestError(
            ("gate", "candidate"),
            f"expected one new algorithm in addition to the baseline, got {len(others)}: {listed}",
            "name the new algorithm." if others else "pass its scores too.",
        )
    return others[0], baseline


def pinned(request: GateRequest, baseline: Algorithm, inputs: Inputs) -> Pinned | None:
    """The file of the baseline; raises an error if its digest differs from the pinned digest."""
    source = baseline.source
    file = None if source is None else next((one for one in inputs.files if one.name == source.file), None)
    if source is None or file is None:
        if request.digest is not None:
            raise RequestError(
                ("gate", "digest"),
                "the baseline was not read from a file, so it has no digest",
                "omit the digest.",
            )
        return None
    if request.digest not in (None, file.sha256):
        raise InputError(
            f"the baseline is not the pinned file: expected SHA-256 {request.digest}, got {file.sha256}.",
            "restore the file, or pin the new baseline deliberately: losses within the margin add up.",
            file=file.name,
        )
    return Pinned(
        file.name,
        file.sha256,
        source.key,
        isinstance(source, EmbeddingSource),
        by_digest=request.digest is not None,
    )
