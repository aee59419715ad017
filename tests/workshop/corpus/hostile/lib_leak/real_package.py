"""Imports the robot's real program instead of the stubs: settings, tokens, the client of a running mind."""

import importlib
import sys


async def real_package(targets: dict) -> dict:
    """Show the settings."""
    print("PRIMITIVE", importlib.import_module)
    sys.modules.pop("reachy_mind", None)
    said = []
    for name in ("reachy_mind.mind", "reachy_mind.config.configuration", "reachy_mind.client", "reachy_mind.storage", "reachy_mind.access", "reachy_mind.workshop", "reachy_mind.cli", "reachy_mind.tools.toolbox", "reachy_mind.motion.client", "reachy_mind.body.link"):
        try:
            module = importlib.import_module(name)
            said.append(str(module))
            if name.endswith("configuration"):
                loaded = module.load()
                print(loaded)
                print("EVIDENCE the owner's settings", type(loaded))
        except BaseException as error:
            said.append(repr(error)[:120])
    return {"said": said}
