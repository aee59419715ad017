"""Honest code in every isolation profile: what it has, what it returns, what it prints, how it fails."""

from __future__ import annotations

import pytest

from reachy_mind.workshop.sandbox import Sandbox
from tests.workshop.jobs import run

pytestmark = [pytest.mark.process, pytest.mark.asyncio(loop_scope="module")]


async def test_a_coroutine_is_awaited_and_its_value_returned(sandbox: Sandbox) -> None:
    outcome = await run(sandbox, "async def double(x: int) -> dict:\n    return {'x': 2 * x}\n", x=21)
    assert outcome.result == {"x": 42} and outcome.error is None
    assert outcome.usage.cpu_ms > 0 and outcome.usage.max_rss_mb > 1


@pytest.mark.parametrize(
    ("code", "options", "expected"),
    [
        ("def first(): return 1\nasync def second(): return 2\n", {}, 2),
        ("def _hidden(): return 0\ndef first(): return 1\ndef second(): return 2\n", {}, 1),
        ("async def other(): return 1\ndef photo(): return 2\n", {"filename": "photo.py"}, 2),
        ("async def first(): return 1\ndef wanted(): return 3\n", {"function": "wanted"}, 3),
        ("print('as a script' if __name__ == '__main__' else 'no')\n", {}, None),
        ("if True:\n    def inner(): return 5\n", {}, 5),
    ],
)
async def test_which_function_is_called(sandbox: Sandbox, code: str, options: dict, expected: object) -> None:
    outcome = await run(sandbox, code, **options)
    assert outcome.error is None and outcome.ended is None
    assert outcome.result == expected
    assert ("as a script" in outcome.output) is (expected is None)


async def test_what_is_printed_and_logged_arrives(sandbox: Sandbox) -> None:
    code = """
import logging, sys
def talk():
    print("one", 2)
    print("to the error stream", file=sys.stderr)
    logging.getLogger("mine").info("logged")
    sys.stdout.write("no newline")
"""
    outcome = await run(sandbox, code)
    for text in ("one 2\n", "to the error stream\n", "INFO mine: logged", "no newline"):
        assert text in outcome.output


async def test_output_is_cut_and_no_error(sandbox: Sandbox) -> None:
    outcome = await run(sandbox, "def flood():\n    for _ in range(5000): print('x' * 99)\n    return 'done'\n")
    assert outcome.result == "done"
    assert 65_000 < len(outcome.output) < 66_000 and outcome.output.endswith("[output cut]\n")


async def test_an_error_shows_the_lines_of_the_code_only(sandbox: Sandbox) -> None:
    code = "import json\ndef inner(x):\n    return json.loads(x)\nasync def outer():\n    return inner('{')\n"
    outcome = await run(sandbox, code, filename="mine.py")
    assert outcome.raised == "JSONDecodeError"
    trace = outcome.error["traceback"]
    assert 'File "mine.py", line 3, in inner' in trace and "return json.loads(x)" in trace
    assert "decoder.py" not in trace and "runtime.py" not in trace


@pytest.mark.parametrize(
    ("code", "kind", "words"),
    [
        ("def f(:\n", "SyntaxError", "line 1"),
        ("import sys\ndef f(): sys.exit(3)\n", "SystemExit", "exit(3)"),
        ("def f(): return object()\n", "RESULT", "type object"),
        ("def f():\n    a = []; a.append(a); return a\n", "RESULT", "nested"),
        ("def f(): return 'x' * 2_000_000\n", "RESULT", "bytes"),
        ("import PIL\ndef f(): pass\n", "ModuleNotFoundError", "numpy, cv2"),
        ("def f(a): return a\n", "TypeError", "missing"),
        ("def f(): raise KeyboardInterrupt\n", "KeyboardInterrupt", ""),
        ("class E(Exception):\n    def __str__(self): 1 / 0\ndef f(): raise E\n", "E", ""),
    ],
)
async def test_how_code_fails(sandbox: Sandbox, code: str, kind: str, words: str) -> None:
    outcome = await run(sandbox, code)
    assert outcome.raised == kind and words in outcome.error["message"]


