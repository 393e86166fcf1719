"""Models of machines by name or file, changed where requested, and the list of those that come with
machmeter."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from machmeter.model.twin import Twin
from machmeter.simulation.builtin import find_twin, twin_names
from machmeter.simulation.change import changed
from machmeter.text.twins.structure import bases_text, network_text


class ListedTwin(Struct, frozen=True):
    """A model of a machine in a list."""

    name: str
    """What `--on` calls it."""
    title: str
    """The machine, its network, who had it."""
    nodes: int
    """Nodes of the machine."""
    network: str
    """How they are connected."""
    parameters: str
    """How many are published, fitted and assumed."""
    published: str
    """ID of the published machine that it models (empty: none)."""


def twin_named(name: str, changes: Iterable[str] = ()) -> Twin:
    """The twin of that name or in that file, with each change `NAME=VALUE` made.

    Raises UsageError for an unknown twin or parameter, and for a value out of range.
    """
    return changed(find_twin(name), changes)


def listed_twins() -> tuple[ListedTwin, ...]:
    """Every twin that comes with machmeter."""
    return tuple(_listed(find_twin(name)) for name in twin_names())


def _listed(twin: Twin) -> ListedTwin:
    return ListedTwin(
        name=twin.name,
        title=twin.title,
        nodes=twin.nodes,
        network=network_text(twin),
        parameters=bases_text(twin),
        published=twin.published,
    )
