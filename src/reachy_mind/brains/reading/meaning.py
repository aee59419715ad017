"""From what the reader found to what to do: a stretch with its label and arguments becomes calls of tools.

Values are read in the sentence's language and brought into the tools' ranges; what is missing is taken from the turn
before, or asked for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reachy_mind.brains import followups
from reachy_mind.brains.numbers import plain
from reachy_mind.brains.phrases import spaced
from reachy_mind.brains.plan import Ask, Before, Part, Pause, Step, Talk, Unknown
from reachy_mind.brains.reading import quantities
from reachy_mind.brains.reading.pieces import plain as without_accents
from reachy_mind.brains.reading.reader import Found
from reachy_mind.brains.rules.gestures import MOST_TIMES
from reachy_mind.brains.rules.places import (
    FAR,
    LONGEST_HOLD_S,
    MOST_ANTENNA,
    MOST_AXIS,
    MOST_TILT,
    MOST_TURN,
    MOST_UPRIGHT,
    USUAL_TILT,
)  # fmt: skip
from reachy_mind.brains.rules.states import LOUDER, QUIETER
from reachy_mind.brains.tokens import Spoken
from reachy_mind.motion.library.dances import MOST_REPEATS

_CORRECTION = re.compile(
    r"\b(?:no wait|no sorry|wait no|no|sorry|i mean|i meant|make that|rather|actually|euh non|non|pardon|plut[o\u00f4]t"
    r"|no espera|espera|perd[o\u00f3]n|digo|nein|nee|quatsch|\u00e4h|ich meine|lieber)\b,?",
    re.IGNORECASE,
)
_AGAIN = re.compile(
    r"\b(?:again|same|once more|encore|pareil|refais|otra vez|de nuevo|igual|nochmals?|noch mal|wieder|gleiche)\b"
)
Parts = Sequence[Part] | None
Rule = Callable[["Clause"], Parts]

_AMOUNTS = {"little": "small", "much": "large", "max": "full"}
_HOLD = re.compile(r"\b(?:for|pendant|durante|lang|por)\b")
_WAKE = re.compile(r"\b(?:wake|alarm|reveil\w*|despiert\w*|despert\w*|weck\w*|wach)\b")
_IT = frozenset(spaced("it that this them him her one ça cela le la lui eso esto lo es das den ihn sie"))
_MOVES = {
    "shrug": r"shrug|epaul|hombro|schulter|achsel",
    "peekaboo": r"peek|coucou|cucu|kuckuck",
}


@dataclass(frozen=True)
class Clause:
    """A stretch, with what is around it."""

    found: Found
    language: str
    before: Sequence[Before]
    whole: str
    """All that was said."""
    earlier: Sequence[Before] = ()
    """The calls of the turn before, whatever was done in this one already."""

    def picked(self, name: str) -> str:
        return self.found.closed.get(name, "")

    def words(self, name: str) -> str:
        """The words of an open argument, without quotes and signs around them."""
        text = self.found.spans.get(name, "").strip(" \t\n.,!?;:\"'\u201c\u201d\u2018\u2019\u00ab\u00bb\u201e()")
        return re.sub(r"\s+", " ", text)

    def number(self, name: str, read: Callable[[str, str], float | int | None]) -> float | int | None:
        text = self.words(name)
        if text and (meant := self.corrected) and (value := read(meant, self.language)) is not None:
            return value
        return read(text, self.language) if text else None

    @property
    def corrected(self) -> str:
        """What follows a correction: "twenty, no wait, thirty degrees"."""
        parts = _CORRECTION.split(self.found.said)
        return parts[-1] if len(parts) > 1 else ""

    @property
    def opposite(self) -> bool:
        return bool(re.search(r"\b(?:other|opposite|autre|oppose|otro|otra|contrari[oa]|ander\w+)\b", self.plainly))

    @property
    def again(self) -> Mapping[str, Any]:
        """The arguments of the last call, where this is to be the same again but for what is said."""
        last = self.last(self.found.label)
        return last.args if last and _AGAIN.search(self.plainly) else {}

    @property
    def plainly(self) -> str:
        return without_accents(self.found.said)

    def last(self, *tools: str) -> Before | None:
        """The last call of one of these tools."""
        return next((call for call in (*reversed(self.before), *reversed(self.earlier)) if call.tool in tools), None)

    @property
    def pace(self) -> dict[str, Any]:
        speed = self.picked("speed")
        return {"speed": speed} if speed else {}


RULES: dict[str, Rule] = {}


def _rule(*labels: str) -> Callable[[Rule], Rule]:
    def kept(function: Rule) -> Rule:
        RULES.update(dict.fromkeys(labels, function))
        return function

    return kept


def meaning(
    found: Found, language: str, before: Sequence[Before], whole: str, earlier: Sequence[Before] = ()
) -> Sequence[Part]:
    """What to do about a stretch that asks for something. Talk has its own answers, in `brains.talk`."""
    rule = RULES.get(found.label, _plainly)
    parts = rule(Clause(found, language, before, whole, earlier))
    return parts if parts is not None else (Unknown(found.said),)


def _step(tool: str, args: dict[str, Any] | None = None, note: str = "") -> list[Part]:
    return [Step(tool, args or {}, note=note)]


def _plainly(clause: Clause) -> Parts:
    """A tool without arguments, or one of somebody's own, whose arguments are the words themselves."""
    args: dict[str, Any] = {}
    for name in clause.found.spans:
        words = clause.words(name)
        value = quantities.number(words, clause.language)
        args[name] = plain(value) if value is not None and len(words.split()) <= 2 else words
    return _step(clause.found.label, args)


