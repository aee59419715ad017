"""A game: shows a sequence and asks for nothing."""

import random
from typing import Final, Iterator

from reachy_mini import ReachyMini
from reachy_mini.utils import create_head_pose

MOVES: Final = {"left": {"yaw": 15}, "right": {"yaw": -15}, "up": {"pitch": -10}, "down": {"pitch": 10}}


def sequence(length: int, seed: int) -> Iterator[str]:
    generator = random.Random(seed)
    for _ in range(length):
        yield generator.choice(list(MOVES))


def simon_says(length: int = 3, seed: int = 1) -> dict:
    """Show a sequence of head movements."""
    shown = []
    with ReachyMini() as mini:
        for name in sequence(length, seed):
            mini.goto_target(create_head_pose(**MOVES[name], degrees=True), duration=0.25, method="minjerk")
            shown.append(name)
        mini.goto_target(create_head_pose(), antennas=[0, 0], duration=0.25)
    return {"shown": shown}
