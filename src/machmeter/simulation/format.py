"""The form of the files that describe twins."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from msgspec import Meta, Struct

from machmeter.model.twin import TwinProgress, TwinTopology

FORMAT = 1
MOST_NODES = 2**20
# Names become host names.
TwinName = Annotated[str, Meta(pattern=r"^[a-z0-9][a-z0-9-]*$", max_length=40)]
Line = Annotated[str, Meta(min_length=1, max_length=200)]
Reason = Annotated[str, Meta(max_length=1000)]
FigureName = Annotated[str, Meta(pattern=r"^([a-z0-9.-]+/[a-z0-9.-]+)?$", max_length=170)]
BenchmarkName = Annotated[str, Meta(pattern=r"^[a-z0-9.-]+$", max_length=80)]
MpiLibrary = Literal["mpich", "openmpi"]
MPI_LIBRARIES: tuple[str, ...] = get_args(MpiLibrary)
"""Those whose algorithms of collective operations are modeled."""
Places = Annotated[int, Meta(ge=1, le=MOST_NODES)]


class WrittenParameter(Struct, frozen=True, forbid_unknown_fields=True):
    """One number of the model, with exactly one of `published`, `fitted` and `assumed`."""

    value: str | int | float
    """With its unit: `105 ns`, `5.25 GB/s`, `16 KiB`; of a share or a count a number."""
    published: Reason = ""
    """The source that prints it, with the page."""
    fitted: FigureName = ""
    """The figure of a published machine that it was fitted to: `edison/latency-second-socket`."""
    assumed: Reason = ""
    """Why it was chosen, where no source has it."""


class WrittenNode(Struct, frozen=True, forbid_unknown_fields=True):
    """One node."""

    packages: Annotated[int, Meta(ge=1, le=64)]
    """Sockets."""
    cores_per_package: Annotated[int, Meta(ge=1, le=1024)]
    """Cores of each."""
    cpu: Line
    """The processor, as its maker calls it."""
    memory: Line
    """Installed memory, with its unit."""
    numa_per_package: Annotated[int, Meta(ge=1, le=64)] = 1
    """NUMA domains of each socket."""


class WrittenBand(Struct, frozen=True, forbid_unknown_fields=True):
    """How far results of a benchmark may be from those of the machine."""

    benchmark: BenchmarkName
    """Its name."""
    share: Annotated[float, Meta(gt=0, le=10)]
    """Half the width of the band, as a share of the value."""
    reason: Annotated[str, Meta(min_length=1, max_length=1000)]
    """What it was determined from."""


class TwinFile(Struct, frozen=True, forbid_unknown_fields=True):
    """A model of a machine, as a file describes it."""

    format: Annotated[int, Meta(ge=FORMAT, le=FORMAT)]
    """Version of this format."""
    name: TwinName
    """What `--on` calls it, and what its nodes are named after."""
    title: Line
    """The machine, its network, who had it."""
    nodes: Places
    """Nodes of the machine."""
    topology: TwinTopology
    """How they are connected."""
    mpi: MpiLibrary
    """The MPI library whose algorithms of collective operations are taken."""
    progress: TwinProgress
    """Who moves a large message while its ranks compute."""
    node: WrittenNode
    """One node."""
    parameters: dict[str, WrittenParameter]
    """Every number of the model, by its name."""
    shape: Annotated[tuple[Places, ...], Meta(max_length=4)] = ()
    """Of a torus its routers in each of three dimensions; of a dragonfly routers of a chassis,
    chassis of a group, groups; of a fat tree the nodes below a switch of each level, the lowest
    first."""
    bands: Annotated[tuple[WrittenBand, ...], Meta(max_length=100)] = ()
    """How far results may be off (none: unknown)."""
    published: Annotated[str, Meta(pattern=r"^([a-z0-9][a-z0-9.-]*)?$", max_length=80)] = ""
    """ID of the published machine that it is the twin of (empty: none)."""
