"""What to write in place of a name that nothing has: the nearest names there are."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher

_FEW = 6
_NEAREST = 3
# Ratcliff and Obershelp's share of equal letters, below which names have little in common.
_LEAST = 0.6
# A name this much less similar than the best is not what was meant.
_BEHIND = 0.25


def nearest(name: str, known: Iterable[str]) -> tuple[str, ...]:
    """At most three of the known names, the most similar first; empty where none is similar.

    A name of several words, such as `memory.stream`, is as similar as its most similar word.
    """
    scored = [(_similarity(name.lower(), one.lower()), one) for one in dict.fromkeys(known)]
    best = max((score for score, _ in scored), default=0.0)
    likely = [pair for pair in scored if pair[0] >= max(_LEAST, best - _BEHIND)]
    return tuple(one for _, one in sorted(likely, key=lambda pair: -pair[0])[:_NEAREST])


def choice_remedy(name: str, known: Iterable[str], listing: str = "") -> str:
    """What to write in place of `name`: all of a few known names, of many the nearest three.

    listing: where all are listed, as a clause: `machmeter list` shows all.
    """
    names = tuple(dict.fromkeys(known))
    if len(names) <= _FEW or not listing:
        return f"choose one of: {', '.join(names)}" if names else "there are none"
    near = nearest(name, names)
    if not near:
        return listing
    meant = " or ".join(filter(None, (", ".join(near[:-1]), near[-1])))
    return f"did you mean {meant}? {listing}"


def _similarity(name: str, known: str) -> float:
    words = (known, *known.replace("-", ".").split("."))
    return max(
        SequenceMatcher(None, name, word).ratio() + (0.2 if word.startswith(name) else 0.0)
        for word in words
    )
