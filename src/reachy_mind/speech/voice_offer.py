"""`VoiceOffer`: the natural voice to get, where there is none that this machine can use yet."""

from __future__ import annotations

import importlib.util
import platform
import sys
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from reachy_mind.config.configuration import Configuration
from reachy_mind.models.assets import Asset
from reachy_mind.models.machine import Machine
from reachy_mind.models.store import Store
from reachy_mind.speech import kokoro, piper

LEAST_CORES, LEAST_MEMORY = 2, 3_000_000_000
"""For Kokoro."""
TITLES = {kokoro.ASSET: "Kokoro, 28 natural voices", piper.ASSET: "Piper, a natural voice"}


@dataclass(frozen=True)
class VoiceOffer:
    """The asset to pull; None with the reason why there is nothing to offer."""

    asset: Asset | None
    why: str

    def as_dict(self) -> dict[str, Any]:
        if self.asset is None:
            return {"name": None, "title": "", "licence": "", "licence_url": "", "size": 0, "why": self.why}
        return {
            "name": self.asset.name,
            "title": TITLES[self.asset.name],
            "licence": self.asset.licence,
            "licence_url": self.asset.licence_url,
            "size": self.asset.size,
            "why": self.why,
        }

    def line(self) -> str:
        """For the terminal; empty where there is nothing to offer."""
        if self.asset is None:
            return ""
        how = f"click on the page, or: reachy-mind models pull {self.asset.name}"
        return f"{TITLES[self.asset.name]}: {how} ({self.asset.size / 1e6:.0f} MB, {self.asset.licence})"


def voice_offer(configuration: Configuration, store: Store, skip: Collection[str] = ()) -> VoiceOffer:
    """Reads files: call it in a thread. `skip`: assets that were tried and can't be had."""
    speech = configuration.settings.speech
    if speech.voice not in ("auto", "kokoro", "piper") or speech.voice_service:
        return VoiceOffer(None, f"the voice is chosen: {speech.voice_service or speech.voice}")
    if speech.language not in kokoro.LANGUAGES:
        return VoiceOffer(None, f"there is no natural voice for the language {speech.language}")
    if importlib.util.find_spec(kokoro.RUNTIME) is None:
        return VoiceOffer(None, "the extra speech is not installed")
    machine = Machine.here(store.folder)
    obstacle = _too_much(store, machine)
    if piper.available(store) or (kokoro.available(store) and not obstacle):
        return VoiceOffer(None, "a natural voice is here")
    wanted = [speech.voice] if speech.voice != "auto" else ["kokoro", "piper"] if not obstacle else ["piper"]
    names = [name for name in (f"{engine}-voice" for engine in wanted) if name in store.catalogue and name not in skip]
    for name in names:
        asset = store.asset(name)
        if asset.size + asset.unpacking_size < machine.free_disk:
            return VoiceOffer(asset, obstacle or "it sounds natural, and this machine should be quick enough for it")
    return VoiceOffer(None, "no natural voice can be had" if not names else "there is not enough room on the disk")


def _too_much(store: Store, machine: Machine) -> str:
    """Why Kokoro is too much for this machine; empty where it is not, as far as that is known."""
    if (takes := kokoro.known_slow(store)) is not None:
        return f"kokoro would take {takes:.2f} s of a core for a second of sound here"
    if sys.platform == "linux" and platform.machine() == "aarch64":
        return "kokoro would be slow on this processor"
    if machine.cores < LEAST_CORES or machine.memory < LEAST_MEMORY:
        return f"kokoro wants {LEAST_CORES} cores and {LEAST_MEMORY / 1e9:.0f} GB of memory"
    return ""