# The head, the body, the antennas


@_rule("move_head")
def _move_head(clause: Clause) -> Parts:
    given = _angles(clause)
    if given and not clause.picked("direction") and not clause.picked("tilt"):
        exact = {axis: plain(_within(value, MOST_AXIS[axis])) for axis, value in given.items()}
        return _step("move_head", exact | clause.pace)
    raised = re.search(
        r"-?\d+(?:\.\d+)? ?(mm|millimet|cm|centimet)", quantities.english(clause.found.said, clause.language)
    )
    if raised and (way := clause.picked("direction")) in ("up", "down"):
        by = (quantities.number(clause.found.said, clause.language) or 0) * (10 if raised[1].startswith("c") else 1)
        return _step("look_at", {"z": plain(_within(by if way == "up" else -by, 50.0))})
    degrees = clause.number("degrees", quantities.degrees)
    far = _AMOUNTS.get(clause.picked("amount"), "")
    if side := clause.picked("tilt"):
        lean = min(abs(degrees) if degrees is not None else FAR["tilt"].get(far, USUAL_TILT), MOST_TILT)
        note = f"{lean:g} degrees is as far as my head tilts." if degrees is not None and abs(degrees) > lean else ""
        return _held(clause, {"roll": plain(lean if side == "right" else -lean)}, note)
    way = clause.picked("direction")
    last = clause.last("move_head")
    if not way and last:
        way = str(last.args.get("direction", ""))
        way = followups.OPPOSITE.get(way, way) if clause.opposite else way
    if not way:
        return None
    upright = way.startswith(("up", "down"))
    args: dict[str, Any] = {"direction": way}
    note = ""
    if way != "front" and (degrees is not None or far):
        wanted = abs(degrees) if degrees is not None else FAR["upright" if upright else "sideways"][far]
        most = MOST_UPRIGHT if upright else 180.0
        note = f"{most:g} degrees is as far as my head goes." if wanted > most else ""
        args["degrees"] = plain(min(max(wanted, 1.0), most))
    return _held(clause, args, note)


def _angles(clause: Clause) -> dict[str, float]:
    """Angles by their names, those the reader marked and those that plainly stand there."""
    said = Spoken.of(quantities.english(clause.found.said, clause.language)).text
    out: dict[str, float] = {}
    for axis in ("pitch", "yaw", "roll"):
        value = clause.number(axis, quantities.degrees)
        if value is None and (found := re.search(rf"\b{axis}\b\D{{0,12}}?(-?\d+(?:\.\d+)?)", said)):
            value = float(found[1])
        if value is not None:
            out[axis] = value
    return out


def _held(clause: Clause, args: dict[str, Any], note: str) -> Parts:
    """With its pace; "over two seconds" is how long it takes, "for two seconds" how long it stays."""
    duration = clause.number("duration", quantities.seconds)
    args |= clause.pace
    if duration is None:
        return _step("move_head", args, note)
    if _HOLD.search(without_accents(clause.found.said.lower())):
        return [Step("move_head", args, note=note), Pause(min(duration, LONGEST_HOLD_S))]
    return _step("move_head", args | {"duration": plain(_within(duration, 30.0, 0.1))}, note)


