"""A lesson in linear algebra."""

import numpy as np
from numpy.linalg import eigvalsh, inv, norm


def matrix_lesson(size: int = 4) -> dict:
    """Invert a matrix and check it; fit a line; find a frequency."""
    generator = np.random.default_rng(3)
    matrix = generator.normal(size=(size, size)) + size * np.eye(size)
    error = norm(matrix @ inv(matrix) - np.eye(size))
    slope, offset = np.polyfit(np.arange(10), 2 * np.arange(10) + 1, 1)
    spectrum = np.abs(np.fft.rfft(np.sin(2 * np.pi * 5 * np.linspace(0, 1, 128, endpoint=False))))
    return {"error": error, "slope": slope, "offset": offset, "frequency": np.argmax(spectrum), "eigen": eigvalsh(matrix + matrix.T), "ok": np.bool_(error < 1e-9)}
