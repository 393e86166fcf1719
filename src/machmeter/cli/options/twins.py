"""The options that choose a twin in the place of this machine."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from machmeter.model.errors import UsageError

if TYPE_CHECKING:
    from machmeter.model.twin import Twin

# What only this machine has.
_OF_THIS_MACHINE = {
    "name": "--name",
    "hwloc_xml": "--hwloc-xml",
    "against": "--against",
    "hosts": "--hosts",
    "remote_shell": "--remote-shell",
}
# What only measuring has: a model states a result once, and describes no such software.
_OF_MEASURING = {
    "budget": "--budget",
    "precision": "--precision",
    "min_launches": "--min-launches",
    "max_launches": "--max-launches",
    "force": "--force",
    "fresh_sizes": "--fresh-sizes",
    "wait": "--wait",
    "pages": "--pages",
    "openmp": "--openmp",
    "allocator": "--allocator",
    "flags": "--flags",
    "device": "--device",
}


def twin_of(params: Mapping[str, Any], given: Collection[str]) -> Twin | None:
    """The twin that `--on` names, changed by `--with`; None where this machine is measured.

    given: names of the parameters that stand on the command line; an `--on` without a name is an
    error there, as in `--on "$TWIN"` of a script, and measures nothing.

    Raises UsageError for an unknown twin or parameter, and for options of this machine or of
    measuring.
    """
    name, changes = params["on"], tuple(params["changes"] or ())
    if "on" not in given:
        if changes:
            raise UsageError("--with changes a model, and none is named", "add --on TWIN")
        return None
    refused = [option for key, option in _OF_THIS_MACHINE.items() if key in given]
    if refused:
        raise UsageError(
            f"--on simulates another machine: {', '.join(refused)} says nothing of it",
            "leave one of them out",
        )
    unused = [option for key, option in _OF_MEASURING.items() if key in given]
    if unused:
        raise UsageError(
            f"{', '.join(unused)} would change nothing: with --on a model states each result once",
            f"leave {'them' if len(unused) > 1 else 'it'} out",
        )
    from machmeter.simulation.builtin import find_twin
    from machmeter.simulation.change import changed

    return changed(find_twin(name), changes)
