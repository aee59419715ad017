"""`ChannelMixer`: one channel out of several microphones, without losing the voice between them.

Averaging them blindly loses: channels of opposite phase cancel each other, a silent one halves the voice, and a noisy
one adds its noise. So every channel is shifted by the time, and turned to the phase, in which it agrees with the best
one, and counts by its voice over its noise (delay-and-sum with weights). A channel that agrees with none is added as it
is.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Samples = NDArray[np.float32]
Spectra = NDArray[np.complex128]

STEP_S = 0.02
FRAME_S = 0.032
MOST_LAG_S = 0.001
"""Sound takes this long for 34 cm, further than two microphones of one device are apart."""
AGREEING_S = 0.5
"""Time constant of the agreement between channels."""
VOICE_HZ = (200, 4000)
"""Where they are compared."""
AGREES, BETTER = 0.15, 0.05
"""The agreement (0 to 1) above which a shift is used, and by how much another one has to be better. Measured in a room,
two metres away: 0.2 to 0.5; noise that each microphone makes itself stays below 0.1."""
CLEARER = 4.0
"""Ratio of voice to noise by which another channel replaces the one that the others are compared with."""
SIGNAL_HOLD_S = 2.0
"""Time constant with which the level of the voice is forgotten in a pause."""
NOISE_RISE = 2.0
"""By how much the estimate of the noise's power may rise in a second."""
SILENT = 1e-8
"""Power of a channel that carries nothing, -80 dB of full scale."""
DEAD_RATIO = 1e-3
"""A channel this much weaker in power than the strongest carries nothing either."""


class ChannelMixer:
    """One for a stream of `channels` channels. `processed`: the device makes the first of them the best, as a
    conference microphone does; another one is heard only until the first has carried sound for the first time."""

    def __init__(self, channels: int, rate_hz: int, *, processed: bool = False) -> None:
        self._processed, self._rate_hz = processed, rate_hz
        self._frame, self._most_lag = round(FRAME_S * rate_hz), round(MOST_LAG_S * rate_hz)
        self._levels = _Levels(channels, rate_hz)
        self._pending = np.zeros((0, channels), np.float32)
        self._before = np.zeros((2 * self._most_lag, channels), np.float32)
        frequencies = np.fft.rfftfreq(self._frame, 1 / rate_hz)
        self._voice_bins = (frequencies >= VOICE_HZ[0]) & (frequencies <= VOICE_HZ[1])
        self._cross: Spectra = np.zeros((len(frequencies), channels, channels), complex)
        self._lags = np.zeros(channels, int)
        self._signs = np.ones(channels)
        self._weights = np.zeros(channels)
        self._weights[0] = 1.0
        self._started = self._works = False

    def mixed(self, sound: Samples) -> Samples:
        """The next samples (rows) of all channels (columns) as one, `late` samples behind."""
        if sound.shape[1] == 1 or not len(sound):
            return np.ascontiguousarray(sound[:, 0])
        step = round(STEP_S * self._rate_hz)
        return np.concatenate([self._mixed(sound[begin : begin + step]) for begin in range(0, len(sound), step)])

    @property
    def late(self) -> int:
        """By how many samples what comes out is behind what goes in."""
        return 0 if self._processed or len(self._weights) == 1 else self._most_lag

    def _mixed(self, sound: Samples) -> Samples:
        old = self._lags.copy(), self._signs * self._weights
        self._levels.update(sound)
        if self._processed:
            self._works = self._works or self._levels.carries_sound(0)
            self._weights = np.eye(sound.shape[1])[0 if self._works else self._levels.loudest()]
            return self._ramped(sound @ old[1].astype(np.float32), sound @ self._weights.astype(np.float32))
        self._compare(sound)
        self._weights = self._levels.weights()
        whole = np.concatenate((self._before, sound))
        self._before = whole[-2 * self._most_lag :]
        new = self._lags, self._signs * self._weights
        if not self._started:
            self._started, old = True, new
        return self._ramped(self._added(whole, len(sound), *old), self._added(whole, len(sound), *new))

    @staticmethod
    def _ramped(old: Samples, new: Samples) -> Samples:
        ramp = np.linspace(0, 1, len(new), dtype=np.float32)
        return np.asarray(old + ramp * (new - old), np.float32)

    def _added(self, whole: Samples, length: int, lags: NDArray[np.int_], factors: NDArray[np.float64]) -> Samples:
        total = np.zeros(length, np.float32)
        for channel, (lag, factor) in enumerate(zip(lags, factors, strict=True)):
            begin = self._most_lag + int(lag)
            total += np.float32(factor) * whole[begin : begin + length, channel]
        return total

    def _compare(self, sound: Samples) -> None:
        """Find in which shift and phase the channels agree, from all whole frames so far."""
        self._pending = np.concatenate((self._pending, sound))
        kept = np.exp(-self._frame / self._rate_hz / AGREEING_S)
        while len(self._pending) >= self._frame:
            frame, self._pending = self._pending[: self._frame], self._pending[self._frame :]
            spectra = np.fft.rfft(frame * np.hanning(self._frame)[:, None], axis=0)
            self._cross = kept * self._cross + spectra[:, :, None] * spectra.conj()[:, None, :]
        best = self._levels.best()
        own = np.real(np.einsum("fcc->fc", self._cross))
        strength = np.sqrt(own * own[:, best : best + 1])
        agreed = np.divide(self._cross[:, :, best], strength, out=np.zeros(own.shape, complex), where=strength > 0)
        agreed[~self._voice_bins] = 0
        agreement = np.fft.irfft(agreed, self._frame, axis=0) * self._frame / 2 / self._voice_bins.sum()
        around = np.concatenate((agreement[-self._most_lag :], agreement[: self._most_lag + 1]))
        for channel in range(own.shape[1]):
            self._align(channel, around[:, channel])
        self._lags -= self._lags[best]
        self._signs *= self._signs[best]
        self._lags = np.clip(self._lags, -self._most_lag, self._most_lag)

    def _align(self, channel: int, agreement: Samples) -> None:
        found = int(np.argmax(np.abs(agreement)))
        lag, strength = found - self._most_lag, abs(float(agreement[found]))
        now = abs(float(agreement[self._lags[channel] + self._most_lag]))
        if strength < AGREES:
            self._lags[channel], self._signs[channel] = 0, 1.0
        elif lag == self._lags[channel] or strength > now + BETTER:
            self._lags[channel], self._signs[channel] = lag, float(np.sign(agreement[found]))


