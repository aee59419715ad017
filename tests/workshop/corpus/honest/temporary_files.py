"""Works with temporary files."""

import os
import tempfile
from pathlib import Path


def temporary_files() -> dict:
    """Make temporary files and folders, and clean up."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "a.txt").write_text("one")
        with tempfile.NamedTemporaryFile("w+", suffix=".txt", dir=folder) as file:
            file.write("two")
            file.flush()
            names = sorted(os.listdir(folder))
        handle, path = tempfile.mkstemp()
        os.write(handle, b"three")
        os.close(handle)
        text = Path(path).read_text()
        os.unlink(path)
    return {"files": len(names), "text": text, "gone": not os.path.exists(folder)}
