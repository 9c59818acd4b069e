from __future__ import annotations

import numpy as np
import pytest
from tests.report.page import finding

import proband as pb
from proband.analyses.comparison.run import ComparedAlgorithms
from proband.analyses.identification.run import Identified
from proband.analyses.verification.run import Verified
from proband.inference.verification.groups import error_rates_by
from proband.report.page.build import build_page
from proband.report.page.render import render_page
from proband.report.scene import Scene
from proband.study.findings import Findings


@pytest.mark.long
def test_five_algorithms_with_a_million_scores_each_take_less_than_300_kilobytes() -> None:
    n, images = 500, 2
    ids = [f"s{person:03d}-{image}" for person in range(n) for image in range(images)]
    samples = pb.Samples(
        {
            "id": ids,
            "subject": [one[:4] for one in ids],
            "sex": [("f", "m")[int(one[1:4]) % 2] for one in ids],
        }
    )
    rng = np.random.default_rng(2)
    alike = np.equal.outer(*[np.array([one[:4] for one in ids])] * 2)
    algorithms = [
        pb.Scores.from_array(
            rng.normal(size=alike.shape) + lift * alike, ids, ids, orientation="similarity", name=name
        )
        for name, lift in (("one", 5.0), ("two", 4.5), ("three", 4.0), ("four", 3.0), ("five", 2.5))
    ]
    experiment = pb.Experiment(samples, gallery=ids[::images], probes=ids[1::images])
    evaluation = pb.evaluate(algorithms, experiment)
    compared = pb.compare(
        [one.outcomes for one in evaluation.entries], measure=pb.measures.RecognitionRate(1)
    )
    verified = tuple(pb.verify(one, samples, n_resamples=100) for one in algorithms)
    groups = tuple(
        error_rates_by(one, samples, "sex", made.points[0].counts)
        for one, made in zip(algorithms, verified, strict=True)
    )
    parts = {
        "identification": Identified(evaluation),
        "comparison": ComparedAlgorithms({"rank 1": compared}),
        "verification": Verified(verified, groups),
    }
    found = Findings("Five", finding.PROVENANCE, parts)
    size = len(render_page(build_page(Scene(found))).encode())
    assert size < 300_000
