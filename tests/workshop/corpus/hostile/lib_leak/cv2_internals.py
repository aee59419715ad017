"""Uses OpenCV's network and plug-in doors: streams by address, plug-ins by environment, models from files."""

import os

import cv2


def cv2_internals(targets: dict) -> dict:
    """Open the camera."""
    print("PRIMITIVE", cv2.__version__)
    os.environ["OPENCV_FFMPEG_CAPTURE_OPTIONS"] = "protocol_whitelist;file,http,tcp,udp,concat"
    said = []
    for source in (targets["http"] + "a.mjpg", f"tcp://127.0.0.1:{targets['tcp'][1]}", f"udp://127.0.0.1:{targets['udp'][1]}", "concat:" + targets["secrets"]["tmp"], targets["secret_png"], 0, "/dev/video0"):
        try:
            capture = cv2.VideoCapture(source)
            good, frame = capture.read()
            said.append([str(source), good])
            if good:
                print("EVIDENCE a frame from", source)
        except Exception as error:
            said.append(repr(error)[:100])
    for load in (lambda: cv2.dnn.readNet(targets["secrets"]["tmp"]), lambda: cv2.CascadeClassifier(targets["secrets"]["tmp"]).empty(), lambda: cv2.samples.findFile(targets["secrets"]["tmp"]), lambda: cv2.plugin.load(targets["secrets"]["tmp"])):
        try:
            said.append(str(load()))
        except Exception as error:
            said.append(repr(error)[:200])
    return {"said": said}
