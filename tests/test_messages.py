"""Words that people read change on purpose only: the frozen list makes every change of words a line of a diff."""

from __future__ import annotations

from tests.frozen.differences import changed, now, report
from tests.words import texts_of

WHAT_TO_DO = """
Texts that people read differ from tests/frozen/messages.txt:

{changes}

Read the new lines aloud. If they are right, run `python -m tests.frozen.freeze messages` and commit the file together with the change.
"""


def test_messages_are_the_frozen_ones() -> None:
    changes = changed("messages", now("messages"))
    assert not changes, WHAT_TO_DO.format(changes=report(changes))


def test_texts_are_found_by_example() -> None:
    source = '''
"""A docstring of several words."""

def refuse(name):
    """Another one of them."""
    raise InputError(f"There is no file {name!r} in {', '.join(some_names)}.", "name another file.")

KEY = "one-word"
RULE = {"two_words": "x == 1"}
HELP = ("Joined "
        "from parts.")
'''
    assert set(texts_of(source)) == {
        "There is no file {…} in {…}.",
        "name another file.",
        "Joined from parts.",
    }
