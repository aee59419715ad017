"""How the robot is and how it should be: asleep, awake, at rest, still, loud; and questions about that."""

from __future__ import annotations

import re

from reachy_mind.brains.plan import Pause, Step
from reachy_mind.brains.rules.rule import Answer, Match, Rulebook

BOOK = Rulebook()

LONGEST_PAUSE_S = 60.0
LOUDER, QUIETER, USUAL_VOLUME = 80, 30, 50


@BOOK.pattern(
    r"(?:wake|get) up(?: from your (?:sleep|nap))?|wake(?: yourself)?(?: up)?|rise and shine|open your eyes|be "
    r"awake|time to (?:get|wake) up",
    r"(?:turn|switch|power) (?:yourself )?on|(?:turn|switch) on yourself|stand up|power up|rise|come alive|get "
    r"ready|become active|activate yourself",
)
def wake_up(match: Match) -> Answer:
    return Step("wake_up", {}, match.said.as_said())


@BOOK.pattern(
    r"(?:go|get|fall|lie down and go|drift off)(?: back)? (?:to )?(?:sleep|bed|asleep)|sleep|sleep now|take (?:a"
    r"|your) nap|have a nap|nap"
    r"|go (?:and )?(?:take|have) a nap|doze off|go night night|close your eyes(?: and sleep)?",
    r"(?:turn|switch|power) (?:yourself )?off|(?:turn|switch) off yourself|shut (?:yourself )?down|power down|lie "
    r"down|lay your head down",
    r"(?:go|switch) (?:in)?to (?:sleep mode|standby)|(?:go|put yourself) to sleep|enter sleep mode|bedtime|it is "
    r"bedtime|time for bed",
)
def sleep(match: Match) -> Answer:
    return Step("sleep", {}, match.said.as_said())


@BOOK.pattern(
    r"rest|take a rest|have a rest|take a break|have a break|relax|just relax|chill|chill out|rest a (?:bit"
    r"|little|while)|rest for a while|ease up",
    r"(?:go|return|come|get|move)(?: back)? (?:in)?to (?:the |your |a )?(?:rest|resting|neutral|home|default"
    r"|initial|starting|normal|start|base|zero)"
    r"(?: (?:pose|position|posture|place))?",
    r"(?:reset|recenter|straighten)(?: (?:yourself|your (?:pose|position|posture|body)|everything))?(?: up)?"
    r"|(?:go|come|move) home|assume (?:the |your )?"
    r"(?:rest|resting|neutral|default) (?:pose|position|posture)|back to (?:rest|neutral|normal|your resting "
    r"position|the start)|sit (?:up )?straight",
    r"(?:center|recenter) (?:yourself|your body)|(?:stand|sit) (?:at ease|normally)|be at rest|go (?:to )?neutral",
)
def rest(match: Match) -> Answer:
    return Step("rest", {}, match.said.as_said())


@BOOK.pattern(
    r"(?:wait|pause|hold(?: it| that| still| the pose| your pose)?|stay(?: there| like that| still| put)?|keep "
    r"still|keep that|freeze|rest)"
    r"(?: for)?(?: about)? <number> (seconds|minutes)",
    r"(?:count to|count up to) <number>( seconds)?|do nothing for <number> (?:seconds|minutes)",
)
def pause(match: Match) -> Answer:
    return Pause(min(float(match[1]) * (60 if "minutes" in match[0] else 1), LONGEST_PAUSE_S))


@BOOK.pattern(
    r"(?:do|just do) (?:absolutely )?nothing(?: at all)?|stay (?:as|where|how) you are|(?:hold|keep) (?:that|this"
    r"|the|your) (?:pose|position)|stay put|stay like that"
    r"|stay there|just stand there|stand by|sit tight",
    r"ignore (?:that|me|it|this)|do not do anything",
)
def do_nothing(match: Match) -> Answer:
    return Step("do_nothing", {}, match.said.as_said())


@BOOK.pattern(
    r"(?:cancel|abort|end|interrupt|halt|kill|drop) (?:that|it|this|everything|all|the (?:move|movement|motion"
    r"|action|current "
    r"(?:move|action|movement)))",
    r"stop (?:being|acting|looking|feeling) (?:so )?\w+(?: \w+)?|(?:stop|end) (?:the|that|this|your) (?:show|act"
    r"|emotion|performance|nonsense)",
    r"(?:stop|freeze|halt|pause)(?: .{1,20})? (?:moving|dancing|motion|movements?|nodding|spinning|waving"
    r"|shaking)(?: .{1,20})?",
    r"(?:stop|halt|freeze|pause|hold it|enough)(?: (?:it|that|everything|all|now|there|here))*",
)
def stop(match: Match) -> Answer:
    if re.match(
        r"stop (?:being|acting|looking|feeling)\b|(?:stop|end) (?:the|that|this|your) (?:act|emotion)", match[0]
    ):
        return Step("stop_emotion", {}, match.said.as_said())
    if re.match(r"stop (?:the|a|an) (?!dance|motion|movement|robot)", match[0]):
        return None
    return Step("stop", {}, match.said.as_said())


