"""Pages that lie askew on the glass: find by how much, and turn them straight.

Lines of text that lie level give rows full of ink between rows without. Of some angles, that is the
page's at which the rows differ most.

Source: W. Postl, "Detection of linear oblique structures and skew scan in digitized documents"
(ICPR 1986), who sums the squared differences of neighbouring rows.
"""

import math

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageChops, ImageFilter

_MOST_DEGREES = 6.0
_COARSE, _FINE = 0.5, 0.05
_LEAST_DEGREES = 0.5
"""Less costs no characters, as measured, and turning a page blurs it a little."""
_LEAST_GAIN = 1.05
_LOOKED_AT_PIXELS = 1400
_NEARBY = 12
_DARKER = 24
"""Than the surroundings, of 255: ink, whatever the paper's grey."""
_LEAST_INK = 200
_PAPER = 255


def straightened(picture: Image.Image) -> Image.Image:
    """Return the page with its lines level; one that is straight as it is.

    Args:
        picture: a page in shades of grey, upright, not more than six degrees askew.
    """
    degrees = degrees_askew(picture)
    if abs(degrees) < _LEAST_DEGREES:
        return picture
    return picture.rotate(degrees, Image.Resampling.BICUBIC, expand=True, fillcolor=_PAPER)


def degrees_askew(picture: Image.Image) -> float:
    """Return by how many degrees to turn a page counterclockwise; 0 where nothing tells."""
    small = picture.reduce(max(1, math.ceil(max(picture.size) / _LOOKED_AT_PIXELS)))
    nearby = small.filter(ImageFilter.BoxBlur(_NEARBY))
    rows, columns = np.nonzero(np.asarray(ImageChops.subtract(nearby, small)) > _DARKER)
    if len(rows) < _LEAST_INK:
        return 0.0
    coarse = _best(rows, columns, np.arange(-_MOST_DEGREES, _MOST_DEGREES + _COARSE, _COARSE))
    best = _best(rows, columns, coarse + np.arange(-_COARSE, _COARSE + _FINE, _FINE))
    level = _difference(rows, columns, 0.0)
    return best if _difference(rows, columns, best) > _LEAST_GAIN * level else 0.0


def _best(rows: NDArray[np.intp], columns: NDArray[np.intp], angles: NDArray[np.float64]) -> float:
    return max(map(float, angles), key=lambda angle: _difference(rows, columns, angle))


def _difference(rows: NDArray[np.intp], columns: NDArray[np.intp], degrees: float) -> float:
    """Return how much neighbouring rows differ when the page is turned."""
    turned = np.rint(rows - columns * math.tan(math.radians(degrees))).astype(np.intp)
    ink = np.bincount(turned - turned.min())
    return float(np.sum(np.diff(ink).astype(np.float64) ** 2))
