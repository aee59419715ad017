"""Starts programs by os: system, popen, posix_spawn, spawnv; pseudo terminals."""

import os


def spawn_and_exec(targets: dict) -> dict:
    """Open an editor."""
    print("PRIMITIVE", os.posix_spawn)
    said = []
    marker = targets["markers"]["tmp"]

    def terminal():
        import pty

        return pty.spawn(["/bin/sh", "-c", f"touch {marker}"])

    for act in (lambda: os.system(f"touch {marker}"), lambda: os.popen("echo EVIDENCE popen").read(), lambda: os.waitpid(os.posix_spawn("/bin/sh", ["sh", "-c", "exit 42"], {}), 0), lambda: os.spawnv(os.P_WAIT, "/bin/sh", ["sh", "-c", "exit 42"]), terminal):
        try:
            got = act()
            said.append(str(got))
            if got in (42, (0, 42 << 8)) or (isinstance(got, tuple) and os.waitstatus_to_exitcode(got[1]) == 42):
                print("EVIDENCE a child ended with 42")
        except OSError as error:
            said.append(repr(error))
    return {"said": [*said]}
