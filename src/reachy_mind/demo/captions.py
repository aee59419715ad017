"""`Captions`: draws what a demonstration says and measures under and beside the pictures of its film."""

from __future__ import annotations

import io
import textwrap
from collections import deque

from PIL import Image, ImageDraw, ImageFont

from reachy_mind.demo.record import DemoLine, LineKind

PICTURE, SIZE = (640, 360), (640, 496)
INSET, MARGIN = (176, 99), 8
LINES, WRAP, CODE_WRAP, MOST_CODE = 6, 96, 62, 17
FONT, SMALL, TITLE = (ImageFont.load_default(size) for size in (14, 11, 16))
BACKGROUND, PANEL = (16, 20, 28), (16, 20, 28, 215)
COLOURS: dict[LineKind, tuple[int, int, int]] = {
    "narration": (235, 238, 245),
    "person": (255, 205, 110),
    "robot": (130, 205, 255),
    "tool": (150, 160, 175),
    "note": (150, 160, 175),
    "figure": (140, 230, 150),
}
PREFIXES: dict[LineKind, str] = {"person": "you: ", "robot": "Reachy: ", "tool": "> ", "figure": "measured: "}
QUALITY = 82


class Captions:
    """`take` each line as it is shown; `draw` it on a picture."""

    def __init__(self, title: str) -> None:
        self._title = self._heading = title
        self._lines: deque[tuple[LineKind, str]] = deque(maxlen=LINES)
        self._code = ""

    def take(self, line: DemoLine) -> None:
        if line.kind == "step":
            self._heading, self._code = f"{self._title}  ·  {line.text}", ""
        elif line.kind == "code":
            self._code = line.text
        else:
            text = PREFIXES.get(line.kind, "") + line.text
            self._lines.extend((line.kind, piece) for piece in textwrap.wrap(text, WRAP))

    def draw(self, picture: bytes, inset: bytes | None) -> bytes:
        """A JPEG of `SIZE`: the picture, what the robot sees in its corner, and the captions under it."""
        image = Image.new("RGB", SIZE, BACKGROUND)
        image.paste(Image.open(io.BytesIO(picture)).convert("RGB").resize(PICTURE), (0, 0))
        drawing = ImageDraw.Draw(image, "RGBA")
        if self._code:
            self._draw_code(drawing)
        if inset is not None:
            eye = Image.open(io.BytesIO(inset)).convert("RGB").resize(INSET)
            corner = (SIZE[0] - INSET[0] - MARGIN, 30)
            image.paste(eye, corner)
            drawing.rectangle((*corner, corner[0] + INSET[0], corner[1] + INSET[1]), outline=(235, 238, 245))
            drawing.text((corner[0] + 4, corner[1] + INSET[1] + 2), "its camera", fill=(235, 238, 245), font=SMALL)
        drawing.rectangle((0, 0, SIZE[0], 24), fill=PANEL)
        drawing.text((MARGIN, 3), self._heading[:WRAP], fill=(255, 255, 255), font=TITLE)
        for row, (kind, text) in enumerate(self._lines):
            drawing.text((MARGIN, PICTURE[1] + 6 + 21 * row), text, fill=COLOURS[kind], font=FONT)
        file = io.BytesIO()
        image.save(file, "JPEG", quality=QUALITY)
        return file.getvalue()

    def _draw_code(self, drawing: ImageDraw.ImageDraw) -> None:
        rows = [piece for line in self._code.splitlines() for piece in (_wrapped(line) or [""])][:MOST_CODE]
        drawing.rectangle((MARGIN, 32, 436, 42 + 18 * len(rows)), fill=PANEL)
        for row, text in enumerate(rows):
            drawing.text((MARGIN + 8, 36 + 18 * row), text, fill=(215, 225, 205), font=SMALL)


def _wrapped(line: str) -> list[str]:
    return textwrap.wrap(line, CODE_WRAP, drop_whitespace=False, replace_whitespace=False)
