"""Which studies and machines can be reproduced, and what their printed figures are for twins."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from types import MappingProxyType

from machmeter.model.errors import UsageError
from machmeter.model.written.choices import choice_remedy
from machmeter.model.written.toml_text import toml_as
from machmeter.simulation.figures.format import FiguresFile

_FIGURES = Path(__file__).parent
_ENDING = ".toml"
_LARGEST = 2**20


@cache
def all_figures() -> MappingProxyType[str, FiguresFile]:
    """The printed figures of every machine that has a twin, by its name."""
    return MappingProxyType(
        {
            path.stem: toml_as(path.read_bytes(), FiguresFile, most_bytes=_LARGEST, keys="")
            for path in sorted(_FIGURES.glob(f"*{_ENDING}"))
        }
    )


def reproducible_names() -> tuple[str, ...]:
    """Studies and machines that can be reproduced, the studies first."""
    known = all_figures()
    return tuple(dict.fromkeys((*sorted({one.study for one in known.values()}), *known)))


def figures_of(name: str) -> tuple[FiguresFile, ...]:
    """The printed figures of the machines of a study, or of one machine; of all without a name.

    Raises UsageError where there is none of that name.
    """
    known = all_figures()
    if not name:
        return tuple(sorted(known.values(), key=lambda one: (one.study, one.machine)))
    of_study = tuple(one for one in known.values() if one.study == name)
    if of_study:
        return of_study
    if name in known:
        return (known[name],)
    names = reproducible_names()
    listing = f"printed figures and a twin have: {', '.join(names)}"
    raise UsageError(
        f"no study and no machine {name!r} can be reproduced", choice_remedy(name, names, listing)
    )
