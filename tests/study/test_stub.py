"""The types of sections that a checker sees are those of the records."""

from tests.stub import FILE, text


def test_the_stub_is_of_the_records() -> None:
    assert FILE.read_text(encoding="utf-8") == text(), "python -m tests.stub"
