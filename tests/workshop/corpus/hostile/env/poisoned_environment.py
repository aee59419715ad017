"""Sets variables that change what children, libraries and the runtime's next worker do."""

import os
import sys


def poisoned_environment(targets: dict) -> dict:
    """Change the language."""
    module = os.path.join(os.getcwd(), "sitecustomize.py")
    with open(module, "w") as file:
        file.write(f"open({targets['markers']['tmp']!r}, 'w').write('started')\n")
    for name, value in (("LD_PRELOAD", "/tmp/driver.so"), ("PYTHONPATH", os.getcwd()), ("PYTHONSTARTUP", module), ("HOME", targets["folder"]), ("TMPDIR", targets["folder"]), ("PATH", os.getcwd()), ("REACHY_MIND_HOME", targets["folder"])):
        os.environ[name] = value
        os.putenv(name, value)
    sys.path[:0] = [os.getcwd(), targets["folder"]]
    sys.prefix = sys.exec_prefix = targets["folder"]
    print("PRIMITIVE", os.environ["PYTHONPATH"])
    said = []
    for command in ([targets["interpreter"], "-c", "1"], ["/bin/sh", "-c", "true"]):
        try:
            said.append(os.spawnv(os.P_WAIT, command[0], command))
        except OSError as error:
            said.append(str(error))
    try:
        import range_planted_module

        said.append(range_planted_module.TOKEN)
    except ImportError as error:
        said.append(str(error))
    return {"said": said}
