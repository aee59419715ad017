"""Every module of the core can be imported where the modules that only POSIX systems have are missing."""

from __future__ import annotations

import subprocess
import sys

import pytest

IMPORT_ALL = r"""
import builtins, importlib, pkgutil, sys
import reachy_mind

ABSENT = {"fcntl", "grp", "pty", "pwd", "resource", "spwd", "syslog", "termios", "tty", "curses", "readline", "posix"}
NOT_CORE = ("reachy_mind.workshop.jail", "reachy_mind.bench", "reachy_mind.__main__")  # Linux alone; measurements
real = builtins.__import__

def absent(name, globals=None, locals=None, fromlist=(), level=0):
    importer = (globals or {}).get("__name__", "")
    if level == 0 and name.partition(".")[0] in ABSENT and importer.partition(".")[0] == "reachy_mind":
        raise ImportError(f"{importer} imports {name}, which only POSIX systems have")
    return real(name, globals, locals, fromlist, level)

builtins.__import__ = absent
failed, count = [], 0
for found in pkgutil.walk_packages(reachy_mind.__path__, "reachy_mind.", onerror=lambda name: None):
    if found.name.startswith(NOT_CORE):
        continue
    try:
        importlib.import_module(found.name)
        count += 1
    except ImportError as error:
        if "only POSIX systems have" in str(error):
            failed.append(str(error))
    except Exception as error:
        failed.append(f"{found.name}: {type(error).__name__}: {error}")
print(count)
sys.exit("\n".join(failed) or 0)
"""


@pytest.mark.process
def test_no_module_of_the_core_needs_what_only_posix_systems_have() -> None:
    done = subprocess.run([sys.executable, "-c", IMPORT_ALL], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    assert int(done.stdout.split()[-1]) > 400
