"""`{ranks}`, `{threads}` and other numbers of a launch in arguments, environment and input."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from machmeter.model.errors import UsageError
from machmeter.model.plan.launch import Launch

TYPED = ("ranks", "threads", "run")
"""Those of typed commands."""
OF_LAUNCHES = (*TYPED, "rows", "columns")
"""Those that every description has; sizes have more."""
# Never `str.format`: its fields reach attributes and indexes.
_BRACES = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")
_TYPED = re.compile(r"\{\{(" + "|".join(TYPED) + r")\}\}")
_NONE: Mapping[str, str] = MappingProxyType({})
_LITERAL = {"{{": "{", "}}": "}"}


def as_it_is(word: str) -> str:
    """A word that has no placeholders, whatever its braces."""
    return word.replace("{", "{{").replace("}", "}}")


def as_placeholders(words: Iterable[str]) -> tuple[str, ...]:
    """Words that were typed, where braces around anything else are themselves (as in awk)."""
    return tuple(_TYPED.sub(r"{\1}", as_it_is(word)) for word in words)


def with_values(words: Iterable[str], values: Mapping[str, str]) -> tuple[str, ...]:
    """`words` with values in place of their names in braces; all other braces are themselves."""
    if not values:
        return tuple(words)
    names = re.compile(r"\{(" + "|".join(map(re.escape, values)) + r")\}")
    return tuple(names.sub(lambda found: values[found[1]], word) for word in words)


def filled(
    words: Iterable[str], ranks: int, threads: int, run: str, own: Mapping[str, str] = _NONE
) -> tuple[str, ...]:
    """`words` with the numbers of a launch; run: what `{run}` stands for; own: placeholders of the
    description, by name.

    Raises UsageError where braces hold anything else.
    """
    numbers = (str(ranks), str(threads), run, *map(str, grid_of(ranks)))
    values = {**own, **dict(zip(OF_LAUNCHES, numbers, strict=True))}
    return tuple(_filled(word, values) for word in words)


def filled_for(launch: Launch, words: Iterable[str]) -> tuple[str, ...]:
    """As `filled`, with the numbers of `launch`."""
    layout, command = launch.spec.layout, launch.spec.command
    description = command.description if command else None
    own = description.values if description else _NONE
    if description and description.grows:
        own = {**own, description.grows: str(int(own[description.grows]) * layout.threads)}
    return filled(words, layout.ranks, layout.cpus_per_rank, str(launch.number), own)


def grid_of(ranks: int) -> tuple[int, int]:
    """Rows and columns of the grid of all `ranks` that is nearest to a square, rows <= columns."""
    rows = next(one for one in range(math.isqrt(ranks), 0, -1) if ranks % one == 0)
    return rows, ranks // rows


def _filled(word: str, values: Mapping[str, str]) -> str:
    def value(found: re.Match[str]) -> str:
        written = found.group()
        if written in _LITERAL:
            return _LITERAL[written]
        if found[1] not in values:
            known = ", ".join(f"{{{name}}}" for name in values)
            raise UsageError(
                f"{written} in {word!r} is no placeholder",
                f"placeholders are {known}; write {{{{ and }}}} for braces",
            )
        return values[found[1]]

    return _BRACES.sub(value, word)
