"""Pairs of ranks to measure: all of them, or a sample that covers every rank evenly. Pure."""

from __future__ import annotations

from itertools import combinations

MOST_PAIRS = 512


def pairs_of_ranks(ranks: int, most: int = MOST_PAIRS) -> tuple[str, ...]:
    """Pairs such as `0-3`, the smaller rank first: all where there are at most `most`.

    Of more ranks each is paired with those at distances 1, 2, 4, ... in turn around the circle, as
    many distances as `most` allows but at least two: neighbors in a rack and far ones are both in
    the sample, and every rank is in as many pairs as any other.
    """
    if ranks * (ranks - 1) // 2 <= most:
        return tuple(f"{one}-{other}" for one, other in combinations(range(ranks), 2))
    distances = [2**power for power in range((ranks // 2).bit_length())]
    kept = _evenly(distances, max(2, most // ranks))
    pairs = {tuple(sorted((one, (one + far) % ranks))) for far in kept for one in range(ranks)}
    return tuple(f"{one}-{other}" for one, other in sorted(pairs))


def _evenly(distances: list[int], most: int) -> list[int]:
    """The nearest, the farthest, and others at even steps between them."""
    if len(distances) <= most:
        return distances
    last = len(distances) - 1
    return [distances[index * last // (most - 1)] for index in range(most)]
