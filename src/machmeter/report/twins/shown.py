"""A model of a machine with all its parameters, as terminals, pages and programs get it."""

from __future__ import annotations

from msgspec import Struct

from machmeter.model.twin import ErrorBand, Twin, TwinBasis, TwinNode, TwinParameter
from machmeter.model.units import SHARE
from machmeter.simulation.parameters import DeclaredParameter, parameters_of
from machmeter.simulation.quantities import COUNT, quantity_text
from machmeter.text.twins.structure import TwinLink, links_of, network_text


class ShownParameter(Struct, frozen=True):
    """A parameter of a model, with its value as a person reads it."""

    name: str
    """Such as `network.hop_latency`."""
    value: float
    """In the base unit."""
    unit: str
    """The base unit: s, B, B/s; empty for a share and a count."""
    text: str
    """The value with its unit."""
    meaning: str
    """What it is."""
    least: str
    """Smallest value that the format allows."""
    most: str
    """Largest value."""
    basis: TwinBasis
    """Where the value comes from."""
    reason: str
    """Source with page, figure that it was fitted to, or why it was assumed."""
    changed: bool
    """Whether `--with` gave it."""


class ShownTwin(Struct, frozen=True):
    """A model of a machine: what `twin show --json` prints."""

    name: str
    """What `--on` calls it."""
    title: str
    """The machine, its network, who had it."""
    published: str
    """ID of the published machine that it models (empty: none)."""
    nodes: int
    """Nodes of the machine."""
    topology: str
    """How they are connected."""
    shape: tuple[int, ...]
    """Of a torus its routers in each dimension; of a dragonfly routers of a chassis, chassis of a
    group, groups; of a fat tree the nodes below a switch of each level."""
    network: str
    """Topology and shape as text."""
    links: tuple[TwinLink, ...]
    """The NIC and every kind of link, with their rates."""
    node: TwinNode
    """One node."""
    mpi: str
    """The MPI library whose algorithms of collective operations are simulated."""
    progress: str
    """Who moves a large message while ranks compute: host or nic."""
    parameters: tuple[ShownParameter, ...]
    """Every number of the model."""
    bands: tuple[ErrorBand, ...]
    """How far results may be off (none: unknown)."""


def shown_twin(twin: Twin) -> ShownTwin:
    """The twin with its parameters as text, in the order that they are declared in."""
    return ShownTwin(
        name=twin.name,
        title=twin.title,
        published=twin.published,
        nodes=twin.nodes,
        topology=twin.topology.value,
        shape=twin.shape,
        network=network_text(twin),
        links=links_of(twin),
        node=twin.node,
        mpi=twin.mpi,
        progress=twin.progress.value,
        parameters=shown_parameters(twin),
        bands=twin.bands,
    )


def shown_parameters(twin: Twin) -> tuple[ShownParameter, ...]:
    """Every parameter as text, in the order that they are declared in."""
    declared = {one.name: one for one in parameters_of(twin.topology, len(twin.shape))}
    return tuple(_shown(one, declared[one.name]) for one in twin.parameters)


def _shown(one: TwinParameter, declared: DeclaredParameter) -> ShownParameter:
    return ShownParameter(
        name=one.name,
        value=one.value,
        unit="" if declared.unit in (SHARE, COUNT) else declared.unit.symbol,
        text=quantity_text(one.value, declared.unit),
        meaning=declared.text,
        least=quantity_text(declared.least, declared.unit),
        most=quantity_text(declared.most, declared.unit),
        basis=one.basis,
        reason=one.reason,
        changed=one.changed,
    )
