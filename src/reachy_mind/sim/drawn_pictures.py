"""Textures of the simulated world: pictures sent by clients, cropped to size, and generated faces.

A picture is identified by a hash of its content, so that the camera process gets each one only once.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import io
import random
from dataclasses import dataclass

from PIL import Image, ImageDraw, ImageFilter, ImageOps, UnidentifiedImageError

from reachy_mind.errors import InvalidParameter
from reachy_mind.sim.appearance import FACE_SIZE, Vector

MAX_BYTES = 8 << 20
MAX_PIXELS = 40_000_000
_SCALE = 4

_SKINS = ((241, 205, 177), (224, 172, 138), (198, 134, 96), (141, 85, 54), (96, 57, 37))
_HAIR = ((36, 26, 22), (84, 54, 32), (158, 112, 60), (120, 48, 26), (150, 148, 146))
_EYES = ((84, 52, 28), (56, 88, 120), (72, 98, 62))
_CLOTHES = ((44, 74, 128), (122, 40, 52), (46, 104, 74), (92, 84, 108), (190, 156, 62), (70, 74, 80))


@dataclass(frozen=True)
class ScenePicture:
    """A square picture of `size`, as rows of RGB bytes, with its key."""

    key: str
    size: int
    pixels: bytes


@dataclass(frozen=True)
class Appearance:
    """A generated person: the face, and matching colours (0 to 1)."""

    face: ScenePicture
    skin: Vector
    hair: Vector
    clothes: Vector


def decode(text: str, size: int) -> ScenePicture:
    """Decode a PNG or JPEG in base64 (also a data: URL), cropped to its central square. Raises InvalidParameter."""
    encoded = text.partition(",")[2] if text.startswith("data:") else text
    hint = "send a PNG or JPEG in base64"
    if len(encoded) > MAX_BYTES * 4 // 3:
        raise InvalidParameter(f"the picture has more than {MAX_BYTES >> 20} MB", hint="send a smaller one")
    try:
        opened = Image.open(io.BytesIO(base64.b64decode(encoded, validate=True)), formats=("PNG", "JPEG"))
        if opened.width * opened.height > MAX_PIXELS:
            raise InvalidParameter(f"the picture has {opened.width}x{opened.height} points", hint="send a smaller one")
        image = ImageOps.fit(ImageOps.exif_transpose(opened).convert("RGB"), (size, size))
    except (binascii.Error, UnidentifiedImageError, OSError, SyntaxError, ValueError) as error:
        raise InvalidParameter(f"the picture can't be read: {error}", hint=hint) from None
    return _picture(image)


def _picture(image: Image.Image) -> ScenePicture:
    pixels = image.tobytes()
    return ScenePicture(hashlib.sha256(pixels).hexdigest()[:16], image.width, pixels)


def drawn_person(name: str, seed: int) -> Appearance:
    """Generate a person, deterministic in name and seed."""
    chance = random.Random(f"{seed} {name}")  # noqa: S311 -- looks, not secrets
    skin, hair, eyes = chance.choice(_SKINS), chance.choice(_HAIR), chance.choice(_EYES)
    face = _picture(_face(skin, hair, eyes, chance))
    return Appearance(face, _unit(skin), _unit(hair), _unit(chance.choice(_CLOTHES)))


def _unit(color: tuple[int, int, int]) -> Vector:
    red, green, blue = color
    return red / 255, green / 255, blue / 255


def mean_color(picture: ScenePicture) -> Vector:
    """The mean colour of the middle: the skin, when the picture is a face."""
    image = Image.frombytes("RGB", (picture.size, picture.size), picture.pixels)
    third = picture.size // 3
    pixel = image.crop((third, third, 2 * third, 2 * third)).resize((1, 1), Image.Resampling.BOX).getpixel((0, 0))
    assert isinstance(pixel, tuple)
    return _unit((int(pixel[0]), int(pixel[1]), int(pixel[2])))


def _mixed(color: tuple[int, int, int], other: tuple[int, int, int], share: float) -> tuple[int, int, int]:
    a, b, c = (round(x + (y - x) * share) for x, y in zip(color, other, strict=True))
    return a, b, c


def _face(
    skin: tuple[int, int, int], hair: tuple[int, int, int], eyes: tuple[int, int, int], chance: random.Random
) -> Image.Image:
    """Draw a face at four times the size and scale it down: blurred shading first, sharp features on top."""
    side = FACE_SIZE * _SCALE
    shade, light = _mixed(skin, (60, 20, 10), 0.35), _mixed(skin, (255, 245, 235), 0.18)
    image = Image.new("RGB", (side, side), skin)
    pen = ImageDraw.Draw(image)

    def oval(draw: ImageDraw.ImageDraw, x: float, y: float, w: float, h: float, color: tuple[int, int, int]) -> None:
        draw.ellipse([(x - w) * side, (y - h) * side, (x + w) * side, (y + h) * side], fill=color)

    for x in (-0.02, 1.02):
        oval(pen, x, 0.55, 0.16, 0.5, shade)
    for x in (0.31, 0.69):
        oval(pen, x, 0.43, 0.13, 0.075, shade)
        oval(pen, x, 0.62, 0.10, 0.07, _mixed(skin, (225, 90, 80), 0.18))
    oval(pen, 0.5, 0.2, 0.22, 0.1, light)
    oval(pen, 0.5, 0.5, 0.032, 0.13, light)
    oval(pen, 0.5, 0.655, 0.085, 0.02, shade)
    oval(pen, 0.5, 0.86, 0.12, 0.03, shade)
    oval(pen, 0.5, 0.92, 0.09, 0.035, light)
    image = image.filter(ImageFilter.GaussianBlur(side / 34))
    pen = ImageDraw.Draw(image)
    dark = _mixed(hair, (20, 12, 10), 0.5)
    for x, outwards in ((0.31, -1), (0.69, 1)):
        oval(pen, x, 0.445, 0.088, 0.042, dark)
        oval(pen, x, 0.452, 0.082, 0.036, (246, 244, 240))
        oval(pen, x, 0.45, 0.037, 0.037, eyes)
        oval(pen, x, 0.45, 0.018, 0.018, (12, 10, 10))
        oval(pen, x - 0.012, 0.438, 0.007, 0.007, (255, 255, 255))
        brow = [(x - outwards * 0.09, 0.375), (x + outwards * 0.02, 0.345), (x + outwards * 0.10, 0.37)]
        pen.line([(a * side, b * side) for a, b in brow], fill=dark, width=round(side * 0.022), joint="curve")
    nostril = _mixed(shade, (50, 15, 10), 0.55)
    for x in (0.465, 0.535):
        oval(pen, x, 0.645, 0.016, 0.009, nostril)
    smile = chance.uniform(0.02, 0.05)
    lips = _mixed(skin, (170, 50, 55), 0.6)
    pen.chord([0.37 * side, (0.74 - smile) * side, 0.63 * side, (0.79 + smile) * side], 5, 175, fill=lips)
    pen.arc(
        [0.37 * side, (0.72 - smile) * side, 0.63 * side, (0.77 + smile) * side],
        12,
        168,
        fill=_mixed(lips, (40, 5, 10), 0.6),
        width=round(side * 0.008),
    )
    pen.pieslice([-0.1 * side, -0.42 * side, 1.1 * side, 0.23 * side], 0, 180, fill=hair)
    return image.resize((FACE_SIZE, FACE_SIZE), Image.Resampling.LANCZOS)
