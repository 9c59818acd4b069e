"""Independent tests, administered blind: make a package, check a submission, score with the key (FERET 2000)."""

from proband.blind.checking.training import Meeting, hashed, met_by, read_training
from proband.blind.package.key import Key
from proband.blind.package.making import BlindTest, Made
from proband.blind.package.package import Package
from proband.engine.arguments import publish

__all__ = ["BlindTest", "Key", "Made", "Meeting", "Package", "hashed", "met_by", "read_training"]

publish(__name__)