def _within(value: float, most: float, least: float | None = None) -> float:
    return min(max(value, -most if least is None else least), most)


@_rule("look_around")
def _look_around(clause: Clause) -> Parts:  # noqa: ARG001
    return [Step("move_head", {"direction": way}) for way in ("left", "right", "front")]


@_rule("rotate")
def _rotate(clause: Clause) -> Parts:
    degrees = clause.number("degrees", quantities.degrees)
    amount, way = clause.picked("amount"), clause.picked("direction")
    if amount == "half_turn" and degrees is None:
        degrees = 180.0
    elif amount and degrees is None:
        degrees = FAR["turn"][_AMOUNTS[amount]]
    last = clause.last("rotate")
    if not way and last and (degrees is not None or clause.pace or clause.again or clause.opposite):
        way = str(last.args.get("direction", "left"))
        way = followups.OPPOSITE.get(way, way) if clause.opposite else way
        if degrees is None and (clause.again or clause.opposite):
            degrees = last.args.get("degrees")
    if not way and degrees is None:
        degrees = 180.0
    args: dict[str, Any] = {"direction": way or "left"}
    if degrees is not None:
        if degrees < 0:
            args["direction"] = "right" if args["direction"] == "left" else "left"
        args["degrees"] = plain(min(max(abs(degrees), 1.0), MOST_TURN))
    return _step("rotate", args | clause.pace)


@_rule("set_antennas")
def _set_antennas(clause: Clause) -> Parts:
    side, to = clause.picked("side"), clause.picked("to")
    degrees = clause.number("degrees", quantities.degrees)
    level = re.search(
        r"\b(?:level|horizontal\w*|sideways|flat|waagerecht|waagrecht)\b", without_accents(clause.found.said)
    )
    if degrees is None and level:
        degrees = 90.0
    last = clause.last("set_antennas")
    if degrees is None and not to and last is not None:
        if last.args.get("wiggle"):
            to = "wiggle"
        else:
            degrees = last.args.get("left", last.args.get("right"))
    if degrees is None and to == "wiggle":
        return _step("set_antennas", {"wiggle": True})
    if degrees is None:
        if not to:
            return _step("set_antennas", {"wiggle": True}) if not side else None
        degrees = 0.0 if to == "up" else 180.0
    sides = [side] if side in ("left", "right") else ["left", "right"]
    return _step("set_antennas", dict.fromkeys(sides, plain(_within(degrees, MOST_ANTENNA))))


@_rule("nod", "shake", "wave")
def _gesture(clause: Clause) -> Parts:
    args: dict[str, Any] = {}
    times = clause.number("times", quantities.count)
    if times is None:
        times = quantities.times(clause.found.said, clause.language)
    note = ""
    if times is not None:
        args["times"] = min(max(int(times), 1), MOST_TIMES)
        note = f"{MOST_TIMES} times is the most I do at once." if times > MOST_TIMES else ""
    if side := clause.picked("side"):
        args["side"] = side
    return _step(clause.found.label, {**clause.again, **args, **clause.pace}, note)


@_rule("look_at")
def _look_at(clause: Clause) -> Parts:
    most = {"pitch": 45.0, "yaw": 180.0, "roll": 45.0, "z": 50.0}
    named = _angles(clause)
    args = {
        axis: plain(_within(value, bound))
        for axis, bound in most.items()
        if (value := named.get(axis, _axis(clause, axis))) is not None
    }
    return _step("look_at", args) if args else None


def _axis(clause: Clause, axis: str) -> float | None:
    value = clause.number(axis, quantities.number)
    if value is None or axis != "z":
        return value
    said = quantities.english(clause.found.said, clause.language).lower()
    lowered = re.search(r"lower|down|baisse|abaiss|baja|senk", said) and value > 0
    return (-value if lowered else value) * (10 if re.search(r"\bcm\b|centim", said) else 1)


@_rule("look_at_world")
def _look_at_world(clause: Clause) -> Parts:
    if told := _metres(quantities.english(clause.found.said, clause.language)):
        return _step("look_at_world", told)
    args: dict[str, Any] = {"x": 0, "y": 0, "z": 0}
    for axis in args:
        text = quantities.english(clause.words(axis), clause.language)
        if text and (value := quantities.number(text)) is not None:
            args[axis] = plain(_within(value / (100 if re.search(r"\bcm\b|centim", text) else 1), 100.0))
    if not clause.found.spans and len(values := quantities.numbers_in(clause.found.said, clause.language)) >= 3:
        args = dict(zip("xyz", map(plain, values), strict=False))
    return _step("look_at_world", args)


