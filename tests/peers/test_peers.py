"""Our numbers are those of scikit-learn, TorchMetrics, bob.measure and pyeer, as `expected/` keeps them with their scripts.

Where a convention differs, the relation between the two numbers is asserted instead; the notes in `expected/` say it in words.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from benchmarks.peers import PEERS
from tests.peers.__main__ import COMPARED, changes, file_of, main
from tests.peers.data import (
    FMRS,
    GUESSES,
    LABELLED,
    N_CLASSES,
    PAIRS,
    PRIORS,
    RANKS,
    SEARCH_THRESHOLDS,
    SEARCHED,
    Searched,
    digest,
)

import proband as pb
from proband.measures.pairs.counts import count_trials
from proband.measures.verification import ErrorRates

every_pairs = pytest.mark.parametrize("case", PAIRS)
every_labelled = pytest.mark.parametrize("case", LABELLED)


@cache
def kept(peer: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(file_of(PEERS[peer]).read_text())
    return found


def near(peer: str, value: Any) -> Any:
    """The value, to the tolerance of the peer."""
    return pytest.approx(value, rel=kept(peer)["tolerance"], abs=kept(peer)["tolerance"])


def theirs(peer: str, *path: str) -> Any:
    part = kept(peer)["expected"]
    for key in path:
        part = part[key]
    return part


@cache
def rates(case: str) -> ErrorRates:
    """What `pb.verify` counts, at all scores and at the thresholds that peers were asked."""
    data = PAIRS[case]
    trials = pb.Trials(pl.DataFrame({"score": data.scores, "mated": data.mated}), "similarity")
    thresholds = np.unique(np.concatenate([data.scores, data.thresholds]))
    return pb.verify(trials, fmr=FMRS, thresholds=thresholds.tolist(), n_resamples=0).rates


@cache
def classified(case: str, of: str = "said", ties: str = "pessimistic") -> Any:
    """What `pb.classify` finds of predicted labels, of scores, or of scores whose ties are broken."""
    data = LABELLED[case]
    k = None if of == "said" else GUESSES
    classes = range(N_CLASSES)
    return pb.classify(data.truth, {"net": getattr(data, of)}, classes=classes, k=k, ties=ties)


@pytest.mark.parametrize("peer", COMPARED)
def test_peers_were_given_these_data(peer):
    assert kept(peer)["data"] == digest(), "make the answers anew: python -m tests.peers --write"


class TestCurves:
    """FMR and FNMR at thresholds: a comparison is accepted when it reaches one, with every peer."""

    @every_pairs
    @pytest.mark.parametrize(
        ("peer", "curve"),
        [("scikit-learn", "roc"), ("scikit-learn", "det"), ("torchmetrics", "roc"), ("pyeer", "rates")],
    )
    def test_every_point(self, case, peer, curve):
        found = theirs(peer, "pairs", case).get(curve)
        if found is None:
            assert case == "distinct"  # a long curve, which is kept of one peer
            return
        ours = [rates(case).at_threshold(one) for one in found["thresholds"]]
        assert [one.fmr for one in ours] == near(peer, found["fmr"])
        missed = found.get("fnmr") or (1 - np.array(found["tar"])).tolist()
        assert [one.fnmr for one in ours] == near(peer, missed)

    @every_pairs
    def test_thresholds_at_and_between_scores(self, case):
        ours = [rates(case).at_threshold(one) for one in PAIRS[case].thresholds]
        expected = theirs("bob.measure", "pairs", case, "farfrr")
        assert [[one.fmr, one.fnmr] for one in ours] == [near("bob.measure", one) for one in expected]

    @every_pairs
    @pytest.mark.parametrize("peer", ["scikit-learn", "torchmetrics"])
    def test_area(self, case, peer):
        assert rates(case).auc() == near(peer, theirs(peer, "pairs", case, "auc"))

    @every_pairs
    def test_area_of_pyeer_lacks_its_end(self, case):
        end = theirs("pyeer", "pairs", case, "last")
        lacking = end["fmr"] * (1 - end["fnmr"]) / 2
        assert (lacking > 0) == (case == "tied")
        assert rates(case).auc() == near("pyeer", theirs("pyeer", "pairs", case, "auc") + lacking)


class TestEqualErrorRate:
    """Ours is the mean of FMR and FNMR where they are closest, and the FNMR that FMR passes between two genuine scores."""

    @every_pairs
    def test_bob(self, case):
        found, ours = theirs("bob.measure", "pairs", case, "eer"), rates(case).eer()
        if ours.least < ours.greatest:
            assert ours.value == near("bob.measure", found["eer"])
            assert (ours.least, ours.greatest) == near(
                "bob.measure", tuple(sorted((found["fmr"], found["fnmr"])))
            )
        else:
            assert ours.value == near("bob.measure", found["fnmr"])
        share = np.unique(PAIRS[case].impostors, return_counts=True)[1].max() / len(PAIRS[case].impostors)
        assert abs(ours.value - found["eer"]) <= share / 4
        # A third of the impostors share the score at which FMR passes FNMR, so bob's middle is elsewhere.
        assert (ours.value == near("bob.measure", found["eer"])) == (case != "few-genuine")

    @every_pairs
    def test_torchmetrics_has_that_of_bob(self, case):
        found = theirs("torchmetrics", "pairs", case, "eer")
        assert found == near("torchmetrics", theirs("bob.measure", "pairs", case, "eer", "eer"))

    @pytest.mark.parametrize("case", [case for case in PAIRS if case != "distinct"])
    def test_our_rule_on_the_points_of_pyeer(self, case):
        """All scores are its thresholds, and only genuine ones are ours."""
        found = theirs("pyeer", "pairs", case, "rates")
        fmr, fnmr = np.append(found["fmr"], 0.0), np.append(found["fnmr"], 1.0)
        stricter = int(np.argmax(fmr < fnmr))
        sides = [stricter - 1, stricter]
        if fnmr[sides[0]] == fnmr[sides[1]]:
            expected = fnmr[stricter]
        else:
            closest = min(sides, key=lambda place: abs(fmr[place] - fnmr[place]))
            expected = (fmr[closest] + fnmr[closest]) / 2
        assert rates(case).eer().value == near("pyeer", expected)

    @every_pairs
    def test_point_of_pyeer(self, case):
        found = theirs("pyeer", "pairs", case, "eer")
        ours = rates(case).at_threshold(found["threshold"])
        assert sorted((ours.fmr, ours.fnmr)) == near("pyeer", sorted((found["low"], found["high"])))
        assert (ours.fmr + ours.fnmr) / 2 == near("pyeer", found["eer"])
        if case == "distinct":
            assert rates(case).eer().value == near("pyeer", found["eer"])


class TestAtFalseMatchRates:
    @every_pairs
    @pytest.mark.parametrize("fmr", FMRS)
    def test_bob(self, case, fmr):
        found, ours = theirs("bob.measure", "pairs", case, "at_fmr", str(fmr)), rates(case).at_fmr(fmr)
        assert found["fmr"] == found["fmr_above_next"] <= fmr
        assert ours.fmr == near("bob.measure", found["fmr"])
        assert ours.fnmr == near("bob.measure", found["fnmr_above_next"])
        # Only where a genuine score lies between two impostor scores that shared false matches is bob's stricter.
        assert (ours.fnmr == near("bob.measure", found["fnmr"])) == ((case, fmr) != ("tied", 0.01))

    @every_pairs
    @pytest.mark.parametrize("fmr", FMRS)
    def test_pyeer(self, case, fmr):
        found, ours = theirs("pyeer", "pairs", case, "at_fmr", str(fmr)), rates(case).at_fmr(fmr)
        nearest = rates(case).at_threshold(found["threshold"])
        assert nearest.fnmr == near("pyeer", found["fnmr"])
        if nearest.fmr <= fmr:
            assert ours.fnmr == near("pyeer", found["fnmr"])
        else:
            assert ours.fnmr >= found["fnmr"]

    @pytest.mark.parametrize("case", [case for case in PAIRS if case != "distinct"])
    @pytest.mark.parametrize("fmr", FMRS)
    def test_least_of_the_points_of_pyeer(self, case, fmr):
        found = theirs("pyeer", "pairs", case, "rates")
        allowed = [y for x, y in zip(found["fmr"], found["fnmr"], strict=True) if x <= fmr]
        assert rates(case).at_fmr(fmr).fnmr == near("pyeer", min(allowed, default=1.0))


class TestCosts:
    @every_pairs
    @pytest.mark.parametrize("p", PRIORS)
    def test_least_detection_cost(self, case, p):
        expected = theirs("bob.measure", "pairs", case, "weighted_error", str(p)) / min(p, 1 - p)
        assert rates(case).min_dcf(p) == near("bob.measure", expected)

    @every_pairs
    def test_cost_of_log_likelihood_ratios(self, case):
        scores = np.concatenate(PAIRS[case].log_ratios)
        trials = pb.Trials(pl.DataFrame({"score": scores, "mated": PAIRS[case].mated}), "similarity")
        ours = ErrorRates("net", True, count_trials(trials, log_ratios=True)).cllr()
        assert ours == near("bob.measure", theirs("bob.measure", "pairs", case, "cllr"))


def searched(data: Searched) -> tuple[pb.Scores, pb.Experiment]:
    probes = [f"p{k}" for k in range(len(data.probes))]
    gallery = [f"g{k}" for k in range(len(data.gallery))]
    people = [str(one) for one in np.concatenate([data.probes, data.gallery])]
    samples = pb.Samples({"id": probes + gallery, "subject": people})
    scores = pb.Scores.from_array(data.scores, probes, gallery, orientation="similarity")
    return scores, pb.Experiment(samples, gallery=gallery, probes=probes)


class TestIdentification:
    def test_cmc_of_bob(self):
        outcomes = pb.rank(*searched(SEARCHED.probes_with_mates))
        expected = theirs("bob.measure", "searches", "cmc")
        curve = pb.measures.CMC()(outcomes).values
        assert outcomes.n_tied > 0
        # A gallery image more of the same person is one rank more, at which the curve is already 1.
        assert curve[: len(expected)].tolist() == near("bob.measure", expected)
        assert (curve[len(expected) :] == 1).all()
        for rank in RANKS:
            ours = pb.measures.RecognitionRate(rank)(outcomes).value
            assert ours == near(
                "bob.measure", theirs("bob.measure", "searches", "recognition_rate", str(rank))
            )

    @pytest.mark.parametrize(
        ("ties", "listed"), [("pessimistic", "cmc_mates_last"), ("optimistic", "cmc_mates_first")]
    )
    def test_cmc_of_pyeer(self, ties, listed):
        data = SEARCHED.first_images.probes_with_mates
        ours = pb.measures.CMC()(pb.rank(*searched(data), ties=ties)).values
        assert ours.tolist() == near("pyeer", theirs("pyeer", "searches", listed))

    def test_tie_rules_differ(self):
        assert theirs("pyeer", "searches", "cmc_mates_last") != theirs("pyeer", "searches", "cmc_mates_first")

    def test_searches_for_strangers(self):
        found = pb.search(*searched(SEARCHED.first_images))
        alarms = [found.at_threshold(one).fpir for one in SEARCH_THRESHOLDS]
        assert alarms == near("bob.measure", theirs("bob.measure", "searches", "false_alarm"))
        for rank in RANKS:
            ours = [found.at_threshold(one, rank).dir for one in SEARCH_THRESHOLDS]
            expected = theirs("bob.measure", "searches", "detection_identification", str(rank))
            assert ours == near("bob.measure", expected)


class TestClassification:
    @every_labelled
    @pytest.mark.parametrize("peer", ["scikit-learn", "torchmetrics"])
    def test_labels(self, case, peer):
        found, ours = theirs(peer, "labelled", case), classified(case)
        assert ours.rate("net").value == near(peer, found["accuracy"])
        assert ours.confusion("net").tolist() == found["confusion"]
        for name in ("recall", "precision", "f1"):
            # Where there is nothing to divide by we have no number, and peers have 0.
            values = [getattr(one, name) for one in ours.by_class]
            assert [0.0 if one is None else float(one) for one in values] == near(peer, found[name])

    @every_labelled
    def test_macro_average(self, case):
        ours = classified(case)
        macro = ours.rate("net", "macro-top-1").value
        assert macro == near("scikit-learn", theirs("scikit-learn", "labelled", case, "balanced_accuracy"))
        # The class without a sample is said of some, so TorchMetrics counts its 0.
        (unseen,) = [one for one in ours.by_class if one.n == 0]
        assert unseen.n_predicted > 0
        diluted = macro * (N_CLASSES - 1) / N_CLASSES
        assert diluted == near("torchmetrics", theirs("torchmetrics", "labelled", case, "macro_accuracy"))

    @pytest.mark.parametrize("k", GUESSES)
    @pytest.mark.parametrize("peer", ["scikit-learn", "torchmetrics"])
    def test_guesses_without_ties(self, peer, k):
        expected = theirs(peer, "labelled", "distinct", "top_k", str(k))
        for ties in ("pessimistic", "optimistic", "mean"):
            found = classified("distinct", "logits", ties)
            assert found.rate("net", f"top-{k}").value == near(peer, expected)

    @pytest.mark.parametrize("k", GUESSES)
    def test_guesses_with_ties(self, k):
        expected = theirs("scikit-learn", "labelled", "tied", "top_k", str(k))
        in_turn = classified("tied", "in_turn").rate("net", f"top-{k}").value
        assert in_turn == near("scikit-learn", expected)
        low, high = (
            classified("tied", "logits", ties).rate("net", f"top-{k}").value
            for ties in ("pessimistic", "optimistic")
        )
        assert low < expected < high


def test_changes_are_found():
    before = kept("pyeer")
    assert changes(before, before | {"versions": {"pyeer": "99"}}) == []
    assert changes(before, before | {"tolerance": 0.5}) == ["tolerance: 0.5 (was 1e-12)"]
    assert changes(before, before | {"data": "other"})
    moved = json.loads(json.dumps(before))
    moved["expected"]["pairs"]["tied"]["auc"] += 1e-10
    (told,) = changes(before, moved)
    assert told.startswith("expected/pairs/tied/auc: ")


def test_making_anew_fails_on_a_difference(install_peer, capsys):
    place = file_of(PEERS["pyeer"])
    install_peer("pyeer", f'cp "{place}" "$3"')
    assert main(["pyeer"]) == 0
    assert "pyeer: the same to 1e-12, pyeer " in capsys.readouterr().out
    install_peer("pyeer", f'sed \'s/"eer": 0/"eer": 1/; s/"numpy": "/&9/\' "{place}" > "$3"')
    assert main(["pyeer"]) == 1
    said = capsys.readouterr().out
    assert "DIFFERENT" in said
    assert "(kept: pyeer " in said
    install_peer("pyeer", "echo out of memory >&2; exit 1")
    assert main(["pyeer"]) == 1
    assert "pyeer: FAILED, pyeer ended with 1: out of memory" in capsys.readouterr().out


def test_a_peer_that_cannot_be_installed_is_skipped_aloud(install_peer, monkeypatch, capsys):
    def without_network(folder: Path, with_pip: bool) -> None:
        install_peer("pyeer", "echo no such host >&2; exit 1")
        PEERS["pyeer"].stamp.unlink()

    monkeypatch.setattr("venv.create", without_network)
    assert main(["pyeer"]) == 0
    said = capsys.readouterr().out
    assert said == "pyeer: cannot be installed, left out: no such host\npyeer: SKIPPED, not installed\n"


def test_only_what_is_kept_can_be_asked(capsys):
    with pytest.raises(SystemExit):
        main(["faiss-cpu"])
    assert "there is no peer faiss-cpu" in capsys.readouterr().err
