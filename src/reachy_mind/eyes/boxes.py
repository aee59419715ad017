"""`Box`: a bounding box in shares of the picture's width and height; IoU and non-maximum suppression."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Box:
    """Left, top, right, bottom; 0 is the left or top edge of the picture and 1 the other."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def centre(self) -> tuple[float, float]:
        return (self.left + self.right) / 2, (self.top + self.bottom) / 2

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def height(self) -> float:
        return self.bottom - self.top

    @property
    def area(self) -> float:
        return max(0.0, self.width) * max(0.0, self.height)

    def clipped(self) -> Box:
        """The part inside the picture."""
        left, top, right, bottom = (min(max(edge, 0.0), 1.0) for edge in (self.left, self.top, self.right, self.bottom))
        return Box(left, top, right, bottom)

    def iou(self, other: Box) -> float:
        """Intersection over union: 1 for equal boxes, 0 for boxes that do not overlap."""
        shared = Box(
            max(self.left, other.left),
            max(self.top, other.top),
            min(self.right, other.right),
            min(self.bottom, other.bottom),
        )
        if shared.width <= 0 or shared.height <= 0:
            return 0.0
        return shared.area / (self.area + other.area - shared.area)

    def pixels(self, width: int, height: int) -> tuple[int, int, int, int]:
        """Left, top, right and bottom in pixels of a picture of that size; at least one pixel wide and high."""
        inside = self.clipped()
        left, top = min(int(inside.left * width), width - 1), min(int(inside.top * height), height - 1)
        right, bottom = max(round(inside.right * width), left + 1), max(round(inside.bottom * height), top + 1)
        return left, top, right, bottom

    def as_dict(self) -> dict[str, float]:
        """As JSON values."""
        return {edge: round(getattr(self, edge), 4) for edge in ("left", "top", "right", "bottom")}


def non_max_suppression(boxes: list[tuple[Box, float]], max_iou: float) -> list[int]:
    """Indices of the boxes (with scores) to keep, best first; a box that overlaps a better one is dropped."""
    kept: list[int] = []
    for index in sorted(range(len(boxes)), key=lambda i: -boxes[i][1]):
        if all(boxes[index][0].iou(boxes[other][0]) <= max_iou for other in kept):
            kept.append(index)
    return kept
