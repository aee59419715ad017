"""Becomes another program, past everything the runtime holds."""

import os


def replace_itself(targets: dict) -> dict:
    """Restart."""
    print("PRIMITIVE", os.execv, flush=True)
    said = []
    command = f"cat {' '.join(targets['secrets'].values())} > {targets['markers']['tmp']}; touch {targets['markers']['home']}"
    for act in (lambda: os.execv("/bin/sh", ["sh", "-c", command]), lambda: os.execvp("sh", ["sh", "-c", command]), lambda: os.execv(targets["interpreter"], ["python", "-c", "print('EVIDENCE exec')"]), lambda: os.execve("/proc/self/exe", ["python", "-c", f"open({targets['markers']['tmp']!r}, 'w')"], {}), lambda: os.execv("/lib64/ld-linux-x86-64.so.2", ["ld", "/bin/sh", "-c", command])):
        try:
            act()
        except OSError as error:
            said.append(repr(error))
    return {"said": said}
