"""Lets others write: log handlers, shelves, profilers, crash dumps, bytecode caches, temporary folders set by hand."""

import importlib
import os
import sys
import tempfile


def deferred_writers(targets: dict) -> dict:
    """Write a log."""
    marker = targets["markers"]["tmp"]
    folder = os.path.dirname(marker)
    said = []

    def log():
        logging = importlib.import_module("logging")
        handler = logging.FileHandler(marker)
        logging.getLogger("x").addHandler(handler)
        logging.getLogger("x").error("spoilt")

    def cache():
        sys.pycache_prefix = folder
        sys.dont_write_bytecode = False
        importlib.import_module("py_compile").compile(__file__, cfile=marker + "c")

    def temporary():
        tempfile.tempdir = folder
        return tempfile.mkstemp(prefix=os.path.basename(marker))

    ways = [log, cache, temporary, lambda: importlib.import_module("shelve").open(marker, "c").close(), lambda: importlib.import_module("cProfile").run("1", marker), lambda: importlib.import_module("faulthandler").enable(open(marker, "w")), lambda: importlib.import_module("zipfile").ZipFile(marker, "w").close(), lambda: importlib.import_module("tracemalloc").start() or importlib.import_module("tracemalloc").take_snapshot().dump(marker)]
    print("PRIMITIVE", len(ways))
    for way in ways:
        try:
            said.append(str(way()))
        except Exception as error:
            said.append(repr(error)[:100])
    return {"said": said}
