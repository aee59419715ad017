"""Moonshine's two networks with onnxruntime: an encoder of sound and a decoder that writes one token after the other.

The files of both sizes differ a little: some take a mask of the sound's samples. All that is asked of them here: names
and shapes of inputs and outputs say the rest (layers, heads).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime  # type: ignore[import-untyped]

from reachy_mind.speech import audio_format
from reachy_mind.speech.moonshine_tokens import END, START

ENCODER, DECODER = "encoder_model", "decoder_model_merged"
TOKENS_PER_SECOND = 6.5
"""The most that anybody says; without a limit, noise makes the model repeat itself."""
MOST_REPEATS, LONGEST_CYCLE, KEPT_REPEATS = 8, 6, 2
"""Of the same few tokens: the model has lost its way in a sound that is no word, such as a long hum."""
SHORTEST_S = 0.2
"""Less gives the encoder nothing; it is filled up with silence."""


@dataclass(frozen=True)
class TokenSequence:
    """What the decoder wrote, without the end; the log-probabilities count the end too, when it was written."""

    tokens: tuple[int, ...]
    log_probabilities: tuple[float, ...]
    bonus: float = 0.0
    """For words that were to be expected, as a log-probability."""

    @property
    def score(self) -> float:
        return sum(self.log_probabilities) + self.bonus


class MoonshineNetwork:
    def __init__(self, folder: Path, threads: int = 1) -> None:
        """Loads `encoder_model` and `decoder_model_merged`, .onnx or .ort. Raises what onnxruntime raises for damaged
        files, FileNotFoundError for missing ones."""
        self._encoder = _session(folder, ENCODER, threads)
        self.decoder = _session(folder, DECODER, threads)
        inputs = {each.name: each.shape for each in self.decoder.get_inputs()}
        self.past = {name: shape for name, shape in inputs.items() if name.startswith("past_key_values")}
        self._masked = "encoder_attention_mask" in inputs
        self.outputs = [each.name for each in self.decoder.get_outputs()]

    def read(self, sound: np.ndarray) -> TokenSequence:
        """What is said in some sound (16 kHz, -1 to 1) of less than half a minute. An empty answer is not possible: the
        caller knows that somebody speaks, and the model is too ready to say nothing."""
        return self.decoding(sound).greedy()

    def write_tokens(self, sound: np.ndarray, count: int) -> TokenSequence:
        """Exactly this many tokens, whatever is said: for measuring."""
        return self.decoding(sound).greedy(count)

    def decoding(self, sound: np.ndarray) -> Decoding:
        """A sound, ready to be written down in one way or in several."""
        samples = _at_least(sound, round(SHORTEST_S * audio_format.RATE))
        mask = np.ones((1, len(samples)), np.int64)
        (hidden,) = self._encoder.run(None, {"input_values": samples[None]} | self._mask("attention_mask", mask))
        fixed = {"encoder_hidden_states": hidden} | self._mask("encoder_attention_mask", mask)
        return Decoding(self, fixed, math.ceil(TOKENS_PER_SECOND * len(sound) / audio_format.RATE) + 1)

    def _mask(self, name: str, mask: np.ndarray) -> dict[str, np.ndarray]:
        return {name: mask} if self._masked else {}


class Decoding:
    """The decoder at work on one sound: a row for each text that is being written, all of the same length. `most`: the
    most tokens that can have been said."""

    def __init__(self, network: MoonshineNetwork, fixed: dict[str, np.ndarray], most: int) -> None:
        self._network, self.most = network, most
        empty = {name: np.zeros((1, shape[1], 0, shape[3]), np.float32) for name, shape in network.past.items()}
        self._sound = fixed | {name: value for name, value in empty.items() if ".decoder." not in name}
        """What the decoder knows of the sound: the same for each row."""
        self._past = {name: value for name, value in empty.items() if ".decoder." in name}
        self._begun = False

    def step(self, tokens: Sequence[int]) -> np.ndarray:
        """What may follow: for each row, which this token continues, a logit for each token of the vocabulary."""
        rows = len(tokens)
        self._sound = {name: _rows(value, rows) for name, value in self._sound.items()}
        feed = self._past | {name: value[:rows] for name, value in self._sound.items()}
        feed |= {"input_ids": np.array(tokens, np.int64)[:, None], "use_cache_branch": np.array([self._begun])}
        # What it knows of the sound is complete after the first step; fetching it again takes as long as a step.
        wanted = [name for name in self._network.outputs if not self._begun or ".encoder." not in name]
        logits, *present = self._network.decoder.run(wanted, feed)
        for name, value in zip(wanted[1:], present, strict=True):
            kept = self._past if ".decoder." in name else self._sound
            kept[name.replace("present", "past_key_values")] = value
        self._begun = True
        return np.asarray(logits[:, -1])

    def keep(self, rows: Sequence[int]) -> None:
        """Goes on with these rows, in this order; one may be there twice."""
        if list(rows) != list(range(len(next(iter(self._past.values()))))):
            self._past = {name: value[list(rows)] for name, value in self._past.items()}

    def back_to(self, written: int) -> None:
        """Forgets all but the first tokens, the start among them."""
        self._past = {name: value[:1, :, :written] for name, value in self._past.items()}

    def greedy(self, count: int | None = None) -> TokenSequence:
        """The likeliest token, one after the other; with a `count`, exactly so many."""
        ends = count is None
        tokens, likely = [START], []
        for step in range(self.most if count is None else count):
            row = self.step(tokens[-1:])[0]
            if step == 0 or not ends:
                row[END] = -math.inf
            token = int(row.argmax())
            tokens.append(token)
            likely.append(-math.log(float(np.exp(row - row[token]).sum())))
            if token == END:
                break
            if ends and (cycle := repeated_cycle(tokens)):
                del tokens[-(MOST_REPEATS - KEPT_REPEATS) * cycle :], likely[-(MOST_REPEATS - KEPT_REPEATS) * cycle :]
                break
        return TokenSequence(tuple(token for token in tokens[1:] if token != END), tuple(likely))


def repeated_cycle(tokens: list[int]) -> int:
    """How many tokens the end of the list repeats again and again; 0 when it does not."""
    for cycle in range(1, LONGEST_CYCLE + 1):
        last = tokens[-cycle:]
        if len(tokens) > MOST_REPEATS * cycle and tokens[-MOST_REPEATS * cycle :] == MOST_REPEATS * last:
            return cycle
    return 0


def _rows(value: np.ndarray, count: int) -> np.ndarray:
    """At least so many: more are copies of the first."""
    return value if len(value) >= count else np.repeat(value[:1], count, axis=0)


def _session(folder: Path, name: str, threads: int) -> Any:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # it would keep a core busy between words
    options.log_severity_level = 4  # what goes wrong is raised
    file = next((file for suffix in ("onnx", "ort") if (file := folder / f"{name}.{suffix}").is_file()), None)
    if file is None:
        raise FileNotFoundError(f"there is no {name} in {folder}")
    return onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])


def _at_least(sound: np.ndarray, count: int) -> np.ndarray:
    floats = np.asarray(sound, np.float32)
    return np.pad(floats, (0, max(0, count - len(floats))))
