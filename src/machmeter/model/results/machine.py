"""A machine with its results, wherever they come from: what stands on one side of a comparison."""

from __future__ import annotations

from msgspec import Struct, field

from machmeter.model.origin import Origin
from machmeter.model.plan.code_set import CodeSet
from machmeter.model.results.caveat import Caveat
from machmeter.model.results.estimate import Estimate


class Parts(Struct, frozen=True, omit_defaults=True):
    """What results of a whole machine are divided by; left out of JSON where it is not known."""

    nodes: int = 0
    """Nodes of the machine, or of the part of it that was measured; 0 where not known."""
    cores: int = 0
    """Cores of the machine, or of the part of it that was measured; 0 where not known."""
    watts: float = 0.0
    """Power drawn under load, watts; 0 where not known."""
    price: float = 0.0
    """Price of the whole machine, in `currency`; 0 where not known."""
    currency: str = ""
    """Currency of the price, ISO 4217."""


class MachineResults(Struct, frozen=True):
    """A machine as it is compared."""

    id: str
    """What a person names it by: a run's ID, a published machine's, a file's name."""
    title: str
    """What it is called in a table."""
    origin: Origin
    """Whether machmeter measured it, or who else did."""
    source: str
    """Who printed or measured its results."""
    parts: Parts = Parts()
    """What its results are divided by."""
    properties: dict[str, str] = field(default_factory=dict)
    """What it is made of, by name: text with units."""
    generation: str = ""
    """Of its processors, as their maker calls it; empty where it is not known."""
    network: str = ""
    """Between its nodes; empty where it is not known."""
    limits: dict[str, float] = field(default_factory=dict)
    """What the hardware can at most: the `memory` of a node, a `link` of it to others and all its
    `links`, one way, B/s; `operations` of a core in a cycle, double precision. Without those that
    are not known."""
    domain_bytes: float = 0.0
    """Memory of its smallest NUMA domain, which is that of a node where several are joined into one
    system; 0 where it is not known."""
    code_set: CodeSet | None = None
    """The set of codes that was measured; null where none was."""
    estimates: tuple[Estimate, ...] = ()
    """Its results."""
    year: int = 0
    """When it was measured or published; 0 where not known."""
    runs: tuple[str, ...] = ()
    """IDs of the runs that its results were measured in."""
    command: str = ""
    """The command that measures them again; empty where it was not machmeter."""
    caveats: tuple[Caveat, ...] = ()
    """What limits the results of its run, the gravest first; empty where it was not measured here
    or in several runs."""
