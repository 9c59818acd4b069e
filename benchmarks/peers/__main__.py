"""Set up the environments of the peers: ``python -m benchmarks.peers [PEER ...]``.

What cannot be installed is said and left out; the benchmark then says "not installed" in its rows.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import venv

from benchmarks.peers import PEERS, NotInstalledError, Peer


def set_up(peer: Peer) -> str:
    """Make the environment of a peer, and say what came of it."""
    if not peer.requires:
        return "is there" if _in_r(peer) else f"needs R with the package {peer.name}; left out"
    if peer.is_set_up:
        return "is there"
    shutil.rmtree(peer.folder, ignore_errors=True)
    venv.create(peer.folder, with_pip=True)
    pip = [str(peer.folder / "bin" / "python"), "-m", "pip", "--disable-pip-version-check", "install"]
    done = subprocess.run([*pip, "--quiet", *peer.requires], capture_output=True, text=True, check=False)
    if done.returncode:
        shutil.rmtree(peer.folder)
        return (
            f"cannot be installed, left out: {(done.stderr.strip().splitlines() or ['no reason given'])[-1]}"
        )
    peer.stamp.write_text("\n".join(peer.requires))
    return "installed"


def _in_r(peer: Peer) -> bool:
    try:
        rscript = peer.command[0]
    except NotInstalledError:
        return False
    look = f"quit(status = !requireNamespace('{peer.name}', quietly = TRUE))"
    return subprocess.run([rscript, "-e", look], check=False).returncode == 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=__doc__)
    parser.add_argument("peers", nargs="*", metavar="PEER", help=", ".join(PEERS))
    asked = parser.parse_args().peers or list(PEERS)
    for name in asked:
        if name not in PEERS:
            parser.error(f"there is no peer {name}; there are {', '.join(PEERS)}")
    for name in asked:
        print(f"{name}: {set_up(PEERS[name])}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
