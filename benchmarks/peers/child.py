"""Ask one peer, in its own environment: ``python -m benchmarks.peers.child PEER CALL FOLDER REPEATS``."""

from __future__ import annotations

import importlib
import inspect
import json
import sys
import time
from importlib.metadata import version
from pathlib import Path

from benchmarks.job import best_of
from benchmarks.peers import ABSENT, ANSWER, PEERS


def main(name: str, call: str, place: str, repeats: str) -> int:
    peer, folder = PEERS[name], Path(place)
    try:
        import numpy as np

        script = importlib.import_module(f"benchmarks.peers.{peer.script.stem}")
    except ImportError as error:
        print(error, file=sys.stderr)
        return ABSENT
    prepare = getattr(script, call)
    arrays = {one: np.load(folder / f"{one}.npy") for one in inspect.signature(prepare).parameters}
    timed, read = prepare(**arrays)
    seconds, found = best_of(int(repeats), timed, time.process_time)
    answer = {key: np.asarray(value).tolist() for key, value in read(found).items()}
    said = {"seconds": seconds, "version": version(peer.name), "answer": answer}
    (folder / ANSWER).write_text(json.dumps(said))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
