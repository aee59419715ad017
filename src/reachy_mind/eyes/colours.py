"""The dominant colour of an object, as an everyday word."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from reachy_mind.eyes.boxes import Box
from reachy_mind.eyes.pictures import Picture, Pixels

SAMPLE = 48
"""Pixels sampled along a side; more do not change the result."""
ELLIPSE_SHARE = 0.8
"""Only an ellipse of this share of the box is sampled: the corners show the background."""
MAX_BALANCE_GAIN = 1.06
"""Largest white balance correction per channel: a red wall must not make everything green."""
COLOURS = (
    "black", "white", "grey", "red", "orange", "yellow", "green", "turquoise", "blue", "purple", "pink", "brown",
)  # fmt: skip
SYNONYMS = {"gray": "grey", "violet": "purple", "cyan": "turquoise", "teal": "turquoise", "magenta": "pink",
        "golden": "yellow", "gold": "yellow", "beige": "brown", "tan": "brown", "silver": "grey"}  # fmt: skip
"""Other words for these colours."""

_HUES = ((12, "red"), (37, "orange"), (68, "yellow"), (165, "green"), (195, "turquoise"), (255, "blue"),
         (295, "purple"), (340, "pink"), (361, "red"))  # fmt: skip
"""Upper hue in degrees of each colour."""


def canonical_colour(said: str) -> str:
    """The colour of `COLOURS` that this word means; empty when it is not a colour."""
    said = said.casefold()
    said = SYNONYMS.get(said, said)
    return said if said in COLOURS else ""


def main_colour(picture: Picture, box: Box) -> str:
    """The dominant colour in the middle of that box."""
    left, top, right, bottom = box.pixels(picture.width, picture.height)
    crop = picture.pixels[top:bottom, left:right]
    shown = Image.fromarray(crop).resize((SAMPLE, SAMPLE), Image.Resampling.BOX, reducing_gap=2.0)
    balanced = np.clip(np.asarray(shown, np.float32) * _white_balance(picture.pixels), 0, 255)
    across = (np.arange(SAMPLE) + 0.5) / SAMPLE * 2 - 1
    inside = across[:, None] ** 2 + across[None, :] ** 2 <= ELLIPSE_SHARE**2
    votes: dict[str, int] = {}
    for index in _classify(balanced[inside]):
        votes[COLOURS[index]] = votes.get(COLOURS[index], 0) + 1
    return _dominant(votes)


def _dominant(votes: dict[str, int]) -> str:
    """The colour with most pixels. Hues win over black, white and grey: a glossy red object has such spots, too."""
    total = sum(votes.values())
    strong = {name: count for name, count in votes.items() if name not in ("black", "white", "grey")}
    if strong and sum(strong.values()) >= 0.4 * total:
        return max(strong, key=lambda name: strong[name])
    return max(votes, key=lambda name: votes[name])


def _white_balance(pixels: Pixels) -> NDArray[np.float32]:
    """Gains per channel that bring the mean of the picture closer to grey."""
    step = max(1, min(pixels.shape[:2]) // 90)
    mean = pixels[::step, ::step].reshape(-1, 3).mean(axis=0) + 1.0
    gains: NDArray[np.float32] = np.clip(mean.mean() / mean, 1 / MAX_BALANCE_GAIN, MAX_BALANCE_GAIN).astype(np.float32)
    return gains


def _classify(points: NDArray[np.float32]) -> NDArray[np.int64]:
    """For each pixel the index of its colour in `COLOURS`."""
    high, low = points.max(axis=1), points.min(axis=1)
    spread = np.maximum(high - low, 1e-6)
    vivid = spread / np.maximum(high, 1.0)
    red, green, blue = points.T
    sixth = np.where(
        high == red,
        (green - blue) / spread % 6,
        np.where(high == green, (blue - red) / spread + 2, (red - green) / spread + 4),
    )
    hue = sixth * 60
    bounds = np.array([edge for edge, _ in _HUES])
    named = np.array([COLOURS.index(name) for _, name in _HUES])[np.searchsorted(bounds, hue, side="right")]
    # People call orange and yellow brown when it is dark, or pale without being bright.
    dark = np.where(hue < 37, 150, 105)
    earthy = (hue >= 8) & (hue < 50) & ((high < dark) | ((hue >= 22) & (vivid < 0.75) & (high < 205)))
    named = np.where(earthy, COLOURS.index("brown"), named)
    pinkish = ((hue < 20) | (hue > 320)) & (vivid < 0.5) & (high > 190)
    named = np.where(pinkish, COLOURS.index("pink"), named)
    named = np.where(vivid < 0.18, COLOURS.index("grey"), named)
    named = np.where((vivid < 0.18) & (high > 195), COLOURS.index("white"), named)
    return np.where(high < 45, COLOURS.index("black"), named)
