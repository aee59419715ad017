"""Sensors, camera, microphone, voice, motors: what is switched, read and listened to."""

from __future__ import annotations

import re

from reachy_mind.brains.reflex import quantities
from reachy_mind.brains.reflex.intents.clause import Clause, Parts, Rules, step, within
from reachy_mind.brains.reflex.numbers import plain
from reachy_mind.brains.reflex.visual_questions import in_full
from reachy_mind.models.wordpiece import without_accents

RULES = Rules()

LOUDER, QUIETER = 80, 30
"""Per cent, for "louder" and "quieter" where the volume of now is not known."""

_SENSORS = {
    "battery": r"batter|batteri|akku|pile|bateria",
    "temperature": r"temperat|how (?:hot|warm)|heiss|warm|chaud|calient|ueberhitz",
    "joints": r"joint|articulation|articulacion|gelenk",
    "imu": r"\bimu\b|accelero|gyro|acelero|giro|beschleunig",
    "sound_direction": r"sound direction|direction of (?:the )?sound",
    "motors": r"motor|moteur",
}


@RULES.of("get_sensor_data")
def _get_sensor_data(clause: Clause) -> Parts:
    said = without_accents(clause.found.said)
    named = [sensor for sensor, words in _SENSORS.items() if re.search(words, said)]
    return step("get_sensor_data", {"sensors": named} if named else {})


_UNSAVED = re.compile(
    r"(?:do n.t|not|without|sans|sin|ohne|nicht|pas|no) (?:to )?"
    r"(?:keep|sav|stor|gard|enregistr|guard|speicher|behalt)"
)


@RULES.of("take_photo")
def _take_photo(clause: Clause) -> Parts:
    unsaved = _UNSAVED.search(clause.plainly)
    return step("take_photo", {"save": False} if unsaved else {})


@RULES.of("head_tracking", "set_camera", "set_microphone")
def _switch(clause: Clause) -> Parts:
    return step(clause.found.label, {"enabled": clause.picked("enabled") != "off"})


@RULES.of("set_motor_mode")
def _set_motor_mode(clause: Clause) -> Parts:
    mode = clause.picked("mode")
    return step("set_motor_mode", {"mode": mode}) if mode else None


@RULES.of("set_volume")
def _set_volume(clause: Clause) -> Parts:
    share = clause.number("volume", quantities.percent)
    if share is None:
        level = clause.picked("level")
        last = clause.last("set_volume")
        by = {"up": 15, "down": -15}.get(level)
        if by and last and isinstance(last.args.get("volume"), int):
            share = last.args["volume"] + by
        else:
            share = {"up": LOUDER, "down": QUIETER, "mute": 0, "max": 100}.get(level)
    if share is None:
        return None
    return step("set_volume", {"volume": round(within(share, 100.0, 0.0))})


@RULES.of("listen")
def _listen(clause: Clause) -> Parts:
    seconds = clause.number("duration", quantities.seconds)
    return step("listen", {"duration_seconds": plain(within(seconds, 60.0, 0.5))} if seconds else {})


@RULES.of("analyze_scene")
def _analyze_scene(clause: Clause) -> Parts:
    earlier = clause.before or clause.earlier
    return step("analyze_scene", {"prompt": in_full(clause.found.said, earlier)})
