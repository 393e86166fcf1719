"""Published machines in a list, which loads nothing that reads files of others."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from machmeter.analysis.matching.operands import Operand
from machmeter.benchmarks.catalogue import known
from machmeter.model.origin import Origin
from machmeter.published.format import PublishedMachine
from machmeter.published.load import names_of_studies, published_machine
from machmeter.published.machine import machine_results


class ListedMachine(Struct, frozen=True):
    """A published machine in a list."""

    id: str
    """Names the machine on the command line."""
    name: str
    """What the machine is called."""
    year: int
    """Of the publication."""
    figures: int
    """Printed figures in its file."""
    comparable: int
    """Results among them that machmeter measures on one node: a run there can be compared."""
    source: str
    """The publication."""
    origin: Origin = Origin.PUBLISHED
    """Where the figures come from."""


def published_machines(names: Iterable[str] = ()) -> tuple[ListedMachine, ...]:
    """The published machines of those ids (none: all that studies print)."""
    machines = (published_machine(name) for name in names or names_of_studies())
    return tuple(
        ListedMachine(
            one.id, one.name, one.year, one.figure_count, _measurable_on_one_node(one), one.source
        )
        for one in machines
    )


def _measurable_on_one_node(machine: PublishedMachine) -> int:
    """How many of its results machmeter measures on one node."""
    found = machine_results(machine)
    return sum(
        known(one.point.benchmark) is not None and Operand(found, one).layout.nodes == 1
        for one in found.estimates
    )
