# range: {"unguarded": false}
"""Changes its identity and capabilities."""

import ctypes
import os


def become_root(targets: dict) -> dict:
    """Take responsibility."""
    libc = ctypes.CDLL(None, use_errno=True)
    print("PRIMITIVE", os.getuid(), os.geteuid(), os.getgroups())
    said = []
    if os.geteuid() == 0:
        try:
            with open("/proc/self/uid_map") as file:
                whole = file.read().split()[2:] == ["4294967295"] and file.read() == ""
        except OSError:
            whole = False
        if whole:
            print("EVIDENCE root of the host")
    for act in (lambda: os.setuid(0), lambda: os.setgid(0), lambda: os.setresuid(0, 0, 0), lambda: os.setgroups([0]), lambda: os.seteuid(0)):
        before = (os.getuid(), os.getgid(), os.getgroups())
        try:
            act()
            said.append("done")
            if (os.getuid(), os.getgid(), os.getgroups()) != before:
                print("EVIDENCE changed identity", before, os.getuid())
        except OSError as error:
            said.append(str(error))
    header, data = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)(*([0xFFFFFFFF] * 6))
    if libc.capset(header, data) == 0:
        print("EVIDENCE capabilities")
    said.append([libc.prctl(23, 21), libc.prctl(38, 0, 0, 0, 0), libc.prctl(39), libc.prctl(21)])
    if libc.prctl(39, 0, 0, 0, 0) == 0:
        said.append("no_new_privs is off")
    return {"said": said}
