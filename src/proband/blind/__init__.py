"""Independent tests, administered blind: make a package, receive and check submissions, score with the key (FERET 2000)."""

from proband.blind.checking.training import Meeting, hashed, met_by, read_training
from proband.blind.deadlines import TimeLeft, time_left
from proband.blind.package.key import Key
from proband.blind.package.making import BlindTest, Made
from proband.blind.package.package import Package
from proband.blind.receipts import Receipt, Receipts, receive
from proband.engine.arguments import publish

__all__ = [
    "BlindTest",
    "Key",
    "Made",
    "Meeting",
    "Package",
    "Receipt",
    "Receipts",
    "TimeLeft",
    "hashed",
    "met_by",
    "read_training",
    "receive",
    "time_left",
]

publish(__name__)