_DISTANCE = re.compile(
    r"(-?\d+(?:\.\d+)?)(?: and a half)? ?(?:m|meters?|metres?|(?P<cm>cm|centimet\w+))\b(?P<where>[^,;\d]*)"
)
_TOWARDS = {
    ("x", 1): r"front|ahead|forward|away|devant|delante|vor\b|vorn|frente",
    ("x", -1): r"behind|derriere|detras|hinter",
    ("y", 1): r"left|gauche|izquierda|links",
    ("y", -1): r"right|droite|derecha|rechts",
    ("z", 1): r"up|above|high|height|haut|arriba|alto|altura|hoch|hohe|uber",
    ("z", -1): r"down|below|under|bas\b|dessous|abajo|unten|unter",
}


def _metres(said: str) -> dict[str, Any]:
    """ "two metres ahead, one to your right, half a metre up"."""
    args: dict[str, Any] = {}
    said = re.sub(r"\b(?:half a|half an|1 half) (?=met|m\b)", "0.5 ", without_accents(said))
    said = re.sub(r"\b(?:a|an|un|une|ein|einen|einem) (?=met|m\b)", "1 ", said)
    said = Spoken.of(said).text
    for found in _DISTANCE.finditer(said):
        value = float(found[1]) / (100 if found["cm"] else 1)
        for (axis, sign), words in _TOWARDS.items():
            if axis not in args and re.search(rf"\b(?:{words})", found["where"]):
                args[axis] = plain(round(sign * value, 3))
                break
    if high := re.search(r"(?:height of|hauteur de|altura de|hohe von) (-?\d+(?:\.\d+)?) ?(cm|centim)?", said):
        args["z"] = plain(float(high[1]) / (100 if high[2] else 1))
    return {"x": 0, "y": 0, "z": 0} | args if len(args) >= 2 else {}


@_rule("look_at_pixel")
def _look_at_pixel(clause: Clause) -> Parts:
    u, v = (clause.number(axis, quantities.number) for axis in ("u", "v"))
    if u is None or v is None:
        values = [value for value in quantities.numbers_in(clause.found.said, clause.language) if value >= 0]
        if len(values) < 2:
            return None
        u, v = values[:2]
    return _step("look_at_pixel", {"u": int(u), "v": int(v)})


@_rule("look_at_object")
def _look_at_object(clause: Clause) -> Parts:
    name = re.sub(r"^(?:the|a|an|my|your|le|la|les|un|une|mon|ma|el|los|las|der|die|das|den|dem) ", "",
                  clause.words("name"), flags=re.IGNORECASE)  # fmt: skip
    if not name or name.casefold() in _IT:
        last = clause.last("look_at_object", "detect_objects", "search_memories")
        named = last.args.get("name") or last.args.get("names") if last else None
        name = str(named[0] if isinstance(named, list) else named) if named else ""
    return _step("look_at_object", {"name": name}) if name else (Ask("thing", Step("look_at_object")),)


# Feelings, dances, moves


_MORE = re.compile(r"\b(?:more|stronger|less|weaker|plus fort|moins|mas|menos|starker|mehr|weniger)\b")


@_rule("express_emotion")
def _express_emotion(clause: Clause) -> Parts:
    strength = {"little": 0.4, "much": 1.0}.get(clause.picked("amount"))
    if re.search(
        r"as (?:strong\w*|much|hard|big) as|maximum|full on|with all|al maximo|au maximum|so stark wie", clause.plainly
    ):
        strength = 1.0
    if exact := re.search(r"\b(0?\.\d+|1\.0)\b", clause.found.said):
        strength = float(exact[1])
    emotion = clause.picked("emotion")
    last = clause.last("express_emotion")
    if last and (not emotion or (len(clause.found.said.split()) <= 6 and _MORE.search(clause.plainly))):
        emotion = str(last.args.get("emotion", ""))
    if not emotion:
        return None
    return _step("express_emotion", {"emotion": emotion} | ({"intensity": strength} if strength else {}))


