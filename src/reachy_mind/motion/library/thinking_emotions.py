"""Scores of the cognitive emotions: curious, confused, thinking and others."""

from __future__ import annotations

import math

from reachy_mind.motion.library.score import Score, Wave, key, phrase, wag

THINKING_EMOTIONS: dict[str, Score] = {
    "surprised": Score(
        "Jumps back and up, antennas shooting straight up, freezes, then leans in to look again.",
        (
            phrase(key(0.16, z=-8, pitch=5)),
            phrase(key(0.3, 0.75, x=-18, z=17, pitch=-17, antennas=-6), waves=wag(9, 7)),
            phrase(key(0.55, 0.35, x=22, z=6, pitch=4, roll=10, antennas=2)),
        ),
        arousal=0.4,
    ),
    "curious": Score(
        "Antennas up, it cranes forward and down at something, tilts its head, and comes closer still.",
        (
            phrase(key(0.25, x=-8, z=6, pitch=-6, antennas=20)),
            phrase(key(0.5, 0.45, x=30, z=-4, yaw=18, body=8, pitch=14, antennas=-2)),
            phrase(key(0.45, 0.7, roll=22, x=32, z=-2, pitch=10)),
            phrase(key(0.5, 0.25, roll=-14, yaw=4, body=0, x=34, pitch=16, z=-8)),
            phrase(key(0.22, pitch=20, z=-12), key(0.3, 0.5, pitch=12, z=-6, roll=-18)),
        ),
        arousal=0.3,
    ),
    "confused": Score(
        "Draws back and tilts its head far to one side, one antenna up, one down; then the other way; shakes it off.",
        (
            phrase(key(0.2, 0.1, x=8, pitch=6)),
            phrase(key(0.5, 0.6, roll=25, x=-18, yaw=-6, pitch=-6, z=-8, left=115, right=-22)),
            phrase(key(0.2, roll=18), key(0.22, 0.2, roll=26)),
            phrase(key(0.6, 0.6, roll=-25, yaw=6, left=-22, right=115)),
            phrase(
                key(0.3, yaw=16, roll=0, z=0, antennas=60),
                key(0.32, yaw=-16),
                key(0.32, yaw=14),
                key(0.3, 0.2, yaw=0, x=-12, pitch=-8),
            ),
            phrase(key(0.4, 0.4, roll=16, left=90, right=0)),
        ),
    ),
    "thinking": Score(
        "Looks up into a corner, antennas moving slowly in turn; another corner; a small nod.",
        (
            phrase(key(0.3, pitch=8, antennas=20)),
            phrase(
                key(0.7, 0.9, yaw=28, body=8, pitch=-20, roll=-10, left=5, right=48),
                waves=(Wave("left", 0.7, 14), Wave("right", 0.6, 12, 1.5)),
            ),
            phrase(
                key(0.9, 0.8, yaw=-24, body=-6, pitch=-16, roll=12, left=48, right=5),
                waves=(Wave("left", 0.7, 12), Wave("right", 0.6, 14, 1.5)),
            ),
            phrase(
                key(0.5, 0.1, yaw=0, body=0, pitch=-4, roll=0, antennas=2),
                key(0.24, 0.1, pitch=12, z=-4),
                key(0.3, pitch=-2, z=0),
            ),
        ),
        arousal=0.0,
    ),
    "attentive": Score(
        "Sits up, antennas straight, leans in and stays with you; a small nod.",
        (
            phrase(key(0.15, z=-6, pitch=4)),
            phrase(key(0.32, 0.8, z=13, x=16, pitch=-4, antennas=-1)),
            phrase(key(0.5, 0.5, roll=9, x=20), key(0.22, pitch=8), key(0.28, 0.7, pitch=-4, roll=5)),
        ),
        arousal=0.2,
        drift=0.4,
    ),
    "determined": Score(
        "Sets itself: head down, forward and steady, one firm nod, antennas up like horns.",
        (
            phrase(key(0.4, 0.15, z=10, pitch=-12, x=-6, left=20, right=32)),
            phrase(key(0.35, 0.6, z=-2, pitch=12, x=24, left=34, right=24)),
            phrase(key(0.18, pitch=4, z=4), key(0.2, 0.8, pitch=17, z=-8, x=26, antennas=32)),
        ),
        drift=0.3,
    ),
    "agreeing": Score(
        "Nods, each nod a little smaller, antennas bobbing along.",
        (
            phrase(key(0.2, pitch=-10, z=5)),
            phrase(key(0.24, pitch=21, z=-8, x=8, antennas=26), key(0.22, pitch=-9, z=5, x=0, antennas=6)),
            phrase(
                key(0.24, pitch=17, z=-6, x=6, antennas=22), key(0.22, pitch=-6, z=3, x=0, antennas=8), times=(1, 2)
            ),
            phrase(key(0.22, pitch=11, z=-3, antennas=18), key(0.26, 0.2, pitch=-3, z=2, antennas=10)),
        ),
        arousal=0.4,
    ),
    "disagreeing": Score(
        "Shakes its head, drawn back a little, antennas half flat and trailing.",
        (
            phrase(key(0.26, 0.05, x=-10, pitch=4, yaw=-8, antennas=60)),
            phrase(
                key(0.36, yaw=25, body=3, roll=-3),
                key(0.38, yaw=-25, body=-3, roll=3),
                times=(1, 3),
                waves=wag(1.6, 16, apart=math.pi),
            ),
            phrase(key(0.26, yaw=13), key(0.28, 0.25, yaw=0, body=0, roll=0, pitch=8, antennas=72)),
        ),
        arousal=0.4,
    ),
    "neutral": Score(
        "Comes to rest with one easy breath.",
        (phrase(key(0.9, 0.1, z=5, pitch=-2, antennas=8), key(1.1, 0.1, z=-2, pitch=1, antennas=13)),),
        settle=0.8,
    ),
}
