"""`LocalVisionModel`: SmolVLM2 on this machine, in a worker process. Pictures do not leave the machine.

The first question loads the model. It comes from a folder or from the model hub's cache; only missing files are
downloaded. Only safetensors are read: no code of the model is run.
"""

from __future__ import annotations

import asyncio
import importlib.util
import os
from pathlib import Path
from typing import Any

from reachy_mind.config.settings import EyesSettings, HubSettings
from reachy_mind.errors import AssetError, MissingExtra, NotReady
from reachy_mind.eyes import vision_model_prompt
from reachy_mind.eyes.pictures import Picture, Pixels, downscaled
from reachy_mind.eyes.vision_model import MAX_SIDE_PX
from reachy_mind.models.worker_client import WorkerClient
from reachy_mind.system.scheduling import lower_priority

DEFAULT_MODEL = "HuggingFaceTB/SmolVLM2-256M-Video-Instruct"
"""0.5 GB; larger models of the family say more and take longer."""
SUPPORTED_MODEL_TYPES = ("smolvlm", "idefics3")
"""SmolVLM2, and SmolVLM before it."""
MAX_TOKENS = 120
LOAD_TIMEOUT_S = 1800.0
"""Long enough to download the weights first."""
FINISH_TIMEOUT_S = 10.0
"""How long an abandoned answer may still take: loading the model again takes about as long."""


def available() -> bool:
    return all(importlib.util.find_spec(name) is not None for name in ("torch", "transformers"))


class LocalVisionModel:
    """Any SmolVLM, given by a folder or by its name at the hub."""

    def __init__(self, eyes: EyesSettings, hub: HubSettings) -> None:
        model = eyes.local_vision_model or DEFAULT_MODEL
        self.name = Path(model).name
        self._timeout_s = eyes.vision_timeout_s
        arguments = {
            "model": model,
            "hub": hub.endpoint,
            "token": hub.token.get_secret_value() if hub.token else None,
            "folder": str(hub.folder) if hub.folder else None,
            "seconds": eyes.vision_timeout_s,
        }
        self._worker = WorkerClient(
            "local-vision",
            f"{__name__}:SmolVlmModel",
            arguments,
            start_timeout=LOAD_TIMEOUT_S,
            finish_timeout_s=FINISH_TIMEOUT_S,
        )

    async def describe(self, picture: Picture, prompt: str, *, facts: str = "") -> str:
        if not available():
            raise MissingExtra("seeing with a model on this machine", "local-vision")
        try:
            async with asyncio.timeout(self._timeout_s):
                await self._worker.start()
        except TimeoutError:
            raise NotReady(
                f"{self.name} is still loading", hint="ask again in a while; the first time it may download 0.5 GB"
            ) from None
        pixels = await asyncio.to_thread(downscaled, picture.pixels, MAX_SIDE_PX)
        said = await self._worker.call(
            "describe",
            pixels,
            vision_model_prompt.SYSTEM,
            vision_model_prompt.request(prompt, facts),
            timeout=self._timeout_s + FINISH_TIMEOUT_S,
        )
        return vision_model_prompt.clean_answer(said, self.name)

    async def aclose(self) -> None:
        await self._worker.aclose()