@_rule("dance")
def _dance(clause: Clause) -> Parts:
    args: dict[str, Any] = {"name": clause.picked("name") or "random"}
    again = clause.number("repeat", quantities.count)
    if again is not None and (lasting := quantities.length(clause.words("repeat"), clause.language)):
        again = sum(value * quantities.UNIT_SECONDS[unit] for unit, value in lasting.items()) / 10
    if again is not None:
        args["repeat"] = min(max(round(again), 1), MOST_REPEATS)
    last = clause.last("dance")
    if again is not None and args["name"] == "random" and last:
        args["name"] = last.args.get("name", "random")
    return _step("dance", args)


@_rule("play_move")
def _play_move(clause: Clause) -> Parts:
    name = clause.words("name")
    plainly = without_accents(name or clause.found.said)
    known = next((move for move, words in _MOVES.items() if re.search(words, plainly)), "")
    if not name and (
        called := re.search(r"(?:move|recording|mouvement|movimiento|bewegung)(?: called| named)? (\S+)", plainly)
    ):
        name = called[1].strip(".,!?\"'")
    name = known or re.sub(r"^(?:the|a|an|my|your) ", "", name.lower()).replace(" ", "_").replace("-", "_")
    return _step("play_move", {"name": name}) if name else None


_SENSORS = {
    "battery": r"batter|batteri|akku|pile|bateria",
    "temperature": r"temperat|how (?:hot|warm)|heiss|warm|chaud|calient|ueberhitz",
    "joints": r"joint|articulation|articulacion|gelenk",
    "imu": r"\bimu\b|accelero|gyro|acelero|giro|beschleunig",
    "sound_direction": r"sound direction|direction of (?:the )?sound",
    "motors": r"motor|moteur",
}


@_rule("get_sensor_data")
def _get_sensor_data(clause: Clause) -> Parts:
    said = without_accents(clause.found.said)
    named = [sensor for sensor, words in _SENSORS.items() if re.search(words, said)]
    return _step("get_sensor_data", {"sensors": named} if named else {})


_UNSAVED = re.compile(
    r"(?:do n.t|not|without|sans|sin|ohne|nicht|pas|no) (?:to )?"
    r"(?:keep|sav|stor|gard|enregistr|guard|speicher|behalt)"
)


@_rule("take_photo")
def _take_photo(clause: Clause) -> Parts:
    unsaved = _UNSAVED.search(clause.plainly)
    return _step("take_photo", {"save": False} if unsaved else {})


@_rule("rest")
def _rest(clause: Clause) -> Parts:
    return _step("rest", clause.pace)


@_rule("pause")
def _pause(clause: Clause) -> Parts:
    seconds = clause.number("duration", quantities.seconds)
    return (Pause(min(seconds if seconds is not None else 2.0, LONGEST_HOLD_S)),)


# Switches and senses


@_rule("head_tracking", "set_camera", "set_microphone")
def _switch(clause: Clause) -> Parts:
    return _step(clause.found.label, {"enabled": clause.picked("enabled") != "off"})


@_rule("set_motor_mode")
def _set_motor_mode(clause: Clause) -> Parts:
    mode = clause.picked("mode")
    return _step("set_motor_mode", {"mode": mode}) if mode else None


@_rule("set_volume")
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
    return _step("set_volume", {"volume": round(_within(share, 100.0, 0.0))})


@_rule("listen")
def _listen(clause: Clause) -> Parts:
    seconds = clause.number("duration", quantities.seconds)
    return _step("listen", {"duration_seconds": plain(_within(seconds, 60.0, 0.5))} if seconds else {})


@_rule("analyze_scene")
def _analyze_scene(clause: Clause) -> Parts:
    return _step("analyze_scene", {"prompt": clause.found.said})


# Time


@_rule("get_time")
def _get_time(clause: Clause) -> Parts:
    return _step("get_time", {"place": place} if (place := clause.words("place")) else {})


@_rule("set_timer")
def _set_timer(clause: Clause) -> Parts:
    last = clause.last("set_timer")
    label = re.sub(r"^(?:the|my|a|an) ", "", clause.words("label"))
    unit = next((unit for unit in ("hours", "minutes", "seconds") if last and unit in last.args), "minutes")
    args = _length(clause, unit)
    if not args:
        return (Ask("duration", Step("set_timer", {"label": label} if label else {})),)
    if label or (last and (label := str(last.args.get("label", "")))):
        args["label"] = label
    return _step("set_timer", args)


