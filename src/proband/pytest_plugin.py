"""The pytest plugin: tests that fail if a new algorithm is, or may be, worse than an old one.

pytest loads it by its entry point; ``-p no:proband`` leaves it out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from proband.inference.comparisons.gate import Gate

ANSWERS = ("fail", "xfail", "skip", "pass")
_OPTION, _INI = "--proband-undecided", "proband_undecided"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option and the setting for undecided gates."""
    parser.getgroup("proband", "recognition algorithms").addoption(
        _OPTION,
        choices=ANSWERS,
        help=f"What an undecided gate does to its test (default: the ini option {_INI}, or fail).",
    )
    parser.addini(_INI, f"What an undecided gate does to its test: {', '.join(ANSWERS)}.", default="fail")


@pytest.fixture
def assert_not_worse(request: pytest.FixtureRequest) -> Callable[..., Gate]:
    """Assert that a new algorithm is not worse than an old one by a margin: ``assert_not_worse(new, old, experiment, margin=0.01)``.

    The arguments are those of `proband.gate`, with the old algorithm second. `undecided` states what an undecided gate does to the test:
    ``fail``, ``xfail``, ``skip`` or ``pass``. The default is the option ``--proband-undecided``, or else the ini option
    ``proband_undecided``, or else ``fail``. The gate is returned, and its numbers are properties of the test in a JUnit file.
    """
    usual = request.config.getoption(_OPTION) or request.config.getini(_INI)
    properties = request.node.user_properties

    def judge(
        new: Any, old: Any, experiment: Any = None, *, undecided: str | None = None, **options: Any
    ) -> Gate:
        __tracebackhide__ = True
        answer = usual if undecided is None else undecided
        from proband.engine.arguments import asked
        from proband.errors import GateError, unknown_name
        from proband.inference.comparisons.gate import gate

        if answer not in ANSWERS:
            raise unknown_name("answer", answer, ANSWERS, "to an undecided gate", option="undecided")
        found = asked(gate, new, experiment, baseline=old, **options)
        numbers = ("decision", "measure", "margin", "gain", "gain_low", "gain_high")
        properties.extend((f"proband.{name}", getattr(found, name)) for name in numbers)
        if found.passed or (found.decision == "undecided" and answer == "pass"):
            return found
        if found.decision == "undecided" and answer != "fail":
            (pytest.skip if answer == "skip" else pytest.xfail)(found.report())
        raise GateError(found.report())

    return judge
