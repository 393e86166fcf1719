"""The options that choose a twin in the place of this machine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from machmeter.model.errors import UsageError

if TYPE_CHECKING:
    from machmeter.model.twin import Twin

# What only this machine has.
_OF_THIS_MACHINE = {"name": "--name", "hwloc_xml": "--hwloc-xml", "against": "--against"}


def twin_of(params: Mapping[str, Any]) -> Twin | None:
    """The twin that `--on` names, changed by `--with`; None where this machine is measured.

    Raises UsageError for an unknown twin or parameter, and beside options of this machine.
    """
    name, changes = params["on"], tuple(params["changes"] or ())
    if not name:
        if changes:
            raise UsageError("--with changes a model, and none is named", "add --on TWIN")
        return None
    given = [option for key, option in _OF_THIS_MACHINE.items() if params.get(key)]
    if given:
        raise UsageError(
            f"--on simulates another machine: {', '.join(given)} says nothing of it",
            "leave one of them out",
        )
    from machmeter.simulation.builtin import find_twin
    from machmeter.simulation.change import changed

    return changed(find_twin(name), changes)
