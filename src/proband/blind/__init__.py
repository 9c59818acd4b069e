"""Independent tests, administered blind: make a package, check a submission, score with the key (FERET 2000)."""

from proband.blind.key import Key
from proband.blind.making import BlindTest, Made
from proband.blind.package import Package
from proband.blind.training import Meeting, hashed, met_by, read_training

__all__ = ["BlindTest", "Key", "Made", "Meeting", "Package", "hashed", "met_by", "read_training"]
