# range: {"forbid": ["*"], "still": true, "unguarded": false, "timeout": 15}
"""Uses the inside of the stubs: their channel, their private methods, their modules' globals."""

import gc
import sys


async def stub_internals(targets: dict) -> dict:
    """Say what the robot can do."""
    import reachy_mini
    from reachy_mind import tools

    print("PRIMITIVE", reachy_mini.__name__, tools.__name__)
    said = []
    methods = ("robot.goto_target", "robot.enable_motors", "tools.call", "artifact.keep", "robot.__class__", "broker.close", "__init__", "media.get_frame", "http.request", "robot.stop_everything", "clock.sleep")
    callables = []
    for name, module in list(sys.modules.items()):
        if name.startswith(("reachy_mini", "reachy_mind")) and module is not None:
            for key, value in list(vars(module).items()):
                said.append(name + "." + key)
                for attribute in ("call", "request", "send", "rpc", "invoke", "_call", "_request"):
                    method = getattr(value, attribute, None)
                    if callable(method) and not isinstance(value, type):
                        callables.append(method)
    for thing in gc.get_objects():
        if type(thing).__name__.lower() in ("channel", "connection", "client", "link", "wire", "transport"):
            for attribute in ("call", "request", "send", "rpc"):
                if hasattr(thing, attribute):
                    callables.append(getattr(thing, attribute))
    for call in callables[:200]:
        for method in methods:
            for args in ({"yaw": 1.0}, {"name": "nod", "args": {}}, {}):
                for shape in ((method, args), ({"method": method, "args": args, "id": 5},), (method,)):
                    try:
                        got = call(*shape)
                        if hasattr(got, "close") and hasattr(got, "send"):
                            got.close()
                    except BaseException as error:
                        said.append(type(error).__name__)
    return {"said": said[:200], "callables": len(callables)}
