"""The main colour of a thing, in a word that people use."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from reachy_mind.eyes.boxes import Box
from reachy_mind.eyes.pictures import Picture, Pixels

SAMPLE = 48
"""Points along a side that are looked at: more would say the same."""
MIDDLE = 0.8
"""The share of the box, an ellipse, that is looked at: its corners show what is behind the thing."""
BALANCE = 1.06
"""How much a tint of the light is taken out, at most: a red wall must not make everything green."""
WORDS = (
    "black", "white", "grey", "red", "orange", "yellow", "green", "turquoise", "blue", "purple", "pink", "brown",
)  # fmt: skip
SAME = {"gray": "grey", "violet": "purple", "cyan": "turquoise", "teal": "turquoise", "magenta": "pink",
        "golden": "yellow", "gold": "yellow", "beige": "brown", "tan": "brown", "silver": "grey"}  # fmt: skip
"""Other words of people's for these."""

_HUES = ((12, "red"), (37, "orange"), (68, "yellow"), (165, "green"), (195, "turquoise"), (255, "blue"),
         (295, "purple"), (340, "pink"), (361, "red"))  # fmt: skip
"""Degrees of the colour circle up to which a word goes."""


def word(said: str) -> str:
    """The colour that somebody says, as one of ours; empty when it is none."""
    said = said.casefold()
    said = SAME.get(said, said)
    return said if said in WORDS else ""


def main_colour(picture: Picture, box: Box) -> str:
    """Of what is in the middle of that box."""
    left, top, right, bottom = box.pixels(picture.width, picture.height)
    crop = picture.pixels[top:bottom, left:right]
    shown = Image.fromarray(crop).resize((SAMPLE, SAMPLE), Image.Resampling.BOX, reducing_gap=2.0)
    balanced = np.clip(np.asarray(shown, np.float32) * _gains(picture.pixels), 0, 255)
    across = (np.arange(SAMPLE) + 0.5) / SAMPLE * 2 - 1
    inside = across[:, None] ** 2 + across[None, :] ** 2 <= MIDDLE**2
    votes: dict[str, int] = {}
    for index in _words(balanced[inside]):
        votes[WORDS[index]] = votes.get(WORDS[index], 0) + 1
    return _chosen(votes)


def _chosen(votes: dict[str, int]) -> str:
    """A glossy red thing has white and dark spots, too: what has a colour wins over what has none."""
    total = sum(votes.values())
    strong = {name: count for name, count in votes.items() if name not in ("black", "white", "grey")}
    if strong and sum(strong.values()) >= 0.4 * total:
        return max(strong, key=lambda name: strong[name])
    return max(votes, key=lambda name: votes[name])


def _gains(pixels: Pixels) -> NDArray[np.float32]:
    """What brings the mean of a picture closer to grey."""
    step = max(1, min(pixels.shape[:2]) // 90)
    mean = pixels[::step, ::step].reshape(-1, 3).mean(axis=0) + 1.0
    gains: NDArray[np.float32] = np.clip(mean.mean() / mean, 1 / BALANCE, BALANCE).astype(np.float32)
    return gains


def _words(points: NDArray[np.float32]) -> NDArray[np.int64]:
    """For each point the place of its word."""
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
    named = np.array([WORDS.index(name) for _, name in _HUES])[np.searchsorted(bounds, hue, side="right")]
    # Orange and yellow that are dark, or pale without being bright, are what people call brown.
    dark = np.where(hue < 37, 150, 105)
    earthy = (hue >= 8) & (hue < 50) & ((high < dark) | ((hue >= 22) & (vivid < 0.75) & (high < 205)))
    named = np.where(earthy, WORDS.index("brown"), named)
    pinkish = ((hue < 20) | (hue > 320)) & (vivid < 0.5) & (high > 190)
    named = np.where(pinkish, WORDS.index("pink"), named)
    named = np.where(vivid < 0.18, WORDS.index("grey"), named)
    named = np.where((vivid < 0.18) & (high > 195), WORDS.index("white"), named)
    return np.where(high < 45, WORDS.index("black"), named)
