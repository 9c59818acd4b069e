"""Custom recognisers: a function, a scikit-learn estimator, or an ONNX model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from proband.algorithms.extras import need
from proband.algorithms.pictures.crops import Crops
from proband.algorithms.recognizer import Model, Recognizer, Training, Vectors
from proband.errors import InputError
from proband.scores import Embeddings
from proband.words import Note


@dataclass(frozen=True, eq=False)
class FunctionModel(Model):
    """A function from crops to vectors, compared by the cosine."""

    name: str
    function: Callable[[npt.NDArray[np.uint8]], Any]
    training: Training | None = None
    notes: tuple[Note, ...] = ()

    def represent(self, crops: Crops) -> Vectors:
        """Call the function block by block and check what it returns."""
        parts: list[Vectors] = []
        for block in crops.blocks():
            images = crops.images[block]
            try:
                part = np.asarray(self.function(images))
            except ValueError as error:
                raise InputError(f"{self.name} failed on {len(images)} faces: {error}.") from None
            if part.ndim != 2 or len(part) != len(images) or part.dtype.kind != "f":
                raise InputError(
                    f"{self.name} turned {len(images)} faces into {' × '.join(map(str, part.shape))} of {part.dtype}; "
                    "one row of floats for each was expected."
                )
            if parts and part.shape[1] != parts[0].shape[1]:
                raise InputError(
                    f"{self.name} returned vectors of {parts[0].shape[1]} and of {part.shape[1]} components."
                )
            parts.append(part.astype(np.float32))
        return np.concatenate(parts)

    def scores(self, query: Crops, target: Crops) -> Embeddings:
        """Score by the cosine."""
        return Embeddings(
            self.represent(query),
            query.ids,
            metric="cosine",
            targets=self.represent(target),
            target_ids=target.ids,
            name=self.name,
            notes=self.notes,
        )


@dataclass(frozen=True, eq=False)
class CallableRecognizer(Recognizer):
    """A function that takes n × height × width grey images and returns one vector for each."""

    function: Callable[[npt.NDArray[np.uint8]], Any]
    name: str
    needs_training: bool = False

    def fit(self, train: Crops | None) -> FunctionModel:
        """Return the model; there is nothing to train."""
        return FunctionModel(self.name, self.function)


@dataclass(frozen=True, eq=False)
class EstimatorRecognizer(Recognizer):
    """A scikit-learn estimator on flattened pixels: the vectors are its ``transform`` output, or otherwise its decision values."""

    estimator: Any
    name: str
    needs_training: bool = True

    def fit(self, train: Crops | None) -> FunctionModel:
        """Fit a clone of the estimator on pixels between 0 and 1 and the numbers of people."""
        train = self.required(train, 2)
        fitted = need("sklearn.base", self.name).clone(self.estimator)
        codes = None if train.subjects is None else train.classes(self.name)[1]
        fitted.fit(_flat(train.images), codes)
        methods = [
            name for name in ("transform", "decision_function", "predict_proba") if hasattr(fitted, name)
        ]
        if methods:
            return FunctionModel(self.name, _Fitted(fitted, methods[0]), Training.on(train))
        raise InputError(
            f"{self.name} has no transform, decision_function or predict_proba to represent faces."
        )


@dataclass(frozen=True, eq=False)
class OnnxRecognizer(Recognizer):
    """An ONNX embedding model; crops are resized to its input and repeated over its channels.

    Parameters
    ----------
    path
        The model; its first input is batch × channels × height × width of floats.
    mean, scale
        The input is (value − mean)/scale; the defaults give values between −1 and 1.
    """

    path: str
    mean: float = 127.5
    scale: float = 127.5
    needs_training: bool = False

    @property
    def name(self) -> str:  # type: ignore[override]
        return Path(self.path).stem

    def fit(self, train: Crops | None) -> FunctionModel:
        """Load the model; there is nothing to train."""
        session = _Session(self)
        entry = session.entry
        if entry.type != "tensor(float)":
            raise InputError(f"{self.path} takes {entry.type}; 32-bit floats were expected.")
        sides = entry.shape[1:]
        if (
            len(entry.shape) != 4
            or not all(isinstance(side, int) for side in sides)
            or sides[0] not in (1, 3)
        ):
            raise InputError(
                f"{self.path} takes {entry.shape}; batch × channels × height × width was expected."
            )
        return FunctionModel(self.name, session)


class _Session:
    """A loaded ONNX model, as a function from images to vectors."""

    def __init__(self, model: OnnxRecognizer) -> None:
        runtime = need("onnxruntime", "An ONNX model")
        if not Path(model.path).is_file():
            raise InputError(f"There is no file {model.path}.")
        try:
            self.session = runtime.InferenceSession(model.path, providers=["CPUExecutionProvider"])
        except Exception as error:  # the runtime has no common base for its complaints
            raise InputError(
                f"{model.path} is not a model that can be run: {str(error).splitlines()[0]}."
            ) from None
        self.model, self.entry = model, self.session.get_inputs()[0]

    def __reduce__(self) -> tuple[Any, ...]:
        return _Session, (self.model,)  # a session cannot be sent; the file can be loaded again

    def __call__(self, images: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
        from PIL import Image

        channels, height, width = self.entry.shape[1:]
        out = np.empty((len(images), channels, height, width), dtype=np.float32)
        for place, image in enumerate(images):
            small = Image.fromarray(image).resize((width, height), Image.Resampling.BILINEAR)
            out[place] = (np.asarray(small, dtype=np.float32) - self.model.mean) / self.model.scale
        # Many models are exported for a fixed number of faces at a time; the last batch is then filled up.
        step = self.entry.shape[0] if isinstance(self.entry.shape[0], int) else len(out)
        filled = np.concatenate([out, np.zeros((-len(out) % step, *out.shape[1:]), dtype=np.float32)])
        parts = [
            self.session.run(None, {self.entry.name: filled[k : k + step]})[0]
            for k in range(0, len(filled), step)
        ]
        found: npt.NDArray[np.float32] = np.concatenate(parts)[: len(images)]
        return found.reshape(len(images), -1)


@dataclass(frozen=True, eq=False)
class _Fitted:
    """A method of a fitted estimator, as a function from images to vectors."""

    estimator: Any
    method: str

    def __call__(self, images: npt.NDArray[np.uint8]) -> Any:
        return getattr(self.estimator, self.method)(_flat(images))


def _flat(images: npt.NDArray[np.uint8]) -> npt.NDArray[np.float64]:
    return images.reshape(len(images), -1) / 255.0
