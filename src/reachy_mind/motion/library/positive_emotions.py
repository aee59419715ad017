"""Scores of the positive emotions: happy, excited, loving and others."""

from __future__ import annotations

import math

from reachy_mind.motion.library.score import Score, Wave, key, phrase, wag

POSITIVE_EMOTIONS: dict[str, Score] = {
    "happy": Score(
        "Bounces from side to side with its chin up, antennas wagging.",
        (
            phrase(key(0.22, z=-12, pitch=6, antennas=30)),
            phrase(
                key(0.26, z=14, pitch=-14, roll=13, body=8, antennas=12),
                key(0.20, z=-6, pitch=-4, roll=0),
                key(0.26, z=14, pitch=-14, roll=-13, body=-8),
                key(0.20, z=-6, pitch=-4, roll=0),
                times=(1, 3),
                waves=wag(2.8, 22, apart=math.pi),
            ),
            phrase(key(0.28, 0.35, z=12, pitch=-16, roll=8, body=0, antennas=5)),
        ),
        arousal=0.5,
    ),
    "excited": Score(
        "Cannot keep still: deep crouches and hops, twisting left and right, antennas flapping wide.",
        (
            phrase(key(0.28, z=-24, pitch=10, antennas=75)),
            phrase(
                key(0.28, z=14, pitch=-14, body=20, yaw=14, roll=6, antennas=0),
                key(0.26, z=-14, pitch=6, antennas=72),
                key(0.28, z=14, pitch=-14, body=-20, yaw=-14, roll=-6, antennas=0),
                key(0.26, z=-14, pitch=6, antennas=72),
                times=(2, 4),
            ),
            phrase(key(0.26, 0.45, z=18, pitch=-16, body=0, yaw=0, roll=0, antennas=25), waves=wag(3.6, 24)),
        ),
        arousal=0.5,
        settle=0.6,
    ),
    "amused": Score(
        "Giggles: head thrown back, shaking with laughter, then bent forward in another fit.",
        (
            phrase(key(0.3, 0.1, pitch=10, z=-6, roll=5, antennas=35)),
            phrase(
                key(0.32, 1.0, pitch=-22, z=8, roll=-8, antennas=50),
                waves=(Wave("z", 4.5, 2.6), Wave("pitch", 4.5, 2.4), *wag(4.5, 16)),
            ),
            phrase(
                key(0.35, 0.8, pitch=18, z=-14, roll=10, x=10, antennas=65),
                waves=(Wave("z", 4.8, 2.6), Wave("pitch", 4.8, 2.2), *wag(4.8, 14)),
            ),
            phrase(key(0.4, 0.3, pitch=-8, z=6, roll=4, x=0, antennas=15)),
        ),
    ),
    "playful": Score(
        "Hides, pops up on one side with one antenna cocked, hides, pops up on the other, and wiggles.",
        (
            phrase(key(0.4, 0.5, z=-42, pitch=12, roll=0, yaw=0, body=0, antennas=150)),
            phrase(key(0.4, 0.5, z=6, pitch=-6, y=22, roll=-20, yaw=16, left=-22, right=80)),
            phrase(key(0.42, 0.4, z=-42, pitch=12, y=0, roll=0, yaw=0, antennas=150)),
            phrase(key(0.4, 0.5, z=6, pitch=-6, y=-22, roll=20, yaw=-16, left=80, right=-22)),
            phrase(
                key(0.35, roll=-16, y=10, yaw=0, z=4, left=0, right=70),
                key(0.32, roll=16, y=-10, left=70, right=0),
                times=(1, 2),
            ),
        ),
        arousal=0.5,
    ),
    "loving": Score(
        "Comes close with its head on one side and stays; the antennas meet above it and beat like a heart.",
        (
            phrase(key(0.5, pitch=8, x=-4, z=-4, antennas=30)),
            phrase(key(0.9, 0.3, x=26, z=2, roll=18, pitch=-4, antennas=-16)),
            phrase(
                key(0.22, antennas=12, z=-2),
                key(0.22, 0.05, antennas=-22, z=2),
                key(0.22, antennas=8, z=-2),
                key(0.26, 0.55, antennas=-22, z=2),
                times=(1, 3),
            ),
            phrase(key(0.9, 0.8, x=30, roll=22, pitch=10, yaw=5, z=-6, antennas=-20), waves=(Wave("roll", 0.8, 3),)),
        ),
        arousal=-0.1,
        settle=1.0,
        drift=0.6,
    ),
    "grateful": Score(
        "A deep bow with the antennas swept wide, held, then a small warm nod.",
        (
            phrase(key(0.35, z=10, pitch=-10, antennas=0)),
            phrase(key(0.7, 0.7, x=24, z=-16, pitch=34, antennas=80)),
            phrase(key(0.7, 0.15, x=0, z=4, pitch=-4, antennas=10)),
            phrase(key(0.25, pitch=14, z=-6, roll=8, antennas=25), key(0.35, 0.3, pitch=-4, z=2, antennas=-12)),
        ),
        arousal=0.0,
    ),
    "welcoming": Score(
        "Looks up, opens its antennas like arms, waves one of them and bows a little.",
        (
            phrase(key(0.25, z=-10, pitch=8, antennas=0)),
            phrase(key(0.4, 0.25, z=16, pitch=-16, antennas=78)),
            phrase(
                key(0.3, 1.1, roll=10, left=25, right=60, pitch=-10),
                waves=(Wave("left", 2.2, 32), Wave("roll", 1.3, 3)),
            ),
            phrase(
                key(0.35, 0.15, pitch=16, z=-4, x=14, roll=0, antennas=60),
                key(0.4, 0.2, pitch=-8, z=8, x=0, antennas=30),
            ),
        ),
    ),
    "proud": Score(
        "Draws itself up, chin high, and lets its look pass slowly over everybody.",
        (
            phrase(key(0.35, z=-10, pitch=8, antennas=30)),
            phrase(key(0.6, 0.4, z=20, pitch=-20, x=-8, antennas=22)),
            phrase(key(0.9, 0.3, yaw=28, body=14, roll=-4), key(1.3, 0.3, yaw=-28, body=-14, roll=4)),
            phrase(key(0.7, 0.5, yaw=0, body=0, roll=0, z=21, pitch=-22, antennas=5)),
        ),
        arousal=-0.1,
        settle=0.9,
    ),
    "relieved": Score(
        "Tense and tall, then it all goes out: a long breath, everything sinks and loosens.",
        (
            phrase(key(0.3, 0.7, z=18, pitch=-8, x=-8, antennas=-4), waves=(Wave("roll", 8, 1.2),)),
            phrase(key(1.1, 0.5, z=-24, pitch=14, x=4, antennas=85)),
            phrase(key(0.35, roll=9, yaw=8), key(0.4, roll=-9, yaw=-8), key(0.4, 0.2, roll=0, yaw=0, antennas=55)),
            phrase(key(0.7, 0.3, z=4, pitch=-8, antennas=20)),
        ),
        arousal=-0.2,
    ),
    "calm": Score(
        "Two slow breaths, antennas loose, looking gently down.",
        (phrase(key(1.3, 0.2, z=9, pitch=-3, antennas=16), key(1.6, 0.3, z=-9, pitch=8, antennas=34), times=(1, 2)),),
        arousal=-0.3,
        settle=1.0,
    ),
}
