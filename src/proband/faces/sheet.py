"""A contact sheet of many small images."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from proband.errors import UsageError
from proband.words import count

if TYPE_CHECKING:
    from PIL.Image import Image

GAP = 4  # pixels between images
LABEL_HEIGHT = 14
PAPER, INK = 255, 40


def contact_sheet(
    images: NDArray[np.uint8], columns_per_row: int, labels: Sequence[str] | None = None
) -> Image:
    """Arrange images on a sheet, row by row.

    Parameters
    ----------
    images
        uint8, (images, height, width).
    columns_per_row
        Number of images side by side.
    labels
        A line to print below each image.

    Returns
    -------
    PIL.Image.Image
        The sheet as one image.

    Examples
    --------
    >>> contact_sheet(np.zeros((3, 40, 30), dtype=np.uint8), 2).size
    (72, 92)
    """
    from PIL import Image, ImageDraw

    if images.ndim != 3 or len(images) == 0:
        raise UsageError(
            f"A contact sheet needs images of shape (images, height, width), got {images.shape}.",
            "for a single image pass images[None].",
        )
    if columns_per_row < 1:
        raise UsageError(f"columns_per_row must be at least 1, got {columns_per_row}.")
    if labels is not None and len(labels) != len(images):
        raise UsageError(f"There are {count(len(labels))} labels for {count(len(images))} images.")
    n, height, width = images.shape
    across = min(columns_per_row, n)
    step_x = width + GAP
    step_y = height + GAP + (LABEL_HEIGHT if labels is not None else 0)
    sheet = Image.new("L", (across * step_x + GAP, math.ceil(n / across) * step_y + GAP), PAPER)
    pen = ImageDraw.Draw(sheet)
    for number, image in enumerate(images):
        row, column = divmod(number, across)
        x, y = GAP + column * step_x, GAP + row * step_y
        sheet.paste(Image.fromarray(image), (x, y))
        if labels is not None:
            pen.text((x + 1, y + height + 1), labels[number], fill=INK)
    return sheet