@BOOK.pattern(
    r"(?:end|finish|quit|cease|cut|break off)(?: with)? (?:the|that|this|your) (?:dance|dancing)|(?:quit|cease"
    r"|finish) dancing",
    r"stop (?:the|that|your) (?:waltz|salsa|twist|disco|conga|shimmy|rocker|ripple)",
)
def stop_dance(match: Match) -> Answer:
    return Step("stop_dance", {}, match.said.as_said())


@BOOK.pattern(
    r"(?:what is|what are|tell (?:me|us)|give (?:me|us)|show (?:me|us)|report|read out|read|describe|check|share"
    r"|state|print|get|say|announce)"
    r"(?: (?:me|us))?(?: about)? (?:your|the|its) (?:current |exact |present |head |body |robot )*"
    r"(?:pose|position|posture|orientation|head angles?|angles|coordinates|head pose|head position|yaw|pitch|roll"
    r"|heading|angle|stance)"
    r"(?: (?:of your head|right now|is|in degrees|and angles|at the moment|currently))*",
    r"(?:tell me )?(?:where|which way|what direction|in which direction|which direction|in what direction) (?:are "
    r"you|you are|is your head|your head is)"
    r" ?(?:looking|facing|pointing|pointed|turned|looking at|turned to|heading)?(?: (?:right now|at|to|at the "
    r"moment|now))*",
    r"how (?:is|are) your (?:head|body|antennas) (?:positioned|oriented|turned|tilted)|what pose are you in|where "
    r"is your head(?: at)?|your pose",
    r"(?:tell me )?(?:what|which) (?:pose|position|posture|angle) (?:are you|you are|is your head|your head is) "
    r"(?:in|at)|pose|current pose"
    r"|where are your antennas|how far (?:are you|is your head) turned",
)
def get_pose(match: Match) -> Answer:
    return Step("get_pose", {}, match.said.as_said())


@BOOK.pattern(
    r"how (?:are|is) (?:you|things|it|everything|your day|life)(?: (?:doing|going|feeling|today|these days"
    r"|running|holding up|now|with you|there))*",
    r"are you|how do you (?:do|feel)(?: (?:today|now|right now))?|are you (?:ok|okay|alright|all right|well|fine|awake"
    r"|asleep|sleeping|online|working|busy|moving"
    r"|connected|there|alive|ready|up|on|listening)(?: .{0,20})?",
    r"(?:what is|tell (?:me|us)|give (?:me|us)|show (?:me|us)|report|check|get|say|read)(?: (?:me|us))?(?: "
    r"about)? (?:your|the|on your) (?:current |robot |own )*"
    r"(?:status|state|condition|health|connection|motor mode|motor state|situation)(?: report)?",
    r"(?:give me a |give us a |run a )?status(?: report| check| update)?|(?:give me a |run a |do a )?(?:self "
    r"?(?:check|test)|health check|system check)"
    r"|are your motors (?:on|off|enabled|disabled|running)|what are you doing(?: right now)?|report|is everything "
    r"(?:ok|okay|fine|alright|working)"
    r"|what mode are (?:you|your motors) in|what is (?:up|going on)|is your (?:robot|body) connected|tell me how "
    r"you (?:are|are doing|feel)",
)
def get_robot_state(match: Match) -> Answer:
    return Step("get_robot_state", {}, match.said.as_said())


@BOOK.pattern(
    r"(?:read|check|show(?: me)?|get|tell me|what do|report|give me)(?: all)?(?: of)? (?:your|the) (?:sensors?"
    r"|sensor (?:data|readings?|values)|joints?"
    r"|joint (?:angles|positions)|motors? temperatures?|battery|battery level|temperature)(?: (?:say|read|data"
    r"|readings?|right now))?",
    r"what is (?:your|the) (?:battery|battery level|temperature|sensor data|imu)(?: level)?|how (?:much battery"
    r"|hot are you|warm are you).*|what do your sensors say"
    r"|what are your (?:joint angles|sensor readings|sensors saying)",
)
def get_sensor_data(match: Match) -> Answer:
    return Step("get_sensor_data", {}, match.said.as_said())


