"""The steps at a terminal: install, run, speak, a model, a profile with a tool, MCP, a correction, a fleet."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
import sys
import wave
from pathlib import Path
from typing import Any

from tests.stranger.machine import Machine, StepFailed, free_port

EXTRAS = "media,speech,vision,mcp,agents,demonstrations,device"
HOIST = '''"""A sail is hoisted: the antennas go up."""

from typing import Any

from reachy_mind.tools.context import Context
from reachy_mind.tools.definition import tool


@tool(group="profile", tier="autonomous", moves=True, timeout_s=20)
async def hoist_sail(ctx: Context) -> dict[str, Any]:
    """Hoist the sail: both antennas up."""
    await ctx.call("robot.set_antennas", left=0, right=0)
    return {"message": "The sail is up."}
'''
MCP_CLIENT = """
import asyncio, json, sys
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

async def main():
    async with stdio_client(StdioServerParameters(command=sys.argv[1], args=["mcp"])) as pipes:
        async with ClientSession(*pipes) as session:
            await session.initialize()
            tools = (await session.list_tools()).tools
            name = next(tool.name for tool in tools if tool.name.endswith("nod"))
            answer = await session.call_tool(name, {"times": 1})
            said = answer.structured_content["data"]["message"]
            print(json.dumps({"tools": len(tools), "called": name, "answer": said}))

asyncio.run(main())
"""


async def install(here: Machine, wheel: Path) -> str:
    here.run(sys.executable, "-m", "venv", here.venv)
    here.run(here.python, "-m", "pip", "install", "--quiet", f"{wheel}[{EXTRAS}]")
    return f"reachy-mind {here.mind('--version').strip()}"


async def start(here: Machine) -> str:
    here.mind_port = free_port()
    here.start("run", "--no-browser", "--port", str(here.mind_port), until="ready in")
    log = max(here.folder.glob("run-*.log"), key=lambda path: path.stat().st_mtime).read_text()
    return log.strip().splitlines()[-1]


def spoken(here: Machine, name: str, *sentences: str, pause_s: float = 8.0) -> Path:
    """A WAV file with these sentences, and silence after each."""
    target = here.folder / f"{name}.wav"
    with wave.open(str(target), "wb") as out:
        for number, sentence in enumerate(sentences):
            part = here.folder / f"{name}-{number}.wav"
            subprocess.run((str(shutil.which("flite")), "-voice", "slt", "-t", sentence, "-o", str(part)), check=True)
            with wave.open(str(part), "rb") as said:
                if not number:
                    out.setparams(said.getparams())
                out.writeframes(said.readframes(said.getnframes()))
                rest = pause_s if number < len(sentences) - 1 else 1.0
                out.writeframes(bytes(2 * int(said.getframerate() * rest)))
    return target


async def speak(here: Machine) -> str:
    question, answer = spoken(here, "question", "What time is it?"), here.folder / "answer.wav"
    turns = here.asked("talk", "--input", str(question), "--output", str(answer))["turns"]
    if not turns or "time" not in turns[0]["heard"].lower():
        raise StepFailed(f"it heard {turns}")
    with wave.open(str(answer), "rb") as said:
        seconds = said.getnframes() / said.getframerate()
    return f'it heard "{turns[0]["heard"]}" and said "{turns[0]["reply"]}" in {seconds:.1f} s of sound'


async def correct(here: Machine) -> str:
    words = spoken(here, "correction", "Look to the left.", "A bit further.")
    turns = here.asked("talk", "--input", str(words))["turns"]
    calls = [tool for turn in turns for tool in turn["tools"]]
    if len(turns) < 2 or len(calls) < 2:
        raise StepFailed(f"it did {turns}")
    lessons = here.mind("feedback", "lessons").strip().splitlines()
    return f'"{turns[1]["heard"]}": {turns[1]["reply"]} Kept: {lessons[0] if lessons else "nothing"}'


async def get_model(here: Machine) -> str:
    here.mind("models", "pull", "chat")
    answer = here.asked("ask", "What is a lighthouse for?")
    if answer["brain"] == "reflex":
        raise StepFailed(f"reflex answered: {answer['reply']}")
    return f'brain {answer["brain"]}: "{answer["reply"]}"'


async def write_profile(here: Machine) -> str:
    here.mind("profile", "new", "sea_captain")
    folder = here.data / "profiles" / "sea_captain"
    (folder / "instructions.txt").write_text("You are the captain of a small ship. Speak like one.\n")
    (folder / "greeting.txt").write_text("Ahoy. The wind is fair.\n")
    (folder / "tools.txt").write_text("robot.*\nhoist_sail\n")
    (folder / "hoist_sail.py").write_text(HOIST)
    here.mind("profile", "trust", "sea_captain")
    here.mind("profile", "check", "sea_captain")
    here.mind("profile", "use", "sea_captain")
    done = here.asked("tools", "call", "hoist_sail", "--yes")
    here.mind("profile", "use", "default")
    return f'`profile.hoist_sail`: "{done["data"]["message"]}"'


async def connect_mcp(here: Machine) -> str:
    found = json.loads(here.run(here.python, "-c", MCP_CLIENT, here.program))
    return f'{found["tools"]} tools; `{found["called"]}`: "{found["answer"]}"'


async def join_fleet(here: Machine) -> tuple[str, str]:
    """What came of it, and the address and key for the fleet's page."""
    port, companion = free_port(), here.folder / "companion"
    url = f"http://127.0.0.1:{port}"
    here.start("fleet", "serve", "--port", str(port), until="ready in")
    key = here.asked("fleet", "operators", "new", "ada", "--role", "admin")["key"]
    code = here.asked("fleet", "enroll", "kitchen", "--group", "downstairs")["code"]
    here.mind("device", "enroll", url, str(code), home=companion)
    agent = here.start("device", "run", "--pins", "mock", "--sound", "null", until="", home=companion)
    await until_online(here, agent)
    here.mind("fleet", "send", "--group", "downstairs", "--say", "Welcome.", "--wait", "20")
    (device,) = here.asked("fleet", "devices", "--group", "downstairs")["devices"]
    if device["waiting"]:
        raise StepFailed(f"{device['name']} has not done what it was sent")
    return f'{device["name"]} is online, and was sent "Welcome."', f"{url} {key}"


async def until_online(here: Machine, agent: subprocess.Popen[str]) -> dict[str, Any]:
    """The only device of the group, connected. Raises StepFailed when its agent ends, or after half a minute."""
    for _ in range(60):
        if agent.poll() is not None:
            raise StepFailed(f"device run ended with {agent.returncode}")
        devices: list[dict[str, Any]] = here.asked("fleet", "devices", "--group", "downstairs")["devices"]
        if devices and devices[0]["online"]:
            return devices[0]
        await asyncio.sleep(0.5)
    raise StepFailed("the device did not come online")
