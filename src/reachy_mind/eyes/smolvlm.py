"""`Local`: SmolVLM2 on this machine, in a process of its own. Pictures stay here.

The model is loaded by the first question and ends with the mind. It comes from a folder, or from the model hub's cache;
only what is not there yet is asked of the hub. Its files are data: safetensors, no code of theirs is run.
"""

from __future__ import annotations

import asyncio
import importlib.util
import os
from pathlib import Path
from typing import Any

from reachy_mind.errors import AssetError, MissingExtra, NotReady
from reachy_mind.eyes import wording
from reachy_mind.eyes.describer import LONGEST_SIDE
from reachy_mind.eyes.pictures import Picture, Pixels, reduced
from reachy_mind.models.engine import Engine
from reachy_mind.settings import Eyes, Hub

USUAL = "HuggingFaceTB/SmolVLM2-256M-Video-Instruct"
"""0.5 GB; the larger ones of its family say more and take longer."""
FAMILY = ("smolvlm", "idefics3")
"""The kinds of model this module knows how to ask: SmolVLM2, and SmolVLM before it."""
MOST_TOKENS = 120
LOADING_S = 1800.0
"""The weights may have to be brought first."""
FINISH_S = 10.0
"""How long an answer nobody waits for any more may take: to load the model again takes about as much."""


def available() -> bool:
    return all(importlib.util.find_spec(name) is not None for name in ("torch", "transformers"))


class Local:
    """Any SmolVLM: a folder with its files, or its name at the hub."""

    def __init__(self, eyes: Eyes, hub: Hub) -> None:
        model = eyes.local_vision_model or USUAL
        self.name = Path(model).name
        self._timeout_s = eyes.vision_timeout_s
        arguments = {
            "model": model,
            "hub": hub.endpoint,
            "token": hub.token.get_secret_value() if hub.token else None,
            "folder": str(hub.folder) if hub.folder else None,
            "seconds": eyes.vision_timeout_s,
        }
        self._engine = Engine(
            "local-vision", f"{__name__}:Hosted", arguments, start_timeout=LOADING_S, finish_s=FINISH_S
        )

    async def describe(self, picture: Picture, prompt: str, *, facts: str = "") -> str:
        if not available():
            raise MissingExtra("seeing with a model on this machine", "local-vision")
        try:
            async with asyncio.timeout(self._timeout_s):
                await self._engine.start()
        except TimeoutError:
            raise NotReady(
                f"{self.name} is still being loaded", hint="ask again in a while; its first time may bring 0.5 GB"
            ) from None
        pixels = await asyncio.to_thread(reduced, picture.pixels, LONGEST_SIDE)
        said = await self._engine.call(
            "describe", pixels, wording.SYSTEM, wording.request(prompt, facts), timeout=self._timeout_s + FINISH_S
        )
        return wording.answer(said, self.name)

    async def aclose(self) -> None:
        await self._engine.aclose()


class Hosted:
    """The model, in the worker's process. `seconds`: it stops in the middle of a sentence rather than take longer."""

    def __init__(self, model: str, hub: str, token: str | None, folder: str | None, seconds: float) -> None:
        # Read by the libraries when they are imported.
        os.environ |= {"HF_ENDPOINT": hub, "HF_HUB_DISABLE_TELEMETRY": "1", "HF_HUB_DISABLE_PROGRESS_BARS": "1"}
        if folder:
            os.environ["HF_HOME"] = folder
        os.environ["TOKENIZERS_PARALLELISM"] = "false"
        os.nice(5)  # what moves and talks comes first

        import torch  # noqa: PLC0415

        self._torch, self._seconds = torch, seconds
        self._device = _device(torch)
        # In tiles it sees more, thirteen pictures in place of one: too slow without a graphics card.
        self._tiles = self._device != "cpu"
        self._type = torch.bfloat16 if self._device == "cuda" else torch.float32
        torch.set_num_threads(max(1, (os.cpu_count() or 2) // 2))
        found = _files(model, token)
        try:
            self._load(found)
        except (OSError, ValueError, KeyError, RuntimeError) as error:
            told = " ".join(str(error).split())[:300]
            raise AssetError(f"{model} can't be loaded: {told}", hint=_where()) from None

    def _load(self, folder: str) -> None:
        from transformers import AutoConfig, AutoImageProcessor, AutoModelForImageTextToText, AutoTokenizer  # noqa: PLC0415
        from transformers.utils import logging  # noqa: PLC0415

        logging.disable_progress_bar()
        data: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
        config = AutoConfig.from_pretrained(folder, **data)
        if config.model_type not in FAMILY:
            raise ValueError(f"it is a {config.model_type}, not a SmolVLM; others can be served behind eyes.vision_url")
        side = config.vision_config.image_size // config.vision_config.patch_size
        self._places = side**2 // config.scale_factor**2
        self._images = AutoImageProcessor.from_pretrained(folder, backend="pil", **data)
        self._tokens = AutoTokenizer.from_pretrained(folder, **data)
        loaded = AutoModelForImageTextToText.from_pretrained(folder, dtype=self._type, use_safetensors=True, **data)
        self._model = loaded.to(self._device).eval()

    def describe(self, pixels: Pixels, system: str, question: str) -> str:
        inputs, length = self._inputs(pixels, system, question)
        with self._torch.inference_mode():
            made = self._model.generate(
                **inputs, max_new_tokens=MOST_TOKENS, do_sample=False, max_time=self._seconds, use_cache=True
            )
        return str(self._tokens.decode(made[0, length:], skip_special_tokens=True))

    def _inputs(self, pixels: Pixels, system: str, question: str) -> tuple[dict[str, Any], int]:
        """What `SmolVLMProcessor` would make; that one wants libraries for films as well."""
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
            rows, cols, self._places, "<fake_token_around_image>", "<image>", "<global-img>"
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


def _files(model: str, token: str | None) -> str:
    """The folder with its files: as it is, from the hub's cache, or brought from the hub. Raises AssetError."""
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
        told = "there is no such folder, and it is no name at the hub"
    except Exception as error:  # noqa: BLE001 -- the network's errors are of many kinds
        told = (" ".join(str(error).split()) or type(error).__name__)[:300]
    raise AssetError(f"the files of {model} can't be had: {told}", hint=_where())


def _where() -> str:
    return (
        "put a SmolVLM (config.json, tokenizer.json, model.safetensors and the like) into a folder and set "
        "eyes.local_vision_model to it; or let the first question bring it while the model hub can be reached"
    )
