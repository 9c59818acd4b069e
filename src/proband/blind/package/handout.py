"""The texts for participants: the rules, the README, and the form of a submission."""

from __future__ import annotations

from proband.blind.package.package import IMAGES, PARTIALLY
from proband.engine.moments import show_moment
from proband.words import count, counted

_RULES = (
    "Compare every query with every target: the scores are a matrix with one row per query and one column per target.",
    "A score must depend only on its two images. Do not learn, normalise or rank over the images of this test.",
    "Treat every image independently: the result of one comparison must not change another.",
    "Finish training, and choose every parameter, before looking at the images of this test.",
    "Some images occur more than once, under different names.",
)
_RULE_OF_CONTROL = (
    "Score the control sets separately and in the same way, as if the other sets did not exist."
)

_README = """# {name}: a blind test, {version}

{rehearsal}This package contains a set of known faces (*targets*) and a set of unknown faces (*queries*). Your algorithm scores the similarity
of each query and each target. Names are random and carry no information, and neither does the order.
{times}
| file | contents |
|---|---|
| `targets.csv`, `queries.csv` | {n_targets} and {n_queries}: names in column `id`{columns} |
| `control_targets.csv`, `control_queries.csv` | a second, small pair of sets ({control_targets} and {control_queries}), scored separately; if the lists are empty, there is nothing to score |
{images}| `submission.toml` | the form to fill in |
| `package.json` | the rules and the digest of every file |

## Rules

{rules}

## What to send back

A directory with

- `submission.toml`, filled in;
- `scores.npy`: {n_rows} rows (queries, in the order of `queries.csv`) × {n_columns} columns (targets, in the order of
  `targets.csv`), 32-bit floats. A `.npz`, `.csv` or `.parquet` file that names its rows and columns is also accepted;
{control}
Send scores, not decisions: any numbers, larger for more similar (`similarity`) or less similar (`distance`). Every cell must be a finite
number; list images that could not be processed in `submission.toml`. Before sending, run the check that is also run on arrival:

    proband blind check THIS-DIRECTORY YOUR-DIRECTORY

The results state who ran the algorithm, when and on which machine: `proband recognize` writes this next to its scores
(`scores.npz.run.json`; send it with them), and for other programs fill in the table `[run]` of `submission.toml`. Ask for the receipt of
your submission, and keep it.
"""

_REHEARSAL = """**This is a rehearsal.** Its names were generated from a seed, so anyone who knows or guesses the seed can identify the people.
Scores from a rehearsal are not results of a blind test.

"""

_CONTROL = """- `control.npy`: {control_queries} rows × {control_targets} columns, the same for the control sets.
"""

_FORM = """# Fill in and send back together with the scores.

# The name of the algorithm in tables and figures.
algorithm = ""

# Whether a higher score means more similar ("similarity") or less similar ("distance").
orientation = ""

# Whether the score of a and b always equals the score of b and a: true, false or "unstated".
symmetric = "unstated"

# All samples and people used for training or tuning: a list of ids, or the name of a file in this directory with one id per line. An id
# may be hashed: "sha256:" and the SHA-256 of the training salt, directly followed by the id, in hexadecimal digits. An empty list
# states that there was no training; without this line, nothing is stated.
# The training salt of this test: {salt}
# training = ["…"]

# Names of images that could not be processed: their scores are ignored and count as failures.
failed = []

# Whom to contact.
contact = ""

# Who ran it, when and on which machine, unless scores.*.run.json states it. Times need a time zone: "2026-12-01T12:00Z".
# [run]
# operator = ""
# started = ""
# finished = ""
# machine = ""
# software = ""
"""


def rules(counts: dict[str, int]) -> list[str]:
    """Return the rules for participants; `counts` are the sizes of the lists."""
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

    `columns` are the columns in addition to the id; `pictures` describes the images, if there are any.
    """
    eyes = "; eye centres in pixels from the top left corner; *left* means the left of the image"
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
    """Say when submissions are accepted."""
    limits = [("from", opens), ("until", deadline)]
    said = " ".join(f"{word} {show_moment(moment)}" for word, moment in limits if moment is not None)
    return f"\n**Submissions are accepted {said}.**\n" if said else ""


def form(training_salt: str) -> str:
    """Return the form to fill in."""
    return _FORM.format(salt=training_salt)
