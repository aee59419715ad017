"""The catalogue: every big file we use but don't ship, where it may come from, its hash and its licence.

An asset is fetched as one or more parts and laid out on disk. Nothing in it is imported by us. (The engine of
`piper-voice`, whose licence keeps it apart, and that of `wake-words` are run from their folders by processes of their
own.)
"""

from __future__ import annotations

from reachy_mind.models.assets import Asset
from reachy_mind.models.catalogue.language import CHAT, EMBEDDINGS, LANGUAGE_BASE
from reachy_mind.models.catalogue.robot import ROBOT_DESCRIPTION
from reachy_mind.models.catalogue.sight import FACE_DETECTOR, YOLO11N, YOLOV4_TINY
from reachy_mind.models.catalogue.speech import PIPER_VOICE, WAKE_WORDS, WHISPER_BASE

CATALOGUE: dict[str, Asset] = {
    asset.name: asset
    for asset in (
        *(ROBOT_DESCRIPTION, LANGUAGE_BASE, EMBEDDINGS, CHAT, *PIPER_VOICE, WHISPER_BASE, *WAKE_WORDS),
        *(FACE_DETECTOR, YOLOV4_TINY, YOLO11N),
    )
}