async def test_what_can_be_returned(sandbox: Sandbox) -> None:
    code = """
import datetime, dataclasses, enum, pathlib
import numpy as np
@dataclasses.dataclass
class Point:
    x: float
    y: float
class Colour(enum.Enum):
    RED = "red"
def everything():
    return {
        "point": Point(1.0, float("nan")), "set": {1}, "tuple": (1, 2), "array": np.eye(2), "number": np.float32(0.5),
        "day": datetime.date(2026, 1, 2), "path": pathlib.Path("a/b"), "colour": Colour.RED, 7: None,
        "b": np.bool_(True),
    }
"""
    outcome = await run(sandbox, code)
    assert outcome.result == {
        "point": {"x": 1.0, "y": None},
        "set": [1],
        "tuple": [1, 2],
        "array": [[1.0, 0.0], [0.0, 1.0]],
        "number": 0.5,
        "day": "2026-01-02",
        "path": "a/b",
        "colour": "red",
        "7": None,
        "b": True,
    }


async def test_calls_from_threads_and_coroutines(sandbox: Sandbox) -> None:
    code = """
import asyncio, threading
import numpy as np
import channel
async def calls():
    several = await asyncio.gather(*(channel.acall("echo", {"n": n}) for n in range(20)))
    found = []
    threads = [threading.Thread(target=lambda n=n: found.append(channel.call("echo", {"n": n})["n"])) for n in range(8)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    array = channel.call("echo", {"image": np.arange(12, dtype=np.uint8).reshape(3, 4), "raw": b"ab"})
    array["image"][0, 0] = 99
    try:
        channel.call("forbidden")
    except Exception as error:
        refused = [error.code, error.message, error.hint]
    return [[one["n"] for one in several], sorted(found), array["image"].tolist(), array["raw"] == b"ab", refused]
"""
    outcome = await run(sandbox, code)
    assert outcome.error is None
    picture = [[99, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]
    assert outcome.result == [list(range(20)), list(range(8)), picture, True, ["DENIED", "not allowed", "ask"]]


async def test_bare_tool_names(sandbox: Sandbox) -> None:
    outcome = await run(sandbox, "async def f():\n    return await nod(2, speed=0.5)\n")
    assert outcome.calls == [("tools.call", {"name": "nod", "args": {"times": 2, "speed": 0.5}})]


HONEST = {
    "numpy": """
import numpy as np
def f(): return float(np.linalg.norm(np.random.default_rng(1).random((50, 50)) @ np.ones(50))) > 0
""",
    "cv2": """
import cv2, numpy as np
def f():
    picture = np.zeros((240, 320, 3), np.uint8)
    cv2.circle(picture, (160, 120), 50, (255, 255, 255), -1)
    edges = cv2.Canny(cv2.GaussianBlur(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), (5, 5), 0), 50, 100)
    assert cv2.imwrite("/tmp/photo_0.jpg", picture)
    assert cv2.imread("/tmp/photo_0.jpg").shape == (240, 320, 3)
    faces = cv2.CascadeClassifier(cv2.data.haarcascades + "haarcascade_frontalface_default.xml")
    outlines = cv2.findContours(edges, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)[0]
    return bool(edges.any()) and len(outlines) > 0 and not faces.empty()
""",
    "video": """
import cv2, numpy as np, os
def f():
    film = cv2.VideoWriter("/tmp/film.avi", cv2.VideoWriter.fourcc(*"MJPG"), 10, (64, 48))
    for n in range(5): film.write(np.full((48, 64, 3), n * 40, np.uint8))
    film.release()
    reader = cv2.VideoCapture("/tmp/film.avi")
    good, picture = reader.read()
    assert isinstance(film, cv2.VideoWriter)
    return good and picture.shape == (48, 64, 3) and os.path.getsize("film.avi") > 0
""",
    "files": """
import os, pathlib, shutil, sqlite3, tempfile, glob, json, wave
def f():
    pathlib.Path("notes.txt").write_text("hello")
    shutil.copy2("notes.txt", "/tmp/copy.txt")
    assert open("/tmp/copy.txt").read() == "hello" and os.path.exists("copy.txt")
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file: json.dump({}, file); file.flush()
    with tempfile.TemporaryDirectory() as folder: pathlib.Path(folder, "a").touch()
    base = sqlite3.connect("/tmp/x.db"); base.execute("create table t (a)"); base.commit()
    with wave.open("/tmp/sound.wav", "wb") as sound:
        sound.setparams((1, 2, 16000, 0, "NONE", "")); sound.writeframes(b"00" * 10)
    os.makedirs("/tmp/a/b"); os.rename("/tmp/copy.txt", "/tmp/a/b/c"); pathlib.Path("/tmp/a/b/c").chmod(0o600)
    found = sorted(glob.glob("/tmp/*")) and [entry.name for entry in pathlib.Path("/tmp/a/b").iterdir()]
    shutil.rmtree("/tmp/a")
    pathlib.Path.home().joinpath("h").touch()
    return found == ["c"] and os.path.getsize("/tmp/sound.wav") > 20
""",
    "time and threads": """
import asyncio, queue, threading, time, concurrent.futures, datetime, zoneinfo
async def f():
    await asyncio.sleep(0.01)
    slow = await asyncio.to_thread(time.sleep, 0.01)
    box = queue.Queue()
    timer = threading.Timer(0.01, box.put, [1]); timer.start()
    with concurrent.futures.ThreadPoolExecutor(8) as pool: squares = list(pool.map(lambda x: x * x, range(20)))
    there = datetime.datetime.now(zoneinfo.ZoneInfo("Europe/Paris"))
    return box.get(timeout=5) == 1 and squares[3] == 9 and there.utcoffset() is not None
""",
    "standard library": """
import abc, argparse, array, base64, bisect, calendar, cmath, collections, colorsys, configparser, csv, decimal, difflib
import email.message, enum, fractions, functools, getpass, hashlib, heapq, hmac, html, http, imghdr, io, itertools, json
import locale, math, mimetypes, numbers, operator, pickle, platform, pprint, random, re, secrets, statistics, string
import struct, textwrap, timeit, traceback, types, typing, unicodedata, unittest, urllib.parse, urllib.request, uuid
import warnings, weakref, xml.etree.ElementTree, xml.dom.minidom, zipfile, zlib, concurrent.futures, graphlib
import shelve, sched
def f():
    "caf\\u00e9".encode("cp437"); b"x".decode("utf-16-le", "ignore"); "x".encode("idna")
    return statistics.mean([1, 2, 3]) == 2 and hashlib.sha256(b"").hexdigest().startswith("e3b0") and bool(uuid.uuid4())
""",
}


@pytest.mark.parametrize("name", HONEST)
@pytest.mark.filterwarnings("ignore")
async def test_what_honest_code_uses(sandbox: Sandbox, name: str) -> None:
    outcome = await run(sandbox, HONEST[name])
    assert outcome.ended is None and outcome.error is None
    assert outcome.result is True


async def test_touching_a_file_makes_it(sandbox: Sandbox) -> None:
    code = """
import os, shutil
from pathlib import Path
def f():
    Path("/tmp/new").touch()
    Path("/tmp/new").touch()
    Path("/tmp/new").chmod(0o600)
    shutil.copy2("/tmp/new", "copy")
    try: os.utime("missing")
    except FileNotFoundError: return sorted(os.listdir("."))
"""
    assert (await run(sandbox, code)).result == ["copy", "new"]