class _Levels:
    """Voice and noise of each channel."""

    def __init__(self, channels: int, rate_hz: int) -> None:
        self._rate_hz = rate_hz
        self._power = np.zeros(channels)
        self._noise = np.full(channels, np.inf)
        self._voice = np.zeros(channels)
        self._best = 0

    def update(self, sound: Samples) -> None:
        seconds = len(sound) / self._rate_hz
        self._power = np.mean(np.square(sound, dtype=np.float64), axis=0)
        self._noise = np.minimum(self._noise * NOISE_RISE**seconds, np.maximum(self._power, SILENT / 100))
        voice = np.maximum(self._power - self._noise, 0)
        self._voice = np.maximum(self._voice * np.exp(-seconds / SIGNAL_HOLD_S), voice)

    def _alive(self) -> NDArray[np.bool_]:
        heard = np.maximum(self._voice, self._noise)
        alive: NDArray[np.bool_] = heard > max(SILENT, DEAD_RATIO * float(heard.max()))
        return alive

    def carries_sound(self, channel: int) -> bool:
        return bool(self._alive()[channel])

    def loudest(self) -> int:
        return int(np.argmax(self._voice))

    def best(self) -> int:
        """The channel in which the voice is clearest; another one than before only if it is clearly better there."""
        clear = np.where(self._alive(), self._voice / np.maximum(self._noise, SILENT), -1.0)
        found = int(np.argmax(clear))
        if clear[self._best] < 0 or clear[found] > CLEARER * clear[self._best]:
            self._best = found
        return self._best

    def weights(self) -> NDArray[np.float64]:
        """The factor of each channel: its voice over its noise. The voice keeps the level it has in the best."""
        alive = self._alive()
        if not alive.any():
            return np.asarray(np.eye(len(alive))[0])
        voice = np.where(alive, np.sqrt(np.maximum(self._voice, SILENT / 100)), 0.0)
        share = voice / np.maximum(self._noise, SILENT)
        return np.asarray(np.minimum(share * voice[self.best()] / float(share @ voice), 1.0))
