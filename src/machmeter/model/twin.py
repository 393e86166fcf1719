"""A twin: a model of a machine on which benchmarks are simulated."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct


class TwinTopology(StrEnum):
    """How the nodes of a twin are connected."""

    DIRECT = "direct"
    TORUS = "torus"
    DRAGONFLY = "dragonfly"
    FAT_TREE = "fat-tree"


class TwinProgress(StrEnum):
    """Who moves a large message while its ranks compute."""

    HOST = "host"
    NIC = "nic"


class TwinBasis(StrEnum):
    """Where a number of a model comes from."""

    PUBLISHED = "published"
    FITTED = "fitted"
    ASSUMED = "assumed"


class TwinParameter(Struct, frozen=True):
    """One number of the model."""

    name: str
    """Such as `network.hop_latency`; `simulation.parameters` declares every one."""
    value: float
    """In the base unit of the parameter: seconds, bytes, bytes per second, a count, a share."""
    basis: TwinBasis
    """Where it comes from."""
    reason: str
    """Of a published one its source with the page, of a fitted one the figure (`edison/NAME`), of
    an assumed one why."""
    changed: bool = False
    """Whether `--with` gave it."""


class ErrorBand(Struct, frozen=True):
    """How far results of a benchmark may be from those of the machine."""

    benchmark: str
    """Its name."""
    share: float
    """Half the width of the band, as a share of the value."""
    reason: str
    """What it was determined from."""


class TwinNode(Struct, frozen=True):
    """One node of a twin."""

    packages: int
    """Sockets."""
    cores_per_package: int
    """Cores of each."""
    cpu: str
    """The processor, as its maker calls it."""
    memory_bytes: int
    """Installed memory."""
    numa_per_package: int = 1
    """NUMA domains of each socket."""

    @property
    def cores(self) -> int:
        """Cores of the node."""
        return self.packages * self.cores_per_package


class Twin(Struct, frozen=True):
    """A model of a machine."""

    name: str
    """What `--on` calls it."""
    title: str
    """One line: the machine, its network, who had it."""
    nodes: int
    """Nodes of the machine."""
    node: TwinNode
    """One of them."""
    topology: TwinTopology
    """How they are connected."""
    progress: TwinProgress
    """Who moves a large message while its ranks compute."""
    mpi: str
    """The MPI library whose algorithms of collective operations are taken: `mpich` or `openmpi`."""
    parameters: tuple[TwinParameter, ...]
    """Every number of the model."""
    shape: tuple[int, ...] = ()
    """Of a torus its routers in each dimension; of a dragonfly routers of a chassis, chassis of a
    group, groups; of a fat tree the nodes below a switch of each level, the lowest first."""
    bands: tuple[ErrorBand, ...] = ()
    """How far results may be off (none: unknown)."""
    published: str = ""
    """ID of the published machine that it is the twin of (empty: none)."""

    def value(self, name: str) -> float:
        """The parameter of that name, in its base unit. Raises KeyError where there is none."""
        for one in self.parameters:
            if one.name == name:
                return one.value
        raise KeyError(name)

    def band(self, benchmark: str) -> float | None:
        """Half the width of the error band of a benchmark's results, as a share; None: unknown."""
        return next((one.share for one in self.bands if one.benchmark == benchmark), None)
