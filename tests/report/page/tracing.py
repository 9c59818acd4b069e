"""Paths of SVG, followed with a finger."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np


def followed(data: str) -> np.ndarray:
    """The points of a path, by walking along it."""
    places: list[tuple[float, float]] = []
    x = y = 0.0
    for command, rest in re.findall(r"([MLHVhvlz])([^MLHVhvlz]*)", data):
        values = [float(one) for one in re.findall(r"-?\d*\.?\d+", rest)]
        if command in "ML":
            x, y = values
        elif command == "z":
            continue
        elif command in "HV":
            x, y = (values[0], y) if command == "H" else (x, values[0])
        else:
            x += values[0] if command in "hl" else 0.0
            y += values[-1] if command in "vl" else 0.0
        places.append((x, y))
    return np.array(places)


def distances(x: np.ndarray, y: np.ndarray, line: np.ndarray) -> np.ndarray:
    """How far points are from a broken line, piece by piece."""
    nearest = np.full(len(x), np.inf)
    for (x1, y1), (x2, y2) in pairwise(line):
        length = (x2 - x1) ** 2 + (y2 - y1) ** 2
        along = 0.0 if length == 0 else np.clip(((x - x1) * (x2 - x1) + (y - y1) * (y2 - y1)) / length, 0, 1)
        nearest = np.minimum(nearest, np.hypot(x - x1 - along * (x2 - x1), y - y1 - along * (y2 - y1)))
    return nearest
