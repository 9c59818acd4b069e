"""Other choices of images of the same people."""

from proband.marks import Needs, Unless
from proband.study.analysis import ANALYSES, Analysis, AnalysisCommand

_HELP = """Measure how rates vary with the choice of images.

Permutes the choice of gallery and probe images (Beveridge et al. 2001). All algorithms use the same trials. The variation is over images of *these people*; a separate test over people asks whether one
algorithm is better for other people.

[bold]Examples[/bold]

Gallery and probe image from different sessions, a million trials:

  proband permute scores.npz -s samples.csv --orientation similarity --groups session --trials 1000000 --max-rank 10

People with images of only one session stay enrolled, and the choices of the first two trials are listed:

  proband permute scores.npz -s samples.csv --orientation similarity --groups session --distractors --list-trials 1,2 --csv trials=chosen.csv

Gallery images of the first day, probes of the second; two algorithms against a third, also by their median ranks:

  proband permute scores.npz -s samples.csv --orientation similarity -g "day == 1" -p "day == 2" --against pca --measure median-rank@10

Embeddings, several encounters of each person:

  proband permute -e embeddings.npz::dlib -s samples.csv --id-column filename --metric l2 --groups encounter
"""

ANALYSES.register("choices")(
    Analysis(
        key="choices",
        command=AnalysisCommand(
            "permute",
            help=_HELP,
            job="Published studies",
            title="Choice of images",
            code="proband.analyses.choices.run:exit_code",
            experiment=("ties",),
            output=("confidence_level", "seed", "pseudonyms", "formats"),
            frames=(
                "choices",
                "choices_differences",
                "choices_measures",
                "choices_measure_differences",
                "choices_trials",
                "choices_exact",
                "choices_trainings",
            ),
            figures=("choices_distributions", "choices_ranks", "choices_differences", "choices_measures"),
            marks={
                "list_trials": Needs("csv", "out"),
                "pseudonyms": Needs("list_trials"),
                "figure": Unless("exact=on", "trainings=on"),
                "ties": Unless("trainings=on"),
                "confidence_level": Unless("exact=on"),
                "seed": Unless("exact=on"),
            },
        ),
        place=80,
        request="proband.analyses.choices.request:ChoicesRequest",
        run="proband.analyses.choices.run:run",
        view="proband.analyses.choices.view:ChoicesView",
        result="proband.analyses.choices.run:Choices",
        propose="proband.analyses.choices.proposal:propose",
        prepare="proband.analyses.choices.run:prepare",
        moved={"choices": "trials", "exact_choices": "exact", "trainings": "trainings"},
    )
)
