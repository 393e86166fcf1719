"""Twins that come with machmeter, and those in files of the user."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from machmeter.model.errors import UsageError
from machmeter.model.twin import Twin
from machmeter.model.written.choices import choice_remedy
from machmeter.simulation.read import read_twin

_MACHINES = Path(__file__).parent / "machines"
_ENDING = ".toml"


def twin_names() -> tuple[str, ...]:
    """The names of all twins that come with machmeter, sorted."""
    return tuple(sorted(path.stem for path in _MACHINES.glob(f"*{_ENDING}")))


def find_twin(text: str) -> Twin:
    """The twin of that name, or in that file where the text has a `/` or ends in `.toml`.

    Raises UsageError where there is none.
    """
    if "/" in text or text.endswith(_ENDING):
        return read_twin(Path(text))
    if text not in twin_names():
        listing = f"twins are {', '.join(twin_names())}; a file of your own ends in {_ENDING}"
        raise UsageError(f"there is no twin {text!r}", choice_remedy(text, twin_names(), listing))
    return _builtin(text)


@cache
def _builtin(name: str) -> Twin:
    return read_twin(_MACHINES / f"{name}{_ENDING}")
