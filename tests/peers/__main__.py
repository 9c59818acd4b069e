"""Make the expected values of peers anew and compare them with the committed ones: ``python -m tests.peers [--write] [PEER ...]``.

Each peer answers in an environment of its own, which is set up first. One that cannot be installed is said and left out. An answer
may differ by the tolerance that its file states; other versions are said and are no difference.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.peers import PEERS, BrokenPeerError, NotInstalledError, Peer, run_child
from benchmarks.peers.__main__ import set_up
from tests.golden.running import differences

EXPECTED = Path(__file__).parent / "expected"
COMPARED = ("scikit-learn", "torchmetrics", "bob.measure", "pyeer")


def file_of(peer: Peer) -> Path:
    """Where the answers of a peer are kept."""
    return EXPECTED / f"{peer.script.stem}.json"


def answers_of(peer: Peer) -> str:
    """What a peer answers now, as its script writes it."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "answers.json"
        return run_child(peer, [peer.python, "-m", f"tests.peers.{peer.script.stem}", str(place)], place)


def changes(kept: dict[str, Any], anew: dict[str, Any]) -> list[str]:
    """Where answers differ from those that were kept, versions aside."""
    told = differences(kept | {"versions": {}}, anew | {"versions": {}}, relative=float(kept["tolerance"]))
    return [one.lstrip("/") for one in told]


def check(peer: Peer, keep: bool) -> bool:
    """Say whether a peer still answers what was kept; or keep what it answers now."""
    try:
        text = answers_of(peer)
    except NotInstalledError:
        print(f"{peer.name}: SKIPPED, not installed", flush=True)
        return True
    except BrokenPeerError as error:
        print(f"{peer.name}: FAILED, {error}", flush=True)
        return False
    if keep:
        file_of(peer).write_text(text)
        print(f"{peer.name}: written", flush=True)
        return True
    kept, anew = json.loads(file_of(peer).read_text()), json.loads(text)
    told = changes(kept, anew)
    versions = ", ".join(f"{name} {one}" for name, one in anew["versions"].items())
    before = ", ".join(f"{name} {one}" for name, one in kept["versions"].items())
    other = "" if versions == before else f" (kept: {before})"
    verdict = f"{len(told)} DIFFERENT" if told else f"the same to {kept['tolerance']:g}"
    print(
        f"{peer.name}: {verdict}, {versions}{other}", *(f"  {one}" for one in told[:20]), sep="\n", flush=True
    )
    return not told


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.peers", description=__doc__)
    parser.add_argument("peers", nargs="*", metavar="PEER", help=", ".join(COMPARED))
    parser.add_argument("--write", action="store_true", help="keep what they answer now")
    asked = parser.parse_args(argv)
    unknown = [name for name in asked.peers if name not in COMPARED]
    if unknown:
        parser.error(f"there is no peer {unknown[0]}; there are {', '.join(COMPARED)}")
    peers = [PEERS[name] for name in asked.peers or COMPARED]
    for peer in peers:
        print(f"{peer.name}: {set_up(peer)}", flush=True)
    fine = [check(peer, asked.write) for peer in peers]
    return 0 if all(fine) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
