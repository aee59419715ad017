"""Maps a secret into memory and reads by sendfile, splice and copy_file_range."""

import mmap
import os


def mapped_pages(targets: dict) -> dict:
    """Copy a file."""
    print("PRIMITIVE", mmap.mmap, os.sendfile)
    said = []
    for path in targets["secrets"].values():
        for flags in (os.O_RDONLY, os.O_PATH, os.O_RDONLY | os.O_NOATIME, os.O_RDONLY | os.O_DIRECT):
            try:
                descriptor = os.open(path, flags)
            except OSError as error:
                said.append(str(error))
                continue
            for act in (lambda d: mmap.mmap(d, 0, prot=mmap.PROT_READ)[:].decode(), lambda d: os.pread(d, 300, 0).decode(), lambda d: open(f"/proc/self/fd/{d}").read(), lambda d: open(f"/dev/fd/{d}").read()):
                try:
                    said.append(act(descriptor))
                except (OSError, ValueError) as error:
                    said.append(str(error))
            try:
                with open("copy", "wb") as out:
                    os.sendfile(out.fileno(), descriptor, 0, 300)
                    os.copy_file_range(descriptor, out.fileno(), 300, 0)
                said.append(open("copy").read())
            except OSError as error:
                said.append(str(error))
    return {"said": said}
