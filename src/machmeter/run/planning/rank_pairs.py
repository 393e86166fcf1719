"""Pairs of ranks to measure: all of them, or a sample that covers every rank evenly. Pure."""

from __future__ import annotations

from itertools import combinations

MOST_PAIRS = 512
MOST_OF_MANY = 8192
"""Pairs of very many ranks, which a launch is given on its command line."""


def pairs_of_ranks(ranks: int, most: int = MOST_PAIRS) -> tuple[str, ...]:
    """Pairs such as `0-3`, the smaller rank first: all where there are at most `most`.

    Of more ranks each is paired with those at distances 1, 2, 4, ... in turn around the circle, as
    many distances as `most` allows but at least two: neighbors in a rack and far ones are both in
    the sample, and every rank is in as many pairs as any other. Where that would be more than
    8,192 pairs, pairs begin at ranks in equal steps, and not every rank is in one.
    """
    if ranks * (ranks - 1) // 2 <= most:
        return tuple(f"{one}-{other}" for one, other in combinations(range(ranks), 2))
    distances = [2**power for power in range((ranks // 2).bit_length())]
    kept = _evenly(distances, max(2, most // ranks))
    # An odd step meets every place on a node, which has an even number of them.
    step = 1 if len(kept) * ranks <= MOST_OF_MANY else len(kept) * ranks // MOST_OF_MANY + 1 | 1
    begins = range(0, ranks, step)
    pairs = {tuple(sorted((one, (one + far) % ranks))) for far in kept for one in begins}
    return tuple(f"{one}-{other}" for one, other in sorted(pairs))


def _evenly(distances: list[int], most: int) -> list[int]:
    """The nearest, the farthest, and others at even steps between them."""
    if len(distances) <= most:
        return distances
    last = len(distances) - 1
    return [distances[index * last // (most - 1)] for index in range(most)]
