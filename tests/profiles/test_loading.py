"""From folders to personalities: both formats, placeholders, and everything that can be wrong with a file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from reachy_mind.profiles.profile import BrokenProfile, UnknownProfile
from tests.profiles.folders import NEW_FORMAT, OWN_TOOL, folder, profiles, put


def told(name: str) -> list[str]:
    return [str(problem) for problem in profiles().load(name).problems]


def test_a_folder_is_read_with_comments_placeholders_and_other_names_of_tools() -> None:
    put("prompts", identities__witty_txt="You are witty.\n[behaviors/short]\n", behaviors__short_txt="Be brief.")
    put(
        "captain",
        instructions_txt="[identities/witty]\nYou sail.\nSee [behaviors/short] and [1] and [a](b).",
        tools_txt="# mine\nplay_emotion\n# move_head\ncamera # to look\nrobot.nod\ntime.*\n\n",
        voice_txt="cedar\nspeed: 1.2\n",
        greeting_txt="Ahoy!\n",
        moves_txt="happy\nwaltz\n",
        manner_yaml="en:\n  greet: [Ahoy., Ahoy there.]\n",
    )
    captain = profiles().load("captain")
    assert captain.instructions == "You are witty.\nBe brief.\nYou sail.\nSee Be brief. and [1] and [a](b)."
    assert captain.tools[:3] == ("express_emotion", "analyze_scene", "nod")
    assert {"get_time", "set_timer"} < set(captain.tools) and "move_head" not in captain.tools
    assert (captain.voice, captain.speed, captain.greeting) == ("cedar", 1.2, "Ahoy!")
    assert captain.moves == ("happy", "waltz") and captain.manner["en"]["greet"] == ["Ahoy.", "Ahoy there."]
    assert (captain.source, captain.broken, captain.problems) == ("user", "", ())


def test_the_new_format_of_the_conversation_app_is_read_too() -> None:
    put("cook", profile_md=NEW_FORMAT)
    cook = profiles().load("cook")
    assert cook.instructions.startswith("## Identity") and "[laughs]" in cook.instructions
    assert cook.tools == ("dance", "express_emotion", "analyze_scene", "do_nothing", "get_weather", "sweep_look")
    assert cook.voice == "cedar" and cook.problems == ()
    assert cook.cue and cook.greeting in cook.prompt  # a model is told how to greet
    assert cook.greeting not in cook.hello()  # and nobody says that aloud


def test_files_beside_the_new_format_win() -> None:
    put("cook", profile_md=NEW_FORMAT, greeting_txt="Soup?", tools_txt="nod")
    cook = profiles().load("cook")
    assert (cook.hello(), cook.tools) == ("Soup?", ("nod",))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("You are.", "profile.md:1: it does not begin with +++: all of it was taken for instructions"),
        ("+++\nschema_version = 2\ndefault_tools = []\n+++\nYou are.", "profile.md: schema_version is 2;"),
        ("+++\nschema_version = 1\nvoice = cedar\n+++\nYou are.", "profile.md:3: not TOML"),
        ("+++\nschema_version = 1\ncolour = 'red'\n+++\nYou are.", "profile.md: unknown field 'colour'"),
        ("+++\nschema_version = 1\nvoice = 7\n+++\nYou are.", "profile.md: voice is no str"),
        ("+++\nschema_version = 1\ndefault_tools = ['nod', 3]\n+++\nYou are.", "profile.md: default_tools has entries"),
    ],
)
def test_a_slip_in_the_new_format_is_named_and_the_rest_is_used(text: str, problem: str) -> None:
    put("cook", profile_md=text)
    assert any(each.startswith(problem) for each in told("cook")), told("cook")
    assert profiles().usable("cook").instructions == "You are."


def test_missing_placeholders_and_circles_are_named_with_their_place() -> None:
    put("prompts", a_txt="one\n[b]\n", b_txt="two\n[a]\n")
    put("captain", instructions_txt="Hello.\n[nowhere]\n[a]\n", tools_txt="nod")
    assert told("captain") == [
        "instructions.txt:2: there is no prompt called [nowhere]",
        "prompts/b.txt:2: placeholders in a circle: a > b > a",
    ]
    assert profiles().load("captain").instructions == "Hello.\none\ntwo"


def test_placeholders_that_multiply_end_somewhere() -> None:
    pieces = {f"p{n}_txt": f"[p{n + 1}]\n" * 20 for n in range(6)}
    put("prompts", **pieces, p6_txt="word " * 20)
    put("captain", instructions_txt="[p0]", tools_txt="nod")
    assert len(profiles().load("captain").instructions) < 200_000
    assert any("longer than" in each for each in told("captain"))


def test_a_placeholder_never_leads_out_of_the_folder_of_prompts(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("the secret")
    put("prompts", a_txt="a")
    (folder("prompts") / "linked.txt").symlink_to(tmp_path / "secret.txt")
    put("captain", instructions_txt="Me.\n[../../secret]\n[linked]\n[/etc/hostname]\n", tools_txt="nod")
    captain = profiles().load("captain")
    assert "the secret" not in captain.instructions
    assert "prompts/linked.txt: a link that leads out of the folder: it was not read" in told("captain")


@pytest.mark.parametrize(
    ("file", "content", "problem"),
    [
        ("tools.txt", b"nod\nfly_away\n", "tools.txt:2: there is no tool called 'fly_away'"),
        ("tools.txt", b"nodd\n", "tools.txt:1: there is no tool called 'nodd' (did you mean nod?)"),
        ("tools.txt", "nöd\n".encode("latin-1"), "tools.txt:1: not UTF-8 text"),
        ("tools.txt", b"nod\n" * 20_000, "tools.txt: larger than 64 KiB"),
        ("voice.txt", b"cedar\nspeed: quick", "voice.txt:2: speed is a number from 0.5 to 2.0"),
        ("voice.txt", b"Aiden", "voice.txt: no voice of ours is called 'Aiden'"),
        ("greeting.txt", b"Hi\0there", "greeting.txt:1: not text: it has zero bytes"),
        ("greeting.txt", "Hello".encode("utf-16"), "greeting.txt:1: not UTF-8 text"),
        ("greeting.txt", b"Hi " * 1000, "greeting.txt: longer than 500 characters"),
        ("manner.yaml", b"en: [", "manner.yaml:1: not YAML"),
        ("manner.yaml", b"- en", "manner.yaml:1: here should be languages"),
        ("manner.yaml", b"en:\n  greet: [Hi.]\nxx:\n  greet: [Hi.]\n", "manner.yaml:4: 'xx' is no language of ours"),
        ("manner.yaml", b"en:\n  greeting: [Hi.]\n", "manner.yaml:2: the phrasebook has no 'greeting'"),
        ("manner.yaml", b"en:\n  greet: Hi\n", "manner.yaml:2: greet is no list of phrases"),
        (
            "manner.yaml",
            b"en:\n  greet: ['Hi {name}.']\n",
            "manner.yaml:2: greet: braces are for gaps, and it has none",
        ),
        ("manner.yaml", b"en:\n  arithmetic: ['{answer.x}']\n", "manner.yaml:2: arithmetic: braces are for gaps"),
        ("manner.yaml", b"en:\n  greet: ['{']\n", "manner.yaml:2: greet: braces"),
    ],
)
def test_a_wrong_file_is_named_and_the_rest_is_used(file: str, content: bytes, problem: str) -> None:
    place = put("captain", instructions_txt="You sail.", tools_txt="nod")
    (place / file).write_bytes(content)
    assert any(each.startswith(problem) for each in told("captain")), told("captain")
    assert profiles().usable("captain").instructions == "You sail."


def test_good_phrases_of_a_manner_stay_when_others_are_wrong() -> None:
    put(
        "captain", instructions_txt="You sail.", tools_txt="nod", manner_yaml="en:\n  greet: [Ahoy., '{x}']\n  bye: 3\n"
    )
    assert profiles().load("captain").manner == {"en": {"greet": ["Ahoy."]}}


def test_what_is_no_file_in_the_folder_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("the secret")
    place = put("captain", instructions_txt="You sail.", tools_txt="nod")
    (place / "greeting.txt").symlink_to(tmp_path / "secret")
    (place / "about.txt").symlink_to(place / "nothing")
    (place / "moves.txt").mkdir()
    os.mkfifo(place / "voice.txt")
    assert (
        told("captain")
        == [
            "greeting.txt: a link that leads out of the folder: it was not read",
            "voice.txt: no plain file: it was not read",
            "moves.txt: no plain file: it was not read",
            "about.txt: a link that leads nowhere",
        ]
        and "the secret" not in profiles().load("captain").greeting
    )


def test_a_profile_that_cant_be_used_is_listed_as_broken_and_hurts_no_other(tmp_path: Path) -> None:
    put("empty", tools_txt="nod")
    put("elsewhere", instructions_txt="\xff\xfe".encode("latin-1"))
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "instructions.txt").write_text("You are outside.")
    folder("linked").symlink_to(tmp_path / "outside")
    put("My Robot", instructions_txt="You are.")
    found = {profile.name: profile for profile in profiles().all()}
    assert {name for name, profile in found.items() if profile.broken} == {"empty", "elsewhere", "linked"}
    assert "poet" in found and profiles().invalid_folders() == ["My Robot"]
    with pytest.raises(BrokenProfile, match="not UTF-8"):
        profiles().usable("elsewhere")


def test_without_tools_it_has_those_of_the_default_one_and_only_phrases_are_enough() -> None:
    put("captain", manner_yaml="en:\n  greet: [Ahoy.]\n")
    captain = profiles().usable("captain")
    assert captain.tools == profiles().load("default").tools and captain.instructions
    assert told("captain") == [
        "instructions.txt: missing: those of default are used",
        "tools.txt: missing: the tools of default are used",
    ]


def test_the_users_own_win_over_shipped_ones_and_names_are_found_as_people_say_them() -> None:
    put("poet", instructions_txt="You are another poet.", tools_txt="nod")
    put("user_personalities", my_robot__instructions_txt="You are mine.")
    assert profiles().load("poet").instructions == "You are another poet."
    assert profiles().load("Night Watch").name == "night_watch"
    assert profiles().load("my_robot").instructions == "You are mine."
    with pytest.raises(UnknownProfile) as error:
        profiles().load("poett")
    assert "poet" in error.value.hint


def test_python_of_the_user_is_named_as_refused_until_it_is_trusted() -> None:
    put("hummer", instructions_txt="You hum.", tools_txt="hum\nnod", hum_py=OWN_TOOL)
    hummer = profiles().load("hummer")
    assert (hummer.tools, hummer.own) == (("hum", "nod"), ("hum",))
    assert told("hummer")[0].startswith("hum.py: refused: its Python is not trusted")
    profiles().trust.mark("hummer", folder("hummer"))
    assert told("hummer") == []


def test_a_mood_of_the_voice_is_read_and_an_unknown_one_reported() -> None:
    put("monk", instructions_txt="You are calm.", tools_txt="nod\n", voice_txt="sage\nspeed: 0.9\nmood: Calm\n")
    monk = profiles().load("monk")
    assert (monk.voice, monk.speed, monk.mood, monk.problems) == ("sage", 0.9, "calm", ())
    put("clown", instructions_txt="You joke.", tools_txt="nod\n", voice_txt="mood: silly\n")
    clown = profiles().load("clown")
    (problem,) = clown.problems
    assert (clown.mood, problem.file, problem.line) == ("", "voice.txt", 1)
    assert problem.what.startswith("mood is one of neutral, cheerful")