class SmolVlmModel:
    """The model in the worker process. `seconds`: generation stops after this, even in the middle of a sentence."""

    def __init__(self, model: str, hub: str, token: str | None, folder: str | None, seconds: float) -> None:
        # The libraries read these variables on import.
        os.environ |= {"HF_ENDPOINT": hub, "HF_HUB_DISABLE_TELEMETRY": "1", "HF_HUB_DISABLE_PROGRESS_BARS": "1"}
        if folder:
            os.environ["HF_HOME"] = folder
        os.environ["TOKENIZERS_PARALLELISM"] = "false"
        lower_priority()  # motion and speech come first

        import torch  # noqa: PLC0415

        self._torch, self._seconds = torch, seconds
        self._device = _device(torch)
        # Tiling shows more detail but makes thirteen images of one: too slow without a GPU.
        self._tiles = self._device != "cpu"
        self._type = torch.bfloat16 if self._device == "cuda" else torch.float32
        torch.set_num_threads(max(1, (os.cpu_count() or 2) // 2))
        found = _model_folder(model, token)
        try:
            self._load(found)
        except (OSError, ValueError, KeyError, RuntimeError) as error:
            reason = " ".join(str(error).split())[:300]
            raise AssetError(f"{model} can't be loaded: {reason}", hint=_files_hint()) from None

    def _load(self, folder: str) -> None:
        from transformers import AutoConfig, AutoImageProcessor, AutoModelForImageTextToText, AutoTokenizer  # noqa: PLC0415
        from transformers.utils import logging  # noqa: PLC0415

        logging.disable_progress_bar()
        data: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
        config = AutoConfig.from_pretrained(folder, **data)
        if config.model_type not in SUPPORTED_MODEL_TYPES:
            raise ValueError(f"it is a {config.model_type}, not a SmolVLM; others can be served behind eyes.vision_url")
        side = config.vision_config.image_size // config.vision_config.patch_size
        self._image_tokens = side**2 // config.scale_factor**2
        self._images = AutoImageProcessor.from_pretrained(folder, backend="pil", **data)
        self._tokens = AutoTokenizer.from_pretrained(folder, **data)
        loaded = AutoModelForImageTextToText.from_pretrained(folder, dtype=self._type, use_safetensors=True, **data)
        self._model = loaded.to(self._device).eval()

    def describe(self, pixels: Pixels, system: str, question: str) -> str:
        inputs, length = self._inputs(pixels, system, question)
        with self._torch.inference_mode():
            made = self._model.generate(
                **inputs, max_new_tokens=MAX_TOKENS, do_sample=False, max_time=self._seconds, use_cache=True
            )
        return str(self._tokens.decode(made[0, length:], skip_special_tokens=True))

    def _inputs(self, pixels: Pixels, system: str, question: str) -> tuple[dict[str, Any], int]:
        """The same as `SmolVLMProcessor`, which needs video libraries as well."""
        from PIL import Image  # noqa: PLC0415
        from transformers.models.smolvlm.processing_smolvlm import get_image_prompt_string  # noqa: PLC0415

        images = self._images(
            images=[Image.fromarray(pixels)],
            do_image_splitting=self._tiles,
            return_row_col_info=True,
            return_tensors="pt",
        )
        rows, cols = images.pop("rows")[0][0], images.pop("cols")[0][0]
        messages = [
            {"role": "system", "content": [{"type": "text", "text": system}]},
            {"role": "user", "content": [{"type": "image"}, {"type": "text", "text": question}]},
        ]
        text = self._tokens.apply_chat_template(messages, add_generation_prompt=True, tokenize=False)
        placed = get_image_prompt_string(
            rows, cols, self._image_tokens, "<fake_token_around_image>", "<image>", "<global-img>"
        )
        tokens = self._tokens(text.replace("<image>", placed, 1), add_special_tokens=False, return_tensors="pt")
        inputs = {name: value.to(self._device) for name, value in (dict(tokens) | dict(images)).items()}
        inputs["pixel_values"] = inputs["pixel_values"].to(self._type)
        inputs.pop("token_type_ids", None)
        return inputs, inputs["input_ids"].shape[1]


def _device(torch: Any) -> str:
    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


def _model_folder(model: str, token: str | None) -> str:
    """The folder with the model's files: a given folder, the hub's cache, or a download. Raises AssetError."""
    from huggingface_hub import snapshot_download  # noqa: PLC0415
    from huggingface_hub.errors import HFValidationError  # noqa: PLC0415

    folder = Path(model).expanduser()
    if folder.is_dir():
        return str(folder)
    wanted = ("*.json", "*.jinja", "*.txt", "*.safetensors", "*.model")
    try:
        try:
            return str(snapshot_download(model, local_files_only=True, allow_patterns=wanted))
        except OSError:
            return str(snapshot_download(model, token=token, allow_patterns=wanted))
    except HFValidationError:
        reason = "there is no such folder, and it is not a name at the hub"
    except Exception as error:  # noqa: BLE001 -- network errors come in many types
        reason = (" ".join(str(error).split()) or type(error).__name__)[:300]
    raise AssetError(f"the files of {model} are not available: {reason}", hint=_files_hint())


def _files_hint() -> str:
    return (
        "put a SmolVLM (config.json, tokenizer.json, model.safetensors and the like) into a folder and set "
        "eyes.local_vision_model to it; or ask the first question while the model hub can be reached, to download it"
    )
