"""The catalogue of downloads: every big file we use but don't ship, with its sources, hash and licence.

The hash of a hub file is unknown here: it is pinned at the first pull (`models.pins`).

An asset is fetched as one or more parts and unpacked to disk. We import nothing from it. (The engines of `piper-voice`,
because of its licence, and of `wake-words` run from their folders in processes of their own.)
"""

from __future__ import annotations

from reachy_mind.models.assets import Asset
from reachy_mind.models.catalogue.chat import CHAT_MODELS
from reachy_mind.models.catalogue.language import EMBEDDINGS, LANGUAGE_BASE
from reachy_mind.models.catalogue.robot import ROBOT_DESCRIPTION
from reachy_mind.models.catalogue.rooms import MEASURED_ROOM
from reachy_mind.models.catalogue.sight import FACE_DETECTOR, YOLO11N, YOLOV4_TINY
from reachy_mind.models.catalogue.speech import KOKORO_VOICE, MOONSHINE_BASE, PIPER_VOICE, WAKE_WORDS, WHISPER_BASE

CATALOGUE: dict[str, Asset] = {
    asset.name: asset
    for asset in (
        *(ROBOT_DESCRIPTION, LANGUAGE_BASE, EMBEDDINGS, *(model.asset for model in CHAT_MODELS.values())),
        *(KOKORO_VOICE, *PIPER_VOICE, MOONSHINE_BASE, WHISPER_BASE, *WAKE_WORDS),
        *(FACE_DETECTOR, YOLOV4_TINY, YOLO11N, MEASURED_ROOM),
    )
}
