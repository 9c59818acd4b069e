"""Baseline recognisers: references for new algorithms, and algorithms to evaluate if there are only images."""

from proband.algorithms.correlation import Correlation
from proband.algorithms.ica import ICA
from proband.algorithms.lbp import LBP, NBNN, Grid
from proband.algorithms.lda import LDA
from proband.algorithms.linear import LinearModel
from proband.algorithms.pca import PCA
from proband.algorithms.pictures.acquire import Acquired, acquire
from proband.algorithms.pictures.crops import Crops
from proband.algorithms.pictures.detect import CascadeDetector, DlibDetector, detector
from proband.algorithms.pictures.normalize import Geometry, Photometry, crop_faces
from proband.algorithms.pictures.pictures import Pictures, read_picture
from proband.algorithms.recognizer import Model, PeopleModel, Recognizer, Training
from proband.algorithms.registry import family_of, names, names_code, recognizer
from proband.algorithms.running import Sets, score, train
from proband.algorithms.sparse import SRC
from proband.algorithms.storage import load_model, save_model
from proband.engine.arguments import publish

__all__ = [
    "ICA",
    "LBP",
    "LDA",
    "NBNN",
    "PCA",
    "SRC",
    "Acquired",
    "CascadeDetector",
    "Correlation",
    "Crops",
    "DlibDetector",
    "Geometry",
    "Grid",
    "LinearModel",
    "Model",
    "PeopleModel",
    "Photometry",
    "Pictures",
    "Recognizer",
    "Sets",
    "Training",
    "acquire",
    "crop_faces",
    "detector",
    "family_of",
    "load_model",
    "names",
    "names_code",
    "read_picture",
    "recognizer",
    "save_model",
    "score",
    "train",
]

publish(__name__)
