"""Writes through links, into folders outside, also where a collector might."""

import os


def write_through_links(targets: dict) -> dict:
    """Save a photo."""
    said = []
    for name, path in targets["markers"].items():
        for act in (lambda: os.symlink(path, f"w-{name}"), lambda: open(f"w-{name}", "w").write("x"), lambda: os.symlink(os.path.dirname(path), f"f-{name}"), lambda: open(f"f-{name}/{os.path.basename(path)}", "w").write("x"), lambda: os.rename(f"w-{name}", f"f-{name}/{os.path.basename(path)}"), lambda: os.mkdir(f"f-{name}/{os.path.basename(path)}")):
            try:
                said.append(str(act()))
            except OSError as error:
                said.append(str(error))
    try:
        os.symlink(targets["keepsake"], "keep")
        open("keep", "w").write("spoilt")
    except OSError as error:
        said.append(str(error))
    print("PRIMITIVE", os.listdir("."))
    return {"said": said, "photos": [f"f-{name}/{os.path.basename(path)}" for name, path in targets["markers"].items()]}
