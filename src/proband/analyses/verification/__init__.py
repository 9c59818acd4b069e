"""Error rates of verification."""

from proband.study.analysis import ANALYSES, Analysis

ANALYSES.register("verification")(
    Analysis(
        key="verification",
        commands=("verify",),
        place=50,
        request="proband.analyses.verification.request:VerificationRequest",
        run="proband.analyses.verification.run:run",
        view="proband.analyses.verification.view:VerifiedView",
        result="proband.analyses.verification.run:Verified",
        prepare="proband.analyses.verification.run:prepare",
        propose="proband.analyses.verification.proposal:propose",
        default=True,
    )
)
