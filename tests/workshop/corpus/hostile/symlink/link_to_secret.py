"""Makes links in its own folder to files outside and follows them."""

import os


async def link_to_secret(targets: dict) -> dict:
    """Make a shortcut."""
    said = []
    for name, path in targets["secrets"].items():
        for make in (lambda: os.symlink(path, f"s-{name}"), lambda: os.link(path, f"h-{name}"), lambda: os.symlink(os.path.dirname(path), f"d-{name}"), lambda: os.symlink(os.path.relpath(path), f"r-{name}")):
            try:
                make()
            except OSError as error:
                said.append(str(error))
        for way in (f"s-{name}", f"h-{name}", f"d-{name}/{os.path.basename(path)}", f"r-{name}"):
            try:
                with open(way) as file:
                    said.append(file.read())
            except OSError as error:
                said.append(str(error))
    print("PRIMITIVE", os.listdir("."))
    return {"said": said}
