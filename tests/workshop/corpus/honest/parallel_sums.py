"""Computes in threads."""

from concurrent.futures import ThreadPoolExecutor


def part(bounds: tuple[int, int]) -> int:
    return sum(range(*bounds))


def parallel_sums(parts: int = 4, size: int = 10_000) -> dict:
    """Sum numbers in several threads."""
    with ThreadPoolExecutor(max_workers=parts) as pool:
        sums = list(pool.map(part, [(n * size, (n + 1) * size) for n in range(parts)]))
    return {"total": sum(sums), "parts": len(sums)}
