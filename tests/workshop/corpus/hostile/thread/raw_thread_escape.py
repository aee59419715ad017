"""Makes a raw thread with flags of its own: another file system view, another identity."""

import ctypes
import os


def raw_thread_escape(targets: dict) -> dict:
    """Work in a thread."""
    libc = ctypes.CDLL(None, use_errno=True)
    print("PRIMITIVE", libc.unshare)
    said = []
    for flag in (0x00000200, 0x00020000, 0x10000000, 0x40000000, 0x20000000, 0x02000000, 0x04000000, 0x08000000, 0x00000400):
        got = libc.unshare(flag)
        said.append([hex(flag), got, ctypes.get_errno()])
        if got == 0 and flag not in (0x200, 0x400):
            print("EVIDENCE unshared", hex(flag))
    for name in ("mnt", "net", "pid", "user", "ipc", "uts"):
        for pid in (1, targets["victim"], os.getppid()):
            try:
                descriptor = os.open(f"/proc/{pid}/ns/{name}", os.O_RDONLY)
                got = libc.setns(descriptor, 0)
                said.append([name, pid, got])
                if got == 0:
                    print("EVIDENCE entered", name, pid)
            except OSError as error:
                said.append(str(error)[:40])
    return {"said": said}
