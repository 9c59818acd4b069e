"""Stratified evaluation."""

from proband.study.analysis import ANALYSES, Analysis, AnalysisCommand

_HELP = """Test whether the choice of gallery images matters.

Each column of images is the gallery in turn, before and after mixing (Micheals & Boult 2001). People are the strata and their probe images the units. Standard errors describe variation over probe images of *these
people*; for other people use proband evaluate, or make people the units of larger strata.

[bold]Examples[/bold]

  proband strat similarity.npz -s samples.csv --id-column filename --orientation similarity --images 4 --out strat

A fixed gallery, with people as the units of sites and every site weighted equally:

  proband strat scores.npz -s samples.csv --orientation similarity -g "session == 1" --strata site --units subject --stratum-weights equal

Two cameras compared on the same people:

  proband strat scores.npz -s samples.csv --orientation similarity -g "session == 1" --sensors camera
"""

ANALYSES.register("strat")(
    Analysis(
        key="strat",
        command=AnalysisCommand(
            "strat",
            help=_HELP,
            job="Published studies",
            title="Stratified evaluation",
            experiment=("ties", "on_failure"),
            frames=("strat", "strat_curves", "strat_errors", "strat_units"),
            figures=("strat_galleries", "strat_errors", "strat_algorithms", "strat_units"),
        ),
        place=90,
        request="proband.analyses.strat.request:StratRequest",
        run="proband.analyses.strat.run:run",
        view="proband.analyses.strat.view:StratView",
        result="proband.inference.strata.study:StratStudy",
        propose="proband.analyses.strat.proposal:propose",
        prepare="proband.analyses.strat.run:prepare",
    )
)
