"""Types into the terminal of the host and changes what its other ends see."""

import fcntl
import os
import termios


async def console(targets: dict) -> dict:
    """Print in colour."""
    print("PRIMITIVE", termios.TIOCSTI)
    said = []
    for source in (0, 1, 2, 3, "/dev/tty", "/dev/console", "/dev/pts/0", "/dev/pts/1"):
        try:
            descriptor = source if isinstance(source, int) else os.open(source, os.O_RDWR)
            for letter in b"#":
                fcntl.ioctl(descriptor, termios.TIOCSTI, bytes([letter]))
            print("EVIDENCE typed into", source)
        except OSError as error:
            said.append(str(error))
    return {"said": said}
