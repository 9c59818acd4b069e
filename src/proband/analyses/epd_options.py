"""Options that protocols and audits of splits share."""

from __future__ import annotations

from typing import Literal

Task = Literal["identity", "attribute"]
TASK = "Recognise subjects, or an attribute of theirs. Default: by whether there is a label."
LABEL = "Column of the attribute: expression, sex, …"
FILE_COLUMN = "Column that names each picture's file."