@BOOK.pattern(
    r"(?:turn off|switch off|disable|relax|release|power off|cut|deactivate)(?: the| your)? motors?|(?:turn"
    r"|switch)(?: the| your)? motors? off|motors off|go limp|let go",
)
def motors_off(match: Match) -> Answer:
    return Step("set_motor_mode", {"mode": "disabled"}, match.said.as_said())


@BOOK.pattern(
    r"(?:turn on|switch on|enable|engage|power on|activate|lock)(?: the| your)? motors?|(?:turn|switch)(?: the| "
    r"your)? motors? on|motors on|go stiff|stiffen(?: up)?",
)
def motors_on(match: Match) -> Answer:
    return Step("set_motor_mode", {"mode": "enabled"}, match.said.as_said())


@BOOK.pattern(
    r"(?:turn on|switch on|enable|use|go (?:in)?to|switch to|activate) (?:the )?(?:gravity compensation|compliant"
    r"|soft|yielding)(?: (?:mode|motors))?"
    r"|(?:let|allow) me (?:to )?(?:pose|move|guide|position) you(?: by hand| around)?|be (?:soft|compliant"
    r"|yielding)|make your motors (?:soft|compliant|yielding)",
)
def motors_soft(match: Match) -> Answer:
    return Step("set_motor_mode", {"mode": "gravity_compensation"}, match.said.as_said())


@BOOK.pattern(
    r"(?:set|put|turn|change|adjust|bring)(?: up| down)? (?:the |your )?(?:volume|loudness|sound|voice)(?: "
    r"level)?(?: up| down)? (?:to|at|on) <number>(?: percent)?",
    r"volume(?: to| at)? <number>(?: percent)?|(?:speak|talk) at <number> percent(?: volume)?",
)
def volume(match: Match) -> Answer:
    return Step("set_volume", {"volume": min(max(round(float(match[1])), 0), 100)}, match.said.as_said())


@BOOK.pattern(
    r"(?P<up>(?:speak|talk|be)(?: a (?:bit|little))? (?:up|louder|more loudly)(?: a (?:bit|little))?|louder"
    r"|(?:turn|crank) (?:it|the volume|your volume|your voice|the sound)"
    r"(?: a (?:bit|little))? up|(?:turn|crank) up (?:the |your )?(?:volume|voice|sound)|(?:raise|increase) (?:the "
    r"|your )?(?:volume|voice)|volume up|i can not hear you)",
    r"(?P<down>(?:speak|talk|be)(?: a (?:bit|little))? (?:quieter|softer|more quietly|more softly|lower|softly"
    r"|quietly)|quieter|not so loud|turn (?:it|the volume|your volume"
    r"|your voice|the sound)(?: a (?:bit|little))? down|turn down (?:the |your )?(?:volume|voice|sound)|(?:lower"
    r"|reduce|decrease) (?:the |your )?(?:volume|voice)|volume down"
    r"|keep your voice down|you are too loud|whisper)",
    r"(?P<off>mute(?: yourself| the sound| your voice| your speaker)?|(?:turn|switch) (?:off )?(?:the |your "
    r")?(?:sound|voice|speaker)(?: off)?)",
    r"(?P<full>(?:full|maximum|max) volume|(?:as loud as you can|volume (?:to )?(?:the )?max(?:imum)?)|unmute(?: "
    r"yourself)?)",
)
def louder(match: Match) -> Answer:
    groups = match.groups
    level = LOUDER if "up" in groups else QUIETER if "down" in groups else 0 if "off" in groups else 100
    if match[0].startswith("unmute"):
        level = USUAL_VOLUME
    if re.fullmatch(r"(?:turn|switch) (?:the |your )?(?:sound|voice|speaker)", match[0]):
        return None
    return Step("set_volume", {"volume": level}, match.said.as_said())


@BOOK.pattern(
    r"(?:(?:turn|switch) (?P<on>on)|(?:turn|switch) off|enable|disable|activate|deactivate|mute|unmute|open"
    r"|close)(?: the| your)? (?P<what>camera|microphone|mic|mics|microphones|webcam|ears)",
    r"(?:turn|switch)(?: the| your)? (?P<what>camera|microphone|mic|webcam|microphones) (?P<onoff>on|off)",
    r"(?P<stop>stop) (?:listening|recording)(?: to (?:me|us))?",
)
def camera_and_microphone(match: Match) -> Answer:
    text = match[0]
    on = bool(re.search(r"\bon\b|\benable\b|\bactivate\b|\bunmute\b|\bopen\b", text))
    camera = "camera" in text or "webcam" in text
    if text.startswith("stop"):
        on, camera = False, False
    return Step("set_camera" if camera else "set_microphone", {"enabled": on}, match.said.as_said())
