"""What keys of study files used to be called: the one table that hints and ``proband migrate`` go by."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass


@dataclass(frozen=True)
class Rename:
    """A key that has another name now.

    Attributes
    ----------
    was, now
        Its old and its new name.
    into
        The section that has it now, where its own section does not.
    value
        How its value is written now, where that changed.
    given
        The values by which the old key is known, where its name means something else now.
    """

    was: str
    now: str
    into: str | None = None
    value: str = ""
    given: tuple[str, ...] = ()

    def rewritten(self, value: object) -> str | None:
        """The value as it is written now; None where it stays as it is."""
        return self.value.format(value) if self.value else None


RENAMES = (
    Rename("count", "counting"),
    Rename("level", "confidence_level"),
    Rename("replicates", "n_resamples"),
    Rename("trials", "n_resamples"),
    Rename("test", "design"),
    Rename("confidence", "confidence_level", into="output"),
    Rename("id", "id_column"),
    Rename("subject", "subject_column"),
    Rename("subject", "cluster"),
    Rename("group", "cluster"),
    Rename("orientation_check", "check_orientation"),
    Rename("system", "algorithm"),
    Rename("systems", "algorithms"),
    Rename("images", "n_images"),
    Rename("rank", "measure", value="rank-{}"),
    Rename("median_rank", "measure", value="median-rank@{}"),
    Rename("fnmr_at", "measure", value="fnmr@{}"),
    Rename("auc", "measure", value="auc"),
    Rename("pairs", "image_pairs", given=("between", "within")),
)
"""Every rename there has been; a section that still knows the old name keeps it."""


def rename_of(key: str, known: Collection[str], value: object = None) -> Rename | None:
    """How a key is called now that a section does not know, or knows for something else; None where it never was one there.

    Examples
    --------
    >>> rename_of("count", ["gallery", "counting"])
    Rename(was='count', now='counting', into=None, value='', given=())
    >>> rename_of("count", ["gallery"])
    """
    meant = (
        rename
        for rename in RENAMES
        if rename.was == key
        and (rename.now in known or rename.into is not None)
        and (value in rename.given if rename.given else key not in known)
    )
    return next(meant, None)
