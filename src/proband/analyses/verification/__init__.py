"""Error rates of verification."""

from proband.marks import Needs, Unless
from proband.study.analysis import ANALYSES, Analysis, AnalysisCommand

_HELP = """False match and non-match rates, with intervals over people.

Rates are exact, and intervals account for comparisons that share people.

[bold]Examples[/bold]

  proband verify scores.npz -s samples.csv --orientation similarity --fmr 0.001 --out verification

All pairs of a set of embeddings, each once, with rates by sex:

  proband verify -e model.npz -s samples.csv --metric cosine --by sex

LFW's View 2, with each fold's threshold chosen on the other folds:

  proband verify -e lfw.npz::net -s lfw.npz --id-column '#' --metric l2 --pairs pairs.txt
"""

ANALYSES.register("verification")(
    Analysis(
        key="verification",
        command=AnalysisCommand(
            "verify",
            help=_HELP,
            job="Evaluate scores",
            title="Verification",
            experiment=(),
            output=("confidence_level", "seed", "pseudonyms", "formats"),
            frames=("operating_points", "roc", "groups", "hard_subjects", "folds"),
            figures=("det", "roc", "scores", "groups"),
            card=True,
            marks={
                "confidence_level": Unless("pairs"),
                "seed": (Unless("pairs"), Needs("n_resamples=on", "by", "zoo=on")),
                "pseudonyms": Needs("zoo=on"),
                "figure": Unless("pairs"),
            },
        ),
        place=50,
        request="proband.analyses.verification.request:VerificationRequest",
        run="proband.analyses.verification.run:run",
        view="proband.analyses.verification.view:VerifiedView",
        result="proband.analyses.verification.run:Verified",
        prepare="proband.analyses.verification.run:prepare",
        propose="proband.analyses.verification.proposal:propose",
        default=True,
        moved={
            "verification": "algorithms",
            "groups": "groups",
            "hard_subjects": "hard_subjects",
            "folds": "folds",
        },
    )
)
