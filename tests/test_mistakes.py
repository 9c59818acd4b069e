"""Plausible mistakes in Python: each is refused in words that say what was wrong, what was got and how to mend it."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.naive_bayes import GaussianNB

import proband as pb
from proband.engine.arguments import checked
from proband.errors import InputError, ProbandError, UsageError
from proband.measures.base import MEASURES
from proband.protocols import FeatureTable, run_protocol

N = 12
IDS = [f"{side}{k}" for k in range(N) for side in "gp"]
TABLE = {
    "id": IDS,
    "subject": [name[1:] for name in IDS],
    "session": [1, 2] * N,
    "sex": ["m", "m", "f", "f"] * (N // 2),
}
VALUES = np.equal.outer(TABLE["subject"], TABLE["subject"]) + np.random.default_rng(0).normal(
    0, 0.2, (2 * N, 2 * N)
)
TRUTH, LOGITS = np.arange(24) % 3, np.random.default_rng(1).normal(size=(24, 3))
OUTCOMES = {"q": [*range(10)] * 2, "m": ["x"] * 10 + ["y"] * 10, "ok": [0, 1] * 10}
PAIRS = {"query": IDS[:4], "target": IDS[4:8], "mated": [True, False] * 2, "score": [1.0, 2.0, 3.0, 4.0]}


def scores_of(values=VALUES, ids=IDS, **options):
    return pb.Scores.from_array(values, ids, **({"orientation": "similarity", "name": "a"} | options))


@pytest.fixture(scope="module")
def known(tmp_path_factory):
    """What the calls below are made of."""
    folder = tmp_path_factory.mktemp("mistakes")
    np.save(folder / "m.npy", VALUES)
    (folder / "empty.csv").write_text("")
    samples = pb.Samples(TABLE)
    experiment = pb.Experiment(samples, gallery="session == 1")
    a, b = scores_of(), scores_of(VALUES.T, name="b")
    return {
        "pb": pb, "np": np, "pd": pd, "pl": pl, "run_protocol": run_protocol, "cv": pb.sklearn.cross_validate, "NB": GaussianNB, "scores_of": scores_of,
        "S": samples, "E": experiment, "a": a, "b": b, "O": pb.rank(a, experiment), "pool": pb.Pool(samples),
        "frame": pl.DataFrame(TABLE), "pandas": pd.DataFrame(TABLE), "ids": IDS, "R": pb.measures.RecognitionRate(1),
        "y": TRUTH, "L": LOGITS, "out": pl.DataFrame(OUTCOMES), "T": pb.Trials(pl.DataFrame(PAIRS), "similarity"),
        "V": VALUES, "d": folder, "one": pb.Samples({"id": ["1", "2", "3"], "subject": ["x"] * 3}),
        "FeatureTable": FeatureTable, "found": pb.evaluate([a, b], experiment), "checks": pb.verify([a, b], samples, fmr=0.1),
    }  # fmt: skip


REFUSED = {
    # covariates
    "pb.covariates([a, b], E)": "covariates needs the argument 'on'",
    "pb.covariates([a, b], E, on='sexx')": "did you mean 'sex'",
    "pb.covariates([a, b], E, on='rival.sex')": "an image of a non-mate is compared with many probes",
    "pb.covariates([a, b], E, on='sex', covariance='HC3')": "covariance must be",
    "pb.covariates([a, b], E, on='sex', rank=0)": "A rank must be a whole number from 1",
    "pb.covariates([a, b], on='sex')": "Scores need an experiment",
    "pb.stats.explain_outcomes({'y': [0, 1]}, on='y')": "explain_outcomes needs the argument 'success'",
    "pb.stats.explain_outcomes({'y': [0, 1]}, success='z', on='y')": "There is no column 'z' in the table",
    "pb.stats.explain_outcomes({'y': [0, 1]}, success='y', on='probe.x')": "There is no column 'probe.x' in the table",
    "pb.partition([a, b], S)": "experiment should be an Experiment",
    "pb.partition(a, E)": "0 probes are of people with several",
    # swapped arguments
    "pb.compare(R, E, measure=[a, b])": "look swapped: compare.scores, experiment, measure, .* a RecognitionRate, an Experiment, a list of 2 DenseScores",
    "pb.compare(R, [a, b], E)": "takes 2 arguments by position, got 3(.|\n)*measure=",
    "pb.compare('rank-1', E, measure=[a, b])": "look swapped",
    "pb.compare(E, [a, b], measure=R)": "look swapped",
    "pb.evaluate(E, [a, b])": "look swapped: evaluate.scores, experiment",
    "pb.evaluate(E, a)": "look swapped",
    "pb.estimate(R, E, measure=a)": "look swapped",
    "pb.stats.estimate_cmc(E, a)": "look swapped",
    "pb.rank(E, a)": "look swapped",
    "pb.search(E, a)": "look swapped",
    "pb.verify(S, a)": "look swapped",
    "pb.threshold(S, a)": "look swapped",
    "pb.permute(pool, a)": "look swapped",
    "pb.gate(E, b, baseline=a)": "look swapped",
    "pb.gate(a, b, baseline=E)": "look swapped",
    "pb.choices.exact_over_choices(pool, a)": "look swapped",
    "pb.feret.feret_study(E, [a, b])": "look swapped",
    "pb.feret.gallery_variation(R, E, measure=[a, b], design=pb.designs.Galleries(2))": "look swapped",
    "pb.planning.coverage(R, measure=O)": "look swapped",
    "pb.planning.compare_halves(R, measure=O)": "look swapped",
    "pb.stats.compare_independent(O, R, measure=O)": "look swapped",
    "pb.strat.compare_sensors(O, by='camera')": "no column 'camera'",
    "pb.data.experiment_over(S, a)": "look swapped",
    "pb.data.pool_over(S, a)": "look swapped",
    "pb.Experiment('session == 1', S)": "look swapped: Experiment.samples, gallery",
    "pb.Pool('session', S)": "look swapped",
    "pb.read_scores(S, d / 'm.npy')": "look swapped",
    "pb.write_scores(a, d / 'x.npz')": "look swapped",
    "pb.classify(L, y)": "look swapped",
    "pb.classify({'A': L}, y)": "look swapped",
    "R(E, a)": "look swapped: RecognitionRate",
    "pb.measures.FNMR(0.1)(S, a)": "look swapped: FNMR",
    "pb.Embeddings(ids, V, metric='cosine')": "whether values and ids are swapped",
    "scores_of(ids, V)": "whether values and ids are swapped",
    # what an experiment, samples and scores are made of
    "pb.evaluate([a, b], S)": r"Experiment; got Samples(.|\n)*Experiment\(samples, gallery=…\)",
    "pb.evaluate([a, b], None)": "Experiment; got None",
    "pb.evaluate([a, b])": "evaluate needs the argument 'experiment'",
    "pb.evaluate(None, E)": r"Scores, one or several; got None(.|\n)*Scores.from_array",
    "pb.evaluate('a.npz', E)": r"got 'a.npz'(.|\n)*Scores.read",
    "pb.evaluate(V, E)": "got a NumPy array of 24 × 24",
    "pb.evaluate([V], E)": "item 1 is a NumPy array of 24 × 24",
    "pb.evaluate([], E)": "No algorithm was given",
    "pb.evaluate([a, a], E)": "different names; got a, a",
    "pb.compare([a, None], E, measure=R)": "item 2 is None",
    "pb.compare(a, E, measure=R)": "at least two algorithms",
    "pb.compare([a, b], pandas, measure=R)": r"got a pandas DataFrame(.|\n)*Samples\(frame\)",
    "pb.verify(a, frame)": r"got a polars DataFrame(.|\n)*Samples\(frame\)",
    "pb.verify(V, S)": "got a NumPy array",
    "pb.verify(a, pool)": "got a Pool",
    "pb.threshold(a, pandas)": "got a pandas DataFrame",
    "pb.permute([a, b], E)": r"Pool; got an Experiment(.|\n)*Pool\(samples\)",
    "pb.gate(a, E, baseline=None)": r"got None(.|\n)*Scores.from_array",
    "pb.gate(a, E)": r"needs the argument 'baseline'(.|\n)*Scores.from_array",
    "pb.gate(V, E, baseline=V)": r"got a NumPy array(.|\n)*Embeddings\(",
    "pb.gate(a, baseline=b)": r"need an experiment(.|\n)*Experiment\(samples",
    "pb.compare({'a': V}, E)": "Scores.from_array",
    "pb.gate([a, b], E, baseline=b)": "candidate must be one algorithm; got 2",
    "pb.rank(a, T)": "got Trials",
    "pb.Experiment(pandas, 'session == 1')": r"got a pandas DataFrame(.|\n)*Samples\(frame\)",
    "pb.stats.compare_independent(a, b, measure=R)": r"got DenseScores(.|\n)*rank\(scores, experiment\)",
    "pb.compare([a, b], E, measure=pb.measures.RecognitionRate)": r"the class RecognitionRate(.|\n)*call it",
    "pb.Scores(V, ids)": "Scores.from_array",
    "pb.run('study.toml')": r"Request or a Study; got 'study.toml'(.|\n)*read_study",
    "pb.save_figure(None, 'x.svg')": "result.plot",
    "run_protocol(S, 'x', 'y')": "got Samples",
    # pairs, sides and categories
    "pb.compare([a, b], E, measure=R, pairs=[('a', 'c')])": "no algorithm 'c'",
    "pb.compare([a, b], E, measure=R, pairs=['a-b'])": "item 1 is 'a-b'",
    "pb.compare([a, b], E, measure=R, pairs=[('a', 'a')])": "compared with itself",
    "pb.compare([a, b], E, measure=R, against='x')": "no algorithm 'x'",
    "pb.compare([a, b], E, measure=R, one_sided='low')": r"one_sided must be(.|\n)*'lower'",
    "pb.compare([a, b], E, measure=R, by='sexx')": "no column 'sexx'",
    "pb.estimate(a, E, measure=R, one_sided='lower', confidence_level=0.5)": "above 0.5",
    "pb.evaluate([a, b], E, by='sexx')": "no column 'sexx'",
    "pb.stats.mcnemar_table(a, E)": "scores should be",
    "pb.stats.mcnemar_table([a, b], E, against='x')": "no algorithm 'x'",
    "pb.choices.trial_choices(pool, trials=0)": "Trials must be from 1 to",
    # unknown names
    "pb.evaluate([a, b], E, rank=[1])": "no argument 'rank'(.|\n)*'ranks'",
    "pb.Samples(frame, id_colum='id')": "'id_column'",
    "pb.compare_outcomes(out, items='q', algorithm='m', success='ok')": "'item'",
    "pb.compare_outcomes(out, 'q', 'm', 'ok')": "by position, got 4",
    "pb.compare_outcomes(out, item='q', algorithm='m', success='okk')": "no column 'okk'",
    "pb.compare([a, b], E, measure='rnak-1')": "'rank-1'",
    "pb.compare([a, b], E, measure=R, design='bootstrp')": "'bootstrap'",
    "pb.stats.estimate_cmc(a, E, design='boot')": "'bootstrap'",
    "pb.rank(a, E, ties='pesimistic')": "'pessimistic'",
    "pb.permute([a, b], pool, kernel='x')": "kernel must be",
    "pb.planning.plan_difference(0.01, discordant=0.1, aim='x')": "aim must be",
    "pb.Embeddings(V, ids, metric='euclidean')": "write 'l2'",
    "pb.Embeddings(V, 'im001', metric='cosine')": "a list, one for each vector; got the text 'im001'",
    "pb.Embeddings(V, ids, metric='cosin')": "'cosine'",
    "pb.Experiment(S, 'sesion == 1')": "'session'",
    "pb.Experiment(S, pb.data.OnePerSubject(order_by='sesion'))": "'session'",
    "pb.Samples(frame, subject_column='Subject')": "'subject'",
    "pb.read_scores(d / 'm.npy', S, orientation='similarity', format='npyy')": "'npy'",
    "scores_of(orientation='similar')": "'similarity' or 'distance'; got 'similar'(.|\n)*does not guess it",
    "pb.Scores.from_array(V, ids)": "needs the argument 'orientation'(.|\n)*does not guess it",
    "pb.search(a, E, fpir=0.01)": r"no argument 'fpir'(.|\n)*pass it to the result: search\(…\)\.at_fpir\(fpir=…\)",
    "pb.survey.Survey(frame).replicated('jackknife')": r"jk1, jkn, (.|\n)*write 'jkn'",
    # what results are asked for
    "found.plot(widht=3)": r"plot has no argument 'widht'(.|\n)*'width'",
    "found.plot(width='3in')": r"width should be a number; got '3in'(.|\n)*only the number: 3\.",
    "found.plot(3)": "ax should be Matplotlib axes",
    "pb.estimate(a, E, measure=R).plot(figsize=(3, 3))": r"plot has no argument 'figsize'(.|\n)*the arguments are: ax, which, width, title",
    "checks.plot(figsize=(3, 3))": r"plot has no argument 'figsize'(.|\n)*the arguments are: ax, which",
    "checks['c']": r"no algorithm 'c'(.|\n)*available: 'a', 'b'",
    "found.to_latex('t.tex')": r"Evaluation.to_latex takes 0(.|\n)*returns a string; write it with Path\('t.tex'\).write_text\(result.to_latex\(\)\)",
    "found.to_markdown(path='t.md')": r"no argument 'path'(.|\n)*Path\('t.md'\)",
    # scored pairs
    "pb.verify_pairs(L[:, 0], y > 0, orientation='similarity')": r"look swapped(.|\n)*pass mated first",
    "pb.verify_pairs(y > 0, L[:, 0], people=pandas['subject'], orientation='similarity')": r"people should be a pair of lists, one for each side(.|\n)*both sides",
    "pb.verify_pairs(y > 0, L[:, 0], samples='id', orientation='similarity')": "samples should be a pair of lists",
    "pb.verify_pairs(pandas, L[:, 0], orientation='similarity')": r"mated must be one column; got a pandas DataFrame with the columns 'id'(.|\n)*frame\['mated'\], frame\['score'\]",
    "pb.verify_pairs(y > 0, frame, orientation='similarity')": "must be one column; got a polars DataFrame",
    "pb.verify_pairs(frame, orientation='similarity')": r"needs the argument 'scores'(.|\n)*frame\['score'\]",
    "FeatureTable(S, features=pandas)": "Features must be numbers, got values of type object",
    "FeatureTable(pandas[['id']], features=V)": "no column 'subject'",
    # numbers
    "pb.verify(a, S, fmr='0.1%')": "got '0.1%'(.|\n)*write 0.001",
    "pb.verify(a, S, fmr=['0.1%'])": "write 0.001",
    "pb.verify(a, S, fmr=10)": "at least 0 and below 1, got 10",
    "pb.verify(a, S, fmr=1)": "must be at least 0 and below 1, got 1",
    "pb.compare([a, b], E, measure='fnmr@0.1%')": "write 0.001 for 0.1%",
    "pb.threshold(a, S, confidence_level=95)": "write 0.95",
    "pb.evaluate(a, E, confidence_level='95%')": "write 0.95",
    "pb.evaluate(a, E, ranks=1)": "a list of whole numbers; got 1",
    "pb.evaluate(a, E, ranks=['1'])": "item 1 is '1'(.|\n)*without quotation marks",
    "pb.evaluate(a, E, threads='2')": "without quotation marks",
    "pb.verify(a, S, n_resamples=1e3)": "write 1000",
    "pb.verify(a, S, naive='yes')": "True or False",
    "pb.verify(a, S, thresholds=0.5)": "a list of numbers",
    "pb.gate(a, E, baseline=b, margin='1%')": "write 0.01",
    "pb.measures.FNMR('0.1%')": "write 0.001",
    "pb.planning.plan_half_width('95%', '1%')": "write 0.95",
    "pb.planning.plan_half_width(95, 1)": "write 0.95",
    "pb.planning.plan_error_rate('0.1%')": "write 0.001",
    "pb.mcnemar('5', 3)": "whole number",
    "pb.mcnemar(5)": "needs the argument[s]? 'n_fs'",
    "pb.classify(y, L, k='5')": "whole number",
    "pb.classify(y, L, k=3)": r"with 3 classes the top 3 always(.|\n)*use top-2",
    "pb.classify([], {'A': []})": "true labels are empty",
    "pb.classify(y, L, cluster=np.zeros(24))": "leave cluster out",
    "pb.classify(y + 0.5, L)": "must be integers or strings, got 0.5",
    "pb.classify(y, {'A': list('abc') * 8})": "are numbers, but the predictions of 'A' are strings",
    "pb.classify(y, {'A': L, 'B': L[:, :2]})": "A has 3, B has 2",
    "pb.classify(list('abx') * 8, L, classes=list('abc'))": "8 of the true labels are not among the classes; the first is 'x'",
    "pb.classify(y, np.where(np.arange(72).reshape(24, 3) == 5, np.nan, L))": "1 of the scores of 'model' is missing .*row 1, column 2",
    # names of measures
    "pb.compare([a, b], E, measure='rank-1.5')": "takes a whole number, as in rank-1; got '1.5'.$",
    "pb.compare([a, b], E, measure='fnmr@1%')": r"The measure fnmr takes a number(.|\n)*write 0.01 for 1%",
    "pb.sklearn.scorer('roc_auc')": "did you mean 'auc'[?]",
    # vectors, ids and tables
    "pb.Embeddings(V[:0], [], metric='cosine')": r"got a NumPy array of 0 × 24(.|\n)*at least one vector",
    "pb.Embeddings(V[:, 0], ids, metric='cosine')": r"got a NumPy array of 24 (.|\n)*one row per sample",
    "pb.Embeddings(V + 1j, ids, metric='cosine')": "pass real numbers",
    "pb.Embeddings(iter(V), ids, metric='cosine')": "got a generator|got a list_iterator|got an iterator",
    "pb.Embeddings('model.npy', ids, metric='cosine')": r"read_embeddings\('model.npy', metric='cosine'\)",
    "pb.Experiment(S, frame)": r"must be a column or a list, got a table(.|\n)*table\['id'\]",
    "pb.Experiment(S, (frame['session'] == 1).cast(int))": r"mask.astype\(bool\)",
    "pb.Experiment(S, 'one_per_person')": "did you mean 'one_per_subject'",
    "pb.compare_datasets('acc.csv')": r"Expected a table, got 'acc.csv'(.|\n)*read_csv",
    "pb.evaluate(a, E, categories={'late': 'probe.session == 2'})": r"got a dict with 1 entry(.|\n)*Category\(",
    "pb.evaluate(scores_of(np.where(np.arange(576).reshape(24, 24) == 28, np.nan, V)), E)": r"with 2, by cells=… in Python",
    "pb.evaluate(a, E, confidence_level=95)": r"strictly between 0 and 1 .*, got 95(.|\n)*write 0.95",
    # scikit-learn's arrays
    "cv(NB(), V, y[:5])": "X has 24, y has 5",
    "cv(NB(), V, y, groups=y[:5])": "groups has 5",
    "cv(NB(), V[:, 0], y)": r"reshape\(-1, 1\)",
    "cv(NB(), np.where(np.eye(24) > 0, np.nan, V), y)": "first in row 0, column 0",
    "cv(NB, V, y)": r"class of a classifier(.|\n)*GaussianNB\(\)",
    "cv(NB(), V, y, cv=1)": "at least 2 folds",
    "cv(NB(), V, y + 0.5)": "numbers with fractions",
    "cv(NB(), V, np.arange(24) // 23, groups=ids)": r"splitter\(protocol, all_classes=False\)",
    "run_protocol(NB(), FeatureTable(S, features=V))": r"name it: \{'a': classifier\}",
    "run_protocol({'a': NB()}, FeatureTable(S, features=V), '2f CV+')": r"classes are the people(.|\n)*label=…",
    # outcomes
    "pb.compare_outcomes(out[:19], item='q', algorithm='m', success='ok')": "1 of 20 outcomes is missing: item 9 has no outcome for 'y'",
    "pb.compare_outcomes(pl.concat([out, out[:1]]), item='q', algorithm='m', success='ok')": "Item 0 has 2 outcomes for 'x'; 1 pair",
    "pb.measures.RankStatistic('mean')": "a function",
    "pb.evaluate(a, E, progress=True)": "Progress",
    "pb.evaluate(a, E, categories=[\"sex == 'm'\"])": "Category",
    # tables, ids, masks
    "pb.Samples(None)": "'NoneType'",
    "pb.Samples({'id': [], 'subject': []})": "no rows",
    "pb.Samples({'id': ['a', 'b'], 'subject': ['x']})": "differ in length: 'id' has 2, 'subject' has 1",
    "pb.Samples({'id': ['a', 'a'], 'subject': ['x', 'y']})": "repeat",
    "pb.Samples.read(None)": "a path; got None",
    "pb.Samples.read(d / 'empty.csv')": "is empty",
    "S.take('x')": "Positions|array",
    "S.take(np.ones(23, bool))": "23 values; there are 24 samples",
    "pb.Experiment(S, np.ones(23, bool))": "23 values; there are 24 samples",
    "pb.Experiment(S, [True] * 23)": "23 values; there are 24 samples",
    "pb.Experiment(S, pd.Series([True] * 23))": "23 values; there are 24 samples",
    "pb.Experiment(S, pl.Series([True] * 25))": "25 values; there are 24 samples",
    "pb.Experiment(S, pl.Series([True, None] * 12))": "missing values for 12 of 24",
    "pb.Experiment(S, None)": "selected by None(.|\n)*a condition, a list of ids, a mask or OnePerSubject",
    "pb.Experiment(S, [0, 2])": "for row numbers",
    "pb.Experiment(S, ['g0.jpg'])": "the ending: 'g0.jpg' against 'g0'",
    "pb.Experiment(S, ['G0'])": "capital letters",
    "pb.evaluate(scores_of(ids=[f'{i}.jpg' for i in ids]), E)": "the ending: 'g0' against 'g0.jpg'",
    "pb.verify(scores_of(ids=[f'x/{i}.jpg' for i in ids]), S)": "the directory and the ending: 'x/g0.jpg' against 'g0'",
    "pb.verify(scores_of(np.eye(2), ['001', '002']), pb.Samples({'id': [1, 2], 'subject': [1, 2]}))": "leading zeros: '001' against '1'",
    "pb.evaluate(scores_of(ids=range(24)), E)": r"12 of 12 gallery samples(.|\n)*hint: no id matches: 'g0' versus '0', '1', '2'(?!(.|\n)*drop)",
    "pb.verify(scores_of(ids=range(24)), S)": "hint: no id matches: '0' versus 'g0', 'p0', 'g1'",
    "pb.evaluate(scores_of(np.eye(3), [1, 2, 3]), pb.Experiment(one, ['1']))": "one person, 'x'",
    "pb.verify(scores_of(np.eye(3), [1, 2, 3]), one)": "at least two people",
    "scores_of(V[:23])": "23 × 24, but there are 24 query ids",
    "scores_of(V[0])": "the scores are 24(.|\n)*queries × targets",
    "scores_of(5)": "one value",
    "scores_of(V * 1j)": "complex128",
    "scores_of(V.astype(object))": "type object(.|\n)*astype",
    "scores_of(np.full((24, 24), 2**60))": "above 2",
    "scores_of(ids=None)": "query ids must be a list",
    "scores_of(ids='abc')": "24 × 24, but there are 3 query ids",
    "scores_of(ids=S)": r"got Samples(.|\n)*samples\.ids",
    "scores_of(ids=[*ids[:-1], float('nan')])": "position 23 is missing",
    "scores_of(cells='x')": "cell codes",
    "pb.evaluate(scores_of(np.where(np.arange(24) % 2, V, np.nan)), E)": "not finite; the first is nan for query",
    "pb.evaluate(scores_of(orientation='distance'), E)": "read as a distance",
    "pb.Embeddings(V[:8], ids, metric='cosine')": "8 vectors but 24 ids(.|\n)*transposed",
    "pb.Embeddings([[1, 2], [3]], ['a', 'b'], metric='cosine')": "cannot be converted to an array",
    "pb.Embeddings(V.astype(object), ids, metric='cosine')": "object",
    "pb.Trials([1, 2])": "a column 'score'",
    "pb.Trials(pandas)": "a column 'score'; the columns are 'id'",
    "pb.Trials(T.frame, 'sim')": "'similarity' or 'distance'",
    "pb.read_scores(None)": "got None",
    "pb.read_scores(V, S)": "got a NumPy array",
    "pb.read_scores(d / 'm.npy', frame, orientation='similarity')": r"Samples\(frame\)",
    "pb.read_study(None)": "a path",
    "pb.Request(evaluate=3)": "'identification'",
    "pb.Category('m', 5)": "rule should be a string",
    "pb.feret.feret_study([a, b], E, galleries=2)": "Galleries",
    "pb.feret.feret_study([a, b], E, versions=[('a',)])": "versions",
    "pb.strat.gallery_effect(a, columns=S)": "ImageColumns",
    "pb.survey.estimate_weighted(None, [1, 2])": "a function",
    "pb.survey.estimate_weighted(lambda w: w.sum(), [1, 1, 2, 2], units=[1, 2, 2, 3])": "1 unit is in several strata: '2'",
    "pb.survey.Survey(out, weight='w')": "'weights'",
    "pb.survey.Survey(out, weights='okk')": "no column 'okk'",
    "pb.survey.Survey(out, units='q', lonely='drop')": "lonely must be",
    "pb.survey.Survey(out, strata='m', units='q')": r"in several(.|\n)*nest=True",
    "pb.survey.Survey(out, fpc=['ok', 'ok'])": "2 columns of populations for 1 stage",
    "pb.survey.Survey(out).estimate()": "No statistics were requested",
    "pb.survey.Survey(out).mean('ok', interval='wilson')": "interval must be",
    "pb.survey.Survey(out).mean('ok', by='qq')": "no column 'qq'",
    "pb.survey.Survey(out, units='q').replicated('jk3')": "'jk1'",
    "pb.survey.Survey(out).function(lambda w: w.sum())": "not linearised",
    "pb.survey.Survey(out).quantile('ok').intervals(0.9)": r"Woodruff(.|\n)*confidence_level=",
    "pb.survey.Survey(out).mean('ok').difference('ok', 'no')": "no estimate 'no'",
}  # fmt: skip
"""Calls, and what must be said of them."""

WORKS = (
    "pb.evaluate(a, E)",
    "pb.evaluate((a, b), E)",
    "pb.evaluate({'x': a, 'y': b}, E)",
    "pb.compare({'x': a, 'y': b}, E, measure=R)",
    "pb.estimate([a, b], E, measure=R)",
    "pb.estimate({'x': a}, E, measure=R)",
    "pb.stats.estimate_cmc([a, b], E)",
    "pb.rank((a, b), E)",
    "pb.verify({'x': a, 'y': b}, S, fmr=0.1)",
    "pb.verify([T], fmr=0.1)",
    "pb.gate([a], E, baseline={'old': b})",
    "pb.data.experiment_over(a, S, gallery='session == 1')",
    "pb.data.experiment_over({'x': a}, S, gallery='session == 1')",
    "pb.data.pool_over((a, b), S)",
    "pb.feret.feret_study({'x': a, 'y': b}, E)",
    "pb.choices.exact_over_choices([a], pool)",
    "pb.classify(y, [L, L[::-1]])",
    "pb.classify(y.tolist(), L.tolist())",
    "pb.compare_outcomes(pd.DataFrame(out.to_dict(as_series=False)), item='q', algorithm='m', success='ok')",
    "pb.Samples(pandas)",
    "repr(FeatureTable(pandas, features=pd.DataFrame(V)))",
    "found.plot(width=5)",
    "pb.Samples(pandas.set_index('id'))",
    "pb.Experiment(S, [True, False] * 12)",
    "pb.Experiment(S, pandas['session'] == 1)",
    "pb.Experiment(S, frame['session'] == 1)",
    "pb.Experiment(S, pd.array([True, False] * 12, dtype='boolean'))",
    "scores_of(ids=pandas['id'])",
    "scores_of(pd.DataFrame(V), frame['id'])",
    "scores_of(cells=np.zeros((24, 24), int).tolist())",
    "pb.Trials(pd.DataFrame(T.frame.to_dict(as_series=False)), 'similarity')",
    "pb.evaluate(scores_of(np.where(np.eye(24), np.nan, V)), E)",
    "pb.evaluate(scores_of(np.where(np.arange(24)[:, None] % 2, V, np.nan)), E)",
    "pb.verify(scores_of(np.where(np.eye(24), np.inf, V)), S, fmr=0.1)",
    "pb.evaluate(scores_of(np.ones((24, 24))), E)",
    "pb.planning.coverage(measure='rank-1', subjects=10, probes_per_subject=2, rate=0.9, icc=0.1, n_sets=20)",
)
"""Calls that look like mistakes and are none."""


@pytest.mark.parametrize("call", REFUSED)
def test_a_mistake_is_answered(known, call):
    with pytest.raises(ProbandError) as told:
        eval(call, dict(known))
    assert re.search(REFUSED[call], str(told.value)), str(told.value)
    assert len(told.value.message) < 400


@pytest.mark.parametrize("call", WORKS)
def test_what_can_be_meant_works(known, call):
    assert eval(call, dict(known)) is not None


def test_several_algorithms_have_their_results_by_name(known):
    a, b, experiment = known["a"], known["b"], known["E"]
    found = pb.rank({"x": a, "y": b}, experiment)
    assert list(found) == ["x", "y"]
    assert found["x"].algorithm == "x"
    assert (found["x"].ranks == pb.rank(a, experiment).ranks).all()
    assert a.name == "a"  # the user's own keeps its name
    frame = pb.estimate([a, b], experiment, measure=known["R"]).to_frame()
    assert frame["algorithm"].to_list() == ["a", "b"]
    assert frame["value"].to_list() == [
        pb.estimate(one, experiment, measure=known["R"]).value for one in (a, b)
    ]


def test_every_public_function_has_the_gate():
    """Whatever is called by name and given something is checked; its errors are not those of Python."""
    makers = {"ProbandError", "Request"}  # an error; checked by its own schema
    for name in dir(pb):
        thing = getattr(pb, name)
        if name in makers or name.startswith("_") or inspect.ismodule(thing) or not callable(thing):
            continue
        if isinstance(thing, type) and not [
            one for one in inspect.signature(thing).parameters if one != "self"
        ]:
            continue
        with pytest.raises(ProbandError):
            thing(no_such_argument=1)


def test_what_is_checked_keeps_its_signature_and_its_name():
    assert list(inspect.signature(pb.evaluate).parameters)[:2] == ["scores", "experiment"]
    assert pb.verify.__name__ == "verify"
    assert "error rates" in (pb.verify.__doc__ or "")


def test_an_error_within_a_function_is_not_taken_for_a_wrong_call():
    @checked
    def broken(n: int) -> int:
        return n + "1"  # type: ignore[operator]

    with pytest.raises(TypeError, match="unsupported operand"):
        broken(1)
    with pytest.raises(UsageError, match="was given n twice"):
        broken(1, n=2)


@pytest.mark.parametrize(("mark", "word"), [("&", "and"), ("|", "or")])
@pytest.mark.parametrize("condition", ["shot < 2 {} subject <= 25", "(shot < 2) {} (subject <= 25)"])
def test_marks_of_other_languages_name_the_word_that_joins_conditions(
    condition: str, mark: str, word: str
) -> None:
    samples = pb.Samples({"id": ["a", "b"], "subject": ["1", "2"], "shot": [1, 2]})
    with pytest.raises(UsageError, match=f"hint: join conditions with {word}, as in"):
        pb.Experiment(samples, condition.format(mark))


@pytest.mark.parametrize(("mark", "called"), [(";", "semicolons"), ("\t", "tabs"), ("|", "bars")])
def test_a_table_with_another_separator_is_known(tmp_path: Path, mark: str, called: str) -> None:
    path = tmp_path / "table.csv"
    path.write_text(f"id{mark}subject\na{mark}1\nb{mark}2\n")
    with pytest.raises(InputError, match=f"seem to be separated by {called}"):
        pb.Samples.read(path)


def test_a_plug_in_without_its_package_is_shown_what_a_name_looks_like() -> None:
    with pytest.raises(UsageError, match=r"package\.mymod:Mine"):
        MEASURES.find("mymod:Mine")
