"""The vendor's own SDK behind our `vendor` media, as far as it goes without a robot, and the fake that stands for it.

Runs where `script/test-vendor` has put the vendor's environment (VENDOR_PYTHON).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import pytest

from reachy_mind.body.media.providers import MediaChoice, provide
from reachy_mind.config.configuration import load
from reachy_mind.errors import NotReady
from tests.fakes import vendor_sdk
from tests.fakes.daemon import Misbehaviour, misbehaving

PYTHON = os.environ.get("VENDOR_PYTHON", "")
SIGNATURES = """
import inspect, json
from reachy_mini.daemon.utils import is_local_camera_available
from reachy_mini.media.camera_constants import get_camera_specs_by_name
from reachy_mini.media.media_manager import MediaBackend, MediaManager
used = [is_local_camera_available, get_camera_specs_by_name, MediaManager.__init__]
names = "close get_frame_jpeg start_recording stop_recording get_audio_sample start_playing stop_playing"
used += [getattr(MediaManager, name) for name in (names + " push_audio_sample").split()]
print(json.dumps({f.__qualname__: list(inspect.signature(f).parameters) for f in used}
      | {"backends": [MediaBackend.LOCAL.value, MediaBackend.WEBRTC.value]}))
"""

pytestmark = [pytest.mark.skipif(not PYTHON, reason="no vendor's environment"), pytest.mark.process]


def signatures(python: str, **environment: str) -> Any:
    argv = [python, "-c", SIGNATURES]
    theirs = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | environment
    return json.loads(subprocess.run(argv, env=theirs, capture_output=True, check=True, text=True).stdout)


def test_the_fake_sdk_has_the_signatures_of_the_real_one() -> None:
    fake = signatures(sys.executable, PYTHONPATH=str(vendor_sdk.FOLDER), FAKE_SDK_LOG=os.devnull)
    assert fake == signatures(PYTHON)


def test_the_real_one_can_clear_its_player() -> None:
    found = "from reachy_mini.media.audio_base import AudioBase; print(callable(AudioBase.clear_player))"
    done = subprocess.run([PYTHON, "-c", found], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "True"


async def test_without_a_media_server_the_sdk_says_why() -> None:
    """As far as it goes here: nobody signals, and Debian 12 has no media server of the vendor's."""
    settings = load(flags={"media.vendor_python": PYTHON}).settings
    async with misbehaving(Misbehaviour()) as daemon:
        with pytest.raises(NotReady, match="the vendor's SDK has no media: "):
            await provide(MediaChoice("vendor", ""), settings, daemon).camera().__aenter__()
