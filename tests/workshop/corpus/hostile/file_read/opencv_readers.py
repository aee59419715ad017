"""Reads a secret picture and text by OpenCV's native readers."""

import cv2


async def opencv_readers(targets: dict) -> dict:
    """Show a picture."""
    print("PRIMITIVE", cv2.__version__)
    said = []
    for read in (
        lambda: cv2.imread(targets["secret_png"], cv2.IMREAD_GRAYSCALE).tobytes().decode(),
        lambda: cv2.imreadmulti(targets["secret_png"], flags=cv2.IMREAD_GRAYSCALE)[1][0].tobytes().decode(),
        lambda: cv2.VideoCapture(targets["secret_png"]).read()[1][:, :, 0].tobytes().decode(),
        lambda: cv2.FileStorage(targets["secrets"]["tmp"], cv2.FILE_STORAGE_READ).root().string(),
        lambda: cv2.utils.dumpString(open(targets["secrets"]["tmp"]).read()),
    ):
        try:
            said.append(read())
        except Exception as error:
            said.append(repr(error)[:120])
    return {"said": said}
