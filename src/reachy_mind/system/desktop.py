"""The desktop of this machine: whether a window can open, and which OpenGL draws without one."""

from __future__ import annotations

import ctypes.util
import os
import sys

from reachy_mind.system.portability import LINUX

_DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")


def has_screen() -> bool:
    """Without a display, the browser that is found may be one that takes over the terminal."""
    return sys.platform in ("darwin", "win32") or any(os.environ.get(name) for name in _DISPLAYS)


def choose_off_screen_opengl() -> None:
    """Set MUJOCO_GL, which MuJoCo reads when it is imported, unless it is set.

    On Linux off-screen means EGL, or OSMesa where only that exists. Elsewhere MuJoCo knows one way by itself: CGL on
    macOS, and a hidden window of WGL on Windows.
    """
    if sys.platform == "linux" and "MUJOCO_GL" not in os.environ:
        only_osmesa = ctypes.util.find_library("EGL") is None and ctypes.util.find_library("OSMesa") is not None
        os.environ["MUJOCO_GL"] = "osmesa" if only_osmesa else "egl"


def off_screen_fix() -> str:
    """What to do when it can't draw."""
    if LINUX:
        return "off-screen OpenGL is missing; on Debian: apt-get install libegl1 libopengl0 libgl1-mesa-dri"
    return "OpenGL needs a session with a screen: log in on the machine itself, or run with --no-camera"
