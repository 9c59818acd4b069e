"""What no text for people may say, whatever the numbers: walks over results look for it."""

from __future__ import annotations

import html
import re

_ODD = {
    "a p-value of nothing": re.compile(r"\bp(?:-value)?\s*[=≤<]\s*0(?:\.0*)?(?![\d.])"),
    "a zero with a sign": re.compile(r"(?<![\w.])[−+-]0(?:\.0+)?(?![\d.]|[–-]\d)(?=[\s,;)\]%]|$)"),
    "something of nothing": re.compile(r"(?:miss|misses) in 0\.0%"),
    "no number": re.compile(r"\b(?:nan|inf)\b"),
}
_BEFORE = r"(?<![\w.,:@/×–−-])(?<!rank )(?<!gallery )(?<!column )(?<!table )(?<!Table )(?<!top )(?<!part )(?<!fold )(?<!= )(?<!from )"
_ONE_OF_MANY = re.compile(
    _BEFORE + r"1 (?:(?:genuine|impostor|gallery|non-mated|mated|more|other|chosen|random|training|different|enrolled) )?"
    r"(people|sets|probes|images|samples|algorithms|comparisons|searches|pairs|rows|subjects|replicates|trials|choices|"
    r"galleries|categories|classes|groups|items|clusters|models|systems|units|strata|points|notes|cautions|degrees|splits|"
    r"folds|draws|others|queries|targets|tests|persons|levels|parts|values|errors|files|bytes|characters)\b"
)  # fmt: skip


def odd(text: str) -> list[str]:
    """What is odd in a text, with what stands around it.

    >>> odd("p = 0.00, 1 sets of probes, -0.00 points; p = 0.004, 21 sets, at rank 1 probes")
    ['a p-value of nothing: p = 0.00, 1 sets', 'a zero with a sign: f probes, -0.00 points;', 'one of many: p = 0.00, 1 sets of prob']
    """
    every = [*_ODD.items(), ("one of many", _ONE_OF_MANY)]
    return [
        f"{name}: {' '.join(text[max(0, one.start() - 10) : one.end() + 8].split())}"
        for name, pattern in every
        for one in pattern.finditer(text)
    ]


def read(page: str) -> str:
    """What a page shows, without its tags and scripts."""
    without = re.sub(r"<(script|style)\b.*?</\1>", " ", page, flags=re.DOTALL)
    return html.unescape(re.sub(r"<[^>]+>", " ", without))
