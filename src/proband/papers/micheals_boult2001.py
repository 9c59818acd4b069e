"""The experiment of Micheals & Boult 2001 (Efficient Evaluation) on synthetic people, with the paper's numbers of people."""

from __future__ import annotations

from pathlib import Path

from proband.engine import Progress
from proband.faces import Population
from proband.inference.strata.study import StratStudy, strat_study
from proband.papers.common import scores_of
from proband.report.writer import write_run
from proband.samples import Samples
from proband.study.findings import Findings, Provenance
from proband.study.inputs import versions
from proband.words import Note, Sentence

ALGORITHMS = ("lda:angle", "pca:mahalanobis", "pca:l2")
"""The paper had two commercial matchers and PCA; here are two stronger classical ones and PCA."""

PEOPLE = {3: 481, 4: 256}
"""Images of each person, and the people in FERET who have as many facing the camera."""

_TRAINING = 200
_DIFFICULTY = 1.4

_SYNTHETIC = Sentence(
    "micheals-boult2001.synthetic",
    "caution",
    "the people are synthetic, so the numbers are not the paper's; the numbers of people and images are",
)
_PAPER = Sentence(
    "micheals-boult2001.paper",
    "note",
    "the paper found that the gallery matters (its best one had mostly neutral expressions), that mixing the images between "
    "galleries takes the difference away, and that balanced repeated replication has a standard error about 20 % in variance "
    "below the jackknife's and the bootstrap's. The last compares answers to different questions: BRR varies the probe images of "
    "these people, the others vary probes as if each were of another person. The paper counts 256 replicates for 256 strata of "
    "three units; a balanced array needs 729",
)
_COLUMNS = Sentence(
    "micheals-boult2001.columns",
    "note",
    "columns 1 and 3 are neutral images of two days, columns 2 and 4 have another expression; {used:count} of them are used",
)


def reproduce_micheals_boult2001(
    out: Path, seed: int, threads: int | None, progress: Progress, people: dict[int, int] | None = None
) -> tuple[dict[int, StratStudy], list[Path]]:
    """Run the experiment with three and with four images of each person; return the studies and the reports' paths."""
    wanted = people or PEOPLE
    most = max(wanted.values())
    training = Population(
        _TRAINING if people is None else most, plan="grid", sessions=1, images_per_session=3, seed=seed, difficulty=_DIFFICULTY
    )  # fmt: skip
    tested = Population(
        most,
        plan="grid",
        sessions=2,
        images_per_session=2,
        seed=seed,
        first_subject=training.n_subjects,
        difficulty=_DIFFICULTY,
    )
    samples, scores = scores_of(tested, training, ALGORITHMS, threads, progress)
    subjects = list(dict.fromkeys(samples.frame["subject"].to_list()))
    studies, paths = {}, []
    command = f"proband reproduce micheals-boult2001 --seed {seed}"
    provenance = Provenance(
        command if people is None else f"{command} --people {most}", seed=seed, versions=versions()
    )
    for images, count in wanted.items():
        chosen = Samples(samples.frame.filter(samples.frame["subject"].is_in(subjects[:count])))
        study = strat_study(scores, chosen, images, progress=progress, seed=seed)
        studies[images] = study
        title = f"{count} synthetic people with {images} images each"
        found = Findings(title, provenance, strat=study, notes=_about(study))
        paths.append(write_run(found, out / f"{count}x{images}"))
    return studies, paths


def _about(study: StratStudy) -> tuple[Note, ...]:
    return _SYNTHETIC(), _PAPER(), _COLUMNS(used=study.n_images)
