"""Keeps scores in a JSON file."""

import json
import os
from typing import TypedDict


class Score(TypedDict):
    name: str
    points: int


def load(path: str) -> list[Score]:
    if not os.path.exists(path):
        return []
    with open(path) as file:
        return json.load(file)


async def quiz_scores(name: str, points: int) -> dict:
    """Add a score and return the best."""
    scores = load("scores.json")
    scores += [{"name": name, "points": points}, {"name": "Bob", "points": 3}]
    with open("scores.json", "w") as file:
        json.dump(scores, file, indent=2)
    return {"best": max(load("scores.json"), key=lambda s: s["points"]), "count": len(scores)}