def _length(clause: Clause, unit: str) -> dict[str, Any]:
    """How long, also where the unit stands behind what was marked, or a correction does."""
    text = clause.words("duration")
    if meant := quantities.length(clause.corrected, clause.language, unit):
        return dict(meant)
    plainly = quantities.length(text, clause.language)
    if not plainly and text and (place := clause.found.said.find(text)) >= 0:
        plainly = quantities.length(" ".join(clause.found.said[place:].split()[:6]), clause.language)
    return dict(plainly or quantities.length(text, clause.language, unit))


@_rule("set_reminder")
def _set_reminder(clause: Clause) -> Parts:
    text, when = clause.words("text"), clause.words("when")
    last = clause.last("set_reminder")
    if last and when and not text:
        text = str(last.args.get("text", ""))
    moment = quantities.moment(when, clause.language) if when else {}
    around = quantities.moment(clause.found.said.replace(clause.found.spans.get("text", "\0"), ""), clause.language)
    if (around and (not text or not moment) and clause.last("set_reminder", "set_timer")) or (around and not moment):
        moment = around
    if not moment:
        return (Ask("when", Step("set_reminder", {"text": text} if text else {})),)
    said = without_accents(clause.found.said.lower())
    if _WAKE.search(said) and "at" in moment and not re.search(r"\b(?:evening|pm|tonight|afternoon)\b",
                                                              quantities.english(when, clause.language)):  # fmt: skip
        moment["at"] = _mornings(str(moment["at"]))
    return _step("set_reminder", {"text": text or ("wake up" if _WAKE.search(said) else "time is up"), **moment})


def _mornings(at: str) -> str:
    """People are woken in the morning: "wake me at six" is not six in the evening."""
    day, _, clock = at.rpartition(" ")
    hour, minute = clock.split(":")
    early = int(hour) - 12 if 16 <= int(hour) <= 18 else int(hour)
    return f"{day} {early:02d}:{minute}".strip()


@_rule("cancel_timer")
def _cancel_timer(clause: Clause) -> Parts:
    if clause.picked("every"):
        return _step("cancel_timer", {"every": True})
    label = re.sub(r"^(?:the|my|a|an) | (?:timer|alarm|reminder)$", "", clause.words("label"))
    last = clause.last("set_timer", "set_reminder")
    if not label and last:
        label = str(last.args.get("label") or last.args.get("text") or "")
    number = re.search(r"\b(?:number|no\.?|nr\.?|numero|nummer|timer|alarm) (\d+)$", without_accents(clause.found.said))
    if label.isdigit() or number:
        return _step("cancel_timer", {"timer_id": number[1] if number else label})
    return _step("cancel_timer", {"label": label} if label else {})


# Words that are passed on


_TEMPO = {
    2.0: r"\b(?:double|twice|two times) (?:the )?(?:speed|as fast|tempo)",
    0.5: r"\bhalf (?:the )?(?:speed|tempo)",
}


@_rule("speak")
def _speak(clause: Clause) -> Parts:
    text = clause.words("text")
    if (not text or text.casefold() in _IT) and (last := clause.last("speak")):
        text = str(last.args.get("text", ""))
    tempo = next((speed for speed, words in _TEMPO.items() if re.search(words, clause.plainly)), None)
    return _step("speak", {"text": text} | ({"speed": tempo} if tempo else {})) if text else None


@_rule("get_weather")
def _get_weather(clause: Clause) -> Parts:
    place = clause.words("place")
    last = clause.last("get_weather", "get_time")
    if not place and last:
        place = str(last.args.get("place", ""))
    return _step("get_weather", {"place": place}) if place else (Ask("place", Step("get_weather")),)


@_rule("search_web", "search_memories", "forget_memory")
def _query(clause: Clause) -> Parts:
    query = clause.words("query")
    last = clause.last("store_memory", "search_memories", "search_web")
    if (not query or query.casefold() in _IT) and last:
        query = str(last.args.get("content") or last.args.get("query") or "")
    return _step(clause.found.label, {"query": query or clause.found.said})


@_rule("store_memory")
def _store_memory(clause: Clause) -> Parts:
    content = re.sub(r"^(?:that|que|dass|:) ", "", clause.words("content"))
    return _step("store_memory", {"content": content or clause.found.said})


