"""Open-set identification."""

from proband.study.analysis import ANALYSES, Analysis, AnalysisCommand

_HELP = """Evaluate open-set identification: some people are not enrolled.

A search returns at most a given number of candidates with scores at or above a threshold. FPIR: share of searches for people not
enrolled that return any candidate. FNIR: share of searches for enrolled people that do not return them.

[bold]Example[/bold]

  proband search -e embeddings.npz::net -s samples.csv -g "session == 1 and enrolled" -p "session == 2" --metric cosine
"""

ANALYSES.register("search")(
    Analysis(
        key="search",
        command=AnalysisCommand(
            "search",
            help=_HELP,
            job="Evaluate scores",
            title="Open-set identification",
            experiment=(),
            frames=("searches", "search_curve", "search_sizes"),
            figures=("search",),
        ),
        place=70,
        request="proband.analyses.search.request:SearchRequest",
        run="proband.analyses.search.run:run",
        view="proband.analyses.search.view:SearchedView",
        result="proband.analyses.search.run:Searched",
        propose="proband.analyses.search.proposal:propose",
        prepare="proband.analyses.search.run:prepare",
        moved={"search": "searches", "by_gallery_size": "by_gallery_size"},
    )
)
