"""What a participant reads: the rules, the README, and a submission's form to fill in."""

from __future__ import annotations

from proband.blind.package.package import IMAGES, PARTIALLY
from proband.engine.moments import show_moment
from proband.words import count, counted

_RULES = (
    "Compare every query with every target: the scores are a matrix with one row a query and one column a target.",
    "A score depends on its two images alone. Nothing may be learnt, normalised or ranked over the images of this test.",
    "Every image is an individual of its own: what a comparison found must not change another.",
    "Training, and the choice of every parameter, is over before the images of this test are looked at.",
    "Some images occur more than once, under different names.",
)
_RULE_OF_CONTROL = "The control sets are scored apart, in the same way, as if the others did not exist."

_README = """# {name}: a blind test, {version}

{rehearsal}You get a set of known faces (*targets*) and a set of unknown ones (*queries*). Your algorithm says how alike each query and each
target are. Names are random and mean nothing, nor does the order.
{times}
| file | what it is |
|---|---|
| `targets.csv`, `queries.csv` | {n_targets} and {n_queries}: names in column `id`{columns} |
| `control_targets.csv`, `control_queries.csv` | a second, small pair of sets ({control_targets} and {control_queries}), scored apart; empty lists ask for nothing |
{images}| `submission.toml` | the form to fill in |
| `package.json` | the rules and the digest of every file |

## Rules

{rules}

## What to send back

A directory with

- `submission.toml`, filled in;
- `scores.npy`: {n_rows} rows (queries, in the order of `queries.csv`) × {n_columns} columns (targets, in the order of
  `targets.csv`), 32-bit floats. A `.npz`, `.csv` or `.parquet` file that names its rows and columns will do as well;
{control}
Scores, not decisions: any number, larger for more alike (`similarity`) or less alike (`distance`). Every cell has a finite number;
images that could not be processed are listed in `submission.toml`. Before sending, check it as it will be checked on arrival:

    proband blind check THIS-DIRECTORY YOUR-DIRECTORY

Who ran the algorithm, when and on which machine is part of the results: `proband recognize` writes it beside its scores
(`scores.npz.run.json`, to be handed in with them), and for other programs there is a table `[run]` in `submission.toml`. Ask for the
receipt of what you hand in, and keep it.
"""

_REHEARSAL = """**This is a rehearsal.** Its names were drawn from a seed, so that whoever knows or guesses the seed knows whose the images are.
What is scored with it is no result of a blind test.

"""

_CONTROL = """- `control.npy`: {control_queries} rows × {control_targets} columns, the same for the control sets.
"""

_FORM = """# Fill in and send back together with the scores.

# What the algorithm is called in tables and figures.
algorithm = ""

# Which way its scores point: "similarity" (larger is more alike) or "distance" (smaller is more alike).
orientation = ""

# Is the score of a and b always that of b and a? true, false or "unstated".
symmetric = "unstated"

# All samples and people it was trained or tuned on: a list of ids, or the name of a file in this directory with one a line. An id
# may be hashed: "sha256:" and the SHA-256 of the training salt, directly followed by the id, in hexadecimal digits. An empty list
# says that it was trained on nothing; a line left out says nothing.
# The training salt of this test: {salt}
# training = ["…"]

# Names of images that it could not process: their scores are not looked at and count as failures.
failed = []

# Whom to ask.
contact = ""

# Who ran it, from when to when, and on which machine, unless scores.*.run.json says so. Times have a zone: "2026-12-01T12:00Z".
# [run]
# operator = ""
# started = ""
# finished = ""
# machine = ""
# software = ""
"""


def rules(counts: dict[str, int]) -> list[str]:
    """What participants must keep to; `counts` are the sizes of the lists."""
    return [*_RULES, *([_RULE_OF_CONTROL] if counts["control_queries"] else [])]


def readme(
    name: str,
    version: str,
    counts: dict[str, int],
    columns: list[str],
    pictures: str | None,
    *,
    rehearsal: bool = False,
    opens: str | None = None,
    deadline: str | None = None,
) -> str:
    """Explain the package in plain words.

    `columns` are those beside the id; `pictures` describes the images, if there are any.
    """
    eyes = "; eye centres in pixels from the top left corner, *left* is on the image's left"
    told = f", and {', '.join(f'`{column}`' for column in columns)}" if columns else ""
    row = f"| `{IMAGES}/NAME.png` | {pictures} |\n" if pictures else ""
    return _README.format(
        name=name,
        version=version,
        rehearsal=_REHEARSAL if rehearsal else "",
        times=_times(opens, deadline),
        **counts,
        n_rows=count(counts["queries"]),
        n_columns=count(counts["targets"]),
        n_targets=counted(counts["targets"], "target"),
        n_queries=counted(counts["queries"], "query", "queries"),
        columns=told + (eyes if version == PARTIALLY else ""),
        images=row,
        rules="\n".join(f"{place}. {rule}" for place, rule in enumerate(rules(counts), 1)),
        control=_CONTROL.format(**counts) if counts["control_queries"] else "",
    )


def _times(opens: str | None, deadline: str | None) -> str:
    """Say when submissions are received."""
    limits = [("from", opens), ("until", deadline)]
    said = " ".join(f"{word} {show_moment(moment)}" for word, moment in limits if moment is not None)
    return f"\n**Submissions are received {said}.**\n" if said else ""


def form(training_salt: str) -> str:
    """Return the form to fill in."""
    return _FORM.format(salt=training_salt)
