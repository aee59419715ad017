"""Scores of the negative emotions: sad, scared, angry and others."""

from __future__ import annotations

from reachy_mind.motion.library.score import Score, Wave, key, phrase, wag

NEGATIVE_EMOTIONS: dict[str, Score] = {
    "sad": Score(
        "Sighs, sinks into itself, head and antennas hanging; a faint shake of the head.",
        (
            phrase(key(0.5, 0.1, z=6, pitch=-6, antennas=5)),
            phrase(key(1.3, 0.4, z=-32, pitch=27, roll=7, x=6, left=140, right=125)),
            phrase(key(0.6, yaw=9), key(0.7, yaw=-9), key(0.5, 0.2, yaw=3), times=(1, 1)),
            phrase(key(0.18, z=-25, pitch=22), key(0.5, 0.9, z=-34, pitch=29, left=148, right=135)),
        ),
        arousal=-0.4,
        settle=1.4,
    ),
    "disappointed": Score(
        "Perks up in hope, then the head drops to one side and one antenna after the other falls.",
        (
            phrase(key(0.3, 0.5, z=14, pitch=-12, x=12, antennas=-2)),
            phrase(
                key(0.6, 0.2, z=-8, pitch=14, x=0, left=105, right=0),
                key(0.5, 0.4, z=-18, pitch=24, roll=10, right=115),
            ),
            phrase(key(0.5, yaw=16), key(0.75, yaw=-16), key(0.7, 0.5, yaw=-26, body=-10, pitch=20)),
        ),
        arousal=-0.2,
        settle=1.1,
    ),
    "tired": Score(
        "Yawns, head far back and antennas stretched, then sags and sways, too heavy to hold up.",
        (
            phrase(key(0.9, 0.6, pitch=-22, z=16, roll=-5, antennas=65), waves=(Wave("pitch", 7, 0.8),)),
            phrase(key(1.2, 0.3, pitch=18, z=-24, roll=6, antennas=95)),
            phrase(key(1.1, roll=-11, yaw=-8, y=-8), key(1.2, 0.3, roll=10, yaw=6, y=8, pitch=22, z=-28, antennas=112)),
        ),
        arousal=-0.5,
        settle=1.4,
    ),
    "sleepy": Score(
        "Nods off: the head sinks, jerks up, sinks deeper, antennas folding.",
        (
            phrase(
                key(1.4, 0.2, pitch=20, z=-14, roll=8, antennas=75),
                key(0.24, 0.35, pitch=-4, z=3, roll=0, antennas=20),
            ),
            phrase(
                key(1.5, 0.3, pitch=26, z=-26, roll=-12, antennas=110),
                key(0.26, 0.3, pitch=2, z=-4, roll=0, antennas=35),
            ),
            phrase(key(1.8, 1.1, pitch=30, z=-33, roll=9, x=2, antennas=158), waves=(Wave("z", 0.6, 2.5),)),
        ),
        arousal=-0.5,
        settle=1.5,
    ),
    "bored": Score(
        "Lets its head sink to one side, antennas hanging; stares at the ceiling; sinks to the other side.",
        (
            phrase(key(1.2, 0.5, roll=26, pitch=16, z=-26, y=-8, left=85, right=115)),
            phrase(key(0.16, left=60), key(0.16, left=92), times=(2, 3)),
            phrase(key(1.1, 0.7, roll=8, yaw=44, body=16, pitch=-18, y=0, z=-8, antennas=80)),
            phrase(key(1.3, 0.7, roll=-25, yaw=-10, body=0, pitch=20, z=-24, y=6, left=118, right=95)),
            phrase(key(0.5, z=-18), key(0.9, 0.5, z=-27, pitch=22)),
        ),
        arousal=-0.3,
        settle=1.2,
    ),
    "shy": Score(
        "Turns away and tucks its head in, peeks back once, and hides again.",
        (
            phrase(key(0.18, z=5, pitch=-5, antennas=0)),
            phrase(key(0.55, 0.5, yaw=34, body=16, pitch=24, roll=-12, z=-28, antennas=-30)),
            phrase(key(0.6, 0.35, yaw=2, pitch=12, roll=-14, z=-22, left=-10, right=20)),
            phrase(
                key(0.35, 0.7, yaw=36, body=20, pitch=28, roll=-10, z=-34, antennas=-34),
                waves=(Wave("roll", 3, 2),),
            ),
        ),
        arousal=0.1,
        settle=1.0,
    ),
    "scared": Score(
        "Shrinks back and down with its antennas flat, trembling; a glance to either side.",
        (
            phrase(key(0.12, z=6, pitch=-5, antennas=0)),
            phrase(
                key(0.34, 0.6, x=-28, z=-36, pitch=-4, yaw=20, roll=-7, antennas=145),
                key(0.42, 0.35, yaw=-30, roll=6),
                key(0.42, 0.35, yaw=28, roll=-6),
                key(0.50, 0.9, yaw=10, pitch=16, z=-42, antennas=160),
                waves=(Wave("roll", 7, 0.9), Wave("y", 6.5, 1.2), *wag(7, 16)),
            ),
        ),
        arousal=0.4,
        settle=1.1,
        drift=0.0,
    ),
    "nervous": Score(
        "Quick small looks here and there, head low, antennas twitching one by one.",
        (
            phrase(
                key(0.24, 0.22, yaw=18, pitch=6, z=-14, roll=5, left=50, right=15),
                key(0.22, 0.16, yaw=-6, pitch=12, right=55),
                key(0.26, 0.28, yaw=-24, pitch=2, roll=-6, left=10),
                key(0.22, 0.14, yaw=4, pitch=10, z=-18, left=60, right=20),
                times=(1, 2),
                waves=(Wave("y", 7, 1.2),),
            ),
            phrase(key(0.3, 0.3, yaw=0, pitch=8, z=-8, antennas=40)),
        ),
        arousal=0.4,
    ),
    "angry": Score(
        "Lowers its head and thrusts it forward, antennas flat and shaking, then jolts from side to side.",
        (
            phrase(key(0.3, 0.1, x=-14, z=8, pitch=-8, antennas=40)),
            phrase(key(0.26, 0.55, x=28, z=-12, pitch=18, antennas=98), waves=(*wag(7, 14), Wave("roll", 7.5, 0.8))),
            phrase(
                key(0.25, yaw=13, roll=4, z=-15),
                key(0.25, yaw=-13, roll=-4, z=-9),
                times=(2, 4),
                waves=wag(7, 14),
            ),
            phrase(
                key(0.24, yaw=0, roll=0, z=2, pitch=6),
                key(0.24, 0.6, z=-20, pitch=21, x=30, antennas=104),
                waves=(*wag(7, 14), Wave("roll", 7.5, 0.8)),
            ),
        ),
        arousal=0.6,
        drift=0.3,
    ),
    "disgusted": Score(
        "Turns its face away with its head drawn back, shudders, and will not look.",
        (
            phrase(key(0.3, 0.2, x=14, pitch=10, antennas=15)),
            phrase(key(0.36, 0.3, x=-16, z=0, pitch=-10, yaw=-34, body=-16, roll=-12, left=90, right=55)),
            phrase(key(0.25, 0.7, z=-8), waves=(Wave("roll", 4.5, 2.6), Wave("yaw", 4.5, 2.4), *wag(4.5, 18))),
            phrase(key(0.5, 0.4, yaw=-50, body=-26, pitch=-12, roll=-8, z=-2, left=100, right=70)),
        ),
        arousal=0.3,
    ),
    "impatient": Score(
        "Upright and leaning in, it drums with both antennas, checks left and right, rolls its eyes, drums faster.",
        (
            phrase(key(0.22, 0.05, x=14, z=4, pitch=2, antennas=10)),
            phrase(
                key(0.22, pitch=11, z=-3, left=58, right=5),
                key(0.22, pitch=-2, z=6, left=5, right=58),
                times=(3, 4),
            ),
            phrase(key(0.34, 0.16, yaw=34, body=6, pitch=-2, antennas=20), key(0.5, 0.16, yaw=-34, body=-6)),
            phrase(
                key(0.4, yaw=-8, body=0, pitch=-18, roll=-13, x=0),
                key(0.5, 0.1, yaw=8, roll=13),
                key(0.4, 0.1, yaw=0, roll=0, pitch=8, z=-10, antennas=75),
            ),
            phrase(
                key(0.19, pitch=12, z=-2, x=16, left=54, right=5),
                key(0.19, pitch=2, z=4, left=5, right=54),
                times=(4, 6),
            ),
        ),
        arousal=0.5,
    ),
}
