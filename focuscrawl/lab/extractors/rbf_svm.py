"""A support-vector machine with a radial kernel, kept as plain numbers: read from JSON, applied with numpy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from focuscrawl.lab.extractors.density_features import Matrix

_ROWS = 64  # done at a time: what is worked on stays in the cache, and memory small on long pages
_DECIMALS = 4  # of a scaled feature: finer than any page's counts tell


def gamma(sigma: float) -> float:
    """Return 1 / (2 sigma^2), the kernel's width as scikit-learn has it.

    >>> round(gamma(1.6), 7), round(gamma(1.2), 7)
    (0.1953125, 0.3472222)
    """
    return 1.0 / (2.0 * sigma * sigma)


def kernel(rows: NDArray[Any], vectors: NDArray[Any], sigma: float) -> NDArray[Any]:
    """Return exp(-||x - y||^2 / (2 sigma^2)) for each row and vector; shape (rows, vectors), values in (0, 1]."""
    # No matrix product: for five features it is no faster, and its threads wait for each other on a busy machine.
    square = np.zeros((len(rows), len(vectors)), rows.dtype)
    for mine, theirs in zip(rows.T, vectors.T, strict=True):
        difference = mine[:, None] - theirs[None, :]
        difference *= difference
        square += difference
    square *= -gamma(sigma)
    result: NDArray[Any] = np.exp(square, out=square)
    return result


def scale(rows: Matrix, minimum: Matrix, maximum: Matrix) -> Matrix:
    """Return (x - min) / (max - min) of each feature, clipped to [0, 1]; 0 for a feature that has one value only.

    `minimum` and `maximum` are those of the training pages (formula 6 of the paper).
    """
    width = maximum - minimum
    scaled: Matrix = np.clip((rows - minimum) / np.where(width > 0.0, width, 1.0), 0.0, 1.0)
    return np.where(width > 0.0, scaled, 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class RbfSvm:
    """A trained machine; its decision is ``sum of weight * kernel(x, vector) + bias``, above 0 for the wanted class.

    Attributes
    ----------
    c, sigma
        What it was trained with.
    minimum, maximum
        Bounds of each feature in training, shape (features,).
    vectors
        Support vectors, scaled, shape (vectors, features).
    weights
        Class times alpha of each vector.
    """

    c: float
    sigma: float
    bias: float
    minimum: Matrix
    maximum: Matrix
    vectors: Matrix
    weights: Matrix

    @property
    def features(self) -> int:
        """Number of features of a row."""
        return len(self.minimum)

    def decide(self, rows: Matrix) -> Matrix:
        """Return the decision value of each row of unscaled features."""
        out = np.empty(len(rows))
        # Single precision takes a third of the time, and is off by less than the rounding of the numbers.
        vectors, weights = self.vectors.astype(np.float32), self.weights.astype(np.float32)
        for start in range(0, len(rows), _ROWS):
            part = scale(rows[start : start + _ROWS], self.minimum, self.maximum).astype(np.float32)
            out[start : start + _ROWS] = np.einsum("rv,v->r", kernel(part, vectors, self.sigma), weights) + self.bias
        return out

    def to_json(self) -> dict[str, Any]:
        """Return the numbers as JSON-safe data, rounded to what matters."""
        return {
            "c": self.c,
            "sigma": self.sigma,
            "bias": round(self.bias, 6),
            "minimum": [round(float(value), 6) for value in self.minimum],
            "maximum": [round(float(value), 6) for value in self.maximum],
            "vectors": [[round(float(value), _DECIMALS) for value in row] for row in self.vectors],
            "weights": [round(float(value), _DECIMALS) for value in self.weights],
        }

    @classmethod
    def from_json(cls, data: object, *, features: tuple[int, ...]) -> RbfSvm:
        """Return the machine that `to_json` wrote.

        Raises
        ------
        ValueError
            If something is missing, no finite number, or of another shape; `features` has the widths that will do.
        """
        if not isinstance(data, Mapping):
            raise ValueError("an object is expected")
        given = {name: _numbers(data, name) for name in ("minimum", "maximum", "vectors", "weights")}
        width = given["minimum"].shape
        if len(width) != 1 or width[0] not in features:
            raise ValueError(f'"minimum" has to hold {" or ".join(map(str, features))} numbers')
        if given["maximum"].shape != width:
            raise ValueError('"minimum" and "maximum" differ in length')
        if given["weights"].ndim != 1 or not len(given["weights"]):
            raise ValueError('"weights" has to be a list of numbers')
        if given["vectors"].shape != (len(given["weights"]), width[0]):
            raise ValueError(f'"vectors" has to hold {len(given["weights"])} lists of {width[0]} numbers')
        c, sigma, bias = (float(_numbers(data, name, alone=True)) for name in ("c", "sigma", "bias"))
        if c <= 0.0 or sigma <= 0.0:
            raise ValueError('"c" and "sigma" have to be above 0')
        return cls(c, sigma, bias, **given)


def _numbers(data: Mapping[str, object], name: str, *, alone: bool = False) -> Matrix:
    try:
        value = np.array(data[name], float)
    except KeyError:
        raise ValueError(f'"{name}" is missing') from None
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f'"{name}" holds something that is no number') from None
    if (alone and value.ndim) or not np.isfinite(value).all():
        raise ValueError(f'"{name}" has to be finite numbers' if not alone else f'"{name}" has to be a finite number')
    return value
