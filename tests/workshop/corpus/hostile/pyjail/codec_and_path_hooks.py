"""Registers codecs, import hooks and error handlers, then has the interpreter call them."""

import codecs
import importlib.abc
import importlib.util
import sys


class Hook(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path=None, target=None):
        if name == "helper_of_the_robot":
            return importlib.util.spec_from_loader(name, self)
        return None

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        for path in self.paths:
            try:
                with open(path) as file:
                    print(file.read())
            except OSError as error:
                print(error)


async def codec_and_path_hooks(targets: dict) -> dict:
    """Use a helper."""
    hook = Hook()
    hook.paths = list(targets["secrets"].values())
    sys.meta_path.insert(0, hook)
    sys.path.insert(0, targets["folder"])
    codecs.register_error("strict", lambda error: ("", error.end))
    codecs.register(lambda name: codecs.lookup("utf-8") if name == "robot" else None)
    import helper_of_the_robot

    print("PRIMITIVE", helper_of_the_robot.__name__)
    try:
        import range_planted_module

        return {"loaded": range_planted_module.TOKEN}
    except ImportError as error:
        return {"error": str(error)}
