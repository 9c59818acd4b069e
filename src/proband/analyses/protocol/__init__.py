"""Classifiers under protocols."""

from proband.study.analysis import ANALYSES, Analysis, AnalysisCommand

_HELP = """Accuracy of classifiers under one or more protocols, on the same splits, with intervals and comparisons.

[bold]Examples[/bold]

Face recognition in the layout of Mery et al.'s Table 4:

  proband protocol run images.npz -s samples.csv --size 110x90 -c LBP=lbp:nbnn -c SRC=src -P "50×80-20 HO" -P "50×5f CV" --out report

People not used for training, enrolled and searched for within each fold:

  proband protocol run images.npz -s samples.csv -c pca:angle -c lbp:nbnn -P "10×5f CV+"

Images with the subject in the file name:

  proband protocol run jaffe --names "{subject}.{expression}.{number}" -c lbp:nbnn --label expression -P LOSO

Expressions of people not seen in training, under the protocol that suits the data:

  proband protocol run faces -s samples.csv --label expression -c "lbp:chi2+sklearn.svm:SVC(kernel='linear')"
"""

ANALYSES.register("protocol")(
    Analysis(
        key="protocol",
        command=AnalysisCommand(
            "protocol run",
            help=_HELP,
            job="Classifiers and their protocols",
            title="Accuracy under protocols",
            reads="proband.cli.protocols.inputs:ProtocolInputs",
            experiment=(),
            frames=(
                "protocol",
                "protocol_classes",
                "protocol_confusions",
                "protocol_drops",
                "protocol_single_runs",
                "protocol_sizes",
            ),
            figures=("protocol_accuracy", "protocol_sizes"),
        ),
        place=150,
        request="proband.analyses.protocol.request:ProtocolRequest",
        run="proband.analyses.protocol.run:run",
        view="proband.analyses.protocol.view:ProtocolView",
        result="proband.protocols.running.results:ProtocolRun",
        prepare="proband.analyses.protocol.run:prepare",
    )
)
