"""`ask`, `chat`, `tools` and `permissions`: with a mind that runs, and with one of their own for a moment."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.sync.client import connect

from reachy_mind.body.address import Address
from reachy_mind.cli.ask import _requests
from reachy_mind.errors import InvalidParameter
from tests.fakes.minds import Run
from tests.fakes.processes import command_json as process_json
from tests.fakes.processes import here as command
from tests.fakes.processes import here_json as command_json
from tests.waiting import until_sync

pytestmark = pytest.mark.process

SHOWN = ["reply", "tools", "brain", "latency_ms", "duration_ms"]
MUST_SHOW = "look left, then nod twice and tell me your pose"
MUST_DO = [
    {"name": "move_head", "args": {"direction": "left"}, "status": "ok"},
    {"name": "nod", "args": {"times": 2}, "status": "ok"},
    {"name": "get_pose", "args": {}, "status": "ok"},
]


@pytest.fixture
def nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands by themselves, without a robot, which is quicker."""
    monkeypatch.setenv("REACHY_MIND_ROBOT__ADDRESS", "none")


def get(run: Run, route: str) -> Any:
    return httpx.get(f"{run.url}/api/v1/{route}").raise_for_status().json()


class Chat:
    """`reachy-mind chat` with lines piped in; what it prints is in `heard`."""

    def __init__(self, *arguments: str) -> None:
        argv = [sys.executable, "-u", "-m", "reachy_mind", "chat", *arguments]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(argv, stdin=pipe, stdout=pipe, stderr=subprocess.STDOUT, text=True)
        self.heard = ""
        self._grew = threading.Condition()
        threading.Thread(target=self._listen, daemon=True).start()
        self.until("Talk to the robot")

    def _listen(self) -> None:
        assert self.process.stdout is not None
        while piece := os.read(self.process.stdout.fileno(), 4096):
            with self._grew:
                self.heard += piece.decode()
                self._grew.notify_all()

    def type(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()

    def until(self, text: str, times: int = 1) -> None:
        with self._grew:
            assert self._grew.wait_for(lambda: self.heard.count(text) >= times, 30), f"no {text!r} in {self.heard!r}"

    def __enter__(self) -> Chat:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()


def piped(*lines: str, arguments: tuple[str, ...] = ()) -> tuple[str, int]:
    """What a chat prints when these lines come in at once."""
    done = subprocess.run(
        [sys.executable, "-m", "reachy_mind", "chat", *arguments],
        input="".join(f"{line}\n" for line in lines),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done.stdout, done.returncode


# ask


def test_the_same_is_done_with_and_without_a_running_mind(
    robot: Address, shared: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REACHY_MIND_ROBOT__ADDRESS", str(robot))
    alone = process_json("ask", MUST_SHOW)
    assert httpx.get(f"{robot.http}/api/motors/status").json() == {"mode": "enabled"}, "that robot was used"
    monkeypatch.delenv("REACHY_MIND_ROBOT__ADDRESS")
    monkeypatch.setenv("REACHY_MIND_HOME", str(shared.home))
    before = get(shared, "audit")["total"]
    attached = process_json("ask", MUST_SHOW)
    for told in (alone, attached):
        assert list(told) == SHOWN and told["tools"] == MUST_DO and told["brain"] == "reflex"
        assert "left. I nodded. My head is at yaw 3" in told["reply"]
        assert 0 < told["latency_ms"] < told["duration_ms"]
    assert get(shared, "robot/state")["pose"]["yaw"] > 20, "the robot of the mind that runs looked left"
    entries = get(shared, "audit")
    assert entries["total"] == before + 3
    assert {entry["channel"] for entry in entries["entries"][:3]} == {"brain:reflex"}


def test_several_texts_are_one_conversation_whose_end_is_shown(running: Run) -> None:
    told = command_json("ask", "what time is it?", "again")
    assert told["tools"] == [{"name": "get_time", "args": {}, "status": "ok"}] and told["reply"].startswith("It is")
    assert command_json("ask", "again")["tools"] == [], "another conversation"


def test_a_file_has_a_conversation_a_line(running: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "requests.jsonl"
    lines = [
        json.dumps({"text": "what time is it?"}),
        json.dumps({"text": "again", "after": "what time is it?"}),
        "",
        json.dumps({"text": "again", "after": ["hello", "what time is it?"]}),
        json.dumps({"text": "again"}),
        json.dumps({"text": "   "}),
        '{"text": "what time\u2028is it?", "id": 7}',
    ]
    file.write_text("\n".join(lines), encoding="utf-8")

    def ask() -> list[Any]:
        done = command("ask", "--file", str(file), "--json")
        assert done.returncode == 0, done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]

    attached = ask()
    monkeypatch.setenv("REACHY_MIND_HOME", str(tmp_path / "other"))
    monkeypatch.setenv("REACHY_MIND_ROBOT__ADDRESS", "none")
    for answers in (attached, ask()):
        assert [[tool["name"] for tool in told["tools"]] for told in answers] == [
            ["get_time"], ["get_time"], ["get_time"], [], [], ["get_time"],
        ]  # fmt: skip
        assert [list(told) for told in answers] == [SHOWN] * 4 + [[*SHOWN, "error"], SHOWN]
        assert answers[4]["error"]["code"] == "INVALID_PARAMETER"


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("{", "not JSON"),
        ("[]", "'text'"),
        ('"look left"', "'text'"),
        ('{"txt": "look left"}', "'text'"),
        ('{"text": 5}', "'text'"),
        ('{"text": "again", "after": 5}', "'after'"),
        ('{"text": "again", "after": [5]}', "'after'"),
        ('{"text": "again", "after": {"text": "nod"}}', "'after'"),
    ],
)
def test_a_line_that_is_no_request_is_named(tmp_path: Path, line: str, told: str) -> None:
    file = tmp_path / "requests.jsonl"
    file.write_text(f'{{"text": "nod"}}\n{line}\n')
    with pytest.raises(InvalidParameter) as caught:
        _requests(file)
    assert f"{file}:2" in caught.value.message and told in caught.value.message


def test_a_bad_file_does_nothing_at_all(running: Run, tmp_path: Path) -> None:
    before = get(running, "audit")["total"]
    file = tmp_path / "requests.jsonl"
    file.write_text('{"text": "nod"}\n{"text": }\n')
    done = command("ask", "--file", str(file), "--json")
    assert done.returncode == 1 and f"{file}:2" in json.loads(done.stdout)["error"]["message"]
    file.write_bytes(b"\xff\xfe\x00")
    for name in (file, tmp_path / "missing", tmp_path):
        assert command_json("ask", "--file", str(name))["error"]["code"] == "INVALID_PARAMETER"
    assert get(running, "audit")["total"] == before


def test_exit_codes_of_ask(running: Run, tmp_path: Path) -> None:
    assert command("ask").returncode == 2
    assert command("ask", "hello", "--file", str(tmp_path / "f")).returncode == 2
    usage = command("ask", "--json")
    assert usage.returncode == 2 and json.loads(usage.stdout)["error"]["code"] == "USAGE"
    failed = command("ask", "  ", "--json")
    assert failed.returncode == 1 and [line.split(":")[0] for line in failed.stderr.splitlines()] == ["error", "hint"]
    told = json.loads(failed.stdout)
    assert list(told) == [*SHOWN, "error"] and told["error"]["code"] == "INVALID_PARAMETER"
    plain = command("ask", "what time is it?")
    assert plain.returncode == 0 and plain.stdout.startswith("It is ") and plain.stdout.count("\n") == 1
    assert plain.stderr == "  get_time(): ok\n"


def test_a_brain_that_is_not_there_is_named(nobody: None) -> None:
    error = command_json("ask", "hello", "--brain", "claude")["error"]
    assert error["code"] == "NOT_READY" and "claude" in error["message"] and error["hint"]


def test_another_robot_than_the_one_that_runs_is_refused(running: Run) -> None:
    before = get(running, "audit")["total"]
    for arguments in (["ask", "nod"], ["tools", "call", "nod"]):
        for robot in ("10.1.2.3", "none"):
            refused = command_json(*arguments, "--robot", robot)["error"]
            assert refused["code"] == "ALREADY_RUNNING" and robot in refused["message"]
    assert get(running, "audit")["total"] == before
    assert command_json("ask", "what time is it?", "--robot", "sim")["tools"][0]["status"] == "ok"


def test_what_needs_a_yes_is_denied_when_nobody_can_be_asked(running: Run) -> None:
    told = command_json("ask", "start a background demo of 5 seconds", "cancel the background task")
    assert (told["tools"][-1]["name"], told["tools"][-1]["status"]) == ("task_cancel", "denied")
    assert "nobody confirmed" in told["reply"]
    # The others find the mind as it was.
    until_sync(lambda: all(task["state"] != "running" for task in get(running, "tasks")["tasks"]))


def test_a_mind_for_a_moment_starts_nothing_that_would_outlast_it(nobody: None) -> None:
    told = command_json("ask", "start a background demo of 5 seconds")
    assert told["tools"][-1]["status"] == "error" and "only for a moment" in told["reply"]


# chat


def test_the_commands_of_a_chat(nobody: None) -> None:
    out, code = piped(
        "/history", "what time is it?", "again", "/history", "/clear", "again", "/history", "/help", "/status",
        "/tools", "/permissions", "/profile", "/fly", "", "/quit", "never said",
    )  # fmt: skip
    assert code == 0
    first, _, second = out.partition("a new conversation\n")
    assert first.startswith("Talk to the robot") and "nothing was said yet\nrobot: It is " in first
    assert first.count("robot: It is ") == 4, "twice said, twice in the history"
    assert first.index("you: what time is it?") < first.index("you: again")
    assert second.count("you: ") == 1 and "robot: It is " not in second, "the new one knows nothing of the old"
    assert "/status       how the mind" in second and "error: there is no robot" in second
    assert "task_cancel          confirm     Cancel a background task" in second
    assert "tasks.task_cancel                confirm" in second and "robot.look " in second
    assert "\n* default " in second and second.endswith("no command /fly; /help tells them\n")


def test_a_chat_goes_to_the_mind_that_runs(running: Run) -> None:
    out, code = piped("/status", "what time is it?", "/history")
    assert code == 0 and "mind ready, robot" in out and "motors enabled" in out and "head yaw" in out
    (session,) = get(running, "session?limit=1")["sessions"]
    assert session["message_count"] == 2, "it was said there"
    assert out.count("robot: It is ") == 2


def test_a_question_in_a_chat_is_answered_no_and_yes(nobody: None) -> None:
    start, cancel = "start a background demo of 300 seconds", "cancel the background task"
    out, code = piped(start, cancel, "no", cancel, "yes", "/quit")
    refused, allowed = out.split("May I do this? tasks.task_cancel(task_id=")[1:]
    assert code == 0 and "what it has not finished is lost" in refused
    assert "told not to" in refused and "cancelled" not in refused
    assert "cancelled" in allowed


def test_a_question_is_no_when_the_lines_end(running: Run) -> None:
    out, code = piped("start a background demo of 300 seconds", "cancel the background task")
    assert code == 0 and "told not to" in out
    (task,) = [task for task in get(running, "tasks")["tasks"] if task["state"] == "running"]
    out, _ = piped("cancel the background task", "yes")
    assert get(running, f"tasks/{task['id']}")["state"] == "cancelled"


def test_a_chat_that_waits_is_asked_too(running: Run) -> None:
    wish = {"tool_name": "task_cancel", "parameters": {"task_id": "nothing"}}
    codes: list[str] = []

    def call() -> None:
        answer = httpx.post(f"{running.url}/api/v1/tools/execute", json=wish, timeout=30)
        codes.append(answer.json()["error"]["code"])

    with Chat() as chat:
        for number, line in enumerate(("no", "yes"), 1):
            calling = threading.Thread(target=call)
            calling.start()
            chat.until("May I do this? tasks.task_cancel", number)
            chat.type("what time is it?")  # which is no answer
            chat.until("robot: It is", number)
            assert calling.is_alive()
            chat.type(line)
            calling.join()
        chat.type("/quit")
        assert chat.process.wait(10) == 0
    assert codes == ["NOT_CONFIRMED", "INVALID_PARAMETER"], "allowed, it found no such task"


def test_ctrl_c_ends_a_long_answer_and_the_chat_goes_on(running: Run) -> None:
    with Chat() as chat:
        chat.type("dance")
        until_sync(lambda: get(running, "robot/state")["busy"])
        chat.process.send_signal(signal.SIGINT)
        chat.until("cut short")
        assert get(running, "audit?tool=dance")["entries"][0]["status"] == "cancelled"
        chat.type("what time is it?")
        chat.until("robot: It is ")
        chat.type("/quit")
        assert chat.process.wait(10) == 0


def test_quit_during_an_answer_ends_the_chat_after_it(running: Run) -> None:
    with Chat() as chat:
        chat.type("dance")
        chat.type("/quit")
        until_sync(lambda: get(running, "robot/state")["busy"])
        chat.process.send_signal(signal.SIGINT)
        chat.until("cut short")
        assert chat.process.wait(10) == 0, "though more could be piped in"


def test_a_mind_that_dies_ends_the_chat_and_the_question(home: Path) -> None:
    run = Run(home, "--robot", "none")
    with Chat() as chat:
        chat.type("start a background demo of 300 seconds")
        chat.until("has started")
        chat.type("cancel the background task")
        chat.until("May I do this?")
        run.end(signal.SIGKILL)
        chat.type("yes")
        assert chat.process.wait(20) == 1
        chat.until("error: the mind (process")
        assert "Traceback" not in chat.heard


# tools and permissions


def test_tools_are_listed(running: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    attached = command_json("tools", "list")
    text = command("tools", "list").stdout.splitlines()
    monkeypatch.setenv("REACHY_MIND_HOME", str(tmp_path / "other"))
    assert process_json("tools", "list") == attached
    assert len(text) == attached["total"]
    assert any(line.startswith("robot.nod ") and "autonomous Nod" in line for line in text)
    assert any(line.startswith("workshop.create_tool ") and "notify" in line for line in text)


def test_a_tool_is_called(running: Run) -> None:
    told = command_json("tools", "call", "move_head", "--args", '{"direction": "right"}')
    assert list(told) == ["status", "data", "error", "tier", "duration_ms", "call_id"]
    assert (told["status"], told["error"], told["tier"]) == ("ok", None, 1) and told["duration_ms"] > 100
    assert get(running, "robot/state")["pose"]["yaw"] < -20
    plain = command("tools", "call", "get_time", "--args", '{"place": "Tokyo"}')
    assert plain.returncode == 0 and json.loads(plain.stdout)["timezone"] == "Asia/Tokyo"
    unknown = command("tools", "call", "nodd")
    assert unknown.returncode == 1 and unknown.stdout == ""
    assert unknown.stderr.splitlines() == ["error: no tool called 'nodd'", "hint: did you mean nod?"]


@pytest.mark.parametrize("args", ["{", "[1]", "null"])
def test_arguments_that_are_none_are_refused(args: str) -> None:
    assert command_json("tools", "call", "nod", "--args", args)["error"]["code"] == "INVALID_PARAMETER"


def test_yes_on_the_command_line_is_a_yes_to_that_call_alone(running: Run) -> None:
    wish = {"tool_name": "task_cancel", "parameters": {"task_id": "another"}}
    call = ("tools", "call", "task_cancel", "--args", '{"task_id": "nothing"}')
    assert command_json(*call)["error"]["code"] == "NOT_CONFIRMED"
    with connect(f"ws://{running.url.removeprefix('http://')}/api/v1/ws/chat", proxy=None) as person:
        other = threading.Thread(
            target=lambda: httpx.post(f"{running.url}/api/v1/tools/execute", json=wish, timeout=30)
        )
        other.start()
        assert json.loads(person.recv(20))["arguments"] == {"task_id": "another"}
        told = command_json(*call, "--yes")
        assert told["error"]["code"] == "INVALID_PARAMETER", "it was allowed, and found no such task"
        (waiting,) = get(running, "confirmations")["confirmations"]
        assert waiting["arguments"] == {"task_id": "another"}
    other.join()
    assert get(running, "audit?tool=task_cancel&status=denied")["entries"][0]["confirmed_by"] is None


def test_permissions_are_shown_checked_and_reloaded(running: Run) -> None:
    file = running.home / "permissions.yaml"
    try:
        file.write_text("rules:\n- {pattern: time.*, tier: forbidden, reason: no clocks}\n")
        checked = command_json("permissions", "check", "mcp__time__get_time")
        assert checked == {"tool": "time.get_time", "tier": 4, "tier_name": "forbidden", "reason": "no clocks (line 2)"}
        assert command_json("permissions", "show")["tools"]["time.get_time"] == "autonomous", "not in force yet"
        assert command_json("permissions", "reload") == {"rules": 1}
        assert command_json("permissions", "show")["tools"]["time.get_time"] == "forbidden"
        assert process_json("ask", "what time is it?")["tools"][0]["status"] == "denied"
        assert command_json("tools", "call", "get_time", "--yes")["error"]["code"] == "PERMISSION_DENIED"
        file.write_text("rules:\n- {pattern: time.*, tier: sometimes}\n")
        wrong = command("permissions", "reload")
        assert wrong.returncode == 1 and "permissions.yaml:2" in wrong.stderr and "sometimes" in wrong.stderr
        assert command("permissions", "check", "get_time").returncode == 1
        assert command_json("permissions", "show")["tools"]["time.get_time"] == "forbidden", "the old rules stay"
    finally:
        file.write_text("")
        command("permissions", "reload")
    shown = command("permissions", "show").stdout
    assert "none: each of our own tools has the tier it declares" in shown and "time.get_time" in shown


def test_a_tool_of_the_users_own_is_checked_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "mine"
    folder.mkdir(mode=0o700)
    (folder / "nod.py").write_text(
        "class Nod:\n    name, description = 'nod', 'Nod in a way of its own.'\n    parameters_schema = {}\n"
        "    async def __call__(self, deps, **kwargs):\n        return {}\n"
    )
    monkeypatch.setenv("REACHY_MIND_TOOLS__FOLDER", str(folder))
    checked = command_json("permissions", "check", "nod")
    assert (checked["tool"], checked["tier_name"]) == ("profile.nod", "confirm"), "it stands before ours"
    assert command_json("permissions", "check", "robot.nod")["tier_name"] == "autonomous"
    assert command_json("permissions", "check", "nodd")["error"]["code"] == "UNKNOWN_TOOL"


def test_a_stop_typed_during_an_answer_does_not_wait_for_its_end(running: Run) -> None:
    with Chat() as chat:
        chat.type("dance the waltz")
        chat.type("what time is it?")
        chat.type("stop")
        chat.until("robot: Stopped.")
        chat.until("cut short")
        chat.until("robot: It is ")  # what was typed in between has its turn
        chat.type("/quit")
        assert chat.process.wait(10) == 0


def test_a_timer_is_told_to_whoever_is_there(running: Run) -> None:
    with Chat() as chat:
        chat.type("what time is it?")
        chat.until("robot: It is ")
        assert command_json("ask", "set a timer for 1 second for the eggs")["tools"][0]["status"] == "ok"
        chat.until("eggs")
        chat.type("/quit")
        assert chat.process.wait(10) == 0
