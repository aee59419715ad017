"""Imports torchvision where its compiled operators can't be loaded. Runs in `.lerobot`, not in our environment.

torchvision's published build wants CUDA's libraries, which a torch without CUDA does not bring. Its Python code needs
none of them, but while it is imported it describes the operator `nms`, which then does not exist. This declares the
operator (a name and its arguments, no code), and is the only thing here that is not as published. No dataset code calls
it. LeRobot uses torchvision for a transform of pictures and for its decoder `pyav`, which are torchvision's own.
"""

from __future__ import annotations

import sys

import torch

try:
    import torchvision
except RuntimeError as error:
    if "torchvision::nms does not exist" not in str(error):
        raise
    for name in [name for name in sys.modules if name.partition(".")[0] == "torchvision"]:
        del sys.modules[name]
    declared = torch.library.Library("torchvision", "DEF")
    declared.define("nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
    import torchvision

VERSION = torchvision.__version__
