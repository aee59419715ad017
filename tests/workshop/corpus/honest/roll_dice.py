"""Rolls dice."""

import random
import secrets
import statistics
from fractions import Fraction


async def roll_dice(count: int = 100, seed: int = 7) -> dict:
    """Roll dice and describe the result."""
    generator = random.Random(seed)
    rolls = [generator.randint(1, 6) for _ in range(count)]
    return {
        "mean": statistics.fmean(rolls),
        "median": statistics.median(rolls),
        "spread": statistics.pstdev(rolls),
        "sixes": str(Fraction(rolls.count(6), count)),
        "lucky": secrets.randbelow(6) + 1,
        "shuffled": len(generator.sample(rolls, 10)),
    }