_NOTE = re.compile(
    r"\b(?:remember|note|save|store|record|write|put|add|set|update|change|profile|keep|know that|retiens|garde"
    r"|enregistre|profil|recuerda|apunta|anota|guarda|perfil|merk|notier|speicher|schreib|trag|from now on|actually)"
)
_NAMED = re.compile(
    r"(?:call me|my name is|my name's|i'm|i am|appelle-moi|je m'appelle|ll[a\u00e1]mame|me llamo|soy|nenn mich"
    r"|ich hei(?:\u00df|ss)e|ich bin|mein name ist) ([^\W\d_][\w-]*)",
    re.IGNORECASE,
)


@_rule("update_user_profile")
def _update_user_profile(clause: Clause) -> Parts:
    value = clause.words("value")
    if clause.picked("key") in ("likes", "dislikes", "home") and not _NOTE.search(without_accents(clause.whole)):
        return (Talk("@report", clause.found.said),)  # people say such things without wanting them on record
    if not value and (named := _NAMED.search(clause.found.said)):
        value = named[1]
    return _step("update_user_profile", {"key": clause.picked("key") or "name", "value": value}) if value else None


# Tasks and the workshop


@_rule("task_cancel")
def _task_cancel(clause: Clause) -> Parts:
    task = clause.words("id")
    if not task:
        data = next((call.data for call in reversed(clause.before) if isinstance(call.data, dict)), {})
        task = str(data.get("task_id", ""))
    return _step("task_cancel", {"task_id": task} if task else {})


@_rule("background_demo")
def _background_demo(clause: Clause) -> Parts:
    seconds = clause.number("duration", quantities.seconds)
    return _step("background_demo", ({"seconds": plain(seconds)} if seconds else {}) | {"background": True})


@_rule("create_tool")
def _create_tool(clause: Clause) -> Parts:
    args = {"description": clause.words("description") or clause.found.said}
    if named := re.search(r"\b(?:called|named|appele|llamad[ao]|namens) (\w+)", without_accents(clause.found.said)):
        args["name"] = named[1]
    return _step("create_tool", args)


@_rule("@program")
def _program(clause: Clause) -> Parts:
    """Conditions and repetition need a program: the workshop writes one."""
    return _step("create_tool", {"description": clause.whole.strip()})


@_rule("rollback_tool")
def _rollback_tool(clause: Clause) -> Parts:
    name = re.sub(r"^(?:the|a|an|my|your) | tool$", "", clause.words("name")).replace(" ", "_")
    version = re.search(r"version (\d+)", clause.found.said.lower())
    args: dict[str, Any] = {"name": name} | ({"version": int(version[1])} if version else {})
    return _step("rollback_tool", args) if name else None


# After what was done before


@_rule("@again", "@both_do")
def _again(clause: Clause) -> Parts:
    if re.match(r"(?:now )?(?:say|repeat|dis|repete|di|repite|sag)", clause.plainly) and (last := clause.last("speak")):
        return _step("speak", dict(last.args))
    times = quantities.count(clause.found.said, clause.language) if re.search(r"\d|\btimes\b|\bfois\b|\bveces\b|mal\b",
                                                                             clause.found.said) else 1  # fmt: skip
    return _listed(followups.repeated(clause.before, times or 1))


@_rule("@more", "@less")
def _scaled(clause: Clause) -> Parts:
    sign = 1 if clause.found.label == "@more" else -1
    by = next(reversed(quantities.numbers_in(clause.found.said, clause.language)), None)
    if by and (last := clause.last("rotate", "move_head")) and last.args.get("direction") in followups.OPPOSITE:
        way = last.args["direction"] if sign > 0 else followups.OPPOSITE[last.args["direction"]]
        degrees = by if last.tool == "rotate" else by + float(last.args.get("degrees") or 0)
        return _step(last.tool, {**last.args, "direction": way, "degrees": plain(min(abs(degrees), 320.0))})
    return _listed(followups.scaled(clause.before, sign, without_accents(clause.found.said)))


@_rule("@other_way")
def _other_way(clause: Clause) -> Parts:
    return _listed(followups.turned_round(clause.before))


@_rule("@faster", "@slower")
def _paced(clause: Clause) -> Parts:
    return _listed(followups.paced(clause.before, "fast" if clause.found.label == "@faster" else "slow"))


@_rule("@undo")
def _undone(clause: Clause) -> Parts:
    return _listed(followups.undone(clause.before))


@_rule("@not_that")
def _another(clause: Clause) -> Parts:
    return _listed(followups.another(clause.before))


def _listed(answer: Any) -> Parts:
    return answer if isinstance(answer, list | tuple) or answer is None else [answer]
