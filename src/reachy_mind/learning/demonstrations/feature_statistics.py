"""Statistics of a dataset's features, as LeRobot keeps them for each episode and for the whole dataset."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

QUANTILES = {"q01": 0.01, "q10": 0.10, "q50": 0.50, "q90": 0.90, "q99": 0.99}
IMAGE_SAMPLES = 20

FeatureStatistics = dict[str, Any]
"""min, max, mean, std, the quantiles and count of one feature, as lists."""


def of_rows(rows: NDArray[Any]) -> FeatureStatistics:
    """Statistics of a feature's values over the rows; a plain column counts as one of width 1."""
    table = np.asarray(rows, dtype=np.float64).reshape(len(rows), -1)
    return _reduced(table) | {"count": [len(table)]}


def of_images(images: Sequence[NDArray[np.uint8]]) -> FeatureStatistics:
    """Statistics for each colour channel of some of the images (height, width, 3), from 0 to 1."""
    step = max(1, len(images) // IMAGE_SAMPLES)
    sampled = images[::step]
    channels = np.concatenate([image[::4, ::4].reshape(-1, 3) for image in sampled]).astype(np.float64) / 255.0
    return {name: [[[value]] for value in values] for name, values in _reduced(channels).items()} | {
        "count": [len(sampled)]
    }


def combined(parts: Sequence[Mapping[str, FeatureStatistics]]) -> dict[str, FeatureStatistics]:
    """Statistics of all episodes together; their quantiles are the mean of the episodes', weighted by length."""
    return {name: _merge([part[name] for part in parts]) for name in parts[0]} if parts else {}


def _reduced(table: NDArray[np.float64]) -> dict[str, list[float]]:
    found = {
        "min": table.min(axis=0),
        "max": table.max(axis=0),
        "mean": table.mean(axis=0),
        "std": table.std(axis=0),
    } | {name: np.quantile(table, share, axis=0) for name, share in QUANTILES.items()}
    return {name: values.tolist() for name, values in found.items()}


def _merge(parts: Sequence[FeatureStatistics]) -> FeatureStatistics:
    counts = np.array([part["count"][0] for part in parts], dtype=np.float64)

    def weighted(values: Sequence[Any]) -> NDArray[np.float64]:
        stacked = np.array(values, dtype=np.float64)
        weights = counts.reshape(-1, *([1] * (stacked.ndim - 1)))
        result: NDArray[np.float64] = (stacked * weights).sum(axis=0) / counts.sum()
        return result

    mean = weighted([part["mean"] for part in parts])
    spread = [np.square(part["std"]) + np.square(np.array(part["mean"]) - mean) for part in parts]
    merged: dict[str, Any] = {
        "min": np.array([part["min"] for part in parts]).min(axis=0),
        "max": np.array([part["max"] for part in parts]).max(axis=0),
        "mean": mean,
        "std": np.sqrt(weighted(spread)),
    } | {name: weighted([part[name] for part in parts]) for name in QUANTILES}
    return {name: values.tolist() for name, values in merged.items()} | {"count": [int(counts.sum())]}
