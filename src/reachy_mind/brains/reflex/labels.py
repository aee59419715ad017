"""What a stretch of a sentence can mean, and what can be said about it.

A label is a tool's name, a step that stands for several calls (`look_around`, `pause`), or a kind of talk (`@joke`). An
argument is *closed* when the network picks its value from a list, and *open* when it points at the words that hold it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from reachy_mind.brains.word_lists import spaced

EMOTIONS = tuple(
    spaced(
        """
        agreeing amused angry attentive bored calm confused curious determined disagreeing disappointed disgusted
        excited grateful happy impatient loving nervous neutral playful proud relieved sad scared shy sleepy
        surprised thinking tired welcoming
        """
    )
)
DANCES = tuple(
    spaced(
        """
        conga disco figure_eight ripple robot_pop rocker salsa semaphore shimmy twist two_step waltz
        """
    )
)
_WAYS = tuple(spaced("left right up down front up_left up_right down_left down_right"))
_SIDES, _SPEEDS, _AMOUNTS, _SWITCH = ("left", "right"), ("slow", "fast"), ("little", "much", "max"), ("on", "off")

Arguments = Mapping[str, tuple[str, ...] | None]
"""Names of arguments; the values of closed ones, None for open ones."""

STEPS: Mapping[str, Arguments] = {
    "move_head": {
        "direction": _WAYS, "tilt": _SIDES, "amount": _AMOUNTS, "speed": _SPEEDS,
        "degrees": None, "duration": None, "pitch": None, "yaw": None, "roll": None,
    },
    "look_around": {},
    "look_at_object": {"name": None},
    "look_at_sound": {},
    "look_at": {"pitch": None, "yaw": None, "roll": None, "z": None},
    "look_at_world": {"x": None, "y": None, "z": None},
    "look_at_pixel": {"u": None, "v": None},
    "head_tracking": {"enabled": _SWITCH},
    "rotate": {"direction": _SIDES, "amount": (*_AMOUNTS, "half_turn"), "speed": _SPEEDS, "degrees": None},
    "set_antennas": {"side": (*_SIDES, "both"), "to": ("up", "down", "wiggle"), "degrees": None},
    "nod": {"times": None, "speed": _SPEEDS},
    "shake": {"times": None, "speed": _SPEEDS},
    "wave": {"times": None, "speed": _SPEEDS, "side": _SIDES},
    "express_emotion": {"emotion": EMOTIONS, "amount": ("little", "much")},
    "stop_emotion": {},
    "dance": {"name": DANCES, "repeat": None},
    "stop_dance": {},
    "play_move": {"name": None},
    "wake_up": {},
    "sleep": {},
    "rest": {"speed": _SPEEDS},
    "stop": {},
    "do_nothing": {},
    "pause": {"duration": None},
    "get_robot_state": {},
    "get_pose": {},
    "get_sensor_data": {},
    "set_motor_mode": {"mode": ("enabled", "disabled", "gravity_compensation")},
    "set_volume": {"level": ("up", "down", "mute", "max"), "volume": None},
    "set_camera": {"enabled": _SWITCH},
    "set_microphone": {"enabled": _SWITCH},
    "take_photo": {},
    "analyze_scene": {},
    "detect_objects": {},
    "detect_faces": {},
    "describe_image": {},
    "listen": {"duration": None},
    "speak": {"text": None},
    "get_time": {"place": None},
    "set_timer": {"duration": None, "label": None},
    "set_reminder": {"text": None, "when": None},
    "list_timers": {},
    "cancel_timer": {"label": None, "every": ("yes",)},
    "get_weather": {"place": None},
    "search_web": {"query": None},
    "store_memory": {"content": None},
    "search_memories": {"query": None},
    "forget_memory": {"query": None},
    "get_user_profile": {},
    "update_user_profile": {
        "key": ("name", "language", "likes", "dislikes", "birthday", "home"), "value": None,
    },
    "task_status": {},
    "task_cancel": {"id": None},
    "background_demo": {"duration": None},
    "create_tool": {"description": None},
    "list_tools": {},
    "rollback_tool": {"name": None},
}  # fmt: skip

TALK = tuple(
    spaced(
        """
        @greet @bye @thanks @praise @complaint @joke @story @song @name @maker @abilities @age @likes @are_you
        @can_you @arithmetic @knowledge @report @unclear @yes @no @apology @compliment @forbid @program @danger
        @impossible @game @convert @calendar @tell @correct @feel_sad @feel_happy @feel_angry @feel_afraid @feel_tired
        @feel_lonely @feel_bored @feel_ill @feel_stressed @feel_proud
        """
    )
)
FOLLOWUPS = tuple(spaced("@again @more @less @other_way @faster @slower @undo @not_that @both_do"))
"""What only means something after what was done before."""
LANGUAGES = ("en", "fr", "es", "de")


@dataclass(frozen=True)
class Inventory:
    """All labels a network knows, in the order of its outputs. Two tools' arguments of one name share a list."""

    steps: Mapping[str, Arguments]
    talk: tuple[str, ...] = (*TALK, *FOLLOWUPS)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The network has one output more, the last: that a stretch means nothing by itself."""
        return (*self.steps, *self.talk)

    @cached_property
    def closed(self) -> dict[str, tuple[str, ...]]:
        """The values of each closed argument; the first output of each is "not said"."""
        values: dict[str, dict[str, None]] = {}
        for label, arguments in self.steps.items():
            for name, given in arguments.items():
                if given is not None:
                    values.setdefault(self.key(label, name), {}).update(dict.fromkeys(given))
        return {name: tuple(listed) for name, listed in values.items()}

    @cached_property
    def tags(self) -> tuple[str, ...]:
        """What a word can be of an open argument: nothing, its beginning, its inside."""
        names = dict.fromkeys(
            name for arguments in self.steps.values() for name, given in arguments.items() if given is None
        )
        return ("O", *(f"{place}-{name}" for name in names for place in "BI"))

    @staticmethod
    def key(label: str, name: str) -> str:
        """Which list it is. A dance's name is picked from one, a move's is not: they don't share it."""
        return "which_dance" if (label, name) == ("dance", "name") else f"which_{name}"

    def with_tools(self, tools: Mapping[str, Iterable[str]]) -> Inventory:
        """With tools of one's own, whose arguments are all open."""
        own = {name: dict.fromkeys(arguments) for name, arguments in tools.items() if name not in self.steps}
        return Inventory({**self.steps, **own}, self.talk)


BUILT_IN = Inventory(STEPS)
