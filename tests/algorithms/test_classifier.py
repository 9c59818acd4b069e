"""Recognisers as scikit-learn classifiers."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from proband.algorithms import recognizer
from proband.algorithms.classifier import RecognizerClassifier
from proband.errors import UsageError

HEIGHT, WIDTH = 60, 52
FOLDS = StratifiedKFold(2, shuffle=True, random_state=0)


@pytest.fixture(scope="module")
def pixels(faces) -> np.ndarray:
    return faces.crops.images.reshape(len(faces.crops), -1)


@pytest.fixture(scope="module")
def people(faces) -> np.ndarray:
    return np.array(faces.crops.subjects)


def classifier(algorithm: str = "pca:angle") -> RecognizerClassifier:
    return RecognizerClassifier(algorithm, height=HEIGHT, width=WIDTH)


def test_parameters_come_and_go() -> None:
    made = classifier("src")
    assert made.get_params() == {"algorithm": "src", "height": HEIGHT, "width": WIDTH, "mask": True}
    made.set_params(algorithm="lda:soft", mask=False)
    assert (made.algorithm, made.mask) == ("lda:soft", False)
    with pytest.raises(ValueError, match="colour"):
        made.set_params(colour=3)


def test_a_clone_is_unfitted_and_alike(pixels: np.ndarray, people: np.ndarray) -> None:
    fitted = classifier().fit(pixels, people)
    copy = clone(fitted)
    assert copy.get_params() == fitted.get_params()
    with pytest.raises(NotFittedError):
        copy.decision_function(pixels)


# Regression: predict asks for classes_ before it looks whether the classifier is fitted, and fails with an
# AttributeError.
def test_predicting_before_fitting_is_refused(pixels: np.ndarray) -> None:
    with pytest.raises(NotFittedError):
        classifier().predict(pixels)


@pytest.mark.parametrize("algorithm", ["pca:angle", "pca:l1", "lda:angle", "lbp:nbnn", "src", "correlation"])
def test_cross_validation(pixels: np.ndarray, people: np.ndarray, algorithm: str) -> None:
    rates = cross_val_score(classifier(algorithm), pixels, people, cv=FOLDS, error_score="raise")
    assert rates.mean() > 0.5  # by chance it would be one in twenty-four


@pytest.mark.parametrize("algorithm", ["pca:l2", "lbp:nbnn", "src"])
def test_predictions_are_the_largest_decision_values(
    pixels: np.ndarray, people: np.ndarray, algorithm: str
) -> None:
    fitted = classifier(algorithm).fit(pixels[::2], people[::2])
    values = fitted.decision_function(pixels[1::2])
    assert values.shape == (48, 24)
    assert fitted.classes_.tolist() == sorted(set(people))
    assert np.array_equal(fitted.predict(pixels[1::2]), fitted.classes_[values.argmax(axis=1)])
    assert fitted.score(pixels[1::2], people[1::2]) == np.mean(fitted.predict(pixels[1::2]) == people[1::2])
    assert fitted.n_features_in_ == HEIGHT * WIDTH


def test_decision_values_are_closeness_to_people(faces, pixels: np.ndarray, people: np.ndarray) -> None:
    rng = np.random.default_rng(0)
    order = rng.permutation(len(pixels))  # people appear in no order
    fitted = classifier("pca:l2").fit(pixels[order], people[order])
    shuffled = faces.crops.take([faces.crops.ids[k] for k in order])
    closeness, names = recognizer("pca:l2").fit(shuffled).class_scores(faces.query, shuffled)
    columns = [names.index(name) for name in fitted.classes_]
    got = fitted.decision_function(faces.query.images.reshape(24, -1))
    assert np.allclose(got, closeness[:, columns], rtol=1e-5)


def test_labels_may_be_numbers_or_text_and_faces_know_themselves(
    pixels: np.ndarray, people: np.ndarray
) -> None:
    numbers = np.unique(people, return_inverse=True)[1] * 10 - 35
    for labels in (people, numbers, numbers.astype(float)):
        predicted = classifier().fit(pixels, labels).predict(pixels)
        assert np.array_equal(predicted, labels)
        assert predicted.dtype == labels.dtype


def test_values_between_grey_levels_are_rounded(pixels: np.ndarray, people: np.ndarray) -> None:
    fitted = classifier().fit(pixels, people)
    noisy = pixels + np.random.default_rng(0).uniform(-0.49, 0.49, pixels.shape)
    assert np.array_equal(fitted.decision_function(noisy), fitted.decision_function(pixels))
    assert np.array_equal(
        fitted.decision_function(np.where(pixels > 250, 999.0, pixels)),
        fitted.decision_function(np.where(pixels > 250, 255, pixels)),
    )


def test_wrong_numbers_of_features_are_refused(pixels: np.ndarray, people: np.ndarray) -> None:
    with pytest.raises(ValueError, match="3119 features do not form 60 × 52 pixels"):
        classifier().fit(pixels[:, 1:], people)
    fitted = classifier().fit(pixels, people)
    with pytest.raises(ValueError, match="3121 features"):
        fitted.predict(np.column_stack([pixels, pixels[:, :1]]))
    with pytest.raises(ValueError, match="2D array"):
        fitted.predict(pixels[0])
    with pytest.raises(ValueError, match="NaN"):
        fitted.predict(np.full((1, HEIGHT * WIDTH), np.nan))
    with pytest.raises(ValueError, match="inconsistent"):
        classifier().fit(pixels, people[1:])


def test_unknown_algorithms_are_refused_when_fitting(pixels: np.ndarray, people: np.ndarray) -> None:
    with pytest.raises(UsageError, match="no recogniser 'pca:cubic'"):
        classifier("pca:cubic").fit(pixels, people)


def test_algorithms_can_be_searched_and_stand_in_a_pipeline(pixels: np.ndarray, people: np.ndarray) -> None:
    search = GridSearchCV(
        classifier(), {"algorithm": ["pca:l2", "correlation"], "mask": [True, False]}, cv=FOLDS
    )
    search.fit(pixels, people)
    assert search.best_score_ > 0.5
    chain = make_pipeline(FunctionTransformer(lambda X: 255 - X), classifier("correlation"))
    assert cross_val_score(chain, pixels, people, cv=FOLDS).mean() > 0.5


# Regression: scikit-learn's convention for two classes is one value a face, positive for the second class; with
# two columns its scorers (roc_auc, average_precision) fail.
def test_two_classes_have_one_decision_value(pixels: np.ndarray, people: np.ndarray) -> None:
    two = people == people[0]
    two[::3] = True
    fitted = classifier().fit(pixels, two)
    values = fitted.decision_function(pixels)
    assert values.shape == (len(pixels),)
    assert np.array_equal(fitted.predict(pixels), values > 0)
    rates = cross_val_score(classifier(), pixels, two, cv=FOLDS, scoring="roc_auc", error_score="raise")
    assert np.isfinite(rates).all()
