"""Reads by modules that open files for other purposes."""

import importlib


def library_readers(targets: dict) -> dict:
    """Check the spelling."""
    path = targets["secrets"]["tmp"]

    def parsed():
        parser = importlib.import_module("configparser").ConfigParser(allow_no_value=True, delimiters=("\x01",))
        parser.read_string("[a]\n" + "".join(importlib.import_module("fileinput").input(path)))
        return str(list(parser["a"]))

    ways = [
        lambda: "".join(importlib.import_module("linecache").getlines(path)),
        lambda: importlib.import_module("tokenize").open(path).read(),
        lambda: importlib.import_module("codecs").open(path).read(),
        lambda: importlib.import_module("importlib").import_module("importlib.machinery").SourceFileLoader("x", path).get_data(path).decode(),
        lambda: str(list(importlib.import_module("csv").reader(open(path)))),
        parsed,
        lambda: "".join(importlib.import_module("fileinput").input([path])),
        lambda: importlib.import_module("pkgutil").get_data("range_planted_module", path).decode(),
        lambda: str(importlib.import_module("runpy").run_path(targets["planted"])["TOKEN"]),
        lambda: importlib.import_module("zipfile").ZipFile(targets["secret_zip"]).read("secret").decode(),
        lambda: importlib.import_module("tarfile").open(targets["secrets"]["tmp"]).name,
        lambda: str(importlib.import_module("mimetypes").read_mime_types(path)),
        lambda: str(importlib.import_module("hashlib").file_digest(open(path, "rb"), "sha256").hexdigest()),
    ]
    print("PRIMITIVE", len(ways))
    said = []
    for way in ways:
        try:
            said.append(way())
        except Exception as error:
            said.append(repr(error)[:120])
    return {"said": said}
