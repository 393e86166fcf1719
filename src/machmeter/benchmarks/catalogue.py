"""Every benchmark by name."""

from __future__ import annotations

from collections.abc import Sequence

from machmeter.benchmarks.apps import APPS
from machmeter.benchmarks.codes.align import ALIGNLONG, ALIGNPAIRS
from machmeter.benchmarks.codes.blocklu import BLOCKLU
from machmeter.benchmarks.codes.born import BORN
from machmeter.benchmarks.codes.coulomb import COULOMB
from machmeter.benchmarks.codes.elements import ELEMENTS
from machmeter.benchmarks.codes.kdtree import KDTREE
from machmeter.benchmarks.codes.lbm import LBM
from machmeter.benchmarks.codes.shallow import SHALLOW
from machmeter.benchmarks.compute import COMPUTE
from machmeter.benchmarks.device.arithmetic import DEVICE_ATOMICS, DEVICE_FMA
from machmeter.benchmarks.device.copies import DEVICE_COPY, DEVICE_OVERLAP
from machmeter.benchmarks.device.latency import DEVICE_LATENCY, DEVICE_LAUNCH
from machmeter.benchmarks.device.liquid import DEVICE_LIQUID
from machmeter.benchmarks.device.stream import DEVICE_STREAM
from machmeter.benchmarks.explore import EXPLORED
from machmeter.benchmarks.lu import LU
from machmeter.benchmarks.memory.access import MEMORY
from machmeter.benchmarks.memory.allocation import ALLOCATION
from machmeter.benchmarks.memory.assembly import ASSEMBLY
from machmeter.benchmarks.memory.load import MEMORY_LOAD
from machmeter.benchmarks.memory.places import MEMORY_PLACES
from machmeter.benchmarks.network.collectives import COLLECTIVES
from machmeter.benchmarks.network.messages import NETWORK
from machmeter.benchmarks.network.onesided import ONE_SIDED, SHMEM
from machmeter.benchmarks.network.overlap import OVERLAPS
from machmeter.benchmarks.network.system import SYSTEM
from machmeter.benchmarks.nodes import NODES
from machmeter.benchmarks.proxies.beampic import BEAMPIC
from machmeter.benchmarks.proxies.fvcore import FVCORE
from machmeter.benchmarks.proxies.gkpic import GKPIC
from machmeter.benchmarks.proxies.ljmd import LJMD
from machmeter.benchmarks.proxies.lowmach import LOWMACH
from machmeter.benchmarks.proxies.lqcd import LQCD
from machmeter.benchmarks.proxies.nwp import NWP
from machmeter.benchmarks.proxies.ofp import OFP
from machmeter.benchmarks.proxies.plf import PLF
from machmeter.benchmarks.proxies.pwdft import PWDFT
from machmeter.benchmarks.proxies.ring import RING
from machmeter.benchmarks.proxies.scf import SCF
from machmeter.benchmarks.reference import REFERENCE
from machmeter.benchmarks.sparse import SPARSE
from machmeter.benchmarks.threads import THREADS
from machmeter.model.benchmark import Benchmark, Subject
from machmeter.model.errors import UsageError
from machmeter.model.results.estimate import Estimate
from machmeter.model.written.choices import choice_remedy

PROXIES = (BEAMPIC, FVCORE, GKPIC, LJMD, LOWMACH, LQCD, NWP, OFP, PLF, PWDFT, RING, SCF)
BENCHMARKS: tuple[Benchmark, ...] = (
    *MEMORY,
    *MEMORY_PLACES,
    *MEMORY_LOAD,
    ASSEMBLY,
    ALLOCATION,
    *THREADS,
    *COMPUTE,
    LU,
    DEVICE_STREAM,
    DEVICE_LATENCY,
    DEVICE_LAUNCH,
    DEVICE_COPY,
    DEVICE_OVERLAP,
    DEVICE_FMA,
    DEVICE_ATOMICS,
    DEVICE_LIQUID,
    *SPARSE,
    *APPS,
    KDTREE,
    ALIGNPAIRS,
    ALIGNLONG,
    BLOCKLU,
    SHALLOW,
    LBM,
    COULOMB,
    BORN,
    ELEMENTS,
    *NETWORK,
    *OVERLAPS,
    *COLLECTIVES,
    *ONE_SIDED,
    *SYSTEM,
    *NODES,
    *SHMEM,
    *PROXIES,
)
GROUPS: tuple[str, ...] = tuple(dict.fromkeys(benchmark.group for benchmark in BENCHMARKS))


def find(name: str, own: Sequence[Benchmark] = ()) -> Benchmark:
    """The benchmark of that name, the reference kernel included. Raises UsageError when there is
    none.

    own: benchmarks that a study has of its own, which come first.
    """
    found = known(name, own) or _NOT_LISTED.get(name)
    if found:
        return found
    names = (benchmark.name for benchmark in BENCHMARKS)
    remedy = choice_remedy(name, names, "`machmeter list benchmarks` lists all")
    raise UsageError(f"there is no benchmark {name!r}", remedy)


def known(name: str, own: Sequence[Benchmark] = ()) -> Benchmark | None:
    """The benchmark of that name; None for a workload, or one of another version.

    own: benchmarks that a study has of its own, which come first.
    """
    return next((one for one in own if one.name == name), _BY_NAME.get(name))


def amounts_of(name: str) -> tuple[str, ...]:
    """Names of the parameters of a benchmark that say how much work a point is."""
    return _BY_NAME[name].amounts if name in _BY_NAME else ()


def title_of(name: str) -> str:
    """The title of a benchmark; its name where the catalogue lacks it."""
    return _BY_NAME[name].title if name in _BY_NAME else name


def subject_of(name: str) -> str:
    """The group that results of a benchmark are summarized with: workloads are applications."""
    if name.startswith(_WORKLOAD):
        return Subject.APPLICATIONS.value
    found = _BY_NAME.get(name)
    return found.subject.value if found and found.subject else title_of(name)


def is_primary(one: Estimate) -> bool:
    """Whether a result stands by itself, and does not follow from another one of its benchmark.

    What machmeter does not measure itself (a published workload) stands by itself.
    """
    declared = _BY_NAME.get(one.point.benchmark)
    metrics = declared.metrics if declared else ()
    return one.primary and all(of.primary for of in metrics if of.name == one.metric)


_WORKLOAD = "workload."
_BY_NAME = {benchmark.name: benchmark for benchmark in BENCHMARKS}
_NOT_LISTED = {benchmark.name: benchmark for benchmark in (REFERENCE, *EXPLORED)}
